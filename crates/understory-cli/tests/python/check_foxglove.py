"""A viewer as Foxglove is one: connects, subscribes to everything, and decodes it by its schema.

check_foxglove.py URL receives until the server ends and prints what came as JSON;
check_foxglove.py --compare RECEIVED BAG compares it with the bag of the same run.
"""

import hashlib
import json
import struct
import sys

from mcap.reader import make_reader
from mcap_ros2._dynamic import generate_dynamic
from mcap_ros2.decoder import DecoderFactory


def facts(topic, message):
    """What must be the same in the bag, where times begin elsewhere."""
    if topic == "/clock":
        return [message.clock.sec, message.clock.nanosec]
    if topic in ("/tf", "/tf_static"):
        return [
            [t.header.frame_id, t.child_frame_id]
            + [getattr(t.transform.translation, axis) for axis in "xyz"]
            + [getattr(t.transform.rotation, axis) for axis in "xyzw"]
            for t in message.transforms
        ]
    if hasattr(message, "point_step"):
        digest = hashlib.sha256(bytes(message.data)).hexdigest()
        fields = [field.name for field in message.fields]
        return [message.header.frame_id, message.width, message.height, fields, digest]
    return None


def receive(url):
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import connect

    channels, received = {}, {}
    with connect(url, subprotocols=["foxglove.sdk.v1"], max_size=None) as socket:
        assert socket.subprotocol == "foxglove.sdk.v1", socket.subprotocol
        try:
            for frame in socket:
                if isinstance(frame, str):
                    said = json.loads(frame)
                    if said["op"] != "advertise":
                        continue
                    for channel in said["channels"]:
                        assert channel["encoding"] == "cdr", channel
                        assert channel["schemaEncoding"] == "ros2msg", channel
                        name = channel["schemaName"]
                        decode = generate_dynamic(name, channel["schema"])[name]
                        channels[channel["id"]] = (channel["topic"], decode)
                    wanted = [{"id": c["id"], "channelId": c["id"]} for c in said["channels"]]
                    socket.send(json.dumps({"op": "subscribe", "subscriptions": wanted}))
                elif frame[0] == 1:
                    number, time_ns = struct.unpack_from("<IQ", frame, 1)
                    topic, decode = channels[number]
                    known = facts(topic, decode(frame[13:]))
                    received.setdefault(topic, []).append([time_ns, known])
        except ConnectionClosed:
            pass
    json.dump(received, sys.stdout)


def compare(received_path, bag_path):
    with open(received_path, encoding="utf-8") as file:
        received = json.load(file)
    bag = {}
    with open(bag_path, "rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        for _, channel, _, message in reader.iter_decoded_messages():
            bag.setdefault(channel.topic, []).append(facts(channel.topic, message))
    clouds = [topic for topic in received if topic.endswith("points")]
    assert clouds and "/tf" in received and "/clock" in received, sorted(received)
    for topic, messages in received.items():
        assert topic in bag, topic
        times = [time for time, _ in messages]
        assert times == sorted(times), topic
        if topic == "/clock":
            clocks = [sec * 10**9 + nanosec for _, (sec, nanosec) in messages]
            assert all(a < b for a, b in zip(clocks, clocks[1:])), "the clock goes back"
            continue
        theirs = [json.dumps(known) for known in bag[topic]]
        ours = [json.dumps(known) for _, known in messages]
        # Who connects late misses the beginning, and nothing else; mounts are sent again.
        at = theirs.index(ours[0])
        if topic != "/tf_static":
            assert theirs[at : at + len(ours)] == ours, topic
        assert set(ours) <= set(theirs), topic
    for topic in clouds:
        share = len(received[topic]) / len(bag[topic])
        assert share > 0.3, f"{topic}: only {share:.2f} of all scans came"
    print({topic: len(messages) for topic, messages in received.items()})


if sys.argv[1] == "--compare":
    compare(*sys.argv[2:])
else:
    receive(sys.argv[1])
