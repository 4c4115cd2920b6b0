"""Scenes and clouds that many tests share; all are small."""

from __future__ import annotations

import importlib
import os
from types import ModuleType

import pytest
import understory


def needed(name: str) -> ModuleType:
    """A package that a test needs. `cargo xtask test` installs all of them, so that one which is
    missing is a failure, unless UNDERSTORY_SKIP names python."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        if "python" in os.environ.get("UNDERSTORY_SKIP", "").split(","):
            pytest.skip(str(error))
        pytest.fail(
            f"{error}; run `cargo xtask test`, or set UNDERSTORY_SKIP=python to skip such tests"
        )


@pytest.fixture(scope="session")
def room() -> understory.Simulation:
    """A VLP-16 in a furnished room, for one revolution."""
    return understory.Simulation("first-scan")


@pytest.fixture(scope="session")
def cloud(room: understory.Simulation) -> understory.Cloud:
    """What it sees."""
    return room.run(seed=1)


@pytest.fixture(scope="session")
def field() -> understory.Scenario:
    """A VLP-16 that drives between two walls on a meadow, for two revolutions; the sky is open."""
    world = understory.World().add_object(
        "ground", "plane", size_m=[60.0, 60.0], material="grass", label="terrain"
    )
    walls = [{"position_m": [6.0, 0.0, 0.0]}, {"position_m": [-9.0, 0.0, 0.0]}]
    world.add_object("wall", "box", size_m=[0.3, 8.0, 2.0], material="brick", instances=walls)
    way = [
        {"time_s": 0.0, "position_m": [0.0, 0.0, 0.0]},
        {"time_s": 0.2, "position_m": [0.6, 0.2, 0.0]},
    ]
    sensor = understory.Sensor("vlp-16", name="front", position_m=(0.2, 0.0, 1.2))
    return understory.Scenario.build(
        world, sensor, duration_s=0.2, seed=4, platform={"waypoints": way}, title="a field"
    )
