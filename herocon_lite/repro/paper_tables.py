"""Tables that set our runs beside the paper and its public code."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
from IPython.display import Markdown

from herocon_lite.data.splits import LABELED, RELEASED_FOLDS
from herocon_lite.repro import paper, settings, stats
from herocon_lite.repro.boxes import wide
from herocon_lite.repro.public_code import means as public_means
from herocon_lite.repro.query import METRICS, Store
from herocon_lite.repro.text import format_mean, table
from herocon_lite.train import Schedule

if TYPE_CHECKING:
    from herocon_lite.repro.ledger import Row

RESULTS = "../results"  # seen from book/, where chapters run


def claims(data: str, kind: str = "comparison", folder: str | Path = RESULTS) -> Markdown:
    """Quote the paper's claims on a data set, each with the ledger's verdict and its reason."""
    from herocon_lite.repro.ledger import ledger

    every = ledger(folder)
    return quote(row for row in every if row.data == paper.TITLES[data] and row.kind == kind)


def quote(rows: Iterable[Row]) -> Markdown:
    """Quote claims of the paper from rows of the ledger, each with its verdict and its reason."""
    lines = [
        f"> {k}. {r.claim} *{r.verdict.capitalize()}: {r.why}.*" for k, r in enumerate(rows, 1)
    ]
    return Markdown("> **The paper says**, and *our verdict*:\n>\n" + "\n".join(lines))


def public_code(store: Store) -> Markdown:
    """Show our runs on the public code's own folds beside the means that this code gave there."""
    rows = []
    for name, metric, mean in released_means(store.data):
        line = [name, metric.upper(), f"{mean:.3f}"]
        for preset in ("released", "paper"):
            line.append(format_mean(on_released_folds(store, name, metric, preset), 3))
        rows.append(line)
    heads = ["", "", "public code", "ours, its switches on [95 %]", "ours, as printed [95 %]"]
    return wide(table(heads, rows))


def public_code_gap(store: Store) -> float:
    """Return the largest distance of our means from the public code's on its folds, in points."""
    return max(
        100 * abs(on_released_folds(store, name, metric).mean() - mean)
        for name, metric, mean in released_means(store.data)
    )


def released_means(data: str, folder: str | Path = RESULTS) -> list[tuple[str, str, float]]:
    """Return (method, metric, mean) of the public code on its own folds."""
    return [
        (name, metric, mean)
        for (of, name), means in public_means(folder).items()
        for metric, mean in zip(METRICS, means, strict=True)
        if of == data
    ]


def on_released_folds(store: Store, name: str, metric: str, preset: str = "released") -> pd.Series:
    """Return our scores on the public code's five folds, by the paper's name of a method."""
    from herocon_lite.repro.ledger import OURS

    return store.runs(OURS[name], metric, preset=preset, split="released").loc[:4]


def settings_rows(data: str) -> dict[str, list]:
    """Return what text, public code and this book train a data set with; the text's where alike."""
    text, code = (settings.paper_config(data, preset) for preset in ("paper", "released"))
    plan, every = Schedule(text.steps), "all"
    pairs = {
        "steps": ("steps",),
        "labelled rows a step": ("labeled_batch",),
        "unlabelled rows a step": ("unlabeled_batch",),
        "α, β of HeroCon": ("alpha", "beta"),
        "α of HeroCon-u": ("alpha_u",),
        "β of HeroCon-s": ("beta_s",),
    }
    rows = {}
    for label, names in pairs.items():
        cells = [", ".join(str(getattr(s, n) or every) for n in names) for s in (text, code)]
        rows[label] = [*cells, cells[0]]
    drawn, parts = f"{LABELED[data]}, at random", RELEASED_FOLDS.get(data)
    folds = f"folds 0 to 4 of {parts}" if parts else "not given"
    repetitions = "5 folds" if parts else "not given"
    momentum = f"{plan.momentum}, {plan.trust}"
    on = [_switched_on(preset) for preset in ("paper", "released")]
    return rows | {
        "α, β of baselines": ["not given", "not given", "those of HeroCon-u and -s"],
        "learning rate": [plan.lr] * 3,
        "momentum, LARS trust": ["not given", momentum, momentum],
        "labelled rows": [drawn, folds, drawn],
        "switched on in the losses": [*on, on[0]],
        "repetitions": [paper.REPETITIONS, repetitions, "see the tables"],
    }


def paper_table(data: str) -> Markdown:
    """Show the paper's own rows for a data set, with the 95 % interval of five repetitions' F1."""
    rows = []
    for name, cell in paper.RESULTS[data].items():
        half = stats.ci_half_width(cell.f1_sd, paper.REPETITIONS)
        ends = [100 * (cell.f1 + sign * half) for sign in (-1, 1)]
        cells = [f"{cell.f1:.4f} ± {cell.f1_sd:.4f}", f"{cell.auc:.4f} ± {cell.auc_sd:.4f}"]
        rows.append([name, *cells, f"{ends[0]:.1f} to {ends[1]:.1f}"])
    heads = [f"method, {paper.TITLES[data]}", "F1", "AUC", "95 % of F1, in points"]
    return wide(table(heads, rows))


def paper_gap_is_significant(data: str, a: str, b: str) -> bool:
    """Return whether the F1 of two of the paper's rows differ by Welch's test, at 5 %."""
    return paper.order_is_established(data, a, b, "F1")


def _switched_on(preset: str) -> str:
    """Name the points of the public code that a preset has."""
    from herocon_lite import losses

    found = [name for name, on in vars(losses.PRESETS[preset]).items() if on]
    return ", ".join(f"`{name}`" for name in found) or "none"


def verdicts(entries: Iterable[Row]) -> Markdown:
    """Show rows of the ledger."""
    heads = ["No.", "claim", "paper", "ours", "verdict", "why"]
    rows = [[e.number, e.claim, e.paper, e.ours, f"**{e.verdict}**", e.why] for e in entries]
    return table(heads, rows)
