"""The chain of transforms of a run's bag, read by rosbags, against the records of the run.

usage: check_frames.py FOLDER, with drive.mcap and drive.parquet. Prints how many points agree.
"""

import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "understory-cloud/tests/python"))
from check_ros import Frames, matrix, points, stamp, with_rosbags

START_NS = 1_735_689_600 * 10**9
# Of a sensor at (0.3, 0, 0.8), pitched by 5° and then yawed by 20°.
PITCH, YAW = np.radians([5.0, 20.0])
MOUNT = np.array(
    [[np.cos(YAW), -np.sin(YAW), 0], [np.sin(YAW), np.cos(YAW), 0], [0, 0, 1]]
) @ np.array([[np.cos(PITCH), 0, np.sin(PITCH)], [0, 1, 0], [-np.sin(PITCH), 0, np.cos(PITCH)]])


def main(folder):
    messages = with_rosbags(folder / "drive.mcap")
    frames = Frames(messages)
    assert frames.chain("velodyne") == ["velodyne", "base_link", "odom", "map"]
    assert [frames.edges[name][1] for name in ("velodyne", "base_link")] == ["/tf_static", "/tf"]
    ((_, place, turn),) = frames.edges["velodyne"][2]
    assert np.allclose(place, [0.3, 0.0, 0.8], atol=1e-12)
    assert np.allclose(matrix(turn), MOUNT, atol=1e-9), matrix(turn)
    table = pq.read_table(folder / "drive.parquet")
    rows = {name: table[name].to_numpy() for name in ("time_s", "x_m", "y_m", "z_m", "return_number")}
    rows = {name: column[rows["return_number"] > 0] for name, column in rows.items()}
    order = np.argsort(rows["time_s"])
    times = rows["time_s"][order]
    world = np.stack([rows[name][order] for name in ("x_m", "y_m", "z_m")], axis=1)
    checked, worst, unmounted = 0, 0.0, []
    for cloud in messages["/velodyne_points"]:
        assert cloud.header.frame_id == "velodyne"
        found = points(cloud).ravel()
        for point in found[np.isfinite(found["x"])][::23]:
            time_ns = stamp(cloud.header) + round(float(point["time"]) * 1e9)
            near = np.searchsorted(times, (time_ns - START_NS) * 1e-9 - 1e-6)
            assert abs(times[near] - (time_ns - START_NS) * 1e-9) < 1e-7, time_ns
            xyz = np.array([[point["x"], point["y"], point["z"]]], dtype="f8")
            worst = max(worst, np.abs(frames.place("velodyne", time_ns, xyz)[0] - world[near]).max())
            unmounted.append(np.abs(frames.place("base_link", time_ns, xyz)[0] - world[near]).max())
            checked += 1
    # Between transforms, 10 ms apart, the platform turns by less than a degree.
    assert worst < 5e-3, worst
    # Without the mount nearly everything would be elsewhere.
    assert np.median(unmounted) > 0.5, np.median(unmounted)
    print(checked)


main(Path(sys.argv[1]))
