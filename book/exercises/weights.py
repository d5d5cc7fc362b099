"""Exercises of the chapter on the weights: each function says whether an answer is right."""

import math

from herocon_lite import theory


def turning_point(tau):
    """By the proposition on shares it is pushed harder if its g = e^0.1 lies above the mean of g."""

    def harder(t):
        found = theory.anchor_forces(t)
        return found["detached"][0] > found["vanilla"][0]

    return harder(tau - 2e-3) and not harder(tau + 2e-3)


def cone(at_45_degrees, at_one_half):
    """For n → ∞ the height is τ/2, which is the cosine of the angle with h."""
    right = math.sqrt(2)
    return all(
        math.isclose(tau, right, abs_tol=5e-3)
        for tau in (at_45_degrees, at_one_half)
    )
