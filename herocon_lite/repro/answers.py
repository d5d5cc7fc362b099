"""The tables of *Should you use HeroCon?*: HTML whose colours repeat what its marks say."""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from IPython.display import Markdown

from herocon_lite.repro.query import METRICS
from herocon_lite.repro.stats import Comparison
from herocon_lite.repro.text import format_points, mark

if TYPE_CHECKING:
    from herocon_lite.repro.chapter import Page

MARKS = {  # of each mark the class of its cell (book.css), and its words
    "▲": ("up", "better"),
    "△": ("maybe-up", "better before correction only"),
    "○": ("same", "no significant difference"),
    "▽": ("maybe-down", "worse before correction only"),
    "▼": ("down", "worse"),
}


def parts_table(
    page: Page, parts: Mapping[str, tuple[str, str]], heads: Mapping[str, str]
) -> Markdown:
    """Show parts × data sets: effect, interval and mark in F1 and in AUC.

    Args:
        page: with each part's difference on every store.
        parts: name and explanation of each, by its name in the page's questions.
        heads: of each store, the line under its name.
    """
    top = "".join(
        f'<th scope="col">{name}<small>{line}</small></th>' for name, line in heads.items()
    )
    rows = []
    for name, (label, why) in parts.items():
        total = ' class="hc-total"' if name == "all" else ""
        head = f'<th scope="rowgroup" rowspan="2">{label}<small>{why}</small></th>'
        for metric in METRICS:
            found = (getattr(page, metric)[f"{name}, {store}"] for store in heads)
            cells = "".join(map(_effect, found))
            rows.append(f'<tr{total}>{head}<th scope="row">{metric.upper()}</th>{cells}</tr>')
            head = ""
    first = '<th scope="col" colspan="2">what is added</th>'
    many = " hc-many" if len(heads) > 3 else ""  # an interval below its estimate, so that all fit
    return _table(f"hc-parts{many}", f"<tr>{first}{top}</tr>", rows)


def _effect(found: Comparison) -> str:
    shown = mark(found)
    if shown == "–":
        return '<td class="hc-none">–<span class="visually-hidden">not run</span></td>'
    state, meaning = MARKS[shown]
    ends = " to ".join(format_points(end).lstrip("+") for end in (found.lo, found.hi))
    ends = re.sub(r"−(0\.00)\b", r"\1", ends)
    return (
        f'<td class="hc-{state}"><b>{shown} {format_points(found.estimate)}</b>'
        f'<span class="visually-hidden"> {meaning}, 95 % interval</span> '
        f"<small>{ends}</small></td>"
    )


def cost_table(seconds: Mapping[str, Mapping[str, float]], heads: Mapping[str, str]) -> Markdown:
    """Show the seconds of one training run; a bar is its share of its column's longest.

    Args:
        seconds: of each row, by data set.
        heads: of each data set, the line under its name.
    """
    longest = {name: max(row[name] for row in seconds.values()) for name in heads}

    def cell(name: str, value: float) -> str:
        shown = f"{value:,.0f} s" if value >= 10 else f"{value:.1f} s"
        width = max(1, round(100 * value / longest[name]))
        return f'<td>{shown}<i class="hc-bar" style="width:{width}%"></i></td>'

    top = "".join(
        f'<th scope="col">{name}<small>{line}</small></th>' for name, line in heads.items()
    )
    rows = [
        f'<tr><th scope="row">{label}</th>{"".join(cell(name, row[name]) for name in heads)}</tr>'
        for label, row in seconds.items()
    ]
    return _table("hc-parts hc-cost", f'<tr><th scope="col">one training run</th>{top}</tr>', rows)


def _table(kind: str, head: str, rows: list[str]) -> Markdown:
    body = f"<thead>{head}</thead><tbody>{''.join(rows)}</tbody>"
    return Markdown(f'<div class="hc-table"><table class="{kind}">{body}</table></div>')


def decisions(situations: Mapping[str, tuple[str, str]]) -> Markdown:
    """Show what to type in each situation; each snippet is run here before it is shown.

    Args:
        situations: of each, the advice and the code.
    """
    import torch

    from herocon_lite import HeroConClassifier, losses

    rng = np.random.default_rng(0)
    view1, view2, more1, more2 = (rng.standard_normal((60, d)) for d in (8, 5, 8, 5))
    z1, z2 = torch.randn(2, 60, 4, generator=torch.Generator().manual_seed(0))
    names = {
        "HeroConClassifier": functools.partial(HeroConClassifier, steps=2),
        "losses": losses,
        "view1": view1,
        "view2": view2,
        "more1": more1,
        "more2": more2,
        "X": view1,
        "more": more1,
        "z1": z1,
        "z2": z2,
        "s": torch.cat([z1, z2], 1),
        "L_c": torch.tensor(0.0),
    }
    Y = (rng.random((60, 3)) < 0.4).astype(int)
    shown = []
    for situation, (advice, code) in situations.items():
        labels = torch.as_tensor(Y) if code.startswith("loss") else Y
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # two steps settle nothing
            exec(code, names | {"Y": labels})
        shown.append(f"**{situation}** {advice}\n\n```python\n{code}\n```")
    return Markdown("\n\n".join(shown))
