"""Exercises of the chapter on comparisons: each function says whether an answer is right."""

from scipy import stats


def luck(points):
    """The best of 25 standard normal numbers is 1.97 on average; the mean of 5 seeds has a deviation
    of 1 / √5 points."""
    return abs(points - 1.965 / 5**0.5) < 0.05


def near_copies(n):
    """A test sample has 19 mates among 9,999 others. None is labelled with the probability
    `scipy.stats.hypergeom.pmf(0, 9_999, 19, n)`, about (1 − n / 10,000)¹⁹: at least 0.9."""
    free = [stats.hypergeom.pmf(0, 9_999, 19, k) for k in (n, n + 1)]
    return free[0] >= 0.9 > free[1]
