"""What cannot be is said in one sentence in Blender's own way, and the scene is as it was."""

from __future__ import annotations

import time
from types import SimpleNamespace

import bpy
import numpy as np
import pytest


def refused(operator, match, **keys):
    """That an operator reports an error of these words, and changes nothing."""
    before = state()
    with pytest.raises(RuntimeError, match=match) as told:
        operator(**keys)
    assert "Traceback" not in str(told.value)
    assert state() == before


def state():
    """What a user would see change."""
    scene = bpy.context.scene
    data = bpy.data
    return (
        scene.frame_current,
        sorted(thing.name for thing in data.objects),
        [len(kind) for kind in (data.meshes, data.materials, data.images, data.pointclouds)],
        bpy.context.view_layer.objects.active,
        [thing.select_get() for thing in bpy.context.view_layer.objects],
    )


def test_no_camera(make):
    make.box("box", (1, 1, 1), (3, 0, 0))
    refused(bpy.ops.understory.scan, "there is no sensor: add a camera")


def test_a_camera_that_is_no_sensor(make):
    make.box("box", (1, 1, 1), (3, 0, 0))
    make.camera(preset=None)
    refused(bpy.ops.understory.scan, "no sensor is chosen")


def test_an_empty_scene(make):
    make.camera()
    refused(bpy.ops.understory.scan, "there is nothing to scan")
    refused(bpy.ops.understory.depth_map, "there is nothing to scan")


def test_degenerate_and_open_meshes_are_scanned(make, scan):
    grey = make.principled("half")
    make.mesh("flat", [(4, -1, 0), (4, 1, 0), (4, 0, 0), (4, 0, 3)], [(0, 1, 2), (0, 1, 3)], grey)
    make.mesh("doubled", [(-4, -1, 0), (-4, 1, 0), (-4, 0, 3)], [(0, 1, 2)], grey)
    make.mesh("fin", [(0, 4, 0), (1, 4, 0), (0, 4, 2), (0, 5, 1), (0, 3, 1)], [(0, 1, 2), (0, 2, 3), (0, 2, 4)], grey)
    make.mesh("points", [(1, 1, 1), (2, 2, 2)], [])
    make.mesh("edge", [(1, 1, 1), (2, 2, 2)], [])
    done = scan(thing=make.camera())
    assert (done.cloud.return_number > 0).sum() > 50


def test_vertices_that_are_no_numbers_are_left_out_and_said(make, scan):
    wall = make.mesh("wall", [(4, -1, 0), (4, 1, 0), (4, 0, 3), (4, 0, 1)], [(0, 1, 2), (0, 1, 3)])
    wall.data.vertices[3].co.z = float("nan")
    done = scan(thing=make.camera())
    assert any("'wall': 1 triangles have corners that are no numbers" in said for said in done.prepared.warnings)
    assert (done.cloud.return_number > 0).sum() > 50


def test_objects_scaled_to_nothing_are_left_out_and_said(make, scan):
    make.plane("terrain", (20, 20))
    make.box("thin", (1, 1, 1), (3, 0, 0)).scale = (1, 0, 1)
    done = scan(thing=make.camera())
    assert any("'thin' is scaled to nothing" in said for said in done.prepared.warnings)


def test_missing_pictures_are_said(make, scan):
    material = make.principled("board", 0.4)
    tree = material.node_tree
    texture = tree.nodes.new("ShaderNodeTexImage")
    texture.image = bpy.data.images.new("gone.png", 4, 4)
    texture.image.source, texture.image.filepath = "FILE", "//nowhere/gone.png"
    shader = next(n for n in tree.nodes if n.bl_idname == "ShaderNodeBsdfPrincipled")
    tree.links.new(texture.outputs["Color"], shader.inputs["Base Color"])
    wall = make.mesh("wall", [(4, -1, 0), (4, 1, 0), (4, 0, 3)], [(0, 1, 2)], material)
    wall.data.uv_layers.new()
    done = scan(thing=make.camera())
    assert any("'gone.png' is missing" in said for said in done.prepared.warnings)
    assert (done.cloud.return_number > 0).sum() > 20


def test_a_huge_scene_is_estimated_before_it_is_built(make):
    from bl_ext.user_default.understory import scan as module

    tile = make.mesh("grass", [(x, y, 0) for x in range(101) for y in range(101)],
                     [(101 * x + y, 101 * x + y + 1, 101 * x + y + 102) for x in range(100) for y in range(100)])  # fmt: skip
    for number in range(2100):
        copy = make.link(bpy.data.objects.new(f"grass.{number:04}", tile.data))
        copy.location = (100 * (number % 40), 100 * (number // 40), 0)
    make.camera()
    prepared = module.prepare()
    assert any("21 million triangles" in said for said in prepared.warnings)


def test_wrong_settings_are_refused(make):
    from bl_ext.user_default.understory import sensor

    make.box("box", (1, 1, 1), (3, 0, 0))
    camera = make.camera()
    settings = bpy.context.scene.understory
    settings.span, settings.frame_first, settings.frame_last = "RANGE", 9, 3
    refused(bpy.ops.understory.scan, "ends at frame 3, before it begins at 9")
    settings.span = "CURRENT"
    settings.files = "/no/such/folder/scan.laz"
    refused(bpy.ops.understory.scan, "the folder /no/such/folder is not there")
    settings.files = ""
    sensor.set_parameter(camera, "detector.range_max_m", -4.0)
    refused(bpy.ops.understory.scan, "range_max_m")
    sensor.make(camera, "vlp-16")
    camera.understory.parameters["channels.elevation_deg"].text = "[1.0, oops"
    refused(bpy.ops.understory.scan, "channels.elevation_deg is .*no value of TOML")
    sensor.make(camera, "vlp-16")
    settings.files = "//scan.xyzzy"
    refused(bpy.ops.understory.scan, "the folder|format|extension|ending")


def test_operators_for_scans_refuse_other_things(make, tmp_path):
    bpy.context.view_layer.objects.active = make.box("box", (1, 1, 1), (3, 0, 0))
    refused(bpy.ops.understory.save_scan, "which is no scan", filepath=str(tmp_path / "a.laz"))
    refused(bpy.ops.understory.import_recording, "a.laz", filepath=str(tmp_path / "a.laz"))
    refused(bpy.ops.understory.import_scenario, "no.toml", filepath=str(tmp_path / "no.toml"))
    refused(bpy.ops.understory.import_site, "no.site", filepath=str(tmp_path / "no.site"))
    refused(bpy.ops.understory.export_motion, "choose one under Frames", filepath=str(tmp_path / "a.csv"))
    refused(bpy.ops.understory.make_sensor, "sensors are cameras or empties")


def test_an_older_blender_is_refused(extension, monkeypatch):
    monkeypatch.setattr(extension, "_OLDEST", (99, 0, 0))
    with pytest.raises(RuntimeError, match="needs Blender 4.2 or newer"):
        extension.register()


def test_faces_that_come_and_go_are_refused_in_a_range(make):
    from test_motion import key

    bar = make.box("bar", (1, 1, 1), (4, 0, 0))
    array = bar.modifiers.new("array", "ARRAY")
    for frame, count in {1: 1, 5: 5}.items():
        array.count = count
        bar.keyframe_insert('modifiers["array"].count', frame=frame)
    make.camera()
    settings = bpy.context.scene.understory
    settings.span, settings.frame_last = "RANGE", 5
    refused(bpy.ops.understory.scan, "'bar' changes its number of faces")
    assert key and bpy.context.scene.frame_current == 1


class Operator:
    """What an operator is to its modal part."""

    def __init__(self, steps):
        self.steps, self.reports = steps, []
        self._job = self._timer = None

    def report(self, kind, text):
        self.reports.append((kind, text))

    def done(self, context, result):
        return "done"


def _window():
    """A context without a window, whose calls are counted."""
    manager = SimpleNamespace(
        progress_begin=lambda *_: None, progress_update=lambda *_: None, progress_end=lambda: None,
        modal_handler_add=lambda _: None, event_timer_add=None, event_timer_remove=None,
    )  # fmt: skip
    return SimpleNamespace(window_manager=manager, window=None, workspace=None)


def _long_scene(make):
    """A scan that takes some seconds."""
    from bl_ext.user_default.understory import sensor

    make.plane("terrain", (100, 100))
    for number in range(30):
        make.box(f"pole.{number:03}", (0.3, 0.3, 4), (20 * np.cos(number), 20 * np.sin(number), 0))
    camera = make.camera("hdl-64e-s2")
    sensor.set_parameter(camera, "beam.sampling", "uniform")
    sensor.set_parameter(camera, "beam.rays", 400)
    bpy.context.scene.understory.scans = 10
    return camera


def test_the_window_lives_on_and_escape_ends_it(make):
    """``modal`` is called as Blender calls it, by synthetic events; no call takes longer than 50 ms."""
    from bl_ext.user_default.understory import modal, scan

    camera = _long_scene(make)
    before = state()
    context = bpy.context
    operator = Operator(lambda _, stop: scan.scan_steps(context, camera, stop))
    assert modal.begin(operator, _window()) == {"RUNNING_MODAL"}
    longest, ticks = 0.0, 0
    end = time.perf_counter() + 1.0
    while time.perf_counter() < end:
        start = time.thread_time()
        assert modal.go_on(operator, _window(), SimpleNamespace(type="TIMER")) == {"RUNNING_MODAL"}
        longest, ticks = max(longest, time.thread_time() - start), ticks + 1
        assert modal.go_on(operator, _window(), SimpleNamespace(type="MOUSEMOVE")) == {"PASS_THROUGH"}
        time.sleep(0.02)
    assert ticks > 5 and operator._job.stop.what
    start = time.perf_counter()
    assert modal.go_on(operator, _window(), SimpleNamespace(type="ESC")) == {"CANCELLED"}
    took = time.perf_counter() - start
    print(f"{ticks} ticks, the longest {1e3 * longest:.1f} ms; Escape {1e3 * took:.1f} ms")
    assert longest < 0.05 and took < 0.05
    assert operator.reports == [({"INFO"}, "cancelled; the scene is as it was")]
    assert state() == before
    # The thread hears it.
    import threading

    for thread in threading.enumerate():
        if thread.name == "understory":
            thread.join(20)
            assert not thread.is_alive()


def test_a_range_that_is_cancelled_shows_its_frame_again(make):
    from bl_ext.user_default.understory import modal, scan

    camera = make.camera()
    make.plane("terrain", (60, 60))
    bpy.context.scene.frame_set(1999)  # far beyond the first frames
    settings = bpy.context.scene.understory
    settings.span, settings.frame_first, settings.frame_last = "RANGE", 1, 2000
    context = bpy.context
    operator = Operator(lambda _, stop: scan.scan_steps(context, camera, stop))
    modal.begin(operator, _window())
    for _ in range(500):
        assert modal.go_on(operator, _window(), SimpleNamespace(type="TIMER")) == {"RUNNING_MODAL"}
        if bpy.context.scene.frame_current != 1999:
            break
    assert bpy.context.scene.frame_current != 1999
    assert modal.go_on(operator, _window(), SimpleNamespace(type="ESC")) == {"CANCELLED"}
    assert bpy.context.scene.frame_current == 1999


def test_modal_ends_with_the_points(make):
    from bl_ext.user_default.understory import modal, scan

    camera = make.camera()
    make.plane("terrain", (60, 60))
    context = bpy.context
    operator = Operator(lambda _, stop: scan.scan_steps(context, camera, stop))
    modal.begin(operator, _window())
    longest, state_ = 0.0, None
    for _ in range(2000):
        start = time.thread_time()
        state_ = modal.go_on(operator, _window(), SimpleNamespace(type="TIMER"))
        longest = max(longest, time.thread_time() - start)
        if state_ == {"FINISHED"}:
            break
        time.sleep(0.01)
    print(f"the longest call took {1e3 * longest:.1f} ms")
    assert state_ == {"FINISHED"} and "lidar scan" in bpy.data.objects and longest < 0.05
    assert operator.reports[-1] == ({"INFO"}, "done")


def test_undo_after_a_scan(make):
    make.plane("terrain", (60, 60))
    make.camera()
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.understory.scan()
    assert "lidar scan" in bpy.data.objects
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert "lidar scan" not in bpy.data.objects and "terrain" in bpy.data.objects
    assert bpy.data.objects["lidar"].understory.preset == "vlp-16"
    bpy.ops.understory.scan()
    assert "lidar scan" in bpy.data.objects
