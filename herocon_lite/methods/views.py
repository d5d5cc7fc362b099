"""Methods that contrast the views with one another, without labels."""

from __future__ import annotations

from torch import nn

from herocon_lite import losses
from herocon_lite.checks import check_probability, check_weight
from herocon_lite.methods.base import Problem
from herocon_lite.methods.contrastive import InputContrast, ViewContrast


class InfoNCE(InputContrast):
    """L_c + α · Info-NCE, anchors from view 2 and negatives from view 1.

    That is what the public code computes with g ≡ 1. With ``form="eq4"`` it is Eq. 2, inputs
    against representations.
    """

    def unsupervised(self, z):
        if self.form == "eq4":
            return losses.input_contrast(*z, A=nn.Identity(), temperature=self.temperature)
        return self.over_views(losses.info_nce, z[::-1], temperature=self.temperature)


class CMC(ViewContrast):
    """L_c + α · contrastive multiview coding: Info-NCE, mean over all ordered pairs of views.

    Its authors take the sum and a memory bank; here negatives come from the batch.
    """

    def unsupervised(self, z):
        if len(z) == 2:  # one product for both directions
            return losses.cmc(*z, temperature=self.temperature)
        return self.over_pairs(losses.info_nce, z, temperature=self.temperature)


class HardNegative(ViewContrast):
    """L_c + α · the hard-negative loss; with ``hardness=0`` the debiased loss.

    Args:
        tau_plus: the prior probability that a negative is a false one, in [0, 1).
        hardness: how much more near negatives count, ≥ 0.
        options: see :class:`ViewContrast`.
    """

    def __init__(
        self,
        problem: Problem,
        temperature: float = 0.5,
        tau_plus: float = 0.1,
        hardness: float = 1.0,
        **options,
    ):
        check_probability("tau_plus", tau_plus)
        check_weight("hardness", hardness)
        super().__init__(problem, temperature=temperature, **options)
        self.options = {"temperature": temperature, "tau_plus": tau_plus, "beta": hardness}

    def unsupervised(self, z):
        return self.over_views(losses.hard_negative, z, **self.options)
