"""Sensors: presets by name, with keys that shall differ."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from . import _native
from ._arrays import floats, number, path, shown, text
from .errors import ArgumentTypeError, FileError

__all__ = ["Sensor"]


class Sensor:
    """A lidar and where it sits on its platform.

    ``override`` holds keys of the sensor's file that shall differ, as ``[sensor.override]`` of a
    scenario does.

    >>> import understory
    >>> vlp = understory.Sensor("vlp-16", position_m=(0, 0, 1.5), override={"detector": {"range_max_m": 60.0}})
    >>> vlp.channels, vlp.scan_duration_s
    (16, 0.1)
    """

    def __init__(
        self,
        preset: str,
        *,
        name: str | None = None,
        position_m: npt.ArrayLike = (0.0, 0.0, 0.0),
        rotation_deg: npt.ArrayLike = (0.0, 0.0, 0.0),
        delay_s: float | str = 0.0,
        override: Mapping[str, Any] | None = None,
    ) -> None:
        self.preset = text(preset, "preset")
        self._mount(self.preset if name is None else name, position_m, rotation_deg, delay_s, override)
        self._source = _native.sensor_text(self.preset)
        self._file: str | None = None
        self._check(f"sensor {self.preset!r}")

    @classmethod
    def from_file(
        cls,
        file: str | os.PathLike[str],
        *,
        name: str | None = None,
        position_m: npt.ArrayLike = (0.0, 0.0, 0.0),
        rotation_deg: npt.ArrayLike = (0.0, 0.0, 0.0),
        delay_s: float | str = 0.0,
        override: Mapping[str, Any] | None = None,
    ) -> Sensor:
        """A sensor of your own, described in a TOML file as ``docs/add-a-sensor.md`` tells."""
        sensor = cls.__new__(cls)
        sensor._file = os.path.abspath(path(file, "file"))
        try:
            with open(sensor._file, encoding="utf-8") as opened:
                sensor._source = opened.read()
        except (OSError, UnicodeDecodeError) as error:
            raise FileError(f"{sensor._file}: cannot be read: {error}; check the path") from None
        sensor.preset = os.path.splitext(os.path.basename(sensor._file))[0]
        sensor._mount(sensor.preset if name is None else name, position_m, rotation_deg, delay_s, override)
        sensor._check(sensor._file)
        return sensor

    def _mount(
        self,
        name: object,
        position_m: object,
        rotation_deg: object,
        delay_s: object,
        override: object,
    ) -> None:
        self.name = text(name, "name")
        self.position_m = floats(position_m, "position_m", (3,)).tolist()
        self.rotation_deg = floats(rotation_deg, "rotation_deg", (3,)).tolist()
        self.delay_s = delay_s if isinstance(delay_s, str) else number(delay_s, "delay_s", 0.0)
        if override is not None and not isinstance(override, Mapping):
            raise ArgumentTypeError(f"override must be a dict, and {shown(override)} came; give one")
        self.override = dict(override or {})

    def _check(self, place: str) -> None:
        merged = _native.merge_toml(self._source, self.override, [])
        self._facts, self._channels, self._scan_s = _native.sensor_facts(merged, place)

    @staticmethod
    def names() -> list[str]:
        """Names of all presets."""
        return _native.sensor_names()

    @property
    def channels(self) -> int:
        """Number of laser channels."""
        return self._channels

    @property
    def scan_duration_s(self) -> float:
        """Time of one revolution or frame."""
        return self._scan_s

    @property
    def toml(self) -> str:
        """The text of its file, without what ``override`` changes."""
        return self._source

    def describe(self) -> dict[str, str]:
        """What it is, in words."""
        return dict(self._facts)

    def table(self) -> dict[str, Any]:
        """The ``[[sensor]]`` table of a scenario."""
        source = {"preset": self.preset} if self._file is None else {"file": self._file}
        table: dict[str, Any] = {"name": self.name, **source}
        table["position_m"] = self.position_m
        table["rotation_deg"] = self.rotation_deg
        if self.delay_s:
            table["delay_s"] = self.delay_s
        if self.override:
            table["override"] = self.override
        return table

    def __repr__(self) -> str:
        return f"<Sensor {self.name!r}: {self.describe().get('sensor', self.preset)}>"
