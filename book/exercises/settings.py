"""Exercises of the chapter on settings: each function says whether an answer is right."""

import numpy as np

from herocon_lite.repro import ablations
from herocon_lite.repro.query import Store


def shares(alpha, beta):
    """Subtract the mean of all points; the mean over β is then the part of α, and the mean over α
    the part of β. Square, average, and divide by the variance."""
    store = Store("../results", "mocha", form=None)
    means = ablations.surface(store).mean(2)
    return np.allclose(
        (alpha, beta), ablations.variance_shares(means)[:2], atol=0.01
    )


def kept(share):
    """Given a measured y, the true value is expected at y · s² / (s² + 1/k), at every y."""
    return np.isclose(share, 0.75, atol=0.01)


def winner(delta):
    """Draw 20,000 times eleven standard normal numbers, add δ to the first, and count its wins."""
    return 3.0 <= delta <= 3.4
