"""Each loss as a module, for a training loop that builds its criterion once.

Every class here is a function of :mod:`herocon_lite.losses` that keeps its options; what it
computes is said there. All have

- ``reduction``: ``"mean"``; ``"none"``, one number an anchor, whose mean it is; or their ``"sum"``;
- ``learn_temperature=True``: log τ becomes a parameter, which the optimiser must be given;
- ``gather=True``: in a process group of your own, the rows of all ranks make one batch. Every rank
  computes the loss of all of it, so the ranks' mean of the gradients, which
  ``DistributedDataParallel`` makes, is that of one process. Ranks need equally many rows.

VICReg and Barlow Twins compare columns: they have no anchors to reduce and no temperature. ::

    criterion = WeightedSupervised(temperature=0.5)
    criterion(s, Y).backward()
"""

from herocon_lite.nn.criterion import Criterion
from herocon_lite.nn.metric_learning import WithMultiLabel
from herocon_lite.nn.modules import (
    CMC,
    MVDHEL,
    BarlowTwins,
    Debiased,
    Decoupled,
    HardNegative,
    InfoNCE,
    InputContrast,
    InputWeighted,
    MulSupCon,
    MultiSupCon,
    MVInfoNCE,
    NTXent,
    OverPairs,
    SupCon,
    SupConAny,
    SupConEq6,
    VICReg,
    WeightedSupervised,
    WeightedUnsupervised,
)

__all__ = [
    "CMC",
    "MVDHEL",
    "BarlowTwins",
    "Criterion",
    "Debiased",
    "Decoupled",
    "HardNegative",
    "InfoNCE",
    "InputContrast",
    "InputWeighted",
    "MVInfoNCE",
    "MulSupCon",
    "MultiSupCon",
    "NTXent",
    "OverPairs",
    "SupCon",
    "SupConAny",
    "SupConEq6",
    "VICReg",
    "WeightedSupervised",
    "WeightedUnsupervised",
    "WithMultiLabel",
]
