"""Exercises of the chapter on missing views and labels: whether an answer is right."""


def distance(number):
    """Look at the labels known in both, count those that differ, scale from these to all four."""
    return float(number) == 2
