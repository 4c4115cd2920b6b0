"""The evaluated scene at one moment: which things are there, where, and what shape they have.

What enters: the evaluated depsgraph. What leaves: a :class:`Moment` of :class:`Thing`s. Each shape is read
once, however many instances show it, whether they come from collections, particles or geometry nodes.
What is seen is what the viewport shows, less what is disabled in renders and what says itself that
sensors do not see it. Scans that lie in the scene are not seen.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from . import geometry
from .geometry import Shape
from .labels import label_of

#: The custom property that objects have which are results.
RESULT = "understory_result"

#: Lattices, lights and the like have no surface; of these one would expect that they have.
_UNSEEN = {"VOLUME": "volumes", "POINTCLOUD": "point clouds", "GREASEPENCIL": "grease pencil"}


@dataclass
class Thing:
    """An object, or one of many instances of one."""

    #: Stays the same from frame to frame.
    key: tuple
    #: In Blender.
    name: str
    #: Whether it is one of many that have no name of their own.
    is_instance: bool
    label: int
    #: Of the shape, in the moment.
    shape: int
    #: world_from_object, in Blender's units.
    matrix: np.ndarray


@dataclass
class Moment:
    """What is there at one time."""

    things: list[Thing] = field(default_factory=list)
    shapes: list[Shape] = field(default_factory=list)


class SceneReader:
    """Reads moments; keeps shapes of objects that cannot change."""

    def __init__(self, metres_per_unit: float, warn) -> None:
        self._metres = metres_per_unit
        self._warn = warn
        self._warned: set[str] = set()
        #: Shapes that stay, by the original data.
        self._kept: dict[tuple, Shape | None] = {}
        self._labels: dict[str, int] = {}

    def moment(self, depsgraph, with_uv: bool = True) -> Moment:
        """What is there now."""
        moment = Moment()
        numbers: dict[tuple, int | None] = {}
        hair_done: set[str] = set()
        for instance in depsgraph.object_instances:
            shown = instance.object
            source = shown.original if shown.original is not None else shown
            if not instance.show_self and not instance.is_instance:
                continue
            if not self._is_seen(instance, source):
                continue
            matrix = np.array(instance.matrix_world, dtype=np.float64)
            key = self._key(instance)
            label = self._label(source)
            if shown.type in geometry.KINDS:
                of_shape = _shared(source) or (shown.data.as_pointer(), shown.name_full)
                if of_shape not in numbers:
                    numbers[of_shape] = self._add(moment, self._shape(shown, source, with_uv), source)
                number = numbers[of_shape]
                if number is not None:
                    moment.things.append(
                        Thing(key, source.name_full, instance.is_instance, label, number, matrix)
                    )
            if not instance.is_instance and source.name_full not in hair_done:
                hair_done.add(source.name_full)
                for name, shape in geometry.particle_hair(shown, self._metres):
                    number = self._add(moment, shape, source)
                    name = f"{source.name_full} {name}"
                    moment.things.append(Thing((*key, name), name, False, label, number, matrix))
        return moment

    def _is_seen(self, instance, source) -> bool:
        if source.type in _UNSEEN and RESULT not in source:
            self.warn_once(
                f"{_UNSEEN[source.type]} have no surface and are not scanned, such as {source.name!r}; "
                "convert them to meshes if they should be"
            )
        settings = getattr(source, "understory", None)
        if RESULT in source or source.hide_render or (settings is not None and settings.is_unseen):
            return False
        parent = instance.parent.original if instance.is_instance and instance.parent else None
        return parent is None or not parent.hide_render

    @staticmethod
    def _key(instance) -> tuple:
        name = instance.object.original.name_full if instance.object.original else instance.object.name
        if not instance.is_instance:
            return (name,)
        return (name, instance.parent.name_full if instance.parent else "", *instance.persistent_id)

    def _label(self, source) -> int:
        name = source.name_full
        if name not in self._labels:
            settings = getattr(source, "understory", None)
            collections = [collection.name for collection in source.users_collection]
            own = settings.label if settings is not None else ""
            custom = source.get("label")
            self._labels[name] = label_of(own, custom, source.name, collections, source.pass_index)
        return self._labels[name]

    def _shape(self, shown, source, with_uv: bool) -> Shape | None:
        key = _shared(source)
        if key is not None and key in self._kept:
            return self._kept[key]
        shape = geometry.shape_of(shown, self._metres, with_uv)
        if key is not None:
            self._kept[key] = shape
        return shape

    def _add(self, moment: Moment, shape: Shape | None, source) -> int | None:
        if shape is None:
            return None
        if shape.left_out:
            self.warn_once(
                f"object {source.name!r}: {shape.left_out} triangles have corners that are no numbers; "
                "they are left out"
            )
        moment.shapes.append(shape)
        return len(moment.shapes) - 1

    def warn_once(self, sentence: str) -> None:
        """Says something that would be said again at every frame."""
        if sentence not in self._warned:
            self._warned.add(sentence)
            self._warn(sentence)


def _shared(source) -> tuple | None:
    """What an object's shape follows from alone, where it is the same at every time and for all objects that
    show the same mesh with the same materials; none: it hangs on the object, or may change.
    """
    data = source.data
    changes = (
        source.type != "MESH"
        or source.modifiers
        or data is None
        or data.shape_keys is not None
        or data.animation_data is not None
        or source.mode != "OBJECT"
    )
    if changes:
        return None
    slots = [slot for slot in source.material_slots if slot.link == "OBJECT"]
    return (data.name_full, *((slot.slot_index, slot.material and slot.material.name_full) for slot in slots))
