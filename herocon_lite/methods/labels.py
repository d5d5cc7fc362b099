"""Methods that contrast the labelled rows by their labels, on S."""

from __future__ import annotations

from herocon_lite import losses
from herocon_lite.checks import check_choice, check_share, check_unused, check_weight
from herocon_lite.methods.base import Problem
from herocon_lite.methods.contrastive import Contrastive


class SupCon(Contrastive):
    """L_c + β · a supervised contrastive loss.

    Args:
        beta: β ≥ 0.
        temperature: τ > 0; by default 1 for the paper's form, 0.1 for L_out.
        variant: ``"eq6"``, the paper's form, label by label (default for classes); ``"all"``,
            Khosla's L_out with the rows of the identical label vector as positives (default for
            labels); ``"any"``, L_out with the rows that share a label.
        preset: ``"released"`` or ``"paper"``; only Eq. 6 has the two.
        empty: ``"skip"`` leaves rows without any label out of the pulling; by default they are
            alike, as in :func:`losses.sup_con`.
    """

    def __init__(
        self,
        problem: Problem,
        beta: float = 0.1,
        temperature: float | None = None,
        variant: str | None = None,
        preset: str | losses.Switches = "paper",
        empty: str | None = None,
    ):
        if variant is None:
            variant = "eq6" if problem.kind == "multiclass" else "all"
        check_choice("variant", variant, ("eq6", "all", "any"))
        check_weight("beta", beta)
        losses.switches_of(preset)  # a wrong name fails now
        eq6 = variant == "eq6"
        if temperature is None:
            temperature = 1.0 if eq6 else 0.1
        super().__init__(problem, temperature)
        self.beta, self.options = beta, {"preset": preset} if eq6 else {}
        l_out = losses.sup_con_any if variant == "any" else losses.sup_con
        self.loss = losses.sup_con_eq6 if eq6 else l_out
        check_empty(problem, empty)
        if variant != "all":
            check_unused(f"variant is {variant}: empty rows are no pairs", empty=empty)
        elif empty is not None:
            self.options["empty"] = empty

    def supervised(self, S, Y):
        return self.loss(S, Y, temperature=self.temperature, **self.options)


class MulSupCon(Contrastive):
    """L_c + β · MulSupCon: one L_out for every label of an anchor."""

    def __init__(self, problem: Problem, beta: float = 0.1, temperature: float = 0.1):
        check_weight("beta", beta)
        super().__init__(problem, temperature)
        self.beta = beta

    def supervised(self, S, Y):
        return losses.mul_sup_con(S, Y, temperature=self.temperature)


class MultiSupCon(Contrastive):
    """L_c + β · MultiSupCon: one L_out, in which a partner counts as its label set overlaps.

    Not :class:`MulSupCon`. For one anchor a sample, on S; its authors take two crops of a picture,
    τ = .07 and the threshold .3, and multiply by τ/.07. The paper that it comes from could not be
    read: defaults are ours, between those of its code and of a library.

    Args:
        beta: β ≥ 0.
        overlap: the least share of common labels of a partner, from 0 to 1.
        empty: as in :class:`SupCon`.
    """

    def __init__(
        self,
        problem: Problem,
        beta: float = 0.1,
        temperature: float = 0.1,
        overlap: float = 0.3,
        empty: str | None = None,
    ):
        check_weight("beta", beta)
        check_share("overlap", overlap)
        check_empty(problem, empty)
        super().__init__(problem, temperature)
        self.beta, self.overlap, self.empty = beta, overlap, empty

    def supervised(self, S, Y):
        return losses.multi_sup_con(S, Y, self.temperature, self.overlap, empty=self.empty)


def check_empty(problem: Problem, empty: str | None) -> None:
    """Check what becomes of rows without any label, which only some data have."""
    if empty is not None:
        check_choice("empty", empty, losses.EMPTY)
        if problem.kind == "multiclass":
            check_unused("every row has a class", empty=empty)
