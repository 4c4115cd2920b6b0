"""Reads waveforms that Understory wrote: a.las with a.wdp by laspy and by hand, and a.npy.

Usage: check_waveforms.py FOLDER
"""

import struct
import sys
from pathlib import Path

import laspy
import numpy as np

C = 299_792_458.0


def main():
    folder = Path(sys.argv[1])
    las = laspy.read(folder / "a.las")
    assert las.header.point_format.id == 9, las.header.point_format
    assert str(las.header.version) == "1.4"
    encoding = las.header.global_encoding
    assert encoding.waveform_data_packets_external and not encoding.waveform_data_packets_internal
    assert las.header.start_of_waveform_data_packet_record == 0

    descriptors = {}
    for vlr in las.header.vlrs:
        if vlr.user_id == "LASF_Spec" and 100 <= vlr.record_id <= 354:
            descriptors[vlr.record_id - 99] = vlr.parsed_record
    assert len(descriptors) == 34, len(descriptors)
    for record in descriptors.values():
        assert record.bits_per_sample == 16 and record.waveform_compression_type == 0
        assert record.temporal_sample_spacing == 1000

    wdp = (folder / "a.wdp").read_bytes()
    reserved, user, record_id, length = struct.unpack("<H16sHQ", wdp[:28])
    assert (reserved, user.rstrip(b"\0"), record_id) == (0, b"LASF_Spec", 65535)
    assert length == len(wdp) - 60, (length, len(wdp))

    stretches = np.load(folder / "a.waveforms.npy")
    samples = np.load(folder / "a.samples.npy")
    assert samples.dtype == np.float32
    assert stretches["start"][-1] + stretches["count"][-1] == len(samples)
    assert np.all(stretches["start"][1:] == np.cumsum(stretches["count"])[:-1])
    rows = np.load(folder / "a.npy")
    rows = rows[rows["return_number"] > 0]
    assert len(rows) == len(las.points) == len(stretches)

    saturated = 0
    for i in range(len(las.points)):
        point = {name: las[name][i] for name in (
            "wavepacket_index", "wavepacket_offset", "wavepacket_size",
            "return_point_wave_location", "x_t", "y_t", "z_t")}
        descriptor = descriptors[int(point["wavepacket_index"])]
        start, size = int(point["wavepacket_offset"]), int(point["wavepacket_size"])
        assert start >= 60 and start + size <= len(wdp)
        assert size == 2 * descriptor.number_of_samples
        raw = np.frombuffer(wdp[start : start + size], dtype="<u2").astype(np.float64)
        values = descriptor.digitizer_offset + descriptor.digitizer_gain * raw

        # Row i of the points has stretch i here, for each return has one of its own.
        stretch = stretches[i]
        assert stretch["pulse"] == las["pulse"][i] == rows["pulse"][i]
        assert stretch["sensor"] == las.point_source_id[i]
        count, first = int(stretch["count"]), int(stretch["start"])
        wanted = samples[first : first + count].astype(np.float64)
        top = descriptor.digitizer_offset + descriptor.digitizer_gain * 65535
        saturated += int(np.sum(wanted > top))
        low = descriptor.digitizer_offset
        clipped = np.clip(wanted, low, top)
        assert np.max(np.abs(values[:count] - clipped)) <= 0.5001 * descriptor.digitizer_gain
        assert count <= descriptor.number_of_samples
        silent = values[count:]
        assert np.all(np.abs(silent) < 1e-9 * descriptor.digitizer_gain)

        # The return lies where its range says, in picoseconds from the first sample.
        location_m = point["return_point_wave_location"] * 1e-12 * C / 2
        assert abs(stretch["first_range_m"] + location_m - rows["range_m"][i]) < 1e-4
        along = np.array([point["x_t"], point["y_t"], point["z_t"]]) / (C / 2 * 1e-12)
        assert np.allclose(along, stretch["direction"], atol=1e-6)
    assert saturated > 0, "one sensor's digitiser is driven beyond its end"
    print(f"{len(las.points)} points have their packets, {saturated} samples are saturated")


if __name__ == "__main__":
    main()
