"""Own encoders, datasets, weights, names: what users of other libraries expect."""

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.sparse import csr_matrix
from torch import nn

from herocon_lite import HeroConClassifier
from tests.estimator_cases import quick, same


class Pictures(torch.utils.data.Dataset):
    """A map-style dataset of (picture, label)."""

    def __init__(self, pictures):
        self.pictures = pictures

    def __len__(self):
        return len(self.pictures)

    def __getitem__(self, row):
        return torch.from_numpy(self.pictures[row]), "no label"


@pytest.fixture
def shown():
    """Bright and dark pictures (40, 1, 4, 4), a table that says little, and labels."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    pictures = rng.integers(0, 120, (40, 1, 4, 4)) + 100 * y[:, None, None, None]
    return pictures.astype(np.uint8), rng.standard_normal((40, 3)), y


def encoders():
    torch.manual_seed(0)
    return [nn.Sequential(nn.Flatten(), nn.Linear(16, 8), nn.ReLU()), None]


def test_own_encoders_take_pictures_and_datasets(shown, tmp_path):
    pictures, table, y = shown
    given = encoders()
    before = given[0][1].weight.clone()
    model = quick(encoders=given, steps=60, members=2, folds=2)
    model.fit([pictures, table], y)
    assert model.score([pictures, table], y) > 0.8
    assert torch.equal(given[0][1].weight, before)  # each network has a copy
    assert len(model.networks_) == 2 and {row["member"] for row in model.history_} == {0, 1}
    assert model.held_out_proba_.shape == (40, 2)
    assert model.transform([pictures, table]).shape == (40, 2 * (8 + 16))
    again = quick(encoders=encoders(), steps=60, members=2, folds=2)
    half = slice(0, 20), slice(20, 40)
    parts = [[Pictures(pictures[rows]), table[rows]] for rows in half]
    again.fit(parts[0], y[:20], unlabeled=parts[1])
    assert again.predict_proba(parts[1]).shape == (20, 2)
    twin = quick(encoders=encoders(), steps=60, members=2, folds=2)
    twin.fit([Pictures(pictures), table], y)
    assert same(model, twin, [pictures, table])
    path = tmp_path / "model"
    model.save(path)
    loaded = HeroConClassifier.load(path, encoders=encoders())
    assert same(model, loaded, [pictures, table])
    with pytest.raises(ValueError, match="pass them again as in fit"):
        HeroConClassifier.load(path)


def test_wrong_encoders_are_refused(shown):
    pictures, table, y = shown
    with pytest.raises(ValueError, match="as many views as encoders, 2; got 1"):
        quick(encoders=encoders()).fit([pictures], y)
    with pytest.raises(ValueError, match="encoders must be a list of torch modules"):
        quick(encoders=["cnn"]).fit([pictures], y)
    with pytest.raises(ValueError, match="encoders must return a row of numbers"):
        quick(encoders=[nn.Identity(), None]).fit([pictures, table], y)


@pytest.mark.parametrize("scaling", ["ranks", "standard"])
def test_sparse_views_are_dense_ones(toy, scaling):
    views, Y, more = toy
    holes = [[v * (np.abs(v) > np.median(np.abs(v))) for v in part] for part in (views, more)]
    dense = quick(scaling=scaling).fit(holes[0], Y, holes[1])
    sparse = [[csr_matrix(v) for v in part] for part in holes]
    assert same(dense, quick(scaling=scaling).fit(sparse[0], Y, sparse[1]), holes[0])
    assert np.array_equal(dense.predict_proba(sparse[0]), dense.predict_proba(holes[0]))
    whole = csr_matrix(np.hstack(holes[0]))
    joint = quick(scaling=scaling, view_sizes=(5, 4)).fit(whole, Y)
    split = quick(scaling=scaling).fit(holes[0], Y)
    assert np.array_equal(joint.predict_proba(whole), split.predict_proba(holes[0]))
    with pytest.raises(ValueError, match="finite"):
        quick().fit([csr_matrix(np.where(v > 8, np.nan, v)) for v in views], Y)


def test_a_row_of_weight_zero_is_not_there(toy):
    views, Y, _ = toy
    weight = np.r_[np.ones(50), np.zeros(10)]
    part = quick().fit([v[:50] for v in views], Y[:50])
    assert same(part, quick().fit(views, Y, sample_weight=weight), views)
    assert not same(part, quick().fit(views, Y), views)


def test_weights_move_predictions_towards_the_heavier_rows(toy):
    views, Y, _ = toy
    noise = np.random.default_rng(1).integers(0, 2, 60)
    P = {}
    for share in (0.1, 10):
        weight = np.where(noise == 1, share, 1)
        P[share] = quick(steps=60).fit(views, noise, sample_weight=weight).predict_proba(views)
    assert P[10][:, 1].mean() > P[0.1][:, 1].mean() + 0.2
    with pytest.raises(ValueError, match=r"sample_weight must be \(60,\)"):
        quick().fit(views, Y, sample_weight=np.ones(3))


def test_classes_and_labels_can_be_weighted(toy, tmp_path):
    views, Y, _ = toy
    noise = np.random.default_rng(1).random(60) < 0.2
    plain = quick(steps=60).fit(views, noise.astype(int)).predict_proba(views)[:, 1].mean()
    for weight in ("balanced", {0: 1, 1: 4}):
        model = quick(steps=60, class_weight=weight).fit(views, noise.astype(int))
        assert model.predict_proba(views)[:, 1].mean() > plain + 0.1
        model.save(tmp_path / "model")
        assert HeroConClassifier.load(tmp_path / "model").class_weight == weight
    labels = np.c_[noise, Y[:, 0]].astype(int)
    plain, heavy = (
        quick(steps=60, class_weight=w).fit(views, labels).predict_proba(views).mean(0)
        for w in (None, "balanced")
    )
    assert heavy[0] > plain[0] + 0.1
    with pytest.raises(ValueError, match="class_weight must name classes"):
        quick(class_weight={7: 1}).fit(views, Y[:, 0])


def test_names_of_columns_and_labels_are_kept(toy, tmp_path):
    views, Y, _ = toy
    named = [pd.DataFrame(v).add_prefix(letter) for v, letter in zip(views, "ab", strict=True)]
    labels = pd.DataFrame(Y, columns=["beach", "sunset", "field"])
    model = quick().fit(named, labels)
    assert model.classes_.tolist() == ["beach", "sunset", "field"]
    assert model.feature_names_in_.tolist()[4:6] == ["a4", "b0"]
    model.save(tmp_path / "model")
    again = HeroConClassifier.load(tmp_path / "model")
    assert again.classes_.tolist() == model.classes_.tolist()
    assert again.feature_names_in_.tolist() == model.feature_names_in_.tolist()
    assert not hasattr(quick().fit(views, Y), "feature_names_in_")


def test_the_decision_function_decides(toy):
    views, Y, _ = toy
    model = quick(threshold=0.3).fit(views, Y)
    assert np.array_equal(model.decision_function(views) > 0, model.predict(views) == 1)
    two = quick().fit(views, Y[:, 0])
    assert np.array_equal(two.decision_function(views) > 0, two.predict(views) == 1)
    three = quick().fit(views, Y.sum(1).clip(1, 3))
    assert np.array_equal(three.decision_function(views).argmax(1) + 1, three.predict(views))


def test_partial_fit_is_refused_with_a_reason():
    assert not hasattr(quick(), "partial_fit")
    with pytest.raises(AttributeError, match="folds and the threshold need all rows at once"):
        quick().partial_fit  # noqa: B018


def test_the_word_minus_one_is_a_class_and_warns(toy):
    views, Y, _ = toy
    with pytest.warns(UserWarning, match='word "-1" in Y is a class like any other'):
        model = quick().fit(views, np.where(Y[:, 0] == 1, "yes", "-1"))
    assert model.classes_.tolist() == ["-1", "yes"]
