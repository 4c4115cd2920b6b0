"""Reads files that Understory wrote with other people's readers and compares every value.

Usage: check_files.py FOLDER, where FOLDER holds NAME.las, .laz, .ply, .pcd, .csv, .npy and .kitti
for each NAME.expected, whose lines are the values as integers or as the bits of floats.
"""

import sys
from pathlib import Path

import laspy
import numpy as np
import pyarrow.parquet as pq
from plyfile import PlyData
from pypcd4 import PointCloud

# Name, and how its value stands in the expected file: d and f are the bits of a float, i a number.
COLUMNS = (
    [(f"{axis}_m", "d") for axis in "xyz"]
    + [("intensity", "f"), ("time_s", "d"), ("return_number", "i"), ("return_count", "i")]
    + [("range_m", "f"), ("azimuth_deg", "f"), ("elevation_deg", "f")]
    + [(f"origin_{axis}_m", "d") for axis in "xyz"]
    + [(f"direction_{axis}", "f") for axis in "xyz"]
    + [(f"sensor_{axis}_m", "f") for axis in "xyz"]
    + [("pulse", "i"), ("sensor", "i"), ("channel", "i"), ("scan", "i"), ("column", "i")]
    + [("signal_photons", "f"), ("ambient_photons", "f"), ("true_range_m", "f")]
    + [(f"true_{axis}_m", "d") for axis in "xyz"]
    + [("object", "i"), ("material", "i"), ("label", "i"), ("incidence_deg", "f")]
    + [("sub_ray_hits", "i"), ("range_spread_m", "f"), ("volume", "i")]
    + [(f"velocity_{axis}_m_s", "f") for axis in "xyz"]
    + [("red", "i"), ("green", "i"), ("blue", "i")]
)


def expected(path):
    rows = [line.split() for line in path.read_text().splitlines()]
    columns = {}
    for i, (name, kind) in enumerate(COLUMNS):
        texts = [row[i] for row in rows]
        if kind == "i":
            columns[name] = np.array([int(t) for t in texts], dtype=np.uint64)
        elif kind == "d":
            bits = np.array([int(t, 16) for t in texts], dtype=np.uint64)
            columns[name] = bits.view(np.float64)
        else:
            bits = np.array([int(t, 16) for t in texts], dtype=np.uint32)
            columns[name] = bits.view(np.float32)
    return columns


def same(where, found, wanted):
    """Equal to the last bit, where NaN equals NaN."""
    found = np.asarray(found)
    assert found.shape == wanted.shape, f"{where}: {found.shape} is not {wanted.shape}"
    assert np.array_equal(found, wanted, equal_nan=wanted.dtype.kind == "f"), where


def near(where, found, wanted, quantum):
    found = np.asarray(found)
    assert found.shape == wanted.shape, f"{where}: {found.shape} is not {wanted.shape}"
    worst = np.max(np.abs(found - wanted), initial=0.0)
    assert worst <= quantum, f"{where}: differs by {worst}"


def check_las(path, columns):
    wanted = {name: values[columns["return_number"] > 0] for name, values in columns.items()}
    las = laspy.read(path)
    count = len(wanted["x_m"])
    assert las.header.point_count == len(las.points) == count, path
    assert str(las.header.version) == "1.4" and las.header.point_format.id == 7
    assert las.header.generating_software.startswith("Understory "), las.header.generating_software
    assert las.header.global_encoding.wkt
    half = 0.5001e-4
    for axis in "xyz":
        near(f"{path} {axis}", getattr(las, axis), wanted[f"{axis}_m"], half)
        near(f"{path} origin {axis}", las[f"origin_{axis}_m"], wanted[f"origin_{axis}_m"], half)
        near(f"{path} true {axis}", las[f"true_{axis}_m"], wanted[f"true_{axis}_m"], half)
    if count:
        xyz = np.stack([las.x, las.y, las.z])
        near(f"{path} mins", las.header.mins, xyz.min(axis=1), 1e-9)
        near(f"{path} maxs", las.header.maxs, xyz.max(axis=1), 1e-9)
        by_return = np.bincount(wanted["return_number"].astype(int), minlength=16)[1:]
        assert np.array_equal(las.header.number_of_points_by_return[:15], by_return)
    intensity = np.minimum(wanted["intensity"].astype(np.float64), 1.0) * 65535
    near(f"{path} intensity", las.intensity.astype(np.float64), intensity, 0.51)
    same(f"{path} time", las.gps_time, wanted["time_s"])
    same(f"{path} return", las.return_number, wanted["return_number"])
    same(f"{path} returns", las.number_of_returns, wanted["return_count"])
    same(f"{path} sensor", las.point_source_id, wanted["sensor"])
    label = wanted["label"]
    # Without ground all vegetation is high.
    classes = {1: 18, 40: 11, 44: 11, 48: 2, 49: 2, 50: 6, 60: 11, 70: 5, 71: 5, 72: 2}
    same(f"{path} class", las.classification, np.array([classes.get(int(n), 1) for n in label]))
    for name in (
        "range_m azimuth_deg elevation_deg pulse sensor channel scan column signal_photons ambient_photons "
        "true_range_m object material label incidence_deg sub_ray_hits range_spread_m volume "
        "velocity_x_m_s velocity_y_m_s velocity_z_m_s red green blue"
    ).split():
        values = wanted[name]
        if values.dtype.kind == "f":
            values = np.where(np.isnan(values), np.float32(-9999.0), values)
        if name in ("red", "green", "blue") and las.point_format.id == 7:
            # Standard fields of 16 bits.
            values = values.astype(np.uint16) * 257
        same(f"{path} {name}", las[name], values)


def check_ply(path, columns):
    ply = PlyData.read(path)
    assert ply.byte_order == "<"
    vertex = ply["vertex"]
    assert vertex.count == len(columns["x_m"])
    for name, wanted in columns.items():
        same(f"{path} {name}", vertex[name[0] if name in ("x_m", "y_m", "z_m") else name], wanted)


def check_pcd(path, columns):
    cloud = PointCloud.from_path(path)
    assert cloud.points == len(columns["x_m"])
    for name, wanted in columns.items():
        name = f"world_{name}" if name in ("x_m", "y_m", "z_m") else name
        same(f"{path} {name}", cloud.pc_data[name], wanted)
    comment = next(l for l in path.open("rb") if b"minus" in l).decode()
    offset = [float(word) for word in comment.split("minus")[1].split()]
    for axis, offset in zip("xyz", offset):
        wanted = (columns[f"{axis}_m"] - offset).astype(np.float32)
        same(f"{path} {axis}", cloud.pc_data[axis], wanted)


def check_npy(path, columns):
    for mode in (None, "r"):
        array = np.load(path, mmap_mode=mode)
        assert list(array.dtype.names) == [name for name, _ in COLUMNS]
        assert array.dtype.isalignedstruct is False
        for name, wanted in columns.items():
            assert array.dtype[name].itemsize <= 8
            same(f"{path} {name}", array[name], wanted)


def check_csv(path, columns):
    lines = path.read_text().splitlines()
    assert lines[0] == ",".join(name for name, _ in COLUMNS)
    rows = [line.split(",") for line in lines[1:]]
    for i, (name, _) in enumerate(COLUMNS):
        wanted = columns[name]
        same(f"{path} {name}", np.array([row[i] for row in rows], dtype=wanted.dtype), wanted)


def check_parquet(path, columns):
    file = pq.ParquetFile(path)
    assert file.metadata.created_by.startswith("Understory "), file.metadata.created_by
    assert file.metadata.metadata[b"software"].startswith(b"Understory ")
    kinds = {"d": "float64", "f": "float32"}
    table = file.read()
    assert table.column_names == [name for name, _ in COLUMNS]
    for name, kind in COLUMNS:
        assert table[name].null_count == 0
        found = table[name].to_numpy()
        assert kind == "i" or str(found.dtype) == kinds[kind], found.dtype
        assert kind != "i" or found.dtype.kind == "u", found.dtype
        same(f"{path} {name}", found, columns[name])


def check_kitti(path, columns):
    if not len(columns["x_m"]):
        return
    times = np.loadtxt(path / "times.txt", ndmin=1)
    poses = np.loadtxt(path / "poses.txt", ndmin=2)
    scans = sorted((path / "velodyne").glob("*.bin"))
    assert poses.shape == (len(scans), 12) and times.shape == (len(scans),)
    assert not any(line.endswith(" ") for line in (path / "poses.txt").read_text().splitlines())
    assert np.all(poses[:, 7] == 5_400_000.25)
    for number, scan in enumerate(scans):
        assert scan.name == f"{number:06}.bin"
        points = np.fromfile(scan, dtype=np.float32).reshape(-1, 4)
        labels = np.fromfile(path / "labels" / f"{number:06}.label", dtype=np.uint32)
        rows = (columns["scan"] == number) & (columns["return_number"] > 0)
        for i, name in enumerate(["sensor_x_m", "sensor_y_m", "sensor_z_m", "intensity"]):
            same(f"{scan} {name}", points[:, i], columns[name][rows])
        same(f"{scan} label", labels & 0xFFFF, columns["label"][rows])
        same(f"{scan} instance", labels >> 16, (columns["object"][rows] - 1) % 65535 + 1)


def main():
    folder = Path(sys.argv[1])
    cases = sorted(folder.glob("*.expected"))
    assert cases, "nothing to check"
    for case in cases:
        columns = expected(case)
        check_las(case.with_suffix(".las"), columns)
        check_las(case.with_suffix(".laz"), columns)
        check_ply(case.with_suffix(".ply"), columns)
        check_pcd(case.with_suffix(".pcd"), columns)
        check_pcd(case.with_name(f"{case.stem}_compressed.pcd"), columns)
        check_npy(case.with_suffix(".npy"), columns)
        check_csv(case.with_suffix(".csv"), columns)
        check_parquet(case.with_suffix(".parquet"), columns)
        check_kitti(case.with_suffix(".kitti"), columns)
        print(f"{case.stem}: {len(columns['x_m'])} rows agree in all formats")


if __name__ == "__main__":
    main()
