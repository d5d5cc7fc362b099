"""Which labelled rows each of the estimator's networks trains on, and what the others are for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from torch import nn

from herocon_lite.data.splits import shuffle
from herocon_lite.fitting import each_probability
from herocon_lite.metrics import F1_AT, THRESHOLDS, evaluate


class Division(NamedTuple):
    """Row numbers: what each member trains on and leaves out, and what ends the training."""

    train: np.ndarray  # (m, r)
    left_out: list[np.ndarray]  # of each member; empty without folds
    validation: np.ndarray


def divide(
    known: np.ndarray,
    classes: np.ndarray | None,
    members: int,
    folds: int | None = 5,
    validation_fraction: float | None = None,
    seed: int = 0,
) -> Division:
    """Divide the labelled rows among members: the k-th of a draw leaves out the k-th fold.

    All folds have one size, so that the members' rows can be stacked: of n rows n mod ``folds``
    are in no fold of a draw. With fewer than two rows a fold, all members get all rows.

    Args:
        known: row numbers of the labelled rows.
        classes: their classes, to be shared out equally; None for label matrices.
        members, folds, validation_fraction, seed: as in ``HeroConClassifier``.

    Example:
        >>> parts = divide(np.arange(12), None, members=5)
        >>> parts.train.shape, [len(rows) for rows in parts.left_out]
        ((5, 10), [2, 2, 2, 2, 2])
    """
    order = shuffle(np.arange(len(known)), seed, 6)
    ending = round(len(known) * (validation_fraction or 0))
    if validation_fraction and not 1 <= ending <= len(known) - 2:
        raise ValueError(
            f"validation_fraction must leave rows on both sides; {validation_fraction} of "
            f"{len(known)} labelled rows is {ending}."
        )
    validation, rest = known[order[:ending]], np.sort(order[ending:])
    if folds is None or len(rest) < 2 * folds:
        train = np.tile(known[rest], (members, 1))
        return Division(train, [known[:0]] * members, validation)
    left_out = []
    for draw in range(-(-members // folds)):
        chosen = shuffle(rest, seed, 5, draw)[: len(rest) // folds * folds]
        if classes is not None:
            chosen = chosen[np.argsort(classes[chosen], kind="stable")]
        left_out += [np.sort(chosen[k::folds]) for k in range(folds)]
    left_out = left_out[:members]
    train = np.stack([known[np.setdiff1d(rest, rows)] for rows in left_out])
    return Division(train, [known[rows] for rows in left_out], validation)


def left_out_probabilities(
    networks: Sequence[nn.Module], sources: Sequence, left_out: list[np.ndarray], rows: int
) -> np.ndarray:
    """Average what each member says of the rows that it left out.

    Args:
        networks: the trained ones, all members in order.
        sources: where rows come from.
        left_out: row numbers, of each member.
        rows: how many there are.

    Returns:
        (rows, c); NaN where no member left a row out.
    """
    total = np.zeros((rows, networks[0].recipe.outputs))
    count = np.zeros((rows, 1))
    member = 0
    for network in networks:
        mine = left_out[member : member + network.members]
        every = np.unique(np.concatenate(mine))
        said = each_probability(network, sources, every)  # (m, len(every), c)
        for P, chosen in zip(said, mine, strict=True):
            total[chosen] += P[np.searchsorted(every, chosen)]
            count[chosen] += 1
        member += network.members
    return total / np.where(count == 0, np.nan, count)


def best_threshold(Y: np.ndarray, P: np.ndarray, known: np.ndarray | None = None) -> float:
    """Return the threshold with the best F1; of equal ones the nearest to one half.

    Args:
        Y, P: (n, c), labels and their probabilities.
        known: (n, c), bool: which labels are known; Y is 0 at the others. None: all.

    Example:
        >>> best_threshold(np.array([[1], [0]]), np.array([[0.85], [0.75]]))
        0.8
    """
    P = P if known is None else np.where(known, P, 0)  # neither hits nor errors
    scores = evaluate(Y, P, "multilabel")
    usual_first = sorted(THRESHOLDS, key=lambda t: abs(t - 0.5))  # max takes the first of equals
    return max(usual_first, key=lambda t: scores[F1_AT[t]])
