"""Subscribes with Cyclone DDS and prints what comes, one line per message.

usage: subscribe_ros2.py DOMAIN CLOUDS SECONDS
"""

import hashlib
import sys
import time
from dataclasses import dataclass

from cyclonedds.core import Policy, Qos
from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.types import float64, int32, sequence, uint8, uint32
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
class PointField(IdlStruct, typename="sensor_msgs::msg::dds_::PointField_"):
    name: str
    offset: uint32
    datatype: uint8
    count: uint32


@dataclass
class PointCloud2(IdlStruct, typename="sensor_msgs::msg::dds_::PointCloud2_"):
    header: Header
    height: uint32
    width: uint32
    fields: sequence[PointField]
    is_bigendian: bool
    point_step: uint32
    row_step: uint32
    data: sequence[uint8]
    is_dense: bool


@dataclass
class Vector3(IdlStruct, typename="geometry_msgs::msg::dds_::Vector3_"):
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
class Transform(IdlStruct, typename="geometry_msgs::msg::dds_::Transform_"):
    translation: Vector3
    rotation: Quaternion


@dataclass
class TransformStamped(IdlStruct, typename="geometry_msgs::msg::dds_::TransformStamped_"):
    header: Header
    child_frame_id: str
    transform: Transform


@dataclass
class TFMessage(IdlStruct, typename="tf2_msgs::msg::dds_::TFMessage_"):
    transforms: sequence[TransformStamped]


def stamp(header):
    return header.stamp.sec * 10**9 + header.stamp.nanosec


def main(domain, clouds, seconds):
    participant = DomainParticipant(domain)
    history = Policy.History.KeepLast(100)
    sensor = Qos(Policy.Reliability.BestEffort, history)
    steady = Qos(Policy.Reliability.Reliable(duration(seconds=1)), history)
    points = DataReader(participant, Topic(participant, "rt/velodyne_points", PointCloud2), sensor)
    frames = DataReader(participant, Topic(participant, "rt/tf", TFMessage), steady)
    print("ready", flush=True)
    end = time.monotonic() + seconds
    found = 0
    while time.monotonic() < end and found < clouds:
        for cloud in points.take(100):
            if not hasattr(cloud, "data"):
                # The writer has left.
                continue
            found += 1
            data = bytes(cloud.data)
            digest = hashlib.sha256(data).hexdigest()
            print("cloud", stamp(cloud.header), cloud.header.frame_id, cloud.height, cloud.width,
                  cloud.point_step, len(data), digest, flush=True)
        for message in frames.take(100):
            if not hasattr(message, "transforms"):
                continue
            for one in message.transforms:
                place = one.transform.translation
                print("tf", stamp(one.header), one.child_frame_id, place.x.hex(), flush=True)
        time.sleep(0.005)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
