"""`python -m herocon_lite compare`: the estimator and what one would use instead, on five tables.

All get the same labelled rows; some also see the rest, without labels. All are tested on that rest.
Every (data, number of labels, split) is one line of ``results/curves.jsonl``. The splits are those
that nobody looked at while the estimator's recipe was made.
"""

from __future__ import annotations

import time
import warnings
from argparse import Namespace
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from tqdm import tqdm

from herocon_lite.data import Dataset, Split, load, split
from herocon_lite.data.splits import shuffle
from herocon_lite.estimator import HeroConClassifier
from herocon_lite.repro import files, opponents, provenance, stats
from herocon_lite.repro.opponents import OPPONENTS, TREES, Answer, Problem
from herocon_lite.runtime import pick_device

DATA = ("yeast", "mfeat", "birds", "scene", "mocha")
SIZES = (120, 60, 250, 500, 30)  # labelled rows
SPLITS = range(10, 20)
FIRST = range(10, 13)  # of all sizes, before the others
PHONES, FRAMES, FREQUENT, OTHERS = 20, 600, 35, 2000  # of MOCHA: a draw of its phones a split

NETWORKS = {
    "herocon": {},
    "unweighted": {"weighted": False},
    "network": {"alpha": 0.0, "beta": 0.0},
}
MEANS = {"forests": {"extra_trees": 0.5, "trees_per_view": 0.5}, "mix": opponents.MIX}
# What is run everywhere; the rest, which takes half of the time, with 120 labels on FIRST only.
CURVES = ("herocon", "network", "extra_trees", "trees_per_view", "logistic_regression")
CURVES += ("label_spreading",)


# ------------------------------------------------------------------ problems


def draw(dataset: Dataset, size: int, seed: int) -> Split:
    """Draw labelled rows, more of them always with the fewer; of classes equally many of each."""
    if dataset.kind == "multilabel":
        return split(dataset, seed=seed, labeled=size)
    order = shuffle(np.arange(len(dataset)), seed)
    classes = dataset.labels[order].argmax(1)
    place = np.empty(len(order), int)  # of a row within its class
    for number in range(dataset.labels.shape[1]):
        mine = classes == number
        place[mine] = np.arange(mine.sum())
    order = order[np.argsort(place, kind="stable")]
    rest = order[-OTHERS:] if dataset.name == "mocha" else order[size:]
    parameters = {"data": dataset.name, "how": "balanced", "seed": seed, "protocol": "transductive"}
    return Split(np.sort(order[:size]), np.sort(rest), np.sort(rest), parameters)


def some_phones(dataset: Dataset, seed: int) -> Dataset:
    """Take 20 of the 35 most frequent phones of MOCHA, 600 frames each."""
    frequent = np.argsort(-dataset.labels.sum(0, dtype=int), kind="stable")[:FREQUENT]
    chosen = np.sort(shuffle(frequent, seed, 8)[:PHONES])
    rows = [shuffle(np.flatnonzero(dataset.labels[:, a]), seed, 9)[:FRAMES] for a in chosen]
    taken = dataset.take(np.concatenate(rows), f"{PHONES} phones, {FRAMES} frames each")
    names = tuple(dataset.label_names[a] for a in chosen)
    return replace(taken, labels=taken.labels[:, chosen], label_names=names)


def problem(dataset: Dataset, parts: Split) -> Problem:
    """Return the rows that take part, the labelled ones first."""
    rows = np.r_[parts.train, parts.test]
    views, seed = [view[rows] for view in dataset.views], parts.parameters["seed"]
    return Problem(views, dataset.labels[rows], dataset.kind, len(parts.train), seed)


# ------------------------------------------------------------------ methods


def network(options: dict) -> Callable[[Problem], Answer]:
    """Return a function that fits the estimator with these options."""

    def answer(task: Problem) -> Answer:
        start = time.process_time()
        train, test = ([x[rows] for x in task.views] for rows in (task.train, task.test))
        model = HeroConClassifier(random_state=task.seed, **options)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Label column")  # a rare label may be absent
            warnings.filterwarnings("ignore", ".* settled")  # with thirty rows, at times
            model.fit(train, task.targets(task.train), test)
        P = np.zeros((len(task.test), task.labels.shape[1]))
        P[:, model.classes_] = model.predict_proba(test)  # a class without rows keeps 0
        held_out = model.held_out_proba_ if task.kind == "multilabel" else None
        return Answer(P, held_out, time.process_time() - start)

    return answer


def methods(task: Problem) -> list[str]:
    """Return what is run on a problem."""
    if task.labeled != 120 or task.seed not in FIRST:
        return list(CURVES)
    chains = ("classifier_chains",) if task.kind == "multiclass" else ()
    return [name for name in (*NETWORKS, *OPPONENTS) if name not in chains]


def compare(task: Problem) -> dict[str, dict]:
    """Return the scores of every method, and of the fixed means of some."""
    answers = {}
    for name in methods(task):
        if name in NETWORKS:
            answers[name] = network(NETWORKS[name])(task)
        else:
            answers[name] = opponents.answer(OPPONENTS[name], task)
    answers |= {name: opponents.mean(answers, weights) for name, weights in MEANS.items()}
    return {name: opponents.scores(task, found) for name, found in answers.items()}


def forest_sizes(views: int) -> dict[str, str]:
    """Say how many trees each forest has."""
    single = f"{views} × {TREES // views}"
    return {
        "extra_trees": f"{TREES}",
        "trees_per_view": single,
        "forests": f"{TREES} + {single}",
        "mix": f"{TREES} + {single}",
    }


# ------------------------------------------------------------------ all of it


def plan(data: tuple[str, ...], sizes: tuple[int, ...]) -> list[tuple[str, int, int]]:
    """Return (data, labelled rows, split) in the order in which they are run."""
    keys = [
        (name, size, seed)
        for size in sizes
        for seed in SPLITS
        for name in data
        if not (name == "mocha" and size < 120)  # fewer than six frames a phone
    ]
    return sorted(keys, key=lambda key: key[2] not in FIRST)


def run(folder: Path, data: tuple[str, ...] = DATA, sizes: tuple[int, ...] = SIZES) -> list[dict]:
    """Make all lines that are missing, or that other code made, each stored as it ends."""
    files.check_writable(folder)
    path = folder / "curves.jsonl"
    code = provenance.source_hash("estimator_benchmark.py", "opponents.py")
    where = provenance.environment(pick_device()) | {"code": code}  # now: the checkout may move
    rows = {(r["data"], r["labels"], r["seed"]): r for r in files.read_lines(path)}
    keys = plan(data, sizes)
    work = [key for key in keys if rows.get(key, {}).get("code") != code]
    loaded = {name: load(name) for name in {name for name, _, _ in work}}
    for name, size, seed in tqdm(work, unit="line", disable=not work):
        dataset = loaded[name] if name != "mocha" else some_phones(loaded[name], seed)
        parts = draw(dataset, size, seed)
        row = {"data": name, "labels": size, "seed": seed, "split": parts.describe()}
        row |= {"trees": forest_sizes(len(dataset.views))}
        row |= {"methods": compare(problem(dataset, parts))}
        rows[name, size, seed] = {**row, "data_checksums": dataset.checksums, **where}
        order = sorted(rows, key=lambda key: (DATA.index(key[0]), *key[1:]))
        files.save_lines(path, [rows[key] for key in order])
    return [rows[key] for key in keys if key in rows]


def differences(
    rows: list[dict], data: str, one: str, other: str, labels: int = 120, metric: str = "auc"
) -> list[float]:
    """Return one method's score less another's on the splits that have both, in points."""
    mine = [r["methods"] for r in rows if r["data"] == data and r["labels"] == labels]
    both = [m for m in mine if one in m and other in m]
    return [100 * (m[one][metric] - m[other][metric]) for m in both]


def command(arguments: Namespace) -> int:
    """Carry out ``python -m herocon_lite compare``."""
    names = tuple(arguments.data or DATA)
    rows = run(arguments.folder, names, tuple(arguments.labels or SIZES))
    for name in names:
        if any(row["data"] == name and row["labels"] == 120 for row in rows):
            _print_goals(rows, name)
    return 0


def _print_goals(rows: list[dict], name: str) -> None:
    trees = next(row["trees"] for row in rows if row["data"] == name)
    for one, other in (
        ("herocon", "network"),
        ("network", "extra_trees"),
        ("herocon", "extra_trees"),
        ("herocon", "forests"),
        ("mix", "forests"),
    ):
        found = stats.interval(differences(rows, name, one, other))
        size = f" ({trees[other]} trees)" if other in trees else ""
        print(
            f"{name}, 120 labels: AUC of {one} less {other}{size}: "
            f"{found.mean:+.2f} points [{found.lo:+.2f}, {found.hi:+.2f}]"
        )
