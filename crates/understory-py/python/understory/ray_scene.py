"""Rays against triangles, for those who need no lidar."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import _native
from ._arrays import floats, indices, number, numbers, plain, shaped, truth
from .errors import ArgumentError

__all__ = ["RayScene", "Hits"]


class Hits(NamedTuple):
    """What rays met; arrays have the shape of the rays."""

    #: Distance in units of the direction's length; infinite: nothing was met.
    t: npt.NDArray[np.float32]
    #: Triangle that was met; −1: none.
    triangle: npt.NDArray[np.int32]
    #: Unit normal, turned against the ray, where normals were requested.
    normal: npt.NDArray[np.float32] | None

    @property
    def hit(self) -> npt.NDArray[np.bool_]:
        """Which rays met something."""
        return self.triangle >= 0


class RayScene:
    """Triangles and the tree over them.

    >>> import understory
    >>> scene = understory.RayScene([[5, -1, -1], [5, 1, -1], [5, 0, 1]], [[0, 1, 2]])
    >>> scene.cast([[0.0, 0.0, 0.0]], [[1.0, 0.0, 0.0]]).t.tolist()
    [5.0]
    """

    def __init__(
        self, vertices: npt.ArrayLike, triangles: npt.ArrayLike, *, closed: bool = True
    ) -> None:
        """V × 3 vertices and T × 3 triangles; ``closed``: no ray slips through between two triangles."""
        corners = floats(vertices, "vertices", (None, 3))
        sides = indices(triangles, "triangles", (None, 3))
        self._native = _native.RayScene(corners, sides, truth(closed, "closed"))

    @property
    def triangle_count(self) -> int:
        """Number of triangles."""
        return self._native.triangle_count

    @property
    def memory_bytes(self) -> int:
        """Memory of triangles and tree."""
        return self._native.memory_bytes

    def cast(
        self,
        origins: npt.ArrayLike,
        directions: npt.ArrayLike,
        *,
        t_max: float = np.inf,
        normals: bool = False,
    ) -> Hits:
        """The nearest triangle on each ray.

        ``origins`` are N × 3. ``directions`` are N × 3 for single rays, or N × K × 3 for pulses: K
        nearly parallel rays from one origin, which are traced together and much faster. They need
        not have unit length.
        """
        starts = shaped(origins, "origins", (None, 3))
        starts = plain(starts, np.float32 if starts.dtype == np.float32 else np.float64)
        given = numbers(directions, "directions must be an array of N×3 or N×K×3 numbers")
        shape = given.shape
        if len(shape) == 3:
            rays = int(shape[1])
            ways = floats(given, "directions", (len(starts), rays, 3), np.float32, finite=False)
        else:
            rays = 1
            ways = floats(given, "directions", (len(starts), 3), np.float32, finite=False)
        flat = ways.reshape(-1, 3)
        if rays == 0:
            raise ArgumentError("directions has no rays; give N×3 or N×K×3")
        endless = isinstance(t_max, (float, np.floating)) and t_max == np.inf
        limit = min(np.inf if endless else number(t_max, "t_max", 0.0, above=True), 3.0e38)
        if not len(starts):
            none = np.empty(shape[:-1], dtype=np.float32)
            nowhere = np.empty(shape, dtype=np.float32) if truth(normals, "normals") else None
            return Hits(none, none.astype(np.int32), nowhere)
        t, triangle, normal = self._native.cast(starts, flat, rays, limit, truth(normals, "normals"))
        if len(shape) == 3:
            t, triangle = t.reshape(-1, rays), triangle.reshape(-1, rays)
            normal = None if normal is None else normal.reshape(-1, rays, 3)
        return Hits(t, triangle, normal)

    def __repr__(self) -> str:
        return f"<RayScene of {self.triangle_count} triangles>"
