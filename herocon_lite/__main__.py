"""The command line: python -m herocon_lite COMMAND."""

import os
import platform
import sys
from pathlib import Path

# Threads that wait for each other by spinning make small nets five times slower on a shared
# machine. Both are read when torch is loaded, so they must stand here.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
# Sums are added up in another order where a processor has wider registers; the training then
# drifts apart, by up to 0.003 in F1. Nearly every x86 processor of ten years has these, as fast;
# torch does not ask whether this one has.
_about = Path("/proc/cpuinfo")
_lacks = _about.exists() and "avx2" not in _about.read_text()
if platform.machine() in ("x86_64", "AMD64") and not _lacks:
    os.environ.setdefault("ATEN_CPU_CAPABILITY", "avx2")

if __name__ == "__main__":
    from herocon_lite.repro.cli import main

    sys.exit(main())
