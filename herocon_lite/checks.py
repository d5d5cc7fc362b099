"""Sentences for a bad call: each names the argument, what was expected and what came.

Only what can be told without looking at values is checked here, so that nothing makes a GPU wait.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from importlib import import_module
from numbers import Integral
from types import ModuleType

import numpy as np
import torch
from torch import Tensor


def check_temperature(temperature: float) -> None:
    if not _not_negative(temperature) or temperature == 0:
        raise ValueError(f"temperature must be a positive number; got {temperature!r}.")


def check_weight(name: str, value: float) -> None:
    if not _not_negative(value):
        raise ValueError(f"{name} must be a finite number ≥ 0; got {value!r}.")


def check_probability(name: str, value: float) -> None:
    if not _not_negative(value) or value >= 1:
        raise ValueError(f"{name} must be in [0, 1), a probability; got {value!r}.")


def check_share(name: str, value: float) -> None:
    if not _not_negative(value) or value > 1:
        raise ValueError(f"{name} must be in [0, 1], a share; got {value!r}.")


def check_choice(name: str, value: object, options: Iterable[str]) -> None:
    if value not in options:
        raise ValueError(f"{name} must be one of {', '.join(options)}; got {value!r}.")


def check_flag(name: str, value: object) -> None:
    """Check that a value is True, False or None: every word is true to Python, "no" as well."""
    if value is not None and not isinstance(value, bool | np.bool_):  # 0 would be another record
        raise ValueError(f"{name} must be True or False; got {value!r}.")


def check_unused(why: str, **options: object) -> None:
    """Refuse options that would have no effect, so that no record says otherwise."""
    for name, value in options.items():
        if value is not None and value is not False:
            raise ValueError(f"{name} has no effect where {why}; leave it out. Got {value!r}.")


def check_kind(name: str, value: object, annotation: object) -> None:
    """Check a setting by its annotation: flags and counts; other numbers have limits of their
    own."""
    kind = str(annotation)
    if "bool" in kind:
        check_flag(name, value)
    elif "int" in kind:
        free = value is None and "None" in kind
        if not free and not (isinstance(value, Integral) and value >= 1):
            raise ValueError(f"{name} must be a whole number, at least 1; got {value!r}.")


def check_tensor(name: str, x: Tensor) -> None:
    if not isinstance(x, Tensor):
        raise ValueError(
            f"{name} must be a torch.Tensor (torch.as_tensor makes one); got {type(x).__name__}."
        )


def check_matrix(name: str, x: Tensor) -> None:
    check_tensor(name, x)
    if x.ndim != 2 or 0 in x.shape:
        raise ValueError(
            f"{name} must be a matrix (n, d), one row per sample; got shape {tuple(x.shape)}."
        )
    if not x.is_floating_point():
        raise ValueError(f"{name} must hold floating-point numbers; got {x.dtype}.")


def check_views(temperature: float, **views: Tensor) -> None:
    """Check that views are matrices of one shape, dtype and device."""
    check_temperature(temperature)
    (first_name, first), *others = views.items()
    check_matrix(first_name, first)
    for name, other in others:
        check_matrix(name, other)
        for what in ("shape", "dtype", "device"):
            wanted, got = getattr(first, what), getattr(other, what)
            if wanted != got:
                raise ValueError(
                    f"{name} must have the {what} of {first_name}, {_show(wanted)}; "
                    f"got {_show(got)}."
                )


def check_returned(name: str, net: object, x: Tensor, z: Tensor) -> Tensor:
    """Return what the net ``name`` makes of x, which must be comparable with z, row by row."""
    if not callable(net):
        raise ValueError(f"{name} must be a network, or a function of a tensor; got {net!r}.")
    returned = net(x)
    if not isinstance(returned, Tensor) or returned.shape != z.shape:
        got = tuple(returned.shape) if isinstance(returned, Tensor) else type(returned).__name__
        raise ValueError(
            f"{name} must return one row of z's size per row, {tuple(z.shape)}; it returned {got}."
        )
    return returned


def check_classes(s: Tensor, y: Tensor) -> None:
    """Check that y has one whole class number per row of s."""
    if len(y) != len(s):
        raise ValueError(f"y must have one class per row of s, {len(s)}; got {len(y)}.")
    if y.is_floating_point() or y.is_complex():
        raise ValueError(f"y must hold whole class numbers; got {y.dtype}.")
    _check_device("y", y, s)


def check_labels(s: Tensor, Y: Tensor, name: str = "Y") -> Tensor:
    """Check labels; return Y as numbers of s's precision."""
    check_tensor(name, Y)
    if Y.ndim != 2 or len(Y) != len(s) or Y.shape[1] == 0:
        raise ValueError(
            f"{name} must be ({len(s)}, c), a 0/1 row of labels for each row of s; "
            f"got shape {tuple(Y.shape)}."
        )
    _check_device(name, Y, s)
    if Y.is_complex():
        raise ValueError(f"{name} must hold 0/1 labels (bool, integer or float); got {Y.dtype}.")
    return Y.to(torch.promote_types(s.dtype, torch.float32))


def import_extra(name: str, what: str) -> ModuleType:
    """Import a module that the core does not install, when it is first needed.

    Args:
        name: of the module.
        what: what needs it, for the message.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f'{what} needs {error.name}, which is not installed: pip install "herocon-lite[repro]".'
        ) from error


def _not_negative(value: object) -> bool:
    try:
        return bool(0 <= value < math.inf)
    except (TypeError, RuntimeError):  # no number, or several
        return False


def _check_device(name: str, labels: Tensor, s: Tensor) -> None:
    if labels.device != s.device:
        raise ValueError(f"{name} must be on the device of s, {s.device}; got {labels.device}.")


def _show(value: object) -> str:
    return str(tuple(value)) if isinstance(value, torch.Size) else str(value)
