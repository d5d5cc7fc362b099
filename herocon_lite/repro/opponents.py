"""What one would use instead of ``HeroConClassifier``: scikit-learn's own, as they come.

Every opponent is a function (problem, labelled rows, their targets, wanted rows) → (wanted, k). Its
targets are what scikit-learn takes, classes 0 … k − 1 or a 0/1 matrix (n, k), without classes and
constant labels that these rows cannot teach; :func:`answer` puts those back. scikit-learn is
imported where it is used: all of it takes seconds.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from herocon_lite.data.splits import shuffle
from herocon_lite.held_out import best_threshold
from herocon_lite.metrics import evaluate
from herocon_lite.scaling import Scaling

TREES = 400  # of a forest on all columns, and of all forests on single views together
FOLDS = 3  # of the labelled rows, for a threshold; HeroConClassifier has five for nothing
NEIGHBOURS = 15  # of label spreading
CHAINS = 10  # in orders drawn at random, averaged
MIX = {"herocon": 0.2, "extra_trees": 0.4, "trees_per_view": 0.4}  # fixed, never chosen


@dataclass(frozen=True, eq=False)
class Problem:
    """Views and labels of the rows that take part: labelled ones first, then those wanted."""

    views: list[np.ndarray]  # (n, …) each
    labels: np.ndarray  # (n, c), 0/1
    kind: str
    labeled: int  # so many rows
    seed: int

    @property
    def train(self) -> np.ndarray:
        """Numbers of the labelled rows."""
        return np.arange(self.labeled)

    @property
    def pictures(self) -> bool:
        """Whether the view holds pictures (n, 1, h, w)."""
        return self.views[0].ndim == 4

    @property
    def test(self) -> np.ndarray:
        """Numbers of all others, which are also the unlabelled rows."""
        return np.arange(self.labeled, len(self.labels))

    @cached_property
    def columns(self) -> np.ndarray:
        """All views side by side, (n, d)."""
        return np.concatenate([x.reshape(len(x), -1) for x in self.views], 1)

    @cached_property
    def scaled(self) -> np.ndarray:
        """The same, each column with mean 0 and spread 1 over all rows; pixels from 0 to 1."""
        from sklearn.preprocessing import scale

        return self.columns / 255 if self.pictures else scale(self.columns.astype(np.float64))

    @cached_property
    def graph(self):
        """Which rows are neighbours, by columns' ranks or by pixels: sparse (n, n), none itself."""
        from sklearn.neighbors import kneighbors_graph

        x = self.scaled if self.pictures else Scaling("ranks").fit(self.columns)(self.columns)
        return kneighbors_graph(x, min(NEIGHBOURS, len(x) - 1))

    def targets(self, rows: np.ndarray) -> np.ndarray:
        """Return labels as estimators take them: a class vector, or the 0/1 matrix."""
        Y = self.labels[rows]
        return Y.argmax(1) if self.kind == "multiclass" else Y


Opponent = Callable[[Problem, np.ndarray, np.ndarray, np.ndarray], np.ndarray]


class Answer(NamedTuple):
    """What a method makes of a problem; times are processor seconds."""

    test: np.ndarray  # (test rows, c)
    held_out: np.ndarray | None  # (labelled rows, c), from fits without the row; of classes None
    seconds: float  # fit and prediction
    held_out_seconds: float = 0.0


# ------------------------------------------------------------------ trees


def extra_trees(problem: Problem, rows, y, wanted) -> np.ndarray:
    """Extremely randomised trees on all columns."""
    return _forest(problem.columns, TREES, problem.seed, rows, y, wanted)


def trees_per_view(problem: Problem, rows, y, wanted) -> np.ndarray:
    """One forest for each view, of as many trees in all, averaged."""
    each = TREES // len(problem.views)
    made = [_forest(x, each, problem.seed, rows, y, wanted) for x in problem.views]
    return np.mean(made, 0)


def _forest(x, trees: int, seed: int, rows, y, wanted) -> np.ndarray:
    from sklearn.ensemble import ExtraTreesClassifier

    model = ExtraTreesClassifier(trees, random_state=seed).fit(x[rows], y)
    return _of_labels(model.predict_proba(x[wanted]))


def _of_labels(P) -> np.ndarray:
    """scikit-learn gives label matrices a list, (n, 2) for each label."""
    return np.stack([p[:, 1] for p in P], 1) if isinstance(P, list) else P


def gradient_boosting(problem: Problem, rows, y, wanted) -> np.ndarray:
    """Boosting on histograms, one model a label."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    x = problem.columns
    return _each_label(
        lambda labels: (
            HistGradientBoostingClassifier(random_state=problem.seed)
            .fit(x[rows], labels)
            .predict_proba(x[wanted])
        ),
        y,
    )


def _each_label(fit_and_predict: Callable, y: np.ndarray) -> np.ndarray:
    """One fit for classes; for a label matrix (n, k) one a label, each giving (wanted, 2)."""
    if y.ndim == 1:
        return fit_and_predict(y)
    return np.stack([fit_and_predict(labels)[:, 1] for labels in y.T], 1)


# ------------------------------------------------------------------ linear models, networks


def logistic_regression(problem: Problem, rows, y, wanted) -> np.ndarray:
    """On scaled columns, one model a label."""
    x = problem.scaled
    return _each_label(lambda labels: _logistic().fit(x[rows], labels).predict_proba(x[wanted]), y)


def _logistic():
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=5000)


def classifier_chains(problem: Problem, rows, y, wanted) -> np.ndarray:
    """Chains of logistic regressions: each sees the labels before it. Label matrices only."""
    from sklearn.multioutput import ClassifierChain

    x, made = problem.scaled, 0.0
    for number in range(CHAINS):
        order = shuffle(np.arange(y.shape[1]), problem.seed, 7, number)
        chain = ClassifierChain(_logistic(), order=order).fit(x[rows], y)
        made = made + chain.predict_proba(x[wanted])
    return made / CHAINS


def mlp(problem: Problem, rows, y, wanted) -> np.ndarray:
    """scikit-learn's network of one layer of 100, on scaled columns."""
    from sklearn.neural_network import MLPClassifier

    x = problem.scaled
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Stochastic Optimizer")  # its 200 passes are the default
        model = MLPClassifier(random_state=problem.seed).fit(x[rows], y)
    P = model.predict_proba(x[wanted])
    return P if P.ndim == 2 else P[:, None]


# ------------------------------------------------------------------ with unlabelled rows


def self_training(problem: Problem, rows, y, wanted) -> np.ndarray:
    """Logistic regression that takes its own sure answers for labels, in up to ten rounds."""
    from sklearn.semi_supervised import SelfTrainingClassifier

    x = problem.scaled
    return _each_label(
        lambda labels: (
            SelfTrainingClassifier(_logistic())
            .fit(x, _known_only(len(x), rows, labels))
            .predict_proba(x[wanted])
        ),
        y,
    )


def label_spreading(problem: Problem, rows, y, wanted) -> np.ndarray:
    """Labels spread to the 15 nearest neighbours by ranks; no rows but those of the fit."""
    from sklearn.semi_supervised import LabelSpreading

    graph, numbers = problem.graph, np.arange(len(problem.labels))[:, None]

    def spread(labels: np.ndarray) -> np.ndarray:
        model = LabelSpreading(kernel=lambda *_: graph)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "max_iter")
            with np.errstate(invalid="ignore"):  # a row that no label reaches
                model.fit(numbers, _known_only(len(numbers), rows, labels))
        even = 1 / len(model.classes_)
        return np.nan_to_num(model.label_distributions_[wanted], nan=even)

    return _each_label(spread, y)


def _known_only(count: int, rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Labels (count,) of all rows, −1 where they are hidden."""
    known = np.full(count, -1)
    known[rows] = labels
    return known


OPPONENTS: dict[str, Opponent] = {
    function.__name__: function
    for function in (
        extra_trees,
        trees_per_view,
        gradient_boosting,
        logistic_regression,
        classifier_chains,
        mlp,
        self_training,
        label_spreading,
    )
}


# ------------------------------------------------------------------ the same for all


def answer(opponent: Opponent, problem: Problem) -> Answer:
    """Fit an opponent; of label matrices also without each third of the labelled rows, in turn."""
    start = time.process_time()
    test = probabilities(opponent, problem, problem.train, problem.test)
    seconds = time.process_time() - start
    if problem.kind == "multiclass":
        return Answer(test, None, seconds)
    start = time.process_time()
    held_out = np.empty((len(problem.train), problem.labels.shape[1]))
    order = shuffle(np.arange(len(problem.train)), problem.seed, 5)
    for fold in np.array_split(order, FOLDS):
        rest = np.delete(problem.train, fold)
        held_out[fold] = probabilities(opponent, problem, rest, problem.train[fold])
    return Answer(test, held_out, seconds, time.process_time() - start)


def probabilities(opponent: Opponent, problem: Problem, rows, wanted) -> np.ndarray:
    """Return (wanted, c): a class that no labelled row has gets 0, a constant label its value."""
    y = problem.targets(rows)
    P = np.zeros((len(wanted), problem.labels.shape[1]))
    if problem.kind == "multiclass":
        classes, y = np.unique(y, return_inverse=True)
        P[:, classes] = opponent(problem, rows, y, wanted)
        return P
    varies = y.min(0) < y.max(0)
    P[:, ~varies] = y[0, ~varies]
    if varies.any():
        P[:, varies] = opponent(problem, rows, y[:, varies], wanted)
    return P


def mean(answers: dict[str, Answer], weights: dict[str, float]) -> Answer:
    """Return the weighted mean of several answers; it takes as long as all of them."""
    chosen = [(answers[name], w) for name, w in weights.items()]
    held_out = None
    if all(a.held_out is not None for a, _ in chosen):
        held_out = sum(w * a.held_out for a, w in chosen)
    seconds = sum(a.seconds for a, _ in chosen), sum(a.held_out_seconds for a, _ in chosen)
    return Answer(sum(w * a.test for a, w in chosen), held_out, *seconds)


def scores(problem: Problem, found: Answer) -> dict[str, float]:
    """Return AUC, F1 (labels: at the threshold that the held-out rows choose), accuracy, times."""
    limit, Y = 0.5, problem.labels
    if found.held_out is not None:
        seen = ~np.isnan(found.held_out[:, 0])
        known = Y[problem.train][seen]
        varies = known.min(0) < known.max(0)
        limit = best_threshold(known[:, varies], found.held_out[seen][:, varies])
    measured = evaluate(Y[problem.test], found.test.clip(0, 1), problem.kind, limit)
    kept = {name: measured[name] for name in ("auc", "f1", "accuracy") if name in measured}
    if found.held_out is not None:
        kept |= {"threshold": limit, "threshold_seconds": round(found.held_out_seconds, 3)}
    return kept | {"seconds": round(found.seconds, 3)}
