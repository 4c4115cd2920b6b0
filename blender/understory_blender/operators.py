"""What buttons and scripts call: ``bpy.ops.understory.scan()`` and its siblings."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, StringProperty
from bpy_extras.io_utils import ExportHelper, ImportHelper

import understory

from . import cloud_object, depth_map, files, parameters, scan, sensor
from .modal import LongWork
from .refusal import Refusal


def chosen_sensor(context):
    """The active object where it is a sensor, else the scene's camera."""
    active = context.object
    if sensor.is_possible(active) and active.understory.is_sensor:
        return active
    camera = context.scene.camera
    if camera is None and not sensor.is_possible(active):
        raise Refusal("there is no sensor: add a camera or an empty, make it active and press Make Sensor")
    return camera if camera is not None and camera.understory.is_sensor else active


class UNDERSTORY_OT_make_sensor(bpy.types.Operator):
    """Make the active camera or empty a sensor"""

    bl_idname = "understory.make_sensor"
    bl_label = "Make Sensor"
    bl_options = {"REGISTER", "UNDO"}

    preset: StringProperty(name="Preset", default="vlp-16")

    def execute(self, context):
        try:
            sensor.make(context.object, self.preset)
        except (Refusal, understory.UnderstoryError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class UNDERSTORY_OT_add_parameter(bpy.types.Operator):
    """Add a key that the preset does not have"""

    bl_idname = "understory.add_parameter"
    bl_label = "Add Parameter"
    bl_options = {"REGISTER", "UNDO"}

    path: StringProperty(name="Key", description="Such as detector.max_returns; docs/sensor-keys.md lists them")

    def invoke(self, context, event):
        return context.window_manager.invoke_props_dialog(self)

    def execute(self, context):
        try:
            sensor.add_parameter(context.object.understory, self.path.strip())
        except Refusal as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class UNDERSTORY_OT_explain(bpy.types.Operator):
    """What a parameter means"""

    bl_idname = "understory.explain"
    bl_label = ""
    bl_options = {"INTERNAL"}

    path: StringProperty()

    @classmethod
    def description(cls, context, properties):
        known = parameters.all_parameters().get(properties.path)
        return known.help if known is not None else ""

    def execute(self, context):
        self.report({"INFO"}, f"{self.path}: {self.description(context, self)}")
        return {"FINISHED"}


class UNDERSTORY_OT_scan(LongWork, bpy.types.Operator):
    """Scan the scene with the chosen sensor; the points are put into the scene"""

    bl_idname = "understory.scan"
    bl_label = "Scan"
    bl_options = {"REGISTER", "UNDO"}

    def steps(self, context, stop):
        return scan.scan_steps(context, chosen_sensor(context), stop)

    def done(self, context, result):
        cloud = result.cloud
        returns = int((cloud.return_number > 0).sum())
        told = f"{returns} returns of {len(cloud)} rows"
        return told + (f"; wrote {', '.join(result.files)}" if result.files else "")


class UNDERSTORY_OT_depth_map(LongWork, bpy.types.Operator):
    """Make an image with the distance that each pixel of the camera sees"""

    bl_idname = "understory.depth_map"
    bl_label = "Depth Map"
    bl_options = {"REGISTER", "UNDO"}

    def steps(self, context, stop):
        active = context.object
        camera = active if active is not None and active.type == "CAMERA" else context.scene.camera
        return depth_map.steps(context, camera, stop)

    def done(self, context, result):
        return f"image {result.name!r} of {result.size[0]} × {result.size[1]} pixels"


class UNDERSTORY_OT_export_scenario(LongWork, bpy.types.Operator, ExportHelper):
    """Write scene and sensor as one file that gives the same points in the program understory"""

    bl_idname = "understory.export_scenario"
    bl_label = "Understory Scenario (.understory)"
    filename_ext = ".understory"
    check_extension = False

    as_folder: BoolProperty(name="As a folder", description="scenario.toml and mesh files that can be edited")

    def steps(self, context, stop):
        path = bpy.path.abspath(self.filepath)
        if not self.as_folder and not path.endswith(".understory"):
            path += ".understory"
        if self.as_folder and path.endswith(".understory"):
            path = path[: -len(".understory")]
        return files.export_steps(context, chosen_sensor(context), path, stop)

    def invoke(self, context, event):
        return ExportHelper.invoke(self, context, event)

    def done(self, context, result):
        return f"wrote {self.filepath}"


class UNDERSTORY_OT_export_motion(LongWork, bpy.types.Operator, ExportHelper):
    """Write where objects are and how fast: .csv, .txt (BlenSor's form) or .xml (KITTI tracklets)"""

    bl_idname = "understory.export_motion"
    bl_label = "Motion of Objects (.csv, .txt, .xml)"
    filename_ext = ".csv"
    check_extension = False

    only_selected: BoolProperty(name="Selected objects only")

    def steps(self, context, stop):
        names = [thing.name_full for thing in context.selected_objects] if self.only_selected else []
        if self.only_selected and not names:
            raise Refusal("nothing is selected; select objects, or export all")
        return files.motion_steps(context, bpy.path.abspath(self.filepath), names, stop)

    def invoke(self, context, event):
        return ExportHelper.invoke(self, context, event)

    def done(self, context, result):
        return f"wrote {self.filepath}"


class UNDERSTORY_OT_save_scan(bpy.types.Operator, ExportHelper):
    """Write the active scan; the ending is the format: .laz, .ply, .pcd, .npy, .parquet, .e57, .mcap …"""

    bl_idname = "understory.save_scan"
    bl_label = "Point Cloud of a Scan (.laz, .ply, …)"
    filename_ext = ".laz"
    check_extension = False

    def execute(self, context):
        try:
            dropped = files.save_scan(context.object, self.filepath)
        except (Refusal, understory.UnderstoryError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for what in dropped:
            self.report({"WARNING"}, f"not kept: {what}")
        self.report({"INFO"}, f"wrote {self.filepath}")
        return {"FINISHED"}


class _Import(LongWork, ImportHelper):
    def invoke(self, context, event):
        return ImportHelper.invoke(self, context, event)

    def done(self, context, result):
        return f"read {self.filepath}"


class UNDERSTORY_OT_import_recording(_Import, bpy.types.Operator):
    """Read a recording of any format that Understory knows as points"""

    bl_idname = "understory.import_recording"
    bl_label = "Lidar Recording (.laz, .ply, .pcd, .npy, …)"
    bl_options = {"REGISTER", "UNDO"}

    def steps(self, context, stop):
        return files.import_recording_steps(context, bpy.path.abspath(self.filepath), stop)


class UNDERSTORY_OT_import_scenario(_Import, bpy.types.Operator):
    """Read the world and the sensors of a scenario or a pack"""

    bl_idname = "understory.import_scenario"
    bl_label = "Understory Scenario (.toml, .understory)"
    bl_options = {"REGISTER", "UNDO"}

    def steps(self, context, stop):
        path = bpy.path.abspath(self.filepath) if self.filepath not in understory.Scenario.names() else self.filepath
        return files.import_scenario_steps(context, path, stop)


class UNDERSTORY_OT_import_site(_Import, bpy.types.Operator):
    """Read a learned site: its volumes as points, its surface as a mesh"""

    bl_idname = "understory.import_site"
    bl_label = "Learned Site (.site)"
    bl_options = {"REGISTER", "UNDO"}

    def steps(self, context, stop):
        yield "reading the site", 0.0
        return files.import_site(context, bpy.path.abspath(self.filepath))


CLASSES = (
    UNDERSTORY_OT_make_sensor, UNDERSTORY_OT_add_parameter, UNDERSTORY_OT_explain, UNDERSTORY_OT_scan,
    UNDERSTORY_OT_depth_map, UNDERSTORY_OT_export_scenario, UNDERSTORY_OT_export_motion,
    UNDERSTORY_OT_save_scan, UNDERSTORY_OT_import_recording, UNDERSTORY_OT_import_scenario,
    UNDERSTORY_OT_import_site,
)  # fmt: skip

_EXPORTS = ("export_scenario", "export_motion", "save_scan")
_IMPORTS = ("import_recording", "import_scenario", "import_site")


def _export_menu(self, _context):
    for name in _EXPORTS:
        self.layout.operator(f"understory.{name}")


def _import_menu(self, _context):
    for name in _IMPORTS:
        self.layout.operator(f"understory.{name}")


def register() -> None:
    """Makes the operators known and puts those of files into the menus."""
    for one in CLASSES:
        bpy.utils.register_class(one)
    bpy.types.TOPBAR_MT_file_export.append(_export_menu)
    bpy.types.TOPBAR_MT_file_import.append(_import_menu)


def unregister() -> None:
    """Takes them away again."""
    bpy.types.TOPBAR_MT_file_import.remove(_import_menu)
    bpy.types.TOPBAR_MT_file_export.remove(_export_menu)
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
