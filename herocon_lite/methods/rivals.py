"""Rivals of the contrast between views: everything but the loss of L ∪ U is :class:`InfoNCE`'s."""

from __future__ import annotations

from herocon_lite import losses
from herocon_lite.checks import check_weight
from herocon_lite.methods.base import Problem
from herocon_lite.methods.contrastive import ViewContrast


class NoNegatives(ViewContrast):
    """A :class:`ViewContrast` of columns, not of rows: no negatives and no temperature.

    With three views or more it is the mean over unordered pairs. By default the projector is the
    deep one: it ends in a linear layer, as its authors' do, and columns may differ in spread.
    """

    lacks = ("temperature",)

    def make_space(self, shared, projector):
        return super().make_space(shared, projector or "deep")


class VICReg(NoNegatives):
    """L_c + α/25 · VICReg, since at its authors' weights its gradient is some 25 times as long.

    Args:
        similarity, variance, covariance: its three weights, as in :func:`losses.vicreg`.
        options: see :class:`ViewContrast`.
    """

    def __init__(
        self,
        problem: Problem,
        similarity: float = 25.0,
        variance: float = 25.0,
        covariance: float = 1.0,
        **options,
    ):
        weights = {"similarity": similarity, "variance": variance, "covariance": covariance}
        for name, weight in weights.items():
            check_weight(name, weight)
        super().__init__(problem, **options)
        self.weights = weights

    def unsupervised(self, z):
        return self.over_pairs(losses.vicreg, z, either_way=True, **self.weights) / 25


class BarlowTwins(NoNegatives):
    """L_c + α/d · Barlow Twins, since the loss is a sum over the d columns.

    Args:
        redundancy: λ, as in :func:`losses.barlow_twins`.
        options: see :class:`ViewContrast`.
    """

    def __init__(self, problem: Problem, redundancy: float = 0.005, **options):
        check_weight("redundancy", redundancy)
        super().__init__(problem, **options)
        self.redundancy = redundancy

    def unsupervised(self, z):
        d = z[0].shape[1]
        options = {"either_way": True, "redundancy": self.redundancy}
        return self.over_pairs(losses.barlow_twins, z, **options) / d


class Decoupled(ViewContrast):
    """L_c + α · the decoupled loss; with three views or more its mean over unordered pairs."""

    def __init__(self, problem: Problem, temperature: float = 0.1, **options):
        super().__init__(problem, temperature=temperature, **options)

    def unsupervised(self, z):
        options = {"either_way": True, "temperature": self.temperature}
        return self.over_pairs(losses.decoupled, z, **options)


class AllViews(ViewContrast):
    """L_c + α · a loss of all views at once: pairs have no meaning here."""

    lacks = ("pairs",)

    def __init__(self, problem: Problem, temperature: float = 0.5, **options):
        super().__init__(problem, temperature=temperature, **options)


class MVInfoNCE(AllViews):
    """L_c + α · MV-InfoNCE, as its authors' code computes it; on two views nearly NT-Xent."""

    def unsupervised(self, z):
        return losses.mv_info_nce(z, self.temperature)


class MVDHEL(AllViews):
    """L_c + α · MV-DHEL, as its authors' code computes it: negatives from the same view only."""

    def unsupervised(self, z):
        return losses.mv_dhel(z, self.temperature)
