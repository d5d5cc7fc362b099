"""Cells of Tables 2 and 3, and the sentences that compare their rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from herocon_lite.repro import ablations, paper, query, stats, text
from herocon_lite.repro.ledger import words
from herocon_lite.repro.ledger.rows import Variant
from herocon_lite.repro.ledger.rules import (
    UNSPECIFIED,
    CellVerdict,
    Order,
    Reason,
    State,
    Verdict,
    judge_cell,
    judge_comparison,
    judge_equivalence,
    judge_order,
)
from herocon_lite.repro.ledger.runs import (
    NOISES,
    ONE_VIEW,
    REDUCED,
    TEXT_NOISE,
    VARIANTS,
    Pair,
    PairedResults,
    PairResult,
    Runs,
    budget_of,
    compare_pairs,
)
from herocon_lite.repro.stats import MIN_SEEDS, Direction

MOST_PAIRS = 3  # shown in a row of the page, which has no room for a matrix

# ------------------------------------------------------------------ cells


def cell(runs: Runs, data: str, method: str, metric: str, released: dict) -> dict:
    """Everything a cell's row needs from the runs."""
    printed = paper.RESULTS[data][method]
    mean, sd = (getattr(printed, f"{metric.lower()}{end}") for end in ("", "_sd"))
    row = {"paper": f"{mean:.4f} ± {sd:.4f}", "released": _released(released, method, metric, data)}
    noises = {name: kind for name, kind in NOISES.items() if data == "mnist"} or {"": {}}
    found = {name: _judge(runs, data, method, metric, **kind) for name, kind in noises.items()}
    found = {name: one for name, one in found.items() if one}
    if not found:
        beside = _reduced(runs, data, method, metric) or _variants(runs, data, method, metric)
        return row | {"why": words.NOT_RUN[data], "beside": beside}
    headline, why = next(iter(found)), ""
    if data == "mnist":
        best = runs.best_fitting_noise()
        headline = best if best in found else headline
        if best != TEXT_NOISE:
            why = words.noise_reason(headline, best)
    shown = found[headline]
    variants = [
        Variant(name, one["ours"], one["seeds"], one["verdict"], one["why"])
        for name, one in found.items()
        if data == "mnist"
    ]
    beside = [shown.pop("beside"), _variants(runs, data, method, metric)]
    return (
        row
        | shown
        | {
            "why": "; ".join(filter(None, [shown["why"], why])),
            "beside": "; ".join(filter(None, beside)),
            "variants": tuple(variants),
        }
    )


def _judge(runs: Runs, data: str, method: str, metric: str, **kind) -> dict:
    """What the runs of one kind say of a cell; nothing where there are none."""
    found, column = runs.of(data, method, **kind), metric.lower()
    if found.empty:
        return {}
    printed = paper.RESULTS[data][method]
    values = found[column].dropna().tolist()
    asked = {
        "order": _order(runs, data, method, metric, **kind),
        "established": method != "DNN" and paper.order_is_established(data, method, "DNN", metric),
        "unspecified": method in UNSPECIFIED,
    }
    ends = (getattr(printed, column), getattr(printed, f"{column}_sd"))
    judged, beside = judge_cell(*ends, values, **asked), ""
    if data == "mnist" and metric == "AUC" and "auc_hard" in found:
        hard = found["auc_hard"].dropna().tolist()
        judged = _judge_hard(printed, judged, found["f1"].dropna().tolist(), hard)
        beside = f"AUC of hard predictions: {_format_level(hard)}" if hard else ""
    level = stats.interval(values)
    return {
        "beside": beside,
        "ours": _format_level(values),
        "lo": level.lo,
        "hi": level.hi,
        "budget": words.describe_budgets([budget_of(found)]),
        "seeds": len(values),
        "verdict": judged.verdict,
        "why": words.cell_reason(judged),
    }


def _judge_hard(
    printed: paper.Cells, judged: CellVerdict, f1: Sequence[float], hard: Sequence[float]
) -> CellVerdict:
    """Judge an AUC that the paper may have computed from hard predictions.

    That area is a function of accuracy, so it says something only where the level of F1 is found.
    """
    if judged.verdict not in (Verdict.NOT_REPRODUCED, Verdict.IN_PART, Verdict.UNSPECIFIED):
        return judged
    level = judge_cell(printed.f1, printed.f1_sd, f1).verdict
    area = judge_cell(printed.auc, printed.auc_sd, hard).verdict
    if level is area is Verdict.REPRODUCED:
        return judged._replace(verdict=Verdict.IN_PART, reason=Reason.HARD_AUC)
    return judged


def _format_level(values: Sequence[float]) -> str:
    mean, _, lo, hi = stats.interval(values)
    return text.format_interval(mean, lo, hi)


def _reduced(runs: Runs, data: str, method: str, metric: str) -> str:
    """What smaller runs gave, where only those are affordable."""
    smaller = runs.of(data, method, full=False)
    if data not in REDUCED or smaller.empty:
        return ""
    values = smaller[metric.lower()].dropna()
    n = len(values)
    level = _format_level(values) if n >= MIN_SEEDS else f"{stats.interval(values).mean:.4f}"
    order = _order(runs, data, method, metric, full=False)
    return (
        f"reduced ({words.describe_budgets([budget_of(smaller)])}): {level}, "
        + (f"{n} seeds" if n > 1 else "one run")
        + ("; the order against DNN is found" if order is Order.FOUND else "")
    )


def _order(runs: Runs, data: str, method: str, metric: str, **kind) -> Order:
    """On which side of DNN our paired difference lies, interval and all, seen from the paper's."""
    if method == "DNN":
        return Order.UNKNOWN
    a, b = (runs.of(data, name, **kind) for name in (method, "DNN"))
    found = runs.difference(a, b, metric.lower()).direction
    above = paper.gap(data, method, "DNN", metric) > 0
    return {
        Direction.UNKNOWN: Order.UNKNOWN,
        Direction.NONE: Order.OPEN,
        Direction.HIGHER: Order.FOUND if above else Order.REVERSED,
        Direction.LOWER: Order.REVERSED if above else Order.FOUND,
    }[found]


def _released(released: dict, method: str, metric: str, data: str) -> str:
    values = released.get((data, method))
    return f"{values[paper.METRICS.index(metric)]:.4f}" if values else "–"


def _variants(runs: Runs, data: str, method: str, metric: str) -> str:
    """Other runs of the same method, in one line."""
    shown = []
    for name, kind in VARIANTS.get(data, {}).items():
        values = runs.of(data, method, **kind)[metric.lower()].dropna()
        if len(values) >= MIN_SEEDS:
            shown.append(f"{name}: {stats.interval(values).mean:.4f} ({len(values)} seeds)")
    return "; ".join(shown)


# ------------------------------------------------------------------ comparisons


def compare(runs: Runs, sentence: paper.ComparisonClaim) -> dict:
    """Everything a sentence's row needs from the runs."""
    reason = words.NOT_RUN[sentence.data]
    if sentence.other_setting:
        return {"why": f"{reason}; and the tables have other α and β", "beside": sentence.note}
    found, beside = _with_best_noise(runs, sentence)
    contradictions = paper.contradictions(sentence)
    verdict = judge_comparison(found.states, bool(contradictions), sentence.strict)
    ties = [] if contradictions else paper.contradictions(sentence, ties=True)
    why = words.comparison_reason(found.states, contradictions, ties)
    if verdict is Verdict.NOT_RUN:
        why = reason
    beside += [
        sentence.note,
        words.unspecified_note(sentence, found.states),
        _own_threshold(runs) if sentence.threshold else "",
    ]
    if sentence.data in ONE_VIEW:  # the text has one view and Eq. 4, the public code two copies
        one_view = _compare_pairs(runs, sentence, form="eq4").states
        if State.WAITING not in one_view:  # most baselines have no such form
            counts = words.count_states(one_view)
            beside.append(f"With one view: {counts}.")
            holds = judge_comparison(one_view, strict=sentence.strict) is Verdict.REPRODUCED
            if verdict is Verdict.NOT_REPRODUCED and holds:
                verdict, why = Verdict.IN_PART, f"two copies: {why}; one view: {counts}"
    if sentence.data in REDUCED:
        smaller = _compare_pairs(runs, sentence, full=False)
        if smaller.seeds:  # they cannot exclude a gain that takes the full size
            states = [State.OPEN if s is State.FAILS else s for s in smaller.states]
            beside.append(f"Reduced runs: {words.count_states(states)}.")
    return {
        "paper": _printed(sentence),
        "ours": words.describe_pairs(sorted(found.judged, key=_by_state), MOST_PAIRS),
        "budget": words.describe_budgets(found.budgets),
        "seeds": found.seeds,
        "verdict": verdict,
        "why": why,
        "beside": " ".join(filter(None, beside)),
    }


def _with_best_noise(
    runs: Runs, sentence: paper.ComparisonClaim
) -> tuple[PairedResults, list[str]]:
    """A sentence's pairs with the best-fitting noise, if all are run with it, or the text's."""
    if sentence.data != "mnist":
        return _compare_pairs(runs, sentence), []
    found = {name: _compare_pairs(runs, sentence, **kind) for name, kind in NOISES.items()}
    best = runs.best_fitting_noise()
    headline = TEXT_NOISE if State.WAITING in found[best].states else best
    others = [
        f"With {name}: {words.count_states(one.states)}."
        for name, one in found.items()
        if name != headline and one.seeds
    ]
    return found[headline], [f"Judged with {headline}."] * bool(others) + others


def _own_threshold(runs: Runs) -> str:
    """HeroCon's lead over DeepMTMV on Scene, each at the threshold that its labels choose."""
    if runs.folder is None or runs.of("scene", "DeepMTMV").empty:
        return ""
    gaps = ablations.own_thresholds(
        query.Store(runs.folder, "scene", form="two_noisy"), "herocon", "deepmtmv"
    )
    if len(gaps) < MIN_SEEDS:
        return ""
    return (
        f"F1 is at the threshold 0.4. With a threshold that each method chooses by its labels, "
        f"HeroCon − DeepMTMV is {text.format_diff(stats.compare(gaps['own']), ' ')}."
    )


def _compare_pairs(runs: Runs, sentence: paper.ComparisonClaim, **kind) -> PairedResults:
    """Compare a sentence's pairs in runs of one kind, on each of its metrics."""
    pairs = []
    gains = sentence.gain or (0.0,) * len(sentence.pairs)
    for (a, b), gain in zip(sentence.pairs, gains, strict=True):
        sides = [runs.of(sentence.data, name, **kind) for name in (a, b)]
        for metric in sentence.metrics:
            printed = paper.gap(sentence.data, a, b, metric)
            judge = partial(judge_order, printed=printed, claimed=gain)
            judge = judge_equivalence if sentence.similar else judge
            pairs.append(Pair(f"{a} − {b}, {metric}", *sides, judge, metric.lower()))
    return compare_pairs(runs, pairs)


def _by_state(pair: PairResult) -> int:
    return list(State).index(pair.state)


def _printed(sentence: paper.ComparisonClaim) -> str:
    """The least of the paper's own differences, in points: what the sentence hangs on."""
    gaps = [
        (gap, f"{a} − {b}, {m}")
        for a, b in sentence.pairs
        for m in sentence.metrics
        if (gap := paper.gap(sentence.data, a, b, m)) is not None
    ]
    if not gaps:
        return "–"
    if sentence.similar:
        return f"within {max(abs(gap) for gap, _ in gaps):.1f} points"
    gap, name = min(gaps)
    return f"least: {name}, {text.format_points(gap)}"
