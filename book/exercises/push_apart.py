"""Exercises of the chapter on the push: each function says whether an answer is right."""

import math


def moved_dog(without, with_g):
    """A push is a term's share of the sum, and a term is f, or g times f. Both depend on the
    cosine with the anchor alone; which cosines do 40° and 140° have with 90°?"""
    near, far = (math.cos(math.radians(angle - 90)) for angle in (140, 40))
    ratio = math.exp(far - near)
    return all(
        math.isclose(float(value), ratio, rel_tol=1e-6)
        for value in (without, with_g)
    )


def same_as(temperature):
    """Write log(g f) as a constant plus the cosine times a number: that number is one over the
    temperature you look for."""
    return math.isclose(float(temperature), 1 / (1 / 0.2 - 1), rel_tol=1e-6)
