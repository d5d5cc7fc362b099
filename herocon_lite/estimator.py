"""HeroCon for your own data, as a scikit-learn estimator.

model = HeroConClassifier(random_state=0).fit([view1, view2], Y, unlabeled=[more1, more2])
model.predict_proba([view1, view2])
"""

from __future__ import annotations

import copy
import json
import warnings
from collections.abc import Callable, Sequence
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

from herocon_lite import validation
from herocon_lite.checkpoint import atomic_write
from herocon_lite.data.splits import FOLDS, folds
from herocon_lite.methods import Method, Problem, build
from herocon_lite.metrics import F1_AT, THRESHOLDS, evaluate
from herocon_lite.runtime import isolated_rng, num_threads, pick_device
from herocon_lite.train import Schedule, embed, predict, train
from herocon_lite.validation import Labels, Views

FORMAT = "herocon_lite 1"  # of saved models
NOISE = 0.1  # added to the second copy of a lone view, in standard deviations of a feature


class HeroConClassifier(
    ClassNamePrefixFeaturesOutMixin, ClassifierMixin, TransformerMixin, BaseEstimator
):
    """Learn labels from several views of few labelled and many unlabelled rows.

    Each view has its own encoder. Training minimises L_c + α · L_u + β · L_s: binary cross-entropy
    on the labelled rows, the weighted contrast of views (Eq. 5) on all rows, the weighted contrast
    of labels (Eq. 7) on the labelled ones. Features are standardised; data with one view gets a
    second one by adding noise.

    Args:
        alpha: weight of L_u. With 0, unlabelled rows only take part in the scaling of features.
        beta: weight of L_s. With ``alpha=beta=0`` this is a plain neural network.
        temperature: of both contrasts.
        weighted: whether L_u has the paper's weights g; without them a step is faster.
        detach: stop the gradient through L_u's weights, which can collapse the representation.
        widths: layers of each view's encoder.
        steps: of training.
        labeled_batch: labelled rows per step, at most. L_s compares them in pairs, so the time and
            memory of a step grow with its square.
        unlabeled_batch: unlabelled rows per step, at most.
        pairs: with three views or more, how many pairs of views a step contrasts; None: all.
        lr: learning rate.
        threshold: a label is predicted above this probability (label matrices only). ``"cv"``
            chooses it by cross-validation inside the labelled rows, which takes five more fits.
        view_sizes: columns of each view, if the views come side by side in one array. Tools that
            index rows, such as ``GridSearchCV``, need this form.
        device: ``"cpu"``, ``"cuda"``, ``"mps"``; None: the best one available.
        random_state: an integer makes fits repeatable. For that, fits in several threads wait for
            one another; processes do not.
        verbose: show a progress bar.

    Attributes:
        classes_: the classes, or the numbers of the label columns.
        threshold_: the threshold, as given or as chosen; None for classes.
        n_features_in_: columns of all views together.
        columns_: names of each view's columns, None for a view without names.
        history_: loss terms over the steps, a list of dictionaries.
        device_: the device of the trained network.

    Example:
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> hidden = rng.standard_normal((90, 2))
        >>> views = [hidden @ rng.standard_normal((2, d)) for d in (5, 4)]
        >>> Y = (hidden > 0).astype(int)
        >>> Y[40:] = -1  # unlabelled
        >>> model = HeroConClassifier(steps=20, widths=(16,), threshold=0.5, random_state=0)
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
        self.weighted = weighted
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

    def fit(self, views: Views, Y: np.ndarray, unlabeled: Views | None = None):
        """Train on labelled rows, and on unlabelled ones if there are any.

        scikit-learn's AUC scorers take a matrix of one or two labels for two classes. This one
        works for all: ``scoring=lambda model, X, Y: roc_auc_score(Y, model.predict_proba(X))``.

        Args:
            views: a list of arrays (n, d_v) with the same rows, or one array.
            Y: (n, c), a 0/1 matrix, if a row may have several labels; or (n,), one class per row.
                A row of −1 or NaN is unlabelled.
            unlabeled: further rows, in the form of ``views``. Inside ``GridSearchCV`` mark rows
                with −1 in Y instead, because scikit-learn cuts an argument as long as ``views`` by
                fold. Shuffle then, ``cv=KFold(5, shuffle=True)``: every fold needs labelled rows.
                And leave its ``scoring`` alone: :meth:`score` skips unlabelled rows, while
                scikit-learn's scorers, stacking and calibration take −1 for a class.

        Returns:
            The fitted classifier itself.
        """
        arrays = validation.read_views("views", views, self.view_sizes)
        validation.check_row_order("Y", Y, "views", _first(views))
        labels = validation.read_labels(Y, len(arrays[0]))
        sizes, names = [a.shape[1] for a in arrays], validation.column_names(views)
        pool = arrays
        if unlabeled is not None:
            more = self._read_like("unlabeled", unlabeled, sizes, names)
            pool = [np.concatenate(rows) for rows in zip(arrays, more, strict=True)]
        device, seed = pick_device(self.device), validation.read_seed(self.random_state)
        threshold, search = self._plan_threshold(labels)
        _warn_constant(labels)
        with isolated_rng(device):  # validate before discarding the previous fit
            schedule = self._schedule()
            self._build(sizes, int(labels.varies.sum()), labels.kind)

        self._discard()
        self.classes_, self.kind_, self.threshold_ = labels.classes, labels.kind, threshold
        self.sizes_, self.columns_, self.n_features_in_ = sizes, names, sum(sizes)
        self.constants_ = np.where(labels.varies, np.nan, labels.matrix[labels.known][0])
        self._fit_scaling(pool)
        pool = self._scale(pool, np.random.default_rng(seed))
        n, known = len(arrays[0]), labels.known
        rest = np.r_[np.flatnonzero(~known), n : len(pool[0])]
        labeled, Y = [p[:n][known] for p in pool], labels.matrix[known][:, labels.varies]
        more = [p[rest] for p in pool] if len(rest) > 1 else None  # BatchNorm needs two

        def fit_rows(rows: np.ndarray):
            method = self._build(sizes, Y.shape[1], labels.kind, seed)
            part = [v[rows] for v in labeled]
            return method, train(
                method, part, Y[rows], more, schedule, seed, device, progress=self.verbose
            )

        with isolated_rng(device), num_threads(1):  # small networks: threads would only wait
            if search:
                self.threshold_ = _best_threshold(labeled, Y, fit_rows, seed)
            self.method_, training = fit_rows(np.arange(len(Y)))
        self.params_ = self.get_params()  # set_params may come between fit and save
        self.history_, self.device_ = training.history, str(device)
        return self

    def _plan_threshold(self, labels: Labels) -> tuple[float | None, bool]:
        """Return the threshold, and whether another must be searched for."""
        validation.check_threshold(self.threshold)
        if labels.kind == "multiclass":
            return None, False
        if self.threshold != "cv":
            return self.threshold, False
        rows = labels.known.sum()
        if rows < 2 * FOLDS:
            message = f"{rows} labelled rows are too few to choose a threshold; using 0.5."
            warnings.warn(message, stacklevel=3)
        return 0.5, rows >= 2 * FOLDS

    def _schedule(self) -> Schedule:
        batches = self.labeled_batch, self.unlabeled_batch
        return Schedule(self.steps, *batches, lr=self.lr, drop_last=True)

    def _build(self, sizes: list[int], outputs: int, kind: str, seed: int = 0) -> Method:
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
            weighted=None if self.weighted else False,
            detach=bool(self.detach and self.weighted and self.alpha),  # else nothing to detach
            pairs=self.pairs,
        )

    def _discard(self) -> None:
        """Remove the previous fit: training that is interrupted must not leave half of one."""
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)

    def _fit_scaling(self, pool: list[np.ndarray]) -> None:
        self.mean_ = np.concatenate([p.mean(0) for p in pool])
        spread = np.concatenate([p.std(0) for p in pool])
        rounding = len(pool[0]) * np.finfo(float).eps * np.abs(self.mean_)  # scikit-learn's bound
        self.scale_ = np.where(spread > rounding, spread, 1)  # constant columns stay small

    def _scale(self, arrays: list[np.ndarray], noise: np.random.Generator | None = None):
        """Scale to mean 0, spread 1, in float32; a lone view becomes two, the second noisy."""
        ends = np.cumsum(self.sizes_)[:-1]
        mean, scale = np.split(self.mean_, ends), np.split(self.scale_, ends)
        triples = zip(arrays, mean, scale, strict=True)
        scaled = [((a - m) / s).astype(np.float32) for a, m, s in triples]
        if len(scaled) == 1:
            (x,) = scaled
            scaled.append(x if noise is None else x + NOISE * noise.standard_normal(x.shape, "f4"))
        return scaled

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.transformer_tags.preserves_dtype = []  # float32, whatever came
        return tags

    @property
    def _n_features_out(self) -> int:  # for get_feature_names_out, and with it set_output
        return self.method_.joint_size

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "device_")  # set last

    # -------------------------------------------------------------- use

    def predict_proba(self, views: Views) -> np.ndarray:
        """Return (n, c): each label's own probability, or a distribution over the classes."""
        inputs = self._inputs(views)
        trained = predict(self.method_, inputs, self.kind_)
        P = np.broadcast_to(self.constants_, (len(trained), len(self.constants_))).copy()
        P[:, np.isnan(self.constants_)] = trained
        return P

    def predict(self, views: Views) -> np.ndarray:
        """Return (n, c), 0/1, or (n,), classes: the form that Y had."""
        P = self.predict_proba(views)
        if self.kind_ == "multiclass":
            return self.classes_[P.argmax(1)]
        return (self.threshold_ < P).astype(int)

    def transform(self, views: Views) -> np.ndarray:
        """Return (n, d): the joint representation, all views side by side."""
        inputs = self._inputs(views)
        return embed(self.method_, inputs)

    def score(self, views: Views, y: np.ndarray) -> float:
        """Return the accuracy for classes, the weighted F1 for label matrices.

        Rows that ``y``, in the form of Y in :meth:`fit`, marks as unlabelled are left out.
        """
        validation.check_row_order("Y", y, "views", _first(views))
        P = self.predict_proba(views)
        Y, known = validation.read_score_labels(y, P, self.kind_)
        if self.kind_ == "multiclass":
            return float((self.classes_[P[known].argmax(1)] == Y[known]).mean())
        return evaluate(Y[known], P[known], self.kind_, self.threshold_)["f1"]

    def _inputs(self, views: Views) -> list[np.ndarray]:
        check_is_fitted(self)
        return self._scale(self._read_like("views", views, self.sizes_, self.columns_))

    def _read_like(self, name: str, views: Views, sizes: list[int], names: list):
        """Return views that must have the columns of those in ``fit``."""
        arrays = validation.read_views(name, views, self.view_sizes)
        validation.check_as_fitted(name, arrays, sizes, validation.column_names(views), names)
        return arrays

    # -------------------------------------------------------------- save

    def save(self, path: str | Path) -> None:
        """Write the trained model to a safetensors file: numbers and JSON, no code.

        Raises:
            ValueError: if the classes are neither numbers nor words.
            OSError: if the file cannot be written; an older one stays as it was.
        """
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
        metadata = {"format": FORMAT, "about": json.dumps(about, default=_to_json)}
        atomic_write(path, lambda beside: save_file(tensors, beside, metadata))

    @classmethod
    def load(cls, path: str | Path, device: str | None = None) -> HeroConClassifier:
        """Read a model that :meth:`save` has written.

        Args:
            path: the file.
            device: where to put the network; None: the best one available.

        Raises:
            ValueError: if the file is damaged or holds something else.
        """
        about, tensors = _read_file(path)
        tuples = {k: tuple(v) for k, v in about["params"].items() if isinstance(v, list)}
        model = cls(**{**about["params"], **tuples})
        model.params_ = model.get_params()
        for name in ("kind", "sizes", "history", "threshold"):
            setattr(model, f"{name}_", about[name])
        model.columns_ = about.get("columns", [])  # absent in older files
        model.n_features_in_ = sum(model.sizes_)
        model.classes_ = np.array(about["classes"])
        constants = [np.nan if v is None else v for v in about["constants"]]
        model.constants_ = np.array(constants, np.float32)  # as fitted
        model.mean_, model.scale_ = (tensors.pop(name).numpy() for name in ("mean_", "scale_"))
        target, outputs = pick_device(device), int(np.isnan(model.constants_).sum())
        with isolated_rng(target):
            model.method_ = model._build(model.sizes_, outputs, model.kind_)
        model.method_.load_state_dict({k.removeprefix("method."): t for k, t in tensors.items()})
        model.method_.to(target)
        model.device_ = str(target)
        return model

    def __getstate__(self) -> dict:
        """Pickle from the CPU, so that a machine without this device can read it."""
        state = dict(super().__getstate__())
        if "method_" in state:
            state["method_"] = copy.deepcopy(state["method_"]).cpu()
            state["device_"] = "cpu"
        return state


def _best_threshold(views: list[np.ndarray], Y: np.ndarray, fit_rows: Callable, seed: int) -> float:
    """Return the threshold with the best F1 on rows held out of training, fold by fold."""
    P = np.empty_like(Y)
    for train_idx, test_idx in folds(np.arange(len(Y)), seed):
        method, _ = fit_rows(train_idx)
        P[test_idx] = predict(method, [v[test_idx] for v in views], "multilabel")
    scores = evaluate(Y, P, "multilabel")
    usual_first = sorted(THRESHOLDS, key=lambda t: abs(t - 0.5))  # max takes the first of equals
    return max(usual_first, key=lambda t: scores[F1_AT[t]])


def _warn_constant(labels: Labels) -> None:
    if labels.kind == "multilabel" and not labels.varies.all():
        constant = ", ".join(map(str, np.flatnonzero(~labels.varies)))
        warnings.warn(
            f"Label column {constant} of Y never changes among the labelled rows; it is "
            "predicted as that constant.",
            stacklevel=3,
        )


def _first(views: Views):
    return views[0] if validation.is_view_list(views) else views


def _read_file(path: str | Path) -> tuple[dict, dict[str, torch.Tensor]]:
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
    return json.loads(metadata["about"]), tensors


def _to_json(value):
    """Return NumPy's numbers and sequences as Python's, a device as its name."""
    if isinstance(value, torch.device):
        return str(value)
    return value.item() if isinstance(value, np.generic) else list(value)
