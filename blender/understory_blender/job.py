"""Long work in small steps, so that the window lives on.

What enters: a generator that yields what it does and the share that is done. Work that needs Blender runs
in its steps, on the main thread; work of the package runs in a thread of its own while the generator
yields :data:`WAITING`. A modal operator calls :meth:`Job.advance`, a script :meth:`Job.finish`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator

from .refusal import Cancelled

#: Nothing can be done now: a thread works.
WAITING = object()

Steps = Generator[object, None, object]


class Stop:
    """Whether the work is to stop, and how far it is; read and written by two threads."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self.what = ""
        self.share = 0.0

    def set(self) -> None:
        """It is to stop."""
        self._event.set()

    def progress(self, what: str, share: float) -> None:
        """What the package calls; raises where the work is to stop."""
        if self._event.is_set():
            raise Cancelled
        self.what, self.share = what, share


def in_thread(work: Callable[[], object], stop: Stop) -> Steps:
    """Does some work in a thread; yields :data:`WAITING` until it is done and returns what it gives."""
    done: dict[str, object] = {}

    def run() -> None:
        try:
            done["result"] = work()
        except BaseException as error:  # handed on to the thread that asked
            done["error"] = error

    thread = threading.Thread(target=run, name="understory", daemon=True)
    thread.start()
    while thread.is_alive():
        yield WAITING
        if stop._event.is_set():
            # The thread hears it at its next report and ends by itself.
            raise Cancelled
    if "error" in done:
        raise done["error"]
    return done["result"]


class Job:
    """Steps that are done one after another."""

    def __init__(self, steps: Callable[[Stop], Steps]) -> None:
        self.stop = Stop()
        self._steps = steps(self.stop)
        self.result: object = None
        self.is_done = False

    def advance(self, budget_s: float = 0.02) -> bool:
        """Does steps for some time; whether all are done. What a step raises comes out of here."""
        end = time.monotonic() + budget_s
        while not self.is_done:
            try:
                told = next(self._steps)
            except StopIteration as stopped:
                self.result, self.is_done = stopped.value, True
                break
            if told is WAITING:
                break
            if isinstance(told, tuple):
                self.stop.what, self.stop.share = told
            if time.monotonic() >= end:
                break
        return self.is_done

    def finish(self, pause_s: float = 0.005) -> object:
        """Does all steps and gives their result."""
        try:
            while not self.advance(1.0):
                time.sleep(pause_s)
        except BaseException:
            self.cancel()
            raise
        return self.result

    def cancel(self) -> None:
        """Ends it: what it has changed for its work it puts back."""
        self.stop.set()
        self._steps.close()
        self.is_done = True
