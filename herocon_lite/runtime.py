"""Devices, random numbers, determinism and threads: one policy for training, estimator and views.

Networks draw from torch's global generators (dropout, noise, augmentations), which belong to the
whole process. So whatever draws seeds them inside :func:`isolated_rng`, with a seed made by
:func:`derive_seed`; everything else has a generator of its own. What must be set before torch is
loaded is in :mod:`herocon_lite.environment`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch

_RNG_LOCK = threading.RLock()
_FORK_TURN, _STEP_LOCK = threading.RLock(), threading.RLock()  # see whole_step


def pick_device(name: str | None = None) -> torch.device:
    """Return the device of this name, or the best one here: CUDA, Apple's, the CPU.

    Raises:
        ValueError: if no tensor can be made there.

    Example:
        >>> pick_device("cpu")
        device(type='cpu')
    """
    if name is None:
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.zeros(1, device=device).cpu()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).partition("\n")[0]
        raise ValueError(
            f"device must be one that works here, such as cpu; got {name!r} ({reason})."
        ) from error
    return device


def derive_seed(*numbers: int) -> int:
    """Return one seed made of several numbers, below 2⁶³; neighbours get unrelated ones.

    Example:
        >>> derive_seed(0, 2, 17)  # seed 0, purpose 2, step 17
        5011044892216640784
    """
    return int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0]) >> 1


def seed_device(device: torch.device, seed: int) -> None:
    """Seed torch's generators of the CPU and of ``device`` only; :func:`torch.manual_seed` would
    seed those of all devices, and load torch's compiler."""
    torch.default_generator.manual_seed(seed)
    if device.type == "cuda":
        with torch.cuda.device(device):
            torch.cuda.manual_seed(seed)
    elif device.type == "mps":
        torch.mps.manual_seed(seed)


@contextmanager
def isolated_rng(device: torch.device | None = None) -> Iterator[None]:
    """Keep the caller's random numbers: torch's generators are put back at the end.

    Threads take turns, since the generators are the whole process's.

    Args:
        device: whose generator to keep, beside the CPU's.
    """
    kind = "cpu" if device is None else device.type
    with _RNG_LOCK, torch.random.fork_rng([device] if kind == "cuda" else []):
        apple = torch.mps.get_rng_state() if kind == "mps" else None
        try:
            yield
        finally:
            if apple is not None:
                torch.mps.set_rng_state(apple)


@contextmanager
def whole_step() -> Iterator[None]:
    """Let forks of other threads wait until this step is done.

    A child has torch's generators as they are, and if a thread draws from one, its lock would be
    held for ever there.
    """
    lock = _STEP_LOCK
    with _FORK_TURN:  # a fork that waits comes before the next step
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _before_fork() -> None:
    _FORK_TURN.acquire()
    _STEP_LOCK.acquire()


def _after_fork_in_parent() -> None:
    _STEP_LOCK.release()
    _FORK_TURN.release()


def _after_fork_in_child() -> None:
    """A fork copies the calling thread alone: the child must not wait for any other.

    Not for one that held a lock, and not for OpenMP's, which would hang its next operation.
    """
    global _RNG_LOCK, _FORK_TURN, _STEP_LOCK
    _RNG_LOCK, _FORK_TURN, _STEP_LOCK = (threading.RLock() for _ in range(3))
    torch.set_num_threads(1)


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )


@contextmanager
def num_threads(count: int) -> Iterator[None]:
    """Let torch compute in so many threads on the CPU; for the whole process, until the end.

    Example:
        >>> with num_threads(1):
        ...     torch.get_num_threads()
        1
    """
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def one_thread() -> Iterator[None]:
    """Predict in one thread, so that none waits, and takes the processor from others by waiting.

    While another thread of this process trains or predicts, the number stays as it is: that one's
    sums depend on it.
    """
    lock = _RNG_LOCK
    if not lock.acquire(blocking=False):
        yield
        return
    try:
        with num_threads(1):
            yield
    finally:
        lock.release()


@contextmanager
def deterministic(device: torch.device) -> Iterator[None]:
    """Make the same seed give the same bits on a GPU; on a CPU it does so anyway."""
    if device.type != "cuda":
        yield
        return
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # cuBLAS needs it, before its start
    on, warn = (
        torch.are_deterministic_algorithms_enabled(),
        torch.is_deterministic_algorithms_warn_only_enabled(),
    )
    benchmark = torch.backends.cudnn.benchmark
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.backends.cudnn.benchmark = False
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(on, warn_only=warn)
        torch.backends.cudnn.benchmark = benchmark
