"""Reads a recording for Rerun by Rerun's own package and compares it with the rows of the same run.

check_rerun.py RECORDING ROWS.npy
"""

import sys

import numpy as np
from rerun.chunk import RrdReader

recording, rows_path = sys.argv[1:]
rows = np.load(rows_path)
hits = rows[rows["return_number"] > 0]
points, times, poses = [], [], []
for chunk in RrdReader(recording).stream():
    path, batch = str(chunk.entity_path), chunk.to_record_batch()
    columns = {name: batch.column(name) for name in batch.schema.names}
    if path.endswith("/points"):
        (positions,) = [c for name, c in columns.items() if "positions" in name]
        for scan in positions.to_pylist():
            points.append(np.array(scan))
        times += [time.value * 1e-9 for time in columns["time"]]
    elif path.endswith("/pose"):
        (moves,) = [c for name, c in columns.items() if "translation" in name]
        poses += [np.array(move).reshape(3) for move in moves.to_pylist()]
assert len(points) == len(np.unique(hits["scan"])), (len(points), np.unique(hits["scan"]))
begins = [hits["time_s"][hits["scan"] == scan].min() for scan in np.unique(hits["scan"])]
assert np.allclose(sorted(times), sorted(begins), atol=2e-3), (times, begins)
world = np.stack([hits[f"{axis}_m"] for axis in "xyz"], axis=1)
origin = np.round(world[0] / 1000.0) * 1000.0
ours = np.concatenate(points) + origin
assert ours.shape == world.shape, (ours.shape, world.shape)
order, theirs = np.lexsort(ours.T), np.lexsort(world.T)
assert np.allclose(ours[order].sum(axis=0), world[theirs].sum(axis=0), rtol=1e-6, atol=1e-2)
assert np.abs(np.sort(ours, axis=0) - np.sort(world, axis=0)).max() < 1e-4
assert len(poses) >= len(points) - 1, (len(poses), len(points))
print(len(points), "scans of", len(ours), "points and", len(poses), "poses")
