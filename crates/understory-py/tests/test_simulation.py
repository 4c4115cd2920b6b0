"""Runs: the same bytes whichever way they are requested, and under the caller's control."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import understory
from understory import Scenario, Simulation


@pytest.fixture(scope="module")
def long_run() -> Simulation:
    """A run that nobody waits for: a quarter of an hour of a VLP-16."""
    return Simulation(Scenario("first-scan").replace(duration_s=900.0))


def test_the_same_seed_gives_the_same_bytes(room: Simulation, cloud: understory.Cloud) -> None:
    assert room.run(seed=1) == cloud
    assert room.run(seed=1, threads=1) == cloud
    assert understory.run("first-scan", seed=1) == cloud
    assert room.run(seed=2) != cloud


def test_without_a_seed_the_scenario_s_is_used(room: Simulation) -> None:
    interval = (0.0, 0.02)
    assert room.run(interval_s=interval) == room.run(seed=7, interval_s=interval)


def test_a_seed_is_that_of_the_scenario(field: Scenario) -> None:
    assert understory.run(field, seed=11) == understory.run(field.replace(seed=11))


def test_intervals_make_the_whole(field: Scenario) -> None:
    simulation = Simulation(field)
    whole = simulation.run()
    for count in (2, 3, 7):
        parts = [simulation.run(interval_s=interval) for interval in field.intervals(count)]
        assert understory.concat(parts) == whole
    fired = [simulation.pulses(interval_s=interval) for interval in field.intervals(5)]
    assert sum(fired) == simulation.pulses() == whole.summary["pulses"]


def test_intervals_of_two_sensors_make_the_whole(field: Scenario) -> None:
    both = field.with_sensors("vlp-16", understory.Sensor("hdl-32e", position_m=(0, 0, 1)))
    simulation = Simulation(both.replace(duration_s=0.05))
    parts = [simulation.run(interval_s=part) for part in ((0, 0.013), (0.013, 0.05))]
    assert understory.concat(parts) == simulation.run()


def test_scans_are_the_run(field: Scenario) -> None:
    simulation = Simulation(field)
    scans = list(simulation.scans(seed=5))
    assert understory.concat(scans) == simulation.run(seed=5)
    assert [int(scan.scan[0]) for scan in scans] == sorted({int(s.scan[0]) for s in scans})
    for scan in scans:
        assert len(np.unique(scan.scan)) == 1
        assert scan.scan_time_s is not None and scan.scan_pose is not None
        assert scan.scan_time_s == pytest.approx(scan.time_s[0], abs=1e-9)
        pose = field.platform_pose(scan.scan_time_s)
        # The sensor sits 0.2 m ahead and 1.2 m up.
        expected = pose[:3, 3] + pose[:3, :3] @ [0.2, 0.0, 1.2]
        assert np.allclose(scan.scan_pose[:, 3], expected, atol=1e-9)
    assert understory.concat(understory.scans(field, seed=5)) == simulation.run(seed=5)


def test_scans_can_be_left_early(long_run: Simulation) -> None:
    begin = time.monotonic()
    scans = long_run.scans()
    first, second = next(scans), next(scans)
    assert (int(first.scan[0]), int(second.scan[0])) == (0, 1)
    scans.close()  # type: ignore[attr-defined]
    del scans
    for _ in zip(range(2), long_run.scans()):
        pass
    assert time.monotonic() - begin < 30


def test_what_is_written_is_what_is_run(room: Simulation, tmp_path: Path) -> None:
    files = [tmp_path / "a.npy", tmp_path / "a.csv"]
    done = room.write(files, seed=1)
    whole = room.run(seed=1)
    assert understory.read(files[0]) == whole
    assert len(understory.read(files[1])) == len(whole)
    assert [Path(file) for file in done["files"]] == files
    assert done["pulses"] == whole.summary["pulses"]
    done = understory.write("first-scan", tmp_path / "b.npy", seed=1, misses=False)
    assert understory.read(tmp_path / "b.npy") == whole.returns()
    # A cloud saved and a run written are the same file.
    whole.save(tmp_path / "c.npy")
    assert (tmp_path / "c.npy").read_bytes() == files[0].read_bytes()


def test_a_folder_of_kitti(field: Scenario, tmp_path: Path) -> None:
    done = understory.write(field, tmp_path / "00", formats=["kitti"])
    assert done["dropped_fields"]
    returns = understory.run(field).returns()
    for scan in (0, 1):
        points = np.fromfile(tmp_path / f"00/velodyne/{scan:06d}.bin", np.float32).reshape(-1, 4)
        labels = np.fromfile(tmp_path / f"00/labels/{scan:06d}.label", np.uint32)
        rows = returns[returns.scan == scan]
        assert np.array_equal(points[:, :3], rows.sensor_xyz_m)
        assert np.array_equal(labels & 0xFFFF, rows.label)
    assert np.loadtxt(tmp_path / "00/poses.txt").shape == (2, 12)
    assert np.allclose(np.loadtxt(tmp_path / "00/times.txt"), [0.0, 0.1], atol=1e-3)


def test_a_summary_tells_what_was_done(cloud: understory.Cloud) -> None:
    summary = cloud.summary
    assert summary["pulses"] >= summary["returns"] > 0
    assert summary["real_time_factor"] > 0


def test_too_little_memory_is_refused() -> None:
    with pytest.raises(understory.UnderstoryError, match="memory"):
        Simulation("courtyard", max_memory_bytes=1000)


class Enough(Exception):
    """Raised by a progress function of the tests."""


def test_progress_is_told_and_its_exception_stops_the_run(
    long_run: Simulation, tmp_path: Path
) -> None:
    told: list[tuple[str, float]] = []

    def progress(what: str, share: float) -> None:
        told.append((what, share))
        if len(told) == 5:
            raise Enough("this will do")

    begin = time.monotonic()
    with pytest.raises(Enough, match="this will do"):
        long_run.run(progress=progress)
    assert time.monotonic() - begin < 10
    assert {what for what, _ in told} == {"simulating"}
    shares = [share for _, share in told]
    assert shares == sorted(shares) and 0 <= shares[0] <= shares[-1] < 1
    told.clear()
    with pytest.raises(Enough):
        long_run.write(tmp_path / "a.npy", progress=progress)
    assert list(tmp_path.iterdir()) == [], "nothing is left of a run that was stopped"
    # The simulation is as good as before.
    assert long_run.run(seed=1, interval_s=(0, 0.01)) == Simulation("first-scan").run(
        seed=1, interval_s=(0, 0.01)
    )


def test_a_bar_is_drawn_when_asked_for(room: Simulation, capfd: pytest.CaptureFixture[str]) -> None:
    scenario = Scenario("first-scan").replace(duration_s=2.0)
    Simulation(scenario).run(progress=True)
    shown = capfd.readouterr().err
    assert "simulating" in shown and "%" in shown
    room.run(interval_s=(0, 0.01))
    assert capfd.readouterr().err == "", "nobody looks, so nothing is drawn"


def test_other_threads_go_on_while_simulating(long_run: Simulation) -> None:
    ticks: list[float] = []
    done = threading.Event()

    def count() -> None:
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.002)

    begin = time.monotonic()

    def a_second_is_enough(_what: str, _share: float) -> None:
        if time.monotonic() - begin > 1.0:
            raise Enough

    thread = threading.Thread(target=count)
    thread.start()
    with pytest.raises(Enough):
        # One processor is left for the thread that counts.
        long_run.run(threads=1, progress=a_second_is_enough)
    done.set()
    thread.join()
    during = [tick for tick in ticks if begin <= tick <= begin + 1.0]
    # Without the GIL released there would be one tick for each look at the progress: ten.
    assert len(during) > 50


def test_runs_in_threads_give_the_same_bytes(room: Simulation, cloud: understory.Cloud) -> None:
    found: list[understory.Cloud] = []
    threads = [threading.Thread(target=lambda: found.append(room.run(seed=1))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3 and all(one == cloud for one in found)


INTERRUPTED = """
import sys
import understory

scenario = understory.Scenario("first-scan").replace(duration_s=900.0)
simulation = understory.Simulation(scenario)

def progress(what, share):
    print("under way", flush=True)

try:
    {what}
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(3)
"""


@pytest.mark.parametrize(
    "what",
    [
        "simulation.write(sys.argv[1] + '/a.npy', progress=progress)",
        "simulation.write([sys.argv[1] + '/a.laz', sys.argv[1] + '/a.csv'], progress=progress)",
        "simulation.run(progress=progress)",
        "[progress('scan', 0) for scan in simulation.scans()]",
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT for one process")
def test_ctrl_c_stops_cleanly(what: str, tmp_path: Path) -> None:
    code = INTERRUPTED.replace("{what}", what)
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None and process.stdout.readline() == "under way\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        sent = time.monotonic()
        said, _ = process.communicate(timeout=20)
        assert time.monotonic() - sent < 3.0
    finally:
        process.kill()
    assert process.returncode == 3 and said.endswith("interrupted\n")
    assert list(tmp_path.iterdir()) == []


#: What a child that was forked off hears of each way to begin some work.
FORKED = """
import os, sys
import numpy as np
import understory

scenario = understory.Scenario("first-scan").replace(duration_s=0.05)
simulation = understory.Simulation(scenario)
scene = understory.RayScene(np.eye(3), [[0, 1, 2]])
iterator = simulation.scans()
whole = simulation.run()
child = os.fork()
if child:
    _, status = os.waitpid(child, 0)
    assert simulation.run() == whole
    sys.exit(os.waitstatus_to_exitcode(status))
works = [
    simulation.run,
    lambda: next(iter(iterator)),
    lambda: next(iter(simulation.scans())),
    lambda: scene.cast([[0, 0, 0]], [[1, 1, 1]]),
    lambda: understory.compare(whole, whole),
]
for work in works:
    try:
        work()
    except understory.UnderstoryError as error:
        assert "spawn" in str(error), error
    else:
        os._exit(3)
os._exit(0)
"""


def test_a_forked_process_is_told_instead_of_left_waiting() -> None:
    subprocess.run([sys.executable, "-c", FORKED], check=True, timeout=120)
