"""Arguments → NumPy arrays and plain values, or a sentence that says what was expected and what came."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import ArgumentError, ArgumentTypeError

__all__: list[str] = []

#: Larger whole numbers than these fit into no column.
_LARGEST = 2**64


class Args:
    """Keywords as attributes, as the native half takes them."""

    def __init__(self, **keywords: Any) -> None:
        self.__dict__.update(keywords)


def shown(value: object) -> str:
    """A value as an error shows it."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} with the shape {value.shape}"
    if isinstance(value, str):
        return repr(str(value)) if len(value) <= 60 else f"{str(value)[:57]!r}…"
    if isinstance(value, int) and int(value).bit_length() > 200:
        return f"a number of {int(value).bit_length()} bits"
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)
    return f"a {type(value).__name__}"


def plain(array: npt.NDArray[Any], dtype: npt.DTypeLike | None = None) -> npt.NDArray[Any]:
    """An array as the native half takes them: row by row, aligned, no subclass; itself if it is so."""
    return np.require(np.asarray(array), dtype=dtype, requirements=["C", "A"])


def floats(
    value: object,
    name: str,
    shape: tuple[int | None, ...],
    dtype: npt.DTypeLike = np.float64,
    *,
    finite: bool = True,
) -> npt.NDArray[Any]:
    """A contiguous array of floating-point numbers; ``None`` in ``shape`` stands for any length."""
    array = shaped(value, name, shape)
    with np.errstate(over="ignore", invalid="ignore"):
        array = plain(array, dtype)
    if finite and array.size and not np.isfinite(array).all():
        where = np.argwhere(~np.isfinite(array))[0].tolist()
        raise ArgumentError(
            f"{name} has a number that is not finite at {where}; remove it or leave the row out"
        )
    return array


def indices(value: object, name: str, shape: tuple[int | None, ...]) -> npt.NDArray[np.uint32]:
    """A contiguous array of whole numbers from 0 on."""
    array = shaped(value, name, shape)
    if array.size and array.dtype.kind not in "iu":
        raise ArgumentTypeError(
            f"{name} must be whole numbers, and {shown(array)} came; convert it with astype(int)"
        )
    if array.size and (int(array.min()) < 0 or int(array.max()) >= 2**32):
        raise ArgumentError(
            f"{name} goes from {array.min()} to {array.max()}; give indices from 0 to 4294967295"
        )
    return plain(array, np.uint32)


def numbers(value: object, expected: str) -> npt.NDArray[Any]:
    """An array of numbers of any shape; ``expected`` begins the sentence of the error."""
    if value is None or isinstance(value, (str, bytes, dict, set)):
        raise ArgumentTypeError(f"{expected}, and {shown(value)} came; give one")
    try:
        array = np.asarray(value)
    except Exception as error:  # whatever an object's own conversion raises
        raise ArgumentTypeError(f"{expected}, and {shown(value)} came ({error}); give one") from None
    if array.dtype.kind not in "iuf" and not (array.dtype.kind == "b" and array.size == 0):
        raise ArgumentTypeError(f"{expected}, and {shown(array)} came; give numbers")
    return array


def shaped(value: object, name: str, shape: tuple[int | None, ...]) -> npt.NDArray[Any]:
    """An array of numbers of this shape, as it is."""
    wanted = "×".join("N" if length is None else str(length) for length in shape)
    expected = f"{name} must be an array of {wanted} numbers"
    array = numbers(value, expected)
    fits = array.ndim == len(shape) and all(
        wanted is None or length == wanted for length, wanted in zip(array.shape, shape)
    )
    if not fits:
        raise ArgumentError(f"{expected}, and {shown(array)} came; reshape it")
    return array


def number(
    value: object, name: str, low: float = -np.inf, high: float = np.inf, *, above: bool = False
) -> float:
    """A finite number from ``low`` to ``high``; with ``above`` not ``low`` itself."""
    limits = f"above {low}" if above else f"of {low} or more"
    limits = limits if high == np.inf else f"from {low} to {high}"
    limits = "" if low == -np.inf and high == np.inf else f" {limits}"
    kinds = (int, float, np.integer, np.floating)
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, kinds):
        raise ArgumentTypeError(f"{name} must be a number{limits}, and {shown(value)} came; give one")
    try:
        found = float(value)
    except (OverflowError, TypeError):
        raise ArgumentError(f"{name} must be a number{limits}, and {shown(value)} came") from None
    if not np.isfinite(found) or found < low or found > high or (above and found == low):
        raise ArgumentError(f"{name} is {found}; give a number{limits}")
    return found


def whole(value: object, name: str, low: int = 0, high: int = _LARGEST - 1) -> int:
    """A whole number from ``low`` to ``high``."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise ArgumentTypeError(f"{name} must be a whole number, and {shown(value)} came; give one")
    found = int(value)
    if not low <= found <= high:
        raise ArgumentError(f"{name} is {shown(found)}; give a whole number from {low} to {high}")
    return found


def text(value: object, name: str) -> str:
    """A text."""
    if not isinstance(value, str):
        raise ArgumentTypeError(f"{name} must be text, and {shown(value)} came; give text")
    if "\0" in value or not _is_unicode(value):
        raise ArgumentError(f"{name} has a character that no file or name can have; remove it")
    return value


def _is_unicode(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def path(value: object, name: str) -> str:
    """A path as text."""
    if not isinstance(value, (str, os.PathLike)):
        raise ArgumentTypeError(f"{name} must be a path, and {shown(value)} came; give one")
    return text(os.fspath(value), name)


def pair(value: object, name: str, low: float = -np.inf) -> tuple[float, float]:
    """Two rising numbers."""
    first, second = floats(value, name, (2,)).tolist()
    if not low <= first < second:
        limit = "" if low == -np.inf else f" of {low} or more"
        raise ArgumentError(f"{name} is ({first}, {second}); give two rising numbers{limit}")
    return first, second


def choice(value: object, name: str, choices: Sequence[str]) -> str:
    """One of some names."""
    if text(value, name) not in choices:
        raise ArgumentError(f"{name} is {shown(value)}; choose from {', '.join(choices)}")
    return str(value)


def truth(value: object, name: str) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ArgumentTypeError(f"{name} must be True or False, and {shown(value)} came; give one")
    return bool(value)
