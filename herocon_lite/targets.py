"""What ``HeroConClassifier`` accepts as labels and weights, and what it says of anything else."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Collection
from typing import NamedTuple

import numpy as np

Word = str | bytes


class Labels(NamedTuple):
    """The labels of all rows, and which of them are known."""

    matrix: np.ndarray  # (n, c) float32, 0/1 in labelled rows; 0 where it is not known there
    known: np.ndarray  # (n,) bool: the labelled rows
    classes: np.ndarray  # (c,): the classes, or the names or numbers of the label columns
    kind: str  # "multilabel" or "multiclass"
    weight: np.ndarray | None = None  # (n,) float32, of the rows; 0: the row does not take part
    entries: np.ndarray | None = None  # (n, c) bool: the known entries; None: all of labelled rows

    @property
    def unlabeled(self) -> np.ndarray:
        """Numbers of the rows that take part without labels."""
        return np.flatnonzero(~self.known & (self.weight > 0))

    @property
    def varies(self) -> np.ndarray:
        """Which columns hold both 0 and 1 in the labelled rows: (c,), bool."""
        positives = self.matrix[self.known].sum(0)
        return (positives > 0) & (positives < self.counts)

    @property
    def counts(self) -> np.ndarray:
        """In how many labelled rows each column is known: (c,) float32."""
        if self.entries is None:
            return np.full(self.matrix.shape[1], self.known.sum(), np.float32)
        return self.entries[self.known].sum(0, dtype=np.float32)

    @property
    def constants(self) -> np.ndarray:
        """What each column always is in the labelled rows: (c,), NaN where it varies."""
        return np.where(self.varies, np.nan, self.matrix[self.known].max(0))


def read_score_labels(Y, P: np.ndarray, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and their probabilities P, of the rows that have labels.

    A single label that is not known becomes 0 in both: F1 counts it neither as a hit nor as an
    error.
    """
    Y = read_targets(Y)
    expected = P.shape if kind == "multilabel" else P.shape[:1]
    if Y.shape != expected:
        raise ValueError(f"Y must have the form it had in fit, here {expected}; got {Y.shape}.")
    known = known_rows(Y)
    if not known.any():
        raise ValueError(
            "Y must hold labels to score against; all its rows are unlabelled. In a search, "
            "shuffle the folds: cv=KFold(5, shuffle=True)."
        )
    if kind == "multilabel" and not (entries := known_entries(Y)).all():
        Y, P = np.where(entries, Y, 0), np.where(entries, P, 0)
    return Y[known], P[known]


def read_labels(Y, rows: int, sample_weight=None) -> Labels:
    """Return the labels of ``rows`` rows: classes as one column each, a label matrix as it is.

    A row of weight 0 is not among the known ones.

    Raises:
        ValueError: if there are no labels, none that vary, or labels of another form.

    Example:
        >>> read_labels(["oak", "ash", None], rows=3).matrix[:2]
        array([[0., 1.],
               [1., 0.]], dtype=float32)
    """
    names = column_names(Y)
    Y = read_targets(Y)
    if Y.ndim not in (1, 2) or len(Y) != rows or 0 in Y.shape:
        raise ValueError(
            f"Y must be ({rows}, c), 0/1 labels, or ({rows},), classes: a row for each row of "
            f"views; got shape {Y.shape}."
        )
    known = known_rows(Y)
    if not known.any():
        raise ValueError("Y must have labelled rows; all of them are −1 or NaN.")
    read = _read_classes if Y.ndim == 1 else _read_matrix_of_labels
    weight = _read_sample_weight(sample_weight, rows)
    labels = read(Y, known)._replace(known=known & (weight > 0), weight=weight)
    if Y.ndim == 2 and names:
        labels = labels._replace(classes=np.array(names))
    if not labels.known.any():
        raise ValueError("sample_weight must not be zero in all labelled rows.")
    if (labels.counts == 0).any():
        empty = labels.classes[np.flatnonzero(labels.counts == 0)[0]]
        raise ValueError(
            f"Y must have a known entry in every column; column {empty} has none in the labelled "
            "rows. Leave it out."
        )
    if not labels.varies.any():
        raise ValueError(
            f"Y must hold labels that differ between rows; its {labels.known.sum()} labelled rows "
            "have 1 class only. (−1 means unlabelled; a label that a row lacks is 0.)"
        )
    return labels


def read_eval_labels(Y, rows: int, labels: Labels) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the label matrix (rows, c) of ``eval_set``, all of whose rows are labelled, and which
    entries are known; None: all."""
    Y = read_targets(Y)
    form = (rows,) if labels.kind == "multiclass" else (rows, len(labels.classes))
    if Y.shape != form or not known_rows(Y).all():
        raise ValueError(f"eval_set must have labels for all rows, {form}; got {Y.shape}.")
    if labels.kind == "multilabel":
        made = _read_matrix_of_labels(Y, known_rows(Y))
        return made.matrix, made.entries
    unknown = set(Y.tolist()) - set(labels.classes.tolist())
    if unknown:
        raise ValueError(f"eval_set must have classes of fit; got {sorted(unknown, key=str)}.")
    return (Y[:, None] == labels.classes).astype(np.float32), None


def _read_sample_weight(sample_weight, rows: int) -> np.ndarray:
    """Return (rows,) float32, ones by default."""
    if sample_weight is None:
        return np.ones(rows, np.float32)
    try:
        weight = np.asarray(sample_weight, dtype=np.float32)
    except (TypeError, ValueError, RuntimeError) as error:
        raise ValueError(f"sample_weight must be numbers, one per row ({error}).") from error
    if weight.ndim == 0:
        return np.full(rows, weight)
    if weight.shape != (rows,):
        raise ValueError(f"sample_weight must be ({rows},), one per row; got {weight.shape}.")
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise ValueError("sample_weight must be finite numbers ≥ 0.")
    return weight


def read_class_weight(class_weight, labels: Labels) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the rows' weights (n,), and those of each label's positives (c,), or None.

    Args:
        class_weight: as in ``HeroConClassifier``.
        labels: of all rows.
    """
    if class_weight is None:
        return labels.weight, None
    Y = labels.matrix[labels.known]
    count = np.maximum(Y.sum(0), 1)  # (c,)
    if isinstance(class_weight, dict):
        given = {str(k): v for k, v in class_weight.items()}
        unknown = set(given) - set(map(str, labels.classes))
        if unknown:
            raise ValueError(f"class_weight must name classes of Y; got {sorted(unknown)}.")
        each = np.array([given.get(str(name), 1.0) for name in labels.classes], np.float32)
    elif class_weight == "balanced":
        absent = len(Y) / len(count) if labels.kind == "multiclass" else labels.counts - count
        each = (absent / count).astype(np.float32)
    else:
        raise ValueError(
            f'class_weight must be "balanced", a dictionary or None; got {class_weight!r}.'
        )
    if labels.kind == "multilabel":
        return labels.weight, each[labels.varies]
    return labels.weight * (labels.matrix @ each), None


def warn_constant(labels: Labels) -> None:
    """Warn of label columns that hold one value in all labelled rows."""
    if labels.kind == "multilabel" and not labels.varies.all():
        constant = ", ".join(map(str, labels.classes[~labels.varies]))
        warnings.warn(
            f"Label column {constant} of Y never changes among the labelled rows; it is "
            "predicted as that constant.",
            stacklevel=3,
        )


def read_targets(Y) -> np.ndarray:
    """Return Y as an array in which gaps are still gaps: None, NaN or −1."""
    if Y is None:
        raise ValueError(
            "HeroConClassifier requires y to be passed, but the target y is None. Unlabelled rows "
            "of Y are −1 or NaN."
        )
    if hasattr(Y, "toarray"):
        raise ValueError("Y must be dense; got a sparse matrix. Call .toarray() on it.")
    reject_masked("Y", Y)
    try:
        array = np.asarray(Y)
    except ValueError as error:
        raise ValueError(
            "Y must be a 0/1 matrix or a vector of classes; its rows differ in length. Lists of "
            "labels: sklearn.preprocessing.MultiLabelBinarizer().fit_transform(Y)."
        ) from error
    except (TypeError, RuntimeError) as error:  # a tensor with a gradient, or elsewhere
        raise TypeError(
            f"Y must hold labels that NumPy can read ({error}). Pass a tensor as "
            "Y.detach().float().cpu()."
        ) from error
    if array.dtype.kind in "US":
        return np.asarray(Y, dtype=object)  # NumPy has turned gaps into words
    if array.dtype == object and array.ndim:  # pandas' own types, whose gaps have no truth value
        array = np.where(_is_na(array), np.nan, array)
        if array.ndim == 2:
            with contextlib.suppress(TypeError, ValueError):  # reported by the caller
                return array.astype(float)
    return array


def known_rows(Y: np.ndarray) -> np.ndarray:
    """Return which rows are labelled: (n,), True where a label is known."""
    return known_entries(Y).reshape(len(Y), -1).any(1)


def known_entries(Y: np.ndarray) -> np.ndarray:
    """Return which entries of Y are known, of its shape: those that are not −1, NaN or None."""
    if Y.dtype.kind not in "fiub":  # names of classes
        return ~np.reshape(_is_na(Y.ravel()) | [y == -1 for y in Y.ravel()], Y.shape)
    return ~(np.isnan(Y) | (Y == -1)) if Y.dtype.kind in "fi" else np.ones(Y.shape, bool)


def _read_classes(Y: np.ndarray, known: np.ndarray) -> Labels:
    if Y.dtype.kind == "f" and (Y[known] % 1 != 0).any():
        raise ValueError(
            "Unknown label type: Y must hold classes, and these are continuous numbers. Is it a "
            "regression?"
        )
    objects = Y if Y.dtype == object else ()
    several = [y for y in objects if isinstance(y, Collection) and not isinstance(y, Word)]
    if several:
        raise ValueError(
            f"Y must hold one class per row, a number or a word; got {several[0]!r}. Join its "
            "parts into one word, or make a 0/1 matrix of them: "
            "sklearn.preprocessing.MultiLabelBinarizer().fit_transform(Y)."
        )
    try:
        classes = np.unique(Y[known])
        if classes.dtype.kind not in "mM":  # nanoseconds would become whole numbers
            classes = np.array(classes.tolist())  # words as words, not as objects
    except TypeError as error:
        raise ValueError(
            f"Y must hold classes of one kind, all numbers or all words ({error})."
        ) from error
    if "-1" in classes.tolist():
        warnings.warn(
            'The word "-1" in Y is a class like any other; unlabelled rows are the number -1, None '
            "or NaN.",
            stacklevel=5,
        )
    return Labels((Y[:, None] == classes).astype(np.float32), known, classes, "multiclass")


def _read_matrix_of_labels(Y: np.ndarray, known: np.ndarray) -> Labels:
    entries = known_entries(Y)
    if Y.dtype.kind not in "fiub" or not np.isin(Y[entries], (0, 1)).all():
        raise ValueError(
            "Y must hold 0 and 1 (and −1 or NaN where a label is not known) when it is a matrix; "
            "it holds other values. Pass one class per row as a vector."
        )
    names = np.arange(Y.shape[1])
    if entries[known].all():
        return Labels(Y.astype(np.float32), known, names, "multilabel")
    matrix = np.where(entries, Y, 0).astype(np.float32)
    return Labels(matrix, known, names, "multilabel", entries=entries)


def _is_na(values: np.ndarray) -> np.ndarray:
    """Return where there is None, NaN, or pandas' NA, whose comparisons have no truth value."""

    def missing(value) -> bool:
        try:
            return value is None or bool(value != value)
        except TypeError:
            return True
        except ValueError:  # an array
            return False

    return np.frompyfunc(missing, 1, 1)(values).astype(bool)


# ------------------------------------------------------------------ shared with the views


def column_names(table) -> list[str] | None:
    """Return the column names of a data frame, None if there are none.

    Numbers as names are made up by pandas and count as none.
    """
    names = list(getattr(table, "columns", ()))
    return names if names and all(isinstance(name, str) for name in names) else None


def reject_masked(name: str, values) -> None:
    """NumPy would drop the mask, and what it hid would count."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(
            f"{name} must have no masked values. Fill them in with .filled(…); unlabelled rows of "
            "Y are −1 or NaN."
        )
