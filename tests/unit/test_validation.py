"""Forms of input that the estimator accepts, and what it says of others."""

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.sparse import csr_matrix

from herocon_lite import HeroConClassifier
from tests.estimator_cases import quick, same


def test_data_frame_columns_must_keep_their_order(toy, tmp_path):
    views, Y, more = toy
    named = [pd.DataFrame(v).add_prefix(letter) for v, letter in zip(views, "ab", strict=True)]
    model = quick().fit(named, Y, more)
    assert model.n_features_in_ == 9 and model.columns_[1] == ["b0", "b1", "b2", "b3"]
    assert same(model, quick().fit(views, Y, more), views)  # names change nothing else
    swapped = [named[0][["a1", "a0", "a2", "a3", "a4"]], named[1]]
    model.save(tmp_path / "model")
    for asked in (model, HeroConClassifier.load(tmp_path / "model")):
        assert same(asked, model, named)
        with pytest.raises(ValueError, match="Got 'a1' where 'a0' was"):
            asked.predict(swapped)
    with pytest.raises(ValueError, match="In unlabeled, which must have the columns of fit"):
        quick().fit(named, Y, swapped)
    numbered = [pd.DataFrame(v) for v in views]  # names that pandas made up are none
    assert same(model, quick().fit(numbered, Y, more), named)
    assert quick().fit(numbered, Y).columns_ == [None, None]
    whole = pd.concat(named, axis=1)
    side_by_side = quick(view_sizes=np.array([5, 4])).fit(whole, Y)
    with pytest.raises(ValueError, match="Got 'b3' where 'a0' was"):
        side_by_side.predict(whole[whole.columns[::-1]])


def test_complex_views_are_refused(toy):
    views, Y, _ = toy
    for view in (views[0] + 1j, csr_matrix(views[0] + 1j)):
        with pytest.raises(ValueError, match="Complex data not supported"):
            quick().fit(view, Y)


def test_unlabelled_rows_may_be_separate_or_marked(toy):
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


def test_rows_very_far_from_those_of_fit_get_probabilities(toy):
    views, Y, _ = toy
    model = quick(scaling="standard").fit([v * 1e-30 for v in views], Y)
    for far in (1e-20, 1e5, 1e30):
        assert np.isfinite(model.predict_proba([v * far for v in views])).all()


def test_times_may_be_classes(toy):
    views, Y, _ = toy
    for unit in ("D", "ns"):
        times = np.array(["2020-01-01", "2021-01-01"], f"datetime64[{unit}]")[Y[:, 0]]
        model = quick().fit(views, times)
        assert same(model, quick().fit(views, Y[:, 0]), views)
        assert set(model.predict(views)) <= set(times)


def test_features_far_from_zero_keep_their_differences(toy):
    """Timestamps and the like: float32 alone would make their columns constant."""
    views, Y, _ = toy
    views = [v.astype(np.float32).astype(np.float64) for v in views]
    near, far = quick().fit(views, Y), quick().fit([v + 2**30 for v in views], Y)
    there = far.predict_proba([v + 2**30 for v in views])
    assert np.abs(near.predict_proba(views) - there).max() < 1e-3


@pytest.mark.parametrize("form", [lambda y: y[:, None], lambda y: y[:-1]])
def test_score_needs_labels_of_the_form_in_fit(toy, form):
    views, Y, _ = toy
    for labels in (Y, Y[:, 0]):
        model = quick().fit(views, labels)
        with pytest.raises(ValueError, match="Y must have the form it had in fit"):
            model.score(views, form(labels))


def test_side_by_side_is_the_same_as_a_list(toy):
    views, Y, more = toy
    joint = quick(view_sizes=(5, 4)).fit(np.hstack(views), Y, np.hstack(more))
    assert np.array_equal(
        joint.predict_proba(np.hstack(views)), quick().fit(views, Y, more).predict_proba(views)
    )


def test_labels_of_unlabelled_rows_are_not_used(toy):
    views, Y, _ = toy
    poisoned = Y.astype(float)
    poisoned[30:] = np.nan
    clean = quick().fit([v[:30] for v in views], Y[:30], [v[30:] for v in views])
    assert same(clean, quick().fit(views, poisoned), views)


def test_a_single_unlabelled_row_is_ignored(toy):
    views, Y, more = toy
    alone = quick().fit(views, Y, [v[:1] for v in more])
    assert np.isfinite(alone.predict_proba(views)).all()


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


def objects(values):
    values = list(values)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def hidden(values):
    return np.ma.masked_array(values, np.arange(values.size).reshape(values.shape) < 9)


BAD = {
    "nan": ("must be finite.*row 3, column 2", lambda V, Y: quick().fit(with_nan(V), Y)),
    "infinite": (r"\[0\] must be finite", lambda V, Y: quick().fit([V[0] * 1e300, V[1]], Y)),
    "words": (r"\[1\] must hold real numbers", lambda V, Y: quick().fit([V[0], words(V[1])], Y)),
    "rows": (r"same rows.*got \[60, 59\]", lambda V, Y: quick().fit([V[0], V[1][:-1]], Y)),
    "fewer labels": (r"Y must be \(60, c\).*\(59, 3\)", lambda V, Y: quick().fit(V, Y[:-1])),
    "no labels": ("must have labelled rows", lambda V, Y: quick().fit(V, Y * 0 - 1)),
    "an unknown column": (
        r"known entry in every column; column 2 has none",
        lambda V, Y: quick().fit(V, np.where(np.arange(3) == 2, -1, Y)),
    ),
    "plus and minus": ("a label that a row lacks is 0", lambda V, Y: quick().fit(V, 2 * Y - 1)),
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
    "three axes": (r"\[0\] must be a matrix", lambda V, Y: quick().fit([V[0][None], V[1]], Y)),
    "alpha": ("alpha must be a finite", lambda V, Y: quick(alpha=-1).fit(V, Y)),
    "alpha left out": ("alpha must be a finite", lambda V, Y: quick(alpha=-1).fit(V[0], Y)),
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
    "ragged": ("views must hold real numbers", lambda V, Y: quick().fit([[1, 2], [3]], Y[:2])),
    "a row": (r"one row x\[None\]", lambda V, Y: quick().fit(V[0][0], Y[:1])),
    "gaps of pandas": (
        "fill gaps with sklearn.impute",
        lambda V, Y: quick().fit([pd.DataFrame([1, pd.NA] * 30), V[1]], Y),
    ),
    "half precision": (
        r"pass a tensor as x.detach\(\).float\(\)",
        lambda V, Y: quick().fit([torch.ones(60, 2, dtype=torch.bfloat16), V[1]], Y),
    ),
    "masked": (r"\[0\] must have no masked", lambda V, Y: quick().fit([hidden(V[0]), V[1]], Y)),
    "masked labels": ("Y must have no masked", lambda V, Y: quick().fit(V, hidden(Y))),
    "a gradient": (
        r"\[0\] must hold real numbers.*x.detach\(\)",
        lambda V, Y: quick().fit([torch.tensor(V[0], requires_grad=True), V[1]], Y),
    ),
    "rows with a gradient": (
        r"views must hold real numbers.*x.detach\(\)",
        lambda V, Y: quick().fit([torch.tensor(row, requires_grad=True) for row in V[0]], Y),
    ),
    "labels with a gradient": (
        r"Y must hold labels that NumPy can read.*Y.detach\(\)",
        lambda V, Y: quick().fit(V, torch.tensor(Y, dtype=torch.float32, requires_grad=True)),
    ),
    "labels elsewhere": (
        r"Y must hold labels that NumPy can read.*\.cpu\(\)",
        lambda V, Y: quick().fit(V, torch.tensor(Y).to("meta")),
    ),
    "dates": (
        r"\[0\] must hold real numbers.*dates or times",
        lambda V, Y: quick().fit([V[0].astype("datetime64[D]"), V[1]], Y),
    ),
    "dates in a frame": (
        "views must hold real numbers.*dates or times",
        lambda V, Y: quick().fit(pd.DataFrame({"t": pd.date_range("2020", periods=60)}), Y),
    ),
    "a date among numbers": (
        "views must hold real numbers.*dates or times",
        lambda V, Y: quick().fit(np.array([[1, np.datetime64("2020")]] * 60, dtype=object), Y),
    ),
    "tuples": (
        "one class per row.*oak.*MultiLabelBinarizer",
        lambda V, Y: quick().fit(V, objects(("oak", y) for y in Y[:, 0] * 0)),
    ),
    "sets": (
        "one class per row.*MultiLabelBinarizer",
        lambda V, Y: quick().fit(V, objects(frozenset([y]) for y in Y[:, 0])),
    ),
    "a set of labels": (r"Y must be \(60, c\).*shape \(\)", lambda V, Y: quick().fit(V, {0, 1})),
    "a ragged view": (r"\[0\] must hold real", lambda V, Y: quick().fit([[[1, 2], [3]]], Y[:2])),
    "huge numbers": (
        "views must hold real numbers.*too large",
        lambda V, Y: quick().fit([[10**400]] * 60, Y),
    ),
    "a word for weights": (
        "sample_weight must be numbers",
        lambda V, Y: quick().fit(V, Y, sample_weight="heavy"),
    ),
    "a word for a seed": (
        "random_state must be a whole number",
        lambda V, Y: quick(random_state="seed").fit(V, Y),
    ),
    "no pair": (
        r"eval_set must be a pair, \(views, Y\)",
        lambda V, Y: quick().fit(V, Y, eval_set=(V,)),
    ),
    "no labels to end with": (
        "eval_set must be a pair",
        lambda V, Y: quick().fit(V, Y, eval_set=(V, None)),
    ),
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
def test_bad_input_raises_before_training(toy, case, monkeypatch):
    monkeypatch.setattr("herocon_lite.fitting.fit", lambda *a, **k: pytest.fail("trained"))
    message, call = BAD[case]
    with pytest.raises((ValueError, TypeError), match=message):
        call(*toy[:2])


@pytest.mark.parametrize("case", BAD_USE)
def test_bad_use_raises(toy, case):
    views, Y, _ = toy
    message, call = BAD_USE[case]
    with pytest.raises(ValueError, match=message):
        call(quick().fit(views, Y), views, Y)


def test_bad_settings_keep_the_previous_fit(toy):
    views, Y, _ = toy
    model = quick().fit(views, Y)
    before = model.predict_proba(views)
    with pytest.raises(ValueError, match="alpha"):
        model.set_params(alpha=-1.0).fit(views, Y)
    assert np.array_equal(model.predict_proba(views), before)
