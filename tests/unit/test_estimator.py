"""The estimator: forms of input, scikit-learn's tools, saving, and sentences for bad input."""

import json
import pickle
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from datetime import date

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold

import herocon_lite
from herocon_lite import HeroConClassifier, estimator
from herocon_lite.data import load, split
from herocon_lite.metrics import THRESHOLDS, evaluate
from herocon_lite.train import train

QUICK = {"steps": 8, "widths": (16,), "unlabeled_batch": 50, "random_state": 0, "threshold": 0.5}


def quick(**options) -> HeroConClassifier:
    return HeroConClassifier(**{**QUICK, **options})


@pytest.fixture(scope="module")
def toy():
    """Two views of 60 rows, three labels that a line tells; 40 rows more without labels."""
    rng = np.random.default_rng(0)
    hidden = rng.standard_normal((100, 3))
    views = [hidden @ rng.standard_normal((3, 5)) * 50 + 7, hidden @ rng.standard_normal((3, 4))]
    return [v[:60] for v in views], (hidden[:60] > 0).astype(int), [v[60:] for v in views]


def same(a: HeroConClassifier, b: HeroConClassifier, views) -> bool:
    return np.array_equal(a.predict_proba(views), b.predict_proba(views))


# ---------------------------------------------------------------- what it learns


def test_it_learns_labels(toy):
    views, Y, more = toy
    model = quick(steps=60).fit(views, Y, more)
    P = model.predict_proba(views)
    assert P.shape == Y.shape and evaluate(Y, P, "multilabel")["auc"] > 0.95
    assert model.score(views, Y) > 0.9 > quick(steps=1, lr=1e-9).fit(views, Y).score(views, Y)
    assert model.transform(views).shape == (60, 32)
    assert {"L_c", "L_u", "L_s"} < set(model.history_[0])
    assert np.array_equal(model.predict(views), P > 0.5)


def test_a_fit_that_fails_leaves_no_half_of_an_older_model(toy, monkeypatch):
    from sklearn.exceptions import NotFittedError

    views, Y, more = toy
    model = quick().fit(views, Y, more)

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    before = model.predict_proba(views)
    with pytest.raises(ValueError, match="same rows"):
        model.fit([views[0], views[1][:5]], Y)
    assert np.array_equal(model.predict_proba(views), before)  # bad input costs nothing
    monkeypatch.setattr(estimator, "train", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit([3 * v for v in views], Y, more)
    with pytest.raises(NotFittedError):
        model.predict(views)


def test_a_step_takes_some_of_many_labelled_rows(toy, monkeypatch):
    views, Y, more = toy
    plan = []
    monkeypatch.setattr(estimator, "train", lambda *a, **k: plan.append(a[4]) or train(*a, **k))
    few = quick(labeled_batch=16).fit(views, Y, more)
    assert plan[0].labeled_batch == 16 and plan[0].drop_last
    every, more_than_all = (quick(labeled_batch=k).fit(views, Y, more) for k in (60, 1024))
    assert same(every, more_than_all, views) and not same(few, every, views)
    with pytest.raises(ValueError, match="labeled_batch must be at least 2 rows"):
        quick(labeled_batch=1).fit(views, Y)


def test_a_model_saved_before_columns_had_names_loads(toy, tmp_path):
    from safetensors import safe_open
    from safetensors.torch import save_file

    views, Y, more = toy
    model, path = quick().fit(views, Y, more), tmp_path / "model"
    model.save(path)
    with safe_open(path, "pt") as file:
        metadata, tensors = file.metadata(), {k: file.get_tensor(k) for k in file.keys()}  # noqa: SIM118
    about = json.loads(metadata["about"])
    del about["columns"], about["params"]["labeled_batch"]
    save_file(tensors, path, metadata | {"about": json.dumps(about)})
    assert same(HeroConClassifier.load(path), model, views)


def test_columns_of_data_frames_must_come_as_they_came(toy, tmp_path):
    views, Y, more = toy
    named = [pd.DataFrame(v).add_prefix(letter) for v, letter in zip(views, "ab", strict=True)]
    model = quick().fit(named, Y, more)
    assert model.n_features_in_ == 9 and model.columns_[1] == ["b0", "b1", "b2", "b3"]
    assert same(model, quick().fit(views, Y, more), views)  # names change nothing else
    swapped = [named[0][["a1", "a0", "a2", "a3", "a4"]], named[1]]
    model.save(tmp_path / "model")
    for asked in (model, HeroConClassifier.load(tmp_path / "model")):
        assert same(asked, model, named)
        with pytest.raises(ValueError, match="got 'a1' where 'a0' was"):
            asked.predict(swapped)
    with pytest.raises(ValueError, match="unlabeled must have the columns of fit"):
        quick().fit(named, Y, swapped)
    numbered = [pd.DataFrame(v) for v in views]  # names that pandas made up are none
    assert same(model, quick().fit(numbered, Y, more), named)
    assert quick().fit(numbered, Y).columns_ == [None, None]
    whole = pd.concat(named, axis=1)
    side_by_side = quick(view_sizes=np.array([5, 4])).fit(whole, Y)
    with pytest.raises(ValueError, match="got 'b3' where 'a0' was"):
        side_by_side.predict(whole[whole.columns[::-1]])


def test_fit_and_transform_in_one(toy):
    views, Y, more = toy
    both = quick().fit_transform(views, Y, unlabeled=more)
    assert np.array_equal(both, quick().fit(views, Y, more).transform(views))


def test_a_threshold_is_chosen_on_rows_left_out(monkeypatch):
    Y = (np.arange(40)[:, None] % [2, 4] == 0).astype(np.float32)
    P = np.where(Y == 1, 0.85, 0.75)  # only a threshold between the two is right

    def fitted(seen):
        return set(seen), None

    def predict(seen, views, kind):
        rows = views[0][:, 0].astype(int)
        assert seen.isdisjoint(rows) and len(seen) + len(rows) == 40
        return P[rows]

    monkeypatch.setattr(estimator, "predict", predict)
    views = [np.arange(40.0)[:, None]]
    assert estimator._best_threshold(views, Y, fitted, 0) == 0.8
    P = np.where(Y == 1, 0.25, 0.15)
    assert estimator._best_threshold(views, Y, fitted, 0) == 0.2
    P = np.where(Y == 1, 0.99, 0.01)  # all are right: the usual one
    assert estimator._best_threshold(views, Y, fitted, 0) == 0.5


def test_the_threshold_can_be_chosen_inside_the_labelled_rows(toy, tmp_path):
    views, Y, more = toy
    rare = Y * (np.arange(60) % 3 == 0)[:, None]  # labels that the views tell only in part
    model = quick(threshold="cv").fit(views, rare, more)
    assert model.threshold_ in THRESHOLDS
    assert same(model, quick().fit(views, rare, more), views), "the net itself is the same"
    assert np.array_equal(model.predict(views), model.predict_proba(views) > model.threshold_)
    model.save(tmp_path / "model")
    assert HeroConClassifier.load(tmp_path / "model").threshold_ == model.threshold_
    y = Y.sum(1).clip(1, 3)
    assert quick(threshold="cv").fit(views, y, more).threshold_ is None, "classes need none"
    assert HeroConClassifier().threshold == "cv"


def test_too_few_rows_for_a_choice_are_said_to_be(toy):
    views, Y, _ = toy
    with pytest.warns(UserWarning, match="9 labelled rows are too few to choose a threshold"):
        model = quick(threshold="cv").fit([v[:9] for v in views], Y[:9])
    assert model.threshold_ == 0.5


@pytest.mark.parametrize("names", [np.array(["oak", "ash", "elm"]), np.array([7, 3, 5])])
def test_it_learns_classes_under_their_own_names(toy, names):
    views, Y, more = toy
    y = names[np.clip(Y.sum(1), 1, 3) - 1]
    model = quick(steps=60).fit(views, y, more)
    assert np.array_equal(model.classes_, np.unique(names))
    assert np.allclose(model.predict_proba(views).sum(1), 1, atol=1e-6)
    assert (model.predict(views) == y).mean() == model.score(views, y) > 0.9


def test_real_data_beats_chance_with_a_lone_view():
    data = load("yeast")
    parts = split(data, seed=0)
    views = np.concatenate(data.views, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = HeroConClassifier(steps=30, random_state=0)
        model.fit(views[parts.train], data.labels[parts.train], views[parts.unlabeled])
    P = model.predict_proba(views[parts.test])
    assert evaluate(data.labels[parts.test], P, "multilabel")["auc"] > 0.6
    # the noise of the second copy belongs to training only
    assert np.array_equal(P, model.predict_proba(views[parts.test]))


def test_the_scale_of_features_changes_nothing(toy):
    views, Y, more = toy
    other = [[1000 * v - 5 for v in part] for part in (views, more)]
    a, b = quick().fit(views, Y, more), quick().fit(other[0], Y, other[1])
    np.testing.assert_allclose(a.predict_proba(views), b.predict_proba(other[0]), atol=1e-3)


@pytest.mark.parametrize("value", [3.0, 0.1])  # the std of sixty 0.1 is 4e-17
def test_a_constant_feature_is_harmless(toy, value):
    views, Y, _ = toy
    with_constant, moved = (
        [np.hstack([views[0], np.full((60, 1), value + by)]), views[1]] for by in (0, 1e-6)
    )
    model = quick().fit(with_constant, Y)
    assert np.allclose(model.predict_proba(with_constant), model.predict_proba(moved), atol=1e-3)


def test_a_feature_that_varies_by_rounding_only_is_constant(toy):
    """Shares add up to one, but for the last bit."""
    views, Y, _ = toy
    shares = np.random.default_rng(0).dirichlet(np.ones(5), 60).sum(1)
    assert 0 < np.ptp(shares) < 1e-15
    model = quick().fit([np.c_[views[0], shares], views[1]], Y)
    P, rounded = (model.predict_proba([np.c_[views[0], s], views[1]]) for s in (shares, shares > 0))
    assert np.allclose(P, rounded, atol=1e-6)


def test_what_is_saved_is_what_was_trained(toy, tmp_path):
    views, Y, _ = toy
    model = quick().fit(views, Y).set_params(widths=(9,), alpha=0)
    model.save(tmp_path / "model.safetensors")
    again = HeroConClassifier.load(tmp_path / "model.safetensors")
    assert np.allclose(again.predict_proba(views), model.predict_proba(views))
    assert again.alpha == quick().alpha


def test_sparse_and_complex_views_get_a_sentence(toy):
    from scipy.sparse import csr_matrix

    views, Y, _ = toy
    with pytest.raises(ValueError, match=r"dense; got a sparse matrix\. Call \.toarray"):
        quick().fit(csr_matrix(views[0]), Y)
    with pytest.raises(ValueError, match="real numbers; got complex"):
        quick().fit(views[0] + 1j, Y)


# ---------------------------------------------------------------- forms of input


def test_unlabelled_rows_may_come_apart_or_marked(toy):
    views, Y, more = toy
    apart = quick().fit(views, Y, more)
    together = [np.concatenate(rows) for rows in zip(views, more, strict=True)]
    for mark, dtype in ((-1, int), (np.nan, float)):
        marked = np.concatenate([Y, np.full((40, 3), mark)]).astype(dtype)
        assert same(apart, quick().fit(together, marked), views)
        # rows without labels are left out of the score
        assert quick().fit(together, marked).score(together, marked) == apart.score(views, Y)
    assert not same(apart, quick().fit(views, Y), views)  # and they matter
    y = Y[:, 0]
    marked = np.concatenate([y, np.full(40, -1)])
    assert same(quick().fit(views, y, more), quick().fit(together, marked), views)


@pytest.mark.parametrize("gap", [None, np.nan, -1])
def test_names_of_classes_may_have_gaps(toy, gap):
    views, Y, _ = toy
    names = np.where(Y[:, 0] == 1, "yes", "no").astype(object)
    names[:5] = gap
    model = quick().fit(views, names)
    assert list(model.classes_) == ["no", "yes"]
    apart = [v[:5] for v in views]
    assert same(model, quick().fit([v[5:] for v in views], names[5:], apart), views)
    assert same(model, quick().fit(views, names.tolist()), views)  # a list is no array of words
    assert model.score(views, names) == model.score(views, names.tolist())


def test_labels_of_pandas_own_types_are_labels(toy):
    views, Y, _ = toy
    plain = Y.astype(float)
    plain[:5] = np.nan
    gaps = pd.DataFrame(plain).astype("Int64")  # NA where nothing is known
    assert same(quick().fit(views, gaps), quick().fit(views, plain), views)
    assert same(quick().fit(views, pd.DataFrame(Y).astype("boolean")), quick().fit(views, Y), views)
    names = np.where(Y[:, 0] == 1, "yes", "no").astype(object)
    names[:5] = None
    texts = pd.Series(names, dtype="string")
    assert same(quick().fit(views, texts), quick().fit(views, names), views)


def test_features_far_from_zero_keep_their_differences(toy):
    """Timestamps and the like: float32 alone would make their columns constant."""
    views, Y, _ = toy
    views = [v.astype(np.float32).astype(np.float64) for v in views]
    near, far = quick().fit(views, Y), quick().fit([v + 2**30 for v in views], Y)
    there = far.predict_proba([v + 2**30 for v in views])
    assert np.abs(near.predict_proba(views) - there).max() < 1e-3


@pytest.mark.parametrize("form", [lambda y: y[:, None], lambda y: y[:-1]])
def test_a_score_needs_the_form_of_fit(toy, form):
    views, Y, _ = toy
    for labels in (Y, Y[:, 0]):
        model = quick().fit(views, labels)
        with pytest.raises(ValueError, match="Y must have the form it had in fit"):
            model.score(views, form(labels))


def test_bad_settings_cost_no_older_model(toy):
    views, Y, _ = toy
    model = quick().fit(views, Y)
    before = model.predict_proba(views)
    with pytest.raises(ValueError, match="alpha"):
        model.set_params(alpha=-1.0).fit(views, Y)
    assert np.array_equal(model.predict_proba(views), before)


def test_a_lone_unlabelled_row_is_left_out(toy):
    views, Y, more = toy
    alone = quick().fit(views, Y, [v[:1] for v in more])
    assert np.isfinite(alone.predict_proba(views)).all()


def test_the_caller_s_random_numbers_are_left_alone(toy, tmp_path):
    views, Y, _ = toy
    torch.manual_seed(5)
    wanted = torch.rand(3)
    torch.manual_seed(5)
    quick().fit(views, Y).save(tmp_path / "model.safetensors")
    HeroConClassifier.load(tmp_path / "model.safetensors")
    assert torch.equal(torch.rand(3), wanted)


def test_no_other_device_s_random_numbers_are_touched(toy, monkeypatch):
    def fail(seed):
        raise AssertionError("training on the CPU seeded a GPU")

    monkeypatch.setattr(torch.cuda, "manual_seed_all", fail)
    monkeypatch.setattr(torch.cuda, "manual_seed", fail)
    views, Y, _ = toy
    quick(device="cpu").fit(views, Y)


def test_a_plain_network_may_be_asked_with_detached_weights(toy):
    views, Y, _ = toy
    quick(alpha=0, detach=True).fit(views, Y)  # as in a grid


def test_predictions_within_autocast_are_in_full_precision(toy):
    views, Y, _ = toy
    model = quick().fit(views, Y)
    wanted = model.predict_proba(views)
    with torch.autocast("cpu", torch.bfloat16):
        assert np.array_equal(model.predict_proba(views), wanted)


def test_side_by_side_is_the_same_as_a_list(toy):
    views, Y, more = toy
    joint = quick(view_sizes=(5, 4)).fit(np.hstack(views), Y, np.hstack(more))
    assert np.array_equal(
        joint.predict_proba(np.hstack(views)), quick().fit(views, Y, more).predict_proba(views)
    )


def test_labels_of_unlabelled_rows_are_never_looked_at(toy):
    views, Y, _ = toy
    poisoned = Y.astype(float)
    poisoned[30:] = np.nan
    clean = quick().fit([v[:30] for v in views], Y[:30], [v[30:] for v in views])
    assert same(clean, quick().fit(views, poisoned), views)


def test_settings_of_the_estimator_reach_its_method(toy):
    views, Y, _ = toy
    asked = {"alpha": 0.2, "beta": 0.3, "temperature": 0.5, "detach": True, "pairs": 3}
    method = quick(steps=1, **asked).fit(views, Y).method_
    assert {name: getattr(method, name) for name in asked} == asked


def test_the_second_copy_of_a_lone_view_is_noisy_in_training_only(toy, monkeypatch):
    views, Y, _ = toy
    seen = []

    def watched(method, views, *rest, **options):
        seen.append(views)
        return train(method, views, *rest, **options)

    monkeypatch.setattr(estimator, "train", watched)
    model = quick(steps=1).fit(views[0], Y)
    (first, second), noise = seen[0], estimator.NOISE
    assert (second - first).std() == pytest.approx(noise, rel=0.2) and noise > 0
    one, other = model._inputs(views[0])
    assert np.array_equal(one, other)


def test_same_seed_same_model(toy):
    views, Y, more = toy
    first = quick().fit(views, Y, more)
    assert same(first, quick().fit(views, Y, more), views)
    assert not same(first, quick(random_state=1).fit(views, Y, more), views)
    drawn = [quick(random_state=np.random.RandomState(3)).fit(views, Y) for _ in range(2)]
    assert same(*drawn, views)


# ---------------------------------------------------------------- scikit-learn


def test_same_seed_same_model_in_threads(toy):
    views, Y, _ = toy
    alone = quick().fit(views, Y)
    with ThreadPoolExecutor(4) as threads:
        models = list(threads.map(lambda _: quick().fit(views, Y), range(8)))
    assert all(same(alone, model, views) for model in models)


def test_clone_params_and_grid_search(toy):
    views, Y, _ = toy
    model = quick(view_sizes=(5, 4))
    assert clone(model).get_params() == model.get_params()
    search = GridSearchCV(model, {"alpha": [0.0, 0.1]}, cv=KFold(2), error_score="raise")
    search.fit(np.hstack(views), Y)
    assert search.best_params_["alpha"] in (0.0, 0.1)
    assert search.predict(np.hstack(views)).shape == Y.shape


def test_grid_search_with_unlabelled_rows(toy):
    views, Y, more = toy
    together = np.vstack([np.hstack(views), np.hstack(more)])
    marked = np.concatenate([Y, np.full((40, 3), -1)])
    cv = KFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(quick(view_sizes=(5, 4)), {"beta": [0.0]}, cv=cv, error_score="raise")
    assert np.isfinite(search.fit(together, marked).best_score_)


@pytest.mark.parametrize("target", ["labels", "classes", "names"])
def test_pickled_and_saved_models_are_the_same_model(toy, tmp_path, target):
    views, Y, more = toy
    y = {"labels": Y, "classes": Y[:, 0], "names": np.array(["no", "yes"])[Y[:, 0]]}[target]
    model = quick().fit(views, y, more)
    model.save(tmp_path / "model.safetensors")
    for other in (
        pickle.loads(pickle.dumps(model)),
        HeroConClassifier.load(tmp_path / "model.safetensors"),
    ):
        assert same(model, other, views)
        assert np.array_equal(model.predict(views), other.predict(views))
        assert other.get_params() == model.get_params() and other.history_ == model.history_
        assert other.predict_proba(views).dtype == model.predict_proba(views).dtype


def test_an_older_model_stays_whole_while_a_new_one_is_written(toy, tmp_path, monkeypatch):
    views, Y, more = toy
    model, path = quick().fit(views, Y, more), tmp_path / "model.safetensors"
    model.save(path)

    def torn(tensors, path, metadata):
        with open(path, "wb") as file:
            file.write(b"half of it")
        raise OSError("no space left")

    monkeypatch.setattr("safetensors.torch.save_file", torn)
    with pytest.raises(OSError, match="no space"):
        model.save(path)
    assert same(model, HeroConClassifier.load(path), views)


def test_scikit_learn_may_name_the_columns_and_knows_of_several_labels(toy):
    views, Y, _ = toy
    model = quick(view_sizes=(5, 4)).set_output(transform="pandas").fit(np.hstack(views), Y)
    made = model.transform(np.hstack(views))
    assert list(made.columns[:2]) == ["heroconclassifier0", "heroconclassifier1"]
    assert made.shape == (60, 32)
    tags = model.__sklearn_tags__().classifier_tags
    assert tags.multi_label and tags.multi_class


@pytest.mark.parametrize("kind", ["bytes", "dates"])
def test_classes_that_json_cannot_hold_are_not_saved_as_others(toy, tmp_path, kind):
    views, Y, _ = toy
    names = {"bytes": [b"a", b"b"], "dates": [date(2022, 8, 14), date(2022, 8, 18)]}[kind]
    model = quick().fit(views, np.array(names)[Y[:, 0]])
    assert set(model.predict(views)) <= set(names)
    with pytest.raises(ValueError, match="classes must be numbers or words"):
        model.save(tmp_path / "m.safetensors")


def test_a_device_of_torch_is_saved_by_its_name(toy, tmp_path):
    views, Y, more = toy
    model = quick(device=torch.device("cpu")).fit(views, Y, more)
    model.save(tmp_path / "model.safetensors")
    assert same(model, HeroConClassifier.load(tmp_path / "model.safetensors"), views)


def test_what_is_not_a_saved_model_is_refused(toy, tmp_path):
    from safetensors.numpy import save_file

    path = tmp_path / "model.safetensors"
    path.write_bytes(b"not at all")
    with pytest.raises(ValueError, match="not a whole safetensors file"):
        HeroConClassifier.load(path)
    save_file({"a": np.zeros(2)}, path)
    with pytest.raises(ValueError, match="saved by HeroConClassifier"):
        HeroConClassifier.load(path)


# ---------------------------------------------------------------- bad input


def test_a_constant_label_warns_and_is_predicted(toy, tmp_path):
    views, Y, more = toy
    Y = np.insert(Y, 1, 1, axis=1)
    with pytest.warns(UserWarning, match="Label column 1 of Y never changes"):
        model = quick().fit(views, Y, more)
    P = model.predict_proba(views)
    assert (P[:, 1] == 1).all() and (model.predict(views)[:, 1] == 1).all()
    rest = quick().fit(views, Y[:, [0, 2, 3]], more)
    assert np.array_equal(P[:, [0, 2, 3]], rest.predict_proba(views))
    model.save(tmp_path / "m.safetensors")
    assert same(model, HeroConClassifier.load(tmp_path / "m.safetensors"), views)


def with_nan(views):
    views = [v.copy() for v in views]
    views[1][3, 2] = np.nan
    return views


def words(view):
    return view.astype(str).astype(object) + " cm"


def hidden(values):
    return np.ma.masked_array(values, np.arange(values.size).reshape(values.shape) < 9)


BAD = {
    "nan": ("must be finite.*row 3, column 2", lambda V, Y: quick().fit(with_nan(V), Y)),
    "infinite": (r"\[0\] must be finite", lambda V, Y: quick().fit([V[0] * 1e300, V[1]], Y)),
    "words": (r"\[1\] must hold numbers", lambda V, Y: quick().fit([V[0], words(V[1])], Y)),
    "rows": (r"same rows.*got \[60, 59\]", lambda V, Y: quick().fit([V[0], V[1][:-1]], Y)),
    "fewer labels": (r"Y must be \(60, c\).*\(59, 3\)", lambda V, Y: quick().fit(V, Y[:-1])),
    "no labels": ("must have labelled rows", lambda V, Y: quick().fit(V, Y * 0 - 1)),
    "half a row": ("row 0 is so in part", lambda V, Y: quick().fit(V, Y - 2 * np.eye(60, 3))),
    "other values": ("Y must hold 0 and 1", lambda V, Y: quick().fit(V, 2 * Y)),
    "fractions": ("regression", lambda V, Y: quick().fit(V, V[0][:, 0])),
    "one class": ("differ between rows", lambda V, Y: quick().fit(V, Y[:, 0] * 0)),
    "all constant": ("differ between rows", lambda V, Y: quick().fit(V, Y * 0)),
    "device": ("device must be.*abacus", lambda V, Y: quick(device="abacus").fit(V, Y)),
    "sizes": ("to the 9 columns", lambda V, Y: quick(view_sizes=(5, 5)).fit(np.hstack(V), Y)),
    "sizes of a list": ("must be one array", lambda V, Y: quick(view_sizes=(5, 4)).fit(V, Y)),
    "unlabeled": (
        r"unlabeled must have views of \[5, 4\]",
        lambda V, Y: quick().fit(V, Y, V[::-1]),
    ),
    "three axes": (r"\[0\] must be a dense", lambda V, Y: quick().fit([V[0][None], V[1]], Y)),
    "alpha": ("alpha must be a finite", lambda V, Y: quick(alpha=-1).fit(V, Y)),
    "temperature": ("temperature must be", lambda V, Y: quick(temperature=0).fit(V, Y)),
    "steps": ("steps must be a whole number, at least 1", lambda V, Y: quick(steps=0).fit(V, Y)),
    "batch": ("at least 2 rows", lambda V, Y: quick(unlabeled_batch=1).fit(V, Y)),
    "threshold": ("must be a probability", lambda V, Y: quick(threshold=1.5).fit(V, Y)),
    "seed": ("random_state must be at least 0", lambda V, Y: quick(random_state=-1).fit(V, Y)),
    "a number for sizes": (
        "view_sizes must be whole numbers",
        lambda V, Y: quick(view_sizes=9).fit(np.hstack(V), Y),
    ),
    "a dict": (r"Pass list\(views.values", lambda V, Y: quick().fit(dict(enumerate(V)), Y)),
    "another order": (
        r"views\[1\] must have its rows in the order of views\[0\]",
        lambda V, Y: quick().fit([pd.DataFrame(V[0]), pd.DataFrame(V[1])[::-1]], Y),
    ),
    "labels in another order": (
        "Y must have its rows in the order of views",
        lambda V, Y: quick().fit([pd.DataFrame(v) for v in V], pd.DataFrame(Y)[::-1]),
    ),
    "two kinds": (
        "classes of one kind",
        lambda V, Y: quick().fit(V, np.array([1, "a"] * 30, dtype=object)),
    ),
    "sparse labels": ("Y must be dense", lambda V, Y: quick().fit(V, csr_matrix(Y))),
    "lists of labels": ("MultiLabelBinarizer", lambda V, Y: quick().fit(V, [[0], [0, 1]] * 30)),
    "a column": (r"\[0\] must be.*x\[:, None\]", lambda V, Y: quick().fit([V[0][:, 0], V[1]], Y)),
    "ragged": ("views must hold numbers", lambda V, Y: quick().fit([[1, 2], [3]], Y[:2])),
    "a row": (r"one row as x\[None\]", lambda V, Y: quick().fit(V[0][0], Y[:1])),
    "gaps of pandas": (
        "for gaps sklearn.impute",
        lambda V, Y: quick().fit([pd.DataFrame([1, pd.NA] * 30), V[1]], Y),
    ),
    "half precision": (
        r"a tensor goes in as x.float\(\)",
        lambda V, Y: quick().fit([torch.ones(60, 2, dtype=torch.bfloat16), V[1]], Y),
    ),
    "masked": (r"\[0\] must have no masked", lambda V, Y: quick().fit([hidden(V[0]), V[1]], Y)),
    "masked labels": ("Y must have no masked", lambda V, Y: quick().fit(V, hidden(Y))),
    "a word": ("must be a probability", lambda V, Y: quick(threshold="best").fit(V, Y)),
}
BAD_USE = {
    "one view": (r"views of \[5, 4\] columns, as in fit", lambda m, V, Y: m.predict(V[:1])),
    "scored in another order": (
        "Y must have its rows in the order of views",
        lambda m, V, Y: m.score([pd.DataFrame(v) for v in V], pd.DataFrame(Y)[::-1]),
    ),
    "no score": (
        "labels to score against.*shuffle the folds",
        lambda m, V, Y: m.score(V, Y * 0 - 1),
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_a_sentence_before_any_training(toy, case, monkeypatch):
    monkeypatch.setattr("herocon_lite.estimator.train", lambda *a, **k: pytest.fail("trained"))
    message, call = BAD[case]
    with pytest.raises(ValueError, match=message):
        call(*toy[:2])


@pytest.mark.parametrize("case", BAD_USE)
def test_bad_use_gets_a_sentence(toy, case):
    views, Y, _ = toy
    message, call = BAD_USE[case]
    with pytest.raises(ValueError, match=message):
        call(quick().fit(views, Y), views, Y)


def test_an_untrained_model_says_so(toy):
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        quick().predict(toy[0])


def test_the_module_s_parts_are_there_after_a_plain_import():
    script = "import herocon_lite as h; print(h.losses.info_nce.__name__, 'theory' in dir(h))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.split() == ["info_nce", "True"]
    with pytest.raises(AttributeError, match="no attribute 'loses'"):
        herocon_lite.loses  # noqa: B018


def test_the_import_stays_light():
    code = "import sys, herocon_lite; print('sklearn' in sys.modules, 'torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
