"""How alike two clouds are, and what the errors of a sensor are."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from typing import Any

import numpy.typing as npt

from . import _native
from ._arrays import Args, choice, floats, number, pair, shown, text, truth, whole
from .cloud import Cloud, read
from .errors import ArgumentError, ArgumentTypeError
from .progress import Progress, Reporter

__all__ = ["Comparison", "ErrorFit", "compare", "deschaud_table1", "fit_error"]


class Comparison:
    """What a comparison found; ``to_dict()`` has all of it, as ``understory compare --json`` does."""

    def __init__(self, found: dict[str, Any]) -> None:
        self._found = found

    @property
    def distance(self) -> float:
        """Bhattacharyya distance of the histograms of range by orientation.

        0: the same; infinite: they have no bin in common.
        """
        distance = self._found["distances"][0]["distance"]
        return math.inf if distance is None else float(distance)

    @property
    def floor(self) -> float:
        """What chance alone leaves between two recordings of one world.

        NaN: there is hardly more than one pulse in a bin, and it cannot be told; choose larger bins.
        """
        floor = self._found["distances"][0]["floor"]
        return math.nan if floor is None else float(floor)

    @property
    def excess(self) -> float:
        """Distance over the floor: what the simulation is to blame for."""
        return self.distance - self.floor

    def to_dict(self) -> dict[str, Any]:
        """Every figure."""
        return self._found

    def __repr__(self) -> str:
        return f"<Comparison: distance {self.distance:.5f}, floor {self.floor:.5f}, excess {self.excess:+.5f}>"


class ErrorFit:
    """The error of a sensor, fitted to recordings of planes."""

    def __init__(self, found: dict[str, Any], toml: str) -> None:
        self._found, self._toml = found, toml

    @property
    def planes(self) -> list[dict[str, Any]]:
        """The planes that were found."""
        return list(self._found["planes"])

    @property
    def biases(self) -> list[dict[str, Any]]:
        """Bias of each channel with its standard error."""
        return list(self._found["biases"])

    @property
    def sigma(self) -> list[dict[str, Any]]:
        """Standard deviation by range and reflectivity."""
        return list(self._found["sigma"])

    @property
    def wave(self) -> dict[str, Any] | None:
        """The part that is correlated from beam to beam, if there is one."""
        wave = self._found["wave"]
        return None if wave is None else dict(wave)

    def to_toml(self) -> str:
        """The ``[range_error]`` of a sensor file."""
        return self._toml

    def to_dict(self) -> dict[str, Any]:
        """Every figure."""
        return self._found


def _cloud(one: object, name: str) -> Cloud:
    if isinstance(one, Cloud):
        return one
    if isinstance(one, (str, os.PathLike)):
        return read(one)
    raise ArgumentTypeError(f"{name} must be a cloud or a path, and {shown(one)} came; give one")


def compare(
    real: Cloud | str | os.PathLike[str],
    simulated: Cloud | str | os.PathLike[str],
    *,
    mode: str | None = None,
    orientations: str | None = None,
    azimuth_bin_deg: float | None = None,
    elevation_bin_deg: float | None = None,
    range_bin_m: float | None = None,
    place_cell_m: float | None = None,
    box_m: npt.ArrayLike | None = None,
    range_m: npt.ArrayLike | None = None,
    azimuth_deg: npt.ArrayLike | None = None,
    elevation_deg: npt.ArrayLike | None = None,
    returns: str = "first",
    misses: bool = True,
    seed: int = 1,
    drawings: int = 1000,
    threshold_m: float = 0.05,
    points_max: int = 1_000_000,
    progress: Progress = None,
) -> Comparison:
    """How alike a real and a simulated recording are, with what chance alone would leave.

    ``mode`` is ``"static"`` or ``"moving"``, by itself unless given. ``box_m`` (3 × 2: x, y and z,
    each from and to), ``range_m``, ``azimuth_deg`` and ``elevation_deg`` say what is compared.

    >>> import understory
    >>> simulation = understory.Simulation("first-scan")
    >>> found = understory.compare(simulation.run(seed=1), simulation.run(seed=2), drawings=0,
    ...                            azimuth_bin_deg=3.0, range_bin_m=0.1)
    >>> abs(found.excess) < 0.05
    True
    """
    sides = [_cloud(real, "real"), _cloud(simulated, "simulated")]

    def size(value: object, name: str) -> float | None:
        return None if value is None else number(value, name, 0.0, above=True)

    def limits(value: object, name: str) -> list[float] | None:
        return None if value is None else floats(value, name, (2,)).tolist()

    args = Args(
        mode=None if mode is None else choice(mode, "mode", ["static", "moving"]),
        orientations=None
        if orientations is None
        else choice(orientations, "orientations", ["channel", "angles", "direction"]),
        azimuth_bin_deg=size(azimuth_bin_deg, "azimuth_bin_deg"),
        elevation_bin_deg=size(elevation_bin_deg, "elevation_bin_deg"),
        range_bin_m=size(range_bin_m, "range_bin_m"),
        place_cell_m=size(place_cell_m, "place_cell_m"),
        box_m=None if box_m is None else floats(box_m, "box_m", (3, 2)).tolist(),
        range_m=None if range_m is None else list(pair(range_m, "range_m", 0.0)),
        azimuth_deg=limits(azimuth_deg, "azimuth_deg"),
        elevation_deg=limits(elevation_deg, "elevation_deg"),
        returns=choice(returns, "returns", ["first", "last"]),
        misses=truth(misses, "misses"),
        seed=whole(seed, "seed"),
        drawings=whole(drawings, "drawings", 0, 10_000),
        threshold_m=number(threshold_m, "threshold_m", 0.0, above=True),
        points_max=whole(points_max, "points_max", 0, 2**40),
    )
    given = [(side._plain(), sorted(side.known)) for side in sides]
    with Reporter(progress) as report:
        return Comparison(_native.compare(given[0], given[1], args, report))


def fit_error(
    recordings: Cloud | str | os.PathLike[str] | Iterable[Cloud | str | os.PathLike[str]],
    *,
    sensor: str | None = None,
    gate_m: float = 0.3,
    points_min: int = 300,
) -> ErrorFit:
    """Fits the error of a sensor to recordings of planes, such as walls.

    ``sensor`` is the name of a preset: for the number of its channels and the step of its ranges.
    """
    several = [recordings] if isinstance(recordings, (Cloud, str, os.PathLike)) else recordings
    try:
        clouds = [_cloud(one, "recordings") for one in several]
    except TypeError as error:
        if isinstance(error, ArgumentTypeError):
            raise
        raise ArgumentTypeError(
            f"recordings must be clouds or paths, and {shown(recordings)} came; give some"
        ) from None
    for cloud in clouds:
        for what in ("channel", "column", "sensor_frame"):
            if what not in cloud.known:
                raise ArgumentError(
                    f"a recording does not know its {what}; record with it, or convert it first"
                )
    name = None if sensor is None else text(sensor, "sensor")
    gate, points = number(gate_m, "gate_m", 0.0, above=True), whole(points_min, "points_min", 1, 2**40)
    found, toml = _native.fit_error([cloud._plain() for cloud in clouds], name, gate, points)
    return ErrorFit(found, toml)


def deschaud_table1(
    target: str,
    *,
    revolutions: int | None = None,
    seed: int = 5,
    progress: Progress = None,
) -> list[dict[str, Any]]:
    """Rows of table I of Deschaud 2012 for one target: each model's distance beside the paper's.

    Targets are "Plane", "High Density Tree", "Medium Density Tree", "Low Density Tree", "Tall Grass"
    and "Short Grass".
    """
    name = choice(target, "target", _native.deschaud_targets())
    turns = None if revolutions is None else whole(revolutions, "revolutions", 10, 1_000_000)
    with Reporter(progress) as report:
        return _native.deschaud_table1(name, turns, whole(seed, "seed"), report)
