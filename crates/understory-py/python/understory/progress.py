"""How far long work is: bars on terminals and in notebooks, or a function of your own."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable
from typing import Any, Union

from ._arrays import shown
from .errors import ArgumentTypeError

__all__ = ["Progress"]

#: What functions take as ``progress``: ``None`` shows a bar after two seconds where somebody looks,
#: ``True`` at once, ``False`` never; a function is called with what is done now and with the share
#: (0…1) that lies behind, about ten times a second.
Progress = Union[None, bool, Callable[[str, float], Any]]

#: Work that takes less shows no bar unless it is requested.
_PATIENCE_S = 2.0


class Bar:
    """A bar on stderr, or in the notebook's cell."""

    def __init__(self, after_s: float) -> None:
        self._start = time.monotonic()
        self._after_s = after_s
        self._notebook = _in_notebook()
        self._handle: Any = None
        self._drawn = False

    def __call__(self, what: str, share: float) -> None:
        if time.monotonic() - self._start < self._after_s:
            return
        share = min(max(share, 0.0), 1.0)
        filled = round(30 * share)
        line = f"{what or 'working'} {'█' * filled}{'░' * (30 - filled)} {100 * share:3.0f} %"
        if self._notebook:
            self._show(line)
        else:
            sys.stderr.write(f"\r\x1b[K{line}")
            sys.stderr.flush()
        self._drawn = True

    def _show(self, line: str) -> None:
        shows: Any = importlib.import_module("IPython.display")
        if self._handle is None:
            self._handle = shows.display(shows.Pretty(line), display_id=True)
        else:
            self._handle.update(shows.Pretty(line))

    def close(self) -> None:
        """Takes the bar away."""
        if not self._drawn:
            return
        if self._notebook:
            self._show("")
        else:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


class Reporter:
    """Turns a ``progress`` argument into what the native half calls; to be used with ``with``."""

    def __init__(self, progress: Any) -> None:
        self._bar: Bar | None = None
        self.call: Callable[[str, float], Any] | None = None
        if callable(progress):
            self.call = progress
        elif progress is True or (progress is None and _somebody_looks()):
            self._bar = Bar(0.0 if progress else _PATIENCE_S)
            self.call = self._bar
        elif progress is not None and progress is not False:
            raise ArgumentTypeError(
                f"progress must be True, False, None or a function, and {shown(progress)} came"
            )

    def __enter__(self) -> Callable[[str, float], Any] | None:
        return self.call

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"


def _somebody_looks() -> bool:
    try:
        return _in_notebook() or sys.stderr.isatty()
    except (AttributeError, ValueError):
        return False
