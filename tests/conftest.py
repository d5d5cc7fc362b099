"""One thread: most tensors here are small, and threads that wait for each other cost more."""

import multiprocessing
import os
import platform

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read by torch here and in the notebooks' kernels
os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # two threads that wait do not spin
if platform.machine() in ("x86_64", "AMD64"):  # as in the command line: the same sums everywhere
    os.environ.setdefault("ATEN_CPU_CAPABILITY", "avx2")

# Tests that need processes have them forked from a server, which imports once and holds no lock. A
# fork of the tests' own process shares tqdm's: killed while it has it, it stops every later test.
multiprocessing.set_forkserver_preload(["herocon_lite.repro.runner", "pandas"])
