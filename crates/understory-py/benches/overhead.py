"""What Python costs: the program and the package simulate the same scenario into the same file.

    python overhead.py PROGRAM [--scenario courtyard] [--rounds 5] [--format npy]

PROGRAM is the built `understory`. Whole processes take turns, each from start to end, with the start
of the interpreter and the import of NumPy; the files must be the same to the last byte.
"""

from __future__ import annotations

import argparse
import filecmp
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--scenario", default="courtyard")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--format", default="npy")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        theirs = os.path.join(folder, "program")
        ours = os.path.join(folder, f"package.{arguments.format}")
        program = [
            arguments.program, "run", arguments.scenario, "--out", theirs, "--format",
            arguments.format, "--no-picture", "--quiet",
        ]  # fmt: skip
        script = "import sys, understory; understory.write(sys.argv[1], sys.argv[2], progress=False)"
        package = [sys.executable, "-c", script, arguments.scenario, ours]
        walls: dict[str, list[float]] = {"program": [], "package": []}
        processors: dict[str, list[float]] = {"program": [], "package": []}
        for _ in range(arguments.rounds):
            for name, command in (("program", program), ("package", package)):
                wall, processor = timed(command)
                walls[name].append(wall)
                processors[name].append(processor)
        written = os.path.join(theirs, f"{arguments.scenario}.{arguments.format}")
        same = filecmp.cmp(written, ours, shallow=False)
    for what, times in (("wall clock", walls), ("processor", processors)):
        program_s, package_s = (statistics.median(times[name]) for name in ("program", "package"))
        print(
            f"{what:10} program {program_s:.3f} s, package {package_s:.3f} s, "
            f"overhead {100 * (package_s / program_s - 1):+.2f} %"
        )
    print("the files are the same" if same else "THE FILES DIFFER")
    return 0 if same else 1


def timed(command: list[str]) -> tuple[float, float]:
    """Seconds by the clock and of processors."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
    return wall, spent


if __name__ == "__main__":
    sys.exit(main())
