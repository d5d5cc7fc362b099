"""Exercises of the chapter on several views and several labels: each function says whether an
answer is right."""

from pathlib import Path

from scipy import stats

from herocon_lite.repro.chapter import Page
from herocon_lite.repro.files import read_json
from herocon_lite.repro.stats import ci_half_width

PAGE = Page("several")


def seeds(count):
    """`ci_half_width(sd, n, page.tests)` is half of the corrected interval. Which is the least n
    for which it is smaller than the mean?"""
    found = PAGE.series["HeroCon − DNN, birds", "f1"]
    half = [
        ci_half_width(found.std(), n, PAGE.tests) for n in (count - 1, count)
    ]
    return half[0] >= found.mean() > half[1]


def absent(number):
    """A species with k of 645 recordings is absent with the probability of 0 in a hypergeometric
    draw; add up over species."""
    counts = read_json(Path("../results/label_counts.json"), {})["sets"][
        "birds"
    ]
    positives = [
        round(counts["rows"] * rate) for rate in counts["rates"].values()
    ]
    return (
        abs(
            stats.hypergeom.pmf(0, counts["rows"], positives, 240).sum()
            - number
        )
        < 0.01
    )
