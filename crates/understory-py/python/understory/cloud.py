"""Rows of a recording, simulated or real, as NumPy columns.

One row per return, and one row per pulse that returned nothing: a miss is data. What the sensor
measured stands beside what was true, in columns of their own.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import numpy as np
import numpy.typing as npt

from . import _native
from ._arrays import choice, floats, number, path, plain, shaped, shown, text, truth, whole
from .errors import ArgumentError, ArgumentTypeError
from .progress import Progress, Reporter

if TYPE_CHECKING:
    import open3d as _open3d
    import pandas as _pandas
    import pyarrow as _pyarrow

    from .scenario import Scenario

__all__ = ["COLUMNS", "Cloud", "concat", "read"]

#: Name of each column → (dtype, numbers a row).
COLUMNS: dict[str, tuple[str, int]] = {
    name: (dtype, width) for name, dtype, width in _native.column_kinds()
}

#: What a simulation knows.
_ALL_KNOWN = frozenset(
    "position time pulse channel scan column angles returns range intensity origin sensor_frame "
    "label truth misses".split()
)

#: What a column of ranges holds.
_RANGE_MAX_M = 1e30

_T = TypeVar("_T", bound=np.generic)


@dataclass(frozen=True)
class _Origin:
    """Where rows come from: what files need beyond the columns."""

    #: The scenario whose sensors made them.
    scenario: Scenario | None = None
    #: The name of the sensor that made them.
    sensor: str | None = None
    #: Sensor, scan, time and ``world_from_sensor`` of scans.
    scan_poses: tuple[Any, ...] = ()
    #: Time and poses of the platform.
    platform_poses: tuple[Any, ...] = ()

    @staticmethod
    def joined(parts: list[_Origin]) -> _Origin:
        """That of several clouds; sensors only where all have the same."""
        first = parts[0]
        same = all(part.scenario is first.scenario and part.sensor == first.sensor for part in parts)
        scans = {(pose[0], pose[1]): pose for part in reversed(parts) for pose in part.scan_poses}
        platform = {pose[0]: pose for part in reversed(parts) for pose in part.platform_poses}
        return _Origin(
            first.scenario if same else None,
            first.sensor if same else None,
            tuple(scans[key] for key in sorted(scans)),
            tuple(platform[key] for key in sorted(platform)),
        )


class _Column(Generic[_T]):
    """A column as an attribute."""

    def __set_name__(self, _owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, cloud: None, _owner: type) -> _Column[_T]: ...
    @overload
    def __get__(self, cloud: Cloud, _owner: type) -> npt.NDArray[_T]: ...
    def __get__(self, cloud: Cloud | None, _owner: type) -> Any:
        return self if cloud is None else cloud._columns[self._name]


class Cloud:
    """Rows as columns; ``cloud.range_m`` and ``cloud["range_m"]`` are the same array.

    The arrays of a simulated cloud own the very memory that the simulator filled: nothing was
    copied. Rows without a return have ``return_number`` 0 and NaN in whatever only a return has.

    >>> import understory
    >>> cloud = understory.run("first-scan")
    >>> cloud.points.shape[1]
    3
    >>> bool((cloud.returns().range_m > 0).all())
    True
    """

    # begin generated: columns
    #: Firing time of the pulse in seconds since the start of the run.
    time_s = _Column[np.float64]()
    #: Index of the pulse in its sensor's stream, from 0 at the start of the run.
    pulse = _Column[np.uint64]()
    #: Which sensor of the scenario fired, from 0.
    sensor = _Column[np.uint16]()
    #: Laser channel in the vendor's packet order.
    channel = _Column[np.uint16]()
    #: Which revolution or frame of the sensor.
    scan = _Column[np.uint32]()
    #: Step within that revolution or frame.
    column = _Column[np.uint32]()
    #: Azimuth that the sensor reports, counter-clockwise from its x axis, −180…180.
    azimuth_deg = _Column[np.float32]()
    #: Elevation that the sensor reports, up from its xy plane.
    elevation_deg = _Column[np.float32]()
    #: Photons of the return on the photodiode; NaN where the sensor's receiver is not known.
    signal_photons = _Column[np.float32]()
    #: Photons of sunlight in the time of a pulse; NaN where the sensor's receiver is not known.
    ambient_photons = _Column[np.float32]()
    #: 1 for the nearest of the returns of a pulse; 0: the pulse returned nothing.
    return_number = _Column[np.uint8]()
    #: How many returns this pulse gave.
    return_count = _Column[np.uint8]()
    #: Measured range: detected, with errors and quantised.
    range_m = _Column[np.float32]()
    #: Range at which the truth sub-ray met its object: of the sub-rays of this return, the one
    #: nearest to the beam's axis.
    true_range_m = _Column[np.float32]()
    #: Signal of the return as the sensor reports it; 1 is a white target facing the beam.
    intensity = _Column[np.float32]()
    #: Where the beam left from in the world, by the platform's estimated pose.
    origin_xyz_m = _Column[np.float64]()
    #: Unit vector along which the beam left in the world, by the direction that the sensor reports
    #: and the platform's estimated pose; a miss has it too.
    direction_xyz = _Column[np.float32]()
    #: Measured position in the sensor's frame (x forward, y left, z up).
    sensor_xyz_m = _Column[np.float32]()
    #: Measured position in the world, by the platform's estimated pose.
    world_xyz_m = _Column[np.float64]()
    #: Position in the world where the truth sub-ray met its object.
    true_xyz_m = _Column[np.float64]()
    #: Object that the truth sub-ray met, from 1; 0: none.
    object = _Column[np.uint32]()
    #: Material that it met, from 1; 0: none.
    material = _Column[np.uint16]()
    #: Semantic class of that object (SemanticKITTI numbers unless the scenario says otherwise).
    label = _Column[np.uint16]()
    #: Volume of a learned site that it met, from 1; 0: none.
    volume = _Column[np.uint32]()
    #: Angle between the truth sub-ray and the surface normal; NaN for a volume, which has none.
    incidence_deg = _Column[np.float32]()
    #: How many sub-rays contributed to this return.
    sub_ray_hits = _Column[np.uint16]()
    #: Farthest minus nearest true range of those sub-rays.
    range_spread_m = _Column[np.float32]()
    #: How fast the point that the truth sub-ray met moves in the world; 0 where nothing does.
    velocity_xyz_m_s = _Column[np.float32]()
    #: Colour of what was met, sRGB: that of the material, or what a camera saw; black where it is
    #: not known.
    colour_rgb = _Column[np.uint8]()
    # end generated: columns

    def __init__(self, columns: Mapping[str, npt.ArrayLike], *, known: Iterable[str] | None = None) -> None:
        """A cloud of your own columns; those that are not given are as those of a miss.

        >>> import understory
        >>> len(understory.Cloud({"range_m": [1.0, 2.0], "channel": [0, 1]}))
        2
        """
        if not isinstance(columns, Mapping):
            raise ArgumentTypeError(f"columns must be a dict of arrays, and {shown(columns)} came")
        found: dict[str, npt.NDArray[Any]] = {}
        rows: int | None = None
        for name, values in columns.items():
            if name not in COLUMNS:
                raise ArgumentError(
                    f"a cloud has no column {shown(name)}; choose from {', '.join(COLUMNS)}"
                )
            array = _as_column(name, values)
            if rows is not None and len(array) != rows:
                raise ArgumentError(
                    f"column {name!r} has {len(array)} rows and the first has {rows}; "
                    "give all the same number"
                )
            rows = len(array)
            found[name] = array
        self._columns = {
            name: found[name] if name in found else _missing(name, rows or 0) for name in COLUMNS
        }
        self._known = _known_of(found) if known is None else _named_known(known)
        #: What the run did, where there was one: pulses, returns, real-time factor …
        self.summary: dict[str, Any] = {}
        #: What a reader remarked about its file.
        self.remarks: list[str] = []
        #: Time and ``world_from_sensor`` (3 × 4) at the start of the scan, of a scan.
        self.scan_time_s: float | None = None
        self.scan_pose: npt.NDArray[np.float64] | None = None
        self._origin = _Origin()

    @classmethod
    def _of(
        cls,
        columns: dict[str, npt.NDArray[Any]],
        known: Iterable[str] = _ALL_KNOWN,
        origin: _Origin | None = None,
    ) -> Cloud:
        """A cloud that takes over columns that are right already."""
        cloud = cls.__new__(cls)
        cloud._origin = _Origin() if origin is None else origin
        cloud._columns = columns
        cloud._known = frozenset(known)
        cloud.summary = {}
        cloud.remarks = []
        cloud.scan_time_s = None
        cloud.scan_pose = None
        return cloud

    @classmethod
    def from_beams(
        cls,
        origins_m: npt.ArrayLike,
        directions: npt.ArrayLike,
        ranges_m: npt.ArrayLike,
        intensity: npt.ArrayLike | None = None,
    ) -> Cloud:
        """A cloud of beams: N × 3 origins and directions, N ranges, infinite or NaN where none returned.

        >>> import understory
        >>> cloud = understory.Cloud.from_beams([[0, 0, 1]] * 2, [[1, 0, 0]] * 2, [5.0, float("inf")])
        >>> cloud.points.tolist(), cloud.return_number.tolist()
        ([[5.0, 0.0, 1.0]], [1, 0])
        """
        origins = floats(origins_m, "origins_m", (None, 3))
        rows = len(origins)
        ways = floats(directions, "directions", (rows, 3))
        ranges = floats(ranges_m, "ranges_m", (rows,), finite=False)
        longest = np.abs(ways).max(axis=1, keepdims=True, initial=0.0)
        if rows and not (longest > 0).all():
            raise ArgumentError("directions has one of no length; leave the beam out")
        ways = ways / longest
        ways /= np.linalg.norm(ways, axis=1, keepdims=True)
        returned = np.isfinite(ranges)
        if (ranges[returned] <= 0).any():
            raise ArgumentError("ranges_m has one of 0 or less; give inf where nothing returned")
        if (ranges[returned] > _RANGE_MAX_M).any():
            raise ArgumentError(f"ranges_m has one above {_RANGE_MAX_M}; give inf where nothing returned")
        ranges = np.where(returned, ranges, np.nan)
        columns: dict[str, npt.ArrayLike] = {
            "pulse": np.arange(rows, dtype=np.uint64),
            "origin_xyz_m": origins,
            "direction_xyz": ways.astype(np.float32),
            "range_m": ranges.astype(np.float32),
            "world_xyz_m": origins + ways * ranges[:, None],
            "return_number": returned.astype(np.uint8),
            "return_count": returned.astype(np.uint8),
        }
        if intensity is not None:
            columns["intensity"] = floats(intensity, "intensity", (rows,), np.float32, finite=False)
        return cls(columns, known=["position", "pulse", "returns", "range", "origin", "misses"])

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of all columns."""
        return tuple(self._columns)

    @property
    def known(self) -> frozenset[str]:
        """What the recording knows: ``"channel"``, ``"angles"``, ``"misses"`` and so on."""
        return self._known

    @property
    def points(self) -> npt.NDArray[np.float64]:
        """Measured positions of all returns in the world, N × 3; no copy where nothing was missed."""
        if self.return_number.all():
            return self.world_xyz_m
        return self.world_xyz_m[self.return_number > 0]

    def _plain(self) -> dict[str, npt.NDArray[Any]]:
        """The columns as the native half takes them."""
        return {name: plain(values) for name, values in self._columns.items()}

    def returns(self) -> Cloud:
        """The rows that are returns."""
        return self[self.return_number > 0]

    def misses(self) -> Cloud:
        """The rows of pulses that returned nothing."""
        missed: npt.NDArray[np.bool_] = self.return_number == 0
        return self[missed]

    def __len__(self) -> int:
        return len(self._columns["time_s"])

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    @overload
    def __getitem__(self, key: str) -> npt.NDArray[Any]: ...
    @overload
    def __getitem__(self, key: slice | npt.NDArray[Any] | list[int]) -> Cloud: ...
    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            if key not in self._columns:
                raise ArgumentError(f"a cloud has no column {shown(key)}; choose from {', '.join(COLUMNS)}")
            return self._columns[key]
        if not isinstance(key, slice):
            rows = _as_rows(key)
            if rows is None or rows.ndim != 1 or rows.dtype.kind not in "biu":
                if rows is None or rows.size:
                    raise ArgumentTypeError(
                        f"a cloud is indexed by a name, a slice, a mask or row numbers, and {shown(key)} came"
                    )
                rows = rows.astype(int)
            key = rows
        try:
            picked = {name: values[key] for name, values in self._columns.items()}
        except (IndexError, TypeError, ValueError) as error:
            raise ArgumentError(f"these are no rows of {len(self)}: {error}") from None
        return Cloud._of(picked, self._known, self._origin)

    def __eq__(self, other: Any) -> bool:
        """Whether all columns are the same to the last bit."""
        if not isinstance(other, Cloud):
            return False if isinstance(other, np.ndarray) else NotImplemented
        return len(self) == len(other) and all(
            np.ascontiguousarray(mine).tobytes() == np.ascontiguousarray(other[name]).tobytes()
            for name, mine in self._columns.items()
        )

    __hash__ = None  # type: ignore[assignment]
    #: Arrays leave comparisons with a cloud to the cloud.
    __array_ufunc__ = None

    def __repr__(self) -> str:
        returns = int(np.count_nonzero(self.return_number))
        misses = len(self) - returns
        return f"<Cloud of {len(self)} rows: {returns} returns, {misses} misses>"

    def to_numpy(self) -> npt.NDArray[np.void]:
        """All columns as one structured array, a copy.

        >>> import understory
        >>> understory.run("first-scan").to_numpy()["world_xyz_m"].shape[1]
        3
        """
        kinds = [
            (name, dtype) if width == 1 else (name, dtype, (width,))
            for name, (dtype, width) in COLUMNS.items()
        ]
        rows = np.empty(len(self), dtype=kinds)
        for name, values in self._columns.items():
            rows[name] = values
        return rows

    def flat(self) -> dict[str, npt.NDArray[Any]]:
        """One-dimensional columns: ``world_xyz_m`` becomes ``world_x_m``, ``world_y_m``, ``world_z_m``."""
        columns: dict[str, npt.NDArray[Any]] = {}
        for name, values in self._columns.items():
            if values.ndim == 1:
                columns[name] = values
            else:
                for axis, letter in enumerate("xyz"):
                    columns[name.replace("_xyz", f"_{letter}")] = values[:, axis]
        return columns

    def to_pandas(self) -> _pandas.DataFrame:
        """A DataFrame of :meth:`flat` columns."""
        import pandas

        return pandas.DataFrame(self.flat())

    def to_arrow(self) -> _pyarrow.Table:
        """An Arrow table without copies; positions are lists of three."""
        import pyarrow

        def column(values: npt.NDArray[Any]) -> _pyarrow.Array:
            flat = pyarrow.array(np.ascontiguousarray(values).reshape(-1))
            return flat if values.ndim == 1 else pyarrow.FixedSizeListArray.from_arrays(flat, 3)

        return pyarrow.table({name: column(values) for name, values in self._columns.items()})

    def to_open3d(self) -> _open3d.t.geometry.PointCloud:
        """The returns as a point cloud with ``intensity`` and ``label``."""
        import open3d

        returns = self if self.return_number.all() else self.returns()
        cloud = open3d.t.geometry.PointCloud()
        as_tensor = open3d.core.Tensor.from_numpy
        cloud.point.positions = as_tensor(np.ascontiguousarray(returns.world_xyz_m))
        cloud.point.intensity = as_tensor(np.ascontiguousarray(returns.intensity)[:, None])
        cloud.point.label = as_tensor(returns.label.astype(np.int32)[:, None])
        return cloud

    def save(
        self,
        file: str | os.PathLike[str],
        *,
        format: str | None = None,
        misses: bool | None = None,
        progress: Progress = None,
    ) -> list[str]:
        """Writes the cloud; the ending is the format: .laz, .las, .ply, .pcd, .csv, .npy, .parquet …

        ``misses`` says whether pulses without a return are rows; where nothing is said, LAS, LAZ,
        PLY and PCD leave them out and all others keep them.

        Bags of ROS 2, KITTI and E57 also have where the sensor was, and bags and packets what it is,
        where the cloud comes from a run or a file that says so. Returns what the format could not
        keep, in words.
        """
        name = None if format is None else text(format, "format")
        keep = None if misses is None else truth(misses, "misses")
        origin = self._origin
        poses = (list(origin.scan_poses), list(origin.platform_poses))
        scenario = None if origin.scenario is None else origin.scenario._native
        file = path(file, "file")
        with Reporter(progress) as report:
            return _native.save(
                self._plain(), file, name, keep, poses, scenario, origin.sensor, report
            )


def _as_column(name: str, values: object) -> npt.NDArray[Any]:
    dtype, width = COLUMNS[name]
    shape: tuple[int | None, ...] = (None,) if width == 1 else (None, width)
    if dtype.startswith("float"):
        return floats(values, name, shape, dtype, finite=False)
    if isinstance(values, np.ndarray) and values.dtype.kind == "b":
        values = values.astype(np.uint8)
    array = shaped(values, name, shape)
    if array.dtype.kind == "f":
        array = floats(array, name, shape)
        if array.size and np.abs(array).max() > 2.0**53:
            raise ArgumentError(
                f"column {name!r} has {array.max()}, which floating-point numbers do not hold "
                "exactly; give an array of uint64"
            )
    limits = np.iinfo(dtype)
    if array.size and (array.min() < limits.min or array.max() > limits.max):
        raise ArgumentError(
            f"column {name!r} goes from {array.min()} to {array.max()}; "
            f"it holds whole numbers from 0 to {limits.max}"
        )
    if array.dtype.kind == "f" and (array != np.round(array)).any():
        raise ArgumentError(f"column {name!r} has parts of whole numbers; round it first")
    return plain(array, dtype)


def _as_rows(key: object) -> npt.NDArray[Any] | None:
    if not isinstance(key, (list, np.ndarray)):
        return None
    try:
        return np.asarray(key)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return None


def _named_known(known: object) -> frozenset[str]:
    return frozenset(_names(known, "known")) & _ALL_KNOWN


def _missing(name: str, rows: int) -> npt.NDArray[Any]:
    dtype, width = COLUMNS[name]
    fill = np.nan if dtype.startswith("float") else 0
    return np.full(rows if width == 1 else (rows, width), fill, dtype=dtype)


def _known_of(columns: Mapping[str, object]) -> frozenset[str]:
    """What columns of one's own make known."""
    needs = {
        "position": ["world_xyz_m"],
        "time": ["time_s"],
        "pulse": ["pulse"],
        "channel": ["channel"],
        "scan": ["scan"],
        "column": ["column"],
        "angles": ["azimuth_deg", "elevation_deg"],
        "returns": ["return_number", "return_count"],
        "range": ["range_m"],
        "intensity": ["intensity"],
        "origin": ["origin_xyz_m", "direction_xyz"],
        "sensor_frame": ["sensor_xyz_m"],
        "label": ["label"],
        "truth": ["true_range_m", "true_xyz_m"],
        "misses": ["return_number"],
    }
    return frozenset(what for what, names in needs.items() if all(n in columns for n in names))


def concat(clouds: Iterable[Cloud]) -> Cloud:
    """Clouds one after another: intervals of one run become the rows of the whole run.

    >>> import understory
    >>> scenario = understory.Scenario("first-scan")
    >>> half = scenario.duration_s / 2
    >>> parts = [understory.run(scenario, interval_s=(0, half)),
    ...          understory.run(scenario, interval_s=(half, scenario.duration_s))]
    >>> understory.concat(parts) == understory.run(scenario)
    True
    """
    try:
        parts = list(clouds)
    except TypeError:
        raise ArgumentTypeError(f"clouds must be several clouds, and {shown(clouds)} came") from None
    for part in parts:
        if not isinstance(part, Cloud):
            raise ArgumentTypeError(f"clouds must be clouds, and one is {shown(part)}")
    if not parts:
        return Cloud({})
    joined = {name: np.concatenate([part[name] for part in parts]) for name in COLUMNS}
    known = frozenset.intersection(*(part.known for part in parts))
    return Cloud._of(joined, known, _Origin.joined([part._origin for part in parts]))


def read(
    file: str | os.PathLike[str],
    *,
    pose: npt.ArrayLike | None = None,
    trajectory: str | os.PathLike[str] | None = None,
    points_in: str | None = None,
    metres_per_unit: float = 1.0,
    intensity_full: float = 1.0,
    columns: list[str] | None = None,
    sensor: str | None = None,
    metadata: str | os.PathLike[str] | None = None,
    topic: str | None = None,
    start_unix_ns: int = 0,
    progress: Progress = None,
) -> Cloud:
    """Reads a recording of any format that Understory knows, also packets and bags.

    What a file does not say itself is given: the ``pose`` of a sensor that stood still (x, y, z, or
    with roll, pitch, yaw in degrees), the ``trajectory`` of one that moved, the frame ``points_in``
    which it is (``"world"`` or ``"sensor"``), names of ``columns`` that have none, the ``sensor``
    that sent packets.
    """
    options = _read_options(
        pose=pose,
        trajectory=trajectory,
        points_in=points_in,
        metres_per_unit=metres_per_unit,
        intensity_full=intensity_full,
        columns=columns,
        sensor=sensor,
        metadata=metadata,
        topic=topic,
        start_unix_ns=start_unix_ns,
    )
    with Reporter(progress) as report:
        found, known, remarks, poses = _native.read(path(file, "file"), options, report)
    cloud = Cloud._of(found, known, _Origin(None, options["sensor"], tuple(poses)))
    cloud.remarks = remarks
    return cloud


def _names(columns: object, name: str) -> list[str]:
    found = None if isinstance(columns, (str, bytes)) else _listed(columns, name)
    if found is None or not all(isinstance(column, str) for column in found):
        raise ArgumentTypeError(f"{name} must be a list of names, and {shown(columns)} came")
    return found


def _frame(frame: object, name: str) -> str:
    return choice(frame, name, ["world", "sensor"])


#: How each argument of reading is checked.
_READING: dict[str, Callable[[object, str], Any]] = {
    "pose": lambda pose, _name: _pose_numbers(pose),
    "trajectory": path,
    "points_in": _frame,
    "metres_per_unit": number,
    "intensity_full": number,
    "columns": _names,
    "sensor": text,
    "metadata": path,
    "topic": text,
    "start_unix_ns": lambda value, name: whole(value, name, -(2**63), 2**63 - 1),
}

#: Those that may not be None.
_NEEDED = {"metres_per_unit", "intensity_full", "start_unix_ns"}


def _read_options(**given: object) -> dict[str, Any]:
    """Checked arguments of :func:`read`, as the native half takes them."""
    options: dict[str, Any] = {}
    for name, value in given.items():
        if name not in _READING:
            raise ArgumentError(
                f"reading has no argument {shown(name)}; choose from {', '.join(_READING)}"
            )
        absent = value is None and name not in _NEEDED
        options[name] = None if absent else _READING[name](value, name)
    return options


def _listed(values: object, name: str) -> list[Any]:
    try:
        found: list[Any] = list(values)  # type: ignore[call-overload]
    except TypeError:
        raise ArgumentTypeError(f"{name} must be a list, and {shown(values)} came") from None
    return found


def _pose_numbers(pose: object) -> list[float]:
    numbers = floats(pose, "pose", (None,))
    if len(numbers) not in (3, 6):
        raise ArgumentError(
            f"pose has {len(numbers)} numbers; give x, y, z or x, y, z, roll, pitch, yaw"
        )
    return list(numbers.tolist())
