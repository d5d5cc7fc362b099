"""Figure helpers of the book: points and forces on a circle, label matrices, maps of pairs,
figures that the reader can move, a box to search tables with, and results seed by seed.

Each draws on the axes or the figure it is given. Fonts and sizes come from the style:
``plt.style.use("herocon_lite.repro.book")``.
"""

from __future__ import annotations

import html
import json
import sys
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Patch
from numpy.typing import ArrayLike

from herocon_lite.repro.stats import interval

PULL, PUSH, WRONG = "#009E73", "#6B6B6B", "#D55E00"
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8A8A8A")
PAPER, INK, FAINT = "white", "#222222", "#C9CED3"


def circle(ax: Axes, title: str = "", radii: Sequence[float] = (1,), reach: float = 1.2) -> None:
    """Empty circles around the origin; the axes show ± reach."""
    for radius in radii:
        ax.add_patch(Circle((0, 0), radius, fill=False, color=FAINT, lw=1.5, zorder=0))
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", title=title)
    ax.axis("off")


def dots(
    ax: Axes, angles: ArrayLike, colours: Sequence[str], radius: float = 1, hollow: bool = False
) -> None:
    """Points at the given angles (radians)."""
    x, y = radius * np.cos(angles), radius * np.sin(angles)
    face = PAPER if hollow else colours
    ax.scatter(x, y, s=75, facecolors=face, edgecolors=colours, linewidths=2.2, zorder=3)


def names(
    ax: Axes, angles: ArrayLike, texts: Sequence[str], colours: Sequence[str], radius: float = 0.79
) -> None:
    """A name for each angle, inside the circle; points that coincide share one line of text."""
    angles = np.asarray(angles)
    for number, angle in enumerate(angles):
        mates = np.flatnonzero(np.cos(angles - angle) > 0.99)
        if number == mates[0]:
            text = " ".join(texts[mate] for mate in mates)
            place = (radius * np.cos(angle), radius * np.sin(angle))
            centre = {"ha": "center", "va": "center", "zorder": 4}
            ax.text(*place, text, color=colours[number], weight="bold", **centre)


def arrows(
    ax: Axes,
    angles: ArrayLike,
    slides: ArrayLike,
    colours: Sequence[str],
    scale: float,
) -> None:
    """Arrows along the tangents, from each dot's rim: ``scale`` times the force on its angle."""
    for angle, slide, colour in zip(np.asarray(angles), np.asarray(slides), colours, strict=True):
        ahead = np.sign(slide) * np.array([-np.sin(angle), np.cos(angle)])
        start = np.array([np.cos(angle), np.sin(angle)]) + 0.09 * ahead
        style = {"arrowstyle": "-|>,head_width=0.3,head_length=0.45", "mutation_scale": 14}
        style |= {"color": colour, "lw": 2.4, "shrinkA": 0, "shrinkB": 0}
        end = start + scale * abs(slide) * ahead
        ax.annotate("", end, start, arrowprops=style, zorder=2, annotation_clip=False)


def force_legend(fig: Figure, kinds: dict[str, str]) -> None:
    """One line under the figure: kinds of points by colour, then the three kinds of arrows."""
    style = {"ls": "", "markersize": 8}
    marks = [Line2D([], [], marker="o", color=c, label=k, **style) for k, c in kinds.items()]
    arrows = {"pull": PULL, "push": PUSH, "push on a false negative": WRONG}
    style["markersize"] = 15
    marks += [Line2D([], [], marker="$→$", color=c, label=k, **style) for k, c in arrows.items()]
    spacing = {"columnspacing": 1.6, "handletextpad": 0.5}
    fig.legend(handles=marks, loc="outside lower center", ncols=len(marks), **spacing)


def share_bars(
    ax: Axes, shares: Sequence[ArrayLike], names: Sequence[str], colours: Sequence[str]
) -> None:
    """Two rows of shares side by side: vanilla in full colour, weighted in outline."""
    before, after = (100 * np.asarray(share) for share in shares)
    place = np.arange(len(names))
    ax.bar(place - 0.2, before, 0.36, color=colours, edgecolor=colours, lw=1.8)
    ax.bar(place + 0.2, after, 0.36, color=PAPER, edgecolor=colours, lw=1.8)
    for x, height in [
        *zip(place - 0.2, before, strict=True),
        *zip(place + 0.2, after, strict=True),
    ]:
        ax.text(x, height + 1.5, f"{height:.0f}", ha="center", fontsize=9, color=INK)
    ax.set_xticks(place, names, weight="bold")
    ax.set(ylabel="share of the push (%)", ylim=(0, 1.12 * max(*before, *after)))
    patches = [Patch(fc=PUSH, ec=PUSH, label="vanilla"), Patch(fc=PAPER, ec=PUSH, label="weighted")]
    ax.legend(handles=patches, loc="upper right")


def label_matrix(
    ax: Axes, Y: ArrayLike, samples: Sequence[str], labels: Sequence[str], colours: Sequence[str]
) -> None:
    """A 0/1 matrix: one row a sample, a filled square where it has the label."""
    Y = np.asarray(Y)
    for row, column in np.ndindex(*Y.shape):
        has = bool(Y[row, column])
        style = {"mfc": colours[row] if has else PAPER, "mec": colours[row] if has else FAINT}
        ax.plot(column, row, "s", ms=17, mew=1.2, **style)
        ink = {"color": PAPER, "weight": "bold"} if has else {"color": PUSH}
        ax.text(column, row, int(has), ha="center", va="center", fontsize=9, **ink)
    ax.set_xticks(range(len(labels)), labels)
    ax.set_yticks(range(len(samples)), samples, weight="bold")
    ax.set(xlim=(-0.6, len(labels) - 0.4), ylim=(len(samples) - 0.4, -0.6))
    ax.tick_params(length=0)
    for tick, colour in zip(ax.get_yticklabels(), colours, strict=True):
        tick.set_color(colour)
    ax.spines[:].set_visible(False)


def pair_map(ax: Axes, values: ArrayLike, names: Sequence[str], limit: float) -> ScalarMappable:
    """Signed values of all pairs as a heat map, NaN left out; what ``fig.colorbar`` needs."""
    values = np.asarray(values)
    image = ax.imshow(values, cmap="PuOr", norm=TwoSlopeNorm(0, -limit, limit))
    for row, column in np.argwhere(~np.isnan(values)):
        value = values[row, column]
        ink = PAPER if abs(value) > 0.6 * limit else INK
        text = f"{value:+.2f}".replace("-", "−")
        ax.text(column, row, text, ha="center", va="center", fontsize=8, color=ink)
    ax.set_xticks(range(len(names)), names)
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return image


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
    """Shows curves or points that the reader moves with a slider, without a kernel.

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

    def place(trace: dict, number: int) -> dict:
        x = np.asarray(trace["x"], float)
        x = x[number] if x.ndim == 2 else x
        y = np.asarray(trace["y"], float)[number]
        return {
            axis: [float(f"{v:.5g}") + 0.0 for v in values] for axis, values in (("x", x), ("y", y))
        }

    def look(trace: dict) -> dict:
        style = {"color": trace["colour"]} if "colour" in trace else {}
        dash = {"dash": trace["dash"]} if "dash" in trace else {}
        mode = trace.get("mode", "lines")
        shape = {"line": style | dash} if mode == "lines" else {"marker": style | {"size": 11}}
        return {"type": "scatter", "name": trace["name"], "mode": mode, **shape}

    frames = [
        {"name": name, "data": [place(t, i) for t in traces]} for i, name in enumerate(positions)
    ]
    steps = [
        {
            "label": name,
            "method": "animate",
            "args": [[name], {"mode": "immediate", "frame": {"duration": 0}}],
        }
        for name in positions
    ]
    figure = {
        "data": [look(t) | place(t, start) for t in traces],
        "layout": {
            "xaxis": {"title": {"text": xlabel}, "range": xrange},
            "yaxis": {"title": {"text": ylabel}, "range": yrange}
            | ({"scaleanchor": "x"} if square else {}),
            "colorway": list(OKABE_ITO),
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "margin": {"t": 20, "r": 20},
            "height": 420,
            "sliders": [
                {"active": start, "currentvalue": {"prefix": f"{slider}: "}, "steps": steps}
            ],
        },
        "frames": frames,
    }
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


def search_box(
    what: str, example: str, column: str | None = None, choices: Sequence[str] = ()
) -> str:
    """HTML: a box that hides the table rows without the typed words.

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
    return f"""<style>td code {{ overflow-wrap: anywhere; white-space: normal; }}</style>
<div id="{what}-search" hidden>
<label for="{what}-words">Search all {what}s</label>
<input id="{what}-words" type="search" placeholder="{example}" style="color: inherit;
background: transparent; {border};
margin: 0 0.6em; width: 16em; max-width: 100%">{select}
<output for="{what}-words" aria-live="polite"></output>
</div>
<script>
(() => {{
  const box = document.getElementById("{what}-search");
  const [words, told] = [box.querySelector("input"), box.querySelector("output")];
  const choice = box.querySelector("select");
  const tables = () => [...document.querySelectorAll("table")].filter(
    (table) => table.rows[0]?.cells[0]?.textContent.trim() === "No.");
  const chosen = (table, row) => {{
    if (!choice?.value) return true;
    const headings = [...table.rows[0].cells].map((cell) => cell.textContent.trim());
    const cell = row.cells[headings.indexOf(choice.dataset.column)];
    return cell !== undefined && cell.textContent.trim().startsWith(choice.value);
  }};
  const search = () => {{
    const wanted = words.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let [all, found] = [0, 0];
    for (const table of tables()) {{
      let here = 0;
      for (const row of [...table.rows].slice(1)) {{
        const text = row.textContent.toLowerCase();
        const has = wanted.every((word) => text.includes(word)) && chosen(table, row);
        row.style.display = has ? "" : "none";
        here += has;
        all += 1;
      }}
      table.style.display = here ? "" : "none";
      found += here;
    }}
    told.textContent = `${{found}} of ${{all}} {what}s`;
  }};
  const start = () => {{
    box.hidden = false;
    words.addEventListener("input", search);
    choice?.addEventListener("change", search);
    search();
  }};
  const loading = document.readyState === "loading";
  loading ? document.addEventListener("DOMContentLoaded", start) : start();
}})();
</script>"""


def seed_rows(
    ax: Axes,
    values: Mapping[str, ArrayLike],
    printed: Mapping[str, float] | None = None,
    colours: Sequence[str] = OKABE_ITO[:1],
    zero: bool = False,
    least: float = -np.inf,
) -> None:
    """One row a name, the first on top: a faint dot a seed, the mean and its 95 % t interval.

    A row without values says "not run yet"; one or two are rings, without mean and interval.

    Args:
        values: one number a seed for each name: results, or paired differences.
        printed: what somebody else reports, for some of the names; drawn as a cross.
        colours: of the rows, repeated as needed.
        zero: a line at zero in the middle of the axes, for differences.
        least: a row with a mean below is told as a number at the edge, so that the others have
            the axes to themselves.
    """
    printed = printed or {}
    edge = {"transform": ax.get_yaxis_transform(), "color": PUSH, "fontsize": 9}
    edge |= {"ha": "left", "va": "center"}
    if zero:
        ax.axvline(0, color=FAINT, lw=1.5, zorder=0)
    for row, (name, found) in enumerate(values.items()):
        colour, found = colours[row % len(colours)], np.asarray(found, float)
        found = found[np.isfinite(found)]
        if name in printed:
            ax.plot(printed[name], row, "x", ms=8, mew=2.2, color=INK, zorder=4)
        if len(found) == 0:
            ax.text(0.02, row, "not run yet", **edge)
        elif found.mean() < least:
            ax.text(0.02, row, f"◂ {found.mean():.2f}", **edge)
        elif len(found) < 3:
            rows = np.full(len(found), row)
            ax.plot(found, rows, "o", ms=7, mfc=PAPER, mec=colour, mew=2, ls="none")
            beside = {"xytext": (8, 0), "textcoords": "offset points", "fontsize": 9}
            words = "one run" if len(found) == 1 else "two runs"
            ax.annotate(words, (found.max(), row), va="center", color=PUSH, **beside)
        else:
            # the same places each time, and neighbours far apart
            place = row + 0.5 * ((np.arange(len(found)) * 0.618) % 1 - 0.5)
            ax.plot(found, place, "o", ms=4, mew=0, color=colour, alpha=0.35)
            mean, _, lo, hi = interval(found)
            ax.plot([lo, hi], [row, row], color=colour, lw=3, solid_capstyle="butt", zorder=2)
            ax.plot([mean], [row], "D", ms=7, color=colour, mec=PAPER, zorder=3)
    ax.set_yticks(range(len(values)), list(values))
    ax.set_ylim(len(values) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    if zero:
        reach = max(np.abs(ax.get_xlim()))
        ax.set_xlim(-reach, reach)
    ax.locator_params(axis="x", nbins=6)


def seed_course(
    ax: Axes, x: ArrayLike, values: Sequence[ArrayLike], colour: str, label: str, marker: str = "D"
) -> None:
    """A faint dot a seed at each x, their means joined by a line, with 95 % t intervals.

    Where there are no values the line passes over; one or two have no interval.
    """
    line = []
    for place, found in zip(np.asarray(x, float), values, strict=True):
        found = np.asarray(found, float)
        if len(found) == 0:
            continue
        ax.plot(np.full(len(found), place), found, "o", ms=4, mew=0, color=colour, alpha=0.4)
        mean, _, lo, hi = interval(found)
        if len(found) > 2:
            ax.plot([place, place], [lo, hi], color=colour, lw=2.5)
        line.append((place, mean))
    where = np.array(line).reshape(-1, 2).T
    ax.plot(*where, f"{marker}-", color=colour, lw=1, ms=6, mec=PAPER, label=label)


def difference_panels(
    answers: Mapping[tuple[str, str], ArrayLike],
    colours: Sequence[str],
    size: tuple[float, float],
    printed: Mapping[tuple[str, str], float] | None = None,
) -> Figure:
    """F1 beside AUC, one row a question, as in the table of ``chapter.difference_table``.

    Args:
        answers: (question, metric) to differences in points, one a seed.
        colours: of the questions.
        size: of the figure, in inches.
        printed: the differences that somebody else reports, drawn as crosses.
    """
    import matplotlib.pyplot as plt

    fig, axes = plt.subplots(1, 2, figsize=size, sharey=True)
    for ax, metric in zip(axes, ("f1", "auc"), strict=True):
        values, crosses = (
            {name: found for (name, of), found in each.items() if of == metric}
            for each in (answers, printed or {})
        )
        if len(colours) != len(values):
            raise ValueError(f"colours must be {len(values)}, one a question; got {len(colours)}.")
        seed_rows(ax, values, crosses, colours, zero=True)
        ax.set(xlabel=f"difference of {metric.upper()} (points)")
    axes[0].tick_params(axis="y", labelsize=9)
    return fig
