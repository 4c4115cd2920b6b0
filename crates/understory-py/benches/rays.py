"""Rays against a mesh: `understory.RayScene` beside Open3D and Embree, interleaved in one run.

    python rays.py MESH.obj [--rays 400000] [--rounds 7] [--json FILE]

Single rays go from a ring around the mesh to points in its box; pulses are nine rays within 3 mrad.
All three use all processors, or with `--threads 1` one. Ours tests edges exactly, as Embree does by
itself, or with `--closed` so that nothing slips through, as Open3D has Embree do. Rounds take turns; times are medians by the
clock, and beside them of processors, which other programs on the machine disturb less. Hits are
compared as well.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mesh")
    parser.add_argument("--rays", type=int, default=400_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--closed", action="store_true", help="close the edges between triangles")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    if arguments.threads:
        for name in ("RAYON_NUM_THREADS", "OMP_NUM_THREADS"):
            os.environ[name] = str(arguments.threads)

    import trimesh

    import understory

    mesh = trimesh.load(arguments.mesh, force="mesh", process=False)
    vertices = np.asarray(mesh.vertices, dtype=np.float64)
    triangles = np.asarray(mesh.faces, dtype=np.uint32)
    print(f"{len(triangles)} triangles, {arguments.rays} rays or pulses, {os.cpu_count()} processors")
    origins, directions, bundles = rays(vertices, arguments.rays)

    ours = understory.RayScene(vertices, triangles, closed=arguments.closed)
    single: dict[str, Callable[[], Any]] = {"understory": lambda: ours.cast(origins, directions).t}
    pulses: dict[str, Callable[[], Any]] = {"understory": lambda: ours.cast(origins, bundles).t}
    repeated = np.repeat(origins, bundles.shape[1], axis=0)
    flat = bundles.reshape(-1, 3)
    add_open3d(vertices, triangles, (origins, directions), (repeated, flat), single, pulses, arguments.threads)
    add_embree(vertices, triangles, (origins, directions), (repeated, flat), single, pulses)

    rows = []
    for name, contenders in (("single rays", single), ("pulses of 9", pulses)):
        times, results = measure(contenders, arguments.rounds)
        reference = np.asarray(results["understory"]).reshape(-1)
        for program, (seconds, spent) in times.items():
            found = np.asarray(results[program]).reshape(-1)
            same = np.isfinite(found) == np.isfinite(reference)
            both = np.isfinite(found) & np.isfinite(reference)
            near = np.isclose(found[both], reference[both], rtol=1e-4, atol=1e-4).mean()
            count = len(reference)
            row = {
                "rays": name,
                "program": program,
                "seconds": seconds,
                "rays_per_second": count / seconds,
                "understory_is_faster_by": seconds / times["understory"][0],
                "processor_seconds": spent,
                "understory_is_faster_by_processor": spent / times["understory"][1],
                "same_hits": float(same.mean()),
                "same_distances": float(near),
            }
            rows.append(row)
            print(
                f"{name:12} {program:12} {1e3 * seconds:8.1f} ms {count / seconds / 1e6:7.2f} M rays/s  "
                f"understory × {row['understory_is_faster_by']:.2f} "
                f"(by processor × {row['understory_is_faster_by_processor']:.2f})  "
                f"hits alike {100 * row['same_hits']:.3f} %, distances {100 * near:.3f} %"
            )
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    return 0


def rays(vertices: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Origins around the mesh, unit directions into it, and nine directions about each."""
    random = np.random.default_rng(1)
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    middle, size = (low + high) / 2, np.linalg.norm(high - low)
    turn = random.uniform(0, 2 * np.pi, count)
    origins = middle + size * np.stack([np.cos(turn), np.sin(turn), np.zeros(count)], axis=1)
    aims = random.uniform(low, high, (count, 3))
    directions = aims - origins
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    aside = np.cross(directions, [0.0, 0.0, 1.0])
    aside /= np.linalg.norm(aside, axis=1, keepdims=True)
    up = np.cross(aside, directions)
    ring = 1.1e-3 * np.exp(0.25j * np.pi * np.arange(8))
    spots = np.concatenate([[0.0], ring])
    bundles = (
        directions[:, None, :]
        + spots.real[None, :, None] * aside[:, None, :]
        + spots.imag[None, :, None] * up[:, None, :]
    )
    bundles /= np.linalg.norm(bundles, axis=2, keepdims=True)
    single = directions.astype(np.float32)
    return origins.astype(np.float32), single, bundles.astype(np.float32)


def add_open3d(vertices, triangles, one, many, single, pulses, threads) -> None:  # type: ignore[no-untyped-def]
    try:
        import open3d
    except ImportError:
        print("open3d is not installed; left out", file=sys.stderr)
        return
    scene = open3d.t.geometry.RaycastingScene(nthreads=threads or 0)
    scene.add_triangles(
        open3d.core.Tensor(vertices.astype(np.float32)), open3d.core.Tensor(triangles)
    )

    def cast(pair: tuple[np.ndarray, np.ndarray]) -> Callable[[], Any]:
        joined = open3d.core.Tensor(np.concatenate(pair, axis=1).astype(np.float32))
        return lambda: scene.cast_rays(joined, nthreads=threads or 0)["t_hit"].numpy()

    single["open3d"] = cast(one)
    pulses["open3d"] = cast(many)


def add_embree(vertices, triangles, one, many, single, pulses) -> None:  # type: ignore[no-untyped-def]
    try:
        from embreex import rtcore_scene
        from embreex.mesh_construction import TriangleMesh
    except ImportError:
        print("embreex is not installed; left out", file=sys.stderr)
        return
    scene = rtcore_scene.EmbreeScene()
    TriangleMesh(scene, vertices.astype(np.float32), triangles.astype(np.int32))

    def cast(pair: tuple[np.ndarray, np.ndarray]) -> Callable[[], Any]:
        starts, ways = (np.ascontiguousarray(part, dtype=np.float32) for part in pair)

        def run() -> Any:
            found = scene.run(starts, ways, output=True)
            distance = np.asarray(found["tfar"], dtype=np.float32)
            return np.where(np.asarray(found["geomID"]) >= 0, distance, np.float32(np.inf))

        return run

    single["embreex"] = cast(one)
    pulses["embreex"] = cast(many)


def measure(
    contenders: dict[str, Callable[[], Any]], rounds: int
) -> tuple[dict[str, tuple[float, float]], dict[str, Any]]:
    """Median seconds of each by the clock and of processors, taking turns, and what each found."""
    results = {name: run() for name, run in contenders.items()}
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, run in contenders.items():
            start, spent = time.perf_counter(), time.process_time()
            run()
            times[name].append((time.perf_counter() - start, time.process_time() - spent))
    median = statistics.median
    medians = {name: (median(w for w, _ in taken), median(p for _, p in taken)) for name, taken in times.items()}
    return medians, results


if __name__ == "__main__":
    sys.exit(main())
