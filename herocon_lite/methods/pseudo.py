r"""Pseudo-labels without any contrast: each view teaches the others; the definition is ours.

    L = L_c + L_heads + w · L_pseudo

The classifier on S and one linear head a view are students. A student's targets on unlabelled rows
are the mean probabilities of the other views' heads, made hard: of every label the top rows are 1
and the bottom ones 0, in the labels' own shares, and what lies between has no target. A fixed
threshold, as in FixMatch, would give rare labels negatives only; that shares follow the labelled
rows is CAP's idea. Only the classifier is scored.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from herocon_lite import distributed, models
from herocon_lite.checks import check_share, check_weight
from herocon_lite.methods.base import Method, Problem, classification

MILLION = 10**6  # shares are counted in millionths, in whole numbers


class PseudoLabels(Method):
    """L_c + heads · L_heads + weight · L_pseudo, for data with several labels a row.

    Args:
        weight: w ≥ 0 after the warm-up; 0 leaves unlabelled rows out: the heads alone.
        heads: weight of L_heads, the mean of the heads' own L_c. With both 0 it is the DNN.
        kept: η, the share of unlabelled rows with a target, a label; 1 leaves none out. A label
            gets positives from η · (its labelled share) · (unlabelled rows a step) ≥ 1 on.
        warmup: share of the steps without L_pseudo.
    """

    def __init__(
        self,
        problem: Problem,
        weight: float = 1.0,
        heads: float = 1.0,
        kept: float = 0.5,
        warmup: float = 0.3,
    ):
        check_weight("weight", weight)
        check_weight("heads", heads)
        check_share("kept", kept)
        check_share("warmup", warmup)
        if problem.kind != "multilabel":
            raise ValueError(
                "Pseudo-labels are for data with several labels a row (kind multilabel): of every "
                f"label by itself the top rows count as positive. Got {problem.kind}."
            )
        if len(problem.view_shapes) < 2:
            raise ValueError(
                "Here each view teaches the others, and the data has one view. Make two noisy "
                'copies (herocon_lite.views.two_views, form "two_noisy").'
            )
        super().__init__(problem)
        self.classifier = models.classifier(problem.encoder, self.joint_size, problem.n_labels)
        self.weight, self.heads_weight, self.kept, self.warmup = weight, heads, kept, warmup
        self.uses_unlabeled = weight > 0
        if weight > 0 or heads > 0:
            make = (nn.Linear(self.size, problem.n_labels) for _ in problem.view_shapes)
            self.heads = models.PerView(make)

    def terms(self, labeled, Y, unlabeled, progress):
        h = self.encoders(labeled)
        terms = {"L_c": classification(self.classifier(torch.cat(h, 1)), Y)}
        if self.heads_weight > 0:
            own = torch.stack([classification(logits, Y) for logits in self.heads(h)])
            terms["L_heads"] = self.heads_weight * own.mean()
        if self.uses_unlabeled and unlabeled is not None:
            teaches = progress >= self.warmup
            with torch.set_grad_enabled(teaches and torch.is_grad_enabled()):
                students = self.students(unlabeled)  # also before: BatchNorm sees these rows
            loss = pseudo_loss(students, Y, self.kept) if teaches else terms["L_c"].new_zeros(())
            terms["L_pseudo"] = self.weight * loss
        return terms

    def students(self, views: list[Tensor]) -> list[Tensor]:
        """Return the logits of the classifier and of each view's head, each (m, c)."""
        h = self.encoders(views)
        found = [self.classifier(torch.cat(h, 1)), *self.heads(h)]
        return [distributed.all_gather_with_grad(logits) for logits in found]


def pseudo_loss(students: list[Tensor], Y: Tensor, kept: float) -> Tensor:
    """Compute the students' mean cross-entropy with the targets that their teachers set.

    A row without a target counts as 0 in the mean, as in FixMatch.

    Args:
        students: logits (m, c) of the classifier and of each view's head, in that order.
        Y: (b, c), labels of the labelled rows.
        kept: as in :class:`PseudoLabels`.

    Returns:
        The loss, a scalar; no gradient goes into a teacher.

    Example:
        >>> equal = torch.zeros(4, 1)  # all probabilities are one half
        >>> pseudo_loss([equal] * 3, torch.tensor([[1.0], [0.0]]), kept=1.0)
        tensor(0.6931)
    """
    dtype = torch.promote_types(students[0].dtype, torch.float32)
    students = [logits.to(dtype) for logits in students]
    P = torch.stack([logits.detach().sigmoid() for logits in students[1:]])  # (V, m, c)
    losses = []
    for number, logits in enumerate(students):
        others = [v for v in range(len(P)) if v != number - 1]  # the classifier learns of all
        target, mask = targets(P[others].mean(0), Y, kept)
        each = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
        losses.append((each * mask).mean())
    return torch.stack(losses).mean()


def targets(T: Tensor, Y: Tensor, kept: float) -> tuple[Tensor, Tensor]:
    """Return the hard targets of probabilities T (m, c), and 1 where there is one: (m, c) each.

    Of label a the η π_a m rows with the highest T are 1 and the η (1 − π_a) m with the lowest are
    0, both rounded down, with π_a its share of the labelled rows. Of equal rows the first counts
    as higher. A label that all labelled rows have, or none, has no targets.
    """
    m, b = len(T), len(Y)
    share = round(kept * MILLION)
    has = (Y > 0.5).sum(0)  # (c,); whole numbers, so that no rounding decides
    positive, negative = (count * (m * share) // (b * MILLION) for count in (has, b - has))
    known = (has > 0) & (has < b)
    # (m, c): a row's place, 0 the highest; ties by number, since all T are nearly equal at first
    rank = T.argsort(dim=0, descending=True, stable=True).argsort(0)
    top, bottom = (rank < positive) & known, (rank >= m - negative) & known
    return top.to(T.dtype), (top | bottom).to(T.dtype)
