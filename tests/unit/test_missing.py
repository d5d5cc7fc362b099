"""The estimator where rows lack views and labels are not all known."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.model_selection import KFold, cross_val_score
from torch import nn

from herocon_lite import HeroConClassifier
from herocon_lite.ensemble import Stacked
from herocon_lite.held_out import best_threshold
from herocon_lite.stacked import LabelPairs
from tests.estimator_cases import quick, same


@pytest.fixture
def gappy(toy):
    """The toy problem; some rows lack a view, some labels are not known. Y is what is known."""
    views, Y, more = toy
    rng = np.random.default_rng(1)

    def cut(tables):
        gone = rng.integers(0, 5, len(tables[0]))  # 0: lacks the first view, 1: the second
        return [np.where((gone == v)[:, None], np.nan, x) for v, x in enumerate(tables)]

    known = np.where(rng.random(Y.shape) < 0.3, -1, Y)
    known[55:] = -1
    return cut(views), known, cut(more), Y


def test_it_learns_from_what_is_there(gappy):
    views, Y, more, truth = gappy
    model = quick(steps=60).fit(views, Y, more)
    P = model.predict_proba(views)
    assert np.isfinite(P).all() and {"L_c", "L_u", "L_s"} <= set(model.history_[0])
    assert model.score(views, truth) > 0.85
    for lacking in (0, 1):  # rows with one view alone are better than chance
        rows = np.isnan(views[lacking][:, 0])
        assert rows.sum() > 5 and ((P[rows] > 0.5) == truth[rows]).mean() > 0.6
    assert np.isfinite(model.transform(views)).all()


def test_classes_too(gappy):
    views, _, more, truth = gappy
    y = np.where(np.arange(60) < 50, truth[:, 0] + truth[:, 1], -1)
    model = quick(steps=60).fit(views, y, more)
    assert model.score(views, y) > 0.8 and np.allclose(model.predict_proba(more).sum(1), 1)


def test_minus_one_and_nan_mean_the_same_and_what_is_not_known_counts_nowhere(gappy):
    """Threshold, start, weights, loss, score: none may read what stands there."""
    views, Y, more, _ = gappy
    options = {"folds": 3, "members": 3, "threshold": "cv", "class_weight": "balanced"}
    asked = {"eval_set": (views, np.where(Y[[0] * 60] < 0, 1, Y))}
    one, other = (
        quick(**options).fit(views, known, more, **asked)
        for known in (Y, np.where(Y < 0, np.nan, Y))
    )
    assert same(one, other, views) and one.threshold_ == other.threshold_
    scores = [one.score(views, known) for known in (Y, np.where(Y < 0, np.nan, Y))]
    assert scores[0] == scores[1]
    guess = np.where(Y < 0, one.predict(views), Y)  # F1 with these would be higher
    assert one.score(views, guess) > scores[0]


def test_a_row_without_a_known_label_is_unlabelled(gappy):
    """In place or in ``unlabeled``, the same networks come out, but for the order of rows."""
    views, Y, _, _ = gappy
    labelled = (Y >= 0).any(1)
    in_place = quick().fit(views, Y)
    apart = quick().fit([x[labelled] for x in views], Y[labelled], [x[~labelled] for x in views])
    np.testing.assert_allclose(
        in_place.predict_proba(views), apart.predict_proba(views), rtol=1e-3, atol=1e-4
    )


def test_a_column_of_unknown_labels_more_leaves_the_others_their_start(toy):
    """Shares are over known entries: hiding zeros raises a label's share, hiding ones lowers it."""
    views, Y, _ = toy
    few = quick(steps=1, lr=1e-9, alpha=0, beta=0, dropout=0)
    shares = []
    for hidden in (0, 1):
        gone = (hidden == Y) & (np.arange(60)[:, None] % 2 == 0)
        few.fit(views, np.where(gone, -1, Y))
        bias = few.networks_[0].classifier.bias[0, 0].detach().numpy()
        known = np.where(gone, np.nan, Y)
        ones, all_known = np.nansum(known, 0), (~gone).sum(0)
        wanted = (ones + 0.5) / (all_known + 1)
        np.testing.assert_allclose(1 / (1 + np.exp(-bias)), wanted, rtol=1e-5)
        shares.append(wanted)
    assert (shares[0] > shares[1]).all()


def test_the_threshold_is_chosen_by_known_labels():
    Y = np.array([[1], [1], [0], [0], [0], [0]])
    P = np.array([[0.45], [0.85], [0.3], [0.42], [0.42], [0.42]])
    assert best_threshold(Y, P) == 0.5  # the last three as errors
    assert best_threshold(Y, P, known=np.arange(6)[:, None] < 3) == 0.4


def test_the_fit_chooses_its_threshold_by_known_labels(gappy, monkeypatch):
    views, Y, _, _ = gappy
    asked = []
    monkeypatch.setattr(
        "herocon_lite.estimator.best_threshold", lambda *given: asked.append(given) or 0.4
    )
    model = quick(folds=3, members=3, threshold="cv").fit(views, Y)
    (truth, P, known), rows = asked[0], (Y >= 0).any(1)
    left_out = ~np.isnan(model.held_out_proba_[:, 0])
    assert np.array_equal(known, (Y >= 0)[rows][left_out]) and model.threshold_ == 0.4
    assert np.array_equal(truth, np.maximum(Y, 0)[rows][left_out]) and P.shape == truth.shape


def test_balanced_weights_count_known_labels(toy):
    from herocon_lite.targets import read_class_weight, read_labels

    Y = np.array([[1, 1], [1, 0], [0, -1], [0, -1], [0, 1]])
    assert read_class_weight("balanced", read_labels(Y, 5))[1].tolist() == [1.5, 0.5]


@pytest.mark.parametrize("form", ["sparse", "frames", "float32", "joined"])
def test_gaps_come_in_every_form_of_views(gappy, form):
    views, Y, more, _ = gappy
    views, more = ([x.astype(np.float32).astype(float) for x in each] for each in (views, more))
    wanted = quick().fit(views, Y, more)
    options = {"view_sizes": (5, 4)} if form == "joined" else {}
    turn = {
        "sparse": lambda tables: [csr_array(x) for x in tables],
        "frames": lambda tables: [pd.DataFrame(x).add_prefix("c") for x in tables],
        "float32": lambda tables: [x.astype(np.float32) for x in tables],
        "joined": np.hstack,
    }[form]
    model = quick(**options).fit(turn(views), Y, turn(more))
    np.testing.assert_allclose(
        model.predict_proba(turn(views)), wanted.predict_proba(views), atol=1e-6
    )


def test_a_step_is_told_what_is_known_and_what_is_there(gappy, monkeypatch):
    views, Y, more, _ = gappy
    seen, terms = [], Stacked.terms

    def watched(network, batch):
        seen.append(batch)
        return terms(network, batch)

    monkeypatch.setattr(Stacked, "terms", watched)
    quick(steps=2).fit(views, Y, more)
    batch, rows = seen[0], (Y >= 0).any(1)
    known = Y[rows] >= 0
    assert np.array_equal(batch.known[1], known) and (batch.Y[1].numpy()[~known] == 0).all()
    pairs = LabelPairs(batch.Y, "hamming", batch.known)
    for name in ("gamma", "log_sigma", "lacks", "positive", "negative", "weight"):
        assert torch.equal(getattr(batch.pairs, name), getattr(pairs, name)), name
    for view, x, here in zip(views, batch.views, batch.present, strict=True):
        assert np.array_equal(here[1, : rows.sum()], ~np.isnan(view[rows, 0]))
        assert (x[~here] == 0).all() and (x[here] != 0).any(1).all()


def test_only_rows_that_have_a_view_scale_it(gappy):
    views, Y, more, _ = gappy
    model = quick(scaling="standard").fit(views, Y, more)
    for view, other, scaling in zip(views, more, model.scalings_, strict=True):
        x = np.concatenate([view, other])
        np.testing.assert_allclose(scaling.values[::2], np.nanmean(x, 0), rtol=1e-10)


def test_new_rows_may_lack_views_that_all_rows_of_fit_have(toy):
    views, Y, more = toy
    model = quick(steps=60).fit(views, Y, more)
    for lacking in (0, 1):
        one = [np.full_like(x, np.nan) if v == lacking else x for v, x in enumerate(views)]
        assert model.score(one, Y) > 0.7
    whole = model.predict_proba(views)
    mixed = [x.copy() for x in views]
    mixed[1][7] = np.nan
    found = model.predict_proba(mixed)  # the other rows keep theirs
    np.testing.assert_allclose(np.delete(found, 7, 0), np.delete(whole, 7, 0), atol=1e-6)
    assert np.abs(found[7] - whole[7]).max() > 1e-3


def test_saved_pickled_and_cloned_models_know_gaps(gappy, tmp_path):
    views, Y, more, _ = gappy
    model = quick(threshold="cv", folds=2).fit(views, Y, more)
    model.save(tmp_path / "model.safetensors")
    for other in (
        HeroConClassifier.load(tmp_path / "model.safetensors", device="cpu"),
        pickle.loads(pickle.dumps(model)),
        clone(model).fit(views, Y, more),
    ):
        assert same(model, other, views) and other.threshold_ == model.threshold_


def test_encoders_of_ones_own_see_the_rows_that_are_there(gappy):
    views, Y, more, truth = gappy
    rows = []
    net = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.BatchNorm1d(8))

    class Watched(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = net

        def forward(self, x):
            rows.append(x)
            return self.net(x)

    model = quick(encoders=[Watched(), None], steps=40, members=1)
    model.fit([x.astype(np.float32) for x in views], Y, [x.astype(np.float32) for x in more])
    rows = rows[1:]  # the first look asks for the size
    assert all(x.isfinite().all() for x in rows) and max(map(len, rows)) < 100
    assert model.score([x.astype(np.float32) for x in views], truth) > 0.75


def test_early_stopping_looks_at_what_is_known(gappy):
    views, Y, more, _ = gappy
    with pytest.raises(ValueError, match="eval_set must have labels for all rows"):
        quick().fit(views, Y, more, eval_set=(views, Y))
    rows = (Y >= 0).any(1)
    chosen = [x[rows] for x in views]
    given = (Y[rows], np.where(Y < 0, np.nan, Y)[rows], np.maximum(Y, 0)[rows])
    one, same_again, zeros = (
        quick(steps=20).fit(views, Y, more, eval_set=(chosen, known)).history_ for known in given
    )
    assert one == same_again and one[-1]["validation"] != zeros[-1]["validation"]


def test_cross_validation_with_gaps(gappy):
    views, Y, _, _ = gappy
    model = quick(view_sizes=(5, 4))
    scores = cross_val_score(model, np.hstack(views), Y, cv=KFold(3, shuffle=True, random_state=0))
    assert np.isfinite(scores).all()


def holed(views, row, view, column=slice(None)):
    made = [x.copy() for x in views]
    made[view][row, column] = np.nan
    return made


@pytest.mark.parametrize("where", ["fit", "unlabeled", "predict"])
def test_a_single_hole_and_a_row_without_any_view_are_refused(toy, where):
    views, Y, more = toy

    def give(cut):
        if where == "fit":
            quick().fit(cut(views), Y)
        elif where == "unlabeled":
            quick().fit(views, Y, cut(more))
        else:
            quick(steps=2).fit(views, Y).predict(cut(views))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        hole = (
            r"\[1\] must be finite.*row 9, column 2 is nan.*Only a row that lacks a view as a who"
        )
        with pytest.raises(ValueError, match=hole):
            give(lambda x: holed(x, 9, 1, 2))
        nowhere = "must have every row in one view at least; row 9 is NaN in all 2 views"
        with pytest.raises(ValueError, match=nowhere):
            give(lambda x: holed(holed(x, 9, 0), 9, 1))


def test_where_a_hole_is_in_other_forms(toy):
    views, Y, _ = toy
    with pytest.raises(ValueError, match=r"views must be finite.*row 3, column 6 is nan"):
        quick(view_sizes=(5, 4)).fit(np.hstack(holed(views, 3, 1, 1)), Y)
    with pytest.raises(ValueError, match=r"views\[1\] must be finite.*row 3, column 1 is nan"):
        quick().fit([csr_array(x) for x in holed(views, 3, 1, 1)], Y)
    with pytest.raises(ValueError, match=r"views\[1\] must be finite.*row 3, column 1 is inf"):
        infinite = [np.where(np.isnan(x), np.inf, x) for x in holed(views, 3, 1, 1)]
        quick().fit(infinite, Y)
    with pytest.raises(ValueError, match="row 3 is NaN in its only view"):
        quick().fit(holed(views, 3, 1)[1], Y)


def test_a_view_that_no_row_has_is_refused(toy):
    views, Y, _ = toy
    with pytest.raises(ValueError, match=r"views\[1\] must have a row with numbers"):
        quick(alpha=0).fit(holed(views, slice(None), 1), Y)


def test_views_without_common_rows_leave_nothing_to_contrast(toy):
    views, Y, _ = toy
    apart = holed(holed(views, slice(0, 60, 2), 0), slice(1, 60, 2), 1)
    with pytest.warns(UserWarning, match="No two rows that have the same two views leave nothing"):
        model = quick(steps=40).fit(apart, Y)
    assert "L_u" not in model.history_[0] and model.score(apart, Y) > 0.7
