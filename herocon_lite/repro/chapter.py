"""What a chapter shows of stored runs, by calls of one line.

A chapter is written like this: :class:`Page` asks the records what the page's file in
``questions/`` wants to know; checks guard the author's verbs; ``answer``, ``say`` and ``caption``
show the author's own sentences; ``page.figure`` and ``page.differences`` show the numbers. Each
call returns what it shows, as Markdown, so that nbval compares it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import product
from pathlib import Path

import pandas as pd
from IPython.display import Markdown

from herocon_lite.data.cards import find_card
from herocon_lite.repro import bootstrap, paper, questions, settings, stats
from herocon_lite.repro.boxes import answer, caption, fold, say, wide
from herocon_lite.repro.exercises import attempt
from herocon_lite.repro.paper_tables import RESULTS, settings_rows
from herocon_lite.repro.query import METRICS, Store
from herocon_lite.repro.stats import Comparison, Interval
from herocon_lite.repro.text import (
    NO_BREAK,
    format_effect,
    format_interval,
    format_mean,
    format_points,
    mark,
    table,
)

__all__ = [
    "Checks",
    "Page",
    "answer",
    "attempt",
    "badges",
    "caption",
    "commands",
    "fold",
    "say",
    "wide",
]

# ------------------------------------------------------------------ what guards them


class Checks:
    """Statements that a page's words rest on; if one is no longer true, the page stops.

    Example:
        >>> check = Checks()
        >>> check("two is even", 2 % 2 == 0)
        >>> check.run()
        1
    """

    def __init__(self) -> None:
        self._held: dict[str, bool] = {}

    def __call__(self, sentence: str, condition: object) -> None:
        """Note whether a statement holds."""
        if sentence in self._held:
            raise ValueError(f"each check needs a sentence of its own; {sentence!r} stands twice.")
        self._held[sentence] = bool(condition)

    def run(self) -> int:
        """Return how many statements there are; raise an error with all that do not hold."""
        broken = [sentence for sentence, holds in self._held.items() if not holds]
        if broken:
            lines = "\n- ".join(broken)
            raise AssertionError(f"No longer true; rewrite what the page says:\n- {lines}")
        return len(self._held)


def badges(check: Checks, reads: str, runs: str) -> Markdown:
    """Show the line under a title; stop the page if a check no longer holds.

    Args:
        check: what guards the page's words.
        reads: minutes to read the page.
        runs: time to run it.
    """
    return Markdown(f"`reads in {reads}` · `runs in {runs}` · `✓ {check.run()} checks`")


# ------------------------------------------------------------------ a page


class Page:
    """The comparisons of one chapter: asked of the records, corrected together, shown.

    Args:
        name: of the page's file in ``questions/``.
        folder: of the records.
    """

    def __init__(self, name: str, folder: str | Path = RESULTS):
        self.name, self.folder, self.asked = name, folder, questions.read(name)
        self.stores = {s: Store(folder, **usual) for s, usual in self.asked.stores.items()}
        self.store = next(iter(self.stores.values()))  # the page's own
        self.check = Checks()

    @cached_property
    def series(self) -> dict[tuple[str, str], pd.Series]:
        """Differences in points, one a seed, by (name, metric)."""
        asked = self.asked.differences.items()
        found = {
            (name, metric): self.stores[store].difference(a, b, metric)
            for name, (store, a, b) in asked
            for metric in METRICS
        }
        for name, weights in self.asked.combinations.items():
            for metric in METRICS:  # on the seeds that all of them have
                parts = (w * found[part, metric] for part, w in weights.items())
                found[name, metric] = sum(parts).dropna()
        return found

    @property
    def names(self) -> list[str]:
        """Names of all comparisons: differences, then their combinations."""
        return [*self.asked.differences, *self.asked.combinations]

    @property
    def tests(self) -> int:
        """Number of comparisons that the correction counts: all of the page, in both metrics."""
        return len(METRICS) * len(self.names) + self.asked.elsewhere

    def _compared(self, metric: str) -> dict[str, Comparison]:
        found = {n: stats.compare(self.series[n, metric], self.tests) for n in self.names}
        for name in self.asked.headline:
            if (name, metric) in self.spans:
                found[name] = stats.confirm(found[name], self.spans[name, metric].p)
        return found

    @cached_property
    def spans(self) -> dict[tuple[str, str], bootstrap.Span]:
        """Intervals over seeds and test rows of the headline comparisons, as far as stored."""
        return bootstrap.read(self.folder, self.name)

    @cached_property
    def f1(self) -> dict[str, Comparison]:
        """Every difference in F1, by name."""
        return self._compared("f1")

    @cached_property
    def auc(self) -> dict[str, Comparison]:
        """Every difference in AUC, by name."""
        return self._compared("auc")

    def kind(self, name: str, store: str | None = None) -> questions.Kind:
        """Return the runs that a short name stands for, for :meth:`Store.runs`."""
        return questions.kind(self.asked.kinds, store or next(iter(self.stores)), name)

    # -------------------------------------------------------------- tables and figures

    def differences(self, group: str, first: str = "what is added") -> Markdown:
        """Show a group as a table: mark, effect and 95 % interval in F1 and AUC, and seeds."""
        rows = [
            [label, format_effect(self.f1[name]), format_effect(self.auc[name]), self.f1[name].n]
            for label, name in self.asked.groups[group].items()
        ]
        return wide(table([first, "F1", "AUC", "seeds"], rows))

    def headlines(self) -> Markdown:
        """Show the headline comparisons with both intervals: over seeds, and over test rows too."""
        rows = []
        for name in self.asked.headline:
            row = [name]
            for metric in METRICS:
                both = self.spans.get((name, metric))
                ends = (
                    f"{format_points(both.lo)},{NO_BREAK}{format_points(both.hi)}" if both else ""
                )
                row += [format_effect(getattr(self, metric)[name]), f"[{ends}]" if both else "–"]
            rows.append(row)
        kinds = ("seeds", "samples, too")
        heads = ["", *(f"{m.upper()}, {over}" for m in METRICS for over in kinds)]
        return wide(table(heads, rows))

    def figure(self, group: str, first: str = "") -> Markdown:
        """Draw a group, F1 beside AUC, a dot for each seed; crosses are the paper's differences.

        Returns:
            The numbers drawn, folded, for a cell of their own below (a cell with a caption has one
            output): nbval compares no picture.
        """
        import matplotlib.pyplot as plt

        from herocon_lite.repro import plots

        rows = self.asked.groups[group]
        points = {(q, m): self.series[name, m] for q, name in rows.items() for m in METRICS}
        gaps = {(q, m): self.paper_gap(name, m) for q, name in rows.items() for m in METRICS}
        gaps = {key: gap for key, gap in gaps.items() if gap is not None}
        size = (9, 0.8 + 0.4 * len(rows))
        drawn = plots.difference_panels(points, [plots.OKABE_ITO[0]] * len(rows), size, gaps)
        plt.show()
        return fold("The numbers in this figure", _numbers(rows, drawn, gaps, first))

    def paper_gap(self, name: str, metric: str) -> float | None:
        """Return a difference as the paper's table has it, in points, if it has both rows."""
        from herocon_lite.repro.ledger import OURS

        if name in self.asked.combinations:
            return None
        store, *ends = self.asked.differences[name]
        cells = paper.RESULTS.get(self.stores[store].data, {})
        printed = {OURS[title]: getattr(cell, metric) for title, cell in cells.items()}
        if any(end.keys() != {"method"} or end["method"] not in printed for end in ends):
            return None
        a, b = (printed[end["method"]] for end in ends)
        return 100 * (a - b)

    def levels(self, rows: Mapping[str, str]) -> Markdown:
        """Show F1 and AUC of some kinds of runs beside the paper's, as {label: short name}."""
        from herocon_lite.repro.ledger import OURS

        titles = {ours: title for title, ours in OURS.items()}
        printed, lines = paper.RESULTS.get(self.store.data, {}), []
        for label, name in rows.items():
            kind = self.kind(name)
            title = titles.get(kind["method"]) if len(kind) == 1 else label
            cells = printed.get(title)
            line = [label]
            for metric in METRICS:
                found = self.store.runs(metric=metric, **kind)
                line += [f"{getattr(cells, metric):.4f}" if cells else "–", format_mean(found)]
            lines.append([*line, len(found)])
        heads = ["", "F1, paper", "ours [95 %]", "AUC, paper", "ours [95 %]", "seeds"]
        return wide(table(heads, lines))

    def level_figure(self, rows: Mapping[str, str]) -> dict[str, dict[str, Interval | None]]:
        """Draw F1 and AUC of some kinds of runs, a dot for each seed; crosses are the paper's.

        Args:
            rows: {label: short name}, as :meth:`levels` has them, whose table has the numbers; a
                label that is a title of the paper's table gets its cross.

        Returns:
            By metric and label, the mean and interval that were drawn.
        """
        import matplotlib.pyplot as plt

        from herocon_lite.repro import plots

        printed, drawn = paper.RESULTS.get(self.store.data, {}), {}
        axes = plt.subplots(1, 2, figsize=(9, 0.8 + 0.33 * len(rows)), sharey=True)[1]
        for ax, metric in zip(axes, METRICS, strict=True):
            values = {k: self.store.runs(metric=metric, **self.kind(n)) for k, n in rows.items()}
            crosses = {k: getattr(cell, metric) for k, cell in printed.items() if k in rows}
            drawn[metric] = plots.seed_rows(ax, values, crosses)
            ax.set(xlabel=metric.upper())
        plt.show()
        return drawn

    def settings_table(self) -> Markdown:
        """Show how the page's data set was trained: the text, the public code, this book."""
        rows = settings_rows(self.store.data) | self.asked.settings
        shown = table(
            ["", "the text", "the public code", "this book"], [[k, *v] for k, v in rows.items()]
        )
        return fold("All settings: the text, the public code, this book", shown)

    def commands(self) -> Markdown:
        """Show how the page's runs are made again, and what the stored ones cost."""
        wanted = []
        for entry in self.asked.commands:
            apart = ("methods", "seeds", "stores", "each")
            other = {k: v for k, v in entry.items() if k not in apart}
            for store, each in product(entry.get("stores", [None]), entry.get("each", [{}])):
                changes = other.get("changes", {}) | each
                kind = other | ({"changes": changes} if changes else {})
                asked = self.stores[store] if store else self.store
                wanted.append((asked, entry["methods"], kind, entry["seeds"]))
        return fold("Make it again: commands, minutes, memory", commands(wanted))

    # -------------------------------------------------------------- checks

    def check_marks(self, expected: Mapping[str, str]) -> None:
        """Check that differences have the marks that the prose rests on.

        Args:
            expected: of each name its marks in F1 and in AUC, such as "▲○"; a name that every
                store has takes those of all stores, one after another.
        """
        for name, marks in expected.items():
            alone = name in self.names
            names = [name] if alone else [f"{name}, {store}" for store in self.stores]
            found = [mark(getattr(self, m)[n]) for n in names for m in METRICS]
            self.check(f"{name}: {marks} (now {''.join(found)})", found == list(marks))

    def check_runs(self) -> None:
        """Check what every comparison takes for granted: data, splits, steps, ranges."""
        for name, store in self.stores.items():
            frame = store.frame
            once = frame.groupby(["split", "protocol", "seed"])["split.checksum"].nunique()
            self.check(f"{name}: a seed names one split", (once == 1).all())
            files = find_card(store.data).checksum.items()
            read = (checksums.items() <= files for checksums in frame["data_checksums"])
            self.check(f"{name}: all runs read the card's files", all(read))
            scores = frame[list(METRICS)]
            self.check(
                f"{name}: scores are shares",
                scores.gt(0).all(axis=None) and scores.le(1).all(axis=None),
            )
            usual = frame[~frame["changes"].str.contains("steps=")]
            steps = [settings.paper_config(store.data, preset).steps for preset in usual["preset"]]
            self.check(
                f"{name}: runs have the setting's steps", (usual["settings.steps"] == steps).all()
            )
            cost = frame[["seconds", "peak_mib"]]
            self.check(f"{name}: time and memory are recorded", cost.gt(0).all(axis=None))

    def run_checks(self) -> int:
        """Return how many statements hold; stop the page if one does not."""
        return self.check.run()

    def badges(self, reads: str, runs: str) -> Markdown:
        """Show the line under the title: how long the page takes, and how many checks hold."""
        return badges(self.check, reads, runs)


def _numbers(rows: Mapping, drawn: Mapping, gaps: Mapping, first: str) -> Markdown:
    lines = []
    for label in rows:
        line = [label]
        for metric in METRICS:
            found, gap = drawn[label, metric], gaps.get((label, metric))
            ends = (found.mean, found.lo, found.hi) if found else None
            line.append(format_interval(*ends, "+.2f", NO_BREAK) if ends else "–")
            line += ["–" if gap is None else format_points(gap, 1)] if gaps else []
        lines.append(line)
    heads = [
        f"{m.upper()}{end}" for m in METRICS for end in (" [95 %]", ", paper")[: 1 + bool(gaps)]
    ]
    return table([first, *heads], lines)


# ------------------------------------------------------------------ commands


def commands(wanted: Sequence[tuple[Store, Sequence[str], Mapping, int | str]]) -> Markdown:
    """Show the commands that make runs again, and what the stored ones cost.

    Args:
        wanted: (finished runs, methods, what differs from the usual, seeds) of each command.
    """
    rows, calls = [], []
    for store, methods, other, seeds in wanted:
        numbers = questions.seeds(seeds)
        calls.append(f"# {len(calls) + 1}\n{_command(store, methods, other, seeds)}")
        cost, peak = (
            pd.concat([_of_seeds(store.runs(m, column, **other), numbers) for m in methods])
            for column in ("cost", "peak_mib")
        )
        cells = ["–", "–", "–"]
        if len(cost):
            minutes = cost.sum() / 60
            cells = [f"{minutes:.0f}" if minutes > 9 else f"{minutes:.1f}"]
            cells += [f"{cost.max():.0f}", f"{peak.max() / 1024:.1f}"]
        rows.append([len(calls), f"{len(cost)} of {len(numbers) * len(methods)}", *cells])
    heads = ["No.", "runs stored", "minutes, all", "longest run (s)", "peak (GiB)"]
    return table(heads, rows, "```sh\n" + "\n".join(calls) + "\n```\n\n")


def _of_seeds(values: pd.Series, seeds: Sequence[int]) -> pd.Series:
    return values[values.index.isin(seeds)]


def _command(store: Store, methods: Sequence[str], other: Mapping, seeds: int | str) -> str:
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
