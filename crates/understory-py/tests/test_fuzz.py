"""Random calls with bad arguments never crash the interpreter."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_twenty_thousand_random_calls() -> None:
    fuzzer = Path(__file__).with_name("fuzz_arguments.py")
    done = subprocess.run(
        [sys.executable, fuzzer, "--calls", "20000", "--seed", "1"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "0 wrong exceptions" in done.stdout
