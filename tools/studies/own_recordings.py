"""How well sites learned from your own recordings predict scans that were held out: one page.

    python own_recordings.py understory OUT SCAN… --poses POSES [--models likelihood,voxel] [--standing]
        [-- READING… [-- LEARN…]]

SCANs are files of one revolution each, or a folder of them, with POSES as `understory learn --poses`
takes them. Every second scan is held out. OUT gets sites, JSON and `page.md`: each model with the poses as
they are and refined by `understory register`, beside the nearest real beams, their replay and the noise
floor; where losses are by range; and one held-out scan as it was and as each model predicts it. What
stands after `--` goes to `understory register` and `understory learn` (`--points-in sensor`, `--columns …`),
what stands after a second `--` to `learn` alone (`--recover-misses grid`, `--cell 0.3`). What OUT has
already is not made again. Figures need nothing but Python; pictures need NumPy and Matplotlib.
"""

import argparse
import json
import math
import subprocess
import sys
import time
from pathlib import Path

EDGES = "up to 10, 20, 40 m and beyond"
SENSOR = """title = "Beams of a held-out scan"
maker = "study"
description = "Beams of a recording, one by one."
wavelength_nm = 905
sources = ["the recording"]

[table]
cycle_s = {cycle!r}
file = "{beams}"

[beam]
spot_shape = "circular"
divergence_horizontal_mrad = 0.01
divergence_vertical_mrad = 0.01

[detector]
range_min_m = 0.1
range_max_m = 300.0
return_mode = "first"
signal_cutoff_m = 0.1
"""
SCENARIO = """version = 1
seed = 1
duration_s = {cycle!r}
title = "A held-out scan in a learned site"

[world]

[[world.site]]
name = "site"
file = "{site}"

[[sensor]]
name = "beams"
file = "{sensor}"

[platform]
waypoints = [{{ time_s = 0.0, position_m = {position} }}]

[output]
files = ["simulated.npy"]
picture = false
"""


def call(arguments, kept=None):
    """What the program tells as JSON, and how long it took; from the file `kept` if it is there."""
    if kept and kept.exists():
        return json.loads(kept.read_text())
    start = time.monotonic()
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}\n{done.stderr}")
    found = json.loads(done.stdout) if done.stdout.lstrip().startswith("{") else None
    result = found, time.monotonic() - start
    if kept:
        kept.write_text(json.dumps(result))
    return result


def number(value, digits=3):
    return "–" if value is None else f"{value:.{digits}f}"


def percent(value):
    return "–" if value is None else f"{100 * value:.1f}"


def row(name, score):
    if score is None:
        return f"| {name} | – | – | – | – | – |"
    lost = ", ".join(percent(share) for share in score["lost_by_range"])
    return (
        f"| {name} | {number(score['capped_m'])} | {number(score['brier'])} | {percent(score['lost'])} | "
        f"{percent(score['false_returns'])} | {lost} |"
    )


def poses_of(path, scans):
    """World-from-sensor rows by the names of files, or in their order."""
    poses = {}
    lines = [line.split() for line in Path(path).read_text().splitlines()]
    lines = [words for words in lines if words and not words[0].startswith("#")]
    for words, scan in zip(lines, scans if len(lines) == len(scans) else lines):
        named = len(words) % 4 == 1
        numbers = [float(word) for word in words[named : named + 12]]
        poses[words[0] if named else Path(scan).name] = [numbers[0:4], numbers[4:8], numbers[8:12]]
    return poses


def as_argument(rows):
    """x, y, z, roll, pitch and yaw of a pose."""
    yaw = math.atan2(rows[1][0], rows[0][0])
    pitch = math.asin(max(-1.0, min(1.0, -rows[2][0])))
    roll = math.atan2(rows[2][1], rows[2][2])
    angles = [math.degrees(angle) for angle in (roll, pitch, yaw)]
    return ",".join(repr(value) for value in [rows[0][3], rows[1][3], rows[2][3], *angles])


def held_out_scan(program, out, scan, pose, reading, sites):
    """The scan and what each site returns along its beams: azimuth, elevation, range of each."""
    import numpy as np

    recording = out / "held-out-scan.npy"
    call([program, "convert", scan, recording, "--pose", as_argument(pose), *reading])
    rows = np.load(recording)
    along = np.column_stack([rows[f"direction_{axis}"] for axis in "xyz"]).astype(float)
    known = np.isfinite(along).all(axis=1)
    rows, along = rows[known], along[known]
    azimuth = np.degrees(np.arctan2(along[:, 1], along[:, 0]))
    elevation = np.degrees(np.arcsin(np.clip(along[:, 2], -1, 1)))
    clouds = {"the held-out scan": (azimuth, elevation, np.where(rows["return_count"] > 0, rows["range_m"], np.nan))}
    beams, sensor = out / "beams.csv", out / "beams.toml"
    step = 1e-5
    lines = [f"{k * step:.6f},{a:.6f},{e:.6f},0" for k, (a, e) in enumerate(zip(azimuth, elevation))]
    beams.write_text("time_s,azimuth_deg,elevation_deg,channel\n" + "\n".join(lines) + "\n")
    cycle = len(lines) * step
    sensor.write_text(SENSOR.format(cycle=cycle, beams=beams.resolve()))
    position = [line[3] for line in pose]
    for name, site in sites.items():
        scenario = out / "held-out-scan.toml"
        scenario.write_text(
            SCENARIO.format(cycle=cycle, site=site.resolve(), sensor=sensor.resolve(), position=position)
        )
        call([program, "run", scenario, "--out", out / "run", "--no-picture", "--quiet"])
        simulated = np.load(out / "run/simulated.npy")
        ranges = np.full(len(azimuth), np.nan)
        hit = simulated["return_count"] > 0
        ranges[simulated["pulse"][hit] % len(azimuth)] = simulated["range_m"][hit]
        clouds[name] = (azimuth, elevation, ranges)
    return clouds


def draw(out, scores, clouds):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np

    figure, axis = plt.subplots(figsize=(8, 3.4), dpi=90)
    places = np.arange(4)
    for k, (name, score) in enumerate(scores.items()):
        lost = [np.nan if share is None else 100 * share for share in score["lost_by_range"]]
        axis.bar(places + (k - 0.5 * len(scores) + 0.5) * 0.8 / len(scores), lost, 0.8 / len(scores), label=name)
    axis.set_xticks(places, ["to 10 m", "to 20 m", "to 40 m", "beyond"])
    axis.set_ylabel("returns lost (%)")
    axis.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(out / "losses.png")
    if not clouds:
        return
    figure, axes = plt.subplots(len(clouds), 1, figsize=(10, 2.3 * len(clouds)), dpi=90, sharex=True, squeeze=False)
    all_ranges = next(iter(clouds.values()))[2]
    far = np.nanpercentile(all_ranges, 98)
    for axis, (name, (azimuth, elevation, ranges)) in zip(axes[:, 0], clouds.items()):
        hit = np.isfinite(ranges)
        size = max(0.3, min(4.0, 40_000 / len(azimuth)))
        axis.scatter(azimuth[~hit], elevation[~hit], c="black", s=size, linewidths=0)
        axis.scatter(azimuth[hit], elevation[hit], c=ranges[hit], s=size, cmap="turbo_r", vmin=0, vmax=far, linewidths=0)
        axis.set_title(f"{name}: {100 * (1 - hit.mean()):.1f} % without a return", fontsize=9)
        axis.set_facecolor("0.85")
        axis.set_ylabel("elevation (°)")
    axes[-1, 0].set_xlabel(f"azimuth (°); red is near, blue {far:.0f} m, black no return")
    figure.tight_layout()
    figure.savefig(out / "held-out-scan.png")


def scans_in(paths):
    """Files, and those of folders, as the program takes them."""
    files = []
    for path in map(Path, paths):
        if path.is_dir():
            folder = path / "velodyne" if (path / "velodyne").is_dir() else path
            files += sorted(file for file in folder.iterdir() if file.is_file())
        else:
            files.append(path)
    return files


def main():
    words = sys.argv[1:]
    parts = [[]]
    for word in words:
        parts.append([]) if word == "--" else parts[-1].append(word)
    words, both, learn_alone = (parts + [[], []])[:3]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("understory")
    parser.add_argument("out", type=Path)
    parser.add_argument("scans", nargs="+")
    parser.add_argument("--poses", required=True)
    parser.add_argument("--models", default="likelihood,voxel")
    parser.add_argument("--standing", action="store_true", help="the sensor stood still during each scan")
    parser.add_argument("--no-pictures", action="store_true")
    options = parser.parse_args(words)
    out = options.out
    out.mkdir(parents=True, exist_ok=True)
    refined = out / "refined.txt"
    registered, seconds = call(
        [options.understory, "register", *options.scans, "--poses", options.poses, "-o", refined]
        + ["--json", "-", "-q", *both, *(["--no-deskew"] if options.standing else [])],
        out / "registered.json",
    )
    before, after = (1e3 * metres for metres in registered["registration"]["residual_m"])
    names, unfit = registered["scans"], registered["registration"]["unfit"]
    page = [
        "# Held-out scans",
        "",
        f"{len(names)} scans, every second held out. Registered in {seconds:.0f} s: the median distance to "
        f"planes of other scans {before:.1f} → {after:.1f} mm."
        + (f" These do not fit: {', '.join(names[k] for k in unfit)}." if unfit else ""),
        "",
        "Capped score in metres (0 is best, 1 worst), mean square error of the probability of no return, "
        f"real returns that are lost and misses that return, in percent; losses {EDGES}.",
        "",
        f"| | capped score | Brier | lost (%) | false (%) | lost {EDGES} (%) |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    scores, sites, found = {}, {}, {"registered": registered}
    for name, poses in [("as they are", options.poses), ("refined", refined)]:
        for model in options.models.split(","):
            site = out / f"{model}-{name.replace(' ', '-')}.site"
            result, seconds = call(
                [options.understory, "learn", *options.scans, "--poses", poses, "-o", site]
                + ["--model", model, "--hold-out", "1/2", "--json", "-", "-q", *both, *learn_alone],
                site.with_suffix(".json"),
            )
            judged = found[site.stem] = result["judged"]
            page.append(row(f"`{model}`, poses {name} ({seconds:.0f} s)", judged["all"]))
            page.append(row(f"`{model}`, poses {name}, beams with neighbours", judged["with_neighbours"]))
            if judged["with_neighbours"]:
                scores[f"{model}, {name}"] = judged["with_neighbours"]
            sites[model] = site
        page.append(row(f"real neighbours, poses {name}", judged["floor"]["neighbours"]))
        page.append(row(f"replay of neighbours, poses {name}", judged["floor"]["replay"]))
    scores["real neighbours"] = judged["floor"]["neighbours"]
    page += [
        "",
        f"Noise floor, half the capped distance of beams beside each other in the held-out scans: "
        f"{number(judged['floor'].get('noise_m'))} m. {percent(judged['floor']['share'])} % of the held-out beams "
        "have neighbours in other scans.",
    ]
    (out / "page.json").write_text(json.dumps(found, indent=1))
    if not options.no_pictures:
        files = sorted(scans_in(options.scans), key=lambda file: file.name)
        held = [file for k, file in enumerate(files) if k % 2 == 1]
        scan = held[len(held) // 2]
        pose = poses_of(refined, files)[scan.name]
        clouds = held_out_scan(options.understory, out, scan, pose, both, sites)
        draw(out, scores, clouds)
        page += [
            "",
            "![Returns that are lost, by range](losses.png)",
            "",
            f"![A held-out scan and what each model predicts](held-out-scan.png)",
            "",
            f"`{scan.name}`, and one draw of each of its beams in the sites learned with refined poses. Beams whose "
            "direction the file does not tell, such as misses that were recovered, are not drawn.",
        ]
    (out / "page.md").write_text("\n".join(page) + "\n")
    print("\n".join(page))


if __name__ == "__main__":
    main()
