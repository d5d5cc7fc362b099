"""Exercises of the chapter on the bound of L_u: each function says whether an answer is right."""

import math

import numpy as np

JOINT = np.array([[4, 1, 1], [1, 4, 1], [2, 1, 5]]) / 20
WEIGHTS = np.array([[1, 2, 3], [2, 1, 3], [3, 2, 1]])


def temperature(tau):
    """Solve log(M / (1 + M exp(−1/τ))) = 2 for τ."""
    return math.isclose(
        math.log(255 / (1 + 255 * math.exp(-1 / tau))), 2, abs_tol=1e-3
    )


def critic(f):
    """Put h = g f into the limit of part 3 of the proposition on more negatives."""
    f = np.asarray(f, float)
    outside = (JOINT.sum(0) * WEIGHTS * f).sum(1)  # over a marginal negative
    reached = (JOINT * np.log(f)).sum() - JOINT.sum(1) @ np.log(outside)
    ratio = JOINT / np.outer(JOINT.sum(1), JOINT.sum(0))
    most = (JOINT * np.log(ratio / WEIGHTS)).sum()
    return bool(reached > most - 1e-9)
