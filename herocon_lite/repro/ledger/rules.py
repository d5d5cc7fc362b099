"""The rules: what our runs must show for a claim to count as reproduced.

:func:`cell_verdict` for a cell of Tables 2 and 3, :func:`pair_state` and its kin for two methods
set against each other, :func:`comparison_verdict` for a sentence about several such pairs.
"""

from __future__ import annotations

from collections.abc import Sequence

from herocon_lite.repro import stats
from herocon_lite.repro.stats import Interval

VERDICTS = {
    "reproduced": "our runs or our check say the same",
    "in part": "the order, a part of the claim, or a repaired form of it holds",
    "not reproduced": "our runs say otherwise",
    "contradicted by the paper's own table": "the claim and the printed table exclude each other",
    "false": "a check refutes it",
    "undecided": "fewer than three seeds, or intervals too wide to tell",
    "not run": "no runs at the paper's size; the row says why",
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


def cell_verdict(
    mean: float, sd: float, values: Sequence[float], order: bool | None = None
) -> tuple[str, str]:
    """The verdict on one cell of a table, and why.

    *Reproduced*: the paper's mean lies in our 95 % interval, widened on both sides by the standard
    deviation that the paper prints, since its mean of five repetitions is uncertain, too. That
    needs no guess how the deviation was computed; with three seeds it reaches up to 1.8 times as
    far as Welch's test would, with twenty up to 1.4 times. A wide interval of ours must not help:
    one beyond ± 0.02 that has room for the paper's mean decides nothing.

    *In part*: the number is missed, but the order is found: the method stands on the same side of
    DNN as in the paper, our whole paired interval on that side. Tables are read as comparisons, and
    a level depends on splits and preprocessing that the paper does not fix. Each metric is a cell
    of its own.

    *Not reproduced*: neither.

    Args:
        mean, sd: as printed.
        values: ours, one a seed.
        order: whether the order against DNN is found; None: not known, or DNN itself. A cell that
            is reproduced without it says so.
    """
    n = len(values)
    if n == 0:
        return "not run", ""
    if n < ENOUGH:
        return "undecided", "a single run" if n == 1 else f"{n} seeds; {ENOUGH} are needed"
    found = stats.interval(values)
    if found.lo - sd <= mean <= found.hi + sd:
        if (found.hi - found.lo) / 2 > WIDE:
            return "undecided", f"our interval is wider than ± {WIDE}"
        missed = order is not None and not order
        return "reproduced", "but the order against DNN is not found" if missed else ""
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
