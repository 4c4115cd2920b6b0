"""Reads and writes points with other people's libraries and says how long it took.

Usage: format_speed.py laspy|open3d|pyarrow. Lines "read PATH" and "write PATH" on stdin are answered
with seconds. What is written is what was in PATH, so that both write the same points.
"""

import sys
import time


def laspy_contest():
    import laspy
    import numpy as np

    backend = laspy.LazBackend.LazrsParallel

    def columns(las):
        names = list(las.point_format.dimension_names)
        return [np.asarray(las.x), np.asarray(las.y), np.asarray(las.z)] + [
            np.asarray(las[name]) for name in names if name not in ("X", "Y", "Z")]

    def read(path):
        columns(laspy.read(path, laz_backend=backend))

    def load(path):
        return laspy.read(path, laz_backend=backend)

    def write(las, path):
        # The scaled coordinates are set as a program does that has metres.
        copy = laspy.LasData(las.header, las.points.copy())
        copy.x, copy.y, copy.z = write.metres
        copy.write(path, laz_backend=backend)

    def prepare(las):
        write.metres = [np.array(las.x), np.array(las.y), np.array(las.z)]

    return read, load, write, prepare


def open3d_contest():
    import open3d as o3d

    def read(path):
        cloud = o3d.t.io.read_point_cloud(path)
        assert len(cloud.point.positions) > 0

    def write(cloud, path):
        assert o3d.t.io.write_point_cloud(path, cloud)

    return read, o3d.t.io.read_point_cloud, write, lambda cloud: None


def pyarrow_contest():
    import pyarrow as pa
    import pyarrow.parquet as pq

    pa.set_cpu_count(2)

    def read(path):
        table = pq.read_table(path, use_threads=True)
        [column.to_numpy() for column in table.columns]

    def write(table, path):
        pq.write_table(table, path, compression="zstd", compression_level=1)

    return read, pq.read_table, write, lambda table: None


def main():
    contests = {"laspy": laspy_contest, "open3d": open3d_contest, "pyarrow": pyarrow_contest}
    read, load, write, prepare = contests[sys.argv[1]]()
    print("ready", flush=True)
    for line in sys.stdin:
        what, path = line.split(maxsplit=1)
        path = path.strip()
        if what == "write":
            loaded = load(path)
            prepare(loaded)
            start = time.perf_counter()
            write(loaded, path + "." + path.rsplit(".")[-1])
        else:
            start = time.perf_counter()
            read(path)
        print(time.perf_counter() - start, flush=True)


if __name__ == "__main__":
    main()
