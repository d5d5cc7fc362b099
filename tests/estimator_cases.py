"""A quick estimator for tests; the problem it learns is the fixture ``toy``."""

import numpy as np

from herocon_lite import HeroConClassifier

QUICK = {
    "steps": 8,
    "widths": (16,),
    "members": 2,
    "folds": None,
    "unlabeled_batch": 50,
    "lr": 0.02,
    "random_state": 0,
    "threshold": 0.5,
}


def quick(**options) -> HeroConClassifier:
    return HeroConClassifier(**{**QUICK, **options})


def same(a: HeroConClassifier, b: HeroConClassifier, views) -> bool:
    return np.array_equal(a.predict_proba(views), b.predict_proba(views))
