"""Exercises of the chapter on Noisy MNIST: each function says whether an answer is right."""

import numpy as np
from scipy import stats
from scipy.special import expit, softmax

from herocon_lite.metrics import evaluate, hard_auc


def area(value, matters):
    """Put a = 0.9 and K = 10 into the formula. Then ask whether it has a place for which digits are
    confused."""
    return abs(value - hard_auc(0.9, 10)) < 0.0005 and not matters


def same_decisions(change):
    """Softmax does not change if one number is added to all ten logits of a sample. Give each
    sample a number of its own."""
    truth = np.repeat(np.arange(10), 200)
    Y = np.eye(10)[truth]
    logits = 3.1 * Y + np.random.default_rng(2).normal(size=Y.shape)
    moved = np.asarray(change(logits.copy()), float)
    if moved.shape != logits.shape:
        return False
    same = np.allclose(softmax(moved, axis=1), softmax(logits, axis=1))
    return same and evaluate(Y, expit(moved), "multiclass")["auc"] < 0.85


def coverage(share):
    """Simulate 20,000 times five scores that share one u, and count the t intervals around zero."""
    random = np.random.default_rng(1)
    score = 2 * random.normal(size=(50_000, 1)) + random.normal(
        size=(50_000, 5)
    )
    half = stats.t.ppf(0.975, 4) / np.sqrt(5) * score.std(1, ddof=1)
    return abs(share - (np.abs(score.mean(1)) < half).mean()) < 0.02
