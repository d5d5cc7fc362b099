"""Figures 2, 3 and 4; the first is an example, checked with the statements."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from herocon_lite.data.splits import LABELED
from herocon_lite.repro import efficiency, files, paper, text
from herocon_lite.repro.ledger import words
from herocon_lite.repro.ledger.rows import Finding
from herocon_lite.repro.ledger.rules import (
    Verdict,
    judge_comparison,
    judge_equivalence,
    judge_growth,
    judge_large_gain,
    judge_order,
)
from herocon_lite.repro.ledger.runs import Pair, Runs, compare_pairs, where
from herocon_lite.repro.pages import PAGES
from herocon_lite.repro.stats import MIN_SEEDS, Comparison

BEST_POINT = tuple(paper.XRMB_OPTIMUM.values())  # α, β in Fig. 3(a)
USUAL_POINT = (0.1, 0.001)  # in Table 3


FIGURE_2_RULES = {
    "order": partial(judge_order, printed=None),
    "equivalence": judge_equivalence,
    "large_gain": judge_large_gain,
}


def fig_2(runs: Runs) -> dict[str, Finding]:
    """Fig. 2, from runs on MNIST whose preparation names a share of noisy pixels."""
    found = {}
    for name, claim in words.WORDS["figure_2"].items():
        judge = FIGURE_2_RULES[claim["rule"]]
        pairs = [
            Pair(label, _side(runs, *a), _side(runs, *b), judge)
            for label, (a, b) in claim["pairs"].items()
        ]
        results = compare_pairs(runs, pairs)
        found[name] = Finding(
            judge_comparison(results.states, strict=name == "fig_2a_best"),
            words.describe_pairs(results.judged),
            words.comparison_reason(results.states) or words.NOT_RUN["mnist"],
            PAGES["noise"],
            "N-MNIST",
            words.describe_budgets(results.budgets),
            results.seeds,
        )
    return found


def _side(
    runs: Runs, method: str, form: str, share: float, without: str | None = None
) -> pd.DataFrame:
    """One side of a difference; ``without`` L_u: the F1 that L_u costs, by seed."""
    mine = runs.of("mnist", method, form=form, share=share)
    if without is None:
        return mine
    key, other = ["seed", "split.checksum"], _side(runs, without, form, share)
    both = mine.merge(other[[*key, "f1"]], on=key, suffixes=("", "_without"))
    return both.assign(f1=both["f1_without"] - both["f1"])


def fig_3(runs: Runs) -> dict[str, Finding]:
    """Fig. 3 is of XRMB; what MOCHA says stands beside it."""
    f = runs.frame
    f = f[(f["data"] == "mocha") & (f["base"] == "herocon") & (f["budget"] == "paper")]
    f = f[(f["preset"] == "paper") & (f["protocol"] == "transductive")]
    surface, growth = None, []
    if len(f):
        f = f[f["split.how"] == "paper"]
        given = LABELED["mocha"] + f["settings.unlabeled_batch"] - 1
        pairs = zip(f["changes"], given, strict=True)
        f = f.assign(negatives=[c.get("negatives", n) for c, n in pairs])
        surface, growth = _surface(runs, f), _growth(runs, f)
    beside = {"fig_3a": words.describe_surface(surface), "fig_3b": words.describe_growth(growth)}
    pages = {"fig_3a": PAGES["parameters"], "fig_3b": PAGES["efficiency"]}
    why = words.NOT_RUN["xrmb"]
    return {
        name: Finding(Verdict.NOT_RUN, "–", why, pages[name], "XRMB", beside=shown)
        for name, shown in beside.items()
    }


class Surface(NamedTuple):
    """What the grid over α and β on MOCHA shows."""

    negatives: float
    points: int
    alpha: float  # of the best point, picked on test labels
    beta: float
    gap: Comparison | None  # F1 at the paper's best point less that at Table 3's, in points


class Growth(NamedTuple):
    """What more negatives do on MOCHA."""

    rows: str  # drawn from the same rows, or with more of them
    least: float
    most: float
    gap: Comparison  # F1 with the most negatives less that with the fewest, in points


def _surface(runs: Runs, f: pd.DataFrame) -> Surface | None:
    """The surface over α and β, at the one number of negatives that has it."""
    # The plain runs with as many rows are the surface's point at the usual α and β.
    grid = _differing(f, "unlabeled_batch", "alpha", "beta")
    moved = where(grid, [{"alpha", "beta"} <= set(c) for c in grid["changes"]])
    if moved.empty:
        return None
    size = moved["negatives"].mode()[0]
    points = _enough(grid[grid["negatives"] == size], ["settings.alpha", "settings.beta"])
    if len(points) < 2:
        return None
    best = max(points, key=lambda point: points[point]["f1"].mean())
    gap = None
    if {BEST_POINT, USUAL_POINT} <= points.keys():
        gap = runs.difference(points[BEST_POINT], points[USUAL_POINT], "f1")
    return Surface(size, len(points), *best, gap)


def _growth(runs: Runs, f: pd.DataFrame) -> list[Growth]:
    """The most negatives less the fewest, by drawing among the same rows and by adding rows."""
    plain = _differing(f, "unlabeled_batch", "negatives")
    drawn = np.array(["negatives" in c for c in plain["changes"]], dtype=bool)
    same = plain["settings.unlabeled_batch"].isin(plain.loc[drawn, "settings.unlabeled_batch"])
    more = ~drawn & (plain["negatives"] >= 500)  # fewer are of the changes' smaller steps
    found = []
    for rows, kept in (("the same rows a step", same), ("more rows a step", more)):
        sizes = _enough(plain[kept], "negatives")
        if len(sizes) > 1:
            least, most = min(sizes), max(sizes)
            gap = runs.difference(sizes[most], sizes[least], "f1")
            found.append(Growth(rows, least, most, gap))
    return found


def _differing(f: pd.DataFrame, *names: str) -> pd.DataFrame:
    """The runs that differ from the paper's setting in nothing but these."""
    return where(f, [set(c) <= set(names) for c in f["changes"]])


def _enough(f: pd.DataFrame, by: str | list[str]) -> dict:
    """Groups of runs with three seeds or more."""
    groups = {k: g.drop_duplicates("seed") for k, g in f.groupby(by)}
    return {k: g for k, g in groups.items() if len(g) >= MIN_SEEDS}


def fig_4(folder: Path) -> dict[str, Finding]:
    """Fig. 4, from ``efficiency.jsonl``: a power fitted to the times of the public code's form.

    The fit is over 500 … 5,000 rows; the other two implementations are shown beside.
    """
    page, rows = PAGES["efficiency"], files.read_lines(folder / "efficiency.jsonl")

    def of(what: str, claimed: int) -> Finding:
        fits = {by: efficiency.power(rows, what, by) for by in efficiency.BY}
        fit = fits.pop(efficiency.RELEASED)
        if fit is None:
            return Finding(Verdict.NOT_RUN, "–", "the timings are not stored yet", page)
        ours = f"time ~ size^{text.format_interval(fit.mean, fit.lo, fit.hi, '.2f')}"
        beside = [f"{by}: size^{other.mean:.2f}" for by, other in fits.items() if other]
        why = f"claimed: {claimed}, about: within a half; the public code's form, timed here"
        verdict = judge_growth(fit, claimed)
        return Finding(verdict, ours, why, page, "timing", beside="; ".join(beside))

    return {"fig_4a": of(efficiency.TRAINING, 1), "fig_4b": of(efficiency.NEGATIVE, 2)}
