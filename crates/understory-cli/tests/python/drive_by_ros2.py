"""Drives a vehicle along waypoints over ROS 2, by Cyclone DDS: /odom comes, /cmd_vel goes.

usage: drive_by_ros2.py DOMAIN twist|stamped X,Y X,Y ...

It prints "ready", then "driving" with the first odometry, and stops the vehicle at the last place.
"""

import math
import sys
import time
from dataclasses import dataclass

from cyclonedds.core import Policy, Qos
from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.types import array, float64, int32, uint32
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration


@dataclass
class Time(IdlStruct, typename="builtin_interfaces::msg::dds_::Time_"):
    sec: int32
    nanosec: uint32


@dataclass
class Header(IdlStruct, typename="std_msgs::msg::dds_::Header_"):
    stamp: Time
    frame_id: str


@dataclass
class Vector3(IdlStruct, typename="geometry_msgs::msg::dds_::Vector3_"):
    x: float64
    y: float64
    z: float64


@dataclass
class Point(IdlStruct, typename="geometry_msgs::msg::dds_::Point_"):
    x: float64
    y: float64
    z: float64


@dataclass
class Quaternion(IdlStruct, typename="geometry_msgs::msg::dds_::Quaternion_"):
    x: float64
    y: float64
    z: float64
    w: float64


@dataclass
class Pose(IdlStruct, typename="geometry_msgs::msg::dds_::Pose_"):
    position: Point
    orientation: Quaternion


@dataclass
class PoseWithCovariance(IdlStruct, typename="geometry_msgs::msg::dds_::PoseWithCovariance_"):
    pose: Pose
    covariance: array[float64, 36]


@dataclass
class Twist(IdlStruct, typename="geometry_msgs::msg::dds_::Twist_"):
    linear: Vector3
    angular: Vector3


@dataclass
class TwistStamped(IdlStruct, typename="geometry_msgs::msg::dds_::TwistStamped_"):
    header: Header
    twist: Twist


@dataclass
class TwistWithCovariance(IdlStruct, typename="geometry_msgs::msg::dds_::TwistWithCovariance_"):
    twist: Twist
    covariance: array[float64, 36]


@dataclass
class Odometry(IdlStruct, typename="nav_msgs::msg::dds_::Odometry_"):
    header: Header
    child_frame_id: str
    pose: PoseWithCovariance
    twist: TwistWithCovariance


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
    steady = Qos(Policy.Reliability.Reliable(duration(seconds=1)), Policy.History.KeepLast(100))
    odometry = DataReader(participant, Topic(participant, "rt/odom", Odometry), steady)
    of = TwistStamped if kind == "stamped" else Twist
    commands = DataWriter(participant, Topic(participant, "rt/cmd_vel", of), steady)
    print("ready", flush=True)
    driving = False
    while places:
        news = [one for one in odometry.take(100) if hasattr(one, "pose")]
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
