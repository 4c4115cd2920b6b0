"""Ranges of frames: what moves, what changes its shape, and what a sensor on a vehicle sees of it."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest

import understory


def key(thing, path, frames, interpolation="LINEAR"):
    """Keyframes of a property."""
    for frame, value in frames.items():
        setattr(thing, path, value)
        thing.keyframe_insert(path, frame=frame)
    action = thing.animation_data.action
    curves = getattr(action, "fcurves", None)
    if curves is None:
        curves = [c for layer in action.layers for strip in layer.strips for bag in strip.channelbags for c in bag.fcurves]
    for curve in curves:
        for point in curve.keyframe_points:
            point.interpolation = interpolation


@pytest.fixture
def frames():
    """25 frames a second, a range of five."""
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = 25, 1.0
    scene.understory.span, scene.understory.frame_first, scene.understory.frame_last = "RANGE", 1, 5
    return scene


def alike(own, ours, close_m=1e-3, share=0.01):
    """That two recordings of the same pulses see the same."""
    assert len(own) == len(ours)
    both = (own.return_number > 0) & (ours.return_number > 0)
    assert ((own.return_number > 0) != (ours.return_number > 0)).mean() < share
    off = np.abs(own.true_range_m[both] - ours.true_range_m[both])
    assert both.sum() > 300 and (off > close_m).mean() < share, f"{(off > close_m).mean()}, {off.max()}"


def test_a_car_on_keyframes_is_met_where_it_is_at_that_time(make, scan, frames):
    """5 m/s across the view; each pulse meets it at its own time, so its face is seen slanted."""
    car = make.box("car", (2, 1, 2), (6, 0, 0))
    key(car, "location", {1: (6, -1, 0), 6: (6, 0, 0)})
    make.plane("terrain", (60, 60))
    make.camera()
    done = scan()
    assert done.cloud.time_s.max() == pytest.approx(0.2, abs=1e-4)
    world = understory.World().add_object("terrain", "plane", size_m=[60, 60], label="terrain")
    world.add_object(
        "car", "box", size_m=[2, 1, 2], label="car",
        motion={"keyframes": [{"time_s": 0.0, "position_m": [6, -1, 0]}, {"time_s": 0.2, "position_m": [6, 0, 0]}]},
    )  # fmt: skip
    platform = {"position_m": [0, 0, 1.5]}
    own = understory.run(understory.Scenario.build(world, "vlp-16", duration_s=0.2, platform=platform))
    alike(own, done.cloud)
    met = done.cloud[done.cloud.label == 10]
    assert np.allclose(met.velocity_xyz_m_s, [0, 5, 0], atol=1e-2)
    # The shown frame is shown again.
    assert bpy.context.scene.frame_current == 1


def test_a_moving_sensor_is_where_it_is_at_each_pulse(make, scan, frames):
    make.box("wall", (1, 30, 10), (8.5, 0, -5))
    camera = make.camera(location=(0, 0, 0))
    start = camera.location.copy()
    key(camera, "location", {1: start, 6: (start.x + 1.0, start.y, start.z)})
    cloud = scan().cloud.returns()
    ahead = cloud[(np.abs(cloud.azimuth_deg) < 1) & (np.abs(cloud.elevation_deg) < 1.1)]
    assert len(ahead) > 20
    # 5 m/s towards a wall at 8 m.
    assert np.abs(ahead.origin_xyz_m[:, 0] - 5 * ahead.time_s).max() < 0.06
    assert np.abs(ahead.true_range_m - (8 - 5 * ahead.time_s)).max() < 0.06
    assert np.abs(cloud.true_xyz_m[np.abs(cloud.azimuth_deg) < 60, 0] - 8).max() < 1e-3


def test_a_curved_path_is_followed_finer_than_frames(make, scan, frames):
    """A quarter turn in five frames: a pole on an arm of 5 m."""
    hub = make.link(bpy.data.objects.new("hub", None))
    pole = make.box("pole", (0.3, 0.3, 3), (5, 0, 0))
    pole.parent = hub
    key(hub, "rotation_euler", {1: (0, 0, 0), 6: (0, 0, math.pi / 2)})
    make.camera(location=(0, 0, 1.5))
    done = scan()
    met = done.cloud[done.cloud.label == 80]
    assert len(met) > 50
    angle = np.arctan2(met.true_xyz_m[:, 1], met.true_xyz_m[:, 0])
    expected = math.pi / 2 * met.time_s / 0.2
    # 0.15 m of its width at 5 m; straight pieces from frame to frame alone would be off by 0.06 m in radius.
    assert np.abs(angle - expected).max() < 0.16 / 4.7
    radius = np.hypot(met.true_xyz_m[:, 0], met.true_xyz_m[:, 1])
    assert radius.min() > 4.85 - 0.005 and len(done.prepared.course.moments) > 6


def _skinned(make):
    """A tall box that two bones bend."""
    pole = make.box("person", (0.5, 0.5, 0.25), (5, 0, 0))
    pole.scale = (1, 1, 1)
    bpy.context.view_layer.objects.active = pole
    mesh = bpy.data.meshes.new("tall")
    verts, faces = [], []
    for ring in range(9):
        z = 0.25 * ring
        verts += [(-0.25, -0.25, z), (0.25, -0.25, z), (0.25, 0.25, z), (-0.25, 0.25, z)]
        if ring:
            a, b = 4 * (ring - 1), 4 * ring
            faces += [(a + k, a + (k + 1) % 4, b + (k + 1) % 4, b + k) for k in range(4)]
    faces += [(3, 2, 1, 0), (32, 33, 34, 35)]
    mesh.from_pydata(verts, [], faces)
    pole.data = mesh
    armature = bpy.data.objects.new("bones", bpy.data.armatures.new("bones"))
    bpy.context.scene.collection.objects.link(armature)
    armature.location = (5, 0, 0)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    lower = armature.data.edit_bones.new("lower")
    lower.head, lower.tail = (0, 0, 0), (0, 0, 1)
    upper = armature.data.edit_bones.new("upper")
    upper.head, upper.tail, upper.parent = (0, 0, 1), (0, 0, 2), lower
    bpy.ops.object.mode_set(mode="OBJECT")
    pole.parent = armature
    pole.location = (0, 0, 0)
    for name, heights in (("lower", range(0, 20)), ("upper", range(20, 36))):
        pole.vertex_groups.new(name=name).add(list(heights), 1.0, "REPLACE")
    pole.modifiers.new("skin", "ARMATURE").object = armature
    bone = armature.pose.bones["upper"]
    bone.rotation_mode = "XYZ"
    for frame, turn in {1: 0.0, 6: 0.6}.items():
        bone.rotation_euler = (0, 0, 0)
        bone.rotation_euler[0] = turn
        bone.keyframe_insert("rotation_euler", frame=frame)
    return pole, armature


def test_a_skin_is_met_as_the_program_meets_it_from_gltf(make, scan, frames, tmp_path):
    """Blender's own exporter and the program's reader of glTF skins are the second opinion."""
    pole, armature = _skinned(make)
    camera = make.camera(location=(0, 0, 1.2))
    done = scan()
    import addon_utils

    addon_utils.enable("io_scene_gltf2")
    for thing in bpy.data.objects:
        thing.select_set(thing in (pole, armature))
    frames.frame_start, frames.frame_end = 1, 6
    bpy.ops.export_scene.gltf(
        filepath=str(tmp_path / "person.glb"), use_selection=True, export_animations=True, export_frame_range=True,
        export_anim_slide_to_zero=True, export_force_sampling=True,
    )  # fmt: skip
    world = understory.World()
    world.add_mesh("person", tmp_path / "person.glb", animation=True, animation_repeat="hold", label="person", pose_error_m=0.002)
    own = understory.run(
        understory.Scenario.build(world, "vlp-16", duration_s=0.2, platform={"position_m": [0, 0, 1.2]})
    )
    seen = done.cloud[done.cloud.label == 30]
    assert len(seen) > 100 and camera is not None
    both = (own.return_number > 0) & (done.cloud.return_number > 0)
    off = np.abs(own.true_range_m[both] - done.cloud.true_range_m[both])
    assert both.sum() > 100 and np.quantile(off, 0.95) < 0.02
    assert ((own.return_number > 0) != (done.cloud.return_number > 0)).sum() < 0.05 * both.sum()
    # It does bend: the top is elsewhere at the end than at the start.
    top = seen[seen.true_xyz_m[:, 2] > 1.6]
    first, last = (top[half].true_xyz_m.mean(axis=0) for half in (top.time_s < 0.1, top.time_s > 0.1))
    assert np.linalg.norm(first - last) > 0.05


def test_a_body_under_blender_s_physics_falls_as_it_should(make, scan, frames):
    """Free fall: after t it is g t²/2 lower, whoever works it out."""
    frames.understory.frame_last = 10
    bpy.ops.rigidbody.world_add()
    box = make.box("other-object", (2, 2, 2), (5, 0, 4))
    bpy.context.view_layer.objects.active = box
    bpy.ops.object.select_all(action="DESELECT")
    box.select_set(True)
    bpy.ops.rigidbody.object_add(type="ACTIVE")
    make.camera("hdl-64e-blensor", location=(0, 0, 4.5))
    done = scan()
    simulation = understory.Simulation(done.prepared.scenario)
    for time_s in (0.1, 0.2, 0.4):
        fallen = 4 - simulation.poses(time_s=time_s)["other-object"]["pose"][2, 3]
        # Bullet's own steps of 1/240 s are off by g t h / 2.
        assert fallen == pytest.approx(0.5 * 9.81 * time_s**2, abs=0.03)
    assert np.isfinite(done.cloud.velocity_xyz_m_s[done.cloud.label == 99]).all()
    assert done.cloud.velocity_xyz_m_s[done.cloud.label == 99][:, 2].min() < -2.5


def test_motion_export_has_the_poses_of_blender(make, scan, frames, tmp_path):
    import csv

    from bl_ext.user_default.understory import files

    car, other = make.box("car", (4, 2, 1.5), (6, 0, 0)), make.box("car.001", (4, 2, 1.5), (-6, 0, 0))
    key(car, "location", {1: (6, -1, 0), 6: (6, 1, 0)})
    key(other, "location", {1: (-6, -1, 0), 6: (-6, 2, 0)})
    make.plane("terrain", (60, 60))
    make.camera()
    context = bpy.context
    files.finish(lambda stop: files.motion_steps(context, str(tmp_path / "all.csv"), [], stop))
    files.finish(lambda stop: files.motion_steps(context, str(tmp_path / "one.csv"), ["car.001"], stop))
    files.finish(lambda stop: files.motion_steps(context, str(tmp_path / "all.txt"), [], stop))
    files.finish(lambda stop: files.motion_steps(context, str(tmp_path / "all.xml"), [], stop))
    rows = list(csv.DictReader((tmp_path / "all.csv").open()))
    assert {"car", "car.001"} <= {value for row in rows for value in row.values()}
    last = [row for row in rows if "car.001" in row.values()][-1]
    assert float(last["y_m"]) == pytest.approx(2.0, abs=1e-5) and float(last["time_s"]) == pytest.approx(0.2)
    only = list(csv.DictReader((tmp_path / "one.csv").open()))
    assert only and all("car.001" in row.values() for row in only)
    assert "object: car x:" in (tmp_path / "all.txt").read_text() and "<tracklets" in (tmp_path / "all.xml").read_text()


def test_what_is_not_always_there_is_left_out_and_said(make, scan, frames):
    box = make.box("car", (1, 1, 1), (5, 0, 0))
    box.hide_render = False
    key(box, "hide_render", {1: False, 3: True}, "CONSTANT")
    make.plane("terrain", (60, 60))
    make.camera()
    done = scan()
    assert any("'car' is not there at all frames" in warning for warning in done.prepared.warnings)
