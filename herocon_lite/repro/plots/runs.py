"""Figures of stored runs: a dot for each seed, the mean and its 95 % interval.

Each returns the numbers it drew: nbval compares no picture, so a page asserts or shows those.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from herocon_lite.repro.plots.palette import FAINT, INK, OKABE_ITO, PAPER, PUSH
from herocon_lite.repro.stats import MIN_SEEDS, Interval, interval


def seed_rows(
    ax: Axes,
    values: Mapping[str, ArrayLike],
    printed: Mapping[str, float] | None = None,
    colours: Sequence[str] = OKABE_ITO[:1],
    zero: bool = False,
    least: float = -np.inf,
) -> dict[str, Interval | None]:
    """Draw one row a name, the first on top: a faint dot a seed, the mean and its 95 % t interval.

    A row without values says "not run yet"; one or two are rings, without mean and interval.

    Args:
        values: one number a seed for each name: results, or paired differences.
        printed: what somebody else reports, for some of the names; drawn as a cross.
        colours: of the rows, repeated as needed.
        zero: a line at zero in the middle of the axes, for differences.
        least: a row with a mean below is a number at the edge, so that the others have the axes
            to themselves.

    Returns:
        The mean and interval of each row, as drawn; without an interval its ends are nan.
    """
    printed, drawn = printed or {}, {}
    if zero:
        ax.axvline(0, color=FAINT, lw=1.5, zorder=0)
    for row, (name, found) in enumerate(values.items()):
        found = np.asarray(found, float)
        found = found[np.isfinite(found)]
        if name in printed:
            ax.plot(printed[name], row, "x", ms=8, mew=2.2, color=INK, zorder=4)
        drawn[name] = _seed_row(ax, row, found, colours[row % len(colours)], least)
    ax.set_yticks(range(len(values)), list(values))
    ax.set_ylim(len(values) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    if zero:
        reach = max(np.abs(ax.get_xlim()))
        ax.set_xlim(-reach, reach)
    ax.locator_params(axis="x", nbins=6)
    return drawn


def _seed_row(ax: Axes, row: int, found: np.ndarray, colour: str, least: float) -> Interval | None:
    edge = {"transform": ax.get_yaxis_transform(), "color": PUSH, "fontsize": 9}
    edge |= {"ha": "left", "va": "center"}
    if len(found) == 0:
        ax.text(0.02, row, "not run yet", **edge)
        return None
    drawn = interval(found) if len(found) >= MIN_SEEDS else Interval(found.mean(), *[math.nan] * 3)
    if drawn.mean < least:
        ax.text(0.02, row, f"◂ {drawn.mean:.2f}", **edge)
    elif len(found) < MIN_SEEDS:
        ring = {"mfc": PAPER, "mec": colour, "mew": 2, "ls": "none"}
        ax.plot(found, np.full(len(found), row), "o", ms=7, **ring)
        beside = {"xytext": (8, 0), "textcoords": "offset points", "fontsize": 9}
        words = "one run" if len(found) == 1 else "two runs"
        ax.annotate(words, (found.max(), row), va="center", color=PUSH, **beside)
    else:
        # the same places each time, and neighbours far apart
        place = row + 0.5 * ((np.arange(len(found)) * 0.618) % 1 - 0.5)
        ax.plot(found, place, "o", ms=4, mew=0, color=colour, alpha=0.35)
        ends = [drawn.lo, drawn.hi]
        ax.plot(ends, [row, row], color=colour, lw=3, solid_capstyle="butt", zorder=2)
        ax.plot([drawn.mean], [row], "D", ms=7, color=colour, mec=PAPER, zorder=3)
    return drawn


def seed_course(
    ax: Axes, x: ArrayLike, values: Sequence[ArrayLike], colour: str, label: str, marker: str = "D"
) -> dict[float, Interval]:
    """Draw a faint dot a seed at each x, their means joined by a line, with 95 % t intervals.

    Where there are no values the line passes over; one or two have no interval.

    Returns:
        The mean and interval at each x that has values, as drawn.
    """
    drawn = {}
    for place, found in zip(np.asarray(x, float), values, strict=True):
        found = np.asarray(found, float)
        if len(found) == 0:
            continue
        ax.plot(np.full(len(found), place), found, "o", ms=4, mew=0, color=colour, alpha=0.4)
        drawn[float(place)] = at = interval(found)
        if len(found) >= MIN_SEEDS:
            ax.plot([place, place], [at.lo, at.hi], color=colour, lw=2.5)
    means = [at.mean for at in drawn.values()]
    ax.plot(list(drawn), means, f"{marker}-", color=colour, lw=1, ms=6, mec=PAPER, label=label)
    return drawn


def seed_band(ax: Axes, x: ArrayLike, values: ArrayLike, colour: str) -> list[Interval]:
    """Draw the mean over seeds at each x, with its 95 % t interval as a band.

    Args:
        values: one row a seed, one column for each x.

    Returns:
        The mean and interval at each x, as drawn.
    """
    drawn = [interval(column) for column in np.asarray(values, float).T]
    mean, _, lo, hi = (np.array(numbers) for numbers in zip(*drawn, strict=True))
    ax.plot(x, mean, "o-", ms=4, color=colour)
    ax.fill_between(x, lo, hi, color=colour, alpha=0.2, lw=0)
    return drawn


def value_map(
    ax: Axes,
    values: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    frames: Mapping[str, tuple[int, int, str]],
) -> np.ndarray:
    """Draw a table of numbers as a map, one decimal in each cell, the first row at the bottom.

    Args:
        frames: name to (row, column, colour) of cells that get a frame, and a line in the legend.

    Returns:
        The numbers, as drawn.
    """
    values = np.asarray(values, float)
    ax.imshow(values, cmap="cividis", origin="lower", aspect="auto")
    middle = (values.min() + values.max()) / 2
    for row, column in np.ndindex(values.shape):
        value = values[row, column]
        ink = PAPER if value < middle else INK
        ax.text(column, row, f"{value:.1f}", ha="center", va="center", fontsize=9, color=ink)
    for name, (row, column, colour) in frames.items():
        edge = {"mfc": "none", "mec": colour, "mew": 2.5, "ls": ""}
        ax.plot(column, row, "s", ms=27, **edge)
        ax.plot([], [], "s", ms=9, label=name, **edge)
    ax.set_xticks(range(len(columns)), columns)
    ax.set_yticks(range(len(rows)), rows)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return values


def difference_panels(
    answers: Mapping[tuple[str, str], ArrayLike],
    colours: Sequence[str],
    size: tuple[float, float],
    printed: Mapping[tuple[str, str], float] | None = None,
) -> dict[tuple[str, str], Interval | None]:
    """Draw F1 beside AUC, one row a question.

    Args:
        answers: (question, metric) to differences in points, one a seed.
        colours: of the questions.
        size: of the figure, in inches.
        printed: the differences that somebody else reports, drawn as crosses.

    Returns:
        The mean and interval of each row, as drawn.
    """
    import matplotlib.pyplot as plt

    axes = plt.subplots(1, 2, figsize=size, sharey=True)[1]
    drawn = {}
    for ax, metric in zip(axes, ("f1", "auc"), strict=True):
        values, crosses = (
            {name: found for (name, of), found in each.items() if of == metric}
            for each in (answers, printed or {})
        )
        if len(colours) != len(values):
            raise ValueError(f"colours must be {len(values)}, one a question; got {len(colours)}.")
        rows = seed_rows(ax, values, crosses, colours, zero=True)
        drawn |= {(name, metric): found for name, found in rows.items()}
        ax.set(xlabel=f"difference of {metric.upper()} (points)")
    axes[0].tick_params(axis="y", labelsize=9)
    return drawn
