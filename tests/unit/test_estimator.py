"""What the estimator learns, repeats, keeps and saves."""

import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor
from datetime import date

import numpy as np
import pytest
import torch

from herocon_lite import HeroConClassifier, fitting, held_out, saving
from herocon_lite.checkpoint import load_model, save_model
from herocon_lite.data import load, split
from herocon_lite.metrics import evaluate
from tests.estimator_cases import quick, same


def test_it_learns_labels(toy):
    views, Y, more = toy
    model = quick(steps=60).fit(views, Y, more)
    P = model.predict_proba(views)
    assert P.shape == Y.shape and evaluate(Y, P, "multilabel")["auc"] > 0.95
    assert model.score(views, Y) > 0.9 > quick(steps=1, lr=1e-9).fit(views, Y).score(views, Y)
    assert model.transform(views).shape == (60, 2 * 2 * 16)  # networks, views, width
    assert {"L_c", "L_u", "L_s"} < set(model.history_[0])
    assert np.array_equal(model.predict(views), P > 0.5)


def test_the_default_is_two_draws_of_five_folds(toy):
    views, Y, more = toy
    model = HeroConClassifier(random_state=0).fit(views, Y, more)
    (network,) = model.networks_
    assert network.members == 10 and len(model.history_) == 60
    P = model.held_out_proba_
    assert P.shape == Y.shape and not np.isnan(P).any()
    assert evaluate(Y, P, "multilabel")["auc"] > 0.9
    assert model.threshold_ == held_out.best_threshold(Y, P)


def test_an_interrupted_fit_leaves_no_mixed_model(toy, monkeypatch):
    from sklearn.exceptions import NotFittedError

    views, Y, more = toy
    model = quick().fit(views, Y, more)

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    before = model.predict_proba(views)
    with pytest.raises(ValueError, match="same rows"):
        model.fit([views[0], views[1][:5]], Y)
    assert np.array_equal(model.predict_proba(views), before)  # bad input costs nothing
    monkeypatch.setattr(fitting, "fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit([3 * v for v in views], Y, more)
    with pytest.raises(NotFittedError):
        model.predict(views)


def test_a_step_takes_some_of_many_labelled_rows(toy):
    views, Y, more = toy
    few = quick(labeled_batch=16).fit(views, Y, more)
    every, more_than_all = (quick(labeled_batch=k).fit(views, Y, more) for k in (60, 1024))
    assert same(every, more_than_all, views) and not same(few, every, views)
    with pytest.raises(ValueError, match="labeled_batch must be at least 2 rows"):
        quick(labeled_batch=1).fit(views, Y)


def test_a_model_of_the_older_single_network_says_so(toy, tmp_path):
    from safetensors.torch import save_file

    path = tmp_path / "model"
    save_file({"mean_": torch.zeros(2)}, path, {"format": "herocon_lite 1"})
    with pytest.raises(ValueError, match="its format is 'herocon_lite 1', not 'herocon_lite 2'"):
        HeroConClassifier.load(path)


def test_a_changed_byte_of_a_saved_model_is_seen(toy, tmp_path):
    views, Y, more = toy
    path = tmp_path / "model"
    quick().fit(views, Y, more).save(path)
    content = path.read_bytes()
    for place in np.random.default_rng(0).integers(len(content), size=25):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with pytest.raises(ValueError, match="cannot be used as a model saved by HeroCon"):
            HeroConClassifier.load(path)


def test_a_forged_size_is_refused_before_anything_is_allocated(toy, tmp_path):
    views, Y, more = toy
    path = tmp_path / "model"
    quick().fit(views, Y, more).save(path)
    about, tensors = load_model(path, saving.FORMAT, saving.WHAT)
    save_model(path, tensors, about | {"widths_": [10**9, 4]}, saving.FORMAT)
    with pytest.raises(ValueError, match="cannot be used as a model saved by HeroCon"):
        HeroConClassifier.load(path)
    lacking = {name: about[name] for name in about if name != "recipe"}
    save_model(path, tensors, lacking, saving.FORMAT)
    with pytest.raises(ValueError, match=r"cannot be used as .*: it lacks 'recipe'"):
        HeroConClassifier.load(path)


def test_the_threshold_is_chosen_on_rows_left_out(toy, tmp_path):
    views, Y, more = toy
    rare = Y * (np.arange(60) % 3 == 0)[:, None]  # labels that the views tell only in part
    model = quick(threshold="cv", members=4, folds=4).fit(views, rare, more)
    assert model.threshold_ == held_out.best_threshold(rare, model.held_out_proba_)
    given = quick(members=4, folds=4).fit(views, rare, more)
    assert same(model, given, views), "the networks are the same"
    assert given.threshold_ == 0.5
    assert np.array_equal(model.predict(views), model.predict_proba(views) > model.threshold_)
    model.save(tmp_path / "model")
    assert HeroConClassifier.load(tmp_path / "model").threshold_ == model.threshold_
    y = Y.sum(1).clip(1, 3)
    assert quick(threshold="cv").fit(views, y, more).threshold_ is None, "classes need none"
    assert HeroConClassifier().threshold == "cv"


def test_what_is_said_of_a_row_left_out_does_not_know_its_label(toy):
    """Labels that are noise: networks that had trained on a row would know it."""
    views, Y, more = toy
    noise = np.random.default_rng(5).integers(0, 2, Y.shape)
    model = quick(steps=200, members=5, folds=5, dropout=0).fit(views, noise, more)
    seen = evaluate(noise, model.predict_proba(views), "multilabel")["auc"]
    left_out = evaluate(noise, model.held_out_proba_, "multilabel")["auc"]
    assert seen > 0.9 and abs(left_out - 0.5) < 0.15


def test_too_few_rows_to_choose_a_threshold_warn(toy):
    views, Y, _ = toy
    with pytest.warns(UserWarning, match="9 labelled rows are too few to choose a threshold"):
        model = quick(threshold="cv", folds=5).fit([v[:9] for v in views], Y[:9])
    assert model.threshold_ == 0.5 and model.held_out_proba_ is None


@pytest.mark.parametrize("names", [np.array(["oak", "ash", "elm"]), np.array([7, 3, 5])])
def test_it_learns_classes_under_their_own_names(toy, names):
    views, Y, more = toy
    y = names[np.clip(Y.sum(1), 1, 3) - 1]
    model = quick(steps=60).fit(views, y, more)
    assert np.array_equal(model.classes_, np.unique(names))
    assert np.allclose(model.predict_proba(views).sum(1), 1, atol=1e-6)
    assert (model.predict(views) == y).mean() == model.score(views, y) > 0.85


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


def test_saving_ignores_later_set_params(toy, tmp_path):
    views, Y, _ = toy
    model = quick().fit(views, Y).set_params(widths=(9,), alpha=0)
    model.save(tmp_path / "model.safetensors")
    again = HeroConClassifier.load(tmp_path / "model.safetensors")
    assert np.allclose(again.predict_proba(views), model.predict_proba(views))
    assert again.alpha == quick().alpha


def test_the_caller_s_random_state_is_unchanged(toy, tmp_path):
    views, Y, _ = toy
    torch.manual_seed(5)
    wanted = torch.rand(3)
    torch.manual_seed(5)
    quick().fit(views, Y).save(tmp_path / "model.safetensors")
    HeroConClassifier.load(tmp_path / "model.safetensors")
    assert torch.equal(torch.rand(3), wanted)


def test_training_on_the_cpu_seeds_no_gpu(toy, monkeypatch):
    def fail(seed):
        raise AssertionError("training on the CPU seeded a GPU")

    monkeypatch.setattr(torch.cuda, "manual_seed_all", fail)
    monkeypatch.setattr(torch.cuda, "manual_seed", fail)
    views, Y, _ = toy
    quick(device="cpu").fit(views, Y)


def test_detach_without_contrast_is_allowed(toy):
    views, Y, _ = toy
    quick(alpha=0, detach=True).fit(views, Y)  # as in a grid


def test_predictions_within_autocast_are_in_full_precision(toy):
    views, Y, _ = toy
    model = quick().fit(views, Y)
    wanted = model.predict_proba(views)
    with torch.autocast("cpu", torch.bfloat16):
        assert np.array_equal(model.predict_proba(views), wanted)


def test_settings_of_the_estimator_reach_its_recipe(toy):
    views, Y, _ = toy
    asked = {
        "alpha": 0.2,
        "beta": 0.3,
        "temperature": 0.5,
        "detach": True,
        "widths": (7, 5),
        "dropout": 0.1,
    }
    model = quick(steps=1, members=3, **asked).fit(views, Y)
    recipe = model.networks_[0].recipe
    assert {name: getattr(recipe, name) for name in asked} == asked
    assert model.networks_[0].members == 3


def test_the_weights_g_can_be_left_out(toy):
    views, Y, more = toy
    plain = quick(steps=1, weighted=False, detach=True).fit(views, Y, more)  # as in a grid
    (network,) = plain.networks_
    assert network.H is None and network.recipe.alpha > 0
    assert not same(plain, quick(steps=1).fit(views, Y, more), views)


def test_without_contrasts_nothing_is_contrasted(toy):
    views, Y, more = toy
    plain = quick(alpha=0, beta=0).fit(views, Y, more)
    assert set(plain.history_[0]) == {"step", "L_c"} and plain.networks_[0].projectors is None


def test_same_seed_same_model(toy):
    views, Y, more = toy
    first = quick().fit(views, Y, more)
    assert same(first, quick().fit(views, Y, more), views)
    assert not same(first, quick(random_state=1).fit(views, Y, more), views)
    drawn = [quick(random_state=np.random.RandomState(3)).fit(views, Y) for _ in range(2)]
    assert same(*drawn, views)


def test_same_seed_same_model_in_threads(toy):
    views, Y, _ = toy
    alone = quick().fit(views, Y)
    with ThreadPoolExecutor(4) as threads:
        models = list(threads.map(lambda _: quick().fit(views, Y), range(8)))
    assert all(same(alone, model, views) for model in models)


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


def test_a_failed_save_keeps_the_older_file(toy, tmp_path, monkeypatch):
    views, Y, more = toy
    model, path = quick().fit(views, Y, more), tmp_path / "model.safetensors"
    model.save(path)

    def torn(*_):
        raise OSError("no space left")

    monkeypatch.setattr("os.replace", torn)
    with pytest.raises(OSError, match="no space"):
        model.save(path)
    assert same(model, HeroConClassifier.load(path), views)


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


def test_loading_another_file_fails(toy, tmp_path):
    from safetensors.numpy import save_file

    path = tmp_path / "model.safetensors"
    path.write_bytes(b"not at all")
    with pytest.raises(ValueError, match="no safetensors file"):
        HeroConClassifier.load(path)
    save_file({"a": np.zeros(2)}, path)
    with pytest.raises(ValueError, match="saved by HeroConClassifier"):
        HeroConClassifier.load(path)
