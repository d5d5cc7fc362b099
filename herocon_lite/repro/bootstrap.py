"""Intervals over seeds *and* test rows, for the headline comparisons.

Student's t over seeds speaks of one pool of test rows. Here both are drawn anew: seeds with
replacement, and within each seed its test rows, the same ones for both methods. It needs the
probabilities that runs keep (``--keep-probabilities``) and the data's labels; the result is stored:

    python -m herocon_lite.repro.bootstrap scene several
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from herocon_lite.checkpoint import atomic_write
from herocon_lite.repro import probabilities, questions, store
from herocon_lite.repro.files import read_json
from herocon_lite.repro.query import METRICS, Store

DRAWS = 10_000
POOL = 500  # redraws of the test rows of each seed, from which the draws take
THRESHOLD = 0.4  # of the F1 that is judged
FILE = "bootstrap.json"


class Span(NamedTuple):
    """Percentile interval of a difference, in points, and how often draws cross zero."""

    lo: float
    hi: float
    p: float  # two-sided: twice the smaller share of draws on one side of zero
    seeds: int


def redraw_scores(Y: np.ndarray, P: np.ndarray, counts: np.ndarray) -> dict[str, np.ndarray]:
    """Return weighted F1 and macro AUC of redrawn test rows.

    Args:
        Y: (n, c), 0/1 labels.
        P: (n, c), probabilities.
        counts: (R, n), how often each row is drawn.

    Returns:
        ``f1`` and ``auc``, each (R,), as :func:`herocon_lite.metrics.evaluate` defines them: a
        label that all rows of a redraw have, or none, is left out of its AUC.
    """
    weights = counts.astype(np.float64)
    hard = (P > THRESHOLD).astype(np.float64)
    tp, has, said = weights @ (Y * hard), weights @ Y, weights @ hard  # (R, c)
    f1 = 2 * tp / np.maximum(has + said, 1)
    mean = (f1 * has).sum(1) / np.maximum(has.sum(1), 1)
    areas = np.stack([_redraw_auc(Y[:, a], P[:, a], weights) for a in range(Y.shape[1])])
    return {"f1": mean, "auc": np.nanmean(areas, axis=0)}


def _redraw_auc(y: np.ndarray, p: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The area of one label under each row of weights, (R,); nan where it is not defined."""
    order = np.argsort(p, kind="stable")
    y, p, weights = y[order], p[order], weights[:, order]
    negative = weights * (y == 0)
    below = np.concatenate([np.zeros((len(weights), 1)), negative.cumsum(1)], axis=1)  # (R, n + 1)
    has = np.flatnonzero(y)
    first, last = (np.searchsorted(p, p[has], side) for side in ("left", "right"))
    right = (weights[:, has] * (below[:, first] + below[:, last]) / 2).sum(1)
    pairs = weights[:, has].sum(1) * negative.sum(1)
    return np.where(pairs > 0, right / np.maximum(pairs, 1), np.nan)


def span(differences: np.ndarray, tests: int = 1, seed: int = 0) -> Span:
    """Draw seeds, and a redraw of the test rows in each; return the percentile interval.

    Args:
        differences: (seeds, R), a − b in points under each redraw of a seed's test rows.
        tests: number of intervals that shall hold together (Bonferroni).
        seed: of the draws.
    """
    rng = np.random.default_rng(seed)
    n, pool = differences.shape
    which, redraw = rng.integers(n, size=(DRAWS, n)), rng.integers(pool, size=(DRAWS, n))
    means = differences[which, redraw].mean(1)
    tail = 2.5 / tests
    lo, hi = np.percentile(means, [tail, 100 - tail])
    p = 2 * min((means <= 0).mean(), (means >= 0).mean())
    return Span(float(lo), float(hi), float(min(1.0, p)), n)


def _redraws(rows: int, seed: int) -> np.ndarray:
    """(POOL, rows) counts; the same for every method of a seed, so that they stay paired."""
    rng = np.random.default_rng([1009, seed])
    return rng.multinomial(rows, np.full(rows, 1 / rows), size=POOL)


def page_spans(page: str, folder: Path) -> list[dict[str, Any]]:
    """Compute the spans of a page's headline comparisons, as far as runs keep probabilities."""
    from herocon_lite.data import load

    asked, found = questions.read(page), []
    stores = {name: Store(folder, **usual) for name, usual in asked.stores.items()}
    records = store.read(folder)
    scores: dict[str, dict[str, np.ndarray]] = {}
    for name in asked.headline:
        on, *ends = asked.differences[name]
        runs = [stores[on].select(**end).set_index("seed")["key"] for end in ends]
        seeds = sorted(
            seed
            for seed in runs[0].index.intersection(runs[1].index)
            if all(records[keys[seed]].get("probabilities") for keys in runs)
        )
        if not seeds:
            continue
        labels = load(stores[on].data).labels
        for seed in seeds:
            for keys in runs:
                if keys[seed] not in scores:
                    rows, P = probabilities.load(records[keys[seed]], folder)
                    redrawn = redraw_scores(labels[rows], P, _redraws(len(rows), seed))
                    scores[keys[seed]] = redrawn
        for metric in METRICS:
            a, b = (np.stack([scores[keys[s]][metric] for s in seeds]) for keys in runs)
            values = span(100 * (a - b))._asdict()
            rounded = {k: round(v, 4) if isinstance(v, float) else v for k, v in values.items()}
            found.append({"page": page, "name": name, "metric": metric, **rounded})
    return found


def read(folder: str | Path, page: str) -> dict[tuple[str, str], Span]:
    """Return the stored spans of a page by (name, metric); none where nothing is stored."""
    return {
        (e["name"], e["metric"]): Span(e["lo"], e["hi"], e["p"], e["seeds"])
        for e in read_json(Path(folder) / FILE, [])
        if e["page"] == page
    }


def main(names: Iterable[str], folder: Path = Path("results")) -> None:
    """Compute the spans of some pages and put them into the file, in place of theirs."""
    path, names = folder / FILE, list(names)
    entries = [e for e in read_json(path, []) if e["page"] not in names]
    for name in names:
        entries += page_spans(name, folder)
    lines = ",\n".join(json.dumps(e, ensure_ascii=False) for e in entries)
    atomic_write(path, f"[\n{lines}\n]\n".encode())


if __name__ == "__main__":
    main(sys.argv[1:])
