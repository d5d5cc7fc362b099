"""What the modules share: a function's options, a temperature to learn, all ranks' rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import Parameter, signature

import torch
from torch import Tensor, nn

from herocon_lite.checks import check_choice, check_flag, check_temperature
from herocon_lite.distributed import gather_batch
from herocon_lite.losses.reduction import REDUCTIONS


class Criterion(nn.Module):
    """A loss function and its options; the base of all modules here.

    Args:
        learn_temperature: make log τ a parameter, from the given temperature on.
        gather: compute the loss of the rows of all ranks; see this module's docstring.
        options: those of the function, by name, with its defaults.
    """

    function: Callable[..., Tensor]
    nets: tuple[str, ...] = ()  # arguments of the function that are networks

    def __init__(self, *, learn_temperature: bool = False, gather: bool = False, **options):
        super().__init__()
        allowed = self._defaults()
        for name in options:
            check_choice(f"an option of {type(self).__name__}", name, allowed)
        check_flag("learn_temperature", learn_temperature)
        check_flag("gather", gather)
        self.gather, self.options = bool(gather), {**allowed, **options}
        if "reduction" in allowed:
            check_choice("reduction", self.options["reduction"], REDUCTIONS)
        if "temperature" in allowed:
            tau = self.options.pop("temperature")
            check_temperature(tau)
            self.register_parameter("log_temperature", None)
            self._temperature = tau
            if learn_temperature:
                self.log_temperature = nn.Parameter(torch.tensor(float(tau)).log())
        elif learn_temperature:
            raise ValueError(f"{type(self).__name__} has no temperature to be learned.")
        self._try()

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "function" in vars(cls) and "__init__" not in vars(cls):  # for help() and editors
            keyword = {"kind": Parameter.KEYWORD_ONLY}
            own = [Parameter(n, default=d, **keyword) for n, d in cls._defaults().items()]
            own += [Parameter(n, default=False, **keyword) for n in ("learn_temperature", "gather")]
            cls.__signature__ = signature(cls.__init__).replace(parameters=own)

    @classmethod
    def _defaults(cls) -> dict[str, object]:
        """The function's options and their defaults; nets and a batch's masks have places of their
        own."""
        parameters = signature(cls.function).parameters.values()
        left_out = {*cls.nets, "anchors", "known"}
        return {
            p.name: p.default
            for p in parameters
            if p.default is not p.empty and p.name not in left_out
        }

    @property
    def temperature(self) -> float | Tensor:
        """τ: the number given, or what has been learned so far."""
        return self._temperature if self.log_temperature is None else self.log_temperature.exp()

    def extra_repr(self) -> str:
        given = {k: v for k, v in self.options.items() if v != self._defaults()[k]}
        if hasattr(self, "_temperature"):
            given = {
                "temperature": round(float(torch.as_tensor(self.temperature).detach()), 4),
                **given,
            }
        return ", ".join(f"{name}={value!r}" for name, value in given.items())

    def _value(self, *arguments, **nets) -> Tensor:
        options = {**self.options, **nets}
        if hasattr(self, "_temperature"):
            options["temperature"] = self.temperature
        return type(self).function(*arguments, **options)

    def _batch(self, *batch: Tensor) -> Sequence[Tensor]:
        if not self.gather:
            return batch
        return gather_batch(*batch, validate=self.options["validate"])

    def _try(self) -> None:
        """Compute the loss of two rows: a wrong option gets its sentence now, not in training."""
        raise NotImplementedError


class ViewCriterion(Criterion):
    def forward(self, z1: Tensor, z2: Tensor) -> Tensor:
        """Compute the loss of two views, each (n, d); row i of both is sample i."""
        return self._value(*self._batch(z1, z2))

    def _try(self) -> None:
        with torch.no_grad():
            self._value(torch.eye(2), torch.eye(2))


class LabelCriterion(Criterion):
    def forward(self, s: Tensor, Y: Tensor) -> Tensor:
        """Compute the loss of representations (n, d) and their labels, a 0/1 matrix (n, c)."""
        return self._value(*self._batch(s, Y))

    def _try(self) -> None:
        with torch.no_grad():
            self._value(torch.eye(2), torch.eye(2))


class MultiViewCriterion(Criterion):
    def forward(self, views: Sequence[Tensor]) -> Tensor:
        """Compute the loss of two views or more, each (n, d)."""
        return self._value(list(self._batch(*views)))

    def _try(self) -> None:
        with torch.no_grad():
            self._value([torch.eye(2)] * 2)
