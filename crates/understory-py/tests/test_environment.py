"""Closed loops: stepping is the run, and actions move the platform as they say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import understory
from understory import ArgumentError, Environment, Scenario


def poses_of(scenario: Scenario, times_s: list[float]) -> np.ndarray:
    return np.array([scenario.platform_pose(time_s) for time_s in times_s])


def test_steps_through_the_way_are_the_run(field: Scenario) -> None:
    simulation = understory.Simulation(field)
    times_s = [0.0, 0.05, 0.1, 0.15, 0.2]
    poses = poses_of(field, times_s)
    parts = [
        simulation.step(times_s, poses, interval_s=(times_s[i], times_s[i + 1])) for i in range(4)
    ]
    stepped, run = understory.concat(parts), simulation.run()
    assert len(stepped) == len(run)
    for name, values in run.flat().items():
        mine = stepped.flat()[name]
        if values.dtype.kind == "f" and name.endswith("_m"):
            # Poses between samples of a straight way differ by rounding alone.
            assert np.allclose(mine, values, atol=2e-6, equal_nan=True), name
        else:
            assert np.array_equal(mine, values, equal_nan=values.dtype.kind == "f"), name


def test_steps_between_the_waypoints_themselves_are_the_run_to_the_last_bit(
    field: Scenario,
) -> None:
    simulation = understory.Simulation(field)
    poses = poses_of(field, [0.0, 0.2])
    for rows in (poses, poses[:, :3]):
        stepped = simulation.step([0.0, 0.2], rows, interval_s=(0.0, 0.2), seed=3)
        assert stepped == simulation.run(seed=3)


def test_an_environment_in_the_manner_of_gymnasium(field: Scenario) -> None:
    """It stands for a step and then follows the poses that it is given."""
    step_s = 0.05
    environment = Environment(field, step_s=step_s)
    start = field.platform_pose(0.0)
    ends = [start.copy() for _ in range(4)]
    for i, pose in enumerate(ends):
        pose[0, 3] = 0.25 * i
    way = [
        {"time_s": step_s * (i + 1), "position_m": pose[:3, 3].tolist()}
        for i, pose in enumerate(ends)
    ]
    whole = field.replace(platform={"waypoints": way})
    cloud, info = environment.reset(seed=8)
    seen = [cloud]
    assert info["time_s"] == step_s and np.array_equal(info["pose"], start)
    for i, pose in enumerate(ends[1:]):
        cloud, reward, terminated, truncated, info = environment.step(pose)
        seen.append(cloud)
        assert (reward, terminated, truncated) == (0.0, False, i == 2)
        assert np.array_equal(info["pose"], pose)
    with pytest.raises(understory.ArgumentError, match="over"):
        environment.step(pose)
    stepped, run = understory.concat(seen), understory.run(whole, seed=8)
    assert np.array_equal(stepped.pulse, run.pulse) and np.array_equal(stepped.time_s, run.time_s)
    # A firing that begins in a step ends from where the step ended: what comes is not known yet.
    edges = np.cumsum([len(cloud) for cloud in seen])
    after = np.concatenate([cloud.time_s > step_s * (i + 1) for i, cloud in enumerate(seen)])
    assert after.sum() <= 16 * len(edges)
    assert stepped[~after] == run[~after]
    speed_m_s, firing_s = 0.25 / step_s, 55.3e-6
    late = np.abs(stepped.origin_xyz_m[after] - run.origin_xyz_m[after])
    assert late.max(initial=0.0) < speed_m_s * firing_s


def test_it_can_be_reset_and_gives_the_same_again(field: Scenario) -> None:
    environment = Environment(field, step_s=0.02)
    runs = []
    for _ in range(2):
        first, _ = environment.reset(seed=2)
        second = environment.step((1.0, 0.3))[0]
        runs.append(understory.concat([first, second]))
    assert runs[0] == runs[1]
    other, _ = environment.reset(seed=3)
    assert other != runs[0][: len(other)]


def test_speed_and_rate_follow_the_circle(field: Scenario) -> None:
    speed, rate, step_s = 2.0, 5.0, 0.01
    environment = Environment(field, step_s=step_s)
    environment.reset(pose=np.eye(4))
    for step in range(1, 11):
        _, _, _, _, info = environment.step((speed, rate))
        angle = rate * step * step_s
        radius = speed / rate
        expected = [radius * np.sin(angle), radius * (1 - np.cos(angle)), 0.0]
        assert np.allclose(info["pose"][:3, 3], expected, atol=1e-12)
        assert np.allclose(
            info["pose"][:2, :2],
            [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]],
            atol=1e-12,
        )


@pytest.mark.parametrize("rate", [0.0, 1e-12, -1e-9])
def test_hardly_a_turn_is_a_straight_way(field: Scenario, rate: float) -> None:
    environment = Environment(field, step_s=0.02)
    environment.reset(pose=np.eye(4)[:3])
    info = environment.step((3.0, rate))[4]
    assert np.allclose(info["pose"][:3, 3], [0.06, 0.0, 0.0], atol=1e-9)


def test_reward_and_end_are_the_caller_s(field: Scenario) -> None:
    def nearest(cloud: understory.Cloud, info: dict[str, Any]) -> float:
        assert info["time_s"] > 0
        return -float(cloud.returns().range_m.min())

    environment = Environment(
        field, step_s=0.02, reward=nearest, terminated=lambda _, info: info["time_s"] > 0.05
    )
    environment.reset()
    first = environment.step((0.0, 0.0))
    second = environment.step((0.0, 0.0))
    assert first[1] < 0 and first[2] is False and second[2] is True


def test_a_last_step_ends_with_the_scenario(field: Scenario) -> None:
    environment = Environment(field, step_s=0.15)
    environment.reset()
    assert not environment.truncated
    assert environment.step((0.0, 0.0))[3] is True
    assert environment.time_s == field.duration_s


def test_memory_of_poses_is_bounded(field: Scenario) -> None:
    environment = Environment(field.replace(duration_s=1.0), step_s=0.001)
    environment.reset()
    for _ in range(270):
        environment.step((1.0, 0.0))
    assert len(environment._times) == len(environment._poses) == 256


def _topics(file: Path) -> set[str]:
    """Topics of a bag, by its index, which is not compressed."""
    names = ["/tf", "/tf_static", "/odom", "/ground_truth/odom", "/velodyne_points", "/points"]
    index = file.read_bytes()[-20_000:]
    known = [name for name in names if len(name).to_bytes(4, "little") + name.encode() in index]
    return set(known)


_BAG = {"/tf", "/tf_static", "/odom", "/ground_truth/odom", "/velodyne_points"}


def _by_time(cloud: understory.Cloud) -> understory.Cloud:
    returns = cloud.returns()
    return returns[np.lexsort((returns.channel, np.round(returns.time_s * 1e8)))]


def test_a_closed_loop_goes_into_a_bag(tmp_path: Path) -> None:
    environment = Environment("first-scan", step_s=0.033)
    environment.record([tmp_path / "drive.mcap", tmp_path / "drive.npy"])
    with pytest.raises(ArgumentError, match="stop_recording"):
        environment.record(tmp_path / "other.mcap")
    seen = [environment.reset()[0]]
    while not environment.truncated:
        seen.append(environment.step((2.0, 0.5))[0])
    with pytest.raises(ArgumentError, match="stop_recording"):
        environment.reset()
    report = environment.stop_recording()
    assert [Path(file).name for file in report["files"]] == ["drive.mcap", "drive.npy"]
    with pytest.raises(ArgumentError, match="record"):
        environment.stop_recording()
    assert _topics(tmp_path / "drive.mcap") == _BAG
    # What was seen is what is in the bag, by its transforms, and in the other file.
    wanted = _by_time(understory.concat(seen))
    start = 1_735_689_600 * 10**9
    bag = understory.read(tmp_path / "drive.mcap", sensor="vlp-16", start_unix_ns=start)
    # Ways that turn are straight for 10 ms: 2 m/s · 0.5 rad/s · (10 ms)² / 8 = 13 µm.
    numpy = _by_time(understory.read(tmp_path / "drive.npy"))
    for found in (_by_time(bag), numpy):
        assert len(found) == len(wanted) > 1000
        assert np.abs(found.world_xyz_m - wanted.world_xyz_m).max() < 1e-4
    environment.reset()


def test_the_last_step_ends_with_the_scenario_and_moves_no_farther(field: Scenario) -> None:
    environment = Environment(field, step_s=0.15)
    _, info = environment.reset()
    before = info["pose"]
    *_, truncated, info = environment.step((3.0, 0.0))
    assert truncated and info["time_s"] == field.duration_s == 0.2
    moved = np.linalg.norm(info["pose"][:3, 3] - before[:3, 3])
    assert moved == pytest.approx(3.0 * 0.05, abs=1e-12)


def test_it_begins_on_the_ground() -> None:
    slope = {"shape": "plane", "size_m": [60.0, 60.0], "rotation_deg": [0.0, -10.0, 0.0]}
    world = understory.World().add_object("slope", label="terrain", material="grass", **slope)
    way = [{"time_s": 0.0, "position_m": [5.0, 2.0, 0.4]}, {"time_s": 0.1, "position_m": [6.0, 2.0, 0.4]}]
    scenario = Scenario.build(
        world, understory.Sensor("vlp-16"), duration_s=0.1,
        platform={"waypoints": way, "on_ground": True},
    )  # fmt: skip
    _, info = Environment(scenario, step_s=0.05).reset()
    pitch = np.radians(10.0)
    # 0.4 m along its own vertical above the slope.
    wanted = [5.0 - 0.4 * np.sin(pitch), 2.0, 5.0 * np.tan(pitch) + 0.4 * np.cos(pitch)]
    assert np.allclose(info["pose"][:3, 3], wanted, atol=1e-6)
    assert np.allclose(info["pose"][:3, 2], [-np.sin(pitch), 0.0, np.cos(pitch)], atol=1e-6)


def test_saved_clouds_keep_poses_and_sensors(tmp_path: Path) -> None:
    whole = understory.run("first-scan")
    for cloud in (whole, whole.returns(), understory.concat([whole[:100], whole[100:]])):
        cloud.save(tmp_path / "scan.mcap")
        assert _topics(tmp_path / "scan.mcap") == _BAG
    again = understory.read(tmp_path / "scan.mcap", sensor="vlp-16", start_unix_ns=1_735_689_600 * 10**9)
    wanted = _by_time(whole)
    assert np.abs(_by_time(again).world_xyz_m - wanted.world_xyz_m).max() < 1e-4
    whole.save(tmp_path / "scan.kitti")
    (pose, *_) = (tmp_path / "scan.kitti" / "poses.txt").read_text().splitlines()
    (scan, *_) = understory.scans("first-scan")
    assert scan.scan_pose is not None
    assert np.allclose(np.array(pose.split(), dtype=float).reshape(3, 4), scan.scan_pose)
    # One scan alone, and what was read, keep their poses too.
    scan.save(tmp_path / "one.mcap")
    read = understory.read(tmp_path / "one.mcap", sensor="vlp-16")
    assert "origin" in read.known
    read.save(tmp_path / "again.mcap")
    assert _topics(tmp_path / "again.mcap") == _BAG - {"/ground_truth/odom"}
    # A cloud of one's own columns has neither.
    own = understory.Cloud({"range_m": [1.0], "sensor_xyz_m": [[1.0, 0.0, 0.0]], "return_number": [1]})
    own.save(tmp_path / "own.mcap")
    assert _topics(tmp_path / "own.mcap") == {"/points"}
