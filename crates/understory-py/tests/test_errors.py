"""Every wrong argument raises the right exception, with a sentence that says what came."""

# mypy: ignore-errors
from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import understory
from understory import (
    ArgumentError,
    ArgumentTypeError,
    Cloud,
    Environment,
    FileError,
    GeometryError,
    LearnError,
    RayScene,
    Scenario,
    ScenarioError,
    Sensor,
    Simulation,
    Site,
    UnderstoryError,
    World,
)

NAN, INF = float("nan"), float("inf")
TRIANGLE = np.array([[5.0, -1, -1], [5, 1, -1], [5, 0, 1]])
ITSELF: list[Any] = []
ITSELF.append(ITSELF)


class Things:
    """What calls are made on; built once."""

    def __init__(self) -> None:
        self.room = Simulation("first-scan")
        self.scenario = self.room.scenario
        self.cloud = self.room.run(interval_s=(0, 0.02))
        self.site = understory.learn(self.cloud, model="voxel", cell_m=0.5)
        self.rays = RayScene(TRIANGLE, [[0, 1, 2]])
        self.environment = Environment(self.scenario, step_s=0.01)
        self.environment.reset()
        self.plain = Cloud({"range_m": [1.0]})


@pytest.fixture(scope="module")
def things() -> Things:
    return Things()


def world_of(**keys: Any) -> Scenario:
    return Scenario.build(World().add_object("a", "sphere", **keys), "vlp-16")


def beams(origins: Any = ((0, 0, 0),), ways: Any = ((1, 0, 0),), ranges: Any = (1,)) -> Cloud:
    return Cloud.from_beams(origins, ways, ranges)


Call = Callable[[Things], Any]
TYPE, VALUE = ArgumentTypeError, ArgumentError

#: What is called, what it raises, and parts of the sentence.
CASES: list[tuple[Call, type[Exception], list[str]]] = [
    # Scenarios by name and from files.
    (lambda t: Scenario("courtyrad"), ScenarioError, ["courtyrad", "courtyard"]),
    (lambda t: Scenario("no/such.toml"), FileError, ["no/such.toml", "no such file"]),
    (lambda t: Scenario(Path("nowhere")), FileError, ["nowhere", "no such file"]),
    (lambda t: Scenario(None), TYPE, ["source", "None"]),
    (lambda t: Scenario(7), TYPE, ["source", "7"]),
    (lambda t: Scenario(b"drive"), TYPE, ["source", "bytes"]),
    (lambda t: Scenario("a\0b"), VALUE, ["source", "character"]),
    (lambda t: Scenario("\ud800"), VALUE, ["source", "character"]),
    (lambda t: Scenario(__file__), ScenarioError, ["test_errors.py"]),
    (lambda t: Scenario("x" * 10_000), VALUE, ["source", "10000", "from_toml"]),
    # Scenarios from texts and dicts.
    (lambda t: Scenario.from_toml(3), TYPE, ["source", "3"]),
    (lambda t: Scenario.from_toml("seed = "), ScenarioError, ["scenario"]),
    (lambda t: Scenario.from_toml("version = 1"), ScenarioError, ["seed"]),
    (lambda t: Scenario.from_toml("", folder=3), TYPE, ["folder", "3"]),
    (lambda t: Scenario.from_dict([1]), TYPE, ["table", "list"]),
    (lambda t: Scenario.from_dict({1: 2}), VALUE, ["1"]),
    (lambda t: Scenario.from_dict({"seed": 1, "sead": 2}), ScenarioError, ["sead"]),
    (lambda t: Scenario.from_dict({"seed": 2**70}), VALUE, ["seed", "too large"]),
    (lambda t: Scenario.from_dict({"seed": -1}), ScenarioError, ["-1", "seed"]),
    (lambda t: Scenario.from_dict({"world": {"a": object()}}), VALUE, ["world.a", "object"]),
    (lambda t: Scenario.from_dict({"world": {"a": ITSELF}}), VALUE, ["world.a", "deep"]),
    (lambda t: Scenario.from_dict({"world": {"a": {1, 2}}}), VALUE, ["world.a", "set"]),
    (lambda t: Scenario.from_dict({"world": {"a": 1j}}), VALUE, ["world.a", "complex"]),
    (lambda t: Scenario.from_dict({"title": "\ud800"}), UnderstoryError, []),
    (lambda t: t.scenario.replace(seed="x"), ScenarioError, ['"x"', "first-scan"]),
    (lambda t: t.scenario.replace(nonsense=1), ScenarioError, ["nonsense"]),
    (lambda t: t.scenario.replace(duration_s=-1.0), ScenarioError, ["duration_s", "-1"]),
    (lambda t: t.scenario.replace(duration_s=NAN), ScenarioError, ["duration_s"]),
    # Scenarios that are built.
    (lambda t: Scenario.build(None, "vlp-16"), TYPE, ["world", "None"]),
    (lambda t: Scenario.build({}, "vlp-16"), TYPE, ["world", "dict"]),
    (lambda t: Scenario.build(World(), "vlp-61"), ScenarioError, ["vlp-61", "vlp-16"]),
    (lambda t: Scenario.build(World(), []), VALUE, ["sensors", "empty"]),
    (lambda t: Scenario.build(World(), 4), TYPE, ["sensors", "4"]),
    (lambda t: Scenario.build(World(), [None]), TYPE, ["sensors", "None"]),
    (lambda t: Scenario.build(World(), "vlp-16", duration_s=0), VALUE, ["duration_s", "0"]),
    (lambda t: Scenario.build(World(), "vlp-16", duration_s=NAN), VALUE, ["duration_s", "nan"]),
    (lambda t: Scenario.build(World(), "vlp-16", duration_s="1"), TYPE, ["duration_s", "'1'"]),
    (lambda t: Scenario.build(World(), "vlp-16", seed=-1), VALUE, ["seed", "-1"]),
    (lambda t: Scenario.build(World(), "vlp-16", seed=1.5), TYPE, ["seed", "1.5"]),
    (lambda t: Scenario.build(World(), "vlp-16", seed=True), TYPE, ["seed", "True"]),
    (
        lambda t: Scenario.build(World(), "vlp-16", seed=2**64),
        VALUE,
        ["seed", "18446744073709551616"],
    ),
    (lambda t: Scenario.build(World(), "vlp-16", title=3), TYPE, ["title", "3"]),
    (lambda t: Scenario.build(World(), "vlp-16", platform=[1]), TYPE, ["platform", "list"]),
    (lambda t: Scenario.build(World(), "vlp-16", platform={"x": 1}), ScenarioError, ["x"]),
    (lambda t: Scenario.build(World(colour=1), "vlp-16"), ScenarioError, ["colour"]),
    (lambda t: world_of(radius_m=-2.0), ScenarioError, ["radius_m", "-2"]),
    (lambda t: world_of(radius_m="big"), ScenarioError, ["radius_m", '"big"', "number"]),
    (lambda t: world_of(), ScenarioError, ["radius_m"]),
    (lambda t: world_of(radius_m=1.0, material="unobtainium"), ScenarioError, ["unobtainium"]),
    (lambda t: t.scenario.with_sensors(), VALUE, ["sensors", "empty"]),
    (lambda t: t.scenario.with_sensors(3), TYPE, ["sensors", "3"]),
    (lambda t: t.scenario.with_sensors("vlp-16", "vlp-16"), ScenarioError, ["vlp-16"]),
    (lambda t: t.scenario.in_site("a.site"), TYPE, ["site", "'a.site'"]),
    (lambda t: t.scenario.in_site(t.site, rays="x"), VALUE, ["rays", "'x'", "cone"]),
    (lambda t: t.scenario.intervals(0), VALUE, ["count", "0"]),
    (lambda t: t.scenario.intervals(2.0), TYPE, ["count", "2.0"]),
    (lambda t: t.scenario.intervals(None), TYPE, ["count", "None"]),
    (lambda t: t.scenario.platform_pose("now"), TYPE, ["time_s", "'now'"]),
    (lambda t: t.scenario.platform_pose(INF), VALUE, ["time_s", "inf"]),
    # Sensors.
    (lambda t: Sensor("vlp"), ScenarioError, ["vlp"]),
    (lambda t: Sensor(16), TYPE, ["preset", "16"]),
    (lambda t: Sensor("vlp-16", name=3), TYPE, ["name", "3"]),
    (lambda t: Sensor("vlp-16", position_m=[1, 2]), VALUE, ["position_m", "3", "(2,)"]),
    (lambda t: Sensor("vlp-16", position_m="abc"), TYPE, ["position_m", "'abc'"]),
    (lambda t: Sensor("vlp-16", position_m=[0, NAN, 0]), VALUE, ["position_m", "finite", "[1]"]),
    (lambda t: Sensor("vlp-16", rotation_deg=[[1, 2, 3]]), VALUE, ["rotation_deg", "(1, 3)"]),
    (lambda t: Sensor("vlp-16", rotation_deg=[1, 2, None]), TYPE, ["rotation_deg"]),
    (lambda t: Sensor("vlp-16", delay_s=-1), VALUE, ["delay_s", "-1"]),
    (lambda t: Sensor("vlp-16", delay_s=None), TYPE, ["delay_s", "None"]),
    (lambda t: Sensor("vlp-16", override=[]), TYPE, ["override", "list"]),
    (lambda t: Sensor("vlp-16", override={"x": 1}), ScenarioError, ["x"]),
    (
        lambda t: Sensor("vlp-16", override={"detector": {"range_max_m": -1.0}}),
        ScenarioError,
        ["range_max_m", "-1"],
    ),
    (lambda t: Sensor.from_file("no-such.toml"), FileError, ["no-such.toml"]),
    (lambda t: Sensor.from_file(None), TYPE, ["file", "None"]),
    (lambda t: Sensor.from_file(__file__), UnderstoryError, ["TOML"]),
    # Worlds.
    (lambda t: World().add_object(3, "sphere"), TYPE, ["name", "3"]),
    (lambda t: World().add_object("a", None), TYPE, ["shape", "None"]),
    (lambda t: World().add_mesh("a", None), TYPE, ["mesh", "None"]),
    (lambda t: World().add_mesh("a", TRIANGLE), TYPE, ["mesh", "(3, 3)"]),
    (lambda t: World().add_mesh("a", "a.obj", [[0, 1, 2]]), VALUE, ["triangles"]),
    (lambda t: World().add_mesh("a", TRIANGLE[:, :2], [[0, 1, 2]]), VALUE, ["vertices", "(3, 2)"]),
    (lambda t: World().add_mesh("a", TRIANGLE, [0, 1, 2]), VALUE, ["triangles", "(3,)"]),
    (lambda t: World().add_mesh("a", TRIANGLE, [[0, 1, 2.5]]), TYPE, ["triangles", "float64"]),
    (lambda t: World().add_mesh("a", TRIANGLE, [[0, 1, -1]]), VALUE, ["triangles", "-1"]),
    (lambda t: World().add_mesh("a", TRIANGLE, [[0, 1, 2**40]]), VALUE, ["triangles"]),
    (lambda t: World().add_mesh("a", TRIANGLE * NAN, [[0, 1, 2]]), VALUE, ["vertices", "finite"]),
    (lambda t: World().add_mesh("a", ITSELF, [[0, 1, 2]]), TYPE, ["vertices"]),
    (
        lambda t: World().add_mesh("a", TRIANGLE.astype("O"), [[0, 1, 2]]),
        TYPE,
        ["vertices", "object"],
    ),
    (lambda t: World().add_mesh("a", TRIANGLE * 1j, [[0, 1, 2]]), TYPE, ["vertices", "complex"]),
    (lambda t: World().add_mesh("a", [["x", "y", "z"]], [[0, 1, 2]]), TYPE, ["vertices"]),
    (
        lambda t: World().add_mesh("a", TRIANGLE, [[0, 1, 2]]).add_mesh("a", TRIANGLE, [[0, 1, 2]]),
        VALUE,
        ["'a'", "another"],
    ),
    (
        lambda t: Scenario.build(World().add_mesh("a", TRIANGLE, [[0, 1, 3]]), "vlp-16"),
        UnderstoryError,
        ["3"],
    ),
    (
        lambda t: Simulation(Scenario.build(World().add_mesh("a", "no-such.obj"), "vlp-16")),
        UnderstoryError,
        ["no-such.obj"],
    ),
    (lambda t: World().add_plant("a", 3), TYPE, ["species", "3"]),
    (
        lambda t: Scenario.build(World().add_plant("a", "oakk", count=1), "vlp-16"),
        ScenarioError,
        ["oakk"],
    ),
    (lambda t: World().add_site("a", 3), TYPE, ["site", "3"]),
    (
        lambda t: Simulation(Scenario.build(World().add_site("a", "no.site"), "vlp-16")),
        UnderstoryError,
        ["no.site"],
    ),
    (
        lambda t: Scenario.build(World().set_atmosphere(fog={"visibility_m": -5.0}), "vlp-16"),
        ScenarioError,
        ["visibility_m", "-5"],
    ),
    # Runs.
    (lambda t: understory.run(None), TYPE, ["scenario", "None"]),
    (lambda t: understory.run(World()), TYPE, ["scenario", "World"]),
    (lambda t: understory.run("first-scna"), ScenarioError, ["first-scna", "first-scan"]),
    (lambda t: t.room.run(seed=-1), VALUE, ["seed", "-1"]),
    (lambda t: t.room.run(seed="1"), TYPE, ["seed", "'1'"]),
    (lambda t: t.room.run(seed=2**64), VALUE, ["seed"]),
    (lambda t: t.room.run(threads=0), VALUE, ["threads", "0"]),
    (lambda t: t.room.run(threads=1e3), TYPE, ["threads", "1000.0"]),
    (lambda t: t.room.run(interval_s=3), VALUE, ["interval_s", "()"]),
    (lambda t: t.room.run(interval_s=(0.05,)), VALUE, ["interval_s", "(1,)"]),
    (lambda t: t.room.run(interval_s=(0.05, 0.01)), VALUE, ["interval_s", "0.05", "0.01"]),
    (lambda t: t.room.run(interval_s=(-1, 0.01)), VALUE, ["interval_s", "-1"]),
    (lambda t: t.room.run(interval_s=(0, NAN)), VALUE, ["interval_s", "finite"]),
    (lambda t: t.room.run(interval_s=(0, 99.0)), UnderstoryError, ["99"]),
    (lambda t: t.room.run(interval_s="ab"), TYPE, ["interval_s", "'ab'"]),
    (lambda t: t.room.run(progress=3), TYPE, ["progress", "3"]),
    (lambda t: t.room.pulses(interval_s=(2, 1)), VALUE, ["interval_s"]),
    (lambda t: t.room.scans(seed=-1), VALUE, ["seed", "-1"]),
    (lambda t: t.room.write(None), TYPE, ["files", "None"]),
    (lambda t: t.room.write(3), TYPE, ["files", "3"]),
    (lambda t: t.room.write([3]), TYPE, ["files", "3"]),
    (lambda t: t.room.write("a.xyzzy"), VALUE, ["a.xyzzy"]),
    (lambda t: t.room.write("a", formats=["xyzzy"]), VALUE, ["xyzzy"]),
    (lambda t: t.room.write("a.npy", formats=[]), VALUE, ["0", "1", "formats"]),
    (lambda t: t.room.write("a.npy", formats=[3]), TYPE, ["formats", "3"]),
    (lambda t: t.room.write("a.npy", formats=3), TYPE, ["formats", "3"]),
    (lambda t: t.room.write("a.npy", misses=1), TYPE, ["misses", "1"]),
    (lambda t: t.room.write("no/such/folder/a.npy"), FileError, ["no/such/folder"]),
    (lambda t: t.room.write([]), VALUE, ["files", "empty"]),
    (lambda t: Simulation("first-scan", max_memory_bytes=0), VALUE, ["max_memory_bytes", "0"]),
    (lambda t: Simulation("first-scan", max_memory_bytes=1), UnderstoryError, ["memory"]),
    (lambda t: t.room.step([0.0], np.eye(4), interval_s=(0, 0.01)), VALUE, ["poses", "(4, 4)"]),
    (lambda t: t.room.step(0.0, [np.eye(4)], interval_s=(0, 0.01)), TYPE, ["times_s", "0.0"]),
    (lambda t: t.room.step([None], [np.eye(4)], interval_s=(0, 0.01)), TYPE, ["times_s", "None"]),
    (
        lambda t: t.room.step([0, 0], [np.eye(4)] * 2, interval_s=(0, 0.01)),
        VALUE,
        ["times", "rise"],
    ),
    (
        lambda t: t.room.step([0], [np.eye(4) * 2], interval_s=(0, 0.01)),
        VALUE,
        ["poses", "rotation"],
    ),
    (lambda t: t.room.step([], np.empty((0, 4, 4)), interval_s=(0, 0.01)), VALUE, ["times"]),
    (lambda t: t.room.step([0], [np.diag([1, 1, -1, 1])], interval_s=(0, 0.01)), VALUE, ["poses"]),
    (
        lambda t: t.room.step([0], [np.eye(4) * NAN], interval_s=(0, 0.01)),
        VALUE,
        ["poses", "finite"],
    ),
    (lambda t: t.room.step([0], [np.eye(4)], interval_s=None), TYPE, ["interval_s", "None"]),
    # Closed loops.
    (lambda t: Environment(t.scenario, step_s=0), VALUE, ["step_s", "0"]),
    (lambda t: Environment(t.scenario, step_s=None), TYPE, ["step_s", "None"]),
    (lambda t: Environment(t.scenario, reward=3), TYPE, ["reward", "3"]),
    (lambda t: Environment(t.scenario, terminated="x"), TYPE, ["terminated", "'x'"]),
    (lambda t: Environment(t.scenario, threads=0), VALUE, ["threads", "0"]),
    (lambda t: Environment(3), TYPE, ["scenario", "3"]),
    (lambda t: Environment(t.scenario).step((1, 0)), VALUE, ["reset()"]),
    (lambda t: Environment(t.scenario).pose, VALUE, ["reset()"]),
    (lambda t: t.environment.step(None), TYPE, ["action", "None"]),
    (lambda t: t.environment.step("go"), TYPE, ["action", "'go'"]),
    (lambda t: t.environment.step((1, 2, 3)), VALUE, ["action", "(3,)"]),
    (lambda t: t.environment.step((1, NAN)), VALUE, ["action", "finite"]),
    (lambda t: t.environment.step(np.eye(3)), VALUE, ["pose", "(3, 3)"]),
    (lambda t: t.environment.step(np.eye(4) * 3), VALUE, ["rotation"]),
    (lambda t: t.environment.reset(seed=-1), VALUE, ["seed", "-1"]),
    (lambda t: t.environment.reset(pose="here"), TYPE, ["pose"]),
    (lambda t: t.environment.reset(pose=np.zeros((4, 4))), VALUE, ["rotation"]),
    # Clouds.
    (lambda t: Cloud(None), TYPE, ["columns", "None"]),
    (lambda t: Cloud([1, 2]), TYPE, ["columns", "list"]),
    (lambda t: Cloud({"rang_m": [1]}), VALUE, ["'rang_m'", "range_m"]),
    (lambda t: Cloud({3: [1]}), VALUE, ["3"]),
    (lambda t: Cloud({"range_m": [1], "channel": [1, 2]}), VALUE, ["'channel'", "2", "1"]),
    (lambda t: Cloud({"range_m": [[1]]}), VALUE, ["range_m", "(1, 1)"]),
    (lambda t: Cloud({"range_m": 3}), VALUE, ["range_m", "()"]),
    (lambda t: Cloud({"range_m": "x"}), TYPE, ["range_m", "'x'"]),
    (lambda t: Cloud({"range_m": None}), TYPE, ["range_m", "None"]),
    (lambda t: Cloud({"range_m": [None]}), TYPE, ["range_m", "object"]),
    (lambda t: Cloud({"range_m": ITSELF}), TYPE, ["range_m"]),
    (lambda t: Cloud({"world_xyz_m": [1, 2, 3]}), VALUE, ["world_xyz_m", "(3,)"]),
    (lambda t: Cloud({"channel": [1.5]}), VALUE, ["channel"]),
    (lambda t: Cloud({"channel": [NAN]}), VALUE, ["channel", "finite"]),
    (lambda t: Cloud({"channel": [-1]}), VALUE, ["channel", "-1"]),
    (lambda t: Cloud({"channel": [70000]}), VALUE, ["channel", "70000", "65535"]),
    (lambda t: Cloud({"channel": [2**70]}), VALUE, ["channel"]),
    (lambda t: Cloud({"channel": ["a"]}), TYPE, ["channel"]),
    (lambda t: Cloud({"channel": np.zeros((2, 2), dtype=int)}), VALUE, ["channel", "(2, 2)"]),
    (lambda t: Cloud({"pulse": [2**64]}), VALUE, ["pulse"]),
    (lambda t: Cloud({"range_m": [1]}, known=3), TYPE, ["known", "3"]),
    (lambda t: Cloud({"range_m": [1]}, known="range"), TYPE, ["known", "'range'"]),
    (lambda t: Cloud({"range_m": [1]}, known=[3]), TYPE, ["known", "list"]),
    (lambda t: Cloud({"range_m": [1]}, known=np.array(3)), TYPE, ["known", "()"]),
    (lambda t: t.cloud["rang_m"], VALUE, ["'rang_m'", "range_m"]),
    (lambda t: t.cloud[None], TYPE, ["None"]),
    (lambda t: t.cloud[3], TYPE, ["3"]),
    (lambda t: t.cloud[1.5], TYPE, ["1.5"]),
    (lambda t: t.cloud[[1.5]], TYPE, ["list"]),
    (lambda t: t.cloud[[10**9]], VALUE, ["rows"]),
    (lambda t: t.cloud[np.ones(3, dtype=bool)], VALUE, ["rows"]),
    (lambda t: t.cloud["a":"b"], VALUE, ["rows"]),
    (lambda t: t.cloud[ITSELF], TYPE, ["list"]),
    (lambda t: beams(origins=[[1, 2]]), VALUE, ["origins_m", "(1, 2)"]),
    (lambda t: beams(ways=[[1, 0, 0]] * 2), VALUE, ["directions", "(2, 3)"]),
    (lambda t: beams(ways=[[0, 0, 0]]), VALUE, ["directions", "no length"]),
    (lambda t: beams(ways=[[NAN, 0, 0]]), VALUE, ["directions", "finite"]),
    (lambda t: beams(ranges=[-1]), VALUE, ["ranges_m", "0"]),
    (lambda t: beams(ranges=[1, 2]), VALUE, ["ranges_m", "(2,)"]),
    (lambda t: Cloud.from_beams([[0, 0, 0]], [[1, 0, 0]], [1], "a"), TYPE, ["intensity", "'a'"]),
    (lambda t: understory.concat(None), TYPE, ["clouds", "None"]),
    (lambda t: understory.concat([t.cloud, 3]), TYPE, ["clouds", "3"]),
    (lambda t: understory.concat(t.cloud), TYPE, ["clouds"]),
    (lambda t: t.cloud.save(None), TYPE, ["file", "None"]),
    (lambda t: t.cloud.save("a.xyzzy"), VALUE, ["xyzzy"]),
    (lambda t: t.cloud.save("a", format="xyzzy"), VALUE, ["xyzzy"]),
    (lambda t: t.cloud.save("a.npy", format=3), TYPE, ["format", "3"]),
    (lambda t: t.cloud.save("a.npy", misses="no"), TYPE, ["misses", "no"]),
    (lambda t: t.cloud.save("no/such/a.npy"), FileError, ["no/such"]),
    # Files.
    (lambda t: understory.read(None), TYPE, ["file", "None"]),
    (lambda t: understory.read("no-such.npy"), FileError, ["no-such.npy"]),
    (lambda t: understory.read(__file__), UnderstoryError, [".py"]),
    (lambda t: understory.read("a.npy", pose=[1, 2]), VALUE, ["pose", "2"]),
    (lambda t: understory.read("a.npy", pose=[1, 2, INF]), VALUE, ["pose", "finite"]),
    (lambda t: understory.read("a.npy", pose="x"), TYPE, ["pose", "'x'"]),
    (lambda t: understory.read("a.npy", points_in="moon"), VALUE, ["points_in", "'moon'", "world"]),
    (lambda t: understory.read("a.npy", metres_per_unit="x"), TYPE, ["metres_per_unit", "'x'"]),
    (lambda t: understory.read("a.npy", metres_per_unit=NAN), VALUE, ["metres_per_unit", "nan"]),
    (lambda t: understory.read("a.npy", intensity_full=None), TYPE, ["intensity_full", "None"]),
    (lambda t: understory.read("a.npy", columns="xyz"), TYPE, ["columns", "'xyz'"]),
    (lambda t: understory.read("a.npy", columns=[1]), TYPE, ["columns"]),
    (lambda t: understory.read("a.npy", columns=3), TYPE, ["columns", "3"]),
    (lambda t: understory.read("a.npy", sensor="no"), ScenarioError, ["no"]),
    (lambda t: understory.read("a.npy", topic=3), TYPE, ["topic", "3"]),
    (lambda t: understory.read("a.npy", start_unix_ns=1.5), TYPE, ["start_unix_ns", "1.5"]),
    (lambda t: understory.read("a.npy", start_unix_ns=2**63), VALUE, ["start_unix_ns"]),
    (lambda t: understory.read("a.npy", trajectory=3), TYPE, ["trajectory", "3"]),
    # Sites.
    (lambda t: Site(None), TYPE, ["file", "None"]),
    (lambda t: Site("no.site"), FileError, ["no.site"]),
    (lambda t: Site(__file__), FileError, ["test_errors.py"]),
    (lambda t: t.site.save(3), TYPE, ["file", "3"]),
    (lambda t: t.site.save("no/such/a.site"), FileError, ["no/such"]),
    (lambda t: t.site.crop([0, 0], [1, 1, 1]), VALUE, ["low_m", "(2,)"]),
    (lambda t: t.site.crop([0, 0, 0], [1, 0, 1]), VALUE, ["box"]),
    (lambda t: t.site.crop([0, 0, NAN], [1, 1, 1]), VALUE, ["low_m", "finite"]),
    (lambda t: Site.merge([]), UnderstoryError, ["sites"]),
    (lambda t: Site.merge([3]), TYPE, ["sites", "3"]),
    (lambda t: Site.merge(None), TYPE, ["sites", "None"]),
    (lambda t: Site.merge(t.site), TYPE, ["sites", "Site"]),
    (lambda t: Site.merge(np.array(3)), TYPE, ["sites", "()"]),
    (lambda t: understory.learn(None), TYPE, ["recordings", "None"]),
    (lambda t: understory.learn([]), VALUE, ["recordings", "empty"]),
    (lambda t: understory.learn([t.cloud, "a.npy"]), TYPE, ["recordings"]),
    (lambda t: understory.learn([3]), TYPE, ["recordings", "3"]),
    (lambda t: understory.learn("no-such.npy"), FileError, ["no-such.npy"]),
    (lambda t: understory.learn(t.plain), VALUE, ["beams"]),
    (lambda t: understory.learn(t.cloud[:0]), LearnError, []),
    (lambda t: understory.learn(t.cloud, model="magic"), VALUE, ["model", "'magic'", "voxel"]),
    (lambda t: understory.learn(t.cloud, model=3), TYPE, ["model", "3"]),
    (lambda t: understory.learn(t.cloud, cell_m=0), VALUE, ["cell_m", "0"]),
    (lambda t: understory.learn(t.cloud, cell_m="1"), TYPE, ["cell_m", "'1'"]),
    (lambda t: understory.learn(t.cloud, cell_m=1e300), UnderstoryError, ["cell"]),
    (lambda t: understory.learn(t.cloud, cell_m=1e-300), UnderstoryError, ["cell"]),
    (lambda t: understory.learn(t.cloud, tau=-1), VALUE, ["tau", "-1"]),
    (lambda t: understory.learn(t.cloud, points_min=-1), VALUE, ["points_min", "-1"]),
    (lambda t: understory.learn(t.cloud, leaves_max=0), VALUE, ["leaves_max", "0"]),
    (lambda t: understory.learn(t.cloud, range_m=(5, 1)), VALUE, ["range_m", "5"]),
    (lambda t: understory.learn(t.cloud, returns="most"), VALUE, ["returns", "'most'"]),
    (lambda t: understory.learn(t.cloud, region_m=[[0, 0, 0]]), VALUE, ["region_m", "(1, 3)"]),
    (lambda t: understory.learn(t.cloud, region_m=[[0] * 3] * 2), VALUE, ["region_m"]),
    (lambda t: understory.learn(t.cloud, every=(2, 2)), VALUE, ["every", "2"]),
    (lambda t: understory.learn(t.cloud, every=(0.5, 2)), UnderstoryError, ["every"]),
    (lambda t: understory.learn(t.cloud, every=3), VALUE, ["every", "()"]),
    (lambda t: understory.learn(t.cloud, sensor="no"), ScenarioError, ["no"]),
    (lambda t: understory.learn(t.cloud, recover_misses="grid"), VALUE, ["recover_misses"]),
    (lambda t: understory.learn("a.npy", reading=3), TYPE, ["reading", "3"]),
    (lambda t: understory.learn("a.npy", reading={"x": 1}), VALUE, ["'x'", "pose"]),
    (lambda t: understory.learn("a.npy", reading={"pose": "x"}), UnderstoryError, ["pose"]),
    # Comparisons and errors of sensors.
    (lambda t: understory.compare(None, t.cloud), TYPE, ["real", "None"]),
    (lambda t: understory.compare(t.cloud, 3), TYPE, ["simulated", "3"]),
    (lambda t: understory.compare(t.cloud, "no.npy"), FileError, ["no.npy"]),
    (lambda t: understory.compare(t.cloud, t.plain), UnderstoryError, ["simulated"]),
    (lambda t: understory.compare(t.cloud, t.cloud[:0]), UnderstoryError, []),
    (lambda t: understory.compare(t.cloud, t.cloud, mode="x"), VALUE, ["mode", "'x'", "static"]),
    (lambda t: understory.compare(t.cloud, t.cloud, orientations="x"), VALUE, ["orientations"]),
    (lambda t: understory.compare(t.cloud, t.cloud, range_bin_m=0), VALUE, ["range_bin_m", "0"]),
    (
        lambda t: understory.compare(t.cloud, t.cloud, azimuth_bin_deg=NAN),
        VALUE,
        ["azimuth_bin_deg"],
    ),
    (lambda t: understory.compare(t.cloud, t.cloud, box_m=[1]), VALUE, ["box_m", "(1,)"]),
    (lambda t: understory.compare(t.cloud, t.cloud, range_m=(2, 1)), VALUE, ["range_m"]),
    (lambda t: understory.compare(t.cloud, t.cloud, azimuth_deg=3), VALUE, ["azimuth_deg", "()"]),
    (lambda t: understory.compare(t.cloud, t.cloud, returns="x"), VALUE, ["returns", "'x'"]),
    (lambda t: understory.compare(t.cloud, t.cloud, misses="x"), TYPE, ["misses", "'x'"]),
    (lambda t: understory.compare(t.cloud, t.cloud, drawings=-1), VALUE, ["drawings", "-1"]),
    (lambda t: understory.compare(t.cloud, t.cloud, seed=None), TYPE, ["seed", "None"]),
    (lambda t: understory.compare(t.cloud, t.cloud, threshold_m=0), VALUE, ["threshold_m", "0"]),
    (lambda t: understory.compare(t.cloud, t.cloud, points_max=-1), VALUE, ["points_max", "-1"]),
    (lambda t: understory.fit_error(None), TYPE, ["recordings", "None"]),
    (lambda t: understory.fit_error([3]), TYPE, ["recordings", "3"]),
    (lambda t: understory.fit_error([]), UnderstoryError, ["plane"]),
    (lambda t: understory.fit_error(t.plain), VALUE, ["channel"]),
    (lambda t: understory.fit_error(t.cloud, sensor="no"), ScenarioError, ["no"]),
    (lambda t: understory.fit_error(t.cloud, gate_m=0), VALUE, ["gate_m", "0"]),
    (lambda t: understory.fit_error(t.cloud, points_min=0), VALUE, ["points_min", "0"]),
    (lambda t: understory.deschaud_table1("Cactus"), VALUE, ["target", "'Cactus'", "Tall Grass"]),
    (lambda t: understory.deschaud_table1(3), TYPE, ["target", "3"]),
    (lambda t: understory.deschaud_table1("Plane", revolutions=1), VALUE, ["revolutions", "1"]),
    (lambda t: understory.deschaud_table1("Plane", seed=-1), VALUE, ["seed", "-1"]),
    # Rays.
    (lambda t: RayScene(None, [[0, 1, 2]]), TYPE, ["vertices", "None"]),
    (lambda t: RayScene(TRIANGLE, None), TYPE, ["triangles", "None"]),
    (lambda t: RayScene(TRIANGLE.ravel(), [[0, 1, 2]]), VALUE, ["vertices", "(9,)"]),
    (lambda t: RayScene(TRIANGLE, [[0, 1]]), VALUE, ["triangles", "(1, 2)"]),
    (lambda t: RayScene(TRIANGLE, [[0.0, 1, 2]]), TYPE, ["triangles", "float64"]),
    (lambda t: RayScene(TRIANGLE, [[0, 1, 3]]), GeometryError, ["3"]),
    (lambda t: RayScene(TRIANGLE * INF, [[0, 1, 2]]), VALUE, ["vertices", "finite"]),
    (lambda t: RayScene(TRIANGLE, [[0, 1, 2]], closed="no"), TYPE, ["closed", "'no'"]),
    (lambda t: RayScene(np.empty((0, 3)), np.empty((0, 3), dtype=int)), GeometryError, []),
    (lambda t: t.rays.cast(None, [[1, 0, 0]]), TYPE, ["origins", "None"]),
    (lambda t: t.rays.cast([[0, 0, 0]], None), UnderstoryError, ["directions"]),
    (lambda t: t.rays.cast([[0, 0, 0]], "x"), UnderstoryError, ["directions"]),
    (lambda t: t.rays.cast([[0, 0, 0]], [[1, 0, 0]] * 2), VALUE, ["directions", "(2, 3)"]),
    (lambda t: t.rays.cast([[0, 0, 0]], [[1, 0]]), VALUE, ["directions", "(1, 2)"]),
    (lambda t: t.rays.cast([[0, 0, 0]], [[NAN, 0, 0]]), VALUE, ["directions", "finite"]),
    (lambda t: t.rays.cast([[0, 0, 0]], [[0, 0, 0]]), VALUE, ["directions", "length"]),
    (lambda t: t.rays.cast([[0, 0, 0]], [[1e-60, 0, 0]]), VALUE, ["directions", "length"]),
    (lambda t: t.rays.cast([[0, 0, 0]], [[1e60, 0, 0]]), VALUE, ["directions", "finite"]),
    (lambda t: t.rays.cast([[0, 0, 0]], np.empty((1, 0, 3))), VALUE, ["directions", "no rays"]),
    (lambda t: t.rays.cast([[0, 0, 0]], np.empty((1, 1, 1, 3))), VALUE, ["directions"]),
    (lambda t: t.rays.cast([[0, 0, INF]], [[1, 0, 0]]), VALUE, ["origins", "finite"]),
    (lambda t: t.rays.cast([[0, 0, 0]], [[1, 0, 0]], t_max=0), VALUE, ["t_max", "0"]),
    (lambda t: t.rays.cast([[0, 0, 0]], [[1, 0, 0]], t_max=NAN), VALUE, ["t_max", "nan"]),
    (lambda t: t.rays.cast([[0, 0, 0]], [[1, 0, 0]], t_max="x"), VALUE, ["t_max", "'x'"]),
    (lambda t: t.rays.cast([[0, 0, 0]], [[1, 0, 0]], normals=1), TYPE, ["normals", "1"]),
    (lambda t: t.rays.cast([[0, 0, 0]], ITSELF), UnderstoryError, ["directions"]),
]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_a_wrong_argument(
    number: int, things: Things, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call, kind, words = CASES[number]
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Exception) as caught:
        call(things)
    error, sentence = caught.value, str(caught.value)
    assert isinstance(error, kind), f"{type(error).__name__}: {sentence}"
    assert isinstance(error, UnderstoryError)
    for word in words:
        assert word in sentence, sentence
    assert 10 < len(sentence) < 1500 and "\n\n" not in sentence, sentence
    assert list(tmp_path.iterdir()) == []


def test_exceptions_are_those_that_python_knows() -> None:
    assert issubclass(ArgumentError, ValueError)
    assert issubclass(ArgumentTypeError, TypeError)
    assert issubclass(FileError, OSError)
    for kind in (ArgumentError, FileError, GeometryError, LearnError, ScenarioError):
        assert issubclass(kind, UnderstoryError)
        again = pickle.loads(pickle.dumps(kind("a sentence")))
        assert type(again) is kind and str(again) == "a sentence"


def test_a_sentence_shows_no_more_than_a_line_of_what_came() -> None:
    with pytest.raises(ArgumentTypeError) as caught:
        Sensor("vlp-16", position_m="x" * 100_000)
    assert len(str(caught.value)) < 300
