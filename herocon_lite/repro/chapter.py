"""What the book's chapters show of stored runs, by calls of one line."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from herocon_lite.repro import stats
from herocon_lite.repro.query import METRICS, Store
from herocon_lite.repro.text import describe, format_diff, table

if TYPE_CHECKING:
    from IPython.display import Markdown

    from herocon_lite.repro.ledger import Row
    from herocon_lite.repro.query import Answers


def paper_table(data: str) -> Markdown:
    """Show the paper's own rows for a data set, with the 95 % interval of five repetitions' F1."""
    from herocon_lite.repro import paper

    rows = []
    for name, cell in paper.RESULTS[data].items():
        half = stats.ci_half_width(cell.f1_sd, paper.REPETITIONS)
        ends = [100 * (cell.f1 + sign * half) for sign in (-1, 1)]
        cells = [f"{cell.f1:.4f} ± {cell.f1_sd:.4f}", f"{cell.auc:.4f} ± {cell.auc_sd:.4f}"]
        rows.append([name, *cells, f"{ends[0]:.1f} to {ends[1]:.1f}"])
    heads = [f"method, {paper.TITLES[data]}", "F1", "AUC", "95 % of F1, in points"]
    return table(heads, rows)


def paper_gap_is_significant(data: str, a: str, b: str) -> bool:
    """Whether the F1 of two of the paper's rows differ by Welch's test, at 5 %."""
    from scipy.stats import ttest_ind_from_stats

    from herocon_lite.repro import paper

    rows = (paper.RESULTS[data][name] for name in (a, b))
    cells = [n for cell in rows for n in (cell.f1, cell.f1_sd, paper.REPETITIONS)]
    return bool(ttest_ind_from_stats(*cells, equal_var=False).pvalue < 0.05)


def switched_on(preset: str) -> str:
    """Name the points of the public code that a preset has."""
    from herocon_lite import losses

    found = [name for name, on in vars(losses.PRESETS[preset]).items() if on]
    return ", ".join(f"`{name}`" for name in found) or "none"


def commands(store: Store, wanted: Sequence[tuple[Sequence[str], Mapping, int]]) -> Markdown:
    """Show the commands that make runs again, and what the stored ones cost.

    Args:
        store: the finished runs.
        wanted: (methods, what differs from the usual, seeds) of each command.
    """
    import pandas as pd

    rows, calls = [], []
    for methods, other, seeds in wanted:
        calls.append(f"# {len(calls) + 1}\n{_command(store, methods, other, seeds)}")
        cost, peak = (
            pd.concat([store.runs(m, column, **other).loc[: seeds - 1] for m in methods])
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


def _command(store: Store, methods: Sequence[str], other: Mapping, seeds: int) -> str:
    flags = dict(other)
    changes = dict(flags.pop("changes", {}))
    if "views" in changes:  # a record counts them as a change, the command has a flag
        flags["views"] = changes.pop("views")
    if changes:
        flags["set"] = " ".join(f"{k}={v}" for k, v in changes.items())
    call = f"python -m herocon_lite run {store.data} {' '.join(methods)}"
    call += "".join(f" --{name} {value}" for name, value in flags.items())
    return _wrap(f"{call} --budget {store.budget} --seeds {seeds}")


def _wrap(call: str) -> str:
    """A long command on several lines, as a shell takes them."""
    words = {"break_long_words": False, "break_on_hyphens": False}
    return " \\\n".join(textwrap.wrap(call, 70, subsequent_indent="    ", **words))


def difference_table(
    answers: Answers,
    aim: int | Mapping[str, int],
    first: str = "question",
    beside: tuple[str, Mapping[str, str]] | None = None,
) -> Markdown:
    """Show one row a question: its seeds, and what they say in F1 and in AUC.

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
            found = stats.compare(answers[name, metric], len(answers))
            row += [format_diff(found), describe(found, wanted)]
        rows.append(row)
    heads = [first, *(beside[:1] if beside else []), "seeds"]
    heads += ["F1 [95 %]", "so F1 is", "AUC [95 %]", "so AUC is"]
    return table(heads, rows)


def verdicts(entries: Iterable[Row]) -> Markdown:
    """Show rows of the ledger."""
    heads = ["No.", "claim", "paper", "ours", "verdict", "why"]
    rows = [[e.number, e.claim, e.paper, e.ours, f"**{e.verdict}**", e.why] for e in entries]
    return table(heads, rows)
