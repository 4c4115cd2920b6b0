"""Scenarios and sensors: by name, from files, built in code, changed, sent elsewhere."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
import understory
from understory import Scenario, Sensor


def test_names_are_those_on_board() -> None:
    assert {"first-scan", "courtyard", "drive"} <= set(Scenario.names())
    assert {"vlp-16", "hdl-32e", "os1-64-uniform"} <= set(Sensor.names())
    # Every one of them is valid.
    for name in Scenario.names():
        assert Scenario(name).duration_s > 0
    for name in Sensor.names():
        assert Sensor(name).channels > 0


def test_a_file_is_a_scenario(tmp_path: Path, room: understory.Simulation) -> None:
    text = Scenario("first-scan").toml
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    for source in (tmp_path / "mine.toml", str(tmp_path / "mine.toml")):
        scenario = Scenario(source)
        assert scenario.title == "A VLP-16 in a room" and scenario.seed == 7
        assert scenario.sensors == ["lidar"]
    interval = (0.0, 0.01)
    assert understory.run(scenario, interval_s=interval) == room.run(interval_s=interval)


def test_files_that_a_text_names_start_at_its_folder(tmp_path: Path) -> None:
    mesh = "v 3 -5 -5\nv 3 5 -5\nv 3 0 9\nf 1 2 3\n"
    (tmp_path / "wall.obj").write_text(mesh)
    table = {
        "seed": 1,
        "duration_s": 0.01,
        "world": {"object": [{"name": "wall", "shape": "mesh", "file": "wall.obj"}]},
        "sensor": [{"name": "a", "preset": "vlp-16"}],
    }
    cloud = understory.run(Scenario.from_dict(table, folder=tmp_path))
    assert np.allclose(cloud.points[:, 0], 3.0, atol=0.3)


def test_dict_and_text_are_the_same_scenario() -> None:
    table = {
        "version": 1,
        "seed": 3,
        "duration_s": 0.02,
        "world": {"object": [{"name": "a", "shape": "sphere", "radius_m": 2.0}]},
        "sensor": [{"name": "s", "preset": "vlp-16", "position_m": (5, 0, 0)}],
    }
    by_dict = Scenario.from_dict(table)
    by_text = Scenario.from_toml(by_dict.toml)
    assert understory.run(by_dict) == understory.run(by_text)


def test_numbers_of_numpy_and_paths_are_taken_in_tables(tmp_path: Path) -> None:
    table = {
        "seed": np.int64(3),
        "duration_s": np.float32(0.5),
        "title": None,
        "world": {"object": [{"name": "a", "shape": "plane", "size_m": np.array([4.0, 4.0])}]},
        "sensor": [{"name": "s", "preset": "vlp-16", "position_m": np.arange(3)}],
    }
    scenario = Scenario.from_dict(table)
    assert scenario.seed == 3 and scenario.duration_s == 0.5 and scenario.title is None


def test_keys_are_replaced_and_tables_merged() -> None:
    room = Scenario("first-scan")
    changed = room.replace(seed=9, duration_s=0.3, platform={"rotation_deg": [0, 0, 90]})
    assert (changed.seed, changed.duration_s) == (9, 0.3)
    pose = changed.platform_pose(0.1)
    assert np.allclose(pose[:3, 3], [0, 0, 1.2]) and np.allclose(pose[:2, :2], [[0, -1], [1, 0]])
    assert (room.seed, room.duration_s) == (7, 0.1)


def test_sensors_are_swapped() -> None:
    room = Scenario("first-scan")
    both = room.with_sensors("vlp-16", Sensor("hdl-32e", name="top", position_m=[0, 0, 0.5]))
    assert both.sensors == ["vlp-16", "top"]
    cloud = understory.run(both, interval_s=(0, 0.01))
    assert set(np.unique(cloud.sensor)) == {0, 1}
    assert cloud.channel[cloud.sensor == 1].max() == 31


def test_what_is_built_is_what_was_asked(field: Scenario) -> None:
    assert (field.title, field.seed, field.duration_s) == ("a field", 4, 0.2)
    assert field.sensors == ["front"]
    pose = field.platform_pose(0.1)
    assert pose.shape == (4, 4) and np.allclose(pose[:3, 3], [0.3, 0.1, 0.0])
    estimate = field.estimate()
    assert estimate["triangles"] > 0 and estimate["bytes"] > 0


@pytest.mark.parametrize("count", [1, 2, 3, 7, 100])
def test_intervals_cover_the_run(field: Scenario, count: int) -> None:
    parts = field.intervals(count)
    assert len(parts) == count
    assert parts[0][0] == 0.0 and parts[-1][1] == field.duration_s
    assert all(one[1] == next_one[0] for one, next_one in zip(parts, parts[1:]))


def test_a_scenario_travels_by_pickle(field: Scenario, room: understory.Simulation) -> None:
    for scenario in (field, Scenario("first-scan")):
        again = pickle.loads(pickle.dumps(scenario))
        assert again.toml == scenario.toml and again.sensors == scenario.sensors
        interval = (0.0, 0.01)
        assert understory.run(again, interval_s=interval) == understory.run(
            scenario, interval_s=interval
        )


def test_meshes_and_sites_travel_with_it(cloud: understory.Cloud) -> None:
    site = understory.learn(cloud, model="voxel", cell_m=0.3)
    corners = np.array([[2, -3, -3], [2, 3, -3], [2, 0, 5]], dtype=float)
    world = understory.World().add_mesh("wall", corners, [[0, 1, 2]]).add_site("room", site)
    scenario = Scenario.build(world, "vlp-16", duration_s=0.01)
    again = pickle.loads(pickle.dumps(scenario))
    assert understory.run(again) == understory.run(scenario)
    alone = scenario.in_site(site)
    assert understory.run(pickle.loads(pickle.dumps(alone))) == understory.run(alone)


def test_overrides_change_the_sensor() -> None:
    near = Sensor("vlp-16", override={"detector": {"range_max_m": 3.0}})
    scenario = Scenario("first-scan").with_sensors(near)
    cloud = understory.run(scenario)
    assert 0 < cloud.returns().range_m.max() <= 3.1
    assert near.table()["override"] == {"detector": {"range_max_m": 3.0}}


def test_a_sensor_of_ones_own(tmp_path: Path) -> None:
    preset = Path(__file__).parents[3] / "sensors" / "vlp-16.toml"
    (tmp_path / "mine.toml").write_text(
        preset.read_text().replace("rotation_hz = 10", "rotation_hz = 20")
    )
    sensor = Sensor.from_file(tmp_path / "mine.toml", position_m=(0, 0, 1))
    assert (sensor.name, sensor.channels, sensor.scan_duration_s) == ("mine", 16, 0.05)
    assert "VLP-16" in repr(sensor)
    assert len(understory.run(Scenario("first-scan").with_sensors(sensor))) > 1000


def test_a_sensor_tells_what_it_is() -> None:
    facts = Sensor("hdl-32e").describe()
    assert all(isinstance(k, str) and isinstance(v, str) for k, v in facts.items())
    assert Sensor("hdl-32e").channels == 32
