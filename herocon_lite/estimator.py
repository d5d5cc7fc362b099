"""HeroCon for your own data, as a scikit-learn estimator.

model = HeroConClassifier(random_state=0).fit([view1, view2], Y, unlabeled=[more1, more2])
model.predict_proba([view1, view2])
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted
from torch import nn

from herocon_lite import building, fitting, runtime, saving, targets, validation
from herocon_lite.fitting import Plan, Progress, Rows
from herocon_lite.held_out import Division, best_threshold, divide, left_out_probabilities
from herocon_lite.metrics import evaluate
from herocon_lite.runtime import derive_seed, isolated_rng, num_threads, pick_device, seed_device
from herocon_lite.targets import Labels
from herocon_lite.validation import Views


class HeroConClassifier(
    ClassNamePrefixFeaturesOutMixin, ClassifierMixin, TransformerMixin, BaseEstimator
):
    """Learn labels from several views of few labelled and many unlabelled rows.

    Ten small networks are trained side by side, each on four fifths of the labelled rows, and their
    probabilities are averaged. Each has an encoder for every view. Training minimises
    L_c + α · L_u + β · L_s: cross-entropy on the labelled rows, the weighted contrast of views
    (Eq. 5) on all rows, the weighted contrast of labels (Eq. 7) on the labelled ones. Columns are
    replaced by their ranks; a lone view gets a second copy, with noise. On tables of features the
    contrasts, which are the method, take most of the time and brought next to nothing in the
    recipe's prototype; ``alpha=0, beta=0`` leaves them out.

    A row that lacks a view is NaN in all of that view's columns, labelled or not, in ``fit`` and
    afterwards; it needs one view at least. A label that is not known is −1 or NaN in Y. Neither is
    filled in: every term of the loss is taken over what is there, and a row is predicted from the
    views that it has. Datasets, for encoders of your own, are taken to be whole.

    Args:
        alpha: weight of L_u. With 0, unlabelled rows only take part in the scaling of features.
        beta: weight of L_s. With ``alpha=beta=0`` this is a plain neural network.
        temperature: of both contrasts.
        weighted: whether L_u has the paper's weights g; without them a step is faster.
        detach: stop the gradient through L_u's weights, which can collapse the representation.
        members: networks, averaged.
        folds: each network leaves out one of so many parts of the labelled rows; these held-out
            rows choose the threshold. None: all networks get all rows.
        widths: layers of each view's encoder.
        dropout: share of inputs and of each layer's outputs that a step leaves out.
        scaling: of tables, ``"ranks"`` or ``"standard"`` (mean 0, spread 1).
        steps: of training; None: 60, and from 120 labelled rows on more, as the square root.
        labeled_batch: labelled rows per step and network, at most. L_s compares them in pairs, so
            the time and memory of a step grow with its square.
        unlabeled_batch: unlabelled rows per step and network, at most.
        lr: learning rate of AdamW at the start; it falls to 0 along a cosine.
        threshold: a label is predicted above this probability (label matrices only). ``"cv"``
            chooses it on the held-out rows, which costs nothing.
        class_weight: ``"balanced"``, or a dictionary from classes to weights in L_c. Of label
            matrices a label's weight multiplies its positives.
        validation_fraction: share of the labelled rows that no network trains on; training stops
            when the loss there no longer falls, and the best weights are kept.
        warm_start: go on from the networks of the previous fit, if they fit the data.
        callbacks: functions that get a :class:`herocon_lite.fitting.Progress` some hundred times
            in a training. If one returns True, training ends.
        encoders: a ``torch.nn.Module`` for each view, from (n, ...) to (n, size), or None for a
            table. Each network has a copy, and the networks are trained one after the other.
            Such views are arrays (n, ...) or map-style datasets, and are not scaled.
        view_sizes: columns of each view, if the views come side by side in one array. Tools that
            index rows, such as ``GridSearchCV``, need this form.
        device: ``"cpu"``, ``"cuda"``, ``"mps"``; None: the best one available.
        random_state: an integer makes fits repeatable. For that, fits in several threads wait for
            one another; processes do not.
        verbose: show a progress bar.

    Attributes:
        classes_: the classes, or the names or numbers of the label columns.
        threshold_: the threshold, as given or as chosen; None for classes.
        held_out_proba_: (labelled rows, c): probabilities from the networks that did not train on
            a row; NaN for rows that none left out. None without folds.
        n_features_in_: columns of all views together.
        feature_names_in_: their names, if all views have names.
        columns_: names of each view's columns, None for a view without names.
        history_: loss terms over the steps, a list of dictionaries.
        networks_: what was trained, a ``torch.nn.ModuleList``.
        device_: the device of the trained networks.

    Example:
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> hidden = rng.standard_normal((90, 2))
        >>> views = [hidden @ rng.standard_normal((2, d)) for d in (5, 4)]
        >>> Y = (hidden > 0).astype(int)
        >>> Y[40:] = -1  # unlabelled
        >>> model = HeroConClassifier(random_state=0)
        >>> model.fit(views, Y).predict_proba(views).shape
        (90, 2)
        >>> bool(model.score(views, Y) > 0.9)
        True
    """

    def __init__(
        self,
        alpha: float = 0.1,
        beta: float = 0.1,
        temperature: float = 1.0,
        weighted: bool = True,
        detach: bool = False,
        members: int = 10,
        folds: int | None = 5,
        widths: Sequence[int] = (64, 64),
        dropout: float = 0.3,
        scaling: str = "ranks",
        steps: int | None = None,
        labeled_batch: int = 256,
        unlabeled_batch: int = 64,
        lr: float = 0.003,
        threshold: float | str = "cv",
        class_weight: str | dict | None = None,
        validation_fraction: float | None = None,
        warm_start: bool = False,
        callbacks: Sequence[Callable[[Progress], bool | None]] | None = None,
        encoders: Sequence[nn.Module | None] | None = None,
        view_sizes: Sequence[int] | None = None,
        device: str | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: bool = False,
    ):
        self.alpha = alpha
        self.beta = beta
        self.temperature = temperature
        self.weighted = weighted
        self.detach = detach
        self.members = members
        self.folds = folds
        self.widths = widths
        self.dropout = dropout
        self.scaling = scaling
        self.steps = steps
        self.labeled_batch = labeled_batch
        self.unlabeled_batch = unlabeled_batch
        self.lr = lr
        self.threshold = threshold
        self.class_weight = class_weight
        self.validation_fraction = validation_fraction
        self.warm_start = warm_start
        self.callbacks = callbacks
        self.encoders = encoders
        self.view_sizes = view_sizes
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    # -------------------------------------------------------------- fit

    def fit(
        self,
        views: Views,
        Y: np.ndarray,
        unlabeled: Views | None = None,
        sample_weight: np.ndarray | None = None,
        eval_set: tuple[Views, np.ndarray] | None = None,
    ):
        """Train on labelled rows, and on unlabelled ones if there are any.

        scikit-learn's AUC scorers take a matrix of one or two labels for two classes. This one
        works for all: ``scoring=lambda model, X, Y: roc_auc_score(Y, model.predict_proba(X))``.

        Args:
            views: a list of arrays (n, d_v) with the same rows, or one array; dense or sparse. Rows
                of NaN lack that view.
            Y: (n, c), a 0/1 matrix, if a row may have several labels; or (n,), one class per row.
                −1 or NaN is an unknown label; a row of them is unlabelled.
            unlabeled: further rows, in the form of ``views``. Inside ``GridSearchCV`` mark rows
                with −1 in Y instead, because scikit-learn cuts an argument as long as ``views`` by
                fold. Shuffle then, ``cv=KFold(5, shuffle=True)``: every fold needs labelled rows.
                And leave its ``scoring`` alone: :meth:`score` skips unlabelled rows, while
                scikit-learn's scorers, stacking and calibration take −1 for a class.
            sample_weight: (n,), weights of the rows in L_c; a row of weight 0 is left out.
            eval_set: (views, Y) whose rows end the training, as with ``validation_fraction``.

        Returns:
            The fitted classifier itself.
        """
        columns = validation.names_of(views)
        arrays = validation.read_inputs("views", views, self.view_sizes, self.encoders)
        validation.check_row_order("Y", Y, "views", _first(views))
        labels = targets.read_labels(Y, validation.rows_of(arrays[0]), sample_weight)
        widths, parts = validation.columns_of(arrays), [[array] for array in arrays]
        if unlabeled is not None:
            more = self._read_like("unlabeled", unlabeled, widths, columns)
            parts = [[one, other] for one, other in zip(arrays, more, strict=True)]
        if eval_set is not None:
            eval_set = self._read_eval_set(eval_set, labels, widths, columns)
        validation.check_settings(self)
        device, seed = pick_device(self.device), validation.read_seed(self.random_state)
        plan = Plan(self.steps, self.labeled_batch, self.unlabeled_batch, self.lr)
        total = sum(map(validation.rows_of, parts[0]))
        rest = np.r_[labels.unlabeled, len(labels.known) : total]
        recipe = building.recipe(self, labels, parts, rest)
        division = self._divide(labels, seed)
        targets.warn_constant(labels)
        with self._alone(device):  # validate before discarding the previous fit
            used = np.r_[np.flatnonzero(labels.known), rest]
            scalings = building.scalings(self, parts, used)
            sources = building.sources(parts, scalings, device)
            networks = building.networks(self, recipe, widths, sources, seed)
            building.start_at_shares(networks, labels)
            earlier = None
            if self.warm_start and building.take_over(networks, getattr(self, "networks_", None)):
                earlier = self.threshold_, None  # rows left out now were trained on then
            rows = Rows(
                sources,
                torch.from_numpy(division.train),
                torch.from_numpy(rest),
                *building.targets(self.class_weight, labels, device),
                building.ending(scalings, eval_set, labels, sources, division.validation, device),
            )

            self._discard()  # training that is interrupted must not leave half of two fits
            self.classes_, self.kind_, self.recipe_ = labels.classes, labels.kind, recipe
            self._set_columns(widths, columns)
            self.constants_ = labels.constants
            self.scalings_, self.networks_ = scalings, networks
            self.history_ = self._train(rows, plan, seed)
            look = earlier or self._look_at_held_out(labels, sources, division)
            self.threshold_, self.held_out_proba_ = look
        fitting.warn_unless_settled(self.history_, plan.lr)
        self.params_ = self.get_params(deep=False)  # set_params may come between fit and save
        self.device_ = str(device)
        return self

    @property
    def partial_fit(self):
        """Refused: ranks, folds and the threshold need all rows at once."""
        raise AttributeError(
            "HeroConClassifier has no partial_fit: the ranks of features, the folds and the "
            "threshold need all rows at once. Call fit with all of them; warm_start=True goes on "
            "from the weights of the previous fit."
        )

    @contextmanager
    def _alone(self, device: torch.device):
        """Small networks in one thread: more would only wait, and slow down other work."""
        threads = num_threads(1) if self.encoders is None else nullcontext()
        with isolated_rng(device), threads:
            yield

    def _divide(self, labels: Labels, seed: int) -> Division:
        known = np.flatnonzero(labels.known)
        classes = labels.matrix[known].argmax(1) if labels.kind == "multiclass" else None
        searches = self.threshold == "cv" and labels.kind == "multilabel"
        if searches and self.folds and len(known) < 2 * self.folds:
            message = f"{len(known)} labelled rows are too few to choose a threshold; using 0.5."
            warnings.warn(message, stacklevel=3)
        return divide(known, classes, self.members, self.folds, self.validation_fraction, seed)

    def _train(self, rows: Rows, plan: Plan, seed: int) -> list[dict]:
        history, first = [], 0
        for number, network in enumerate(self.networks_):
            seed_device(rows.Y.device, derive_seed(seed, 2, number))
            mine = slice(first, first + network.members)
            part = replace(rows, labeled=rows.labeled[mine])
            made = fitting.fit(network, part, plan, self.callbacks or (), self.verbose)
            first += network.members
            several = {"member": number} if len(self.networks_) > 1 else {}
            history += [{**several, **row} for row in made]
        return history

    def _look_at_held_out(self, labels: Labels, sources: list, division: Division) -> tuple:
        """Return the threshold, and what networks say of labelled rows that they left out."""
        threshold = None
        if labels.kind == "multilabel":
            threshold = 0.5 if self.threshold == "cv" else self.threshold
        if not any(len(rows) for rows in division.left_out):
            return threshold, None
        P = left_out_probabilities(self.networks_, sources, division.left_out, len(labels.known))
        seen = ~np.isnan(P[:, 0])
        if labels.kind == "multilabel" and self.threshold == "cv":
            entries = None if labels.entries is None else labels.entries[seen][:, labels.varies]
            wanted = labels.matrix[seen][:, labels.varies]
            threshold = best_threshold(wanted, P[seen], entries)
        return threshold, self._with_constants(P[labels.known])

    def _set_columns(self, widths: list[int | None], columns: list) -> None:
        self.widths_, self.columns_ = widths, columns
        self.n_features_in_ = sum(width or 0 for width in widths)
        if all(columns):
            self.feature_names_in_ = np.array([n for each in columns for n in each], dtype=object)

    def _discard(self) -> None:
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []  # float32, whatever came
        return tags

    @property
    def _n_features_out(self) -> int:  # for get_feature_names_out, and with it set_output
        return sum(network.members * network.joint_size for network in self.networks_)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "device_")  # set last

    # -------------------------------------------------------------- use

    def predict_proba(self, views: Views) -> np.ndarray:
        """Return (n, c): each label's own probability, or a distribution over the classes.

        A row that lacks a view is predicted from the others.
        """
        sources = self._inputs(views)
        rows = np.arange(len(sources[0]))
        with self._one_thread():
            total = sum(fitting.each_probability(n, sources, rows).sum(0) for n in self.networks_)
        return self._with_constants(total / sum(n.members for n in self.networks_))

    def predict(self, views: Views) -> np.ndarray:
        """Return (n, c), 0/1, or (n,), classes: the form that Y had."""
        P = self.predict_proba(views)
        if self.kind_ == "multiclass":
            return self.classes_[P.argmax(1)]
        return (self.threshold_ < P).astype(int)

    def decision_function(self, views: Views) -> np.ndarray:
        """Return log-odds: (n, c) of labels, above 0 where :meth:`predict` says 1; (n,) of two
        classes, above 0 for the second; (n, c) log-probabilities of more classes."""
        P = self.predict_proba(views).astype(np.float64)
        tiny = np.finfo(np.float64).tiny
        yes, no = np.log(np.maximum(P, tiny)), np.log(np.maximum(1 - P, tiny))
        if self.kind_ == "multilabel":
            limit = np.clip(self.threshold_, tiny, None)
            return yes - no - np.log(limit / (1 - limit))
        return yes[:, 1] - yes[:, 0] if P.shape[1] == 2 else yes

    def transform(self, views: Views) -> np.ndarray:
        """Return (n, d): the joint representations of all networks, side by side."""
        sources = self._inputs(views)
        rows = np.arange(len(sources[0]))
        with self._one_thread():
            made = [fitting.each(n.embed, n, sources, rows) for n in self.networks_]
        return np.concatenate([np.concatenate(list(S), 1) for S in made], 1)

    def score(self, views: Views, y: np.ndarray) -> float:
        """Return the accuracy for classes, the weighted F1 for label matrices.

        What ``y``, in the form of Y in :meth:`fit`, marks as unknown is left out.
        """
        validation.check_row_order("Y", y, "views", _first(views))
        P = self.predict_proba(views)
        Y, P = targets.read_score_labels(y, P, self.kind_)
        if self.kind_ == "multiclass":
            return float((self.classes_[P.argmax(1)] == Y).mean())
        return evaluate(Y, P, self.kind_, self.threshold_)["f1"]

    def _one_thread(self):
        return runtime.one_thread() if self.encoders is None else nullcontext()

    def _with_constants(self, trained: np.ndarray) -> np.ndarray:
        P = np.broadcast_to(self.constants_, (len(trained), len(self.constants_))).copy()
        P[:, np.isnan(self.constants_)] = trained
        return P

    def _inputs(self, views: Views) -> list:
        check_is_fitted(self)
        arrays = self._read_like("views", views, self.widths_, self.columns_)
        return building.sources([[a] for a in arrays], self.scalings_, torch.device(self.device_))

    def _read_like(self, name: str, views: Views, widths: list, names: list) -> list:
        """Return views that must have the columns of those in ``fit``."""
        validation.check_names(name, validation.names_of(views), names)
        arrays = validation.read_inputs(name, views, self.view_sizes, self.encoders)
        validation.check_as_fitted(name, validation.columns_of(arrays), widths)
        return arrays

    def _read_eval_set(self, eval_set, labels: Labels, widths: list, names: list) -> tuple:
        """Return the arrays and the label matrix of rows that end the training."""
        if not isinstance(eval_set, tuple | list) or len(eval_set) != 2 or eval_set[1] is None:
            raise ValueError("eval_set must be a pair, (views, Y).")
        views, Y = eval_set
        arrays = self._read_like("eval_set", views, widths, names)
        return arrays, targets.read_eval_labels(Y, validation.rows_of(arrays[0]), labels)

    # -------------------------------------------------------------- save

    def save(self, path: str | Path) -> None:
        """Write the trained model to a safetensors file: numbers and JSON, no code.

        Callbacks and encoders of your own are code, and are not saved; the encoders' weights are.

        Raises:
            ValueError: if the classes are neither numbers nor words.
            OSError: if the file cannot be written; an older one stays as it was.
        """
        check_is_fitted(self)
        saving.save(self, path)

    @classmethod
    def load(
        cls,
        path: str | Path,
        device: str | None = None,
        encoders: Sequence[nn.Module | None] | None = None,
    ) -> HeroConClassifier:
        """Read a model that :meth:`save` has written.

        Args:
            path: the file.
            device: where to put the networks; None: the best one available.
            encoders: as in ``fit``, if it had some.

        Raises:
            ValueError: if the file is damaged or holds something else.
        """
        target = pick_device(device)
        model = saving.load(cls, path, encoders)
        model.networks_.to(target)
        model.device_ = str(target)
        return model

    def __getstate__(self) -> dict:
        """Pickle from the CPU, so that a machine without this device can read it."""
        state = dict(super().__getstate__())
        if "networks_" in state:
            state["networks_"] = copy.deepcopy(state["networks_"]).cpu()
            state["device_"] = "cpu"
        return state


def _first(views: Views):
    return views[0] if validation.is_view_list(views) else views
