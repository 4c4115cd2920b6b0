"""A lidar drives through a wood; every other revolution is learned from, the others predicted.

    python mobile_run.py understory OUT [--samples 3] [--images DIR]

The reality is `mobile-run.toml` beside this file. OUT gets recordings, sites, `mobile-run.json`
and `mobile-run.md`; DIR gets two pictures. Needs NumPy, Matplotlib and Pillow. See docs/mobile-run.md.
"""

import argparse
import json
import subprocess
from pathlib import Path

import numpy as np

MODELS = ["surface", "voxel", "top-down", "bottom-up", "likelihood"]
REALITY = Path(__file__).with_name("mobile-run.toml")


def run(*command):
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)


def odd_scans(path):
    rows = np.load(path)
    return rows[rows["scan"] % 2 == 1]


def site_scenario(site):
    """The reality's sensor and way, in a world of nothing but the site."""
    text = REALITY.read_text()
    begin, sensors = text.index("[world.terrain]"), text.index("[[sensor]]")
    world = f'[world]\n\n[[world.site]]\nname = "wood"\nfile = "{site.resolve()}"\n\n'
    return text[:begin] + world + text[sensors:].replace('"trail.npy"', '"simulated.npy"')




def simulate(program, out, model, samples):
    site = out / f"{model}.site"
    command = [program, "learn", out / "real/trail.npy", "-o", site, "--model", model, "--cell", "0.3"]
    command += ["--every", "0/2", "--sensor", "hdl-64e-s2", "--quiet", "--json", out / f"{model}-learn.json"]
    if model == "surface":
        command += ["--kernel", "0.4"]
    run(*command)
    scenario = out / f"{model}.toml"
    scenario.write_text(site_scenario(site))
    parts = []
    for seed in range(samples):
        run(program, "run", scenario, "--out", out / "run", "--seed", 100 + seed, "--no-picture", "--quiet")
        parts.append(odd_scans(out / "run/simulated.npy"))
    np.save(out / f"{model}.npy", np.concatenate(parts))
    return parts[0]


def compare(program, out, name):
    run(program, "compare", out / "held-out.npy", out / f"{name}.npy", "--mode", "moving", "--drawings", 0, "--points-max", 300000, "--json", out / f"{name}-compare.json")
    return json.loads((out / f"{name}-compare.json").read_text())


def points_of(rows):
    rows = rows[rows["return_count"] > 0]
    return np.column_stack([rows["x_m"], rows["y_m"], rows["z_m"]])


def draw(clouds, images):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    # From behind on the right and above, without perspective.
    azimuth, elevation = np.radians(-115.0), np.radians(28.0)
    right = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
    back = np.array([np.cos(azimuth) * np.cos(elevation), np.sin(azimuth) * np.cos(elevation), np.sin(elevation)])
    up = np.cross(back, right)
    figure, axes = plt.subplots(3, 2, figsize=(12, 10.5), dpi=80)
    for axis, (name, points) in zip(axes.flat, clouds.items()):
        near = (np.abs(points[:, 0] + 6.0) < 18.0) & (np.abs(points[:, 1] - 3.0) < 14.0) & (points[:, 2] < 8.0)
        shown = points[near]
        shown = shown[np.random.default_rng(1).permutation(len(shown))[:120_000]]
        shown = shown[np.argsort(shown @ back)] - np.array([-6.0, 3.0, 1.0])
        axis.scatter(shown @ right, shown @ up, c=shown[:, 2], s=0.5, cmap="turbo", vmin=-2.5, vmax=4.0, linewidths=0)
        axis.set_title(name, fontsize=11)
        axis.set_xlim(-19.5, 19.5)
        axis.set_ylim(-10.5, 12.0)
        axis.set_aspect("equal")
        axis.set_axis_off()
    figure.tight_layout(pad=0.3)
    save(figure, images / "mobile-run.png")
    figure, axes = plt.subplots(6, 1, figsize=(10, 12.5), dpi=80, sharex=True)
    for axis, (name, points) in zip(axes, clouds.items()):
        slab = points[np.abs(points[:, 1] - 6.5) < 0.75]
        slab = slab[(np.abs(slab[:, 0] + 5.0) < 16.0) & (slab[:, 2] < 4.5)]
        axis.scatter(slab[:, 0], slab[:, 2], c=slab[:, 2], s=0.4, cmap="turbo", vmin=-1.5, vmax=5.0, linewidths=0)
        axis.set_title(f"{name}: {len(slab)} points", fontsize=10)
        axis.set_ylim(-1.5, 4.5)
        axis.set_aspect("equal")
        axis.set_ylabel("z (m)")
    axes[-1].set_xlabel("x (m), 5.75 m < y < 7.25 m")
    figure.tight_layout(pad=0.5)
    save(figure, images / "mobile-run-slice.png")


def save(figure, path):
    """With a palette of 64 colours: small files."""
    from PIL import Image

    figure.canvas.draw()
    picture = Image.fromarray(np.asarray(figure.canvas.buffer_rgba())[..., :3].copy())
    picture.quantize(64, dither=Image.Dither.NONE).save(path, optimize=True)


def table(reports):
    text = "| | D, 5 cm | excess | D, 20 cm | excess | returned nothing (%) | lost (%) | median error (m) | CRPS (m) | F-score |\n"
    text += "| --- |" + " --- |" * 9 + "\n"
    for name, report in reports.items():
        fine, coarse = report["distances"]
        beams = report["single_beams"]
        lost = beams["only_real"] / (beams["only_real"] + beams["both_returned"])
        text += (
            f"| {name} | {fine['distance']:.3f} | {fine['excess']:.3f} | {coarse['distance']:.3f} | {coarse['excess']:.3f} "
            f"| {100 * report['no_return']['simulated'] / report['pulses']['simulated']:.1f} | {100 * lost:.1f} "
            f"| {beams['range']['median_abs_m']:.3f} | {beams['crps_m']['mean']:.3f} | {report['cloud']['f_score']:.3f} |\n"
        )
    return text


def lost_by_range(program, out, model):
    """Shares of the returns of revolution 1 that are lost, with the sensor's limit of brightness
    and without."""
    real = np.load(out / "held-out.npy")
    real = real[real["scan"] == 1]
    text = (out / f"{model}.toml").read_text()
    mount = "position_m = [0.0, 0.0, 1.8]"
    (out / f"{model}-unlimited.toml").write_text(
        text.replace(mount, mount + '\noverride = { range_limit = { model = "none" } }')
    )
    result = {}
    for name in (model, f"{model}-unlimited"):
        run(program, "run", out / f"{name}.toml", "--interval", "0..0.2", "--out", out / "run", "--no-picture", "--quiet")
        simulated = odd_scans(out / "run/simulated.npy")
        lost = simulated["return_count"] == 0
        for low, high in ((0, 5), (5, 10), (10, 20), (20, 30), (30, 50)):
            inside = (real["range_m"] > low) & (real["range_m"] <= high)
            result[f"{name}, {low} to {high} m"] = [int(inside.sum()), float(lost[inside].mean())]
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("out", type=Path)
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--images", type=Path)
    options = parser.parse_args()
    out = options.out
    out.mkdir(parents=True, exist_ok=True)
    if not (out / "real/trail.npy").exists():
        run(options.program, "run", REALITY, "--out", out / "real", "--no-picture", "--quiet")
    rows = np.load(out / "real/trail.npy")
    held = rows[rows["scan"] % 2 == 1]
    np.save(out / "held-out.npy", held)
    np.save(out / "revolutions learned from.npy", rows[rows["scan"] % 2 == 0])
    clouds = {"held-out revolutions": points_of(held)}
    reports = {"revolutions learned from": compare(options.program, out, "revolutions learned from")}
    for model in MODELS:
        clouds[model] = points_of(simulate(options.program, out, model, options.samples))
        reports[model] = compare(options.program, out, model)
        print(model, flush=True)
    for model in ("likelihood", "voxel"):
        reports[model]["lost"] = lost_by_range(options.program, out, model)
    (out / "mobile-run.json").write_text(json.dumps(reports, indent=1))
    (out / "mobile-run.md").write_text(table(reports))
    if options.images:
        draw(clouds, options.images)


if __name__ == "__main__":
    main()
