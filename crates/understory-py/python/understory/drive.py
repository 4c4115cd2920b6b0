"""A vehicle that is driven to a goal by what its lidar sees: from Python, or on its own."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _native
from ._arrays import floats, text, whole
from .cloud import Cloud
from .progress import Progress, Reporter
from .scenario import Scenario
from .simulation import _scenario

__all__ = ["Drive"]


class Drive:
    """A vehicle in the world of a scenario with a table ``[drive]``.

    Each step is a period: the vehicle drives, its sensors fire along the way, and its map grows.

    >>> import understory
    >>> drive = understory.Drive("hidden-obstacles", sensor="vlp-16")
    >>> for _ in range(3):
    ...     drive.step(1.0, 0.0)
    >>> drive.outcome is None, round(drive.time_s, 3)
    (True, 1.5)
    """

    def __init__(
        self,
        scenario: Scenario | str | os.PathLike[str],
        *,
        sensor: str | None = None,
        mapper: str | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> None:
        """Builds the world. ``sensor`` is one of the scenario's or a preset on the mount of its first;
        ``mapper`` is ``"height"``, ``"ground"``, ``"penetration"`` or ``"oracle"``."""
        #: What is driven through.
        self.scenario = scenario if isinstance(scenario, Scenario) else _scenario(scenario)
        with Reporter(progress) as report:
            self._native = _native.Drive(
                self.scenario._native,
                None if sensor is None else text(sensor, "sensor"),
                None if mapper is None else text(mapper, "mapper"),
                None if threads is None else whole(threads, "threads", 1, 4096),
                report,
            )
        goal, radius, speed, turn, period = self._native.task()
        #: Where it is to go, and how near is near enough.
        self.goal_m: npt.NDArray[np.float64] = np.array(goal)
        self.goal_radius_m = radius
        #: Its limits, and the time of a step.
        self.speed_max_m_s, self.turn_max_rad_s, self.period_s = speed, turn, period
        #: Lasers of its first sensor.
        self.channels: int = self._native.channels

    def reset(self, *, seed: int | None = None) -> None:
        """Back to the start of the same world; noise is drawn by ``seed``."""
        self._native.reset(None if seed is None else whole(seed, "seed"))

    def step(self, speed_m_s: float, turn_rad_s: float) -> None:
        """One period with this command. What is no number is counted and stops the vehicle; after the
        end nothing happens any more."""
        self._native.step(float(speed_m_s), float(turn_rad_s))

    def step_to(self, place_m: npt.ArrayLike) -> None:
        """One period straight towards a place ``(x, y)``, by pure pursuit."""
        self._native.step_to(floats(place_m, "place_m", (2,)).tolist())

    def step_planned(self) -> None:
        """One period by its own planner."""
        self._native.step_planned()

    def go(self, *, progress: Progress = None) -> dict[str, Any]:
        """Drives on its own until it is over; returns ``metrics``."""
        with Reporter(progress) as report:
            return self._native.go(report)

    @property
    def metrics(self) -> dict[str, Any]:
        """Success, time, distance, collisions, SPL, regret and computing time until now."""
        return self._native.metrics()

    @property
    def outcome(self) -> str | None:
        """``"reached"``, ``"collision"``, ``"stuck"``, …; ``None`` while it goes on."""
        return self._native.outcome

    @property
    def time_s(self) -> float:
        """Where it is in time."""
        return self._native.state()[0]

    @property
    def known_pose(self) -> npt.NDArray[np.float64]:
        """Where the vehicle believes to be: ``world_from_platform``, 4 × 4."""
        return _square(self._native.state()[1])

    @property
    def true_pose(self) -> npt.NDArray[np.float64]:
        """Where it truly is."""
        return _square(self._native.state()[2])

    @property
    def velocity(self) -> tuple[float, float]:
        """Speed ahead in m/s and rate of turning in rad/s."""
        *_, speed, turn = self._native.state()
        return speed, turn

    @property
    def cost_map(self) -> npt.NDArray[np.float32]:
        """Costs from 0 to 100, NaN where nothing is known; rows go north, columns east."""
        side = self._native.grid()[2]
        return self._native.costs().reshape(side, side)

    @property
    def true_map(self) -> npt.NDArray[np.float32]:
        """The same of what truly stands there: 100 where it is solid."""
        side = self._native.grid()[2]
        return self._native.true_costs().reshape(side, side)

    @property
    def grid(self) -> tuple[npt.NDArray[np.float64], float]:
        """South-west corner of the map and edge of a cell."""
        low, cell_m, _ = self._native.grid()
        return np.array(low), cell_m

    @property
    def plan(self) -> npt.NDArray[np.float64]:
        """Places of the path that its own planner follows, ``(n, 2)``."""
        return np.array(self._native.paths()[0]).reshape(-1, 2)

    @property
    def best_path(self) -> npt.NDArray[np.float64]:
        """The best way on the true map, ``(n, 2)``; empty where there is none."""
        return np.array(self._native.paths()[1]).reshape(-1, 2)

    @property
    def cloud(self) -> Cloud:
        """What was seen in the last period."""
        return Cloud._of(self._native.rows())

    @property
    def picture(self) -> npt.NDArray[np.uint8]:
        """The map with plan, driven way and vehicle, ``(height, width, 3)``."""
        width, height, rgb = self._native.picture()
        return rgb.reshape(height, width, 3)


def _square(rows: list[list[float]]) -> npt.NDArray[np.float64]:
    return np.vstack([np.array(rows), [0.0, 0.0, 0.0, 1.0]])
