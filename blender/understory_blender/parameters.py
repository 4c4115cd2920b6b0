"""Parameters of sensors: the schema and a preset → a list with units, limits and help.

What enters: the JSON schema of sensor files, which lies beside this file, and a preset's text. What
leaves: :class:`Parameter`s, and from changed ones the tables of ``[sensor.override]``.
"""

from __future__ import annotations

import functools
import json
import tomllib
from dataclasses import dataclass
from pathlib import Path

#: Units by the ending of a key.
UNITS = {
    "m": "m", "mm": "mm", "deg": "°", "mrad": "mrad", "hz": "Hz", "khz": "kHz", "mhz": "MHz", "us": "µs",
    "ns": "ns", "s": "s", "nm": "nm", "px": "px", "w": "W", "percent": "%", "um": "µm", "mj": "mJ",
    "uj": "µJ", "nj": "nJ",
}  # fmt: skip

#: Tables that say who made a sensor, not how it works.
_NOT_SHOWN = {"title", "vendor", "description", "sources", "uncertain", "packets"}


@dataclass(frozen=True)
class Parameter:
    """A key of a sensor's file."""

    #: ``detector.range_max_m``.
    path: str
    #: NUMBER, WHOLE, TRUTH, CHOICE or TEXT (a list or a table, as TOML).
    kind: str
    unit: str
    help: str
    low: float | None = None
    high: float | None = None
    choices: tuple[tuple[str, str], ...] = ()

    @property
    def table(self) -> str:
        """The table it is in."""
        return self.path.rpartition(".")[0]

    @property
    def name(self) -> str:
        """The key in words, with its unit."""
        key = self.path.rpartition(".")[2]
        words = key.split("_")
        if self.unit and len(words) > 1:
            words = words[:-1]
        name = " ".join(words)
        name = name[:1].upper() + name[1:]
        return f"{name} [{self.unit}]" if self.unit else name


@functools.cache
def schema() -> dict:
    """The schema of sensor files."""
    return json.loads((Path(__file__).parent / "sensor.schema.json").read_text(encoding="utf-8"))


@functools.cache
def all_parameters() -> dict[str, Parameter]:
    """Every key that a sensor may have, by its path."""
    found: dict[str, Parameter] = {}
    _walk(schema(), "", found)
    return found


def _walk(table: dict, prefix: str, found: dict[str, Parameter]) -> None:
    for key, entry in table.get("properties", {}).items():
        if not prefix and key in _NOT_SHOWN:
            continue
        path = f"{prefix}{key}"
        target = _resolved(entry)
        help_ = " ".join(entry.get("description", target.get("description", "")).split())
        if "properties" in target:
            _walk(target, f"{path}.", found)
        else:
            found[path] = _parameter(path, target, help_)


def _resolved(entry: dict) -> dict:
    for one in (entry, *entry.get("allOf", []), *entry.get("anyOf", [])):
        if "$ref" in one:
            return _resolved(schema()["$defs"][one["$ref"].rpartition("/")[2]])
    return entry


def _parameter(path: str, entry: dict, help_: str) -> Parameter:
    kinds = {"number": "NUMBER", "integer": "WHOLE", "boolean": "TRUTH"}
    choices = tuple(
        (one["const"], one.get("description", ""))
        for one in entry.get("oneOf", [])
        if isinstance(one.get("const"), str)
    )
    choices = choices or tuple((one, "") for one in entry.get("enum", []) if isinstance(one, str))
    kind = "CHOICE" if choices else kinds.get(entry.get("type"), "TEXT")
    ending = path.rpartition("_")[2]
    low = entry.get("minimum", entry.get("exclusiveMinimum"))
    high = entry.get("maximum", entry.get("exclusiveMaximum"))
    return Parameter(path, kind, UNITS.get(ending, ""), help_, low, high, choices)


def values_of(text: str) -> dict[str, object]:
    """What a sensor's file says, by paths; lists and lists of tables are values."""
    found: dict[str, object] = {}

    def walk(table: dict, prefix: str) -> None:
        for key, value in table.items():
            if not prefix and key in _NOT_SHOWN:
                continue
            if isinstance(value, dict):
                walk(value, f"{prefix}{key}.")
            else:
                found[f"{prefix}{key}"] = value

    walk(tomllib.loads(text), "")
    return found


def as_text(value: object) -> str:
    """A value as TOML writes it."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {as_text(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(as_text(one) for one in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def from_text(text: str) -> object:
    """The value that TOML writes so; raises ``ValueError`` where it is none."""
    return tomllib.loads(f"value = {text}")["value"]


def nested(changed: dict[str, object]) -> dict[str, object]:
    """Values by paths as tables in tables."""
    tables: dict[str, object] = {}
    for path, value in changed.items():
        *tables_of, key = path.split(".")
        table = tables
        for name in tables_of:
            table = table.setdefault(name, {})
        table[key] = value
    return tables
