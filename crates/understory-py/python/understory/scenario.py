"""Scenarios: everything that a run needs, from a file, by name, or built in code."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _native
from ._arrays import choice, number, path, shown, text, whole
from .errors import ArgumentError, ArgumentTypeError, FileError, ScenarioError
from .sensor import Sensor
from .site import Site
from .world import World

__all__ = ["Scenario"]


class Scenario:
    """A world, sensors and a platform, checked and ready.

    >>> import understory
    >>> scenario = understory.Scenario("first-scan")
    >>> scenario.sensors
    ['lidar']
    >>> scenario.replace(seed=9).seed
    9
    """

    def __init__(self, source: str | os.PathLike[str]) -> None:
        """The scenario of this name that Understory carries, or that of a file (or pack)."""
        name = path(source, "source")
        if len(name) > 4096 or "\n" in name:
            raise ArgumentError(
                f"source is a text of {len(name)} letters; give a name or a path, "
                "or use Scenario.from_toml"
            )
        self._meshes: dict[str, Any] = {}
        self._sites: dict[str, Site] = {}
        self._in_site: tuple[Site, str] | None = None
        self._pack: str | None = None
        self._text = ""
        if os.path.isfile(name):
            self._place, self._folder = name, os.path.dirname(os.path.abspath(name))
            try:
                with open(name, "rb") as opened:
                    content = opened.read()
            except OSError as error:
                raise FileError(f"{name}: cannot be read: {error}; check it") from None
            if content[:2] == b"PK":
                self._pack = os.path.abspath(name)
            else:
                self._text = _decoded(content, name)
        elif isinstance(source, os.PathLike) or os.sep in name or name.endswith(".toml"):
            raise FileError(
                f"{name}: there is no such file; check the path, or choose from Scenario.names()"
            )
        else:
            self._text = _native.embedded_scenario(name)
            self._place, self._folder = f"scenarios/{name}.toml", ""
        self._check()

    def _check(self) -> None:
        if self._pack is not None:
            native = _native.Scenario.load(self._pack)
        else:
            sites = {name: site._native for name, site in self._sites.items()}
            try:
                native = _native.Scenario(self._text, self._place, self._folder, self._meshes, sites)
            except ScenarioError as error:
                raise ScenarioError(_with_line(str(error), self._text)) from None
        if self._in_site is not None:
            site, rays = self._in_site
            native = native.in_site(site._native, rays)
        self._native = native

    @classmethod
    def _of(
        cls,
        source: str,
        place: str,
        folder: str,
        meshes: dict[str, Any],
        sites: dict[str, Site],
        in_site: tuple[Site, str] | None = None,
        pack: str | None = None,
    ) -> Scenario:
        scenario = cls.__new__(cls)
        scenario._text, scenario._place, scenario._folder = source, place, folder
        scenario._meshes, scenario._sites = meshes, sites
        scenario._in_site, scenario._pack = in_site, pack
        scenario._check()
        return scenario

    @classmethod
    def from_toml(cls, source: str, *, folder: str | os.PathLike[str] = ".") -> Scenario:
        """A scenario from its text; files that it names start at ``folder``."""
        where = os.path.abspath(path(folder, "folder"))
        return cls._of(text(source, "source"), "scenario", where, {}, {})

    @classmethod
    def from_dict(cls, table: Mapping[str, Any], *, folder: str | os.PathLike[str] = ".") -> Scenario:
        """A scenario from a dict with the keys of the file."""
        if not isinstance(table, Mapping):
            raise ArgumentTypeError(f"table must be a dict, and {shown(table)} came; give one")
        where = os.path.abspath(path(folder, "folder"))
        return cls._of(_native.to_toml({"version": 1, **table}), "scenario", where, {}, {})

    @classmethod
    def build(
        cls,
        world: World,
        sensors: Sensor | str | Sequence[Sensor | str],
        *,
        duration_s: float = 0.1,
        seed: int = 1,
        platform: Mapping[str, Any] | None = None,
        drive: Mapping[str, Any] | None = None,
        title: str | None = None,
    ) -> Scenario:
        """A scenario of a world and sensors; ``platform`` has the keys of ``[platform]``, and ``drive``
        those of ``[drive]``.

        >>> import understory
        >>> world = understory.World().add_object("ground", "plane", size_m=[50, 50], material="grass")
        >>> scenario = understory.Scenario.build(
        ...     world, understory.Sensor("vlp-16", position_m=(0, 0, 1.5)), duration_s=0.1,
        ...     platform={"waypoints": [{"time_s": 0.0, "position_m": [0, 0, 0]},
        ...                             {"time_s": 0.1, "position_m": [0.5, 0, 0]}]})
        >>> scenario.duration_s
        0.1
        """
        if not isinstance(world, World):
            raise ArgumentTypeError(f"world must be a World, and {shown(world)} came; give one")
        if platform is not None and not isinstance(platform, Mapping):
            raise ArgumentTypeError(f"platform must be a dict, and {shown(platform)} came; give one")
        if drive is not None and not isinstance(drive, Mapping):
            raise ArgumentTypeError(f"drive must be a dict, and {shown(drive)} came; give one")
        table = {
            "version": 1,
            "seed": whole(seed, "seed", 0, 2**63 - 1),
            "duration_s": number(duration_s, "duration_s", 0.0, above=True),
            "title": None if title is None else text(title, "title"),
            "world": dict(world.table()),
            "platform": None if platform is None else dict(platform),
            "drive": None if drive is None else dict(drive),
            "sensor": _sensor_tables(sensors),
        }
        meshes, sites = dict(world._meshes), dict(world._sites)
        return cls._of(_native.to_toml(table), "scenario", os.getcwd(), meshes, sites)

    @staticmethod
    def names() -> list[str]:
        """Names of the scenarios that Understory carries."""
        return _native.scenario_names()

    def replace(self, **keys: Any) -> Scenario:
        """The same with other keys: tables are merged key by key, anything else is replaced.

        >>> import understory
        >>> foggy = understory.Scenario("first-scan").replace(
        ...     world={"atmosphere": {"fog": {"visibility_m": 50.0}}})
        >>> "visibility_m" in foggy.toml
        True
        """
        return self._changed(keys, [])

    def with_sensors(self, *sensors: Sensor | str) -> Scenario:
        """The same with other sensors."""
        return self._changed({"sensor": _sensor_tables(sensors)}, ["sensor"])

    def _changed(self, keys: dict[str, Any], replaced: list[str]) -> Scenario:
        if self._pack is not None:
            raise ScenarioError(
                f"{self._pack}: a packed scenario cannot be changed; unpack it and change that"
            )
        changed = _native.merge_toml(self._text, keys, replaced)
        return Scenario._of(
            changed, self._place, self._folder, self._meshes, self._sites, self._in_site
        )

    def in_site(self, site: Site, *, rays: str = "auto") -> Scenario:
        """The same sensors and platform in a world of nothing but a learned site."""
        if not isinstance(site, Site):
            raise ArgumentTypeError(f"site must be a Site, and {shown(site)} came; learn or read one")
        rays = choice(rays, "rays", ["auto", "nominal", "sampled", "cone"])
        return Scenario._of(
            self._text, self._place, self._folder, self._meshes, self._sites, (site, rays), self._pack
        )

    @property
    def toml(self) -> str:
        """Its text."""
        return self._text

    @property
    def title(self) -> str | None:
        """One line about it."""
        return self._native.title

    @property
    def seed(self) -> int:
        """Key of all its random numbers."""
        return self._native.seed

    @property
    def duration_s(self) -> float:
        """How long it lasts."""
        return self._native.duration_s

    @property
    def sensors(self) -> list[str]:
        """Names of its sensors, in the order of ``cloud.sensor``."""
        return self._native.sensor_names

    def platform_pose(self, time_s: float) -> npt.NDArray[np.float64]:
        """``world_from_platform`` at a time, 4 × 4."""
        rows = self._native.platform_pose(number(time_s, "time_s"))
        return np.vstack([np.array(rows), [0.0, 0.0, 0.0, 1.0]])

    def intervals(self, count: int) -> list[tuple[float, float]]:
        """The run cut into equal times, for independent tasks on many machines.

        >>> import understory
        >>> understory.Scenario("first-scan").intervals(2)
        [(0.0, 0.05), (0.05, 0.1)]
        """
        ends = [self.duration_s * i / count for i in range(whole(count, "count", 1, 10**6))]
        return list(zip(ends, [*ends[1:], self.duration_s]))

    def save(self, target: str | os.PathLike[str]) -> None:
        """Writes it with all that it needs, meshes in memory too: a pack where the name ends in
        ``.understory``, else a new folder with ``scenario.toml`` and its files. Both give the same
        bytes.

        >>> import tempfile, understory
        >>> scenario = understory.Scenario("first-scan")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     scenario.save(f"{folder}/trial.understory")
        ...     understory.Scenario(f"{folder}/trial.understory").seed == scenario.seed
        True
        """
        if self._in_site is not None:
            raise ScenarioError("a scenario in a site is not saved; give its world the site by add_site")
        where = path(target, "target")
        name = os.path.splitext(os.path.basename(os.path.normpath(where)))[0]
        self._native.save(where, name)

    def estimate(self) -> dict[str, float]:
        """About how many triangles and bytes its scene will have."""
        triangles, size = self._native.estimate()
        return {"triangles": triangles, "bytes": size}

    def __reduce__(self) -> tuple[Any, ...]:
        return (
            Scenario._of,
            (
                self._text,
                self._place,
                self._folder,
                self._meshes,
                self._sites,
                self._in_site,
                self._pack,
            ),
        )

    def __repr__(self) -> str:
        return f"<Scenario {self._place}: {self.duration_s} s, {', '.join(self.sensors)}>"


def _sensor_tables(sensors: object) -> list[dict[str, Any]]:
    several = sensors if isinstance(sensors, Sequence) and not isinstance(sensors, str) else [sensors]
    tables = []
    for sensor in several:
        if isinstance(sensor, str):
            sensor = Sensor(sensor)
        if not isinstance(sensor, Sensor):
            raise ArgumentTypeError(
                f"sensors must be sensors or names of presets, and one is {shown(sensor)}"
            )
        tables.append(sensor.table())
    if not tables:
        raise ArgumentError("sensors is empty; give at least one")
    return tables


def _with_line(sentence: str, source: str) -> str:
    """The sentence with the line that it speaks of: nobody has seen the lines of a built scenario."""
    found = re.match(r"scenario:(\d+): ", sentence)
    lines = source.splitlines()
    if found is None or not 0 < int(found[1]) <= len(lines):
        return sentence
    return f"scenario, `{lines[int(found[1]) - 1].strip()[:80]}`: {sentence[found.end():]}"


def _decoded(content: bytes, name: str) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise FileError(f"{name}: it is no text; give a scenario (TOML) or a pack") from None
