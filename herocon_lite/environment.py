"""What must be set before torch is loaded. Needs the standard library only.

torch reads these variables once, when it is loaded. They belong to the process, so only the entry
points that own theirs call :func:`prepare`: the command line, the tests, the notebooks' first cell.
``import herocon_lite`` sets nothing, neither here nor in torch: whoever imports a library beside
other work must not find that work slower, or its last digits changed. (The estimator, which lives
in other people's processes, trains and predicts tables in one thread instead; then no thread waits.
Around encoders of the user's own it takes as many as torch has.) The one exception
is a forked child, which gets one thread: torch would wait for others, which a fork does not copy.
"""

from __future__ import annotations

import os
import platform
from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")


def prepare(threads: int | None = None) -> None:
    """Make torch's sums repeatable and its waiting threads sleep; call it before importing torch.

    Variables that are already set stay as they are, and child processes inherit all of them.

    - ``OMP_WAIT_POLICY=passive``: threads that wait by spinning take the processor from those that
      they wait for. On a busy machine small networks then train tens of times slower.
    - ``ATEN_CPU_CAPABILITY=avx2`` on x86: where registers are wider, sums are added up in another
      order, and training drifts apart, by up to 0.003 in F1. Nearly every x86 processor of ten
      years has AVX2, and it is as fast.
    - ``OMP_NUM_THREADS``, if ``threads`` is given.

    Args:
        threads: how many threads torch may use; None leaves that to torch. The order of sums, and
            with it the last digits, depends on it.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    if platform.machine() in ("x86_64", "AMD64") and _has_avx2():
        os.environ.setdefault("ATEN_CPU_CAPABILITY", "avx2")
    if threads is not None:
        os.environ.setdefault("OMP_NUM_THREADS", str(threads))


def _has_avx2() -> bool:
    """Whether this processor has it, as far as we can see; torch does not check."""
    return not CPUINFO.exists() or "avx2" in CPUINFO.read_text()
