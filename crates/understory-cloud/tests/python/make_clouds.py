"""Writes ROS 2 bags of points in the layouts of many drivers, and what is in them as text.

Written with mcap-ros2-support and rosbags. usage: make_clouds.py FOLDER
"""

import math
import sys
from pathlib import Path

import numpy as np
from make_bags import DEFINITIONS, HEADER, SEPARATOR, fields, header
from mcap.writer import CompressionType
from mcap_ros2.writer import Writer
from rosbags.rosbag2 import StoragePlugin
from rosbags.rosbag2 import Writer as BagWriter
from rosbags.typesys import Stores, get_typestore

START = 1_760_000_000_123_456_789
POINT_FIELD = "MSG: sensor_msgs/PointField\nstring name\nuint32 offset\nuint8 datatype\nuint32 count"
CLOUD, SCAN = "sensor_msgs/msg/PointCloud2", "sensor_msgs/msg/LaserScan"
LIVOX, TF = "livox_ros_driver2/msg/CustomMsg", "tf2_msgs/msg/TFMessage"
DEFINITIONS = DEFINITIONS | {
    CLOUD: SEPARATOR.join(
        [
            "std_msgs/Header header\nuint32 height\nuint32 width\nsensor_msgs/PointField[] fields\n"
            "bool is_bigendian\nuint32 point_step\nuint32 row_step\nuint8[] data\nbool is_dense",
            HEADER, POINT_FIELD,
        ]
    ),
    SCAN: SEPARATOR.join(
        [
            "std_msgs/Header header\nfloat32 angle_min\nfloat32 angle_max\n"
            "float32 angle_increment\nfloat32 time_increment\nfloat32 scan_time\n"
            "float32 range_min\nfloat32 range_max\nfloat32[] ranges\nfloat32[] intensities",
            HEADER,
        ]
    ),
    LIVOX: SEPARATOR.join(
        [
            "std_msgs/Header header\nuint64 timebase\nuint32 point_num\nuint8 lidar_id\n"
            "uint8[3] rsvd\nlivox_ros_driver2/CustomPoint[] points",
            HEADER,
            "MSG: livox_ros_driver2/CustomPoint\nuint32 offset_time\nfloat32 x\nfloat32 y\n"
            "float32 z\nuint8 reflectivity\nuint8 tag\nuint8 line",
        ]
    ),
}
NUMBERS = {"i1": 1, "u1": 2, "i2": 3, "u2": 4, "i4": 5, "u4": 6, "f4": 7, "f8": 8}


def rot_z(angle):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])


def rot_x(angle):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1.0, 0, 0], [0, c, -s], [0, s, c]])


def quat(axis, angle):
    return [math.sin(angle / 2) if a == axis else 0.0 for a in "xyz"] + [math.cos(angle / 2)]


# map → odom stands, odom → base_link drives and turns steadily, base_link → lidar is a mount.
ODOM = ([1000.0, -500.0, 20.0], 0.7)
MOUNT = ([1.5, 0.2, 2.0], 0.4)


def base(t):
    return [3.0 + 8.0 * t, 1.0 - 3.0 * t, 0.1 * t], 0.9 * t


def world(t, point):
    place, turn = base(t)
    on_base = rot_x(MOUNT[1]) @ point + MOUNT[0]
    on_odom = rot_z(turn) @ on_base + place
    return rot_z(ODOM[1]) @ on_odom + ODOM[0]


def transforms(frame):
    """Messages of /tf and /tf_static; the static one comes last."""
    found = []
    for step in range(-2, 12):
        nanoseconds = START + step * 50_000_000
        place, turn = base(step * 0.05)
        both = [
            transform(nanoseconds, "map", "odom", ODOM[0], quat("z", ODOM[1])),
            transform(nanoseconds, "odom", "base_link", place, quat("z", turn)),
        ]
        found.append((nanoseconds, "/tf", TF, {"transforms": both}))
    static = transform(START, "base_link", frame, MOUNT[0], quat("x", MOUNT[1]))
    found.append((START + 10**9, "/tf_static", TF, {"transforms": [static]}))
    return found


def transform(time, frame, child, place, turn):
    return {
        "header": header(time, frame),
        "child_frame_id": child,
        "transform": {"translation": fields("xyz", place), "rotation": fields("xyzw", turn)},
    }


def cloud(time, frame, array, names, big=False, pad=0, dense=True):
    """A cloud of a two-dimensional structured array, lines followed by `pad` bytes."""
    kind = array.dtype
    lines = b"".join(line.tobytes() + b"\x7f" * pad for line in array)
    return {
        "header": header(time, frame),
        "height": array.shape[0],
        "width": array.shape[1],
        "fields": [
            {
                "name": name,
                "offset": kind.fields[name][1],
                "datatype": NUMBERS[kind.fields[name][0].str[1:]],
                "count": 1,
            }
            for name in names
        ],
        "is_bigendian": big,
        "point_step": kind.itemsize,
        "row_step": array.shape[1] * kind.itemsize + pad,
        "data": lines,
        "is_dense": dense,
    }


def make_points(rng, count):
    return rng.uniform(-50, 50, (count, 3)).astype("f4")


def told(point, time_ns, intensity, channel, number):
    place = world((time_ns - START) * 1e-9, point) if number else [math.nan] * 3
    numbers = [float(x).hex() for x in [*place, intensity]]
    return " ".join([*numbers, str(time_ns), str(channel), str(number)])


def structured(shape, names, formats, offsets=None, size=None):
    spec = {"names": names, "formats": formats}
    if offsets:
        spec |= {"offsets": offsets, "itemsize": size}
    return np.zeros(shape, np.dtype(spec))


def velodyne(rng, time, lines):
    count = 333
    array = structured((1, count), ["x", "y", "z", "intensity", "ring", "time"],
                       ["<f4"] * 4 + ["<u2", "<f4"])
    points = make_points(rng, count)
    array["x"], array["y"], array["z"] = points.T
    array["intensity"] = rng.integers(0, 256, count)
    array["ring"] = rng.integers(0, 16, count)
    array["time"] = np.linspace(-0.1, 0, count)
    assert array.dtype.itemsize == 22
    for i, point in enumerate(array[0]):
        ns = time + round(float(point["time"]) * 1e9)
        lines.append(told(points[i], ns, point["intensity"] / 100, point["ring"], 1))
    return CLOUD, cloud(time, "velodyne", array, array.dtype.names)


def ouster(rng, time, lines):
    names = ["x", "y", "z", "intensity", "t", "reflectivity", "ring", "ambient", "range"]
    array = structured((16, 32), names, ["<f4"] * 4 + ["<u4"] + ["<u2"] * 3 + ["<u4"],
                       [0, 4, 8, 16, 20, 24, 26, 28, 32], 48)
    points = make_points(rng, 16 * 32).reshape(16, 32, 3)
    hit = rng.random((16, 32)) < 0.8
    points[~hit] = 0
    array["x"], array["y"], array["z"] = points[..., 0], points[..., 1], points[..., 2]
    array["range"] = np.rint(np.linalg.norm(points, axis=2) * 1e3)
    array["reflectivity"] = rng.integers(0, 256, (16, 32))
    array["ring"] = np.arange(16)[:, None]
    array["t"] = (np.arange(32) * 3_125_001)[None, :]
    for line in range(16):
        for column in range(32):
            p = array[line, column]
            lines.append(told(points[line, column], time + int(p["t"]), p["reflectivity"] / 100,
                              line, int(hit[line, column])))
    return CLOUD, cloud(time, "os_lidar", array, names)


def livox(rng, time, lines):
    count = 200
    names = ["x", "y", "z", "intensity", "tag", "line", "timestamp"]
    array = structured((1, count), names, ["<f4"] * 4 + ["u1", "u1", "<f8"])
    assert array.dtype.itemsize == 26
    points = make_points(rng, count)
    array["x"], array["y"], array["z"] = points.T
    array["intensity"] = rng.integers(0, 151, count)
    array["line"] = np.arange(count) % 4
    array["timestamp"] = time + np.arange(count) * 50_000.0
    for i, point in enumerate(array[0]):
        ns = time + i * 50_000
        lines.append(told(points[i], ns, point["intensity"] / 150, point["line"], 1))
    return CLOUD, cloud(time, "livox_frame", array, names)


def livox_custom(rng, time, lines):
    points, found = make_points(rng, 201), []
    for i, (x, y, z) in enumerate(points):
        reflectivity = int(rng.integers(0, 256))
        found.append({"offset_time": i * 5000, "x": x, "y": y, "z": z,
                      "reflectivity": reflectivity, "tag": 0, "line": i % 6})
        lines.append(told(points[i], time + i * 5000, reflectivity / 150, i % 6, 1))
    message = {"header": header(time, "livox_frame"), "timebase": time, "point_num": len(found),
               "lidar_id": 1, "rsvd": [0, 0, 0], "points": found}
    return LIVOX, message


def hesai(rng, time, lines):
    count = 300
    names = ["x", "y", "z", "intensity", "timestamp", "ring"]
    array = structured((1, count), names, ["<f4"] * 4 + ["<f8", "<u2"],
                       [0, 4, 8, 16, 24, 32], 48)
    points = make_points(rng, count)
    array["x"], array["y"], array["z"] = points.T
    array["intensity"] = rng.integers(0, 256, count)
    array["ring"] = np.arange(count) % 40
    array["timestamp"] = time // 10**9 + (time % 10**9 + np.arange(count) * 300_000) * 1e-9
    for i, point in enumerate(array[0]):
        ns = time + i * 300_000
        lines.append(told(points[i], ns, point["intensity"], point["ring"], 1))
    return CLOUD, cloud(time, "hesai_lidar", array, names)


def own(rng, time, lines):
    """Doubles with the most significant byte first, lines with padding, NaN where nothing is."""
    names = ["intensity", "z", "y", "rgb", "x", "offset_time"]
    array = structured((5, 20), names, [">i2", ">f8", ">f8", ">f4", ">f8", ">u4"],
                       [1, 3, 16, 24, 32, 40], 45)
    points = rng.uniform(-1e5, 1e5, (5, 20, 3))
    hit = rng.random((5, 20)) < 0.7
    points[~hit] = math.nan
    array["x"], array["y"], array["z"] = points[..., 0], points[..., 1], points[..., 2]
    array["intensity"] = rng.integers(-500, 500, (5, 20))
    array["offset_time"] = np.arange(100).reshape(5, 20) * 1_000_003
    for line in range(5):
        for column in range(20):
            p = array[line, column]
            lines.append(told(points[line, column], time + int(p["offset_time"]),
                              float(p["intensity"]), 0, int(hit[line, column])))
    return CLOUD, cloud(time, "/lidar", array, names, big=True, pad=7, dense=False)


def line_scan(rng, time, lines):
    count = 181
    ranges = rng.uniform(0.2, 25, count).astype("f4")
    kinds = rng.integers(0, 10, count)
    ranges[kinds == 0] = math.inf
    ranges[kinds == 1] = 20.5
    ranges[kinds == 2] = math.nan
    ranges[kinds == 3] = -math.inf
    ranges[kinds == 4] = 0.05
    first, step, pause = np.float32(-1.5), np.float32(0.0167), np.float32(2.5e-5)
    intensities = rng.uniform(0, 1, count).astype("f4")
    for i, r in enumerate(ranges):
        angle = float(first) + i * float(step)
        point = np.array([math.cos(angle), math.sin(angle), 0.0]) * float(r)
        is_miss = r == math.inf or r > 20
        skipped = not is_miss and not r >= 0.1
        ns = time + round(i * float(pause) * 1e9)
        number = 2 if skipped else int(not is_miss)
        lines.append(told(point, ns, intensities[i], 0, number))
    message = {
        "header": header(time, "laser"), "angle_min": first, "angle_max": first + 180 * step,
        "angle_increment": step, "time_increment": pause, "scan_time": 0.1, "range_min": 0.1,
        "range_max": 20.0, "ranges": ranges.tolist(), "intensities": intensities.tolist(),
    }
    return SCAN, message


FRAMES = {"velodyne": "velodyne", "ouster": "os_lidar", "livox": "livox_frame",
          "livox_custom": "livox_frame", "hesai": "hesai_lidar", "own": "lidar", "line": "laser"}
MAKERS = {"velodyne": velodyne, "ouster": ouster, "livox": livox, "livox_custom": livox_custom,
          "hesai": hesai, "own": own, "line": line_scan}


def bag(path, compression, messages):
    with open(path, "wb") as file:
        writer = Writer(file, chunk_size=30_000, compression=compression)
        schemas = {}
        for time, topic, kind, message in messages:
            if kind not in schemas:
                schemas[kind] = writer.register_msgdef(kind, DEFINITIONS[kind])
            writer.write_message(topic, schemas[kind], message, log_time=time, publish_time=time)
        writer.finish()


def with_rosbags(folder, messages):
    """The same as a bag's folder, by the other library."""
    store = get_typestore(Stores.ROS2_HUMBLE)

    def build(kind, value):
        if kind == "builtin_interfaces/msg/Time":
            return store.types[kind](**value)
        parts = {}
        for name, description in store.fielddefs[kind][1]:
            inner = description[1]
            found = value[name]
            if description[0] == 2:
                found = build(inner, found)
            elif description[0] == 4 and inner[0][0] == 2:
                found = [build(inner[0][1], x) for x in found]
            elif description[0] == 4:
                found = np.frombuffer(found, "u1") if isinstance(found, bytes) else np.array(found)
            parts[name] = found
        return store.types[kind](**parts)

    with BagWriter(folder, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        connections = {}
        for time, topic, kind, message in messages:
            if topic not in connections:
                connections[topic] = writer.add_connection(topic, kind, typestore=store)
            raw = store.serialize_cdr(build(kind, message), kind)
            writer.write(connections[topic], time, raw)


def main(folder):
    kinds = [CompressionType.ZSTD, CompressionType.LZ4, CompressionType.NONE]
    for number, (name, make) in enumerate(MAKERS.items()):
        rng, lines = np.random.default_rng(number), []
        messages = []
        for scan in range(3):
            time = START + 100_000_000 * (scan + 1) + 7
            kind, message = make(rng, time, lines)
            messages.append((time, "/points", kind, message))
        messages = sorted(messages + transforms(FRAMES[name]), key=lambda m: m[0])
        for compression in [kinds[number % 3], kinds[(number + 1) % 3]]:
            bag(folder / f"{name}_{compression.name}.mcap", compression, messages)
        if name in ("velodyne", "ouster"):
            with_rosbags(folder / f"{name}_rosbags", messages)
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
