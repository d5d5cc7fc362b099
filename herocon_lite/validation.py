"""What ``HeroConClassifier`` accepts as views and labels, and what it says of anything else."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from numbers import Integral, Real
from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state

Views = np.ndarray | Sequence[np.ndarray]


class Labels(NamedTuple):
    """The labels of all rows, and which of them are known."""

    matrix: np.ndarray  # (n, c) float32, 0/1 in labelled rows
    known: np.ndarray  # (n,) bool: the labelled rows
    classes: np.ndarray  # (c,): the classes, or the numbers of the label columns
    kind: str  # "multilabel" or "multiclass"

    @property
    def varies(self) -> np.ndarray:
        """Which columns hold both 0 and 1 in the labelled rows: (c,), bool."""
        return np.ptp(self.matrix[self.known], axis=0) > 0


# ------------------------------------------------------------------ views


def is_view_list(views: Views) -> bool:
    """Return whether the views come as a list of matrices; a list of numbers is one row."""
    if not isinstance(views, (list, tuple)) or len(views) == 0:
        return False
    return np.ndim(views[0]) > 1 or any(getattr(view, "ndim", 0) > 1 for view in views)


def read_views(
    name: str, views: Views, view_sizes: Sequence[int] | None = None
) -> list[np.ndarray]:
    """Return the views as float64 matrices (n, d_v) with the same rows.

    Args:
        name: of the argument, for messages.
        views: a list of matrices, or one.
        view_sizes: columns of each view, if ``views`` is one matrix that holds them side by side.

    Raises:
        ValueError, TypeError: naming the argument, what was expected and what came.
    """
    if not is_view_list(views):
        return _split_columns(name, _read_matrix(name, views), view_sizes)
    if view_sizes is not None:
        raise ValueError(f"{name} must be one array when view_sizes is given; got a list.")
    arrays = [_read_matrix(f"{name}[{v}]", view) for v, view in enumerate(views)]
    rows = [len(array) for array in arrays]
    if len(set(rows)) > 1:
        raise ValueError(f"{name} must have the same rows in every view; got {rows} rows.")
    for number, view in enumerate(views[1:], 1):
        check_row_order(f"{name}[{number}]", view, f"{name}[0]", views[0])
    return arrays


def column_names(views: Views) -> list[list[str] | None]:
    """Return the column names of each view, None where there are none.

    Numbers as names are made up by pandas and count as none.
    """
    tables = views if is_view_list(views) else [views]
    names = [list(getattr(table, "columns", ())) for table in tables]
    return [each if each and all(isinstance(n, str) for n in each) else None for each in names]


def check_as_fitted(
    name: str,
    arrays: list[np.ndarray],
    sizes: list[int],
    names: list[list[str] | None],
    fitted_names: list[list[str] | None],
) -> None:
    """Check that views have the columns that they had in ``fit``, in the same order."""
    got = [array.shape[1] for array in arrays]
    if got != sizes and len(got) == len(sizes) == 1:  # in scikit-learn's words
        raise ValueError(
            f"{name} must have the columns of fit: X has {got[0]} features, but HeroConClassifier "
            f"is expecting {sizes[0]} features as input."
        )
    if got != sizes:
        raise ValueError(f"{name} must have views of {sizes} columns, as in fit; got {got}.")
    for now, fitted in zip(names, fitted_names, strict=False):
        if now and fitted and now != fitted:
            new, old = next(pair for pair in zip(now, fitted, strict=True) if pair[0] != pair[1])
            raise ValueError(
                f"{name} must have the columns of fit in the same order; got {new!r} where "
                f"{old!r} was."
            )


def check_row_order(name: str, table, other_name: str, other) -> None:
    """Check that two data frames with the same index have it in the same order."""
    index, expected = (getattr(each, "index", None) for each in (table, other))
    if not (hasattr(index, "equals") and hasattr(expected, "equals")) or index.equals(expected):
        return
    if len(index) == len(expected) and index.is_unique and set(index) == set(expected):
        raise ValueError(
            f"{name} must have its rows in the order of {other_name}; their indices hold the same "
            "entries in different orders. Reorder one with .loc[other.index]."
        )


def _split_columns(
    name: str, whole: np.ndarray, view_sizes: Sequence[int] | None
) -> list[np.ndarray]:
    if view_sizes is None:
        return [whole]
    listed = np.ndim(view_sizes) == 1  # an array, too
    if not listed or not all(isinstance(s, Integral) and s >= 1 for s in view_sizes):
        raise ValueError(
            "view_sizes must be whole numbers of at least 1, the columns of each view, such as "
            f"(79, 24); got {view_sizes!r}."
        )
    if sum(view_sizes) != whole.shape[1]:
        raise ValueError(
            f"view_sizes must add up to the {whole.shape[1]} columns of {name}; "
            f"got {tuple(view_sizes)}, which add up to {sum(view_sizes)}."
        )
    return np.split(whole, np.cumsum(view_sizes)[:-1], axis=1)


def _read_matrix(name: str, values) -> np.ndarray:
    """Return one view in float64, so that columns far from zero keep their differences."""
    if hasattr(values, "toarray"):
        raise ValueError(f"{name} must be dense; got a sparse matrix. Call .toarray() on it.")
    if isinstance(values, dict):
        raise ValueError(
            f"{name} must be a list of arrays; got a dict. Pass list({name}.values())."
        )
    _reject_masked(name, values)
    try:
        array = np.asarray(values)
        if array.dtype.kind == "c":
            raise ValueError("Complex data not supported")
        with np.errstate(over="ignore"):  # infinities are reported below
            array = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"{name} must hold real numbers ({error}). Encode words with "
            "sklearn.preprocessing.OneHotEncoder, fill gaps with sklearn.impute, pass a tensor as "
            "x.float().cpu()."
        ) from error
    if array.ndim != 2:
        raise ValueError(
            f"{name} must be a matrix (n, d), one row per sample; got shape {array.shape}. "
            "Reshape your data: one column is x[:, None], one row x[None]."
        )
    if 0 in array.shape:
        what = "sample(s)" if len(array) == 0 else "feature(s)"
        raise ValueError(
            f"{name} must not be empty; got 0 {what} (shape={array.shape}) while a minimum of 1 "
            "is required."
        )
    _check_finite(name, array)
    return array


def _check_finite(name: str, array: np.ndarray) -> None:
    usable = np.abs(array) < np.finfo(np.float32).max
    if not usable.all():
        row, column = np.argwhere(~usable)[0]
        raise ValueError(
            f"{name} must be finite in float32, without NaN or infinity; row {row}, column "
            f"{column} is {array[row, column]}. Fill it in (sklearn.impute) or drop the row."
        )


def _reject_masked(name: str, values) -> None:
    """NumPy would drop the mask, and what it hid would count."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(
            f"{name} must have no masked values. Fill them in with .filled(…); unlabelled rows of "
            "Y are −1 or NaN."
        )


# ------------------------------------------------------------------ labels


def read_score_labels(Y, P: np.ndarray, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels to score the probabilities P against, and which rows have any."""
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
    return Y, known


def read_labels(Y, rows: int) -> Labels:
    """Return the labels of ``rows`` rows: classes as one column each, a label matrix as it is.

    Raises:
        ValueError: if there are no labels, none that vary, or labels of another form.

    Example:
        >>> read_labels(["oak", "ash", None], rows=3).matrix[:2]
        array([[0., 1.],
               [1., 0.]], dtype=float32)
    """
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
    labels = read(Y, known)
    if not labels.varies.any():
        raise ValueError(
            f"Y must hold labels that differ between rows; its {known.sum()} labelled rows have 1 "
            "class only. (Rows of −1 count as unlabelled.)"
        )
    return labels


def read_targets(Y) -> np.ndarray:
    """Return Y as an array in which gaps are still gaps: None, NaN or −1."""
    if Y is None:
        raise ValueError(
            "HeroConClassifier requires y to be passed, but the target y is None. Unlabelled rows "
            "of Y are −1 or NaN."
        )
    if hasattr(Y, "toarray"):
        raise ValueError("Y must be dense; got a sparse matrix. Call .toarray() on it.")
    _reject_masked("Y", Y)
    try:
        array = np.asarray(Y)
    except ValueError as error:
        raise ValueError(
            "Y must be a 0/1 matrix or a vector of classes; its rows differ in length. Lists of "
            "labels: sklearn.preprocessing.MultiLabelBinarizer().fit_transform(Y)."
        ) from error
    if array.dtype.kind in "US":
        return np.asarray(Y, dtype=object)  # NumPy has turned gaps into words
    if array.dtype == object:  # pandas' own types, whose gaps have no truth value
        array = np.where(_is_na(array), np.nan, array)
        if array.ndim == 2:
            with contextlib.suppress(TypeError, ValueError):  # reported by the caller
                return array.astype(float)
    return array


def known_rows(Y: np.ndarray) -> np.ndarray:
    """Return which rows are labelled: (n,), True where Y is not −1, NaN or None."""
    if Y.dtype.kind not in "fiub":  # names of classes
        gaps = _is_na(Y.ravel()) | [y == -1 for y in Y.ravel()]
        return ~np.reshape(gaps, Y.shape).reshape(len(Y), -1).all(1)
    unknown = np.isnan(Y) | (Y == -1) if Y.dtype.kind in "fi" else np.zeros(Y.shape, bool)
    if Y.ndim == 1:
        return ~unknown
    partly = unknown.any(1) & ~unknown.all(1)
    if partly.any():
        raise ValueError(
            "Y must mark a row as unlabelled as a whole, all −1 or all NaN; "
            f"row {np.flatnonzero(partly)[0]} is partly so."
        )
    return ~unknown.all(1)


def _read_classes(Y: np.ndarray, known: np.ndarray) -> Labels:
    if Y.dtype.kind == "f" and (Y[known] % 1 != 0).any():
        raise ValueError(
            "Unknown label type: Y must hold classes, and these are continuous numbers. Is it a "
            "regression?"
        )
    try:
        classes = np.array(np.unique(Y[known]).tolist())  # words as words, not as objects
    except TypeError as error:
        raise ValueError(
            f"Y must hold classes of one kind, all numbers or all words ({error})."
        ) from error
    return Labels((Y[:, None] == classes).astype(np.float32), known, classes, "multiclass")


def _read_matrix_of_labels(Y: np.ndarray, known: np.ndarray) -> Labels:
    if Y.dtype.kind not in "fiub" or not np.isin(Y[known], (0, 1)).all():
        raise ValueError(
            "Y must hold 0 and 1 (and −1 or NaN in unlabelled rows) when it is a matrix; it holds "
            "other values. Pass one class per row as a vector."
        )
    return Labels(Y.astype(np.float32), known, np.arange(Y.shape[1]), "multilabel")


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


# ------------------------------------------------------------------ settings


def read_seed(random_state: int | np.random.RandomState | None) -> int:
    """Return a whole number: ``random_state`` itself, or one drawn from it."""
    if isinstance(random_state, Integral):
        if not 0 <= random_state < 2**63:
            raise ValueError(f"random_state must be at least 0 and below 2⁶³; got {random_state}.")
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))


def check_threshold(threshold: float | str) -> None:
    """Check that ``threshold`` is a probability below 1, or ``"cv"``."""
    if threshold == "cv" or (isinstance(threshold, Real) and 0 <= threshold < 1):
        return
    raise ValueError(f'threshold must be a probability below 1, or "cv"; got {threshold!r}.')
