"""Understory in Blender: lidars and time-of-flight cameras in your scene.

A camera or an empty becomes a sensor, a scan becomes points with the ground truth of each one. All physics is
that of the package ``understory``, whose wheel this extension carries: it converts and computes nothing.
"""

from __future__ import annotations

import bpy

#: The package is of this Blender's interpreter, or there is a sentence.
_OLDEST = (4, 2, 0)


def register() -> None:
    """Called when the extension is enabled."""
    if bpy.app.version < _OLDEST:
        own = ".".join(map(str, bpy.app.version))
        raise RuntimeError(f"Understory needs Blender 4.2 or newer, and this is {own}; update Blender")
    try:
        import understory  # noqa: F401
    except ImportError as error:
        raise RuntimeError(
            f"the package understory cannot be loaded ({error}); install the zip of this operating system and "
            "processor"
        ) from error
    from . import cloud_object, operators, overlay, panels, properties

    for part in (properties, operators, panels, overlay, cloud_object):
        part.register()


def unregister() -> None:
    """Called when it is disabled."""
    from . import cloud_object, operators, overlay, panels, properties

    for part in (cloud_object, overlay, panels, operators, properties):
        part.unregister()
