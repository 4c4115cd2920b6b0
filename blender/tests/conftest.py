"""Blender with the extension installed as a user installs it, and an empty scene for each test."""

from __future__ import annotations

import math
import os
import sys
import tempfile

import pytest

# Before bpy is imported: nothing of the machine's own Blender is read or changed.
_FOLDER = tempfile.TemporaryDirectory(prefix="understory-blender-")
os.environ["BLENDER_USER_RESOURCES"] = _FOLDER.name

import bpy  # noqa: E402


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: only with cargo xtask test --full")


def _install() -> None:
    """Installs the extension, which brings the package that the tests import."""
    path = os.environ.get("UNDERSTORY_EXTENSION")
    if not path:
        raise RuntimeError("UNDERSTORY_EXTENSION names no zip; run cargo xtask test --only blender")
    install = bpy.ops.extensions.package_install_files
    done = install(filepath=path, repo="user_default", enable_on_install=True, overwrite=True)
    assert done == {"FINISHED"}


_install()


@pytest.fixture(scope="session", autouse=True)
def extension():
    """The installed extension, enabled."""
    import bl_ext.user_default.understory as installed

    return installed


@pytest.fixture(autouse=True)
def empty_scene(extension):
    """An empty scene, and the extension still enabled."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=False)
    if not hasattr(bpy.types.Scene, "understory"):
        import addon_utils

        addon_utils.enable("bl_ext.user_default.understory")
    yield


class Maker:
    """Things for scenes."""

    def __init__(self, modules):
        self.sensor = modules

    @staticmethod
    def link(thing):
        bpy.context.scene.collection.objects.link(thing)
        return thing

    def camera(self, preset="vlp-16", location=(0, 0, 1.5), look_deg=(0, 0, 0), name="lidar", **keys):
        """A camera that looks along x, turned by roll, pitch and yaw, as a sensor."""
        from bl_ext.user_default.understory import placement, sensor
        from mathutils import Matrix

        import numpy as np

        camera = self.link(bpy.data.objects.new(name, bpy.data.cameras.new(name)))
        matrix = placement.matrix_of(location, look_deg) @ np.linalg.inv(placement.CAMERA_FROM_SENSOR)
        camera.matrix_world = Matrix(matrix.tolist())
        bpy.context.scene.camera = camera
        bpy.context.view_layer.update()
        if preset:
            sensor.make(camera, preset)
            for path, value in keys.items():
                sensor.set_parameter(camera, path.replace("__", "."), value)
        return camera

    def mesh(self, name, vertices, faces, material=None):
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata(vertices, [], faces)
        thing = self.link(bpy.data.objects.new(name, mesh))
        if material is not None:
            mesh.materials.append(material)
        return thing

    def box(self, name, size, position, yaw_deg=0.0, material=None):
        """A box that stands on its position, as those of scenarios do."""
        x, y, z = (0.5 * size[0], 0.5 * size[1], size[2])
        corners = [(a * x, b * y, c) for c in (0, z) for b in (-1, 1) for a in (-1, 1)]
        faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
        thing = self.mesh(name, corners, faces, material)
        thing.location = position
        thing.rotation_euler = (0, 0, math.radians(yaw_deg))
        return thing

    def plane(self, name, size, position=(0, 0, 0), material=None):
        x, y = 0.5 * size[0], 0.5 * size[1]
        thing = self.mesh(name, [(-x, -y, 0), (x, -y, 0), (x, y, 0), (-x, y, 0)], [(0, 1, 2, 3)], material)
        thing.location = position
        return thing

    @staticmethod
    def principled(name, grey=0.5, specular=0.0, **inputs):
        """A material with a Principled BSDF."""
        material = bpy.data.materials.new(name)
        if material.node_tree is None:
            material.use_nodes = True
        shader = next(n for n in material.node_tree.nodes if n.bl_idname == "ShaderNodeBsdfPrincipled")
        colour = grey if isinstance(grey, tuple) else (grey, grey, grey)
        shader.inputs["Base Color"].default_value = (*colour, 1)
        shader.inputs["Specular IOR Level"].default_value = specular
        for key, value in inputs.items():
            shader.inputs[key.replace("_", " ")].default_value = value
        return material

    @staticmethod
    def library(name):
        """A material of Understory's library."""
        material = bpy.data.materials.new(f"as {name}")
        material.understory.kind = "LIBRARY"
        material.understory.library = name
        return material


@pytest.fixture
def make(extension):
    return Maker(extension)


@pytest.fixture
def scan(extension):
    """Scans and gives what came out."""
    from bl_ext.user_default.understory import scan as module

    return module.scan


_STATUS = 0


def pytest_sessionfinish(exitstatus):
    global _STATUS
    _STATUS = int(exitstatus)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure():
    """Blender 4.2 as a module crashes at its end, after all is done, once its own glTF exporter has run."""
    if bpy.app.version < (5, 0, 0):
        _FOLDER.cleanup()
        sys.stdout.flush()
        os._exit(_STATUS)
