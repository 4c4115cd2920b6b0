"""Reads files of motion with Python's own parsers and compares them with each other.

Usage: check_motion.py MOTION.csv MOTION.txt TRACKLETS.xml, written at 200 Hz for a sensor that stands
at (0.5, 0.4, 1.2) with roll, pitch and yaw of 2, 5 and -40 degrees and scans ten times a second.
Nothing here is shared with the program.
"""

import csv
import re
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np

motion_csv, motion_txt, tracklets_xml = sys.argv[1:]


def from_quaternion(w, x, y, z):
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def from_angles(rx, ry, rz):
    cx, sx, cy, sy, cz, sz = np.cos(rx), np.sin(rx), np.cos(ry), np.sin(ry), np.cos(rz), np.sin(rz)
    about_x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    about_z = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    return about_z @ about_y @ about_x


rows = {}
with open(motion_csv, newline="") as file:
    for row in csv.DictReader(file):
        key = (row["name"], int(row["part"]))
        number = {k: float(v) for k, v in row.items() if k != "name" and v != ""}
        rows.setdefault(key, []).append(number)
assert sorted(rows) == [("ball", 0)] + [("car", part) for part in range(5)], sorted(rows)

for (name, part), track in rows.items():
    times = np.array([row["time_s"] for row in track])
    assert len(times) == 81 and np.allclose(np.diff(times), 0.005), (name, part)
    places = np.array([[row[k] for k in ("x_m", "y_m", "z_m")] for row in track])
    speeds = np.array([[row[k] for k in ("vx_m_s", "vy_m_s", "vz_m_s")] for row in track])
    quaternions = np.array([[row[k] for k in ("qw", "qx", "qy", "qz")] for row in track])
    assert np.allclose(np.linalg.norm(quaternions, axis=1), 1, atol=1e-9)
    # Velocities belong to the step of physics (1/240 s) in which a row lies, so differences of rows
    # agree with their mean but for what a bounce does within 5 ms.
    differences = np.diff(places, axis=0) / 0.005
    means = (speeds[1:] + speeds[:-1]) / 2
    off = np.linalg.norm(differences - means, axis=1)
    assert np.median(off) < 0.05, (name, part, np.median(off))
    assert (part == 0) == ("length_m" in track[0])

sizes = [[row[k] for k in ("length_m", "width_m", "height_m")] for row in rows["car", 0]]
assert np.ptp(sizes, axis=0).max() == 0 and 4.2 < sizes[0][0] < 4.5 and 1.7 < sizes[0][1] < 2.0

form = re.compile(
    r"timestamp: (\d+\.\d{4}) object: (.+) x: (\S+) y: (\S+) z: (\S+) rx: (\S+) ry: (\S+) rz: (\S+)"
)
lines = open(motion_txt).read().splitlines()
assert len(lines) == 2 * 81
for line in lines:
    found = form.fullmatch(line)
    time, name = float(found[1]), found[2]
    row = rows[name, 0][round(time * 200)]
    assert abs(row["time_s"] - time) < 1e-4
    numbers = [float(found[i]) for i in range(3, 9)]
    assert np.allclose(numbers[:3], [row["x_m"], row["y_m"], row["z_m"]], atol=1e-9)
    turned = from_quaternion(*[row[k] for k in ("qw", "qx", "qy", "qz")])
    assert np.allclose(from_angles(*numbers[3:]), turned, atol=1e-8)

world_from_sensor = from_angles(*np.radians([2, 5, -40]))
sensor_m = np.array([0.5, 0.4, 1.2])
root = ElementTree.parse(tracklets_xml).getroot()
assert root.tag == "boost_serialization"
tracklets = root.find("tracklets")
items = tracklets.findall("item")
assert int(tracklets.find("count").text) == len(items) == 2
for item, name, kind in zip(items, ["ball", "car"], ["Misc", "Car"]):
    assert item.find("objectType").text == kind and item.find("first_frame").text == "0"
    height, width, length = (float(item.find(tag).text) for tag in "hwl")
    poses = item.find("poses")
    frames = poses.findall("item")
    assert int(poses.find("count").text) == len(frames) == 4, len(frames)
    for frame, pose in enumerate(frames):
        row = rows[name, 0][frame * 20]
        assert np.allclose([length, width, height], [row["length_m"], row["width_m"], row["height_m"]])
        value = {child.tag: float(child.text) for child in pose}
        turned = from_angles(value["rx"], value["ry"], value["rz"])
        bottom = np.array([value["tx"], value["ty"], value["tz"]])
        # From the sensor's frame at the start of the scan to the world.
        centre = sensor_m + world_from_sensor @ (bottom + turned @ [0, 0, height / 2])
        assert np.allclose(centre, [row[k] for k in ("box_x_m", "box_y_m", "box_z_m")], atol=2e-3), (
            name, frame, centre, row)
        object_turned = from_quaternion(*[row[k] for k in ("qw", "qx", "qy", "qz")])
        assert np.allclose(world_from_sensor @ turned, object_turned, atol=2e-2)
    assert item.find("finished").text == "1"
print("ok")
