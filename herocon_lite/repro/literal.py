"""The losses as printed, and in the public code's form: slow formulas that ours are timed against.

Written from the paper and from a description of the code; n × n matrices and all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from herocon_lite import losses
from herocon_lite.methods import Method, Problem, build
from herocon_lite.optim import LARS

Loss = Callable[..., Tensor]


def cosine_as_printed(a: Tensor, b: Tensor) -> Tensor:
    """Return the dot product over the product of the norms."""
    return a @ b.T / (a.norm(dim=1)[:, None] * b.norm(dim=1)[None, :])


def cosine_of_unit_rows(a: Tensor, b: Tensor) -> Tensor:
    """Return the same, norms first."""
    return (a / a.norm(dim=1, keepdim=True)) @ (b / b.norm(dim=1, keepdim=True)).T


def unsupervised(z1: Tensor, z2: Tensor, H: losses.Net, cos: Loss = cosine_as_printed) -> Tensor:
    """Compute Eq. 5 typed in from the paper: anchors against both views, n × 2n matrices and
    all."""
    n, keys = len(z1), torch.cat([z1, z2])
    f = torch.exp(cos(z1, keys))
    g = (torch.exp(1 - cos(z1, H(keys))) + torch.exp(1 - cos(H(z1), keys))) / 2
    own = torch.eye(n, dtype=torch.bool).repeat(1, 2)
    negatives = (g * f).masked_fill(own, 0).sum(1)
    positive = f[:, n:].diagonal()
    return -torch.log(positive / (positive + negatives)).mean()


def supervised(s: Tensor, Y: Tensor) -> Tensor:
    """Compute Eq. 7 with a loop over labels that forms its similarities anew for each."""
    c, total = Y.shape[1], 0
    for a in range(c):
        has, lacks = Y[:, a] == 1, Y[:, a] == 0
        sigma = 1 - (Y[has][:, None] != Y[has][None]).sum(2).to(s.dtype) / c
        gamma = (Y[has][:, None] != Y[lacks][None]).sum(2)
        up = sigma * torch.exp(cosine_as_printed(s[has], s[has]))
        down = up + (gamma * torch.exp(cosine_as_printed(s[has], s[lacks]))).sum(1, keepdim=True)
        terms = -torch.log(up / down)
        pairs = len(terms) * (len(terms) - 1)
        total = total + (terms.sum() - terms.diagonal().sum()) / pairs
    return total / c


def released_unsupervised(z1: Tensor, z2: Tensor, H: losses.Net) -> Tensor:
    """Compute L_u in the public code's form: anchors are rows of view 2.

    [i, k] holds row i of view 1 and row k of view 2, and the sum runs over i. The positive is
    weighted too, and the half of g with H on view 2 is transposed. Its constants are left out.
    """
    cos = cosine_as_printed
    f = torch.exp(cos(z1, z2))
    g = (torch.exp(1 - cos(H(z1), z2)) + torch.exp(1 - cos(H(z2), z1))) / 2
    return -torch.log(f.diagonal() / (g * f).sum(0)).mean()


def released_supervised(s: Tensor, Y: Tensor) -> Tensor:
    """Compute L_s in the public code's form for classes: weights 1, self pairs, a sum over the
    classes.

    Similarities are formed anew for each class, as there.
    """
    total = 0
    for a in range(Y.shape[1]):
        has, lacks = Y[:, a] == 1, Y[:, a] == 0
        up = torch.exp(cosine_as_printed(s[has], s[has]))
        down = torch.exp(cosine_as_printed(s[has], s[lacks])).sum(1) + up
        total = total - torch.log(up / down).mean()
    return total


# L_u and L_s, as functions of (z1, z2, H) and of (S, Y)
PRINTED = (unsupervised, supervised)
RELEASED = (released_unsupervised, released_supervised)

# ------------------------------------------------------------------ a step of training


def herocon(problem: Problem, replaced: tuple[Loss, Loss] | None, **options: object) -> Method:
    """Build HeroCon; in float64 with both losses ``replaced``, where given. All start alike."""
    torch.manual_seed(0)
    method = build("herocon", problem, **options)
    if replaced is None:
        return method
    of_views, of_labels = replaced
    method = method.double()
    method.unsupervised = lambda z: of_views(*z, method.H)
    method.supervised = of_labels
    return method


def trainer(method: Method) -> Callable[[list[Tensor], Tensor, list[Tensor]], None]:
    """Return (labelled views, labels, unlabelled views) ↦ one step, encoders and optimiser and
    all."""
    optimizer = LARS(method.train().parameters(), lr=0.05, momentum=0.95)

    def step(labeled: list[Tensor], Y: Tensor, unlabeled: list[Tensor]) -> None:
        optimizer.zero_grad()
        sum(method.terms(labeled, Y, unlabeled, 0.0).values()).backward()
        optimizer.step()

    return step


def training(
    method: Method, widths: Sequence[int], Y: Tensor, unlabeled: int, count: int = 1
) -> Callable[[], None]:
    """Return ``count`` steps of training, each on random rows of its own.

    Args:
        method: to train.
        widths: features of each view.
        Y: (count · labelled rows a step, labels).
        unlabeled: rows a step.
        count: number of steps.
    """
    step, dtype = trainer(method), next(method.parameters()).dtype
    sizes = len(Y) // count, unlabeled
    seen, more = ([torch.randn(count * b, w).to(dtype) for w in widths] for b in sizes)
    Y = Y.to(dtype)

    def run() -> None:
        for k in range(count):
            mine, other = (slice(k * b, (k + 1) * b) for b in sizes)
            step([v[mine] for v in seen], Y[mine], [v[other] for v in more])

    return run
