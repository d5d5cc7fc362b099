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
from herocon_lite.stacked import (
    Batch,
    classification,
    stacked_supervised,
    stacked_unsupervised,
)

MOMENTUM, EPS = 0.1, 1e-5  # of batch normalisation, as in torch
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

    def encode(self, views: Sequence[Tensor], present: Tensor | None = None) -> list[Tensor]:
        """Return h_v (m, n, width) of views (m, n, d_v), of which ``present`` (V, m, n) are there.

        What the others give means nothing, and :func:`join` leaves it out.
        """
        views = list(views) * 2 if self.copied else views
        h = []
        for number, (x, layers) in enumerate(zip(views, self.encoders, strict=True)):
            here = None if present is None else present[number]
            if self.copied and number and self.training:
                x = x + COPY_NOISE * torch.randn_like(x)
            x = self._drop(x)
            for layer in layers:
                x = self._drop(layer(x, here))
            h.append(x)
        return h

    def _drop(self, x: Tensor) -> Tensor:
        p = self.recipe.dropout
        return F.dropout(x, p) if self.training and p > 0 else x

    def terms(self, batch: Batch) -> dict[str, Tensor]:
        """Return the loss terms of every member, (m,) each, weights α and β included."""
        recipe, known = self.recipe, batch.Y.shape[1]
        present = batch.present
        h = self.encode(batch.views, present)
        S = join([rows[:, :known] for rows in h], first_rows(present, known))
        logits = self.classifier(S)
        terms = {"L_c": classification(logits, batch, recipe.kind)}
        if recipe.beta > 0:
            terms["L_s"] = recipe.beta * stacked_supervised(S, batch.pairs, recipe.temperature)
        if recipe.alpha > 0:
            pair = list(draw_pair(len(h)))
            here = [None, None] if present is None else present[pair]
            z = [self.projectors[v](h[v], rows) for v, rows in zip(pair, here, strict=True)]
            both = None if present is None else here.all(0)
            options = recipe.temperature, recipe.detach, both
            terms["L_u"] = recipe.alpha * stacked_unsupervised(*z, self._weights(z), *options)
        return terms

    def _weights(self, z: list[Tensor]) -> list[Tensor] | None:
        """H(z) of both views, what g is made with; None: g ≡ 1."""
        if self.H is None:
            return None
        return [self.H(rows.detach() if self.recipe.detach else rows).sigmoid() for rows in z]

    def embed(self, views: Sequence[Tensor], present: Tensor | None = None) -> Tensor:
        """Return S (m, n, d) of views (n, d_v), of which ``present`` (V, n) are there."""
        wide = [x.expand(self.members, *x.shape) for x in views]
        here = None if present is None else present[:, None].expand(-1, self.members, -1)
        return join(self.encode(wide, here), here)

    def logits(self, views: Sequence[Tensor], present: Tensor | None = None) -> Tensor:
        """Return (m, n, c) of views (n, d_v)."""
        return self.classifier(self.embed(views, present))


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

    def forward(self, x: Tensor, present: Tensor | None = None) -> Tensor:
        """Return (m, n, q) of x (m, n, p); only rows that are ``present`` (m, n) make up the
        batch's mean and variance."""
        y = self.linear(x).relu().transpose(0, 1)  # (n, m, q): a member's columns are its own
        self.seen += self.training
        momentum = max(MOMENTUM, 1 / max(self.seen, 1))
        if present is not None and self.training:
            return self._norm_present(y, present.T[:, :, None].to(y.dtype), momentum)
        made = F.batch_norm(
            y.flatten(1), self.mean, self.var, self.scale, self.shift, self.training, momentum
        )
        return made.view(y.shape).transpose(0, 1)

    def _norm_present(self, y: Tensor, here: Tensor, momentum: float) -> Tensor:
        """Batch normalisation of y (n, m, q) by its rows that are here (n, m, 1), 0/1."""
        count = here.sum(0)  # (m, 1)
        mean = (y * here).sum(0) / count.clamp_min(1)  # (m, q)
        var = ((y - mean).square() * here).sum(0) / count.clamp_min(1)
        with torch.no_grad():  # of one row there is no variance
            step = momentum * (count > 1)
            unbiased = var * count / (count - 1).clamp_min(1)
            for average, now in ((self.mean, mean), (self.var, unbiased)):
                old = average.view(now.shape)
                old.add_(step * (now - old))
        scale, shift = self.scale.view(mean.shape), self.shift.view(mean.shape)
        return ((y - mean) * (var + EPS).rsqrt() * scale + shift).transpose(0, 1)


def join(h: Sequence[Tensor], present: Tensor | None = None) -> Tensor:
    """Put the views' representations h_v (…, n, width) side by side: S (…, n, d).

    Absent views, those not ``present`` (V, …, n), are 0: the classifier's sum over views and the
    cosines of L_s leave them out. The others are not scaled up: a row with fewer views has less
    evidence, and its probabilities stay nearer to the labels' shares.
    """
    if present is None:
        return torch.cat([*h], -1)
    kept = [x.masked_fill(~here[..., None], 0) for x, here in zip(h, present, strict=True)]
    return torch.cat(kept, -1)


def first_rows(present: Tensor | None, count: int) -> Tensor | None:
    """Return which of the first rows have a view."""
    return None if present is None else present[..., :count]


def draw_pair(views: int) -> tuple[int, int]:
    """Return the two views that a step contrasts: of more than two a pair drawn anew."""
    return (0, 1) if views == 2 else tuple(torch.randperm(views, device="cpu")[:2].tolist())


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

    def encode(self, views: Sequence[Tensor], present: Tensor | None = None) -> list[Tensor]:
        """Return h_v (n, size_v) of views (n, ...), of which ``present`` (V, n) are there."""
        views = list(views) * 2 if self.copied else views
        h = []
        for number, (x, encoder) in enumerate(zip(views, self.encoders, strict=True)):
            if self.copied and number and self.training and x.is_floating_point():
                x = x + COPY_NOISE * torch.randn_like(x)
            here = None if present is None else present[number]
            h.append(of_present(encoder, x, here, self.sizes[number % len(self.sizes)]))
        return h

    def terms(self, batch: Batch) -> dict[str, Tensor]:
        recipe, known = self.recipe, batch.Y.shape[1]
        present = None if batch.present is None else batch.present[:, 0]
        h = self.encode([x[0] for x in batch.views], present)
        S = join([rows[:known] for rows in h], first_rows(present, known))
        logits = self.classifier(self.drop(S))
        terms = {"L_c": classification(logits[None], batch, recipe.kind)}
        if recipe.beta > 0:
            options = {"distance": recipe.distance}
            if batch.known is not None:
                options["known"] = batch.known[0]
            loss = losses.weighted_supervised(S, batch.Y[0], recipe.temperature, **options)
            terms["L_s"] = recipe.beta * loss[None]
        if recipe.alpha > 0:
            terms["L_u"] = recipe.alpha * self._unsupervised(h, present)[None]
        return terms

    def _unsupervised(self, h: list[Tensor], present: Tensor | None) -> Tensor:
        pair = list(draw_pair(len(h)))
        here = [None, None] if present is None else present[pair]
        width = self.recipe.widths[-1]
        z = [
            of_present(self.projectors[v], h[v], rows, width)
            for v, rows in zip(pair, here, strict=True)
        ]
        if present is not None:  # anchors and negatives: the rows that have both views
            both = here.all(0)
            if not both.any():
                return h[0].new_zeros(())
            z = [rows[both] for rows in z]
        options = {"temperature": self.recipe.temperature, "detach": self.recipe.detach}
        return losses.weighted_unsupervised(*z, self.H, **options)

    def embed(self, views: Sequence[Tensor], present: Tensor | None = None) -> Tensor:
        return join(self.encode(views, present), present)[None]

    def logits(self, views: Sequence[Tensor], present: Tensor | None = None) -> Tensor:
        return self.classifier(self.embed(views, present))


def of_present(net: nn.Module, x: Tensor, here: Tensor | None, size: int) -> Tensor:
    """Return what a net makes of the rows that are ``here`` (n,), and zeros for the others."""
    if here is None:
        return net(x)
    found = here.nonzero()[:, 0]
    whole = torch.zeros(len(x), size, device=x.device)
    if not len(found):
        return whole
    trains = net.training
    net.train(trains and len(found) > 1)  # one row has no batch statistics
    made = net(x[found])
    net.train(trains)
    return whole.to(made.dtype).index_copy(0, found, made)
