"""Plants, the leaf area that scenarios have, and the leaf area that recordings show."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _native
from ._arrays import Args, choice, floats, number, numbers, pair, path, shown, text, whole
from .cloud import Cloud, _listed, _read_options
from .errors import ArgumentError, ArgumentTypeError
from .progress import Progress, Reporter
from .scenario import Scenario

__all__ = ["LeafArea", "Truth", "leaf_area", "plant", "plants", "truth"]

_ESTIMATORS = ["contact-frequency", "beer-lambert", "maximum-likelihood", "bias-corrected"]
_WEIGHTS = ["auto", "first", "equal", "intensity", "calibrated"]
_ANGLES = [
    "spherical",
    "planophile",
    "erectophile",
    "plagiophile",
    "extremophile",
    "uniform",
    "fit",
]
_SEASONS = ["spring", "summer", "autumn", "bare"]

_Voxels = dict[str, npt.NDArray[np.float64]]


class _Told:
    """What was found, with columns over the voxels."""

    def __init__(self, found: dict[str, Any], voxels: _Voxels) -> None:
        self._found = found
        #: Columns over the voxels, each of shape (nx, ny, nz); NaN is what nobody knows.
        self.voxels = voxels

    def to_dict(self) -> dict[str, Any]:
        """Every figure, as the program's ``--json`` has it."""
        return self._found

    @property
    def origin_m(self) -> npt.NDArray[np.float64]:
        """The lowest corner of the voxels."""
        return np.array(self._found["grid"]["low_m"], dtype=np.float64)

    @property
    def cell_m(self) -> npt.NDArray[np.float64]:
        """The edges of a voxel."""
        return np.array(self._found["grid"]["cell_m"], dtype=np.float64)

    @property
    def ground_area_m2(self) -> float:
        """The ground that the voxels cover."""
        return float(self._found["ground_area_m2"])

    @property
    def remarks(self) -> list[str]:
        """Things worth knowing."""
        return list(self._found["remarks"])


class Truth(_Told):
    """What a scenario has; :func:`truth` measures it."""

    @property
    def leaf_area_index(self) -> float:
        """One-sided leaf area over ground."""
        return float(self._found["leaf_area_index"])

    @property
    def leaf_area_m2(self) -> float:
        """One-sided leaf area inside the voxels."""
        return float(self._found["inside"]["leaf_m2"])

    @property
    def wood_area_m2(self) -> float:
        """Half of the skin of wood inside the voxels."""
        return float(self._found["inside"]["wood_m2"])

    @property
    def stems(self) -> list[dict[str, Any]]:
        """Stems with place, diameter and height, the thickest first."""
        return list(self._found["stems"])

    @property
    def inclination_shares(self) -> npt.NDArray[np.float64] | None:
        """Share of the leaf area in each degree of inclination; ``None`` without leaves."""
        shares = self._found["inclination_shares"]
        return None if shares is None else np.array(shares, dtype=np.float64)

    def __repr__(self) -> str:
        return f"<Truth: leaf area index {self.leaf_area_index:.4f}>"


class LeafArea(_Told):
    """Leaf area that was estimated; :func:`leaf_area` does."""

    @property
    def leaf_area_m2(self) -> float:
        """One-sided leaf area of the voxels that pulses reached."""
        return float(self._found["leaf_area_m2"]["value"])

    @property
    def leaf_area_interval_m2(self) -> tuple[float, float]:
        """Its interval."""
        found = self._found["leaf_area_m2"]
        return float(found["low"]), float(found["high"])

    @property
    def leaf_area_index(self) -> float:
        """The same over ground."""
        return float(self._found["leaf_area_index"]["value"])

    @property
    def leaf_area_index_filled(self) -> float:
        """The same with unknown voxels filled by the mean of their layers."""
        return float(self._found["leaf_area_index_filled"])

    @property
    def unknown(self) -> float:
        """Share of the voxels to which no pulse came."""
        counts = self._found["counts"]
        return float(counts["unknown"]) / max(1, int(counts["voxels"]))

    @property
    def by_estimator_m2(self) -> dict[str, float]:
        """Leaf area as each estimator has it."""
        return {name: float(area) for name, area in self._found["by_estimator_m2"]}

    def __repr__(self) -> str:
        low, high = self.leaf_area_interval_m2
        return f"<LeafArea: {self.leaf_area_m2:.2f} m² ({low:.2f} to {high:.2f})>"


def plants() -> list[dict[str, Any]]:
    """Species and stands with their figures, without growing them.

    >>> import understory
    >>> "oak" in {plant["name"] for plant in understory.plants()}
    True
    """
    return list(_native.plants())


def plant(name: str, *, season: str | None = None, seed: int = 1) -> dict[str, Any]:
    """Grows a plant and measures its triangles.

    >>> import understory
    >>> round(understory.plant("leaf-volume")["leaf_area_index"], 6)
    2.0
    """
    time = None if season is None else choice(season, "season", _SEASONS)
    return dict(_native.plant_figures(text(name, "name"), time, whole(seed, "seed")))


def _cells(cell_m: object) -> list[float]:
    if isinstance(cell_m, (int, float, np.integer, np.floating)):
        return [number(cell_m, "cell_m", 0.0, above=True)] * 3
    edges: list[float] = floats(cell_m, "cell_m", (3,)).tolist()
    return [number(edge, "cell_m", 0.0, above=True) for edge in edges]


def _region(region_m: object) -> list[list[float]] | None:
    if region_m is None:
        return None
    box: list[list[float]] = floats(region_m, "region_m", (2, 3)).tolist()
    return box


def _names(names: object, what: str) -> list[str]:
    if isinstance(names, str):
        raise ArgumentTypeError(f"{what} must be several names, and {shown(names)} came")
    return [text(name, what) for name in _listed(names, what)]


def truth(
    scenario: Scenario | str | os.PathLike[str],
    *,
    cell_m: float | Sequence[float] = 0.5,
    region_m: npt.ArrayLike | None = None,
    stem_min_m: float = 0.05,
    leaf_materials: Iterable[str] = (),
    wood_materials: Iterable[str] = (),
    progress: Progress = None,
) -> Truth:
    """Measures leaf, wood and stems of a scenario, exactly from its triangles.

    ``region_m`` is the lower and the upper corner of a box; all plants where nothing is said.
    Meshes that are no plants of Understory count as leaves where their label is ``vegetation``, or
    by the names of their materials.
    """
    if not isinstance(scenario, (Scenario, str, os.PathLike)):
        raise ArgumentTypeError(
            f"scenario must be a Scenario, a name or a path, and {shown(scenario)} came; give one"
        )
    known = scenario if isinstance(scenario, Scenario) else Scenario(scenario)
    args = Args(
        region_m=_region(region_m),
        cell_m=_cells(cell_m),
        stem_min_m=number(stem_min_m, "stem_min_m", 0.0),
        leaf_materials=_names(leaf_materials, "leaf_materials"),
        wood_materials=_names(wood_materials, "wood_materials"),
    )
    with Reporter(progress) as report:
        return Truth(*_native.truth(known._native, args, report))


def leaf_area(
    recordings: Cloud | str | os.PathLike[str] | Iterable[Cloud | str | os.PathLike[str]],
    *,
    cell_m: float | Sequence[float] = 0.5,
    region_m: npt.ArrayLike | None = None,
    estimator: str = "bias-corrected",
    weights: str = "auto",
    full_intensity: float | None = None,
    leaf_angle: str | npt.ArrayLike = "spherical",
    leaf_width_m: float = 0.05,
    clumping: float = 1.0,
    wood_share: float = 0.0,
    pulses_min: int = 1,
    confidence: float = 0.95,
    range_m: npt.ArrayLike | None = None,
    recover_misses: str | None = None,
    reading: dict[str, Any] | None = None,
    progress: Progress = None,
) -> LeafArea:
    """Estimates leaf area from clouds, or from files, in voxels with intervals.

    A voxel to which no pulse came is unknown (NaN), never empty. ``leaf_angle`` is a distribution's
    name, ``"fit"``, or shares of the leaf area by inclination, such as
    :attr:`Truth.inclination_shares`. ``reading`` holds arguments of :func:`understory.read` for files.
    """
    several = [recordings] if isinstance(recordings, (Cloud, str, os.PathLike)) else recordings
    inputs: list[Any] = _listed(several, "recordings")
    if not inputs:
        raise ArgumentError("recordings is empty; give clouds or paths")
    shares: list[float] | None = None
    angle: str | None = None
    if isinstance(leaf_angle, str):
        angle = choice(leaf_angle, "leaf_angle", _ANGLES)
    else:
        table = np.asarray(numbers(leaf_angle, "leaf_angle must be a name or shares"), np.float64)
        if table.ndim != 1 or table.size == 0:
            raise ArgumentError(f"leaf_angle has the shape {table.shape}; give one row of shares")
        shares = table.tolist()
    args = Args(
        region_m=_region(region_m),
        cell_m=_cells(cell_m),
        estimator=choice(estimator, "estimator", _ESTIMATORS),
        weights=choice(weights, "weights", _WEIGHTS),
        full_intensity=None
        if full_intensity is None
        else number(full_intensity, "full_intensity", 0.0, above=True),
        leaf_angle=angle,
        inclination_shares=shares,
        leaf_width_m=number(leaf_width_m, "leaf_width_m", 0.0, 10.0),
        clumping=number(clumping, "clumping", 0.0, 2.0, above=True),
        wood_share=number(wood_share, "wood_share", 0.0, 1.0),
        pulses_min=whole(pulses_min, "pulses_min", 1, 2**32 - 1),
        confidence=number(confidence, "confidence", 0.0, 1.0, above=True),
        range_m=None if range_m is None else pair(range_m, "range_m", 0.0),
        recover_misses=None if recover_misses is None else text(recover_misses, "recover_misses"),
    )
    clouds = [one for one in inputs if isinstance(one, Cloud)]
    if clouds and len(clouds) < len(inputs):
        raise ArgumentTypeError(
            "recordings must be all clouds or all paths; read the files with understory.read"
        )
    for cloud in clouds:
        if "origin" not in cloud.known:
            raise ArgumentError(
                "the cloud does not say where its beams came from; read it with a pose or a trajectory"
            )
    if reading is not None and not isinstance(reading, dict):
        raise ArgumentTypeError(f"reading must be a dict, and {shown(reading)} came")
    for name in reading or {}:
        text(name, "reading's key")
    options = _read_options(**(reading or {}))
    with Reporter(progress) as report:
        if clouds:
            return LeafArea(*_native.leaf_area([c._plain() for c in clouds], args, report))
        paths = [path(one, "recordings") for one in inputs]
        return LeafArea(*_native.leaf_area_files(paths, options, args, report))
