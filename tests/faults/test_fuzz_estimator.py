"""The estimator on random data and settings, half of them wrong: finite answers, or one sentence.

25 cases here. More, with a new seed each time: ``python -m tests.faults.test_fuzz_estimator 1000``.
"""

import inspect
import math
import re
import sys
import warnings
from collections import Counter

import numpy as np
import pandas as pd
import torch
from scipy.sparse import csr_array

from herocon_lite import HeroConClassifier
from tests.faults.test_fuzz_losses import pick

ARGUMENTS = [
    *inspect.signature(HeroConClassifier).parameters,
    *("views", "Y", "y", "unlabeled", "sample_weight", "eval_set"),
]
# A sentence of ours begins with the argument.
OURS = re.compile(rf"^(Unknown label type: |HeroConClassifier requires )?({'|'.join(ARGUMENTS)})\b")
FORMS = {
    "array": np.asarray,
    "float32": lambda x: np.clip(x, -3e38, 3e38).astype(np.float32),
    "objects": lambda x: np.asarray(x, dtype=object),
    "lists": lambda x: np.asarray(x).tolist(),
    "tensor": lambda x: torch.from_numpy(np.array(x, dtype=np.float64)),
    "frame": lambda x: pd.DataFrame(x).add_prefix("column "),
    "sparse": csr_array,
    "columns first": np.asfortranarray,
}
SETTINGS = {
    "alpha": [0, 0.1, 1.0, 30],
    "beta": [0, 0.1, 1.0, 30],
    "temperature": [1e-12, 1e-6, 0.05, 1.0, 1e6],
    "weighted": [True, False],
    "detach": [True, False],
    "members": [1, 2, 3],
    "folds": [None, 2, 3, 50],
    "widths": [(4,), (5, 3), [1], (4, 4, 4)],
    "dropout": [0, 0.3, 0.9],
    "scaling": ["ranks", "standard"],
    "steps": [1, 2, 4],
    "labeled_batch": [2, 3, 256],
    "unlabeled_batch": [2, 64],
    "lr": [0, 1e-4, 0.003, 0.1],
    "threshold": ["cv", 0, 0.5, 0.999],
    "class_weight": [None, "balanced"],
    "validation_fraction": [None, None, 0.2],
    "warm_start": [True, False],
    "random_state": [0, 7, 2**63 - 1, None],
    "device": ["cpu"],
    "callbacks": [None, [], [lambda progress: True]],
}
WRONG_SETTINGS = {
    "alpha": [-1, math.nan, math.inf, "1", None],
    "beta": [-0.1, math.nan, "much", [1]],
    "temperature": [0, -1, 1e-13, math.nan, math.inf, "1", None],
    "members": [0, -2, 1.5, "two", None],
    "folds": [0, 1, 2.5, "all"],
    "widths": [(0,), (-3,), 64, "64", (2.5,), None, (None,)],
    "dropout": [-0.1, 1.0, 2, math.nan, "0.3", None],
    "scaling": ["minmax", None, 3, ["ranks"]],
    "steps": [0, -5, 1.5, "many", math.nan],
    "labeled_batch": [0, 1, 2.5, None, "all"],
    "unlabeled_batch": [1, -3, None, math.inf],
    "lr": [-1e-3, math.nan, math.inf, None, "slow"],
    "threshold": [-0.1, 1.0, math.nan, "best", None],
    "class_weight": ["balance", {"no such class": 2.0}, 3, [1, 2]],
    "validation_fraction": [0, 1, -0.5, 0.999, math.nan, "half"],
    "random_state": [-1, 2**63, "seed", 1.5],
    "device": ["abacus", 3.5],
    "callbacks": [[3], ["print"]],
    "encoders": [3, [], [None], ["mlp"]],
    "view_sizes": [0, (1, 1000), (-1, 3), (1.5,), "ab"],
}


def table(rng, n, d):
    """Columns of any size, some constant, some of few values."""
    x = rng.standard_normal((n, d))
    if rng.random() < 0.4:
        x *= 10.0 ** rng.uniform(-37, 37, d)
    few = rng.random(d) < 0.3
    x[:, few] = np.round(rng.standard_normal((n, few.sum())))
    x[:, rng.random(d) < 0.15] = pick(rng, [0.0, 1.0, -3e38])
    return x


def labels(rng, n):
    """Classes or a 0/1 matrix, some rows unlabelled; every class is known twice or more."""
    known = rng.random(n) < pick(rng, [1, 0.7])
    known[:12] = True
    if rng.random() < 0.5:
        c = int(rng.integers(2, 5))
        y = np.r_[np.arange(12) % c, rng.integers(0, c, n - 12)]
        names = pick(rng, [None, list("abcd"), [7, 3, 100, 5], [0.0, 1.0, 2.0, 9.0]])
        Y = y if names is None else np.array(names)[y]
        if Y.dtype.kind == "U":
            Y = Y.astype(object)
    else:
        Y = (rng.random((n, int(rng.integers(1, 5)))) < 0.5).astype(pick(rng, [int, float, bool]))
        Y[:2, 0] = (0, 1)
        if Y.dtype != bool and rng.random() < 0.5:
            unknown = rng.random(Y.shape) < 0.4
            unknown[:4] = unknown[:, 0] = False  # each row and each column keeps a label
            Y[unknown] = pick(rng, [-1, np.nan]) if Y.dtype == float else -1
    if not known.all():
        marks = [-1, np.nan, *([None] if Y.dtype == object else [])]
        mark = pick(rng, marks)
        Y = Y.astype(float if Y.dtype != object and mark is np.nan else Y.dtype)
        Y = Y.astype(int) if Y.dtype == bool else Y
        Y[~known] = mark
    return Y


def lose_views(rng, tables):
    """Rows of NaN; the first row keeps all views, every other one at least."""
    gone = rng.random((len(tables), len(tables[0]))) < pick(rng, [0, 0.2, 0.6])
    gone[rng.integers(len(tables)), gone.all(0)] = False
    gone[:, 0] = False
    return [np.where(lost[:, None], np.nan, x) for lost, x in zip(gone, tables, strict=True)]


def arguments(rng):
    """Valid settings, what ``fit`` gets, and other rows to predict."""
    n, sizes = int(rng.integers(14, 40)), rng.integers(1, 6, int(rng.integers(1, 4))).tolist()
    form = FORMS[pick(rng, list(FORMS))]
    settings = {name: pick(rng, SETTINGS[name]) for name in SETTINGS if rng.random() < 0.6}
    settings = {"steps": 2, "members": 2, "widths": (4,), "device": "cpu", **settings}
    if joined := rng.random() < 0.3:
        settings["view_sizes"] = sizes

    def views(rows):
        made = lose_views(rng, [table(rng, rows, d) for d in sizes])
        return form(np.hstack(made)) if joined else [form(x) for x in made]

    Y = labels(rng, n)
    given = {"views": views(n), "Y": Y}
    if rng.random() < 0.4:
        given["unlabeled"] = views(int(rng.integers(1, 20)))
    if rng.random() < 0.3:
        weight = rng.uniform(0.1, 3, n)
        weight[12:][rng.random(n - 12) < 0.2] = 0
        given["sample_weight"] = weight
    if rng.random() < 0.3:
        settings["validation_fraction"] = None
        given["eval_set"] = (views(12), Y[:12])
    return settings, given, views(int(rng.integers(1, 9)))


def spoil_views(rng, views, several):
    """Return views that hold something wrong, and what."""
    one = views[0] if several else views
    if hasattr(one, "toarray"):
        one = one.toarray()
    x = np.asarray(one, dtype=np.float64).copy()
    hole, there = x.copy(), np.flatnonzero(np.isfinite(x).any(1))
    wrong = [math.inf, -math.inf, 1e39, *([math.nan] if x.shape[1] > 1 else [])]
    hole[pick(rng, there), int(rng.integers(x.shape[1]))] = pick(rng, wrong)
    nowhere = [np.full_like(x, math.nan)] * (len(views) if several else 1)
    ways = {
        "not finite": hole,
        "dates": np.clip(x, -9, 9).astype("datetime64[D]"),
        "a gradient": torch.from_numpy(x).requires_grad_(),
        "on another device": torch.from_numpy(x).to("meta"),
        "half": torch.from_numpy(x).bfloat16(),
        "words": np.full(x.shape, "oak"),
        "complex": x + 1j,
        "three axes": x[None],
        "nothing": None,
        "a number": 3.0,
        "no columns": x[:, :0],
        "no rows": x[:0],
        "ragged": [[1.0, 2.0], *[[3.0]] * (len(x) - 1)],
        "masked": np.ma.masked_array(x, np.arange(x.size).reshape(x.shape) < 1),
        "a row less": x[:-1],
        "a dict": {"x": x},
    }
    if not several:
        return ways[way := pick(rng, list(ways))], way
    way = pick(rng, [*ways, "rows without a view"])
    return (nowhere if way not in ways else [ways[way], *views[1:]]), way


def spoil_labels(rng, Y, n):
    other = np.array([("a", "b")] * n + [()], dtype=object)[:n]
    ways = {
        "a row less": Y[:-1],
        "all unlabelled": np.full(Y.shape, -1),
        "one value": np.ones(Y.shape, int),
        "three axes": np.ones((1, n, 2)),
        "a number": 1,
        "nothing": None,
        "fractions": np.linspace(0, 1, n),
        "other numbers": np.full((n, 2), 3),
        "infinite": np.where(np.arange(n) % 2, np.inf, 0.0),
        "a gradient": torch.ones(n, 2, requires_grad=True),
        "on another device": torch.ones(n, 2, device="meta"),
        "tuples": other,
        "ragged": [[0], [0, 1]] * (n // 2) + [[1]] * (n % 2),
        "a column of gaps": np.c_[np.arange(n) % 2, np.full(n, -1)],
        "plus and minus one": 2 * (np.eye(n, 2, dtype=int)) - 1,
        "sparse": csr_array(np.eye(n, 2)),
        "two kinds": np.array([1, "a"] * n, dtype=object)[:n],
        "a set": {0, 1},
        "a dict": {"y": 1},
    }
    way = pick(rng, list(ways))
    return ways[way], way


def spoil(rng, settings, given):
    """Make one argument wrong, in place; return what was done."""
    kind, n = rng.random(), len(given["Y"])
    if kind < 0.4:
        name = pick(rng, list(WRONG_SETTINGS))
        settings[name] = pick(rng, WRONG_SETTINGS[name])
        return f"{name}={settings[name]!r}"
    if kind < 0.65:
        given["views"], way = spoil_views(rng, given["views"], "view_sizes" not in settings)
        return f"views: {way}"
    if kind < 0.85:
        given["Y"], way = spoil_labels(rng, given["Y"], n)
        return f"Y: {way}"
    name, value = pick(
        rng,
        [
            ("sample_weight", -np.ones(n)),
            ("sample_weight", np.ones(n - 1)),
            ("sample_weight", np.full(n, np.nan)),
            ("sample_weight", np.zeros(n)),
            ("sample_weight", "heavy"),
            ("sample_weight", torch.ones(n, requires_grad=True)),
            ("unlabeled", np.ones((4, 100))),
            ("unlabeled", "none"),
            ("unlabeled", 3),
            ("eval_set", 3),
            ("eval_set", (given["views"],)),
            ("eval_set", (given["views"], None)),
            ("eval_set", (np.ones((4, 100)), np.ones(4))),
        ],
    )
    given[name] = value
    return f"{name}: {type(value).__name__}"


def use(model, given, others, case):
    """Every answer about the rows of ``fit`` and about others is finite and of the right shape."""
    form = np.shape(given["Y"])[1:]
    for views, rows in ((given["views"], len(given["Y"])), (others, None)):
        P = model.predict_proba(views)
        rows = rows or len(P)
        assert P.shape == (rows, *(form or model.classes_.shape)), f"{case}: {P.shape}"
        assert np.isfinite(P).all() and P.min() >= 0 and P.max() <= 1, f"{case}: {P}"
        assert form or np.allclose(P.sum(1), 1, atol=1e-4), f"{case}: {P.sum(1)}"
        assert model.predict(views).shape == (rows, *form), case
        assert np.isfinite(model.decision_function(views)).all(), f"{case}: decision"
        assert np.isfinite(model.transform(views)).all(), f"{case}: representation"
    assert 0 <= model.score(given["views"], given["Y"]) <= 1, case


def try_one(seed: int, number: int) -> str:
    """One case; return what came of it. Raises AssertionError where it must not come."""
    rng = np.random.default_rng([seed, number])
    settings, given, others = arguments(rng)
    wrong = spoil(rng, settings, given) if rng.random() < 0.5 else ""
    case = f"seed {seed}, case {number}: {wrong or settings}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # constant labels, too few steps
            model = HeroConClassifier(**settings).fit(**given)
            assert not wrong, f"{case}: accepted"
            use(model, given, others, case)
    except (ValueError, TypeError) as error:
        assert wrong, f"{case}: refused, {error}"
        assert OURS.match(str(error)) and len(str(error)) < 600, f"{case}: {error!r}"
        return "refused"
    except AssertionError:
        raise
    except Exception as error:
        raise AssertionError(f"{case}: {type(error).__name__}: {error}") from error
    return "right"


def fuzz(seed: int, cases: int) -> Counter:
    return Counter(try_one(seed, number) for number in range(cases))


def test_random_data_and_settings():
    found = fuzz(seed=0, cases=25)
    assert found["right"] > 7 and found["refused"] > 7, found


if __name__ == "__main__":
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else int(np.random.SeedSequence().entropy % 2**32)
    print(f"seed {seed}", flush=True)
    print(dict(fuzz(seed, int(sys.argv[1]))))
