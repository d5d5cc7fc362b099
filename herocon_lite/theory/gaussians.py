"""Correlated Gaussian views, whose mutual information is known, and bounds estimated on them."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor

CRITICS = ("best", "best, weighted", "cosine", "cosine, weighted", "cosine, tau = 0.1")
SCORES_AT_ONCE = 2**22  # pairs held in memory by gaussian_bounds


def gaussian_information(d: int, rho: float) -> float:
    """Return I(X; Y) of d independent pairs of Gaussians, each pair with correlation ρ.

    >>> round(gaussian_information(1, 0.5), 4)  # −½ log(1 − ρ²)
    0.1438
    """
    return -d / 2 * math.log1p(-(rho**2))


def gaussian_correlation(d: int, information: float) -> float:
    """Return the ρ ≥ 0 that gives this information.

    >>> round(gaussian_information(10, gaussian_correlation(10, 2.0)), 12)
    2.0
    """
    return math.sqrt(-math.expm1(-2 * information / d))


def gaussian_pairs(
    batches: int, n: int, d: int, rho: float, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Draw two views (batches, n, d) with correlation ρ between their coordinates.

    >>> x, y = gaussian_pairs(1, 4, 3, 1.0, torch.Generator())
    >>> x.shape, bool((x == y).all())
    (torch.Size([1, 4, 3]), True)
    """
    x, noise = torch.randn(2, batches, n, d, generator=generator, dtype=torch.float64)
    return x, rho * x + math.sqrt(1 - rho**2) * noise


def gaussian_log_ratio(x: Tensor, y: Tensor, rho: float) -> Tensor:
    """Return log p(y|x)/p(y) of all pairs, (…, n, n): the best critic.

    >>> gaussian_log_ratio(torch.ones(1, 2), torch.ones(1, 2), 0.0).tolist()
    [[0.0]]
    """
    rest = 1 - rho**2
    squares = (x**2).sum(-1)[..., :, None] + (y**2).sum(-1)[..., None, :]
    log_ratio = (rho * x @ y.mT - rho**2 / 2 * squares) / rest
    return log_ratio - x.shape[-1] / 2 * math.log(rest)


def all_cosines(x: Tensor, y: Tensor) -> Tensor:
    """Return the cosines of all pairs of rows, (…, n, n).

    >>> all_cosines(torch.eye(2), 3 * torch.eye(2)).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return F.normalize(x, dim=-1) @ F.normalize(y, dim=-1).mT


def batch_bound(scores: Tensor, log_weights: Tensor | None = None) -> Tensor:
    """Return log(M + 1) − L of each batch, its pairs being each other's negatives.

    Args:
        scores: (…, n, n), log f; the positives lie on the diagonal, and M = n − 1.
        log_weights: (…, n, n), log g; the diagonal is ignored, a positive has weight 1.

    >>> batch_bound(torch.zeros(3, 3)).item()  # a critic that sees nothing
    0.0
    """
    positive = scores.diagonal(dim1=-2, dim2=-1)
    if log_weights is not None:
        log_weights = log_weights.clone()
        log_weights.diagonal(dim1=-2, dim2=-1).zero_()
        scores = scores + log_weights
    return (positive - scores.logsumexp(-1)).mean(-1) + math.log(scores.shape[-1])


def gaussian_bounds(
    information: float, M: int, d: int = 10, anchors: int = 16384, seed: int = 0
) -> dict[str, tuple[float, float]]:
    """Estimate log(M + 1) − L on fresh batches for each critic, on the same draws.

    Critics: the density ratio ("best"), f = exp(cos) ("cosine"), both also with the paper's weight
    g for H = identity, and exp(cos/0.1).

    Args:
        information: true mutual information of the views.
        M: number of negatives.
        d: number of coordinates.
        anchors: about how many in all; there are never fewer than 8 batches.
        seed: of the draws.

    Returns:
        Mean and standard error for each of ``CRITICS``.

    >>> mean, error = gaussian_bounds(2.0, M=15, anchors=512)["best"]
    >>> 1 < mean < 2 and error < 0.1
    True
    """
    generator = torch.Generator().manual_seed(seed)
    rho, n = gaussian_correlation(d, information), M + 1
    batches = max(8, anchors // n)
    at_once = max(1, min(batches, SCORES_AT_ONCE // n**2))
    values = {name: [] for name in CRITICS}
    for start in range(0, batches, at_once):
        x, y = gaussian_pairs(min(at_once, batches - start), n, d, rho, generator)
        ratio, cos = gaussian_log_ratio(x, y, rho), all_cosines(x, y)
        log_g = 1 - cos
        values["best"].append(batch_bound(ratio))
        values["best, weighted"].append(batch_bound(ratio, log_g))
        values["cosine"].append(batch_bound(cos))
        values["cosine, weighted"].append(batch_bound(cos, log_g))
        values["cosine, tau = 0.1"].append(batch_bound(cos / 0.1))
    return {name: mean_and_error(torch.cat(parts)) for name, parts in values.items()}


def mean_and_error(values: Tensor) -> tuple[float, float]:
    """Return the mean of independent values and its standard error.

    >>> mean_and_error(torch.tensor([1.0, 3.0]))
    (2.0, 1.0)
    """
    return values.mean().item(), (values.std() / math.sqrt(len(values))).item()
