"""Writes files with other people's writers for Understory to read.

Usage: make_files.py FOLDER. Every file holds the same 3000 points, whose exact values stand in
FOLDER/expected.csv: x, y, z (metres), intensity (0 to 1), gps_time, return_number and
number_of_returns, classification.
"""

import sys
from pathlib import Path

import laspy
import numpy as np
from plyfile import PlyData, PlyElement
from pypcd4 import PointCloud

COUNT = 3000


def main():
    folder = Path(sys.argv[1])
    random = np.random.default_rng(7)
    # On the quantum of LAS and of 32-bit floats alike, so that every format holds them exactly.
    xyz = random.integers(-(2**16), 2**16, (COUNT, 3)) / 1024.0
    intensity = random.integers(0, 65536, COUNT).astype(np.uint16)
    number = np.tile([1, 2, 1], COUNT // 3).astype(np.uint8)
    count = np.tile([2, 2, 1], COUNT // 3).astype(np.uint8)
    time = np.repeat(np.arange(COUNT // 3), 3) * 0.25 + np.tile([0, 0, 0.125], COUNT // 3)
    label = random.integers(0, 32, COUNT).astype(np.uint8)
    shown = (intensity / 65535.0).astype(np.float32)
    columns = [*xyz.T, shown.astype(np.float64), time, number, count, label]
    np.savetxt(folder / "expected.csv", np.column_stack(columns), fmt="%.17g", delimiter=",",
               header="x,y,z,intensity,gps_time,return_number,number_of_returns,classification",
               comments="")

    for version, formats in (("1.2", (0, 1, 2, 3)), ("1.4", (1, 3, 6, 7, 8))):
        for point_format in formats:
            las = laspy.create(point_format=point_format, file_version=version)
            las.header.scales = [1 / 1024] * 3
            las.header.offsets = [100.0, -200.0, 0.0]
            las.x, las.y, las.z = xyz.T
            las.intensity = intensity
            las.return_number = number
            las.number_of_returns = count
            las.classification = label
            if point_format not in (0, 2):
                las.gps_time = time
            for ending in ("las", "laz"):
                las.write(folder / f"laspy_{version}_{point_format}.{ending}")

    # Extra bytes, with one scanner channel and with several, which are packed differently.
    for name, channels in (("one", 1), ("four", 4)):
        las = laspy.create(point_format=7, file_version="1.4")
        las.header.scales = [1 / 1024] * 3
        las.x, las.y, las.z = xyz.T
        las.intensity, las.return_number, las.number_of_returns = intensity, number, count
        las.classification, las.gps_time = label, time
        las.red = las.green = las.blue = intensity
        las.scanner_channel = random.integers(0, channels, COUNT)
        las.add_extra_dim(laspy.ExtraBytesParams("ring", "u2"))
        las.add_extra_dim(laspy.ExtraBytesParams("azimuth_deg", "i4", scales=[0.01], offsets=[5.0]))
        las.ring = np.arange(COUNT) % 7 * 40
        las["azimuth_deg"] = 5.0 + 0.01 * (np.arange(COUNT) % 1000)
        las.write(folder / f"extra_{name}.laz")

    kinds = [("x", "f4"), ("y", "f4"), ("z", "f4"), ("intensity", "f4"), ("time", "f8"),
             ("return_number", "u1"), ("number_of_returns", "u1"), ("label", "u1")]
    table = np.empty(COUNT, dtype=kinds)
    values = [*xyz.T, shown, time, number, count, label]
    for (name, _), value in zip(kinds, values):
        table[name] = value
    np.save(folder / "numpy_table.npy", table)
    np.save(folder / "numpy_big.npy", table.astype([(n, k.replace("f", ">f")) for n, k in kinds]))
    np.save(folder / "numpy_plain.npy", np.column_stack([*xyz.T, shown]))
    for name, text, order in (("text", True, "="), ("little", False, "<"), ("big", False, ">")):
        element = PlyElement.describe(table, "vertex")
        PlyData([element], text=text, byte_order=order).write(str(folder / f"plyfile_{name}.ply"))

    from pypcd4 import Encoding
    fields = tuple(name for name, _ in kinds)
    cloud = PointCloud.from_points([table[name] for name in fields], fields,
                                   tuple(np.dtype(k).type for _, k in kinds))
    for encoding in (Encoding.ASCII, Encoding.BINARY, Encoding.BINARY_COMPRESSED):
        cloud.save(folder / f"pypcd4_{encoding.value}.pcd", encoding=encoding)
    print(f"wrote {len(list(folder.iterdir())) - 1} files")


if __name__ == "__main__":
    main()
