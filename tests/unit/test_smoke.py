"""Every method learns something on every kind of data: real rows, the smoke budget, one seed."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from herocon_lite.data import load, split
from herocon_lite.methods import METHODS, Problem, build, method_params
from herocon_lite.metrics import evaluate
from herocon_lite.repro.settings import Run, method_options, paper_config
from herocon_lite.train import Schedule, predict, train
from herocon_lite.views import two_views
from tests.methods_cases import SEVERAL_LABELS

# All of smoke's steps only where they are needed: on genes, by the methods that start slowly.
FEW_STEPS = {"yeast": 20, "mfeat": 10}
SLOW = ("mib", "c2ae", "deepmtmv")
DATA = {"multilabel": "yeast", "multiclass": "mfeat"}
EQ4 = [name for name in METHODS if "form" in method_params(name)]


def views_of(data, count: int):
    """The set with its features in one, two or six views; yeast's are cut, mfeat's put together."""
    parts = {1: [range(len(data.views))], 2: [range(0, 3), range(3, 6)]}
    if data.name == "yeast":
        whole = np.concatenate(data.views, 1)
        views = data.views if count == 2 else np.array_split(whole, count, axis=1)
    elif count == 6:
        views = data.views
    else:
        views = [np.concatenate([data.views[v] for v in part], 1) for part in parts[count]]
    spread = [np.where(v.std(0) > 0, v.std(0), 1) for v in views]
    scaled = [((v - v.mean(0)) / s).astype("f4") for v, s in zip(views, spread, strict=True)]
    return replace(data, views=scaled)


@pytest.fixture(scope="module")
def sets():
    loaded = {kind: load(name) for kind, name in DATA.items()}
    return {(kind, n): views_of(data, n) for kind, data in loaded.items() for n in (1, 2, 6)}


def auc(data, method: str, form: str = "two_noisy") -> float:
    run = Run(data.name, method, form=form)
    chosen = replace(paper_config(data.name, budget="smoke"), pairs=2)  # of the thirty of six views
    single, parts = len(data.views) == 1, split(data, seed=0)
    if single and form == "two_noisy":
        data = two_views(data, "released", 0)
    problem = Problem(tuple(v.shape[1:] for v in data.views), data.labels.shape[1], data.kind)
    torch.manual_seed(0)
    model = build(method, problem, **method_options(run, chosen, single))
    rows = {name: [v[getattr(parts, name)] for v in data.views] for name in ("train", "test")}
    all_steps = data.name == "yeast" and method in SLOW
    steps = chosen.steps if all_steps else FEW_STEPS[data.name]
    plan = Schedule(steps, None, chosen.unlabeled_batch)
    train(model, rows["train"], data.labels[parts.train], rows["test"], plan)
    P = predict(model, rows["test"], data.kind)
    return evaluate(data.labels[parts.test], P, data.kind)["auc"]


@pytest.mark.parametrize("count", [1, 2, 6])
@pytest.mark.parametrize(
    ("method", "kind"),
    [(m, k) for m in METHODS for k in DATA if k == "multilabel" or m not in SEVERAL_LABELS],
)
def test_every_method_learns_on_every_kind(sets, method, kind, count):
    assert auc(sets[kind, count], method) >= 0.6


@pytest.mark.parametrize("kind", DATA)
@pytest.mark.parametrize("method", EQ4)
def test_every_method_with_the_form_eq4_learns_from_one_view(sets, method, kind):
    assert auc(sets[kind, 1], method, "eq4") >= 0.6
