"""What ``HeroConClassifier`` accepts as views and settings, and what it says of anything else."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from numbers import Integral, Real

import numpy as np
import torch
from sklearn.utils import check_random_state
from torch import Tensor, nn

from herocon_lite.checks import check_choice
from herocon_lite.scaling import SCALINGS
from herocon_lite.sources import absent_rows
from herocon_lite.targets import column_names, reject_masked

Views = np.ndarray | Sequence[np.ndarray]


# ------------------------------------------------------------------ views


def read_inputs(
    name: str,
    views: Views,
    view_sizes: Sequence[int] | None = None,
    encoders: Sequence | None = None,
) -> list:
    """Return the views as :func:`read_views` does; those with an encoder of their own as they are.

    Args:
        name, views, view_sizes: as there.
        encoders: a module for each view, or None for a table.
    """
    if encoders is None:
        return read_views(name, views, view_sizes)
    check_encoders(encoders)
    if view_sizes is not None:
        raise ValueError("view_sizes is for tables side by side; leave it out with encoders.")
    views = list(views) if isinstance(views, list | tuple) else [views]
    if len(views) != len(encoders):
        raise ValueError(
            f"{name} must have as many views as encoders, {len(encoders)}; got {len(views)}."
        )
    given = zip(views, encoders, strict=True)
    read = [
        _read_table(f"{name}[{v}]", view) if own is None else _read_items(f"{name}[{v}]", view)
        for v, (view, own) in enumerate(given)
    ]
    _check_rows(name, read)
    return read


def rows_of(view) -> int:
    """Return the number of rows of a matrix, sparse or dense, or of a dataset."""
    return view.shape[0] if hasattr(view, "shape") else len(view)


def columns_of(views: list) -> list[int | None]:
    """Return the columns of each table; None for what is no table."""
    tables = [hasattr(view, "shape") and len(view.shape) == 2 for view in views]
    return [v.shape[1] if is_table else None for v, is_table in zip(views, tables, strict=True)]


def _read_items(name: str, values):
    """Return an array (n, …) of numbers, or a map-style dataset as it is."""
    if isinstance(values, np.ndarray) or hasattr(values, "detach"):
        array = np.asarray(values.detach().cpu() if hasattr(values, "detach") else values)
        if array.ndim < 2 or array.dtype.kind not in "fiub":
            raise ValueError(
                f"{name} must hold numbers, one item per row; got shape {array.shape} of "
                f"{array.dtype}."
            )
        return array
    if not (hasattr(values, "__len__") and hasattr(values, "__getitem__")):
        raise ValueError(
            f"{name} must be an array or a map-style dataset, with a length and items by number; "
            f"got {type(values).__name__}."
        )
    return values


def is_view_list(views: Views) -> bool:
    """Return whether the views come as a list of matrices; a list of numbers is one row."""
    if not isinstance(views, (list, tuple)) or len(views) == 0:
        return False
    if any(getattr(view, "ndim", 0) > 1 or _is_dataset(view) for view in views):
        return True
    try:
        return np.ndim(views[0]) > 1
    except (TypeError, ValueError, RuntimeError):  # reported when it is read as a matrix
        return True


def _is_dataset(view) -> bool:
    plain = isinstance(view, list | tuple | str | bytes) or hasattr(view, "ndim")
    return not plain and hasattr(view, "__getitem__") and hasattr(view, "__len__")


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
        arrays = _split_columns(name, _read_matrix(name, views), view_sizes)
        for number, array in enumerate(arrays):
            _check_finite(name, array, first=sum(x.shape[1] for x in arrays[:number]))
        _check_rows(name, arrays)
        return arrays
    if view_sizes is not None:
        raise ValueError(f"{name} must be one array when view_sizes is given; got a list.")
    arrays = [_read_table(f"{name}[{v}]", view) for v, view in enumerate(views)]
    _check_rows(name, arrays)
    for number, view in enumerate(views[1:], 1):
        check_row_order(f"{name}[{number}]", view, f"{name}[0]", views[0])
    return arrays


def _check_rows(name: str, views: list) -> None:
    """Check that all views have the same rows, and every row at least one view."""
    rows = [rows_of(view) for view in views]
    if len(set(rows)) > 1:
        raise ValueError(f"{name} must have the same rows in every view; got {rows} rows.")
    nowhere = np.logical_and.reduce([absent_rows(view) for view in views])
    if nowhere.any():
        every = "its only view" if len(views) == 1 else f"all {len(views)} views"
        raise ValueError(
            f"{name} must have every row in one view at least; row {np.flatnonzero(nowhere)[0]} is "
            f"NaN in {every}. Drop it, or fill it in (sklearn.impute)."
        )


def names_of(views: Views) -> list[list[str] | None]:
    """Return the column names of each view, None where there are none."""
    tables = views if is_view_list(views) or isinstance(views, tuple) else [views]
    return [column_names(table) for table in tables]


def check_names(name: str, names: list, fitted_names: list) -> None:
    """Check that columns with names have those that they had in ``fit``, in the same order."""
    for now, fitted in zip(names, fitted_names, strict=False):
        if not now or not fitted or now == fitted:
            continue
        new, gone = sorted(set(now) - set(fitted)), sorted(set(fitted) - set(now))
        what = "The feature names should match those that were passed during fit.\n"
        for words, found in (
            ("unseen at fit time", new),
            ("seen at fit time, yet now missing", gone),
        ):
            if found:
                what += f"Feature names {words}:\n" + "".join(f"- {each}\n" for each in found[:5])
        if not new and not gone:
            was, got = next((f, n) for f, n in zip(fitted, now, strict=True) if f != n)
            what += "Feature names must be in the same order as they were in fit.\n"
            what += f"Got {got!r} where {was!r} was.\n"
        raise ValueError(f"{what}(In {name}, which must have the columns of fit.)")


def check_as_fitted(name: str, got: list[int | None], sizes: list[int | None]) -> None:
    """Check that views have as many columns as in ``fit``."""
    if got != sizes and len(got) == len(sizes) == 1:  # in scikit-learn's words
        raise ValueError(
            f"{name} must have the columns of fit: X has {got[0]} features, but HeroConClassifier "
            f"is expecting {sizes[0]} features as input."
        )
    if got != sizes:
        raise ValueError(f"{name} must have views of {sizes} columns, as in fit; got {got}.")


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
    ends = np.cumsum(view_sizes)
    return [whole[:, end - size : end] for size, end in zip(view_sizes, ends, strict=True)]


def _read_table(name: str, values):
    matrix = _read_matrix(name, values)
    _check_finite(name, matrix)
    return matrix


def _read_matrix(name: str, values):
    """Return one view in float64, so that columns far from zero keep their differences; a sparse
    one by row."""
    if hasattr(values, "toarray"):
        return _read_sparse(name, values)
    if isinstance(values, dict):
        raise ValueError(
            f"{name} must be a list of arrays; got a dict. Pass list({name}.values())."
        )
    reject_masked(name, values)
    try:
        array = np.asarray(values)
        if array.dtype.kind == "c":
            raise ValueError("Complex data not supported")
        _reject_dates(array)
        with np.errstate(over="ignore"):  # infinities are reported below
            array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError, RuntimeError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(
            f"{name} must hold real numbers ({error}). Encode words with "
            "sklearn.preprocessing.OneHotEncoder, fill gaps with sklearn.impute, pass a tensor as "
            "x.detach().float().cpu()."
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
    return array


def _reject_dates(array: np.ndarray) -> None:
    """Refuse what NumPy would turn into days or nanoseconds, as its dtype has it."""
    dates = (datetime.date, datetime.timedelta, np.datetime64, np.timedelta64)
    kept = array.ravel() if array.dtype == object else ()
    if array.dtype.kind in "mM" or any(isinstance(value, dates) for value in kept):
        raise TypeError(
            "it holds dates or times, which have no unit of their own; choose one, as in "
            '(t - t.min()) / np.timedelta64(1, "D")'
        )


def _read_sparse(name: str, values):
    if values.dtype.kind == "c":
        raise ValueError(f"{name}: Complex data not supported.")
    matrix = values.tocsr().astype(np.float64)
    matrix.sum_duplicates()
    if 0 in matrix.shape:
        what = "sample(s)" if matrix.shape[0] == 0 else "feature(s)"
        raise ValueError(
            f"{name} must not be empty; got 0 {what} (shape={matrix.shape}) while a minimum of 1 "
            "is required."
        )
    return matrix


def _check_finite(name: str, view, first: int = 0) -> None:
    """Check that a view holds finite numbers, but for rows that are all NaN.

    Args:
        name: of the argument.
        view: (n, d), dense, or sparse by row.
        first: what its first column counts as in the message.
    """
    sparse = hasattr(view, "toarray")
    values = view.data if sparse else view
    usable = np.abs(values) < np.finfo(np.float32).max
    if usable.all():
        return
    bad = np.argwhere(~usable)  # (k, 2): row, column
    if sparse:
        rows = np.repeat(np.arange(view.shape[0]), np.diff(view.indptr))
        bad = np.stack([rows[bad[:, 0]], view.indices[bad[:, 0]]], 1)
    found = values[~usable]
    gaps = np.bincount(bad[np.isnan(found), 0], minlength=view.shape[0]) == view.shape[1]
    wrong = np.flatnonzero(~gaps[bad[:, 0]])
    if len(wrong):
        row, column = bad[wrong[0]]
        raise ValueError(
            f"{name} must be finite in float32, without NaN or infinity; row {row}, column "
            f"{first + column} is {found[wrong[0]]}. Fill it in (sklearn.impute) or drop the row. "
            "Only a row that lacks a view as a whole may be NaN, in all of the view's columns."
        )


# ------------------------------------------------------------------ settings


def read_seed(random_state: int | np.random.RandomState | None) -> int:
    """Return a whole number: ``random_state`` itself, or one drawn from it."""
    if isinstance(random_state, Integral):
        if not 0 <= random_state < 2**63:
            raise ValueError(f"random_state must be at least 0 and below 2⁶³; got {random_state}.")
        return int(random_state)
    try:
        return int(check_random_state(random_state).randint(2**31))
    except ValueError as error:
        raise ValueError(
            "random_state must be a whole number, a numpy.random.RandomState or None; got "
            f"{random_state!r}."
        ) from error


def check_settings(model) -> None:
    """Check the settings of ``HeroConClassifier`` that no part of it checks for itself."""
    for name in ("members", "folds"):
        value, least = getattr(model, name), 1 if name == "members" else 2
        if not (
            (isinstance(value, Integral) and value >= least) or (name == "folds" and value is None)
        ):
            raise ValueError(f"{name} must be a whole number, at least {least}; got {value!r}.")
    threshold, share = model.threshold, model.validation_fraction
    if threshold != "cv" and not (isinstance(threshold, Real) and 0 <= threshold < 1):
        raise ValueError(f'threshold must be a probability below 1, or "cv"; got {threshold!r}.')
    if share is not None and not (isinstance(share, Real) and 0 < share < 1):
        raise ValueError(f"validation_fraction must be between 0 and 1, or None; got {share!r}.")
    check_choice("scaling", model.scaling, SCALINGS)
    for call in model.callbacks or ():
        if not callable(call):
            raise ValueError(f"callbacks must be functions; got {call!r}.")


def check_encoders(encoders) -> None:
    """Check that there is a module, or None, for each view."""
    listed = isinstance(encoders, list | tuple) and any(e is not None for e in encoders)
    if not listed or not all(e is None or isinstance(e, nn.Module) for e in encoders):
        raise ValueError(
            "encoders must be a list of torch modules, one a view, None for tables; "
            f"got {encoders!r}."
        )


def check_encoder(encoder: nn.Module, x: Tensor) -> int:
    """Return how many numbers an encoder makes of each row."""
    encoder.eval()
    with torch.no_grad():
        made = encoder(x)
    encoder.train()
    if not isinstance(made, Tensor) or made.ndim != 2 or len(made) != len(x):
        got = tuple(made.shape) if isinstance(made, Tensor) else type(made).__name__
        raise ValueError(
            f"encoders must return a row of numbers for each row, ({len(x)}, size), of rows "
            f"{tuple(x.shape)}; got {got}."
        )
    return made.shape[1]
