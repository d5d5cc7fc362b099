"""What the book's experiment chapters share: asking the record of runs, and saying what it says.

Sentences are made from the intervals alone, so that a page stays true while runs are added.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from herocon_lite.repro import query, stats

if TYPE_CHECKING:
    import pandas as pd
    from IPython.display import Markdown

    from herocon_lite.repro.ledger import Row

    Answers = dict[tuple[str, str], pd.Series]  # (question, metric): a difference a seed

METRICS = ("f1", "auc")
CASE_STUDY_ROWS = 500  # unlabelled, a step
NO_BREAK = "\u00a0"  # keeps the ends of an interval on one line of a table

# ------------------------------------------------------------------ asking


class Store:
    """The finished runs on one data set with one budget, by kind.

    A kind is a method and whatever differs from the usual: ``{"method": "herocon", "form":
    "eq4"}``. ``changes`` are those of the command line's ``--set``; usually there are none, and
    one that asks for the usual value is none, as in a record.
    """

    def __init__(self, folder: str | Path, data: str, budget: str = "paper", **usual):
        frame = query.load(folder, data=data, budget=budget)
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

    def commands(self, wanted: Sequence[tuple[Sequence[str], Mapping, int]]) -> Markdown:
        """Commands that make runs again, and what the stored ones cost.

        Args:
            wanted: (methods, what differs from the usual, seeds) of each command.
        """
        import pandas as pd

        rows, calls = [], []
        for methods, other, seeds in wanted:
            call = f"python -m herocon_lite run {self.data} {' '.join(methods)}"
            flags = dict(other)
            changes = dict(flags.pop("changes", {}))
            if "views" in changes:  # a record counts them as a change, the command has a flag
                flags["views"] = changes.pop("views")
            if changes:
                flags["set"] = " ".join(f"{k}={v}" for k, v in changes.items())
            call += "".join(f" --{name} {value}" for name, value in flags.items())
            call = _wrapped(f"{call} --budget {self.budget} --seeds {seeds}")
            calls.append(f"# {len(calls) + 1}\n{call}")
            cost, peak = (
                pd.concat([self.runs(m, column, **other).loc[: seeds - 1] for m in methods])
                for column in ("cost", "peak_mib")
            )
            cells = ["–", "–", "–"]
            if len(cost):
                minutes = cost.sum() / 60
                cells = [f"{minutes:.0f}" if minutes > 9 else f"{minutes:.1f}"]
                cells += [f"{cost.max():.0f}", f"{peak.max() / 1024:.1f}"]
            rows.append([len(calls), f"{len(cost)} of {seeds * len(methods)}", *cells])
        heads = ["No.", "runs stored", "minutes, all", "longest run (s)", "peak (GiB)"]
        return table(heads, rows, "```sh\n" + "\n".join(calls) + "\n```\n\n")


def case_study(method: str, share: float) -> dict[str, object]:
    """The kind of our runs of Figure 2: its α and β, 500 unlabelled rows a step, bfloat16."""
    from herocon_lite import methods
    from herocon_lite.repro import paper

    changes = {"share": share, "views": "gaussian", "precision": "bfloat16"}
    changes |= {k: v for k, v in paper.CASE_STUDY.items() if k in methods.settings(method)}
    rows = {"unlabeled_batch": CASE_STUDY_ROWS} if "alpha" in changes else {}
    return {"method": method, "changes": changes | rows}


def _changes(changes) -> str:
    """Settings as one text; nan, of older records, is none."""
    return query.told_changes(changes) if isinstance(changes, Mapping) else ""


def _wrapped(call: str) -> str:
    """A long command on several lines, as a shell takes them."""
    words = {"break_long_words": False, "break_on_hyphens": False}
    return " \\\n".join(textwrap.wrap(call, 70, subsequent_indent="    ", **words))


# ------------------------------------------------------------------ saying


def table(heads: Sequence, rows: Iterable[Sequence], above: str = "") -> Markdown:
    """A Markdown table for a cell's output, and what stands above it."""
    from IPython.display import Markdown

    cells = [heads, ["---"] * len(heads), *rows]
    return Markdown(above + "\n".join(f"| {' | '.join(map(str, row))} |" for row in cells))


def printed_table(data: str) -> Markdown:
    """The paper's own rows for a data set, and how sure five repetitions can be of an F1."""
    from herocon_lite.repro import paper

    rows = []
    for name, cell in paper.RESULTS[data].items():
        reach = stats.reach(cell.f1_sd, paper.REPETITIONS)
        ends = [100 * (cell.f1 + sign * reach) for sign in (-1, 1)]
        cells = [f"{cell.f1:.4f} ± {cell.f1_sd:.4f}", f"{cell.auc:.4f} ± {cell.auc_sd:.4f}"]
        rows.append([name, *cells, f"{ends[0]:.1f} to {ends[1]:.1f}"])
    heads = [f"method, {paper.TITLES[data]}", "F1", "AUC", "95 % of F1, in points"]
    return table(heads, rows)


def printed_apart(data: str, a: str, b: str) -> bool:
    """Whether Welch's test tells the F1 of two of the paper's rows apart, at 5 %."""
    from scipy.stats import ttest_ind_from_stats

    from herocon_lite.repro import paper

    rows = (paper.RESULTS[data][name] for name in (a, b))
    cells = [n for cell in rows for n in (cell.f1, cell.f1_sd, paper.REPETITIONS)]
    return bool(ttest_ind_from_stats(*cells, equal_var=False).pvalue < 0.05)


def switched_on(preset: str) -> str:
    """Which points of the public code a preset has."""
    from herocon_lite import losses

    found = [name for name, on in vars(losses.PRESETS[preset]).items() if on]
    return ", ".join(f"`{name}`" for name in found) or "none"


FEW = ("not run yet", "one run", "two runs")  # too few for an interval that says anything


def level(found: pd.Series, digits: int = 4) -> str:
    """Mean and 95 % interval of some runs; one or two are said to be that."""
    if len(found) == 0:
        return FEW[0]
    mean, _, lo, hi = (f"{value:.{digits}f}" for value in stats.interval(found))
    return f"{mean}, {FEW[len(found)]}" if len(found) < 3 else f"{mean} [{lo},{NO_BREAK}{hi}]"


def in_points(found: pd.Series) -> str:
    """Mean and 95 % interval of paired differences, in points; of one or two the mean alone."""
    if len(found) == 0:
        return "–"
    mean, _, lo, hi = (f"{value:+.2f}" for value in stats.interval(found))
    return (mean if len(found) < 3 else f"{mean} [{lo},{NO_BREAK}{hi}]").replace("-", "−")


def in_words(found: pd.Series, aim: int, tests: int = 1) -> str:
    """What paired differences say, and no more.

    Args:
        aim: how many seeds are wanted; fewer are mentioned.
        tests: how many differences are looked at together. One in twenty excludes zero by chance;
            where Bonferroni's wider interval would not, that is said.
    """
    n = len(found)
    if n < 3:
        return FEW[n]
    mean, sd, lo, hi = stats.interval(found)
    few = f" ({n} seeds so far)" if n < aim else ""
    if lo <= 0 <= hi:
        return f"not told apart{few}"
    wide = stats.reach(sd, n, tests)
    chance = f", but may be chance among {tests}" if abs(mean) <= wide else ""
    return f"{'better' if lo > 0 else 'worse'}{chance}{few}"


def side(found: pd.Series) -> int | None:
    """On which side of zero the interval lies: +1, −1, or 0 for both; None: too few runs."""
    if len(found) < len(FEW):
        return None
    ends = stats.interval(found)
    return int(ends.lo > 0) - int(ends.hi < 0)


def difference_table(
    answers: Answers,
    aim: int | Mapping[str, int],
    first: str = "question",
    beside: tuple[str, Mapping[str, str]] | None = None,
) -> Markdown:
    """One row a question: its seeds, and what they say in F1 and in AUC.

    Args:
        answers: of :meth:`Store.differences`; all of them are looked at together.
        aim: how many seeds are wanted, of all questions or by question.
        first: head of the first column.
        beside: head and cells of a second column, for those questions that have one.
    """
    rows = []
    for name in dict.fromkeys(name for name, _ in answers):
        wanted = aim[name] if isinstance(aim, Mapping) else aim
        more = [beside[1].get(name, "–")] if beside else []
        row = [name, *more, len(answers[name, METRICS[0]])]
        for metric in METRICS:
            found = answers[name, metric]
            row += [in_points(found), in_words(found, wanted, len(answers))]
        rows.append(row)
    heads = [first, *(beside[:1] if beside else []), "seeds"]
    heads += ["F1 [95 %]", "so F1 is", "AUC [95 %]", "so AUC is"]
    return table(heads, rows)


def verdicts(entries: Iterable[Row]) -> Markdown:
    """Rows of the ledger, as a chapter shows them."""
    heads = ["No.", "claim", "paper", "ours", "verdict", "why"]
    rows = [[e.number, e.claim, e.paper, e.ours, f"**{e.verdict}**", e.why] for e in entries]
    return table(heads, rows)
