"""Image textures of a base colour → one colour for each triangle, or their mean.

Images are read once per scan, as linear colours; a picture that is missing says so and is left out.
"""

from __future__ import annotations

import numpy as np

#: Larger pictures are read at every second, third … pixel.
_SIDE_MAX = 2048


class Textures:
    """Pictures that were read."""

    def __init__(self, warn) -> None:
        self._read: dict[str, np.ndarray | None] = {}
        self._warn = warn

    def pixels(self, image) -> np.ndarray | None:
        """Rows × columns × 4 from the bottom, linear; none: it cannot be read."""
        if image is None:
            return None
        if image.name_full not in self._read:
            self._read[image.name_full] = self._load(image)
        return self._read[image.name_full]

    def _load(self, image) -> np.ndarray | None:
        width, height = image.size
        if width * height == 0 or not image.has_data and not len(image.pixels):
            self._warn(
                f"the picture {image.name!r} is missing ({image.filepath or 'no file'}): its surfaces have "
                "the plain colour of their material; restore the file, or pack it"
            )
            return None
        flat = np.empty(width * height * image.channels, np.float32)
        image.pixels.foreach_get(flat)
        pixels = flat.reshape(height, width, image.channels)
        step = max(1, -(-max(width, height) // _SIDE_MAX))
        pixels = pixels[::step, ::step]
        if image.channels < 3:
            pixels = np.repeat(pixels[:, :, :1], 3, axis=2)
        rgb = np.clip(pixels[:, :, :3], 0.0, 1.0)
        # Pictures of eight bits hold sRGB; those of floating-point numbers are linear.
        if not image.is_float and image.colorspace_settings.name.startswith("sRGB"):
            rgb = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
        return rgb

    def colours(self, image, uv: np.ndarray) -> np.ndarray | None:
        """The colour at each place (N × 2), by the nearest pixel; the picture repeats."""
        pixels = self.pixels(image)
        if pixels is None:
            return None
        height, width = pixels.shape[:2]
        places = np.nan_to_num(uv)
        column = np.floor((places[:, 0] % 1.0) * width).astype(np.int64) % width
        row = np.floor((places[:, 1] % 1.0) * height).astype(np.int64) % height
        return pixels[row, column]

    def mean(self, image) -> np.ndarray | None:
        """The mean colour."""
        pixels = self.pixels(image)
        return None if pixels is None else pixels.reshape(-1, 3).mean(axis=0)
