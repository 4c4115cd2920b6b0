"""Writes ROS 2 bags with mcap and mcap-ros2-support, and what is in them as text.

usage: make_bags.py FOLDER
"""

import math
import random
import sys
from pathlib import Path

from mcap.writer import CompressionType
from mcap_ros2.writer import Writer

SEPARATOR = "\n" + "=" * 80 + "\n"
HEADER = (
    "MSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id"
    + SEPARATOR
    + "MSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec"
)
POINT = "MSG: geometry_msgs/Point\nfloat64 x\nfloat64 y\nfloat64 z"
VECTOR = "MSG: geometry_msgs/Vector3\nfloat64 x\nfloat64 y\nfloat64 z"
QUATERNION = "MSG: geometry_msgs/Quaternion\nfloat64 x\nfloat64 y\nfloat64 z\nfloat64 w"
POSE = "MSG: geometry_msgs/Pose\ngeometry_msgs/Point position\ngeometry_msgs/Quaternion orientation"
TRANSFORM = (
    "MSG: geometry_msgs/Transform\ngeometry_msgs/Vector3 translation\n"
    "geometry_msgs/Quaternion rotation"
)
STAMPED = (
    "MSG: geometry_msgs/TransformStamped\nstd_msgs/Header header\nstring child_frame_id\n"
    "geometry_msgs/Transform transform"
)
WITH_COVARIANCE = (
    "MSG: geometry_msgs/PoseWithCovariance\ngeometry_msgs/Pose pose\nfloat64[36] covariance"
)
TWIST = (
    "MSG: geometry_msgs/TwistWithCovariance\ngeometry_msgs/Twist twist\nfloat64[36] covariance"
    + SEPARATOR
    + "MSG: geometry_msgs/Twist\ngeometry_msgs/Vector3 linear\ngeometry_msgs/Vector3 angular"
)
DEFINITIONS = {
    "nav_msgs/msg/Odometry": SEPARATOR.join(
        [
            "std_msgs/Header header\nstring child_frame_id\n"
            "geometry_msgs/PoseWithCovariance pose\ngeometry_msgs/TwistWithCovariance twist",
            HEADER, WITH_COVARIANCE, POSE, POINT, QUATERNION, TWIST, VECTOR,
        ]
    ),
    "geometry_msgs/msg/PoseStamped": SEPARATOR.join(
        ["std_msgs/Header header\ngeometry_msgs/Pose pose", HEADER, POSE, POINT, QUATERNION]
    ),
    "tf2_msgs/msg/TFMessage": SEPARATOR.join(
        [
            "geometry_msgs/TransformStamped[] transforms",
            STAMPED, HEADER, TRANSFORM, VECTOR, QUATERNION,
        ]
    ),
    "std_msgs/msg/String": "string data",
}


def poses(count, frame):
    """Random poses some 20 ms apart, in a recent year."""
    rng = random.Random(frame)
    nanoseconds = 1_760_000_000_123_456_789
    found = []
    for _ in range(count):
        turn = [rng.gauss(0, 1) for _ in range(4)]
        length = math.sqrt(sum(x * x for x in turn))
        place = [rng.uniform(-1e5, 1e5) for _ in range(3)]
        found.append((nanoseconds, place, [x / length for x in turn]))
        nanoseconds += rng.randrange(1, 40_000_000)
    return found


def fields(names, values):
    return dict(zip(names, values))


def header(nanoseconds, frame):
    stamp = {"sec": nanoseconds // 10**9, "nanosec": nanoseconds % 10**9}
    return {"stamp": stamp, "frame_id": frame}


def odometry(pose, frame, child):
    time, place, turn = pose
    zero = fields("xyz", [0.0] * 3)
    return {
        "header": header(time, frame),
        "child_frame_id": child,
        "pose": {
            "pose": {"position": fields("xyz", place), "orientation": fields("xyzw", turn)},
            "covariance": [0.5] * 36,
        },
        "twist": {"twist": {"linear": zero, "angular": zero}, "covariance": [0.0] * 36},
    }


def stamped(pose, frame):
    time, place, turn = pose
    return {
        "header": header(time, frame),
        "pose": {"position": fields("xyz", place), "orientation": fields("xyzw", turn)},
    }


def transform(pose, frame, child):
    time, place, turn = pose
    return {
        "header": header(time, frame),
        "child_frame_id": child,
        "transform": {"translation": fields("xyz", place), "rotation": fields("xyzw", turn)},
    }


def bag(path, compression, messages):
    """`messages`: (nanoseconds, topic, type, message)."""
    with open(path, "wb") as file:
        writer = Writer(file, chunk_size=4096, compression=compression)
        schemas = {}
        for time, topic, kind, message in messages:
            if kind not in schemas:
                schemas[kind] = writer.register_msgdef(kind, DEFINITIONS[kind])
            writer.write_message(topic, schemas[kind], message, log_time=time, publish_time=time)
        writer.finish()


def expect(path, found):
    lines = [
        f"{time // 10**9} {time % 10**9} " + " ".join(x.hex() for x in place + turn)
        for time, place, turn in found
    ]
    path.write_text("\n".join(lines) + "\n")


def main(folder):
    # Frames of every length, so that numbers stand at every distance from a string.
    for letters in range(1, 9):
        compression = [CompressionType.NONE, CompressionType.LZ4, CompressionType.ZSTD][letters % 3]
        frame, child = "o" * letters, "b" * (letters * 3 % 8)
        found = poses(200, frame)
        messages = []
        for pose in found:
            message = odometry(pose, frame, child)
            messages.append((pose[0], "/odometry", "nav_msgs/msg/Odometry", message))
            messages.append((pose[0], "/words", "std_msgs/msg/String", {"data": "hello" * letters}))
        bag(folder / f"odometry{letters}.mcap", compression, messages)
        expect(folder / f"odometry{letters}.txt", found)
    found = poses(50, "map")
    kind = "geometry_msgs/msg/PoseStamped"
    messages = [(pose[0], "/pose", kind, stamped(pose, "map")) for pose in found]
    bag(folder / "pose.mcap", CompressionType.ZSTD, messages)
    expect(folder / "pose.txt", found)

    tracks = {child: poses(60, child) for child in ["base_link", "arm"]}
    messages = []
    for base, arm in zip(*tracks.values()):
        both = [transform(base, "odom", "base_link"), transform(arm, "base_link", "arm")]
        messages.append((base[0], "/tf", "tf2_msgs/msg/TFMessage", {"transforms": both}))
    bag(folder / "tf.mcap", CompressionType.LZ4, messages)
    expect(folder / "tf.txt", tracks["base_link"])

    # A bag in parts whose names do not sort by time.
    (folder / "split").mkdir()
    found = poses(90, "split")
    for part, name in enumerate(["split_2", "split_9", "split_10"]):
        messages = [
            (pose[0], "/odom", "nav_msgs/msg/Odometry", odometry(pose, "odom", "base"))
            for pose in found[30 * part : 30 * part + 30]
        ]
        bag(folder / "split" / f"{name}.mcap", CompressionType.ZSTD, messages)
    (folder / "split" / "metadata.yaml").write_text("rosbag2_bagfile_information:\n  version: 5\n")
    expect(folder / "split.txt", found)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
