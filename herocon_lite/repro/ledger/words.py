"""The ledger in words: reasons, what our runs say, and the whole as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import pandas as pd

from herocon_lite.repro import text
from herocon_lite.repro.ledger.rows import HEADS, WORDS
from herocon_lite.repro.ledger.rules import UNSPECIFIED, CellVerdict, State
from herocon_lite.repro.stats import MIN_SEEDS, Comparison

if TYPE_CHECKING:
    from herocon_lite.repro.ledger.figures import Growth, Surface
    from herocon_lite.repro.ledger.rows import Row, Variant
    from herocon_lite.repro.ledger.runs import Budget, PairResult
    from herocon_lite.repro.paper import ComparisonClaim, Contradiction

NOT_RUN: dict[str, str] = WORDS["not_run"]  # why a data set's rows have no runs

# ------------------------------------------------------------------ reasons


def cell_reason(found: CellVerdict) -> str:
    """Say why a cell has its verdict."""
    side = "above" if found.gap > 0 else "below"
    missed = f"{abs(found.gap):.1f} points {side} the paper"
    few = "a single run" if found.seeds == 1 else f"{found.seeds} seeds; {MIN_SEEDS} are needed"
    return WORDS["reasons"][found.reason.name].format(missed=missed, few=few)


def count_states(states: Sequence[State]) -> str:
    """Count pairs by what our runs say of them; what holds comes first."""
    count = Counter(states)
    return ", ".join(f"{count[s]} of {len(states)} {s.value}" for s in reversed(State) if count[s])


def comparison_reason(
    states: Sequence[State], found: Sequence[Contradiction] = (), ties: Sequence[Contradiction] = ()
) -> str:
    """Say why a sentence has its verdict: its pairs, or what the paper's own table says of them."""
    waiting = set(states) == {State.WAITING}
    tied = [
        f"tie in {t.metric} ({t.values[0]:.4f}, {t.values[1]:.4f})".replace("0.", ".") for t in ties
    ]
    if not found:
        return "; ".join([*tied, *([] if waiting else [count_states(states)])])
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return f"{found[0]}{more}" + ("" if waiting else f"; in our runs {count_states(states)}")


def unspecified_note(sentence: ComparisonClaim, states: Sequence[State]) -> str:
    """Say how many judged pairs are with baselines that the paper does not specify."""
    judged = sum(state is not State.WAITING for state in states)
    pairs = [pair for pair in sentence.pairs for _ in sentence.metrics]
    open_ones = [
        state is not State.WAITING and bool({*pair} & {*UNSPECIFIED})
        for pair, state in zip(pairs, states, strict=True)
    ]
    if not any(open_ones):
        return ""
    return (
        f"Of {judged} pairs, {sum(open_ones)} are with baselines that the paper does not specify."
    )


def noise_reason(used: str, best: str) -> str:
    """Say with which noise a cell is judged."""
    if used == best:
        return f"{best}, chosen for fitting"
    return f"{used}; not run with {best}"


# ------------------------------------------------------------------ what our runs say


def describe_pairs(pairs: Iterable[PairResult], most: int | None = None) -> str:
    """List differences with their intervals; those beyond ``most`` are counted only."""
    shown = [f"{p.label}: {text.format_diff(p.difference, ' ')}" for p in pairs]
    more = f"; and {len(shown) - most} more" if most and len(shown) > most else ""
    return "; ".join(shown[:most]) + more or "–"


def describe_budgets(budgets: Iterable[Budget]) -> str:
    """Name budgets with what was changed in them, each once."""
    named = [
        ", ".join([b.name, *(f"{name} {value}" for name, value in b.changes.items())])
        for b in budgets
    ]
    return " / ".join(dict.fromkeys(named)) or "–"


def describe_surface(found: Surface | None) -> str:
    """Say which point of the grid over α and β is best, on MOCHA."""
    if found is None:
        return ""
    best = (
        f"MOCHA, {found.negatives:,.0f} negatives: best of {found.points} points, picked on test "
        f"labels, at α = {found.alpha:g}, β = {found.beta:g}"
    )
    return best + (
        f"; the paper's best less Table 3's: {_points_of_f1(found.gap)}" if found.gap else ""
    )


def describe_growth(found: Sequence[Growth]) -> str:
    """Say what more negatives do on MOCHA."""
    shown = [
        f"{g.rows}, from {g.least:,.0f} to {g.most:,.0f} negatives: {_points_of_f1(g.gap)}"
        for g in found
    ]
    return f"MOCHA, at Table 3's β, not the figure's: {'; '.join(shown)}" if shown else ""


def _points_of_f1(gap: Comparison) -> str:
    if gap.n < MIN_SEEDS:
        return f"{gap.n} common seeds so far"
    return f"{text.format_diff(gap, ' ')} points of F1, {gap.n} seeds"


# ------------------------------------------------------------------ the whole


def to_frame(rows: Sequence[Row]) -> pd.DataFrame:
    """One row a claim, for ``--csv``."""
    shown = {row.number: "; ".join(map(describe_variant, row.variants)) for row in rows}
    return pd.DataFrame([asdict(row) | {"variants": shown[row.number]} for row in rows])


def describe_variant(one: Variant) -> str:
    """A verdict with one of several recipes, in one line."""
    why = f", {one.why}" if one.why else ""
    return f"{one.recipe}: {one.ours} ({one.seeds} seeds), {one.verdict}{why}"


def to_markdown(rows: Sequence[Row]) -> str:
    """A table for people, without columns in which nothing stands."""
    lines = []
    for row in rows:
        ours = row.ours
        if row.seeds:
            seeds = "one run" if row.seeds == 1 else f"{row.seeds} seeds"
            ours += f" ({seeds}, budget {row.budget})"
        if row.beside:
            ours += f" *Beside: {row.beside}*"
        claim, verdict = f"{row.claim} *{row.where}*", f"**{row.verdict}**.{row.reason} {row.page}"
        lines.append([row.number, claim, row.paper, row.released, ours, verdict])
    return text.compact_table(HEADS, lines)
