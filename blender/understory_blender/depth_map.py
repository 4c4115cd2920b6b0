"""A depth map: the distance that each pixel of a camera sees, as an image of floating-point numbers.

Pixels without a surface have depth 0 and alpha 0. Rays go through the middles of the pixels of the view that
Blender renders, with its shift and its sensor fit.
"""

from __future__ import annotations

import bpy
import numpy as np

import understory

from . import scan
from .job import Steps, Stop, in_thread
from .refusal import Refusal


def rays(scene, camera, width: int, height: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Origins in Blender's units, directions of length 1, and their cosines to the axis, row by row from the top."""
    frame = np.array([list(corner) for corner in camera.data.view_frame(scene=scene)])
    aspect = scene.render.resolution_x / scene.render.resolution_y
    if abs(aspect - width / height) > 1e-6 * aspect and camera.data.type != "ORTHO":
        frame = _fitted(camera.data, width, height)
    # Corners from the upper right, clockwise.
    right_top, right_bottom, left_bottom, left_top = frame
    across = (np.arange(width) + 0.5) / width
    down = (np.arange(height) + 0.5) / height
    at = (
        left_top
        + across[None, :, None] * (right_top - left_top)
        + down[:, None, None] * (left_bottom - left_top)
    ).reshape(-1, 3)
    matrix = np.array(camera.matrix_world, dtype=np.float64)
    turn = matrix[:3, :3] / np.linalg.norm(matrix[:3, :3], axis=0)
    if camera.data.type == "ORTHO":
        at[:, 2] = 0.0
        origins = at @ turn.T + matrix[:3, 3]
        directions = np.broadcast_to(-turn[:, 2], origins.shape).copy()
        return origins, directions, np.ones(len(at))
    if camera.data.type != "PERSP":
        raise Refusal(f"camera {camera.name!r} is panoramic; a depth map needs a perspective or orthographic one")
    length = np.linalg.norm(at, axis=1)
    own = at / length[:, None]
    origins = np.broadcast_to(matrix[:3, 3], own.shape).copy()
    return origins, own @ turn.T, -own[:, 2]


def _fitted(data, width: int, height: int) -> np.ndarray:
    """The view frame for another aspect than that of the render settings."""
    wide = data.sensor_fit == "HORIZONTAL" or (data.sensor_fit == "AUTO" and width >= height)
    half = np.tan(0.5 * data.angle)
    x, y = (half, half * height / width) if wide else (half * width / height, half)
    sx, sy = 2 * data.shift_x * max(x, y), 2 * data.shift_y * max(x, y)
    corners = [(x, y), (x, -y), (-x, -y), (-x, y)]
    return np.array([(cx + sx, cy + sy, -1.0) for cx, cy in corners])


def steps(context, camera, stop: Stop) -> Steps:
    """Makes the image; gives it."""
    scene, settings = context.scene, context.scene.understory
    if camera is None or camera.type != "CAMERA":
        raise Refusal("no camera is chosen: make one active, or the scene's own")
    width, height = settings.depth_width, settings.depth_height
    if width * height > 2**26:
        raise Refusal(f"{width} × {height} pixels are more than 2²⁶; ask for fewer")
    metres = scene.unit_settings.scale_length or 1.0
    shown = camera.evaluated_get(context.evaluated_depsgraph_get())
    origins, directions, cosines = rays(scene, shown, width, height)
    prepared = yield from scan.prepare_world_steps(context, "CURRENT")

    def cast() -> np.ndarray:
        simulation = understory.Simulation(prepared.scenario, progress=stop.progress)
        return simulation.cast_rays(origins * metres, directions)["distance_m"]

    yield "casting rays", 0.5
    depths = yield from in_thread(cast, stop)
    if settings.depth_along_axis:
        depths = depths * cosines
    name = f"{camera.name} depth"
    image = bpy.data.images.new(name, width, height, alpha=True, float_buffer=True, is_data=True)
    image.pixels.foreach_set(pixels(depths, width, height).ravel())
    image.update()
    image.pack()
    return image


def pixels(depths: np.ndarray, width: int, height: int) -> np.ndarray:
    """Depths row by row from the top as Blender's pixels, from the bottom."""
    rows = depths.reshape(height, width)[::-1]
    seen = np.isfinite(rows)
    found = np.zeros((height, width, 4), np.float32)
    found[..., :3] = np.where(seen, rows, 0.0)[..., None]
    found[..., 3] = seen
    return found
