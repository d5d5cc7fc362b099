r"""What a contrastive loss can know about mutual information: the paper's Lemmas 3.2 and 3.3.

Exact sums over small alphabets, Gaussians whose information is known, ceilings, counterexamples.
All information is in nats. ``M`` is the number of negatives of an anchor, and a *bound* is
log(M + 1) − L unless said otherwise; the paper writes log M − L.

``python -m herocon_lite.theory bounds`` makes ``results/theory_bounds.json``, the simulation
with many negatives that chapter 7 draws (a few minutes on one core).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import ArrayLike
from scipy.special import gammaln, rel_entr, xlogy
from torch import Tensor

from herocon_lite.checkpoint import atomic_write

STORE = Path("results/theory_bounds.json")


class Sides(NamedTuple):
    """What a lemma puts on its two sides; it is violated where ``bound > information``."""

    bound: float
    information: float


# ------------------------------------------------------------------ laws on small alphabets


def mutual_information(joint: ArrayLike) -> float:
    """I(X; Y) of a joint law, (a, b) with sum 1."""
    joint = np.asarray(joint, float)
    return divergence(joint, joint.sum(0))


def divergence(joint: ArrayLike, negatives: ArrayLike) -> float:
    """KL between the pairs of a joint law (a, b) and pairs whose y comes from ``negatives`` (b,).

    With the marginal of y as the law of the negatives it is the mutual information.
    """
    joint = np.asarray(joint, float)
    return float(rel_entr(joint, np.outer(joint.sum(1), negatives)).sum())


def positive_law(classes: ArrayLike) -> np.ndarray:
    """The law p₊ of a positive pair: a label a at random, then two independent draws from p_a.

    Args:
        classes: (c, k); row a is p_a, the law of x among the samples that have label a.

    Returns:
        (k, k), symmetric.
    """
    classes = np.asarray(classes, float)
    return classes.T @ classes / len(classes)


def label_information(classes: ArrayLike) -> float:
    """I(X; A) between a sample and the label it was drawn for; never more than log c."""
    classes = np.asarray(classes, float)
    return mutual_information(classes / len(classes))


# ------------------------------------------------------------------ the loss, summed exactly


def exact_loss(
    joint: ArrayLike,
    negatives: ArrayLike,
    critic: ArrayLike,
    M: int,
    sigma: ArrayLike = 1.0,
    gamma: ArrayLike = 1.0,
) -> float:
    r"""E log (σ f(x,y) + Σ_k γ f(x,y_k)) / (σ f(x,y)), summed over all outcomes.

    (x, y) comes from ``joint``, y_1 … y_M independently from ``negatives``. No random numbers: the
    sum runs over how often each letter occurs among the negatives.

    Args:
        joint: (a, b), law of the positive pair. negatives: (b,), law of one negative.
        critic: (a, b), f; positive where ``joint`` is.
        sigma, gamma: weights of the positive and of a negative, numbers or (a, b).
    """
    joint, critic = np.asarray(joint, float), np.asarray(critic, float)
    sigma, gamma = np.broadcast_to(sigma, joint.shape), np.broadcast_to(gamma, joint.shape)
    counts, chance = _outcomes(M, np.asarray(negatives, float))
    total = 0.0
    for x, y in np.argwhere(joint > 0):
        push = counts @ (gamma[x] * critic[x])
        total += joint[x, y] * (chance @ np.log1p(push / (sigma[x, y] * critic[x, y])))
    return float(total)


def exact_bound(
    joint: ArrayLike,
    critic: ArrayLike,
    M: int,
    negatives: ArrayLike | None = None,
    sigma: ArrayLike = 1.0,
    gamma: ArrayLike = 1.0,
) -> float:
    """log(M + 1) − L, exactly; the negatives come from the marginal of y if nothing is said."""
    negatives = np.asarray(joint, float).sum(0) if negatives is None else negatives
    return math.log(M + 1) - exact_loss(joint, negatives, critic, M, sigma, gamma)


def density_ratio(joint: ArrayLike) -> np.ndarray:
    """r = p(y|x)/p(y), the best critic, (a, b)."""
    joint = np.asarray(joint, float)
    return joint / np.outer(joint.sum(1), joint.sum(0))


def exact_gap(joint: ArrayLike, M: int) -> float:
    """E[A log A], A the mean of r(x, ·) over M + 1 draws from the marginal of y.

    This is what the bound misses of the information when the critic is r.
    """
    joint = np.asarray(joint, float)
    counts, chance = _outcomes(M + 1, joint.sum(0))
    A = counts @ density_ratio(joint).T / (M + 1)  # (outcomes, a)
    return float(chance @ xlogy(A, A) @ joint.sum(1))


def _outcomes(M: int, law: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All ways in which M draws from a law can spread over its letters, and their chances."""
    counts = _spread(M, len(law))
    log_chance = gammaln(M + 1) - gammaln(counts + 1).sum(1) + xlogy(counts, law).sum(1)
    return counts, np.exp(log_chance)


def _spread(M: int, letters: int) -> np.ndarray:
    """All (n_1 … n_letters) of whole numbers with sum M, one a row."""
    first = np.arange(M + 1)
    if letters == 1:
        return np.array([[M]])
    if letters == 2:
        return np.column_stack([first, M - first])
    parts = [(n, _spread(M - n, letters - 1)) for n in first]
    return np.concatenate([np.insert(rest, 0, n, axis=1) for n, rest in parts])


# ------------------------------------------------------------------ ceilings


def ceiling(M: int, tau: float = 1.0, sharp: bool = False) -> float:
    """The most that log M − L_u can be with f = exp(cos/τ), whatever the encoders and the data.

    Below 1/τ, always. ``sharp``: the same for log(M + 1) − L_u.
    """
    return math.log(M + sharp) - math.log1p(M * math.exp(-1 / tau))


def batch_ceiling(M: int, tau: float = 1.0) -> float:
    """:func:`ceiling` for one batch of M + 1 pairs that are each other's negatives."""
    return math.log(M) - math.log1p(M * math.exp(-(M + 1) / (M * tau)))


def supervised_ceiling(M: int, tau: float = 1.0) -> float:
    """The most that log M − L_s can be with f = exp(cos/τ); below 2/τ."""
    return math.log(M) - math.log1p(M * math.exp(-2 / tau))


# ------------------------------------------------------------------ Gaussians


def gaussian_information(d: int, rho: float) -> float:
    """I(X; Y) of d independent pairs of Gaussians, each pair with correlation ρ."""
    return -d / 2 * math.log1p(-(rho**2))


def gaussian_correlation(d: int, information: float) -> float:
    """The ρ ≥ 0 that gives this information."""
    return math.sqrt(-math.expm1(-2 * information / d))


def gaussian_pairs(
    batches: int, n: int, d: int, rho: float, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Two views (batches, n, d) with correlation ρ between their coordinates."""
    x, noise = torch.randn(2, batches, n, d, generator=generator, dtype=torch.float64)
    return x, rho * x + math.sqrt(1 - rho**2) * noise


def gaussian_log_ratio(x: Tensor, y: Tensor, rho: float) -> Tensor:
    """log p(y|x)/p(y) of all pairs, (…, n, n): the best critic."""
    rest = 1 - rho**2
    squares = (x**2).sum(-1)[..., :, None] + (y**2).sum(-1)[..., None, :]
    log_ratio = (rho * x @ y.mT - rho**2 / 2 * squares) / rest
    return log_ratio - x.shape[-1] / 2 * math.log(rest)


def all_cosines(x: Tensor, y: Tensor) -> Tensor:
    """cos of all pairs, (…, n, n)."""
    return F.normalize(x, dim=-1) @ F.normalize(y, dim=-1).mT


def batch_bound(scores: Tensor, log_weights: Tensor | None = None) -> Tensor:
    """log(M + 1) − L of each batch, its pairs being each other's negatives.

    Args:
        scores: (…, n, n), log f; the positives lie on the diagonal, and M = n − 1.
        log_weights: (…, n, n), log g; the diagonal is not used, a positive has weight 1.
    """
    positive = scores.diagonal(dim1=-2, dim2=-1)
    if log_weights is not None:
        log_weights = log_weights.clone()
        log_weights.diagonal(dim1=-2, dim2=-1).zero_()
        scores = scores + log_weights
    return (positive - scores.logsumexp(-1)).mean(-1) + math.log(scores.shape[-1])


CRITICS = ("best", "best, weighted", "cosine", "cosine, weighted", "cosine, tau = 0.1")


def gaussian_bounds(
    information: float, M: int, d: int = 10, anchors: int = 16384, seed: int = 0
) -> dict[str, tuple[float, float]]:
    """Mean of log(M + 1) − L over fresh batches, and its standard error, for each critic.

    Critics: the density ratio ("best"), f = exp(cos) ("cosine"), both also with the paper's weight
    g for H = identity, and exp(cos/0.1). All see the same draws.

    Args:
        anchors: about how many in all; there are never fewer than 8 batches.
    """
    generator = torch.Generator().manual_seed(seed)
    rho, n = gaussian_correlation(d, information), M + 1
    batches = max(8, anchors // n)
    at_once = max(1, min(batches, 2**22 // n**2))
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
    """Mean of independent values and its standard error."""
    return values.mean().item(), (values.std() / math.sqrt(len(values))).item()


# ------------------------------------------------------------------ where the bound fails


def both_views_loss(
    n: int, directions: int, tau: float = 1.0, weighted: bool = False, alone: bool = False
) -> float:
    """Eq. 5 with both views as negatives, on views that know nothing of each other; exact.

    View 1 is one of ``directions`` unit vectors at 60° to an axis, whose parts across the axis are
    orthogonal; view 2 is the axis itself, always. So I = 0.

    Args:
        n: pairs in the batch, drawn independently.
        weighted: with g for an H that always answers "the axis", as a saturated layer would.
        alone: given that no two pairs of the batch share a direction, as in a batch at hand.
    """
    M = n - 1
    near, far = (math.exp(c / tau) for c in (0.5, -0.25))  # cos 1 and 1/4, against the positive 1/2
    g1, g2 = (math.exp(0.5), (math.exp(0.5) + 1) / 2) if weighted else (1.0, 1.0)
    if alone:
        return math.log1p(M * (g2 + g1 * far))
    counts, chance = _outcomes(M, np.array([1 / directions, 1 - 1 / directions]))
    return float(chance @ np.log1p(M * g2 + g1 * (counts @ [near, far])))


def both_views_batch(n: int) -> tuple[Tensor, Tensor]:
    """Such views for n pairs that share no direction, (n, n + 1) each."""
    axis, across = torch.eye(n + 1, dtype=torch.float64).split([1, n])
    return 0.5 * axis + math.sqrt(0.75) * across, axis.repeat(n, 1)


def memorise(
    n: int = 64, d: int = 20, tau: float = 0.1, steps: int = 200, rate: float = 0.1, seed: int = 0
) -> tuple[float, float, float]:
    """Trains two small networks on n fixed pairs of views that are independent, so I = 0.

    Returns:
        log M − L on the pairs trained on; its mean on fresh pairs, and that mean's standard error.
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
        return batch_bound(all_cosines(z1, z2) / tau) - math.log(n / (n - 1))

    layers = [w for net in nets for w in net]
    speed = [torch.zeros_like(w) for w in layers]
    train = views(1)
    for _ in range(steps):
        with torch.enable_grad():
            grads = torch.autograd.grad(value(train).mean(), layers)
        with torch.no_grad():  # uphill, with momentum; torch.optim takes seconds to import
            for w, v, grad in zip(layers, speed, grads, strict=True):
                w += v.mul_(0.9).add_(grad, alpha=rate)
    with torch.no_grad():
        return value(train).item(), *mean_and_error(value(views(100)))


# ------------------------------------------------------------------ Lemma 3.2


def eq7_by_enumeration(
    Y: ArrayLike, f: ArrayLike, distance: str = "hamming"
) -> tuple[float, float]:
    """Eq. 7 term by term, for any critic; no tensors, no tricks.

    Args:
        Y: (n, c), 0/1 labels. f: (n, n), the critic of all pairs.
        distance: ``"hamming"`` or ``"indicator"``.

    Returns:
        L_s, and the N of Lemma 3.2, the mean over labels of log |N(a)|.
    """
    Y, f = np.asarray(Y), np.asarray(f, float)
    c = Y.shape[1]
    dist = (Y[:, None] != Y).sum(2)
    dist = np.minimum(dist, 1) if distance == "indicator" else dist
    losses, sizes = [], []
    for a in range(c):
        has, lacks = np.flatnonzero(Y[:, a] == 1), np.flatnonzero(Y[:, a] == 0)
        terms = []
        for i in has:
            negatives = math.fsum(dist[i, k] * f[i, k] for k in lacks)
            terms += [
                math.log1p(negatives / ((1 - dist[i, j] / c) * f[i, j])) for j in has if i != j
            ]
        losses.append(math.fsum(terms) / len(terms))
        sizes.append(math.log(len(lacks)))
    return math.fsum(losses) / c, math.fsum(sizes) / c


def counterexample_a(m: int, gamma: float = 2.0, tau: float = 1.0) -> Sides:
    """Two classes with m samples each, x = +e in one and −e in the other, f = exp(cos/τ).

    Labels are one-hot, so σ = 1 for every pair, and γ = 2 (Hamming) or 1 (indicator). All terms of
    Eq. 7 are equal: N − L_s = log m − log(1 + γ m e^(−2/τ)). And I = log 2.

    Returns:
        N − L_s and I; Lemma 3.2 says that the first is never larger.
    """
    return Sides(math.log(m) - math.log1p(gamma * m * math.exp(-2 / tau)), math.log(2))


B_BITS = np.array([[1, 1], [1, 5]]) / 8  # law of the two bits of a positive pair
SIGMA_READINGS = ("one", "mean", "least", "mean inverse")


def counterexample_b(M: int, classes: int = 4, sigma: str = "mean") -> Sides:
    """Negatives from the marginal, γ = 1, the best critic: only the factor 1/σ is left to fail.

    A sample is (U, b), a class and a fair bit. Label 2U − 1 is on, label 2U is on if b = 1;
    c = 2 · classes. A positive pair shares U, its bits follow ``B_BITS``, and σ is 1 or 1 − 1/c.

    Args:
        sigma: how to read the σ in front of Lemma 3.2: ``"mean"`` (E σ), ``"least"``,
            ``"mean inverse"`` (E 1/σ as the factor), or ``"one"`` (no factor).

    Returns:
        (log M − L_s)/σ and I.
    """
    joint, negatives, weights = b_laws(classes)
    critic = np.zeros_like(joint)
    critic[:, :2] = B_BITS / np.outer(B_BITS.sum(1), negatives[:2])
    bound = math.log(M) - exact_loss(joint, negatives, critic, M, sigma=weights)
    return Sides(bound * b_factor(classes, sigma), divergence(joint, negatives))


def counterexample_b_limit(classes: int = 4, sigma: str = "mean") -> Sides:
    """:func:`counterexample_b` for M → ∞: (I − E log 1/σ)/σ and I."""
    joint, negatives, weights = b_laws(classes)
    information = divergence(joint, negatives)
    bound = information + (joint * np.log(weights)).sum()
    return Sides(float(bound) * b_factor(classes, sigma), information)


def b_laws(classes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Seen from an anchor in one class: joint law (2, 3) of its bit and the letter of the other
    sample, law (3,) of a negative, σ (2, 3). Letters: bit 0, bit 1, another class."""
    joint = np.hstack([B_BITS, np.zeros((2, 1))])
    negatives = np.append(B_BITS.sum(0) / classes, 1 - 1 / classes)
    other = 1 - 1 / (2 * classes)
    return joint, negatives, np.array([[1, other, 1], [other, 1, 1]])


def b_factor(classes: int, sigma: str) -> float:
    """The 1/σ in front of Lemma 3.2, in one of its readings."""
    if sigma not in SIGMA_READINGS:
        raise ValueError(f"sigma must be one of {SIGMA_READINGS}; got {sigma!r}.")
    joint, _, weights = b_laws(classes)
    return {
        "one": 1.0,
        "mean": 1 / float((joint * weights).sum()),
        "least": 1 / float(weights.min()),
        "mean inverse": float((joint / weights).sum()),
    }[sigma]


class NoisyClasses(NamedTuple):
    """One setting of :func:`noisy_classes`, in nats."""

    bound: float  # N − L_s
    kl: float  # mean over labels of KL(p_a ‖ n_a)
    information: float  # I₊ of a positive pair
    label_information: float  # I(X; A)


def noisy_classes(
    flip: float, M: int, critic: str = "cosine", gamma: float = 2.0, tau: float = 1.0
) -> NoisyClasses:
    """Two balanced classes seen through noise: x is the class, wrong with chance ``flip``; exact.

    Labels are one-hot, positives and negatives come from the two classes as in Eq. 7.

    Args:
        critic: ``"cosine"``, exp(cos/τ) with x = ±e, as the paper's experiments would have it; or
            ``"best"``, p_a/n_a, which is told the label and which nothing can beat.
        gamma: weight of a negative; 2 is the Hamming distance.
    """
    law = np.array([1 - flip, flip])
    classes = np.array([law, law[::-1]])
    loss, kl = [], []
    for p, n in (classes, classes[::-1]):
        same = np.exp(np.array([[1, -1], [-1, 1]]) / tau)
        f = same if critic == "cosine" else np.tile(p / n, (2, 1))
        loss.append(exact_loss(np.outer(p, p), n, f, M, gamma=gamma))
        kl.append(divergence(np.outer(p, p), n))
    return NoisyClasses(
        math.log(M) - sum(loss) / 2,
        sum(kl) / 2,
        mutual_information(positive_law(classes)),
        label_information(classes),
    )


def pull(
    sigma: ArrayLike, M: int, gamma: float = 2.0, near: float = 0.8, far: float = 0.0
) -> np.ndarray:
    """How hard a term of Eq. 7 pulls its positive pair: −∂/∂cos of the term, at τ = 1.

    Args:
        near, far: the cosines of the positive pair and of all M negatives.
    """
    push = M * gamma * math.exp(far)
    return push / (np.asarray(sigma, float) * math.exp(near) + push)


# ------------------------------------------------------------------ the stored simulation

INFORMATION = (0.0, 0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0)
NEGATIVES = tuple(2**k - 1 for k in range(1, 13))  # 1, 3, … 4095


def simulate(
    information: Iterable[float] = INFORMATION, negatives: Iterable[int] = NEGATIVES
) -> dict:
    """:func:`gaussian_bounds` on a grid; each cell has a seed of its own."""
    information, negatives = list(information), list(negatives)
    grid = [
        [gaussian_bounds(nats, M, seed=1000 * row + M) for M in negatives]
        for row, nats in enumerate(information)
    ]
    return {
        "made by": "python -m herocon_lite.theory bounds",
        "what": "log(M + 1) - L in nats, d = 10; rows: information, columns: negatives",
        "information": information,
        "negatives": negatives,
        "critics": {
            name: {
                part: [[round(cell[name][which], 5) + 0.0 for cell in row] for row in grid]
                for which, part in enumerate(("mean", "error"))
            }
            for name in CRITICS
        },
    }


def make() -> None:
    """Runs the simulation and stores it."""
    torch.set_num_threads(1)
    text = json.dumps(simulate())
    # one row of the grid a line: small diffs
    text = text.replace("]], ", "]],\n").replace("], [", "],\n [")
    atomic_write(STORE, text + "\n")
    print(f"wrote {STORE}")
