"""One loop for every method: batches in, loss terms out. No method is named here.

What happens in step k depends on the seed and k alone, so a run that was cut off resumes as if
nothing had happened.
"""

from __future__ import annotations

import math
import operator
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from numbers import Integral
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from herocon_lite import distributed, memory, precision, runtime
from herocon_lite.checkpoint import check_tensors, load_state, save_state
from herocon_lite.checks import check_flag, check_labels, check_weight, unvalidated
from herocon_lite.data import Lazy
from herocon_lite.methods import Method, probabilities
from herocon_lite.moved import old_names
from herocon_lite.optim import LARS
from herocon_lite.runtime import derive_seed, deterministic, isolated_rng, pick_device, seed_device
from herocon_lite.similarity import full_precision

__getattr__ = old_names(__name__)
Views = Sequence[np.ndarray | Lazy]

PRECISIONS = ("float64", "bfloat16")
HISTORY_POINTS = 100  # of the loss terms, over a run
CHECKPOINT_SECONDS = 120.0
STATE = ("of", "step", "method", "optimizer", "history", "costs")  # of a checkpoint
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
        """Return the learning rate of a step."""
        if self.decay is None:
            return self.lr
        return self.lr * (1 + math.cos(math.pi * step / self.steps)) / 2


@dataclass
class Training:
    """Everything a training run returns besides the trained model."""

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
    """Minimise the sum of the method's loss terms; the method is trained in place.

    It is left on ``device`` and in training mode. Your random numbers go on as if nothing had been
    drawn; trainings in several threads take turns.

    Args:
        method: from :func:`herocon_lite.methods.build`.
        labeled, Y: views of the labelled rows, and their labels (n, c), 0/1.
        unlabeled: views of further rows, which have no labels; not touched unless the method uses
            them.
        schedule: steps, batches and learning rate.
        seed: decides the order of the batches and whatever the method draws.
        device: where to train; None: the best one here.
        progress: show a bar with the loss terms.
        checkpoint: a file to resume from, saved to every two minutes or so and at the end. It is
            the caller's to delete, once what it was for is safe.

    Returns:
        The loss terms over the steps, time and memory.

    Raises:
        FloatingPointError: a loss term was no longer finite.
        ValueError: Y holds other values than 0 and 1; the checkpoint is damaged, or of another seed
            or schedule.

    Example:
        >>> from herocon_lite.methods import Problem, build
        >>> rng = np.random.default_rng(0)
        >>> views = [rng.standard_normal((20, d)) for d in (5, 4)]
        >>> Y = (views[0][:, :2] > 0).astype(int)
        >>> problem = Problem(((5,), (4,)), n_labels=2, kind="multilabel")
        >>> method = build("herocon", problem, alpha=0.1, beta=0.1)
        >>> training = train(method, views, Y, views, Schedule(steps=5), device=pick_device("cpu"))
        >>> list(training.history[0])
        ['step', 'L_c', 'L_s', 'L_u']
    """
    device = device or pick_device()
    dtype = torch.float64 if schedule.precision == "float64" else torch.float32
    method.to(device, dtype).train()
    if not method.uses_unlabeled:
        unlabeled = None
    batch_at = _batches(labeled, Y, unlabeled, schedule, seed, device, dtype)
    loop = _Loop(method, schedule, seed, device)
    first = loop.restore(checkpoint)
    bar = tqdm(
        range(first, schedule.steps),
        initial=first,
        total=schedule.steps,
        disable=not progress,
        mininterval=0.1 if sys.stderr.isatty() else 10,  # a log file keeps every state of a bar
    )
    with isolated_rng(device), deterministic(device):
        for step in bar:
            seed_device(device, derive_seed(seed, 2, step))
            terms = loop.update(step, *batch_at(step))
            if loop.is_recorded(step):
                loop.record(step, terms, bar)
            if method.after_step(step + 1, schedule.steps):  # its parameters have changed
                loop.reset()
            if checkpoint is not None and loop.is_due(step):
                loop.save(checkpoint, step + 1)
    loop.save(checkpoint, schedule.steps)
    return loop.result


@torch.no_grad()
def predict(method: Method, views: Views, kind: str) -> np.ndarray:
    """Return the probabilities (n, c) of the labels, a chunk of rows at a time.

    Args:
        method: a trained one.
        views: of the rows.
        kind: ``"multilabel"`` (a sigmoid a label) or ``"multiclass"`` (a softmax).

    Example:
        >>> from herocon_lite.methods import Problem, build
        >>> dnn = build("dnn", Problem(((5,),), n_labels=2, kind="multiclass"))
        >>> predict(dnn, [np.zeros((3, 5))], "multiclass").sum(1)
        array([1., 1., 1.], dtype=float32)
    """
    return _in_chunks(method, views, lambda rows: probabilities(method.logits(rows), kind))


@torch.no_grad()
def embed(method: Method, views: Views) -> np.ndarray:
    """Return the joint representation (n, d), a chunk of rows at a time.

    Example:
        >>> from herocon_lite.methods import Problem, build
        >>> dnn = build("dnn", Problem(((5,),), n_labels=2, kind="multiclass"))
        >>> len(embed(dnn, [np.zeros((3, 5))]))
        3
    """
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


def _batches(
    labeled: Views,
    Y: np.ndarray,
    unlabeled: Views | None,
    schedule: Schedule,
    seed: int,
    device: torch.device,
    dtype: torch.dtype,
) -> Callable[[int], tuple[list[Tensor], Tensor, list[Tensor] | None]]:
    """Return a function of the step: labelled rows, their labels, this process's unlabelled rows.

    Labelled rows are few, so that every process holds all of them.
    """
    whole = bool(schedule.drop_last)
    known = BatchSampler(labeled, schedule.labeled_batch, (seed, 0), device, dtype, whole)
    targets = torch.as_tensor(np.asarray(Y), device="cpu")
    targets = check_labels(targets, targets, validate=True).to(device, dtype)
    more = None
    if unlabeled is not None:
        more = BatchSampler(unlabeled, schedule.unlabeled_batch, (seed, 1), device, dtype, whole)

    def batch_at(step: int):
        rows = known.rows(step)
        rest = more and more.take(distributed.shard_rows(more.rows(step)))
        return known.take(rows), targets[known.to_device(rows)], rest

    return batch_at


class BatchSampler:
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
        """Return a step's row numbers: all of them, or the next ones of passes in random order.

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

    def to_device(self, rows: Tensor) -> Tensor:
        """Send row numbers without waiting for a GPU."""
        # Apple's GPUs may read a temporary that is gone by then (pytorch #139550).
        return rows.to(self.device, non_blocking=self.device.type == "cuda")

    def take(self, rows: Tensor) -> list[Tensor]:
        """Return these rows of every view, on the device."""
        on_device = self.to_device(rows)
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


# ------------------------------------------------------------------ the loop's state


class _Loop:
    """A training under way: what a checkpoint holds, and how one step changes it."""

    def __init__(self, method: Method, schedule: Schedule, seed: int, device: torch.device):
        self.method, self.schedule, self.seed, self.device = method, schedule, seed, device
        self.result = Training()
        self.recorded: list[tuple[int, dict[str, Tensor]]] = []  # still on the device
        self.started = time.monotonic(), time.process_time()
        self.reset()

    def reset(self) -> None:
        """Begin with the parameters as they are: at the start, and when a method swaps them."""
        method, schedule = self.method, self.schedule
        parameters = [p for p in method.parameters() if p.requires_grad]
        self.optimizer = LARS(
            parameters, lr=schedule.lr, momentum=schedule.momentum, trust=schedule.trust
        )
        self.net = distributed.wrap(method)

    @runtime.whole_step()
    def update(self, step: int, views: list, Y: Tensor, unlabeled: list | None) -> dict:
        """Take one step; return the loss terms."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.schedule.lr_at(step)
        self.optimizer.zero_grad()
        mixed = self.schedule.precision == "bfloat16"
        with precision.emulate_bf16(self.device) if mixed else nullcontext():
            # Labels are checked once, and the loss at recorded steps: here nothing looks at values.
            with precision.autocast(self.device) if mixed else full_precision(Y), unvalidated():
                terms = self.net(views, Y, unlabeled, step / self.schedule.steps)
            sum(terms.values()).backward()
        self.optimizer.step()
        return terms

    def is_recorded(self, step: int) -> bool:
        """Return whether the history has this step."""
        steps = self.schedule.steps
        return step % max(1, steps // HISTORY_POINTS) == 0 or step == steps - 1

    def record(self, step: int, terms: dict[str, Tensor], bar: tqdm) -> None:
        """Note the terms of a step. To look at values makes a GPU wait, so only a bar does it."""
        now = {name: distributed.mean(term.detach()) for name, term in terms.items()}
        self.recorded.append((step, now))
        if not bar.disable:
            bar.set_postfix({name: f"{term:.3f}" for name, term in now.items()}, refresh=False)

    def is_due(self, step: int) -> bool:
        """Return whether it is time for a checkpoint; to agree on that costs several processes a
        message, so they ask at recorded steps only."""
        if distributed.world()[1] > 1 and not self.is_recorded(step):
            return False
        elapsed = time.monotonic() - self.started[0]
        return distributed.broadcast_from_rank0(elapsed) > CHECKPOINT_SECONDS

    def save(self, path: Path | None, step: int) -> None:
        """Bring the result up to date and write a checkpoint, whole or not at all."""
        self.result.history += _to_floats(self.recorded)
        self.recorded = []
        self._add_cost()
        if path is None or distributed.world()[0] > 0:
            return  # the first of several processes writes it
        state = {
            "of": self._checkpoint_id(),
            "step": step,
            "method": self.method.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "history": self.result.history,
            "costs": (self.result.seconds, self.result.cpu_seconds, self.result.peak_mib),
        }
        with suppress(FileNotFoundError):  # another job has finished this very run and cleared up
            save_state(path, state)

    def restore(self, path: Path | None) -> int:
        """Load a checkpoint, if there is one; return the step to go on with."""
        first = 0
        if path is not None and path.exists():
            first = self._load(path)
        if distributed.broadcast_from_rank0(first) != first:
            raise ValueError(
                f"{path} must lie on a disk that all processes see; they would resume from "
                "different steps."
            )
        return first

    def _load(self, path: Path) -> int:
        try:
            state = load_state(path, STATE, self.device)
        except FileNotFoundError:  # another job has finished this very run since
            return 0
        if state["of"] != self._checkpoint_id():
            raise ValueError(
                f"{path} must be of the same seed and schedule; it is of {state['of']}. Delete "
                "it, or name another file."
            )
        what = "a checkpoint of this training"
        check_tensors(path, what, self.method.state_dict(), state["method"])
        try:
            self.method.load_state_dict(state["method"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.result.history = list(state["history"])
            costs = map(float, state["costs"])
            self.result.seconds, self.result.cpu_seconds, self.result.peak_mib = costs
            return range(self.schedule.steps + 1)[operator.index(state["step"])]
        except Exception as error:  # torch raises many kinds
            raise ValueError(f"{path} cannot be used as {what}: {error}. Delete it.") from error

    def _checkpoint_id(self) -> dict[str, object]:
        """What a checkpoint and the training that resumes from it must share."""
        return {"seed": self.seed, **asdict(self.schedule)}

    def _add_cost(self) -> None:
        """Add the time since the start, or since this was last called, and the peak of memory."""
        now, result = (time.monotonic(), time.process_time()), self.result
        result.seconds += now[0] - self.started[0]
        result.cpu_seconds += now[1] - self.started[1]
        result.peak_mib = max(result.peak_mib, memory.peak_mib(self.device))
        self.started = now


def _to_floats(recorded: list[tuple[int, dict[str, Tensor]]]) -> list[dict[str, float]]:
    rows = [{"step": step, **{k: t.item() for k, t in terms.items()}} for step, terms in recorded]
    for row in rows:
        if not np.isfinite(list(row.values())).all():
            raise FloatingPointError(
                f"the loss was no longer finite at step {row['step']}: {row}. Lower lr, or look "
                "for extreme values in the data."
            )
    return rows
