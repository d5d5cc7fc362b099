"""The bound of Lemma 3.3: how high it can reach, and where it fails."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from herocon_lite.theory.exact import outcomes
from herocon_lite.theory.gaussians import all_cosines, batch_bound, mean_and_error


def ceiling(M: int, temperature: float = 1.0, sharp: bool = False) -> float:
    """Return the most that log M − L_u can be with f = exp(cos/τ), for all encoders and data.

    It is below 1/τ for every M.

    Args:
        M: number of negatives.
        temperature: τ.
        sharp: the ceiling of log(M + 1) − L_u instead.

    >>> round(ceiling(255), 3), round(ceiling(255, temperature=0.1), 3)
    (0.989, 5.53)
    """
    return math.log(M + sharp) - math.log1p(M * math.exp(-1 / temperature))


def batch_ceiling(M: int, temperature: float = 1.0) -> float:
    """Return :func:`ceiling` for one batch of M + 1 pairs that are each other's negatives.

    >>> round(batch_ceiling(255), 3)
    0.993
    """
    return math.log(M) - math.log1p(M * math.exp(-(M + 1) / (M * temperature)))


# ------------------------------------------------------------------ where the bound fails


def both_views_loss(
    n: int,
    directions: int,
    temperature: float = 1.0,
    weighted: bool = False,
    alone: bool = False,
) -> float:
    """Return Eq. 5 with both views as negatives, on views with I = 0; exact.

    View 1 is one of ``directions`` unit vectors at 60° to an axis, whose parts across the axis are
    orthogonal; view 2 is always the axis itself.

    Args:
        n: pairs in the batch, drawn independently.
        directions: number of values of view 1.
        temperature: τ.
        weighted: with g for an H that always answers "the axis", as a saturated layer would.
        alone: given that no two pairs of the batch share a direction, as in a batch at hand.

    >>> loss = both_views_loss(256, 1000)
    >>> math.log(2 * 255) - loss > 0.1  # counting both views claims information: I = 0
    True
    """
    M = n - 1
    # cosines 1 and 1/4 of two first views, against the positive's 1/2
    near, far = (math.exp(c / temperature) for c in (0.5, -0.25))
    g1, g2 = (math.exp(0.5), (math.exp(0.5) + 1) / 2) if weighted else (1.0, 1.0)
    if alone:
        return math.log1p(M * (g2 + g1 * far))
    counts, chance = outcomes(M, np.array([1 / directions, 1 - 1 / directions]))
    return float(chance @ np.log1p(M * g2 + g1 * (counts @ [near, far])))


def both_views_batch(n: int) -> tuple[Tensor, Tensor]:
    """Return such views for n pairs that share no direction, (n, n + 1) each.

    >>> z1, z2 = both_views_batch(3)
    >>> (z1 @ z2.T)[0, 0].item(), round((z1 @ z1.T)[0, 1].item(), 2)
    (0.5, 0.25)
    """
    axis, across = torch.eye(n + 1, dtype=torch.float64).split([1, n])
    return 0.5 * axis + math.sqrt(0.75) * across, axis.repeat(n, 1)


def memorise(
    n: int = 64,
    d: int = 20,
    temperature: float = 0.1,
    steps: int = 200,
    lr: float = 0.1,
    seed: int = 0,
) -> tuple[float, float, float]:
    """Train two small networks on n fixed pairs of views that are independent, so I = 0.

    Returns:
        log M − L on the pairs trained on; its mean on fresh pairs, and that mean's standard error.

    >>> train, fresh, _ = memorise(n=16, steps=30)
    >>> train > 0 > fresh
    True
    """
    generator = torch.Generator().manual_seed(seed)

    def views(batches: int) -> Tensor:
        return torch.randn(2, batches, n, d, generator=generator, dtype=torch.float64)

    def layer(rows: int, columns: int) -> Tensor:
        values = torch.randn(rows, columns, generator=generator, dtype=torch.float64)
        return (values / math.sqrt(rows)).requires_grad_()

    nets = [(layer(d, 128), layer(128, 32)) for _ in range(2)]

    def value(pairs: Tensor) -> Tensor:
        z1, z2 = ((x @ w).relu() @ v for x, (w, v) in zip(pairs, nets, strict=True))
        return batch_bound(all_cosines(z1, z2) / temperature) - math.log(n / (n - 1))

    layers = [w for net in nets for w in net]
    momentum = [torch.zeros_like(w) for w in layers]
    train = views(1)
    for _ in range(steps):
        with torch.enable_grad():
            grads = torch.autograd.grad(value(train).mean(), layers)
        with torch.no_grad():  # uphill, with momentum; torch.optim takes seconds to import
            for w, v, grad in zip(layers, momentum, grads, strict=True):
                w += v.mul_(0.9).add_(grad, alpha=lr)
    with torch.no_grad():
        return value(train).item(), *mean_and_error(value(views(100)))
