"""One ``load(name)`` for every data set: views, labels, kind and card; then splits by name.

Small real sets are embedded; the paper's own are looked for in ``$HEROCON_DATA``, then in
``data/``, then downloaded with checksums.
"""

from __future__ import annotations

from herocon_lite.data.cards import CARDS, NAMES, Card
from herocon_lite.data.dataset import Dataset
from herocon_lite.data.doctor import doctor
from herocon_lite.data.lazy import Lazy
from herocon_lite.data.readers import load
from herocon_lite.data.splits import Split, select_classes, split

__all__ = [
    "CARDS",
    "NAMES",
    "Card",
    "Dataset",
    "Lazy",
    "Split",
    "doctor",
    "load",
    "select_classes",
    "split",
]
