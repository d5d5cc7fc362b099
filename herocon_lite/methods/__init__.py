"""Each row of the tables by name: ``build("herocon", problem, alpha=0.7, beta=0.02)``.

To add a method, write a :class:`Method` and give it a name in ``METHODS``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from difflib import get_close_matches
from functools import partial

from herocon_lite.checks import check_kind
from herocon_lite.methods.base import Method, Problem, probabilities
from herocon_lite.methods.c2ae import C2AE
from herocon_lite.methods.contrastive import (
    CMC,
    DNN,
    FORMS,
    HardNegative,
    HeroCon,
    InfoNCE,
    MulSupCon,
    SupCon,
)
from herocon_lite.methods.deepmtmv import DeepMTMV
from herocon_lite.methods.mib import MIB

__all__ = ["FORMS", "METHODS", "Method", "Problem", "build", "probabilities", "settings"]

# What a partial fixes is what the name means; it cannot be set from outside.
METHODS: dict[str, Callable[..., Method]] = {
    "dnn": partial(DNN, forward_unlabeled=False),
    "info-nce": InfoNCE,
    "supcon": SupCon,
    "cmc": CMC,
    "mib": MIB,
    "c2ae": C2AE,
    "deepmtmv": DeepMTMV,
    "herocon-s": partial(HeroCon, alpha=0.0, weighted=True),
    "herocon-u": partial(HeroCon, beta=0.0, weighted=True),
    "herocon": partial(HeroCon, weighted=True),
    # controls
    "dnn-bnu": partial(DNN, forward_unlabeled=True),
    "herocon-u-g1": partial(HeroCon, beta=0.0, weighted=False),
    # what readers ask about
    "debiased": partial(HardNegative, hardness=0.0),
    "hard-negative": HardNegative,
    "mulsupcon": MulSupCon,
}


def build(name: str, problem: Problem, **chosen) -> Method:
    """A method with fresh weights; seed torch first to make them repeatable.

    Args:
        name: one of ``METHODS``.
        chosen: the method's own settings; :func:`settings` lists them with their defaults.
    """
    allowed = settings(name)
    for key in chosen:
        if key not in allowed:
            fixed = getattr(METHODS[name], "keywords", {})
            why = f"fixes {key} = {fixed[key]}" if key in fixed else f"has no setting {key!r}"
            raise ValueError(f"Method {name} {why}; it has {', '.join(allowed) or 'none'}.")
    for key, parameter in inspect.signature(METHODS[name]).parameters.items():
        if key in chosen:
            check_kind(key, chosen[key], parameter.annotation)
    return METHODS[name](problem, **chosen)


def settings(name: str) -> dict[str, object]:
    """What can be set for the method called ``name``, with the defaults."""
    if name not in METHODS:
        near = get_close_matches(str(name).lower().replace("_", "-"), METHODS, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise ValueError(f"method must be one of {', '.join(METHODS)}; got {name!r}.{hint}")
    factory = METHODS[name]
    fixed = {"problem", *getattr(factory, "keywords", {})}
    found = inspect.signature(factory).parameters.values()
    return {p.name: p.default for p in found if p.name not in fixed}
