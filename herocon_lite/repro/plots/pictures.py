"""Pictures of the theory: points and forces on a circle, label matrices, maps of pairs.

Each function draws on the axes or the figure it is given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Patch
from numpy.typing import ArrayLike

from herocon_lite.repro.plots.palette import FAINT, INK, PAPER, PULL, PUSH, VERDICTS, WRONG
from herocon_lite.repro.text import format_points


def circle(ax: Axes, title: str = "", radii: Sequence[float] = (1,), reach: float = 1.2) -> None:
    """Draw empty circles around the origin; the axes show ± reach."""
    for radius in radii:
        ax.add_patch(Circle((0, 0), radius, fill=False, color=FAINT, lw=1.5, zorder=0))
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", title=title)
    ax.axis("off")


def dots(
    ax: Axes, angles: ArrayLike, colours: Sequence[str], radius: float = 1, hollow: bool = False
) -> None:
    """Draw points at the given angles (radians)."""
    x, y = radius * np.cos(angles), radius * np.sin(angles)
    face = PAPER if hollow else colours
    ax.scatter(x, y, s=75, facecolors=face, edgecolors=colours, linewidths=2.2, zorder=3)


def names(
    ax: Axes, angles: ArrayLike, texts: Sequence[str], colours: Sequence[str], radius: float = 0.79
) -> None:
    """Write a name for each angle, inside the circle; points that coincide share one line of
    text."""
    angles = np.asarray(angles)
    for number, angle in enumerate(angles):
        mates = np.flatnonzero(np.cos(angles - angle) > 0.99)
        if number == mates[0]:
            text = " ".join(texts[mate] for mate in mates)
            place = (radius * np.cos(angle), radius * np.sin(angle))
            centre = {"ha": "center", "va": "center", "zorder": 4}
            ax.text(*place, text, color=colours[number], weight="bold", **centre)


def arrows(
    ax: Axes, angles: ArrayLike, slides: ArrayLike, colours: Sequence[str], scale: float
) -> None:
    """Draw arrows along the tangents, from each dot's rim: ``scale`` times the force on its
    angle."""
    for angle, slide, colour in zip(np.asarray(angles), np.asarray(slides), colours, strict=True):
        ahead = np.sign(slide) * np.array([-np.sin(angle), np.cos(angle)])
        start = np.array([np.cos(angle), np.sin(angle)]) + 0.09 * ahead
        style = {"arrowstyle": "-|>,head_width=0.3,head_length=0.45", "mutation_scale": 14}
        style |= {"color": colour, "lw": 2.4, "shrinkA": 0, "shrinkB": 0}
        end = start + scale * abs(slide) * ahead
        ax.annotate("", end, start, arrowprops=style, zorder=2, annotation_clip=False)


def force_legend(fig: Figure, kinds: dict[str, str]) -> None:
    """Draw one line under the figure: kinds of points by colour, then the three kinds of arrows."""
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
    """Draw two rows of shares side by side: vanilla in full colour, weighted in outline."""
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
    """Draw a 0/1 matrix: one row a sample, a filled square where it has the label."""
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
    """Draw signed values of all pairs as a heat map, NaN left out; what ``fig.colorbar`` needs."""
    values = np.asarray(values)
    image = ax.imshow(values, cmap="PuOr", norm=TwoSlopeNorm(0, -limit, limit))
    for row, column in np.argwhere(~np.isnan(values)):
        value = values[row, column]
        ink = PAPER if abs(value) > 0.6 * limit else INK
        ax.text(column, row, format_points(value), ha="center", va="center", fontsize=8, color=ink)
    ax.set_xticks(range(len(names)), names)
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return image


def verdict_bars(ax: Axes, counts: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    """Draw one bar a kind of claim, divided by verdict, with the number in each part.

    Args:
        counts: of each kind, claims by part of the bar (:data:`palette.VERDICTS`).

    Returns:
        What was drawn: the widths of the parts, by kind and part.
    """
    left, drawn = np.zeros(len(counts)), {kind: {} for kind in counts}
    for part, (ground, ink) in VERDICTS.items():
        sizes = np.array([found[part] for found in counts.values()])
        bars = ax.barh(range(len(counts)), sizes, 0.7, left, color=ground, ec=PAPER, label=part)
        labels = [str(n) if n else "" for n in sizes]
        ax.bar_label(bars, labels, label_type="center", color=ink, fontsize=10, weight="bold")
        left += sizes
        for kind, bar in zip(counts, bars, strict=True):
            drawn[kind][part] = round(bar.get_width())
    ax.set_yticks(range(len(counts)), list(counts))
    ax.set(ylim=(len(counts) - 0.5, -0.5), xlabel="claims")
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.figure.legend(loc="outside upper center", ncols=len(VERDICTS), fontsize=9, frameon=False)
    return drawn
