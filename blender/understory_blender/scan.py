"""The scan: scene → world → points, in steps.

What enters: a context, a camera or an empty that is a sensor, and the scene's settings. What leaves: a
scenario of the package in memory, a cloud, and objects in the scene. The frame that was shown is shown again
at the end, however it ends.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

import bpy
import numpy as np

import understory

from . import cloud_object, placement, sensor, world
from .job import Job, Steps, Stop, in_thread
from .movement import Course, follow
from .refusal import Refusal
from .scene import SceneReader

#: More triangles than this are said before they are built, with the memory that they need.
MANY_TRIANGLES = 20_000_000


@dataclass
class Prepared:
    """A scenario that was made of the scene."""

    scenario: understory.Scenario
    built: world.BuiltWorld
    course: Course
    warnings: list[str] = field(default_factory=list)


def check(context, thing) -> None:
    """Refuses what can be seen before anything is begun."""
    sensor.sensor_of(thing)
    check_range(context.scene.understory)


def check_range(settings) -> None:
    """Refuses ranges that are none."""
    if settings.span == "RANGE" and settings.frame_last < settings.frame_first:
        raise Refusal(
            f"the range ends at frame {settings.frame_last}, before it begins at {settings.frame_first}; "
            "swap or correct them"
        )
    if settings.span == "RANGE" and settings.frame_last - settings.frame_first >= 100_000:
        raise Refusal("the range has more than 100000 frames; scan it in parts")


def frame_s(scene) -> float:
    """Time of a frame."""
    return scene.render.fps_base / scene.render.fps


def atmosphere(settings) -> dict[str, object]:
    """The tables of ``[world]`` that the scene's settings say."""
    air: dict[str, object] = {}
    if settings.fog:
        air["fog"] = {"visibility_m": round(settings.fog_visibility_m, 6)}
    if settings.rain:
        air["rain"] = {"rate_mm_per_h": round(settings.rain_mm_per_h, 6)}
    if settings.snow:
        air["snow"] = {"rate_mm_per_h": round(settings.snow_mm_per_h, 6)}
    if settings.dust:
        air["dust"] = {"visibility_m": round(settings.dust_visibility_m, 6)}
    tables: dict[str, object] = {"atmosphere": air} if air else {}
    if settings.bounces_max != 16:
        tables["bounces_max"] = settings.bounces_max
    return tables


def prepare_steps(context, thing, stop: Stop) -> Steps:
    """Reads the scene for a sensor; gives a :class:`Prepared`."""
    check(context, thing)
    span = context.scene.understory.span
    return (yield from _prepared_steps(context, thing, sensor.sensor_of(thing), span))


def prepare_world_steps(context, span: str) -> Steps:
    """Reads the scene for what needs no sensor of its own, at the shown frame (``CURRENT``) or over the range
    (``RANGE``); gives a :class:`Prepared`."""
    check_range(context.scene.understory)
    return (yield from _prepared_steps(context, None, understory.Sensor("vlp-16"), span))


def _prepared_steps(context, thing, described: understory.Sensor, span: str) -> Steps:
    scene, settings = context.scene, context.scene.understory
    metres = scene.unit_settings.scale_length or 1.0
    warnings: list[str] = []
    reader = SceneReader(metres, warnings.append)
    shown = (scene.frame_current, scene.frame_subframe)

    def here():
        depsgraph = context.evaluated_depsgraph_get()
        moment = reader.moment(depsgraph)
        if thing is None:
            return moment, np.eye(4)
        matrix = np.array(thing.evaluated_get(depsgraph).matrix_world, dtype=np.float64)
        return moment, placement.world_from_sensor(matrix, thing.type == "CAMERA")

    yield "reading the scene", 0.0
    if span == "CURRENT":
        moment, pose = here()
        course = Course(1.0, [moment], [pose])
        scans = settings.scans * described.scan_duration_s
        duration_s = round(settings.duration_s, 7) if settings.duration_s > 0 else scans
    else:
        frames = settings.frame_last - settings.frame_first + 1
        duration_s = round(frames * frame_s(scene), 9)

        def at(frame: float):
            whole = int(np.floor(frame))
            scene.frame_set(settings.frame_first + whole, subframe=float(frame - whole))
            return here()

        course = None
        try:
            for told in follow(at, frames, frame_s(scene), metres):
                if isinstance(told, Course):
                    course = told
                else:
                    yield "following the frames", told
        finally:
            scene.frame_set(shown[0], subframe=shown[1])
    yield "making the world", 0.0
    built = world.build(course, metres, atmosphere(settings), warnings.append)
    poses = [placement.pose(matrix, metres) for matrix in course.sensors]
    scenario = understory.Scenario.build(
        built.world,
        described,
        duration_s=duration_s,
        seed=settings.seed,
        platform=_platform(course, poses),
        title=scene.name if thing is None else f"{scene.name}, seen by {thing.name}",
    )
    _estimate(scenario, warnings)
    return Prepared(scenario, built, course, warnings)


def _platform(course: Course, poses) -> dict[str, object]:
    first = poses[0]
    if all(pose == first for pose in poses):
        return {"position_m": list(first.position_m), "rotation_deg": list(first.rotation_deg)}
    return {
        "waypoints": [
            {"time_s": time_s, "position_m": list(pose.position_m), "rotation_deg": list(pose.rotation_deg)}
            for time_s, pose in zip(course.times_s(), poses)
        ]
    }


def _estimate(scenario: understory.Scenario, warnings: list[str]) -> None:
    """Says of a large scene what it needs before it is built; one too large is refused by the package."""
    need = scenario.estimate()
    if need["triangles"] > MANY_TRIANGLES:
        warnings.append(
            f"the scene has {need['triangles'] / 1e6:.0f} million triangles with all instances and needs about "
            f"{need['bytes'] / 1e9:.1f} GB"
        )


@dataclass
class Scanned:
    """What a scan gave."""

    cloud: understory.Cloud
    objects: list = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    prepared: Prepared | None = None


def scan_steps(context, thing, stop: Stop) -> Steps:
    """The whole scan; gives a :class:`Scanned`."""
    settings = context.scene.understory
    targets = _targets(settings.files)
    prepared = yield from prepare_steps(context, thing, stop)
    scenario = prepared.scenario

    def simulate():
        simulation = understory.Simulation(scenario, progress=stop.progress)
        cloud = simulation.run(progress=stop.progress)
        written: list[str] = []
        if targets:
            done = simulation.write(targets, progress=stop.progress)
            written = [str(path) for path in done["files"]]
            prepared.warnings += [f"not kept: {what}" for what in done["dropped_fields"]]
        return cloud, written

    yield "simulating", 0.0
    cloud, written = yield from in_thread(simulate, stop)
    found = Scanned(cloud, [], written, prepared)
    if not int((cloud.return_number > 0).sum()):
        prepared.warnings.append(
            "no pulse returned: nothing is in reach, or the sensor looks another way (a camera looks along its "
            "view, an empty along its x axis)"
        )
        return found
    for clean in [False] * settings.with_noisy + [True] * settings.with_clean:
        name = f"{thing.name} {'clean' if clean else 'scan'}"
        made = yield from cloud_object.insert(
            context,
            name,
            cloud,
            clean=clean,
            radius_m=settings.point_radius_m,
            colour_by=settings.colour_by,
        )
        made["understory_sensor"] = thing.understory.preset
        made["understory_seed"] = settings.seed
        found.objects.append(made)
    return found


def _targets(files: str) -> list[str]:
    targets = [bpy.path.abspath(part.strip()) for part in files.split(",") if part.strip()]
    for target in targets:
        folder = os.path.dirname(os.path.normpath(target)) or "."
        if not os.path.isdir(folder):
            raise Refusal(f"{target}: the folder {folder} is not there; make it, or save the .blend file first")
    return targets


def scan(context=None, thing=None) -> Scanned:
    """Scans with a sensor, or the scene's camera, and waits for the result: for scripts."""
    context = context or bpy.context
    thing = thing or context.scene.camera
    return Job(lambda stop: scan_steps(context, thing, stop)).finish()


def prepare(context=None, thing=None) -> Prepared:
    """The scenario that a scan would simulate: for scripts."""
    context = context or bpy.context
    thing = thing or context.scene.camera
    return Job(lambda stop: prepare_steps(context, thing, stop)).finish()
