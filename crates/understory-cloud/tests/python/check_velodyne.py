"""Velodyne packets and velodyne-decoder.

read DIR START_UNIX_NS: decodes each NAME.pcap and compares it with the true points in NAME.f64.
make DIR: packs packets by a plain packer and writes what velodyne-decoder makes of them.
"""

import datetime
import pathlib
import struct
import sys
import warnings

import numpy as np
import velodyne_decoder as vd
import yaml

CALIBRATIONS = {
    "vlp16": "VLP-16",
    "hdl32e": "HDL-32E",
    "vlp32c": "VLP-32C",
    "vls128": "Alpha Prime",
    "hdl64e_s2": "HDL-64E_S2.1-sztaki",
    "hdl64e_s3": "HDL-64E_S3-VeloView",
}
PRODUCTS = {"vlp16": 0x22, "hdl32e": 0x21, "vlp32c": 0x28, "vls128": 0xA1}
LASERS = {"vlp16": 16, "hdl32e": 32, "vlp32c": 32, "vls128": 128, "hdl64e_s2": 64, "hdl64e_s3": 64}
CYCLE_US = {"vlp16": 55.296, "hdl32e": 46.08, "vlp32c": 55.296, "vls128": 53.3,
            "hdl64e_s2": 48.0, "hdl64e_s3": 57.6}


def channels_by_ring(name, path):
    """Packet order of the lasers by their rank in elevation, as the decoder numbers rings."""
    if name.startswith("hdl64e"):
        _, calibration = vd.hdl64e.read_calibration_from_pcap(str(path))
        lasers = yaml.safe_load(calibration.to_string())["lasers"]
    else:
        folder = pathlib.Path(vd.__file__).parent / "calibrations"
        lasers = yaml.safe_load((folder / f"{CALIBRATIONS[name]}.yml").read_text())["lasers"]
    lasers = sorted(lasers, key=lambda laser: laser["laser_id"])
    elevations = np.array([laser["vert_correction"] for laser in lasers], dtype=np.float32)
    return np.argsort(elevations, kind="stable")


def decode(path):
    """All points: absolute time, x, y, z, intensity, column, ring, return type; scan."""
    parts, scans = [], []
    config = vd.Config(min_range=0.01, max_range=500)
    for i, (stamp, points) in enumerate(vd.read_pcap(str(path), config)):
        points = np.asarray(points, dtype=np.float64)
        device = np.full(len(points), stamp.device)
        parts.append(np.column_stack([device, points[:, 4], points[:, [0, 1, 2, 3, 5, 6, 7]]]))
        scans.append(np.full(len(points), i))
    return np.concatenate(parts), np.concatenate(scans)


def check(condition, text):
    if not condition:
        sys.exit(text)


def read(folder, start_unix_ns):
    for path in sorted(folder.glob("*.pcap")):
        name, mode = path.stem.rsplit("_", 1)
        wanted = np.fromfile(path.with_suffix(".f64")).reshape(-1, 8)
        found, scans = decode(path)
        check(len(found) == len(wanted), f"{path.stem}: {len(found)} of {len(wanted)} points")
        check(len(np.unique(scans)) >= 1, f"{path.stem}: no scan")
        rings = channels_by_ring(name, path)
        check(np.array_equal(rings[found[:, 7].astype(int)], wanted[:, 5]), f"{path.stem}: lasers")
        check(np.array_equal(found[:, 5], wanted[:, 4]), f"{path.stem}: intensities")
        kind = wanted[:, 6]
        check(np.array_equal(found[:, 8], kind), f"{path.stem}: return types")
        # Seconds since the start, without the whole numbers that doubles cannot hold exactly.
        whole = start_unix_ns // 10**9
        time = (found[:, 0] - whole) - (start_unix_ns - whole * 10**9) * 1e-9 + found[:, 1]
        off = found[:, 2:5] - wanted[:, 1:4]
        ranges = wanted[:, 7]
        beam = wanted[:, 1:4] / np.linalg.norm(wanted[:, 1:4], axis=1)[:, None]
        along = np.abs((off * beam).sum(axis=1))
        across = np.linalg.norm(off - (off * beam).sum(axis=1)[:, None] * beam, axis=1)
        across_deg = np.degrees(across / ranges)
        quantum = 0.004 if name in ("vlp32c", "vls128") else 0.002
        vls, s2 = name == "vls128", name == "hdl64e_s2"
        # The decoder knows neither the speed of the head nor the firmware of a VLS-128 in the first
        # packet.
        first = (scans == 0) & (found[:, 6] < (1 if mode == "dual" else 3)) & vls
        rest = ~first
        off_us = 1e6 * np.abs(time - wanted[:, 0])[rest].max()
        print(f"{path.stem}: {len(found)} points, along {along.max():.5f} m, across "
              f"{across_deg[rest].max():.5f} deg, times {off_us:.3f} us")
        telemetry = [data for _, data in vd.util.iter_pcap(str(path)) if len(data) == 512]
        check(len(telemetry) > 5, f"{path.stem}: position packets")
        for data in (telemetry[0], telemetry[-1]):
            told = vd.TelemetryPacket(bytes(data))
            check(told.pps_status == vd.TelemetryPacket.PpsStatus.LOCKED, f"{path.stem}: pulse")
            since_1970 = (told.nmea_time - datetime.datetime(1970, 1, 1)).total_seconds()
            seconds = since_1970 - start_unix_ns * 1e-9
            check(-1 <= seconds <= time.max() + 0.01, f"{path.stem}: time of GPS {seconds}")
            past_hour = told.usec_since_toh * 1e-6 - start_unix_ns % (3600 * 10**9) * 1e-9
            check(0 <= past_hour % 3600 <= time.max() + 0.01, f"{path.stem}: past the hour")
        # An S2's facts are finer than the 0.01 degrees and 1 mm of its calibration stream.
        check(along[rest].max() < quantum / 2 + (1.3e-3 if s2 else 4e-5), f"{path.stem}: ranges")
        limit_deg = 0.0165 + (0.01 if vls else 0.0071 if s2 else 0)
        limit_m = ranges * np.radians(limit_deg) + (0.75e-3 if s2 else 0)
        check(np.all((across < limit_m)[rest]), f"{path.stem}: directions")
        if vls:
            # The angle of 42.6 us at 10 Hz, or at the 5 Hz of dual packets.
            angle = 0.1535 / (2 if mode == "dual" else 1)
            check(abs(across_deg[first].max() - angle) < 0.01, f"{path.stem}: first packet")
        # Of a VLS-128 the fourth group fires 8.0 us after the first by the manual and 6.5 us by the
        # decoder, which also has one idle slot of 2.67 us more between the halves.
        check(off_us < (5 if vls else 0.75), f"{path.stem}: times {off_us} us")


def status_bytes(series, rng):
    """The calibration of an HDL-64E with all its corrections, as bytes with their kinds."""
    values = bytearray(b"UNIT#\x18\x19")
    elevations = np.linspace(-24, 2, 64)
    rng.shuffle(elevations)
    for i in range(64):
        numbers = [int(100 * elevations[i]), int(rng.integers(-900, 900)),
                   *rng.integers(1000, 1500, 3), int(rng.integers(100, 220)),
                   26 if i % 2 else -26, int(rng.integers(5000, 20000)), int(rng.integers(0, 20))]
        values += struct.pack("<B9hBB", i, *map(int, numbers), 20 if i % 3 else 0, 255 - i % 2)
        values += bytes(7)
    values[-7:] = bytes([16, 11, 15, 12, 47, 47, 25])
    values += struct.pack("<hHHH", 600, 0, 36000, 2685) + bytes([192, 168, 3, 43] * 2)
    values += bytes([0, 0, 0xA0])
    if series == "s3":
        lasers = [values[7 + 28 * i : 7 + 28 * (i + 1)] for i in range(64)]
        end = vd.hdl64e.crc16(b"".join(bytes(laser[1:21]) for laser in lasers))
    else:
        end = 1820
    values += struct.pack("<H", end)
    assert len(values) == 1820
    kinds = bytearray(b"1234567" * 260)
    if series == "s3":
        kinds[30] = ord("W")
    return values, kinds


def pack(name, dual, packets, rng):
    """Packets with their times in microseconds since an hour's start."""
    lasers = LASERS[name]
    hdl64e = name.startswith("hdl64e")
    values, kinds = status_bytes(name[-2:], rng) if hdl64e else (b"", b"")
    columns = 384 // lasers // (2 if dual else 1)
    cycle = CYCLE_US[name]
    speed = 0.36e-2 if not dual else 0.72e-2  # degrees per microsecond
    start_us = 3.6e9 - 20_000.3
    azimuth = 351.7
    nothing = np.zeros(lasers, dtype=int)
    for number in range(packets):
        time_us = number * columns * cycle
        blocks = []
        full = not hdl64e or number % 40 < 3
        for column in range(columns):
            angle = (azimuth + speed * (time_us + column * cycle)) % 360
            steps = int(angle * 100) % 36000
            if full:
                last = rng.integers(500, 28000, lasers) * (rng.random(lasers) > 0.2)
                other = np.where(rng.random(lasers) < 0.5, last, rng.integers(500, 28000, lasers))
                bright = rng.integers(0, 256, (2, lasers))
                bright[1] = np.where(other == last, bright[0], bright[1])
            else:  # these only tell the calibration
                last = other = nothing
                bright = [nothing, nothing]
            blocks.append((steps, last, other, bright))
        body = b""

        def block(flag, steps, distances, intensities):
            if not full:
                return struct.pack("<HH", flag, steps) + bytes(96)
            data = np.zeros(32, dtype=[("distance", "<u2"), ("intensity", "u1")])
            data["distance"], data["intensity"] = distances, intensities
            return struct.pack("<HH", flag, steps) + data.tobytes()

        flags = [0xEEFF, 0xDDFF, 0xCCFF, 0xBBFF]
        banks = [slice(32 * i, 32 * i + 32) for i in range(max(1, lasers // 32))]
        if lasers == 16:
            for first, second in zip(blocks[::2], blocks[1::2]):
                for kind in ([0, 1] if dual else [0]):
                    body += block(flags[0], first[0],
                                  np.concatenate([first[1 + kind], second[1 + kind]]),
                                  np.concatenate([first[3][kind], second[3][kind]]))
        else:
            for steps, last, other, bright in blocks:
                told = [(last, bright[0])]
                if dual and lasers == 64:
                    told = [(other, bright[1]), (last, bright[0])]
                elif dual:
                    told = [(last, bright[0]), (other, bright[1])]
                pairs = [(bank, kind) for kind in range(len(told)) for bank in range(len(banks))]
                if lasers != 64:
                    pairs.sort()
                for bank, kind in pairs:
                    distances, intensities = told[kind]
                    body += block(flags[bank], steps, distances[banks[bank]],
                                  intensities[banks[bank]])
        body = body.ljust(1200, b"\0")
        if hdl64e:
            at = number % 16
            if at < 9:
                tail = bytes(["HMSDNYGTV".encode()[at], [12, 47, 3, 15, 11, 16, 65, 20, 227][at]])
            else:
                i = (number // 16 * 7 + at - 9) % 1820
                tail = bytes([kinds[i], values[i]])
        else:
            tail = bytes([0x39 if dual else 0x37, PRODUCTS[name]])
        stamp = start_us + time_us + (8 if name == "vls128" else 0)
        body += struct.pack("<I", int(stamp) % 3_600_000_000) + tail
        yield time_us + start_us + columns * cycle, body


def ethernet(payload, vlan=False):
    udp = struct.pack(">HHHH", 2368, 2368, 8 + len(payload), 0) + payload
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0,
                     bytes([192, 168, 1, 77]), bytes([255] * 4)) + udp
    tag = struct.pack(">HH", 0x8100, 5) if vlan else b""
    return bytes(6) + bytes([2, 0, 0, 0, 0, 1]) + tag + struct.pack(">H", 0x0800) + ip


def make(folder):
    hour_s = 3600 * 482_300
    for name in CALIBRATIONS:
        for dual in (False, True):
            rng = np.random.default_rng(list(name.encode()) + [dual])
            stem = f"{name}_{'dual' if dual else 'single'}"
            packets = 4300 if name.startswith("hdl64e") else 150
            made = list(pack(name, dual, packets, rng))
            order, magic, per_s = [("<", 0xA1B2C3D4, 10**6), (">", 0xA1B23C4D, 10**9)][dual]
            path = folder / f"{stem}.pcap"
            data = bytearray(struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65535, 1))
            for time_us, body in made:
                frame = ethernet(body)
                time_s, rest = divmod(time_us + 37, 1e6)
                data += struct.pack(order + "IIII", hour_s + int(time_s), int(rest * per_s / 1e6),
                                    len(frame), len(frame)) + frame
            path.write_bytes(data)
            found, scans = decode(path)
            # Of two returns of a pulse the nearer first.
            same = np.zeros(len(found), dtype=bool)
            same[1:] = np.all(found[1:, 6:8] == found[:-1, 6:8], axis=1) & (scans[1:] == scans[:-1])
            order = np.arange(len(found))
            twins = np.nonzero(same)[0]
            ranges = np.linalg.norm(found[:, 2:5], axis=1)
            swap = twins[ranges[twins] < ranges[twins - 1]]
            order[swap], order[swap - 1] = swap - 1, swap
            first = (scans == 0) & (found[:, 6] < (1 if dual else 3)) & (name == "vls128")
            channel = channels_by_ring(name, path)[found[:, 7].astype(int)]
            rows = np.column_stack([found[:, 0] + found[:, 1], found[:, 2:6], channel, first])
            rows[order].astype("<f8").tofile(path.with_suffix(".f64"))
            if stem == "vlp16_single":
                ng = struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28)
                options = struct.pack("<HHBxxxHH", 9, 1, 9, 0, 0)
                ng += struct.pack("<IIHHI", 1, 20 + len(options), 1, 0, 65535) + options
                ng += struct.pack("<I", 20 + len(options))
                for time_us, body in made:
                    frame = ethernet(body, vlan=True)
                    ns = (hour_s * 10**6 + int(time_us) + 37) * 1000
                    padded = frame.ljust(-(-len(frame) // 4) * 4, b"\0")
                    length = 32 + len(padded)
                    ng += struct.pack("<IIIIIII", 6, length, 0, ns >> 32, ns & 0xFFFFFFFF,
                                      len(frame), len(frame)) + padded + struct.pack("<I", length)
                (folder / "vlp16_ng.pcapng").write_bytes(ng)
                (folder / "vlp16_ng.f64").write_bytes(path.with_suffix(".f64").read_bytes())


if __name__ == "__main__":
    warnings.simplefilter("error")
    if sys.argv[1] == "read":
        read(pathlib.Path(sys.argv[2]), int(sys.argv[3]))
    else:
        make(pathlib.Path(sys.argv[2]))
