"""One class for each function of herocon_lite.losses."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from herocon_lite import losses, models
from herocon_lite.checks import check_flag
from herocon_lite.nn.criterion import (
    Criterion,
    LabelCriterion,
    MultiViewCriterion,
    ViewCriterion,
)

# ------------------------------------------------------------------ views


class InfoNCE(ViewCriterion):
    """:func:`herocon_lite.losses.info_nce`, the paper's vanilla loss (Eq. 3).

    Example:
        >>> InfoNCE()(torch.eye(4), torch.eye(4))
        tensor(0.7437)
    """

    function = staticmethod(losses.info_nce)


class CMC(ViewCriterion):
    """:func:`herocon_lite.losses.cmc`: Info-NCE in both directions.

    Example:
        >>> CMC(reduction="none")(torch.eye(4), torch.eye(4)).shape  # both views are anchors
        torch.Size([8])
    """

    function = staticmethod(losses.cmc)


class NTXent(ViewCriterion):
    """:func:`herocon_lite.losses.nt_xent`: SimCLR's loss.

    Example:
        >>> criterion = NTXent(temperature=0.5, learn_temperature=True)
        >>> criterion(torch.eye(4), torch.eye(4)).backward()
        >>> criterion.log_temperature.grad < 0  # warmer: aligned views cost less
        tensor(False)
    """

    function = staticmethod(losses.nt_xent)


class Debiased(ViewCriterion):
    """:func:`herocon_lite.losses.debiased`: expected false negatives leave the sum.

    Example:
        >>> Debiased(tau_plus=0.0)(torch.eye(4), torch.eye(4))
        tensor(0.5944)
    """

    function = staticmethod(losses.debiased)


class HardNegative(ViewCriterion):
    """:func:`herocon_lite.losses.hard_negative`: near negatives count more.

    Example:
        >>> HardNegative(tau_plus=0.0, beta=2.0)(torch.eye(4), torch.eye(4))
        tensor(0.5944)
    """

    function = staticmethod(losses.hard_negative)


class Decoupled(ViewCriterion):
    """:func:`herocon_lite.losses.decoupled`: no positive in the denominator.

    Example:
        >>> Decoupled(temperature=0.5)(torch.eye(4), torch.eye(4))
        tensor(-0.2082)
    """

    function = staticmethod(losses.decoupled)


class VICReg(ViewCriterion):
    """:func:`herocon_lite.losses.vicreg`: columns spread out, no negatives.

    Example:
        >>> VICReg(variance=10.0)(torch.ones(4, 2), torch.ones(4, 2))
        tensor(9.9000)
    """

    function = staticmethod(losses.vicreg)


class BarlowTwins(ViewCriterion):
    """:func:`herocon_lite.losses.barlow_twins`: columns of one view like those of the other.

    Example:
        >>> z = torch.tensor([[1.0, 1], [1, -1], [-1, 1], [-1, -1]])
        >>> BarlowTwins()(z, -z)
        tensor(7.9999)
    """

    function = staticmethod(losses.barlow_twins)


class MVInfoNCE(MultiViewCriterion):
    """:func:`herocon_lite.losses.mv_info_nce`: one fraction for all pairs of views.

    Example:
        >>> MVInfoNCE(temperature=1.0)([torch.eye(4)] * 3)
        tensor(0.9766)
    """

    function = staticmethod(losses.mv_info_nce)


class MVDHEL(MultiViewCriterion):
    """:func:`herocon_lite.losses.mv_dhel`: negatives from the anchor's own view.

    Example:
        >>> MVDHEL(temperature=1.0)([torch.eye(4)] * 2)
        tensor(1.1972)
    """

    function = staticmethod(losses.mv_dhel)


class OverPairs(nn.Module):
    """The mean of a criterion of two views over all ordered pairs of views.

    Args:
        criterion: of two views, such as :class:`InfoNCE` or :class:`WeightedUnsupervised`.

    Example:
        >>> OverPairs(InfoNCE())([torch.eye(4)] * 3)
        tensor(0.7437)
    """

    def __init__(self, criterion: nn.Module):
        super().__init__()
        self.criterion = criterion

    def forward(self, views: Sequence[Tensor]) -> Tensor:
        """Compute the loss of two views or more, each (n, d)."""
        return losses.over_pairs(self.criterion, views)


# ------------------------------------------------------------------ views, with networks inside


class WeightedUnsupervised(ViewCriterion):
    """:func:`herocon_lite.losses.weighted_unsupervised` (Eq. 5), its weight net H inside.

    Give the optimiser ``criterion.parameters()``, too: H learns. Trained on this loss alone
    representations may collapse; ``detach=True`` prevents it.

    Args:
        size: columns of z; builds the paper's H, a linear layer and a sigmoid.
        H: a weight net of your own instead.
        weighted: False for g ≡ 1, which has no H.
        options: ``temperature``, ``preset``, ``detach``, ``chunk``, ``part`` of the function, and
            what all modules here have.

    Example:
        >>> criterion = WeightedUnsupervised(4, temperature=0.5, detach=True)
        >>> criterion(torch.eye(4), torch.eye(4)).shape
        torch.Size([])
        >>> WeightedUnsupervised(H=nn.Identity())(torch.eye(4), torch.eye(4))  # g = e: log(1 + 6)
        tensor(1.9459)
    """

    function = staticmethod(losses.weighted_unsupervised)
    nets = ("H",)

    def __init__(
        self,
        size: int | None = None,
        *,
        H: nn.Module | None = None,
        weighted: bool = True,
        **options,
    ):
        check_flag("weighted", weighted)
        if (size is not None) + (H is not None) + (not weighted) != 1:
            raise ValueError(
                "Give one of three: size, the columns of z, for the paper's weight net; H, a net "
                f"of your own; weighted=False for g ≡ 1. Got size={size!r}, H={H!r}, "
                f"weighted={weighted!r}."
            )
        super().__init__(**options)
        self.H = models.weight_net(size) if size is not None else H

    def forward(self, z1: Tensor, z2: Tensor) -> Tensor:
        """Compute the loss of two views, each (n, d); anchors come from view 1."""
        return self._value(*self._batch(z1, z2), H=self.H)

    def _try(self) -> None:
        with torch.no_grad():
            self._value(torch.eye(2), torch.eye(2), H=nn.Identity())


class InputContrast(Criterion):
    """:func:`herocon_lite.losses.input_contrast`: inputs against representations (Eq. 2, Eq. 4).

    Args:
        A: takes inputs (n, p) to z's space; a parameter of the criterion.
        H: with a weight net it is Eq. 4, without Eq. 2.
        options: those of the function, and what all modules here have.

    Example:
        >>> InputContrast(nn.Identity())(torch.eye(4), torch.eye(4))
        tensor(0.7437)
    """

    function = staticmethod(losses.input_contrast)
    nets = ("A", "H")

    def __init__(self, A: nn.Module, H: nn.Module | None = None, **options):
        super().__init__(**options)
        self.A, self.H = A, H

    def forward(self, x: Tensor, z: Tensor) -> Tensor:
        """Compute the loss of inputs (n, p), flattened, and representations (n, d)."""
        return self._value(*self._batch(x, z), A=self.A, H=self.H)

    def _try(self) -> None:
        with torch.no_grad():
            self._value(torch.eye(2), torch.eye(2), A=nn.Identity(), H=None)


class InputWeighted(Criterion):
    """:func:`herocon_lite.losses.input_weighted`: the naive weighting L_2.

    Args:
        A: takes inputs (n, p) to z's space; a parameter of the criterion.
        options: those of the function, and what all modules here have.

    Example:
        >>> InputWeighted(nn.Identity())(torch.eye(4), torch.eye(4))
        tensor(1.3863)
    """

    function = staticmethod(losses.input_weighted)
    nets = ("A",)

    def __init__(self, A: nn.Module, **options):
        super().__init__(**options)
        self.A = A

    def forward(self, x: Tensor, z: Tensor) -> Tensor:
        """Compute the loss of inputs (n, p), flattened, and representations (n, d)."""
        return self._value(*self._batch(x, z), A=self.A)

    def _try(self) -> None:
        with torch.no_grad():
            self._value(torch.eye(2), torch.eye(2), A=nn.Identity())


# ------------------------------------------------------------------ labels


class SupCon(LabelCriterion):
    """:func:`herocon_lite.losses.sup_con` of Khosla et al.; labels may be class numbers (n,).

    Example:
        >>> y = torch.tensor([0, 0, 1, 1])
        >>> SupCon(temperature=1.0)(torch.eye(2)[y], y)
        tensor(0.5514)
    """

    function = staticmethod(losses.sup_con)


class SupConAny(LabelCriterion):
    """:func:`herocon_lite.losses.sup_con_any`: rows that share a label are positives.

    Example:
        >>> SupConAny()(torch.ones(3, 2), torch.tensor([[1, 0], [1, 1], [0, 1]]))
        tensor(0.6931)
    """

    function = staticmethod(losses.sup_con_any)


class MulSupCon(LabelCriterion):
    """:func:`herocon_lite.losses.mul_sup_con`: one L_out for every label.

    Example:
        >>> Y = torch.tensor([[1, 0], [1, 0], [0, 1], [0, 1]])
        >>> MulSupCon(temperature=1.0)(Y.float(), Y)
        tensor(0.5514)
    """

    function = staticmethod(losses.mul_sup_con)


class MultiSupCon(LabelCriterion):
    """:func:`herocon_lite.losses.multi_sup_con`: partners count as their labels overlap.

    Example:
        >>> MultiSupCon(overlap=0.5)(torch.ones(4, 2), torch.tensor([[1, 0], [1, 1]] * 2))
        tensor(0.7324)
    """

    function = staticmethod(losses.multi_sup_con)


class SupConEq6(LabelCriterion):
    """:func:`herocon_lite.losses.sup_con_eq6`: the supervised loss as the paper prints it.

    Example:
        >>> Y = torch.tensor([[1, 0], [1, 0], [0, 1], [0, 1]])
        >>> SupConEq6()(Y.float(), Y)
        tensor(0.5514)
    """

    function = staticmethod(losses.sup_con_eq6)


class WeightedSupervised(LabelCriterion):
    """:func:`herocon_lite.losses.weighted_supervised` (Eq. 7).

    Example:
        >>> Y = torch.tensor([[1, 0], [1, 0], [0, 1], [0, 1]])
        >>> WeightedSupervised(temperature=0.5)(Y.float(), Y)
        tensor(0.4327)
        >>> WeightedSupervised(reduction="none")(Y.float(), Y)
        tensor([0.9048, 0.9048, 0.9048, 0.9048])
    """

    function = staticmethod(losses.weighted_supervised)

    def forward(self, s: Tensor, Y: Tensor, known: Tensor | None = None) -> Tensor:
        """Compute the loss of representations (n, d) and labels (n, c).

        ``known``, (n, c), bool, says which labels are known; None: all.
        """
        if known is None:
            return super().forward(s, Y)
        s, Y, known = self._batch(s, Y.masked_fill(~known, 0), known)
        return self._value(s, Y, known=known.bool())  # what is gathered are numbers
