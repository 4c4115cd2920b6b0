"""Blender's matrices ↔ position, rotation and scale as scenarios have them.

What enters: 4 × 4 matrices, row by row, in Blender's units. What leaves: positions in metres, roll,
pitch and yaw in degrees (world = Rz(yaw) · Ry(pitch) · Rx(roll)) and factors of scale.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

#: A lidar's frame (x forward, y left, z up) in that of a camera, which looks along −z with y up.
CAMERA_FROM_SENSOR = np.array(
    [[0.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [-1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
)

#: Axes that deviate more than this from a right angle are sheared.
_SHEAR = 1e-4


@dataclass(frozen=True)
class Placement:
    """Where something stands."""

    position_m: tuple[float, float, float]
    rotation_deg: tuple[float, float, float]
    scale: tuple[float, float, float]

    def table(self) -> dict[str, object]:
        """As an instance of a scenario."""
        return {
            "position_m": list(self.position_m),
            "rotation_deg": list(self.rotation_deg),
            "scale": list(self.scale),
        }

    @property
    def keeps_shape(self) -> bool:
        """Whether it enlarges evenly and does not mirror."""
        x, y, z = self.scale
        return x > 0 and abs(y - x) <= 1e-6 * x and abs(z - x) <= 1e-6 * x


def rotation_deg(rotation: np.ndarray) -> tuple[float, float, float]:
    """Roll, pitch and yaw of a rotation."""
    pitch = np.arcsin(np.clip(-rotation[2, 0], -1.0, 1.0))
    if abs(rotation[2, 0]) < 1 - 1e-12:
        roll = np.arctan2(rotation[2, 1], rotation[2, 2])
        yaw = np.arctan2(rotation[1, 0], rotation[0, 0])
    else:
        roll = 0.0
        yaw = np.arctan2(-rotation[0, 1], rotation[1, 1])
    return tuple(float(x) for x in np.degrees([roll, pitch, yaw]))


def matrix_of(position_m, rpy_deg) -> np.ndarray:
    """The 4 × 4 matrix of a pose."""
    roll, pitch, yaw = np.radians(rpy_deg)
    (sr, cr), (sp, cp), (sy, cy) = ((np.sin(a), np.cos(a)) for a in (roll, pitch, yaw))
    matrix = np.eye(4)
    matrix[:3, :3] = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    matrix[:3, 3] = position_m
    return matrix


def _nearest_rotation(matrix: np.ndarray) -> np.ndarray:
    """Numbers of 32 bits are turned a little off; this is the rotation that is meant."""
    u, _, v = np.linalg.svd(matrix)
    return u @ v


def placement(matrix: np.ndarray, metres_per_unit: float) -> Placement | None:
    """A matrix as a placement of a mesh in metres; none: it shears, or leaves nothing of a mesh.

    A mirrored one has a negative factor along x.
    """
    axes = np.asarray(matrix, dtype=np.float64)[:3, :3]
    lengths = np.linalg.norm(axes, axis=0)
    if not np.isfinite(matrix).all() or lengths.min() < 1e-9 * max(lengths.max(), 1e-30):
        return None
    if np.linalg.det(axes) < 0:
        lengths[0] = -lengths[0]
    rotation = axes / lengths
    if np.abs(rotation.T @ rotation - np.eye(3)).max() > _SHEAR:
        return None
    position = np.asarray(matrix)[:3, 3] * metres_per_unit
    # Factors of 1 that are off by rounding are 1.
    whole = np.where(np.abs(np.abs(lengths) - 1) < 2e-7, np.sign(lengths), lengths)
    return Placement(
        tuple(float(x) for x in position),
        rotation_deg(_nearest_rotation(rotation)),
        tuple(float(x) for x in whole),
    )


def pose(matrix: np.ndarray, metres_per_unit: float) -> Placement:
    """The same of something that has no size, such as a sensor: its scale is left out."""
    axes = np.asarray(matrix, dtype=np.float64)[:3, :3]
    lengths = np.linalg.norm(axes, axis=0)
    rotation = np.eye(3)
    if lengths.min() > 0 and np.linalg.det(axes) > 0:
        rotation = _nearest_rotation(axes / lengths)
    position = np.asarray(matrix, dtype=np.float64)[:3, 3] * metres_per_unit
    return Placement(tuple(float(x) for x in position), rotation_deg(rotation), (1.0, 1.0, 1.0))


def world_from_sensor(matrix_world: np.ndarray, is_camera: bool) -> np.ndarray:
    """Where a sensor is whose camera or empty is here."""
    matrix = np.array(matrix_world, dtype=np.float64)
    return matrix @ CAMERA_FROM_SENSOR if is_camera else matrix
