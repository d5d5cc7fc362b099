"""Sentences for a bad call: each names the argument, what was expected and what came.

Shapes, dtypes and devices are always checked. Values are looked at where ``validate`` says so; its
default, None, does so on a CPU, where a look costs next to nothing, and neither on a GPU, which
would have to wait, nor under ``torch.compile``. ``validate=True`` looks there, too: CUDA and
compiled code check without waiting, by ``torch._assert_async``, which ends the process's use of
that GPU; elsewhere the device is waited for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from numbers import Integral
from types import ModuleType

import numpy as np
import torch
from torch import Tensor

# Exponents are cosines divided by the temperature, and must stay well inside float32's range.
MIN_TEMPERATURE, MAX_EXPONENT = 1e-12, 1e30
_LOOKS = ContextVar("looks", default=True)  # what validate=None means on a CPU


def check_temperature(temperature: float | Tensor, validate: bool | None = None) -> None:
    if isinstance(temperature, Tensor):
        refuse_transforms(temperature)
        if temperature.numel() == 1 and not looks(validate, temperature):
            return
    if not _not_negative(temperature) or temperature == 0:
        raise ValueError(f"temperature must be a positive number; got {temperature!r}.")
    if temperature < MIN_TEMPERATURE:
        raise ValueError(f"temperature must be at least {MIN_TEMPERATURE}; got {temperature!r}.")


def check_weight(name: str, value: float) -> None:
    if not _not_negative(value):
        raise ValueError(f"{name} must be a finite number ≥ 0; got {value!r}.")


def check_concentration(beta: float, temperature: float | Tensor) -> None:
    """Check the weight of near negatives, whose exponents are (1 + β) cos/τ."""
    check_weight("beta", beta)
    if isinstance(temperature, Tensor) and not may_read(temperature):
        return
    if (1 + beta) / temperature > MAX_EXPONENT:
        raise ValueError(f"(1 + beta)/temperature must be at most {MAX_EXPONENT}; got beta={beta}.")


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
    refuse_transforms(x)


def refuse_transforms(x: Tensor) -> None:
    """Refuse what ``torch.func`` has wrapped: the backward passes here are written by hand."""
    if not torch.compiler.is_compiling() and torch._C._functorch.is_functorch_wrapped_tensor(x):
        raise RuntimeError(
            "these losses do not work inside torch.func (grad, vmap, jacrev, …). For a gradient: "
            "loss.backward() or torch.autograd.grad; for several models: call the loss for each."
        )


def check_matrix(name: str, x: Tensor) -> None:
    check_tensor(name, x)
    if x.ndim != 2 or 0 in x.shape:
        raise ValueError(
            f"{name} must be a matrix (n, d), one row per sample; got shape {tuple(x.shape)}."
        )
    if not x.is_floating_point():
        raise ValueError(f"{name} must hold floating-point numbers; got {x.dtype}.")


def check_views(temperature: float, validate: bool | None = None, **views: Tensor) -> None:
    """Check that views are matrices of one shape, dtype and device, and of finite numbers."""
    check_temperature(temperature, validate)
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
    check_finite(validate, **views)


def check_returned(name: str, net: object, x: Tensor, z: Tensor) -> Tensor:
    """Return what the net ``name`` makes of x, which must be comparable with z, row by row."""
    if not callable(net):
        raise ValueError(f"{name} must be a network, or a function of a tensor; got {net!r}.")
    try:
        returned = net(x)
    except RuntimeError as error:
        like = next(getattr(net, "parameters", lambda: iter(()))(), x)
        if (like.dtype, like.device) == (x.dtype, x.device):
            raise
        raise ValueError(
            f"{name} must have the dtype and device of its input, {x.dtype} on {x.device}; "
            f"its parameters are {like.dtype} on {like.device} ({error})."
        ) from error
    if not isinstance(returned, Tensor) or returned.shape != z.shape:
        got = tuple(returned.shape) if isinstance(returned, Tensor) else type(returned).__name__
        raise ValueError(
            f"{name} must return one row of z's size per row, {tuple(z.shape)}; it returned {got}."
        )
    refuse_transforms(returned)  # of a network whose weights are, not its input
    _check_device(f"what {name} returns", returned, z, "z")
    return returned


def check_classes(s: Tensor, y: Tensor) -> None:
    """Check that y has one whole class number per row of s."""
    if len(y) != len(s):
        raise ValueError(f"y must have one class per row of s, {len(s)}; got {len(y)}.")
    if y.is_floating_point() or y.is_complex():
        raise ValueError(f"y must hold whole class numbers; got {y.dtype}.")
    _check_device("y", y, s)


def check_labels(
    s: Tensor, Y: Tensor, name: str = "Y", validate: bool | None = None, binary: bool = True
) -> Tensor:
    """Check labels; return Y as numbers of s's precision.

    Args:
        s: the rows that Y is about.
        Y: (n, c).
        name: of Y, for the message.
        validate: look at values, as the module's docstring says.
        binary: they must be 0 and 1, not only finite.
    """
    check_tensor(name, Y)
    if Y.ndim != 2 or len(Y) != len(s) or Y.shape[1] == 0:
        raise ValueError(
            f"{name} must be ({len(s)}, c), a 0/1 row of labels for each row of s; "
            f"got shape {tuple(Y.shape)}."
        )
    _check_device(name, Y, s)
    if Y.is_complex():
        raise ValueError(f"{name} must hold 0/1 labels (bool, integer or float); got {Y.dtype}.")
    if not binary:
        check_finite(validate, **{name: Y})
    elif Y.dtype != torch.bool and looks(validate, Y):
        _require(
            ((Y == 0) | (Y == 1)).all(),
            lambda: (
                f"{name} must hold 0 and 1 alone; {_first_bad(Y, (Y != 0) & (Y != 1))}. Leave out "
                "rows whose labels are unknown, or single entries by known= where a loss has it."
            ),
        )
    return Y.to(torch.promote_types(s.dtype, torch.float32))


def check_known(
    s: Tensor, Y: Tensor, known: Tensor | None, validate: bool | None = None
) -> tuple[Tensor, Tensor | None]:
    """Check labels some of which may be unknown; return both as numbers of s's precision.

    Args:
        s, Y, validate: as in :func:`check_labels`.
        known: (n, c), bool, or None: all are. Y becomes 0 where it is False.
    """
    if known is None:
        return check_labels(s, Y, validate=validate), None
    check_tensor("known", known)
    check_tensor("Y", Y)
    if known.dtype != torch.bool or known.shape != Y.shape:
        raise ValueError(
            f"known must be of Y's shape, {tuple(Y.shape)}, and of torch.bool; got "
            f"{tuple(known.shape)} of {known.dtype}."
        )
    _check_device("known", known, Y, "Y")
    Y = check_labels(s, Y.masked_fill(~known, 0), validate=validate)
    return Y, known.to(Y.dtype)


# ------------------------------------------------------------------ values


def looks(validate: bool | None, x: Tensor) -> bool:
    """Return whether values of x are to be looked at, as the module's docstring says."""
    check_flag("validate", validate)
    if validate is None:
        return may_read(x) and _LOOKS.get()
    return bool(validate) and not x.is_meta


@contextmanager
def unvalidated() -> Iterator[None]:
    """Make ``validate=None`` mean False, for a loop that checks its data once and its loss itself.

    Example:
        >>> from herocon_lite.losses import info_nce
        >>> with unvalidated():
        ...     info_nce(torch.full((2, 2), torch.nan), torch.eye(2))
        tensor(nan)
    """
    token = _LOOKS.set(False)
    try:
        yield
    finally:
        _LOOKS.reset(token)


def check_finite(validate: bool | None = None, **tensors: Tensor) -> None:
    """Check that tensors hold neither nan nor infinity, where ``validate`` says so."""
    for name, x in tensors.items():
        if not x.is_floating_point() or not looks(validate, x):
            continue
        x = x.detach()
        if not _may_wait(x):
            _require(x.isfinite().all(), lambda name=name: f"{name} must hold finite numbers.")
        # One sum tells: only what is not finite, or too large to be added up, makes it so.
        elif not math.isfinite(x.sum().item()) and not x.isfinite().all():
            raise ValueError(f"{name} must hold finite numbers; {_first_bad(x, ~x.isfinite())}.")


def may_read(x: Tensor) -> bool:
    """Return whether a number of x can be had without waiting, in code that is not compiled."""
    return x.device.type == "cpu" and not torch.compiler.is_compiling()


def _may_wait(x: Tensor) -> bool:
    return x.device.type != "cuda" and not torch.compiler.is_compiling()


def _require(good: Tensor, sentence: Callable[[], str]) -> None:
    if not _may_wait(good):
        torch._assert_async(good, "a value is not allowed: see validate in herocon_lite.checks")
    elif not good:
        raise ValueError(sentence())


def _first_bad(x: Tensor, bad: Tensor) -> str:
    row = int(bad.any(1).nonzero()[0, 0])
    return f"row {row} has {x[row][bad[row]][0].item():g}"


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


def _check_device(name: str, x: Tensor, s: Tensor, other: str = "s") -> None:
    if x.device != s.device:
        raise ValueError(f"{name} must be on the device of {other}, {s.device}; got {x.device}.")


def _show(value: object) -> str:
    return str(tuple(value)) if isinstance(value, torch.Size) else str(value)
