"""Exercises of the chapter on special cases: each function says whether an answer is right."""

import math


def lonely(ratio):
    """Both losses are the same sum of 2p terms. L_out divides it by n, Eq. 7 takes a mean per
    class and divides by the number of classes."""
    return math.isclose(float(ratio), 11 / 14, rel_tol=0.002)


def margin(value):
    """e times every negative is the same as the positive's f divided by e; f is exp(cos/τ)."""
    return math.isclose(float(value), 0.5, rel_tol=1e-6)


def no_repulsion(limit):
    """A pair is pushed if its share of the sum is above 1/3. Put the partner on the anchor and the
    six others opposite: no pair can have a larger share."""
    return math.isclose(float(limit), 2 / math.log(3), rel_tol=0.002)
