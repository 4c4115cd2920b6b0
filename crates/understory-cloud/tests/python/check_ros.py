"""Reads Understory's ROS 2 bags with mcap-ros2-support and rosbags and compares every number.

usage: check_ros.py FOLDER
"""

import struct
import sys
from pathlib import Path

import numpy as np
from mcap.reader import make_reader
from mcap_ros2.reader import read_ros2_messages
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore

TYPES = {1: "i1", 2: "u1", 3: "<i2", 4: "<u2", 5: "<i4", 6: "<u4", 7: "<f4", 8: "<f8"}
ROWS = np.dtype(
    [
        ("scan", "i8"), ("time_ns", "i8"), ("x", "f4"), ("y", "f4"), ("z", "f4"),
        ("intensity", "f4"), ("range_m", "f4"), ("channel", "i8"), ("column", "i8"),
        ("number", "i8"), ("count", "i8"), ("azimuth_deg", "f4"), ("elevation_deg", "f4"),
        ("signal", "f4"), ("ambient", "f4"),
    ]
)


def real(bits):
    return struct.unpack("<f", struct.pack("<I", int(bits, 16)))[0]


def expected(path):
    floats = {name for name in ROWS.names if ROWS[name] == np.dtype("f4")}
    rows = []
    for line in path.read_text().splitlines():
        values = line.split()
        rows.append(
            tuple(
                real(value) if name in floats else int(value)
                for name, value in zip(ROWS.names, values, strict=True)
            )
        )
    return np.array(rows, dtype=ROWS)


def poses(path):
    rows = [line.split() for line in path.read_text().splitlines()]
    return [(int(row[0]), np.array(row[1:], dtype="f8").reshape(3, 4)) for row in rows]


def stamp(header):
    return header.stamp.sec * 10**9 + header.stamp.nanosec


def points(cloud):
    """The points as a structured array of height × width, wherever fields stand."""
    assert not cloud.is_bigendian
    kind = np.dtype(
        {
            "names": [f.name for f in cloud.fields],
            "formats": [TYPES[f.datatype] for f in cloud.fields],
            "offsets": [f.offset for f in cloud.fields],
            "itemsize": cloud.point_step,
        }
    )
    assert all(f.count == 1 for f in cloud.fields)
    assert cloud.row_step == cloud.width * cloud.point_step
    data = bytes(cloud.data)
    assert len(data) == cloud.height * cloud.row_step
    return np.frombuffer(data, kind).reshape(cloud.height, cloud.width)


def same(found, wanted, what):
    assert np.array_equal(found, wanted, equal_nan=True), (what, found[:5], wanted[:5])


def xyz(found, rows):
    for axis in "xyz":
        same(found[axis], rows[axis], axis)


def times(found_ns, rows, slack):
    assert np.abs(found_ns - rows["time_ns"]).max() <= slack


def check_velodyne(cloud, rows, organised, ring_of_channel):
    found = points(cloud)
    assert cloud.header.frame_id == "velodyne" and cloud.point_step == 22
    assert [f.name for f in cloud.fields] == ["x", "y", "z", "intensity", "ring", "time"]
    assert [f.offset for f in cloud.fields] == [0, 4, 8, 12, 16, 18]
    assert stamp(cloud.header) == rows["time_ns"][-1]
    ring = ring_of_channel[rows["channel"]]
    if organised:
        assert cloud.width == 16 and not cloud.is_dense
        same(found["ring"], np.tile(np.arange(16), (cloud.height, 1)), "ring")
        found = found[rows["column"] - rows["column"][0], ring]
    else:
        assert cloud.height == 1 and cloud.is_dense
        rows, ring = rows[rows["number"] > 0], ring[rows["number"] > 0]
        found = found[0]
    xyz(found, rows)
    same(found["ring"], ring, "ring")
    misses = rows["number"] == 0
    assert np.isnan(found["intensity"][misses]).all()
    white = (rows["intensity"] * np.float32(100))[~misses]
    assert np.abs(found["intensity"][~misses] - white).max() <= 1e-5
    assert (found["time"] <= 0).all()
    times(stamp(cloud.header) + np.rint(found["time"] * 1e9), rows, 6)


def check_ouster(cloud, rows, shift_of_channel):
    found = points(cloud)
    assert cloud.header.frame_id == "os_sensor" and cloud.point_step == 48
    names = ["x", "y", "z", "intensity", "t", "reflectivity", "ring", "ambient", "range"]
    assert [f.name for f in cloud.fields] == names
    assert [f.offset for f in cloud.fields] == [0, 4, 8, 16, 20, 24, 26, 28, 32]
    assert (cloud.height, cloud.width) == (8, 64)
    assert stamp(cloud.header) == rows["time_ns"][0]
    same(found["ring"], np.tile(np.arange(8)[:, None], (1, 64)), "ring")
    rows = rows[rows["number"] <= 1]
    shift = shift_of_channel[rows["channel"]]
    found = found[rows["channel"], (rows["column"] + shift) % 64]
    misses = rows["number"] == 0
    for name in ["x", "y", "z", "intensity", "reflectivity", "range"]:
        assert (found[name][misses] == 0).all(), name
    times(stamp(cloud.header) + found["t"].astype("i8"), rows, 1)
    same(found["ambient"], np.rint(rows["ambient"]).astype("u2"), "ambient")
    found, rows = found[~misses], rows[~misses]
    xyz(found, rows)
    same(found["intensity"], rows["signal"], "signal")
    same(found["reflectivity"], np.rint(rows["intensity"] * 100).astype("u2"), "reflectivity")
    same(found["range"], np.rint(rows["range_m"].astype("f8") * 1e3).astype("u4"), "range")


def check_line(scan, rows):
    assert scan.header.frame_id == "lidar"
    assert stamp(scan.header) == rows["time_ns"][0]
    assert len(scan.ranges) == len(scan.intensities) == len(rows)
    steps = np.arange(len(rows))
    angles = np.degrees(scan.angle_min + steps * scan.angle_increment)
    assert np.abs(angles - rows["azimuth_deg"]).max() < 1e-4
    assert abs(np.degrees(scan.angle_max) - rows["azimuth_deg"][-1]) < 1e-4
    times(stamp(scan.header) + np.rint(steps * scan.time_increment * 1e9), rows, 20)
    assert abs(scan.scan_time - 0.1) < 1e-7
    assert (scan.range_min, scan.range_max) == (0.5, 100.0)
    misses = rows["number"] == 0
    ranges = np.asarray(scan.ranges, dtype="f4")
    assert np.isposinf(ranges[misses]).all() and misses.any()
    same(ranges[~misses], rows["range_m"][~misses], "range")
    same(np.asarray(scan.intensities, dtype="f4")[~misses], rows["intensity"][~misses], "intensity")


def check_plain(cloud, rows):
    found = points(cloud)[0]
    assert cloud.header.frame_id == "lidar" and cloud.point_step == 40
    assert stamp(cloud.header) == rows["time_ns"][0]
    xyz(found, rows)
    names = {
        "intensity": "intensity", "ring": "channel", "return_number": "number",
        "return_count": "count", "range": "range_m", "azimuth_deg": "azimuth_deg",
        "elevation_deg": "elevation_deg", "column": "column",
    }
    for name, own in names.items():
        same(found[name], rows[own], name)
    times(stamp(cloud.header) + np.rint(found["time"] * 1e9), rows, 6)


def turned(q):
    x, y, z, w = q.x, q.y, q.z, q.w
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def check_poses(messages, wanted, end_ns):
    transforms = [t for m in messages.get("/tf", []) for t in m.transforms]
    assert len(transforms) == len(wanted) + 1
    for transform, (time_ns, pose) in zip(transforms, wanted):
        assert transform.header.frame_id == "map" and stamp(transform.header) == time_ns
        t = transform.transform.translation
        same(np.array([t.x, t.y, t.z]), pose[:, 3], "translation")
        assert np.abs(turned(transform.transform.rotation) - pose[:, :3]).max() < 1e-15 * 10
    assert stamp(transforms[-1].header) == end_ns
    odometry = messages["/odom"]
    assert len(odometry) == len(wanted)
    for message, (time_ns, pose) in zip(odometry, wanted):
        assert stamp(message.header) == time_ns and message.child_frame_id == transforms[0].child_frame_id
        p = message.pose.pose.position
        same(np.array([p.x, p.y, p.z]), pose[:, 3], "position")
        linear, angular = message.twist.twist.linear, message.twist.twist.angular
        world = pose[:, :3] @ np.array([linear.x, linear.y, linear.z])
        assert np.abs(world - [9.0, -2.0, 0.25]).max() < 1e-6, world
        turn = np.array([angular.x, angular.y, angular.z])
        assert np.abs(turn - [0, 0, 0.8]).max() < 1e-6, turn
    clocks = [m.clock.sec * 10**9 + m.clock.nanosec for m in messages["/clock"]]
    assert clocks == sorted(set(clocks)) and clocks[0] == wanted[0][0]


def check(name, messages, folder):
    rows = expected(folder / f"{name}.expected")
    wanted = poses(folder / f"{name}.poses")
    scans = [rows[rows["scan"] == scan] for scan in np.unique(rows["scan"])]
    check_poses(messages, wanted, rows["time_ns"][-1])
    elevations = np.array([-15, 1, -13, 3, -11, 5, -9, 7, -7, 9, -5, 11, -3, 13, -1, 15])
    rings = elevations.argsort().argsort()
    # Of 12, 4, −4 and −12 degrees to the left in steps of 5.625 degrees clockwise.
    shifts = np.array([-2, -1, 1, 2] * 2)
    topic = {"velodyne": "/velodyne_points", "unorganised": "/velodyne_points",
             "ouster": "/ouster/points", "line": "/scan", "plain": "/points"}[name]
    assert len(messages[topic]) == len(scans)
    for message, scan in zip(messages[topic], scans):
        if topic == "/velodyne_points":
            check_velodyne(message, scan, name == "velodyne", rings)
        elif name == "ouster":
            check_ouster(message, scan, shifts)
        elif name == "line":
            check_line(message, scan)
        else:
            check_plain(message, scan)
    if name == "ouster":
        (message,) = messages["/tf_static"]
        (transform,) = message.transforms
        assert (transform.header.frame_id, transform.child_frame_id) == ("os_sensor", "os_lidar")
        assert transform.transform.translation.z == 0.03618
        assert abs(abs(transform.transform.rotation.z) - 1) < 1e-15
    if name == "plain":
        imu = messages["/imu/data"]
        assert len(imu) == 5 and imu[0].orientation_covariance[0] == -1
        assert imu[3].linear_acceleration.z == 9.81 and abs(imu[3].angular_velocity.x - 0.3) < 1e-12
        assert stamp(imu[3].header) - stamp(imu[2].header) == 10**7


def with_mcap(path):
    messages = {}
    for message in read_ros2_messages(str(path)):
        messages.setdefault(message.channel.topic, []).append(message.ros_msg)
    with open(path, "rb") as file:
        reader = make_reader(file)
        assert reader.get_header().profile == "ros2"
        summary = reader.get_summary()
        counts = summary.statistics.channel_message_counts
        assert sum(counts.values()) == sum(len(m) for m in messages.values())
        assert summary.chunk_indexes
        for channel in summary.channels.values():
            qos = channel.metadata["offered_qos_profiles"]
            assert ("durability: 1" in qos) == (channel.topic == "/tf_static"), qos
    return messages


def with_rosbags(path):
    messages = {}
    with AnyReader([path], default_typestore=get_typestore(Stores.ROS2_HUMBLE)) as reader:
        for connection, _, raw in reader.messages():
            message = reader.deserialize(raw, connection.msgtype)
            messages.setdefault(connection.topic, []).append(message)
    return messages


def main(folder):
    names = ["velodyne", "unorganised", "ouster", "line", "plain"]
    for name in names:
        check(name, with_mcap(folder / f"{name}.mcap"), folder)
        check(name, with_rosbags(folder / f"{name}.mcap"), folder)
        check(name, with_rosbags(folder / "folders" / f"{name}.mcap"), folder)
    print(f"{len(names)} bags are the same in mcap-ros2-support and rosbags")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
