"""A robot in the loop: the caller says where the platform goes, Understory what its lidars see."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._arrays import floats, number, numbers, shown, whole
from .cloud import Cloud
from .errors import ArgumentError, ArgumentTypeError
from .progress import Progress
from .scenario import Scenario
from .simulation import Recorder, Simulation

__all__ = ["Environment"]

#: Poses that are remembered: sensors with one pose a scan look back to its start.
_REMEMBERED = 256

_Judge = Callable[[Cloud, dict[str, Any]], Any]


class Environment:
    """Steps through a scenario in the manner of Gymnasium, whose loops run it unchanged.

    An action is the next pose of the platform (4 × 4, ``world_from_platform``), or its speed ahead
    and its rate of turning ``(m/s, rad/s)``. An observation is the cloud of what was fired on the
    way. ``reward`` and ``terminated`` are functions of the observation and of the step's ``info``.

    >>> import understory
    >>> environment = understory.Environment("first-scan", step_s=0.05)
    >>> cloud, info = environment.reset()
    >>> cloud, reward, terminated, truncated, info = environment.step((1.0, 0.0))
    >>> truncated, round(float(info["pose"][0, 3]), 3)
    (True, 0.05)
    """

    def __init__(
        self,
        scenario: Scenario | str | os.PathLike[str],
        *,
        step_s: float = 0.1,
        reward: _Judge | None = None,
        terminated: _Judge | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> None:
        #: The scene.
        self.simulation = Simulation(scenario, progress=progress)
        self.step_s = number(step_s, "step_s", 0.0, above=True)
        for name, judge in (("reward", reward), ("terminated", terminated)):
            if judge is not None and not callable(judge):
                raise ArgumentTypeError(f"{name} must be a function, and {shown(judge)} came")
        self._reward, self._terminated = reward, terminated
        self._threads = None if threads is None else whole(threads, "threads", 1, 4096)
        self._seed: int | None = None
        self._recorder: Recorder | None = None
        self._recorded = False
        self._times: list[float] = []
        self._poses: list[npt.NDArray[np.float64]] = []

    def reset(
        self, *, seed: int | None = None, pose: npt.ArrayLike | None = None
    ) -> tuple[Cloud, dict[str, Any]]:
        """Goes back to the start: where the scenario's platform begins, or to ``pose``.

        The platform stands still for the first step, which is the first observation.
        """
        if self._recorded:
            raise ArgumentError("a drive is being recorded; call stop_recording() before reset()")
        self._seed = None if seed is None else whole(seed, "seed")
        start = self.simulation.platform_pose(0.0) if pose is None else _pose(pose)
        self._times, self._poses = [0.0], [start]
        try:
            cloud = self._advance(start)
        except BaseException:
            # Without a first observation there is no start.
            self._times, self._poses = [], []
            raise
        return cloud, self._info()

    def step(self, action: npt.ArrayLike) -> tuple[Cloud, float, bool, bool, dict[str, Any]]:
        """Moves on by ``step_s``, at most to the end of the scenario's time: then ``truncated``."""
        if not self._times:
            raise ArgumentError("the environment has no start yet; call reset() before step()")
        if self.truncated:
            raise ArgumentError("the scenario is over; call reset(), or make it longer")
        cloud = self._advance(self._after(action))
        info = self._info()
        reward = 0.0 if self._reward is None else float(self._reward(cloud, info))
        ended = False if self._terminated is None else bool(self._terminated(cloud, info))
        return cloud, reward, ended, self.truncated, info

    def record(
        self,
        files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        formats: Sequence[str | None] | None = None,
        misses: bool | None = None,
    ) -> None:
        """Writes all that is seen from the next :meth:`reset` on into files, such as a bag of ROS 2.

        >>> import tempfile, understory
        >>> environment = understory.Environment("first-scan", step_s=0.05)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     environment.record(f"{folder}/drive.mcap")
        ...     cloud, info = environment.reset()
        ...     cloud, *_ = environment.step((1.0, 0.0))
        ...     report = environment.stop_recording()
        >>> len(report["files"])
        1
        """
        if self._recorder is not None:
            raise ArgumentError("a drive is being recorded; call stop_recording() before record()")
        self._recorder = self.simulation.record(files, formats=formats, misses=misses)

    def stop_recording(self) -> dict[str, Any]:
        """Completes the files; returns ``files`` and ``dropped_fields``."""
        if self._recorder is None:
            raise ArgumentError("nothing is being recorded; call record() before")
        recorder, self._recorder, self._recorded = self._recorder, None, False
        return recorder.close()

    @property
    def time_s(self) -> float:
        """Where it is in time."""
        return self._times[-1] if self._times else 0.0

    @property
    def pose(self) -> npt.NDArray[np.float64]:
        """``world_from_platform`` now, 4 × 4."""
        if not self._poses:
            raise ArgumentError("the environment has no start yet; call reset()")
        return self._poses[-1].copy()

    @property
    def truncated(self) -> bool:
        """Whether the scenario's time is over."""
        return self.time_s >= self.simulation.scenario.duration_s

    def _info(self) -> dict[str, Any]:
        return {"time_s": self.time_s, "pose": self.pose}

    def _after(self, action: object) -> npt.NDArray[np.float64]:
        wanted = "action (a pose, or speed and rate of turning)"
        given = numbers(action, f"{wanted} must be an array of numbers")
        if given.ndim == 2:
            return _pose(given)
        speed, rate = floats(given, wanted, (2,)).tolist()
        # Along a circle, as a car with this speed and rate goes.
        step_s = self._next_time_s() - self.time_s
        turn = rate * step_s
        ahead = speed * step_s * np.sinc(turn / np.pi)
        aside = 0.5 * speed * step_s * turn * np.sinc(turn / (2 * np.pi)) ** 2
        cos, sin = np.cos(turn), np.sin(turn)
        moved = np.array(
            [[cos, -sin, 0.0, ahead], [sin, cos, 0.0, aside], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
        )
        after: npt.NDArray[np.float64] = self.pose @ moved
        return after

    def _next_time_s(self) -> float:
        """The end of the next step; the last one ends with the scenario."""
        steps = round(self.time_s / self.step_s) + 1
        return min(steps * self.step_s, self.simulation.scenario.duration_s)

    def _advance(self, pose: npt.NDArray[np.float64]) -> Cloud:
        start, end = self.time_s, self._next_time_s()
        times, poses = [*self._times, end][-_REMEMBERED:], [*self._poses, pose][-_REMEMBERED:]
        cloud = self.simulation.step(
            times,
            np.array(poses),
            interval_s=(start, end),
            seed=self._seed,
            threads=self._threads,
            recorder=self._recorder,
        )
        self._recorded = self._recorder is not None
        self._times, self._poses = times, poses
        return cloud


def _pose(pose: object) -> npt.NDArray[np.float64]:
    array = numbers(pose, "pose must be an array of 4×4 or 3×4 numbers")
    rows = 3 if array.shape == (3, 4) else 4
    matrix = floats(array, "pose", (rows, 4))
    return matrix if rows == 4 else np.vstack([matrix, [0.0, 0.0, 0.0, 1.0]])
