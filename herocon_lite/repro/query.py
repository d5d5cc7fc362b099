"""The records as tables: one way to ask for them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from herocon_lite.repro.stats import interval
from herocon_lite.repro.store import KEYS, Record, _given, _unknown, read

METRICS = ("f1", "auc")
CASE_STUDY_ROWS = 500  # unlabelled, a step
GROUP = ["method", "preset", "form", "protocol", "budget"]  # a row of a table


ALWAYS = [  # columns, also where no run has them
    *("base", "f1", "auc", "changes", "cpu_seconds", "split.how", "split.checksum"),
    *("images.used", "images.of", "settings.share", "settings.alpha", "settings.beta"),
    "settings.unlabeled_batch",
]
COLUMNS = [*GROUP, "seeds", "f1", "f1_lo", "f1_hi", "auc", "auc_lo", "auc_hi"]


def load(folder: str | Path, **where) -> pd.DataFrame:
    """Load the records as a table, one row a run.

    Metrics are columns (``f1``, ``auc``, …); so are the parts of settings and split, as
    ``settings.alpha`` or ``split.how``. ``key`` names the run. A run with changed settings says so
    in its method: ``herocon (temperature=0.5)``.

    Args:
        where: what a column must be, one value or a list of them; two underscores stand for the
            dot: ``load("results", data="scene", split__how="paper", seed=range(5))``.
    """
    one = where.get("data")
    records = read(folder, one if isinstance(one, str) else None)
    names = [name for name in KEYS if name not in ("metrics", "settings", "split")]
    frame = pd.DataFrame([_row(r) | {"key": k} for k, r in records.items()])
    always = [*names, *ALWAYS, "key"]
    frame = frame.reindex(columns=list(dict.fromkeys([*always, *frame.columns])))
    measured = {name for record in records.values() for name in record["metrics"]}
    frame = frame.astype(dict.fromkeys({"f1", "auc", *measured}, float))
    return select(frame, **where).reset_index(drop=True)


def select(frame: pd.DataFrame, **where) -> pd.DataFrame:
    """Select the rows whose columns are as required; see :func:`load`."""
    for name, wanted in where.items():
        column = name.replace("__", ".")
        if column not in frame:
            raise ValueError(_unknown(column, "column", frame.columns))
        frame = frame[_matches(frame[column], wanted)]
    return frame


def paired_differences(
    a: pd.DataFrame, b: pd.DataFrame, metric: str = "f1", same: Iterable[str] = ("seed",)
) -> pd.Series:
    """Return paired differences a − b in points (hundredths), by seed.

    Args:
        a, b: runs of one kind each, one a seed.
        metric: a column of both; runs without it are left out.
        same: what the runs of a pair share, such as ``("seed", "split.checksum")``.
    """
    both = a[[*same, metric]].merge(b[[*same, metric]], on=[*same], suffixes=("_a", "_b"))
    gaps = 100 * (both[f"{metric}_a"] - both[f"{metric}_b"])
    return gaps.set_axis(both["seed"]).sort_index().dropna()


def _row(record: Record) -> dict[str, Any]:
    nested = {name: record[name] or {} for name in ("settings", "split", "images")}
    row = {k: v for k, v in record.items() if k not in (*nested, "metrics")}
    row["base"] = row["method"]
    if record["changes"]:  # a method of its own: never averaged with the unchanged one by mistake
        row["method"] = f"{row['method']} ({format_overrides(record['changes'])})"
    nested["settings"] = _given(record["settings"])
    return row | record["metrics"] | _flat(nested)


def format_overrides(changes: dict[str, Any]) -> str:
    """Format settings as one text, the same however they are ordered and their numbers spelt."""

    def spelt(value) -> str:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return f"{value:.15g}" if number else str(value)

    return ", ".join(f"{name}={spelt(value)}" for name, value in sorted(changes.items()))


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
    """Average runs: one row per method, preset, form, protocol and budget: F1 and AUC with
    intervals over seeds.

    Args:
        frame: what :func:`load` returned, of one data set. Runs that share a row must differ in
            nothing but the seed; if they do not, an error says in what, for ``load`` to choose.
    """
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
    """Subtract the runs of one method, F1 and AUC, for :func:`table` to average.

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


def _settings(frame: pd.DataFrame) -> list[str]:
    return [c for c in frame if c.startswith("settings.") and not c.endswith("seed")]


def _check_alike(name: str, runs: pd.DataFrame) -> None:
    """Runs that are averaged must be of one kind, each seed once."""
    for column in ["split.how", *_settings(runs)]:
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
        frame = load(folder, data=data, budget=budget).rename(columns={"split.how": "split"})
        frame["changes"] = [format_overrides(c) for c in frame["changes"]]
        frame["method"] = frame["base"]  # changes have a column of their own
        frame["cost"] = frame["cpu_seconds"].fillna(frame["seconds"])  # older runs: wall time
        self.data, self.budget, self.frame = data, budget, frame
        self.usual = {"preset": "paper", "protocol": "transductive", "split": "paper"} | usual

    def select(self, method: str, **other) -> pd.DataFrame:
        """Select the runs of a kind, one a seed; none if there are none."""
        kind = {"changes": {}} | self.usual | {"method": method} | other
        kind["changes"] = format_overrides(self._overrides(kind))
        kept = select(self.frame, **kind)
        if kept["seed"].duplicated().any():
            raise ValueError(f"every seed must count once, but some have several runs of {kind}.")
        return kept

    def runs(self, method: str, metric: str = "f1", **other) -> pd.Series:
        """Return one column of the runs of a kind, by seed; empty if there are none."""
        return self.select(method, **other).set_index("seed")[metric].sort_index()

    def _overrides(self, kind: Mapping) -> dict[str, object]:
        from herocon_lite.repro.settings import Run, non_default_overrides  # needs torch

        overrides = dict(kind["changes"])
        run = Run(
            self.data,
            kind["method"],
            budget=self.budget,
            preset=kind["preset"],
            form=kind.get("form") or "two_noisy",
            views=overrides.pop("views", None),
            overrides=tuple(overrides.items()),
        )
        return non_default_overrides(run)

    def difference(self, a: Mapping, b: Mapping, metric: str = "f1") -> pd.Series:
        """Return a − b in points (hundredths), on the seeds that both kinds have."""
        return paired_differences(self.select(**a), self.select(**b), metric)


def case_study(method: str, share: float) -> dict[str, object]:
    """Return the kind of our runs of Figure 2: its α and β, 500 unlabelled rows a step,
    bfloat16."""
    from herocon_lite import methods
    from herocon_lite.repro import paper

    changes = {"share": share, "views": "gaussian", "precision": "bfloat16"}
    changes |= {k: v for k, v in paper.CASE_STUDY.items() if k in methods.method_params(method)}
    rows = {"unlabeled_batch": CASE_STUDY_ROWS} if "alpha" in changes else {}
    return {"method": method, "changes": changes | rows}
