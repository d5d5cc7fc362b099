"""Changes to HeroCon that the paper did not make, and a choice among them without test labels.

Every change is measured twice: by cross-validation inside the labelled rows, which may choose, and
on the test rows, which may only judge. Both take fewer unlabelled rows a step than the paper, so
that there can be many runs; what is chosen is then run in full.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from herocon_lite.metrics import F1_AT
from herocon_lite.repro.settings import CROSS_VALIDATION, Run

if TYPE_CHECKING:
    import pandas as pd

    from herocon_lite.repro.query import Store

CHANGES: dict[str, dict[str, object]] = {
    "as printed": {},
    "τ = 0.5": {"temperature": 0.5},
    "τ = 0.2": {"temperature": 0.2},
    "τ = 0.1": {"temperature": 0.1},
    "detached weights": {"detach": True},
    "anchors in both views": {"symmetric": True},
    "no projector": {"projector": "none"},
    "deeper projector": {"projector": "deep"},
    "σ outside the log": {"sigma_outside": True},
    "cosine schedule": {"decay": "cosine"},
    "views averaged": {"fusion": "mean"},
}
# A candidate is a change and a threshold of the probabilities; the paper's is the first.
AS_PRINTED = ("as printed", 0.4)
# Rows a step, for all of them alike: |N| = 419 on Scene, 499 on MOCHA, 399 on N-MNIST.
SMALLER: dict[str, dict[str, object]] = {
    "scene": {"unlabeled_batch": 300},
    "mocha": {"unlabeled_batch": 250},
    "mnist": {"unlabeled_batch": 200, "precision": "bfloat16"},
}
PROTOCOLS = (CROSS_VALIDATION, "transductive")
JUDGED_ONLY = ("mnist",)  # five folds of convolutions take too long; what others chose is judged


def runs(data: str, seeds: Iterable[int]) -> list[Run]:
    """List all changes under both protocols, seed by seed, so that a part of them is of use."""
    return [
        Run(
            data,
            "herocon",
            seed,
            "paper",
            protocol=protocol,
            overrides=tuple(changes(data, name).items()),
        )
        for seed in seeds
        for protocol in PROTOCOLS[data in JUDGED_ONLY :]
        for name in CHANGES
    ]


def scores(store: Store, protocol: str) -> pd.DataFrame:
    """Return F1, one row a seed, one column a candidate; nan where it has not been run."""
    import pandas as pd

    found = {
        (name, threshold): store.runs(
            "herocon", metric, protocol=protocol, changes=changes(store.data, name)
        )
        for name in CHANGES
        for threshold, metric in thresholds(store).items()
    }
    return pd.DataFrame(found)


def thresholds(store: Store) -> dict[float, str]:
    """Return the column that holds F1 at each threshold; where a row has one class there is one."""
    return {t: c for t, c in F1_AT.items() if c in store.frame and store.frame[c].notna().any()}


def chosen(cross_validated: pd.DataFrame) -> pd.Series:
    """Each seed's best candidate by its own labelled rows; ties stay with what is printed.

    Seeds that lack a run are left out: a choice among some is another choice.
    """
    whole = cross_validated.dropna()
    return whole.idxmax(axis=1)  # of equal ones the first, and AS_PRINTED is first


def gain(cross_validated: pd.DataFrame, tested: pd.DataFrame) -> pd.Series:
    """Return what the choice brings on the test rows over what is printed, in points, by seed."""
    choice = chosen(cross_validated)
    choice = choice[choice.index.isin(tested.index)]
    picked = [tested.loc[seed, name] for seed, name in choice.items()]
    return 100 * (picked - tested.loc[choice.index, AS_PRINTED]).dropna()


def own_thresholds(store: Store, a: str, b: str) -> pd.DataFrame:
    """Return the lead of method a over b in F1, in points, one row a seed.

    Column "fixed" has both at the printed threshold, "own" each at the one it chose by
    cross-validation inside its labelled rows. HeroCon has the smaller step of all changes here.
    """
    return 100 * (_own_threshold(store, a) - _own_threshold(store, b)).dropna()


def _own_threshold(store: Store, method: str) -> pd.DataFrame:
    import pandas as pd

    other = {"changes": changes(store.data, AS_PRINTED[0])} if method == "herocon" else {}
    columns = thresholds(store)  # the printed one first: ties stay with it
    inside, outside = (
        pd.DataFrame(
            {t: store.runs(method, c, protocol=protocol, **other) for t, c in columns.items()}
        ).dropna()
        for protocol in PROTOCOLS
    )
    picks = chosen(inside)
    picks = picks[picks.index.isin(outside.index)]
    found = pd.DataFrame({"fixed": outside.loc[picks.index, AS_PRINTED[1]]})
    return found.assign(own=[outside.loc[seed, t] for seed, t in picks.items()])


def changes(data: str, name: str) -> dict[str, object]:
    """Return what ``--set`` would say: a change, and the smaller step that all of them have."""
    return SMALLER[data] | CHANGES[name]
