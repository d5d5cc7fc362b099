"""Time and memory of training steps, measured side by side on one thread.

Seconds are the processor's: with one thread they are wall time on a quiet machine, and fairer on a
shared one. Memory is the peak of a fresh process above its inputs.
"""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections.abc import Callable

import torch
from torch import Tensor

from herocon_lite import memory
from herocon_lite.repro import provenance

OURS = "herocon_lite"
LIMIT_BYTES = 2 * 2**30  # what would keep more for its backward pass is not run

Step = Callable[[], None]
clock = time.process_time


def measure(
    prepare: dict[str, Callable[[], Step]],
    kept: dict[str, float],
    rounds: int,
    in_fresh_process: Callable[[str], tuple[float, float]] | None,
) -> list[dict]:
    """Measure implementations of the same work; those that would not fit are not run.

    Args:
        prepare: makes each implementation's step.
        kept: bytes that each would keep for its backward pass, of :func:`kept_bytes`.
        rounds: number of times that each step is timed.
        in_fresh_process: gives an implementation's seconds and peak MiB; None: no memory.

    Returns:
        Of each implementation its best seconds, those of all rounds and the peak, or what it
        would keep.
    """
    fits = [name for name in prepare if name == OURS or kept[name] <= LIMIT_BYTES]
    alone = {name: in_fresh_process(name) for name in fits} if in_fresh_process else {}
    if len(fits) > 1:
        seconds = time_interleaved({name: prepare[name]() for name in fits}, rounds)
    else:  # nothing to compare with: the fresh process has timed it already
        seconds = {name: [alone[name][0]] for name in fits}
    rows = []
    for name in prepare:
        row = {"by": name}
        if name in seconds:
            taken = [round(one, 5) for one in seconds[name]]
            row |= {"seconds": min(taken), "rounds": taken}
        else:
            row["would_keep_gib"] = round(kept[name] / 2**30, 1)
        if name in alone:
            row["peak_mib"] = round(alone[name][1], 1)
        rows.append(row)
    return rows


def cells(row: dict, ratio: float | None, digits: int) -> list[str]:
    """Return a row's seconds, times ours and peak for a table, or why it was not run."""
    if "seconds" not in row:
        return [f"not run: would keep {row['would_keep_gib']:,} GiB", "", ""]
    peak = f"{row['peak_mib']:.0f}" if "peak_mib" in row else "–"
    return [f"{row['seconds']:.{digits}f}", f"{ratio:.2f}", peak]


def time_interleaved(steps: dict[str, Step], rounds: int) -> dict[str, list[float]]:
    """Return the seconds of each step, one a round; interleaved, so that all see the same
    machine."""
    seconds = {name: [] for name in steps}
    for _ in range(rounds):
        for name, step in steps.items():
            start = clock()
            step()
            seconds[name].append(clock() - start)
    return seconds


def kept_bytes(prepare: Callable[..., Step], n: int) -> float:
    """Estimate what a step would keep for its backward pass at n: two small sizes and their growth.

    Rows are narrow here, so that what grows with pairs of samples shows.
    """

    def at(m: int) -> int:
        storages = {}

        def pack(t: Tensor) -> Tensor:
            storages[t.untyped_storage().data_ptr()] = t.untyped_storage().nbytes()
            return t

        step = prepare(m, d=8)
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
            step()
        return sum(storages.values())

    m, small, large = 128, at(64), at(128)
    while 0 < large < 2**24 and m < 1024:  # until what grows fastest is nearly all of it
        m, small, large = 2 * m, large, at(2 * m)
    if small == 0:  # no autograd: the scores and the shares are what it holds
        return 2 * (n * 2 * n) * 4
    return large * (n / m) ** round(math.log2(large / small))


def fresh_process(module: str, *arguments: object) -> tuple[float, float]:
    """Return seconds, and peak MiB above the inputs, of the step that a module's ``__main__``
    reports."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    seconds, mib = map(float, done.stdout.split())
    return seconds, mib


def report(prepare: Callable[[int], Step], n: int) -> None:
    """Print what :func:`fresh_process` reads; for the ``__main__`` of the module it starts."""
    torch.set_num_threads(1)
    prepare(64)()  # libraries loaded and their buffers made
    step = prepare(n)
    before, start = memory.peak_mib(), clock()
    step()
    print(clock() - start, memory.peak_mib() - before)


def where_measured() -> dict:
    """Describe the machine and the code; to be called first, since the checkout may move."""
    machine = provenance.environment()
    return {
        "threads": 1,
        "processor": machine["device"],
        "python": machine["versions"]["python"],
        "torch": machine["versions"]["torch"],
        "commit": machine["commit"],
        "dirty": machine["dirty"],
        "date": time.strftime("%Y-%m-%d"),
    }
