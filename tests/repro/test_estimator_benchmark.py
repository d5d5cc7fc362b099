"""The estimator beside its bare network, forests and logistic regression: same rows, made once."""

import numpy as np
import pytest

from herocon_lite.data import load, split
from herocon_lite.repro import estimator_benchmark, files, provenance


@pytest.fixture
def asked(monkeypatch):
    """What a stand-in for the estimator was asked for: its options, and how many rows."""
    asked = []

    class Model:
        def __init__(self, **options):
            asked.append(options)

        def fit(self, views, y, unlabeled):
            self.classes_ = np.unique(y) if y.ndim == 1 else np.arange(y.shape[1])
            asked[-1] |= {"rows": len(y), "more": len(unlabeled[0])}

        def predict_proba(self, views):
            return np.full((len(views[0]), len(self.classes_)), 1 / len(self.classes_))

    monkeypatch.setattr(estimator_benchmark, "HeroConClassifier", Model)
    monkeypatch.setattr(estimator_benchmark, "SPLITS", range(1))
    monkeypatch.setattr(estimator_benchmark, "TREES", 20)
    return asked


def test_all_see_the_same_rows_and_nothing_is_made_twice(tmp_path, monkeypatch, asked):
    found = estimator_benchmark.run(tmp_path)
    assert [(r["data"], r["seed"]) for r in found] == [("mfeat", 0), ("yeast", 0)]
    weights = [{k: o[k] for k in ("alpha", "beta") if k in o} for o in asked]
    assert weights == [{}, {"alpha": 0.0, "beta": 0.0}] * 2  # the estimator, its bare network
    assert [o["rows"] for o in asked] == [100, 100, 120, 120]
    for row in found:
        assert row["split"] == split(load(row["data"]), seed=0).describe()
        for other in estimator_benchmark.OPPONENTS[1:]:
            assert row["herocon"]["auc"] == 0.5 < 0.55 < row[other]["auc"], other
    assert estimator_benchmark.differences(found * 2, "mfeat", "network").mean == 0
    asked.clear()
    assert estimator_benchmark.run(tmp_path) == found and not asked
    monkeypatch.setattr(provenance, "source_hash", lambda *_: "another")
    assert {r["code"] for r in estimator_benchmark.run(tmp_path)} == {
        "another"
    }  # never of two estimators
    assert len(files.read_lines(tmp_path / "estimator.jsonl")) == 2


def test_the_older_file_stays_till_the_new_one_is_whole(tmp_path, monkeypatch, asked):
    older = estimator_benchmark.run(tmp_path)
    monkeypatch.setattr(provenance, "source_hash", lambda *_: "another")

    def stopped(dataset, parts):
        if dataset.name == "yeast":
            raise KeyboardInterrupt
        return np.full((len(parts.test), dataset.labels.shape[1]), 0.5)

    stopped.__name__ = "logistic_regression"
    monkeypatch.setattr(estimator_benchmark, "logistic_regression", stopped)
    with pytest.raises(KeyboardInterrupt):
        estimator_benchmark.run(tmp_path)
    assert files.read_lines(tmp_path / "estimator.jsonl") == older


def test_a_class_that_training_never_saw_has_probability_zero():
    P = estimator_benchmark._columns(load("mfeat"), np.array([0, 2, 9]), np.full((4, 3), 0.25))
    assert P.shape == (4, 10) and np.flatnonzero(P[0]).tolist() == [0, 2, 9]


def test_forests_give_each_label_its_column():
    dataset = load("yeast")
    few = split(dataset, seed=0)
    P = estimator_benchmark._forest(dataset, few, dataset.views[1], trees=5)
    never = dataset.labels[few.train].sum(0) == 0
    assert P.shape == dataset.labels[few.test].shape and (P[:, never] == 0).all()
