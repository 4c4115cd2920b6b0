"""A labelled data set of random scenes, made without a window.

    blender --background --python labelled_scenes.py -- --scenes 100 --out scenes
    python labelled_scenes.py --scenes 100 --out scenes        # with the module bpy

Each scene is a street with cars, people, trees, poles and houses at random; a camera is an HDL-32E on a mast.
Per scene there is a file of points with the class and the object of each one, and classes.csv counts them. The
same seed gives the same files.
"""

from __future__ import annotations

import argparse
import csv
import math
import random
import sys
from pathlib import Path

import addon_utils
import bpy

#: Where Blender puts extensions that are installed from a file.
EXTENSION = "bl_ext.user_default.understory"


def cylinder(name, radius, depth, x, y, z=0.0):
    """A thing that stands."""
    bpy.ops.mesh.primitive_cylinder_add(vertices=24, radius=radius, depth=depth, location=(x, y, z + depth / 2))
    bpy.context.object.name = name


def box(name, size, x, y, yaw=0.0):
    """A thing with corners."""
    bpy.ops.mesh.primitive_cube_add(size=1, location=(x, y, size[2] / 2), rotation=(0, 0, yaw), scale=size)
    bpy.context.object.name = name


def tree(rng, number, x, y):
    """A trunk and a crown of leaves that are thrown at random."""
    height = rng.uniform(4, 9)
    cylinder(f"trunk {number}", 0.04 * height, 0.5 * height, x, y)
    vertices, faces = [], []
    for leaf in range(600):
        way = [rng.gauss(0, 1) for _ in range(3)]
        size = 0.28 * height * rng.random() ** (1 / 3) / math.hypot(*way)
        centre = (x + size * way[0], y + size * way[1], 0.7 * height + size * way[2])
        corners = [[c + rng.uniform(-0.15, 0.15) for c in centre] for _ in range(3)]
        vertices += corners
        faces.append((3 * leaf, 3 * leaf + 1, 3 * leaf + 2))
    mesh = bpy.data.meshes.new("crown")
    mesh.from_pydata(vertices, [], faces)
    material = bpy.data.materials.get("leaf") or bpy.data.materials.new("leaf")
    mesh.materials.append(material)
    bpy.context.scene.collection.objects.link(bpy.data.objects.new(f"vegetation {number}", mesh))


def street(seed: int) -> None:
    """A random street; names of objects are their classes."""
    rng = random.Random(seed)
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.ops.mesh.primitive_plane_add(size=120)
    bpy.context.object.name = "terrain"
    box("road", (120, rng.uniform(6, 9), 0.02), 0, 0)
    for number in range(rng.randint(3, 8)):
        side = rng.choice((-1, 1))
        box(f"car {number}", (rng.uniform(3.8, 4.8), 1.8, rng.uniform(1.4, 1.8)), rng.uniform(-30, 30), side * 2.5, rng.gauss(0, 0.05))
    for number in range(rng.randint(2, 9)):
        cylinder(f"person {number}", 0.25, rng.uniform(1.5, 1.9), rng.uniform(-20, 20), rng.choice((-1, 1)) * rng.uniform(5, 8))
    for number in range(rng.randint(4, 10)):
        cylinder(f"pole {number}", 0.08, rng.uniform(4, 7), rng.uniform(-40, 40), rng.choice((-1, 1)) * 5.2)
    for number in range(rng.randint(4, 10)):
        tree(rng, number, rng.uniform(-40, 40), rng.choice((-1, 1)) * rng.uniform(8, 14))
    for number in range(rng.randint(2, 6)):
        size = (rng.uniform(8, 16), rng.uniform(8, 12), rng.uniform(5, 12))
        box(f"building {number}", size, rng.uniform(-40, 40), rng.choice((-1, 1)) * rng.uniform(20, 26))
    camera = bpy.data.objects.new("lidar", bpy.data.cameras.new("lidar"))
    camera.location, camera.rotation_euler = (rng.uniform(-10, 10), 0, 2.0), (math.pi / 2, 0, -math.pi / 2)
    bpy.context.scene.collection.objects.link(camera)
    bpy.context.scene.camera = camera


def main(arguments: list[str]) -> None:
    """Makes the data set."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--scenes", type=int, default=100)
    parser.add_argument("--out", type=Path, default=Path("scenes"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--format", default="npy")
    chosen = parser.parse_args(arguments)
    addon_utils.enable(EXTENSION)
    from bl_ext.user_default.understory import labels, scan, sensor

    chosen.out.mkdir(parents=True, exist_ok=True)
    names = {number: name for name, number in labels.CLASSES.items()}
    with open(chosen.out / "classes.csv", "w", newline="") as opened:
        table = csv.writer(opened)
        table.writerow(["scene", "file", "class", "points", "objects"])
        for number in range(chosen.scenes):
            street(chosen.seed + number)
            sensor.make(bpy.context.scene.camera, "hdl-32e")
            bpy.context.scene.understory.seed = chosen.seed + number
            bpy.context.scene.understory.with_noisy = False  # nothing need lie in the scene
            cloud = scan.scan().cloud
            file = chosen.out / f"scene-{number:04}.{chosen.format}"
            cloud.save(file)
            returns = cloud.returns()
            for label in sorted(set(returns.label.tolist())):
                own = returns.label == label
                row = [number, file.name, names.get(label, label), int(own.sum()), len(set(returns.object[own].tolist()))]
                table.writerow(row)
            print(f"{file}: {len(returns)} points")


if __name__ == "__main__":
    main(sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:])
