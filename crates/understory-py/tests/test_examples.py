"""The examples run: as scripts, as notebooks, and on local clusters of Ray and Dask."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import understory
from conftest import needed

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "crates" / "understory-py" / "examples"


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


NOTEBOOKS = loaded(ROOT / "tools" / "notebooks.py")
NAMES: list[str] = NOTEBOOKS.NAMES


def run(name: str, folder: Path, *options: str, timeout_s: float = 120) -> str:
    done = subprocess.run(
        [sys.executable, EXAMPLES / f"{name}.py", "--quick", "--out", folder / "out", *options],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_all_examples_are_here() -> None:
    clusters = ["clusters_dask", "clusters_ray"]
    assert sorted(path.stem for path in EXAMPLES.glob("*.py")) == sorted([*NAMES, *clusters])
    assert sorted(p.stem for p in (EXAMPLES / "notebooks").glob("*.ipynb")) == sorted(NAMES)


def test_first_scan(tmp_path: Path) -> None:
    assert "points: (" in run("first_scan", tmp_path)
    assert len(understory.read(tmp_path / "out/scan.laz").points) > 10_000


def test_tall_grass(tmp_path: Path) -> None:
    assert "reach it" in run("tall_grass", tmp_path)
    table = np.loadtxt(tmp_path / "out/penetration.csv", delimiter=",", skiprows=1, ndmin=2)
    near, far = table[::2, 4], table[1::2, 4]
    assert (near >= far).all() and near[0] > far[0], "flat beams reach the ground less often"
    assert near[0] > near[-1] and far[0] > far[-1], "and through denser grass"


def test_learn_and_swap(tmp_path: Path) -> None:
    assert "site: <Comparison" in run("learn_and_swap", tmp_path)
    assert len(understory.Site(tmp_path / "out/garden.site")) > 100


def test_semantic_kitti(tmp_path: Path) -> None:
    said = run("semantic_kitti", tmp_path, "--scenes", "3")
    assert "vegetation" in said and "terrain" in said and "person" in said
    for number in range(3):
        sequence = tmp_path / f"out/sequences/{number:02d}"
        names = {path.name for path in sequence.iterdir()}
        assert names == {"velodyne", "labels", "poses.txt", "times.txt", "calib.txt"}
        points = np.fromfile(sequence / "velodyne/000000.bin", np.float32)
        labels = np.fromfile(sequence / "labels/000000.label", np.uint32)
        assert len(points) == 4 * len(labels) > 4 * 5_000


def test_fit_error(tmp_path: Path) -> None:
    assert "given 0.03 m" in run("fit_error", tmp_path)
    assert "[range_error]" in (tmp_path / "out/range-error.toml").read_text()


def test_deschaud_table1(tmp_path: Path) -> None:
    assert "likelihood" in run("deschaud_table1", tmp_path)
    rows = json.loads((tmp_path / "out/table1.json").read_text())
    assert {row["pose"] for row in rows} == {"same", "held-out"}
    assert {"surface", "voxel", "likelihood"} <= {row["model"] for row in rows}
    for row in rows:
        assert row["target"] == "Plane" and row["orientations"] > 0
        assert row["excess"] == pytest.approx(row["distance"] - row["floor"])
    papers = {row["model"]: row["paper"] for row in rows if row["paper"] is not None}
    assert papers == {"surface": 0.019, "voxel": 0.068}


def test_clusters_ray(tmp_path: Path) -> None:
    needed("ray")
    said = run("clusters_ray", tmp_path)
    assert "4 tasks" in said and "equal to one process: True" in said


def test_clusters_dask(tmp_path: Path) -> None:
    needed("distributed")
    said = run("clusters_dask", tmp_path)
    assert "4 tasks" in said and "equal to one process: True" in said


@pytest.mark.parametrize("name", NAMES)
def test_notebooks_are_up_to_date(name: str) -> None:
    script = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    stored = (EXAMPLES / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8")
    assert stored == NOTEBOOKS.notebook(script), "run python tools/notebooks.py"


@pytest.mark.parametrize("name", NAMES)
def test_notebooks_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = needed("nbformat")
    nbclient = needed("nbclient")
    needed("ipykernel")
    monkeypatch.setenv("UNDERSTORY_QUICK", "1")
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    notebook = nbformat.read(EXAMPLES / "notebooks" / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    resources = {"metadata": {"path": str(tmp_path)}}
    client = nbclient.NotebookClient(notebook, timeout=120, resources=resources)
    client.execute(env=os.environ.copy())
    printed = [
        output.text
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type == "stream"
    ]
    assert printed and (tmp_path / "out").is_dir()
