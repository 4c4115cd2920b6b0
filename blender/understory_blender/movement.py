"""The scene over a range of frames: tracks of what moves as a whole, frames of what changes its shape.

What enters: a function that puts the scene to a time. What leaves: a :class:`Course` of moments at equal
steps. Steps are halved until nothing is farther than a tolerance from where Blender has it in the middle
between two of them: linear in position and even in rotation for tracks, the nearest frame for shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from .scene import Moment, Thing

#: How far a point of a rigid thing may be from where it should be, in metres.
TRACK_ERROR_M = 0.002
#: How far a vertex of a thing that changes its shape may be.
SHAPE_ERROR_M = 0.01
#: Finer than this the steps do not become.
STEPS_MAX = 8


@dataclass
class Course:
    """Moments at equal steps of time, and the poses of the sensor at them."""

    step_s: float
    moments: list[Moment] = field(default_factory=list)
    sensors: list[np.ndarray] = field(default_factory=list)

    def times_s(self) -> list[float]:
        """The times of the moments, from 0."""
        return [step * self.step_s for step in range(len(self.moments))]


def follow(
    at: Callable[[float], tuple[Moment, np.ndarray]], frames: int, frame_s: float, metres: float
) -> Iterator[float | Course]:
    """The course over ``frames`` whole frames; yields the share that is done, and at last the course.

    ``at`` gives the moment and the pose of the sensor at a frame, counted from 0 and in fractions.
    """
    seen: dict[float, tuple[Moment, np.ndarray]] = {}
    for frame in range(frames + 1):
        seen[float(frame)] = at(float(frame))
        yield 0.5 * (frame + 1) / (frames + 1)
    per_frame = 1
    while True:
        knots = [step / per_frame for step in range(frames * per_frame + 1)]
        middles = [knot + 0.5 / per_frame for knot in knots[:-1]]
        if not _moves([seen[knot] for knot in knots]):
            break
        if per_frame >= STEPS_MAX:
            break
        for middle in middles:
            seen[middle] = at(middle)
            yield 0.5 + 0.5 * per_frame / STEPS_MAX
        worst = max(
            _deviation(seen[a], seen[m], seen[b], metres) for a, m, b in zip(knots, middles, knots[1:])
        )
        if worst <= 1.0:
            break
        per_frame *= 2
    knots = [step / per_frame for step in range(frames * per_frame + 1)]
    course = Course(frame_s / per_frame)
    for knot in knots:
        moment, sensor = seen[knot]
        course.moments.append(moment)
        course.sensors.append(sensor)
    yield course


def _moves(moments: list[tuple[Moment, np.ndarray]]) -> bool:
    (first, sensor), *rest = moments
    shapes = [first.shapes[thing.shape] for thing in first.things]
    for moment, other in rest:
        if not np.array_equal(sensor, other) or len(moment.things) != len(first.things):
            return True
        for was, now, shape in zip(first.things, moment.things, shapes):
            if was.key != now.key or not np.array_equal(was.matrix, now.matrix):
                return True
            if not same_vertices(shape, moment.shapes[now.shape]):
                return True
    return False


def same_vertices(one, other) -> bool:
    """Whether two shapes are the same to the last bit."""
    return one is other or (
        one.vertices.shape == other.vertices.shape and np.array_equal(one.vertices, other.vertices)
    )


def _deviation(before, middle, after, metres: float) -> float:
    """How far the middle is from what tracks and frames show there, over the tolerances."""
    worst = _matrix_off(before[1], middle[1], after[1], np.zeros(3)) * metres / TRACK_ERROR_M
    then = {thing.key: thing for thing in before[0].things}
    next_ = {thing.key: thing for thing in after[0].things}
    for thing in middle[0].things:
        if thing.key not in then or thing.key not in next_:
            continue
        was, will = then[thing.key], next_[thing.key]
        shape = middle[0].shapes[thing.shape]
        corners = np.array([shape.vertices.min(axis=0), shape.vertices.max(axis=0)]) / metres
        arm = np.abs(corners).max(axis=0)
        off = _matrix_off(was.matrix, thing.matrix, will.matrix, arm) * metres
        worst = max(worst, off / TRACK_ERROR_M)
        worst = max(worst, _shape_off(before[0], was, middle[0], thing) / SHAPE_ERROR_M)
    return worst


def _matrix_off(before, middle, after, arm) -> float:
    """How far a point at ``arm`` is in the middle from the mean of where it is before and after."""
    if np.array_equal(before, after) and np.array_equal(before, middle):
        return 0.0
    off = 0.5 * (before + after) - middle
    # Between two rotations the straight mean lies inside the arc; that is no deviation of the track.
    turn = 0.5 * (before[:3, :3] + after[:3, :3])
    u, sizes, v = np.linalg.svd(turn)
    lengths = np.linalg.norm(middle[:3, :3], axis=0).mean()
    turned = (u @ v) * lengths - middle[:3, :3]
    return float(np.linalg.norm(off[:3, 3]) + np.linalg.norm(turned, axis=0) @ arm)


def _shape_off(before: Moment, was: Thing, middle: Moment, now: Thing) -> float:
    one, other = before.shapes[was.shape], middle.shapes[now.shape]
    if one is other or one.vertices.shape != other.vertices.shape:
        return 0.0
    return float(np.linalg.norm(one.vertices - other.vertices, axis=1).max(initial=0.0))
