"""The claim ledger: one row for each claim of the paper, with a verdict and the page that shows it.

Built anew each time from :mod:`herocon_lite.paper` (what is claimed), the records in ``results/``
(what our runs gave) and :mod:`herocon_lite.theory` (what can be computed on the spot). A row whose
runs do not exist yet says "not run" and fills itself in when they do.

The rules are functions: :func:`cell_verdict` for a cell of Tables 2 and 3, :func:`pair_state` and
:func:`comparison_verdict` for a sentence that sets methods against each other.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from herocon_lite import paper, results
from herocon_lite.results import Interval
from herocon_lite.theory.verdicts import CHECKS, Finding, not_applicable

if TYPE_CHECKING:
    import pandas as pd

VERDICTS = {
    "reproduced": "our runs or our check say the same",
    "in part": "the order, a part of the claim, or a repaired form of it holds",
    "not reproduced": "our runs say otherwise",
    "contradicted by the paper's own table": "the claim and the printed table exclude each other",
    "false": "a check refutes it",
    "undecided": "fewer than three seeds, or intervals too wide to tell",
    "not run": "no runs at the paper's size; the row says why",
}
KINDS = {
    "statement": "Lemmas, ranges, special cases",
    "count": "Counts of labels",
    "cell": "Cells of Tables 2 and 3",
    "comparison": "Sentences that compare methods",
    "figure": "Figures",
}
STATES = {  # of a pair, and what is said of several; the telling ones first
    "waiting": "wait for runs",
    "reversed": "go the other way",
    "fails": "fail",
    "smaller": "hold with a smaller gain",
    "open": "left open",
    "holds": "hold",
}
ENOUGH = 3  # seeds; below, no verdict
WIDE = 0.02  # an interval beyond ± this cannot tell the tables' rows apart
SIMILAR = 0.02  # two methods within this do about equally well
WORTH = 0.005  # the least gain worth the word, where the paper prints none

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
# Pages by topic, as patterns on the names in the table of contents; first match wins.
TOPICS = {
    "scene": r"scene",
    "mnist": r"mnist",
    "xrmb": r"speech|xrmb|mocha",
    "celeba": r"celeba",
    "noise": r"noise|case_study",
    "parameters": r"param",
    "efficiency": r"effic",
}
BEST_POINT, USUAL_POINT = (0.01, 10.0), (0.1, 0.001)  # α, β on XRMB: in Fig. 3(a), in Table 3
FALLBACK = "A2_point_by_point"  # until a topic has its page: the tables, asked


@dataclass(frozen=True)
class Row:
    """One claim."""

    number: str
    kind: str  # a key of KINDS
    where: str  # in the paper
    claim: str
    paper: str = "–"  # its value
    released: str = "–"  # what the public code gave
    ours: str = "–"
    lo: float = math.nan  # of the 95 % interval, for cells
    hi: float = math.nan
    data: str = "–"
    budget: str = "–"
    seeds: int = 0
    verdict: str = "not run"  # a key of VERDICTS
    why: str = ""
    beside: str = ""  # other runs that bear on it
    page: str = ""  # of the book


# ------------------------------------------------------------------ the rules


def cell_verdict(
    mean: float, sd: float, values: Sequence[float], order: bool | None = None
) -> tuple[str, str]:
    """The verdict on one cell of a table, and why.

    *Reproduced*: the paper's mean lies in our 95 % interval, widened on both sides by the standard
    deviation that the paper prints, since its mean of five repetitions is uncertain, too. That
    needs no guess how the deviation was computed; with three seeds it reaches up to 1.8 times as
    far as Welch's test would, with twenty about as far. A wide interval of ours must not help: one
    beyond ± 0.02 that has room for the paper's mean decides nothing.

    *In part*: the number is missed, but the order is found: the method stands on the same side of
    DNN as in the paper, our whole paired interval on that side. Tables are read as comparisons, and
    a level depends on splits and preprocessing that the paper does not fix. Each metric is a cell
    of its own.

    *Not reproduced*: neither.

    Args:
        mean, sd: as printed.
        values: ours, one a seed.
        order: whether the order against DNN is found; None: not known, or DNN itself.
    """
    n = len(values)
    if n == 0:
        return "not run", ""
    if n < ENOUGH:
        return "undecided", "a single run" if n == 1 else f"{n} seeds; {ENOUGH} are needed"
    found = results.interval(values)
    if found.lo - sd <= mean <= found.hi + sd:
        if (found.hi - found.lo) / 2 > WIDE:
            return "undecided", f"our interval is wider than ± {WIDE}"
        return "reproduced", ""
    gap = found.mean - mean
    told = f"{100 * abs(gap):.1f} points {'above' if gap > 0 else 'below'} the paper"
    if order:
        return "in part", f"{told}; the order against DNN is found"
    return "not reproduced", told


def pair_state(found: Interval | None, n: int, printed: float | None, claimed: float = 0.0) -> str:
    """What the paired differences a − b say about "a is better than b".

    - ``"holds"``: the 95 % interval lies above zero; ``"smaller"``: it does, but below the gain
      that the text claims.
    - ``"reversed"``: it lies below zero.
    - ``"fails"``: it does neither, and excludes a gain as large as the paper prints (half a point,
      where it prints none).
    - ``"open"``: it has room for both, no gain and the printed one.
    - ``"waiting"``: fewer than three common seeds.

    Args:
        found: of the differences. n: common seeds.
        printed: the difference in the paper's table.
        claimed: the gain in the text, if there is one.
    """
    if found is None or n < ENOUGH:
        return "waiting"
    if found.lo > 0:
        return "smaller" if found.hi < claimed else "holds"
    if found.hi < 0:
        return "reversed"
    expected = printed if printed is not None and printed > 0 else WORTH
    return "fails" if found.hi < expected else "open"


def similar_state(found: Interval | None, n: int) -> str:
    """The same for "a and b do about equally well": within ± 0.02."""
    if found is None or n < ENOUGH:
        return "waiting"
    if found.lo > -SIMILAR and found.hi < SIMILAR:
        return "holds"
    return "fails" if found.lo > SIMILAR or found.hi < -SIMILAR else "open"


def much_state(found: Interval | None, n: int) -> str:
    """The same for "a does much better than b": by more than what still counts as equal."""
    if found is None or n < ENOUGH:
        return "waiting"
    if found.lo > SIMILAR:
        return "holds"
    if found.hi < SIMILAR:
        return "smaller" if found.lo > 0 else "reversed" if found.hi < 0 else "fails"
    return "open"


def comparison_verdict(states: Sequence[str], denied: Sequence[str] = ()) -> tuple[str, str]:
    """The verdict on a sentence that compares methods, and why.

    A sentence that the paper's own table denies needs no runs. Otherwise it is *reproduced* if all
    its pairs hold. (That all must hold makes it a strict test without any correction for their
    number.) It is *in part* if at least half hold, *not reproduced* if fewer do and one fails or
    goes the other way, and *undecided* otherwise, or as long as pairs have fewer than three seeds.

    Args:
        states: of :func:`pair_state`, one for each pair and metric.
        denied: the pairs that the paper's own table has the other way round.
    """
    count = {s: states.count(s) for s in reversed(STATES)}
    words = ", ".join(f"{k} of {len(states)} {STATES[s]}" for s, k in count.items() if k)
    if denied:
        runs = f"; in our runs {words}" if count["waiting"] < len(states) else ""
        more = f" and {len(denied) - 1} more" if len(denied) > 1 else ""
        return "contradicted by the paper's own table", f"{denied[0]}{more}{runs}"
    if count["waiting"] == len(states):
        return "not run", ""
    if count["waiting"]:
        return "undecided", words
    if count["holds"] == len(states):
        return "reproduced", words
    if 2 * (count["holds"] + count["smaller"]) >= len(states):
        return "in part", words
    return ("not reproduced" if count["fails"] + count["reversed"] else "undecided"), words


# ------------------------------------------------------------------ which runs stand for a cell


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
    ) -> pd.DataFrame:
        """The runs of one kind, one a seed; none if there are none.

        Where several kinds would do, the one closest to the paper that has three seeds, else the
        one with the most.

        Args:
            share: of noisy pixels, in the case study.
            full: at the paper's size; False: smaller, and else the same.
        """
        asked = (data, method, form, preset, protocol, split, share, full)
        if asked not in self.chosen:
            self.chosen[asked] = self._choose(*asked)
        return self.chosen[asked]

    def _choose(self, data, method, form, preset, protocol, split, share, full) -> pd.DataFrame:
        f = self.groups.get((data, OURS.get(method, method), preset, protocol))
        if f is None:
            return self.frame.iloc[:0]
        f = f[f["split.how"] == split]
        if data in ONE_VIEW:
            f = f[f["form"] == form]
        if share is None:
            f, allowed = f[f["share"].isna()], TOLERATED.get(data, set())
        else:
            f, allowed = _as_figure_2(f[f["share"] == share]), CASE_STUDY
        sizes = zip(f["budget"], f["partial"], f["changes"], strict=True)
        wanted = [b == "paper" and not part and set(c) <= allowed for b, part, c in sizes]
        if not full:
            smaller = [set(c) <= REDUCED.get(data, set()) for c in f["changes"]]
            wanted = [s and not whole for s, whole in zip(smaller, wanted, strict=True)]
        f = _where(f, wanted)
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
        return (results.interval(gaps) if len(gaps) >= ENOUGH else None), len(gaps)


def _as_figure_2(f: pd.DataFrame) -> pd.DataFrame:
    """Runs with the case study's own α and β, where the method has them."""
    for name, value in paper.CASE_STUDY.items():
        f = f[f[f"settings.{name}"].isin([value, math.nan])]
    return f


def _standing(group: pd.DataFrame) -> tuple[bool, float, int]:
    """Enough seeds, then more rows a step (all, the most), then more seeds."""
    rows = group["settings.unlabeled_batch"].iloc[0]
    return len(group) >= ENOUGH, math.inf if math.isnan(rows) else rows, len(group)


def _where(frame: pd.DataFrame, flags: Sequence[bool]) -> pd.DataFrame:
    """The flagged rows; a plain list would choose columns when it is empty."""
    import numpy as np

    return frame[np.array(flags, dtype=bool)]


def _shown(found: Interval, n: int) -> str:
    return f"{found.mean:.4f}" if n == 1 else f"{found.mean:.4f} [{found.lo:.4f}, {found.hi:.4f}]"


def _points(found: Interval) -> str:
    """A difference in points, hundredths of the metric."""
    mean, lo, hi = (f"{100 * v:+.2f}".replace("-", "−") for v in (found.mean, found.lo, found.hi))
    return f"{mean} [{lo}, {hi}]"


def _budget(runs: pd.DataFrame) -> str:
    changes = runs["changes"].iloc[0]
    told = "".join(f", {name} {value}" for name, value in changes.items())
    return f"{runs['budget'].iloc[0]}{told}"


# ------------------------------------------------------------------ cells


def _cell(runs: Runs, data: str, method: str, metric: str) -> dict:
    """Everything a cell's row needs from the runs."""
    column = metric.lower()
    printed = paper.RESULTS[data][method]
    mean, sd = getattr(printed, column), getattr(printed, f"{column}_sd")
    row = {
        "paper": f"{mean:.4f} ± {sd:.4f}",
        "released": _released(data, method, metric),
        "beside": _beside(runs, data, method, metric),
    }
    mine = runs.of(data, method)
    if mine.empty:
        why = WHY_NOT[data]
        smaller = runs.of(data, method, full=False)
        if data in REDUCED and len(smaller):
            values = smaller[column].dropna()
            found = results.interval(values)
            order = _order(runs, data, method, metric, full=False)
            told = "; the order against DNN is found" if order else ""
            n = len(values)
            shown = _shown(found, n if n >= ENOUGH else 1)  # an interval from two says nothing
            seeds = f"{n} seeds" if n > 1 else "one run"
            row["beside"] = f"reduced ({_budget(smaller)}): {shown}, {seeds}{told}"
        return row | {"why": why}
    values = mine[column].dropna().tolist()
    order = _order(runs, data, method, metric)
    verdict, why = cell_verdict(mean, sd, values, order)
    if data == "mnist" and metric == "AUC" and "auc_hard" in mine:
        hard = mine["auc_hard"].dropna().tolist()
        if hard:
            told = f"AUC of hard predictions: {_shown(results.interval(hard), len(hard))}"
            row["beside"] = "; ".join(filter(None, [told, row["beside"]]))
        # That area is a function of accuracy, so it says something only where the level is met.
        level = cell_verdict(printed.f1, printed.f1_sd, mine["f1"].dropna().tolist())[0]
        fits = level == cell_verdict(mean, sd, hard)[0] == "reproduced"
        if fits and verdict in ("not reproduced", "in part"):
            verdict, why = "in part", "fits the AUC of hard predictions, not of probabilities"
    found = results.interval(values)
    return row | {
        "ours": _shown(found, len(values)),
        "lo": found.lo,
        "hi": found.hi,
        "budget": _budget(mine),
        "seeds": len(values),
        "verdict": verdict,
        "why": why,
    }


def _order(runs: Runs, data: str, method: str, metric: str, full: bool = True) -> bool | None:
    """Whether our paired difference to DNN lies on the paper's side of zero, interval and all."""
    if method == "DNN":
        return None
    column = paper.METRICS.index(metric)
    rows = paper.TABLES[data]
    printed = rows[method][column] - rows["DNN"][column]
    a, b = (runs.of(data, name, full=full) for name in (method, "DNN"))
    found, _ = runs.difference(a, b, metric.lower())
    if found is None:
        return None
    return found.lo > 0 if printed > 0 else found.hi < 0


def _released(data: str, method: str, metric: str) -> str:
    values = paper.RELEASED.get((data, method))
    return f"{values[paper.METRICS.index(metric)]:.3f}" if values else "–"


def _beside(runs: Runs, data: str, method: str, metric: str) -> str:
    """Other runs of the same method, in one line."""
    if data not in ("scene", "mnist"):
        return ""
    variants = {
        "Eq. 4": {"form": "eq4"},
        "preset released": {"preset": "released"},
        "released folds": {"preset": "released", "split": "released"},
        "inductive": {"protocol": "inductive"},
    }
    if data == "mnist":
        variants["no noise, α and β of Fig. 2"] = {"share": 0.0}
    told = []
    for name, asked in variants.items():
        values = runs.of(data, method, **asked)[metric.lower()].dropna()
        if len(values) >= ENOUGH:
            told.append(f"{name}: {results.interval(values).mean:.4f} ({len(values)} seeds)")
    return "; ".join(told)


# ------------------------------------------------------------------ comparisons


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


def _ask(runs: Runs, pairs: list[Pair]) -> Asked:
    states, shown, seeds, budgets = [], [], [], {}
    for label, a, b, state, metric in pairs:
        gap, n = runs.difference(a, b, metric)
        states.append(state(gap, n))
        if gap is not None:
            seeds.append(n)
            budgets |= dict.fromkeys([_budget(a), _budget(b)])
            shown.append((states[-1], f"{label}: {_points(gap)}"))
    return Asked(states, shown, min(seeds, default=0), " / ".join(budgets) or "–")


def _compare(runs: Runs, sentence: paper.Comparison) -> dict:
    rows = paper.TABLES[sentence.data]

    def asked(**kind) -> Asked:
        pairs = []
        gains = sentence.gain or (0.0,) * len(sentence.pairs)
        for (a, b), gain in zip(sentence.pairs, gains, strict=True):
            sides = [runs.of(sentence.data, name, **kind) for name in (a, b)]
            for metric in sentence.metrics:
                column = paper.METRICS.index(metric)
                printed = rows[a][column] - rows[b][column] if {a, b} <= rows.keys() else None
                state = partial(pair_state, printed=printed, claimed=gain / 100)
                state = similar_state if sentence.similar else state
                pairs.append(Pair(f"{a} − {b}, {metric}", *sides, state, metric.lower()))
        return _ask(runs, pairs)

    states, shown, seeds, budget = asked()
    shown = [told for _, told in sorted(shown, key=lambda pair: list(STATES).index(pair[0]))]
    verdict, why = comparison_verdict(states, paper.denied(sentence))
    beside = [sentence.note]
    if verdict == "not run":
        why = WHY_NOT[sentence.data]
    if sentence.data in ONE_VIEW:  # the text has one view and Eq. 4, the public code two copies
        one_view = asked(form="eq4").states
        if "waiting" not in one_view:  # most baselines have no such form
            holds, told = comparison_verdict(one_view)
            beside.append(f"With one view: {told}.")
            if (verdict, holds) == ("not reproduced", "reproduced"):
                verdict, why = "in part", f"two copies: {why}; one view: {told}"
    if sentence.data in REDUCED:
        smaller = asked(full=False)
        if smaller.seeds:  # they cannot exclude a gain that takes the full size
            told = comparison_verdict(["open" if s == "fails" else s for s in smaller.states])[1]
            beside.append(f"Reduced runs: {told}.")
    few = 3  # a row of the page, not the whole matrix
    ours = "; ".join(shown[:few]) + (f"; and {len(shown) - few} more" if len(shown) > few else "")
    return {
        "paper": _printed(sentence),
        "ours": ours or "–",
        "budget": budget,
        "seeds": seeds,
        "verdict": verdict,
        "why": why,
        "beside": " ".join(filter(None, beside)),
    }


def _printed(sentence: paper.Comparison) -> str:
    """The least of the paper's own differences, in points: what the sentence hangs on."""
    rows, column = paper.TABLES[sentence.data], paper.METRICS.index
    gaps = [
        (100 * (rows[a][column(m)] - rows[b][column(m)]), f"{a} − {b}, {m}")
        for a, b in sentence.pairs
        for m in sentence.metrics
        if {a, b} <= rows.keys()
    ]
    if not gaps:
        return "–"
    if sentence.similar:
        return f"within {max(abs(gap) for gap, _ in gaps):.1f} points"
    gap, name = min(gaps)
    return f"least: {name}, " + f"{gap:+.2f}".replace("-", "−")


# ------------------------------------------------------------------ figures


def _case_study(runs: Runs, pages: Pages) -> dict[str, Finding]:
    """Fig. 2, from runs on MNIST whose preparation names a share of noisy pixels."""
    forms = {"two views": "two_noisy", "one view": "eq4"}
    four = ("DNN", "HeroCon-s", "HeroCon-u", "HeroCon")

    def at(method: str, form: str, share: float) -> pd.DataFrame:
        return runs.of("mnist", method, form=forms[form], share=share)

    best = [
        ((f"HeroCon-s − {m}, {form}"), at("HeroCon-s", form, 1.0), at(m, form, 1.0))
        for form in forms
        for m in four
        if m != "HeroCon-s"
    ]
    dnn = [("DNN, two views − one", at("DNN", "two views", 1.0), at("DNN", "one view", 1.0))]
    drop = [
        (f"{m}, two views − one", at(m, "two views", 1.0), at(m, "one view", 1.0))
        for m in ("HeroCon-u", "HeroCon")
    ]
    robust = [
        (f"{m}, no noise − full", at(m, "two views", 0.0), at(m, "two views", 1.0))
        for m in ("HeroCon-s", "HeroCon")
    ]

    def lost(method: str, without: str, share: float) -> pd.DataFrame:
        """The F1 that L_u costs with one view, by seed."""
        a, b = (at(m, "one view", share) for m in (without, method))
        key = ["seed", "split.checksum"]
        both = b.merge(a[[*key, "f1"]], on=key, suffixes=("", "_without"))
        return both.assign(f1=both["f1_without"] - both["f1"])

    reason = [
        (f"what L_u costs {m}, one view, full noise − none", lost(m, w, 1.0), lost(m, w, 0.0))
        for m, w in (("HeroCon-u", "DNN"), ("HeroCon", "HeroCon-s"))
    ]
    groups = {
        "fig_2a_best": (best, partial(pair_state, printed=None)),
        "fig_2a_dnn": (dnn, similar_state),
        "fig_2a_drop": (drop, much_state),
        "fig_2b_robust": (robust, similar_state),
        "fig_2_why": (reason, partial(pair_state, printed=None)),
    }
    found = {}
    for name, (pairs, state) in groups.items():
        states, shown, seeds, budget = _ask(runs, [Pair(*pair, state) for pair in pairs])
        verdict, why = comparison_verdict(states)
        ours = "; ".join(told for _, told in shown) or "–"
        why = why or WHY_NOT["mnist"]
        found[name] = Finding(verdict, ours, why, pages.of("noise"), "N-MNIST", budget, seeds)
    return found


def _parameters(runs: Runs, pages: Pages) -> dict[str, Finding]:
    """Fig. 3 is of XRMB; what MOCHA says stands beside it."""
    from herocon_lite.data.splits import LABELED

    f = runs.frame
    f = f[(f["data"] == "mocha") & (f["base"] == "herocon") & (f["budget"] == "paper")]
    f = f[(f["preset"] == "paper") & (f["protocol"] == "transductive")]
    beside = {"fig_3a": "", "fig_3b": ""}

    def differing(*names: str) -> pd.DataFrame:
        return _where(f, [set(c) <= set(names) for c in f["changes"]])

    def enough(part: pd.DataFrame, by: str | list[str]) -> dict:
        groups = {k: g.drop_duplicates("seed") for k, g in part.groupby(by)}
        return {k: g for k, g in groups.items() if len(g) >= ENOUGH}

    def pair(a: pd.DataFrame, b: pd.DataFrame) -> str:
        gap, n = runs.difference(a, b, "f1")
        return f"{_points(gap)} points of F1, {n} seeds" if gap else f"{n} common seeds so far"

    if len(f):
        f = f[f["split.how"] == "paper"]
        given = LABELED["mocha"] + f["settings.unlabeled_batch"] - 1
        pairs = zip(f["changes"], given, strict=True)
        f = f.assign(negatives=[c.get("negatives", n) for c, n in pairs])
        plain = differing("unlabeled_batch", "negatives")
        drawn = _where(plain, ["negatives" in c for c in plain["changes"]])
        same = set(drawn["settings.unlabeled_batch"])  # as many rows, fewer of them negatives
        wider = plain[plain["negatives"] >= 500]  # chapter 11's; fewer are chapter 16's
        told = []
        for name, part in (
            ("the same rows a step", plain[plain["settings.unlabeled_batch"].isin(same)]),
            ("more rows a step", _where(wider, ["negatives" not in c for c in wider["changes"]])),
        ):
            sizes = enough(part, "negatives")
            if len(sizes) > 1:
                least, most = min(sizes), max(sizes)
                gap = pair(sizes[most], sizes[least])
                told.append(f"{name}, from {least:,.0f} to {most:,.0f} negatives: {gap}")
        if told:
            beside["fig_3b"] = f"MOCHA, at Table 3's β, not the figure's: {'; '.join(told)}"
        # The plain runs with as many rows are the surface's point at the usual α and β.
        grid = differing("unlabeled_batch", "alpha", "beta")
        moved = _where(grid, [{"alpha", "beta"} <= set(c) for c in grid["changes"]])
        if len(moved):
            size = moved["negatives"].mode()[0]
            points = enough(grid[grid["negatives"] == size], ["settings.alpha", "settings.beta"])
            order = sorted(points, key=lambda point: points[point]["f1"].mean())
            if len(order) > 1:
                a, b = order[-1]
                beside["fig_3a"] = (
                    f"MOCHA, {size:,.0f} negatives: best of {len(order)} points, picked on test "
                    f"labels, at α = {a:g}, β = {b:g}"
                )
                theirs, usual = (points.get(at) for at in (BEST_POINT, USUAL_POINT))
                if theirs is not None and usual is not None:
                    beside["fig_3a"] += f"; the paper's best less Table 3's: {pair(theirs, usual)}"
    page = pages.of("parameters")
    return {
        name: Finding("not run", "–", WHY_NOT["xrmb"], page, "XRMB", beside=told)
        for name, told in beside.items()
    }


def _efficiency(folder: Path, pages: Pages) -> dict[str, Finding]:
    """Fig. 4, from ``efficiency.jsonl``.

    The rule: a power is fitted to the times of the public code's form, over 500 … 5,000 rows. The
    claim is *reproduced* if the whole 95 % interval lies within a half of the claimed power (the
    paper says "roughly", and the halves tell linear from quadratic), *not reproduced* if all of it
    lies outside, and *undecided* otherwise. The other two implementations are told beside.
    """
    from herocon_lite import efficiency

    about = 0.5
    page, rows = pages.of("efficiency"), results.read_lines(folder / "efficiency.jsonl")

    def of(what: str, claimed: int) -> Finding:
        fits = {by: efficiency.power(rows, what, by) for by in efficiency.BY}
        fit = fits.pop(efficiency.RELEASED)
        if fit is None:
            return Finding("not run", "–", "the timings are not stored yet", page)
        verdict = "undecided"
        if claimed - about <= fit.lo and fit.hi <= claimed + about:
            verdict = "reproduced"
        elif fit.hi < claimed - about or fit.lo > claimed + about:
            verdict = "not reproduced"
        ours = f"time ~ size^{fit.mean:.2f} [{fit.lo:.2f}, {fit.hi:.2f}]"
        beside = [f"{by}: size^{other.mean:.2f}" for by, other in fits.items() if other]
        why = f"claimed: {claimed}, about: within a half; the public code's form, timed here"
        return Finding(verdict, ours, why, page, "timing", beside="; ".join(beside))

    return {"fig_4a": of(efficiency.TRAINING, 1), "fig_4b": of(efficiency.NEGATIVE, 2)}


# ------------------------------------------------------------------ pages


class Pages:
    """The book's pages by topic, from its table of contents, so that no link is dead."""

    def __init__(self, book: Path):
        toc = book / "_toc.yml"
        self.names = re.findall(r"file: (\S+)", toc.read_text("utf-8")) if toc.exists() else []
        self.book = book

    def of(self, topic: str) -> str:
        """The page on a topic, or the one with the tables while it is not written."""
        for name in self.names:
            if not name.startswith("A") and re.search(TOPICS[topic], name):
                return name
        return FALLBACK

    def title(self, name: str) -> str:
        """What stands at the top of a page; its name, if the page is not here."""
        source = self.book / f"{name}.py"
        found = (
            re.search(r"^# # (.+)$", source.read_text("utf-8"), re.M) if source.exists() else None
        )
        return found[1] if found else name


# ------------------------------------------------------------------ the ledger


def ledger(folder: str | Path = "results") -> list[Row]:
    """All claims, in the paper's order within each kind.

    Args:
        folder: with ``runs/``, ``label_counts.json`` and ``efficiency.jsonl``; beside it ``book/``,
            whose pages the rows name.
    """
    folder = Path(folder)
    pages = Pages(folder.resolve().parent / "book")
    runs = Runs(results.load(folder))
    counts = folder / "label_counts.json"
    counts = json.loads(counts.read_text("utf-8"))["sets"] if counts.exists() else {}
    return [
        *_statement_rows(counts),
        *_count_rows(counts),
        *_cell_rows(runs, pages),
        *_comparison_rows(runs, pages),
        *_figure_rows(runs, folder, pages),
    ]


def _row(number: str, kind: str, claim: paper.Statement, found: Finding) -> Row:
    return Row(number, kind, claim.where, claim.claim, **found._asdict())


def _statement_rows(counts: dict) -> list[Row]:
    rows = []
    for number, claim in enumerate(paper.STATEMENTS, start=1):
        if claim.name in CHECKS:
            found = CHECKS[claim.name]()
        elif {"celeba", "scene"} <= counts.keys():
            found = not_applicable(counts)
        else:
            found = Finding("not run", "–", "the labels are not counted yet", "03_data_seen")
        rows.append(_row(f"L{number}", "statement", claim, found))
    return rows


def _count_rows(counts: dict) -> list[Row]:
    rows = []
    for number, count in enumerate(paper.COUNTS, start=1):
        value = counts.get(count.data, {}).get(count.field)
        digits = 2 if isinstance(count.value, float) else 0
        verdict = "not run" if value is None else "not reproduced"
        if value is not None and round(value, digits) == count.value:
            verdict = "reproduced"
        shown = "–" if value is None else f"{value:,.2f}".rstrip("0").rstrip(".")
        found = Finding(
            verdict,
            shown,
            "counted on the whole set" if value is not None else "not counted yet",
            "03_data_seen",
            paper.TITLES[count.data],
        )
        claim = paper.Statement(count.field, count.where, f"{count.claim}.")
        row = _row(f"N{number}", "count", claim, found)
        rows.append(replace(row, paper=f"{count.value:,}"))
    return rows


def _cell_rows(runs: Runs, pages: Pages) -> list[Row]:
    rows = []
    for data, methods in paper.RESULTS.items():
        for method, metric in product(methods, paper.METRICS):
            rows.append(
                Row(
                    number=f"T{len(rows) + 1}",
                    kind="cell",
                    where=f"{paper.PLACES[data]}, {paper.TITLES[data]}",
                    claim=f"{metric} of {method}",
                    data=paper.TITLES[data],
                    page=pages.of(data),
                    **_cell(runs, data, method, metric),
                )
            )
    return rows


def _comparison_rows(runs: Runs, pages: Pages) -> list[Row]:
    return [
        Row(
            number=f"S{number}",
            kind="comparison",
            where=sentence.where,
            claim=sentence.claim,
            data=paper.TITLES[sentence.data],
            page=pages.of(sentence.data),
            **_compare(runs, sentence),
        )
        for number, sentence in enumerate(paper.COMPARISONS, start=1)
    ]


def _figure_rows(runs: Runs, folder: Path, pages: Pages) -> list[Row]:
    found = {"fig_1": CHECKS["fig_1"]()}
    found |= _case_study(runs, pages) | _parameters(runs, pages) | _efficiency(folder, pages)
    return [
        _row(f"G{number}", "figure", claim, found[claim.name])
        for number, claim in enumerate(paper.FIGURES, start=1)
    ]


# ------------------------------------------------------------------ printing


def to_frame(rows: Sequence[Row]) -> pd.DataFrame:
    """One row a claim, for ``--csv``."""
    import pandas as pd

    return pd.DataFrame([asdict(row) for row in rows])


def to_markdown(rows: Sequence[Row], pages: Pages | None = None) -> str:
    """A table for people, without columns in which nothing stands; with ``pages``, links."""
    table = [["No.", "Claim", "Paper", "Public code", "Ours [95 %]", "Verdict"]]
    for row in rows:
        ours = row.ours
        if row.seeds:
            seeds = "one run" if row.seeds == 1 else f"{row.seeds} seeds"
            ours += f" ({seeds}, budget {row.budget})"
        if row.beside:
            ours += f" *Beside: {row.beside}*"
        name = f"[{pages.title(row.page)}]({row.page}.ipynb)" if pages else row.page
        why = f" {row.why[0].upper()}{row.why[1:].removesuffix('.')}." if row.why else ""
        claim, verdict = f"{row.claim} *{row.where}*", f"**{row.verdict}**.{why} {name}"
        table.append([row.number, claim, row.paper, row.released, ours, verdict])
    kept = [n for n, column in enumerate(zip(*table[1:], strict=True)) if set(column) != {"–"}]
    lines = [[cells[n].replace("|", "/") for n in kept] for cells in table]
    lines.insert(1, ["---"] * len(kept))
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
