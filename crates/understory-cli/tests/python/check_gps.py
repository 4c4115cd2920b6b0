"""Fixes in bags, read by rosbags, against the tables of poses, put on Earth by PROJ."""

import csv
import sys
from pathlib import Path

import numpy as np
from pyproj import Transformer
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore

START_NS = 1_735_689_600 * 10**9
YAW = np.radians(30.0)
EAST_FROM_WORLD = np.array(
    [[np.cos(YAW), -np.sin(YAW), 0.0], [np.sin(YAW), np.cos(YAW), 0.0], [0.0, 0.0, 1.0]]
)
EARTH = Transformer.from_pipeline(
    "+proj=pipeline"
    " +step +inv +proj=topocentric +ellps=WGS84 +lat_0=48.8443 +lon_0=2.3392 +h_0=61.5"
    " +step +inv +proj=cart +ellps=WGS84"
)


def fixes(folder):
    found = []
    with AnyReader([folder / "drive.mcap"], default_typestore=get_typestore(Stores.ROS2_HUMBLE)) as bag:
        wanted = [c for c in bag.connections if c.topic == "/gps/fix"]
        assert [c.msgtype for c in wanted] == ["sensor_msgs/msg/NavSatFix"]
        for connection, _, raw in bag.messages(connections=wanted):
            found.append(bag.deserialize(raw, connection.msgtype))
    return found


def rows(path):
    with open(path, newline="") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def check(found, times_s, positions_m, covariance):
    assert len(found) == len(times_s) > 3, (len(found), len(times_s))
    for fix, time_s, position_m in zip(found, times_s, positions_m):
        stamp_s = (fix.header.stamp.sec * 10**9 + fix.header.stamp.nanosec - START_NS) * 1e-9
        assert abs(stamp_s - time_s) < 1e-6, (stamp_s, time_s)
        assert fix.header.frame_id == "base_link"
        assert (fix.status.status, fix.status.service, fix.position_covariance_type) == (0, 1, 3)
        longitude, latitude, altitude = EARTH.transform(*(EAST_FROM_WORLD @ position_m))
        # 1e-10° are 0.01 mm.
        assert abs(fix.longitude - longitude) < 1e-10
        assert abs(fix.latitude - latitude) < 1e-10
        assert abs(fix.altitude - altitude) < 1e-6
        assert np.allclose(np.reshape(fix.position_covariance, (3, 3)), covariance, atol=1e-9)


def main(exact, gps):
    times_s = [0.1 * i for i in range(11)]
    way = [np.array([8.0 * t, 3.0 * t, 1.5]) for t in times_s]
    check(fixes(exact), times_s, way, np.zeros((3, 3)))
    said = rows(gps / "poses.gps.csv")
    places = [np.array([row["x_m"], row["y_m"], row["z_m"]]) for row in said]
    noise = np.diag([0.5**2 + 0.3**2, 0.5**2, 1.0])
    covariance = EAST_FROM_WORLD @ noise @ EAST_FROM_WORLD.T
    check(fixes(gps), [row["time_s"] for row in said], places, covariance)
    # Such fixes have errors.
    off = [np.linalg.norm(place - np.array([8.0 * row["time_s"], 3.0 * row["time_s"], 1.5]))
           for place, row in zip(places, said)]  # fmt: skip
    assert max(off) > 0.1


main(Path(sys.argv[1]), Path(sys.argv[2]))
