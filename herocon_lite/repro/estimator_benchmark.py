"""`python -m herocon_lite compare`: the estimator beside its own network without contrast, forests
of 400 trees and logistic regression, all untuned.

All get the same labelled rows; the estimator also sees the rest, without labels. All are tested on
that rest. Every split is one line of ``results/estimator.jsonl``. The splits are those that nobody
looked at while the estimator's recipe was made.
"""

from __future__ import annotations

import time
import warnings
from argparse import Namespace
from pathlib import Path

import numpy as np
from tqdm import tqdm

from herocon_lite.data import Dataset, Split, load, split
from herocon_lite.estimator import HeroConClassifier
from herocon_lite.metrics import evaluate
from herocon_lite.repro import files, provenance, stats
from herocon_lite.runtime import pick_device

DATA = ("mfeat", "yeast")  # 100 and 120 labelled rows
SPLITS = range(10, 20)
TREES = 400
OPPONENTS = ("network", "extra_trees", "forests", "logistic_regression")


def targets(dataset: Dataset, rows: np.ndarray) -> np.ndarray:
    """Return labels in the form that estimators take: a class vector, or the 0/1 matrix."""
    labels = dataset.labels[rows]
    return labels.argmax(1) if dataset.kind == "multiclass" else labels


def herocon(dataset: Dataset, parts: Split, **options) -> np.ndarray:
    """Return (n, c): probabilities on the test rows."""
    train, more, test = (
        [view[rows] for view in dataset.views]
        for rows in (parts.train, parts.unlabeled, parts.test)
    )
    seed = parts.parameters["seed"]
    model = HeroConClassifier(random_state=seed, **options)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Label column")  # a rare label may be absent: counted
        model.fit(train, targets(dataset, parts.train), more)
    return _columns(dataset, model.classes_, model.predict_proba(test))


def network(dataset: Dataset, parts: Split) -> np.ndarray:
    """Return (n, c): the estimator's network, trained on the labels alone."""
    return herocon(dataset, parts, alpha=0.0, beta=0.0)


def extra_trees(dataset: Dataset, parts: Split) -> np.ndarray:
    """Return (n, c): scikit-learn's extremely randomised trees, 400 of them, on all columns."""
    return _forest(dataset, parts, np.concatenate(dataset.views, 1), TREES)


def forests(dataset: Dataset, parts: Split) -> np.ndarray:
    """Return (n, c): :func:`extra_trees` and a forest for each view, 400 trees in all, averaged."""
    each = [_forest(dataset, parts, view, TREES // len(dataset.views)) for view in dataset.views]
    return (extra_trees(dataset, parts) + np.mean(each, 0)) / 2


def _forest(dataset: Dataset, parts: Split, X: np.ndarray, trees: int) -> np.ndarray:
    from sklearn.ensemble import ExtraTreesClassifier

    model = ExtraTreesClassifier(trees, random_state=parts.parameters["seed"])
    model.fit(X[parts.train], targets(dataset, parts.train))
    P = model.predict_proba(X[parts.test])
    if dataset.kind == "multiclass":
        return _columns(dataset, model.classes_, P)
    # a label that no labelled row has, or every one, has one column
    return np.stack(
        [
            p[:, list(c).index(1)] if 1 in c else np.zeros(len(p))
            for p, c in zip(P, model.classes_, strict=True)
        ],
        1,
    )


def logistic_regression(dataset: Dataset, parts: Split) -> np.ndarray:
    """Return (n, c): scikit-learn's, as it comes, on all views side by side, scaled over all
    rows."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import scale

    X = scale(np.concatenate(dataset.views, 1).astype(np.float64))
    train, test = X[parts.train], X[parts.test]
    model = LogisticRegression(max_iter=5000)
    if dataset.kind == "multiclass":
        model.fit(train, targets(dataset, parts.train))
        return _columns(dataset, model.classes_, model.predict_proba(test))
    P = np.empty((len(test), dataset.labels.shape[1]))
    for a, labels in enumerate(dataset.labels[parts.train].T):
        varies = labels.min() < labels.max()
        P[:, a] = model.fit(train, labels).predict_proba(test)[:, 1] if varies else labels[0]
    return P


def run(folder: Path) -> list[dict]:
    """Make all splits that have no line of this code yet, each stored as it ends."""
    files.check_writable(folder)
    path, code = folder / "estimator.jsonl", provenance.source_hash("estimator_benchmark.py")
    # The older file stays till all is there.
    half = folder / "checkpoints" / f"estimator-{code}.jsonl"
    where = provenance.environment(pick_device()) | {"code": code}  # now: the checkout may move
    rows = files.read_lines(half) or files.read_lines(path)
    rows = [row for row in rows if row.get("code") == code]  # never of two estimators
    done = {(row["data"], row["seed"]) for row in rows}
    work = [(name, seed) for name in DATA for seed in SPLITS if (name, seed) not in done]
    for name, seed in tqdm(work, unit="split", disable=not work):
        dataset = load(name)
        parts = split(dataset, seed=seed)
        row = {"data": name, "seed": seed, "split": parts.describe()}
        for method in (herocon, network, extra_trees, forests, logistic_regression):
            start = time.perf_counter()
            scores = evaluate(dataset.labels[parts.test], method(dataset, parts), dataset.kind)
            row[method.__name__] = scores | {"seconds": round(time.perf_counter() - start, 2)}
        rows.append({**row, "data_checksums": dataset.checksums, **where})
        files.save_lines(half, rows)
    if half.exists():
        files.save_lines(path, rows)
        half.unlink()
    return rows


def differences(rows: list[dict], name: str, other: str, metric: str = "auc") -> stats.Interval:
    """Compare a score of the estimator less the other's on the same splits: mean and 95 %
    interval."""
    mine = [row for row in rows if row["data"] == name]
    return stats.interval(row["herocon"][metric] - row[other][metric] for row in mine)


def _columns(dataset: Dataset, classes: np.ndarray, P: np.ndarray) -> np.ndarray:
    """Probabilities under all labels of the data; a class that training never saw has 0."""
    whole = np.zeros((len(P), dataset.labels.shape[1]), P.dtype)
    whole[:, classes] = P
    return whole


def command(arguments: Namespace) -> int:
    """Carry out ``python -m herocon_lite compare``."""
    rows = run(arguments.folder)
    for name in DATA:
        for other in OPPONENTS:
            d = differences(rows, name, other)
            print(f"{name}: AUC {d.mean:+.4f} [{d.lo:+.4f}, {d.hi:+.4f}] over {other}")
    return 0
