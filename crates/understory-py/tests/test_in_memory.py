"""Meshes in memory: materials, frames, names of copies, and how they get into files."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import understory

#: A wall of two halves at x = 5.
CORNERS = np.array([[5, -4, -2], [5, 0, -2], [5, 4, -2], [5, -4, 4], [5, 0, 4], [5, 4, 4]], dtype=float)
TRIANGLES = [[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]]


def halves() -> understory.World:
    world = understory.World().add_material("dark", reflectance=0.1).add_material("light", reflectance=0.8)
    return world.add_mesh(
        "wall", CORNERS, TRIANGLES, materials=["light", "dark"], triangle_materials=[1, 1, 0, 0]
    )


def scan(world: understory.World, **keys: object) -> understory.Cloud:
    return understory.run(understory.Scenario.build(world, "hdl-64e-blensor", **keys))  # type: ignore[arg-type]


def test_each_triangle_has_its_material() -> None:
    simulation = understory.Simulation(understory.Scenario.build(halves(), "hdl-64e-blensor"))
    cloud = simulation.run().returns()
    for sign, name in ((-1, "dark"), (1, "light")):
        side = cloud[sign * cloud.true_xyz_m[:, 1] > 0.01]
        assert len(side) > 1000 and {simulation.materials[m] for m in set(side.material)} == {name}


def test_frames_are_shown_at_their_times() -> None:
    """A plate that jumps by half a metre every 20 ms, each shown from half a step before its time."""
    world = understory.World()
    plate = np.array([[0, -9, -5], [0, 9, -5], [0, 9, 5], [0, -9, 5]], dtype=float)
    steps = range(6)
    files = [world.keep_mesh(f"plate {k}", plate + [4 + 0.5 * k, 0, 0], [[0, 1, 2], [0, 2, 3]]) for k in steps]
    world.add_object("plate", "mesh", frames={"files": files, "step_s": 0.02}, label=99)
    cloud = scan(world).returns()
    expected = 4 + 0.5 * np.round(cloud.time_s / 0.02)
    clear = np.abs(cloud.time_s / 0.02 % 1 - 0.5) > 1e-3
    assert clear.sum() > 3000 and np.abs(cloud.true_xyz_m[clear, 0] - expected[clear]).max() < 1e-4


def test_frames_of_other_triangles_are_refused() -> None:
    world = understory.World()
    files = [world.keep_mesh("one", CORNERS, TRIANGLES), world.keep_mesh("other", CORNERS, TRIANGLES[:3])]
    world.add_object("wall", "mesh", frames={"files": files, "step_s": 0.1})
    with pytest.raises(understory.ScenarioError, match="3 triangles of other materials than the 4"):
        understory.Simulation(understory.Scenario.build(world, "vlp-16"))


@pytest.mark.parametrize(
    ("keys", "match"),
    [
        ({"frames": {"files": [], "step_s": 0.1}}, "files"),
        ({"frames": {"files": ["memory:wall"]}}, "step_s"),
        ({"frames": {"files": ["memory:wall"], "step_s": 0.1}, "file": "memory:wall"}, "has no `file`"),
        ({"frames": {"files": ["memory:wal"], "step_s": 0.1}}, "no mesh called"),
        ({"file": "memory:wall", "copy_names": ["a", "b"]}, "2 names for 1 copies"),
        ({"frames": {"files": ["memory:wall"], "step_s": 0.1}, "scale": [1, 2, 1]}, "stretched"),
    ],
)
def test_wrong_keys_are_refused(keys: dict[str, object], match: str) -> None:
    world = halves().add_object("second", "mesh", **keys)
    with pytest.raises(understory.ScenarioError, match=match):
        understory.Scenario.build(world, "vlp-16")


def test_wrong_materials_are_refused() -> None:
    world = understory.World()
    with pytest.raises(understory.ArgumentTypeError, match="give both"):
        world.add_mesh("a", CORNERS, TRIANGLES, materials=["dark"])
    with pytest.raises(understory.ArgumentError, match="there are 1 materials"):
        world.add_mesh("b", CORNERS, TRIANGLES, materials=["dark"], triangle_materials=[0, 0, 1, 0])
    world.add_mesh("c", CORNERS, TRIANGLES, materials=["dark"], triangle_materials=[0, 0])
    with pytest.raises(understory.ScenarioError, match="2 materials for 4 triangles"):
        understory.Scenario.build(world, "vlp-16")
    world = understory.World()
    world.add_mesh("d", CORNERS, TRIANGLES, materials=["two\nlines"], triangle_materials=[0] * 4)
    with pytest.raises(understory.ScenarioError, match="no name that a file can have"):
        understory.Scenario.build(world, "vlp-16")


def test_copies_have_names_of_their_own() -> None:
    world = understory.World()
    places = [{"position_m": [0, 3 * k, 0]} for k in range(3)]
    world.add_mesh("wall", CORNERS, TRIANGLES, instances=places, copy_names=["left", "middle", "right"])
    simulation = understory.Simulation(understory.Scenario.build(world, "vlp-16"))
    assert list(simulation.objects.values()) == ["left", "middle", "right"]


@pytest.mark.parametrize("target", ["trial.understory", "trial"])
def test_what_is_saved_gives_the_same_bytes(tmp_path: Path, target: str) -> None:
    rng = np.random.default_rng(3)
    world = halves()
    rough = rng.normal(size=(60, 3)) * [2, 2, 1] + [-6, 0, 0]
    world.add_mesh("rough", rough, rng.permutation(60).reshape(20, 3), label="vegetation", edges="exact")
    files = [world.keep_mesh(f"flag {k}", CORNERS * [0.6, 0.5, 1] + [0, 0.1 * k, 1], TRIANGLES) for k in range(3)]
    world.add_object("flag", "mesh", frames={"files": files, "step_s": 0.03})
    scenario = understory.Scenario.build(world, "vlp-16", seed=5)
    cloud = understory.run(scenario)
    scenario.save(tmp_path / target)
    path = tmp_path / target
    again = understory.Scenario(path if path.is_file() else path / "scenario.toml")
    assert understory.run(again) == cloud and "memory:" not in again.toml


def test_motion_and_world_as_files(tmp_path: Path) -> None:
    keyframes = [{"time_s": 0.0, "position_m": [0, 0, 0]}, {"time_s": 0.1, "position_m": [0, 1, 0]}]
    world = understory.World().add_mesh("wall", CORNERS, TRIANGLES, motion={"keyframes": keyframes})
    simulation = understory.Simulation(understory.Scenario.build(world, "vlp-16"))
    path = simulation.write_motion(tmp_path / "motion.csv", rate_hz=20.0)
    rows = list(csv.DictReader(open(path)))
    assert [float(row["y_m"]) for row in rows] == pytest.approx([0.0, 0.5, 1.0])
    done = simulation.export(tmp_path / "world.glb")
    assert done["files"] == [str(tmp_path / "world.glb")] and len(done["offset_m"]) == 3
    with pytest.raises(understory.ScenarioError, match="motion"):
        simulation.write_motion(tmp_path / "motion.docx")
    with pytest.raises(understory.ArgumentTypeError):
        simulation.write_motion(tmp_path / "motion.csv", objects="wall")
