"""How well sites learned from your own recordings predict scans that were held out: one page.

    python own_recordings.py understory OUT SCAN… --poses POSES [--models likelihood,voxel] [-- LEARN…]

SCANs are files of one revolution each, or a folder of them, with POSES as `understory learn --poses`
takes them. Every second scan is held out. OUT gets sites, JSON and `page.md`: each model with the poses as
they are and refined by `understory register`, beside the nearest real beams and their replay. What
stands after `--` goes to `understory register` and `understory learn` (`--points-in sensor`, `--columns …`),
what stands after a second `--` to `learn` alone (`--recover-misses grid`, `--cell 0.3`). Needs nothing
but Python.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path


def call(arguments):
    start = time.monotonic()
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}\n{done.stderr}")
    return json.loads(done.stdout), time.monotonic() - start


def row(name, score):
    if score is None:
        return f"| {name} | – | – | – | – | – |"
    lost = ", ".join("–" if x is None else f"{100 * x:.1f}" for x in score["lost_by_range"])
    return (
        f"| {name} | {score['capped_m']:.3f} | {score['brier']:.3f} | {100 * score['lost']:.1f} | "
        f"{100 * score['false_returns']:.1f} | {lost} |"
    )


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
    options = parser.parse_args(words)
    options.out.mkdir(parents=True, exist_ok=True)
    refined = options.out / "refined.txt"
    registered, seconds = call(
        [options.understory, "register", *options.scans, "--poses", options.poses, "-o", refined]
        + ["--json", "-", "-q", *both]
    )
    before, after = registered["registration"]["residual_m"]
    page = [
        "# Held-out scans",
        "",
        f"{len(registered['scans'])} scans, every second held out. Registered in {seconds:.0f} s: the median "
        f"distance to planes of other scans {1e3 * before:.1f} → {1e3 * after:.1f} mm; "
        f"{len(registered['registration']['unfit'])} scans do not fit.",
        "",
        "Capped score in metres (0 is best, 1 worst), mean square error of the probability of no return, "
        "real returns that are lost and misses that return, in percent; losses by range.",
        "",
        "| | capped score | Brier | lost (%) | false (%) | lost up to 10, 20, 40 m and beyond |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, poses in [("as they are", options.poses), ("refined", refined)]:
        for model in options.models.split(","):
            site = options.out / f"{model}-{name.replace(' ', '-')}.site"
            result, seconds = call(
                [options.understory, "learn", *options.scans, "--poses", poses, "-o", site]
                + ["--model", model, "--hold-out", "1/2", "--json", "-", "-q", *both, *learn_alone]
            )
            judged = result["judged"]
            page.append(row(f"`{model}`, poses {name} ({seconds:.0f} s)", judged["all"]))
            page.append(row(f"`{model}`, poses {name}, beams with neighbours", judged["with_neighbours"]))
        page.append(row(f"real neighbours, poses {name}", judged["floor"]["neighbours"]))
        page.append(row(f"replay of neighbours, poses {name}", judged["floor"]["replay"]))
    (options.out / "page.md").write_text("\n".join(page) + "\n")
    print("\n".join(page))


if __name__ == "__main__":
    main()
