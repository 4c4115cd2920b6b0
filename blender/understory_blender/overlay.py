"""The scan pattern of a sensor, drawn over the viewport.

The beams are those of the sensor itself: one scan of it where nothing is, thinned to what an eye can tell.
"""

from __future__ import annotations

import bpy
import numpy as np

import understory

from . import placement, sensor
from .refusal import Refusal

#: So many beams are drawn at most.
LINES_MAX = 3000
#: Their length in Blender's units.
_LENGTH = 2.0

_handler = None
#: Directions in the sensor's frame by preset and changed keys.
_known: dict[str, np.ndarray] = {}


def directions(described: understory.Sensor, lines_max: int = LINES_MAX) -> np.ndarray:
    """Directions of one scan in the sensor's frame, N × 3."""
    key = repr(described.table())
    if key not in _known:
        # Something far behind all ranges, because a world must have something.
        world = understory.World().add_object("far", "box", size_m=[1, 1, 1], position_m=[0, 0, -1e7])
        scenario = understory.Scenario.build(world, described, duration_s=described.scan_duration_s)
        simulation = understory.Simulation(scenario, progress=False)
        found = simulation.run(progress=False).direction_xyz
        step = max(1, -(-len(found) // lines_max))
        # A step that shares no divisor with the number of channels meets all of them.
        while step > 1 and np.gcd(step, max(described.channels, 1)) != 1:
            step += 1
        if len(_known) > 64:
            _known.clear()
        _known[key] = np.array(found[::step], np.float32)
    return _known[key]


def lines(thing, length: float = _LENGTH) -> np.ndarray:
    """Both ends of each beam in the world, 2 N × 3."""
    ways = directions(sensor.sensor_of(thing)).astype(np.float64)
    matrix = placement.world_from_sensor(np.array(thing.matrix_world), thing.type == "CAMERA")
    turn = matrix[:3, :3] / np.linalg.norm(matrix[:3, :3], axis=0)
    ends = np.empty((2 * len(ways), 3), np.float32)
    ends[0::2] = matrix[:3, 3]
    ends[1::2] = matrix[:3, 3] + length * (ways @ turn.T)
    return ends


def _draw() -> None:
    import gpu
    from gpu_extras.batch import batch_for_shader

    thing = bpy.context.object
    if not sensor.is_possible(thing) or not thing.understory.is_sensor or not thing.understory.show_pattern:
        return
    try:
        ends = lines(thing)
    except (Refusal, understory.UnderstoryError):
        return
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    gpu.state.blend_set("ALPHA")
    shader.uniform_float("color", (0.9, 0.25, 0.1, 0.35))
    batch_for_shader(shader, "LINES", {"pos": ends}).draw(shader)
    gpu.state.blend_set("NONE")


def register() -> None:
    """Draws from now on; nothing is drawn without a window."""
    global _handler
    if not bpy.app.background and _handler is None:
        _handler = bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW")


def unregister() -> None:
    """Draws no more."""
    global _handler
    if _handler is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handler, "WINDOW")
        _handler = None
