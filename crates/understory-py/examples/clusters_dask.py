"""A run cut into intervals, each a task of its own on a Dask cluster.

Rows depend on the seed, the sensor and the pulse alone, so the intervals one after another are the
rows of one process, to the last bit. Without an address the cluster is this machine.
"""

import os
from pathlib import Path

import understory
from dask.distributed import Client, LocalCluster

#: Small work for tests.
QUICK = os.environ.get("UNDERSTORY_QUICK") == "1"


def simulate(scenario: understory.Scenario, interval_s: tuple[float, float]) -> understory.Cloud:
    """One interval; a worker builds the scene by itself."""
    return understory.run(scenario, interval_s=interval_s, threads=1, progress=False)


def main(
    out: Path = Path("out/clusters-dask"),
    quick: bool = QUICK,
    tasks: int = 4,
    address: str | None = None,
) -> None:
    """Simulates in tasks and in one process, and compares the bytes."""
    scenario = understory.Scenario("first-scan" if quick else "drive")
    cluster = address or LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with Client(cluster) as client:
        # The scenario travels once to every worker.
        shared = client.scatter(scenario, broadcast=True)
        futures = [client.submit(simulate, shared, part) for part in scenario.intervals(tasks)]
        parts = client.gather(futures)
    if not isinstance(cluster, str):
        cluster.close()
    cloud = understory.concat(parts)
    print(f"{len(parts)} tasks: {[len(part) for part in parts]} rows, together {cloud}")
    print(f"equal to one process: {cloud == understory.run(scenario)}")
    out.mkdir(parents=True, exist_ok=True)
    cloud.save(out / "cloud.npy")


if __name__ == "__main__":
    import argparse

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/clusters-dask"))
    parser.add_argument("--quick", action="store_true", default=QUICK)
    parser.add_argument("--tasks", type=int, default=4)
    parser.add_argument("--address", help="of a scheduler, such as tcp://host:8786")
    main(**vars(parser.parse_args()))
