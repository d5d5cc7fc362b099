"""Exercises of the chapter on the bound of L_s: each function says whether an answer is right."""

import math

from herocon_lite import theory


def strict(m):
    """Compare `theory.counterexample_a(m).bound` with log(2m) − log(m − 1) for m = 2, 3, …"""
    over = [
        k
        for k in range(2, 99)
        if theory.counterexample_a(k).bound > math.log(2 * k / (k - 1))
    ]
    return m == over[0]


def hot(tau):
    """For m → ∞ the bound tends to 2/τ − log γ. Where is that log 2?"""
    return math.isclose(tau, 2 / math.log(4), abs_tol=5e-3)
