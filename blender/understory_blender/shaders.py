"""Blender's materials → what a lidar's light meets.

What enters: a material with its settings of Understory. What leaves: a table ``[[world.material]]`` and,
where the base colour has a picture, the node of that picture.

The Principled BSDF is read thus. Reflectance is the luminance of the base colour at every wavelength:
colours of pictures say nothing of the near infrared, for which the library's materials are. Metal with
a roughness below 0.1 is a mirror; rougher metal is diffuse and glossy. Transmission above 0.5 is glass
of the material's index, thin where its thickness is 0 or its mesh is open. All else has the gloss of its
index and specular level, F₀ = ((n − 1)/(n + 1))²·2·level, on facets of the roughness α = roughness².
"""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from .refusal import Refusal

#: Materials that Understory has a table of.
LIBRARY = (
    "leaf", "leaf-dry", "needle", "grass", "grass-dry", "moss", "bark", "bark-smooth", "wood",
    "plywood", "soil", "soil-wet", "sand", "gravel", "rock", "asphalt", "concrete", "brick",
    "roof-tile", "plaster", "paint-white", "paint-red", "paint-black", "metal", "cloth", "snow", "ice",
    "water", "glass", "mirror", "retro-sheeting", "licence-plate", "grey", "target-80", "target-50",
    "target-10",
)  # fmt: skip

#: Rec. 709.
LUMINANCE = np.array([0.2126, 0.7152, 0.0722])

_MIRROR_ROUGHNESS = 0.1
_GLOSS_ROUGHNESS_MAX = 0.7


@dataclass
class Surface:
    """What a material is."""

    #: Its name in the scenario, without that of a picture's shade.
    name: str
    #: Keys of ``[[world.material]]`` but the name; none: the library's own of this name.
    keys: dict[str, object] | None
    #: The image of its base colour.
    image: object | None = None
    #: The name of the UV map that the image is laid by; empty: the active one.
    uv_map: str = ""
    #: Glass that may be a pane or a body: its mesh decides.
    glass_by_mesh: bool = False

    def shaded(self, luminance: float) -> dict[str, object]:
        """Its keys where a picture has this luminance."""
        keys = dict(self.keys or {})
        gloss = keys.get("gloss", {"share": 0.0})["share"]
        keys["reflectance"] = round(float(min(max(luminance, 0.0), 1.0 - gloss)), 6)
        return keys


def library_name(name: str) -> str | None:
    """The library's material that a name of Blender's stands for: ``Grass.003`` is ``grass``."""
    plain = name.split(".")[0].strip().lower().replace("_", "-").replace(" ", "-")
    return plain if plain in LIBRARY else None


def plain_name(name: str) -> str:
    """A name that every file of a scenario can hold."""
    plain = "".join(c if c.isprintable() and c != "\\" else "-" for c in name).strip()
    return plain or "material"


def surface(material, by_name: bool = True) -> Surface:
    """What a material is by its settings, its name or its nodes; none: grey."""
    if material is None:
        return Surface("grey", None)
    name = plain_name(material.name_full)
    own = getattr(material, "understory", None)
    kind = own.kind if own is not None else "AUTO"
    if kind == "LIBRARY":
        return Surface(own.library, None)
    if kind == "CUSTOM":
        return Surface(name, _custom(own, name))
    known = library_name(material.name_full) if by_name else None
    if known is not None:
        return Surface(known, None)
    return _of_nodes(material, name)


def _custom(own, name: str) -> dict[str, object]:
    keys: dict[str, object] = {"reflectance": round(own.reflectance, 6)}
    if own.mirror > 0:
        keys["mirror"] = round(own.mirror, 6)
    if own.gloss_share > 0:
        keys["gloss"] = {"share": round(own.gloss_share, 6), "roughness": round(own.gloss_roughness, 6)}
    if own.retro_share > 0:
        keys["retro"] = {"share": round(own.retro_share, 6), "cone_deg": round(own.retro_cone_deg, 6)}
    if own.glass != "NONE":
        keys["glass"] = {"index": round(own.glass_index, 6), "kind": own.glass.lower()}
    total = own.reflectance + own.mirror + own.gloss_share + own.retro_share
    if total > 1.0 + 1e-6:
        raise Refusal(
            f"material {name!r}: reflectance, mirror, gloss and retro sum to {total:.2f}; lower one so "
            "that they are at most 1"
        )
    return keys


def _of_nodes(material, name: str) -> Surface:
    shader = _shader(material)
    if shader is None:
        colour = np.array(material.diffuse_color[:3])
        return Surface(name, _diffuse(colour))
    image, uv_map = _image(shader, "Base Color", "Color")
    colour = _value(shader, ("Base Color", "Color"), (0.8, 0.8, 0.8, 1.0))
    colour = np.array(colour[:3], dtype=np.float64)
    roughness = float(_value(shader, ("Roughness",), 0.5))
    index = float(np.clip(_value(shader, ("IOR",), 1.45), 1.0, 4.1))
    if shader.bl_idname in ("ShaderNodeBsdfGlass", "ShaderNodeBsdfRefraction"):
        return _glass(name, index)
    if shader.bl_idname == "ShaderNodeBsdfGlossy" or shader.bl_idname == "ShaderNodeBsdfAnisotropic":
        return _metal(name, colour, roughness, image, uv_map)
    if shader.bl_idname != "ShaderNodeBsdfPrincipled":
        return Surface(name, _diffuse(colour), image, uv_map)
    if float(_value(shader, ("Transmission Weight", "Transmission"), 0.0)) > 0.5:
        return _glass(name, index)
    if float(_value(shader, ("Metallic",), 0.0)) > 0.5:
        return _metal(name, colour, roughness, image, uv_map)
    level = float(_value(shader, ("Specular IOR Level", "Specular"), 0.5))
    share = ((index - 1) / (index + 1)) ** 2 * 2 * level
    keys = _diffuse(colour)
    if share > 1e-4 and roughness < _GLOSS_ROUGHNESS_MAX:
        _add_gloss(keys, min(share, 1.0), roughness)
    return Surface(name, keys, image, uv_map)


def _diffuse(colour: np.ndarray) -> dict[str, object]:
    return {"reflectance": _luminance(colour), "color": _hex(colour)}


def _add_gloss(keys: dict[str, object], share: float, roughness: float) -> None:
    keys["gloss"] = {"share": round(share, 6), "roughness": round(max(roughness**2, 0.005), 6)}
    keys["reflectance"] = round(min(float(keys["reflectance"]), 1.0 - round(share, 6)), 6)


def _metal(name, colour, roughness, image, uv_map) -> Surface:
    if roughness < _MIRROR_ROUGHNESS:
        return Surface(name, {"reflectance": 0.0, "mirror": _luminance(colour), "color": _hex(colour)})
    keys = {"reflectance": round(0.5 * _luminance(colour), 6), "color": _hex(colour)}
    _add_gloss(keys, 0.5 * _luminance(colour), roughness)
    return Surface(name, keys, image, uv_map)


def _glass(name: str, index: float) -> Surface:
    keys = {"glass": {"index": round(index, 6), "kind": "solid"}}
    return Surface(name, keys, glass_by_mesh=True)


def _shader(material):
    """The shader that the material's surface is; of a mix the first one that is known."""
    tree = getattr(material, "node_tree", None)
    if tree is None or (bpy.app.version < (5, 0, 0) and not material.use_nodes):
        return None
    outputs = [node for node in tree.nodes if node.bl_idname == "ShaderNodeOutputMaterial"]
    outputs.sort(key=lambda node: not node.is_active_output)
    waiting = [_source(output.inputs["Surface"]) for output in outputs[:1]]
    seen = set()
    while waiting:
        node = waiting.pop(0)
        if node is None or node.name in seen:
            continue
        seen.add(node.name)
        if node.bl_idname.startswith("ShaderNodeBsdf"):
            if node.bl_idname != "ShaderNodeBsdfTransparent":
                return node
            continue
        waiting.extend(_source(socket) for socket in node.inputs if socket.type == "SHADER")
    return None


def _source(socket):
    return socket.links[0].from_node if socket.is_linked and socket.links else None


def _socket(node, names):
    return next((node.inputs[name] for name in names if name in node.inputs), None)


def _value(node, names, default):
    socket = _socket(node, names)
    if socket is None or not hasattr(socket, "default_value"):
        return default
    source = _source(socket)
    if source is not None and source.bl_idname in ("ShaderNodeRGB", "ShaderNodeValue"):
        return source.outputs[0].default_value
    return socket.default_value


def _image(node, *names):
    """The picture that a socket takes its colour from, also through mixing and curves."""
    socket = _socket(node, names)
    waiting = [_source(socket)] if socket is not None else []
    seen = set()
    while waiting:
        found = waiting.pop(0)
        if found is None or found.name in seen:
            continue
        seen.add(found.name)
        if found.bl_idname == "ShaderNodeTexImage":
            if found.image is None:
                continue
            vector = _source(found.inputs["Vector"])
            uv_map = vector.uv_map if vector is not None and hasattr(vector, "uv_map") else ""
            return found.image, uv_map
        waiting.extend(_source(one) for one in found.inputs)
    return None, ""


def _luminance(colour: np.ndarray) -> float:
    return round(float(np.clip(LUMINANCE @ np.clip(colour, 0, 1), 0, 1)), 6)


def _hex(colour: np.ndarray) -> str:
    linear = np.clip(np.asarray(colour, dtype=np.float64), 0, 1)
    srgb = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{round(float(c) * 255):02x}" for c in srgb)
