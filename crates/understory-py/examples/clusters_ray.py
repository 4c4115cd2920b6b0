"""A run cut into intervals, each a task of its own on a Ray cluster.

Rows depend on the seed, the sensor and the pulse alone, so the intervals one after another are the
rows of one process, to the last bit. Without an address the cluster is this machine.
"""

import os
from pathlib import Path

import ray
import understory

#: Small work for tests.
QUICK = os.environ.get("UNDERSTORY_QUICK") == "1"


@ray.remote
def simulate(scenario: understory.Scenario, interval_s: tuple[float, float]) -> understory.Cloud:
    """One interval; a worker builds the scene by itself."""
    return understory.run(scenario, interval_s=interval_s, threads=1, progress=False)


def main(
    out: Path = Path("out/clusters-ray"),
    quick: bool = QUICK,
    tasks: int = 4,
    address: str | None = None,
) -> None:
    """Simulates in tasks and in one process, and compares the bytes."""
    scenario = understory.Scenario("first-scan" if quick else "drive")
    if address is None:
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    else:
        ray.init(address=address)
    try:
        # The scenario travels once and is shared by all tasks of a machine.
        shared = ray.put(scenario)
        futures = [simulate.remote(shared, interval) for interval in scenario.intervals(tasks)]
        parts = ray.get(futures)
    finally:
        ray.shutdown()
    cloud = understory.concat(parts)
    print(f"{len(parts)} tasks: {[len(part) for part in parts]} rows, together {cloud}")
    print(f"equal to one process: {cloud == understory.run(scenario)}")
    out.mkdir(parents=True, exist_ok=True)
    cloud.save(out / "cloud.npy")


if __name__ == "__main__":
    import argparse

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/clusters-ray"))
    parser.add_argument("--quick", action="store_true", default=QUICK)
    parser.add_argument("--tasks", type=int, default=4)
    parser.add_argument("--address", help="of a Ray cluster, such as auto")
    main(**vars(parser.parse_args()))
