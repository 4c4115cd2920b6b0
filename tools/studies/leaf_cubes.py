"""Leaf area of pyhelios3d's leaf cubes, estimated by Understory and by pyhelios3d.

    python leaf_cubes.py understory OUT [--check] [--pixels 400]

`leaf_cube_LAI2_lw0_01_spherical.xml` and its erectophile twin come with the wheel `pyhelios3d`: a
cubic metre with leaves of 1 cm whose area is the sum of its triangles. They are written as OBJ, read by
Understory, scanned from eight places by cameras of thin beams, and estimated; pyhelios3d scans the same
triangles from the same places and estimates by its own ways. OUT gets all files and `leaf-cubes.md`.
With --check it ends with 1 where Understory is off by more than 2 %. Needs NumPy and pyhelios3d.
"""

import argparse
import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyhelios
from pyhelios import Context, LiDARCloud

CUBES = ["leaf_cube_LAI2_lw0_01_spherical", "leaf_cube_LAI2_lw0_01_erectophile"]
MIDDLE = np.array([0.0, 0.0, 0.5])
REGION = "-0.5,-0.5,0,0.5,0.5,1"
LEAF_WIDTH_M = 0.01


def places():
    """Eight places 5 m from the middle: four level with it and four from above."""
    found = []
    for quarter in range(4):
        azimuth = math.radians(90 * quarter)
        found.append((azimuth, 0.0))
        found.append((azimuth + math.pi / 4, math.radians(45)))
    spots = []
    for azimuth, elevation in found:
        flat = math.cos(elevation)
        along = np.array([flat * math.cos(azimuth), flat * math.sin(azimuth), math.sin(elevation)])
        spots.append((MIDDLE + 5.0 * along, math.degrees(azimuth), math.degrees(elevation)))
    return spots


def program(understory, *arguments):
    command = [understory, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def scenario(cube, pixels):
    """Cameras of thin beams around the cube."""
    text = f"""version = 1
seed = 1
duration_s = 0.04
[[world.object]]
name = "cube"
file = "{cube}.obj"
label = "vegetation"
[output]
files = ["{cube}.npy"]
picture = false
"""
    for number, (at, azimuth, elevation) in enumerate(places()):
        yaw = azimuth + 180.0
        text += f"""
[[sensor]]
name = "s{number}"
preset = "pmd-camcube"
position_m = [{at[0]:.6f}, {at[1]:.6f}, {at[2]:.6f}]
rotation_deg = [0.0, {elevation:.6f}, {yaw:.6f}]
[sensor.override.camera_grid]
pixels = [{pixels}, {pixels}]
field_of_view_deg = [20.0, 20.0]
[sensor.override.beam]
sampling = "single"
[sensor.override.range_limit]
model = "none"
"""
    return text


def of_understory(understory, cube, out, pixels):
    (out / f"{cube}.toml").write_text(scenario(cube, pixels))
    angles = out / f"{cube}-angles.csv"
    voxels = ("--region=" + REGION, "--cell", "0.25")
    truth = json.loads(
        program(understory, "truth", out / f"{cube}.toml", *voxels, "--angles", angles, "--json", "-", "-q")
    )
    program(understory, "run", out / f"{cube}.toml", "--out", out, "--quiet")
    found = {"truth": truth["everywhere"]["leaf_m2"], "mean_deg": truth["mean_inclination_deg"]}
    for name, angle in (("given", angles), ("fit", "fit"), ("spherical", "spherical")):
        report = program(
            understory,
            "leaf-area",
            out / f"{cube}.npy",
            *voxels,
            *("--leaf-angle", angle, "--leaf-width", LEAF_WIDTH_M),
            *("--json", "-", "-q"),
        )
        found[name] = json.loads(report)
    return found


def of_pyhelios(context, projection):
    """Its estimates with angles that it triangulates, and with a given projection."""
    areas = {}
    for name in ("triangulated", "given"):
        with LiDARCloud() as lidar:
            lidar.disableMessages()
            for at, _, _ in places():
                lidar.addScan(list(map(float, at)), 2000, (0.0, math.pi), 4000, (0.0, 2 * math.pi), 0.0, 0.0)
            lidar.addGrid([0.0, 0.0, 0.5], [1.0, 1.0, 1.0], [1, 1, 1])
            lidar.syntheticScan(context, scan_grid_only=True, record_misses=True)
            if name == "triangulated":
                lidar.triangulateHitPoints(0.04, 10)
                lidar.calculateLeafArea(context, 1, LEAF_WIDTH_M)
            else:
                lidar.calculateLeafArea(context, 1, LEAF_WIDTH_M, projection)
            interval = lidar.getCellLeafAreaConfidenceInterval(0)
            areas[name] = (lidar.getCellLeafArea(0), lidar.getCellGtheta(0), interval)
    return areas


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("understory")
    parser.add_argument("out", type=Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--pixels", type=int, default=400)
    arguments = parser.parse_args()
    out = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    folder = Path(pyhelios.__file__).parent / "assets/build/plugins/lidar/xml"
    lines = [
        "| cube | who | leaf angles | leaf area (m²) | off | interval of 95 % (m²) |",
        "| --- | --- | --- | ---: | ---: | --- |",
    ]
    worst = 0.0
    for cube in CUBES:
        with Context() as context:
            primitives = context.loadXML(str(folder / f"{cube}.xml"), True)
            exact = sum(context.getPrimitiveArea(one) for one in primitives)
            with open(out / f"{cube}.obj", "w") as obj:
                vertices = 0
                for one in primitives:
                    corners = context.getPrimitiveVertices(one)
                    for p in corners:
                        obj.write(f"v {p.x:.9g} {p.y:.9g} {p.z:.9g}\n")
                    numbers = " ".join(str(vertices + i + 1) for i in range(len(corners)))
                    obj.write(f"f {numbers}\n")
                    vertices += len(corners)
            ours = of_understory(arguments.understory, cube, out, arguments.pixels)
            shares = np.loadtxt(out / f"{cube}-angles.csv", delimiter=",", skiprows=1)
            theirs = of_pyhelios(context, 0.5 if "spherical" in cube else mean_projection(shares))
        name = "spherical" if "spherical" in cube else "erectophile"

        def row(who, angles, area, interval):
            off = area / exact - 1.0
            span = f"{interval[0]:.4f} to {interval[1]:.4f}" if interval else "–"
            lines.append(f"| {name} | {who} | {angles} | {area:.4f} | {100 * off:+.2f} % | {span} |")
            return off

        row("exact", f"{ours['mean_deg']:.1f}° in the mean", exact, None)
        row("Understory, truth", "–", ours["truth"], None)
        for angles in ("given", "fit", "spherical"):
            area = ours[angles]["leaf_area_m2"]
            chi = ours[angles]["fitted_angle"]
            label = f"fitted, χ {chi['chi']:.2f}" if chi else angles
            off = row("Understory", label, area["value"], (area["low"], area["high"]))
            if angles in ("given", "fit"):
                worst = max(worst, abs(off))
        for angles, (area, g, interval) in theirs.items():
            span = tuple(map(float, interval[:2])) if interval else None
            row("pyhelios3d", f"{angles}, G {g:.3f}", area, span)
        if abs(ours["truth"] / exact - 1.0) > 1e-4:
            sys.exit(f"{cube}: the truth is {ours['truth']}, and its triangles have {exact}")
    text = "\n".join(lines) + "\n"
    (out / "leaf-cubes.md").write_text(text)
    print(text)
    if arguments.check and worst > 0.02:
        sys.exit(f"Understory is off by {100 * worst:.2f} %, more than 2 %")


def mean_projection(shares):
    """G over the eight places: four level, four from 45°."""

    def projection(zenith):
        angles = np.radians(shares[:, 0])
        flat, upright = math.cos(zenith) * np.cos(angles), math.sin(zenith) * np.sin(angles)
        psi = np.arccos(np.clip(flat / np.maximum(upright, 1e-12), -1.0, 1.0))
        tilted = flat * (1 - 2 / math.pi * psi) + 2 / math.pi * np.sqrt(
            np.maximum(upright**2 - flat**2, 0.0)
        )
        return float((shares[:, 1] * np.where(flat >= upright, flat, tilted)).sum())

    return 0.5 * (projection(math.pi / 2) + projection(math.pi / 4))


if __name__ == "__main__":
    main()
