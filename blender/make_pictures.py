"""Pictures of docs/blender.md: scans that lie in the scene, rendered by Cycles.

    UNDERSTORY_EXTENSION=… python make_pictures.py docs/images

What is scanned is shown as grey matter, so that the points stand out of it.
"""

from __future__ import annotations

import math
import os
import sys
import tempfile
from pathlib import Path

FOLDER = tempfile.TemporaryDirectory(prefix="understory-blender-")
os.environ["BLENDER_USER_RESOURCES"] = FOLDER.name

import bpy  # noqa: E402

bpy.ops.extensions.package_install_files(
    filepath=os.environ["UNDERSTORY_EXTENSION"], repo="user_default", enable_on_install=True, overwrite=True
)
sys.path.append(str(Path(__file__).parent / "examples"))

import labelled_scenes  # noqa: E402
import p3_scenes  # noqa: E402
from bl_ext.user_default.understory import scan, sensor  # noqa: E402
from mathutils import Vector  # noqa: E402


def view(eye, target, angle_deg=45):
    """Another camera, which only looks."""
    camera = bpy.data.objects.new("view", bpy.data.cameras.new("view"))
    bpy.context.scene.collection.objects.link(camera)
    camera.location = eye
    camera.rotation_euler = (Vector(target) - Vector(eye)).to_track_quat("-Z", "Y").to_euler()
    camera.data.angle = math.radians(angle_deg)
    camera.data.clip_end = 1000
    bpy.context.scene.camera = camera


def render(path: Path, width=800, height=450, samples=12):
    """Renders by Cycles on the processor."""
    scene = bpy.context.scene
    grey = bpy.data.materials.new("grey matter")
    if grey.node_tree is None:
        grey.use_nodes = True
    shader = next(n for n in grey.node_tree.nodes if n.bl_idname == "ShaderNodeBsdfPrincipled")
    shader.inputs["Base Color"].default_value = (0.16, 0.17, 0.19, 1)
    shader.inputs["Roughness"].default_value = 1
    for thing in scene.objects:
        if thing.type == "MESH" and "understory_result" not in thing:
            thing.data.materials.clear()
            thing.data.materials.append(grey)
    world = bpy.data.worlds.new("sky")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.32, 0.36, 0.42, 1)
    world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.6
    scene.world = world
    scene.render.engine, scene.cycles.device, scene.cycles.samples = "CYCLES", "CPU", samples
    scene.cycles.max_bounces, scene.cycles.use_denoising = 2, False
    scene.view_settings.view_transform = "Standard"
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = width, height, 100
    scene.render.image_settings.file_format, scene.render.image_settings.quality = "JPEG", 85
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)


def crossing(folder: Path):
    """Figure 4 by range."""
    camera = p3_scenes.crossing()
    bpy.context.scene.understory.point_radius_m = 0.05
    scan.scan(thing=camera)
    view((-15, -1, 13), (10, 0.5, 0))
    render(folder / "blender-crossing.jpg")


def street(folder: Path):
    """A random street by class."""
    labelled_scenes.street(3)
    camera = bpy.context.scene.camera
    sensor.make(camera, "hdl-64e-s2")
    bpy.context.scene.understory.point_radius_m = 0.045
    bpy.context.scene.understory.colour_by = "label"
    scan.scan(thing=camera)
    view((camera.location.x - 24, -21, 16), (camera.location.x + 2, 2, 1))
    render(folder / "blender-street.jpg")


def mirror(folder: Path):
    """Figure 2c: measured points behind the mirror, and the wall."""
    camera = p3_scenes.mirror()
    bpy.context.scene.understory.point_radius_m = 0.03
    bpy.context.scene.understory.with_noisy, bpy.context.scene.understory.with_clean = False, True
    scan.scan(thing=camera)
    for name in ("building wall", "mirror"):
        bpy.data.objects[name].hide_render = True
    view((2, -13, 9), (11, 2.5, 0.5))
    render(folder / "blender-mirror.jpg")


def acre(folder: Path):
    """Figure 5: 40 ms of an HDL-64E by intensity."""
    cameras = p3_scenes.acre()
    bpy.context.scene.understory.point_radius_m = 0.03
    bpy.context.scene.understory.colour_by = "intensity"
    scan.scan(thing=cameras[0])
    view((-3, -6, 7.5), (13, 1.5, 0))
    render(folder / "blender-acre.jpg")


def main() -> None:
    """Makes those that are named, or all."""
    folder, *names = sys.argv[1:]
    for name in names or ("crossing", "street", "mirror", "acre"):
        globals()[name](Path(folder).resolve())


main()
