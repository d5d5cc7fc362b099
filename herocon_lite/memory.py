"""Peak memory of this process, and how it uses memory again."""

from __future__ import annotations

import contextlib
import ctypes
import math
import re
import sys
from pathlib import Path

import torch

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
# Of glibc's malloc.h: largest top that is kept, and how many blocks may come from the system.
M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4
NO_GLIBC = (AttributeError, OSError, TypeError)  # another C library; Windows has no CDLL(None)


def tune_malloc() -> None:
    """Let large tensors reuse this process's memory instead of asking the system for fresh pages.

    On a CPU each such page is zeroed first, which takes nearly half of a step of Noisy MNIST.
    Numbers are not touched. Elsewhere than on Linux with glibc this does nothing.
    """
    with contextlib.suppress(*NO_GLIBC):
        libc = ctypes.CDLL(None)
        libc.mallopt(M_MMAP_MAX, 0)
        libc.mallopt(M_TRIM_THRESHOLD, 2**31 - 1)


def reset_peak(device: torch.device | None = None) -> None:
    """Start :func:`peak_mib` anew; outside Linux and CUDA it goes on counting."""
    if device is not None and device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
    with contextlib.suppress(*NO_GLIBC):
        ctypes.CDLL(None).malloc_trim(0)  # what was kept is not held by what comes
    with contextlib.suppress(OSError):  # not Linux, or not allowed
        CLEAR.write_text("5")


def peak_mib(device: torch.device | None = None) -> float:
    """Return the peak in MiB: of the device on CUDA, elsewhere of the whole process, libraries
    included; nan on Windows.

    Example:
        >>> peak_mib() > 10
        True
    """
    if device is not None and device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) / 2**20
    if STATUS.exists():  # Linux's getrusage remembers the parent's peak, this does not
        found = re.search(r"^VmHWM:\s+(\d+)", STATUS.read_text(), re.M)
        if found:  # some sandboxes (gVisor) leave it out
            return int(found[1]) / 1024
    try:
        import resource
    except ImportError:
        return math.nan
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20
