"""Figures that a reader can move, and a box to search tables with: both without a kernel."""

from __future__ import annotations

import html
import json
import os
import string
import sys
from collections.abc import Sequence
from importlib import resources

import numpy as np
from matplotlib.ticker import MaxNLocator, ScalarFormatter

from herocon_lite.repro.plots.palette import OKABE_ITO

TICKS = MaxNLocator(nbins=7, steps=[1, 2, 2.5, 5, 10])


def movable(
    traces: Sequence[dict],
    positions: Sequence[str],
    slider: str,
    alt: str,
    xlabel: str,
    ylabel: str,
    xrange: tuple[float, float] | None = None,
    yrange: tuple[float, float] | None = None,
    start: int = 0,
    square: bool = False,
) -> None:
    """Show curves or points that the reader moves with a slider, without a kernel.

    Everything is computed beforehand and lies in the page; ``movable.js`` draws it. Put a still
    picture of it beside it, for print and for readers without scripts.

    Args:
        traces: one dictionary a curve: ``name``, ``x`` (points,) or (positions, points), ``y``
            (positions, points), and if wanted ``mode`` ("lines" or "markers"), ``colour``,
            ``dash`` ("dot", "dash").
        positions: what the slider says at each place, such as "0.10".
        slider: what it moves, such as "temperature τ".
        alt: what the figure shows, for those who cannot see it.
        xlabel: name of the horizontal axis.
        ylabel: name of the vertical axis.
        xrange: its ends; those of the points if left out.
        yrange: the same for the vertical axis.
        start: position at first.
        square: one scale on both axes, for circles.
    """
    from IPython.display import display

    drawn = [_trace(trace, number) for number, trace in enumerate(traces)]
    figure = {
        "slider": slider,
        "positions": list(positions),
        "start": start,
        "square": square,
        "x": _axis(xlabel, xrange, [t["x"] for t in drawn]),
        "y": _axis(ylabel, yrange, [t["y"] for t in drawn]),
        "traces": drawn,
    }
    page = (
        f'<div class="movable" data-alt="{html.escape(alt)}">'
        f'<script type="application/json">{json.dumps(figure, ensure_ascii=False)}</script>'
        "A figure with a slider: it moves in the book, and here when the cell is run.</div>"
    )
    if _is_live():
        script = resources.files(__package__).joinpath("movable.js").read_text("utf-8")
        page += f"<script>{script}</script>"
    display({"text/html": page, "text/plain": alt}, raw=True)


def _is_live() -> bool:
    """Is the reader looking on (Colab, JupyterLab)? The pages of the book bring the script once."""
    return "google.colab" in sys.modules or "JPY_SESSION_NAME" in os.environ


def _trace(trace: dict, number: int) -> dict:
    """Return a curve with four digits of each point; what never moves is stored once."""
    shown = {
        "name": trace["name"],
        "mode": trace.get("mode", "lines"),
        "colour": trace.get("colour", OKABE_ITO[number % len(OKABE_ITO)]),
        "dash": trace.get("dash", ""),
    }
    for axis in "xy":
        places = np.atleast_2d(np.asarray(trace[axis], float))
        if (places == places[0]).all():
            places = places[:1]
        shown[axis] = [[_short(value) for value in row] for row in places]
    return shown


def _short(value: float) -> float | int:
    """Four digits; 3 rather than 3.0, and 0 rather than -0.0."""
    rounded = float(f"{value:.4g}") + 0.0
    return int(rounded) if rounded.is_integer() else rounded


def _axis(label: str, ends: tuple[float, float] | None, parts: list) -> dict:
    if ends is None:
        values = np.concatenate([row for part in parts for row in part])
        room = 0.05 * (np.ptp(values) or 1.0)
        ends = (values.min() - room, values.max() + room)
    low, high = (float(f"{end:.4g}") for end in ends)
    ticks = [t for t in TICKS.tick_values(low, high) if low <= t <= high]
    words = ScalarFormatter(useOffset=False)
    words.create_dummy_axis()
    names = words.format_ticks(ticks)
    return {
        "label": label,
        "range": [low, high],
        "ticks": [[_short(t), name] for t, name in zip(ticks, names, strict=True)],
    }


def search_box(
    what: str, example: str, column: str | None = None, choices: Sequence[str] = ()
) -> str:
    """Return HTML: a box that hides the table rows without the typed words.

    It works on every table of the page whose first heading is "No.", loads nothing, and is not
    there without scripts.

    Args:
        what: what a row is, in one word, such as "point".
        example: words to search for, shown in the empty box.
        column: heading of a column to choose from.
        choices: what its cells may begin with; the reader sees the rows of one of them.
    """
    border = "border: 1px solid currentColor; border-radius: 4px; padding: 0.3em 0.6em"
    select = ""
    if choices:
        options = "".join(f"<option>{html.escape(choice)}</option>" for choice in choices)
        select = (
            f'\n<label style="white-space: nowrap">{column}\n'
            f'<select id="{what}-choice" data-column="{column}" style="color: inherit;\n'
            f"background: var(--pst-color-background, Canvas); {border}; "
            f'margin: 0 0.6em"><option value="">all</option>'
            f"{options}</select></label>"
        )
    template = resources.files(__package__).joinpath("search_box.html").read_text("utf-8")
    words = {"what": what, "example": example, "border": border, "select": select}
    return string.Template(template.rstrip("\n")).substitute(words)
