"""Files: scans and scenarios out of Blender, recordings, sites and scenarios into it."""

from __future__ import annotations

import os
import tempfile
import tomllib

import bpy
import numpy as np
from mathutils import Matrix

import understory

from . import cloud_object, colouring, placement, scan, sensor
from .job import Job, Steps, Stop, in_thread
from .refusal import Refusal
from .scene import RESULT


def save_scan(made, path: str) -> list[str]:
    """Writes a scan that lies in the scene; the ending is the format. Gives what the format cannot hold."""
    return cloud_object.cloud_of(made).save(bpy.path.abspath(path))


def export_steps(context, thing, path: str, stop: Stop) -> Steps:
    """Writes the scene and its sensor as a pack (``.understory``) or as a folder with a scenario."""
    prepared = yield from scan.prepare_steps(context, thing, stop)
    yield from in_thread(lambda: prepared.scenario.save(path), stop)
    return prepared


def motion_steps(context, path: str, names: list[str], stop: Stop) -> Steps:
    """Writes how objects move over the range of frames: all that move, or those of these names."""
    settings = context.scene.understory
    if settings.span != "RANGE":
        raise Refusal("objects move in a range of frames; choose one under Frames")
    prepared = yield from scan.prepare_world_steps(context, "RANGE")
    of_names = [own for own, source in prepared.built.sources.items() if source in names]
    if names and not of_names:
        raise Refusal("none of the selected objects has a surface that sensors see; select others")

    def write():
        simulation = understory.Simulation(prepared.scenario, progress=stop.progress)
        patterns = [_as_pattern(name) for name in of_names]
        return simulation.write_motion(path, objects=patterns)

    yield from in_thread(write, stop)
    return prepared


def _as_pattern(name: str) -> str:
    """A name in which no letter is taken for a sign."""
    return name.replace("*", "?")


def import_recording_steps(context, path: str, stop: Stop) -> Steps:
    """Puts the points of a recording into the scene; gives the object."""
    cloud = yield from in_thread(lambda: understory.read(path, progress=stop.progress), stop)
    if not (cloud.return_number > 0).any():
        raise Refusal(f"{path}: no pulse of the recording returned; there are no points to show")
    settings = context.scene.understory
    name = os.path.basename(os.path.normpath(path))
    return (
        yield from cloud_object.insert(
            context, name, cloud, clean=False, radius_m=settings.point_radius_m, colour_by="height_m"
        )
    )


def import_site(context, path: str) -> list:
    """A learned site: its volumes as ellipsoids that are instances of one sphere, and its surface as a mesh."""
    site = understory.Site(path)
    metres = context.scene.unit_settings.scale_length or 1.0
    name = os.path.splitext(os.path.basename(path))[0]
    made = []
    surface = site.surface()
    if surface is not None:
        vertices, triangles = surface
        mesh = bpy.data.meshes.new(f"{name} surface")
        mesh.from_pydata((np.asarray(vertices) / metres).tolist(), [], np.asarray(triangles).tolist())
        made.append(_linked(context, f"{name} surface", mesh))
    columns = site.volumes()
    if len(columns["mean_xyz_m"]):
        made.append(_volumes(context, name, columns, metres))
    return made


def _volumes(context, name: str, columns: dict[str, np.ndarray], metres: float):
    means = np.asarray(columns["mean_xyz_m"], dtype=np.float64)
    mesh = bpy.data.meshes.new(f"{name} volumes")
    mesh.vertices.add(len(means))
    mesh.vertices.foreach_set("co", np.ascontiguousarray(means / metres, np.float32).ravel())
    for column, values in columns.items():
        values = np.asarray(values)
        if values.ndim == 1 and values.dtype.kind in "iuf":
            kind = "INT" if values.dtype.kind in "iu" else "FLOAT"
            plain = cloud_object.whole(values) if kind == "INT" else values.astype(np.float32)
            mesh.attributes.new(column, kind, "POINT").data.foreach_set("value", plain)
    made = _linked(context, f"{name} volumes", mesh)
    made[RESULT] = "site"
    cloud_object.as_point_cloud(context, made)
    colouring.apply(made)
    return made


def _linked(context, name: str, mesh):
    made = bpy.data.objects.new(name, mesh)
    context.scene.collection.objects.link(made)
    return made


def import_scenario_steps(context, path: str, stop: Stop) -> Steps:
    """A scenario's world as meshes with labels, and its sensors as empties at their places at the start."""
    scenario = understory.Scenario(path)

    def export(folder: str):
        simulation = understory.Simulation(scenario, progress=stop.progress)
        return simulation.export(os.path.join(folder, "world.glb"))

    before = set(bpy.data.objects)
    with tempfile.TemporaryDirectory() as folder:
        done = yield from in_thread(lambda: export(folder), stop)
        _enable_gltf()
        bpy.ops.import_scene.gltf(filepath=done["files"][0])
    made = [thing for thing in bpy.data.objects if thing not in before]
    metres = context.scene.unit_settings.scale_length or 1.0
    for thing in made:
        if thing.parent is None:
            thing.location = (np.array(thing.location) + done["offset_m"]) / metres
            thing.scale = np.array(thing.scale) / metres
    return made + _sensors(context, scenario, metres)


def _enable_gltf() -> None:
    if not hasattr(bpy.types, "IMPORT_SCENE_OT_gltf"):
        import addon_utils

        addon_utils.enable("io_scene_gltf2")
    if not hasattr(bpy.types, "IMPORT_SCENE_OT_gltf"):
        raise Refusal("Blender's glTF add-on is missing; enable it in the preferences")


def _sensors(context, scenario: understory.Scenario, metres: float) -> list:
    made = []
    platform = scenario.platform_pose(0.0)
    tables = tomllib.loads(scenario.toml).get("sensor", []) if scenario.toml else []
    for table in tables:
        empty = bpy.data.objects.new(table["name"], None)
        empty.empty_display_type = "ARROWS"
        context.scene.collection.objects.link(empty)
        mount = placement.matrix_of(table.get("position_m", [0, 0, 0]), table.get("rotation_deg", [0, 0, 0]))
        matrix = platform @ mount
        matrix[:3, 3] /= metres
        empty.matrix_world = Matrix(matrix.tolist())
        if "preset" in table:
            sensor.make(empty, table["preset"])
            for path, value in _flat(table.get("override", {})).items():
                sensor.set_parameter(empty, path, value)
        made.append(empty)
    return made


def _flat(table: dict, prefix: str = "") -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in table.items():
        if isinstance(value, dict):
            found.update(_flat(value, f"{prefix}{key}."))
        else:
            found[f"{prefix}{key}"] = value
    return found


def finish(steps) -> object:
    """Does steps to their end: for scripts."""
    return Job(steps).finish()
