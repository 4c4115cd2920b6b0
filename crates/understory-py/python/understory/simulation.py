"""Runs: a scenario → clouds, all at once, scan by scan, or into files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _native
from ._arrays import Args, floats, number, numbers, pair, path, shown, text, truth, whole
from .cloud import Cloud, _listed, _Origin
from .errors import ArgumentError, ArgumentTypeError
from .progress import Progress, Reporter
from .scenario import Scenario

__all__ = ["Recorder", "Simulation", "run", "scans", "write"]


def _run_args(seed: object, threads: object, interval_s: object) -> Args:
    """Arguments of a run."""
    return Args(
        seed=None if seed is None else whole(seed, "seed"),
        threads=None if threads is None else whole(threads, "threads", 1, 4096),
        interval_s=None if interval_s is None else pair(interval_s, "interval_s", 0.0),
    )


class Simulation:
    """A scenario whose scene was built: many runs then need no more building.

    >>> import understory
    >>> simulation = understory.Simulation("first-scan")
    >>> one, other = simulation.run(seed=1), simulation.run(seed=1)
    >>> one == other
    True
    """

    def __init__(
        self,
        scenario: Scenario | str | os.PathLike[str],
        *,
        max_memory_bytes: int | None = None,
        progress: Progress = None,
    ) -> None:
        """Builds the scene; one that would need more than 80 % of the machine's memory is refused."""
        #: What is simulated.
        self.scenario = scenario if isinstance(scenario, Scenario) else _scenario(scenario)
        limit = None if max_memory_bytes is None else whole(max_memory_bytes, "max_memory_bytes", 1)
        with Reporter(progress) as report:
            self._native = _native.Simulation(self.scenario._native, limit, report)

    @property
    def objects(self) -> dict[int, str]:
        """Names of the objects by the number in ``cloud.object``."""
        return {number: name for number, (name, _) in enumerate(self._native.objects, start=1)}

    @property
    def materials(self) -> dict[int, str]:
        """Names of the materials by the number in ``cloud.material``."""
        return dict(enumerate(self._native.materials, start=1))

    def platform_pose(self, time_s: float) -> npt.NDArray[np.float64]:
        """``world_from_platform`` at a time, 4 × 4: that of the scenario, and on the ground where
        it asks for ``on_ground``."""
        rows = self._native.platform_pose(number(time_s, "time_s"))
        return np.vstack([np.array(rows), [0.0, 0.0, 0.0, 1.0]])

    def ground(self, places: npt.ArrayLike) -> dict[str, npt.NDArray[Any]]:
        """Where the ground is at places ``(n, 2)`` or ``(n, 3)`` of the map.

        Gives ``height_m``, ``normal`` (upward) and ``object``; NaN and 0 where there is no ground.

        >>> import understory
        >>> ground = understory.Simulation("forest-trail").ground([[0.0, 0.0]])
        >>> ground["height_m"].shape, ground["normal"].shape
        ((1,), (1, 3))
        """
        array = numbers(places, "places must be numbers of shape (n, 2) or (n, 3)")
        wide = 3 if array.ndim == 2 and array.shape[1] == 3 else 2
        given = floats(array, "places", (None, wide))
        full = np.zeros((len(given), 3))
        full[:, :2] = given[:, :2]
        height_m, normal, number = self._native.ground(full)
        return {"height_m": height_m, "normal": normal, "object": number}

    def cast_rays(
        self,
        origins: npt.ArrayLike,
        directions: npt.ArrayLike,
        *,
        range_max_m: float = 1e6,
        time_s: float = 0.0,
    ) -> dict[str, npt.NDArray[Any]]:
        """What rays ``(n, 3)`` meet first: ``distance_m`` (NaN: nothing), ``object``, ``material``,
        ``label`` and ``normal``, with everything that moves where it is at ``time_s``."""
        return self._native.cast_rays(
            floats(origins, "origins", (None, 3)),
            floats(directions, "directions", (None, 3)),
            number(range_max_m, "range_max_m", 0.0),
            number(time_s, "time_s"),
        )

    def poses(self, *, time_s: float = 0.0) -> dict[str, dict[str, Any]]:
        """Where each object is at a time, by name: ``pose`` (world from object, 3 × 4), ``label``,
        ``number``, and the corners ``low_m`` and ``high_m`` of the box around it in its own frame."""
        placed = self._native.object_poses(number(time_s, "time_s"))
        named = zip(self._native.objects, placed, strict=True)
        return {
            name: {
                "number": index,
                "label": label,
                "pose": np.array(pose),
                "low_m": np.array(low),
                "high_m": np.array(high),
            }
            for index, ((name, label), (pose, low, high)) in enumerate(named, start=1)
        }

    def occupancy(
        self,
        low_m: npt.ArrayLike,
        high_m: npt.ArrayLike,
        cell_m: float,
        *,
        rays: int = 4,
        time_s: float = 0.0,
    ) -> npt.NDArray[np.bool_]:
        """Which cells between two corners hold a surface, as ``[x, y, z]``.

        Rays go through every row of cells along each axis, ``rays`` × ``rays`` of them; what lies
        between all of them is not seen. Volumes of learned sites are no surfaces.
        """
        low = floats(low_m, "low_m", (3,))
        high = floats(high_m, "high_m", (3,))
        edge = number(cell_m, "cell_m", 1e-6)
        if not (high > low).all():
            raise ArgumentError("high_m must lie above low_m on every axis; swap or correct them")
        wanted = np.ceil((high - low) / edge - 1e-9)
        if wanted.max() > 1e6:
            raise ArgumentError("the grid has more than a million cells on an axis; enlarge cell_m")
        cells = [int(n) for n in np.maximum(wanted, 1)]
        each = whole(rays, "rays", 1, 64)
        at_s = number(time_s, "time_s")
        return self._native.occupancy(low.tolist(), edge, cells, each, at_s).reshape(cells)

    def pulses(self, *, interval_s: npt.ArrayLike | None = None) -> int:
        """How many pulses a run fires."""
        return self._native.pulses(_run_args(None, None, interval_s))

    def run(
        self,
        *,
        seed: int | None = None,
        interval_s: npt.ArrayLike | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Cloud:
        """Simulates the whole run, or the pulses of an interval; the same seed gives the same bytes."""
        args = _run_args(seed, threads, interval_s)
        with Reporter(progress) as report:
            columns, summary, poses = self._native.run(args, report)
        cloud = Cloud._of(columns, origin=self._origin(poses))
        cloud.summary = summary
        return cloud

    def write_motion(
        self,
        file: str | os.PathLike[str],
        *,
        objects: Sequence[str] = (),
        interval_s: npt.ArrayLike | None = None,
        rate_hz: float | None = None,
        sensor: str | None = None,
    ) -> str:
        """Writes where objects are, when and how fast: ``.csv``, ``.txt`` (BlenSor's form) or ``.xml``
        (KITTI tracklets), as ``understory motion`` does.

        ``objects`` are names with ``*`` and ``?``; without any they are those that move.
        """
        if isinstance(objects, str):
            raise ArgumentTypeError(f"objects must be a list of names, and {shown(objects)} came")
        written = self._native.write_motion(
            path(file, "file"),
            [text(name, "objects") for name in _listed(objects, "objects")],
            None if interval_s is None else pair(interval_s, "interval_s", 0.0),
            None if rate_hz is None else number(rate_hz, "rate_hz", 0.0, above=True),
            None if sensor is None else text(sensor, "sensor"),
        )
        return str(written)

    def export(self, file: str | os.PathLike[str]) -> dict[str, Any]:
        """Writes the world at time 0 as ``.glb``, ``.gltf`` or ``.obj``; returns ``files`` and
        ``offset_m``, which is added to their coordinates (z up) to get those of the world."""
        files, offset_m = self._native.export(path(file, "file"))
        return {"files": [str(one) for one in files], "offset_m": offset_m}

    def scans(
        self,
        *,
        seed: int | None = None,
        interval_s: npt.ArrayLike | None = None,
        threads: int | None = None,
    ) -> Iterator[Cloud]:
        """Clouds of one scan of one sensor each, while the simulation goes on.

        >>> import understory
        >>> for scan in understory.Simulation("first-scan").scans():
        ...     print(int(scan.scan[0]), len(scan) > 1000, scan.scan_pose.shape)
        0 True (3, 4)
        """
        native = self._native.scans(_run_args(seed, threads, interval_s))
        return _taken(native, self.scenario)

    def write(
        self,
        files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        formats: Sequence[str | None] | None = None,
        misses: bool | None = None,
        seed: int | None = None,
        interval_s: npt.ArrayLike | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> dict[str, Any]:
        """Simulates into files, without keeping rows in memory: the bytes are the program's.

        Returns what the run did, with ``files`` and ``dropped_fields``.
        """
        paths, names = _outputs(files, formats)
        args = _run_args(seed, threads, interval_s)
        keep = None if misses is None else truth(misses, "misses")
        with Reporter(progress) as report:
            return self._native.write(paths, names, keep, args, report)

    def step(
        self,
        times_s: Sequence[float],
        poses: npt.ArrayLike,
        *,
        interval_s: npt.ArrayLike,
        seed: int | None = None,
        threads: int | None = None,
        recorder: Recorder | None = None,
    ) -> Cloud:
        """Fires the pulses of an interval while the platform moves through poses at rising times.

        ``poses`` are ``world_from_platform`` as N × 4 × 4 or N × 3 × 4; :class:`Environment` is made
        of this. With a ``recorder`` of :meth:`record` the rows also go into its files.
        """
        times = [number(time, "times_s") for time in _listed(times_s, "times_s")]
        rows = _poses(poses, len(times))
        if interval_s is None:
            raise ArgumentTypeError("interval_s must be two rising numbers, and None came; give them")
        args = _run_args(seed, threads, interval_s)
        if recorder is not None and not isinstance(recorder, Recorder):
            raise ArgumentTypeError(f"recorder must be one of record(), and {shown(recorder)} came")
        native = None if recorder is None else recorder._native
        columns, told = self._native.step(times, rows, args, native)
        return Cloud._of(columns, origin=self._origin(told))

    def record(
        self,
        files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        formats: Sequence[str | None] | None = None,
        misses: bool | None = None,
    ) -> Recorder:
        """Opens files that the steps of a closed loop are written into, such as a bag of ROS 2.

        >>> import numpy, tempfile, understory
        >>> simulation = understory.Simulation("first-scan")
        >>> stand = numpy.stack([numpy.eye(4)] * 2)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with simulation.record(f"{folder}/drive.mcap") as recorder:
        ...         cloud = simulation.step([0, 0.1], stand, interval_s=(0, 0.1), recorder=recorder)
        ...     len(recorder.report["files"])
        1
        """
        paths, names = _outputs(files, formats)
        keep = None if misses is None else truth(misses, "misses")
        return Recorder(self._native.recorder(paths, names, keep))

    def _origin(self, poses: tuple[list[Any], list[Any]]) -> _Origin:
        return _Origin(self.scenario, None, tuple(poses[0]), tuple(poses[1]))


class Recorder:
    """Files that are open while steps are written into them; see :meth:`Simulation.record`."""

    def __init__(self, native: _native.Recorder) -> None:
        self._native = native
        #: After :meth:`close`: ``files`` and ``dropped_fields``.
        self.report: dict[str, Any] = {}

    def close(self) -> dict[str, Any]:
        """Completes the files, which have their names only then; returns ``report``."""
        files, dropped_fields = self._native.close()
        self.report = {"files": files, "dropped_fields": dropped_fields}
        return self.report

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        # What broke off leaves no file.
        if kind is None and not self.report:
            self.close()


def _outputs(files: object, formats: object) -> tuple[list[str], list[str | None]]:
    """Paths and names of formats."""
    several = [files] if isinstance(files, (str, os.PathLike)) else files
    if not isinstance(several, Sequence):
        raise ArgumentTypeError(f"files must be paths, and {shown(files)} came; give some")
    if not several:
        raise ArgumentError("files is empty; give at least one path")
    if formats is not None and (isinstance(formats, str) or not isinstance(formats, Sequence)):
        raise ArgumentTypeError(f"formats must be a list of names, and {shown(formats)} came")
    paths = [path(file, "files") for file in several]
    named = [None] * len(paths) if formats is None else list(formats)
    names = [None if name is None else text(name, "formats") for name in named]
    if len(names) != len(paths):
        raise ArgumentError(f"there are {len(names)} formats for {len(paths)} files; give one each")
    return paths, names


def _taken(native: _native.Scans, scenario: Scenario) -> Iterator[Cloud]:
    try:
        for sensor, scan, time_s, pose, columns in native:
            poses = () if pose is None else ((sensor, scan, time_s, pose),)
            cloud = Cloud._of(columns, origin=_Origin(scenario, None, poses))
            cloud.scan_time_s = time_s
            cloud.scan_pose = None if pose is None else np.array(pose)
            yield cloud
    finally:
        native.close()


def _poses(poses: object, count: int) -> list[list[list[float]]]:
    array = numbers(poses, "poses must be an array of N×4×4 or N×3×4 numbers")
    rows = 4 if array.ndim == 3 and array.shape[1:] == (4, 4) else 3
    array = floats(array, "poses", (count, rows, 4))[:, :3, :]
    turned = array[:, :, :3] @ array[:, :, :3].transpose(0, 2, 1)
    orthonormal = np.allclose(turned, np.eye(3), atol=1e-6)
    if count and not (orthonormal and (np.linalg.det(array[:, :, :3]) > 0).all()):
        raise ArgumentError("poses has one whose first three columns are no rotation; make it orthonormal")
    rows_of: list[list[list[float]]] = array.tolist()
    return rows_of


def _scenario(source: object) -> Scenario:
    if not isinstance(source, (str, os.PathLike)):
        raise ArgumentTypeError(
            f"scenario must be a Scenario, a name or a path, and {shown(source)} came; give one"
        )
    return Scenario(source)


def run(
    scenario: Scenario | str | os.PathLike[str],
    *,
    seed: int | None = None,
    interval_s: npt.ArrayLike | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Cloud:
    """Simulates a scenario: a name, a path, or one built in code.

    >>> import understory
    >>> cloud = understory.run("first-scan", seed=3)
    >>> cloud.points.shape == (cloud.summary["returns"], 3)
    True
    """
    simulation = Simulation(scenario, progress=progress)
    return simulation.run(seed=seed, interval_s=interval_s, threads=threads, progress=progress)


def scans(
    scenario: Scenario | str | os.PathLike[str],
    *,
    seed: int | None = None,
    interval_s: npt.ArrayLike | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Iterator[Cloud]:
    """The scans of a scenario, one after another while it is simulated."""
    simulation = Simulation(scenario, progress=progress)
    return simulation.scans(seed=seed, interval_s=interval_s, threads=threads)


def write(
    scenario: Scenario | str | os.PathLike[str],
    files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    formats: Sequence[str | None] | None = None,
    misses: bool | None = None,
    seed: int | None = None,
    interval_s: npt.ArrayLike | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """Simulates a scenario into files; the bytes are those of ``understory run``."""
    return Simulation(scenario, progress=progress).write(
        files,
        formats=formats,
        misses=misses,
        seed=seed,
        interval_s=interval_s,
        threads=threads,
        progress=progress,
    )
