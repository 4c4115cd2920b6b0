"""The tables of docs/blender.md that tell what is in the panels.

    UNDERSTORY_EXTENSION=… python -m pytest blender/tests/test_docs.py     # UNDERSTORY_UPDATE=1 writes them
"""

from __future__ import annotations

import bpy
from bl_ext.user_default.understory import panels

BEGIN, END = "<!-- begin generated: panels -->\n", "<!-- end generated: panels -->"


def _row(properties, name: str) -> str:
    found = properties[name]
    what = found.description
    if found.type == "ENUM" and len(found.enum_items_static) and not what:
        what = "; ".join(f"{one.name}: {one.description}" if one.description else one.name for one in found.enum_items_static)
        what = what if len(what) < 400 else "one of " + ", ".join(one.name for one in found.enum_items_static)
    return f"| {found.name} | `{name}` | {what} |"


def _table(properties, names) -> list[str]:
    return ["| setting | in scripts | |", "| --- | --- | --- |", *(_row(properties, name) for name in names), ""]


def tables() -> str:
    """All of them."""
    scene = bpy.context.scene.understory.bl_rna.properties
    thing = bpy.types.Object.bl_rna.properties["understory"].fixed_type.properties
    material = bpy.types.Material.bl_rna.properties["understory"].fixed_type.properties
    shown = bpy.types.Object.bl_rna.properties["understory_shown"].fixed_type.properties
    lines = ["**Scene ► Understory Scan** (`scene.understory`)", ""]
    for heading, names in panels.SCAN.items():
        lines += [f"*{heading}*", "", *_table(scene, names)]
    lines += ["**Data of a camera or an empty ► Understory Sensor** (`object.understory`)", "", *_table(thing, panels.SENSOR)]
    lines += ["**Object ► Understory** (`object.understory`)", "", *_table(thing, panels.OBJECT)]
    lines += ["**Material ► Understory** (`material.understory`)", "", *_table(material, ("kind", *panels.MATERIAL["LIBRARY"], *panels.MATERIAL["CUSTOM"]))]
    lines += ["**Data of a scan ► Understory Points** (`object.understory_shown`)", "", *_table(shown, panels.RESULT)]
    return "\n".join(lines)


def written(text: str) -> str:
    """A page with the tables in their place."""
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return before + BEGIN + tables() + "\n" + END + after
