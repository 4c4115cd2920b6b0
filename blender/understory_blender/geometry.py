"""An evaluated object → triangles.

What enters: an object of the evaluated depsgraph, with all its modifiers applied. What leaves: a
:class:`Shape` in the object's own frame and in metres, or none where it has no surface. Curves, texts,
surfaces and metaballs become what Blender meshes them to; hair becomes ribbons.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .ribbons import ribbons

#: Objects that have a surface.
KINDS = {"MESH", "CURVE", "SURFACE", "FONT", "META", "CURVES"}

#: Of hair that says nothing of its own, in Blender's units.
_HAIR_RADIUS = 0.01


@dataclass
class Shape:
    """Triangles with the materials that they have in Blender."""

    vertices: np.ndarray
    triangles: np.ndarray
    #: Number of the slot of each triangle.
    slots: np.ndarray
    #: The materials of the slots, or none.
    materials: list
    #: Image coordinates of the middle of each triangle by the name of the map; the active one is "".
    uv: dict[str, np.ndarray] = field(default_factory=dict)
    #: Whether every edge has two faces, so that it holds something.
    closed: bool = False
    #: Thin strips through which light passes between triangles.
    exact_edges: bool = False
    left_out: int = 0


def shape_of(instance, metres_per_unit: float, with_uv: bool = True) -> Shape | None:
    """The triangles of an object of the evaluated depsgraph."""
    if instance.type == "CURVES":
        return _hair_curves(instance, metres_per_unit)
    mesh = instance.to_mesh()
    if mesh is None:
        return None
    try:
        return _of_mesh(instance, mesh, metres_per_unit, with_uv)
    finally:
        instance.to_mesh_clear()


def _of_mesh(instance, mesh, metres_per_unit: float, with_uv: bool) -> Shape | None:
    mesh.calc_loop_triangles()
    count = len(mesh.loop_triangles)
    if count == 0:
        return None
    vertices = np.empty(len(mesh.vertices) * 3, np.float32)
    mesh.vertices.foreach_get("co", vertices)
    triangles = np.empty(count * 3, np.int32)
    mesh.loop_triangles.foreach_get("vertices", triangles)
    slots = np.empty(count, np.int32)
    mesh.loop_triangles.foreach_get("material_index", slots)
    shape = Shape(
        vertices.reshape(-1, 3).astype(np.float64) * metres_per_unit,
        triangles.reshape(-1, 3).astype(np.uint32),
        slots,
        _materials(instance, mesh),
    )
    if with_uv and mesh.uv_layers:
        loops = np.empty(count * 3, np.int32)
        mesh.loop_triangles.foreach_get("loops", loops)
        for layer in mesh.uv_layers:
            flat = np.empty(len(mesh.loops) * 2, np.float32)
            layer.uv.foreach_get("vector", flat)
            middle = flat.reshape(-1, 2)[loops].reshape(count, 3, 2).mean(axis=1)
            shape.uv[layer.name] = middle
            if layer.active_render or "" not in shape.uv:
                shape.uv[""] = middle
    _leave_out_broken(shape)
    if len(shape.triangles) == 0:
        return None
    shape.closed = is_closed(shape.triangles)
    return shape


def _materials(instance, mesh) -> list:
    """The materials of the slots: what geometry nodes have set stands in the mesh."""
    found = list(mesh.materials)
    for number, slot in enumerate(getattr(instance, "material_slots", [])):
        if number >= len(found):
            found.append(slot.material)
        elif slot.link == "OBJECT":
            found[number] = slot.material
    return found or [None]


def _leave_out_broken(shape: Shape) -> None:
    """Leaves out triangles of vertices that are no numbers."""
    finite = np.isfinite(shape.vertices).all(axis=1)
    if finite.all():
        return
    kept = finite[shape.triangles].all(axis=1)
    shape.left_out = int((~kept).sum())
    shape.vertices = np.where(finite[:, None], shape.vertices, 0.0)
    shape.triangles, shape.slots = shape.triangles[kept], shape.slots[kept]
    shape.uv = {name: uv[kept] for name, uv in shape.uv.items()}


def is_closed(triangles: np.ndarray) -> bool:
    """Whether every edge belongs to two triangles, once in each direction."""
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    edges = edges.astype(np.int64)
    count = int(edges.max()) + 1
    there, back = edges[:, 0] * count + edges[:, 1], edges[:, 1] * count + edges[:, 0]
    there.sort(), back.sort()
    return bool((there == back).all() and (np.diff(there) > 0).all())


def _hair_curves(instance, metres_per_unit: float) -> Shape | None:
    curves = instance.data
    points = np.empty(len(curves.points) * 3, np.float32)
    if not len(points):
        return None
    curves.attributes["position"].data.foreach_get("vector", points)
    lengths = np.array([curve.points_length for curve in curves.curves], np.int64)
    radii = np.full(len(points) // 3, _HAIR_RADIUS, np.float32)
    radius = curves.attributes.get("radius")
    if radius is not None and radius.domain == "POINT":
        radius.data.foreach_get("value", radii)
    return _of_strands(points.reshape(-1, 3), radii, lengths, list(curves.materials), metres_per_unit)


def _of_strands(points, radii, lengths, materials, metres_per_unit: float) -> Shape | None:
    vertices, triangles, _ = ribbons(points, radii, lengths)
    if not len(triangles) or not np.isfinite(vertices).all():
        return None
    slots = np.zeros(len(triangles), np.int32)
    shape = Shape(vertices * metres_per_unit, triangles, slots, materials or [None])
    shape.exact_edges = True
    return shape


def particle_hair(instance, metres_per_unit: float) -> list[tuple[str, Shape]]:
    """The hair of an object's particle systems, with the name of each, in the object's frame."""
    found: list[tuple[str, Shape]] = []
    systems = list(getattr(instance, "particle_systems", []))
    matrix = np.array(instance.matrix_world, dtype=np.float64)
    if not systems or abs(np.linalg.det(matrix)) < 1e-30:
        return found
    into = np.linalg.inv(matrix)
    for system in systems:
        settings = system.settings
        if settings.type != "HAIR" or settings.render_type != "PATH":
            continue
        parents = len(system.particles)
        children = range(parents, parents + len(system.child_particles))
        strands = [*(range(parents) if not children or settings.use_parent_particles else ()), *children]
        steps = 2**settings.display_step + 1
        points = [
            system.co_hair(object=instance, particle_no=strand, step=step)
            for strand in strands
            for step in range(steps)
        ]
        if not points:
            continue
        world = np.array(points, dtype=np.float64).reshape(-1, 3)
        share = np.tile(np.linspace(0, 1, steps), len(strands))
        root, tip = settings.root_radius, settings.tip_radius
        radii = (root + (tip - root) * share) * settings.radius_scale
        own = world @ into[:3, :3].T + into[:3, 3]
        slot = min(settings.material, max(len(instance.material_slots), 1)) - 1
        slots = instance.material_slots
        material = slots[slot].material if 0 <= slot < len(slots) else None
        lengths = np.full(len(strands), steps)
        shape = _of_strands(own, radii, lengths, [material], metres_per_unit)
        if shape is not None:
            found.append((system.name, shape))
    return found
