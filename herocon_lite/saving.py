"""Save and load ``HeroConClassifier``: numbers and JSON in a safetensors file with a digest, no
code."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch

from herocon_lite.building import empty_networks
from herocon_lite.checkpoint import check_tensors, load_model, save_model, unusable
from herocon_lite.checks import check_choice
from herocon_lite.ensemble import Recipe
from herocon_lite.runtime import isolated_rng
from herocon_lite.scaling import SCALINGS, Scaling

FORMAT = "herocon_lite 2"
WHAT = "a model saved by HeroConClassifier"
OBJECTS = ("callbacks", "encoders")  # settings that are code, and are not saved
AS_THEY_ARE = ("kind_", "threshold_", "widths_", "columns_", "history_", "device_")


def save(model, path: str | Path) -> None:
    """Write a fitted model; see :meth:`HeroConClassifier.save`."""
    classes = model.classes_.tolist()
    if not all(isinstance(name, str | int | float) for name in classes):
        raise ValueError(
            "classes must be numbers or words to be saved as JSON; got "
            f"{type(classes[0]).__name__}. Fit with Y.astype(str), or use pickle."
        )
    tensors = {f"networks.{k}": t.contiguous() for k, t in model.networks_.state_dict().items()}
    for view, scaling in enumerate(model.scalings_):
        for name, values in scaling.arrays().items() if scaling else ():
            tensors[f"scaling.{view}.{name}"] = torch.from_numpy(values)
    seed = model.params_["random_state"]
    seed = seed if isinstance(seed, (int, np.integer)) else None
    params = {k: v for k, v in model.params_.items() if k not in OBJECTS}
    if isinstance(params["class_weight"], dict):  # JSON would turn its classes into words
        params["class_weight"] = list(params["class_weight"].items())
    about = {name: getattr(model, name) for name in AS_THEY_ARE} | {
        "params": {**params, "random_state": seed},
        "recipe": asdict(model.recipe_),
        "sizes": getattr(model.networks_[0], "sizes", None),  # of own encoders' outputs
        "classes": classes,
        "constants": [None if np.isnan(v) else float(v) for v in model.constants_],
    }
    save_model(path, tensors, about, FORMAT, _to_json)


def load(cls, path: str | Path, encoders=None) -> object:
    """Return the model that :func:`save` has written, on the CPU."""
    about, tensors = load_model(path, FORMAT, WHAT)
    try:
        _check(about)
        return _restore(cls, path, about, tensors, encoders)
    except KeyError as error:
        raise unusable(path, WHAT, f"it lacks {error}") from error
    except ValueError as error:
        told = str(error).startswith(f"{path} ")
        raise error if told else unusable(path, WHAT, error) from error
    except (TypeError, AttributeError, IndexError, RuntimeError, OverflowError) as error:
        raise unusable(path, WHAT, f"its parts do not fit one another ({error!r})") from error


def _check(about: dict) -> None:
    """Check that the file says of itself what ``fit`` leaves; its tensors are checked later."""
    kind, threshold, widths = about["kind_"], about["threshold_"], about["widths_"]
    classes, constants = about["classes"], about["constants"]
    share = isinstance(threshold, float | int) and 0 <= threshold < 1
    joined = about["params"]["view_sizes"] is not None  # the names are those of one array, then
    columns = [sum(widths)] if joined else [width or 0 for width in widths]
    named = [(n, size) for n, size in zip(about["columns_"], columns, strict=True) if n is not None]
    checks = {
        "kind_": kind in ("multilabel", "multiclass") and kind == about["recipe"]["kind"],
        "threshold_": share if kind == "multilabel" else threshold is None,
        "widths_": all(w is None or (type(w) is int and w >= 1) for w in widths),
        "columns_": all(len(n) == size and {*map(type, n)} == {str} for n, size in named),
        "classes": isinstance(classes, list)
        and {*map(type, classes)} in ({str}, {int}, {float}, {bool}),
        "constants": len(constants) == len(classes)
        and all(v is None or (kind == "multilabel" and v in (0, 1)) for v in constants),
        "recipe": about["recipe"]["outputs"] == constants.count(None),
        "history_": all(isinstance(row, dict) for row in about["history_"]),
        "device_": isinstance(about["device_"], str),
    }
    wrong = [name for name, right in checks.items() if not right]
    if wrong:
        raise ValueError(f"its {wrong[0]} is not what fit leaves")


def _restore(cls, path: str | Path, about: dict, tensors: dict, encoders) -> object:
    if about["sizes"] is not None and (encoders is None or len(encoders) != len(about["sizes"])):
        raise ValueError(
            f"{path} holds networks around encoders of your own: pass them again as in fit, "
            "load(path, encoders=[…]). Their weights come from the file."
        )
    params = _tuples(about["params"])
    if isinstance(params["class_weight"], tuple):
        params["class_weight"] = dict(params["class_weight"])
    model = cls(**params, encoders=encoders)
    for name in AS_THEY_ARE:
        setattr(model, name, about[name])
    model.params_ = model.get_params(deep=False)
    model.recipe_ = Recipe(**_tuples(about["recipe"]))
    model.classes_ = np.array(about["classes"])
    constants = [np.nan if v is None else v for v in about["constants"]]
    model.constants_ = np.array(constants, np.float32)  # as fitted
    model._set_columns(about["widths_"], about["columns_"])
    model.held_out_proba_ = None  # of the rows of fit, which are not in the file
    model.scalings_ = [
        None if width is None else _read_scaling(model.scaling, tensors, view, width)
        for view, width in enumerate(model.widths_)
    ]
    networks = {k.removeprefix("networks."): t for k, t in tensors.items()}
    if encoders is None:  # on the meta device a forged size takes no memory
        with torch.device("meta"):
            empty = empty_networks(model, model.recipe_, model.widths_, about["sizes"])
        check_tensors(path, WHAT, empty.state_dict(), networks)
    with isolated_rng(torch.device("cpu")):
        model.networks_ = empty_networks(model, model.recipe_, model.widths_, about["sizes"])
    model.networks_.load_state_dict(networks)
    return model


def _read_scaling(kind: str, tensors: dict, view: int, width: int) -> Scaling:
    """Take a view's scaling out of the tensors, and check that each column's knots rise."""
    names = "starts", "values", "ranks"
    arrays = {name: tensors.pop(f"scaling.{view}.{name}").numpy() for name in names}
    starts, values, ranks = arrays.values()
    check_choice("scaling", kind, SCALINGS)
    if [a.shape for a in arrays.values()] != [(width + 1,), (len(values),), (len(values),)]:
        raise ValueError(f"the scaling of view {view} is not that of {width} columns")
    right = starts.dtype.kind == "i" and np.isfinite(values).all() and (np.abs(ranks) < 2).all()
    knots = np.diff(starts) if right else np.zeros(1)
    right = right and starts[0] == 0 and starts[-1] == len(values) and knots.min() >= 1
    if right and (kind == "ranks" or knots.max() <= 2):
        rises = (np.diff(values) > 0) & (np.diff(ranks) > 0)
        rises[starts[1:-1] - 1] = True  # from one column to the next
        if rises.all():
            return Scaling(kind).restore(arrays)
    raise ValueError(f"the scaling of view {view} is not what fit leaves")


def _tuples(about: dict) -> dict:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in about.items()}


def _to_json(value):
    """Return NumPy's numbers and sequences as Python's, a device as its name."""
    if isinstance(value, torch.device):
        return str(value)
    return value.item() if isinstance(value, np.generic) else list(value)
