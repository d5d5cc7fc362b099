"""What a constant weight net makes of L_u: minimisers on a cone around its direction h.

H ≡ h, so that g(a, b) = ½(e^{1−a·h} + e^{1−b·h}); the gradient flows through g and the positive is
not weighted, as in Eq. 5. A freshly initialised sigmoid layer is nearly such an H.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from herocon_lite.similarity import unit
from herocon_lite.theory.collapse import log_mean_exponential
from herocon_lite.theory.spheres import simplex


def constant_net_loss(
    z: Tensor, w: Tensor, h: Tensor, temperature: float = 1.0, both_views: bool = False
) -> Tensor:
    """Return L_u for H ≡ h.

    Args:
        z: (…, n, d), unit rows, view 1, the anchors.
        w: (…, n, d), unit rows, view 2.
        h: (d,) or (…, d), a unit vector.
        temperature: τ.
        both_views: negatives from both views (Eq. 5), or from view 2 alone.

    Returns:
        (…), one loss for each batch.

    >>> points = cone_points(4)
    >>> h = torch.eye(4, dtype=torch.float64)[0]
    >>> abs(constant_net_loss(points, points, h).item() - cone_floor(4)) < 1e-12
    True
    """
    n = z.shape[-2]
    own = torch.eye(n, dtype=torch.bool)
    positive = (z * w).sum(-1, keepdim=True) / temperature
    height = z @ h[..., None]  # (…, n, 1)
    parts = [positive]
    for view in (w, z) if both_views else (w,):
        log_g = torch.logaddexp(1 - height, 1 - (view @ h[..., None]).mT) - math.log(2)
        parts.append((z @ view.mT / temperature + log_g).masked_fill(own, -math.inf))
    return (torch.cat(parts, -1).logsumexp(-1) - positive[..., 0]).mean(-1)


def cone_height(n: int, temperature: float = 1.0) -> float:
    """Return s = z_i·h at a minimiser, d ≥ n: τ(n − 1)/(2n), and 1 from τ = 2n/(n − 1) on.

    >>> cone_height(5), cone_height(5, temperature=3.0)
    (0.4, 1.0)
    """
    return min(1.0, temperature * (n - 1) / (2 * n))


def cone_cosine(n: int, temperature: float = 1.0) -> float:
    """Return z_i·z_k at a minimiser, d ≥ n: (ns² − 1)/(n − 1), which tends to τ²/4.

    >>> round(cone_cosine(5), 3), round(cone_cosine(10**6), 3)
    (-0.05, 0.25)
    """
    return (n * cone_height(n, temperature) ** 2 - 1) / (n - 1)


def cone_floor(n: int, temperature: float = 1.0, both_views: bool = False) -> float:
    """Return the least L_u for H ≡ h: log(1 + (n − 1) e^{1 − s − λ'(1 − s²)}), λ' = n/((n − 1)τ).

    It bounds L_u for every d. With both views as negatives 2(n − 1) stands for n − 1.

    >>> round(cone_floor(5), 4), round(cone_floor(5, both_views=True), 4)
    (1.2671, 1.8085)
    """
    s = cone_height(n, temperature)
    exponent = 1 - s - n / ((n - 1) * temperature) * (1 - s * s)
    return math.log1p((n - 1) * (2 if both_views else 1) * math.exp(exponent))


def cone_points(n: int, temperature: float = 1.0, size: int | None = None) -> Tensor:
    """Return the minimiser z = w: s h + √(1 − s²) u_i, u_i a simplex orthogonal to h.

    Args:
        n: number of samples, at least 2.
        temperature: τ.
        size: number of coordinates, at least n; default n. h is the first axis.

    >>> points = cone_points(5)
    >>> points[:, 0].tolist()
    [0.4, 0.4, 0.4, 0.4, 0.4]
    """
    s = cone_height(n, temperature)
    across = simplex(n, (n if size is None else size) - 1)
    return F.pad(math.sqrt(1 - s * s) * across, (1, 0), value=s)


def cone_deviation_bound(
    n: int, d: int, temperature: float = 1.0, both_views: bool = False
) -> float:
    """Return a bound of ‖z̄ − s h‖² + ‖w̄ − s h‖², at every minimiser, for any d ≥ 2 and s < 1.

    It is 2(1 − s²)/n + ((n − 1)/n)(1 − s²)²/(τ(d − 1)), of order 1/n + 1/d. With both views as
    negatives it is n/μ times that, at most 1.45 and 1.27 for large n: μ is the least eigenvalue
    of [[2n − ½, −(n − 1)/2], [−(n − 1)/2, n − ½]], the curvature in (z̄, w̄).

    >>> round(cone_deviation_bound(2407, 200), 4)
    0.0035
    """
    rest = 1 - cone_height(n, temperature) ** 2
    bound = 2 * rest / n + (n - 1) / n * rest**2 / (temperature * (d - 1))
    if not both_views:
        return bound
    least = (3 * n - 1 - math.sqrt(2 * n * n - 2 * n + 1)) / 2
    return bound * n / least


def cone_cosine_range(
    n: int, d: int, temperature: float = 1.0, both_views: bool = False
) -> tuple[float, float]:
    """Return what bounds the mean cosine of z_i and w_k, i ≠ k, at every minimiser, d ≥ 2, s < 1.

    With r² half of :func:`cone_deviation_bound`, z̄·w̄ lies between (s − r)², or s²/2 − r² if
    r > s/2, and (s + r)². The mean over i ≠ k is (n z̄·w̄ − c)/(n − 1), c a mean of cosines.

    >>> [round(end, 2) for end in cone_cosine_range(2407, 200)]
    [0.21, 0.29]
    """
    s = cone_height(n, temperature)
    r = math.sqrt(cone_deviation_bound(n, d, temperature, both_views) / 2)
    low = (s - r) ** 2 if r < s / 2 else s * s / 2 - r * r
    return (n * low - 1) / (n - 1), (n * (s + r) ** 2 + 1) / (n - 1)


def even_cone_height(d: int, temperature: float = 1.0) -> float:
    """Return s for infinitely many points spread evenly over a cone in d ≥ 2 dimensions.

    s = τ/(2(1 − A)), A the mean cosine of the von Mises-Fisher law on S^{d−2} with concentration
    (1 − s²)/τ. The mean cosine of negatives is then s², above τ²/4.

    >>> round(even_cone_height(200) ** 2, 3), round(even_cone_height(10) ** 2, 3)
    (0.252, 0.294)
    """
    s = temperature / 2
    for _ in range(1000):
        k = (1 - s * s) / temperature
        growth = log_mean_exponential(d + 1, k) - log_mean_exponential(d - 1, k)
        mean = k / (d - 1) * math.exp(growth)  # A: the derivative of log M_{d−1} at k
        s = min(1.0, temperature / (2 * (1 - mean)))
    return s


def cone_statistics(z: Tensor, w: Tensor, H: Callable[[Tensor], Tensor]) -> dict[str, float]:
    """Measure how constant H is, and how near the samples are to the cone around its direction.

    Args:
        z: (n, d), view 1.
        w: (n, d), view 2.
        H: the weight net.

    Returns:
        Mean cosines: ``net`` of H(z) and H(z'), ``negative`` of z and the negatives of Eq. 5, each
        over pairs of different samples; ``height`` of both views and the mean direction of H.

    >>> points = cone_points(5)
    >>> found = cone_statistics(points, points, lambda z: torch.eye(5)[:1].expand(5, 5).double())
    >>> {name: round(value, 3) for name, value in found.items()}
    {'net': 1.0, 'negative': -0.05, 'height': 0.4}
    """
    n, views = len(z), torch.stack([unit(z), unit(w)])
    nets = torch.stack([unit(H(z)), unit(H(w))])

    def mean(a: Tensor, b: Tensor) -> Tensor:
        """Over pairs of different samples, without the matrix of all."""
        return (a.sum(0) @ b.sum(0) - (a * b).sum()) / (n * (n - 1))

    negative = (mean(views[0], views[1]) + mean(views[0], views[0])) / 2
    found = {
        "net": (mean(nets[0], nets[0]) + mean(nets[1], nets[1])) / 2,
        "negative": negative,
        "height": (views @ unit(nets.mean((0, 1))[None])[0]).mean(),
    }
    return {name: value.item() for name, value in found.items()}
