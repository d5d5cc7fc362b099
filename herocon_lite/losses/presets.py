"""The points in which the public code departs from the paper's equations, as switches."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from herocon_lite.checks import check_choice


@dataclass(frozen=True)
class Switches:
    """Points in which the public code departs from Eq. 5 and Eq. 7 (all off: the paper).

    The seventh is the ``distance`` argument of :func:`weighted_supervised`: the public code uses
    the indicator on multi-class data, the paper declares the Hamming distance.

    Example:
        >>> PRESETS["paper+self_pairs"] == Switches(self_pairs=True)
        True
    """

    # L_u
    positive_weighted: bool = False  # g also multiplies the positive in the denominator
    transposed: bool = False  # one half of g has its two samples swapped: as released, that with
    # H on view 2; with anchors in view 1, that with H on the negative
    view2_anchors: bool = False  # anchors from view 2, negatives from view 1 only
    # L_s
    label_sum: bool = False  # sum over labels, not mean: β counts c times as much
    self_pairs: bool = False  # i = j counts as a positive pair
    gamma_by_cardinality: bool = False  # γ divided by the mean number of labels per row


_RELEASED = Switches(
    positive_weighted=True,
    transposed=True,
    view2_anchors=True,
    label_sum=True,
    self_pairs=True,
)
PRESETS = {
    "paper": Switches(),
    "released": _RELEASED,  # as run on Scene, XRMB, N-MNIST and CelebA
    "released-cnn": replace(_RELEASED, gamma_by_cardinality=True),  # in its CNN file, never run
}
# and the paper's equations with one point changed, to see what that point does
PRESETS |= {f"paper+{f.name}": Switches(**{f.name: True}) for f in fields(Switches)}


def switches_of(preset: str | Switches) -> Switches:
    """Return the switches of a preset.

    Raises:
        ValueError: the preset's name is unknown.

    Example:
        >>> switches_of("released").self_pairs
        True
    """
    if isinstance(preset, Switches):
        return preset
    check_choice("preset", preset, PRESETS)
    return PRESETS[preset]
