"""A labelled data set in SemanticKITTI's form, from random scenes."""

# %% [markdown]
# # A labelled data set
#
# Each random scene becomes a sequence of SemanticKITTI: `sequences/00/velodyne/000000.bin`,
# `labels/000000.label`, `poses.txt`, `times.txt` and `calib.txt`. Every point knows its class and
# its instance, since the simulator knows what it met.

# %%
import os
from pathlib import Path

import numpy as np
import understory

#: Small work for tests.
QUICK = os.environ.get("UNDERSTORY_QUICK") == "1"

#: SemanticKITTI's numbers of the classes that occur here.
CLASSES = {30: "person", 50: "building", 70: "vegetation", 71: "trunk", 72: "terrain", 80: "pole"}


def random_scene(number: int, duration_s: float) -> understory.Scenario:
    """Uneven ground with shrubs, trees, posts, people and a building, all placed at random."""
    draw = np.random.default_rng(number)
    free = [{"radius_m": 2.5}]
    area = {"size_m": [36.0, 36.0]}
    world = understory.World().set_terrain(
        plane={"size_m": [60.0, 60.0], "spacing_m": 0.5},
        relief=[{"rms_height_m": float(draw.uniform(0.0, 0.3)), "wavelength_max_m": 20.0}],
        tolerance_m=0.02,
    )
    world.add_plant(
        "shrub",
        str(draw.choice(["hazel", "apple"])),
        override={"leaf_count_max": 4000},
        variants=1,
        count=int(draw.integers(3, 12)),
        area=area,
        avoid=free,
        scale_range=[0.4, 1.0],
    )
    world.add_plant(
        "grass",
        "pasture",
        override={"blades_per_m2": float(draw.uniform(100.0, 800.0))},
        variants=1,
        count=int(draw.integers(10, 60)),
        area=area,
    )
    world.add_ground_object(
        "post",
        what={"kind": "post", "height_m": 1.5, "diameter_m": 0.12},
        count=int(draw.integers(2, 10)),
        area=area,
        avoid=free,
        label="pole",
    )
    for person in range(int(draw.integers(1, 4))):
        way, far = draw.uniform(0.0, 2.0 * np.pi), draw.uniform(4.0, 15.0)
        world.add_object(
            f"person-{person}",
            "person",
            position_m=[far * np.cos(way), far * np.sin(way), 0.0],
            rotation_deg=[0.0, 0.0, draw.uniform(0.0, 360.0)],
        )
    world.add_object(
        "house",
        "box",
        size_m=draw.uniform([6.0, 6.0, 3.0], [12.0, 9.0, 6.0]),
        position_m=[float(draw.choice([-22.0, 22.0])), float(draw.uniform(-8.0, 8.0)), -0.5],
        material="brick",
        label="building",
    )
    heading_deg = float(draw.uniform(0.0, 360.0))
    ahead_m = 3.0 * duration_s
    heading = np.radians(heading_deg)
    way_m = [[0.0, 0.0, 0.0], [ahead_m * np.cos(heading), ahead_m * np.sin(heading), 0.0]]
    waypoints = [
        {"time_s": time_s, "position_m": place, "rotation_deg": [0.0, 0.0, heading_deg]}
        for time_s, place in zip((0.0, duration_s), way_m)
    ]
    return understory.Scenario.build(
        world,
        understory.Sensor("vlp-16", position_m=(0.0, 0.0, 1.7)),
        duration_s=duration_s,
        seed=number,
        platform={"waypoints": waypoints},
    )


def main(
    out: Path = Path("out/semantic-kitti"), quick: bool = QUICK, scenes: int | None = None
) -> None:
    """Writes the sequences and counts the points of each class."""
    # %%
    count = scenes or (2 if quick else 100)
    duration_s = 0.1 if quick else 0.3
    for number in range(count):
        folder = out / "sequences" / f"{number:02d}"
        folder.parent.mkdir(parents=True, exist_ok=True)
        scene = random_scene(number, duration_s)
        done = understory.write(scene, folder, formats=["kitti"])
        print(f"{folder}: {done['returns']} points", flush=True)

    # %% [markdown]
    # Read back as any loader of SemanticKITTI does: four numbers a point, and a label whose lower
    # half is the class and whose upper half is the instance.

    # %%
    totals: dict[int, int] = {}
    for scan in sorted(out.glob("sequences/*/velodyne/*.bin")):
        points = np.fromfile(scan, dtype=np.float32).reshape(-1, 4)
        labels = np.fromfile(
            scan.parents[1] / "labels" / scan.with_suffix(".label").name, dtype=np.uint32
        )
        assert len(points) == len(labels)
        for label, number in zip(*np.unique(labels & 0xFFFF, return_counts=True)):
            totals[int(label)] = totals.get(int(label), 0) + int(number)
    for label, number in sorted(totals.items()):
        print(f"{label:4d} {CLASSES.get(label, 'other'):12s} {number:9d} points")


if __name__ == "__main__":
    import argparse

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/semantic-kitti"))
    parser.add_argument("--quick", action="store_true", default=QUICK)
    parser.add_argument("--scenes", type=int, default=None, help="how many (100)")
    main(**vars(parser.parse_args()))
