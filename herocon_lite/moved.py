"""Names that had another place in version 0.1, kept for one release with a warning."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module

# Where each is now; what only tools of the reproduction used is not kept.
MOVED = {
    "herocon_lite.train": {
        "Feed": "herocon_lite.train.BatchSampler",
        "repeatable": "herocon_lite.runtime.deterministic",
    },
    "herocon_lite.methods": {"settings": "herocon_lite.methods.method_params"},
}


def old_names(module: str) -> Callable[[str], object]:
    """Return a ``__getattr__`` for a module, which finds what has moved from it and says where to.

    Example:
        >>> old_names("herocon_lite.train")("pick")
        Traceback (most recent call last):
        AttributeError: module 'herocon_lite.train' has no attribute 'pick'
    """

    def find(name: str) -> object:
        place = MOVED[module].get(name)
        if place is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warnings.warn(
            f"{module}.{name} is now {place}; the old name goes with version 0.3.",
            DeprecationWarning,
            stacklevel=2,
        )
        home, _, new = place.rpartition(".")
        return getattr(import_module(home), new)

    return find
