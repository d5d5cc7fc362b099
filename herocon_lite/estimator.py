"""HeroCon for your own data, with scikit-learn's manners.

    model = HeroConClassifier(random_state=0).fit([view1, view2], Y, unlabeled=[more1, more2])
    model.predict_proba([view1, view2])

Everything that a user can get wrong is checked here, before any training starts.
"""

from __future__ import annotations

import contextlib
import copy
import json
import threading
import warnings
from collections.abc import Iterator, Sequence
from numbers import Integral, Real
from pathlib import Path

import numpy as np
import torch
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from herocon_lite.checkpoint import atomic_write
from herocon_lite.data.splits import FOLDS, folds
from herocon_lite.methods import Problem, build
from herocon_lite.metrics import F1_AT, THRESHOLDS, evaluate
from herocon_lite.train import Schedule, embed, pick_device, predict, train

FORMAT = "herocon_lite 1"  # of saved models
NOISE = 0.1  # of a feature's spread: what tells the second copy of a lone view from the first

Arrays = np.ndarray | Sequence[np.ndarray]

_one_at_a_time = threading.Lock()  # torch's random numbers are the whole process's


class HeroConClassifier(
    ClassNamePrefixFeaturesOutMixin, ClassifierMixin, TransformerMixin, BaseEstimator
):
    """Learns labels from several views of few labelled and many unlabelled rows.

    Each view has an encoder of its own. Trained is L_c + α · L_u + β · L_s: binary cross-entropy
    on the labelled rows, the weighted contrast of views (Eq. 5) on all rows, the weighted contrast
    of labels (Eq. 7) on the labelled ones. Features are scaled inside; data with one view gets a
    second one by adding noise.

    Args:
        alpha: weight of L_u; with 0 unlabelled rows only take part in the scaling of features.
        beta: weight of L_s. With ``alpha=beta=0`` what is left is a plain neural network.
        temperature: of both contrasts.
        detach: stop the gradient through L_u's weights, which can collapse the representation.
        widths: layers of each view's encoder.
        steps: of training.
        labeled_batch: labelled rows a step, all of them where there are fewer. L_s compares them
            in pairs, so time and memory of a step grow with its square.
        unlabeled_batch: unlabelled rows a step.
        pairs: with three views or more, how many pairs of them a step contrasts; None: all.
        lr: learning rate.
        threshold: a label is predicted above this probability (label matrices only). By default
            it is chosen by cross-validation inside the labelled rows, which takes five more fits;
            a number such as 0.5 saves them.
        view_sizes: columns of each view, if the views come side by side in one array: the form
            that tools which pick rows, such as ``GridSearchCV``, need.
        device: ``"cpu"``, ``"cuda"``, ``"mps"``; None: the best one here.
        random_state: a whole number makes everything repeatable. (For that, fits in several
            threads wait for one another; several processes do not.)
        verbose: show a progress bar.

    Attributes:
        classes_: the classes, or the numbers of the label columns.
        threshold_: the threshold, as given or as chosen; None for classes.
        n_features_in_: columns of all views together.
        columns_: names of each view's columns, None for a view that came without names.
        history_: loss terms over the steps, a list of dictionaries.
        device_: where it is.
    """

    def __init__(
        self,
        alpha: float = 0.1,
        beta: float = 0.1,
        temperature: float = 1.0,
        detach: bool = False,
        widths: Sequence[int] = (200, 200),
        steps: int = 200,
        labeled_batch: int = 1024,
        unlabeled_batch: int = 256,
        pairs: int | None = 1,
        lr: float = 0.05,
        threshold: float | str = "cv",
        view_sizes: Sequence[int] | None = None,
        device: str | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: bool = False,
    ):
        self.alpha = alpha
        self.beta = beta
        self.temperature = temperature
        self.detach = detach
        self.widths = widths
        self.steps = steps
        self.labeled_batch = labeled_batch
        self.unlabeled_batch = unlabeled_batch
        self.pairs = pairs
        self.lr = lr
        self.threshold = threshold
        self.view_sizes = view_sizes
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    # -------------------------------------------------------------- fit

    def fit(self, views: Arrays, Y: np.ndarray, unlabeled: Arrays | None = None):
        """Trains on labelled rows, and on unlabelled ones where there are any.

        Args:
            views: a list of arrays (n, d_v) with the same rows, or one array.
            Y: (n, c), a 0/1 matrix, for labels of which a row may have several; or (n,), one class
                a row. A row of −1 or NaN marks an unlabelled sample.
            unlabeled: further rows, in the form of ``views``. (Inside ``GridSearchCV`` mark rows
                with −1 in Y instead: scikit-learn cuts an argument as long as ``views`` by fold.
                Shuffle then, ``cv=KFold(5, shuffle=True)``: every fold needs labelled rows. And
                leave its ``scoring`` alone: :meth:`score` passes unlabelled rows over, while
                scikit-learn's scorers, stacking and calibration take −1 for a class.)

        scikit-learn's AUC scorers take a matrix of one or two labels for two classes. This one
        works for all: ``scoring=lambda model, X, Y: roc_auc_score(Y, model.predict_proba(X))``.
        """
        _check_order("Y", Y, "views", views[0] if _is_list(views) else views)
        columns, views = _columns(views), self._split("views", views)
        labels, known, classes, kind = _labels(Y, len(views[0]))
        sizes = [v.shape[1] for v in views]
        more = None if unlabeled is None else self._split("unlabeled", unlabeled, sizes, columns)
        varies = labels[known].min(0) != labels[known].max(0)
        _check_constant(varies, kind)
        device, seed = pick_device(self.device), self._seed()
        batches = (self.labeled_batch, self.unlabeled_batch)
        schedule = Schedule(self.steps, *batches, lr=self.lr, drop_last=True)
        threshold, search = self._check_threshold(int(known.sum()), kind)
        shape = (sizes, int(varies.sum()), kind)
        with _own_random_numbers(device):
            self._build(*shape)  # settings that will not do cost no older model

        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)  # training that is cut off must not leave half of an older model
        self.classes_, self.kind_, self.threshold_ = classes, kind, threshold
        self.sizes_, self.columns_, self.n_features_in_ = sizes, columns, sum(sizes)
        self.constants_ = np.where(varies, np.nan, labels[known][0])
        pool = views
        if more is not None:
            pool = [np.concatenate(rows) for rows in zip(views, more, strict=True)]
        self.mean_ = np.concatenate([p.mean(0) for p in pool])
        spread = np.concatenate([p.std(0) for p in pool])
        rounding = len(pool[0]) * np.finfo(float).eps * np.abs(self.mean_)  # scikit-learn's bound
        self.scale_ = np.where(spread > rounding, spread, 1)  # what is constant stays small
        pool = self._scaled(pool, np.random.default_rng(seed))
        n = len(known)
        rest = np.r_[np.flatnonzero(~known), n : len(pool[0])]
        seen, Y = [p[:n][known] for p in pool], labels[known][:, varies]
        more = [p[rest] for p in pool] if len(rest) > 1 else None  # BatchNorm needs two

        def fitted(rows):
            method = self._build(*shape, seed)
            views = [v[rows] for v in seen]
            return method, train(
                method, views, Y[rows], more, schedule, seed, device, progress=self.verbose
            )

        with _own_random_numbers(device):
            if search:
                self.threshold_ = _best_threshold(seen, Y, fitted, seed)
            self.method_, training = fitted(np.arange(len(Y)))
        self.params_ = self.get_params()  # as trained: set_params may come between fit and save
        self.history_, self.device_ = training.history, str(device)
        return self

    def _check_threshold(self, rows: int, kind: str) -> tuple[float | None, bool]:
        """The threshold, and whether another must be searched for."""
        if self.threshold == "cv":
            if kind == "multiclass":
                return None, False
            if rows >= 2 * FOLDS:
                return None, True
            warnings.warn(
                f"{rows} labelled rows are too few to choose a threshold; it is 0.5.", stacklevel=3
            )
            return 0.5, False
        if not isinstance(self.threshold, Real) or not 0 <= self.threshold < 1:
            raise ValueError(
                f'threshold must be a probability below 1, or "cv"; got {self.threshold!r}.'
            )
        return (None if kind == "multiclass" else self.threshold), False

    def _build(self, sizes: list[int], outputs: int, kind: str, seed: int = 0):
        shapes = [(size,) for size in sizes]
        problem = Problem(
            tuple(shapes * 2 if len(shapes) == 1 else shapes),
            outputs,
            kind,
            encoder_options={"widths": self.widths},
        )
        torch.default_generator.manual_seed(seed)  # weights are made on the CPU
        return build(
            "herocon",
            problem,
            alpha=self.alpha,
            beta=self.beta,
            temperature=self.temperature,
            detach=self.detach if self.alpha else False,  # without L_u there is nothing to hold
            pairs=self.pairs,
        )

    def _seed(self) -> int:
        if isinstance(self.random_state, (int, np.integer)):
            if not 0 <= self.random_state < 2**63:
                raise ValueError(
                    f"random_state must be at least 0 and below 2⁶³; got {self.random_state}."
                )
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    @property
    def _n_features_out(self) -> int:  # for get_feature_names_out, and with it set_output
        return self.method_.joint_size

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "device_")  # set last

    # -------------------------------------------------------------- use

    def predict_proba(self, views: Arrays) -> np.ndarray:
        """(n, c): each label's own probability, or a distribution over the classes."""
        inputs = self._inputs(views)
        trained = predict(self.method_, inputs, self.kind_)
        P = np.broadcast_to(self.constants_, (len(trained), len(self.constants_))).copy()
        P[:, np.isnan(self.constants_)] = trained
        return P

    def predict(self, views: Arrays) -> np.ndarray:
        """(n, c), 0/1, or (n,), classes: as Y was."""
        P = self.predict_proba(views)
        if self.kind_ == "multiclass":
            return self.classes_[P.argmax(1)]
        return (self.threshold_ < P).astype(int)

    def transform(self, views: Arrays) -> np.ndarray:
        """(n, d): the representation, all views side by side."""
        inputs = self._inputs(views)
        return embed(self.method_, inputs)

    def score(self, views: Arrays, Y: np.ndarray) -> float:
        """Accuracy of classes; weighted F1 of label matrices, whose rows are rarely all right.

        Unlabelled rows are left out.
        """
        _check_order("Y", Y, "views", views[0] if _is_list(views) else views)
        P, Y = self.predict_proba(views), _targets(Y)
        form = (len(P), *([] if self.kind_ == "multiclass" else [P.shape[1]]))
        if Y.shape != form:
            raise ValueError(f"Y must have the form it had in fit, here {form}; got {Y.shape}.")
        known = _known(Y)
        if not known.any():
            raise ValueError(
                "Y must hold labels to score against; all its rows are unlabelled. In a search, "
                "shuffle the folds: cv=KFold(5, shuffle=True)."
            )
        if self.kind_ == "multiclass":
            return float((self.classes_[P[known].argmax(1)] == Y[known]).mean())
        return evaluate(Y[known], P[known], self.kind_, self.threshold_)["f1"]

    def _inputs(self, views: Arrays) -> list[np.ndarray]:
        check_is_fitted(self)
        return self._scaled(self._split("views", views, self.sizes_, self.columns_))

    def _split(self, name: str, views: Arrays, wanted: list[int] | None = None, columns=()):
        """A checked list of arrays (n, d_v) from any of the forms that ``views`` may have."""
        if _is_list(views):
            if self.view_sizes is not None:
                raise ValueError(f"{name} must be one array when view_sizes is given; got a list.")
            arrays = [_matrix(f"{name}[{v}]", view) for v, view in enumerate(views)]
        else:
            whole = _matrix(name, views)
            sizes = [whole.shape[1]] if self.view_sizes is None else self._view_sizes()
            if sum(sizes) != whole.shape[1] or min(sizes) < 1:
                raise ValueError(
                    f"view_sizes must add up to the {whole.shape[1]} columns of {name}; "
                    f"got {tuple(sizes)}, in all {sum(sizes)}."
                )
            arrays = np.split(whole, np.cumsum(sizes)[:-1], axis=1)
        rows = [len(a) for a in arrays]
        if len(set(rows)) > 1:
            raise ValueError(f"{name} must have the same rows in every view; got {rows} rows.")
        if _is_list(views):
            for number, view in enumerate(views[1:], 1):
                _check_order(f"{name}[{number}]", view, f"{name}[0]", views[0])
        if wanted is not None and wanted != [a.shape[1] for a in arrays]:
            raise ValueError(
                f"{name} must have views of {wanted} columns, as in fit; "
                f"got {[a.shape[1] for a in arrays]}."
            )
        for now, then in zip(_columns(views), columns, strict=False):
            if now and then and now != then:
                first = next(pair for pair in zip(now, then, strict=True) if pair[0] != pair[1])
                raise ValueError(
                    f"{name} must have the columns of fit in the same order; "
                    f"got {first[0]!r} where {first[1]!r} was."
                )
        return arrays

    def _view_sizes(self) -> list[int]:
        listed = np.ndim(self.view_sizes) == 1  # an array, too
        if not listed or not all(isinstance(s, Integral) for s in self.view_sizes):
            raise ValueError(
                "view_sizes must be whole numbers, the columns of each view, such as (79, 24); "
                f"got {self.view_sizes!r}."
            )
        return list(self.view_sizes)

    def _scaled(self, arrays: list[np.ndarray], noise: np.random.Generator | None = None):
        """Mean 0, spread 1; of a lone view two copies, the second noisy in training."""
        ends = np.cumsum(self.sizes_)[:-1]
        mean, scale = np.split(self.mean_, ends), np.split(self.scale_, ends)
        triples = zip(arrays, mean, scale, strict=True)
        scaled = [((a - m) / s).astype(np.float32) for a, m, s in triples]
        if len(scaled) == 1:
            (x,) = scaled
            scaled.append(x if noise is None else x + NOISE * noise.standard_normal(x.shape, "f4"))
        return scaled

    # -------------------------------------------------------------- keep

    def save(self, path: str | Path) -> None:
        """Writes the trained model to a safetensors file: numbers and JSON, nothing to run."""
        from safetensors.torch import save_file

        check_is_fitted(self)
        classes = self.classes_.tolist()
        if not all(isinstance(name, str | int | float) for name in classes):
            raise ValueError(
                "classes must be numbers or words to be saved as JSON; got "
                f"{type(classes[0]).__name__}. Fit with Y.astype(str), or use pickle."
            )
        tensors = {f"method.{k}": t.contiguous() for k, t in self.method_.state_dict().items()}
        tensors |= {name: torch.from_numpy(getattr(self, name)) for name in ("mean_", "scale_")}
        seed = self.params_["random_state"]
        seed = seed if isinstance(seed, (int, np.integer)) else None
        about = {
            "params": {**self.params_, "random_state": seed},
            "kind": self.kind_,
            "threshold": self.threshold_,
            "sizes": self.sizes_,
            "columns": self.columns_,
            "classes": classes,
            "constants": [None if np.isnan(v) else v for v in self.constants_],
            "history": self.history_,
            "device": self.device_,
        }
        metadata = {"format": FORMAT, "about": json.dumps(about, default=_plain)}
        atomic_write(path, lambda beside: save_file(tensors, beside, metadata))

    @classmethod
    def load(cls, path: str | Path, device: str | None = None) -> HeroConClassifier:
        """What :meth:`save` wrote."""
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(str(path), "pt") as file:
                metadata = file.metadata() or {}
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        except SafetensorError as error:
            raise ValueError(f"{path} is not a whole safetensors file: {error}.") from error
        if metadata.get("format") != FORMAT:
            raise ValueError(
                f"{path} must be a model saved by HeroConClassifier ({FORMAT}); "
                f"got {metadata.get('format', 'another safetensors file')}."
            )
        about = json.loads(metadata["about"])
        tuples = {k: tuple(v) for k, v in about["params"].items() if isinstance(v, list)}
        model = cls(**{**about["params"], **tuples})
        model.params_ = model.get_params()
        for name in ("kind", "sizes", "history", "threshold"):
            setattr(model, f"{name}_", about[name])
        model.columns_ = about.get("columns", [])  # younger than the format
        model.n_features_in_ = sum(model.sizes_)
        model.classes_ = np.array(about["classes"])
        constants = [np.nan if v is None else v for v in about["constants"]]
        model.constants_ = np.array(constants, np.float32)  # as fitted
        model.mean_, model.scale_ = (tensors.pop(name).numpy() for name in ("mean_", "scale_"))
        where, outputs = pick_device(device), int(np.isnan(model.constants_).sum())
        with _own_random_numbers(where):
            model.method_ = model._build(model.sizes_, outputs, model.kind_)
        model.method_.load_state_dict({k.removeprefix("method."): t for k, t in tensors.items()})
        model.method_.to(where)
        model.device_ = str(where)
        return model

    def __getstate__(self) -> dict:
        """Pickled on the CPU, so that a machine without this one's device can read it."""
        state = dict(super().__getstate__())
        if "method_" in state:
            state["method_"] = copy.deepcopy(state["method_"]).cpu()
            state["device_"] = "cpu"
        return state


@contextlib.contextmanager
def _own_random_numbers(device: torch.device) -> Iterator[None]:
    """Within it seeds may be set: the caller's random numbers stay the caller's."""
    with _one_at_a_time, torch.random.fork_rng([device] if device.type == "cuda" else []):
        apple = torch.mps.get_rng_state() if device.type == "mps" else None
        try:
            yield
        finally:
            if apple is not None:
                torch.mps.set_rng_state(apple)


def _best_threshold(views: list[np.ndarray], Y: np.ndarray, fitted, seed: int) -> float:
    """The threshold with the best F1 on rows left out of training, fold by fold."""
    P = np.empty_like(Y)
    for seen, asked in folds(np.arange(len(Y)), seed):
        method, _ = fitted(seen)
        P[asked] = predict(method, [v[asked] for v in views], "multilabel")
    found = evaluate(Y, P, "multilabel")
    usual_first = sorted(THRESHOLDS, key=lambda t: abs(t - 0.5))  # max takes the first of equals
    return max(usual_first, key=lambda t: found[F1_AT[t]])


# ------------------------------------------------------------------ input


def _is_list(views) -> bool:
    """Whether the views come one by one; a list of numbers is a row."""
    if not isinstance(views, (list, tuple)) or len(views) == 0:
        return False
    return np.ndim(views[0]) > 1 or any(getattr(view, "ndim", 0) > 1 for view in views)


def _check_order(name: str, table, other_name: str, other) -> None:
    """Two data frames with the same rows must have them in the same order."""
    index, wanted = (getattr(each, "index", None) for each in (table, other))
    if not (hasattr(index, "equals") and hasattr(wanted, "equals")) or index.equals(wanted):
        return
    if len(index) == len(wanted) and index.is_unique and set(index) == set(wanted):
        raise ValueError(
            f"{name} must have its rows in the order of {other_name}, whose index has the same "
            "entries in another order. Take .loc[…index] of the one for the other."
        )


def _columns(views) -> list[list[str] | None]:
    """The names of each view's columns; numbers, which pandas makes up, are none."""
    tables = views if _is_list(views) else [views]
    names = [list(getattr(table, "columns", ())) for table in tables]
    return [each if each and all(isinstance(n, str) for n in each) else None for each in names]


def _matrix(name: str, values) -> np.ndarray:
    if isinstance(values, dict):
        raise ValueError(
            f"{name} must be a list of arrays; got a dict. Pass list({name}.values())."
        )
    if hasattr(values, "toarray"):
        raise ValueError(f"{name} must be dense; got a sparse matrix. Call .toarray() on it.")
    _check_whole(name, values)
    try:
        array = np.asarray(values)
        real = array.dtype.kind != "c"
        with np.errstate(over="ignore"):  # told below
            array = np.asarray(array if real else 0, np.float64)  # till they are centred
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{name} must hold numbers ({error}). For words there is "
            "sklearn.preprocessing.OneHotEncoder, for gaps sklearn.impute; a tensor goes in as "
            "x.float().cpu()."
        ) from error
    if not real:
        raise ValueError(f"{name} must hold real numbers; got complex ones.")
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(
            f"{name} must be a dense matrix (n, d), one row per sample; got shape {array.shape}."
            + (" One column goes in as x[:, None], one row as x[None]." * (array.ndim == 1))
        )
    usable = np.abs(array) < np.finfo(np.float32).max
    if not usable.all():
        row, column = np.argwhere(~usable)[0]
        raise ValueError(
            f"{name} must be finite in float32; row {row}, column {column} is "
            f"{array[row, column]}. Fill it in (sklearn.impute) or leave the row out."
        )
    return array


def _check_whole(name: str, values) -> None:
    """NumPy would drop the mask, and what it hid would count."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(
            f"{name} must have no masked values. Fill them in with .filled(…); unlabelled rows of "
            "Y are −1 or NaN."
        )


def _targets(Y) -> np.ndarray:
    """Y as an array; in one of words NumPy would turn the gaps into words, too."""
    if hasattr(Y, "toarray"):
        raise ValueError("Y must be dense; got a sparse matrix. Call .toarray() on it.")
    _check_whole("Y", Y)
    try:
        array = np.asarray(Y)
    except ValueError as error:
        raise ValueError(
            "Y must be a 0/1 matrix or a vector of classes; its rows differ in length. Lists of "
            "labels: sklearn.preprocessing.MultiLabelBinarizer().fit_transform(Y)."
        ) from error
    if array.dtype.kind in "US":
        return np.asarray(Y, dtype=object)
    if array.dtype == object:  # pandas' own types come so, their gaps with no truth value
        array = np.where(_is_na(array), np.nan, array)
        if array.ndim == 2:
            with contextlib.suppress(TypeError, ValueError):  # no numbers: told by the caller
                return array.astype(float)
    return array


def _is_na(values: np.ndarray) -> np.ndarray:
    """None, NaN and pandas' NA."""
    import pandas as pd

    return pd.isna(values)


def _known(Y: np.ndarray) -> np.ndarray:
    """Which rows are labelled: those that are not −1 or NaN."""
    if Y.dtype.kind not in "fiub":  # names of classes; a gap is None, NaN or −1
        gaps = _is_na(Y.ravel()) | [y == -1 for y in Y.ravel()]
        return ~np.reshape(gaps, Y.shape).reshape(len(Y), -1).all(1)
    unknown = np.isnan(Y) | (Y == -1) if Y.dtype.kind in "fi" else np.zeros(Y.shape, bool)
    if Y.ndim == 1:
        return ~unknown
    partly = unknown.any(1) & ~unknown.all(1)
    if partly.any():
        raise ValueError(
            "Y must mark a row as unlabelled as a whole, all −1 or all NaN; "
            f"row {np.flatnonzero(partly)[0]} is so in part."
        )
    return ~unknown.all(1)


def _labels(Y, rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, str]:
    """0/1 matrix, which rows are labelled, the classes, the kind."""
    Y = _targets(Y)
    if Y.ndim not in (1, 2) or len(Y) != rows or 0 in Y.shape:
        raise ValueError(
            f"Y must be ({rows}, c), 0/1 labels, or ({rows},), classes: a row for each row of "
            f"views; got shape {Y.shape}."
        )
    known = _known(Y)
    if not known.any():
        raise ValueError("Y must have labelled rows; all of them are −1 or NaN.")
    if Y.ndim == 1:
        if Y.dtype.kind == "f" and (Y[known] % 1 != 0).any():
            raise ValueError(
                "Y must hold classes, and these are numbers with fractions. Is it a regression?"
            )
        try:
            classes = np.array(np.unique(Y[known]).tolist())  # words as words, not as objects
        except TypeError as error:
            raise ValueError(
                f"Y must hold classes of one kind, all numbers or all words ({error})."
            ) from error
        labels = (Y[:, None] == classes[None, :]).astype(np.float32)
        return labels, known, classes, "multiclass"
    if Y.dtype.kind not in "fiub" or not np.isin(Y[known], (0, 1)).all():
        raise ValueError(
            "Y must hold 0 and 1 (and −1 or NaN in unlabelled rows) when it is a matrix; it holds "
            "other values. One class a row goes in as a vector."
        )
    return Y.astype(np.float32), known, np.arange(Y.shape[1]), "multilabel"


def _check_constant(varies: np.ndarray, kind: str) -> None:
    if not varies.any():
        raise ValueError(
            "Y must hold labels that differ between rows; every labelled row has the same. "
            "(Rows of −1 count as unlabelled.)"
        )
    if not varies.all() and kind == "multilabel":
        constant = ", ".join(map(str, np.flatnonzero(~varies)))
        warnings.warn(
            f"Label column {constant} of Y never changes among the labelled rows; it is "
            "predicted as that constant.",
            stacklevel=3,
        )


def _plain(value):
    """Numbers and sequences of NumPy, for JSON; a device by its name."""
    if isinstance(value, torch.device):
        return str(value)
    return value.item() if isinstance(value, np.generic) else list(value)
