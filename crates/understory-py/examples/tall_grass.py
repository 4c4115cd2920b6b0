"""A VLP-16 driven through tall grass, beside the same drive over bare ground."""

# %% [markdown]
# # A VLP-16 through tall grass
#
# The same pulses are fired twice: over bare ground, and over the same ground with tall grass.
# So each pulse tells how much nearer it ended in the grass, and whether it still reached the
# ground.

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
    """Drives twice and compares pulse by pulse."""
    # %%
    duration_s = 0.1 if quick else 1.0
    grass = ground().add_plant("grass", "tall-grass", tiles=True, area={"size_m": [20.0, 8.0]})
    bare = understory.Simulation(drive(ground(), duration_s))
    tall = understory.Simulation(drive(grass, duration_s))
    over_bare, over_tall = bare.run(seed=1).returns(), tall.run(seed=1).returns()
    print(f"over bare ground: {over_bare}")
    print(f"through the grass: {over_tall}")

    # %% [markdown]
    # How the ranges change: a histogram over metres.

    # %%
    edges = np.arange(0.0, 13.0, 1.0)
    bare_counts, _ = np.histogram(over_bare.range_m, edges)
    tall_counts, _ = np.histogram(over_tall.range_m, edges)
    print("range m    bare   grass")
    for low, first, second in zip(edges, bare_counts, tall_counts):
        print(f"{low:4.0f}–{low + 1:<4.0f} {first:6d}  {second:6d}")

    # %% [markdown]
    # How deep beams get: of the pulses that met the ground where it was bare, how many still meet
    # it, by the distance of the ground. Pulses have the same numbers in both runs.

    # %%
    names = {name: number for number, name in tall.objects.items()}
    _, in_bare, in_tall = np.intersect1d(over_bare.pulse, over_tall.pulse, return_indices=True)
    ground_m = over_bare.true_range_m[in_bare]
    there = over_bare.true_xyz_m[in_bare]
    grown = (np.abs(there[:, 0]) < 10.0) & (np.abs(there[:, 1]) < 4.0)
    reached = over_tall.object[in_tall] == names["terrain"]
    nearer_m = ground_m - over_tall.true_range_m[in_tall]
    rows = []
    print("ground at    pulses   reach it   end before it by")
    for low, high in ((0.0, 6.5), (6.5, 8.0), (8.0, 12.0)):
        chosen = grown & (ground_m >= low) & (ground_m < high)
        if not chosen.any():
            continue
        share = float(reached[chosen].mean())
        before_m = float(nearer_m[chosen & ~reached].mean()) if share < 1.0 else 0.0
        pulses = int(chosen.sum())
        rows.append([low, high, pulses, share, before_m])
        print(f"{low:4.1f}–{high:<4.1f} m {pulses:8d}   {100 * share:6.1f} %   {before_m:8.2f} m")

    # %%
    out.mkdir(parents=True, exist_ok=True)
    over_tall.save(out / "tall-grass.npy")
    head = "from_m,to_m,pulses,reach_the_ground,end_before_it_m"
    np.savetxt(out / "penetration.csv", rows, delimiter=",", header=head, comments="", fmt="%g")
    print(f"written to {out}")


if __name__ == "__main__":
    import argparse

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/tall-grass"))
    parser.add_argument("--quick", action="store_true", default=QUICK)
    main(**vars(parser.parse_args()))
