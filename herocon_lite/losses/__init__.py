r"""The paper's equations by number, and the losses they are compared with, as pure functions.

Everywhere f(a, b) = exp(cos(a, b)/τ). Representations are matrices with one row per sample; losses
are scalars on their input's device, in its precision (half precision is lifted to float32).
Shapes, dtypes and the temperature are checked. τ may be a tensor of one number, to be learned; it
is checked where other values are. :mod:`herocon_lite.nn` has each loss as a module.

What is missing is left out. Of two views choose the rows that have both,
``nt_xent(z1[both], z2[both])``: they are then all anchors, positives and negatives. Of losses by
labels leave out rows whose labels are unknown; :func:`weighted_supervised` also takes single
unknown entries, ``known=Y >= 0``.

Weighted losses take a ``preset``: the paper's equations, or what its public code does.
There are first derivatives only; ``create_graph=True`` and ``torch.func`` get a sentence, and
``torch.compile(fullgraph=True)`` works.
"""

from herocon_lite.losses.presets import PRESETS, Switches, switches_of
from herocon_lite.losses.rivals import (
    MULTI_VIEW_FORMS,
    barlow_twins,
    decoupled,
    mv_dhel,
    mv_info_nce,
    vicreg,
)
from herocon_lite.losses.supervised import (
    EMPTY,
    mul_sup_con,
    multi_sup_con,
    sup_con,
    sup_con_any,
    sup_con_eq6,
    weighted_supervised,
)
from herocon_lite.losses.unsupervised import (
    PARTS,
    Net,
    cmc,
    debiased,
    hard_negative,
    info_nce,
    input_contrast,
    input_weighted,
    nt_xent,
    over_pairs,
    weighted_unsupervised,
)

__all__ = [
    "EMPTY",
    "MULTI_VIEW_FORMS",
    "PARTS",
    "PRESETS",
    "Net",
    "Switches",
    "barlow_twins",
    "cmc",
    "debiased",
    "decoupled",
    "hard_negative",
    "info_nce",
    "input_contrast",
    "input_weighted",
    "mul_sup_con",
    "multi_sup_con",
    "mv_dhel",
    "mv_info_nce",
    "nt_xent",
    "over_pairs",
    "sup_con",
    "sup_con_any",
    "sup_con_eq6",
    "switches_of",
    "vicreg",
    "weighted_supervised",
    "weighted_unsupervised",
]
