"""Cells of Tables 2 and 3, and the sentences that compare their rows."""

from __future__ import annotations

from functools import partial

from herocon_lite.repro import paper, stats
from herocon_lite.repro.ledger.rules import (
    ENOUGH,
    STATES,
    cell_verdict,
    comparison_verdict,
    pair_state,
    similar_state,
)
from herocon_lite.repro.ledger.runs import (
    ONE_VIEW,
    REDUCED,
    WHY_NOT,
    Asked,
    Pair,
    Runs,
    ask,
    budget_text,
    level_text,
)

# ------------------------------------------------------------------ cells


def cell(runs: Runs, data: str, method: str, metric: str) -> dict:
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
            found = stats.interval(values)
            order = _order(runs, data, method, metric, full=False)
            told = "; the order against DNN is found" if order else ""
            n = len(values)
            shown = level_text(found, n if n >= ENOUGH else 1)  # an interval from two says nothing
            seeds = f"{n} seeds" if n > 1 else "one run"
            row["beside"] = f"reduced ({budget_text(smaller)}): {shown}, {seeds}{told}"
        return row | {"why": why}
    values = mine[column].dropna().tolist()
    order = _order(runs, data, method, metric)
    verdict, why = cell_verdict(mean, sd, values, order)
    if data == "mnist" and metric == "AUC" and "auc_hard" in mine:
        hard = mine["auc_hard"].dropna().tolist()
        if hard:
            told = f"AUC of hard predictions: {level_text(stats.interval(hard), len(hard))}"
            row["beside"] = "; ".join(filter(None, [told, row["beside"]]))
        # That area is a function of accuracy, so it says something only where the level is met.
        level = cell_verdict(printed.f1, printed.f1_sd, mine["f1"].dropna().tolist())[0]
        fits = level == cell_verdict(mean, sd, hard)[0] == "reproduced"
        if fits and verdict in ("not reproduced", "in part"):
            verdict, why = "in part", "fits the AUC of hard predictions, not of probabilities"
    found = stats.interval(values)
    return row | {
        "ours": level_text(found, len(values)),
        "lo": found.lo,
        "hi": found.hi,
        "budget": budget_text(mine),
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
        "one view": {"form": "eq4"},
        "preset released": {"preset": "released"},
        "released folds": {"preset": "released", "split": "released"},
        "inductive": {"protocol": "inductive"},
    }
    if data == "mnist":
        variants["the public code's noise"] = {"views": "released"}
        variants["no noise, α and β of Fig. 2"] = {"share": 0.0}
    told = []
    for name, asked in variants.items():
        values = runs.of(data, method, **asked)[metric.lower()].dropna()
        if len(values) >= ENOUGH:
            told.append(f"{name}: {stats.interval(values).mean:.4f} ({len(values)} seeds)")
    return "; ".join(told)


# ------------------------------------------------------------------ comparisons


def compare(runs: Runs, sentence: paper.Comparison) -> dict:
    """Everything a sentence's row needs from the runs."""
    if sentence.other_setting:
        why = f"{WHY_NOT[sentence.data]}; and the tables have other α and β"
        return {"why": why, "beside": sentence.note}
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
        return ask(runs, pairs)

    states, shown, seeds, budget = asked()
    shown = [told for _, told in sorted(shown, key=lambda pair: list(STATES).index(pair[0]))]
    verdict, why = comparison_verdict(states, paper.contradictions(sentence))
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
