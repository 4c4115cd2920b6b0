"""Opens a live sensor with ouster-sdk as any driver would, and checks whole frames.

open_live.py HOST: row u of column v has a range of 1000 + 10 u + v mm and a reflectivity of
(u + v) % 200.
"""

import sys

import numpy as np
from ouster.sdk import open_source

source = open_source(sys.argv[1], sensor_idx=0)
info = source.sensor_info[0]
rows, columns = info.format.pixels_per_column, info.format.columns_per_frame
u, v = np.mgrid[0:rows, 0:columns]
frames = []
for frame_set in source:
    frame = frame_set[0]
    if frame is None or not frame.complete():
        continue
    np.testing.assert_array_equal(frame.field("RANGE"), 1000 + 10 * u + v)
    np.testing.assert_array_equal(frame.field("REFLECTIVITY"), (u + v) % 200)
    frames.append(frame.frame_id)
    if len(frames) == 5:
        break
assert frames == list(range(frames[0], frames[0] + 5)), frames
print(f"{len(frames)} frames in a row exact, of {info.prod_line} {info.sn}, {info.user_data}")
