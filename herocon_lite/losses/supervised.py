"""Losses of representations and labels: SupCon and its kin, Eq. 6 and Eq. 7."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from herocon_lite.checks import (
    check_choice,
    check_classes,
    check_known,
    check_labels,
    check_share,
    check_tensor,
    check_views,
    may_read,
)
from herocon_lite.losses.presets import Switches, switches_of
from herocon_lite.losses.reduction import rescaled
from herocon_lite.similarity import (
    cosines,
    hamming,
    keep_nan,
    log_matmul,
    pair_softplus,
    row_dot,
    row_logsumexp,
    unit,
)

EMPTY = ("skip",)  # what may become of rows without any label
ROUNDING = 1e-6  # a limit counts as met from so much below it


def sup_con(
    s: Tensor,
    y: Tensor,
    temperature: float = 0.1,
    chunk: int | None = None,
    empty: str | None = None,
    validate: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    r"""Compute the supervised contrastive loss of Khosla et al., their L_out.

    .. math:: -\frac1n \sum_i \frac1{|P(i)|} \sum_{p \in P(i)}
        \log \frac{f(s_i, s_p)}{\sum_{k \ne i} f(s_i, s_k)}

    P(i) holds the other rows with the same label: the same class, or the identical label vector.
    A row without such a partner adds 0 and still counts in n. The table of partners has n × n
    numbers; ``chunk`` bounds the denominators.

    Args:
        s: (n, d), representations.
        y: (n,), class numbers, or (n, c), label vectors; rows of zeros are of one class, too.
        temperature: τ > 0.
        chunk: rows held at once; changes memory, never the value.
        empty: ``"skip"`` gives rows of zeros no partners, so that what they have in common is only
            that they have no label; they stay in the denominators.
        validate: look at values, and refuse what is not finite or not 0/1. None: on a CPU, where
            it costs next to nothing; see :mod:`herocon_lite.checks`.
        reduction: ``"mean"``, as above; ``"none"``: what each anchor adds to it, times n, so that
            their mean is the loss; ``"sum"``: n times the loss.

    Returns:
        The loss, a scalar; with ``reduction="none"`` one number a row.

    Example:
        >>> y = torch.tensor([0, 0, 1, 1])  # and rows at right angles: log(1 + 2 e^(−1/τ))
        >>> sup_con(torch.eye(2)[y], y, temperature=1.0)
        tensor(0.5514)
    """
    check_views(temperature, validate, s=s)
    check_tensor("y", y)
    if y.ndim == 2 and y.shape[1] == 1:  # a column of class numbers, or of one label
        check_labels(s, y, "y", validate, binary=False)
        same = y == y.T
    elif y.ndim == 1:
        check_classes(s, y)
        same = y[:, None] == y[None, :]
    else:
        same = hamming(check_labels(s, y, "y", validate)) == 0
    if empty is not None:
        same = same & _labelled(y, empty)[:, None]
    return keep_nan(_l_out(s, same, temperature, chunk, reduction), y)


def sup_con_any(
    s: Tensor,
    Y: Tensor,
    temperature: float = 0.1,
    chunk: int | None = None,
    validate: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute :func:`sup_con` with all rows that share a label with row i as its positives P(i).

    Args:
        s: (n, d), representations.
        Y: (n, c), 0/1 label matrix.
        temperature, chunk, validate, reduction: as in :func:`sup_con`.

    Returns:
        The loss, a scalar.

    Example:
        >>> Y = torch.tensor([[1, 0], [1, 1], [0, 1]])
        >>> sup_con_any(torch.ones(3, 2), Y)  # equal rows: log(n − 1)
        tensor(0.6931)
    """
    check_views(temperature, validate, s=s)
    Y = check_labels(s, Y, validate=validate)
    shared = cosines(Y, Y) > 0.5  # Y Yᵀ counts shared labels
    return keep_nan(_l_out(s, shared, temperature, chunk, reduction), Y)


def mul_sup_con(
    s: Tensor,
    Y: Tensor,
    temperature: float = 0.1,
    chunk: int | None = None,
    validate: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    r"""Compute MulSupCon: one L_out for every label that an anchor has, averaged over those.

    .. math:: -\frac1{\sum_i |y_i|} \sum_i \sum_{a: Y_{ia} = 1} \frac1{|P_a \setminus i|}
        \sum_{p \in P_a \setminus i} \log \frac{f(s_i, s_p)}{\sum_{k \ne i} f(s_i, s_k)}

    On one-hot labels it is :func:`sup_con`. A label with no other row adds 0 and still counts.

    Args:
        s: (n, d), representations.
        Y: (n, c), 0/1 label matrix.
        temperature, chunk, validate, reduction: as in :func:`sup_con`.

    Returns:
        The loss, a scalar.

    Example:
        >>> Y = torch.tensor([[1, 0], [1, 0], [0, 1], [0, 1]])
        >>> mul_sup_con(Y.float(), Y, temperature=1.0)
        tensor(0.5514)
    """
    check_views(temperature, validate, s=s)
    Y = check_labels(s, Y, validate=validate)
    a = unit(s)
    partners = Y.sum(0) - 1  # (c,), seen from a row that has the label
    sums = cosines(a, cosines(Y.T, a.T))  # (n, c): a_i · Σ_{p has a} a_p
    mean_positive = (sums - row_dot(a, a)[:, None]) / partners.clamp_min(1)
    counted = Y * (partners > 0)
    total = _log_softmax_loss(a, mean_positive, counted, temperature, chunk, reduction)
    return rescaled(total / Y.sum().clamp_min(1), len(s), reduction)


def multi_sup_con(
    s: Tensor,
    Y: Tensor,
    temperature: float = 0.1,
    overlap: float = 0.3,
    chunk: int | None = None,
    empty: str | None = None,
    validate: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    r"""Compute MultiSupCon: L_out whose partners count as much as their labels overlap.

    .. math:: -\frac1n \sum_i \frac1{|N(i)|} \sum_{p \in N(i)} J_{ip}
        \log \frac{f(s_i, s_p)}{\sum_{k \ne i} f(s_i, s_k)}

    J is the Jaccard index of two label sets, :math:`|y_i \cap y_p| / |y_i \cup y_p|`, and 1 for two
    empty ones. N(i) holds the other rows with J at least ``overlap``; the divisor is their number,
    so with 0 rows that share nothing make the loss smaller. On one-hot labels it is
    :func:`sup_con`. Another function than :func:`mul_sup_con`, which has one L_out for every label.

    Args:
        s: (n, d), representations.
        Y: (n, c), 0/1 label matrix.
        temperature, chunk, empty, validate, reduction: as in :func:`sup_con`.
        overlap: the least J of a partner, from 0 to 1.

    Returns:
        The loss, a scalar.

    Example:
        >>> Y = torch.tensor([[1, 0], [1, 1], [1, 0], [1, 1]])
        >>> multi_sup_con(torch.ones(4, 2), Y)  # (1 + ½ + ½)/3 · log 3
        tensor(0.7324)
    """
    check_views(temperature, validate, s=s)
    check_share("overlap", overlap)
    Y = check_labels(s, Y, validate=validate)
    size, shared = Y.sum(1), cosines(Y, Y)  # Y Yᵀ counts shared labels
    union = size[:, None] + size[None, :] - shared
    jaccard = torch.where(union > 0, shared / union.clamp_min(1), torch.ones_like(union))
    partner = (jaccard > overlap - ROUNDING).to(Y.dtype)
    if empty is not None:
        partner = partner * _labelled(Y, empty)[:, None]
    count = partner.fill_diagonal_(0.0).sum(1)
    return keep_nan(_l_out(s, partner * jaccard, temperature, chunk, reduction, count), Y)


def sup_con_eq6(
    s: Tensor,
    Y: Tensor,
    temperature: float = 1.0,
    preset: str | Switches = "paper",
    validate: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute the supervised loss as the paper prints it (Eq. 6), label by label, then the mean.

    It is :func:`weighted_supervised` with σ = γ = 1. Unlike :func:`sup_con` the denominator holds
    one positive and the negatives, never the other positives.

    Args:
        s, Y, temperature, preset, validate, reduction: as in :func:`weighted_supervised`.

    Returns:
        The loss, a scalar.

    Example:
        >>> Y = torch.tensor([[1, 0], [1, 0], [0, 1], [0, 1]])
        >>> sup_con_eq6(Y.float(), Y)  # log(1 + 2/e)
        tensor(0.5514)
    """
    switches = switches_of(preset)
    return _per_label(s, Y, temperature, switches, None, False, validate, reduction)


def weighted_supervised(
    s: Tensor,
    Y: Tensor,
    temperature: float = 1.0,
    preset: str | Switches = "paper",
    distance: str = "hamming",
    sigma_outside: bool = False,
    validate: bool | None = None,
    reduction: str = "mean",
    known: Tensor | None = None,
) -> Tensor:
    r"""Compute the weighted supervised contrastive loss (Eq. 7).

    .. math:: L_s = -\frac1c \sum_a \mathbb E_{i \ne j:\, Y_{ia} = Y_{ja} = 1} \log
        \frac{\sigma_{ij} f(s_i, s_j)}
        {\sigma_{ij} f(s_i, s_j) + \sum_{k:\, Y_{ka} = 0} \gamma_{ik} f(s_i, s_k)}

    with σ = 1 − dist(Y_i, Y_j)/c and γ = dist(Y_i, Y_k). A label with fewer than two positives or
    without negatives adds exactly 0 and still counts in c. Quadratic in the labelled rows.

    With ``known``, what is not known is left out: label a sees the rows whose entry a is known as
    its positives and negatives, no others, and a distance is taken over the labels
    :math:`K_{ij}` that are known in both rows, scaled to c of them:

    .. math:: \operatorname{dist}(Y_i, Y_j) = \frac{c}{|K_{ij}|}
        \sum_{a \in K_{ij}} [Y_{ia} \ne Y_{ja}]

    Args:
        s: (n, d), representations (the paper concatenates the views').
        Y: (n, c), 0/1 label matrix.
        temperature: τ > 0. The paper's experiments use 1. Two matrices n × n are kept for the
            backward pass at τ = 1, up to five at τ = 0.01; some seven are held at once. Below that
            the denominators take one pass for each label, whatever τ is.
        preset: ``"paper"``, ``"released"`` or any :class:`Switches`.
        distance: ``"hamming"``, or ``"indicator"`` (1 if the label vectors differ), which the
            paper's special case for multi-class data needs.
        sigma_outside: ours, not the paper's: σ multiplies the logarithm. Inside it a smaller σ
            makes the pull on a pair stronger; outside, unlike pairs are pulled less.
        validate, reduction: as in :func:`sup_con`.
        known: (n, c), bool: which entries of Y are known; the others may hold anything.

    Returns:
        The loss, a scalar.

    Example:
        >>> Y = torch.tensor([[1, 0], [1, 0], [0, 1], [0, 1]])
        >>> weighted_supervised(Y.float(), Y)  # γ = 2: log(1 + 4/e)
        tensor(0.9048)
        >>> Y = torch.tensor([[1, -1], [1, 0], [0, 1], [-1, 1]])  # −1: not known
        >>> weighted_supervised(torch.eye(2)[[0, 0, 1, 1]], Y, known=Y >= 0)  # log(1 + 2/e)
        tensor(0.5514)
    """
    check_choice("distance", distance, ("hamming", "indicator"))
    switches = switches_of(preset)
    options = sigma_outside, validate, reduction, known
    return _per_label(s, Y, temperature, switches, distance, *options)


# ------------------------------------------------------------------ what they share


def _labelled(y: Tensor, empty: str) -> Tensor:
    """(n,): which rows have a label, where those without are skipped."""
    check_choice("empty", empty, EMPTY)
    if y.ndim == 1:
        raise ValueError("empty is for label vectors (n, c); class numbers have no empty row.")
    return (y != 0).any(1)


def _l_out(
    s: Tensor,
    partner: Tensor,
    temperature: float,
    chunk: int | None,
    reduction: str,
    count: Tensor | None = None,
) -> Tensor:
    """Khosla's L_out from partners (n, n), each with its weight; a row is not its own, and one
    without adds 0. A row's sum is divided by its ``count`` (n,); default: its partners' weight."""
    a = unit(s)
    partner = partner.to(a.dtype).fill_diagonal_(0.0)
    weight = partner.sum(1)
    count = weight if count is None else count
    # Σ_p cos(s_i, s_p) needs one product with the partners' sum
    mean_positive = row_dot(a, cosines(partner, a.T)) / weight.masked_fill(weight == 0, 1.0)
    counted = (weight / count.clamp_min(1))[:, None]
    total = _log_softmax_loss(a, mean_positive[:, None], counted, temperature, chunk, reduction)
    return rescaled(total / len(s), len(s), reduction)


def _log_softmax_loss(
    a: Tensor,
    mean_positive: Tensor,
    counted: Tensor,
    temperature: float,
    chunk: int | None,
    reduction: str,
) -> Tensor:
    """Σ over the counted (row, column) of log Σ_{k≠i} f(i, k) − mean_positive/τ; or each row's."""
    log_all = row_logsumexp(a / temperature, a, skip=(0,), chunk=chunk)
    # one row alone has nothing to sum: its −inf must not meet the zero that does not count it
    log_all = log_all.masked_fill(log_all == -math.inf, 0.0)
    terms = (log_all[:, None] - mean_positive / temperature) * counted
    return terms.sum(1) if reduction == "none" else terms.sum()


def _per_label(
    s: Tensor,
    Y: Tensor,
    temperature: float,
    switches: Switches,
    distance: str | None,
    sigma_outside: bool,
    validate: bool | None,
    reduction: str,
    known: Tensor | None = None,
) -> Tensor:
    """Eq. 6 and Eq. 7: one positive against the weighted negatives, for every label."""
    check_views(temperature, validate, s=s)
    Y, known = check_known(s, Y, known, validate)
    n, c = Y.shape
    lacks = 1 - Y if known is None else known - Y  # what is not known is 0 in both
    a = unit(s)
    scores = cosines(a, a) / temperature
    log_sigma = log_gamma = torch.zeros_like(scores)
    if distance is not None:
        dist = hamming(Y, known)
        dist = (dist > 0).to(dist.dtype) if distance == "indicator" else dist
        # Outside these ranges no pair is ever used: positives share a label, negatives differ.
        log_sigma = (1 - dist / c).clamp_min(1 / c).log()
        log_gamma = dist.clamp_min(1).log()
        if switches.gamma_by_cardinality:
            log_gamma = log_gamma - _cardinality(Y, known).clamp_min(1 / n).log()
    # (n, c): log Σ_{k lacks a} γ_ik f_ik; scores lie in ±1/τ, log γ in ± log c
    bound = None  # of a learned τ only where a look at it costs nothing
    if not isinstance(temperature, Tensor) or may_read(temperature):
        tau = temperature.detach() if isinstance(temperature, Tensor) else temperature
        bound = float(1 / tau) + math.log(c * n if switches.gamma_by_cardinality else c)
    log_negatives = log_matmul(scores + log_gamma, lacks, bound)
    # (c,): pairs of each label, those without a negative left out
    positives = Y.sum(0)
    pairs = positives * (positives - (0 if switches.self_pairs else 1))
    usable = ((pairs > 0) & (lacks.sum(0) > 0)).to(Y.dtype)
    weight = usable / pairs.clamp_min(1) / (1 if switches.label_sum else c)
    log_positives = scores if sigma_outside else scores + log_sigma
    sigma = log_sigma.exp() if sigma_outside else None
    logs, each_row = (log_negatives, log_positives), reduction == "none"
    loss = pair_softplus(*logs, Y, weight, switches.self_pairs, sigma, each_row)
    return keep_nan(rescaled(loss, n, reduction), a, Y)


def _cardinality(Y: Tensor, known: Tensor | None) -> Tensor:
    """Labels a row, on average; each row's known ones are scaled to c."""
    if known is None:
        return Y.sum(1).mean()
    count = known.sum(1)
    return (Y.sum(1) * Y.shape[1] / count.clamp_min(1)).sum() / (count > 0).sum().clamp_min(1)
