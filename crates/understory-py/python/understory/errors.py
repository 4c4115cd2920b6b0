"""Exceptions: a small tree, whose sentences are those of the program ``understory``.

>>> import understory
>>> try:
...     understory.Scenario("courtyrad")
... except understory.ScenarioError as error:
...     print(error)
scenario "courtyrad": the program carries none of this name; did you mean "courtyard"?
"""

from __future__ import annotations

__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "FileError",
    "GeometryError",
    "LearnError",
    "ScenarioError",
    "UnderstoryError",
]


class UnderstoryError(Exception):
    """Whatever Understory refuses or cannot do."""


class ArgumentError(UnderstoryError, ValueError):
    """An argument that cannot be: a wrong shape, a number out of its limits, an unknown name."""


class ArgumentTypeError(ArgumentError, TypeError):
    """An argument of a type that cannot be used."""


class ScenarioError(UnderstoryError, ValueError):
    """A scenario, sensor or site that says something that cannot be; the sentence names the line."""


class GeometryError(UnderstoryError, ValueError):
    """Meshes that cannot be traced."""


class LearnError(UnderstoryError, ValueError):
    """Recordings from which nothing can be learned."""


class FileError(UnderstoryError, OSError):
    """A file that cannot be read or written, or that is damaged."""
