"""What a record says of the machine and the code that made it."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import platform
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

Record = dict[str, Any]


def environment(device: str | torch.device = "cpu") -> Record:
    """Describe the machine for a record: versions, device, threads, commit; no names or paths.

    The commit is looked up once per process: call this before training, since the checkout may
    move while a run goes on.
    """
    from importlib.metadata import version

    import numpy
    import torch

    import herocon_lite
    from herocon_lite import distributed, precision

    commit, dirty = _checkout()
    where = torch.device(device)
    return {
        "versions": {
            "python": platform.python_version(),
            "torch": torch.__version__,
            "numpy": numpy.__version__,
            "sklearn": version("scikit-learn"),  # its import takes seconds
            "herocon_lite": herocon_lite.__version__,
        },
        "device": _device_name(where),
        "threads": torch.get_num_threads(),
        "instructions": _instructions(),
        "bfloat16": "torch"
        if precision.has_native_bf16(where)
        else "rounded",  # whose products, if any
        "processes": distributed.world()[1],
        "commit": commit or f"herocon_lite {herocon_lite.__version__}",
        "dirty": dirty,  # whether the module's files differ from the commit; None: not known
    }


def environment_hash(environment: Record) -> str:
    """Name the code and what decides its rounding.

    Checkpoints resume only on matching code and hardware.
    """
    names = ("device", "threads", "instructions", "bfloat16", "processes")
    parts = [
        source_hash(),
        environment["versions"]["torch"],
        *(environment[name] for name in names),
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def _instructions() -> str:
    """Which of the processor's instructions decide the order of sums."""
    import torch

    from herocon_lite.repro import fast_mkl

    own = torch.backends.cpu.get_cpu_capability()
    return f"{own}, MKL as on Intel" if fast_mkl.in_use() else own


def _device_name(device) -> str:
    import torch

    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    if device.type == "mps":
        return f"Apple {platform.processor() or platform.machine()} (mps)"
    with contextlib.suppress(OSError):
        found = re.search(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), re.M)
        if found:
            return found.group(1)
    return platform.processor() or platform.machine()


@functools.cache
def source_hash(*more: str) -> str:
    """Name the code that decides what a run gives: the core and the runner, as their files are.

    Args:
        more: further files of ``repro/``, by name.
    """
    package = Path(__file__).resolve().parents[1]
    apart = ("repro", "theory")
    core = [f for f in package.rglob("*.py") if f.relative_to(package).parts[0] not in apart]
    runner = [
        package / "repro" / name for name in ("runner.py", "settings.py", "settings.yaml", *more)
    ]
    content = b"".join(file.read_bytes() for file in sorted(core) + runner)
    return hashlib.sha256(content).hexdigest()[:16]


@functools.cache
def _checkout() -> tuple[str | None, bool | None]:
    """Commit and dirty flag, if this module lies in its own checkout."""
    package = Path(__file__).resolve().parents[1]

    def git(*words: str) -> str:
        command = ["git", "-C", str(package), *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        git("ls-files", "--error-unmatch", "__init__.py")  # else the repository is another's
        return git("rev-parse", "HEAD"), bool(git("status", "--porcelain", "--", "."))
    except (OSError, subprocess.CalledProcessError):
        return None, None
