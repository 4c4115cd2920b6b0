"""Reads BlenSor's record in its three forms and compares it with our own NPY file of the same rows.

Usage: check_blensor.py FOLDER, where FOLDER holds NAME.npy, NAME.blensor.csv, NAME.blensor.npy and
NAME.evd for NAME in utm and empty.
"""

import math
import struct
import sys
from pathlib import Path

import numpy as np

NAMES = "timestamp,yaw,pitch,distance,distance_noise,x,y,z,x_noise,y_noise,z_noise,object_id"


def expected(path):
    rows = np.load(path)
    rows = rows[rows["return_number"] > 0]
    columns = [
        rows["time_s"],
        np.mod(np.deg2rad(rows["azimuth_deg"].astype(np.float64)), 2 * math.pi),
        np.deg2rad(rows["elevation_deg"].astype(np.float64)),
        rows["true_range_m"],
        rows["range_m"],
    ]
    # The clean point stands in the measured direction at the true distance.
    farther = rows["true_range_m"].astype(np.float64) - rows["range_m"].astype(np.float64)
    columns += [rows[f"{a}_m"] + rows[f"direction_{a}"].astype(np.float64) * farther for a in "xyz"]
    columns += [rows[f"{axis}_m"] for axis in "xyz"]
    columns += [rows["object"]]
    table = np.stack([column.astype(np.float64) for column in columns], axis=1)
    return table, rows["scan"], np.floor(255 * np.clip(rows["intensity"].astype(np.float64), 0, 1))


def same(where, found, wanted):
    assert found.shape == wanted.shape, f"{where}: {found.shape} is not {wanted.shape}"
    exact = [0, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    assert np.array_equal(found[:, exact], wanted[:, exact]), where
    # Angles were turned into radians by two libraries.
    assert np.allclose(found[:, 1:3], wanted[:, 1:3], rtol=0, atol=1e-14), where


def read_evd(path):
    """Blocks of (entries of 12 fields, red, green, blue)."""
    blocks = []
    with path.open("rb") as file:
        while (count := struct.unpack("i", file.read(4))[0]) != -1:
            rays = [struct.unpack("14dQ", file.read(120)) for _ in range(count)]
            blocks.append(([ray[:11] + (float(ray[14]),) for ray in rays], [r[11:14] for r in rays]))
        assert file.read() == b"", "something follows the end"
    return blocks


def main():
    folder = Path(sys.argv[1])
    for name in ("utm", "empty"):
        wanted, scan, grey = expected(folder / f"{name}.npy")

        array = np.load(folder / f"{name}.blensor.npy")
        assert array.dtype == np.float64
        same("npy", array, wanted)

        lines = (folder / f"{name}.blensor.csv").read_text().splitlines()
        assert lines[0] == NAMES
        rows = [[float(word) for word in line.split(",")] for line in lines[1:]]
        same("csv", np.array(rows).reshape(-1, 12), wanted)

        blocks = read_evd(folder / f"{name}.evd")
        assert [len(rays) for rays, _ in blocks] == [int(n) for n in np.unique(scan, return_counts=True)[1]]
        same("evd", np.array([ray for rays, _ in blocks for ray in rays]).reshape(-1, 12), wanted)
        colours = np.array([c for _, colours in blocks for c in colours]).reshape(-1, 3)
        assert np.array_equal(colours, np.stack([grey] * 3, axis=1)), "grey"
        print(f"{name}: {len(wanted)} rows agree in all three forms")


if __name__ == "__main__":
    main()
