"""What is printed of runs and comparisons."""

import math

import pandas as pd
import pytest

from herocon_lite.repro import text
from herocon_lite.repro.stats import compare


def test_levels():
    assert text.format_mean(pd.Series([], dtype=float)) == "not run yet"
    assert text.format_mean(pd.Series([0.61237])) == "0.6124, one run"
    assert text.format_mean(pd.Series([0.60, 0.62, 0.64]), 2) == "0.62 [0.57,\u00a00.67]"


def test_a_table_is_aligned_by_letters():
    assert (
        text.markdown_table(["a", "b"], [[1, "x"]], "rl") == "| a | b |\n| --: | --- |\n| 1 | x |"
    )
    assert text.markdown_table(["a"], [[1]]).split("\n")[1] == "| --- |"


def test_an_interval_without_ends_is_a_number():
    assert text.format_interval(-0.5, -1.0, 0.25, ".2f") == "−0.50 [−1.00, 0.25]"
    assert text.format_interval(0.5, math.nan, math.nan, ".1f") == "0.5"
    assert text.format_points(-0.303) == "−0.30"


def test_differences_in_points():
    assert text.format_diff(compare(pd.Series([], dtype=float))) == "–"
    assert text.format_diff(compare(pd.Series([-1.0]))) == "−1.00"
    assert text.format_diff(compare(pd.Series([-2.0, 0.0, 2.0]))) == "+0.00 [−4.97,\u00a0+4.97]"


@pytest.mark.parametrize("count, words", list(enumerate(text.FEW)))
def test_one_or_two_runs_have_no_interval(count, words):
    found = pd.Series([0.5, 0.75][:count], dtype=float)
    assert text.format_mean(found).endswith(words)
    assert "[" not in text.format_diff(compare(found))


def test_prose_has_one_decimal_and_two_where_an_end_is_near_zero():
    far, near = compare([1.6, 2.0, 2.3, 2.1]), compare([0.3, 0.1, 0.2, 0.1])
    assert text.points(far) == "2.0" and text.points(-far) == "−2.0"
    assert text.span(far).replace(text.NO_BREAK, " ") == "(95 % CI 1.5 to 2.5)"
    assert text.ci(near).replace(text.NO_BREAK, " ") == "0.17 points (95 % CI 0.02 to 0.33)"
    assert text.points(compare([-0.1, 0.1, 0.0])) == "0.0", "no minus before a zero"
    assert text.ci(compare([1.5])) == "1.5 points (one run)"
    assert text.percent(0.628) == f"63{text.NO_BREAK}%"


@pytest.mark.parametrize(
    "values, tests, symbol",
    [
        ([], 1, "–"),
        ([1.0, 1.1], 1, "–"),
        ([1.0, 1.1, 0.9], 4, "▲"),
        ([0.5, 1.0, 1.5, 1.0], 4, "△"),
        ([-1.0, 1.1, 0.9], 1, "○"),
        ([-0.5, -1.0, -1.5, -1.0], 4, "▽"),
        ([-1.0, -1.1, -0.9], 4, "▼"),
    ],
)
def test_marks_say_what_survives_the_correction(values, tests, symbol):
    found = compare(values, tests)
    assert text.mark(found) == symbol
    effect = text.format_effect(found)
    assert effect == (f"{symbol} {text.format_diff(found)}" if values else "–")
