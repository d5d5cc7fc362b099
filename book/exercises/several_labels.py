"""Exercises of the chapter on several labels: each function says whether an answer is right."""

import math

from scipy import stats


def sigma_outside(pull_on_F, pull_on_D):
    """At right angles every f is 1. A term is then −σ log(1/(1 + Σ γ)), and its pull is
    σ Σγ/(1 + Σγ), with the γ of E and the photos that lack the mountain."""
    negatives = 3 + 3 + 2  # E's distance from A, B and C
    pull = negatives / (1 + negatives)
    wanted = {"F": pull, "D": 2 / 3 * pull}
    found = {"F": float(pull_on_F), "D": float(pull_on_D)}
    return all(
        math.isclose(found[name], wanted[name], abs_tol=0.005)
        for name in wanted
    )


def rate(value):
    """The number of samples with the label is binomial; two or more has the chance
    1 − (1 − p)⁵⁰ − 50 p (1 − p)⁴⁹."""
    reaches = stats.binom.sf(
        1, 50, [float(value) - 0.0006, float(value) + 0.0006]
    )
    return reaches[0] < 0.5 < reaches[1]
