"""Leaf area of two stands as each estimator has it, from four kinds of survey, beside the truth.

    python leaf_area_table.py understory OUT [--stands beech-stand,pine-stand]

A tripod scanner from one place and from four, a sensor carried through the stand, and a scanner flown
over it. OUT gets scenarios, recordings, `leaf-area-table.json` and `leaf-area-table.md`, and a CSV of
profiles for each stand. Needs nothing but Python. What the figures mean is in docs/leaf-area.md.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

#: Half of the side of the plot that is looked at; half of the wood around it.
PLOT_M, WOOD_M = 10.0, 30.0
#: Leaves or needle bundles are about as wide.
LEAF_WIDTH_M = {"beech-stand": 0.05, "pine-stand": 0.03}

WORLD = """version = 1
seed = 11
duration_s = {duration}
[world.terrain]
plane = {{ size_m = [{side}, {side}], spacing_m = 1.0 }}
material = "leaf-dry"
[[world.plant]]
name = "stand"
species = "{stand}"
variants = 1
tiles = true
area = {{ size_m = [{wood}, {wood}] }}
"""

TRIPOD = """
[[sensor]]
name = "tripod"
preset = "riegl-vz-400"
position_m = [{x}, {y}, 1.8]
[sensor.override.scanning_mirror]
pulse_rate_khz = 100.0
lines_per_s = 100.0
head_deg_per_s = 30.0
"""

MOBILE = """
[[sensor]]
name = "carried"
preset = "hdl-32e"
position_m = [0.0, 0.0, 1.8]
[platform]
heading = "along-path"
waypoints = [
    {{ time_s = 0.0, position_m = [-9.0, -6.0, 0.0] }},
    {{ time_s = 1.0, position_m = [9.0, -6.0, 0.0] }},
    {{ time_s = 1.6, position_m = [9.0, 6.0, 0.0] }},
    {{ time_s = 2.6, position_m = [-9.0, 6.0, 0.0] }},
]
"""

AIRBORNE = """
[[sensor]]
name = "flown"
preset = "riegl-vux-1uav"
[sensor.override.scanning_mirror]
pulse_rate_khz = 550.0
angle_min_deg = -45.0
angle_max_deg = 45.0
[sensor.override.range_limit]
model = "none"
[platform]
waypoints = [
    {{ time_s = 0.0, position_m = [-14.0, 0.0, 70.0] }},
    {{ time_s = 2.8, position_m = [14.0, 0.0, 70.0] }},
]
"""

SURVEYS = {
    "tripod × 1": (12.0, [TRIPOD.format(x=0.5, y=0.5)]),
    "tripod × 4": (
        12.0,
        [TRIPOD.format(x=x, y=y) for x, y in ((-6, -6), (6, -6), (6, 6), (-6, 6))],
    ),
    "carried": (2.6, [MOBILE.format()]),
    "flown": (2.8, [AIRBORNE.format()]),
}

ESTIMATORS = ["contact-frequency", "beer-lambert", "maximum-likelihood", "bias-corrected"]


def program(understory, *arguments):
    command = [understory, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("understory")
    parser.add_argument("out", type=Path)
    parser.add_argument("--stands", default="beech-stand,pine-stand")
    parser.add_argument("--cell", default="0.5")
    arguments = parser.parse_args()
    out, understory = arguments.out, arguments.understory
    out.mkdir(parents=True, exist_ok=True)
    figures = []
    for stand in arguments.stands.split(","):
        truth, top = None, None
        for survey, (duration, sensors) in SURVEYS.items():
            name = f"{stand}-{survey.replace(' ', '').replace('×', 'x')}"
            recordings = []
            for number, sensor in enumerate(sensors):
                file = out / f"{name}-{number}.toml"
                world = WORLD.format(
                    duration=duration, stand=stand, wood=2 * WOOD_M, side=2 * WOOD_M + 20
                )
                output = f'[output]\nfiles = ["{name}-{number}.npy"]\npicture = false\n'
                file.write_text(world + sensor + output)
                if truth is None:
                    low, high = -PLOT_M, PLOT_M
                    everything = json.loads(
                        program(understory, "truth", file, "--cell", "1", "--json", "-", "-q")
                    )
                    grid = everything["grid"]
                    top = grid["low_m"][2] + grid["cell_m"][2] * grid["counts"][2]
                    region = f"--region={low},{low},0.25,{high},{high},{top}"
                    angles = out / f"{stand}-angles.csv"
                    truth = json.loads(
                        program(
                            understory,
                            *("truth", file, "--cell", arguments.cell, region, "-q"),
                            *("--profile", out / f"{stand}-truth.csv"),
                            *("--angles", angles, "--json", "-"),
                        )
                    )
                program(understory, "run", file, "--out", out, "--quiet", "--no-picture")
                recordings.append(out / f"{name}-{number}.npy")
            for weights in ("first", "intensity", "calibrated"):
                found = json.loads(
                    program(
                        understory,
                        *("leaf-area", *recordings, "--cell", arguments.cell, region, "-q"),
                        *("--leaf-angle", angles, "--leaf-width", LEAF_WIDTH_M.get(stand, 0.05)),
                        *("--weights", weights, "--json", "-"),
                        *("--profile", out / f"{name}-{weights}.csv"),
                    )
                )
                ground = found["ground_area_m2"]
                figures.append(
                    {
                        "stand": stand,
                        "survey": survey,
                        "weights": weights,
                        "truth": truth["leaf_area_index"],
                        "unknown": found["counts"]["unknown"] / found["counts"]["voxels"],
                        "estimators": {n: a / ground for n, a in found["by_estimator_m2"]},
                        "filled": found["leaf_area_index_filled"],
                        "interval": [found["leaf_area_index"]["low"], found["leaf_area_index"]["high"]],
                        "pulses": found["counts"]["pulses"],
                        "several": found["counts"]["several_returns"],
                        "seconds": found["seconds"],
                    }
                )
                print(figures[-1], flush=True)
    (out / "leaf-area-table.json").write_text(json.dumps(figures, indent=1))
    lines = [
        "| stand (truth) | survey | unknown | weights | contact | Beer–Lambert | likelihood | corrected | filled |",
        "| --- | --- | ---: | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in figures:
        cells = " | ".join(f"{row['estimators'][name]:.2f}" for name in ESTIMATORS)
        lines.append(
            f"| {row['stand']} ({row['truth']:.2f}) | {row['survey']} | {100 * row['unknown']:.0f} % "
            f"| {row['weights']} | {cells} | {row['filled']:.2f} |"
        )
    text = "\n".join(lines) + "\n"
    (out / "leaf-area-table.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
