"""The zip is what Blender takes, and what it registers is there."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import bpy
import pytest


def test_blender_itself_finds_the_zip_valid():
    tool = next(Path(bpy.utils.system_resource("SCRIPTS")).rglob("cli/blender_ext.py"))
    told = subprocess.run(
        [sys.executable, str(tool), "validate", os.environ["UNDERSTORY_EXTENSION"]], capture_output=True, text=True
    )
    assert told.returncode == 0, told.stdout + told.stderr


def test_the_zip_has_a_wheel_for_every_python_and_one_platform():
    with zipfile.ZipFile(os.environ["UNDERSTORY_EXTENSION"]) as archive:
        names = archive.namelist()
        manifest = archive.read("blender_manifest.toml").decode()
    wheels = [name for name in names if name.endswith(".whl")]
    assert len(wheels) == 1 and "-abi3-" in wheels[0]
    assert "platforms = [" in manifest and 'blender_version_min = "4.2.0"' in manifest
    assert not any("__pycache__" in name or "test" in name for name in names)


def test_the_package_comes_from_the_wheel():
    import understory

    assert "extensions" in understory.__file__ and understory.__version__


def test_it_is_taken_away_and_comes_back(extension):
    extension.unregister()
    assert not hasattr(bpy.types.Scene, "understory")
    assert not hasattr(bpy.types, "UNDERSTORY_OT_scan")
    extension.register()
    assert hasattr(bpy.types, "UNDERSTORY_OT_scan") and hasattr(bpy.types.Scene, "understory")


def test_what_panels_show_is_there(extension):
    from bl_ext.user_default.understory import panels

    scene = bpy.context.scene.understory.bl_rna.properties
    thing = bpy.types.Object.bl_rna.properties["understory"].fixed_type.properties
    material = bpy.types.Material.bl_rna.properties["understory"].fixed_type.properties
    shown = bpy.types.Object.bl_rna.properties["understory_shown"].fixed_type.properties
    listed = [
        (scene, [name for names in panels.SCAN.values() for name in names]),
        (thing, [*panels.SENSOR, *panels.OBJECT]),
        (material, [name for names in panels.MATERIAL.values() for name in names]),
        (shown, panels.RESULT),
    ]
    for properties, names in listed:
        for name in names:
            assert name in properties and properties[name].name, name
    # Nothing that can be set is hidden.
    own = {p.identifier for p in scene if p.identifier not in ("rna_type", "name")}
    assert own == set(listed[0][1])


def test_every_preset_becomes_a_sensor_with_all_its_numbers(make):
    import tomllib

    import understory
    from bl_ext.user_default.understory import parameters, sensor

    camera = make.camera(preset=None)
    known = parameters.all_parameters()
    for name in understory.Sensor.names():
        sensor.make(camera, name)
        said = parameters.values_of(understory.Sensor(name).toml)
        items = {item.path: item for item in camera.understory.parameters}
        assert set(items) == set(said), name
        for path, value in said.items():
            held = sensor.value_of(items[path])
            is_number = items[path].kind == "NUMBER"
            assert held == (pytest.approx(value, rel=1e-6) if is_number else value), path
            assert known[path].help, path
        camera.understory.use_camera_view = False
        # Nothing was changed, so nothing differs from the preset.
        assert sensor.overrides(camera) == {}
        assert sensor.sensor_of(camera).scan_duration_s == understory.Sensor(name).scan_duration_s
        assert tomllib.loads(understory.Sensor(name).toml)["title"]


def test_a_changed_number_reaches_the_sensor(make):
    from bl_ext.user_default.understory import sensor

    camera = make.camera(detector__range_max_m=20.0)
    camera.understory.parameters["spinning.rotation_hz"].number = 5.0
    sensor.set_parameter(camera, "detector.max_returns", 2)
    made = sensor.sensor_of(camera)
    assert made.override == {"detector": {"range_max_m": 20.0, "max_returns": 2}, "spinning": {"rotation_hz": 5.0}}
    assert made.scan_duration_s == 0.2


def test_units_and_help_stand_in_the_panel():
    from bl_ext.user_default.understory import parameters

    known = parameters.all_parameters()
    assert known["beam.divergence_vertical_mrad"].name == "Divergence vertical [mrad]"
    assert known["range_error.bias_sigma_m"].unit == "m"
    assert known["detector.return_mode"].kind == "CHOICE"
    assert known["channels.elevation_deg"].kind == "TEXT"
    with_help = [one for one in known.values() if one.help]
    assert len(with_help) == len(known) > 150


def test_an_unknown_preset_and_a_wrong_thing_are_refused(make):
    from bl_ext.user_default.understory import sensor
    from bl_ext.user_default.understory.refusal import Refusal

    box = make.box("box", (1, 1, 1), (0, 0, 0))
    with pytest.raises(Refusal, match="cameras or empties"):
        sensor.make(box, "vlp-16")
    with pytest.raises(Refusal, match="there is no preset"):
        sensor.make(make.camera(preset=None), "vlp-17")
