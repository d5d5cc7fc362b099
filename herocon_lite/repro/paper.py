"""What the paper reports, read from ``paper.yaml``: tables, counts, claims and figures."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from herocon_lite.repro.entries import build_all, read_yaml

METRICS = ("F1", "AUC")
PROPOSED = ("HeroCon-s", "HeroCon-u", "HeroCon")
TIE = 0.1  # points; printed means that are nearer than this contradict nothing
_DATA = read_yaml(
    "paper.yaml",
    (
        *("repetitions", "tables", "counts", "not_contrastive", "comparisons"),
        *("statements", "case_study", "xrmb_optimum", "figures"),
    ),
)


class Cells(NamedTuple):
    """One method on one data set: mean and standard deviation over the repetitions."""

    f1: float
    f1_sd: float
    auc: float
    auc_sd: float


@dataclass(frozen=True)
class Table:
    """One data set's part of Table 2 or 3."""

    data: str
    title: str
    place: str
    kind: str  # multilabel or multiclass
    rows: dict[str, list[float]]


@dataclass(frozen=True)
class Count:
    """One number about labels, and where our own count of it lies."""

    where: str
    claim: str
    value: float
    data: str
    field: str  # of results/label_counts.json


@dataclass(frozen=True)
class Statement:
    """A claim with a name, under which the ledger has its check."""

    name: str
    where: str
    claim: str


def _cells(table: Table, method: str) -> Cells:
    row = table.rows[method]
    if len(row) != 4 or not all(0 < value < 1 for value in row):
        raise ValueError(
            f"paper.yaml, table {table.data}: {method} must have F1, its deviation, AUC and its "
            f"deviation, each between 0 and 1; got {row}."
        )
    return Cells(*row)


_TABLES = build_all(Table, _DATA["tables"], "paper.yaml, table", key="data")
PLACES = {table.data: table.place for table in _TABLES}
TITLES = {table.data: table.title for table in _TABLES}
CLASSES = tuple(table.data for table in _TABLES if table.kind == "multiclass")
RESULTS = {t.data: {method: _cells(t, method) for method in t.rows} for t in _TABLES}
TABLES = {d: {m: (c.f1, c.auc) for m, c in rows.items()} for d, rows in RESULTS.items()}
REPETITIONS = _DATA["repetitions"]
COUNTS = build_all(Count, _DATA["counts"], "paper.yaml, count")
STATEMENTS, FIGURES = (
    build_all(Statement, _DATA[part], f"paper.yaml, {part},", key="name")
    for part in ("statements", "figures")
)
CASE_STUDY: dict[str, float] = _DATA["case_study"]  # α and β of Figure 2
XRMB_OPTIMUM: dict[str, float] = _DATA["xrmb_optimum"]  # α and β
NOT_CONTRASTIVE = tuple(_DATA["not_contrastive"])


def baselines(data: str) -> tuple[str, ...]:
    """Return the methods of a table that are not the paper's own."""
    return tuple(name for name in RESULTS[data] if name not in PROPOSED)


def gap(data: str, a: str, b: str, metric: str) -> float | None:
    """Return a − b in the paper's table, in points; None where the table lacks one of them."""
    rows, column = TABLES[data], METRICS.index(metric)
    return 100 * (rows[a][column] - rows[b][column]) if {a, b} <= rows.keys() else None


def order_is_established(data: str, a: str, b: str, metric: str) -> bool:
    """Whether the paper's own repetitions establish which of two methods is better.

    Welch's test on the printed means and deviations, at 5 %, as if nothing was paired.
    """
    from scipy.stats import ttest_ind_from_stats  # takes two seconds to import

    column = metric.lower()
    ends = [
        (getattr(row, column), getattr(row, f"{column}_sd"), REPETITIONS)
        for row in (RESULTS[data][a], RESULTS[data][b])
    ]
    return bool(ttest_ind_from_stats(*ends[0], *ends[1], equal_var=False).pvalue < 0.05)


def same_row(data: str, method: str) -> str:
    """The method whose row a method's row repeats: on class data SupCon's is HeroCon-s's own."""
    return "HeroCon-s" if method == "SupCon" and data in CLASSES else ""


def not_beaten(data: str, method: str) -> dict[str, list[str]]:
    """Return the baselines that a method does not outperform in the paper's table, by metric.

    SupCon is left out where its row is HeroCon-s's own (both class data sets).
    """
    rows = TABLES[data]
    others = [n for n in baselines(data) if not (n == "SupCon" and data in CLASSES)]
    return {
        metric: [name for name in others if rows[name][column] >= rows[method][column]]
        for column, metric in enumerate(METRICS)
    }


# ------------------------------------------------------------------ comparisons


@dataclass(frozen=True)
class ComparisonClaim:
    """A sentence that compares methods: each of ``above`` is better than each of ``below``."""

    where: str
    data: str
    claim: str
    above: tuple[str, ...]
    below: tuple[str, ...]
    metrics: tuple[str, ...] = METRICS
    gain: tuple[float, ...] = ()  # in points of the metric, one per pair
    similar: bool = False  # the claim is that they do about equally well
    also: tuple[tuple[list[str], list[str]], ...] = ()  # more of above and below
    other_setting: bool = False  # of settings that no table has
    threshold: bool = False  # of F1 on several labels, which hangs on a threshold
    note: str = ""  # ours

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """(above, below), each once; where SupCon is HeroCon-s, as HeroCon-s if it is there."""
        sides = [(self.above, self.below), *self.also]
        found = [
            (a, b)
            for above, below in sides
            for a, b in product(self._methods(above), self._methods(below))
            if a != b
        ]
        if self.data in CLASSES:
            found = [pair for pair in found if not self._repeats(pair, found)]
        if self.similar:
            return [(a, b) for number, (a, b) in enumerate(found) if (b, a) not in found[:number]]
        return found

    @property
    def strict(self) -> bool:
        """Whether it says "best", "above all", or states a gain: one pair refutes it."""
        return bool(self.gain) or "$baselines" in self.below

    @staticmethod
    def _repeats(pair: tuple[str, str], others: list[tuple[str, str]]) -> bool:
        """Whether a pair with SupCon says nothing that one with HeroCon-s, the same row, does."""
        a, b = ("HeroCon-s" if name == "SupCon" else name for name in pair)
        return (a, b) != pair and (a == b or (a, b) in others)

    def _methods(self, names: tuple[str, ...] | list[str]) -> list[str]:
        groups = {
            "$baselines": baselines(self.data),
            "$proposed": PROPOSED,
            "$not_contrastive": NOT_CONTRASTIVE,
        }
        return [method for name in names for method in groups.get(name, (name,))]


COMPARISONS = build_all(ComparisonClaim, _DATA["comparisons"], "paper.yaml, comparison")


class Contradiction(NamedTuple):
    """A pair of a sentence that the paper's own table has the other way round."""

    above: str
    below: str
    metric: str
    values: tuple[float, float]

    def __str__(self) -> str:
        (a, b), (x, y) = self[:2], self.values
        return f"{a} {x:.4f}, {b} {y:.4f} ({self.metric})"


def contradictions(sentence: ComparisonClaim, ties: bool = False) -> list[Contradiction]:
    """The pairs of a sentence that the paper's own table contradicts.

    Args:
        ties: those instead that it has the other way round by less than :data:`TIE`.
    """
    if sentence.other_setting or sentence.similar:
        return []
    rows, found = TABLES[sentence.data], []
    for a, b in sentence.pairs:
        for column, metric in enumerate(METRICS):
            if metric in sentence.metrics and {a, b} <= rows.keys():
                values = rows[a][column], rows[b][column]
                behind = 100 * (values[1] - values[0])
                if behind >= 0 and (behind < TIE) == ties:
                    found.append(Contradiction(a, b, metric, values))
    return found
