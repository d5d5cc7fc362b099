"""What goes missing, what fills it in, and the record of it; the methods are stand-ins here."""

import numpy as np
import pytest

from herocon_lite.data import load
from herocon_lite.repro import files, missing, provenance


@pytest.fixture
def asked(monkeypatch):
    """What a stand-in for the estimator was given."""
    asked = []

    class Model:
        threshold_ = 0.3

        def __init__(self, random_state):
            self.seed = random_state

        def fit(self, views, Y, unlabeled):
            asked.append((views, Y, unlabeled))
            self.classes_ = np.unique(Y) if Y.ndim == 1 else np.arange(Y.shape[1])

        def predict_proba(self, views):
            return np.full((len(views[0]), len(self.classes_)), 1 / len(self.classes_))

    monkeypatch.setattr(missing, "HeroConClassifier", Model)
    monkeypatch.setattr(missing, "SPLITS", range(1))
    monkeypatch.setattr(missing, "TREES", 5)
    return asked


@pytest.mark.parametrize(("views", "share"), [(2, 0.3), (2, 0.5), (6, 0.7)])
def test_a_share_of_the_views_is_absent_and_every_row_keeps_one(views, share):
    absent = missing.absent_views(500, views, share, seed=3)
    assert absent.sum() == round(share * absent.size) and not absent.all(1).any()
    assert np.abs(absent.mean(0) - share).max() < 0.07  # of every view
    fewer = missing.absent_views(500, views, share / 2, seed=3)
    assert (absent | ~fewer).all()  # what is absent stays so
    assert (missing.absent_views(500, views, share, seed=4) != absent).any()


def test_more_than_all_but_one_view_cannot_go():
    with pytest.raises(ValueError, match=r"share must leave a view to each row; 0.6 of 2"):
        missing.absent_views(100, 2, 0.6, seed=0)


def test_labels_are_hidden_and_no_other_is_changed():
    Y = (np.random.default_rng(0).random((50, 8)) < 0.3).astype(int)
    made = missing.unknown_labels(Y, 0.25, seed=1)
    assert (made == -1).sum() == 100 and (made[made >= 0] == Y[made >= 0]).all()
    assert (missing.unknown_labels(Y, 0.5, seed=1)[made == -1] == -1).all()


def test_filling_in_takes_means_and_zeros():
    views = missing.make_problem(load("yeast"), "views", 0.4, seed=0)
    filled = missing.filled_in(views)
    for train, test, done in zip(views.train, views.test, filled.train, strict=True):
        mean, absent = np.nanmean(np.concatenate([train, test]), 0), np.isnan(train)
        np.testing.assert_allclose(done[absent], np.broadcast_to(mean, train.shape)[absent])
        assert np.array_equal(done[~absent], train[~absent]) and absent.any()
    labels = missing.make_problem(load("yeast"), "labels", 0.4, seed=0)
    done = missing.filled_in(labels).Y
    assert (done[labels.Y < 0] == 0).all() and (done == labels.Y)[labels.Y >= 0].all()
    assert np.isnan(labels.test[0]).sum() == 0 and (labels.Y < 0).mean() == pytest.approx(0.4)


def test_the_estimator_gets_the_gaps_and_the_others_get_them_filled(asked, tmp_path):
    found = missing.run(tmp_path)
    assert len(found) == 10 and [r["share"] for r in found[:3]] == [0.0, 0.3, 0.5]
    has_gaps = [
        bool(sum(np.isnan(x).sum() for x in (*views, *more)) or (np.asarray(Y) < 0).any())
        for views, Y, more in asked
    ]
    # without gaps the estimator alone; else with them, then filled in
    assert has_gaps == [False, *[True, False] * 5, False, *[True, False] * 3]
    assert all(("imputed" in r) == (r["share"] > 0) for r in found)
    assert all(r["herocon"]["auc"] == 0.5 < r["extra_trees"]["auc"] for r in found)
    assert found[0]["herocon"]["threshold"] == 0.3


def test_nothing_is_made_twice_and_an_interrupted_run_goes_on(tmp_path, monkeypatch):
    calls = []

    def method(problem):
        calls.append(problem.seed)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return {"auc": 0.5}

    monkeypatch.setattr(missing, "METHODS", (method,))
    monkeypatch.setattr(missing, "SPLITS", range(2))
    with pytest.raises(KeyboardInterrupt):
        missing.run(tmp_path)
    assert not (tmp_path / "missing.jsonl").exists()
    assert len(missing.run(tmp_path)) == 20 and len(calls) == 21
    assert missing.run(tmp_path) == files.read_lines(tmp_path / "missing.jsonl")
    assert len(calls) == 21
    monkeypatch.setattr(provenance, "source_hash", lambda *_: "another")
    assert {r["code"] for r in missing.run(tmp_path)} == {"another"}  # never of two estimators
