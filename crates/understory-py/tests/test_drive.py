"""A vehicle in the loop, and the environment of Gymnasium around it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import understory
from conftest import needed


@pytest.fixture(scope="module")
def yard() -> understory.Scenario:
    """A level yard with a wall across the way, a VLP-16, and a goal 16 m ahead."""
    world = understory.World().add_object(
        "ground", "plane", size_m=[60.0, 60.0], material="grass", label="terrain"
    )
    world.add_object(
        "wall", "box", size_m=[0.4, 6.0, 2.0], material="brick", label="building", position_m=[0, 1, 0]
    )
    sensor = understory.Sensor("vlp-16", name="top", position_m=(0.0, 0.0, 1.2))
    drive = {"goal_m": [8.0, 0.0], "sense_s": 0.1, "map": {"cells": 60}}
    return understory.Scenario.build(
        world, sensor, duration_s=1.0, seed=4, platform={"position_m": [-8.0, 0.0, 0.0]}, drive=drive
    )


def test_a_drive_goes_round_the_wall(yard: understory.Scenario) -> None:
    drive = understory.Drive(yard, mapper="oracle", threads=1)
    metrics = drive.go()
    assert metrics["success"] and drive.outcome == "reached"
    assert metrics["spl"] > 0.6 and metrics["collisions"] == 0
    assert np.linalg.norm(drive.true_pose[:2, 3] - drive.goal_m) <= drive.goal_radius_m + 1e-6
    assert drive.cost_map.shape == (60, 60) and np.nanmax(drive.cost_map) == 100.0
    assert drive.true_map.max() == 100.0 and len(drive.best_path) >= 2
    assert drive.picture.shape[2] == 3 and drive.cloud.points.shape[1] == 3
    # What it mapped as solid is solid, or beside it.
    solid = np.argwhere(drive.cost_map == 100.0)
    true = np.argwhere(drive.true_map == 100.0)
    assert all(np.abs(true - cell).max(axis=1).min() <= 1 for cell in solid)


def test_commands_move_it_and_nonsense_stops_it(yard: understory.Scenario) -> None:
    drive = understory.Drive(yard, threads=1)
    for _ in range(4):
        drive.step(1.0, 0.0)
    # It stands for the first period and speeds up by 1 m/s² in the second.
    assert drive.time_s == pytest.approx(2.0) and drive.velocity[0] == pytest.approx(1.0)
    ahead = drive.true_pose[0, 3] + 8.0
    assert ahead == pytest.approx(1.0, abs=0.1)
    drive.step(float("nan"), 0.0)
    assert drive.metrics["senseless_commands"] > 0
    drive.reset(seed=3)
    assert drive.time_s == 0.0 and drive.true_pose[0, 3] == -8.0
    drive.step_to((0.0, -8.0))
    with pytest.raises(understory.ScenarioError, match="mapper"):
        understory.Drive(yard, mapper="hight")
    with pytest.raises(understory.ScenarioError, match=r"no table \[drive\]"):
        understory.Drive("first-scan")


@pytest.mark.parametrize(
    ("observation", "action"),
    [("cost-map", "velocities"), ("range-image", "waypoints"), ("points", "velocities")],
)
def test_gymnasium_accepts_the_environment(
    yard: understory.Scenario, observation: str, action: str
) -> None:
    gymnasium = needed("gymnasium")
    needed("understory.gym")
    checker = needed("gymnasium.utils.env_checker")
    make: dict[str, Any] = {"observation": observation, "action": action, "threads": 1}
    env = gymnasium.make("Understory/Courtyard-v0", scenario=yard, **make)
    checker.check_env(env.unwrapped, skip_render_check=True)
    view, _ = env.reset(seed=1)
    assert env.observation_space.contains(view)


def test_several_at_once(yard: understory.Scenario) -> None:
    gymnasium = needed("gymnasium")
    needed("understory.gym")
    envs = gymnasium.make_vec(
        "Understory/Courtyard-v0", num_envs=2, vectorization_mode="sync", scenario=yard, threads=1
    )
    views, _ = envs.reset(seed=5)
    assert views["view"].shape == (2, 60, 60) and views["state"].shape == (2, 4)
    # Straight at the wall the goal comes nearer by as much as the vehicle goes.
    total = np.zeros(2)
    for _ in range(4):
        _, rewards, *_ = envs.step(np.array([[0.5, 0.0], [0.0, 0.0]], dtype=np.float32))
        total += rewards
    assert total[0] > 0.8 and total[1] == 0.0
    envs.close()
