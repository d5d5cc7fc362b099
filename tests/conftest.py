"""One thread: most tensors here are small, and threads that wait for each other cost more."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read by torch here and in the notebooks' kernels
os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # two threads that wait do not spin
