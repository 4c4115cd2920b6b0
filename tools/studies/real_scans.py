"""Learns sites from real scans with every model and predicts beams that were held out.

    python real_scans.py understory DATA OUT [--only tilt|drive] [--samples 16] [--cells 0.1,0.2]

DATA holds `tilt-scan-under-tree` and `vlp32-drive`. OUT gets recordings, sites, `real-scans.json`
and `real-scans.md`. Needs NumPy and SciPy. What the figures mean is in docs/real-scans.md.

A frame is a set of beams in the world: origins, unit directions, ranges (NaN: no return), labels
and, for beams that left from the same place, a number of the place.
"""

import argparse
import json
import subprocess
import time
import warnings
from pathlib import Path

import numpy as np
from scipy.spatial import cKDTree

MODELS = ["surface", "voxel", "top-down", "bottom-up", "likelihood"]
VEGETATION = 4  # label of the drive
CAP_M = 1.0  # of the capped score


class Frame:
    def __init__(self, name, origins, directions, ranges, labels, places):
        self.name, self.origins, self.directions = name, origins, directions
        self.ranges, self.labels, self.places = ranges, labels, places
        self.hit = np.isfinite(ranges)
        self.points = origins + directions * np.where(self.hit, ranges, 0.0)[:, None]


# ---------------------------------------------------------------------------------- recordings


def read_poses(path):
    poses = {}
    for line in path.read_text().split("\n"):
        words = line.split()
        if len(words) == 13:
            poses[words[0]] = np.array(words[1:], float).reshape(3, 4)
    return poses


def in_world(pose, name, origins, points, missing, labels, places):
    """A frame of hits at `points` and of misses along the directions `missing`, both in the
    sensor's frame; `origins`, `labels` and `places` have the hits first."""
    hits = len(points)
    rays = points - origins[:hits]
    ranges = np.linalg.norm(rays, axis=1)
    directions = np.vstack([rays / ranges[:, None], missing])
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    ranges = np.concatenate([ranges, np.full(len(missing), np.nan)])
    left, _, right = np.linalg.svd(pose[:, :3])  # six digits are not quite a rotation
    rotation, shift = left @ right, pose[:, 3]
    order = np.argsort(places, kind="stable")
    return Frame(
        name,
        (origins @ rotation.T + shift)[order],
        (directions @ rotation.T)[order],
        ranges[order],
        labels[order],
        np.asarray(places)[order],
    )


def read_points(path):
    if path.suffix != ".vtk":
        return np.loadtxt(path)
    text = path.read_text().split("\n")
    row = next(i for i, line in enumerate(text) if line.startswith("POINTS"))
    count = int(text[row].split()[1])
    return np.array(" ".join(text[row + 1 :]).split()[: 3 * count], float).reshape(-1, 3)


def lines_of(points):
    """Scan lines go up; a new one begins where the elevation falls by more than 20 degrees."""
    level = np.hypot(points[:, 0], points[:, 1])
    elevation = np.degrees(np.arctan2(points[:, 2], level))
    return np.split(np.arange(len(points)), np.where(np.diff(elevation) < -20.0)[0] + 1)


def fit_origin(scans):
    """Height of the beams' origin over the frame's and its distance from the axis, along the
    line: those for which neighbours of a line are one degree apart most often."""
    best = (0.0, 0.0, 0.0)
    at_zero = 0.0
    prepared = [(np.hypot(p[:, 0], p[:, 1]), p[:, 2], lines_of(p)) for p in scans]
    for height in np.concatenate([[0.0], np.arange(0.8, 1.31, 0.05)]):
        for forward in np.arange(0.0, 0.81, 0.1):
            steps = np.concatenate(
                [
                    np.diff(np.degrees(np.arctan2(z - height, level - forward))[line])
                    for level, z, lines in prepared
                    for line in lines
                ]
            )
            share = float(np.mean(np.abs(steps - 1.0) < 0.05))
            if height == 0.0 and forward == 0.0:
                at_zero = share
            best = max(best, (share, float(height), float(forward)))
    return best, at_zero


def tilt_frames(data, frame_origin):
    folder = data / "tilt-scan-under-tree"
    poses = read_poses(folder / "poses_icp.txt")
    scans = {name: read_points(folder / name) for name in poses}
    (share, height, forward), at_zero = fit_origin(list(scans.values()))
    if frame_origin:
        share, height, forward = at_zero, 0.0, 0.0
    frames = []
    for name, points in scans.items():
        origins, missing, missing_origins, places, missing_places = [], [], [], [], []
        for place, line in enumerate(lines_of(points)):
            part = points[line]
            level = np.hypot(part[:, 0], part[:, 1])
            # Azimuths near the zenith say little; those of level points say where the line is.
            weight = level / level.sum()
            azimuth = np.angle(np.sum(weight * np.exp(1j * np.arctan2(part[:, 1], part[:, 0]))))
            origin = np.array([forward * np.cos(azimuth), forward * np.sin(azimuth), height])
            origins.append(np.repeat(origin[None], len(line), 0))
            places += [place] * len(line)
            rays = part - origin
            elevation = np.degrees(
                np.arctan2(rays[:, 2], rays[:, 0] * np.cos(azimuth) + rays[:, 1] * np.sin(azimuth))
            )
            # Every line goes up to 84 degrees at least; below the first return is the vehicle.
            sorted_up = np.append(np.sort(elevation), 84.0 if elevation.max() < 82.5 else np.nan)
            gaps = np.diff(sorted_up)
            for low, gap in zip(sorted_up[:-1], gaps):
                if np.isfinite(gap) and gap > 1.5:
                    steps = int(round(gap))
                    angles = np.radians(low + gap * np.arange(1, max(steps, 2)) / max(steps, 2))
                    missing += [
                        [np.cos(azimuth) * np.cos(a), np.sin(azimuth) * np.cos(a), np.sin(a)]
                        for a in angles
                    ]
                    missing_origins += [origin] * len(angles)
                    missing_places += [place] * len(angles)
        count = len(points) + len(missing)
        frames.append(
            in_world(
                poses[name],
                name,
                np.vstack(origins + [np.array(missing_origins)]),
                points,
                np.array(missing),
                np.zeros(count, int),
                places + missing_places,
            )
        )
    note = {
        "origin_height_m": height,
        "origin_forward_m": forward,
        "steps_of_one_degree": share,
        "steps_of_one_degree_from_the_frame_origin": at_zero,
    }
    return frames, note


def drive_frames(data):
    folder = data / "vlp32-drive"
    poses = read_poses(folder / "poses_kissicp.txt")
    # The odometry of the first three frames is not settled.
    names = sorted(poses)[3:]
    grids = {name: np.load(folder / "sample_dataset" / "train" / name) for name in names}
    elevations = [[] for _ in range(32)]
    azimuths = np.full((len(names), 32, 240), np.nan)
    valid = {}
    for i, name in enumerate(names):
        grid = grids[name]
        padding = (grid[..., 0] == grid[..., 1]) & (grid[..., 0] == grid[..., 2])
        hit = (grid[..., 4] > 0) & ~padding
        valid[name] = hit
        level = np.hypot(grid[..., 0], grid[..., 1])
        azimuth = np.degrees(np.arctan2(grid[..., 1], grid[..., 0]))
        azimuths[i][hit] = azimuth[hit]
        for row in range(32):
            angles = np.degrees(np.arctan2(grid[row, :, 2], np.maximum(level[row], 1e-9)))
            elevations[row] += list(angles[hit[row]])
    rows = [row for row in range(32) if len(elevations[row]) > 100]  # others are never filled
    columns = [c for c in range(240) if np.isfinite(azimuths[:, :, c]).any()]
    frames = []
    for i, name in enumerate(names):
        grid, hit = grids[name], valid[name]
        # Of this frame: a column's azimuth, and what a row is beside it.
        with np.errstate(all="ignore"):
            offset = np.array(
                [np.nanmedian(azimuths[:, row] - np.nanmedian(azimuths, 1)) if row in rows else 0 for row in range(32)]
            )
            column = np.array(
                [np.nanmedian(azimuths[i, :, c] - offset) if np.isfinite(azimuths[i, :, c]).any() else np.nan for c in range(240)]
            )
        known = np.isfinite(column)
        fit = np.polyfit(np.where(known)[0], column[known], 1)
        column = np.where(known, column, np.polyval(fit, np.arange(240)))
        missing = []
        for row in rows:
            elevation = np.radians(np.median(elevations[row]))
            for c in columns:
                if not hit[row, c]:
                    azimuth = np.radians(column[c] + offset[row])
                    missing.append(
                        [
                            np.cos(elevation) * np.cos(azimuth),
                            np.cos(elevation) * np.sin(azimuth),
                            np.sin(elevation),
                        ]
                    )
        points = grid[hit][:, :3]
        labels = np.concatenate([grid[hit][:, 5].astype(int), np.zeros(len(missing), int)])
        count = len(labels)
        frames.append(
            in_world(poses[name], name, np.zeros((count, 3)), points, np.array(missing), labels, np.zeros(count, int))
        )
    return frames, {"rows": len(rows), "columns": len(columns), "frames": len(frames)}


def range_noise(frames):
    """Spread of ranges on flat ground, from above: of points in cells of 0.3 m around the plane
    of their cell, seen along the beam. Roughness of the ground is in it."""
    residuals = []
    for frame in frames:
        below = frame.hit & (frame.directions[:, 2] < -0.09) & (frame.ranges < 15.0)
        points = frame.points[below]
        slope = np.abs(frame.directions[below, 2])
        if len(points) < 10:
            continue
        tree = cKDTree(points[:, :2])
        for i in range(0, len(points), max(1, len(points) // 1500)):
            near = [j for j in tree.query_ball_point(points[i, :2], 0.8) if j != i]
            if len(near) < 5:
                continue
            base = np.column_stack([points[near, :2] - points[i, :2], np.ones(len(near))])
            plane, *_ = np.linalg.lstsq(base, points[near, 2], rcond=None)
            widening = np.sqrt(1.0 + np.linalg.inv(base.T @ base)[2, 2])
            residuals.append((points[i, 2] - plane[2]) / widening / slope[i])
    return float(1.4826 * np.median(np.abs(residuals)))


def write_recording(frame, path, scan):
    names = "x_m y_m z_m range_m origin_x_m origin_y_m origin_z_m direction_x direction_y direction_z time_s".split()
    dtype = [(n, "<f8") for n in names] + [
        ("return_number", "u1"), ("return_count", "u1"), ("pulse", "<u8"), ("scan", "<u4"), ("label", "<u2"),
    ]  # fmt: skip
    rows = np.zeros(len(frame.ranges), dtype)
    for axis, letter in enumerate("xyz"):
        rows[f"{letter}_m"] = np.where(frame.hit, frame.points[:, axis], np.nan)
        rows[f"origin_{letter}_m"] = frame.origins[:, axis]
        rows[f"direction_{letter}"] = frame.directions[:, axis]
    rows["range_m"] = frame.ranges
    rows["return_number"] = rows["return_count"] = frame.hit
    rows["pulse"] = np.arange(len(rows))
    rows["scan"] = scan
    rows["time_s"] = 0.1 * scan + 0.1 * np.arange(len(rows)) / len(rows)
    rows["label"] = frame.labels
    np.save(path, rows)


# ---------------------------------------------------------------------------------- simulation


def sensor_text(sigma, rows=None, cycle=1.0):
    table = f'[table]\ncycle_s = {cycle!r}\nfile = "{rows}"\n' if rows else "[table]\ncycle_s = 1.0\nrows = [[0.0, 0.0, 0.0, 0]]\n"
    return f"""title = "Held-out beams"
maker = "study"
description = "Beams of a recording, one by one."
wavelength_nm = 905
sources = ["the recording"]

{table}
[beam]
spot_shape = "circular"
divergence_horizontal_mrad = 0.01
divergence_vertical_mrad = 0.01

[detector]
range_min_m = 0.1
range_max_m = 200.0
return_mode = "first"
signal_cutoff_m = 0.1

[range_error]
model = "constant"
sigma_m = {sigma!r}
"""


def simulate(program, site, frame, sigma, samples, folder, sensor_file, recording):
    """`samples` ranges of every beam of the frame, NaN where nothing returned; and what
    `understory compare` says of them in cells of 1 degree."""
    folder.mkdir(parents=True, exist_ok=True)
    count = len(frame.ranges)
    step = 1e-5
    waypoints = []
    for place in np.unique(frame.places):
        inside = np.where(frame.places == place)[0]
        position = [float(v) for v in frame.origins[inside[0]]]
        start, end = inside[0] * samples * step, ((inside[-1] + 1) * samples - 0.5) * step
        waypoints += [f"{{ time_s = {t:.9f}, position_m = {position} }}" for t in (start, end)]
    scenario = f"""version = 1
seed = 5
duration_s = {count * samples * step:.9f}
title = "Held-out beams in a learned site"

[world]

[[world.site]]
name = "site"
file = "{site.resolve()}"

[[sensor]]
name = "beams"
file = "{sensor_file.resolve()}"

[platform]
waypoints = [
    {", ".join(waypoints)},
]

[output]
files = ["simulated.npy"]
picture = false
"""
    (folder / "scenario.toml").write_text(scenario)
    subprocess.run(
        [program, "run", folder / "scenario.toml", "--out", folder, "--no-picture", "--quiet"], check=True
    )
    rows = np.load(folder / "simulated.npy")
    ranges = np.full(count * samples, np.nan)
    returned = rows["return_count"] > 0
    ranges[rows["pulse"][returned]] = rows["range_m"][returned]
    assert len(np.unique(rows["pulse"])) == count * samples, "every beam is fired"
    drawn = rows[rows["pulse"] % samples == 0]
    order = np.argsort(drawn["pulse"])
    fired = np.column_stack([drawn[f"direction_{a}"][order] for a in "xyz"])
    assert np.abs(fired - frame.directions).max() < 1e-4, "directions are those of the recording"
    places = np.column_stack([drawn[f"origin_{a}_m"][order] for a in "xyz"])
    assert np.abs(places - frame.origins).max() < 1e-3, "origins are those of the recording"
    command = [program, "compare", recording, folder / "simulated.npy", "--mode", "static"]
    command += ["--orientations", "direction", "--azimuth-bin-deg", "1", "--elevation-bin-deg", "1"]
    command += ["--range-bin-m", "0.2", "--points-max", "0", "--json", folder / "compare.json"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    compared = json.loads((folder / "compare.json").read_text())["distances"][0]
    (folder / "simulated.npy").unlink()
    return ranges.reshape(count, samples), compared


def write_beams(frame, sigma, samples, folder):
    """The sensor that fires every beam of the frame `samples` times."""
    folder.mkdir(parents=True, exist_ok=True)
    count = len(frame.ranges)
    azimuth = np.degrees(np.arctan2(frame.directions[:, 1], frame.directions[:, 0]))
    level = np.hypot(frame.directions[:, 0], frame.directions[:, 1])
    elevation = np.degrees(np.arctan2(frame.directions[:, 2], level))
    step = 1e-5
    table = np.column_stack(
        [np.arange(count * samples) * step, np.repeat(azimuth, samples), np.repeat(elevation, samples)]
    )
    with open(folder / "beams.csv", "w") as out:
        out.write("time_s,azimuth_deg,elevation_deg,channel\n")
        np.savetxt(out, np.column_stack([table, np.zeros(len(table))]), fmt=["%.6f", "%.6f", "%.6f", "%d"], delimiter=",")
    path = folder / "beams.toml"
    path.write_text(sensor_text(sigma, "beams.csv", float(f"{count * samples * step:.9f}")))
    return path


# ------------------------------------------------------------------------------------- figures


def capped(a, b):
    """Distance of two ranges, at most CAP_M; a beam without a return is that far from any."""
    both_missing = np.isnan(a) & np.isnan(b)
    distance = np.minimum(np.abs(a - b), CAP_M)
    return np.where(both_missing, 0.0, np.where(np.isnan(distance), CAP_M, distance))


def beam_scores(real, samples):
    """Scores of each beam: capped (all beams with two samples at least), CRPS and error of the
    median (of those whose real beam and samples return), square of the error of no return.
    Samples that are infinite are none: a neighbour that was not found."""
    known = ~np.isinf(samples)
    count = known.sum(1)
    pairs = known[:, :, None] & known[:, None, :]
    pairs &= ~np.eye(samples.shape[1], dtype=bool)[None]
    with np.errstate(all="ignore"):
        near = np.where(known, capped(samples, real[:, None]), 0.0).sum(1) / count
        spread = np.where(pairs, capped(samples[:, :, None], samples[:, None, :]), 0.0).sum((1, 2))
        score = np.where(count >= 2, near - spread / (2.0 * count * (count - 1)), np.nan)
        returned = known & np.isfinite(samples)
        n = returned.sum(1)
        hits = np.where(returned, samples, 0.0)
        to_real = np.where(returned, np.abs(hits - real[:, None]), 0.0).sum(1) / n
        between = np.where(
            returned[:, :, None] & returned[:, None, :], np.abs(hits[:, :, None] - hits[:, None, :]), 0.0
        ).sum((1, 2))
        crps = np.where((n >= 2) & np.isfinite(real), to_real - between / (2.0 * n * (n - 1)), np.nan)
        median = np.nanmedian(np.where(returned, samples, np.nan), axis=1)
        error = np.where(n >= 1, np.abs(median - real), np.nan)
        share = np.where(count >= 1, 1.0 - n / count, np.nan)
        missed = np.isnan(real).astype(float)
        # Unbiased for few samples: the variance of the share is taken off.
        brier = np.where(count >= 2, (share - missed) ** 2 - share * (1 - share) / (count - 1), np.nan)
    return {"capped": score, "crps": crps, "error": error, "brier": brier, "share": share, "missed": missed}


def summary(scores, chosen):
    def mean(name):
        return float(np.nanmean(scores[name][chosen]))

    known = chosen & np.isfinite(scores["share"])
    return {
        "beams": int(chosen.sum()),
        "capped_m": mean("capped"),
        "capped_common_m": mean("capped_common"),
        "beams_with_neighbours": int(np.isfinite(scores["capped_common"][chosen]).sum()),
        "crps_m": mean("crps"),
        "median_error_m": float(np.nanmedian(scores["error"][chosen])),
        "brier": mean("brier"),
        "no_return": float(np.mean(scores["share"][known])),
        "no_return_real": float(np.mean(scores["missed"][known])),
    }


def cells_of(directions, size_deg=1.0):
    azimuth = np.degrees(np.arctan2(directions[:, 1], directions[:, 0]))
    elevation = np.degrees(np.arcsin(np.clip(directions[:, 2], -1, 1)))
    return np.floor(azimuth / size_deg).astype(np.int64) * 1000 + np.floor(elevation / size_deg).astype(np.int64)


def histogram(cells, ranges, bin_m):
    bins = np.where(np.isfinite(ranges), np.floor(np.where(np.isfinite(ranges), ranges, 0) / bin_m), -1).astype(np.int64)
    keys, counts = np.unique(cells * 100_000 + bins, return_counts=True)
    return keys, counts / counts.sum()


def bhattacharyya(a, b):
    common, i, j = np.intersect1d(a[0], b[0], return_indices=True)
    return float(-np.log(max(np.sum(np.sqrt(a[1][i] * b[1][j])), 1e-12)))


def seen_from(other, origin):
    """Directions and ranges of another frame's returns from this origin; misses keep theirs."""
    rays = np.where(other.hit[:, None], other.points - origin, other.directions)
    lengths = np.linalg.norm(rays, axis=1)
    return rays / lengths[:, None], np.where(other.hit, lengths, np.nan)


def neighbours(frame, others, limit_deg):
    """For each beam the range of the nearest beam of each other frame (infinite: none near)."""
    origin = frame.origins.mean(0)
    directions, _ = seen_from(frame, origin)
    columns = []
    for other in others:
        seen, ranges = seen_from(other, origin)
        distance, index = cKDTree(seen).query(directions)
        column = np.where(distance < np.radians(limit_deg), ranges[index], np.inf)
        # As far from this beam's own origin as the frame's middle is from it.
        shift = np.einsum("ij,ij->i", origin - frame.origins, directions)
        columns.append(column + shift)
    return np.column_stack(columns)


def cell_distances(frame, others, samples, chosen_cells, draws=8):
    """Distances in 1 degree cells on cells with a real return that the other real frame has too:
    real to real, and real to one simulated sample per beam (mean of some draws)."""
    origin = frame.origins.mean(0)
    mine, mine_range = seen_from(frame, origin)
    cells = cells_of(mine)
    result = {}
    for bin_m in (0.05, 0.2):
        floor, model = [], []
        for other in others:
            theirs, their_range = seen_from(other, origin)
            their_cells = cells_of(theirs)
            common = np.intersect1d(np.unique(cells[frame.hit]), np.unique(their_cells))
            common = common[np.isin(common, chosen_cells)]
            a, b = np.isin(cells, common), np.isin(their_cells, common)
            real = histogram(cells[a], mine_range[a], bin_m)
            floor.append(bhattacharyya(real, histogram(their_cells[b], their_range[b], bin_m)))
            if samples is not None:
                shift = np.where(frame.hit, mine_range - frame.ranges, 0.0)
                for k in range(min(draws, samples.shape[1])):
                    model.append(bhattacharyya(real, histogram(cells[a], (samples[:, k] + shift)[a], bin_m)))
        result[bin_m] = (float(np.mean(floor)), float(np.mean(model)) if model else float("nan"))
    return result


# ------------------------------------------------------------------------------------- studies


def study(program, name, splits, note, cells, vegetation_of, limit_deg, samples, out, kernel):
    """`splits`: pairs of training frames and of (held-out frame, real neighbours)."""
    frames = {id(f): f for train, tests in splits for f in train + [t for t, _ in tests]}
    frames = list(frames.values())
    sigma = range_noise(frames)
    result = {"note": note, "range_noise_m": sigma, "rows": []}
    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    result["frames"] = [
        {"name": f.name, "beams": len(f.ranges), "returns": int(f.hit.sum())} for f in frames
    ]
    (folder / "sensor.toml").write_text(sensor_text(sigma, "one.csv", 1.0))
    (folder / "one.csv").write_text("time_s,azimuth_deg,elevation_deg,channel\n0.0,0.0,0.0,0\n")
    for i, frame in enumerate(frames):
        write_recording(frame, folder / f"{frame.name}.rec.npy", i)
    sensors = {id(t): write_beams(t, sigma, samples, folder / "beams" / t.name) for _, tests in splits for t, _ in tests}

    near = {id(t): neighbours(t, others, limit_deg) for _, tests in splits for t, others in tests}

    def score(predict):
        parts, distances, compared = [], [], []
        for s, (train, tests) in enumerate(splits):
            for test, others in tests:
                predicted, by_program = predict(s, test, others)
                compared.append(by_program)
                vegetation, chosen = vegetation_of(test)
                scores = beam_scores(test.ranges, predicted)
                two = np.isfinite(beam_scores(test.ranges, near[id(test)])["capped"])
                scores["capped_common"] = np.where(two, scores["capped"], np.nan)
                every = np.unique(cells_of(seen_from(test, test.origins.mean(0))[0]))
                drawn = None if predicted.shape[1] < 8 else predicted
                parts.append((scores, vegetation))
                distances.append(
                    (cell_distances(test, others, drawn, every), cell_distances(test, others, drawn, chosen))
                )
        joined = {k: np.concatenate([p[0][k] for p in parts]) for k in parts[0][0]}
        vegetation = np.concatenate([p[1] for p in parts])
        row = {}
        for group, label in ((np.ones(len(vegetation), bool), "all"), (vegetation, "vegetation")):
            row[label] = summary(joined, group)
            which = 0 if label == "all" else 1
            for bin_m in (0.05, 0.2):
                pair = np.mean([d[which][bin_m] for d in distances], axis=0)
                row[label][f"distance_{round(bin_m * 100)}cm"] = float(pair[0] if drawn is None else pair[1])
        if compared[0]:
            row["compare_20cm"] = {k: float(np.mean([c[k] for c in compared])) for k in ("distance", "floor", "excess")}
        return row

    result["rows"].append({"model": "real neighbours", "cell_m": None, **score(lambda s, t, o: (near[id(t)], None))})
    for cell in cells:
        for model in MODELS:
            began = time.time()
            sites, volumes = [], 0
            for s, (train, _) in enumerate(splits):
                site = folder / f"{model}-{cell}-{s}.site"
                command = [program, "learn", *[folder / f"{f.name}.rec.npy" for f in train], "-o", site]
                command += ["--model", model, "--cell", str(cell), "--sensor", folder / "sensor.toml", "--quiet"]
                command += ["--json", folder / "learn.json"]
                if model == "surface":
                    command += ["--kernel", str(kernel(cell))]
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                sites.append(site)
            learned = time.time() - began

            def predict(s, test, others):
                return simulate(program, sites[s], test, sigma, samples, folder / "run", sensors[id(test)], folder / f"{test.name}.rec.npy")

            row = {"model": model, "cell_m": cell, "learn_s": learned, **score(predict)}
            result["rows"].append(row)
            print(name, cell, model, json.dumps(row["all"]), json.dumps(row["vegetation"]), flush=True)
            (out / f"{name}.json").write_text(json.dumps(result, indent=1))
    return result


def tilt(program, data, out, samples, cells, frame_origin=False):
    frames, note = tilt_frames(data, frame_origin)
    splits = []
    for held in range(3):
        others = [frames[i] for i in range(3) if i != held]
        splits.append((others, [(frames[held], others)]))

    def crown(frame):
        directions, _ = seen_from(frame, frame.origins.mean(0))
        up = directions[:, 2] > np.sin(np.radians(10.0))
        return up, np.unique(cells_of(directions[up]))

    return study(program, "tilt", splits, note, cells, crown, 1.0, samples, out, lambda cell: max(0.4, 4 / 3 * cell))


def drive(program, data, out, samples, cells):
    frames, note = drive_frames(data)
    train = frames[0::2]
    tests = []
    for i in range(1, len(frames) - 1, 2):
        tests.append((frames[i], [frames[i - 1], frames[i + 1]]))

    def vegetation(frame):
        directions, _ = seen_from(frame, frame.origins.mean(0))
        cells = cells_of(directions)
        keys, inverse = np.unique(cells, return_inverse=True)
        green = np.bincount(inverse, frame.hit & (frame.labels == VEGETATION))
        returns = np.bincount(inverse, frame.hit)
        mostly = (green >= 1) & (2 * green >= returns)
        return mostly[inverse], keys[mostly]

    return study(program, "drive", [(train, tests)], note, cells, vegetation, 0.3, samples, out, lambda cell: max(0.4, 4 / 3 * cell))


def table(result, title):
    text = f"\n## {title}\n"
    for group in ("all", "vegetation"):
        text += f"\n{group}: {result['rows'][0][group]['beams']} beams, {result['rows'][0][group]['beams_with_neighbours']} of them with neighbours, {100 * result['rows'][-1][group]['no_return_real']:.1f} % without a return\n\n"
        text += "| model | cell (m) | capped score (m) | with neighbours | CRPS (m) | median error (m) | no return (%) | Brier | D, 5 cm | D, 20 cm |\n"
        text += "| --- |" + " --- |" * 9 + "\n"
        for row in result["rows"]:
            g = row[group]
            text += (
                f"| {row['model']} | {row['cell_m'] or ''} | {g['capped_m']:.3f} | {g['capped_common_m']:.3f} | {g['crps_m']:.3f} | {g['median_error_m']:.3f} "
                f"| {100 * g['no_return']:.1f} | {g['brier']:.3f} | {g['distance_5cm']:.3f} | {g['distance_20cm']:.3f} |\n"
            )
    text += "\nunderstory compare, 1 degree, 20 cm, mean of the held-out frames:\n\n| model | cell (m) | distance | floor | excess |\n| --- | --- | --- | --- | --- |\n"
    for row in result["rows"]:
        if "compare_20cm" in row:
            c = row["compare_20cm"]
            text += f"| {row['model']} | {row['cell_m']} | {c['distance']:.3f} | {c['floor']:.3f} | {c['excess']:+.3f} |\n"
    return text


def main():
    warnings.filterwarnings("ignore", message="All-NaN slice|Mean of empty")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", choices=["tilt", "drive"])
    parser.add_argument("--samples", type=int, default=16)
    parser.add_argument("--cells", type=lambda text: [float(t) for t in text.split(",")])
    parser.add_argument("--frame-origin", action="store_true", help="tilt scans: beams leave from the origin of the frame")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    results, text = {}, ""
    if options.only != "drive":
        results["tilt"] = tilt(options.program, options.data, options.out, options.samples, options.cells or [0.2, 0.1, 0.4], options.frame_origin)
        text += table(results["tilt"], "Three scans from under a tree")
    if options.only != "tilt":
        results["drive"] = drive(options.program, options.data, options.out, options.samples, options.cells or [0.3, 1.0])
        text += table(results["drive"], "A drive")
    stem = "real-scans" if options.only is None else f"real-scans-{options.only}"
    (options.out / f"{stem}.json").write_text(json.dumps(results, indent=1))
    (options.out / f"{stem}.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
