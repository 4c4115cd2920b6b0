"""A course of moments → a world of the package: what beams meet.

What stands is placed by lists of instances, so that a mesh is held once; what moves as a whole has
keyframes; what changes its shape has frames. Everything is in memory: no file is written.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import understory

from . import placement, shaders
from .geometry import Shape
from .movement import Course, same_vertices
from .placement import Placement
from .refusal import Refusal
from .scene import Thing
from .shaders import Surface
from .textures import Textures

#: Shades of a picture: so many materials stand for it at most.
SHADES = 16


@dataclass
class BuiltWorld:
    """A world, and what its numbers mean in Blender."""

    world: understory.World
    #: Names of Blender's objects by the names of the scenario's.
    sources: dict[str, str] = field(default_factory=dict)
    triangles: int = 0


def build(course: Course, metres: float, settings: dict[str, object], warn) -> BuiltWorld:
    """The world of a course; ``settings`` are tables of ``[world]``, such as the atmosphere."""
    return _Builder(course, metres, settings, warn).built()


class _Builder:
    def __init__(self, course: Course, metres: float, settings, warn) -> None:
        self._course = course
        self._metres = metres
        self._warn = warn
        self._textures = Textures(warn)
        self._world = understory.World(**settings)
        self._materials: dict[str, dict[str, object] | None] = {}
        self._surfaces: dict[str, Surface] = {}
        self._meshes: dict[int, str] = {}
        self._names: set[str] = set()
        self._standing: dict[tuple, list[tuple[str, Placement, Shape]]] = {}
        #: They live as long as their numbers stand for them.
        self._shapes: list[Shape] = []
        self._built = BuiltWorld(self._world)

    def built(self) -> BuiltWorld:
        if not any(moment.things for moment in self._course.moments):
            raise Refusal(
                "there is nothing to scan: no visible object has a surface; add meshes, or show those that "
                "are hidden or disabled in renders"
            )
        first, rest = self._course.moments[0], self._course.moments[1:]
        by_key = [{thing.key: thing for thing in moment.things} for moment in rest]
        known = set()
        for thing in first.things:
            known.add(thing.key)
            later = [moment.get(thing.key) for moment in by_key]
            if any(one is None for one in later):
                self._warn(f"object {thing.name!r} is not there at all frames; it is left out")
                continue
            self._add(thing, later)
        for moment in by_key:
            for key, thing in moment.items():
                if key not in known:
                    known.add(key)
                    self._warn(f"object {thing.name!r} is not there at all frames; it is left out")
        self._place_standing()
        if not self._names:
            raise Refusal("no object is there at all frames of the range; choose another range")
        for name, keys in sorted(self._materials.items()):
            if keys is not None:
                self._world.add_material(name, **keys)
        return self._built

    def _add(self, thing: Thing, later: list[Thing]) -> None:
        moments = self._course.moments
        shape = moments[0].shapes[thing.shape]
        shapes = [shape, *(moment.shapes[one.shape] for moment, one in zip(moments[1:], later))]
        matrices = [thing.matrix, *(one.matrix for one in later)]
        changes = not all(same_vertices(shape, other) for other in shapes)
        moves = not all(np.array_equal(thing.matrix, matrix) for matrix in matrices)
        places = [placement.placement(matrix, self._metres) for matrix in matrices]
        if not moves and not changes:
            self._stand(thing, shape, places[0])
        elif not changes and all(places) and _same_scale(places):
            self._track(thing, shape, places)
        else:
            self._frames(thing, shapes, matrices)

    def _stand(self, thing: Thing, shape: Shape, place: Placement | None) -> None:
        baked = ()
        if place is None:
            if not _has_size(thing.matrix):
                self._warn(f"object {thing.name!r} is scaled to nothing; it is left out")
                return
            # What is sheared cannot be placed and is written out.
            baked = (thing.key,)
            shape = _baked(shape, thing.matrix, self._metres)
            place = placement.placement(np.eye(4), 1.0)
        group = (id(shape), thing.label, thing.is_instance and thing.name, baked)
        if group not in self._standing:
            self._standing[group] = []
            self._keep(thing.name, shape)
        self._standing[group].append((thing.name, place, shape))

    def _place_standing(self) -> None:
        for (shape_id, label, is_instance, _), copies in self._standing.items():
            source, place, shape = copies[0]
            name = self._name(source)
            keys = self._keys(shape, label, self._meshes[shape_id])
            if len(copies) == 1:
                table = place.table()
                self._world.add_object(name, "mesh", **keys, **table)
                self._built.sources[name] = source
                continue
            keys["instances"] = [place.table() for _, place, _ in copies]
            if is_instance:
                names = [f"{name}#{number}" for number in range(1, len(copies) + 1)]
            else:
                names = [name, *(self._name(source) for source, _, _ in copies[1:])]
                keys["copy_names"] = names
            self._world.add_object(name, "mesh", **keys)
            self._built.sources.update(zip(names, (source for source, _, _ in copies)))

    def _track(self, thing: Thing, shape: Shape, places: list[Placement]) -> None:
        name = self._name(thing.name)
        file = self._keep(thing.name, shape)
        times = self._course.times_s()
        keyframes = [
            {"time_s": time_s, "position_m": list(p.position_m), "rotation_deg": list(p.rotation_deg)}
            for time_s, p in zip(times, places)
        ]
        keys = self._keys(shape, thing.label, file)
        keys["scale"] = list(places[0].scale)
        self._world.add_object(name, "mesh", motion={"keyframes": keyframes}, **keys)
        self._built.sources[name] = thing.name

    def _frames(self, thing: Thing, shapes: list[Shape], matrices: list[np.ndarray]) -> None:
        """Frames in the world, which no scale can forbid; tracks of objects cannot be told of them."""
        first = shapes[0]
        if any(
            not np.array_equal(first.triangles, shape.triangles) or not np.array_equal(first.slots, shape.slots)
            for shape in shapes
        ):
            raise Refusal(
                f"object {thing.name!r} changes its number of faces from frame to frame (a simulation, or a "
                "modifier that makes new faces); scan single frames of it, or apply the modifier"
            )
        name = self._name(thing.name)
        names, numbers = self._triangle_materials(first)
        files = []
        for number, (shape, matrix) in enumerate(zip(shapes, matrices)):
            baked = _baked(shape, matrix, self._metres)
            files.append(
                self._world.keep_mesh(
                    f"{name} {number}",
                    baked.vertices,
                    baked.triangles,
                    materials=names,
                    triangle_materials=numbers,
                )
            )
            self._built.triangles += len(baked.triangles)
        keys = {"label": thing.label, "edges": "exact" if first.exact_edges else "closed"}
        self._world.add_object(
            name, "mesh", frames={"files": files, "step_s": self._course.step_s}, **keys
        )
        self._built.sources[name] = thing.name

    def _keys(self, shape: Shape, label: int, file: str) -> dict[str, object]:
        return {"file": file, "label": label, "edges": "exact" if shape.exact_edges else "closed"}

    def _keep(self, name: str, shape: Shape) -> str:
        if id(shape) in self._meshes:
            return self._meshes[id(shape)]
        names, numbers = self._triangle_materials(shape)
        self._built.triangles += len(shape.triangles)
        number = len(self._meshes) + 1
        file = self._world.keep_mesh(
            f"{number} {name}", shape.vertices, shape.triangles, materials=names, triangle_materials=numbers
        )
        self._shapes.append(shape)
        self._meshes[id(shape)] = file
        return file

    def _name(self, source: str) -> str:
        """A name of the scenario's: Blender's own, which is its own there too."""
        name = "".join(c for c in source if c.isprintable()).strip() or "object"
        candidate, number = name, 1
        while candidate in self._names:
            number += 1
            candidate = f"{name} ({number})"
        self._names.add(candidate)
        return candidate

    def _triangle_materials(self, shape: Shape) -> tuple[list[str], np.ndarray]:
        """Names of materials, and which of them each triangle has."""
        names: list[str] = []
        numbers = np.zeros(len(shape.triangles), np.uint16)
        slots = np.clip(shape.slots, 0, len(shape.materials) - 1)
        for slot in np.unique(slots):
            of_slot = np.flatnonzero(slots == slot)
            surface = self._surface(shape.materials[slot], shape.closed)
            for name, rows in self._shades(surface, shape, of_slot):
                if name not in names:
                    names.append(name)
                numbers[rows] = names.index(name)
        return names, numbers

    def _surface(self, material, closed: bool) -> Surface:
        key = material.name_full if material is not None else ""
        if key not in self._surfaces:
            self._surfaces[key] = shaders.surface(material)
        found = self._surfaces[key]
        if found.glass_by_mesh and not closed:
            keys = {"glass": {**found.keys["glass"], "kind": "pane"}}
            return Surface(f"{found.name} (pane)", keys)
        return found

    def _shades(self, surface: Surface, shape: Shape, rows: np.ndarray):
        """A material, or one for each shade of its picture."""
        uv = shape.uv.get(surface.uv_map, shape.uv.get(""))
        colours = None
        if surface.image is not None and uv is not None:
            colours = self._textures.colours(surface.image, uv[rows])
        if colours is None:
            keys = surface.keys
            mean = self._textures.mean(surface.image) if surface.image is not None else None
            if mean is not None:
                keys = surface.shaded(float(shaders.LUMINANCE @ mean))
            self._materials.setdefault(surface.name, keys)
            yield surface.name, rows
            return
        luminance = colours @ shaders.LUMINANCE
        shade = np.clip((luminance * SHADES).astype(np.int64), 0, SHADES - 1)
        for one in np.unique(shade):
            name = f"{surface.name} {int(one) + 1} of {SHADES}"
            self._materials.setdefault(name, surface.shaded((float(one) + 0.5) / SHADES))
            yield name, rows[shade == one]


def _has_size(matrix: np.ndarray) -> bool:
    axes = matrix[:3, :3]
    lengths = np.linalg.norm(axes, axis=0)
    return bool(np.isfinite(matrix).all() and abs(np.linalg.det(axes)) > 1e-12 * max(lengths.max(), 1e-9) ** 3)


def _same_scale(places: list[Placement]) -> bool:
    scales = np.array([place.scale for place in places])
    return bool(np.abs(scales - scales[0]).max() <= 1e-5 * np.abs(scales[0]).max())


def _baked(shape: Shape, matrix: np.ndarray, metres: float) -> Shape:
    """A shape in the world; mirrored ones are turned inside out again."""
    placed = np.array(matrix, dtype=np.float64)
    vertices = shape.vertices @ placed[:3, :3].T + placed[:3, 3] * metres
    mirrored = np.linalg.det(placed[:3, :3]) < 0
    triangles = shape.triangles[:, ::-1] if mirrored else shape.triangles
    return Shape(
        vertices,
        np.ascontiguousarray(triangles),
        shape.slots,
        shape.materials,
        shape.uv,
        shape.closed,
        shape.exact_edges,
    )
