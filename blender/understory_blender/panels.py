"""Panels: they show settings and buttons and know nothing else.

What stands in each is a list here, of which the tables in the docs are made.
"""

from __future__ import annotations

import bpy

from . import parameters

#: Settings of the scene in the panel of the sensor, by heading.
SCAN = {
    "Frames": ("span", "frame_first", "frame_last", "scans", "duration_s", "seed"),
    "Result": ("with_noisy", "with_clean", "point_radius_m", "colour_by", "files"),
    "Weather": ("fog", "fog_visibility_m", "rain", "rain_mm_per_h", "snow", "snow_mm_per_h", "dust", "dust_visibility_m"),
    "Light": ("bounces_max",),
    "Depth map": ("depth_width", "depth_height", "depth_along_axis"),
}
#: Settings of a sensor.
SENSOR = ("preset", "use_camera_view", "show_pattern")
#: Settings of any object.
OBJECT = ("label", "is_unseen")
#: Settings of a material by its kind.
MATERIAL = {
    "LIBRARY": ("library",),
    "CUSTOM": (
        "reflectance", "mirror", "gloss_share", "gloss_roughness", "retro_share", "retro_cone_deg", "glass",
        "glass_index",
    ),
}  # fmt: skip
#: Settings of a scan that lies in the scene.
RESULT = ("colour_by", "is_fixed", "low", "high")

#: Which property of a parameter holds its value.
_VALUE = {"NUMBER": "number", "WHOLE": "whole", "TRUTH": "truth", "CHOICE": "choice", "TEXT": "text"}


class _Panel:
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_options = {"DEFAULT_CLOSED"}


class UNDERSTORY_PT_sensor(_Panel, bpy.types.Panel):
    """The sensor that the active camera or empty is"""

    bl_idname = "UNDERSTORY_PT_sensor"
    bl_label = "Understory Sensor"
    bl_context = "data"
    bl_options = set()

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type in ("CAMERA", "EMPTY")

    def draw(self, context):
        layout, settings = self.layout, context.object.understory
        if not settings.is_sensor:
            layout.operator("understory.make_sensor")
            return
        for name in SENSOR:
            layout.prop(settings, name)
        row = layout.row()
        row.operator("understory.scan", icon="PLAY")
        row.operator("understory.depth_map", icon="IMAGE_ZDEPTH")


class UNDERSTORY_PT_parameters(_Panel, bpy.types.Panel):
    """Every number of the sensor"""

    bl_idname = "UNDERSTORY_PT_parameters"
    bl_label = "Parameters"
    bl_parent_id = "UNDERSTORY_PT_sensor"
    bl_context = "data"

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.understory.is_sensor

    def draw(self, context):
        layout, known = self.layout, parameters.all_parameters()
        table = None
        for item in context.object.understory.parameters:
            parameter = known.get(item.path)
            if parameter is None:
                continue
            if parameter.table != table:
                table = parameter.table
                layout.label(text=table or "general")
            row = layout.row(align=True)
            row.prop(item, "is_changed", text="")
            row.prop(item, _VALUE[item.kind], text=parameter.name)
            row.operator("understory.explain", icon="QUESTION").path = item.path
        layout.operator("understory.add_parameter", icon="ADD")


class UNDERSTORY_PT_scan(_Panel, bpy.types.Panel):
    """How the scene is scanned"""

    bl_idname = "UNDERSTORY_PT_scan"
    bl_label = "Understory Scan"
    bl_context = "scene"

    def draw(self, context):
        layout, settings = self.layout, context.scene.understory
        for heading, names in SCAN.items():
            box = layout.box()
            box.label(text=heading)
            for name in names:
                box.prop(settings, name)
        layout.operator("understory.scan", icon="PLAY")


class UNDERSTORY_PT_object(_Panel, bpy.types.Panel):
    """What sensors see of an object"""

    bl_idname = "UNDERSTORY_PT_object"
    bl_label = "Understory"
    bl_context = "object"

    @classmethod
    def poll(cls, context):
        return context.object is not None

    def draw(self, context):
        for name in OBJECT:
            self.layout.prop(context.object.understory, name)


class UNDERSTORY_PT_material(_Panel, bpy.types.Panel):
    """What a material does with a lidar's light"""

    bl_idname = "UNDERSTORY_PT_material"
    bl_label = "Understory"
    bl_context = "material"

    @classmethod
    def poll(cls, context):
        return context.material is not None

    def draw(self, context):
        settings = context.material.understory
        self.layout.prop(settings, "kind")
        for name in MATERIAL.get(settings.kind, ()):
            self.layout.prop(settings, name)


class UNDERSTORY_PT_result(_Panel, bpy.types.Panel):
    """How a scan is shown"""

    bl_idname = "UNDERSTORY_PT_result"
    bl_label = "Understory Points"
    bl_context = "data"
    bl_options = set()

    @classmethod
    def poll(cls, context):
        return context.object is not None and "understory_result" in context.object

    def draw(self, context):
        for name in RESULT:
            self.layout.prop(context.object.understory_shown, name)
        self.layout.operator("understory.save_scan", icon="EXPORT")


CLASSES = (
    UNDERSTORY_PT_sensor, UNDERSTORY_PT_parameters, UNDERSTORY_PT_scan, UNDERSTORY_PT_object,
    UNDERSTORY_PT_material, UNDERSTORY_PT_result,
)  # fmt: skip


def register() -> None:
    """Makes the panels known."""
    for one in CLASSES:
        bpy.utils.register_class(one)


def unregister() -> None:
    """Takes them away again."""
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
