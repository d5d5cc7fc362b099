"""Information and contrastive losses on small alphabets, as finite sums without random numbers.

All information is in nats. ``M`` is the number of negatives of an anchor; the *bound* is
log(M + 1) − L, where the paper writes log M − L.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, rel_entr, xlogy


def mutual_information(joint: ArrayLike) -> float:
    """Return I(X; Y) of a joint law (a, b) with sum 1.

    >>> round(mutual_information([[0.5, 0], [0, 0.5]]), 4)  # log 2
    0.6931
    """
    joint = np.asarray(joint, float)
    return divergence(joint, joint.sum(0))


def divergence(joint: ArrayLike, negatives: ArrayLike) -> float:
    """Return KL(joint ‖ p(x) q(y)), with q the law of a negative.

    With the marginal of y in place of q this is the mutual information.

    Args:
        joint: (a, b), the law of a positive pair.
        negatives: (b,), q.

    >>> round(divergence([[0.5, 0], [0, 0.5]], [0.25, 0.75]), 4)
    0.837
    """
    joint = np.asarray(joint, float)
    return float(rel_entr(joint, np.outer(joint.sum(1), negatives)).sum())


def density_ratio(joint: ArrayLike) -> np.ndarray:
    """Return r = p(y|x)/p(y), the best critic, (a, b).

    >>> density_ratio([[0.4, 0.1], [0.1, 0.4]]).round(2).tolist()
    [[1.6, 0.4], [0.4, 1.6]]
    """
    joint = np.asarray(joint, float)
    return joint / np.outer(joint.sum(1), joint.sum(0))


def positive_law(classes: ArrayLike) -> np.ndarray:
    """Return the law p₊ of a positive pair: a random label a, then two independent draws from p_a.

    Args:
        classes: (c, k); row a is p_a, the law of x among the samples that have label a.

    Returns:
        (k, k), symmetric.

    >>> positive_law([[1, 0], [0.5, 0.5]]).tolist()
    [[0.625, 0.125], [0.125, 0.125]]
    """
    classes = np.asarray(classes, float)
    return classes.T @ classes / len(classes)


def label_information(classes: ArrayLike) -> float:
    """Return I(X; A) between a sample and the label it was drawn for; at most log c.

    >>> round(label_information([[1, 0], [0, 1]]), 4)
    0.6931
    """
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
    r"""Return E log (σ f(x,y) + Σ_k γ f(x,y_k)) / (σ f(x,y)), summed over all outcomes.

    (x, y) comes from ``joint``, y_1 … y_M independently from ``negatives``. The sum runs over how
    often each letter occurs among the negatives.

    Args:
        joint: (a, b), the law of the positive pair.
        negatives: (b,), the law of one negative.
        critic: (a, b), f; positive where ``joint`` is.
        M: number of negatives.
        sigma: weight of the positive, a number or (a, b).
        gamma: weight of a negative, a number or (a, b).

    >>> round(exact_loss(np.eye(2) / 2, [0.5, 0.5], [[3, 1], [1, 3]], M=1), 4)  # log(2 · 4/3)/2
    0.4904
    """
    joint, critic = np.asarray(joint, float), np.asarray(critic, float)
    sigma, gamma = np.broadcast_to(sigma, joint.shape), np.broadcast_to(gamma, joint.shape)
    counts, chance = outcomes(M, np.asarray(negatives, float))
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
    """Return log(M + 1) − L exactly; the default law of a negative is the marginal of y.

    >>> joint = np.array([[0.4, 0.1], [0.1, 0.4]])
    >>> round(exact_bound(joint, density_ratio(joint), M=4), 4), round(mutual_information(joint), 4)
    (0.1555, 0.1927)
    """
    negatives = np.asarray(joint, float).sum(0) if negatives is None else negatives
    return math.log(M + 1) - exact_loss(joint, negatives, critic, M, sigma, gamma)


def exact_gap(joint: ArrayLike, M: int) -> float:
    """Return E[A log A], A the mean of r(x, ·) over M + 1 draws from the marginal of y.

    The bound of the critic r misses the information by this much.

    >>> joint = np.array([[0.4, 0.1], [0.1, 0.4]])
    >>> round(exact_gap(joint, M=4), 4)  # 0.1927 − 0.1555
    0.0373
    """
    joint = np.asarray(joint, float)
    counts, chance = outcomes(M + 1, joint.sum(0))
    A = counts @ density_ratio(joint).T / (M + 1)  # (outcomes, a)
    return float(chance @ xlogy(A, A) @ joint.sum(1))


def outcomes(M: int, law: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return all ways in which M draws spread over the letters of a law, and their chances.

    Returns:
        (outcomes, letters) counts with row sums M, and (outcomes,) probabilities.

    >>> counts, chance = outcomes(2, np.array([0.5, 0.5]))
    >>> counts.tolist(), chance.round(2).tolist()
    ([[0, 2], [1, 1], [2, 0]], [0.25, 0.5, 0.25])
    """
    counts = _compositions(M, len(law))
    log_chance = gammaln(M + 1) - gammaln(counts + 1).sum(1) + xlogy(counts, law).sum(1)
    return counts, np.exp(log_chance)


def _compositions(M: int, letters: int) -> np.ndarray:
    """All (n_1 … n_letters) of whole numbers ≥ 0 with sum M, one a row."""
    first = np.arange(M + 1)
    if letters == 1:
        return np.array([[M]])
    if letters == 2:
        return np.column_stack([first, M - first])
    parts = [(n, _compositions(M - n, letters - 1)) for n in first]
    return np.concatenate([np.insert(rest, 0, n, axis=1) for n, rest in parts])
