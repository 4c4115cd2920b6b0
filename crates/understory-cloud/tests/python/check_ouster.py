"""Compares our Ouster packets with what ouster-sdk sees in them, and makes packets for our reader.

check FOLDER            every NAME.pcap with NAME.json is read and compared with NAME.expected
make FOLDER FILE...     every OSF or pcap file becomes FOLDER/NAME.pcap and NAME.json (of an OSF by
                        ouster-sdk's own writers), and NAME.sdk holds what ouster-sdk reads there
"""

import shutil
import sys
from pathlib import Path

import numpy as np
from ouster.sdk import open_source
from ouster.sdk.core import PacketFormat, XYZLut, frame_to_packets
from ouster.sdk.pcap import record


def expected_frames(path, rows, columns):
    """The frames of a file of expectations."""
    kind = np.dtype(
        [
            ("time", "<i8", columns),
            ("range", "<u4", (rows, columns)),
            ("reflectivity", "u1", (rows, columns)),
            ("signal", "<u2", (rows, columns)),
            ("near_ir", "<u2", (rows, columns)),
            ("xyz", "<f8", (rows, columns, 3)),
        ]
    )
    return np.fromfile(path, kind)


def compare(frame, wanted, lut, name):
    """Everything but positions to the last bit; returns the largest deviation of a position."""
    fired = wanted["time"] != 0
    np.testing.assert_array_equal(frame.status & 1, fired, err_msg=name)
    np.testing.assert_array_equal(frame.timestamp[fired], wanted["time"][fired], err_msg=name)
    numbers = np.arange(len(fired))
    np.testing.assert_array_equal(frame.measurement_id[fired], numbers[fired], err_msg=name)
    for field, key in [
        ("RANGE", "range"),
        ("REFLECTIVITY", "reflectivity"),
        ("SIGNAL", "signal"),
        ("NEAR_IR", "near_ir"),
    ]:
        np.testing.assert_array_equal(frame.field(field), wanted[key], err_msg=f"{name} {field}")
    apart = np.abs(lut(frame.field("RANGE")) - wanted["xyz"]).max()
    assert apart < 1e-9, f"{name}: {apart} m"
    return apart


def check(folder):
    for path in sorted(Path(folder).glob("*.pcap")):
        source = open_source(str(path), sensor_idx=0)
        info = source.sensor_info[0]
        rows, columns = info.format.pixels_per_column, info.format.columns_per_frame
        wanted = expected_frames(path.with_suffix(".expected"), rows, columns)
        lut = XYZLut(info, use_extrinsics=False)
        frames, apart = 0, 0.0
        for frame_set in source:
            frame = frame_set[0]
            assert frame.frame_id == frames, f"{path.name}: frame {frame.frame_id} after {frames}"
            apart = max(apart, compare(frame, wanted[frames], lut, path.name))
            frames += 1
        assert frames == len(wanted), f"{path.name}: {frames} frames instead of {len(wanted)}"
        crcs = check_packets(path, info)
        print(f"{path.stem}: {frames} frames exact, positions within {apart:.1e} m, {crcs} checksums")


def check_packets(path, info):
    """Headers and checksums of all packets; returns how many checksums there were."""
    from ouster.sdk import open_packet_source

    form = PacketFormat(info)
    crcs = 0
    for _, packet in open_packet_source(str(path)):
        assert packet.validate(info) == type(packet.validate(info)).NONE
        crc = form.crc(packet.buf)
        if crc is not None:
            assert crc == form.calculate_crc(packet.buf), "checksum"
            assert form.packet_type(packet.buf) == 1
            assert (form.init_id(packet.buf), form.prod_sn(packet.buf)) == (info.init_id, info.sn)
            crcs += 1
    return crcs


def make(folder, files):
    for file in map(Path, files):
        path = Path(folder) / (file.stem + ".pcap")
        if file.suffix == ".osf":
            source = open_source(str(file), sensor_idx=0)
            info = source.sensor_info[0]
            form = PacketFormat(info)

            def packets():
                for frame_set in source:
                    frame = frame_set[0]
                    for packet in frame_to_packets(frame, form, info.init_id, info.sn):
                        packet.host_timestamp = int(frame.timestamp[0])
                        yield packet

            record(packets(), str(path), lidar_port=7502, imu_port=7503)
            path.with_suffix(".json").write_text(info.to_json_string())
        elif file.resolve() != path.resolve():
            shutil.copy(file, path)
            shutil.copy(file.with_suffix(".json"), path.with_suffix(".json"))
        source = open_source(str(path), sensor_idx=0)
        info = source.sensor_info[0]
        lut = XYZLut(info, use_extrinsics=False)
        frames = 0
        with path.with_suffix(".sdk").open("wb") as out:
            for frame_set in source:
                frame = frame_set[0]
                names = list(frame.fields)
                returns = [s for s in ("", "2") if "RANGE" + s in names]
                head = [frame.h, frame.w, frame.frame_id, len(returns)]
                np.array(head, "<u4").tofile(out)
                frame.timestamp.astype("<u8").tofile(out)
                (frame.status & 1).astype("<u2").tofile(out)
                near_ir = frame.field("NEAR_IR") if "NEAR_IR" in names else np.zeros((frame.h, frame.w))
                near_ir.astype("<u2").tofile(out)
                for suffix in returns:
                    ranges = frame.field("RANGE" + suffix)
                    ranges.astype("<u4").tofile(out)
                    frame.field("REFLECTIVITY" + suffix).astype("u1").tofile(out)
                    lut(ranges).astype("<f8").tofile(out)
                frames += 1
        print(f"{path.stem}: {info.format.udp_profile_lidar}, {frames} frames made")


if __name__ == "__main__":
    command, folder, *rest = sys.argv[1:]
    {"check": lambda: check(folder), "make": lambda: make(folder, rest)}[command]()
