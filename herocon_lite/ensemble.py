"""Networks trained side by side: m of them as tensors whose first axis is the member.

Small networks spend a step on waiting for one another's operations; stacked, ten take about the
time of three. :class:`Stacked` is for tables of features. :class:`Single` is one network around
encoders of the user's own, with the losses of :mod:`herocon_lite.losses`; the stacked losses here
are the same functions of every member, which the tests compare value by value.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Integral

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from herocon_lite import losses
from herocon_lite.checks import check_probability, check_temperature, check_weight
from herocon_lite.models import dense, weight_net
from herocon_lite.similarity import softplus, unit

MOMENTUM = 0.1  # of batch normalisation's averages, as in torch
COPY_NOISE = 0.1  # added to the second copy of a lone view, in standard deviations of a feature


@dataclass(frozen=True)
class Recipe:
    """What is minimised: L_c + α · L_u + β · L_s, and the sizes and noise of the networks."""

    kind: str  # "multilabel" or "multiclass"
    outputs: int
    alpha: float = 0.1
    beta: float = 0.1
    temperature: float = 1.0
    weighted: bool = True  # L_u has the weights g
    detach: bool = False
    widths: Sequence[int] = (64, 64)
    dropout: float = 0.3

    def __post_init__(self) -> None:
        check_weight("alpha", self.alpha)
        check_weight("beta", self.beta)
        check_temperature(self.temperature)
        check_probability("dropout", self.dropout)
        listed = isinstance(self.widths, list | tuple) and len(self.widths) > 0
        if not listed or not all(isinstance(w, Integral) and w >= 1 for w in self.widths):
            raise ValueError(
                f"widths must be whole numbers ≥ 1, one or more layers; got {self.widths!r}."
            )

    @property
    def distance(self) -> str:
        """Of label vectors: Hamming would double every negative of one-hot ones."""
        return "indicator" if self.kind == "multiclass" else "hamming"


@dataclass
class Batch:
    """One step's rows, of m members: labelled rows come first in every view."""

    views: list[Tensor]  # each (m, b + u, ...)
    Y: Tensor  # (m, b, c), 0/1
    weight: Tensor  # (m, b), of the rows in L_c
    positive_weight: Tensor | None  # (c,), of a label's positives in L_c
    pairs: LabelPairs | None  # of L_s; None where β is 0


# ------------------------------------------------------------------ stacked networks


class Stacked(nn.Module):
    """``members`` networks for tables: per view a few layers, then one classifier on all views.

    Args:
        recipe: sizes, noise and loss.
        sizes: columns of each view. A lone view is taken twice, with noise on the second copy.
        members: m.
    """

    def __init__(self, recipe: Recipe, sizes: Sequence[int], members: int):
        super().__init__()
        self.recipe, self.members, self.copied = recipe, members, len(sizes) == 1
        sizes = [*sizes] * 2 if self.copied else sizes
        widths = recipe.widths
        self.encoders = nn.ModuleList(
            nn.ModuleList(Block(members, p, q) for p, q in pairwise([size, *widths]))
            for size in sizes
        )
        self.joint_size = widths[-1] * len(sizes)  # of S, a member
        self.classifier = Dense(members, self.joint_size, recipe.outputs)
        self.projectors = self.H = None
        if recipe.alpha > 0:
            self.projectors = nn.ModuleList(Block(members, widths[-1], widths[-1]) for _ in sizes)
            self.H = Dense(members, widths[-1], widths[-1]) if recipe.weighted else None

    def encode(self, views: Sequence[Tensor]) -> list[Tensor]:
        """Return h_v (m, n, width) of views (m, n, d_v)."""
        views = list(views) * 2 if self.copied else views
        h = []
        for number, (x, layers) in enumerate(zip(views, self.encoders, strict=True)):
            if self.copied and number and self.training:
                x = x + COPY_NOISE * torch.randn_like(x)
            x = self._drop(x)
            for layer in layers:
                x = self._drop(layer(x))
            h.append(x)
        return h

    def _drop(self, x: Tensor) -> Tensor:
        p = self.recipe.dropout
        return F.dropout(x, p) if self.training and p > 0 else x

    def terms(self, batch: Batch) -> dict[str, Tensor]:
        """Return the loss terms of every member, (m,) each, weights α and β included."""
        recipe, known = self.recipe, batch.Y.shape[1]
        h = self.encode(batch.views)
        S = torch.cat([rows[:, :known] for rows in h], 2)
        logits = self.classifier(S)
        terms = {"L_c": classification(logits, batch, recipe.kind)}
        if recipe.beta > 0:
            terms["L_s"] = recipe.beta * stacked_supervised(S, batch.pairs, recipe.temperature)
        if recipe.alpha > 0:
            first, second = draw_pair(len(h))
            z = [self.projectors[v](h[v]) for v in (first, second)]
            loss = stacked_unsupervised(*z, self._weights(z), recipe.temperature, recipe.detach)
            terms["L_u"] = recipe.alpha * loss
        return terms

    def _weights(self, z: list[Tensor]) -> list[Tensor] | None:
        """H(z) of both views, what g is made with; None: g ≡ 1."""
        if self.H is None:
            return None
        return [self.H(rows.detach() if self.recipe.detach else rows).sigmoid() for rows in z]

    def embed(self, views: Sequence[Tensor]) -> Tensor:
        """Return S (m, n, d) of views (n, d_v)."""
        wide = [x.expand(self.members, *x.shape) for x in views]
        return torch.cat(self.encode(wide), 2)

    def logits(self, views: Sequence[Tensor]) -> Tensor:
        """Return (m, n, c) of views (n, d_v)."""
        return self.classifier(self.embed(views))


class Dense(nn.Module):
    """m linear layers side by side, started as PyTorch starts one: x (m, n, p) to (m, n, q)."""

    def __init__(self, members: int, p: int, q: int):
        super().__init__()
        bound = 1 / math.sqrt(p)
        self.weight = nn.Parameter(torch.empty(members, p, q).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.empty(members, 1, q).uniform_(-bound, bound))

    def forward(self, x: Tensor) -> Tensor:
        return torch.baddbmm(self.bias, x, self.weight)


class Block(nn.Module):
    """m of the paper's blocks side by side: linear, ReLU, batch normalisation.

    The averages that prediction uses are plain means at first, so that ten steps are enough.
    """

    def __init__(self, members: int, p: int, q: int):
        super().__init__()
        self.linear, self.seen = Dense(members, p, q), 0
        self.scale = nn.Parameter(torch.ones(members * q))
        self.shift = nn.Parameter(torch.zeros(members * q))
        self.register_buffer("mean", torch.zeros(members * q))
        self.register_buffer("var", torch.ones(members * q))

    def forward(self, x: Tensor) -> Tensor:
        y = self.linear(x).relu().transpose(0, 1)  # (n, m, q): a member's columns are its own
        self.seen += self.training
        made = F.batch_norm(
            y.flatten(1),
            self.mean,
            self.var,
            self.scale,
            self.shift,
            self.training,
            max(MOMENTUM, 1 / max(self.seen, 1)),
        )
        return made.view(y.shape).transpose(0, 1)


def draw_pair(views: int) -> tuple[int, int]:
    """Return the two views that a step contrasts: of more than two a pair drawn anew."""
    return (0, 1) if views == 2 else tuple(torch.randperm(views, device="cpu")[:2].tolist())


# ------------------------------------------------------------------ their losses


def classification(logits: Tensor, batch: Batch, kind: str) -> Tensor:
    """Compute L_c of every member: softmax for classes, one sigmoid a label otherwise.

    Returns:
        (m,), the weighted mean over rows (and labels).
    """
    if kind == "multiclass":
        each = -(batch.Y * logits.log_softmax(2)).sum(2)
    else:
        each = F.binary_cross_entropy_with_logits(
            logits, batch.Y, reduction="none", pos_weight=batch.positive_weight
        ).mean(2)
    return (each * batch.weight).sum(1) / batch.weight.sum(1)


def unit_rows(x: Tensor) -> Tensor:
    """Scale the rows of x (m, n, d) to length one."""
    return unit(x.flatten(0, 1)).view(x.shape)


def stacked_unsupervised(
    z1: Tensor, z2: Tensor, H: Sequence[Tensor] | None, temperature: float, detach: bool = False
) -> Tensor:
    """Compute :func:`losses.weighted_unsupervised` of every member.

    Args:
        z1, z2: (m, n, d), the two views.
        H: what the weight net makes of each, or None for g ≡ 1.
        temperature, detach: as there.

    Returns:
        (m,).
    """
    a = unit_rows(z1), unit_rows(z2)
    positive = (a[0] * a[1]).sum(2) / temperature
    scores = torch.cat([a[0] @ rows.mT for rows in a], 2) / temperature  # (m, n, 2n)
    own = torch.eye(z1.shape[1], dtype=torch.bool, device=z1.device).repeat(1, 2)
    if H is not None:
        w = [rows.detach() for rows in a] if detach else a
        h = [unit_rows(rows) for rows in H]
        halves = [torch.cat([q @ k.mT for k in keys], 2) for q, keys in ((h[0], w), (w[0], h))]
        scores = scores + torch.logaddexp(-halves[0], -halves[1]) + (1 - math.log(2))
    log_negatives = scores.masked_fill(own, -math.inf).logsumexp(2)
    return softplus(log_negatives - positive).mean(1)


class LabelPairs:
    """What L_s needs of the labels of a batch: distances, and every pair that shares a label.

    Args:
        Y: (m, n, c), 0/1.
        distance: as in :func:`losses.weighted_supervised`.
    """

    def __init__(self, Y: Tensor, distance: str):
        _, n, c = Y.shape
        size = Y.sum(2)
        dist = size[:, :, None] + size[:, None, :] - 2 * (Y @ Y.mT)
        dist = (dist > 0).to(Y.dtype) if distance == "indicator" else dist
        self.log_sigma = (1 - dist / c).clamp_min(1 / c).log()  # (m, n, n)
        self.gamma = dist.clamp_min(1)  # (m, n, n)
        self.lacks = 1 - Y
        count = Y.sum(1)  # (m, c)
        ordered = count * (count - 1)
        usable = (ordered > 0) & (count < n)
        weight = usable / ordered.clamp_min(1) / c  # (m, c)
        has = (Y * usable[:, None]).bool()
        found = [self._of_label(has[:, :, a]) for a in range(c)]
        label = torch.cat([torch.full_like(f[0], a) for a, f in enumerate(found)])
        member, i, j = (torch.cat(parts) for parts in zip(*found, strict=True))
        self.negative = (member * n + i) * c + label  # into (m, n, c), flat
        self.positive = (member * n + i) * n + j  # into (m, n, n), flat
        self.member, self.weight = member, weight[member, label]

    @staticmethod
    def _of_label(has: Tensor) -> tuple[Tensor, ...]:
        """The (member, i, j), i ≠ j, that both have the label: has (m, n)."""
        both = has[:, :, None] & has[:, None, :]
        both.diagonal(dim1=1, dim2=2).fill_(False)
        return both.nonzero(as_tuple=True)


def stacked_supervised(S: Tensor, pairs: LabelPairs, temperature: float) -> Tensor:
    """Compute :func:`losses.weighted_supervised` of every member: S (m, n, d) to (m,).

    The sum over negatives has one maximum a row. That is exact as long as exp(−2/τ) is a number,
    at τ ≥ 0.03 in float32; below, :func:`losses.weighted_supervised` takes it in bands.
    """
    a = unit_rows(S)
    scores = (a @ a.mT) / temperature
    top = scores.detach().amax(2, keepdim=True)
    sums = ((scores - top).exp() * pairs.gamma) @ pairs.lacks  # (m, n, c)
    log_negatives = sums.clamp_min(torch.finfo(sums.dtype).tiny).log() + top
    log_positives = scores + pairs.log_sigma
    gap = log_negatives.flatten()[pairs.negative] - log_positives.flatten()[pairs.positive]
    each = softplus(gap) * pairs.weight
    return S.new_zeros(len(S)).index_add(0, pairs.member, each)


# ------------------------------------------------------------------ encoders of the user's own


class Single(nn.Module):
    """One network around given encoders; like :class:`Stacked` with one member.

    Args:
        recipe: what is minimised.
        encoders: one module a view, each from its x (n, ...) to (n, size).
        sizes: what each encoder returns.
    """

    members = 1

    def __init__(self, recipe: Recipe, encoders: Sequence[nn.Module], sizes: Sequence[int]):
        super().__init__()
        self.recipe, self.copied = recipe, len(encoders) == 1
        self.sizes = [*sizes]
        encoders = [*encoders, copy.deepcopy(encoders[0])] if self.copied else encoders
        sizes = [*sizes] * 2 if self.copied else sizes
        self.encoders, self.joint_size = nn.ModuleList(encoders), sum(sizes)
        self.drop = nn.Dropout(recipe.dropout)
        self.classifier = nn.Linear(self.joint_size, recipe.outputs)
        self.projectors = self.H = None
        if recipe.alpha > 0:
            width = recipe.widths[-1]
            self.projectors = nn.ModuleList(dense(size, width) for size in sizes)
            self.H = weight_net(width) if recipe.weighted else None

    def encode(self, views: Sequence[Tensor]) -> list[Tensor]:
        """Return h_v (n, size_v) of views (n, ...)."""
        views = list(views) * 2 if self.copied else views
        h = []
        for number, (x, encoder) in enumerate(zip(views, self.encoders, strict=True)):
            if self.copied and number and self.training and x.is_floating_point():
                x = x + COPY_NOISE * torch.randn_like(x)
            h.append(encoder(x))
        return h

    def terms(self, batch: Batch) -> dict[str, Tensor]:
        recipe, known = self.recipe, batch.Y.shape[1]
        h = self.encode([x[0] for x in batch.views])
        S = torch.cat([rows[:known] for rows in h], 1)
        logits = self.classifier(self.drop(S))
        terms = {"L_c": classification(logits[None], batch, recipe.kind)}
        if recipe.beta > 0:
            loss = losses.weighted_supervised(
                S, batch.Y[0], recipe.temperature, distance=recipe.distance
            )
            terms["L_s"] = recipe.beta * loss[None]
        if recipe.alpha > 0:
            z = [self.projectors[v](h[v]) for v in draw_pair(len(h))]
            options = {"temperature": recipe.temperature, "detach": recipe.detach}
            loss = losses.weighted_unsupervised(*z, self.H, **options)
            terms["L_u"] = recipe.alpha * loss[None]
        return terms

    def embed(self, views: Sequence[Tensor]) -> Tensor:
        return torch.cat(self.encode(views), 1)[None]

    def logits(self, views: Sequence[Tensor]) -> Tensor:
        return self.classifier(self.embed(views))
