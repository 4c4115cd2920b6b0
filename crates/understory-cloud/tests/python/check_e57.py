"""Reads an E57 file of Understory with pye57 (libE57) and writes some for Understory.

Usage: check_e57.py FOLDER. FOLDER/ours.e57 must hold what FOLDER/ours.csv says: x, y, z, direction,
intensity, time, channel, column, return number and count, scan. Writes theirs.e57 and cloud.e57, and
the positions, origins, intensities and indices of the first into theirs.csv.
"""

import sys
from pathlib import Path

import numpy as np
import pye57
from pye57.e57 import SUPPORTED_POINT_FIELDS

# Fields of the standard that its Python layer does not list; libE57 reads them.
SUPPORTED_POINT_FIELDS.update({"timeStamp": "d", "returnIndex": "H", "returnCount": "H",
                               "isIntensityInvalid": "b", "isTimeStampInvalid": "b"})


def rotation(q):
    w, x, y, z = q
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])


def check(folder):
    rows = np.genfromtxt(folder / "ours.csv", delimiter=",")
    file = pye57.E57(str(folder / "ours.e57"))
    scans = np.unique(rows[:, 12])
    assert file.scan_count == len(scans), (file.scan_count, len(scans))
    checked = misses = 0
    for index, scan in enumerate(scans):
        wanted = rows[rows[:, 12] == scan]
        header = file.get_header(index)
        assert header["name"].value() == f"sensor 0 scan {int(scan)}"
        assert header.has_pose() and header.point_count == len(wanted)
        data = file.read_scan_raw(index)
        local = np.stack([data[f"cartesian{axis}"] for axis in "XYZ"], axis=1)
        turn, shift = rotation(header.rotation), header.translation
        assert np.allclose(shift, [500_000.0 + scan, 5_400_000.25, 101.5], atol=0)
        miss = wanted[:, 10] == 0
        assert np.array_equal(data["cartesianInvalidState"], miss.astype(int))
        world = local @ turn.T + shift
        assert np.abs(world[~miss] - wanted[~miss, 0:3]).max() < 1e-8
        assert np.abs(local[miss] @ turn.T - wanted[miss, 3:6]).max(initial=0) < 1e-6
        bright = np.minimum(wanted[~miss, 6], 1.0).astype(np.float32)
        assert np.array_equal(data["intensity"][~miss].astype(np.float32), bright)
        limits = header["intensityLimits"]
        assert limits["intensityMinimum"].value() == 0 and limits["intensityMaximum"].value() == 1
        assert np.array_equal(data["timeStamp"], wanted[:, 7])
        assert np.array_equal(data["rowIndex"], wanted[:, 8])
        assert np.array_equal(data["columnIndex"], wanted[:, 9])
        assert np.array_equal(data["returnIndex"], np.maximum(wanted[:, 10] - 1, 0))
        assert np.array_equal(data["returnCount"], wanted[:, 11])
        # 2025-01-01 in GPS time.
        start = header["acquisitionStart"]["dateTimeValue"].value()
        assert start == 1_735_689_600 - 315_964_800 + 18, start
        checked += len(wanted)
        misses += int(miss.sum())
    print(f"pye57 agrees on {checked} points in {len(scans)} scans, {misses} of them misses")


def make(folder):
    random = np.random.default_rng(5)
    lines = []
    cartesian = pye57.E57(str(folder / "theirs.e57"), mode="w")
    for scan in range(3):
        count = 20_000 + scan
        azimuth = random.uniform(-np.pi, np.pi, count)
        elevation = random.uniform(-1.2, 1.2, count)
        distance = random.uniform(1.0, 80.0, count)
        flat = distance * np.cos(elevation)
        local = np.stack([flat * np.cos(azimuth), flat * np.sin(azimuth),
                          distance * np.sin(elevation)], axis=1)
        q = random.normal(size=4)
        q /= np.linalg.norm(q)
        q *= np.sign(q[0])
        shift = random.uniform(-50.0, 50.0, 3)
        intensity = random.integers(0, 256, count).astype(np.float32)
        intensity[:2] = 0, 255
        row, column = np.arange(count) % 64, np.arange(count) // 64
        common = {"intensity": intensity, "rowIndex": row, "columnIndex": column}
        points = {f"cartesian{axis}": local[:, i] for i, axis in enumerate("XYZ")}
        cartesian.write_scan_raw(points | common, rotation=q, translation=shift)
        world = local @ rotation(q).T + shift
        lines.append(np.column_stack([world, np.tile(shift, (count, 1)), intensity / 255.0,
                                      row, column]))
    cartesian.close()
    np.savetxt(folder / "theirs.csv", np.concatenate(lines), fmt="%.17g", delimiter=",")
    cloud = pye57.E57(str(folder / "cloud.e57"), mode="w")
    cloud.write_scan_raw({f"cartesian{axis}": np.arange(5.0) for axis in "XYZ"})
    cloud.close()


if __name__ == "__main__":
    check(Path(sys.argv[1]))
    make(Path(sys.argv[1]))
