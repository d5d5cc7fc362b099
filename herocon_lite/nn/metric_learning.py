"""Losses of pytorch-metric-learning for rows with several labels."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

import torch
from torch import Tensor, nn

from herocon_lite.checks import check_labels, check_share
from herocon_lite.losses.supervised import ROUNDING
from herocon_lite.nn.criterion import LabelCriterion
from herocon_lite.similarity import cosines


class WithMultiLabel(nn.Module):
    """A loss of pytorch-metric-learning for several labels a row, called as it is called there.

    That library takes one class a row (its issue #658 asks for more). A loss of pairs or triplets
    is told which rows are alike and which are not; a criterion of this module, such as
    :class:`MultiSupCon`, is called with the labels themselves.

    Args:
        loss: a loss of that library, its class's name there, or a criterion of labels from here.
        overlap: two rows are alike if the Jaccard index of their label sets is at least this; None:
            if they share a label. Rows that share none are unlike; the other pairs are left out.
        options: of the class named.

    Example:
        >>> from herocon_lite.nn import MultiSupCon
        >>> Y = torch.tensor([[1, 0], [1, 1], [1, 0], [1, 1]])
        >>> WithMultiLabel(MultiSupCon())(torch.ones(4, 2), Y)
        tensor(0.7324)
    """

    def __init__(self, loss: nn.Module | str, overlap: float | None = None, **options):
        super().__init__()
        if isinstance(loss, str):
            loss = _from_metric_learning(loss, options)
        elif options:
            raise ValueError(f"options are for a loss given by name; got {', '.join(options)}.")
        if overlap is not None:
            check_share("overlap", overlap)
            if isinstance(loss, LabelCriterion):
                raise ValueError("overlap is for losses of pairs; a criterion has its own.")
        if any(hasattr(loss, name) for name in ("num_classes", "proxies", "W")):
            raise ValueError(
                "WithMultiLabel takes losses of pairs or triplets, which compare rows; "
                f"{type(loss).__name__} compares rows with classes."
            )
        self.loss, self.overlap = loss, overlap

    def forward(
        self,
        embeddings: Tensor,
        labels: Tensor,
        indices_tuple: Sequence[Tensor] | None = None,
        ref_emb: Tensor | None = None,
        ref_labels: Tensor | None = None,
    ) -> Tensor:
        """Compute the loss of embeddings (n, d) and their 0/1 labels (n, c).

        Pairs or triplets from a miner, ``indices_tuple``, are used in place of the labels.
        """
        if isinstance(self.loss, LabelCriterion):
            if indices_tuple is not None or ref_emb is not None:
                raise ValueError(
                    f"{type(self.loss).__name__} takes all rows of a batch: leave out "
                    "indices_tuple and ref_emb."
                )
            return self.loss(embeddings, labels)
        if indices_tuple is None:
            labels = check_labels(embeddings, labels, "labels")
            if ref_emb is not None:
                ref_labels = check_labels(ref_emb, ref_labels, "ref_labels")
            indices_tuple = self.pairs(labels, ref_labels)
        return self.loss(embeddings, None, indices_tuple, ref_emb, None)

    def pairs(self, Y: Tensor, other: Tensor | None = None) -> tuple[Tensor, ...]:
        """Return the rows of pairs that are alike, twice (p,), and of those unlike, twice (q,)."""
        others = Y if other is None else other
        shared = cosines(Y, others)  # (n, m): Y Yᵀ counts shared labels
        alike = shared > 0
        if self.overlap is not None:
            union = Y.sum(1)[:, None] + others.sum(1)[None, :] - shared
            alike &= shared >= self.overlap * union - ROUNDING
        if other is None:
            alike.fill_diagonal_(False)
        return *torch.where(alike), *torch.where(shared == 0)


def _from_metric_learning(name: str, options: dict) -> nn.Module:
    try:
        library = import_module("pytorch_metric_learning.losses")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"A loss by name needs {error.name}: pip install pytorch-metric-learning."
        ) from error
    if not hasattr(library, name):
        raise ValueError(f"pytorch_metric_learning.losses has no {name}.")
    return getattr(library, name)(**options)
