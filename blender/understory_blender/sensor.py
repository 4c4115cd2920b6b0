"""A camera or an empty → a sensor of the package.

A camera looks along its −z: that is where the sensor's x axis points, and its y axis up is the sensor's z
axis. An empty is the sensor's frame itself: x forward, y left, z up.
"""

from __future__ import annotations

import math

import understory

from . import parameters
from .refusal import Refusal

#: Floats of Blender hold so many digits.
_DIGITS = 7


def is_possible(thing) -> bool:
    """Whether an object can be a sensor."""
    return thing is not None and thing.type in ("CAMERA", "EMPTY")


def make(thing, preset: str = "vlp-16") -> None:
    """Makes a camera or an empty a sensor."""
    if not is_possible(thing):
        name = "nothing" if thing is None else repr(thing.name)
        raise Refusal(f"{name} is chosen, and sensors are cameras or empties; choose one of these")
    settings = thing.understory
    settings.is_sensor = True
    try:
        settings.preset = preset
    except TypeError:
        raise Refusal(f"there is no preset {preset!r}; choose one of {', '.join(understory.Sensor.names())}") from None
    load_preset(settings)


def load_preset(settings) -> None:
    """Fills in the values of the preset."""
    settings.parameters.clear()
    known = parameters.all_parameters()
    for path, value in parameters.values_of(understory.Sensor(settings.preset).toml).items():
        if path in known:
            _fill(_new(settings, known[path]), value)
    if not any(one.path.startswith(f"{settings.shown_table}.") for one in settings.parameters):
        settings.shown_table = "beam"


def _new(settings, known: parameters.Parameter):
    item = settings.parameters.add()
    item.name = item.path = known.path
    item.kind = known.kind
    return item


def _fill(item, value: object) -> None:
    if item.kind == "NUMBER" and isinstance(value, (int, float)):
        item.number = value
    elif item.kind == "WHOLE" and isinstance(value, int):
        item.whole = value
    elif item.kind == "TRUTH":
        item.truth = bool(value)
    elif item.kind == "CHOICE":
        item.choice = value
    else:
        item.kind = "TEXT"
        item.text = parameters.as_text(value)
    item.is_changed = False


def add_parameter(settings, path: str) -> None:
    """Adds a key that the preset does not have."""
    known = parameters.all_parameters().get(path)
    if known is None:
        raise Refusal(f"a sensor has no key {path!r}; docs/sensor-keys.md lists them")
    if path not in settings.parameters:
        item = _new(settings, known)
        if item.kind == "TEXT":
            item.text = "[]"
        item.is_changed = True


def set_parameter(thing, path: str, value: object) -> None:
    """Changes a key of a sensor, for scripts."""
    settings = thing.understory
    add_parameter(settings, path)
    item = settings.parameters[path]
    _fill(item, value)
    item.is_changed = True


def value_of(item) -> object:
    """The value of a key."""
    match item.kind:
        case "NUMBER":
            return float(f"{item.number:.{_DIGITS}g}")
        case "WHOLE":
            return item.whole
        case "TRUTH":
            return item.truth
        case "CHOICE":
            return item.choice
    try:
        return parameters.from_text(item.text)
    except ValueError:
        raise Refusal(f"{item.path} is {item.text!r}, which is no value of TOML; write a list as [1.0, 2.0]") from None


def overrides(thing) -> dict[str, object]:
    """Keys that differ from the preset's, as tables."""
    settings = thing.understory
    changed = {item.path: value_of(item) for item in settings.parameters if item.is_changed}
    if thing.type == "CAMERA" and settings.use_camera_view and "camera_grid.pixels" in settings.parameters:
        _camera_view(thing, settings, changed)
    return parameters.nested(changed)


def _camera_view(thing, settings, changed: dict[str, object]) -> None:
    """The field of view of Blender's camera for the pixels of the sensor."""
    camera = thing.data
    if camera.type != "PERSP":
        raise Refusal(
            f"camera {thing.name!r} is not perspective, and a time-of-flight camera is; change its lens, or "
            "do not take its field of view"
        )
    columns, rows = changed.get("camera_grid.pixels") or value_of(settings.parameters["camera_grid.pixels"])
    wide = camera.sensor_fit == "HORIZONTAL" or (camera.sensor_fit == "AUTO" and columns >= rows)
    tangent = math.tan(0.5 * camera.angle)
    across, up = (tangent, tangent * rows / columns) if wide else (tangent * columns / rows, tangent)
    # The pinhole's focal length is exact; a lens with its own projection keeps its angles.
    focal = 0.5 * columns / across
    centre = [0.5 * columns - camera.shift_x * max(columns, rows), 0.5 * rows + camera.shift_y * max(columns, rows)]
    for key in ("field_of_view_deg", "focal_px", "centre_px", "distortion", "projection"):
        changed.pop(f"camera_grid.{key}", None)
    angles = [round(math.degrees(2 * math.atan(tangent)), 6) for tangent in (across, up)]
    if "camera_grid.focal_px" in settings.parameters:
        changed["camera_grid.focal_px"] = [round(focal, 6)] * 2
    else:
        changed["camera_grid.field_of_view_deg"] = angles
    if camera.shift_x or camera.shift_y or "camera_grid.centre_px" in settings.parameters:
        changed["camera_grid.centre_px"] = [round(x, 6) for x in centre]


def sensor_of(thing) -> understory.Sensor:
    """The sensor that a camera or an empty is."""
    if not is_possible(thing) or not thing.understory.is_sensor:
        raise Refusal(
            "no sensor is chosen: make a camera or an empty active and press Make Sensor in its properties"
        )
    settings = thing.understory
    name = "".join(c for c in thing.name if c.isprintable()).strip() or "sensor"
    return understory.Sensor(settings.preset, name=name, override=overrides(thing))
