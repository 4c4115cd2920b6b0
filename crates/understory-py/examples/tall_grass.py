"""A VLP-16 driven through tall grass, beside the same drive over bare ground."""

# %% [markdown]
# # A VLP-16 through tall grass
#
# The same pulses are fired over bare ground, and over the same ground with tall grass of several
# densities. So each pulse tells how much nearer it ended in the grass, and whether it still
# reached the ground.

# %%
import os
from pathlib import Path

import numpy as np
import understory

#: Small work for tests.
QUICK = os.environ.get("UNDERSTORY_QUICK") == "1"


def ground() -> understory.World:
    """Uneven ground of 24 × 16 m."""
    return understory.World().set_terrain(
        plane={"size_m": [24.0, 16.0], "spacing_m": 0.25},
        relief=[{"rms_height_m": 0.05, "wavelength_max_m": 8.0}],
        tolerance_m=0.01,
        seed=3,
    )


def drive(world: understory.World, duration_s: float) -> understory.Scenario:
    """A VLP-16 at 1.6 m, driven at 2 m/s."""
    way = [
        {"time_s": 0.0, "position_m": [-6.0, 0.0, 0.0]},
        {"time_s": duration_s, "position_m": [-6.0 + 2.0 * duration_s, 0.0, 0.0]},
    ]
    sensor = understory.Sensor("vlp-16", position_m=(0.0, 0.0, 1.6))
    return understory.Scenario.build(
        world, sensor, duration_s=duration_s, platform={"waypoints": way}
    )


def main(out: Path = Path("out/tall-grass"), quick: bool = QUICK) -> None:
    """Drives over bare ground and through grass, and compares pulse by pulse."""
    # %%
    duration_s = 0.1 if quick else 1.0
    densities = [10.0, 100.0] if quick else [10.0, 30.0, 100.0, 300.0]
    bare = understory.run(drive(ground(), duration_s), seed=1).returns()
    print(f"over bare ground: {bare}")
    seen = {}
    for blades_per_m2 in densities:
        world = ground().add_plant(
            "grass",
            "tall-grass",
            override={"blades_per_m2": blades_per_m2},
            tiles=True,
            area={"size_m": [20.0, 8.0]},
        )
        seen[blades_per_m2] = understory.run(drive(world, duration_s), seed=1).returns()
        print(f"through {blades_per_m2:.0f} blades per m²: {seen[blades_per_m2]}")

    # %% [markdown]
    # How the ranges change: a histogram over metres.

    # %%
    edges = np.arange(2.0, 13.0, 1.0)
    counts = [np.histogram(cloud.range_m, edges)[0] for cloud in (bare, *seen.values())]
    print("range m    bare  " + "".join(f"{density:8.0f}" for density in densities))
    for row, low in enumerate(edges[:-1]):
        print(f"{low:4.0f}–{low + 1:<4.0f}" + "".join(f"{count[row]:8d}" for count in counts))

    # %% [markdown]
    # How deep beams get: of the pulses that met the ground where it was bare, how many still meet
    # it, by the distance of the ground. Pulses have the same numbers in all runs, and the class of
    # what was met is known: 72 is terrain.

    # %%
    rows = []
    print("blades/m²   ground at   pulses   reach it   others end before it by")
    for blades_per_m2, cloud in seen.items():
        _, in_bare, in_grass = np.intersect1d(bare.pulse, cloud.pulse, return_indices=True)
        ground_m, there = bare.true_range_m[in_bare], bare.true_xyz_m[in_bare]
        grown = (np.abs(there[:, 0]) < 10.0) & (np.abs(there[:, 1]) < 4.0)
        reached = cloud.label[in_grass] == 72
        before_m = ground_m - cloud.true_range_m[in_grass]
        for low, high in ((0.0, 7.0), (7.0, 12.0)):
            chosen = grown & (ground_m >= low) & (ground_m < high)
            pulses, share = int(chosen.sum()), float(reached[chosen].mean())
            mean_m = float(before_m[chosen & ~reached].mean())
            rows.append([blades_per_m2, low, high, pulses, share, mean_m])
            print(
                f"{blades_per_m2:9.0f}   {low:3.0f}–{high:<2.0f} m   {pulses:8d}   "
                f"{100 * share:6.1f} %   {mean_m:8.2f} m"
            )

    # %%
    out.mkdir(parents=True, exist_ok=True)
    seen[densities[-1]].save(out / "tall-grass.npy")
    head = "blades_per_m2,from_m,to_m,pulses,reach_the_ground,end_before_it_m"
    np.savetxt(out / "penetration.csv", rows, delimiter=",", header=head, comments="", fmt="%g")
    print(f"written to {out}")


if __name__ == "__main__":
    import argparse

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/tall-grass"))
    parser.add_argument("--quick", action="store_true", default=QUICK)
    main(**vars(parser.parse_args()))
