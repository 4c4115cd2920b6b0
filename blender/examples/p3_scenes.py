"""The scenes of Gschwandtner et al. 2011 (BlenSor), figures 2, 4 and 5, made in Blender by script.

Each function empties the scene, builds it, and gives the camera (or cameras) that are the sensors:

    blender --background --python p3_scenes.py -- mirror mirror.blend

They are the scenes of Understory's scenarios tof-camera, low-reflectivity, mirror, crossing and
near-collision, whose findings are thus held against what is scanned here.
"""

from __future__ import annotations

import math
import sys

import bpy
import numpy as np
from bl_ext.user_default.understory import placement, sensor
from mathutils import Matrix


def empty() -> None:
    """Leaves nothing in the scene."""
    bpy.ops.wm.read_homefile(use_empty=True)


def library(name: str):
    """A material of Understory's library."""
    material = bpy.data.materials.get(f"as {name}") or bpy.data.materials.new(f"as {name}")
    material.understory.kind, material.understory.library = "LIBRARY", name
    material.diffuse_color = (0.5, 0.5, 0.5, 1)
    return material


def diffuse(name: str, reflectance: float):
    """A material that reflects so much."""
    material = bpy.data.materials.new(name)
    material.understory.kind, material.understory.reflectance = "CUSTOM", reflectance
    return material


def mesh(name, vertices, faces, material, position=(0, 0, 0), yaw_deg=0.0):
    """An object of faces."""
    data = bpy.data.meshes.new(name)
    data.from_pydata(vertices, [], faces)
    data.materials.append(material)
    thing = bpy.data.objects.new(name, data)
    thing.location, thing.rotation_euler = position, (0, 0, math.radians(yaw_deg))
    bpy.context.scene.collection.objects.link(thing)
    return thing


def box(name, size, position, material, yaw_deg=0.0):
    """A box that stands on its position."""
    x, y, z = 0.5 * size[0], 0.5 * size[1], size[2]
    corners = [(a * x, b * y, c) for c in (0, z) for b in (-1, 1) for a in (-1, 1)]
    faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return mesh(name, corners, faces, material, position, yaw_deg)


def plane(name, size, material):
    """Level ground."""
    x, y = 0.5 * size[0], 0.5 * size[1]
    return mesh(name, [(-x, -y, 0), (x, -y, 0), (x, y, 0), (-x, y, 0)], [(0, 1, 2, 3)], material)


def round_thing(name, kind, material, position, **keys):
    """A ball or a post of Blender's own."""
    if kind == "ball":
        bpy.ops.mesh.primitive_uv_sphere_add(segments=128, ring_count=64, location=position, **keys)
    else:
        depth = keys["depth"]
        at = (position[0], position[1], position[2] + 0.5 * depth)
        bpy.ops.mesh.primitive_cylinder_add(vertices=128, location=at, **keys)
    thing = bpy.context.object
    thing.name = name
    thing.data.materials.append(material)
    return thing


def camera(name, preset, position, rotation_deg=(0, 0, 0), **changed):
    """A camera that looks along x as a sensor; keys of the preset are changed as ``detector__range_max_m``."""
    thing = bpy.data.objects.new(name, bpy.data.cameras.new(name))
    matrix = placement.matrix_of(position, rotation_deg) @ np.linalg.inv(placement.CAMERA_FROM_SENSOR)
    bpy.context.scene.collection.objects.link(thing)
    thing.matrix_world = Matrix(matrix.tolist())
    bpy.context.scene.camera = thing
    sensor.make(thing, preset)
    thing.understory.use_camera_view = False
    for path, value in changed.items():
        sensor.set_parameter(thing, path.replace("__", "."), value)
    bpy.context.view_layer.update()
    return thing


def time_of_flight():
    """Figure 2a: a room's corner and a corridor beyond half the range of a time-of-flight camera."""
    empty()
    plane("floor", (24, 12), library("wood"))
    box("wall", (4, 0.2, 3), (3, 1.6, 0), library("plaster"))
    box("corner", (0.2, 1.7, 3), (4, 0.85, 0), library("plaster"))
    box("far-wall", (0.2, 8, 3), (9, -2, 0), library("paint-white"))
    round_thing("ball", "ball", library("paint-red"), (2.6, 0.5, 0.3), radius=0.3)
    round_thing("post", "post", library("metal"), (3, -0.4, 0), radius=0.06, depth=2.2)
    box("box", (0.6, 0.6, 0.9), (6.5, -1.2, 0), library("plywood"), 30)
    return camera(
        "camera", "swissranger-sr4000", (0, 0, 1.1), (0, 5, 0), detector__range_min_m=0.0,
        detector__range_max_m=10.0, range_limit__model="none", beam__sampling="single",
    )  # fmt: skip


def low_reflectivity():
    """Figure 2b: panels of 5, 10, 25 and 80 % at 40 to 80 m."""
    empty()
    plane("road", (260, 120), library("asphalt"))
    places = {
        0.05: [((40, 15), 0), ((44.1, 23.5), 60), ((65.9, 45.3), 0)],
        0.10: [((40, 5), 0), ((48.5, 12.1), 30), ((79.9, 3.1), 0)],
        0.25: [((40, -5), 0), ((63.1, -15.7), -30), ((79.9, -3.1), 0)],
        0.80: [((40, -15), 0), ((57.4, -30.5), -60), ((65.9, -45.3), 0)],
    }
    for reflectance, panels in places.items():
        material = diffuse(f"panel {reflectance:.2f}", reflectance)
        for number, ((x, y), yaw) in enumerate(panels, start=1):
            box(f"panel of {100 * reflectance:.0f} % {number}", (0.1, 4, 4), (x, y, 0), material, yaw)
    return camera("hdl-64e", "hdl-64e-blensor", (0, 0, 2))


def mirror():
    """Figure 2c: a mirror on a wall shows a car and a ball that stand before it."""
    empty()
    plane("road", (60, 60), library("asphalt"))
    box("building wall", (0.3, 20, 4), (10, 0, 0), library("plaster"))
    silver = bpy.data.materials.new("silver")
    if silver.node_tree is None:
        silver.use_nodes = True
    shader = next(n for n in silver.node_tree.nodes if n.bl_idname == "ShaderNodeBsdfPrincipled")
    shader.inputs["Base Color"].default_value = (0.95, 0.95, 0.95, 1)
    shader.inputs["Metallic"].default_value, shader.inputs["Roughness"].default_value = 1.0, 0.0
    box("mirror", (0.02, 4, 2.4), (9.83, 2, 0.4), silver)
    box("shop window", (0.02, 4, 2.4), (6, -6, 0.4), library("glass"))
    box("traffic-sign", (0.02, 0.8, 0.8), (8, -1.8, 1.9), library("retro-sheeting"))
    round_thing("pole of the sign", "post", library("metal"), (8.03, -1.8, 0), radius=0.03, depth=2.2)
    box("car body", (4.2, 1.8, 0.7), (4, 4, 0.3), library("paint-red"), 20)
    box("car cabin", (2.2, 1.6, 0.6), (3.9, 3.95, 1.0), library("paint-red"), 20)
    round_thing("ball", "ball", library("target-80"), (5, 1.2, 0.5), radius=0.5)
    return camera("hdl-64e", "hdl-64e-blensor", (0, 0, 1.8))


def car(name, position, yaw_deg, paint):
    """A car of two boxes in one mesh, x forward, on the ground."""
    parts = [((4.4, 1.8, 0.75), (0, 0, 0.3)), ((2.3, 1.6, 0.55), (-0.2, 0, 1.05))]
    vertices, faces = [], []
    for (x, y, z), (px, py, pz) in parts:
        first = len(vertices)
        vertices += [
            (px + a * 0.5 * x, py + b * 0.5 * y, pz + c) for c in (0, z) for b in (-1, 1) for a in (-1, 1)
        ]
        own = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
        faces += [tuple(first + k for k in face) for face in own]
    return mesh(name, vertices, faces, library(paint), position, yaw_deg)


def crossing():
    """Figure 4: a crossing with four cars, of which the nearest carries the sensor."""
    empty()
    plane("road", (120, 120), library("asphalt"))
    for number, (x, y) in enumerate([(36, 25), (36, -25), (-14, 25), (-14, -25)]):
        box(f"sidewalk {number}", (40, 40, 0.12), (x, y, 0), library("concrete"))
        side = -6 if x > 0 else 6
        box(f"building {number}", (18, 14, 9), (x + side, y - math.copysign(7, y), 0), library("brick"))
    for number, (place, yaw) in enumerate([((0, -2), 0), ((22, 2.2), 180), ((9, 11), -90), ((13, -8), 95)], start=1):
        car(f"car {number}", (*place, 0), yaw, "paint-white")
    for x in (5.4, 16.6):
        for y in (-5.6, 5.6):
            round_thing(f"pole {x} {y}", "post", library("metal"), (x, y, 0.12), radius=0.07, depth=3.2)
    return camera("hdl-64e", "hdl-64e-blensor", (0, -2, 1.9))


def _heights(count: int, spacing_m: float, seed: int = 11) -> np.ndarray:
    """Rough ground like an acre: waves of many lengths, 25 cm long ones and 3 cm short ones."""
    rng = np.random.default_rng(seed)
    frequency = np.fft.fftfreq(count, spacing_m)
    radius = np.hypot(frequency[:, None], np.fft.rfftfreq(count, spacing_m)[None, :])
    found = np.zeros((count, count))
    for rms_m, longest_m, hurst in ((0.25, 20.0, 0.8), (0.03, 1.5, 0.5)):
        amplitude = np.where(radius >= 1 / longest_m, np.maximum(radius, 1e-9) ** -(hurst + 1), 0.0)
        phases = np.exp(2j * np.pi * rng.random(radius.shape))
        waves = np.fft.irfft2(amplitude * phases, s=(count, count))
        found += waves * rms_m / waves.std()
    return found


def acre(count: int = 487, spacing_m: float = 0.125):
    """Figure 5: two cars nearly collide on ground of 237 169 vertices; a displaced plane, as in the paper.

    Gives the cameras of the Velodyne, of the Ibeo LUX and of the time-of-flight camera.
    """
    empty()
    scene = bpy.context.scene
    heights = _heights(count, spacing_m)
    axis = (np.arange(count) - 0.5 * (count - 1)) * spacing_m
    x, y = np.meshgrid(axis, axis)
    vertices = np.stack([x, y, heights], axis=-1).reshape(-1, 3)
    k = (np.arange(count - 1)[:, None] * count + np.arange(count - 1)[None, :]).ravel()
    faces = np.stack([k, k + 1, k + count + 1, k + count], axis=1)
    data = bpy.data.meshes.new("terrain acre")
    data.from_pydata(vertices.tolist(), [], faces.tolist())
    data.materials.append(library("soil"))
    scene.collection.objects.link(bpy.data.objects.new("terrain acre", data))

    def ground(px, py):
        return float(heights[int(round((py - axis[0]) / spacing_m)), int(round((px - axis[0]) / spacing_m))])

    scene.render.fps = 25
    for name, paint, way in (
        ("car red", "paint-red", {1: ((14, 4.0), -95), 2: ((13.95, 3.72), -97), 3: ((13.9, 3.44), -99)}),
        ("car white", "paint-white", {1: ((17.6, 0.6), 180), 2: ((17.5, 0.6), 180), 3: ((17.4, 0.6), 180)}),
    ):
        thing = car(name, (0, 0, 0), 0, paint)
        for frame, ((px, py), yaw) in way.items():
            thing.location, thing.rotation_euler = (px, py, ground(px, py)), (0, 0, math.radians(yaw))
            thing.keyframe_insert("location", frame=frame)
            thing.keyframe_insert("rotation_euler", frame=frame)
    for number, py in enumerate((-10, -7, -4)):
        round_thing(f"pole {number}", "post", library("wood"), (18, py, -0.5), radius=0.08, depth=4)
    # 40 ms are one frame at 25 frames a second.
    scene.understory.span, scene.understory.frame_first, scene.understory.frame_last = "RANGE", 1, 1
    return (
        camera("velodyne", "hdl-64e-s2", (0, 0, 2.2)),
        camera("ibeo-lux", "ibeo-lux", (0, 0, 1.0)),
        camera(
            "time-of-flight", "pmd-camcube", (0, 0, 2.2), detector__range_max_m=30.0, range_limit__model="none",
            range_error__ambiguity_m=100.0,
        ),
    )  # fmt: skip


SCENES = {
    "time-of-flight": time_of_flight,
    "low-reflectivity": low_reflectivity,
    "mirror": mirror,
    "crossing": crossing,
    "acre": acre,
}


def main() -> None:
    """Builds one and saves it as a .blend file."""
    name, path = sys.argv[sys.argv.index("--") + 1 :][:2]
    SCENES[name]()
    bpy.ops.wm.save_as_mainfile(filepath=path)


if __name__ == "__main__":
    main()
