"""Paired differences become values, not words."""

import math

import numpy as np
import pandas as pd
import pytest

from herocon_lite.repro.stats import Direction, compare


@pytest.mark.parametrize(
    "values, direction",
    [
        ([], Direction.UNKNOWN),
        ([1, 1.1], Direction.UNKNOWN),
        ([1, 1.1, 0.9], Direction.HIGHER),
        ([-1, -1.1, -0.9], Direction.LOWER),
        ([-1, 1, 0.9], Direction.NONE),
    ],
)
def test_direction_is_the_side_of_zero(values, direction):
    found = compare(pd.Series(values, dtype=float))
    assert found.direction is direction and found.n == len(values)
    assert found.significant == (direction in (Direction.HIGHER, Direction.LOWER))


def test_comparison_is_scipy_s_interval():
    from scipy.stats import t

    found = compare([0.5, 1.0, 1.8, 1.1])
    lo, hi = t.interval(0.95, 3, 1.1, np.std([0.5, 1.0, 1.8, 1.1], ddof=1) / 2)
    assert found.estimate == pytest.approx(1.1)
    assert (found.lo, found.hi) == (pytest.approx(lo), pytest.approx(hi))


def test_bonferroni_takes_the_number_of_tests():
    values = [0.5, 1.0, 1.5, 1.0]  # t = 4.9 with 3 degrees of freedom: p = 0.016
    assert [compare(values, tests).corrected for tests in (1, 3, 4)] == [True, True, False]
    assert compare(values, 4).significant


def test_without_enough_runs_nothing_is_significant():
    for values in ([], [5.0], [5.0, 5.0]):
        found = compare(values)
        assert not found.significant and not found.corrected
    assert math.isnan(compare([]).estimate) and math.isnan(compare([5.0]).lo)


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 1.1, 0.9], [-1.0, 1.1, 0.9]])
def test_a_comparison_turns_round(values):
    turned, there = -compare(values, 4), compare([-v for v in values], 4)
    assert turned.direction is there.direction and turned.corrected == there.corrected
    ends = [(c.estimate, c.lo, c.hi) for c in (turned, there)]
    assert ends[0] == pytest.approx(ends[1], nan_ok=True)
