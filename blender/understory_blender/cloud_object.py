"""A cloud of the package ↔ an object of Blender.

Measured points stand where the sensor says; clean ones at the true range along the same beam, as BlenSor has
them. Every column of a return is an attribute. Pulses without a return are in the cloud alone, which is kept
beside the scene (:func:`cloud_of`) until Blender is closed.
"""

from __future__ import annotations

import bpy
import numpy as np
from bpy.app.handlers import persistent

import understory

from . import colouring
from .job import Steps
from .refusal import Refusal
from .scene import RESULT

#: Column → attribute of whole numbers.
_WHOLE = (
    "label", "object", "material", "return_number", "return_count", "channel", "scan", "column", "sensor",
    "sub_ray_hits",
)  # fmt: skip
#: Column → attribute of numbers.
_NUMBERS = (
    "range_m", "true_range_m", "intensity", "incidence_deg", "range_spread_m", "azimuth_deg", "elevation_deg",
)  # fmt: skip

#: Clouds with all their rows, by the names of their objects.
_CLOUDS: dict[str, understory.Cloud] = {}

_INT32_MAX = 2**31 - 1


def attributes(cloud: understory.Cloud, metres: float, points: np.ndarray) -> dict[str, np.ndarray]:
    """The attributes of returns, as Blender holds them."""
    found: dict[str, np.ndarray] = {}
    for name in _NUMBERS:
        found[name] = np.ascontiguousarray(cloud[name], np.float32)
    for name in _WHOLE:
        found[name] = whole(cloud[name])
    found["time_s"] = cloud.time_s.astype(np.float32)
    found["height_m"] = (points[:, 2] * metres).astype(np.float32)
    found["range_error_m"] = (cloud.range_m - cloud.true_range_m).astype(np.float32)
    found["true_position"] = (cloud.true_xyz_m / metres).astype(np.float32)
    found["velocity_m_s"] = np.ascontiguousarray(cloud.velocity_xyz_m_s, np.float32)
    srgb = cloud.colour_rgb.astype(np.float32) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    found["colour"] = np.concatenate([linear, np.ones((len(srgb), 1), np.float32)], axis=1).astype(np.float32)
    return found


def whole(values: np.ndarray) -> np.ndarray:
    """Whole numbers from 0 on as Blender holds them; larger ones become the largest."""
    if values.dtype.itemsize >= 4:
        values = np.minimum(values, values.dtype.type(_INT32_MAX))
    return values.astype(np.int32)


def clean_points(cloud: understory.Cloud) -> np.ndarray:
    """Points at the true range along the beam that the sensor reports, in metres."""
    return cloud.origin_xyz_m + cloud.direction_xyz.astype(np.float64) * cloud.true_range_m[:, None]


def insert(context, name: str, cloud: understory.Cloud, *, clean: bool, radius_m: float, colour_by: str) -> Steps:
    """Puts the returns of a cloud into the scene; gives the object."""
    metres = context.scene.unit_settings.scale_length or 1.0
    returns = cloud if cloud.return_number.all() else cloud.returns()
    points = (clean_points(returns) if clean else returns.world_xyz_m) / metres
    finite = np.isfinite(points).all(axis=1)
    if not finite.all():
        returns, points = returns[finite], points[finite]
    yield "making points", 0.0
    mesh = bpy.data.meshes.new(name)
    try:
        mesh.vertices.add(len(points))
        mesh.vertices.foreach_set("co", np.ascontiguousarray(points, np.float32).ravel())
        yield "making points", 0.2
        values = attributes(returns, metres, points)
        values["radius"] = np.full(len(points), radius_m / metres, np.float32)
        for number, (attribute, array) in enumerate(values.items()):
            _set(mesh, attribute, array)
            yield "making points", 0.2 + 0.7 * (number + 1) / len(values)
    except BaseException:
        bpy.data.meshes.remove(mesh)
        raise
    made = bpy.data.objects.new(name, mesh)
    made[RESULT] = "clean" if clean else "measured"
    context.scene.collection.objects.link(made)
    as_point_cloud(context, made)
    made.understory_shown.colour_by = colour_by
    colouring.apply(made)
    made.hide_render = False
    _CLOUDS[made.name] = cloud
    return made


def _set(mesh, name: str, array: np.ndarray) -> None:
    if array.ndim == 1:
        kind = "INT" if array.dtype.kind == "i" else "FLOAT"
        mesh.attributes.new(name, kind, "POINT").data.foreach_set("value", array)
    elif array.shape[1] == 4:
        mesh.attributes.new(name, "FLOAT_COLOR", "POINT").data.foreach_set("color", array.ravel())
    else:
        mesh.attributes.new(name, "FLOAT_VECTOR", "POINT").data.foreach_set("vector", array.ravel())


def as_point_cloud(context, made) -> None:
    """Makes a point cloud of a mesh of points; older Blenders than 4.5 or so cannot, and there the mesh remains
    and nodes show its points."""
    chosen = [thing for thing in context.view_layer.objects if thing.select_get()]
    active = context.view_layer.objects.active
    for thing in chosen:
        thing.select_set(False)
    made.select_set(True)
    context.view_layer.objects.active = made
    mesh = made.data
    try:
        bpy.ops.object.convert(target="POINTCLOUD")
    except (RuntimeError, TypeError):
        made.modifiers.new("Points", "NODES").node_group = _points_group()
    finally:
        made.select_set(False)
        for thing in chosen:
            thing.select_set(True)
        context.view_layer.objects.active = active
    if made.data is not mesh and mesh.users == 0:
        bpy.data.meshes.remove(mesh)


def _points_group():
    """Nodes that show the vertices of a mesh as points with their radius and the mesh's material."""
    name = "Understory points"
    if name in bpy.data.node_groups:
        return bpy.data.node_groups[name]
    group = bpy.data.node_groups.new(name, "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    nodes = group.nodes
    source, target = nodes.new("NodeGroupInput"), nodes.new("NodeGroupOutput")
    points, radius = nodes.new("GeometryNodeMeshToPoints"), nodes.new("GeometryNodeInputNamedAttribute")
    radius.inputs["Name"].default_value = "radius"
    group.links.new(source.outputs[0], points.inputs["Mesh"])
    group.links.new(radius.outputs["Attribute"], points.inputs["Radius"])
    group.links.new(points.outputs[0], target.inputs[0])
    return group


def cloud_of(made) -> understory.Cloud:
    """The cloud of a result: with all rows while Blender runs, of its attributes after that."""
    if made is None or RESULT not in made:
        name = "nothing" if made is None else repr(made.name)
        raise Refusal(f"{name} is active, which is no scan; choose the points of one")
    data = made.data
    count = len(data.attributes["position"].data)
    kept = _CLOUDS.get(made.name)
    if kept is not None and int((kept.return_number > 0).sum()) == count:
        return kept
    columns: dict[str, np.ndarray] = {}
    for name in (*_NUMBERS, *_WHOLE, "time_s"):
        found = data.attributes.get(name)
        if found is not None:
            values = np.empty(count, np.int32 if found.data_type == "INT" else np.float32)
            found.data.foreach_get("value", values)
            columns[name] = values
    flat = np.empty(count * 3, np.float32)
    data.attributes["position"].data.foreach_get("vector", flat)
    metres = bpy.context.scene.unit_settings.scale_length or 1.0
    columns["world_xyz_m"] = flat.reshape(-1, 3).astype(np.float64) * metres
    return understory.Cloud(columns)


def points_of(made) -> np.ndarray:
    """The places of a result's points in Blender."""
    flat = np.empty(len(made.data.attributes["position"].data) * 3, np.float32)
    made.data.attributes["position"].data.foreach_get("vector", flat)
    return flat.reshape(-1, 3)


def attribute_of(made, name: str) -> np.ndarray:
    """The values of an attribute of a result."""
    found = made.data.attributes[name]
    if found.data_type == "FLOAT_VECTOR":
        values = np.empty(len(found.data) * 3, np.float32)
        found.data.foreach_get("vector", values)
        return values.reshape(-1, 3)
    values = np.empty(len(found.data), np.int32 if found.data_type == "INT" else np.float32)
    found.data.foreach_get("value", values)
    return values


@persistent
def _forget(*_) -> None:
    """Another file has other objects of the same names."""
    _CLOUDS.clear()


def register() -> None:
    """Forgets clouds when another file is opened."""
    bpy.app.handlers.load_pre.append(_forget)


def unregister() -> None:
    """And at the end."""
    if _forget in bpy.app.handlers.load_pre:
        bpy.app.handlers.load_pre.remove(_forget)
    _CLOUDS.clear()
