"""A saved model whose parts do not fit one another, under a right checksum, is refused in one
sentence: it neither takes memory for what it pretends nor answers nan."""

import json
import resource

import numpy as np
import pytest
import torch

from herocon_lite import HeroConClassifier, saving
from herocon_lite.checkpoint import load_model, save_model

NAN = float("nan")
HUGE = 10**12
# What the file says of itself; "a.b" is entry b of a.
ABOUT = {
    "kind_": ["multiclass", "both", None],
    "threshold_": ["cv", None, 1, -0.1, NAN],
    "widths_": [[HUGE, 3], [3], [3, -3], [3, 2], [3, None], [2.0, 3], "ab", None],
    "columns_": [[None], [["a"], ["b"]], [["a", "b", 3], None], 3],
    "classes": [[], [0, 1], [0, 1, "2"], [[0], [1], [2]], {"a": 0, "b": 1, "c": 2}, None],
    "constants": [[None], [None, None, 1.0], [0.5] * 3, ["a"] * 3, None],
    "history_": [3, [3]],
    "device_": [5, None],
    "sizes": [3, {}],
    "params": [None, [], {}],
    "recipe": [None, [], {}],
    "params.members": [HUGE, -1, "two"],
    "params.scaling": ["zz", None],
    "params.view_sizes": [3, [1, 2]],
    "params.nothing": [1],
    "recipe.outputs": [HUGE, 0, -3, "3"],
    "recipe.widths": [[HUGE], [0], "abc", None],
    "recipe.kind": ["multiclass", 7],
    "recipe.temperature": [0, "x", NAN],
    "recipe.dropout": [5],
    "recipe.nothing": [1],
}
# What becomes of a tensor.
TENSORS = {
    "gone": lambda x: None,
    "empty": lambda x: x[:0],
    "zero": lambda x: x * 0,
    "backwards": lambda x: x.flip(0),
    "nan": lambda x: x.double() * NAN,
    "infinite": lambda x: x.double() + torch.inf,
    "three axes": lambda x: x[None, None],
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Path, description and tensors of a model of two views and three labels."""
    path = tmp_path_factory.mktemp("model") / "whole"
    x = np.random.default_rng(0).standard_normal((40, 6))
    model = HeroConClassifier(steps=2, members=2, widths=(3,), device="cpu", random_state=0)
    with pytest.warns(UserWarning):  # two steps do not settle it
        model.fit([x[:, :3], x[:, 3:]], (x[:, :3] > 0).astype(int)).save(path)
    return path, *load_model(path, saving.FORMAT, saving.WHAT)


def refused(path, tensors: dict, about: dict) -> None:
    path = path.with_name("forged")
    save_model(path, tensors, about, saving.FORMAT)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ValueError, match=r"forged (cannot be used as a model|holds networks)") as e:
        HeroConClassifier.load(path)
    assert "\n" not in str(e.value) and len(str(e.value)) < 600
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2**17  # KB: 128 MB


@pytest.mark.parametrize("name", ABOUT)
def test_a_forged_description_is_refused(name, saved):
    path, about, tensors = saved
    for value in ABOUT[name]:
        forged = json.loads(json.dumps(about))
        part, _, entry = name.rpartition(".")
        (forged[part] if part else forged)[entry] = value
        refused(path, dict(tensors), forged)
    if "." not in name:
        refused(path, dict(tensors), {k: v for k, v in about.items() if k != name})


@pytest.mark.parametrize("name", ["starts", "values", "ranks"])
@pytest.mark.parametrize("change", TENSORS)
def test_a_forged_scaling_is_refused(name, change, saved):
    path, about, tensors = saved
    made = TENSORS[change](tensors[f"scaling.1.{name}"])
    forged = {**tensors, f"scaling.1.{name}": made}
    refused(path, {k: x.contiguous() for k, x in forged.items() if x is not None}, about)


def test_the_same_file_unforged_is_read(saved):
    path, about, tensors = saved
    save_model(path.with_name("same"), tensors, about, saving.FORMAT)
    x = [np.zeros((2, 3))] * 2
    both = [HeroConClassifier.load(path.with_name(name)) for name in ("whole", "same")]
    assert np.array_equal(*(model.predict_proba(x) for model in both))
