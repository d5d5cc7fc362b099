"""Losses of the views alone: Eq. 2 to Eq. 5, and the contrastive losses of other people."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import permutations

import torch
from torch import Tensor

from herocon_lite.checks import (
    check_choice,
    check_concentration,
    check_finite,
    check_probability,
    check_returned,
    check_views,
)
from herocon_lite.losses.presets import Switches, switches_of
from herocon_lite.losses.reduction import reduced
from herocon_lite.losses.weighted_sum import (
    Net,
    fold,
    log_add,
    log_weighted_sum,
    weight_halves,
    weight_rows,
)
from herocon_lite.similarity import (
    keep_nan,
    lifted,
    row_column_logsumexp,
    row_dot,
    row_logsumexp,
    softplus,
    unit,
)

PARTS = ("push", "pull")  # of a contrast's gradient

# ------------------------------------------------------------------ one anchor, one partner


def info_nce(
    z1: Tensor,
    z2: Tensor,
    temperature: float = 1.0,
    chunk: int | None = None,
    validate: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    r"""Compute Info-NCE between two views, the paper's vanilla loss L_1 (Eq. 3).

    .. math:: L_1 = -\frac1n \sum_i \log
        \frac{f(z_{i,1}, z_{i,2})}{f(z_{i,1}, z_{i,2}) + \sum_{k \ne i} f(z_{i,1}, z_{k,2})}

    Anchors come from view 1 and negatives from view 2, so swapping the views changes the value.

    Args:
        z1, z2: (n, d), the two views; row i of both is sample i.
        temperature: τ > 0. The paper's experiments use 1.
        chunk: rows held at once; changes memory, never the value.
        validate: look at values, and refuse what is not finite. None: on a CPU, where it costs
            next to nothing; see :mod:`herocon_lite.checks`.
        reduction: ``"mean"`` over the anchors, their ``"sum"``, or ``"none"``: one number each.

    Returns:
        The loss, a scalar; with ``reduction="none"`` one number an anchor.

    Raises:
        ValueError: the views differ in shape, dtype or device, or an option is not allowed.

    Example:
        >>> info_nce(torch.eye(4), torch.eye(4))  # log(1 + 3/e)
        tensor(0.7437)
    """
    check_views(temperature, validate, z1=z1, z2=z2)
    a1, a2 = unit(z1), unit(z2)
    log_negatives = row_logsumexp(a1 / temperature, a2, skip=(0,), chunk=chunk)
    return _contrast(row_dot(a1, a2) / temperature, log_negatives, reduction)


def cmc(
    z1: Tensor,
    z2: Tensor,
    temperature: float = 1.0,
    chunk: int | None = None,
    validate: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute contrastive multiview coding: Info-NCE in both directions, averaged.

    Its authors add the two. For more than two views: ``over_pairs(info_nce, views)``, the full
    graph of that paper.

    Args:
        z1, z2, temperature, chunk, validate, reduction: as in :func:`info_nce`.

    Returns:
        The loss, a scalar.

    Example:
        >>> cmc(torch.eye(4), torch.eye(4))
        tensor(0.7437)
    """
    check_views(temperature, validate, z1=z1, z2=z2)
    a1, a2 = unit(z1), unit(z2)
    positive = row_dot(a1, a2) / temperature
    both = row_column_logsumexp(a1 / temperature, a2, skip=(0,), chunk=chunk)
    return _contrast(positive.repeat(2), torch.cat(both), reduction)


def nt_xent(
    z1: Tensor,
    z2: Tensor,
    temperature: float = 0.5,
    chunk: int | None = None,
    validate: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute SimCLR's loss: each of the 2n rows against the other 2n − 1 rows.

    Args:
        z1, z2, temperature, chunk, validate, reduction: as in :func:`info_nce`.

    Returns:
        The loss, a scalar.

    Example:
        >>> nt_xent(torch.eye(4), torch.eye(4))  # log(1 + 6 e^(−2))
        tensor(0.5944)
    """
    check_views(temperature, validate, z1=z1, z2=z2)
    return _contrast(*_both_views(z1, z2, 1 / temperature, chunk), reduction)


def debiased(
    z1: Tensor,
    z2: Tensor,
    temperature: float = 0.5,
    tau_plus: float = 0.1,
    chunk: int | None = None,
    validate: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    r"""Compute the debiased loss (DCL): the expected false negatives leave the sum.

    The negatives' sum becomes :math:`\max\{(\sum_k f_{ik} - \tau^+ N f_{ii}) / (1 - \tau^+),
    N e^{-1/\tau}\}` with N = 2n − 2. With ``tau_plus=0`` it is :func:`nt_xent`.

    Args:
        z1, z2, temperature, chunk, validate, reduction: as in :func:`info_nce`.
        tau_plus: the prior probability that a negative is a false one, in [0, 1).

    Returns:
        The loss, a scalar.

    Example:
        >>> debiased(torch.eye(4), torch.eye(4), tau_plus=0.0)
        tensor(0.5944)
    """
    return hard_negative(z1, z2, temperature, tau_plus, 0.0, chunk, validate, reduction)


def hard_negative(
    z1: Tensor,
    z2: Tensor,
    temperature: float = 0.5,
    tau_plus: float = 0.1,
    beta: float = 1.0,
    chunk: int | None = None,
    validate: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    r"""Compute the hard-negative loss (HCL): :func:`debiased`, and near negatives count more.

    The sum :math:`\sum_k f_{ik}` becomes :math:`N \sum_k f_{ik}^{1+\beta} / \sum_k f_{ik}^\beta`.

    Args:
        z1, z2, temperature, tau_plus, chunk, validate, reduction: as in :func:`debiased`.
        beta: concentration on near negatives, ≥ 0; 0 gives :func:`debiased`.

    Returns:
        The loss, a scalar.

    Example:
        >>> hard_negative(torch.eye(4), torch.eye(4), tau_plus=0.0)  # all negatives alike
        tensor(0.5944)
    """
    check_views(temperature, validate, z1=z1, z2=z2)
    check_probability("tau_plus", tau_plus)
    check_concentration(beta, temperature)
    if len(z1) == 1:
        return reduced(_both_views(z1, z2, 1.0, chunk)[0] * 0, reduction)  # no negatives
    log_n = math.log(2 * len(z1) - 2)
    positive, log_sum = _both_views(z1, z2, (1 + beta) / temperature, chunk)
    positive = positive / (1 + beta)
    if beta > 0:
        log_sum = log_sum - _both_views(z1, z2, beta / temperature, chunk)[1] + log_n
    if tau_plus > 0:
        # log(Σ − τ⁺ N f⁺), where positive; elsewhere the floor takes over
        excess = math.log(tau_plus) + log_n + positive - log_sum
        gone = excess >= 0
        excess = excess.clamp_max(-torch.finfo(excess.dtype).eps)
        log_sum = log_sum + torch.log1p(-excess.exp()) - math.log1p(-tau_plus)
        log_sum = log_sum.masked_fill(gone, -math.inf)
    return _contrast(positive, log_sum.clamp_min(log_n - 1 / temperature), reduction)


def over_pairs(loss: Callable[..., Tensor], views: Sequence[Tensor], **options) -> Tensor:
    """Average a two-view loss over all ordered pairs of views.

    This extends every two-view loss to any number of views. At two views it is the loss made
    symmetric, (L(z1, z2) + L(z2, z1)) / 2, not the loss itself.

    Args:
        loss: a function of two views, called with ``options``.
        views: at least two matrices (n, d).

    Returns:
        The mean, a scalar; with ``reduction="none"`` one number an anchor.

    Example:
        >>> over_pairs(info_nce, [torch.eye(4)] * 3)
        tensor(0.7437)
    """
    if len(views) < 2:
        raise ValueError(f"views must hold at least two matrices; got {len(views)}.")
    losses = [loss(first, second, **options) for first, second in permutations(views, 2)]
    return torch.stack(losses).mean(0)


# ------------------------------------------------------------------ weighted negatives


def input_contrast(
    x: Tensor,
    z: Tensor,
    A: Net,
    H: Net | None = None,
    temperature: float = 1.0,
    detach: bool = False,
    chunk: int | None = None,
    validate: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    r"""Compute the loss of inputs against representations for one view: Eq. 2, with H Eq. 4.

    .. math:: L_u = -\frac1n \sum_i \log
        \frac{f(Ax_i, z_i)}{f(Ax_i, z_i) + \sum_{k \ne i} g(z_i, z_k) f(Ax_i, z_k)}

    The paper writes f(X_i, Z_i), which needs inputs and representations of the same size; here a
    learned map A takes x to z's space.

    Args:
        x: (n, p), inputs, flattened.
        z: (n, d), representations.
        A: maps (n, p) to (n, d), for instance ``torch.nn.Linear(p, d)``.
        H, detach: as in :func:`weighted_unsupervised`; ``H=None`` means g ≡ 1.
        temperature, chunk, validate, reduction: as in :func:`info_nce`.

    Returns:
        The loss, a scalar.

    Example:
        >>> input_contrast(torch.eye(4), torch.eye(4), A=torch.nn.Identity())
        tensor(0.7437)
    """
    a_x, a_z = _mapped(temperature, validate, x, z, A)
    halves = None
    if H is not None:
        w, h = weight_rows(z, a_z, H, detach)
        halves = [(h, w), (w, h)]
    log_negatives = log_weighted_sum(a_x, a_z, temperature, halves, (0,), chunk)
    return _contrast(row_dot(a_x, a_z) / temperature, log_negatives, reduction)


def input_weighted(
    x: Tensor,
    z: Tensor,
    A: Net,
    temperature: float = 1.0,
    chunk: int | None = None,
    validate: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute the naive weighting L_2 for one view: negative k counts exp(1 − cos(x_i, x_k)).

    The paper proposes it and drops it as too expensive for images.

    Args:
        x, z, A, temperature, chunk, validate, reduction: as in :func:`input_contrast`.

    Returns:
        The loss, a scalar.

    Example:
        >>> input_weighted(torch.eye(4), torch.eye(4), A=torch.nn.Identity())  # log(1 + 3)
        tensor(1.3863)
    """
    a_x, a_z = _mapped(temperature, validate, x, z, A)
    x = unit(x)
    log_negatives = 1 + row_logsumexp(*fold(a_x, a_z, temperature, x, x), skip=(0,), chunk=chunk)
    return _contrast(row_dot(a_x, a_z) / temperature, log_negatives, reduction)


def weighted_unsupervised(
    z1: Tensor,
    z2: Tensor,
    H: Net | None,
    temperature: float = 1.0,
    preset: str | Switches = "paper",
    detach: bool = False,
    chunk: int | None = None,
    anchors: slice | None = None,
    part: str | None = None,
    validate: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    r"""Compute the weighted unsupervised contrastive loss (Eq. 5).

    .. math:: L_u = -\frac1n \sum_i \log \frac{f(z_{i,1}, z_{i,2})}{f(z_{i,1}, z_{i,2})
        + \sum_{k \ne i} \sum_{j \in \{1,2\}} g(z_{i,1}, z_{k,j})\, f(z_{i,1}, z_{k,j})}

    with :math:`g(a, b) = \tfrac12(e^{1-\cos(a, H(b))} + e^{1-\cos(H(a), b)})`. Each g·f is a sum
    of two exponentials of dot products, so the denominator is a row-wise log-sum-exp of plain
    matrix products: exact, and no n × n tensor is kept.

    Args:
        z1, z2: (n, d), the two views; row i of both is sample i. Anchors come from view 1.
        H: the weight net, applied to z1 and z2 as given; any callable that keeps the shape.
            ``None`` means g ≡ 1: what is left is one direction of :func:`nt_xent`.
        temperature: τ > 0. The paper's experiments use 1.
        preset: ``"paper"``, ``"released"`` or any :class:`Switches`.
        detach: stop the gradient that z gets through the weights; H still learns. At τ = 1 that
            gradient cancels the repulsion, and training on L_u alone can collapse.
        chunk: rows held at once; changes memory, never the value.
        anchors: these rows alone, ``slice(start, stop)``, are anchors, and the mean is over them;
            all rows stay negatives. For several processes that share the work.
        part: a control. ``"push"`` stops the gradient through the positive pairs, ``"pull"`` that
            through the negatives; the value stays, and the two gradients add up to the whole.
        validate, reduction: as in :func:`info_nce`.

    Returns:
        The loss, a scalar.

    Raises:
        ValueError: the views differ in shape, dtype or device, or an option is not allowed.

    Example:
        >>> z = torch.eye(4)
        >>> weighted_unsupervised(z, z, H=torch.nn.Identity())  # g = e: log(1 + 6)
        tensor(1.9459)
    """
    check_views(temperature, validate, z1=z1, z2=z2)
    _check_anchors(anchors, len(z1))
    switches = switches_of(preset)
    if part is not None and switches.positive_weighted:
        raise ValueError(f"part={part!r} needs a preset whose sum leaves out the positive pair.")
    a = [unit(z1), unit(z2)]
    weights = None
    if H is not None:
        weights = [weight_rows(z, r, H, detach) for z, r in ((z1, a[0]), (z2, a[1]))]
    anchor, negatives = (1, (0,)) if switches.view2_anchors else (0, (0, 1))
    first = 0 if anchors is None else anchors.indices(len(z1))[0]
    query = a[anchor] if anchors is None else a[anchor][anchors]

    def of_anchors(rows: Tensor) -> Tensor:
        if rows is a[anchor]:
            return query  # the same object: products that share it are recognised by identity
        return rows if anchors is None else rows[anchors]

    logs = []
    for view in negatives:
        halves = None
        if weights is not None:
            halves = weight_halves(weights[anchor], weights[view], anchor, switches)
            halves = [(of_anchors(left), right) for left, right in halves]
        own = () if switches.positive_weighted and view != anchor else (first,)
        logs.append(log_weighted_sum(query, a[view], temperature, halves, own, chunk))
    positive, log_sum = row_dot(*a) / temperature, log_add(logs)
    positive = positive if anchors is None else positive[anchors]
    if switches.positive_weighted:  # the sum already holds the positive
        loss = reduced(log_sum - positive, reduction)
    else:
        loss = _contrast(positive, log_sum, reduction, part)
    return loss if anchors is None else keep_nan(loss, *a)  # in rows that are no anchors, too


# ------------------------------------------------------------------ what they share


def _contrast(
    positive: Tensor, log_negatives: Tensor, reduction: str, part: str | None = None
) -> Tensor:
    """−log f⁺/(f⁺ + Σ) of anchors from log f⁺ and log Σ; exact also where the loss is tiny."""
    if part is not None:
        check_choice("part", part, PARTS)
        if part == "push":
            positive = positive.detach()
        else:
            log_negatives = log_negatives.detach()
    return reduced(softplus(log_negatives - positive), reduction)


def _both_views(z1: Tensor, z2: Tensor, scale: float, chunk: int | None) -> tuple[Tensor, Tensor]:
    """For all 2n rows as anchors: scale · cos with the other view, log Σ over the 2n − 2 others."""
    a, n = torch.cat([unit(z1), unit(z2)]), len(z1)
    log_negatives = row_logsumexp(a * scale, a, skip=(0, n, -n), chunk=chunk)
    return row_dot(a[:n], a[n:]).repeat(2) * scale, log_negatives


def _mapped(
    temperature: float, validate: bool | None, x: Tensor, z: Tensor, A: Net
) -> tuple[Tensor, Tensor]:
    """The unit rows of A(x) and of z, which must be of one shape."""
    check_views(temperature, False, x=x)
    check_views(temperature, False, z=z)
    if len(x) != len(z):
        raise ValueError(f"x and z must have equally many rows; got {len(x)} and {len(z)}.")
    if x.device != z.device or lifted(x) != lifted(z):
        raise ValueError(
            "x and z must have the same device and, but for half precision, the same dtype; got "
            f"{x.dtype} on {x.device} and {z.dtype} on {z.device}."
        )
    check_finite(validate, x=x, z=z)
    mapped = check_returned("A", A, x, z)
    a_z = unit(z)
    return unit(mapped).to(a_z.dtype), a_z


def _check_anchors(anchors: slice | None, n: int) -> None:
    if anchors is not None and (anchors.step not in (None, 1) or not len(range(n)[anchors])):
        raise ValueError(f"anchors must be slice(start, stop) of at least one row; got {anchors}.")
