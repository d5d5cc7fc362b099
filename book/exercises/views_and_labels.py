"""Exercises of the chapter on views and labels: each function says whether an answer is right."""

import math

import numpy as np

from herocon_lite.data import load
from herocon_lite.repro.label_counts import partner_chance, set_sizes


def size_biased(above):
    """Σ n² / Σ n is (mean² + variance) / mean; what is left if you take the mean away?"""
    sizes = set_sizes(load("yeast").labels)
    return math.isclose(
        float(above), sizes.var() / sizes.mean(), rel_tol=0.001
    )


def seven_classes(easier):
    """`partner_chance(set_sizes(labels[:, chosen]), 120)` for both sets of columns."""
    labels = load("yeast").labels
    by_rate = np.argsort(labels.mean(0))
    rarest, frequent = (
        partner_chance(set_sizes(labels[:, chosen]), 120)
        for chosen in (by_rate[:7], by_rate[7:])
    )
    return easier == ("rarest" if rarest > frequent else "most frequent")
