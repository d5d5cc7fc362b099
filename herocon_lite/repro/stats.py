"""Means and paired differences with Student-t intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple

MIN_SEEDS = 3  # fewer runs have no direction: the interval of two says nothing


class Interval(NamedTuple):
    """Mean, standard deviation (n − 1), and the 95 % interval of the mean."""

    mean: float
    sd: float
    lo: float
    hi: float


def ci_half_width(sd: float, n: int, tests: int = 1) -> float:
    """Return half the width of a mean's 95 % Student-t interval.

    Args:
        sd: standard deviation (n − 1) of the values.
        n: number of values.
        tests: number of intervals that shall hold together (Bonferroni).
    """
    from scipy.special import stdtrit  # scipy.stats takes two seconds to import

    return float(stdtrit(n - 1, 1 - 0.025 / tests)) * sd / math.sqrt(n)


def interval(values: Iterable[float]) -> Interval:
    """Return the mean of a few runs with its 95 % Student-t interval (nan for one run)."""
    values = [float(v) for v in values]
    n = len(values)
    if n == 0:
        raise ValueError("values must hold at least one number; it is empty.")
    mean = math.fsum(values) / n
    if n == 1:
        return Interval(mean, math.nan, math.nan, math.nan)
    sd = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (n - 1))
    half = ci_half_width(sd, n)
    return Interval(mean, sd, mean - half, mean + half)


class Direction(Enum):
    """On which side of zero the 95 % interval of a difference lies."""

    HIGHER = 1
    LOWER = -1
    NONE = 0  # the interval contains zero
    UNKNOWN = None  # fewer than MIN_SEEDS differences


@dataclass(frozen=True)
class Comparison:
    """What paired differences show. Text is made of it in :mod:`herocon_lite.repro.text` only."""

    estimate: float  # the mean; nan without differences
    lo: float  # 95 % Student-t interval; nan for fewer than two differences
    hi: float
    n: int
    direction: Direction
    significant: bool  # at 95 %
    corrected: bool  # still so after Bonferroni's correction for ``tests``
    tests: int = 1

    def __neg__(self) -> Comparison:
        """Return b − a for a − b."""
        turned = {Direction.HIGHER: Direction.LOWER, Direction.LOWER: Direction.HIGHER}
        ends = {"estimate": -self.estimate, "lo": -self.hi, "hi": -self.lo}
        return replace(self, **ends, direction=turned.get(self.direction, self.direction))


def compare(values: Iterable[float], tests: int = 1) -> Comparison:
    """Compare two methods by their paired differences.

    Args:
        values: a − b, one a seed.
        tests: number of differences that are looked at together.
    """
    values = [float(v) for v in values]
    n = len(values)
    if n == 0:
        return Comparison(*[math.nan] * 3, 0, Direction.UNKNOWN, False, False, tests)
    mean, sd, lo, hi = interval(values)
    if n < MIN_SEEDS:
        return Comparison(mean, lo, hi, n, Direction.UNKNOWN, False, False, tests)
    direction = Direction(int(lo > 0) - int(hi < 0))
    significant = direction is not Direction.NONE
    corrected = significant and abs(mean) > ci_half_width(sd, n, tests)
    return Comparison(mean, lo, hi, n, direction, significant, corrected, tests)


def confirm(found: Comparison, p: float) -> Comparison:
    """Return a comparison that is significant only if a bootstrap agrees.

    Args:
        found: by Student's t over seeds.
        p: the bootstrap's two-sided share of draws beyond zero.

    Example:
        >>> found = compare([1, 1.1, 0.9])
        >>> confirm(found, p=0.2).direction
        <Direction.NONE: 0>
    """
    if not found.significant or p < 0.05:
        return replace(found, corrected=found.corrected and p * found.tests < 0.05)
    return replace(found, direction=Direction.NONE, significant=False, corrected=False)
