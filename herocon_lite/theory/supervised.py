"""Lemma 3.2: Eq. 7 summed by hand, two counterexamples, and the quantities of what holds instead.

All information is in nats. M is the number of negatives of an anchor, and N the mean over labels
of log |N(a)|, as the paper writes it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from herocon_lite.theory.exact import (
    divergence,
    exact_loss,
    label_information,
    mutual_information,
    positive_law,
)


class Sides(NamedTuple):
    """The two sides of a lemma; it is violated where ``bound > information``."""

    bound: float
    information: float


def eq7_by_enumeration(
    Y: ArrayLike, f: ArrayLike, distance: str = "hamming"
) -> tuple[float, float]:
    """Sum Eq. 7 term by term, for any critic, in plain Python.

    Args:
        Y: (n, c), 0/1 labels.
        f: (n, n), the critic of all pairs.
        distance: ``"hamming"`` or ``"indicator"``.

    Returns:
        L_s, and the N of Lemma 3.2.

    >>> L_s, N = eq7_by_enumeration([[1, 0], [1, 0], [0, 1], [0, 1]], np.ones((4, 4)))
    >>> round(L_s, 4), round(N, 4)  # log(1 + 2 · 2) and log 2
    (1.6094, 0.6931)
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


def supervised_ceiling(M: int, temperature: float = 1.0) -> float:
    """Return the most that log M − L_s can be with f = exp(cos/τ); it is below 2/τ.

    >>> round(supervised_ceiling(255), 3)
    1.971
    """
    return math.log(M) - math.log1p(M * math.exp(-2 / temperature))


def pull(
    sigma: ArrayLike, M: int, gamma: float = 2.0, near: float = 0.8, far: float = 0.0
) -> np.ndarray:
    """Return how hard a term of Eq. 7 pulls its positive pair: −∂/∂cos of the term, at τ = 1.

    Args:
        sigma: weight of the pair.
        M: number of negatives.
        gamma: weight of each negative.
        near: cosine of the positive pair.
        far: cosine of every negative.

    >>> pull([1.0, 0.5], M=1).round(3).tolist()
    [0.473, 0.643]
    """
    push = M * gamma * math.exp(far)
    return push / (np.asarray(sigma, float) * math.exp(near) + push)


# ------------------------------------------------------------------ counterexample A


def counterexample_a(m: int, gamma: float = 2.0, temperature: float = 1.0) -> Sides:
    """Return both sides of Lemma 3.2 for two classes of m samples, at x = +e and x = −e.

    f = exp(cos/τ). Labels are one-hot, so σ = 1 for every pair, and γ = 2 (Hamming) or 1
    (indicator; or one label and Hamming). All terms of Eq. 7 are equal, so that
    N − L_s = log m − log(1 + γ m e^(−2/τ)). And I = log 2.

    Returns:
        N − L_s and I; Lemma 3.2 says that the first is never larger.

    >>> bound, information = counterexample_a(5)
    >>> round(bound, 4), round(information, 4)
    (0.7536, 0.6931)
    """
    return Sides(math.log(m) - math.log1p(gamma * m * math.exp(-2 / temperature)), math.log(2))


def first_violation(gamma: float = 2.0, temperature: float = 1.0) -> int | None:
    """Return the least m for which :func:`counterexample_a` violates Lemma 3.2; None if none does.

    For m ≥ 3 the violation is γ e^(−2/τ) < ½ − 1/m; for m ≤ 2 there is none.

    >>> first_violation(gamma=2), first_violation(gamma=1), first_violation(temperature=3.0)
    (5, 3, None)
    """
    room = 0.5 - gamma * math.exp(-2 / temperature)
    if room <= 0:
        return None
    m = max(3, math.floor(1 / room))
    while not counterexample_a(m, gamma, temperature).bound > math.log(2):
        m += 1
    return m


# ------------------------------------------------------------------ counterexample B

B_BITS = np.array([[1, 1], [1, 5]]) / 8  # law of the two bits of a positive pair
SIGMA_READINGS = ("one", "mean", "least", "mean inverse")


def counterexample_b(M: int, classes: int = 4, sigma: str = "mean") -> Sides:
    """Return both sides of Lemma 3.2 with its negatives repaired, so that only 1/σ can fail.

    Negatives come from the marginal, γ = 1, the critic is the best one. A sample is (U, b), a class
    and a fair bit. Label 2U − 1 is on, label 2U is on if b = 1; c = 2 · classes. A positive pair
    shares U, its bits follow ``B_BITS``, and σ is 1 or 1 − 1/c.

    Args:
        M: number of negatives.
        classes: number of values of U.
        sigma: how to read the σ in front of Lemma 3.2: ``"mean"`` (E σ), ``"least"``,
            ``"mean inverse"`` (E 1/σ as the factor), or ``"one"`` (no factor).

    Returns:
        (log M − L_s)/σ and I.

    >>> bound, information = counterexample_b(256)
    >>> round(bound, 4), round(information, 4)
    (1.4387, 1.4374)
    """
    joint, negatives, weights = _b_laws(classes)
    critic = np.zeros_like(joint)
    critic[:, :2] = B_BITS / np.outer(B_BITS.sum(1), negatives[:2])
    bound = math.log(M) - exact_loss(joint, negatives, critic, M, sigma=weights)
    return Sides(bound * _b_factor(classes, sigma), divergence(joint, negatives))


def counterexample_b_limit(classes: int = 4, sigma: str = "mean") -> Sides:
    """Return :func:`counterexample_b` for M → ∞: (I − E log 1/σ)/σ and I.

    >>> round(counterexample_b_limit().bound, 4)
    1.4493
    """
    joint, negatives, weights = _b_laws(classes)
    information = divergence(joint, negatives)
    bound = information + (joint * np.log(weights)).sum()
    return Sides(float(bound) * _b_factor(classes, sigma), information)


def _b_laws(classes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Seen from an anchor in one class: joint law (2, 3) of its bit and the letter of the other
    sample, law (3,) of a negative, σ (2, 3). Letters: bit 0, bit 1, another class."""
    joint = np.hstack([B_BITS, np.zeros((2, 1))])
    negatives = np.append(B_BITS.sum(0) / classes, 1 - 1 / classes)
    other = 1 - 1 / (2 * classes)
    return joint, negatives, np.array([[1, other, 1], [other, 1, 1]])


def _b_factor(classes: int, sigma: str) -> float:
    """The 1/σ in front of Lemma 3.2, in one of its readings."""
    if sigma not in SIGMA_READINGS:
        raise ValueError(f"sigma must be one of {SIGMA_READINGS}; got {sigma!r}.")
    joint, _, weights = _b_laws(classes)
    return {
        "one": 1.0,
        "mean": 1 / float((joint * weights).sum()),
        "least": 1 / float(weights.min()),
        "mean inverse": float((joint / weights).sum()),
    }[sigma]


# ------------------------------------------------------------------ Eq. 7 and SupCon


def collapsed_supcon_gap(sizes: Sequence[int]) -> float:
    """Return Khosla's L_out minus Eq. 7 where all samples sit on one point; never negative.

    L_out is log(n − 1), Eq. 7 (indicator distance, no self pairs) is
    (1/K) Σ_a log(1 + n − m_a). They agree if and only if every class has two samples.

    Args:
        sizes: samples of each class, at least 2, of at least two classes.

    >>> collapsed_supcon_gap([2, 2, 2]), round(collapsed_supcon_gap([4, 4, 4]), 4)
    (0.0, 0.2007)
    """
    if len(sizes) < 2 or min(sizes) < 2:
        raise ValueError(f"sizes must be two or more classes of two or more samples; got {sizes}.")
    n = sum(sizes)
    return math.log(n - 1) - sum(math.log(1 + n - m) for m in sizes) / len(sizes)


# ------------------------------------------------------------------ classes seen through noise


class NoisyClasses(NamedTuple):
    """One setting of :func:`noisy_classes`, in nats."""

    bound: float  # N − L_s
    kl: float  # mean over labels of KL(p_a ‖ n_a)
    information: float  # I₊ of a positive pair
    label_information: float  # I(X; A)


def noisy_classes(
    flip: float, M: int, critic: str = "cosine", gamma: float = 2.0, temperature: float = 1.0
) -> NoisyClasses:
    """Return bound, divergence and information for two balanced classes seen through noise; exact.

    x is the class, wrong with chance ``flip``. Labels are one-hot, positives and negatives come
    from the two classes as in Eq. 7.

    Args:
        flip: chance of the wrong class.
        M: number of negatives.
        critic: ``"cosine"``, exp(cos/τ) with x = ±e, as the paper's experiments would have it; or
            ``"best"``, p_a/n_a, which is told the label and which nothing can beat.
        gamma: weight of a negative; 2 is the Hamming distance.
        temperature: τ of the cosine.

    >>> toy = noisy_classes(0.1, M=256)
    >>> toy.information < toy.bound < toy.kl  # above the information, below the divergence
    True
    """
    law = np.array([1 - flip, flip])
    classes = np.array([law, law[::-1]])
    loss, kl = [], []
    for p, n in (classes, classes[::-1]):
        same = np.exp(np.array([[1, -1], [-1, 1]]) / temperature)
        f = same if critic == "cosine" else np.tile(p / n, (2, 1))
        loss.append(exact_loss(np.outer(p, p), n, f, M, gamma=gamma))
        kl.append(divergence(np.outer(p, p), n))
    return NoisyClasses(
        math.log(M) - sum(loss) / 2,
        sum(kl) / 2,
        mutual_information(positive_law(classes)),
        label_information(classes),
    )
