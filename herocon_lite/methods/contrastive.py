"""What all methods with a contrast have in common.

    L = L_c + α · L_u + β · L_s

L_c and L_s use the labelled rows and S = [h_1, h_2, ...], the encoders' outputs side by side. L_u
uses all rows, labelled and unlabelled, and the projectors' outputs z_v. A term of weight 0 is
neither computed nor built, so α = β = 0 is the DNN bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations, permutations

import torch
from torch import Tensor, nn

from herocon_lite import distributed, losses, models
from herocon_lite.checks import check_choice, check_temperature, check_unused, check_weight
from herocon_lite.methods.base import Method, Problem, check_several_views, classification

FORMS = ("two_noisy", "eq4")  # what the paper's code and its text do with a single view


class Contrastive(Method):
    """Encoders and classifier, and two losses to fill in.

    Subclasses set ``alpha`` and write :meth:`unsupervised`, or set ``beta`` and write
    :meth:`supervised`, or both.

    Args:
        temperature: τ > 0.
        fusion: ``"mean"`` averages the views' h into S; by default they stand side by side.
    """

    alpha = beta = 0.0  # weights of L_u and L_s

    def __init__(self, problem: Problem, temperature: float = 1.0, fusion: str | None = None):
        check_temperature(temperature)
        if fusion is not None:
            check_choice("fusion", fusion, ("mean",))
        super().__init__(problem)
        self.temperature, self.fusion = temperature, fusion
        if fusion == "mean":
            self.joint_size = self.size
        self.classifier = models.classifier(problem.encoder, self.joint_size, problem.n_labels)

    def supervised(self, S: Tensor, Y: Tensor) -> Tensor:
        """Return L_s of the labelled rows: S (b, d), Y (b, c)."""
        raise NotImplementedError

    def unsupervised(self, z: list[Tensor]) -> Tensor:
        """Return L_u of all rows: z_1, z_2, ... each (b + m, d)."""
        raise NotImplementedError

    def terms(self, labeled, Y, unlabeled, progress):
        h = self.encoders(labeled)
        S = self.joint(h)
        terms = {"L_c": classification(self.classifier(S), Y)}
        if self.beta > 0:
            terms["L_s"] = self.beta * self.supervised(S, Y)
        if self.alpha > 0:
            z = self.contrast_space(labeled, h)
            if self.uses_unlabeled and unlabeled is not None:
                # A second call, as released: BatchNorm sees the two batches one by one.
                more = self.contrast_space(unlabeled, self.encoders(unlabeled))
                z = [
                    torch.cat([r, distributed.all_gather_with_grad(m)])
                    for r, m in zip(z, more, strict=True)
                ]
            terms["L_u"] = self.alpha * self.unsupervised(z)
        return terms

    def joint(self, h: list[Tensor]) -> Tensor:
        """Return S (n, d) of the views' h, each (n, d_v)."""
        return torch.stack(h).mean(0) if self.fusion == "mean" else torch.cat(h, 1)

    def embed(self, views: list[Tensor]) -> Tensor:
        return self.joint(self.encoders(views))


class DNN(Contrastive):
    """L_c alone.

    Args:
        forward_unlabeled: send the unlabelled rows through the encoders and put no loss on them.
            All they change is BatchNorm's running statistics, which the semi-supervised methods
            get too.
    """

    def __init__(self, problem: Problem, forward_unlabeled: bool = False):
        super().__init__(problem)
        self.uses_unlabeled = forward_unlabeled

    def terms(self, labeled, Y, unlabeled, progress):
        terms = super().terms(labeled, Y, unlabeled, progress)
        if self.uses_unlabeled and unlabeled is not None:
            with torch.no_grad():
                self.encoders(unlabeled)
        return terms


# ------------------------------------------------------------------ contrast by views


class ViewContrast(Contrastive):
    """L_c + α · L_u, a loss of the views' projections z_v.

    Args:
        alpha: α ≥ 0.
        shared_projector: one projector for all views, as the public code has for pictures.
        projector: ``"none"`` contrasts h itself, ``"deep"`` adds a linear layer to the dense
            block that is there by default.
        pairs: with three views or more, how many ordered pairs of views a step contrasts,
            drawn anew each step; by default all, whose number grows with the square.
        labeled_only: a control, L_u without the unlabelled rows.
        common: see :class:`Contrastive`.
    """

    def __init__(
        self,
        problem: Problem,
        alpha: float = 0.1,
        shared_projector: bool = False,
        projector: str | None = None,
        pairs: int | None = None,
        labeled_only: bool | None = None,
        **common,
    ):
        check_weight("alpha", alpha)
        if projector is not None:
            check_choice("projector", projector, models.PROJECTORS)
        super().__init__(problem, **common)
        self.alpha, self.pairs = alpha, pairs
        self.uses_unlabeled = alpha > 0 and not labeled_only
        if alpha > 0:
            self.contrast_space = self.make_space(shared_projector, projector)
        else:
            check_unused("alpha is 0", projector=projector, labeled_only=labeled_only)

    def make_space(self, shared: bool, projector: str | None) -> nn.Module:
        """Return the module that takes views and h to what is contrasted."""
        return Projectors(self.problem, self.size, shared, projector)

    def over_pairs(
        self, loss: Callable[..., Tensor], z: list[Tensor], either_way: bool = False, **options
    ) -> Tensor:
        """Return the mean of a two-view loss over all ordered pairs of views, or over some of
        them; a pair counts once if the loss is the same ``either_way``."""
        if either_way:
            pairs = list(combinations(z, 2))
        elif self.pairs is None or len(z) == 2:  # of two views both orders are one pair
            return losses.over_pairs(loss, z, **options)
        else:
            pairs = list(permutations(z, 2))
        if self.pairs is not None:
            drawn = torch.randperm(len(pairs), device="cpu")[: self.pairs].tolist()
            pairs = [pairs[i] for i in drawn]
        return torch.stack([loss(*pair, **options) for pair in pairs]).mean()

    def over_views(self, loss: Callable[..., Tensor], z: list[Tensor], **options) -> Tensor:
        """Return a two-view loss as it is printed; with more views its mean over pairs."""
        return loss(*z, **options) if len(z) == 2 else self.over_pairs(loss, z, **options)


class InputContrast(ViewContrast):
    """A :class:`ViewContrast` that can contrast inputs with representations, too.

    Args:
        form: for data with one view, ``"eq4"``, or ``"two_noisy"`` once it comes as two copies.
        options: see :class:`ViewContrast`.
    """

    def __init__(self, problem: Problem, form: str | None = None, **options):
        if form is not None:
            check_choice("form", form, FORMS)
        self.form = form
        super().__init__(problem, **options)

    def make_space(self, shared, projector):
        if self.form != "eq4":
            return super().make_space(shared, projector)
        check_unused('form is "eq4"', projector=projector)
        return InputMap(self.problem, self.size)


class Projectors(nn.Module):
    """z_v = projector_v(h_v): what is contrasted when there are two views or more."""

    def __init__(self, problem: Problem, size: int, shared: bool, kind: str | None):
        super().__init__()
        check_several_views(problem)
        count = 1 if shared else len(problem.view_shapes)
        make = models.projector
        self.projectors = models.PerView(make(size, kind or "dense") for _ in range(count))

    def forward(self, views: list[Tensor], h: list[Tensor]) -> list[Tensor]:
        return self.projectors(h)


class InputMap(nn.Module):
    """(A x, z) for Eq. 2 and 4: one view, the flat input mapped to the space of z = h."""

    def __init__(self, problem: Problem, size: int):
        super().__init__()
        if len(problem.view_shapes) != 1:
            raise ValueError(
                'form="eq4" is for data with one view; '
                f"got {len(problem.view_shapes)} views. Leave form out."
            )
        self.A = nn.Sequential(nn.Flatten(), nn.Linear(math.prod(problem.view_shapes[0]), size))

    def forward(self, views: list[Tensor], h: list[Tensor]) -> list[Tensor]:
        return [self.A(models.as_numbers(views[0], h[0].dtype)), h[0]]
