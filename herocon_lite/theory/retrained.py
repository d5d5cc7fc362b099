"""The best bound that encoders can reach with M negatives: does it rise with M?

The critic is log f(x, y) = z(x)·w(y)/τ for unit vectors z, w in d dimensions, one for each letter;
the supremum of log(M + 1) − L is over all of them. Exact on small alphabets.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from herocon_lite.theory.exact import exact_bound


def best_bound_on_a_line(joint: ArrayLike, M: int, temperature: float = 1.0) -> float:
    """Return the best bound for d = 1, where encoders are signs: by trying all of them.

    Args:
        joint: (a, b), the law of the pair.
        M: number of negatives.
        temperature: τ.

    >>> joint = [[0.45, 0.05], [0.05, 0.45]]
    >>> [round(best_bound_on_a_line(joint, M, temperature=0.3), 4) for M in (1, 2)]
    [0.0126, 0.0]
    """
    joint = np.asarray(joint, float)
    a, b = joint.shape
    best = -math.inf
    for signs in product((1, -1), repeat=a + b - 1):  # the first sign changes nothing
        z, w = np.array([1, *signs[: a - 1]]), np.array(signs[a - 1 :])
        critic = np.exp(np.outer(z, w) / temperature)
        best = max(best, exact_bound(joint, critic, M))
    return best


def best_bound_of_two_values(joint: ArrayLike, M: int, temperature: float = 1.0) -> float:
    """Return the best bound for two-valued y and every d ≥ 2.

    With w = (±1, 0) each x chooses its own difference of scores in [−2/τ, 2/τ]; the best one is
    that of log r, clipped, at every M.

    Args:
        joint: (a, 2), the law of the pair, both columns positive.
        M: number of negatives.
        temperature: τ.

    >>> joint = [[0.45, 0.05], [0.05, 0.45]]
    >>> [round(best_bound_of_two_values(joint, M, temperature=0.3), 3) for M in (1, 2, 3)]
    [0.184, 0.249, 0.281]
    """
    joint = np.asarray(joint, float)
    if joint.ndim != 2 or joint.shape[1] != 2:
        raise ValueError(f"joint must be (a, 2), y having two values; got shape {joint.shape}.")
    with np.errstate(divide="ignore"):  # log 0 is clipped like any other
        logs = np.log(joint) - np.log(joint.sum(0))
    difference = np.clip(logs[:, 0] - logs[:, 1], -2 / temperature, 2 / temperature)
    critic = np.exp(np.stack([difference, -difference], 1) / 2)
    return exact_bound(joint, critic, M)
