"""The documented examples run."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest

sys.path.append(str(Path(__file__).parent.parent / "examples"))

import labelled_scenes  # noqa: E402
import p3_scenes  # noqa: E402


def make_scenes(folder, count, *more):
    labelled_scenes.main(["--scenes", str(count), "--out", str(folder), *more])
    return list(csv.DictReader(open(folder / "classes.csv")))


def test_random_scenes_are_labelled_and_repeatable(tmp_path):
    rows = make_scenes(tmp_path / "a", 2)
    make_scenes(tmp_path / "b", 2)
    for number in range(2):
        name = f"scene-{number:04}.npy"
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
        cloud = np.load(tmp_path / "a" / name)
        classes = {row["class"] for row in rows if row["file"] == name}
        assert {"car", "vegetation", "building", "terrain", "road"} <= classes
        assert (cloud["label"][cloud["return_number"] > 0] > 0).all()


@pytest.mark.slow
def test_a_hundred_random_scenes(tmp_path):
    rows = make_scenes(tmp_path, 100)
    assert len({row["scene"] for row in rows}) == 100 and len(list(tmp_path.glob("*.npy"))) == 100
    assert sum(int(row["points"]) for row in rows) > 1_000_000


@pytest.mark.parametrize("name", ["mirror", "crossing"])
def test_a_figure_is_saved_as_a_blend_file(name, tmp_path, monkeypatch):
    path = tmp_path / f"{name}.blend"
    monkeypatch.setattr(sys, "argv", ["blender", "--", name, str(path)])
    p3_scenes.main()
    bpy.ops.wm.open_mainfile(filepath=str(path))
    assert bpy.context.scene.camera.understory.preset == "hdl-64e-blensor"
