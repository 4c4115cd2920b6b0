"""Subscribes with Cyclone DDS and prints what comes, one line per message.

usage: subscribe_ros2.py DOMAIN CLOUDS SECONDS
"""

import hashlib
import sys
import time

from cyclonedds.domain import DomainParticipant
from ros2_messages import BEST_EFFORT, RELIABLE, PointCloud2, TFMessage, reader, taken


def stamp(header):
    return header.stamp.sec * 10**9 + header.stamp.nanosec


def main(domain, clouds, seconds):
    participant = DomainParticipant(domain)
    points = reader(participant, "/velodyne_points", PointCloud2, BEST_EFFORT)
    frames = reader(participant, "/tf", TFMessage, RELIABLE)
    print("ready", flush=True)
    end = time.monotonic() + seconds
    found = 0
    while time.monotonic() < end and found < clouds:
        for cloud in taken(points):
            found += 1
            data = bytes(cloud.data)
            digest = hashlib.sha256(data).hexdigest()
            print("cloud", stamp(cloud.header), cloud.header.frame_id, cloud.height, cloud.width,
                  cloud.point_step, len(data), digest, flush=True)
        for one in (one for message in taken(frames) for one in message.transforms):
            place = one.transform.translation
            print("tf", stamp(one.header), one.child_frame_id, place.x.hex(), flush=True)
        time.sleep(0.005)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
