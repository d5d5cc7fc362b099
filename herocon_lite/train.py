"""One loop for every method: batches in, loss terms out. No method is named here.

What happens in step k depends on the seed and k alone, so a run that was cut off goes on as if
nothing had happened.
"""

from __future__ import annotations

import math
import pickle
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from numbers import Integral
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from herocon_lite import distributed, memory, precision
from herocon_lite.checkpoint import atomic_write
from herocon_lite.checks import check_flag, check_weight
from herocon_lite.data import Lazy
from herocon_lite.methods import Method, probabilities
from herocon_lite.optim import LARS
from herocon_lite.runtime import derive_seed, deterministic, isolated_rng, pick_device, seed_device
from herocon_lite.similarity import full_precision

Views = Sequence[np.ndarray | Lazy]

PRECISIONS = ("float64", "bfloat16")
HISTORY_POINTS = 100  # of the loss terms, over a run
CHECKPOINT_SECONDS = 120.0
ROWS_AT_ONCE, VALUES_AT_ONCE = 2048, 2**21  # in evaluation; pictures are many values


@dataclass(frozen=True)
class Schedule:
    """How long, how much at once, how fast; defaults as in the paper and its public code."""

    steps: int
    labeled_batch: int | None = None  # None: all rows in every step
    unlabeled_batch: int | None = None
    lr: float = 0.05
    momentum: float = 0.95
    trust: float = 0.02
    drop_last: bool | None = None  # True: no step spans two passes, so none has a row twice
    decay: str | None = None  # "cosine": lr falls to 0 along half a cosine; None: it stays
    precision: str | None = None  # "float64"; "bfloat16", mixed, weights in float32; None: float32

    def __post_init__(self) -> None:
        if not (isinstance(self.steps, Integral) and self.steps >= 1):
            raise ValueError(f"steps must be a whole number, at least 1; got {self.steps!r}.")
        self._plain("steps", int)
        check_flag("drop_last", self.drop_last)
        for name in ("lr", "momentum", "trust"):
            check_weight(name, getattr(self, name))
            self._plain(name, float)
        for name in ("labeled_batch", "unlabeled_batch"):
            size = getattr(self, name)
            if size is not None and not (isinstance(size, Integral) and size >= 2):  # for BatchNorm
                raise ValueError(f"{name} must be at least 2 rows, or None for all; got {size!r}.")
            self._plain(name, int)
        if self.decay not in (None, "cosine"):
            raise ValueError(f'decay must be "cosine" or None; got {self.decay!r}.')
        if self.precision not in (None, *PRECISIONS):
            raise ValueError(
                f"precision must be one of {', '.join(PRECISIONS)}, or None for float32; "
                f"got {self.precision!r}."
            )

    def _plain(self, name: str, kind: type) -> None:
        """NumPy's numbers as Python's: those a checkpoint can hold."""
        if getattr(self, name) is not None:
            object.__setattr__(self, name, kind(getattr(self, name)))

    def lr_at(self, step: int) -> float:
        """The rate of a step."""
        if self.decay is None:
            return self.lr
        return self.lr * (1 + math.cos(math.pi * step / self.steps)) / 2


@dataclass
class Training:
    """What a run leaves behind, beside the trained method."""

    history: list[dict[str, float]] = field(default_factory=list)  # {"step": k, term: value, …}
    seconds: float = 0.0
    cpu_seconds: float = 0.0  # of all threads: on a shared machine the fairer number
    peak_mib: float = 0.0


def train(
    method: Method,
    labeled: Views,
    Y: np.ndarray,
    unlabeled: Views | None,
    schedule: Schedule,
    seed: int = 0,
    device: torch.device | None = None,
    progress: bool = False,
    checkpoint: Path | None = None,
) -> Training:
    """Minimises the sum of the method's loss terms; the method is trained in place.

    It is left on ``device`` and in training mode. Your random numbers go on as if nothing had been
    drawn; trainings in several threads take turns.

    Args:
        method: from :func:`herocon_lite.methods.build`.
        labeled, Y: views of the labelled rows, and their labels (n, c), 0/1.
        unlabeled: views of further rows, whose labels nobody asks for; not touched unless the
            method uses them.
        seed: decides the order of the batches and whatever the method draws.
        progress: show a bar with the loss terms.
        checkpoint: a file to go on from, saved to every two minutes or so and at the end. It is
            the caller's to delete, once what it was for is safe.
    """
    device = device or pick_device()
    dtype = torch.float64 if schedule.precision == "float64" else torch.float32
    method.to(device, dtype).train()
    targets = torch.as_tensor(np.asarray(Y), dtype=dtype, device=device)
    whole = bool(schedule.drop_last)
    seen = Feed(labeled, schedule.labeled_batch, (seed, 0), device, dtype, whole)
    use = method.uses_unlabeled and unlabeled is not None
    extra = None
    if use:
        extra = Feed(unlabeled, schedule.unlabeled_batch, (seed, 1), device, dtype, whole)
    optimizer = _optimizer(method, schedule)
    result, first = Training(), 0
    if checkpoint is not None and checkpoint.exists():
        first = _restore(checkpoint, (seed, schedule), method, optimizer, result)
    if distributed.of_first(first) != first:
        raise ValueError(
            f"{checkpoint} must lie on a disk that all processes see; they would go on from "
            "different steps."
        )
    net = distributed.wrap(method)
    history = []  # (step, terms) still on the device
    started, started_cpu = time.monotonic(), time.process_time()
    bar = tqdm(
        range(first, schedule.steps),
        initial=first,
        total=schedule.steps,
        disable=not progress,
        mininterval=0.1 if sys.stderr.isatty() else 10,  # a log file keeps every state of a bar
    )
    mixed = schedule.precision == "bfloat16"
    with isolated_rng(device), deterministic(device):
        for step in bar:
            seed_device(device, derive_seed(seed, 2, step))
            rows = seen.rows(step)
            batch = (
                seen(rows),
                targets[seen.on_device(rows)],
                extra(distributed.dealt(extra.rows(step))) if extra else None,
            )
            for group in optimizer.param_groups:
                group["lr"] = schedule.lr_at(step)
            optimizer.zero_grad()
            with precision.products(device) if mixed else nullcontext():
                with precision.layers(device) if mixed else full_precision(targets):
                    terms = net(*batch, step / schedule.steps)
                sum(terms.values()).backward()
            optimizer.step()
            if step % max(1, schedule.steps // HISTORY_POINTS) == 0 or step == schedule.steps - 1:
                now = {name: distributed.mean(term.detach()) for name, term in terms.items()}
                history.append((step, now))
                if progress:  # looking at values makes a GPU wait, so only now and then
                    told = {name: f"{term:.3f}" for name, term in now.items()}
                    bar.set_postfix(told, refresh=False)
            if method.after_step(step + 1, schedule.steps):  # its parameters have changed
                net, optimizer = distributed.wrap(method), _optimizer(method, schedule)
            if checkpoint is None:
                continue
            if distributed.world()[1] > 1 and (not history or history[-1][0] != step):
                continue  # to agree on the time costs a message
            if distributed.of_first(time.monotonic() - started) > CHECKPOINT_SECONDS:
                result.history += _values(history)
                history = []
                started, started_cpu = _count(result, started, started_cpu, device)
                _save(checkpoint, (seed, schedule), step + 1, method, optimizer, result)
    result.history += _values(history)
    _count(result, started, started_cpu, device)
    if checkpoint is not None:
        _save(checkpoint, (seed, schedule), schedule.steps, method, optimizer, result)
    return result


@torch.no_grad()
def predict(method: Method, views: Views, kind: str) -> np.ndarray:
    """Probabilities (n, c) of the labels, a chunk of rows at a time."""
    return _in_chunks(method, views, lambda rows: probabilities(method.logits(rows), kind))


@torch.no_grad()
def embed(method: Method, views: Views) -> np.ndarray:
    """The joint representation (n, d), a chunk of rows at a time."""
    return _in_chunks(method, views, method.embed)


def _in_chunks(method: Method, views: Views, function) -> np.ndarray:
    method.eval()
    like = next(method.parameters())
    values = max(math.prod(view.shape[1:]) for view in views)
    size = max(1, min(ROWS_AT_ONCE, VALUES_AT_ONCE // values))
    made = []
    with full_precision(like):  # whatever the caller trains in
        for start in range(0, len(views[0]), size):
            part = [_tensor(v[start : start + size], like.device, like.dtype) for v in views]
            made.append(function(part).cpu())
    return torch.cat(made).numpy()


# ------------------------------------------------------------------ batches


class Feed:
    """Rows of several views as tensors; what lies in memory is moved to the device once."""

    def __init__(
        self,
        views: Views,
        size: int | None,
        seed: tuple[int, ...],
        device: torch.device,
        dtype: torch.dtype,
        drop_last: bool = False,
    ):
        self.count, self.size, self.seed = len(views[0]), size, seed
        self.device, self.dtype, self.drop_last = device, dtype, drop_last
        self.views = [v if isinstance(v, Lazy) else _tensor(v, device, dtype) for v in views]

    def rows(self, step: int) -> Tensor:
        """Row numbers of a step: all of them, or the next ones of passes in random order.

        A step that spans two passes may have a row twice, and in a contrast it is then its own
        negative: of 750 out of 50,000 rows at most three are, in one step of 66. With few rows
        that is no longer little, hence ``drop_last``.
        """
        if self.size is None or self.size >= self.count:
            return torch.arange(self.count, device="cpu")
        if self.drop_last:
            number, place = divmod(step, self.count // self.size)
            first = place * self.size
            return _order(self.count, self.seed, number)[first : first + self.size]
        place = torch.arange(step * self.size, (step + 1) * self.size, device="cpu")
        passes = place // self.count  # at most two different ones
        parts = [
            _order(self.count, self.seed, int(number))[place[passes == number] % self.count]
            for number in passes.unique()
        ]
        return torch.cat(parts)

    def on_device(self, rows: Tensor) -> Tensor:
        """Row numbers, sent without waiting for a GPU."""
        # Apple's GPUs may read a temporary that is gone by then (pytorch #139550).
        return rows.to(self.device, non_blocking=self.device.type == "cuda")

    def __call__(self, rows: Tensor) -> list[Tensor]:
        on_device = self.on_device(rows)
        return [
            _tensor(view[rows.numpy()], self.device, self.dtype)
            if isinstance(view, Lazy)
            else view[on_device]
            for view in self.views
        ]


def _tensor(values: np.ndarray, device: torch.device, dtype: torch.dtype) -> Tensor:
    """Features in the model's precision; images stay bytes until the encoder scales them."""
    tensor = torch.from_numpy(np.ascontiguousarray(values))
    return tensor.to(device, None if tensor.dtype == torch.uint8 else dtype)


@lru_cache(maxsize=8)
def _order(count: int, seed: tuple[int, ...], number: int) -> Tensor:
    """The order of one pass over the rows."""
    generator = torch.Generator("cpu").manual_seed(derive_seed(*seed, number))
    return torch.randperm(count, generator=generator, device="cpu")


# ------------------------------------------------------------------ the rest


def _optimizer(method: Method, schedule: Schedule) -> torch.optim.Optimizer:
    parameters = [p for p in method.parameters() if p.requires_grad]
    return LARS(parameters, lr=schedule.lr, momentum=schedule.momentum, trust=schedule.trust)


def _count(
    result: Training, started: float, started_cpu: float, device: torch.device
) -> tuple[float, float]:
    """Adds the time since the start, and the peak of memory; returns the new start."""
    now, now_cpu = time.monotonic(), time.process_time()
    result.seconds += now - started
    result.cpu_seconds += now_cpu - started_cpu
    result.peak_mib = max(result.peak_mib, memory.peak_mib(device))
    return now, now_cpu


def _named(seed: int, schedule: Schedule) -> dict[str, object]:
    """What a checkpoint must agree in with the training that goes on from it."""
    return {"seed": seed, **asdict(schedule)}


def _values(history: list[tuple[int, dict[str, Tensor]]]) -> list[dict[str, float]]:
    rows = [{"step": step, **{k: t.item() for k, t in terms.items()}} for step, terms in history]
    for row in rows:
        if not np.isfinite(list(row.values())).all():
            raise FloatingPointError(
                f"the loss was no longer finite at step {row['step']}: {row}. Lower lr, or look "
                "for extreme values in the data."
            )
    return rows


def _save(
    path: Path,
    of: tuple[int, Schedule],
    step: int,
    method: Method,
    optimizer: torch.optim.Optimizer,
    result: Training,
) -> None:
    """Written under another name and renamed, so a checkpoint is whole or not there."""
    if distributed.world()[0] > 0:
        return  # the first of several processes writes it
    state = {
        "of": _named(*of),
        "step": step,
        "method": method.state_dict(),
        "optimizer": optimizer.state_dict(),
        "history": result.history,
        "costs": (result.seconds, result.cpu_seconds, result.peak_mib),
    }
    with suppress(FileNotFoundError):  # another job has finished this very run and cleared up
        atomic_write(path, lambda beside: _torch_save(state, beside))


def _torch_save(state: dict, path: Path) -> None:
    try:
        torch.save(state, path)
    except RuntimeError as error:  # torch's own words name no disk
        reason = str(error).partition("\n")[0]
        raise OSError(f"{reason}. Is the disk full?") from error


def _restore(
    path: Path,
    of: tuple[int, Schedule],
    method: Method,
    optimizer: torch.optim.Optimizer,
    result: Training,
) -> int:
    where = next(method.parameters()).device
    try:
        state = torch.load(path, map_location=where, weights_only=True)
    except FileNotFoundError:  # another job has finished this very run since
        return 0
    except (RuntimeError, EOFError, pickle.UnpicklingError) as error:
        raise ValueError(f"{path} is no whole checkpoint; delete it to start anew.") from error
    if state.get("of") != _named(*of):
        raise ValueError(
            f"{path} must be of the same seed and schedule; it is of {state.get('of')}. Delete it, "
            "or name another file."
        )
    method.load_state_dict(state["method"])
    optimizer.load_state_dict(state["optimizer"])
    result.history = state["history"]
    result.seconds, result.cpu_seconds, result.peak_mib = state["costs"]
    return state["step"]
