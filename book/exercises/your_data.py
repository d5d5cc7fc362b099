"""Exercises of the chapter on own data: each function says whether an answer is right."""

import numpy as np


def left_out(count):
    """Ten networks are two draws of five folds, and a draw leaves out each sample once."""
    return int(count) == 2


def again(model, views, probabilities):
    """`model.save(path)` writes, `HeroConClassifier.load(path)` reads; give its `predict_proba`."""
    return np.array_equal(model.predict_proba(views), probabilities)


def alone(accuracies):
    """Fit on `few[v]` with `unlabeled=many[v]`, and `score` on `many[v]`, for each of the six v.
    The views differ by more than a tenth."""
    accuracies = np.asarray(accuracies, float)
    inside = (accuracies > 0.3).all() and (accuracies < 1).all()
    return (
        accuracies.shape == (6,) and bool(inside) and np.ptp(accuracies) > 0.1
    )
