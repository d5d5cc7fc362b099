"""Figures that a reader can move, and a box to search tables with: both without a kernel."""

from __future__ import annotations

import html
import json
import string
import sys
from collections.abc import Sequence
from importlib import resources

import numpy as np

from herocon_lite.repro.plots.palette import OKABE_ITO


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

    Everything is computed beforehand and lies in the page. Put a still picture of it beside it,
    for print and for readers without scripts.

    Args:
        traces: one dictionary a curve: ``name``, ``x`` (points,) or (positions, points), ``y``
            (positions, points), and if wanted ``mode`` ("lines" or "markers"), ``colour``,
            ``dash`` ("dot", "dash").
        positions: what the slider says at each place, such as "0.10".
        slider: what it moves, such as "temperature τ".
        alt: what the figure shows, for those who cannot see it.
        square: one scale on both axes, for circles.
    """
    from IPython.display import display

    frames = [
        {"name": name, "data": [_points(t, i) for t in traces]} for i, name in enumerate(positions)
    ]
    scale = {"scaleanchor": "x"} if square else {}
    layout = {
        "xaxis": {"title": {"text": xlabel}, "range": xrange},
        "yaxis": {"title": {"text": ylabel}, "range": yrange} | scale,
        "colorway": list(OKABE_ITO),
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "margin": {"t": 20, "r": 20},
        "height": 420,
        "sliders": [_slider(slider, positions, start)],
    }
    data = [_style(t) | _points(t, start) for t in traces]
    figure = {"data": data, "layout": layout, "frames": frames}
    if "google.colab" in sys.modules:  # it does not know plotly's own type of output
        import plotly.graph_objects as go

        go.Figure(figure).show()
        return
    page = (
        f'<div class="movable" role="group" aria-label="{html.escape(alt)}">'
        f'<script type="application/json">{json.dumps(figure, ensure_ascii=False)}</script>'
        "<noscript>This figure moves only with scripts on; the picture beside it stands still."
        "</noscript></div>"
    )
    bundle = {"application/vnd.plotly.v1+json": figure, "text/html": page, "text/plain": alt}
    display(bundle, raw=True)


def _points(trace: dict, number: int) -> dict:
    """Return a curve at one position of the slider, five digits of it."""
    x = np.asarray(trace["x"], float)
    x = x[number] if x.ndim == 2 else x
    y = np.asarray(trace["y"], float)[number]
    return {
        axis: [float(f"{v:.5g}") + 0.0 for v in values] for axis, values in (("x", x), ("y", y))
    }


def _style(trace: dict) -> dict:
    style = {"color": trace["colour"]} if "colour" in trace else {}
    dash = {"dash": trace["dash"]} if "dash" in trace else {}
    mode = trace.get("mode", "lines")
    shape = {"line": style | dash} if mode == "lines" else {"marker": style | {"size": 11}}
    return {"type": "scatter", "name": trace["name"], "mode": mode, **shape}


def _slider(name: str, positions: Sequence[str], start: int) -> dict:
    at_once = {"mode": "immediate", "frame": {"duration": 0}}
    steps = [{"label": at, "method": "animate", "args": [[at], dict(at_once)]} for at in positions]
    return {"active": start, "currentvalue": {"prefix": f"{name}: "}, "steps": steps}


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
            f'background: Canvas; {border}; margin: 0 0.6em"><option value="">all</option>'
            f"{options}</select></label>"
        )
    template = resources.files(__package__).joinpath("search_box.html").read_text("utf-8")
    words = {"what": what, "example": example, "border": border, "select": select}
    return string.Template(template.rstrip("\n")).substitute(words)
