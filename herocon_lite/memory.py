"""The most memory that this process has held, and starting that count anew."""

from __future__ import annotations

import contextlib
import math
import sys
from pathlib import Path

import torch

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def reset(device: torch.device | None = None) -> None:
    """From here on :func:`peak_mib` counts anew; outside Linux and CUDA it goes on counting."""
    if device is not None and device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
    with contextlib.suppress(OSError):  # not Linux, or not allowed
        CLEAR.write_text("5")


def peak_mib(device: torch.device | None = None) -> float:
    """Of the device on CUDA, elsewhere of the whole process, libraries included; nan on Windows."""
    if device is not None and device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) / 2**20
    if STATUS.exists():  # Linux's getrusage remembers the parent's peak, this does not
        (line,) = (x for x in STATUS.read_text().splitlines() if x.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    try:
        import resource
    except ImportError:
        return math.nan
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20
