"""The paper's method: HeroCon-s contrasts by labels, HeroCon-u by views, HeroCon by both."""

from __future__ import annotations

import torch
from torch import nn

from herocon_lite import distributed, losses, models
from herocon_lite.checks import check_choice, check_unused, check_weight
from herocon_lite.methods.base import Problem
from herocon_lite.methods.contrastive import Contrastive, InputContrast


class HeroConS(Contrastive):
    """L_c + β · L_s (Eq. 7).

    Args:
        beta: β ≥ 0.
        preset: ``"paper"``, ``"released"`` or any ``losses.Switches``. As released L_s is a sum
            over the c labels, not their mean, and β is used as given: β there counts c times.
        distance: of label vectors, ``"hamming"`` (default for labels) or ``"indicator"`` (for
            classes, where Hamming would double every negative).
        sigma_outside: as in :func:`losses.weighted_supervised`.
        form: of data with one view; it changes nothing here.
        common: see :class:`Contrastive`.
    """

    def __init__(
        self,
        problem: Problem,
        beta: float = 0.1,
        preset: str | losses.Switches = "paper",
        distance: str | None = None,
        sigma_outside: bool | None = None,
        form: str | None = None,
        **common,
    ):
        check_weight("beta", beta)
        losses.switches_of(preset)  # a wrong name fails now
        if beta == 0:
            check_unused("beta is 0", distance=distance, sigma_outside=sigma_outside)
        if distance is None:
            distance = "indicator" if problem.kind == "multiclass" else "hamming"
        check_choice("distance", distance, ("hamming", "indicator"))
        super().__init__(problem, **common)
        self.beta, self.preset = beta, preset
        self.distance, self.sigma_outside = distance, bool(sigma_outside)

    def supervised(self, S, Y):
        return losses.weighted_supervised(
            S, Y, self.temperature, self.preset, self.distance, self.sigma_outside
        )


class HeroConU(InputContrast):
    """L_c + α · L_u (Eq. 5; Eq. 4 for one view).

    With two views L_u is anchored on view 1 as printed; with more it is the mean over all ordered
    pairs.

    Args:
        preset: ``"paper"``, ``"released"`` or any ``losses.Switches``.
        weighted: False sets g ≡ 1 and changes nothing else.
        detach: stop the gradient that z gets through the weights g; H still learns.
        symmetric: both views' rows are anchors in turn (the mean of the two losses); by default
            view 1's alone, as printed.
        negatives: |N|, where it is less than the rows of a step give: L_u then takes
            |N| + 1 of them, drawn anew each step. Default: all of them.
        part: a control, ``"push"`` or ``"pull"``, as in :func:`losses.weighted_unsupervised`.
        options: see :class:`InputContrast`.
    """

    def __init__(
        self,
        problem: Problem,
        preset: str | losses.Switches = "paper",
        weighted: bool | None = None,
        detach: bool = False,
        symmetric: bool | None = None,
        negatives: int | None = None,
        part: str | None = None,
        **options,
    ):
        losses.switches_of(preset)
        super().__init__(problem, **options)
        if part is not None:
            check_choice("part", part, losses.PARTS)
        if self.alpha == 0:
            unused = {"detach": detach, "symmetric": symmetric, "negatives": negatives}
            check_unused("alpha is 0", **unused, part=part)
        if weighted is False:
            check_unused("weighted is False", detach=detach)
        if self.form == "eq4":
            check_unused('form is "eq4"', symmetric=symmetric, part=part)
        if len(problem.view_shapes) > 2:
            check_unused("over three views or more L_u is symmetric", symmetric=symmetric)
        self.preset, self.detach, self.part = preset, detach, part
        self.symmetric, self.negatives = symmetric, negatives
        weighs = self.alpha > 0 and weighted is not False
        self.H = models.weight_net(self.size) if weighs else None

    def unsupervised(self, z):
        options = {"H": self.H, "temperature": self.temperature, "detach": self.detach}
        if self.negatives is not None:
            z = self.draw(z)
        if self.form == "eq4":
            return losses.input_contrast(*z, A=nn.Identity(), **options)
        rows = len(z[0])
        options |= {
            "preset": self.preset,
            "anchors": distributed.local_anchors(rows),
            "part": self.part,
        }
        over = self.over_pairs if self.symmetric else self.over_views
        return distributed.anchor_scale(rows) * over(losses.weighted_unsupervised, z, **options)

    def draw(self, z: list[torch.Tensor]) -> list[torch.Tensor]:
        """Return |N| + 1 of the rows, the same ones in every view."""
        n = len(z[0])
        if self.negatives >= n:
            raise ValueError(
                f"negatives must be fewer than the {n} rows of a step; got {self.negatives}."
            )
        drawn = torch.randperm(n, device="cpu")[: self.negatives + 1]
        drawn = drawn.to(z[0].device, non_blocking=z[0].is_cuda)
        return [rows[drawn] for rows in z]


class HeroCon(HeroConU, HeroConS):
    """L_c + α · L_u + β · L_s, with the options of :class:`HeroConU` and :class:`HeroConS`."""
