"""A material that colours a point cloud by one of its attributes.

Numbers go through Viridis from the least to the greatest that the cloud has, or between two fixed values;
classes have SemanticKITTI's own colours, objects and the like a hue each, by the golden section.
"""

from __future__ import annotations

import bpy
import numpy as np

#: Attributes that are numbers.
NUMBERS = ("range_m", "true_range_m", "intensity", "incidence_deg", "height_m", "time_s", "range_spread_m", "range_error_m")
#: Attributes that are names.
CLASSES = ("label", "object", "material", "return_number", "return_count", "channel", "scan", "sub_ray_hits")

#: From one number to the next, in turns: the golden section.
_HUE_STEP = 0.6180339887

#: SemanticKITTI's own colours of its classes, sRGB.
_CLASS_COLOURS = {
    0: "282828", 1: "606060", 10: "6496f5", 11: "64e6f5", 13: "6450fa", 15: "1e3c96", 16: "0000ff",
    18: "501eb4", 20: "0000ff", 30: "ff1e1e", 31: "ff28c8", 32: "961e5a", 40: "ff00ff", 44: "ff96ff",
    48: "4b004b", 49: "af004b", 50: "ffc800", 51: "ff7832", 52: "ff9600", 60: "96ffaa", 70: "00af00",
    71: "873c00", 72: "96f050", 80: "fff096", 81: "ff0000", 99: "32ffff", 252: "6496f5", 253: "ff28c8",
    254: "ff1e1e", 255: "501eb4",
}  # fmt: skip
#: Cycles keeps 256 colours of a ramp: one for each class up to here; greater ones have the last one's.
_CLASS_MAX = 255

#: Viridis at equal steps, sRGB.
_VIRIDIS = ("440154", "472c7a", "3b518b", "2c718e", "21908d", "27ad81", "5cc863", "aadc32", "fde725")

_ITEMS = [(name, name.replace("_", " "), "") for name in (*NUMBERS, *CLASSES, "colour")]


def items(_self, _context):
    """What a cloud can be coloured by."""
    return _ITEMS


def apply(cloud) -> None:
    """Makes the material of a result anew."""
    if cloud is None or "understory_result" not in cloud or cloud.type not in ("POINTCLOUD", "MESH"):
        return
    shown = cloud.understory_shown
    name = f"Understory {cloud.name}"
    slots = cloud.data.materials
    material = slots[0] if len(slots) and slots[0] is not None else bpy.data.materials.new(name)
    if not len(slots):
        slots.append(material)
    elif slots[0] is None:
        slots[0] = material
    low, high = (shown.low, shown.high) if shown.is_fixed else _limits(cloud, shown.colour_by)
    build(material, shown.colour_by, low, high)


def _limits(cloud, attribute: str) -> tuple[float, float]:
    found = cloud.data.attributes.get(attribute)
    if found is None or attribute not in NUMBERS or not len(found.data):
        return 0.0, 1.0
    values = np.empty(len(found.data), np.float32)
    found.data.foreach_get("value", values)
    values = values[np.isfinite(values)]
    if not len(values):
        return 0.0, 1.0
    # One far point does not take all colours of the others.
    low, high = np.percentile(values, [0.5, 99.5])
    return float(low), float(max(high, low + 1e-6))


def build(material, attribute: str, low: float, high: float) -> None:
    """Nodes from an attribute to light."""
    if material.node_tree is None:
        material.use_nodes = True
    tree = material.node_tree
    tree.nodes.clear()
    source = tree.nodes.new("ShaderNodeAttribute")
    source.attribute_name = attribute
    shine = tree.nodes.new("ShaderNodeEmission")
    output = tree.nodes.new("ShaderNodeOutputMaterial")
    tree.links.new(shine.outputs["Emission"], output.inputs["Surface"])
    if attribute == "colour":
        tree.links.new(source.outputs["Color"], shine.inputs["Color"])
    elif attribute == "label":
        tree.links.new(_class_colours(tree, source.outputs["Fac"]), shine.inputs["Color"])
    elif attribute in CLASSES:
        tree.links.new(_hues(tree, source.outputs["Fac"]), shine.inputs["Color"])
    else:
        ramp = _ramp(tree)
        scale = tree.nodes.new("ShaderNodeMapRange")
        scale.inputs["From Min"].default_value = low
        scale.inputs["From Max"].default_value = high
        tree.links.new(source.outputs["Fac"], scale.inputs["Value"])
        tree.links.new(scale.outputs["Result"], ramp.inputs["Fac"])
        tree.links.new(ramp.outputs["Color"], shine.inputs["Color"])


def _hues(tree, number):
    turn = tree.nodes.new("ShaderNodeMath")
    turn.operation = "MULTIPLY"
    turn.inputs[1].default_value = _HUE_STEP
    part = tree.nodes.new("ShaderNodeMath")
    part.operation = "FRACT"
    colour = tree.nodes.new("ShaderNodeCombineColor")
    colour.mode = "HSV"
    colour.inputs[1].default_value = 0.75
    colour.inputs[2].default_value = 0.9
    tree.links.new(number, turn.inputs[0])
    tree.links.new(turn.outputs[0], part.inputs[0])
    tree.links.new(part.outputs[0], colour.inputs[0])
    return colour.outputs["Color"]


def _ramp(tree):
    ramp = tree.nodes.new("ShaderNodeValToRGB")
    points = ramp.color_ramp.elements
    while len(points) < len(_VIRIDIS):
        points.new(0.5)
    for number, (point, text) in enumerate(zip(points, _VIRIDIS)):
        point.position = number / (len(_VIRIDIS) - 1)
        point.color = _linear(text)
    return ramp


def _linear(text: str) -> list[float]:
    srgb = [int(text[k : k + 2], 16) / 255 for k in (0, 2, 4)]
    return [*(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in srgb), 1.0]


def _class_colours(tree, number):
    share = tree.nodes.new("ShaderNodeMath")
    share.operation = "MULTIPLY_ADD"
    share.inputs[1].default_value = 1 / _CLASS_MAX
    share.inputs[2].default_value = 0.25 / _CLASS_MAX
    ramp = tree.nodes.new("ShaderNodeValToRGB")
    ramp.color_ramp.interpolation = "CONSTANT"
    points = ramp.color_ramp.elements
    points.remove(points[1])
    points[0].position, points[0].color = 0.0, _linear(_CLASS_COLOURS[0])
    for label, text in sorted(_CLASS_COLOURS.items())[1:]:
        # The table is made at steps of 1/256 and read at steps of 1/255; a quarter keeps rounding away.
        points.new((label - 0.25) / (_CLASS_MAX + 1)).color = _linear(text)
    tree.links.new(number, share.inputs[0])
    tree.links.new(share.outputs[0], ramp.inputs["Fac"])
    return ramp.outputs["Color"]
