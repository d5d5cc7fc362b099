"""Exercises of the chapter on speech: each function says whether an answer is right."""

import numpy as np
from scipy import stats

from herocon_lite import metrics
from herocon_lite.repro import paper
from herocon_lite.repro.chapter import Page
from herocon_lite.repro.stats import ci_half_width


def seeds(n):
    """The mark is ▲ as soon as the mean exceeds half the corrected interval; try n = 3, 4, 5, …"""
    page = Page("speech")
    found = page.series["weights g", "f1"]
    lead = [
        found.mean() - ci_half_width(found.std(), k, page.tests)
        for k in (n - 1, n)
    ]
    return lead[0] <= 0 < lead[1]


def near_copies(n):
    """A window has no labelled mate with the probability that n draws of 324,421 miss all 12:
    `scipy.stats.hypergeom.pmf(0, 324_421, 12, n)`, about (1 − n / 324,422)¹²."""
    return abs(stats.hypergeom.pmf(0, 324_421, 12, round(n)) - 0.5) < 0.005


def hard_auc(accuracy):
    """`hard_auc` grows with the accuracy; solve it by trying a grid, or by hand:
    AUC = (a + 1 − (1 − a) / 19) / 2."""
    return np.isclose(
        metrics.hard_auc(accuracy, classes=20),
        paper.RESULTS["xrmb"]["HeroCon"].auc,
        atol=0.005,
    )
