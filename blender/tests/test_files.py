"""What goes out and comes in: packs give the program's bytes, recordings and scenarios come back."""

from __future__ import annotations

import hashlib
import os
import subprocess

import bpy
import numpy as np
import pytest

import understory
from test_motion import key


def program(*arguments, folder):
    """Runs the program."""
    path = os.environ.get("UNDERSTORY_PROGRAM", "")
    assert os.path.isfile(path), "UNDERSTORY_PROGRAM names no program; run cargo xtask test --only blender"
    told = subprocess.run([path, *arguments], cwd=folder, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    return told.stdout


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def rich_scene(make):
    """Instances, a mirrored copy, shades of a picture, glass, hair, a track, a deforming mesh."""
    make.plane("terrain", (60, 60), material=make.library("soil"))
    tree = make.box("vegetation", (0.5, 0.5, 4), (5, 3, 0), 20, make.principled("bark", 0.3, specular=0.5))
    for number in range(3):
        copy = make.link(bpy.data.objects.new(f"vegetation.{number + 1:03}", tree.data))
        copy.location, copy.scale = (-4 + 3 * number, -6, 0), (-1 - number, 1, 1)
    make.box("block", (0.6, 1.5, 3), (4, -1.5, 0), 0, make.principled("block", 1.0, Transmission_Weight=1.0, IOR=1.5))
    car = make.box("car", (2, 1, 1.5), (7, 0, 0))
    car.data.materials.append(make.principled("light", 0.8))
    car.data.materials.append(make.principled("dark", 0.1))
    car.data.polygons[2].material_index = 1
    key(car, "location", {1: (7, -1, 0), 6: (7, 1, 0)})
    flag = make.plane("flag", (2, 2), (-5, 0, 1.5))
    flag.rotation_euler = (0, 1.57, 0)
    flag.shape_key_add(name="Basis")
    bent = flag.shape_key_add(name="bent")
    bent.data[0].co.z += 0.3
    for frame, value in {1: 0.0, 6: 1.0}.items():
        bent.value = value
        bent.keyframe_insert("value", frame=frame)
    hair = bpy.data.hair_curves.new("reeds")
    hair.add_curves([2] * 10)
    hair.attributes["position"].data.foreach_set("vector", [x for k in range(10) for x in (3, 2 + 0.2 * k, 0, 3, 2 + 0.2 * k, 3)])
    make.link(bpy.data.objects.new("reeds", hair))
    return make.camera()


@pytest.mark.parametrize("span", ["CURRENT", "RANGE"])
def test_the_program_gives_the_same_bytes_from_a_pack(make, scan, tmp_path, span):
    rich_scene(make)
    scene = bpy.context.scene
    scene.render.fps = 25
    settings = scene.understory
    settings.span, settings.frame_first, settings.frame_last, settings.seed = span, 1, 5, 7
    settings.fog = True
    settings.files = ",".join(f"{tmp_path}/blender.{ending}" for ending in ("npy", "laz", "csv"))
    done = scan()
    assert (done.cloud.return_number > 0).sum() > 5000
    assert bpy.ops.understory.export_scenario(filepath=str(tmp_path / "trial.understory")) == {"FINISHED"}
    out = tmp_path / "out"
    formats = [word for ending in ("npy", "laz", "csv") for word in ("--format", ending)]
    program("run", str(tmp_path / "trial.understory"), "--out", str(out), *formats, folder=tmp_path)
    for ending in ("npy", "laz", "csv"):
        (theirs,) = [p for p in out.rglob(f"*.{ending}") if "names" not in p.name]
        assert digest(theirs) == digest(tmp_path / f"blender.{ending}"), ending
    # And the cloud in memory is that of the file.
    assert understory.run(str(tmp_path / "trial.understory")) == done.cloud


def test_a_folder_can_be_edited_and_gives_the_same(make, scan, tmp_path):
    rich_scene(make)
    done = scan()
    assert bpy.ops.understory.export_scenario(filepath=str(tmp_path / "trial"), as_folder=True) == {"FINISHED"}
    assert understory.run(tmp_path / "trial" / "scenario.toml") == done.cloud
    assert "memory:" not in (tmp_path / "trial" / "scenario.toml").read_text()


def test_every_format_of_the_program_is_written(make, scan, tmp_path):
    make.box("building", (1, 30, 10), (5.5, 0, -5))
    make.camera(location=(0, 0, 0))
    made = scan().objects[0]
    bpy.context.view_layer.objects.active = made
    endings = (
        "las laz ply pcd csv npy blensor.csv blensor.npy evd parquet pcap mcap e57 raycloud.ply helios.xyz".split()
    )
    for ending in endings:
        path = tmp_path / f"scan.{ending}"
        assert bpy.ops.understory.save_scan(filepath=str(path)) == {"FINISHED"}, ending
        assert path.stat().st_size > 1000, ending
    assert bpy.ops.understory.save_scan(filepath=str(tmp_path / "scan.kitti")) == {"FINISHED"}


def test_a_recording_comes_back(make, scan, tmp_path):
    from bl_ext.user_default.understory import cloud_object

    make.box("building", (1, 30, 10), (5.5, 0, -5))
    make.camera(location=(0, 0, 0))
    made = scan().objects[0]
    made_points = cloud_object.points_of(made)
    cloud_object.cloud_of(made).save(tmp_path / "scan.npy")
    assert bpy.ops.understory.import_recording(filepath=str(tmp_path / "scan.npy")) == {"FINISHED"}
    again = bpy.data.objects["scan.npy"]
    assert np.array_equal(cloud_object.points_of(again), made_points)
    assert np.array_equal(cloud_object.attribute_of(again, "label"), cloud_object.attribute_of(made, "label"))


def test_a_scan_outlives_the_session_in_the_blend_file(make, scan, tmp_path):
    from bl_ext.user_default.understory import cloud_object

    make.box("building", (1, 30, 10), (5.5, 0, -5))
    make.camera(location=(0, 0, 0))
    done = scan()
    ranges = done.cloud.returns().range_m
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    made = bpy.data.objects["lidar scan"]
    assert np.array_equal(cloud_object.cloud_of(made).range_m, ranges)
    assert bpy.data.objects["lidar"].understory.preset == "vlp-16"
    # The same settings give the same scan.
    assert scan().cloud == done.cloud


def test_a_scenario_comes_in_with_its_sensor_and_is_scanned_alike(scan):
    name = "first-scan"
    assert bpy.ops.understory.import_scenario(filepath=name) == {"FINISHED"}
    sensors = [thing for thing in bpy.data.objects if thing.understory.is_sensor]
    scenario = understory.Scenario(name)
    assert [thing.name for thing in sensors] == scenario.sensors
    ours, own = scan(thing=sensors[0]).cloud, understory.run(scenario)
    both = (own.return_number > 0) & (ours.return_number > 0)
    # Curved shapes are triangles here, and true surfaces there.
    assert both.sum() > 0.99 * (own.return_number > 0).sum()
    assert np.quantile(np.abs(own.true_range_m[both] - ours.true_range_m[both]), 0.95) < 0.002
    assert (own.label[both] == ours.label[both]).mean() > 0.98


def test_a_learned_site_comes_in(make, scan, tmp_path):
    make.box("building", (1, 10, 6), (5.5, 0, -3))
    make.camera(location=(0, 0, 0))
    understory.learn(scan().cloud, model="voxel", cell_m=0.5).save(tmp_path / "wall.site")
    assert bpy.ops.understory.import_site(filepath=str(tmp_path / "wall.site")) == {"FINISHED"}
    volumes = bpy.data.objects["wall volumes"]
    site = understory.Site(tmp_path / "wall.site")
    assert len(volumes.data.attributes["position"].data) == len(site)
    assert "permeability" in volumes.data.attributes


def test_the_depth_map_shows_the_frame_that_is_shown(make):
    """Also where a range is set: the wall is where it is now, and so is the camera."""
    wall = make.plane("wall", (40, 40), (4, 0, 0))
    wall.rotation_euler = (0, np.pi / 2, 0)
    key(wall, "location", {1: (4, 0, 0), 11: (14, 0, 0)})
    camera = make.camera(location=(0, 0, 0))
    settings = bpy.context.scene.understory
    settings.span, settings.frame_first, settings.frame_last = "RANGE", 1, 11
    settings.depth_width, settings.depth_height, settings.depth_along_axis = 6, 4, True
    bpy.context.scene.frame_set(6)
    bpy.context.view_layer.objects.active = camera
    assert bpy.ops.understory.depth_map() == {"FINISHED"}
    found = np.array(bpy.data.images["lidar depth"].pixels[:], np.float32).reshape(4, 6, 4)
    assert np.allclose(found[..., 0], 9.0, atol=1e-4)


def test_the_depth_map_is_the_distance_of_each_pixel(make):
    make.plane("wall", (40, 40), (4, 0, 0)).rotation_euler = (0, np.pi / 2, 0)
    camera = make.camera(location=(0, 0, 0))
    camera.data.angle = 2 * np.arctan(1.0)
    settings = bpy.context.scene.understory
    settings.depth_width, settings.depth_height, settings.depth_along_axis = 60, 40, True
    bpy.context.view_layer.objects.active = camera
    assert bpy.ops.understory.depth_map() == {"FINISHED"}
    image = bpy.data.images["lidar depth"]
    found = np.array(image.pixels[:], np.float32).reshape(40, 60, 4)
    assert np.allclose(found[..., 0], 4.0, atol=1e-4) and (found[..., 3] == 1).all()
    settings.depth_along_axis = False
    bpy.ops.understory.depth_map()
    image = bpy.data.images["lidar depth.001"]
    found = np.array(image.pixels[:], np.float32).reshape(40, 60, 4)[..., 0]
    u, v = np.meshgrid((np.arange(60) + 0.5) / 30 - 1, ((np.arange(40) + 0.5) / 20 - 1) * 40 / 60)
    assert np.allclose(found, 4 * np.sqrt(1 + u**2 + v**2), atol=1e-4)
