"""Save and load ``HeroConClassifier``: a safetensors file of numbers and JSON, no code."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch

from herocon_lite.building import empty_networks
from herocon_lite.checkpoint import atomic_write
from herocon_lite.ensemble import Recipe
from herocon_lite.runtime import isolated_rng
from herocon_lite.scaling import Scaling

FORMAT = "herocon_lite 2"
OBJECTS = ("callbacks", "encoders")  # settings that are code, and are not saved
AS_THEY_ARE = ("kind_", "threshold_", "widths_", "columns_", "history_", "device_")


def save(model, path: str | Path) -> None:
    """Write a fitted model; see :meth:`HeroConClassifier.save`."""
    from safetensors.torch import save_file

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
    metadata = {"format": FORMAT, "about": json.dumps(about, default=_to_json)}
    atomic_write(path, lambda beside: save_file(tensors, beside, metadata))


def load(cls, path: str | Path, encoders=None) -> object:
    """Return the model that :func:`save` has written, on the CPU."""
    about, tensors = _read_file(path)
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
    with isolated_rng(torch.device("cpu")):
        model.networks_ = empty_networks(model, model.recipe_, model.widths_, about["sizes"])
    model.networks_.load_state_dict({k.removeprefix("networks."): t for k, t in tensors.items()})
    return model


def _read_scaling(kind: str, tensors: dict[str, torch.Tensor], view: int) -> Scaling:
    names = "starts", "values", "ranks"
    arrays = {name: tensors.pop(f"scaling.{view}.{name}").numpy() for name in names}
    return Scaling(kind).restore(arrays)


def _tuples(about: dict) -> dict:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in about.items()}


def _read_file(path: str | Path) -> tuple[dict, dict[str, torch.Tensor]]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(str(path), "pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise ValueError(f"{path} is not a whole safetensors file: {error}.") from error
    if metadata.get("format") != FORMAT:
        got = metadata.get("format", "another safetensors file")
        older = " An older version made it: fit again." if got == "herocon_lite 1" else ""
        raise ValueError(
            f"{path} must be a model saved by HeroConClassifier ({FORMAT}); got {got}.{older}"
        )
    return json.loads(metadata["about"]), tensors


def _to_json(value):
    """Return NumPy's numbers and sequences as Python's, a device as its name."""
    if isinstance(value, torch.device):
        return str(value)
    return value.item() if isinstance(value, np.generic) else list(value)
