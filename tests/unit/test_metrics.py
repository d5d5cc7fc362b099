"""F1 and AUC: closed forms, other libraries, and the corners where libraries disagree."""

import numpy as np
import pytest
import torch
from sklearn.metrics import f1_score, roc_auc_score
from torchmetrics.functional.classification import (
    multiclass_auroc,
    multiclass_f1_score,
    multilabel_auroc,
    multilabel_f1_score,
)

from herocon_lite.metrics import F1_AT, evaluate, hard_auc

BOTH = {
    "f1",
    "auc",
    "f1_micro",
    "f1_macro",
    "auc_hard",
    "labels_without_auc",
}


def multilabel(n=300, c=5, seed=0):
    rng = np.random.default_rng(seed)
    Y = (rng.random((n, c)) < [0.1, 0.2, 0.3, 0.5, 0.7][:c]).astype(int)
    P = np.clip(0.35 * Y + 0.65 * rng.random((n, c)), 0, 1)
    return Y, np.round(P, 2)  # rounding makes ties


def multiclass(n=300, c=4, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(c, size=n)
    logits = rng.normal(size=(n, c)) + 1.2 * np.eye(c)[y]
    P = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    return np.eye(c, dtype=int)[y], P


def rank_auc(y, p):
    """The share of (positive, negative) pairs in the right order, ties one half."""
    d = p[y == 1][:, None] - p[y == 0][None, :]
    return (d > 0).mean() + (d == 0).mean() / 2


# ---------------------------------------------------------------- closed forms


def test_what_comes_back():
    at = set(F1_AT.values())
    wanted = BOTH | at | {"subset_accuracy", "mean_probability"}
    assert evaluate(*multilabel(), "multilabel").keys() == wanted
    assert evaluate(*multiclass(), "multiclass").keys() == BOTH | {"accuracy"}
    assert all(type(v) in (int, float) for v in evaluate(*multiclass(), "multiclass").values())


@pytest.mark.parametrize(("make", "kind"), [(multilabel, "multilabel"), (multiclass, "multiclass")])
def test_the_truth_scores_one(make, kind):
    Y, _ = make()
    scores = evaluate(Y, Y.astype(float), kind)
    assert scores.pop("labels_without_auc") == 0
    assert scores.pop("mean_probability", Y.mean()) == Y.mean()
    assert set(scores.values()) == {1.0}


def test_constant_scores_have_auc_one_half():
    Y, P = multilabel()
    for level in (0.1, 0.9):
        scores = evaluate(Y, np.full_like(P, level), "multilabel")
        assert scores["auc"] == scores["auc_hard"] == 0.5
    assert evaluate(Y, np.full_like(P, 0.1), "multilabel")["f1"] == 0


def test_auc_sees_only_the_order():
    Y, P = multilabel()
    assert evaluate(Y, P**3, "multilabel")["auc"] == evaluate(Y, P, "multilabel")["auc"]


def test_auc_counts_pairs_in_the_right_order():
    Y, P = multilabel()
    wanted = np.mean([rank_auc(y, p) for y, p in zip(Y.T, P.T, strict=True)])
    assert evaluate(Y, P, "multilabel")["auc"] == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_a_probability_of_exactly_the_threshold_is_no_prediction(dtype):
    Y = np.array([[1], [0]])
    at = evaluate(Y, np.array([[0.4], [0.1]], dtype), "multilabel")
    above = evaluate(Y, np.nextafter(np.array([[0.4], [0.1]], dtype), dtype(1)), "multilabel")
    assert (at["f1"], above["f1"]) == (0, 1)


def test_f1_by_hand():
    Y = np.array([[1, 0], [1, 1], [1, 0], [0, 0]])
    P = np.array([[0.55, 0.1], [0.45, 0.2], [0.1, 0.6], [0.8, 0.1]])
    # at 0.4: label 1 has tp 2, fp 1, fn 1 (F1 2/3); label 2 has tp 0, fp 1, fn 1 (F1 0)
    scores = evaluate(Y, P, "multilabel")
    assert scores["f1"] == pytest.approx((3 * 2 / 3 + 1 * 0) / 4)
    assert scores["f1_macro"] == pytest.approx(1 / 3)
    assert scores["f1_micro"] == pytest.approx(2 * 2 / (2 * 2 + 2 + 2))
    # at 0.5 label 1 has tp 1, fp 1, fn 2
    assert scores["f1_at_05"] == pytest.approx(3 * (2 / 5) / 4)
    assert scores["subset_accuracy"] == 0.25
    assert evaluate(Y, P, "multilabel", threshold=0.5)["f1"] == scores["f1_at_05"]
    for t, name in F1_AT.items():
        assert evaluate(Y, P, "multilabel", threshold=t)["f1"] == scores[name]
    assert scores["mean_probability"] == pytest.approx(P.mean())


@pytest.mark.parametrize("classes", [2, 3, 10])
def test_auc_of_hard_predictions_is_a_function_of_the_accuracy(classes):
    """On balanced classes ½(a + 1 − (1 − a)/(K − 1)), whatever the pattern of the errors."""
    rng = np.random.default_rng(classes)
    y = np.repeat(np.arange(classes), 30)
    Y = np.eye(classes, dtype=int)[y]
    for _ in range(5):
        wrong = rng.random(len(y)) < rng.random()
        guess = np.where(wrong, rng.integers(classes, size=len(y)) // 2, y)  # lopsided errors
        P = np.eye(classes)[guess] * 0.5 + 0.5 / classes
        scores = evaluate(Y, P, "multiclass")
        a = scores["accuracy"]
        assert a == (guess == y).mean()
        assert scores["auc_hard"] == pytest.approx(hard_auc(a, classes), abs=1e-12)


# ---------------------------------------------------------------- other libraries


def test_multilabel_is_scikit_learn_and_torchmetrics():
    Y, P = multilabel()
    scores = evaluate(Y, P, "multilabel")
    assert scores["f1"] == f1_score(Y, P > 0.4, average="weighted")
    assert scores["auc"] == pytest.approx(roc_auc_score(Y, P), abs=1e-12)
    assert scores["auc_hard"] == pytest.approx(roc_auc_score(Y, P > 0.4), abs=1e-12)
    p, y = torch.tensor(P), torch.tensor(Y)
    assert scores["auc"] == pytest.approx(multilabel_auroc(p, y, 5, "macro").item(), abs=1e-6)
    for name, average in (("f1", "weighted"), ("f1_micro", "micro"), ("f1_macro", "macro")):
        theirs = multilabel_f1_score(p, y, 5, threshold=0.4, average=average).item()
        assert scores[name] == pytest.approx(theirs, abs=1e-6)


def test_multiclass_is_scikit_learn_and_torchmetrics():
    Y, P = multiclass()
    y, guess = Y.argmax(1), P.argmax(1)
    scores = evaluate(Y, P, "multiclass")
    assert scores["f1"] == pytest.approx(f1_score(y, guess, average="weighted"), abs=1e-12)
    assert scores["f1_macro"] == pytest.approx(f1_score(y, guess, average="macro"), abs=1e-12)
    assert scores["f1_micro"] == pytest.approx(scores["accuracy"], abs=1e-12)
    wanted = roc_auc_score(y, P, multi_class="ovr")
    assert scores["auc"] == pytest.approx(wanted, abs=1e-12)
    p, y = torch.tensor(P), torch.tensor(y)
    assert scores["auc"] == pytest.approx(multiclass_auroc(p, y, 4, "macro").item(), abs=1e-6)
    theirs = multiclass_f1_score(p, y, 4, "weighted").item()
    assert scores["f1"] == pytest.approx(theirs, abs=1e-6)
    assert evaluate(Y, P, "multiclass", threshold=0.9) == scores


# ---------------------------------------------------------------- corners


@pytest.mark.filterwarnings("error")
def test_labels_that_all_rows_or_none_have_are_left_out_of_auc_and_counted():
    Y, P = multilabel()
    full = np.hstack([Y, np.zeros((len(Y), 1), int), np.ones((len(Y), 1), int)])
    wide = np.hstack([P, P[:, :2]])
    scores, narrow = evaluate(full, wide, "multilabel"), evaluate(Y, P, "multilabel")
    assert scores["labels_without_auc"] == 2
    assert scores["auc"] == pytest.approx(narrow["auc"], abs=1e-12)
    none = evaluate(full[:, 5:], wide[:, 5:], "multilabel")
    assert np.isnan(none["auc"]) and np.isnan(none["auc_hard"])
    assert none["labels_without_auc"] == 2


def test_a_label_that_no_row_has_weighs_nothing_in_f1_and_zero_in_macro():
    Y, P = multilabel()
    wide, empty = np.hstack([P, P[:, :1]]), np.hstack([Y, np.zeros((len(Y), 1), int)])
    scores, narrow = evaluate(empty, wide, "multilabel"), evaluate(Y, P, "multilabel")
    assert scores["f1"] == pytest.approx(narrow["f1"], abs=1e-12)
    assert scores["f1_macro"] == pytest.approx(narrow["f1_macro"] * 5 / 6, abs=1e-12)
    wide[:, 5] = 0  # nor is it predicted
    assert evaluate(empty, wide, "multilabel")["f1_macro"] == scores["f1_macro"]


def test_a_single_label_is_scored_on_its_positives():
    """scikit-learn takes one column for two classes, and averages over both."""
    Y, P = multilabel(c=1)
    scores = evaluate(Y, P, "multilabel")
    wanted = f1_score(Y.ravel(), P.ravel() > 0.4)
    assert scores["f1"] == scores["f1_micro"] == scores["f1_macro"] == wanted


def test_tensors_of_any_precision_are_read():
    Y, P = multilabel()
    wanted = evaluate(Y, P.astype(np.float32), "multilabel")
    p = torch.tensor(P, dtype=torch.float32, requires_grad=True)
    assert evaluate(torch.tensor(Y), p, "multilabel") == wanted
    half = evaluate(torch.tensor(Y, dtype=torch.bool), p.bfloat16(), "multilabel")
    assert half["auc"] == pytest.approx(wanted["auc"], abs=5e-3)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"kind": "multi"}, "kind must be one of multilabel, multiclass; got 'multi'"),
        ({"threshold": 1.5}, "threshold must be in"),
        ({"Y": np.zeros(3)}, r"Y must be a matrix \(n, c\)"),
        ({"Y": np.zeros((0, 2))}, r"Y must be a matrix \(n, c\)"),
        ({"probabilities": np.ones((3, 3))}, r"shape of Y, \(2, 2\); got \(3, 3\)"),
        ({"Y": [[0, 2], [1, 0]]}, "Y must hold 0 and 1 only"),
        ({"Y": [[1, 1], [1, 0]], "kind": "multiclass"}, "exactly one 1 in each row"),
        ({"probabilities": [[np.nan, 1], [0, 1]]}, "finite; 1 of 4 are not. Has training"),
        ({"probabilities": [[-3.0, 1], [0, 7]]}, r"in \[0, 1\]; .* from -3 to 7. Are these logits"),
    ],
)
def test_bad_input_gets_a_sentence(change, sentence):
    good = {"Y": [[0, 1], [1, 0]], "probabilities": [[0.1, 0.9], [0.6, 0.2]], "kind": "multilabel"}
    evaluate(**good)
    with pytest.raises(ValueError, match=sentence):
        evaluate(**good | change)
