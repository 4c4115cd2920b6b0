"""Learned sites: volumes that return light by chance, or a surface."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _native
from ._arrays import Args, choice, floats, indices, number, pair, path, shown, text, whole
from .cloud import Cloud, _listed, _read_options
from .errors import ArgumentError, ArgumentTypeError
from .progress import Progress, Reporter

__all__ = ["Site", "learn"]

_MODELS = ["likelihood", "voxel", "top-down", "bottom-up", "surface"]


class Site:
    """How each small volume of a site returns light; :func:`learn` makes one.

    >>> import understory
    >>> site = understory.learn(understory.run("first-scan"), model="voxel", cell_m=0.2)
    >>> len(site) == len(site.volumes()["permeability"])
    True
    """

    def __init__(self, file: str | os.PathLike[str]) -> None:
        """Reads a ``.site`` file."""
        self._native = _native.Site.load(path(file, "file"))

    @classmethod
    def _of(cls, native: _native.Site) -> Site:
        site = cls.__new__(cls)
        site._native = native
        return site

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes a ``.site`` file."""
        self._native.save(path(file, "file"))

    @staticmethod
    def merge(sites: Iterable[Site]) -> Site:
        """Several sites of one model as one."""
        parts = _listed(sites, "sites")
        if not parts:
            raise ArgumentError("sites is empty; give at least one site")
        for part in parts:
            if not isinstance(part, Site):
                raise ArgumentTypeError(f"sites must be sites, and one is {shown(part)}")
        return Site._of(_native.Site.merge([part._native for part in parts]))

    def crop(self, low_m: npt.ArrayLike, high_m: npt.ArrayLike) -> Site:
        """What lies in a box, given by its lower and upper corner in the world."""
        low = floats(low_m, "low_m", (3,)).tolist()
        high = floats(high_m, "high_m", (3,)).tolist()
        if not all(a < b for a, b in zip(low, high)):
            raise ArgumentError(f"{low} to {high} is no box; give its lower and its upper corner")
        return Site._of(self._native.crop(low, high))

    @property
    def model(self) -> str:
        """Which estimator made it."""
        return self._native.model

    @property
    def cell_m(self) -> float:
        """Edge of its cells."""
        return self._native.cell_m

    @property
    def origin_m(self) -> npt.NDArray[np.float64]:
        """Where its coordinates begin."""
        return np.array(self._native.origin_m)

    @property
    def report(self) -> dict[str, Any] | None:
        """What learning reported; ``None`` for a site from a file."""
        return self._native.report

    @property
    def provenance(self) -> dict[str, Any]:
        """How it came to be."""
        return self._native.provenance

    def volumes(self) -> dict[str, npt.NDArray[Any]]:
        """The volumes as columns: mean, covariance, optical depth, permeability, evidence …"""
        return self._native.volumes()

    def surface(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.uint32]] | None:
        """Vertices and triangles of a learned surface; ``None`` where there is none."""
        return self._native.surface()

    def __len__(self) -> int:
        return self._native.volume_count

    def __repr__(self) -> str:
        return f"<Site of {len(self)} volumes by {self.model}>"

    def __reduce__(self) -> tuple[Any, ...]:
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "a.site")
            self.save(file)
            with open(file, "rb") as opened:
                return (_from_bytes, (opened.read(),))


def _from_bytes(content: bytes) -> Site:
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "a.site")
        with open(file, "wb") as opened:
            opened.write(content)
        return Site(file)


def learn(
    recordings: Cloud | str | os.PathLike[str] | Iterable[Cloud | str | os.PathLike[str]],
    *,
    model: str = "likelihood",
    cell_m: float | None = None,
    kernel_m: float | None = None,
    tau: float | None = 2.0,
    points_min: int = 1,
    jeffreys_below: int = 0,
    width: float | None = None,
    leaves_max: int | None = None,
    range_m: npt.ArrayLike | None = None,
    returns: str = "first",
    region_m: npt.ArrayLike | None = None,
    every: tuple[int, int] | None = None,
    sensor: str | None = None,
    recover_misses: str | None = None,
    moving: str = "keep",
    reading: dict[str, Any] | None = None,
    progress: Progress = None,
    rebuild_misses: str | None = None,
) -> Site:
    """Learns from clouds, or from files, how each small volume of a site returns light.

    ``model`` is ``"likelihood"`` (the best), Deschaud's ``"voxel"``, ``"top-down"`` or
    ``"bottom-up"``, or the baseline ``"surface"``. ``tau=None`` chooses the gate by itself. ``width`` is how
    wide volumes of ``"likelihood"`` are, as a variance in those of the gaps between rays; ``None``
    takes what predicts held-out beams best. A pulse
    that returned nothing teaches as much as one that did: files whose format drops such pulses need
    ``recover_misses`` (a spinning sensor's name, or ``"grid"``). ``moving="leave-out"`` skips beams of
    files that met what moved, such as people and cars. ``reading`` holds arguments of
    :func:`understory.read` for files. Memory of clouds is copied once. ``rebuild_misses`` is the
    old name of ``recover_misses``.
    """
    if rebuild_misses is not None:
        if recover_misses is not None:
            raise ArgumentError("rebuild_misses is the old name of recover_misses; give only that")
        warnings.warn(
            "rebuild_misses is called recover_misses now", DeprecationWarning, stacklevel=2
        )
        recover_misses = rebuild_misses
    several = [recordings] if isinstance(recordings, (Cloud, str, os.PathLike)) else recordings
    try:
        inputs: list[Any] = list(several)
    except TypeError:
        raise ArgumentTypeError(
            f"recordings must be clouds or paths, and {shown(recordings)} came; give some"
        ) from None
    if not inputs:
        raise ArgumentError("recordings is empty; give clouds or paths")
    box = None
    if region_m is not None:
        box = floats(region_m, "region_m", (2, 3)).tolist()
    scans = None
    if every is not None:
        scans = tuple(indices(every, "every", (2,)).tolist())
    args = Args(
        model=choice(model, "model", _MODELS),
        cell_m=None if cell_m is None else number(cell_m, "cell_m", 0.0, above=True),
        kernel_m=None if kernel_m is None else number(kernel_m, "kernel_m", 0.0, above=True),
        tau=None if tau is None else number(tau, "tau", 0.0, above=True),
        points_min=whole(points_min, "points_min"),
        jeffreys_below=whole(jeffreys_below, "jeffreys_below"),
        width=None if width is None else number(width, "width", 0.0, above=True),
        leaves_max=None if leaves_max is None else whole(leaves_max, "leaves_max", 1, 2**40),
        range_m=None if range_m is None else pair(range_m, "range_m", 0.0),
        returns=choice(returns, "returns", ["first", "strongest", "last"]),
        region_m=box,
        every=scans,
        sensor=None if sensor is None else text(sensor, "sensor"),
        recover_misses=None if recover_misses is None else text(recover_misses, "recover_misses"),
        moving=choice(moving, "moving", ["keep", "leave-out"]),
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
            return Site._of(_native.learn([c._plain() for c in clouds], args, report))
        paths = [path(one, "recordings") for one in inputs]
        return Site._of(_native.learn_files(paths, options, args, report))
