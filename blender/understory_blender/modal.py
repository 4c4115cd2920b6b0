"""What operators that take long have in common: steps, progress, Escape.

``execute`` does all steps and waits, for scripts and without a window. ``invoke`` begins them and gives control
back; ``modal`` then goes on at each tick of a timer for as long as a picture of the window may take, and ends
at Escape. Whatever is refused is reported as Blender reports it, in one sentence.
"""

from __future__ import annotations

import bpy

import understory

from .job import Job
from .refusal import Cancelled, Refusal

#: Time of a call, and from one to the next.
BUDGET_S = 0.02
TICK_S = 0.05


class LongWork:
    """To be mixed into an operator that has ``steps`` (a job's) and ``done`` (what is told at the end)."""

    _job: Job | None = None
    _timer = None

    def steps(self, context, stop):  # pragma: no cover - each operator has its own
        """The steps of the work."""
        raise NotImplementedError

    def done(self, context, result) -> str:
        """One line about what was done."""
        return "done"

    def execute(self, context):
        """Does it all and waits."""
        return _told(self, context, lambda: Job(lambda stop: self.steps(context, stop)).finish())

    def invoke(self, context, event):
        """Begins; without a window there is nobody to wait for."""
        if bpy.app.background:
            return self.execute(context)
        return begin(self, context)

    def modal(self, context, event):
        """Goes on, or ends."""
        return go_on(self, context, event)


def begin(operator, context):
    """Begins the work of an operator."""
    operator._job = Job(lambda stop: operator.steps(context, stop))
    window_manager = context.window_manager
    window_manager.progress_begin(0, 100)
    if context.window is not None:
        operator._timer = window_manager.event_timer_add(TICK_S, window=context.window)
    window_manager.modal_handler_add(operator)
    return {"RUNNING_MODAL"}


def go_on(operator, context, event):
    """One call of ``modal``."""
    job = operator._job
    if event.type == "ESC":
        job.cancel()
        _end(operator, context)
        operator.report({"INFO"}, "cancelled; the scene is as it was")
        return {"CANCELLED"}
    if event.type != "TIMER":
        return {"PASS_THROUGH"}
    finished: list[bool] = []

    def step():
        finished.append(job.advance(BUDGET_S))
        return job.result

    state = _told(operator, context, step, lambda: finished == [True])
    if state == {"FINISHED"} and finished != [True]:
        context.window_manager.progress_update(int(100 * job.stop.share))
        if context.workspace is not None:
            context.workspace.status_text_set(f"Understory: {job.stop.what} {100 * job.stop.share:.0f} % (Esc cancels)")
        return {"RUNNING_MODAL"}
    _end(operator, context)
    return state


def _end(operator, context) -> None:
    context.window_manager.progress_end()
    if operator._timer is not None:
        context.window_manager.event_timer_remove(operator._timer)
        operator._timer = None
    if context.workspace is not None:
        context.workspace.status_text_set(None)


def _told(operator, context, work, is_done=lambda: True):
    """Does some work and reports how it ended."""
    try:
        result = work()
    except Cancelled:
        operator.report({"INFO"}, "cancelled; the scene is as it was")
        return {"CANCELLED"}
    except (Refusal, understory.UnderstoryError, MemoryError) as error:
        operator.report({"ERROR"}, str(error) or "the machine has not enough memory for this scene")
        return {"CANCELLED"}
    if is_done():
        for warning in getattr(getattr(result, "prepared", result), "warnings", []):
            operator.report({"WARNING"}, warning)
        operator.report({"INFO"}, operator.done(context, result))
    return {"FINISHED"}
