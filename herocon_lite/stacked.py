"""The losses of networks trained side by side: m of each, value by value those of the package.

Tensors have the member as their first axis. Rows that lack a view and labels that are not known
are left out by masks, since members differ in how many they have.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from herocon_lite.similarity import hamming, softplus, unit

TINY = 1e-30  # a sum of weights where nothing is known


@dataclass
class Batch:
    """One step's rows, of m members: labelled rows come first in every view."""

    views: list[Tensor]  # each (m, b + u, ...)
    Y: Tensor  # (m, b, c), 0/1; 0 where it is not known
    weight: Tensor  # (m, b), of the rows in L_c
    positive_weight: Tensor | None  # (c,), of a label's positives in L_c
    pairs: LabelPairs | None  # of L_s; None where β is 0
    known: Tensor | None = None  # (m, b, c), bool: which labels are known; None: all
    present: Tensor | None = None  # (V, m, b + u), bool: which rows have a view; None: all


def classification(logits: Tensor, batch: Batch, kind: str) -> Tensor:
    """Compute L_c of every member: softmax for classes, one sigmoid a label otherwise.

    Returns:
        (m,), the weighted mean over rows (and labels), of the labels that are known.
    """
    if kind == "multiclass":
        each = -(batch.Y * logits.log_softmax(2)).sum(2)
    else:
        each = F.binary_cross_entropy_with_logits(
            logits, batch.Y, reduction="none", pos_weight=batch.positive_weight
        )
        if batch.known is not None:
            weight = batch.known * batch.weight[:, :, None]
            return (each * weight).sum((1, 2)) / weight.sum((1, 2)).clamp_min(TINY)
        each = each.mean(2)
    return (each * batch.weight).sum(1) / batch.weight.sum(1)


def unit_rows(x: Tensor) -> Tensor:
    """Scale the rows of x (m, n, d) to length one."""
    return unit(x.flatten(0, 1)).view(x.shape)


def stacked_unsupervised(
    z1: Tensor,
    z2: Tensor,
    H: Sequence[Tensor] | None,
    temperature: float,
    detach: bool = False,
    both: Tensor | None = None,
) -> Tensor:
    """Compute :func:`losses.weighted_unsupervised` of every member.

    Args:
        z1, z2: (m, n, d), the two views.
        H: what the weight net makes of each, or None for g ≡ 1.
        temperature, detach: as there.
        both: (m, n), bool: rows that have both views; the others are neither anchors nor
            negatives. None: all.

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
    if both is None:
        log_negatives = scores.masked_fill(own, -math.inf).logsumexp(2)
        return softplus(log_negatives - positive).mean(1)
    left_out = own | ~both.repeat(1, 2)[:, None]
    lowest = torch.finfo(scores.dtype).min  # finite: a row may have nothing to sum
    log_negatives = scores.masked_fill(left_out, lowest).logsumexp(2)
    each = softplus(log_negatives - positive) * both
    return each.sum(1) / both.sum(1).clamp_min(1)


class LabelPairs:
    """What L_s needs of the labels of a batch: distances, and every pair that shares a label.

    Args:
        Y: (m, n, c), 0/1; 0 where it is not known.
        distance, known: as in :func:`losses.weighted_supervised`, but known (m, n, c).
    """

    def __init__(self, Y: Tensor, distance: str, known: Tensor | None = None):
        _, n, c = Y.shape
        known = None if known is None else known.to(Y.dtype)
        dist = hamming(Y, known)
        dist = (dist > 0).to(Y.dtype) if distance == "indicator" else dist
        self.log_sigma = (1 - dist / c).clamp_min(1 / c).log()  # (m, n, n)
        self.gamma = dist.clamp_min(1)  # (m, n, n)
        self.lacks = 1 - Y if known is None else known - Y
        count = Y.sum(1)  # (m, c)
        ordered = count * (count - 1)
        usable = (ordered > 0) & (self.lacks.sum(1) > 0)
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
