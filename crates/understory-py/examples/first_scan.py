"""A first scan: the courtyard as an N × 3 array, and as a LAZ file."""

# %% [markdown]
# # A first scan
#
# One revolution of an HDL-64E in a courtyard with two million blades of grass and fifty trees. The
# result is a cloud: NumPy columns with one row per return, and one per pulse that returned nothing.

# %%
import os
from pathlib import Path

import numpy as np
import understory

#: Small work for tests.
QUICK = os.environ.get("UNDERSTORY_QUICK") == "1"


def main(out: Path = Path("out/first-scan"), quick: bool = QUICK) -> None:
    """Scans, tells what was met, and writes a LAZ file."""
    # %%
    simulation = understory.Simulation("first-scan" if quick else "courtyard")
    cloud = simulation.run()
    xyz = cloud.points
    print(cloud)
    print(f"points: {xyz.shape}, from {xyz.min(axis=0).round(1)} to {xyz.max(axis=0).round(1)} m")

    # %% [markdown]
    # Every return knows what it met: the truth stands beside the measurement.

    # %%
    returns = cloud.returns()
    numbers, counts = np.unique(returns.object, return_counts=True)
    for row in np.argsort(counts)[::-1][:5]:
        name = simulation.objects.get(int(numbers[row]), "nothing")
        print(f"{counts[row]:8d} returns of {name}")
    error_m = returns.range_m - returns.true_range_m
    print(f"error of the ranges: {error_m.mean():+.4f} ± {error_m.std():.4f} m")

    # %% [markdown]
    # The ending of a file is its format. What the format could not keep is told.

    # %%
    out.mkdir(parents=True, exist_ok=True)
    dropped_fields = cloud.save(out / "scan.laz")
    again = understory.read(out / "scan.laz")
    print(f"{out / 'scan.laz'}: {len(again.points)} points, not kept: {dropped_fields or 'nothing'}")


if __name__ == "__main__":
    import argparse

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/first-scan"))
    parser.add_argument("--quick", action="store_true", default=QUICK)
    main(**vars(parser.parse_args()))
