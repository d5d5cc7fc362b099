"""Changes to HeroCon that the paper did not make, and a choice among them without test labels.

Every change is measured twice: by cross-validation inside the labelled rows, which may choose, and
on the test rows, which may only judge. Both take fewer unlabelled rows a step than the paper, so
that there can be many runs; what is chosen is then run in full.
"""

from __future__ import annotations

import math
from argparse import Namespace
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from herocon_lite.metrics import F1_AT
from herocon_lite.repro.entries import read_yaml
from herocon_lite.repro.settings import CROSS_VALIDATION, Run

if TYPE_CHECKING:
    from herocon_lite.repro.query import Store

_DATA = read_yaml("ablations.yaml", ["changes", "smaller"])
CHANGES: dict[str, dict[str, object]] = _DATA["changes"]
SMALLER: dict[str, dict[str, object]] = _DATA["smaller"]
# A candidate is a change and a threshold of the probabilities; the paper's is the first.
AS_PRINTED = ("as printed", 0.4)
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


def command(arguments: Namespace) -> int:
    """Carry out ``python -m herocon_lite beyond``."""
    from herocon_lite import memory
    from herocon_lite.repro import runner

    memory.tune_malloc()
    wanted = runs(arguments.data, arguments.seeds)
    done = runner.execute_all(wanted, arguments.folder, arguments.device)
    print(f"Ran {done}; skipped {len(wanted) - done} already stored.")
    return 0


def scores(store: Store, protocol: str) -> pd.DataFrame:
    """Return F1, one row a seed, one column a candidate; nan where it has not been run."""
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
    """Return the gain of the choice over the printed setting on test rows, in points, by seed."""
    choice = chosen(cross_validated)
    choice = choice[choice.index.isin(tested.index)]
    picked = [tested.loc[seed, name] for seed, name in choice.items()]
    return 100 * (picked - tested.loc[choice.index, AS_PRINTED]).dropna()


def best_by_test(cross_validated: pd.DataFrame, tested: pd.DataFrame) -> pd.Series:
    """Return what a seed would gain if its own test rows chose, on the seeds of :func:`gain`.

    Nobody could choose so: it is the ceiling of any choice among the candidates.
    """
    found = tested.loc[gain(cross_validated, tested).index, list(cross_validated)]
    return 100 * (found.max(axis=1) - found[AS_PRINTED])


def by_threshold(store: Store, method: str, **other) -> pd.DataFrame:
    """Return F1 of a method's runs, one row a seed, one column a threshold, the printed first."""
    columns = thresholds(store).items()
    return pd.DataFrame({t: store.runs(method, c, **other) for t, c in columns}).dropna()


def own_thresholds(store: Store, a: str, b: str) -> pd.DataFrame:
    """Return the lead of method a over b in F1, in points, one row a seed.

    Column "fixed" has both at the printed threshold, "own" each at the one it chose by
    cross-validation inside its labelled rows. HeroCon has the smaller step of all changes here.
    """
    return 100 * (_own_threshold(store, a) - _own_threshold(store, b)).dropna()


def _own_threshold(store: Store, method: str) -> pd.DataFrame:

    other = {"changes": changes(store.data, AS_PRINTED[0])} if method == "herocon" else {}
    inside, outside = (by_threshold(store, method, protocol=p, **other) for p in PROTOCOLS)
    picks = chosen(inside)  # the printed threshold is first: ties stay with it
    picks = picks[picks.index.isin(outside.index)]
    found = pd.DataFrame({"fixed": outside.loc[picks.index, AS_PRINTED[1]]})
    return found.assign(own=[outside.loc[seed, t] for seed, t in picks.items()])


def changes(data: str, name: str) -> dict[str, object]:
    """Return what ``--set`` would say: a change, and the smaller step that all of them have."""
    return SMALLER[data] | CHANGES[name]


# ------------------------------------------------------------------ the surface over α and β

GRID = (0.001, 0.01, 0.1, 1.0, 10.0)  # of α and of β
SURFACE_STEP = {"unlabeled_batch": 750}  # |N| = 999
SURFACE_SEEDS = 3


def surface(store: Store, metric: str = "f1") -> np.ndarray:
    """Return a metric over (α, β, seed) of GRID; nan where it has not been run."""
    values = np.full((len(GRID), len(GRID), SURFACE_SEEDS), np.nan)
    for i, j in np.ndindex(values.shape[:2]):
        point = SURFACE_STEP | {"alpha": GRID[i], "beta": GRID[j]}
        found = store.runs("herocon", metric, changes=point)
        values[i, j] = found.reindex(range(SURFACE_SEEDS))
    return values


class Pick(NamedTuple):
    """The best point of a surface on one seed, and its gain over a fixed point, in points."""

    point: tuple[int, int]
    promised: float  # on the seed that picked it
    kept: float  # mean of the other seeds


def pick_best(values: np.ndarray, home: tuple[int, int]) -> list[Pick]:
    """Pick the best point on each seed, by its test rows.

    Args:
        values: (α, β, seed), complete.
        home: the fixed point.
    """
    gains, found = 100 * (values - values[home]), []
    for seed in range(values.shape[2]):
        best = np.unravel_index(values[..., seed].argmax(), values.shape[:2])
        others = np.delete(gains[best], seed)
        point = int(best[0]), int(best[1])
        found.append(Pick(point, float(gains[best][seed]), float(others.mean())))
    return found


def run_noise(values: np.ndarray) -> float:
    """Return a run's standard deviation, without the effects of point and seed, in points."""
    rest = values - values.mean(2, keepdims=True)
    rest = rest - rest.mean((0, 1))
    free = (values[..., 0].size - 1) * (values.shape[2] - 1)
    return 100 * math.sqrt((rest**2).sum() / free)


def variance_shares(values: np.ndarray) -> tuple[float, float, float]:
    """Return the shares of a table's variance that its rows, its columns and the rest have."""
    rows = values.mean(1, keepdims=True) - values.mean()
    columns = values.mean(0, keepdims=True) - values.mean()
    rest = values - values.mean() - rows - columns
    every = ((np.broadcast_to(part, values.shape) ** 2).mean() for part in (rows, columns, rest))
    a, b, c = (float(share / values.var()) for share in every)
    return a, b, c
