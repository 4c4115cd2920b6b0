"""Random calls with bad arguments: whatever comes, the interpreter lives and an exception says why.

    python fuzz_arguments.py --calls 1000000 --seed 1

Every public function, class and method is called with arguments that are right, wrong in kind,
wrong in shape, not finite, huge, empty, read-only, in odd layouts, or hold themselves. What may
come back: a result, an exception of Understory, or what Python itself raises where a call does not
fit (TypeError). Anything else ends the program with 1, and a crash of the interpreter with its
signal. Pytest does not collect this file; a test runs it with few calls.
"""

from __future__ import annotations

import argparse
import collections
import faulthandler
import os
import pathlib
import random
import resource
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import understory

NAN, INF = float("nan"), float("inf")


class Odd(np.ndarray):
    """A subclass of NumPy's array."""


class Text(str):
    """A subclass of text."""


class Whole(int):
    """A subclass of int."""


class Liar:
    """Claims to be an array and a path, and is neither."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("no array")

    def __fspath__(self) -> Any:
        return b"\xff"

    def __len__(self) -> int:
        return -1

    def __float__(self) -> float:
        raise ArithmeticError("no number")


def itself() -> list[Any]:
    """A list that holds itself."""
    found: list[Any] = [1]
    found.append(found)
    return found


def looped() -> dict[str, Any]:
    """A dict that holds itself."""
    found: dict[str, Any] = {}
    found["world"] = found
    return found


class Values:
    """Draws arguments; ``draw`` is the only source of chance, so a seed repeats a run."""

    def __init__(self, draw: random.Random, target: Targets) -> None:
        self.draw, self.target = draw, target
        self.odd: list[Callable[[], Any]] = [
            lambda: None,
            lambda: draw.choice([True, False]),
            lambda: draw.choice(
                [0, 1, -1, 2, 7, 255, 2**31, 2**32, 2**63, 2**64, -(2**63), 10**30]
            ),
            lambda: draw.choice(
                [0.0, -0.0, 1e-9, 0.1, 1.5, -3.0, 1e9, 1e300, -1e300, NAN, INF, -INF]
            ),
            lambda: draw.choice(
                ["", "a", "vlp-16", "first-scan", "x" * 5000, "a\0b", "\ud800", "é"]
            ),
            lambda: draw.choice([b"", b"\xff\x00", bytearray(3)]),
            lambda: draw.choice([[], (), {}, set(), frozenset({1})]),
            lambda: draw.choice([itself, looped])(),
            lambda: draw.choice([object(), Ellipsis, NotImplemented, int, len, Liar(), 1j]),
            lambda: draw.choice(
                [Text("vlp-16"), Whole(3), np.float32(2), np.int8(-3), np.bool_(True)]
            ),
            lambda: draw.choice(
                [np.datetime64("NaT"), np.str_("x"), np.complex64(1j), np.void(b"ab")]
            ),
            lambda: pathlib.Path(draw.choice([".", "/", "nowhere/a.npy", "/dev/null", "a.laz"])),
            lambda: iter([1, 2, 3]),
            lambda: (n for n in range(3)),
            lambda: range(draw.randrange(5)),
            lambda: draw.choice(target.things),
            lambda: {"a": [1, {"b": None}], "world": draw.choice([None, 3, [], {"object": 3}])},
            self.array,
            self.array,
            self.array,
        ]

    def array(self) -> Any:
        """An array of any kind, shape and layout; never of more than some thousand numbers."""
        draw = self.draw
        shape = draw.choice(
            [(), (0,), (1,), (2,), (3,), (6,), (0, 3), (1, 3), (2, 3), (3, 2), (4, 4), (3, 4)]
            + [
                (5, 3),
                (2, 4, 4),
                (2, 5, 3),
                (0, 9, 3),
                (2, 0, 3),
                (1, 1, 1, 1),
                (2, 3, 3),
                (300, 3),
            ]
        )
        kinds = "? b B h H i I l L f d g F D O S3 U3 M8[s] m8[s] V5".split()
        kind = draw.choice(["d", "f", "l", "I", *kinds])
        base = np.arange(int(np.prod(shape, dtype=int)), dtype=float).reshape(shape)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                array = base.astype(kind)
            except (TypeError, ValueError):
                array = np.zeros(shape, dtype=kind)
            if array.dtype.kind in "fc" and array.size and draw.random() < 0.3:
                spot = draw.randrange(array.size)
                array.reshape(-1)[spot] = draw.choice([NAN, INF, -INF, 1e300, -1e300, 1e-300, -0.0])
        way = draw.randrange(9)
        if way == 0:
            array = np.asfortranarray(array)
        elif way == 1 and array.ndim:
            array = array[::-1]
        elif way == 2:
            array.flags.writeable = False
        elif way == 3:
            array = array.view(Odd)
        elif way == 4:
            array = np.broadcast_to(array, (2, *array.shape))
        elif way == 5 and array.dtype.kind in "iufc":
            array = array.astype(array.dtype.newbyteorder())
        elif way == 6 and array.dtype.kind != "O":
            # Numbers that are not where their size would have them.
            raw = np.zeros(array.nbytes + 1, dtype=np.uint8)[1:]
            array = np.frombuffer(raw, dtype=array.dtype, count=array.size).reshape(array.shape)
        elif way == 7 and array.dtype.kind in "iuf":
            return array.tolist()
        elif way == 8 and array.dtype.kind in "iuf":
            return np.ma.masked_array(array)
        return array

    def any(self) -> Any:
        """Anything at all."""
        return self.draw.choice(self.odd)()

    def near(self, good: Callable[[], Any]) -> Any:
        """What fits, mostly nearly."""
        return good() if self.draw.random() < 0.45 else self.any()


class Targets:
    """What is called: cheap scenes, clouds, sites, and for each call what would fit."""

    def __init__(self, draw: random.Random, folder: str) -> None:
        self.draw = draw
        world = understory.World().add_object("ball", "sphere", radius_m=5.0, tolerance_m=0.05)
        self.scenario = understory.Scenario.build(world, "vlp-16", duration_s=0.002)
        self.simulation = understory.Simulation(self.scenario)
        self.cloud = self.simulation.run()
        self.plain = understory.Cloud({"range_m": [1.0, 2.0], "channel": [0, 1]})
        beams = np.tile([[1.0, 0.0, 0.0]], (40, 1))
        beams[:, 1] = np.linspace(-0.2, 0.2, 40)
        self.beams = understory.Cloud.from_beams(np.zeros((40, 3)), beams, np.full(40, 4.0))
        self.site = understory.learn(self.beams, model="voxel", cell_m=0.5)
        self.rays = understory.RayScene([[5, -1, -1], [5, 1, -1], [5, 0, 1]], [[0, 1, 2]])
        self.environment = understory.Environment(self.scenario, step_s=0.0005)
        self.world = world
        self.sensor = understory.Sensor("vlp-16")
        self.folder = folder
        self.things = [
            self.scenario,
            self.simulation,
            self.cloud,
            self.plain,
            self.site,
            self.rays,
            self.sensor,
            self.world,
            self.environment,
        ]
        self.values = Values(draw, self)
        self.calls = self._calls()

    def _file(self, *endings: str) -> Callable[[], str]:
        return lambda: os.path.join(self.folder, f"f.{self.draw.choice(endings or ('npy',))}")

    def _calls(self) -> list[tuple[str, int, Callable[[], Any]]]:
        """Name, weight and call. Weights keep what simulates or writes rare."""
        near, anything = self.values.near, self.values.any
        draw = self.draw
        keep = {
            "cloud": lambda: self.cloud,
            "xyz": lambda: np.ones((2, 3)),
            "three": lambda: [0.0, 0.0, 1.0],
            "pose": lambda: np.eye(4),
            "interval": lambda: (0.0, 0.0005),
            "text": lambda: "vlp-16",
            "whole": lambda: 3,
            "number": lambda: 0.5,
            "truth": lambda: True,
            "triangle": lambda: [[0, 1, 2]],
            "corners": lambda: np.array([[5.0, -1, -1], [5, 1, -1], [5, 0, 1]]),
            "dict": lambda: {"detector": {"range_max_m": 50.0}},
            "site": lambda: self.site,
            "silent": lambda: False,
        }

        def arg(kind: str) -> Any:
            return near(keep[kind])

        def some(**kinds: str) -> dict[str, Any]:
            """Some of the keywords; few of many, so that calls get beyond their arguments."""
            share = min(0.35, 1.5 / len(kinds))
            return {name: arg(kind) for name, kind in kinds.items() if draw.random() < share}

        def method(thing: Any, names: list[str]) -> Callable[[], Any]:
            def call() -> Any:
                given = [anything() for _ in range(draw.randrange(3))]
                words = (
                    {draw.choice(["seed", "x", "file"]): anything()} if draw.random() < 0.2 else {}
                )
                return getattr(thing, draw.choice(names))(*given, **words)

            return call

        def built() -> Any:
            world = understory.World(**some(vegetation_lod="text", bounces_max="whole"))
            name = draw.choice(["object", "plant", "ground_object", "material", "plume"])
            keys = ["radius_m", "size_m", "position_m", "count", "what", "scale", "reflectance"]
            given = {draw.choice(keys): anything() for _ in range(draw.randrange(3))}
            if name == "object":
                given = {"radius_m": 1.0, "tolerance_m": 0.01, **given}
                world.add_object(arg("text"), draw.choice(["disc", "plane", anything()]), **given)
            else:
                getattr(world, f"add_{name}")(arg("text"), **given)
            if draw.random() < 0.3:
                table = draw.choice(["terrain", "atmosphere", "wind", "physics"])
                getattr(world, f"set_{table}")(**{draw.choice(["plane", "fog", "x"]): anything()})
            return understory.Scenario.build(world, near(lambda: "vlp-16"), duration_s=0.001)

        def mesh() -> Any:
            world = understory.World()
            world.add_mesh(arg("text"), arg("corners"), arg("triangle"))
            return understory.Scenario.build(world, "vlp-16", duration_s=0.001)

        def beamed() -> Any:
            ranges = near(lambda: draw.choice([[1.0, 2.0], [INF, NAN], [1e300, 1.0], [0.0, -1.0]]))
            words = {"intensity": near(lambda: [0.5, NAN])} if draw.random() < 0.3 else {}
            return understory.Cloud.from_beams(arg("xyz"), arg("xyz"), ranges, **words)

        def columns() -> Any:
            names = [*understory.COLUMNS, "rang_m"]
            given = {draw.choice(names): anything() for _ in range(draw.randrange(1, 4))}
            return understory.Cloud(given, **some(known="text"))

        def saved_columns() -> Any:
            """Clouds of odd columns, given to what reads them."""
            names = list(understory.COLUMNS)
            rows = draw.choice([0, 1, 2, 5])
            given: dict[str, Any] = {}
            for name in draw.sample(names, draw.randrange(1, 6)):
                dtype, width = understory.COLUMNS[name]
                shape = (rows,) if width == 1 else (rows, width)
                odd = draw.choice([0.0, 1.0, NAN, INF, -1e30, 5.0])
                with np.errstate(all="ignore"):
                    low = 0 if dtype.startswith("u") else odd
                    given[name] = np.full(shape, low if not np.isfinite(low) or low else odd)
                if dtype.startswith("u"):
                    given[name] = np.full(
                        shape, draw.choice([0, 1, np.iinfo(dtype).max]), dtype=dtype
                    )
            cloud = understory.Cloud(
                given, known=draw.choice([None, ["origin", "channel", "misses"]])
            )
            what = draw.randrange(4)
            if what == 0:
                return cloud.save(self._file("npy", "csv", "ply", "laz", "pcd")())
            if what == 1:
                return understory.learn(cloud, model="voxel", cell_m=0.5)
            if what == 2:
                return understory.compare(cloud, self.cloud, drawings=0, points_max=0)
            return understory.concat([cloud, self.plain])

        def stepped() -> Any:
            count = draw.randrange(3)
            times = near(lambda: [0.0005 * i for i in range(count)])
            poses = near(lambda: np.tile(np.eye(4), (count, 1, 1)))
            return self.simulation.step(times, poses, interval_s=arg("interval"))

        def acted() -> Any:
            if draw.random() < 0.3:
                return self.environment.reset(**some(seed="whole", pose="pose"))
            return self.environment.step(near(lambda: draw.choice([(1.0, 0.1), np.eye(4)])))

        def cast() -> Any:
            count, rays = draw.choice([0, 1, 2, 5]), draw.choice([1, 2, 9, 40])
            ways = draw.choice([(count, 3), (count, rays, 3)])
            return self.rays.cast(
                near(lambda: np.zeros((count, 3))),
                near(lambda: np.ones(ways)),
                **some(t_max="number", normals="truth"),
            )

        def written() -> Any:
            return self.simulation.write(
                near(self._file("npy", "csv", "laz", "parquet", "xyzzy")),
                **some(formats="text", misses="truth", seed="whole", interval_s="interval"),
            )

        def read() -> Any:
            words = some(
                pose="three",
                points_in="text",
                metres_per_unit="number",
                intensity_full="number",
                columns="text",
                sensor="text",
                topic="text",
                start_unix_ns="whole",
            )
            return understory.read(near(self._file("npy", "csv", "ply", "laz", "nothing")), **words)

        def learned() -> Any:
            words = some(
                cell_m="number",
                tau="number",
                points_min="whole",
                jeffreys_below="whole",
                width="number",
                leaves_max="whole",
                range_m="interval",
                region_m="xyz",
                every="interval",
                sensor="text",
                recover_misses="text",
                reading="dict",
                kernel_m="number",
            )
            model = draw.choice(["voxel", "voxel", "top-down", "bottom-up", anything()])
            # Cells that are tiny beside the scene would learn for long, rightly.
            if isinstance(words.get("cell_m"), (int, float)) and words["cell_m"] < 0.01:
                words["cell_m"] = -words["cell_m"]
            recordings = near(lambda: draw.choice([self.beams, [self.beams, self.beams]]))
            return understory.learn(recordings, model=model, **words)

        def compared() -> Any:
            words = some(
                mode="text",
                orientations="text",
                azimuth_bin_deg="number",
                elevation_bin_deg="number",
                range_bin_m="number",
                place_cell_m="number",
                box_m="xyz",
                range_m="interval",
                azimuth_deg="interval",
                elevation_deg="interval",
                returns="text",
                misses="truth",
                seed="whole",
                threshold_m="number",
                points_max="whole",
            )
            return understory.compare(arg("cloud"), arg("cloud"), drawings=0, **words)

        def fitted() -> Any:
            words = some(sensor="text", gate_m="number", points_min="whole")
            return understory.fit_error(near(lambda: self.cloud[:40]), **words)

        def table() -> Any:
            # Right arguments would work for a minute: one of them is always wrong.
            return understory.deschaud_table1(anything(), revolutions=near(lambda: 3))

        u = understory
        cloud_methods = ["returns", "misses", "flat", "to_numpy", "__len__", "__repr__", "__iter__"]
        return [
            ("Cloud", 60, columns),
            ("Cloud.from_beams", 40, beamed),
            ("Cloud[]", 60, lambda: self.cloud[anything()]),
            ("Cloud ==", 10, lambda: self.cloud == anything()),
            ("Cloud methods", 20, method(self.cloud, cloud_methods)),
            (
                "Cloud.save",
                6,
                lambda: self.plain.save(
                    near(self._file("npy", "csv", "q")), **some(format="text", misses="truth")
                ),
            ),
            ("clouds of odd columns", 12, saved_columns),
            ("concat", 20, lambda: u.concat(near(lambda: [self.plain, arg("cloud")]))),
            ("read", 8, read),
            (
                "Sensor",
                30,
                lambda: u.Sensor(
                    arg("text"),
                    **some(
                        name="text",
                        position_m="three",
                        rotation_deg="three",
                        delay_s="number",
                        override="dict",
                    ),
                ),
            ),
            ("Sensor.from_file", 5, lambda: u.Sensor.from_file(anything())),
            ("Sensor methods", 5, method(self.sensor, ["describe", "table", "__repr__", "names"])),
            ("World and Scenario.build", 25, built),
            ("World.add_mesh", 25, mesh),
            (
                "World.add_site",
                10,
                lambda: u.World().add_site(arg("text"), arg("site"), **some(label="whole")),
            ),
            ("Scenario", 20, lambda: u.Scenario(anything())),
            (
                "Scenario.from_toml",
                15,
                lambda: u.Scenario.from_toml(
                    near(lambda: self.scenario.toml), **some(folder="text")
                ),
            ),
            (
                "Scenario.from_dict",
                20,
                lambda: u.Scenario.from_dict(
                    near(lambda: {"seed": anything(), "world": anything()})
                ),
            ),
            (
                "Scenario.build",
                25,
                lambda: u.Scenario.build(
                    near(lambda: self.world),
                    near(lambda: self.sensor),
                    **some(duration_s="number", seed="whole", platform="dict", title="text"),
                ),
            ),
            (
                "Scenario.replace",
                15,
                lambda: self.scenario.replace(
                    **{draw.choice(["seed", "world", "duration_s", "x"]): anything()}
                ),
            ),
            (
                "Scenario.with_sensors",
                10,
                lambda: self.scenario.with_sensors(
                    *(arg("text") for _ in range(draw.randrange(3)))
                ),
            ),
            (
                "Scenario.in_site",
                10,
                lambda: self.scenario.in_site(arg("site"), **some(rays="text")),
            ),
            (
                "Scenario methods",
                20,
                method(self.scenario, ["platform_pose", "intervals", "estimate", "__repr__"]),
            ),
            (
                "Simulation",
                4,
                lambda: u.Simulation(
                    near(lambda: self.scenario), **some(max_memory_bytes="whole", progress="silent")
                ),
            ),
            (
                "Simulation.run",
                4,
                lambda: self.simulation.run(
                    **some(seed="whole", interval_s="interval", threads="whole", progress="silent")
                ),
            ),
            ("Simulation.pulses", 20, lambda: self.simulation.pulses(interval_s=arg("interval"))),
            (
                "Simulation.scans",
                2,
                lambda: list(
                    self.simulation.scans(
                        **some(seed="whole", interval_s="interval", threads="whole")
                    )
                ),
            ),
            ("Simulation.write", 2, written),
            ("Simulation.step", 8, stepped),
            (
                "Environment",
                4,
                lambda: u.Environment(
                    near(lambda: self.scenario),
                    **some(step_s="number", reward="text", terminated="text", threads="whole"),
                ),
            ),
            ("Environment.step", 8, acted),
            (
                "RayScene",
                30,
                lambda: u.RayScene(arg("corners"), arg("triangle"), **some(closed="truth")),
            ),
            ("RayScene.cast", 60, cast),
            ("Site", 10, lambda: u.Site(anything())),
            ("Site.crop", 15, lambda: self.site.crop(arg("three"), near(lambda: [9.0, 9.0, 9.0]))),
            ("Site.merge", 10, lambda: u.Site.merge(near(lambda: [self.site, arg("site")]))),
            ("Site methods", 5, method(self.site, ["volumes", "surface", "__len__", "__repr__"])),
            ("learn", 6, learned),
            ("compare", 8, compared),
            ("fit_error", 8, fitted),
            ("deschaud_table1", 10, table),
            (
                "run",
                10,
                lambda: u.run(
                    near(lambda: self.scenario), **some(seed="whole", interval_s="interval")
                ),
            ),
            ("scans", 5, lambda: u.scans(anything())),
            ("write", 5, lambda: u.write(anything(), anything())),
        ]


#: What may be raised besides Understory's own: what Python raises where a call does not fit.
ALLOWED = (understory.UnderstoryError, TypeError)


def main() -> int:
    """Calls, counts and tells."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slow-s", type=float, default=5.0, help="calls that take longer are told")
    parser.add_argument("--verbose", action="store_true", help="each call's name before it is made")
    given = parser.parse_args()
    faulthandler.enable()
    draw = random.Random(given.seed)
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    spent_s: dict[str, float] = collections.defaultdict(float)
    wrong: list[str] = []
    begin = time.monotonic()
    memory_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.chdir(folder)
        targets = Targets(draw, folder)
        names = [name for name, _, _ in targets.calls]
        weights = [weight for _, weight, _ in targets.calls]
        calls = dict((name, call) for name, _, call in targets.calls)
        for number in range(given.calls):
            name = draw.choices(names, weights)[0]
            if given.verbose:
                print(number, name, flush=True)
            start = time.monotonic()
            try:
                calls[name]()
                outcome = "done"
            except ALLOWED as error:
                outcome = type(error).__name__
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                outcome = f"{type(error).__name__} !"
                wrong.append(f"call {number}, {name}: {type(error).__name__}: {str(error)[:300]}")
            took_s = time.monotonic() - start
            if took_s > given.slow_s:
                print(f"call {number}, {name}: {outcome} took {took_s:.1f} s", flush=True)
            counts[name][outcome] += 1
            spent_s[name] += took_s
        os.chdir("/")
    for name, found in sorted(counts.items()):
        told = ", ".join(f"{count} {outcome}" for outcome, count in found.most_common())
        print(f"{name:26s} {spent_s[name]:7.1f} s: {told}")
    grown_mb = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory_kb) / 1024
    seconds = time.monotonic() - begin
    print(f"{given.calls} calls in {seconds:.0f} s, memory grew by {grown_mb:.0f} MB")
    for line in wrong[:20]:
        print(f"WRONG {line}")
    print(f"{len(wrong)} wrong exceptions")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
