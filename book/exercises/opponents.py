"""Exercise of the chapter on what one would use instead."""


def trees(count):
    """400 on all columns, and as many shared out over the views, rounded down."""
    return int(count) == 796
