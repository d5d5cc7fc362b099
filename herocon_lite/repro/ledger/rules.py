"""The rules: what our runs must show for a claim to count as reproduced.

:func:`judge_cell` is for a cell of Tables 2 and 3, :func:`judge_order` and its kin for two methods
that are compared, :func:`judge_comparison` for a sentence about several such pairs. Rules take and
give values; :mod:`herocon_lite.repro.ledger.words` makes text of them. ``words.yaml`` says the same
in words, as the ledger's page shows it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from herocon_lite.repro import stats
from herocon_lite.repro.stats import MIN_SEEDS, Comparison, Direction

MAX_HALF_WIDTH = 0.02  # an interval beyond ± this cannot separate the methods of the tables
EQUIVALENCE_MARGIN = 2.0  # points; two methods within this do about equally well
MIN_GAIN = 0.5  # points; the least gain that counts where the paper prints none
UNSPECIFIED = ("MIB", "C2AE", "DeepMTMV")  # the paper does not say how it joined them to its net


class Verdict(str, Enum):
    """What the ledger says of a claim, in the words that it prints."""

    REPRODUCED = "reproduced"  # our runs or our check say the same
    IN_PART = "in part"  # the order, a part of the claim, or a repaired form of it holds
    NOT_REPRODUCED = "not reproduced"  # our runs say otherwise
    CONTRADICTED = "contradicted by the paper's own table"  # claim and table exclude each other
    FALSE = "false"  # a check refutes it
    UNSPECIFIED = "baseline not specified"  # another level, of a baseline that could be another
    UNDECIDED = "undecided"  # fewer than three seeds, or intervals too wide
    NOT_RUN = "not run"  # no runs at the paper's size

    __str__ = str.__str__


class State(Enum):
    """What our runs say of one pair of methods, in words that fit several; the order of mention."""

    WAITING = "wait for runs"
    REVERSED = "go the other way"
    EXCLUDED = "exclude the stated gain"
    FAILS = "fail"
    SMALLER = "hold with a smaller gain"
    OPEN = "left open"
    HOLDS = "hold"


class Order(Enum):
    """Where our runs have a method against DNN, seen from where the paper prints it."""

    FOUND = "our interval lies on the paper's side of zero"
    OPEN = "it contains zero"
    REVERSED = "it lies on the other side"
    UNKNOWN = "fewer than three common seeds, or DNN itself"


class Reason(Enum):
    """Why a cell has its verdict."""

    NO_RUNS = "no runs"
    FEW_SEEDS = "fewer than three seeds"
    TOO_WIDE = "our interval has room for the paper's mean and is too wide"
    LEVEL_FOUND = "the paper's mean is within our widened interval"
    LEVEL_FOUND_ORDER_MISSED = "so it is, but the order against DNN is not found"
    LEVEL_FOUND_ORDER_REVERSED = "so it is, but the order against DNN is reversed"
    ORDER_FOUND = "the mean is missed, the order against DNN is found"
    BASELINE = "the mean is missed, and the paper does not say what the baseline was"
    MISSED = "neither is found"
    HARD_AUC = "fits the AUC of hard predictions"


class CellVerdict(NamedTuple):
    """A cell's verdict, its reason, and the numbers that the reason speaks of."""

    verdict: Verdict
    reason: Reason
    seeds: int
    gap: float = math.nan  # ours less the paper's, in points


def judge_cell(
    mean: float,
    sd: float,
    values: Sequence[float],
    order: Order = Order.UNKNOWN,
    established: bool = False,
    unspecified: bool = False,
) -> CellVerdict:
    """Judge one cell of a table.

    *Reproduced*: the paper's mean lies in our 95 % interval, widened on both sides by the standard
    deviation that the paper prints, since its mean of five repetitions is uncertain, too. That
    needs no guess how the deviation was computed; with three seeds it reaches up to 1.8 times as
    far as Welch's test would, with twenty up to 1.4 times. A wide interval of ours must not help:
    one beyond ± 0.02 that has room for the paper's mean decides nothing. An order against DNN that
    is significantly the reverse of the printed one makes it *in part*.

    *In part*: the number is missed, but the order is found: our whole paired interval lies on the
    paper's side of DNN. That is asked for only where the paper's own repetitions establish the
    order. Tables are read as comparisons, and a level depends on splits and preprocessing that the
    paper does not fix. Each metric is a cell of its own.

    *Baseline not specified*: the number of a baseline is missed that the paper does not describe.

    *Not reproduced*: neither.

    Args:
        mean, sd: as printed.
        values: ours, one a seed.
        order: ours against DNN, seen from the printed one.
        established: whether the paper's own repetitions establish the printed order.
        unspecified: whether the paper leaves open how the method was built.
    """
    n = len(values)
    if n == 0:
        return CellVerdict(Verdict.NOT_RUN, Reason.NO_RUNS, n)
    if n < MIN_SEEDS:
        return CellVerdict(Verdict.UNDECIDED, Reason.FEW_SEEDS, n)
    ours = stats.interval(values)
    gap = 100 * (ours.mean - mean)
    if ours.lo - sd <= mean <= ours.hi + sd:
        if (ours.hi - ours.lo) / 2 > MAX_HALF_WIDTH:
            return CellVerdict(Verdict.UNDECIDED, Reason.TOO_WIDE, n, gap)
        if order is Order.REVERSED:
            return CellVerdict(Verdict.IN_PART, Reason.LEVEL_FOUND_ORDER_REVERSED, n, gap)
        missed = established and order is Order.OPEN
        found = Reason.LEVEL_FOUND_ORDER_MISSED if missed else Reason.LEVEL_FOUND
        return CellVerdict(Verdict.REPRODUCED, found, n, gap)
    if unspecified:
        return CellVerdict(Verdict.UNSPECIFIED, Reason.BASELINE, n, gap)
    if established and order is Order.FOUND:
        return CellVerdict(Verdict.IN_PART, Reason.ORDER_FOUND, n, gap)
    return CellVerdict(Verdict.NOT_REPRODUCED, Reason.MISSED, n, gap)


def judge_order(found: Comparison, printed: float | None, claimed: float = 0.0) -> State:
    """Judge "a is better than b" by the paired differences a − b.

    - HOLDS: the 95 % interval lies above zero, and reaches the gain that the text claims.
    - EXCLUDED: it lies below the gain that the text claims.
    - REVERSED: it lies below zero.
    - FAILS: it does neither, and excludes a gain as large as the paper prints (half a point, where
      it prints none).
    - OPEN: it has room for both, no gain and the printed one.
    - WAITING: fewer than three common seeds.

    Args:
        found: of the differences, in points.
        printed: the difference in the paper's table, in points.
        claimed: the gain in the text, if there is one, in points.
    """
    if found.direction is Direction.UNKNOWN:
        return State.WAITING
    if found.direction is Direction.LOWER:
        return State.REVERSED
    if found.hi < claimed:
        return State.EXCLUDED
    if found.direction is Direction.HIGHER:
        return State.HOLDS
    expected = printed if printed is not None and printed > 0 else MIN_GAIN
    return State.FAILS if found.hi < expected else State.OPEN


def judge_equivalence(found: Comparison) -> State:
    """Judge "a and b do about equally well": within ± 2 points."""
    if found.direction is Direction.UNKNOWN:
        return State.WAITING
    if found.lo > -EQUIVALENCE_MARGIN and found.hi < EQUIVALENCE_MARGIN:
        return State.HOLDS
    outside = found.lo > EQUIVALENCE_MARGIN or found.hi < -EQUIVALENCE_MARGIN
    return State.FAILS if outside else State.OPEN


def judge_large_gain(found: Comparison) -> State:
    """Judge "a does much better than b": by more than what still counts as equal."""
    if found.direction is Direction.UNKNOWN:
        return State.WAITING
    if found.lo > EQUIVALENCE_MARGIN:
        return State.HOLDS
    if found.hi >= EQUIVALENCE_MARGIN:
        return State.OPEN
    by_direction = {Direction.HIGHER: State.SMALLER, Direction.LOWER: State.REVERSED}
    return by_direction.get(found.direction, State.FAILS)


def judge_comparison(
    states: Sequence[State], contradicted: bool = False, strict: bool = False
) -> Verdict:
    """Judge a sentence that compares methods.

    A sentence that the paper's own table contradicts needs no runs. One pair refutes a sentence
    that says "best" or states a gain, if it goes the other way or excludes the gain. Otherwise it
    is *reproduced* if all its pairs hold. (That all must hold makes it a strict test without any
    correction for their number.) It is *in part* if at least half hold, *not reproduced* if fewer
    do and one fails or goes the other way, and *undecided* otherwise, or as long as pairs have
    fewer than three seeds.

    Args:
        states: one for each pair and metric.
        contradicted: whether the paper's own table has a pair the other way round.
        strict: whether the sentence says "best", "above all", or states a gain.
    """
    count = Counter(states)
    if contradicted:
        return Verdict.CONTRADICTED
    if count[State.EXCLUDED] or (strict and count[State.REVERSED]):
        return Verdict.NOT_REPRODUCED
    if count[State.WAITING] == len(states):
        return Verdict.NOT_RUN
    if count[State.WAITING]:
        return Verdict.UNDECIDED
    if count[State.HOLDS] == len(states):
        return Verdict.REPRODUCED
    if 2 * (count[State.HOLDS] + count[State.SMALLER]) >= len(states):
        return Verdict.IN_PART
    missed = count[State.FAILS] + count[State.REVERSED]
    return Verdict.NOT_REPRODUCED if missed else Verdict.UNDECIDED


def judge_growth(fit: stats.Interval, claimed: float, about: float = 0.5) -> Verdict:
    """Judge "time grows with this power of the size".

    *Reproduced* if the whole 95 % interval of the fitted power lies within a half of the claimed
    one (the paper says "roughly", and the halves separate linear from quadratic), *not reproduced*
    if all of it lies outside, *undecided* otherwise.
    """
    if claimed - about <= fit.lo and fit.hi <= claimed + about:
        return Verdict.REPRODUCED
    outside = fit.hi < claimed - about or fit.lo > claimed + about
    return Verdict.NOT_REPRODUCED if outside else Verdict.UNDECIDED
