"""Writes Parquet files with pyarrow for Understory to read.

Usage: make_parquet.py FOLDER. All files hold the same 50000 rows; their exact values stand in
FOLDER/expected.csv: x, y, z, time since 1700000000 s, intensity (some nan), channel, return number.
"""

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

COUNT = 50_000


def main():
    folder = Path(sys.argv[1])
    random = np.random.default_rng(3)
    xyz = random.integers(-(2**20), 2**20, (COUNT, 3)) / 1024.0
    since_us = np.arange(COUNT) * 250
    intensity = random.integers(0, 256, COUNT) / 256.0
    null = random.uniform(size=COUNT) < 0.1
    ring = np.arange(COUNT) % 128
    number = 1 + np.arange(COUNT) % 2
    expected = np.column_stack([xyz, since_us * 1e-6, np.where(null, np.nan, intensity), ring, number])
    expected[:, 3] = (since_us.astype(np.int64) * 1000).astype(np.float64) * 1e-9
    np.savetxt(folder / "expected.csv", expected, fmt="%.17g", delimiter=",")
    stamps = 1_700_000_000_000_000 + since_us
    table = pa.table({
        "name": pa.array([f"point {i}" for i in range(COUNT)]),
        "x": pa.array(xyz[:, 0], pa.float64()),
        "y": pa.array(xyz[:, 1], pa.float64()),
        "list": pa.array([[1, 2, i] for i in range(COUNT)]),
        "z": pa.array(xyz[:, 2].astype(np.float32), pa.float32()),
        "intensity": pa.array(intensity, pa.float32(), mask=null),
        "timestamp": pa.array(stamps, pa.timestamp("us")),
        "ring": pa.array(ring, pa.uint16()),
        "return_number": pa.array(number, pa.int8()),
    })
    for compression in ("none", "snappy", "zstd", "gzip", "lz4"):
        for version in ("1.0", "2.0"):
            pq.write_table(table, folder / f"{compression}_{version}.parquet", row_group_size=17_000,
                           compression=compression, data_page_version=version)
    pq.write_table(table, folder / "plain.parquet", use_dictionary=False, write_statistics=False)
    pq.write_table(table, folder / "split.parquet", use_dictionary=False, row_group_size=9_999,
                   data_page_size=4096,
                   column_encoding={"x": "BYTE_STREAM_SPLIT", "ring": "DELTA_BINARY_PACKED"})


if __name__ == "__main__":
    main()
