"""Means with Student-t intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple


class Interval(NamedTuple):
    """Mean, standard deviation (n − 1), and the 95 % interval of the mean."""

    mean: float
    sd: float
    lo: float
    hi: float


def reach(sd: float, n: int, tests: int = 1) -> float:
    """Half of a mean's 95 % Student-t interval; Bonferroni's, where several are looked at."""
    from scipy.special import stdtrit  # scipy.stats takes two seconds to import

    return float(stdtrit(n - 1, 1 - 0.025 / tests)) * sd / math.sqrt(n)


def interval(values: Iterable[float]) -> Interval:
    """The mean of a few runs with its 95 % Student-t interval; one run has no interval (nan)."""
    values = [float(v) for v in values]
    n = len(values)
    if n == 0:
        raise ValueError("values must hold at least one number; it is empty.")
    mean = math.fsum(values) / n
    if n == 1:
        return Interval(mean, math.nan, math.nan, math.nan)
    sd = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (n - 1))
    precision = reach(sd, n)
    return Interval(mean, sd, mean - precision, mean + precision)
