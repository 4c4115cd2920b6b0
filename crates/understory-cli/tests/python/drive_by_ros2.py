"""Drives a vehicle along waypoints over ROS 2, by Cyclone DDS: /odom comes, /cmd_vel goes.

usage: drive_by_ros2.py DOMAIN twist|stamped X,Y X,Y ...

It prints "ready", then "driving" with the first odometry, and stops the vehicle at the last place.
"""

import math
import sys
import time

from cyclonedds.domain import DomainParticipant
from cyclonedds.pub import DataWriter
from cyclonedds.topic import Topic
from ros2_messages import RELIABLE, Header, Odometry, Twist, TwistStamped, Vector3, reader, taken


def command(pose, place):
    """Turns towards a place, and goes there when it looks there."""
    q = pose.orientation
    heading = math.atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z))
    dx, dy = place[0] - pose.position.x, place[1] - pose.position.y
    aside = math.remainder(math.atan2(dy, dx) - heading, math.tau)
    speed = 1.5 if abs(aside) < 0.5 else 0.0
    return Twist(Vector3(speed, 0.0, 0.0), Vector3(0.0, 0.0, max(-1.0, min(1.0, 1.5 * aside))))


def main(domain, kind, places):
    participant = DomainParticipant(domain)
    odometry = reader(participant, "/odom", Odometry, RELIABLE)
    of = TwistStamped if kind == "stamped" else Twist
    commands = DataWriter(participant, Topic(participant, "rt/cmd_vel", of), RELIABLE)
    print("ready", flush=True)
    driving = False
    while places:
        news = taken(odometry)
        if not news:
            time.sleep(0.001)
            continue
        if not driving:
            print("driving", flush=True)
            driving = True
        pose = news[-1].pose.pose
        if math.dist((pose.position.x, pose.position.y), places[0]) < 1.0:
            places.pop(0)
            continue
        twist = command(pose, places[0])
        header = Header(news[-1].header.stamp, "base_link")
        commands.write(TwistStamped(header, twist) if kind == "stamped" else twist)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], [tuple(map(float, one.split(","))) for one in sys.argv[3:]])
