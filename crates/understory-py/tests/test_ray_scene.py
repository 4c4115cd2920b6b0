"""Rays against triangles: brute force with NumPy, Open3D, and pulses against single rays."""

from __future__ import annotations

import numpy as np
import pytest
import understory
from conftest import needed
from understory import RayScene


def strewn(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Small triangles at random in a box of 10 m."""
    draw = np.random.default_rng(seed)
    middles = draw.uniform(-5, 5, (count, 1, 3))
    vertices = (middles + draw.normal(0, 0.4, (count, 3, 3))).reshape(-1, 3)
    return vertices, np.arange(3 * count).reshape(-1, 3)


def beams(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rays from around the box towards it, of any length."""
    draw = np.random.default_rng(seed)
    origins = draw.normal(0, 1, (count, 3))
    origins *= 9 / np.linalg.norm(origins, axis=1, keepdims=True)
    directions = draw.uniform(-4, 4, (count, 3)) - origins
    return origins, (directions * draw.uniform(0.1, 3, (count, 1))).astype(np.float32)


def brute_force(
    vertices: np.ndarray, triangles: np.ndarray, origins: np.ndarray, directions: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Möller and Trumbore's test of every triangle with every ray, in double precision.

    Gives the distance, the triangle, and how far a ray is from the nearest edge that would decide
    otherwise, in barycentric coordinates.
    """
    a, b, c = (vertices[triangles[:, corner]] for corner in range(3))
    first, second = b - a, c - a
    best = np.full(len(origins), np.inf)
    which = np.full(len(origins), -1)
    doubt = np.full(len(origins), np.inf)
    for ray, (origin, direction) in enumerate(zip(origins, directions.astype(float))):
        across = np.cross(direction, second)
        determinant = np.einsum("ij,ij->i", first, across)
        away = origin - a
        u = np.einsum("ij,ij->i", away, across) / determinant
        turned = np.cross(away, first)
        v = turned @ direction / determinant
        t = np.einsum("ij,ij->i", second, turned) / determinant
        inside = np.minimum(np.minimum(u, v), 1 - u - v)
        hits = (inside >= 0) & (t > 0)
        ahead = t > 0
        if hits.any():
            chosen = np.where(hits, t, np.inf).argmin()
            best[ray], which[ray] = t[chosen], chosen
            ahead &= t <= t[chosen]
        doubt[ray] = np.abs(inside[ahead]).min(initial=np.inf)
    return best, which, doubt


@pytest.mark.parametrize("closed", [True, False])
def test_rays_meet_what_brute_force_meets(closed: bool) -> None:
    vertices, triangles = strewn(600, 1)
    origins, directions = beams(3000, 2)
    scene = RayScene(vertices, triangles, closed=closed)
    found = scene.cast(origins, directions, normals=True)
    t, which, doubt = brute_force(vertices, triangles, origins, directions)
    sure = doubt > 1e-4
    assert sure.mean() > 0.95 and 500 < (which[sure] >= 0).sum() < 2900
    assert np.array_equal(found.triangle[sure], which[sure])
    hit = sure & (which >= 0)
    assert np.array_equal(found.hit, found.triangle >= 0)
    assert np.abs(found.t[hit] / t[hit] - 1).max() < 1e-5
    assert np.isinf(found.t[~found.hit]).all()
    corners = vertices[triangles[which[hit]]]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    normals *= -np.sign(np.einsum("ij,ij->i", normals, directions[hit].astype(float)))[:, None]
    assert found.normal is not None
    assert np.abs(found.normal[hit] - normals).max() < 1e-3
    assert np.isnan(found.normal[~found.hit]).all()


def test_rays_meet_what_open3d_meets() -> None:
    open3d = needed("open3d")
    vertices, triangles = strewn(2000, 3)
    vertices = vertices.astype(np.float32)
    origins, directions = beams(20_000, 4)
    origins = origins.astype(np.float32)
    theirs = open3d.t.geometry.RaycastingScene()
    theirs.add_triangles(vertices, triangles.astype(np.uint32))
    answer = theirs.cast_rays(open3d.core.Tensor(np.hstack([origins, directions])))
    their_t, their_triangle = answer["t_hit"].numpy(), answer["primitive_ids"].numpy()
    ours = RayScene(vertices, triangles, closed=False).cast(origins, directions)
    they_hit = np.isfinite(their_t)
    # Rays through an edge may be judged either way.
    assert (ours.hit != they_hit).sum() <= 10
    same = ours.hit & they_hit & (ours.triangle == their_triangle)
    assert same.sum() >= they_hit.sum() - 10 and they_hit.sum() > 10_000
    assert np.abs(ours.t[same] / their_t[same] - 1).max() < 2e-5


@pytest.mark.parametrize("rays", [1, 2, 7, 9, 16, 33, 100])
def test_pulses_are_their_rays_bit_by_bit(rays: int) -> None:
    vertices, triangles = strewn(500, 5)
    scene = RayScene(vertices, triangles)
    origins, axes = beams(300, 6)
    draw = np.random.default_rng(7)
    directions = (axes[:, None, :] * (1 + draw.normal(0, 0.01, (300, rays, 3)))).astype(np.float32)
    pulses = scene.cast(origins, directions, normals=True)
    single = scene.cast(np.repeat(origins, rays, axis=0), directions.reshape(-1, 3), normals=True)
    assert pulses.t.shape == pulses.triangle.shape == (300, rays)
    assert 0.1 < pulses.hit.mean() < 1
    assert pulses.t.tobytes() == single.t.tobytes()
    assert pulses.triangle.tobytes() == single.triangle.tobytes()
    assert pulses.normal is not None and single.normal is not None
    assert pulses.normal.shape == (300, rays, 3)
    assert pulses.normal.tobytes() == single.normal.tobytes()


def test_t_counts_lengths_of_the_direction() -> None:
    scene = RayScene([[5, -1, -1], [5, 1, -1], [5, 0, 1]], [[0, 1, 2]])
    found = scene.cast([[0, 0, 0]] * 3, [[1, 0, 0], [2, 0, 0], [-1, 0, 0]])
    assert found.t.tolist() == [5.0, 2.5, np.inf]
    assert found.triangle.tolist() == [0, 0, -1]
    assert found.normal is None
    assert scene.cast([[0, 0, 0]], [[1, 0, 0]], t_max=4.9).triangle.tolist() == [-1]
    assert scene.cast([[0, 0, 0]], [[1, 0, 0]], t_max=5.1).triangle.tolist() == [0]


def unaligned(array: np.ndarray) -> np.ndarray:
    raw = np.zeros(array.nbytes + 1, dtype=np.uint8)[1:]
    moved = raw.view(array.dtype).reshape(array.shape)
    moved[...] = array
    assert not moved.flags.aligned
    return moved


def test_any_layout_of_numbers_gives_the_same() -> None:
    vertices, triangles = strewn(200, 8)
    origins, directions = beams(500, 9)
    wanted = RayScene(vertices, triangles).cast(origins, directions)
    assert wanted.hit.any()
    other = RayScene(np.asfortranarray(vertices), triangles.astype(np.int16)[::-1][::-1])
    for starts, ways in (
        (np.asfortranarray(origins), np.asfortranarray(directions)),
        (origins.tolist(), directions.tolist()),
        (origins, directions.astype(np.float64)),
        (origins[::-1][::-1], directions[:, ::-1][:, ::-1]),
        (unaligned(origins), unaligned(directions)),
    ):
        found = other.cast(starts, ways)
        assert found.t.tobytes() == wanted.t.tobytes()
        assert found.triangle.tobytes() == wanted.triangle.tobytes()


def test_far_from_the_origin_of_the_world() -> None:
    """Map coordinates lose nothing: vertices and origins are double precision."""
    vertices, triangles = strewn(200, 10)
    origins, directions = beams(1000, 11)
    here = RayScene(vertices, triangles).cast(origins, directions)
    there_m = np.array([500_000.0, 5_400_000.0, 300.0])
    there = RayScene(vertices + there_m, triangles).cast(origins + there_m, directions)
    same = here.triangle == there.triangle
    assert same.mean() > 0.995
    hit = same & here.hit
    assert np.abs(here.t[hit] - there.t[hit]).max() < 1e-4


def test_nothing_and_no_rays() -> None:
    scene = RayScene(np.zeros((3, 3)) + np.eye(3), [[0, 1, 2]])
    assert scene.triangle_count == 1 and scene.memory_bytes > 0
    assert repr(scene) == "<RayScene of 1 triangles>"
    found = scene.cast(np.empty((0, 3)), np.empty((0, 3)), normals=True)
    assert found.t.shape == (0,) and found.normal is not None and found.normal.shape == (0, 3)
    assert scene.cast(np.empty((0, 3)), np.empty((0, 9, 3))).t.shape == (0, 9)


def test_a_scene_serves_many_threads() -> None:
    from concurrent.futures import ThreadPoolExecutor

    vertices, triangles = strewn(500, 12)
    origins, directions = beams(5000, 13)
    scene = understory.RayScene(vertices, triangles)
    wanted = scene.cast(origins, directions).t.tobytes()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: scene.cast(origins, directions).t.tobytes(), range(8)))
    assert all(one == wanted for one in found)
