"""Answers of the chapter on adding a method."""


def ends(equal, opposite):
    """z1 and z2 have length 1: what is |z1 − z2|² then?"""
    return equal == 0 and opposite == 4
