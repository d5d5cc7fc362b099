"""What every method is: encoders, named loss terms, logits. And what it must know of the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from herocon_lite import models
from herocon_lite.checks import check_choice
from herocon_lite.metrics import KINDS


@dataclass(frozen=True)
class Problem:
    """What a method must know about the data to build its nets."""

    view_shapes: tuple[tuple[int, ...], ...]  # of each view, rows left out: (294,) or (1, 28, 28)
    n_labels: int
    kind: str  # "multilabel" or "multiclass"
    encoder: str = "mlp"  # one of models.ENCODERS
    encoder_options: Mapping[str, object] = field(default_factory=dict)  # such as widths

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, KINDS)
        check_choice("encoder", self.encoder, models.ENCODERS)
        if not self.view_shapes or self.n_labels < 1:
            raise ValueError(
                "A problem needs at least one view and one label; "
                f"got {len(self.view_shapes)} views and {self.n_labels} labels."
            )


class Method(nn.Module):
    """A row of the tables: encoders and what they are trained on.

    Labels of unlabelled rows have no way in: :meth:`terms` is all that training calls.
    """

    uses_unlabeled: bool = False  # does training ever look at unlabelled rows?
    lacks: tuple[str, ...] = ()  # options of its bases that have no effect here

    def __init__(self, problem: Problem):
        super().__init__()
        make = models.ENCODERS[problem.encoder]
        self.problem = problem
        # Encoders come first in every method, so equal seeds start them equal.
        self.encoders = models.PerView(
            make(shape, **problem.encoder_options) for shape in problem.view_shapes
        )
        self.size = self.encoders[0].size  # of h_v
        self.joint_size = self.size * len(self.encoders)  # of S

    def terms(
        self,
        labeled: list[Tensor],
        Y: Tensor,
        unlabeled: list[Tensor] | None,
        progress: float,
    ) -> dict[str, Tensor]:
        """Return the loss, term by term, weights included: their sum is minimised.

        Args:
            labeled: the views of the labelled batch, each (b, ...).
            Y: (b, c), 0/1 labels as floating-point numbers.
            unlabeled: the views of the unlabelled batch, each (m, ...), or None.
            progress: share of the steps already done, from 0 to 1.
        """
        raise NotImplementedError

    def logits(self, views: list[Tensor]) -> Tensor:
        """Return (n, c), in the mode the module is in: call :meth:`eval` first to predict."""
        return self.classifier(self.embed(views))

    def embed(self, views: list[Tensor]) -> Tensor:
        """Return (n, d): the joint representation S, the views' representations side by side."""
        return torch.cat(self.encoders(views), 1)

    def after_step(self, step: int, steps: int) -> bool:
        """Act after ``step`` of ``steps`` steps; return True if parameters were replaced."""
        return False

    def forward(self, *batch) -> dict[str, Tensor]:
        return self.terms(*batch)  # what DistributedDataParallel calls


def probabilities(logits: Tensor, kind: str) -> Tensor:
    """Turn logits into each label's own probability, or (multiclass) one distribution."""
    check_choice("kind", kind, KINDS)
    return logits.sigmoid() if kind == "multilabel" else logits.softmax(1)


def classification(logits: Tensor, Y: Tensor) -> Tensor:
    """Compute L_c: binary cross-entropy, mean over rows and labels; for classes too, as
    released."""
    return F.binary_cross_entropy_with_logits(logits, Y.to(logits.dtype))


def check_several_views(problem: Problem) -> None:
    if len(problem.view_shapes) < 2:
        raise ValueError(
            "This method contrasts views with one another, and the data has one view. Make two "
            'noisy copies (herocon_lite.views.two_views, form "two_noisy"), or contrast inputs '
            'with representations (form="eq4": herocon, herocon-u, herocon-u-g1, info-nce).'
        )
