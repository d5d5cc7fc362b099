"""What becomes of the anchors' losses: their mean, their sum, or each by itself."""

from __future__ import annotations

from torch import Tensor

from herocon_lite.checks import check_choice

REDUCTIONS = ("mean", "sum", "none")


def reduced(rows: Tensor, reduction: str) -> Tensor:
    """Reduce the losses of the anchors (n,), whose mean is the loss.

    Raises:
        ValueError: the reduction's name is unknown.
    """
    check_choice("reduction", reduction, REDUCTIONS)
    if reduction == "none":
        return rows
    return rows.mean() if reduction == "mean" else rows.sum()


def rescaled(loss: Tensor, n: int, reduction: str) -> Tensor:
    """Reduce a loss whose anchors were added up, unless the reduction is "none", and divided.

    Args:
        loss: the mean over n anchors, or the parts of it (n,) that are each anchor's.
    """
    check_choice("reduction", reduction, REDUCTIONS)
    return loss if reduction == "mean" else loss * n
