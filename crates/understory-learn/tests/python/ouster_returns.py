"""Returns of Ouster recordings as other people's files have them, and the pulses that returned nothing.

    ouster_returns.py FOLDER FILE...

FOLDER gets for every frame NAME-K.returns.csv (in the order of firing: x, y, z, ring, time) and
NAME-K.misses.csv (azimuth, elevation and column of every pulse without a return), in the sensor's frame.
"""

import sys
from pathlib import Path

import numpy as np
from ouster.sdk import open_source
from ouster.sdk.core import XYZLut


def main():
    folder = Path(sys.argv[1])
    for path in map(Path, sys.argv[2:]):
        for number, frame_set in enumerate(open_source(str(path))):
            frame = list(frame_set)[0]
            info = frame.sensor_info
            ranges = np.asarray(frame.field("RANGE"))
            xyz = XYZLut(info, use_extrinsics=False)(ranges)
            rows, columns = ranges.shape
            period_s = 1.0 / (columns * 10)
            lines = ["x,y,z,ring,time,firing"]
            for column in range(columns):
                for row in np.flatnonzero(ranges[:, column]):
                    x, y, z = xyz[row, column]
                    lines.append(f"{x:.4f},{y:.4f},{z:.4f},{row},{column * period_s:.7f},{column}")
            name = f"{path.stem}-{number}"
            (folder / f"{name}.returns.csv").write_text("\n".join(lines) + "\n")
            far = XYZLut(info, use_extrinsics=False)(np.full_like(ranges, 10**8))
            azimuth = np.degrees(np.arctan2(far[..., 1], far[..., 0]))
            elevation = np.degrees(np.arctan2(far[..., 2], np.hypot(far[..., 0], far[..., 1])))
            lines = ["azimuth,elevation,column"]
            for row, column in zip(*np.nonzero(ranges == 0)):
                lines.append(f"{azimuth[row, column]:.5f},{elevation[row, column]:.5f},{column}")
            (folder / f"{name}.misses.csv").write_text("\n".join(lines) + "\n")
            print(name, rows, columns, len(lines) - 1)


main()
