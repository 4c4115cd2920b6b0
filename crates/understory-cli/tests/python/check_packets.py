"""Decodes captures of simulated runs with the makers' decoders and compares them with the records.

check_packets.py velodyne|ouster FOLDER: every NAME.pcap is compared with NAME.npy beside it.
"""

import pathlib
import sys

import numpy as np


def velodyne(path, records):
    """Every return is where the records have it in the sensor's frame."""
    import velodyne_decoder as vd

    config = vd.Config(min_range=0.01, max_range=500)
    parts = []
    for stamp, points in vd.read_pcap(str(path), config):
        points = np.asarray(points, dtype=np.float64)
        parts.append(np.column_stack([stamp.device + points[:, 4], points[:, :4], points[:, 6]]))
    decoded = np.concatenate(parts)
    hits = records[records["return_number"] > 0]
    assert len(decoded) == len(hits), f"{path.name}: {len(decoded)} points, {len(hits)} returns"
    # One revolution is looked at point by point.
    hits = hits[hits["time_s"] > hits["time_s"].max() - 0.1]
    start = 1_735_689_600.0
    time = decoded[:, 0] - start
    wanted = np.column_stack([hits[f"sensor_{axis}_m"] for axis in "xyz"]).astype(np.float64)
    # The decoder numbers lasers from the lowest.
    lasers = np.unique(np.column_stack([records["channel"], records["elevation_deg"]]), axis=0)
    ring_of = np.zeros(len(lasers))
    ring_of[lasers[np.argsort(lasers[:, 1], kind="stable"), 0].astype(int)] = np.arange(len(lasers))
    ring = ring_of[hits["channel"]]
    # Of the points of its laser about the time of a return, the nearest one is its own.
    order = np.argsort(time, kind="stable")
    place = np.searchsorted(time[order], hits["time_s"])
    best = np.full(len(hits), np.inf)
    index = np.zeros(len(hits), dtype=int)
    for step in range(-300, 301) if path.stem == "vls-128" else range(-40, 41):
        candidate = order[np.clip(place + step, 0, len(order) - 1)]
        apart = np.linalg.norm(decoded[candidate, 1:4] - wanted, axis=1)
        apart[decoded[candidate, 5] != ring] = np.inf
        apart[np.abs(time[candidate] - hits["time_s"]) > 9e-6] = np.inf
        nearer = apart < best
        best[nearer], index[nearer] = apart[nearer], candidate[nearer]
    assert np.isfinite(best).all(), f"{path.name}: {np.isinf(best).sum()} returns have no point"
    assert len(np.unique(index)) == len(index), f"{path.name}: two returns share a point"
    offset = np.linalg.norm(decoded[index, 1:4] - wanted, axis=1)
    ranges = hits["range_m"].astype(np.float64)
    # Steps of the range (4 mm at most) and of the azimuth (0.01°, and its interpolation). The
    # decoder lets the fourth group of a VLS-128 fire 1.5 µs early and one slot more pass between
    # the halves.
    is_vls = path.stem == "vls-128"
    allowed = 0.0025 + ranges * np.radians(0.023 if is_vls else 0.012)
    over = offset > allowed
    assert not over.any(), (
        f"{path.name}: {over.sum()} of {len(over)} points off, by up to {offset.max():.4f} m "
        f"at {ranges[offset.argmax()]:.2f} m"
    )
    late = np.abs(time[index] - hits["time_s"]).max()
    assert late < (6e-6 if is_vls else 3e-6), f"{path.name}: {late} s off"
    full = 255.0 if "hdl-64e" in path.name else 100.0
    byte = np.minimum(np.round(hits["intensity"] * full), 255)
    same = np.abs(decoded[index, 4] - byte) <= 1
    if "hdl-64e" not in path.name:
        assert same.all(), f"{path.name}: intensities"
    print(f"{path.stem}: {len(hits)} points within {offset.max() * 1000:.2f} mm, {late * 1e6:.2f} µs")


def ouster(path, records):
    """Every pixel is what the records have."""
    from ouster.sdk import open_source
    from ouster.sdk.core import XYZLut

    source = open_source(str(path), meta=[str(path.with_suffix(".json"))], sensor_idx=0)
    lut = XYZLut(source.sensor_info[0], use_extrinsics=False)
    frames = [frames[0] for frames in source]
    scans = records["scan"].max() + 1
    assert len(frames) == scans, f"{path.name}: {len(frames)} frames of {scans}"
    worst, count = 0.0, 0
    for scan, frame in enumerate(frames):
        of_scan = records[records["scan"] == scan]
        hits = of_scan[of_scan["return_number"] == 1]
        ranges = frame.field("RANGE")
        assert (ranges > 0).sum() == len(hits), f"{path.name}: {(ranges > 0).sum()} {len(hits)}"
        xyz = lut(ranges)[hits["channel"], hits["column"]]
        wanted = np.column_stack([hits[f"sensor_{axis}_m"] for axis in "xyz"])
        apart = np.linalg.norm(xyz - wanted, axis=1)
        # Ranges are whole millimetres; records are floats.
        assert apart.max() < 0.0006, f"{path.name}: {apart.max()} m"
        worst, count = max(worst, apart.max()), count + len(hits)
        stamps = 1_735_689_600_000_000_000 + np.round(of_scan["time_s"] * 1e9).astype(np.int64)
        told = frame.timestamp[of_scan["column"]].astype(np.int64)
        assert np.abs(told - stamps).max() <= 1, f"{path.name}: times"
    print(f"{path.stem}: {count} points within {worst * 1000:.3f} mm")


kind, folder = sys.argv[1], pathlib.Path(sys.argv[2])
paths = sorted(folder.glob("*.pcap"))
assert paths, "no captures"
for path in paths:
    {"velodyne": velodyne, "ouster": ouster}[kind](path, np.load(path.with_suffix(".npy")))
