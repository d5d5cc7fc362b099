"""Measure what importing herocon_lite adds to importing torch.

python book/_tools/import_time.py [ROUNDS]     prints the median and the least of each, in seconds
"""

from __future__ import annotations

import statistics
import subprocess
import sys

STEPS = ("import torch", "import herocon_lite", "import herocon_lite.losses")
CODE = "; ".join(
    f"import time; start = time.perf_counter(); {step}; print(time.perf_counter() - start)"
    for step in STEPS
)


def main(rounds: int = 5) -> None:
    """Time the steps one after another in fresh interpreters."""
    command = [sys.executable, "-c", CODE]
    times = [
        [float(line) for line in subprocess.check_output(command, text=True).split()]
        for _ in range(rounds)
    ]
    for step, found in zip(STEPS, zip(*times, strict=True), strict=True):
        print(f"{statistics.median(found):6.3f} s  least {min(found):6.3f} s  {step}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
