"""Learns six targets with an HDL-64E and simulates other sensors in what was learned.

    python other_sensors.py understory OUT [--targets p1-tree-low,…] [--models likelihood,voxel]
                            [--sensors vlp-16,…] [--turns 60]

The targets are the built-in scenarios of Deschaud et al. (2012). The reality of each sensor is that
sensor at the same place before the plants themselves; what is simulated is the same sensor in the
site. OUT gets recordings, sites, `other-sensors.json` and `other-sensors.md`. Needs NumPy. See
docs/other-sensors.md.
"""

import argparse
import json
import subprocess
from pathlib import Path

import numpy as np

TARGETS = ["p1-planes", "p1-mown-grass", "p1-tall-grass", "p1-tree-low", "p1-tree-medium", "p1-tree-high"]
MODELS = ["voxel", "likelihood"]
HALF_WINDOW_DEG = 8.0
HDL = """[[sensor]]
name = "hdl"
preset = "hdl-64e-s2"
[sensor.override.spinning]
encoder_step_deg = 0.09
[sensor.override.range_error]
sigma_m = 0.005
"""
# What a sensor is, and how long it looks: a few hundred pulses a cell of 0.5°.
SENSORS = {
    "hdl-64e": (HDL, 6.0),
    "vlp-16": ('[[sensor]]\nname = "vlp"\npreset = "vlp-16"\n', 12.0),
    "os1-128": ('[[sensor]]\nname = "os1"\npreset = "os1-128-rev7"\n', 6.0),
    "lms-291": ('[[sensor]]\nname = "lms"\npreset = "lms-291"\nrotation_deg = [0.0, -4.0, 0.0]\n', 12.0),
    "12-mrad": (
        HDL + "[sensor.override.beam]\ndivergence_horizontal_mrad = 12.0\ndivergence_vertical_mrad = 12.0\n",
        6.0,
    ),
}


def run(*command):
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)


def scan(program, out, name, world, sensor):
    """The pulses of a sensor into the window of the target."""
    text, duration_s = SENSORS[sensor]
    scenario = out / f"{name}.toml"
    scenario.write_text(
        f"version = 1\nseed = 5\nduration_s = {duration_s}\n\n{world}\n{text}\n"
        f'[platform]\nposition_m = [0.0, 0.0, 1.5]\n\n[output]\nfiles = ["{name}.npy"]\n'
    )
    run(program, "run", scenario, "--out", out, "--no-picture", "--quiet", "--no-resume")
    path = out / f"{name}.npy"
    rows = np.load(path)
    azimuth = np.degrees(np.arctan2(rows["direction_y"], rows["direction_x"]))
    np.save(path, rows[np.abs(azimuth) < HALF_WINDOW_DEG])
    return path


def world_of(program, target):
    text = subprocess.run([program, "scenarios", target], check=True, capture_output=True, text=True).stdout
    return text[text.index("[world]") : text.index("[[sensor]]")]


def compare(program, out, real, simulated):
    result = out / "compare.json"
    run(
        program, "compare", real, simulated, "--orientations", "direction", "--azimuth-bin-deg", 0.5,
        "--elevation-bin-deg", 0.5, "--range-bin-m", 0.05, "--roi", "6,11,-2,2,0.1,4", "--drawings", 0,
        "--points-max", 0, "--quiet", "--json", result,
    )
    return json.loads(result.read_text())


def no_return(path):
    rows = np.load(path)
    return float(np.mean(rows["return_count"] == 0))


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("out", type=Path)
    arguments.add_argument("--targets", default=",".join(TARGETS))
    arguments.add_argument("--models", default=",".join(MODELS))
    arguments.add_argument("--sensors", default=",".join(list(SENSORS)[1:]))
    arguments.add_argument("--rays", default="auto")
    arguments.add_argument("--learn", default="", help="more arguments of learn, by spaces")
    arguments = arguments.parse_args()
    program, out = arguments.program, arguments.out
    out.mkdir(parents=True, exist_ok=True)
    rows = []
    for target in arguments.targets.split(","):
        world = world_of(program, target)
        teacher = out / f"{target}-hdl-64e.npy"
        if not teacher.exists():
            scan(program, out, teacher.stem, world, "hdl-64e")
        for sensor in arguments.sensors.split(","):
            name = f"{target}-{sensor}"
            if not (out / f"{name}.npy").exists():
                scan(program, out, name, world, sensor)
        for model in arguments.models.split(","):
            site = out / f"{target}-{model}.site"
            extra = arguments.learn.split() if model == "likelihood" else []
            run(program, "learn", teacher, "-o", site, "--model", model, "--sensor", "hdl-64e-s2", "--quiet", *extra)
            inside = f'[world]\n\n[[world.site]]\nname = "site"\nfile = "{site.resolve()}"\nrays = "{arguments.rays}"\n'
            for sensor in arguments.sensors.split(","):
                name = f"{target}-{sensor}-{model}"
                real, simulated = out / f"{target}-{sensor}.npy", scan(program, out, name, inside, sensor)
                shares = no_return(real), no_return(simulated)
                rows.append((target, sensor, model, compare(program, out, real, simulated), shares))
    table = [
        "| target | sensor | model | D | real halves | no return, real (%) | simulated |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    kept = []
    for target, sensor, model, result, (real, simulated) in rows:
        kept.append({"target": target, "sensor": sensor, "model": model, "no_return": [real, simulated], "compare": result})
        distance = result["distances"][0]
        table.append(
            f"| {target} | {sensor} | `{model}` | {distance['distance']:.3f} | {distance['halves'] or float('nan'):.3f} "
            f"| {100 * real:.1f} | {100 * simulated:.1f} |"
        )
    (out / "other-sensors.json").write_text(json.dumps(kept, indent=1))
    (out / "other-sensors.md").write_text("\n".join(table) + "\n")
    print("\n".join(table))


if __name__ == "__main__":
    main()
