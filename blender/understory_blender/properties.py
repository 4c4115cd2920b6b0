"""What is stored in a .blend file: settings of objects, materials, sensors, scans and results."""

from __future__ import annotations

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import PropertyGroup

import understory

from . import colouring, parameters, sensor, shaders

#: Kept here because Blender does not keep the texts of lists that functions give.
_PRESETS: list[tuple[str, str, str]] = []
_CHOICES: dict[str, list[tuple[str, str, str]]] = {}


def _presets(_self, _context):
    if not _PRESETS:
        for name in understory.Sensor.names():
            facts = understory.Sensor(name).describe()
            _PRESETS.append((name, facts.get("sensor", name), ", ".join(f"{k}: {v}" for k, v in facts.items())))
    return _PRESETS


def _choices(self, _context):
    if self.path not in _CHOICES:
        known = parameters.all_parameters().get(self.path)
        choices = known.choices if known is not None else ()
        _CHOICES[self.path] = [(one, one, help_) for one, help_ in choices] or [("", "", "")]
    return _CHOICES[self.path]


def _changed(self, _context):
    self.is_changed = True


def _preset_chosen(self, _context):
    sensor.load_preset(self)


class UnderstoryParameter(PropertyGroup):
    """A key of a sensor's file and its value."""

    path: StringProperty()
    kind: StringProperty()
    is_changed: BoolProperty(
        name="Changed", description="Differs from the preset; take the mark away to have the preset's value"
    )
    number: FloatProperty(precision=5, update=_changed)
    whole: IntProperty(update=_changed)
    truth: BoolProperty(update=_changed)
    choice: EnumProperty(items=_choices, update=_changed)
    text: StringProperty(update=_changed)


class UnderstoryObject(PropertyGroup):
    """What sensors are told of an object, and whether it is a sensor."""

    label: StringProperty(
        name="Class",
        description="Semantic class: a SemanticKITTI name or a number from 0 to 65535. Empty: by its name, "
        "that of its collection, or its pass index",
    )
    is_unseen: BoolProperty(name="Not seen by sensors", description="Light passes as if it were not there")
    is_sensor: BoolProperty(name="Sensor", description="The camera or empty is a lidar or time-of-flight camera")
    preset: EnumProperty(
        name="Preset", description="The real sensor whose numbers are taken", items=_presets, update=_preset_chosen
    )
    parameters: CollectionProperty(type=UnderstoryParameter)
    shown_table: StringProperty(name="Part", default="beam")
    use_camera_view: BoolProperty(
        name="Camera's field of view",
        description="A time-of-flight camera takes the field of view of this Blender camera",
        default=True,
    )
    show_pattern: BoolProperty(name="Show pattern", description="Draw the beams of one scan in the viewport")


class UnderstoryMaterial(PropertyGroup):
    """What a material does with a lidar's light."""

    kind: EnumProperty(
        name="Optics",
        items=[
            ("AUTO", "Automatic", "The library's material of the same name, else by the shader's nodes"),
            ("LIBRARY", "Library", "A material of Understory's library"),
            ("CUSTOM", "Own values", "By the numbers below"),
        ],
    )
    library: EnumProperty(
        name="Material",
        items=[(name, name, "Reflectance at 532, 905, 1064 and 1550 nm: docs/scenario.md") for name in shaders.LIBRARY],
        default="grey",
    )
    reflectance: FloatProperty(name="Reflectance", description="Diffuse, at all wavelengths", min=0, max=1, default=0.5)
    mirror: FloatProperty(name="Mirror", description="Share of the light that goes on as from a mirror", min=0, max=1)
    gloss_share: FloatProperty(name="Gloss", description="Share of the light that facets reflect", min=0, max=1)
    gloss_roughness: FloatProperty(
        name="Roughness of the gloss", description="Root mean square slope of the facets", min=0.005, max=2, default=0.2
    )
    retro_share: FloatProperty(name="Retroreflection", description="Share of the light that goes back", min=0, max=1)
    retro_cone_deg: FloatProperty(
        name="Its cone [°]", description="Half-angle of the cone into which it goes", min=0.01, max=90, default=1
    )
    glass: EnumProperty(
        name="Glass",
        items=[
            ("NONE", "None", "Light does not pass"),
            ("PANE", "Pane", "Light goes straight on through a thin pane"),
            ("SOLID", "Solid", "Light bends in a body"),
        ],
    )
    glass_index: FloatProperty(name="Index", description="Index of refraction", min=1, max=4.1, default=1.5)


def _tell_colouring(self, _context):
    colouring.apply(self.id_data)


class UnderstoryResult(PropertyGroup):
    """How a scan that lies in the scene is shown."""

    colour_by: EnumProperty(name="Colour by", items=colouring.items, update=_tell_colouring)
    is_fixed: BoolProperty(name="Fixed range", description="Colours go from the two values below", update=_tell_colouring)
    low: FloatProperty(name="From", update=_tell_colouring)
    high: FloatProperty(name="To", default=1.0, update=_tell_colouring)


class UnderstoryScene(PropertyGroup):
    """How the scene is scanned."""

    span: EnumProperty(
        name="Frames",
        items=[
            ("CURRENT", "Current frame", "The world stands still during the scans"),
            ("RANGE", "Range", "Sensor and objects move from the first frame to the end of the last"),
        ],
    )
    frame_first: IntProperty(name="First", default=1)
    frame_last: IntProperty(name="Last", default=25)
    scans: IntProperty(name="Scans", description="Revolutions or frames of the sensor", min=1, max=10000, default=1)
    duration_s: FloatProperty(
        name="Duration [s]",
        description="Time that is simulated of the current frame; 0: as many scans as are asked for",
        min=0,
        precision=4,
    )
    seed: IntProperty(name="Seed", description="Key of all random numbers: the same gives the same points", min=0, default=1)
    with_noisy: BoolProperty(name="Measured points", description="With the sensor's errors", default=True)
    with_clean: BoolProperty(name="Clean points", description="At the true range along the beam")
    point_radius_m: FloatProperty(name="Point radius [m]", min=0.0001, max=10, default=0.02)
    colour_by: EnumProperty(name="Colour by", items=colouring.items)
    files: StringProperty(
        name="Files",
        description="Files that the scan is written into as well, with commas; endings are formats: //scan.laz, //scan.npy",
    )
    fog: BoolProperty(name="Fog")
    fog_visibility_m: FloatProperty(name="Visibility in fog [m]", min=1, max=1e6, default=100)
    rain: BoolProperty(name="Rain")
    rain_mm_per_h: FloatProperty(name="Rain [mm/h]", min=0.01, max=300, default=10)
    snow: BoolProperty(name="Snow")
    snow_mm_per_h: FloatProperty(name="Snow, as water [mm/h]", min=0.01, max=50, default=1)
    dust: BoolProperty(name="Dust")
    dust_visibility_m: FloatProperty(name="Visibility in dust [m]", min=1, max=1e6, default=100)
    bounces_max: IntProperty(name="Bounces", description="After how many surfaces a way of light ends", min=0, max=255, default=16)
    depth_width: IntProperty(name="Width [px]", min=1, max=16384, default=2000)
    depth_height: IntProperty(name="Height [px]", min=1, max=16384, default=2000)
    depth_along_axis: BoolProperty(name="Along the axis", description="Depth along the camera's axis (z) instead of along the ray")


CLASSES = (
    UnderstoryParameter, UnderstoryObject, UnderstoryMaterial, UnderstoryResult, UnderstoryScene,
)  # fmt: skip


def register() -> None:
    """Makes the settings known to Blender."""
    for one in CLASSES:
        bpy.utils.register_class(one)
    bpy.types.Object.understory = PointerProperty(type=UnderstoryObject)
    bpy.types.Material.understory = PointerProperty(type=UnderstoryMaterial)
    bpy.types.Object.understory_shown = PointerProperty(type=UnderstoryResult)
    bpy.types.Scene.understory = PointerProperty(type=UnderstoryScene)


def unregister() -> None:
    """Takes them away again."""
    del bpy.types.Scene.understory
    del bpy.types.Object.understory_shown
    del bpy.types.Material.understory
    del bpy.types.Object.understory
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
