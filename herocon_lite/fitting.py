"""How the estimator's networks are trained: AdamW, a cosine, few steps, held-out rows.

:func:`fit` trains any number of members at once; nothing here knows what a network looks like.
"""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import NamedTuple

import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning
from torch import Tensor, nn
from tqdm import tqdm

from herocon_lite.checks import check_weight
from herocon_lite.runtime import deterministic, whole_step
from herocon_lite.similarity import full_precision
from herocon_lite.sources import take_views
from herocon_lite.stacked import Batch, LabelPairs, classification

WEIGHT_DECAY = 0.01
STEPS, STEPS_ROWS = 60, 120  # steps up to so many labelled rows; beyond, as the square root
HISTORY_POINTS = 100  # of the loss terms, over a training
VALIDATIONS, PATIENCE = 20, 5  # looks at the validation rows; so many in vain end the training
ROWS_AT_ONCE = 1024  # in prediction


class Progress(NamedTuple):
    """What a callback gets, some hundred times in a training; return True to stop it."""

    step: int  # steps taken
    steps: int  # planned
    terms: dict[str, float]  # the loss terms, weights included, mean over members
    validation: float | None  # the latest L_c on validation rows
    network: nn.Module  # as it is now


@dataclass(frozen=True)
class Plan:
    """How long, how much at once, how fast."""

    steps: int | None = None
    labeled_batch: int = 256
    unlabeled_batch: int = 64
    lr: float = 0.003

    def __post_init__(self) -> None:
        if self.steps is not None and not (isinstance(self.steps, Integral) and self.steps >= 1):
            raise ValueError(
                f"steps must be a whole number, at least 1, or None; got {self.steps!r}."
            )
        for name in ("labeled_batch", "unlabeled_batch"):
            size = getattr(self, name)
            if not (isinstance(size, Integral) and size >= 2):  # a contrast needs two
                raise ValueError(f"{name} must be at least 2 rows; got {size!r}.")
        check_weight("lr", self.lr)

    def steps_for(self, rows: int) -> int:
        """Return the number of steps for so many labelled rows.

        Example:
            >>> [Plan().steps_for(rows) for rows in (30, 120, 480, 12000)]
            [60, 60, 120, 600]
        """
        if self.steps is not None:
            return int(self.steps)
        return round(STEPS * math.sqrt(max(1, rows / STEPS_ROWS)))


@dataclass
class Rows:
    """What a training learns from. Row numbers are those of ``sources``."""

    sources: list  # a view each: take(rows) gives (len(rows), ...)
    labeled: Tensor  # (m, r): the rows that each member trains on
    unlabeled: Tensor  # (k,), rows without labels
    Y: Tensor  # (n, c), 0/1 where a row is labelled; 0 where a label of it is not known
    known: Tensor | None  # (n, c), bool; None: all labels of a labelled row are known
    weight: Tensor  # (n,)
    positive_weight: Tensor | None = None  # (c,)
    validation: Sequence = ()  # (views, present, Y, known) of rows that only end the training


def fit(
    network: nn.Module,
    rows: Rows,
    plan: Plan,
    callbacks: Sequence[Callable[[Progress], bool | None]] = (),
    verbose: bool = False,
) -> list[dict[str, float]]:
    """Train all members of a network in place; draws from torch's global random numbers.

    Returns:
        The loss terms over the steps, mean over members.
    """
    device = rows.Y.device
    steps = plan.steps_for(rows.labeled.shape[1])
    network.to(device).train()
    optimizer = AdamW(network.parameters(), WEIGHT_DECAY)
    batch_at = _batches(network.recipe, rows, plan)
    history, best = [], _Best(network, rows, steps)
    every = max(1, steps // HISTORY_POINTS)
    bar = tqdm(range(steps), disable=not verbose, mininterval=0.1)
    with deterministic(device), full_precision(rows.Y):
        for step in bar:
            with whole_step():
                terms = network.terms(batch_at())
                network.zero_grad(set_to_none=True)
                sum(term.sum() for term in terms.values()).backward()
                optimizer.step(plan.lr * (1 + math.cos(math.pi * step / steps)) / 2)
            stop = best.look(step)
            if step % every == 0 or step == steps - 1 or stop:
                now = _to_floats(step, terms)
                more = {} if best.latest is None else {"validation": best.latest}
                history.append({"step": step, **now, **more})
                if not bar.disable:
                    bar.set_postfix({k: f"{value:.3f}" for k, value in (now | more).items()})
                progress = Progress(step + 1, steps, now, best.latest, network)
                stop = any([call(progress) is True for call in callbacks]) or stop
            if stop:
                break
    best.restore()
    return history


def _to_floats(step: int, terms: dict[str, Tensor]) -> dict[str, float]:
    now = {name: float(term.detach().mean()) for name, term in terms.items()}
    if not np.isfinite(list(now.values())).all():
        raise FloatingPointError(
            f"the loss was no longer finite at step {step}: {now}. Lower lr, which is probably too "
            "large."
        )
    return now


def warn_unless_settled(history: list[dict[str, float]], lr: float) -> None:
    """Warn if L_c rose, or was still falling fast when training ended."""
    course = [row["L_c"] for row in history if row.get("member", 0) == 0]
    first, last, late = course[0], course[-1], course[3 * len(course) // 4]
    if last > 1.1 * first:
        what = f"L_c rose from {first:.3g} to {last:.3g}: lr={lr:g} is probably too large"
    elif first - last < 0.02 * first or late - last > (first - last) / 2:
        what = f"L_c went from {first:.3g} to {last:.3g} and has not settled: try more steps"
    else:
        return
    warnings.warn(f"{what} (history_ has its course).", ConvergenceWarning, stacklevel=3)


# ------------------------------------------------------------------ what trained networks say


@torch.no_grad()
def each(function: Callable, network: nn.Module, sources: Sequence, rows: np.ndarray) -> np.ndarray:
    """Return what a function of the views (…, d_v), and of which rows have them, makes of rows, for
    every member: (m, n, …).

    Rows go through in chunks, in evaluation mode and full precision.
    """
    network.eval()
    made = []
    with full_precision(next(network.parameters())):
        for start in range(0, len(rows), ROWS_AT_ONCE):
            chunk = torch.from_numpy(rows[start : start + ROWS_AT_ONCE])
            made.append(function(*take_views(sources, chunk)).cpu())
    return torch.cat(made, 1).numpy()


def each_probability(network: nn.Module, sources: Sequence, rows: np.ndarray) -> np.ndarray:
    """Return every member's probabilities of rows: (m, n, c)."""

    def function(views: list[Tensor], present: Tensor | None) -> Tensor:
        logits = network.logits(views, present)
        return logits.sigmoid() if network.recipe.kind == "multilabel" else logits.softmax(2)

    return each(function, network, sources, rows)


# ------------------------------------------------------------------ batches


def _batches(recipe, rows: Rows, plan: Plan) -> Callable[[], Batch]:
    """Return a function that makes the next batch."""
    members, count = rows.labeled.shape
    device, distance = rows.Y.device, recipe.distance
    known = Shuffler(members, count, plan.labeled_batch)
    contrasted = recipe.alpha > 0 and len(rows.unlabeled)
    more = Shuffler(members, len(rows.unlabeled), plan.unlabeled_batch) if contrasted else None
    labeled, unlabeled = rows.labeled.cpu(), rows.unlabeled.cpu()
    kept: list[LabelPairs] = []  # of the whole set, which never changes

    def next_batch() -> Batch:
        chosen = labeled.gather(1, known.next())  # (m, b)
        both = chosen if more is None else torch.cat([chosen, unlabeled[more.next()]], 1)
        flat = both.flatten()
        views, present = take_views(rows.sources, flat)
        views = [x.view(members, -1, *x.shape[1:]) for x in views]
        present = None if present is None else present.view(len(views), members, -1)
        mine = chosen.to(device)
        Y, entries = rows.Y[mine], None if rows.known is None else rows.known[mine]
        pairs = kept[0] if kept else None
        if pairs is None and recipe.beta > 0:
            pairs = LabelPairs(Y, distance, entries)
            if known.whole:
                kept.append(pairs)
        weight = rows.weight[mine]
        return Batch(views, Y, weight, rows.positive_weight, pairs, entries, present)

    return next_batch


class Shuffler:
    """Row numbers below ``count`` for each member: passes in random orders, none twice in a step.

    Example:
        >>> Shuffler(members=2, count=3, size=5).next()
        tensor([[0, 1, 2],
                [0, 1, 2]])
    """

    def __init__(self, members: int, count: int, size: int):
        self.members, self.count, self.size = members, count, min(size, count)
        self.place, self.whole = count, size >= count

    def next(self) -> Tensor:
        """Return (m, size); the last rows of a pass that fill no step are left out."""
        if self.whole:
            return torch.arange(self.count, device="cpu").expand(self.members, -1)
        if self.place + self.size > self.count:
            self.order = torch.rand(self.members, self.count, device="cpu").argsort(1)
            self.place = 0
        self.place += self.size
        return self.order[:, self.place - self.size : self.place]


# ------------------------------------------------------------------ the optimiser


class AdamW:
    """Loshchilov and Hutter's, as in torch, whose own first step loads a compiler for seconds."""

    def __init__(self, parameters, weight_decay: float, betas=(0.9, 0.999), eps: float = 1e-8):
        self.weights = [w for w in parameters if w.requires_grad]
        self.mean, self.square = ([torch.zeros_like(w) for w in self.weights] for _ in range(2))
        self.weight_decay, self.betas, self.eps, self.count = weight_decay, betas, eps, 0

    @torch.no_grad()
    def step(self, lr: float) -> None:
        """Take one step; what no loss term has touched stays."""
        self.count += 1
        used = [k for k, w in enumerate(self.weights) if w.grad is not None]
        w, mean, square = ([ts[k] for k in used] for ts in (self.weights, self.mean, self.square))
        slopes = [x.grad for x in w]
        one, two = self.betas
        torch._foreach_mul_(mean, one)
        torch._foreach_add_(mean, slopes, alpha=1 - one)
        torch._foreach_mul_(square, two)
        torch._foreach_addcmul_(square, slopes, slopes, value=1 - two)
        size = torch._foreach_sqrt(square)
        torch._foreach_div_(size, math.sqrt(1 - two**self.count))
        torch._foreach_add_(size, self.eps)
        torch._foreach_mul_(w, 1 - lr * self.weight_decay)
        torch._foreach_addcdiv_(w, mean, size, value=-lr / (1 - one**self.count))


# ------------------------------------------------------------------ early stopping


class _Best:
    """The weights with the lowest L_c on validation rows; without such rows it does nothing."""

    def __init__(self, network: nn.Module, rows: Rows, steps: int):
        self.network, self.validation = network, rows.validation
        self.positive_weight = rows.positive_weight
        self.every = max(1, steps // VALIDATIONS)
        self.latest, self.lowest, self.state, self.in_vain = None, math.inf, None, 0

    def look(self, step: int) -> bool:
        """Return whether it is time to stop."""
        if not self.validation or (step + 1) % self.every:
            return False
        views, present, Y, known = self.validation
        self.network.eval()
        with torch.no_grad():
            logits = self.network.logits(views, present)
            weight, Y = Y.new_ones(1, len(Y)), Y.expand(len(logits), -1, -1)
            batch = Batch(views, Y, weight, self.positive_weight, None, known)
            self.latest = float(classification(logits, batch, self.network.recipe.kind).mean())
        self.network.train()
        self.in_vain += 1
        if self.latest < self.lowest:
            self.lowest, self.in_vain = self.latest, 0
            self.state = copy.deepcopy(self.network.state_dict())
        return self.in_vain >= PATIENCE

    def restore(self) -> None:
        if self.state is not None:
            self.network.load_state_dict(self.state)
