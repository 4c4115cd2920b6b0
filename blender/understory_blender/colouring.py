"""A material that colours a point cloud by one of its attributes.

Numbers go through Viridis from the least to the greatest that the cloud has, or between two fixed values;
classes, objects and the like have a hue each.
"""

from __future__ import annotations

import bpy
import numpy as np

#: Attributes that are numbers.
NUMBERS = ("range_m", "true_range_m", "intensity", "incidence_deg", "height_m", "time_s", "range_spread_m", "range_error_m")
#: Attributes that are names.
CLASSES = ("label", "object", "material", "return_number", "return_count", "channel", "scan", "sub_ray_hits")

#: From one number to the next, in turns: the classes of SemanticKITTI that streets have get hues far apart.
_HUE_STEP = 0.8075

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
        srgb = [int(text[k : k + 2], 16) / 255 for k in (0, 2, 4)]
        point.color = [*(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in srgb), 1.0]
    return ramp
