"""How a number, a comparison or a table is shown: the only place where values become words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from herocon_lite.repro import stats
from herocon_lite.repro.query import GROUP, METRICS
from herocon_lite.repro.stats import Comparison, Direction

if TYPE_CHECKING:
    from IPython.display import Markdown

NO_BREAK = "\u00a0"  # keeps the ends of an interval on one line of a table
FEW = ("not run yet", "one run", "two runs")  # too few for an interval that says anything


def markdown_table(heads: Sequence, rows: Iterable[Sequence], align: str = "") -> str:
    """Return a Markdown table.

    Args:
        align: a letter per column, l or r; empty: all to the left.
    """
    rule = ["--:" if side == "r" else "---" for side in align or "l" * len(heads)]
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in (heads, rule, *rows))


def compact_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a :func:`markdown_table` without columns in which nothing but "–" stands."""
    rows = list(rows)
    kept = [n for n, column in enumerate(zip(*rows, strict=True)) if {*column} != {"–"}]
    heads, *lines = [[str(row[n]).replace("|", "/") for n in kept] for row in (heads, *rows)]
    return markdown_table(heads, lines)


def table(heads: Sequence, rows: Iterable[Sequence], above: str = "", align: str = "") -> Markdown:
    """Return a :func:`markdown_table` for a cell's output, below the text ``above``."""
    from IPython.display import Markdown

    return Markdown(above + markdown_table(heads, rows, align))


def format_interval(mean: float, lo: float, hi: float, form: str = ".4f", space: str = " ") -> str:
    """Format a mean with the ends of its interval: 0.6231 [0.6100, 0.6362]; alone without ends."""
    shown, low, high = (_minus(format(value, form)) for value in (mean, lo, hi))
    return shown if math.isnan(lo) else f"{shown} [{low},{space}{high}]"


def format_points(value: float, digits: int = 2) -> str:
    """Format a difference in points, with its sign: +1.05, −0.30."""
    return _minus(format(value, f"+.{digits}f"))


def _minus(number: str) -> str:
    return number.replace("-", "−")


def format_mean(found: pd.Series, digits: int = 4) -> str:
    """Format the mean and 95 % interval of some runs; one or two are said to be that."""
    if len(found) == 0:
        return FEW[0]
    mean, _, lo, hi = stats.interval(found)
    if len(found) < stats.MIN_SEEDS:
        return f"{format_interval(mean, math.nan, math.nan, f'.{digits}f')}, {FEW[len(found)]}"
    return format_interval(mean, lo, hi, f".{digits}f", NO_BREAK)


def format_diff(found: Comparison, space: str = NO_BREAK) -> str:
    """Format a difference with its 95 % interval, in points; of one or two runs the mean alone."""
    if found.n == 0:
        return "–"
    ends = (math.nan,) * 2 if found.direction is Direction.UNKNOWN else (found.lo, found.hi)
    return format_interval(found.estimate, *ends, "+.2f", space)


MARKS = {
    (Direction.HIGHER, True): "▲",
    (Direction.HIGHER, False): "△",
    (Direction.NONE, False): "○",
    (Direction.LOWER, False): "▽",
    (Direction.LOWER, True): "▼",
    (Direction.UNKNOWN, False): "–",
}


def mark(found: Comparison) -> str:
    """Return a comparison's mark.

    ▲ ▼ significant after correction for multiple tests, △ ▽ before it only, ○ not significant,
    – fewer than three runs.

    Example:
        >>> from herocon_lite.repro.stats import compare
        >>> mark(compare([1, 1.1, 0.9], tests=4)), mark(compare([1, 1.3, 0.7], tests=4))
        ('▲', '△')
    """
    return MARKS[found.direction, found.corrected]


def format_effect(found: Comparison) -> str:
    """Format a difference for a table: mark, mean and 95 % interval, in points."""
    return f"{mark(found)} {format_diff(found)}" if found.n else "–"


def points(found: Comparison) -> str:
    """Format a difference for prose, in points, with one decimal; two if an end is near 0.

    Rounding must not hide on which side of zero an end lies.

    Example:
        >>> from herocon_lite.repro.stats import compare
        >>> points(compare([1.8, 2.0, 2.3]))
        '2.0'
    """
    return _decimals(found)[0]


def span(found: Comparison) -> str:
    """Format the interval for prose: "(95 % CI 1.1 to 2.4)"; with one or two runs, their number."""
    if found.direction is Direction.UNKNOWN:
        return f"({FEW[found.n]})"
    _, lo, hi = _decimals(found)
    return f"(95{NO_BREAK}%{NO_BREAK}CI{NO_BREAK}{lo} to {hi})"


def ci(found: Comparison) -> str:
    """Format a difference and its interval for prose: "2.0 points (95 % CI 1.6 to 2.3)"."""
    return f"{points(found)} points {span(found)}"


def percent(share: float) -> str:
    """Format a share for prose: "63 %"."""
    return f"{100 * share:.0f}{NO_BREAK}%"


def _decimals(found: Comparison) -> list[str]:
    digits = 2 if min(abs(found.lo), abs(found.hi)) < 0.05 else 1
    shown = (f"{value:.{digits}f}" for value in (found.estimate, found.lo, found.hi))
    return [_minus(v if float(v) else v.lstrip("-")) for v in shown]


def runs_to_markdown(rows: pd.DataFrame, form: str = ".3f") -> str:
    """Format a :func:`query.table` for people; a single run is said to be one."""
    cells = []
    for row in rows.to_dict("records"):
        names = ["–" if pd.isna(row[name]) else row[name] for name in GROUP]
        cells.append([*names, row["seeds"], *(_metric(row, m, form) for m in METRICS)])
    heads = [*GROUP, "seeds", "F1 [95 %]", "AUC [95 %]"]
    return markdown_table(heads, cells, "l" * len(GROUP) + "rll")


def _metric(row: dict, metric: str, form: str) -> str:
    mean, lo, hi = (row[metric + end] for end in ("", "_lo", "_hi"))
    if math.isnan(mean):
        return "undefined"
    return format_interval(mean, lo, hi, form) + (" (one run)" if row["seeds"] == 1 else "")
