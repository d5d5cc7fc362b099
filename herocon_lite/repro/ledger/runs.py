"""Which stored runs stand for a claim, how they differ seed by seed, and how they are told."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from herocon_lite.repro import paper, stats
from herocon_lite.repro.ledger.rules import ENOUGH
from herocon_lite.repro.stats import Interval

if TYPE_CHECKING:
    import pandas as pd

# The paper's names and ours
OURS = {
    "DNN": "dnn",
    "Info-NCE": "info-nce",
    "SupCon": "supcon",
    "CMC": "cmc",
    "MIB": "mib",
    "C2AE": "c2ae",
    "DeepMTMV": "deepmtmv",
    "HeroCon-s": "herocon-s",
    "HeroCon-u": "herocon-u",
    "HeroCon": "herocon",
    "HeroCon-u, g = 1": "herocon-u-g1",
}
ONE_VIEW = ("scene", "mnist", "celeba")  # their second view is made
# Changes under which a run still stands for the paper's cell; the row tells them.
TOLERATED = {"mnist": {"unlabeled_batch", "precision"}}
CASE_STUDY = {"views", "share", *paper.CASE_STUDY, *TOLERATED["mnist"]}  # those of Figure 2
# Changes that make a smaller run, told beside a row that has no full ones.
REDUCED = {"celeba": {"steps", "widths", "size", "precision"}}
WHY_NOT = {
    "scene": "the runs are not stored yet",
    "mnist": "the runs are not stored yet",
    "xrmb": "XRMB is not available; MOCHA stands on its own page",
    "celeba": "full size needs a GPU",
}


class Runs:
    """The stored runs, by what a claim asks for."""

    def __init__(self, frame: pd.DataFrame):
        frame = frame.copy()
        asked = {f"settings.{name}" for name in ("alpha", "beta", "unlabeled_batch")}
        for name in {"changes", "preparation", *asked} - {*frame.columns}:
            frame[name] = math.nan
        frame["changes"] = [c if isinstance(c, dict) else {} for c in frame["changes"]]
        told = [" ".join(p) if isinstance(p, list) else "" for p in frame["preparation"]]
        shares = [re.search(r"share ([\d.]+)", text) for text in told]
        frame["share"] = [float(found[1]) if found else math.nan for found in shares]
        images = [re.search(r"(\d+) of (\d+) images", text) for text in told]
        frame["partial"] = [bool(found) and found[1] != found[2] for found in images]
        # what runs that are averaged must share
        settings = [c for c in frame if c.startswith("settings.") and not c.endswith("seed")]
        same = frame[["budget", "partial", *settings]].to_numpy(object).tolist()
        frame["kind"] = [repr(values) for values in same]
        kept = asked | {"split.how", "split.checksum"}
        self.frame = frame[[c for c in frame if "." not in c or c in kept]]
        by = ["data", "base", "preset", "protocol"]
        self.groups = dict(list(self.frame.groupby(by, sort=False)))
        self.chosen: dict[tuple, pd.DataFrame] = {}  # looked up many times

    def of(
        self,
        data: str,
        method: str,
        form: str = "two_noisy",
        preset: str = "paper",
        protocol: str = "transductive",
        split: str = "paper",
        share: float | None = None,
        full: bool = True,
        views: str | None = None,
    ) -> pd.DataFrame:
        """The runs of one kind, one a seed; none if there are none.

        Where several kinds would do, the one closest to the paper that has three seeds, else the
        one with the most.

        Args:
            share: of noisy pixels, in the case study.
            full: at the paper's size; False: smaller, and else the same.
            views: another recipe for the noise, by name.
        """
        asked = (data, method, form, preset, protocol, split, share, full, views)
        if asked not in self.chosen:
            self.chosen[asked] = self._choose(*asked)
        return self.chosen[asked]

    def _choose(
        self, data, method, form, preset, protocol, split, share, full, views
    ) -> pd.DataFrame:
        f = self.groups.get((data, OURS.get(method, method), preset, protocol))
        if f is None:
            return self.frame.iloc[:0]
        f = f[f["split.how"] == split]
        if data in ONE_VIEW:
            f = f[f["form"] == form]
        if share is None:
            f, allowed = f[f["share"].isna()], TOLERATED.get(data, set())
            if views is not None:
                f = where(f, [c.get("views") == views for c in f["changes"]])
                allowed = allowed | {"views"}
        else:
            f, allowed = _as_figure_2(f[f["share"] == share]), CASE_STUDY
        sizes = zip(f["budget"], f["partial"], f["changes"], strict=True)
        wanted = [b == "paper" and not part and set(c) <= allowed for b, part, c in sizes]
        if not full:
            smaller = [set(c) <= REDUCED.get(data, set()) for c in f["changes"]]
            wanted = [s and not whole for s, whole in zip(smaller, wanted, strict=True)]
        f = where(f, wanted)
        if f.empty:
            return f
        kinds = [g for _, g in f.groupby("kind", sort=False)]
        groups = [g.drop_duplicates("seed", keep="last") for g in kinds]
        return max(groups, key=_standing)

    def difference(
        self, a: pd.DataFrame, b: pd.DataFrame, metric: str
    ) -> tuple[Interval | None, int]:
        """Interval of a − b over common seeds and splits, and how many there are."""
        first, second = (
            dict(zip(zip(f["seed"], f["split.checksum"], strict=True), f[metric], strict=True))
            for f in (a, b)
        )
        gaps = [first[k] - second[k] for k in first if k in second]
        gaps = [gap for gap in gaps if not math.isnan(gap)]  # older runs lack a metric
        return (stats.interval(gaps) if len(gaps) >= ENOUGH else None), len(gaps)


def _as_figure_2(f: pd.DataFrame) -> pd.DataFrame:
    """Runs with the case study's own α and β, where the method has them."""
    for name, value in paper.CASE_STUDY.items():
        f = f[f[f"settings.{name}"].isin([value, math.nan])]
    return f


def _standing(group: pd.DataFrame) -> tuple[bool, float, int]:
    """Enough seeds, then more rows a step (all, the most), then more seeds."""
    rows = group["settings.unlabeled_batch"].iloc[0]
    return len(group) >= ENOUGH, math.inf if math.isnan(rows) else rows, len(group)


def where(frame: pd.DataFrame, flags: Sequence[bool]) -> pd.DataFrame:
    """The flagged rows; a plain list would choose columns when it is empty."""
    return frame[np.array(flags, dtype=bool)]


def level_text(found: Interval, n: int) -> str:
    return f"{found.mean:.4f}" if n == 1 else f"{found.mean:.4f} [{found.lo:.4f}, {found.hi:.4f}]"


def points_text(found: Interval) -> str:
    """A difference in points, hundredths of the metric."""
    mean, lo, hi = (f"{100 * v:+.2f}".replace("-", "−") for v in (found.mean, found.lo, found.hi))
    return f"{mean} [{lo}, {hi}]"


def budget_text(runs: pd.DataFrame) -> str:
    changes = runs["changes"].iloc[0]
    told = "".join(f", {name} {value}" for name, value in changes.items())
    return f"{runs['budget'].iloc[0]}{told}"


# ------------------------------------------------------------------ several pairs at once


class Pair(NamedTuple):
    """Two kinds of runs whose difference is asked for."""

    label: str
    a: pd.DataFrame
    b: pd.DataFrame
    state: Callable[[Interval | None, int], str]  # of the difference and its number of seeds
    metric: str = "f1"


class Asked(NamedTuple):
    states: list[str]
    shown: list[tuple[str, str]]  # (state, what to print) of the pairs that have an interval
    seeds: int  # the least
    budget: str


def ask(runs: Runs, pairs: list[Pair]) -> Asked:
    states, shown, seeds, budgets = [], [], [], {}
    for label, a, b, state, metric in pairs:
        gap, n = runs.difference(a, b, metric)
        states.append(state(gap, n))
        if gap is not None:
            seeds.append(n)
            budgets |= dict.fromkeys([budget_text(a), budget_text(b)])
            shown.append((states[-1], f"{label}: {points_text(gap)}"))
    return Asked(states, shown, min(seeds, default=0), " / ".join(budgets) or "–")
