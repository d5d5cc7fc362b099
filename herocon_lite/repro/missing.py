"""`python -m herocon_lite missing`: the estimator as views and labels go missing.

Every split is a few lines of ``results/missing.jsonl``, one for each share that is missing. All
methods get the same rows with the same gaps: labelled rows, others without labels, and those are
the ones to predict. Views go missing in all rows, labels in the labelled ones.
"""

from __future__ import annotations

import time
import warnings
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from herocon_lite.data import Dataset, load, split
from herocon_lite.data.splits import shuffle
from herocon_lite.estimator import HeroConClassifier
from herocon_lite.metrics import evaluate
from herocon_lite.repro import files, provenance
from herocon_lite.repro.opponents import TREES
from herocon_lite.runtime import pick_device

SPLITS = range(10, 20)
# What is missing, and which shares of it. Of two views, at most one half can be.
CASES = {
    "yeast": {"views": (0.0, 0.3, 0.5), "labels": (0.3, 0.5, 0.7)},
    "mfeat": {"views": (0.0, 0.3, 0.5, 0.7)},  # one class a row: no single label can be missing
}


class Problem(NamedTuple):
    """What a method gets, and the labels it must predict."""

    train: list[np.ndarray]  # views of the labelled rows; NaN where a row lacks one
    Y: np.ndarray  # their labels, (n, c), −1 where one is not known; or classes (n,)
    test: list[np.ndarray]  # views of the other rows
    truth: np.ndarray  # their labels, (k, c)
    kind: str
    seed: int


# ------------------------------------------------------------------ what goes missing


def absent_views(rows: int, views: int, share: float, seed: int) -> np.ndarray:
    """Choose the views that rows lack, so that each row keeps one: (rows, views), bool.

    Of one seed, what is absent at a small share is absent at a larger one.

    Example:
        >>> absent_views(rows=100, views=2, share=0.3, seed=0).mean(0).round(1)
        array([0.3, 0.3])
    """
    order = shuffle(np.arange(rows * views), seed, 7)
    place = np.empty(rows * views, int)
    place[order] = np.arange(rows * views)
    kept = place.reshape(rows, views).argmax(1)  # the last of a row's views to go stays
    may_go = order[kept[order // views] != order % views]
    count = round(share * rows * views)
    if count > len(may_go):
        raise ValueError(f"share must leave a view to each row; {share} of {views} does not.")
    absent = np.zeros(rows * views, bool)
    absent[may_go[:count]] = True
    return absent.reshape(rows, views)


def unknown_labels(Y: np.ndarray, share: float, seed: int) -> np.ndarray:
    """Replace a share of the entries of Y (n, c) by −1.

    Example:
        >>> int((unknown_labels(np.ones((10, 4), int), share=0.3, seed=0) == -1).sum())
        12
    """
    gone = shuffle(np.arange(Y.size), seed, 8)[: round(share * Y.size)]
    made = Y.astype(int).ravel()
    made[gone] = -1
    return made.reshape(Y.shape)


def make_problem(dataset: Dataset, what: str, share: float, seed: int) -> Problem:
    """Return a split of a data set in which a share of the views or labels is missing."""
    parts = split(dataset, seed=seed)
    views = [np.array(view, dtype=np.float64) for view in dataset.views]
    if what == "views":
        absent = absent_views(len(views[0]), len(views), share, seed)
        for view, gone in zip(views, absent.T, strict=True):
            view[gone] = np.nan
    Y = dataset.labels[parts.train]
    Y = Y.argmax(1) if dataset.kind == "multiclass" else Y
    Y = unknown_labels(Y, share, seed) if what == "labels" else Y
    train, test = ([view[rows] for view in views] for rows in (parts.train, parts.test))
    return Problem(train, Y, test, dataset.labels[parts.test], dataset.kind, seed)


def filled_in(problem: Problem) -> Problem:
    """Do what people do: a column's mean for what is absent, 0 for a label that is not known."""
    means = [
        np.nanmean(np.concatenate(both), 0)
        for both in zip(problem.train, problem.test, strict=True)
    ]

    def fill(views: list[np.ndarray]) -> list[np.ndarray]:
        return [np.where(np.isnan(x), m, x) for x, m in zip(views, means, strict=True)]

    Y = np.maximum(problem.Y, 0) if problem.kind == "multilabel" else problem.Y
    return problem._replace(train=fill(problem.train), test=fill(problem.test), Y=Y)


# ------------------------------------------------------------------ methods


def herocon(problem: Problem) -> dict[str, float]:
    """The estimator, which is told what is missing."""
    model = HeroConClassifier(random_state=problem.seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Label column")  # a rare label may be absent: counted
        warnings.filterwarnings("ignore", "No two rows that have")  # half of two views missing
        model.fit(problem.train, problem.Y, problem.test)
    P, threshold = model.predict_proba(problem.test), model.threshold_
    return _scores(problem, P, model.classes_, 0.5 if threshold is None else threshold)


def imputed(problem: Problem) -> dict[str, float]:
    """The same estimator on rows that are filled in."""
    return herocon(filled_in(problem))


def extra_trees(problem: Problem) -> dict[str, float]:
    """scikit-learn's extremely randomised trees on all columns, filled in."""
    from sklearn.ensemble import ExtraTreesClassifier

    problem = filled_in(problem)
    model = ExtraTreesClassifier(TREES, random_state=problem.seed)
    model.fit(np.concatenate(problem.train, 1), problem.Y)
    P = model.predict_proba(np.concatenate(problem.test, 1))
    if problem.kind == "multiclass":
        return _scores(problem, P, model.classes_, 0.5)
    P = np.stack(  # a label that no row has, or every one, has one column
        [
            p[:, list(c).index(1)] if 1 in c else np.zeros(len(p))
            for p, c in zip(P, model.classes_, strict=True)
        ],
        1,
    )
    return _scores(problem, P, np.arange(P.shape[1]), 0.5)


METHODS: tuple[Callable[[Problem], dict[str, float]], ...] = (herocon, imputed, extra_trees)


def _scores(
    problem: Problem, P: np.ndarray, columns: np.ndarray, threshold: float
) -> dict[str, float]:
    whole = np.zeros(problem.truth.shape)  # a class that training never saw has probability 0
    whole[:, columns] = P
    found = evaluate(problem.truth, whole, problem.kind, threshold)
    return {"auc": found["auc"], "f1": found["f1"], "threshold": threshold}


# ------------------------------------------------------------------ the record


def work() -> list[tuple[str, str, float, int]]:
    """Return data set, what is missing, its share and the split, of all lines; splits in turn."""
    return [
        (name, what, share, seed)
        for seed in SPLITS
        for name, cases in CASES.items()
        for what, shares in cases.items()
        for share in shares
    ]


def run(folder: Path) -> list[dict]:
    """Make all lines that are not there yet, each stored as it ends."""
    files.check_writable(folder)
    path = folder / "missing.jsonl"
    code = provenance.source_hash("missing.py")
    half = (
        folder / "checkpoints" / f"missing-{code}.jsonl"
    )  # the older file stays till all is there
    where = provenance.environment(pick_device()) | {"code": code}  # now: the checkout may move
    rows = files.read_lines(half) or files.read_lines(path)
    rows = [row for row in rows if row.get("code") == code]  # never of two estimators
    done = {(row["data"], row["missing"], row["share"], row["seed"]) for row in rows}
    todo = [case for case in work() if case not in done]
    for name, what, share, seed in tqdm(todo, unit="line", disable=not todo):
        dataset = load(name)
        problem = make_problem(dataset, what, share, seed)
        row = {"data": name, "missing": what, "share": share, "seed": seed}
        for method in METHODS:
            if share == 0 and method is imputed:
                continue  # nothing to fill in
            start = time.perf_counter()
            row[method.__name__] = method(problem)
            row[method.__name__]["seconds"] = round(time.perf_counter() - start, 2)
        rows.append({**row, "data_checksums": dataset.checksums, **where})
        files.save_lines(half, rows)
    if half.exists():
        files.save_lines(path, rows)
        half.unlink()
    return rows


def command(arguments: Namespace) -> int:
    """Carry out ``python -m herocon_lite missing``."""
    rows = run(arguments.folder)
    for name, cases in CASES.items():
        for what, shares in cases.items():
            for share in shares:
                key = (name, what, share)
                mine = [r for r in rows if (r["data"], r["missing"], r["share"]) == key]
                auc = {
                    m.__name__: np.mean([r[m.__name__]["auc"] for r in mine])
                    for m in METHODS
                    if mine and m.__name__ in mine[0]
                }
                found = ", ".join(f"{method} {value:.4f}" for method, value in auc.items())
                print(f"{name}, {share:.0%} of {what} missing: AUC {found}")
    return 0
