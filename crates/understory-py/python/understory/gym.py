"""Environments of Gymnasium: importing this registers ``Understory/Courtyard-v0``.

>>> import gymnasium, understory.gym  # doctest: +SKIP
>>> env = gymnasium.make("Understory/Courtyard-v0", observation="cost-map", action="velocities")  # doctest: +SKIP
"""

from __future__ import annotations

import os
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from .drive import Drive
from .errors import ArgumentError
from .scenario import Scenario

__all__ = ["DriveEnv"]

#: What a vehicle gets for its goal, and for an end before it.
_REACHED, _FAILED = 50.0, -50.0
#: Points of an observation, and columns of a range image.
_POINTS, _COLUMNS = 4096, 360
#: A waypoint lies up to so far ahead and aside.
_WAYPOINT_M = 10.0
#: Ends that are the vehicle's own doing.
_TERMINAL = {"reached", "collision", "turned-over", "no-ground"}


class DriveEnv(gymnasium.Env[dict[str, npt.NDArray[Any]], npt.NDArray[np.float32]]):
    """A vehicle that learns to drive by lidar.

    ``observation`` is ``"cost-map"`` (percent, 255: unknown), ``"range-image"`` (channel × degree, metres,
    0: no return) or ``"points"`` (in the vehicle's frame, filled with zeros); beside it ``state`` has the
    goal ahead and to the left, speed and rate of turning. ``action`` is ``"velocities"`` (shares of the
    top speed and the fastest turn) or ``"waypoints"`` (ahead and to the left, in units of 10 m). The
    reward is the way that the goal came nearer, in metres, and 50 more or less at the end.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 2}

    def __init__(
        self,
        scenario: Scenario | str | os.PathLike[str] = "courtyard-drive",
        *,
        sensor: str | None = None,
        mapper: str | None = None,
        observation: str = "cost-map",
        action: str = "velocities",
        threads: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        if observation not in ("cost-map", "range-image", "points"):
            raise ArgumentError(
                f"observation is {observation!r}; give 'cost-map', 'range-image' or 'points'"
            )
        if action not in ("velocities", "waypoints"):
            raise ArgumentError(f"action is {action!r}; give 'velocities' or 'waypoints'")
        #: The vehicle and its world.
        self.drive = Drive(scenario, sensor=sensor, mapper=mapper, threads=threads)
        self.render_mode = render_mode
        self._observation, self._action = observation, action
        self._away_m = 0.0
        side = self.drive.cost_map.shape[0]
        views: dict[str, spaces.Space[Any]] = {
            "cost-map": spaces.Box(0, 255, (side, side), np.uint8),
            "range-image": spaces.Box(0.0, 1e4, (self.drive.channels, _COLUMNS), np.float32),
            "points": spaces.Box(-1e4, 1e4, (_POINTS, 3), np.float32),
        }
        state = spaces.Box(-1e4, 1e4, (4,), np.float32)
        both: spaces.Space[Any] = spaces.Dict({"view": views[observation], "state": state})
        self.observation_space = both
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """Back to the start, with new noise of all instruments."""
        super().reset(seed=seed)
        self.drive.reset(seed=int(self.np_random.integers(0, 2**63)))
        # In the first period the vehicle stands and looks.
        self.drive.step(0.0, 0.0)
        self._away_m = self._away()
        return self._view(), self._info()

    def step(
        self, action: npt.NDArray[np.float32]
    ) -> tuple[dict[str, npt.NDArray[Any]], float, bool, bool, dict[str, Any]]:
        """One period."""
        ahead, left = (float(share) for share in np.asarray(action, dtype=np.float64))
        if self._action == "velocities":
            self.drive.step(ahead * self.drive.speed_max_m_s, left * self.drive.turn_max_rad_s)
        else:
            place = self.drive.known_pose @ [_WAYPOINT_M * ahead, _WAYPOINT_M * left, 0.0, 1.0]
            self.drive.step_to(place[:2])
        away_m = self._away()
        reward = self._away_m - away_m
        self._away_m = away_m
        outcome = self.drive.outcome
        terminated = outcome in _TERMINAL
        if terminated:
            reward += _REACHED if outcome == "reached" else _FAILED
        truncated = outcome is not None and not terminated
        return self._view(), float(reward), terminated, truncated, self._info()

    def render(self) -> npt.NDArray[np.uint8] | None:
        """The map with the driven way."""
        return self.drive.picture if self.render_mode == "rgb_array" else None

    def _away(self) -> float:
        return float(np.linalg.norm(self.drive.true_pose[:2, 3] - self.drive.goal_m))

    def _info(self) -> dict[str, Any]:
        return {"time_s": self.drive.time_s, "outcome": self.drive.outcome or ""}

    def _view(self) -> dict[str, npt.NDArray[Any]]:
        pose = self.drive.known_pose
        apart = pose[:2, :2].T @ (self.drive.goal_m - pose[:2, 3])
        state = np.array([*apart, *self.drive.velocity], dtype=np.float32)
        view: npt.NDArray[Any]
        if self._observation == "cost-map":
            costs = self.drive.cost_map
            view = np.where(np.isnan(costs), 255.0, np.round(costs)).astype(np.uint8)
        elif self._observation == "range-image":
            view = self._range_image()
        else:
            view = self._points(pose)
        return {"view": view, "state": state}

    def _range_image(self) -> npt.NDArray[np.float32]:
        rows = self.drive.cloud
        image = np.zeros((self.drive.channels, _COLUMNS), dtype=np.float32)
        hit = rows.return_number > 0
        columns = np.floor(rows.azimuth_deg[hit] % 360.0 * _COLUMNS / 360.0).astype(int) % _COLUMNS
        channels = np.minimum(rows.channel[hit].astype(int), len(image) - 1)
        ranges = rows.range_m[hit]
        # The nearest of several in one place stays: it is written last.
        order = np.argsort(-ranges, kind="stable")
        image[channels[order], columns[order]] = ranges[order]
        return image

    def _points(self, pose: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
        rows = self.drive.cloud
        world = rows.world_xyz_m[rows.return_number > 0]
        every = max(1, -(-len(world) // _POINTS))
        world = world[::every][:_POINTS]
        points = np.zeros((_POINTS, 3), dtype=np.float32)
        points[: len(world)] = (world - pose[:3, 3]) @ pose[:3, :3]
        return points


gymnasium.register(id="Understory/Courtyard-v0", entry_point="understory.gym:DriveEnv")
