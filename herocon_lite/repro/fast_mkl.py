"""The command line with MKL's fastest products on an AMD processor: about half the time of a run.

torch multiplies matrices with Intel's MKL, which asks who made the processor and leaves AVX-512
unused if it was not Intel. A library of one line, loaded before torch, answers yes. All else stays:
only the order of sums inside a product changes, as it does from one processor to the next. Records
say it under ``instructions``, so that nobody expects the same last digits without it.

    python -m herocon_lite.repro.fast_mkl run yeast herocon --seeds 20 --budget paper
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

QUESTION = "mkl_serv_intel_cpu_true"


def in_use() -> bool:
    """Return whether this process was started by :func:`main`."""
    try:
        return hasattr(ctypes.CDLL(None), QUESTION)
    except (OSError, TypeError):  # Windows
        return False


def main() -> None:
    """Compile the library, then become ``python -m herocon_lite`` with the same arguments."""
    import pooch  # here, as runs import this file: pooch warns in a notebook without ipywidgets

    folder = Path(pooch.os_cache("herocon_lite"))
    folder.mkdir(parents=True, exist_ok=True)
    source, library = folder / "answer.c", folder / "answer.so"
    source.write_text(f"int {QUESTION}(void) {{ return 1; }}\n")
    try:
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"fast_mkl needs a C compiler named cc: {error}. Leave fast_mkl out.")
    first = os.environ.get("LD_PRELOAD")
    loaded = f"{library}:{first}" if first else str(library)
    command = [sys.executable, "-m", "herocon_lite", *sys.argv[1:]]
    os.execve(sys.executable, command, os.environ | {"LD_PRELOAD": loaded})


if __name__ == "__main__":
    main()
