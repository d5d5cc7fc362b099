"""Exercises of the chapter on Scene: each function says whether an answer is right."""

import numpy as np
from scipy import stats

from herocon_lite.repro.chapter import Page
from herocon_lite.repro.ledger import OURS
from herocon_lite.repro.stats import Direction, compare

PAGE = Page("scene")


def seeds(paired, independent):
    """Which deviation belongs to each design? Student's t has n − 1 degrees of freedom for
    paired runs, and 2 (n − 1) for independent ones."""
    a, b = (100 * PAGE.store.runs(method) for method in ("herocon-s", "dnn"))
    spreads = {1: (a - b).std(), 2: np.hypot(a.std(), b.std())}
    n = np.arange(2, 99)
    least = {
        sets: n[stats.t.ppf(0.975, sets * (n - 1)) * sd / np.sqrt(n) <= 1][0]
        for sets, sd in spreads.items()
    }
    return (paired, independent) == (least[1], least[2])


def threshold(beaten):
    """`page.store.difference(a, b, "f1_at_05")` has the differences, and `compare` says whether
    they lie above zero."""
    titles = PAGE.asked.groups["baselines"]
    right = set()
    for title in titles:
        pair = {"method": "herocon"}, {"method": OURS[title]}
        found = compare(PAGE.store.difference(*pair, "f1_at_05"))
        if found.direction is Direction.HIGHER:
            right.add(title)
    return set(beaten) == right


def power(five, twenty):
    """Draw samples of 5 and of 20 normal differences, and count the intervals above zero."""
    sd = PAGE.series["BN(U)", "f1"].std()
    exact = []
    for n in (5, 20):
        limit = stats.t.ppf(0.975, n - 1)
        exact.append(stats.nct.sf(limit, n - 1, 0.3 * np.sqrt(n) / sd))
    return np.allclose((five, twenty), exact, atol=0.02)
