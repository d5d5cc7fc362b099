"""Everything that is one path in the paper's code: L_c, plus contrast by labels, by views, or both.

    L = L_c + α · L_u + β · L_s

L_c and L_s live on the labelled rows and on S = [h_1, h_2, ...], the encoders' output side by
side. L_u lives on all rows, labelled and unlabelled, and on the projectors' output z_v. A term of
weight 0 is neither computed nor built, so α = β = 0 is the DNN bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import permutations

import torch
from torch import Tensor, nn

from herocon_lite import distributed, losses, models
from herocon_lite.checks import check_choice, check_probability, check_temperature, check_weight
from herocon_lite.methods.base import Method, Problem, check_several_views, classification

FORMS = ("two_noisy", "eq4")  # what the paper's code and its text do with a single view

# ------------------------------------------------------------------ the common path


class Contrastive(Method):
    """Encoders, classifier, and two places to fill: :meth:`supervised` and :meth:`unsupervised`."""

    def __init__(
        self,
        problem: Problem,
        alpha: float = 0.0,
        beta: float = 0.0,
        temperature: float = 1.0,
        form: str | None = None,
        shared_projector: bool = False,
        pairs: int | None = None,
        projector: str | None = None,
        fusion: str | None = None,
    ):
        """
        Args:
            pairs: with three views or more, how many ordered pairs of views a step contrasts,
                drawn anew each time; without it all of them, whose number grows with the square.
            projector, fusion: see :class:`HeroCon`.
        """
        check_weight("alpha", alpha)
        check_weight("beta", beta)
        check_temperature(temperature)
        if form is not None:
            check_choice("form", form, FORMS)
        if projector is not None:
            check_choice("projector", projector, models.PROJECTORS)
        if fusion is not None:
            check_choice("fusion", fusion, ("mean",))
        super().__init__(problem)
        self.fusion = fusion
        if fusion == "mean":
            self.joint_size = self.size
        self.classifier = models.classifier(problem.encoder, self.joint_size, problem.n_labels)
        self.alpha, self.beta, self.temperature, self.form = alpha, beta, temperature, form
        self.pairs = pairs
        self.uses_unlabeled = alpha > 0
        if alpha > 0 and form == "eq4":
            self.contrast_space = InputMap(problem, self.size)
        elif alpha > 0:
            self.contrast_space = Projectors(problem, self.size, shared_projector, projector)

    def supervised(self, S: Tensor, Y: Tensor) -> Tensor:
        """L_s of the labelled rows: S (b, d), Y (b, c)."""
        raise NotImplementedError

    def unsupervised(self, z: list[Tensor]) -> Tensor:
        """L_u of all rows: z_1, z_2, ... each (b + m, d)."""
        raise NotImplementedError

    def terms(self, labeled, Y, unlabeled, progress):
        h = self.encoders(labeled)
        S = self.joint(h)
        terms = {"L_c": classification(self.classifier(S), Y)}
        if self.beta > 0:
            terms["L_s"] = self.beta * self.supervised(S, Y)
        if self.alpha > 0:
            z = self.contrast_space(labeled, h)
            if unlabeled is not None:
                # A second call, as released: BatchNorm sees the two batches one by one.
                more = self.contrast_space(unlabeled, self.encoders(unlabeled))
                z = [torch.cat([r, distributed.gathered(m)]) for r, m in zip(z, more, strict=True)]
            terms["L_u"] = self.alpha * self.unsupervised(z)
        return terms

    def joint(self, h: list[Tensor]) -> Tensor:
        """S (n, d) of the views' h, each (n, d_v)."""
        return torch.stack(h).mean(0) if self.fusion == "mean" else torch.cat(h, 1)

    def embed(self, views: list[Tensor]) -> Tensor:
        return self.joint(self.encoders(views))

    def over_pairs(self, loss: Callable[..., Tensor], z: list[Tensor], **options) -> Tensor:
        """The mean of a two-view loss over all ordered pairs of views, or over some of them."""
        if self.pairs is None or len(z) == 2:  # of two views both orders are one pair
            return losses.over_pairs(loss, z, **options)
        pairs = list(permutations(z, 2))
        drawn = torch.randperm(len(pairs), device="cpu")[: self.pairs].tolist()
        return torch.stack([loss(*pairs[i], **options) for i in drawn]).mean()

    def over_views(self, loss: Callable[..., Tensor], z: list[Tensor], **options) -> Tensor:
        """A two-view loss as it is printed; with more views its mean over pairs."""
        return loss(*z, **options) if len(z) == 2 else self.over_pairs(loss, z, **options)


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


# ------------------------------------------------------------------ without contrast


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


class InfoNCE(Contrastive):
    """L_c + α · Info-NCE.

    Args:
        variant: ``"two_view"``, anchors from view 2 and negatives from view 1 (what the public
            code computes with g ≡ 1); ``"xz"``, inputs against representations, Eq. 2, for one
            view; ``"nt_xent"``, SimCLR. With ``form="eq4"`` it is ``"xz"``.
    """

    def __init__(
        self,
        problem: Problem,
        alpha: float = 0.1,
        temperature: float = 1.0,
        variant: str | None = None,
        form: str | None = None,
        shared_projector: bool = False,
        pairs: int | None = None,
    ):
        if variant is None:
            variant = "xz" if form == "eq4" else "two_view"
        check_choice("variant", variant, ("two_view", "xz", "nt_xent"))
        if form == "eq4" and variant != "xz":
            raise ValueError(
                f'variant {variant!r} contrasts views, which form "eq4" has not two of.'
            )
        form = "eq4" if variant == "xz" else form
        super().__init__(problem, alpha, 0.0, temperature, form, shared_projector, pairs)
        self.variant = variant

    def unsupervised(self, z):
        options = {"temperature": self.temperature}
        if self.variant == "xz":
            return losses.input_contrast(*z, A=nn.Identity(), **options)
        if self.variant == "nt_xent":
            return self.over_views(losses.nt_xent, z, **options)
        return self.over_views(losses.info_nce, z[::-1], **options)


class CMC(Contrastive):
    """L_c + α · contrastive multiview coding: Info-NCE over all ordered pairs of views.

    Args:
        reduction: ``"mean"`` over the pairs keeps α comparable with Info-NCE's; ``"sum"`` is the
            original. Negatives come from the batch: no memory bank.
    """

    def __init__(
        self,
        problem: Problem,
        alpha: float = 0.1,
        temperature: float = 1.0,
        reduction: str = "mean",
        shared_projector: bool = False,
        pairs: int | None = None,
    ):
        check_choice("reduction", reduction, ("mean", "sum"))
        super().__init__(problem, alpha, 0.0, temperature, None, shared_projector, pairs)
        views = len(problem.view_shapes)
        self.scale = views * (views - 1) if reduction == "sum" else 1

    def unsupervised(self, z):
        options = {"temperature": self.temperature}
        if len(z) == 2:  # one product for both directions
            return self.scale * losses.cmc(*z, **options)
        return self.scale * self.over_pairs(losses.info_nce, z, **options)


class HardNegative(Contrastive):
    """L_c + α · the hard-negative loss; with ``hardness=0`` the debiased loss.

    Args:
        tau_plus: the prior probability that a negative is a false one, in [0, 1).
        hardness: how much more near negatives count, ≥ 0.
    """

    def __init__(
        self,
        problem: Problem,
        alpha: float = 0.1,
        temperature: float = 0.5,
        tau_plus: float = 0.1,
        hardness: float = 1.0,
        shared_projector: bool = False,
        pairs: int | None = None,
    ):
        check_probability("tau_plus", tau_plus)
        check_weight("hardness", hardness)
        super().__init__(problem, alpha, 0.0, temperature, None, shared_projector, pairs)
        self.options = {"temperature": temperature, "tau_plus": tau_plus, "beta": hardness}

    def unsupervised(self, z):
        return self.over_views(losses.hard_negative, z, **self.options)


# ------------------------------------------------------------------ contrast by labels


class SupCon(Contrastive):
    """L_c + β · a supervised contrastive loss on S.

    Args:
        variant: ``"eq6"``, the paper's form, label by label (default for classes); ``"all"``,
            Khosla's L_out with the rows of the identical label vector as positives (default for
            labels); ``"any"``, L_out with the rows that share a label.
        temperature: 1 for the paper's form, 0.1 for L_out.
        preset: ``"released"`` or ``"paper"``; only Eq. 6 has the two.
    """

    def __init__(
        self,
        problem: Problem,
        beta: float = 0.1,
        temperature: float | None = None,
        variant: str | None = None,
        preset: str | losses.Switches = "paper",
    ):
        if variant is None:
            variant = "eq6" if problem.kind == "multiclass" else "all"
        check_choice("variant", variant, ("eq6", "all", "any"))
        losses.switches_of(preset)  # a wrong name fails now
        eq6 = variant == "eq6"
        if temperature is None:
            temperature = 1.0 if eq6 else 0.1
        super().__init__(problem, 0.0, beta, temperature)
        self.options = {"preset": preset} if eq6 else {}
        l_out = losses.sup_con_any if variant == "any" else losses.sup_con
        self.loss = losses.sup_con_eq6 if eq6 else l_out

    def supervised(self, S, Y):
        return self.loss(S, Y, temperature=self.temperature, **self.options)


class MulSupCon(Contrastive):
    """L_c + β · MulSupCon: one L_out for every label of an anchor."""

    def __init__(self, problem: Problem, beta: float = 0.1, temperature: float = 0.1):
        super().__init__(problem, 0.0, beta, temperature)

    def supervised(self, S, Y):
        return losses.mul_sup_con(S, Y, temperature=self.temperature)


# ------------------------------------------------------------------ the paper's method


class HeroCon(Contrastive):
    """L_c + α · L_u (Eq. 5; Eq. 4 for one view) + β · L_s (Eq. 7).

    HeroCon-s is α = 0, HeroCon-u is β = 0. With two views L_u is anchored on view 1 as printed;
    with more it is the mean over all ordered pairs.

    Args:
        preset: ``"paper"``, ``"released"`` or any ``losses.Switches``. As released L_s is a sum
            over the c labels, not their mean, and β is used as given: β there counts c times.
        distance: of label vectors, ``"hamming"`` (default for labels) or ``"indicator"`` (for
            classes, where Hamming would double every negative).
        form: for data with one view, ``"eq4"``, or ``"two_noisy"`` once it comes as two copies.
        shared_projector: one projector for all views, as the public code does for pictures.
        detach: stop the gradient that z gets through the weights g; H still learns.
        pairs: with three views or more, how many pairs of views a step draws; default all.
        weighted: False sets g ≡ 1 and changes nothing else.
        symmetric: both views' rows are anchors in turn (the mean of the two losses); by default
            view 1's alone, as printed.
        sigma_outside: as in :func:`losses.weighted_supervised`.
        projector: ``"none"`` contrasts h itself, ``"deep"`` adds a linear layer to the dense
            block that is there by default.
        fusion: ``"mean"`` averages the views' h into S; by default they stand side by side.
        negatives: |N|, where it is less than the rows of a step give: L_u then takes
            |N| + 1 of them, drawn anew each step. Default: all of them.
    """

    def __init__(
        self,
        problem: Problem,
        alpha: float = 0.1,
        beta: float = 0.1,
        temperature: float = 1.0,
        preset: str | losses.Switches = "paper",
        distance: str | None = None,
        form: str | None = None,
        shared_projector: bool = False,
        detach: bool = False,
        pairs: int | None = None,
        weighted: bool = True,
        negatives: int | None = None,
        symmetric: bool | None = None,
        sigma_outside: bool | None = None,
        projector: str | None = None,
        fusion: str | None = None,
    ):
        losses.switches_of(preset)  # a wrong name fails now
        no_views, no_labels = alpha == 0, beta == 0
        unused = {
            "distance": distance and no_labels,
            "sigma_outside": sigma_outside and no_labels,
            "negatives": negatives is not None and no_views,
            # over three views or more L_u is symmetric as it is
            "symmetric": symmetric and (no_views or form == "eq4" or len(problem.view_shapes) > 2),
            "projector": projector and (no_views or form == "eq4"),
            "detach": detach and (no_views or not weighted),
        }
        for name in [name for name, asked in unused.items() if asked]:
            raise ValueError(
                f"{name} must be left out where nothing uses it: alpha is {alpha:g}, "
                f"beta {beta:g}, form {form}, {len(problem.view_shapes)} views."
            )
        if distance is None:
            distance = "indicator" if problem.kind == "multiclass" else "hamming"
        check_choice("distance", distance, ("hamming", "indicator"))
        super().__init__(
            problem, alpha, beta, temperature, form, shared_projector, pairs, projector, fusion
        )
        self.preset, self.distance, self.detach = preset, distance, detach
        self.negatives, self.symmetric, self.sigma_outside = negatives, symmetric, sigma_outside
        self.H = models.weight_net(self.size) if weighted and alpha > 0 else None

    def supervised(self, S, Y):
        return losses.weighted_supervised(
            S, Y, self.temperature, self.preset, self.distance, bool(self.sigma_outside)
        )

    def unsupervised(self, z):
        options = {"H": self.H, "temperature": self.temperature, "detach": self.detach}
        if self.negatives is not None:
            if self.negatives >= len(z[0]):
                raise ValueError(
                    f"negatives must be fewer than the {len(z[0])} rows of a step; got "
                    f"{self.negatives}."
                )
            drawn = torch.randperm(len(z[0]), device="cpu")[: self.negatives + 1]
            drawn = drawn.to(z[0].device, non_blocking=z[0].is_cuda)
            z = [rows[drawn] for rows in z]
        if self.form == "eq4":
            return losses.input_contrast(*z, A=nn.Identity(), **options)
        rows = len(z[0])
        options |= {"preset": self.preset, "anchors": distributed.share(rows)}
        over = self.over_pairs if self.symmetric else self.over_views
        return distributed.weight(rows) * over(losses.weighted_unsupervised, z, **options)
