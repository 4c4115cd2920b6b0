"""The page in the docs says what is there."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import bpy

ROOT = Path(__file__).parent.parent.parent
sys.path.append(str(ROOT / "blender"))

import panel_tables  # noqa: E402


def test_tables_of_panels_are_what_they_show():
    page = ROOT / "docs" / "blender.md"
    text = page.read_text(encoding="utf-8")
    wanted = panel_tables.written(text)
    if os.environ.get("UNDERSTORY_UPDATE"):
        page.write_text(wanted, encoding="utf-8")
    else:
        assert text == wanted, "run it again with UNDERSTORY_UPDATE=1"


def test_the_script_of_the_page_runs(make, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make.plane("terrain", (60, 60))
    make.box("car", (4, 2, 1.5), (8, 0, 0))
    make.camera(preset=None)
    text = (ROOT / "docs" / "blender.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(compile(script, "blender.md", "exec"), {})
    assert (tmp_path / "street.laz").stat().st_size > 10_000 and "lidar scan" in bpy.data.objects
