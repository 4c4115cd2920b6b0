"""Understory, a lidar simulator for vegetation.

>>> import understory
>>> cloud = understory.run("first-scan")
>>> cloud.points.shape[1]
3
"""

from __future__ import annotations

from ._native import __version__
from .cloud import COLUMNS, Cloud, concat, read
from .comparing import Comparison, ErrorFit, compare, deschaud_table1, fit_error
from .drive import Drive
from .environment import Environment
from .errors import (
    ArgumentError,
    ArgumentTypeError,
    FileError,
    GeometryError,
    LearnError,
    ScenarioError,
    UnderstoryError,
)
from .ray_scene import Hits, RayScene
from .scenario import Scenario
from .sensor import Sensor
from .simulation import Recorder, Simulation, run, scans, write
from .site import Site, learn
from .vegetation import LeafArea, Truth, leaf_area, plant, plants, truth
from .world import World

__all__ = [
    "COLUMNS",
    "ArgumentError",
    "ArgumentTypeError",
    "Cloud",
    "Comparison",
    "Drive",
    "Environment",
    "ErrorFit",
    "FileError",
    "GeometryError",
    "Hits",
    "LeafArea",
    "LearnError",
    "RayScene",
    "Recorder",
    "Scenario",
    "ScenarioError",
    "Sensor",
    "Simulation",
    "Site",
    "Truth",
    "UnderstoryError",
    "World",
    "__version__",
    "compare",
    "concat",
    "deschaud_table1",
    "fit_error",
    "leaf_area",
    "learn",
    "plant",
    "plants",
    "read",
    "run",
    "scans",
    "truth",
    "write",
]
