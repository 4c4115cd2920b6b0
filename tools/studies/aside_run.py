"""A site learned from one drive through a wood, seen from another drive beside it.

    python aside_run.py understory OUT [--aside 3] [--models likelihood,voxel,surface] [--samples 2] [--images DIR]

The wood and the first way are those of `mobile-run.toml` beside this file, every other revolution of it is
learned from; the second way goes parallel to it, ASIDE metres to the right, on the same ground. The held-out drive is
simulated in each learned site by the same sensor and scored by `understory compare --held-out` and `--mode
moving`. OUT gets recordings, sites, `aside-run.json` and `aside-run.md`; DIR gets two pictures. What is
there already is not made again. Needs NumPy, Matplotlib and Pillow. See docs/mobile-run.md.
"""

import argparse
import json
import re
import subprocess
from pathlib import Path

import numpy as np

REALITY = Path(__file__).with_name("mobile-run.toml")
HELD_OUT_S = 0.4


def run(*command):
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)


def aside_scenario(aside_m):
    """The same wood, and the way beside: each position moved to the right of its heading."""
    text = REALITY.read_text()

    def moved(match):
        x, y, _ = (float(word) for word in match["at"].split(","))
        yaw = np.radians(float(match["turn"].split(",")[2]))
        x, y = x + aside_m * np.sin(yaw), y - aside_m * np.cos(yaw)
        return f"position_m = [{x:.4f}, {y:.4f}, 0.0], rotation_deg = [{match['turn']}]"

    text = re.sub(r"position_m = \[(?P<at>[^]]*)\], rotation_deg = \[(?P<turn>[^]]*)\]", moved, text)
    text = text.replace("[platform]", "[platform]\non_ground = true")
    return re.sub(r"(?m)^duration_s = .*$", f"duration_s = {HELD_OUT_S}", text)


def site_scenario(site, text):
    """The held-out drive in a world of nothing but the site."""
    begin, sensors = text.index("[world.terrain]"), text.index("[[sensor]]")
    world = f'[world]\n\n[[world.site]]\nname = "wood"\nfile = "{site.resolve()}"\n\n'
    return text[:begin] + world + text[sensors:].replace('"trail.npy"', '"simulated.npy"')


def simulate(program, out, model, samples, text):
    site = out / f"{model}.site"
    if not site.exists():
        command = [program, "learn", out / "learned/trail.npy", "-o", site, "--model", model, "--cell", "0.3"]
        command += ["--every", "0/2", "--sensor", "hdl-64e-s2", "--quiet", "--json", out / f"{model}-learn.json"]
        run(*command, *(["--kernel", "0.4"] if model == "surface" else []))
    path = out / f"{model}.npy"
    if not path.exists():
        scenario = out / f"{model}.toml"
        scenario.write_text(site_scenario(site, text))
        parts = []
        for seed in range(samples):
            run(program, "run", scenario, "--out", out / "run", "--seed", 100 + seed, "--no-picture", "--quiet")
            parts.append(np.load(out / "run/simulated.npy"))
        np.save(path, np.concatenate(parts))
    return np.load(path)


def compare(program, out, name):
    real, simulated = out / "held-out/trail.npy", out / f"{name}.npy"
    scored, moving = out / f"{name}-scored.json", out / f"{name}-moving.json"
    limits = ["--origin-limit-m", "0.05", "--direction-limit-deg", "0.05"]
    run(program, "compare", real, simulated, "--held-out", "--learned-from", out / "learned.npy", *limits, "--quiet", "--json", scored)
    run(program, "compare", real, simulated, "--mode", "moving", "--drawings", 0, "--points-max", 300000, "--quiet", "--json", moving)
    return json.loads(scored.read_text()), json.loads(moving.read_text())


def percent(value):
    return "–" if value is None else f"{100 * value:.1f}"


def line(name, scores, moving=None):
    by_range = ", ".join(percent(share) for share in scores["lost_by_range"])
    fine = coarse = "–"
    if moving:
        fine, coarse = (f"{d['distance']:.3f} ({d['excess']:+.3f})" for d in moving["distances"])
    return (
        f"| {name} | {scores['capped_m']:.3f} | {scores['brier']:.3f} | {percent(scores['lost'])} | {by_range} "
        f"| {percent(scores['false_returns'])} | {percent(scores['none'][0])} | {fine} | {coarse} |\n"
    )


def table(found):
    text = "| | capped score (m) | Brier | lost (%) | up to 10, 20, 40 m and beyond | false (%) | no return (%) | D, 5 cm (excess) | D, 20 cm (excess) |\n"
    text += "| --- |" + " --- |" * 8 + "\n"
    for name, (scored, moving) in found.items():
        text += line(f"`{name}`", scored["held_out"]["scores"], moving)
        text += line(f"`{name}`, beams with neighbours", scored["with_neighbours"]["scores"])
    floor = next(iter(found.values()))[0]["floor"]
    text += line("real neighbours", floor["neighbours"]) + line("replay of them", floor["replay"])
    real = floor["neighbours"]["none"][1]
    text += f"\n{percent(floor['share'])} % of the held-out beams have neighbours (within 2 m and 0.3°), {percent(real)} % of those returned nothing. "
    return text + f"Noise floor (half the distance of beams beside each other): {floor['noise_m']:.3f} m.\n"


def points_of(rows):
    rows = rows[(rows["return_count"] > 0) & (rows["return_number"] == 1)]
    return np.column_stack([rows["x_m"], rows["y_m"], rows["z_m"]])


def draw(clouds, images):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from PIL import Image

    def save(figure, name):
        figure.canvas.draw()
        picture = Image.fromarray(np.asarray(figure.canvas.buffer_rgba())[..., :3].copy())
        picture.quantize(64, dither=Image.Dither.NONE).save(images / name, optimize=True)

    azimuth, elevation = np.radians(-115.0), np.radians(28.0)
    right = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
    back = np.array([np.cos(azimuth) * np.cos(elevation), np.sin(azimuth) * np.cos(elevation), np.sin(elevation)])
    up = np.cross(back, right)
    figure, axes = plt.subplots((len(clouds) + 1) // 2, 2, figsize=(12, 3.5 * ((len(clouds) + 1) // 2)), dpi=80)
    for axis in axes.flat:
        axis.set_axis_off()
    for axis, (name, points) in zip(axes.flat, clouds.items()):
        near = (np.abs(points[:, 0] + 9.0) < 16.0) & (np.abs(points[:, 1]) < 14.0) & (points[:, 2] < 8.0)
        shown = points[near]
        shown = shown[np.random.default_rng(1).permutation(len(shown))[:120_000]]
        shown = shown[np.argsort(shown @ back)] - np.array([-9.0, 0.0, 1.0])
        axis.scatter(shown @ right, shown @ up, c=shown[:, 2], s=0.5, cmap="turbo", vmin=-2.5, vmax=4.0, linewidths=0)
        axis.set_title(name, fontsize=11)
        axis.set_xlim(-18, 18)
        axis.set_ylim(-10.5, 10.5)
        axis.set_aspect("equal")
    figure.tight_layout(pad=0.3)
    save(figure, "aside-run.png")
    figure, axes = plt.subplots(len(clouds), 1, figsize=(10, 2.1 * len(clouds)), dpi=80, sharex=True)
    for axis, (name, points) in zip(axes, clouds.items()):
        slab = points[np.abs(points[:, 1] + 5.0) < 0.75]
        slab = slab[(np.abs(slab[:, 0] + 9.0) < 15.0) & (slab[:, 2] < 4.5)]
        axis.scatter(slab[:, 0], slab[:, 2], c=slab[:, 2], s=0.5, cmap="turbo", vmin=-2.0, vmax=4.5, linewidths=0)
        axis.set_title(f"{name}: {len(slab)} points", fontsize=10)
        axis.set_ylim(-2.5, 4.5)
        axis.set_aspect("equal")
        axis.set_ylabel("z (m)")
    axes[-1].set_xlabel("x (m), -5.75 m < y < -4.25 m")
    figure.tight_layout(pad=0.5)
    save(figure, "aside-run-slice.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("out", type=Path)
    parser.add_argument("--aside", type=float, default=3.0)
    parser.add_argument("--models", default="voxel,likelihood,surface")
    parser.add_argument("--samples", type=int, default=2)
    parser.add_argument("--images", type=Path)
    parser.add_argument("--only-make", action="store_true", help="recordings and sites, no scores")
    options = parser.parse_args()
    out, program = options.out, options.program
    out.mkdir(parents=True, exist_ok=True)
    text = aside_scenario(options.aside)
    (out / "held-out.toml").write_text(text)
    for folder, scenario in (("learned", REALITY), ("held-out", out / "held-out.toml")):
        if not (out / folder / "trail.npy").exists():
            run(program, "run", scenario, "--out", out / folder, "--no-picture", "--quiet")
            print(folder, flush=True)
    rows = np.load(out / "learned/trail.npy")
    np.save(out / "learned.npy", rows[rows["scan"] % 2 == 0])
    clouds = {"the held-out drive": points_of(np.load(out / "held-out/trail.npy"))}
    found = {}
    for model in options.models.split(","):
        rows = simulate(program, out, model, options.samples, text)
        clouds[model] = points_of(rows[: len(rows) // options.samples])
        print(model, flush=True)
        if not options.only_make:
            found[model] = compare(program, out, model)
    if options.only_make:
        return
    (out / "aside-run.json").write_text(json.dumps(found, indent=1))
    (out / "aside-run.md").write_text(table(found))
    print(table(found))
    if options.images:
        draw(clouds, options.images)


if __name__ == "__main__":
    main()
