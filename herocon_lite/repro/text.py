"""How a number, a comparison or a table is shown: the only place where values become words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from herocon_lite.repro import stats
from herocon_lite.repro.query import GROUP
from herocon_lite.repro.stats import Comparison, Direction

if TYPE_CHECKING:
    import pandas as pd
    from IPython.display import Markdown

NO_BREAK = "\u00a0"  # keeps the ends of an interval on one line of a table
FEW = ("not run yet", "one run", "two runs")  # too few for an interval that says anything


def table(heads: Sequence, rows: Iterable[Sequence], above: str = "") -> Markdown:
    """Return a Markdown table for a cell's output, below the text ``above``."""
    from IPython.display import Markdown

    cells = [heads, ["---"] * len(heads), *rows]
    return Markdown(above + "\n".join(f"| {' | '.join(map(str, row))} |" for row in cells))


def format_mean(found: pd.Series, digits: int = 4) -> str:
    """Format the mean and 95 % interval of some runs; one or two are said to be that."""
    if len(found) == 0:
        return FEW[0]
    mean, _, lo, hi = (f"{value:.{digits}f}" for value in stats.interval(found))
    return f"{mean}, {FEW[len(found)]}" if len(found) < 3 else f"{mean} [{lo},{NO_BREAK}{hi}]"


def format_diff(found: Comparison) -> str:
    """Format a difference with its 95 % interval, in points; of one or two runs the mean alone."""
    if found.n == 0:
        return "–"
    mean, lo, hi = (f"{value:+.2f}" for value in (found.estimate, found.lo, found.hi))
    unknown = found.direction is Direction.UNKNOWN
    return (mean if unknown else f"{mean} [{lo},{NO_BREAK}{hi}]").replace("-", "−")


def describe(found: Comparison, aim: int) -> str:
    """Say what a comparison shows, and no more.

    Args:
        found: of paired differences; what only the uncorrected interval shows is said to be that.
        aim: how many seeds are wanted; fewer are mentioned.
    """
    if found.direction is Direction.UNKNOWN:
        return FEW[found.n]
    few = f" ({found.n} seeds so far)" if found.n < aim else ""
    if found.direction is Direction.NONE:
        return f"not told apart{few}"
    chance = "" if found.corrected else f", but may be chance among {found.tests}"
    return f"{'better' if found.direction is Direction.HIGHER else 'worse'}{chance}{few}"


def runs_to_markdown(rows: pd.DataFrame, form: str = ".3f") -> str:
    """Format a :func:`query.table` for people; a single run is said to be one."""
    import pandas as pd

    lines = [
        "| " + " | ".join([*GROUP, "seeds", "F1 [95 %]", "AUC [95 %]"]) + " |",
        "|" + "---|" * len(GROUP) + "--:|---|---|",
    ]
    for row in rows.to_dict("records"):
        names = ["–" if pd.isna(row[name]) else str(row[name]) for name in GROUP]
        cells = [
            _cell(row["seeds"], form, *(row[m + end] for end in ("", "_lo", "_hi")))
            for m in ("f1", "auc")
        ]
        lines.append("| " + " | ".join([*names, str(row["seeds"]), *cells]) + " |")
    return "\n".join(lines)


def _cell(seeds: int, form: str, mean: float, lo: float, hi: float) -> str:
    if math.isnan(mean):
        return "undefined"
    mean, lo, hi = (format(value, form) for value in (mean, lo, hi))
    return f"{mean} (one run)" if seeds == 1 else f"{mean} [{lo}, {hi}]"
