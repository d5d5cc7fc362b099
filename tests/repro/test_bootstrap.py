"""Intervals over seeds and test rows: the scores of redraws, the interval, and what it decides."""

import numpy as np
import pytest

from herocon_lite.metrics import evaluate
from herocon_lite.repro import bootstrap, stats


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    Y = (rng.random((60, 4)) < 0.3).astype(int)
    P = np.round(np.clip(0.4 * Y + 0.6 * rng.random((60, 4)), 0, 1), 1)  # with ties
    return Y, P


def test_scores_of_a_redraw_are_those_of_its_rows(rows):
    Y, P = rows
    counts = np.random.default_rng(1).multinomial(60, np.full(60, 1 / 60), size=5)
    found = bootstrap.redraw_scores(Y, P, counts)
    for number, drawn in enumerate(counts):
        again = np.repeat(np.arange(60), drawn)
        scores = evaluate(Y[again], P[again], "multilabel")
        assert found["f1"][number] == pytest.approx(scores["f1"], abs=1e-12)
        assert found["auc"][number] == pytest.approx(scores["auc"], abs=1e-12)


def test_a_label_that_a_redraw_lacks_is_left_out_of_its_auc(rows):
    Y, P = rows
    only = np.flatnonzero(Y[:, 0] == 0)
    counts = np.zeros((1, 60), int)
    counts[0, only] = 1
    scores = evaluate(Y[only], P[only], "multilabel")
    assert scores["labels_without_auc"] == 1
    found = bootstrap.redraw_scores(Y, P, counts)
    assert found["auc"][0] == pytest.approx(scores["auc"], abs=1e-12)


def test_seeds_widen_the_interval_as_t_says_and_rows_widen_it_further():
    rng = np.random.default_rng(2)
    seeds = rng.normal(1, 1, (20, 1))
    narrow = bootstrap.span(np.repeat(seeds, 50, 1))
    t = stats.interval(seeds[:, 0])
    assert narrow.hi - narrow.lo == pytest.approx(t.hi - t.lo, rel=0.12)
    wide = bootstrap.span(seeds + rng.normal(0, 2, (20, 50)))
    assert wide.hi - wide.lo > 1.5 * (narrow.hi - narrow.lo)
    corrected = bootstrap.span(np.repeat(seeds, 50, 1), tests=20)
    assert corrected.lo < narrow.lo and corrected.hi > narrow.hi


def test_the_share_beyond_zero_has_two_sides():
    assert bootstrap.span(np.full((5, 3), 1.0)).p == 0
    assert bootstrap.span(np.full((5, 3), -1.0)).p == 0
    even = np.repeat([[-1.0], [1.0]] * 10, 3, 1)
    assert bootstrap.span(even).p > 0.8


def test_significant_needs_both():
    found = stats.compare([1, 1.1, 0.9, 1.05], tests=4)
    assert found.corrected
    assert stats.confirm(found, 0.001) == found
    before_only = stats.confirm(found, 0.02)
    assert before_only.significant and not before_only.corrected
    none = stats.confirm(found, 0.06)
    assert none.direction is stats.Direction.NONE and not none.significant
    unclear = stats.compare([1, -1, 0.5])
    assert stats.confirm(unclear, 0.001) == unclear
