"""Names → semantic classes and names of the ground truth.

An object's class is, in this order: what its panel says; its custom property ``label`` (as glTF files
bring it); a SemanticKITTI name that its own name or that of a collection it is in begins with
(``car``, ``Car.003``, ``building-north``); its pass index; 0.
"""

from __future__ import annotations

import re

#: SemanticKITTI's classes, as scenarios know them.
CLASSES = {
    "unlabeled": 0, "outlier": 1, "car": 10, "bicycle": 11, "bus": 13, "motorcycle": 15,
    "on-rails": 16, "truck": 18, "other-vehicle": 20, "person": 30, "bicyclist": 31,
    "motorcyclist": 32, "road": 40, "parking": 44, "sidewalk": 48, "other-ground": 49,
    "building": 50, "fence": 51, "other-structure": 52, "lane-marking": 60, "vegetation": 70,
    "trunk": 71, "terrain": 72, "pole": 80, "traffic-sign": 81, "other-object": 99,
    "moving-car": 252, "moving-bicyclist": 253, "moving-person": 254, "moving-motorcyclist": 255,
    "moving-on-rails": 256, "moving-bus": 257, "moving-truck": 258, "moving-other-vehicle": 259,
}  # fmt: skip

#: The longest first, so that "car" does not take "carport" nor "other-ground" become "other".
_NAMES = sorted(CLASSES, key=len, reverse=True)


def class_in(name: str) -> int | None:
    """The class whose name a text begins with."""
    plain = re.sub(r"[ _]+", "-", name.strip().lower())
    for known in _NAMES:
        if plain.startswith(known) and not plain[len(known) : len(known) + 1].isalpha():
            return CLASSES[known]
    return None


def as_class(value: object) -> int | None:
    """A name of a class or its number as a number; none: it is neither."""
    if isinstance(value, str):
        if value.strip().isdigit():
            value = int(value)
        else:
            return CLASSES.get(value.strip().lower())
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= int(value) <= 65535:
        return int(value)
    return None


def label_of(own: str, custom: object, name: str, collections: list[str], pass_index: int) -> int:
    """The class of an object; see above."""
    for found in (as_class(own) if own.strip() else None, as_class(custom), class_in(name)):
        if found is not None:
            return found
    for collection in collections:
        found = class_in(collection)
        if found is not None:
            return found
    return pass_index if 0 <= pass_index <= 65535 else 0
