"""Collapsed classes are no minimiser of L_1 (Eq. 3), far below d = n − 1 dimensions.

An upper bound of the minimum (independent uniform points) lies below a lower bound that holds for
collapsed classes of any sizes; and in between, a lower bound in the spread inside the classes. The
same lower bound, for classes of two, one, one, …, says what tying one false pair costs at least.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
import torch.nn.functional as F
from scipy.special import gammaln
from torch import Tensor


def log_mean_exponential(d: int, scale: float) -> float:
    """Return log M_d(λ), M_d(λ) = E e^{λ u·v} for independent uniform unit vectors u, v in R^d.

    M_d(λ) = Γ(d/2)(2/λ)^{d/2−1} I_{d/2−1}(λ) = Σ_k (λ²/4)^k / (k! (d/2)_k), at most e^{λ²/(2d)}.
    The series has positive terms only and neither overflows nor underflows.

    Args:
        d: dimensions, at least 1.
        scale: λ ≥ 0.

    >>> abs(log_mean_exponential(1, 2.0) - math.log(math.cosh(2.0))) < 1e-12
    True
    """
    if scale == 0:
        return 0.0
    k = np.arange(20 + int(2 * scale))  # terms beyond k = λ fall by 4 or more each
    half = d / 2
    terms = 2 * k * math.log(scale / 2) - gammaln(k + 1) - gammaln(half + k) + gammaln(half)
    return float(np.logaddexp.reduce(terms))


def minimum_upper_bound(
    n: int, d: int, temperature: float = 1.0, subgaussian: bool = False
) -> float:
    """Return U ≥ min L_1 in d dimensions: log(1 + (n − 1) e^{−1/τ} M_d(1/τ)).

    It is the mean over independent uniform points, by Jensen.

    Args:
        n: number of samples.
        d: dimensions, at least 1.
        temperature: τ.
        subgaussian: with e^{1/(2dτ²)} in place of M_d(1/τ), which is a little larger.

    >>> round(minimum_upper_bound(2406, 200), 5)
    6.78893
    """
    scale = 1 / temperature
    mean = scale**2 / (2 * d) if subgaussian else log_mean_exponential(d, scale)
    return math.log1p((n - 1) * math.exp(mean - scale))


def spread_lower_bound(
    n: int, classes: int, temperature: float = 1.0, spread: float | Tensor = 0.0
) -> float | Tensor:
    """Return F(C) ≤ L_1, for any sizes of the classes and any d; it falls with the spread C.

    F(C) = −C/τ + log((n/K) (1 + (K − 1) e^{−K(1−C)/((K−1)τ)})). At C = 0 it bounds every state in
    which the classes are collapsed, in both views or in one of them.

    Args:
        n: number of samples.
        classes: K ≥ 2.
        temperature: τ.
        spread: C ≥ 0, as :func:`class_spread` measures it; a number or a tensor.

    >>> round(spread_lower_bound(2406, 6), 5)
    6.91264
    """
    K = classes
    C = torch.as_tensor(spread, dtype=torch.float64)
    off = (K - 1) * (-K * (1 - C) / ((K - 1) * temperature)).exp()
    bound = -C / temperature + math.log(n / K) + off.log1p()
    return bound if isinstance(spread, Tensor) else bound.item()


def collapsed_bound(sizes: Sequence[int], temperature: float = 1.0) -> float:
    """Return the lower bound of L_1 for collapsed classes of these very sizes, for any d.

    It is the maximum over θ in [0, 1] of −θ/τ + S(θ), with S(θ) the mean entropy of the weights
    θ · (uniform on all samples) + (1 − θ) · (uniform on the class of the anchor). For equal sizes
    it is :func:`spread_lower_bound` at C = 0, for others it is larger.

    Args:
        sizes: samples of each class, two classes or more.
        temperature: τ.

    >>> abs(collapsed_bound([4, 4]) - spread_lower_bound(8, 2)) < 1e-9
    True
    >>> collapsed_bound([6, 2]) > spread_lower_bound(8, 2)
    True
    """
    from scipy import optimize  # slow to import, and only needed here

    distinct, times = np.unique(np.asarray(sizes, float), return_counts=True)
    n = times @ distinct
    share = distinct / n  # of one class of this size

    def negative(theta: float) -> float:
        own = 1 - theta * (1 - share)  # mass that the weights give to the anchor's own class
        entropy = own * np.log(distinct / own) + theta * (1 - share) * math.log(n / theta)
        return theta / temperature - times @ (share * entropy)

    found = optimize.minimize_scalar(
        negative, bounds=(1e-300, 1.0), method="bounded", options={"xatol": 1e-12}
    )
    return -float(found.fun)


def class_spread(z: Tensor, w: Tensor, y: Tensor) -> Tensor:
    """Return C = mean_i (z_i − a)·(w_i − b), with a, b the means of the class of i.

    It is 0 if one of the views is constant on each class, and at most 1.

    Args:
        z: (…, n, d), view 1.
        w: (…, n, d), view 2.
        y: (n,), class numbers.

    >>> z = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    >>> class_spread(z, z, torch.tensor([0, 0])).item(), class_spread(z, z, torch.arange(2)).item()
    (0.5, 0.0)
    """
    member = F.one_hot(y).to(z)  # (n, K)
    mean = member @ (member / member.sum(0)).mT  # (n, n): row i averages over the class of i
    return ((z - mean @ z) * (w - mean @ w)).sum(-1).mean(-1)


def collapse_margin(n: int, classes: int, d: int, temperature: float = 1.0) -> float:
    """Return F(0) − U in nats; where it is positive, no minimiser has collapsed classes.

    >>> round(collapse_margin(2406, 6, 200), 2)  # Scene's six classes, were they disjoint
    0.12
    """
    lower = spread_lower_bound(n, classes, temperature)
    return lower - minimum_upper_bound(n, d, temperature)


def least_spread(n: int, classes: int, d: int, temperature: float = 1.0) -> float:
    """Return C_0 with F(C_0) = U: every minimiser has at least this spread inside its classes.

    So the mean over samples i of the mean of z_i·w_k over the class of i is at most 1 − C_0. It is
    0 where the margin is not positive.

    >>> round(1 - least_spread(2406, 6, 200), 3)
    0.175
    """
    upper = minimum_upper_bound(n, d, temperature)
    if spread_lower_bound(n, classes, temperature) <= upper:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        above = spread_lower_bound(n, classes, temperature, middle) > upper
        low, high = (middle, high) if above else (low, middle)
    return low


def class_size_needed(classes: int, d: int, temperature: float = 1.0) -> float:
    """Return m_0: the margin is positive as soon as n/K > m_0.

    m_0 = (1 − r)/(1 + (K − 1) q − K r) with r = e^{−λ} M_d(λ), q = e^{−Kλ/(K−1)}, λ = 1/τ. It is
    infinite where no number of samples is enough; never so for d ≥ max(2, K − 1).

    >>> round(class_size_needed(6, 200), 2)
    2.15
    """
    K, scale = classes, 1 / temperature
    r = math.exp(log_mean_exponential(d, scale) - scale)
    q = math.exp(-K * scale / (K - 1))
    rest = 1 + (K - 1) * q - K * r
    return (1 - r) / rest if rest > 1e-12 else math.inf  # 0 but for rounding if K = 2, d = 1


# ------------------------------------------------------------------ collapsed classes part


def parting_curvature(
    a: Tensor, b: Tensor, sizes: Sequence[int], temperature: float = 1.0
) -> float:
    """Return the second derivative of L_1 along :func:`parted` at step 0: −2(1 − T)/τ < 0.

    T = Σ_c D_c [a_c·b_c − E_{c'~p_c} a_c·b_c'] with D_c = m_c/n and p_c(c') ∝ m_c' e^{a_c·b_c'/τ}.

    Args:
        a: (K, d), unit rows: where view 1 of each class stands.
        b: (K, d), unit rows: where view 2 stands.
        sizes: samples of each class.
        temperature: τ.

    >>> points = torch.tensor([[1.0, 0.0], [-1.0, 0.0]])
    >>> round(parting_curvature(points, points, [2, 2]), 4)  # 2n times theory.curvature(2, 2)
    -1.5232
    """
    m = torch.tensor(sizes, dtype=a.dtype)
    cosine = a @ b.T
    p = (cosine / temperature + m.log()).softmax(1)
    T = (m / m.sum()) @ (cosine.diagonal() - (p * cosine).sum(1))
    return -2 * (1 - T.item()) / temperature


def parted(
    a: Tensor, b: Tensor, sizes: Sequence[int], moves: Tensor, step: float
) -> tuple[Tensor, Tensor]:
    """Return the state in which collapsed classes have parted into a new dimension.

    z_i = cos(εs_i) a + sin(εs_i) e and w_i = cos(εs_i) b + sin(εs_i) e, with e orthogonal to all.

    Args:
        a: (K, d), unit rows: where view 1 of each class stands.
        b: (K, d), unit rows: where view 2 stands.
        sizes: samples of each class, at least 2.
        moves: (n,), s, brought to mean 0 and mean square 1 in each class.
        step: ε.

    Returns:
        Both views, (n, d + 1) each.

    >>> point = torch.ones(1, 1)
    >>> z, _ = parted(point, point, [2], torch.tensor([1.0, 0.0]), math.pi / 2)
    >>> z.round().int().tolist()
    [[0, 1], [0, -1]]
    """
    y = torch.arange(len(a)).repeat_interleave(torch.tensor(sizes))
    parts = []
    for s in moves.split(list(sizes)):
        s = s - s.mean()
        parts.append(s / s.square().mean().sqrt())
    angle = step * torch.cat(parts)[:, None]
    views = [torch.cat([angle.cos() * x[y], angle.sin()], 1) for x in (a, b)]
    return views[0], views[1]


def tied_pair_cost(n: int, temperature: float = 1.0) -> float:
    """Return 2(e^λ − 1 − λ)/n², λ = 1/τ: the most that tying one pair costs, for large n.

    Keeping one false pair of n at one point raises the minimum of L_1 by no more, to leading
    order in 1/n, if d ≥ n − 1. It raises it by no less than :func:`tied_pair_least_cost`.

    >>> round(tied_pair_cost(1, temperature=1.0), 2)  # over n²
    1.44
    """
    scale = 1 / temperature
    return 2 * (math.expm1(scale) - scale) / n**2


def tied_pair_least_cost(n: int, temperature: float = 1.0) -> float:
    """Return what a tied pair costs at least, for large n: :func:`collapsed_bound`'s leading term.

    2 (λ e^λ − (e^λ + 1) log((e^λ + 1)/2))/n² with λ = 1/τ, in any d.

    >>> round(tied_pair_least_cost(1, temperature=1.0), 2)  # over n²
    0.83
    """
    scale = 1 / temperature
    grown = math.exp(scale)
    return 2 * (scale * grown - (grown + 1) * math.log((grown + 1) / 2)) / n**2


def tied_pair_loss(n: int, temperature: float = 1.0) -> float:
    """Return the least L_1 with a tied pair, all other samples alike and both views equal.

    The pair stands at cosine −t from the n − 2 others, which stand at equal cosines from each
    other; t is minimised over. It is below :func:`one_pair_loss`, where t = 1/(n − 2).

    Args:
        n: number of samples, at least 4.
        temperature: τ.

    >>> round(tied_pair_loss(16), 3)
    1.825
    """
    from scipy import optimize  # slow to import, and only needed here

    rest, scale = n - 2, 1 / temperature

    def value(t: float) -> float:
        others = (1 - rest * t * t) / (rest - 1)  # minus the cosine of two of the others
        near = math.exp(-(1 + t) * scale)
        pair = math.log(2 + rest * near)
        single = math.log1p(2 * near + (rest - 1) * math.exp(-(1 + others) * scale))
        return (2 * pair + rest * single) / n

    bounds = (0.0, 1 / math.sqrt(rest))
    found = optimize.minimize_scalar(
        value, bounds=bounds, method="bounded", options={"xatol": 1e-12}
    )
    return float(found.fun)
