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
        ("signal", "f4"), ("ambient", "f4"), ("wx", "f8"), ("wy", "f8"), ("wz", "f8"),
    ]
)


def real(bits):
    return struct.unpack("<f", struct.pack("<I", int(bits, 16)))[0]


def expected(path):
    floats = {name for name in ROWS.names if ROWS[name] == np.dtype("f4")}
    doubles = {name for name in ROWS.names if ROWS[name] == np.dtype("f8")}
    rows = []
    for line in path.read_text().splitlines():
        values = line.split()
        rows.append(
            tuple(
                real(value) if name in floats else float(value) if name in doubles else int(value)
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
    times(stamp(cloud.header) + np.rint(found["time"].astype("f8") * 1e9).astype("i8"), rows, 6)


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
    times(stamp(scan.header) + np.rint(steps * scan.time_increment * 1e9).astype("i8"), rows, 20)
    assert abs(scan.scan_time - 0.1) < 1e-7
    assert (scan.range_min, scan.range_max) == (0.5, 100.0)
    misses = rows["number"] == 0
    ranges = np.asarray(scan.ranges, dtype="f4")
    assert np.isposinf(ranges[misses]).all() and misses.any()
    same(ranges[~misses], rows["range_m"][~misses], "range")
    same(np.asarray(scan.intensities, dtype="f4")[~misses], rows["intensity"][~misses], "intensity")


def check_plain(cloud, rows, first_row):
    found = points(cloud)[0]
    assert cloud.header.frame_id == "lidar"
    if first_row is None:
        assert cloud.point_step == 40
    else:
        assert cloud.point_step == 44
        same(found["label"], (first_row + np.arange(len(rows))) % 300, "label")
    assert stamp(cloud.header) == rows["time_ns"][0]
    xyz(found, rows)
    names = {
        "intensity": "intensity", "ring": "channel", "return_number": "number",
        "return_count": "count", "range": "range_m", "azimuth_deg": "azimuth_deg",
        "elevation_deg": "elevation_deg", "column": "column",
    }
    for name, own in names.items():
        same(found[name], rows[own], name)
    times(stamp(cloud.header) + np.rint(found["time"].astype("f8") * 1e9).astype("i8"), rows, 6)


def turned(q):
    x, y, z, w = q.x, q.y, q.z, q.w
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def slerp(a, b, share):
    """Between two quaternions, as tf2 does it."""
    dot = float(a @ b)
    if dot < 0:
        b, dot = -b, -dot
    if dot > 1 - 1e-12:
        q = a + share * (b - a)
    else:
        angle = np.arccos(dot)
        q = (np.sin((1 - share) * angle) * a + np.sin(share * angle) * b) / np.sin(angle)
    return q / np.linalg.norm(q)


class Frames:
    """Transforms of a bag, looked up as tf2 looks them up: along parents, each interpolated."""

    def __init__(self, messages):
        self.edges = {}
        for topic in ("/tf", "/tf_static"):
            for transform in [t for m in messages.get(topic, []) for t in m.transforms]:
                t, q = transform.transform.translation, transform.transform.rotation
                value = np.array([t.x, t.y, t.z]), np.array([q.x, q.y, q.z, q.w])
                assert abs(np.linalg.norm(value[1]) - 1) < 1e-9
                parent, child = transform.header.frame_id, transform.child_frame_id
                kept = self.edges.setdefault(child, (parent, topic, []))
                assert kept[:2] == (parent, topic), "a frame has two parents"
                kept[2].append((stamp(transform.header), *value))
        for _, _, poses in self.edges.values():
            assert [p[0] for p in poses] == sorted({p[0] for p in poses})

    def chain(self, frame):
        names = [frame]
        while names[-1] in self.edges:
            names.append(self.edges[names[-1]][0])
            assert len(names) < 10
        return names

    def place(self, frame, time_ns, points):
        """Where points of a frame are at the root at a time."""
        while frame in self.edges:
            parent, topic, poses = self.edges[frame]
            if topic == "/tf_static":
                (_, t, q), = poses
            else:
                after = next(i for i, pose in enumerate(poses) if pose[0] >= time_ns)
                upper, lower = poses[after], poses[max(after - 1, 0)]
                assert lower[0] <= time_ns <= upper[0]
                span = upper[0] - lower[0]
                share = (time_ns - lower[0]) / span if span else 0.0
                t = lower[1] + share * (upper[1] - lower[1])
                q = slerp(lower[2], upper[2], share)
            points = points @ matrix(q).T + t
            frame = parent
        return points


def matrix(q):
    return turned(type("Q", (), dict(zip("xyzw", q))))


def check_poses(messages, wanted, end_ns, rows, frame, told):
    frames = Frames(messages)
    assert frames.chain(frame) == [frame, "base_link", "odom", "map"]
    eye = np.eye(3)
    for time_ns, pose in wanted:
        same_place = frames.place(frame, time_ns, np.vstack([np.zeros(3), eye]))
        assert np.abs(same_place[0] - pose[:, 3]).max() < 1e-6
        assert np.abs((same_place[1:] - same_place[0]).T - pose[:, :3]).max() < 1e-8
    # Every return is where its record says, by the transforms at its own time.
    returns = rows[rows["number"] > 0][::7]
    for row in returns:
        xyz = np.array([[row["x"], row["y"], row["z"]]], dtype="f8")
        found = frames.place(frame, row["time_ns"], xyz)[0]
        assert np.abs(found - [row["wx"], row["wy"], row["wz"]]).max() < 2e-5, (row, found)
    moved = frames.edges["base_link"][2]
    assert moved[-1][0] >= end_ns
    odometry = messages["/odom"]
    assert [stamp(m.header) for m in odometry] == [time_ns for time_ns, _, _ in moved]
    for message, (_, t, q) in zip(odometry, moved):
        assert (message.header.frame_id, message.child_frame_id) == ("odom", "base_link")
        p = message.pose.pose.position
        same(np.array([p.x, p.y, p.z]), t, "position")
        variance = np.array(message.pose.covariance).reshape(6, 6)
        same(variance, np.diag([4.0, 4.0, 9.0, 0.01, 0.01, 0.04] if told else [0.0] * 6), "variance")
        angular = message.twist.twist.angular
        turn = np.array([angular.x, angular.y, angular.z])
        assert np.abs(turn - [0, 0, 0.8]).max() < 1e-5, turn
    for before, after, message in zip(moved, moved[1:], odometry[1:]):
        linear = message.twist.twist.linear
        q = after[2]
        world = matrix(q) @ np.array([linear.x, linear.y, linear.z])
        mean = (after[1] - before[1]) / ((after[0] - before[0]) * 1e-9)
        assert np.abs(world - mean).max() < 1e-4, (world, mean)
    assert ("/ground_truth/odom" in messages) == told
    if told:
        for true, message in zip(messages["/ground_truth/odom"], odometry):
            assert (true.header.frame_id, true.child_frame_id) == ("map", "base_link")
            a, b = true.pose.pose.position, message.pose.pose.position
            off = np.array([b.x - a.x, b.y - a.y, b.z - a.z])
            assert np.abs(off - [2.0, 0.0, -1.0]).max() < 1e-8
    clocks = [m.clock.sec * 10**9 + m.clock.nanosec for m in messages["/clock"]]
    assert clocks == sorted(set(clocks)) and clocks[0] == wanted[0][0]


def check(name, messages, folder):
    rows = expected(folder / f"{name}.expected")
    wanted = poses(folder / f"{name}.poses")
    scans = [rows[rows["scan"] == scan] for scan in np.unique(rows["scan"])]
    frame = {"velodyne": "velodyne", "unorganised": "velodyne", "ouster": "os_sensor"}
    check_poses(messages, wanted, rows["time_ns"][-1], rows, frame.get(name, "lidar"), name == "told")
    elevations = np.array([-15, 1, -13, 3, -11, 5, -9, 7, -7, 9, -5, 11, -3, 13, -1, 15])
    rings = elevations.argsort().argsort()
    # Of 12, 4, −4 and −12 degrees to the left in steps of 5.625 degrees clockwise.
    shifts = np.array([-2, -1, 1, 2] * 2)
    topic = {"velodyne": "/velodyne_points", "unorganised": "/velodyne_points",
             "ouster": "/ouster/points", "line": "/scan", "plain": "/points",
             "told": "/points"}[name]
    assert len(messages[topic]) == len(scans)
    firsts = np.cumsum([0] + [len(scan) for scan in scans])
    for message, scan, first in zip(messages[topic], scans, firsts):
        if topic == "/velodyne_points":
            check_velodyne(message, scan, name == "velodyne", rings)
        elif name == "ouster":
            check_ouster(message, scan, shifts)
        elif name == "line":
            check_line(message, scan)
        else:
            check_plain(message, scan, first if name == "told" else None)
    if name == "ouster":
        (message,) = messages["/tf_static"]
        mount, transform = message.transforms
        assert (mount.header.frame_id, mount.child_frame_id) == ("base_link", "os_sensor")
        t = mount.transform.translation
        assert (t.x, t.y, t.z) == (1.5, 0.0, 0.8)
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
    names = ["velodyne", "unorganised", "ouster", "line", "plain", "told"]
    for name in names:
        check(name, with_mcap(folder / f"{name}.mcap"), folder)
        check(name, with_rosbags(folder / f"{name}.mcap"), folder)
        check(name, with_rosbags(folder / "folders" / f"{name}.mcap"), folder)
    print(f"{len(names)} bags are the same in mcap-ros2-support and rosbags")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
