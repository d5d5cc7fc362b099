"""Save and load ``HeroConClassifier``: numbers and JSON in a safetensors file with a digest, no
code."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch

from herocon_lite.building import empty_networks
from herocon_lite.checkpoint import check_tensors, load_model, save_model
from herocon_lite.ensemble import Recipe
from herocon_lite.runtime import isolated_rng
from herocon_lite.scaling import Scaling

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
        return _restore(cls, path, about, tensors, encoders)
    except (KeyError, TypeError, AttributeError, IndexError, RuntimeError) as error:
        raise ValueError(
            f"{path} cannot be used as {WHAT}: its parts do not fit one another ({error!r})."
        ) from error


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
        _read_scaling(model.scaling, tensors, view) if width else None
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


def _read_scaling(kind: str, tensors: dict[str, torch.Tensor], view: int) -> Scaling:
    names = "starts", "values", "ranks"
    arrays = {name: tensors.pop(f"scaling.{view}.{name}").numpy() for name in names}
    return Scaling(kind).restore(arrays)


def _tuples(about: dict) -> dict:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in about.items()}


def _to_json(value):
    """Return NumPy's numbers and sequences as Python's, a device as its name."""
    if isinstance(value, torch.device):
        return str(value)
    return value.item() if isinstance(value, np.generic) else list(value)
