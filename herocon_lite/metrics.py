"""F1 and AUC, defined once, for label matrices of both kinds."""

from __future__ import annotations

import numpy as np

from herocon_lite.checks import check_choice, check_probability

KINDS = ("multilabel", "multiclass")
# F1 by threshold. The paper's 0.4 comes first: among equally good ones the first is chosen.
F1_AT = {0.4: "f1", 0.5: "f1_at_05"}
F1_AT |= {t: f"f1_at_{t:g}" for t in (0.1, 0.2, 0.3, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98)}
THRESHOLDS = tuple(sorted(F1_AT))  # the grid that every choice of a threshold searches


def evaluate(Y, probabilities, kind: str, threshold: float = 0.4) -> dict[str, float]:
    """Measure how well probabilities tell the labels; every number but the last is in [0, 1].

    A label is predicted where its probability is *above* the threshold (multi-label), or where it
    is the row's largest (multi-class, where the threshold plays no part).

    - ``f1``: mean over labels, weighted by how many rows have the label: the paper's number.
      ``f1_micro`` pools all labels, ``f1_macro`` is the plain mean; a label that no row has
      counts 0 there. ``f1_at_05`` (multi-label) is ``f1`` at the usual threshold, ``f1_at_0.9``
      and its like at others, ``mean_probability`` what a label gets on average.
    - ``auc``: area under the ROC curve of the probabilities, mean over the labels that some row has
      and some row lacks; nan if there is none. ``auc_hard``: the same of the 0/1 predictions;
      with K balanced classes and accuracy a it is ½(a + 1 − (1 − a)/(K − 1)) whatever the errors,
      which several rows of the paper's digit table fit.
    - ``accuracy`` (multi-class), ``subset_accuracy`` (multi-label: the whole row is right).
    - ``labels_without_auc``: how many labels had to be left out of ``auc``.

    Args:
        Y: (n, c), 0/1 labels, one 1 in each row if ``kind`` is ``"multiclass"``.
        probabilities: (n, c), sigmoid or softmax values, array or tensor.
        kind: ``"multilabel"`` or ``"multiclass"``.
        threshold: of multi-label predictions.

    Example:
        >>> Y = np.array([[1, 0], [0, 1], [1, 1]])
        >>> scores = evaluate(Y, np.array([[0.9, 0.2], [0.3, 0.8], [0.7, 0.4]]), "multilabel")
        >>> scores["auc"], round(scores["f1_at_05"], 3)
        (1.0, 0.833)
    """
    Y, P = _checked(_array(Y), _array(probabilities), kind, threshold)
    if kind == "multilabel":
        hard = _above(P, threshold)
    else:
        hard = np.eye(P.shape[1], dtype=int)[P.argmax(1)]
    both = [a for a in range(Y.shape[1]) if 0 < Y[:, a].sum() < len(Y)]
    scores = {
        "f1": _f1(Y, hard, "weighted"),
        "auc": _auc(Y, P, both),
        "f1_micro": _f1(Y, hard, "micro"),
        "f1_macro": _f1(Y, hard, "macro"),
        "auc_hard": _auc(Y, hard, both),
        "labels_without_auc": Y.shape[1] - len(both),
    }
    right = float((hard == Y).all(1).mean())
    if kind == "multiclass":
        return {**scores, "accuracy": right}
    others = {name: t for t, name in F1_AT.items() if name != "f1"}
    at = {name: _f1(Y, _above(P, t), "weighted") for name, t in others.items()}
    return {**scores, **at, "subset_accuracy": right, "mean_probability": float(P.mean())}


def _above(P: np.ndarray, threshold: float) -> np.ndarray:
    """Strictly, in the probabilities' own precision: float32's 0.4 is not above 0.4."""
    return np.greater(P, P.dtype.type(threshold)).astype(int)


def _f1(Y: np.ndarray, hard: np.ndarray, average: str) -> float:
    """2 tp / (2 tp + fp + fn), 0 for 0 / 0. As scikit-learn has it, whose import takes seconds."""
    tp, denominator = (Y * hard).sum(0), (Y + hard).sum(0)  # (c,): 2 tp + fp + fn below
    if average == "micro":
        tp, denominator = tp.sum(), denominator.sum()
    f1 = 2 * tp / np.maximum(denominator, 1)
    weights = Y.sum(0) if average == "weighted" and Y.any() else None
    return float(np.average(f1, weights=weights))


def _auc(Y: np.ndarray, scores: np.ndarray, labels: list[int]) -> float:
    """The share of (has it, lacks it) pairs that stand in the right order, ties one half."""
    areas = []
    for a in labels:
        has = Y[:, a] == 1
        low, high = np.sort(scores[~has, a]), scores[has, a]
        below = [np.searchsorted(low, high, side).sum() for side in ("left", "right")]
        areas.append(sum(below) / (2 * len(low) * len(high)))
    return float(np.mean(areas)) if areas else float("nan")


# ------------------------------------------------------------------ input


def _array(x) -> np.ndarray:
    if hasattr(x, "detach"):  # a tensor, wherever it lies
        x = x.detach().cpu()
        x = x.float() if x.is_floating_point() and x.element_size() < 4 else x
    return np.asarray(x)


def _checked(Y: np.ndarray, P: np.ndarray, kind: str, threshold: float):
    check_choice("kind", kind, KINDS)
    check_probability("threshold", threshold)
    if Y.ndim != 2 or 0 in Y.shape:
        raise ValueError(f"Y must be a matrix (n, c), one row per sample; got shape {Y.shape}.")
    if P.shape != Y.shape:
        raise ValueError(f"probabilities must have the shape of Y, {Y.shape}; got {P.shape}.")
    if not np.isin(Y, (0, 1)).all():
        raise ValueError("Y must hold 0 and 1 only; it holds other values.")
    if kind == "multiclass" and (Y.sum(1) != 1).any():
        raise ValueError("Y must have exactly one 1 in each row when kind is multiclass.")
    bad = (~np.isfinite(P)).sum()
    if bad:
        raise ValueError(
            f"probabilities must be finite; {bad} of {P.size} are not. Has training diverged?"
        )
    if P.min() < 0 or P.max() > 1 + 1e-6:  # softmax may round up
        raise ValueError(
            f"probabilities must be in [0, 1]; they reach from {P.min():.3g} to {P.max():.3g}. "
            "Are these logits? Take sigmoid or softmax first."
        )
    return Y.astype(int), P.astype(np.promote_types(P.dtype, np.float16))


def hard_auc(accuracy: float, classes: int) -> float:
    """Return the AUC of one-hot predictions with balanced classes: ½(a + 1 − (1 − a)/(K − 1)).

    Recall is a on average, and the false-positive rate (1 − a)/(K − 1), whatever the errors.

    Example:
        >>> hard_auc(accuracy=0.5, classes=2)
        0.5
    """
    return (accuracy + 1 - (1 - accuracy) / (classes - 1)) / 2
