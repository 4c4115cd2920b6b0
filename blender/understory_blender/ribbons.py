"""Hair: strands as ribbons of triangles.

A strand is a polyline with a radius at each point. Its ribbon is twice the radius wide and turns about
the strand by an angle that differs from strand to strand, so that hair has no side from which it is
thin.
"""

from __future__ import annotations

import numpy as np

#: Angles from one strand to the next, in turns: the golden section meets all sides evenly.
_TURN = 0.6180339887498949


def ribbons(
    points: np.ndarray, radii: np.ndarray, lengths: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vertices, triangles, and the strand of each triangle.

    ``points`` (N × 3) and ``radii`` (N) of all strands one after another; ``lengths`` says how many
    points each has. Strands of fewer than two points are left out.
    """
    points = np.asarray(points, dtype=np.float64).reshape(-1, 3)
    lengths = np.asarray(lengths, dtype=np.int64)
    strand = np.repeat(np.arange(len(lengths)), lengths)
    if len(points) < 2:
        return np.zeros((0, 3)), np.zeros((0, 3), np.uint32), np.zeros(0, np.int64)
    same_next = np.append(strand[1:] == strand[:-1], False)
    along = np.zeros_like(points)
    steps = np.diff(points, axis=0, append=points[-1:])
    along[same_next] += steps[same_next]
    along[1:][same_next[:-1]] += steps[:-1][same_next[:-1]]
    size = np.linalg.norm(along, axis=1, keepdims=True)
    along = np.where(size > 0, along / np.maximum(size, 1e-30), [0.0, 0.0, 1.0])
    # Two directions across: one that is level, or along x for upright strands, and the other.
    level = np.cross(along, [0.0, 0.0, 1.0])
    flat = np.linalg.norm(level, axis=1, keepdims=True)
    level = np.where(flat > 1e-3, level / np.maximum(flat, 1e-30), [1.0, 0.0, 0.0])
    other = np.cross(along, level)
    turn = (2 * np.pi * _TURN * strand)[:, None]
    across = (np.cos(turn) * level + np.sin(turn) * other) * np.asarray(radii)[:, None]
    vertices = np.empty((2 * len(points), 3))
    vertices[0::2], vertices[1::2] = points - across, points + across
    first = 2 * np.flatnonzero(same_next)
    quads = np.stack([first, first + 1, first + 3, first, first + 3, first + 2], axis=1)
    return vertices, quads.reshape(-1, 3).astype(np.uint32), np.repeat(strand[same_next], 2)
