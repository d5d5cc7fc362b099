"""The records as tables: one way to ask for them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from herocon_lite.repro.stats import interval
from herocon_lite.repro.store import KEYS, Record, _given, _unknown, read

if TYPE_CHECKING:
    import pandas as pd

    Answers = dict[tuple[str, str], pd.Series]  # (question, metric): a difference a seed

METRICS = ("f1", "auc")
CASE_STUDY_ROWS = 500  # unlabelled, a step
GROUP = ["method", "preset", "form", "protocol", "budget"]  # a row of a table


COLUMNS = [*GROUP, "seeds", "f1", "f1_lo", "f1_hi", "auc", "auc_lo", "auc_hi"]


def load(folder: str | Path, **where) -> pd.DataFrame:
    """The records as a table, one row a run.

    Metrics are columns (``f1``, ``auc``, …); so are the parts of settings and split, as
    ``settings.alpha`` or ``split.how``. ``key`` names the run. A run with changed settings says so
    in its method: ``herocon (temperature=0.5)``.

    Args:
        where: what a column must be, one value or a list of them; two underscores stand for the
            dot: ``load("results", data="scene", split__how="paper", seed=range(5))``.
    """
    import pandas as pd

    records = read(folder)
    names = [name for name in KEYS if name not in ("metrics", "settings", "split")]
    frame = pd.DataFrame([_row(r) | {"key": k} for k, r in records.items()])
    always = [*names, "base", "f1", "auc", "split.how", "split.checksum"]  # without runs, too
    frame = frame.reindex(columns=list(dict.fromkeys([*always, *frame.columns, "key"])))
    measured = {name for record in records.values() for name in record["metrics"]}
    frame = frame.astype(dict.fromkeys({"f1", "auc", *measured}, float))
    for name, wanted in where.items():
        column = name.replace("__", ".")
        if column not in frame:
            raise ValueError(_unknown(column, "column", frame.columns))
        frame = frame[_matches(frame[column], wanted)]
    return frame.reset_index(drop=True)


def _row(record: Record) -> dict[str, Any]:
    row = {k: v for k, v in record.items() if k not in ("metrics", "settings", "split")}
    row["base"] = row["method"]
    changes = record.get("changes") or {}
    if changes:  # a method of its own: nobody averages it with the unchanged one by mistake
        row["method"] = f"{row['method']} ({format_overrides(changes)})"
    nested = {"settings": _given(record["settings"]), "split": record["split"]}
    return row | record["metrics"] | _flat(nested)


def format_overrides(changes: dict[str, Any]) -> str:
    """Settings as one text, the same however they are ordered and their numbers spelt."""

    def told(value) -> str:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return f"{value:.15g}" if number else str(value)

    return ", ".join(f"{name}={told(value)}" for name, value in sorted(changes.items()))


def _flat(nested: dict, prefix: str = "") -> dict[str, Any]:
    flat = {}
    for name, value in nested.items():
        deeper = isinstance(value, dict)
        flat |= _flat(value, f"{prefix}{name}.") if deeper else {f"{prefix}{name}": value}
    return flat


def _matches(column: pd.Series, wanted) -> pd.Series:
    many = isinstance(wanted, Iterable) and not isinstance(wanted, str)
    return column.isna() if wanted is None else column.isin(list(wanted) if many else [wanted])


def table(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per method, preset, form, protocol and budget: F1 and AUC with intervals over seeds.

    Args:
        frame: what :func:`load` returned, of one data set. Runs that share a row must differ in
            nothing but the seed; if they do not, an error says in what, for ``load`` to choose.
    """
    import pandas as pd

    if frame["data"].nunique() > 1:
        raise ValueError(
            f"frame must hold one data set; it holds {', '.join(sorted(set(frame['data'])))}. "
            "Choose with load(folder, data=…)."
        )
    rows = []
    for group, runs in frame.groupby(GROUP, sort=False, dropna=False):
        _check_alike(" ".join(str(g) for g in group if not pd.isna(g)), runs)
        f1, auc = interval(runs["f1"]), interval(runs["auc"])
        rows.append([*group, len(runs), f1.mean, f1.lo, f1.hi, auc.mean, auc.lo, auc.hi])
    return pd.DataFrame(rows, columns=COLUMNS)


def against(frame: pd.DataFrame, method: str) -> pd.DataFrame:
    """Runs less those of one method, F1 and AUC, for :func:`table` to average.

    A run and what is subtracted have the same seed and split, preset, form, protocol and budget;
    runs without such a partner are left out.
    """
    usual = frame[frame["method"] == method]
    if usual.empty:
        raise ValueError(_unknown(method, "method with finished runs", sorted({*frame["method"]})))
    for _, runs in usual.groupby(["data", "split.how", *GROUP], dropna=False):
        _check_alike(method, runs)
    same = ["data", *GROUP[1:], "seed", "split.how", "split.checksum"]
    others = frame[frame["method"] != method]
    both = others.merge(usual[[*same, "f1", "auc"]], on=same, suffixes=("", "_usual"))
    if both.empty:
        raise ValueError(
            f"No run of another method has the seed, split and budget of one of {method}'s."
        )
    return both.assign(f1=both["f1"] - both["f1_usual"], auc=both["auc"] - both["auc_usual"])


def _check_alike(name: str, runs: pd.DataFrame) -> None:
    """Runs that are averaged must be of one kind, each seed once."""
    settings = [c for c in runs if c.startswith("settings.") and not c.endswith("seed")]
    for column in ["split.how", *settings]:
        if column in runs:
            kinds = sorted({json.dumps(v, default=str) for v in runs[column]})
            if len(kinds) > 1:
                raise ValueError(
                    f"{name}: runs that are averaged must be of one kind, but {column} is "
                    f"{' and '.join(kinds)}. Choose, for instance with "
                    f"load(folder, {column.replace('.', '__')}={kinds[0]})."
                )
    twice = runs.loc[runs["seed"].duplicated(), "seed"]
    if len(twice):
        raise ValueError(
            f"{name}: every seed must count once, but seed {twice.iloc[0]} has several runs "
            "with the same settings and different splits. Choose with load(folder, …)."
        )


class Store:
    """The finished runs on one data set with one budget, by kind.

    A kind is a method and whatever differs from the usual: ``{"method": "herocon", "form":
    "eq4"}``. ``changes`` are those of the command line's ``--set``; usually there are none, and
    one that asks for the usual value is none, as in a record.
    """

    def __init__(self, folder: str | Path, data: str, budget: str = "paper", **usual):
        frame = load(folder, data=data, budget=budget)
        frame = frame.rename(columns={"split.how": "split"})
        for column in {"changes", "cpu_seconds"} - {*frame.columns}:  # younger than the store
            frame[column] = math.nan
        frame["changes"] = [_changes(c) for c in frame["changes"]]
        frame["method"] = frame["base"]  # changes have a column of their own
        frame["cost"] = frame["cpu_seconds"].fillna(frame["seconds"])  # older runs: wall time
        self.data, self.budget, self.frame = data, budget, frame
        self.usual = {"preset": "paper", "protocol": "transductive", "split": "paper"} | usual

    def runs(self, method: str, metric: str = "f1", **other) -> pd.Series:
        """One column of the runs of a kind, by seed; empty if there are none."""
        kind = {"changes": {}} | self.usual | {"method": method} | other
        kind["changes"] = _changes(self._real_changes(kind))
        columns = ((self.frame[name], wanted) for name, wanted in kind.items())
        fits = [c.isna() if wanted is None else c == wanted for c, wanted in columns]
        kept = self.frame.loc[np.logical_and.reduce(fits), ["seed", metric]]
        if kept["seed"].duplicated().any():
            raise ValueError(f"every seed must count once, but some have several runs of {kind}.")
        return kept.set_index("seed")[metric].sort_index()

    def _real_changes(self, kind: Mapping) -> dict[str, object]:
        from herocon_lite.repro import settings

        changes = dict(kind["changes"])
        preset, form = kind["preset"], kind.get("form")
        run = settings.Run(
            self.data,
            kind["method"],
            budget=self.budget,
            preset=preset,
            form=form or "two_noisy",
            views=changes.pop("views", None),
            changes=tuple(changes.items()),
        )
        usual = settings.setting(self.data, preset, self.budget)
        return settings.real_changes(run, usual)

    def difference(self, a: Mapping, b: Mapping, metric: str = "f1") -> pd.Series:
        """a − b in points (hundredths), on the seeds that both kinds have."""
        import pandas as pd

        pairs = [self.runs(metric=metric, **kind) for kind in (a, b)]
        pairs = pd.concat(pairs, axis=1, join="inner")
        return 100 * (pairs.iloc[:, 0] - pairs.iloc[:, 1]).dropna()  # older runs lack a metric

    def differences(self, pairs: Mapping[str, tuple[Mapping, Mapping]]) -> Answers:
        """The same for named questions (a, b), in F1 and in AUC."""
        asked = product(pairs.items(), METRICS)
        return {(name, metric): self.difference(*pair, metric) for (name, pair), metric in asked}


def case_study(method: str, share: float) -> dict[str, object]:
    """The kind of our runs of Figure 2: its α and β, 500 unlabelled rows a step, bfloat16."""
    from herocon_lite import methods
    from herocon_lite.repro import paper

    changes = {"share": share, "views": "gaussian", "precision": "bfloat16"}
    changes |= {k: v for k, v in paper.CASE_STUDY.items() if k in methods.method_params(method)}
    rows = {"unlabeled_batch": CASE_STUDY_ROWS} if "alpha" in changes else {}
    return {"method": method, "changes": changes | rows}


def _changes(changes) -> str:
    """Settings as one text; nan, of older records, is none."""
    return format_overrides(changes) if isinstance(changes, Mapping) else ""
