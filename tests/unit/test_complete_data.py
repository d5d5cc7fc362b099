"""Rows that lack nothing: the estimator says what it said before it knew of gaps, to the last bit.

``python -m tests.unit.test_complete_data`` stores what it says now, for a change that is wanted.
"""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from herocon_lite import HeroConClassifier, environment
from herocon_lite.repro import provenance

STORED = Path(__file__).with_name("complete_data.json")
KINDS = ("labels", "classes", "one view", "weighted", "encoders")


def problem(views: int = 2):
    rng = np.random.default_rng(3)
    hidden = rng.standard_normal((90, 3))
    tables = [hidden @ rng.standard_normal((3, d)) for d in (5, 4, 6)[:views]]
    return hidden, [x[:60] for x in tables], [x[60:] for x in tables]


def said(kind: str) -> np.ndarray:
    """What the fitted estimator says of 30 rows, and of rows that networks left out."""
    hidden, few, more = problem(1 if kind == "one view" else 3 if kind == "classes" else 2)
    Y = (hidden[:60] > 0).astype(int)
    Y[50:] = -1
    settings, given = {"random_state": 0, "steps": 15}, {"unlabeled": more}
    if kind == "classes":
        Y = np.where(Y[:, 0] < 0, -1, hidden[:60].argmax(1))
    if kind == "weighted":
        settings |= {"class_weight": "balanced", "validation_fraction": 0.2}
        settings |= {"weighted": False, "scaling": "standard", "labeled_batch": 16}
        given["sample_weight"] = np.linspace(0.5, 2, 60)
    if kind == "encoders":
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(5, 6), nn.ReLU(), nn.BatchNorm1d(6))
        settings |= {"encoders": [net, None], "members": 2, "folds": 2, "steps": 5}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few steps
        model = HeroConClassifier(**settings).fit(few, Y, **given)
    held_out = np.nan_to_num(model.held_out_proba_).sum(0)
    return np.r_[model.predict_proba(more).ravel(), held_out].astype(np.float64)


def machine() -> list[str]:
    """What decides how sums are rounded."""
    where = provenance.environment()
    return [torch.__version__, where["instructions"], where["device"], str(where["threads"])]


@pytest.mark.parametrize("kind", KINDS)
def test_complete_rows_get_what_they_got_before_gaps_were_known(kind):
    stored = json.loads(STORED.read_text("utf-8"))
    if stored["machine"][0] != torch.__version__:
        pytest.skip(f"what is stored is of torch {stored['machine'][0]}; others draw otherwise")
    found, wanted = said(kind), np.array(stored["said"][kind])
    if stored["machine"] == machine():
        assert np.array_equal(found, wanted), np.abs(found - wanted).max()
    np.testing.assert_allclose(found, wanted, rtol=0.02, atol=0.02)  # other sums drift apart


if __name__ == "__main__":
    environment.prepare(threads=1)
    whole = {"machine": machine(), "said": {kind: said(kind).tolist() for kind in KINDS}}
    STORED.write_text(json.dumps(whole) + "\n", "utf-8")
