r"""The paper's equations by number, and the losses they are compared with, as pure functions.

Everywhere f(a, b) = exp(cos(a, b)/τ). Representations are matrices with one row per sample; losses
are scalars on their input's device, in its precision (half precision is lifted to float32).
Shapes, dtypes and the temperature are checked; values are not, since looking at them would make
a GPU wait: rows whose labels are not known must be left out of losses by labels. τ may be a tensor
of one number, to be learned; checking it makes a GPU wait. Weighted losses take a ``preset``: the
paper's equations, or what its public code does.
There are first derivatives only; ``create_graph=True`` and ``torch.func`` get an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from itertools import permutations

import torch
from torch import Tensor

from herocon_lite.checks import (
    check_choice,
    check_classes,
    check_labels,
    check_matrix,
    check_probability,
    check_returned,
    check_temperature,
    check_tensor,
    check_views,
    check_weight,
)
from herocon_lite.similarity import (
    cosines,
    hamming,
    log_matmul,
    pair_softplus,
    row_column_logsumexp,
    row_logsumexp,
    softplus,
    unit,
)

Net = Callable[[Tensor], Tensor]

# ------------------------------------------------------------------ paper and released code


@dataclass(frozen=True)
class Switches:
    """Points in which the public code departs from Eq. 5 and Eq. 7 (all off: the paper).

    The seventh is the ``distance`` argument of :func:`weighted_supervised`: the public code uses
    the indicator on multi-class data, the paper declares the Hamming distance.
    """

    # L_u
    positive_weighted: bool = False  # g also multiplies the positive in the denominator
    transposed: bool = False  # one half of g has its two samples swapped: as released, that with
    # H on view 2; with anchors in view 1, that with H on the negative
    view2_anchors: bool = False  # anchors from view 2, negatives from view 1 only
    # L_s
    label_sum: bool = False  # sum over labels, not mean: β counts c times as much
    self_pairs: bool = False  # i = j counts as a positive pair
    gamma_by_cardinality: bool = False  # γ divided by the mean number of labels per row


_RELEASED = Switches(
    positive_weighted=True,
    transposed=True,
    view2_anchors=True,
    label_sum=True,
    self_pairs=True,
)
PRESETS = {
    "paper": Switches(),
    "released": _RELEASED,  # as run on Scene, XRMB, N-MNIST and CelebA
    "released-cnn": replace(_RELEASED, gamma_by_cardinality=True),  # in its CNN file, never run
}
# and the paper's equations with one point changed, to see what that point does
PRESETS |= {f"paper+{f.name}": Switches(**{f.name: True}) for f in fields(Switches)}


# ------------------------------------------------------------------ unsupervised


def info_nce(z1: Tensor, z2: Tensor, temperature: float = 1.0, chunk: int | None = None) -> Tensor:
    r"""Info-NCE between two views, the paper's vanilla loss L_1 (Eq. 3).

    .. math:: L_1 = -\frac1n \sum_i \log
        \frac{f(z_{i,1}, z_{i,2})}{f(z_{i,1}, z_{i,2}) + \sum_{k \ne i} f(z_{i,1}, z_{k,2})}

    Anchors come from view 1 and negatives from view 2, so swapping the views changes the value.

    Args:
        z1, z2: (n, d), the two views; row i of both is sample i.
        temperature: τ > 0. The paper's experiments use 1.
        chunk: rows held at once; changes memory, never the value.
    """
    check_views(temperature, z1=z1, z2=z2)
    a1, a2 = unit(z1), unit(z2)
    log_negatives = row_logsumexp(a1 / temperature, a2, skip=(0,), chunk=chunk)
    return _contrast(_dot(a1, a2) / temperature, log_negatives)


def cmc(z1: Tensor, z2: Tensor, temperature: float = 1.0, chunk: int | None = None) -> Tensor:
    """Contrastive multiview coding: Info-NCE in both directions, averaged (its authors add them).

    Arguments as in :func:`info_nce`. For more than two views: ``over_pairs(info_nce, views)``, the
    full graph of that paper.
    """
    check_views(temperature, z1=z1, z2=z2)
    a1, a2 = unit(z1), unit(z2)
    positive = _dot(a1, a2) / temperature
    both = row_column_logsumexp(a1 / temperature, a2, skip=(0,), chunk=chunk)
    return _contrast(positive.repeat(2), torch.cat(both))


def nt_xent(z1: Tensor, z2: Tensor, temperature: float = 0.5, chunk: int | None = None) -> Tensor:
    """SimCLR's loss: all 2n rows are anchors, each contrasted with the other 2n − 1 rows.

    Arguments as in :func:`info_nce`.
    """
    check_views(temperature, z1=z1, z2=z2)
    positive, log_negatives = _both_views(z1, z2, 1 / temperature, chunk)
    return _contrast(positive, log_negatives)


def debiased(
    z1: Tensor,
    z2: Tensor,
    temperature: float = 0.5,
    tau_plus: float = 0.1,
    chunk: int | None = None,
) -> Tensor:
    r"""Debiased contrastive loss (DCL): takes the expected false negatives out of the sum.

    The negatives' sum becomes :math:`\max\{(\sum_k f_{ik} - \tau^+ N f_{ii}) / (1 - \tau^+),
    N e^{-1/\tau}\}` with N = 2n − 2. With ``tau_plus=0`` it is :func:`nt_xent`.

    Args:
        z1, z2, temperature, chunk: as in :func:`info_nce`.
        tau_plus: the prior probability that a negative is a false one, in [0, 1).
    """
    return hard_negative(z1, z2, temperature, tau_plus, beta=0.0, chunk=chunk)


def hard_negative(
    z1: Tensor,
    z2: Tensor,
    temperature: float = 0.5,
    tau_plus: float = 0.1,
    beta: float = 1.0,
    chunk: int | None = None,
) -> Tensor:
    r"""Hard-negative contrastive loss (HCL): :func:`debiased`, and near negatives count more.

    The sum :math:`\sum_k f_{ik}` becomes :math:`N \sum_k f_{ik}^{1+\beta} / \sum_k f_{ik}^\beta`.

    Args:
        z1, z2, temperature, tau_plus, chunk: as in :func:`debiased`.
        beta: concentration on near negatives, ≥ 0; 0 gives :func:`debiased`.
    """
    check_views(temperature, z1=z1, z2=z2)
    check_probability("tau_plus", tau_plus)
    check_weight("beta", beta)
    if len(z1) == 1:
        return (unit(z1).sum() + unit(z2).sum()) * 0  # no negatives
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
    return _contrast(positive, log_sum.clamp_min(log_n - 1 / temperature))


def input_contrast(
    x: Tensor,
    z: Tensor,
    A: Net,
    H: Net | None = None,
    temperature: float = 1.0,
    detach: bool = False,
    chunk: int | None = None,
) -> Tensor:
    r"""One view: inputs against representations, Eq. 2; with a weight net H, Eq. 4.

    .. math:: L_u = -\frac1n \sum_i \log
        \frac{f(Ax_i, z_i)}{f(Ax_i, z_i) + \sum_{k \ne i} g(z_i, z_k) f(Ax_i, z_k)}

    The paper writes f(X_i, Z_i), which needs inputs and representations of the same size; here a
    learned map A takes x to z's space.

    Args:
        x: (n, p), inputs, flattened. z: (n, d), representations.
        A: maps (n, p) to (n, d), for instance ``torch.nn.Linear(p, d)``.
        H, detach: as in :func:`weighted_unsupervised`; ``H=None`` means g ≡ 1.
    """
    a_x, a_z = _mapped(temperature, x, z, A)
    halves = None
    if H is not None:
        w, h = _weight_rows(z, a_z, H, detach)
        halves = [(h, w), (w, h)]
    log_negatives = _log_weighted_sum(a_x, a_z, temperature, halves, (0,), chunk)
    return _contrast(_dot(a_x, a_z) / temperature, log_negatives)


def input_weighted(
    x: Tensor, z: Tensor, A: Net, temperature: float = 1.0, chunk: int | None = None
) -> Tensor:
    """One view, the naive weighting L_2: a negative k counts exp(1 − cos(x_i, x_k)) times.

    The paper proposes it and drops it as too expensive for images. Arguments as in
    :func:`input_contrast`.
    """
    a_x, a_z = _mapped(temperature, x, z, A)
    x = unit(x)
    log_negatives = 1 + row_logsumexp(*_fold(a_x, a_z, temperature, x, x), skip=(0,), chunk=chunk)
    return _contrast(_dot(a_x, a_z) / temperature, log_negatives)


def weighted_unsupervised(
    z1: Tensor,
    z2: Tensor,
    H: Net | None,
    temperature: float = 1.0,
    preset: str | Switches = "paper",
    detach: bool = False,
    chunk: int | None = None,
    anchors: slice | None = None,
) -> Tensor:
    r"""The weighted unsupervised contrastive loss (Eq. 5).

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
    """
    check_views(temperature, z1=z1, z2=z2)
    if anchors is not None and (anchors.step not in (None, 1) or not len(z1[anchors])):
        raise ValueError(f"anchors must be slice(start, stop) of at least one row; got {anchors}.")
    switches = switches_of(preset)
    a = [unit(z1), unit(z2)]
    if H is not None:
        rows = [_weight_rows(z, r, H, detach) for z, r in ((z1, a[0]), (z2, a[1]))]
        w, h = zip(*rows, strict=True)
    anchor, negatives = (1, (0,)) if switches.view2_anchors else (0, (0, 1))
    first = 0 if anchors is None else anchors.indices(len(z1))[0]
    query = a[anchor] if anchors is None else a[anchor][anchors]

    def of_anchors(rows: Tensor) -> Tensor:
        if rows is a[anchor]:
            return query  # itself: products that share a factor are told by it
        return rows if anchors is None else rows[anchors]

    logs = []
    for view in negatives:
        halves = None
        if H is not None:
            halves = [(h[anchor], w[view]), (w[anchor], h[view])]  # cos(H(i), k), cos(i, H(k))
            if switches.transposed:
                half = 0 if anchor == 1 else 1
                halves[half] = halves[half][::-1]
            halves = [(of_anchors(left), right) for left, right in halves]
        own = () if switches.positive_weighted and view != anchor else (first,)
        logs.append(_log_weighted_sum(query, a[view], temperature, halves, own, chunk))
    positive, log_sum = _dot(*a) / temperature, _log_add(logs)
    positive = positive if anchors is None else positive[anchors]
    if switches.positive_weighted:  # the sum already holds the positive
        return (log_sum - positive).mean()
    return _contrast(positive, log_sum)


def over_pairs(loss: Callable[..., Tensor], views: Sequence[Tensor], **options) -> Tensor:
    """The mean of a two-view loss over all ordered pairs of views.

    This extends every two-view loss to any number of views. At two views it is the loss made
    symmetric, (L(z1, z2) + L(z2, z1)) / 2, not the loss itself.

    Args:
        loss: a function of two views; ``options`` are handed on to it.
        views: at least two matrices (n, d).
    """
    if len(views) < 2:
        raise ValueError(f"views must hold at least two matrices; got {len(views)}.")
    losses = [loss(first, second, **options) for first, second in permutations(views, 2)]
    return torch.stack(losses).mean()


# ------------------------------------------------------------------ supervised


def sup_con(s: Tensor, y: Tensor, temperature: float = 0.1, chunk: int | None = None) -> Tensor:
    r"""Supervised contrastive loss of Khosla et al., their L_out.

    .. math:: -\frac1n \sum_i \frac1{|P(i)|} \sum_{p \in P(i)}
        \log \frac{f(s_i, s_p)}{\sum_{k \ne i} f(s_i, s_k)}

    P(i) holds the other rows with the same label: the same class, or the identical label vector.
    A row without such a partner adds 0 and still counts in n. Who is whose partner takes n × n
    numbers; ``chunk`` bounds the denominators.

    Args:
        s: (n, d), representations.
        y: (n,), class numbers, or (n, c), label vectors; rows of zeros are of one class, too.
    """
    check_matrix("s", s)
    check_temperature(temperature)
    check_tensor("y", y)
    if y.ndim == 2 and y.shape[1] == 1:  # a column of class numbers, or of one label
        check_labels(s, y, name="y")
        same = y == y.T
    elif y.ndim == 1:
        check_classes(s, y)
        same = y[:, None] == y[None, :]
    else:
        same = hamming(check_labels(s, y, name="y")) == 0
    return _l_out(s, same, temperature, chunk)


def sup_con_any(s: Tensor, Y: Tensor, temperature: float = 0.1, chunk: int | None = None) -> Tensor:
    """:func:`sup_con` whose positives P(i) are the other rows that share a label with row i.

    Args:
        s: (n, d), representations. Y: (n, c), 0/1 label matrix.
    """
    check_matrix("s", s)
    check_temperature(temperature)
    Y = check_labels(s, Y)
    return _l_out(s, cosines(Y, Y) > 0.5, temperature, chunk)  # Y Yᵀ counts shared labels


def mul_sup_con(s: Tensor, Y: Tensor, temperature: float = 0.1, chunk: int | None = None) -> Tensor:
    r"""MulSupCon: one L_out for every label that an anchor has, averaged over those.

    .. math:: -\frac1{\sum_i |y_i|} \sum_i \sum_{a: Y_{ia} = 1} \frac1{|P_a \setminus i|}
        \sum_{p \in P_a \setminus i} \log \frac{f(s_i, s_p)}{\sum_{k \ne i} f(s_i, s_k)}

    On one-hot labels it is :func:`sup_con`. A label with no other row adds 0 and still counts.

    Args:
        s: (n, d), representations. Y: (n, c), 0/1 label matrix.
    """
    check_matrix("s", s)
    check_temperature(temperature)
    Y = check_labels(s, Y)
    a = unit(s)
    partners = Y.sum(0) - 1  # (c,), seen from a row that has the label
    sums = cosines(a, cosines(Y.T, a.T))  # (n, c): a_i · Σ_{p has a} a_p
    mean_positive = (sums - _dot(a, a)[:, None]) / partners.clamp_min(1)
    counted = Y * (partners > 0)
    return _log_softmax_loss(a, mean_positive, counted, temperature, chunk) / Y.sum().clamp_min(1)


def sup_con_eq6(
    s: Tensor, Y: Tensor, temperature: float = 1.0, preset: str | Switches = "paper"
) -> Tensor:
    """The supervised loss as the paper prints it (Eq. 6), for each label, averaged over labels.

    It is :func:`weighted_supervised` with σ = γ = 1. Unlike :func:`sup_con` the denominator holds
    one positive and the negatives, never the other positives. Arguments as there.
    """
    return _per_label(s, Y, temperature, switches_of(preset), distance=None)


def weighted_supervised(
    s: Tensor,
    Y: Tensor,
    temperature: float = 1.0,
    preset: str | Switches = "paper",
    distance: str = "hamming",
    sigma_outside: bool = False,
) -> Tensor:
    r"""The weighted supervised contrastive loss (Eq. 7).

    .. math:: L_s = -\frac1c \sum_a \mathbb E_{i \ne j:\, Y_{ia} = Y_{ja} = 1} \log
        \frac{\sigma_{ij} f(s_i, s_j)}
        {\sigma_{ij} f(s_i, s_j) + \sum_{k:\, Y_{ka} = 0} \gamma_{ik} f(s_i, s_k)}

    with σ = 1 − dist(Y_i, Y_j)/c and γ = dist(Y_i, Y_k). A label with fewer than two positives or
    without negatives adds exactly 0 and still counts in c. Quadratic in the labelled rows.

    Args:
        s: (n, d), representations (the paper concatenates the views').
        Y: (n, c), 0/1 label matrix.
        temperature: τ > 0. The paper's experiments use 1. Two matrices n × n are kept for the
            backward pass at τ = 1, about 1 + 1/(30 τ) at a small τ; some seven are held at once.
        preset: ``"paper"``, ``"released"`` or any :class:`Switches`.
        distance: ``"hamming"``, or ``"indicator"`` (1 if the label vectors differ), which the
            paper's special case for multi-class data needs.
        sigma_outside: ours, not the paper's: σ multiplies the logarithm. Inside it a smaller σ
            makes the pull on a pair stronger; outside, unlike pairs are pulled less.
    """
    check_choice("distance", distance, ("hamming", "indicator"))
    return _per_label(s, Y, temperature, switches_of(preset), distance, sigma_outside)


# ------------------------------------------------------------------ what they share


def _l_out(s: Tensor, partner: Tensor, temperature: float, chunk: int | None) -> Tensor:
    """Khosla's L_out with partners (n, n), 0/1; nobody is its own, and who has none adds 0."""
    a = unit(s)
    partner = partner.to(a.dtype).fill_diagonal_(0.0)
    count = partner.sum(1)
    # Σ_p cos(s_i, s_p) needs one product with the partners' sum
    mean_positive = _dot(a, cosines(partner, a.T)) / count.clamp_min(1)
    counted = (count > 0)[:, None]
    return _log_softmax_loss(a, mean_positive[:, None], counted, temperature, chunk) / len(s)


def _contrast(positive: Tensor, log_negatives: Tensor) -> Tensor:
    """mean −log f⁺/(f⁺ + Σ) from log f⁺ and log Σ; exact also where the loss is tiny."""
    return softplus(log_negatives - positive).mean()


def _dot(a: Tensor, b: Tensor) -> Tensor:
    return (a * b).sum(1)


def _mapped(temperature: float, x: Tensor, z: Tensor, A: Net) -> tuple[Tensor, Tensor]:
    """The unit rows of A(x) and of z, which must be of one shape."""
    check_temperature(temperature)
    check_matrix("x", x)
    check_matrix("z", z)
    if len(x) != len(z):
        raise ValueError(f"x and z must have equally many rows; got {len(x)} and {len(z)}.")
    mapped = check_returned("A", A, x, z)
    a_z = unit(z)
    return unit(mapped).to(a_z.dtype), a_z


def _both_views(z1: Tensor, z2: Tensor, scale: float, chunk: int | None) -> tuple[Tensor, Tensor]:
    """For all 2n rows as anchors: scale · cos with the other view, log Σ over the 2n − 2 others."""
    a, n = torch.cat([unit(z1), unit(z2)]), len(z1)
    log_negatives = row_logsumexp(a * scale, a, skip=(0, n, -n), chunk=chunk)
    return _dot(a[:n], a[n:]).repeat(2) * scale, log_negatives


def _weight_rows(z: Tensor, a: Tensor, H: Net, detach: bool) -> tuple[Tensor, Tensor]:
    """What g is made of, for one view: its unit rows a, and the unit rows of H(z)."""
    h = check_returned("H", H, z.detach() if detach else z, z)
    return (a.detach() if detach else a), unit(h).to(a.dtype)


def _fold(
    query: Tensor, key: Tensor, temperature: float, w_query: Tensor, w_key: Tensor
) -> tuple[Tensor, Tensor]:
    """Queries and keys whose dot product is query·key/τ − w_query·w_key.

    A factor that both products share is taken out; without one they stand side by side.
    """
    if w_key is key:
        return query / temperature - w_query, key
    if w_query is query:
        return query, key / temperature - w_key
    return torch.cat([query / temperature, -w_query], 1), torch.cat([key, w_key], 1)


def _log_weighted_sum(
    query: Tensor,
    key: Tensor,
    temperature: float,
    halves: Sequence[tuple[Tensor, Tensor]] | None,
    skip: tuple[int, ...],
    chunk: int | None,
) -> Tensor:
    """log Σ_k g_ik f(query_i, key_k), g = ½ Σ exp(1 − left_i · right_k) over the two halves."""
    if halves is None:  # g ≡ 1
        return row_logsumexp(query / temperature, key, skip, chunk)
    first, second = halves
    products = _fold(query, key, temperature, *first)
    if query is key and first[0] is second[1] and first[1] is second[0]:  # transposes of each other
        logs = row_column_logsumexp(*products, skip, chunk)
    else:
        more = _fold(query, key, temperature, *second)
        logs = [row_logsumexp(*pair, skip, chunk) for pair in (products, more)]
    return _log_add(logs) + (1 - math.log(2))


def _log_add(logs: Sequence[Tensor]) -> Tensor:
    """log of the sum, row by row; −inf (a lone sample has no negatives) gets a zero gradient."""
    logs = torch.stack(tuple(logs))
    return logs.clamp_min(torch.finfo(logs.dtype).min).logsumexp(0)


def _log_softmax_loss(
    a: Tensor, mean_positive: Tensor, counted: Tensor, temperature: float, chunk: int | None
) -> Tensor:
    """Σ over the counted (row, column) of log Σ_{k≠i} f(i, k) − mean_positive/τ."""
    log_all = row_logsumexp(a / temperature, a, skip=(0,), chunk=chunk)
    # one row alone has nothing to sum: its −inf must not meet the zero that does not count it
    log_all = log_all.masked_fill(log_all == -math.inf, 0.0)
    return ((log_all[:, None] - mean_positive / temperature) * counted).sum()


def _per_label(
    s: Tensor,
    Y: Tensor,
    temperature: float,
    switches: Switches,
    distance: str | None,
    sigma_outside: bool = False,
) -> Tensor:
    """Eq. 6 and Eq. 7: one positive against the weighted negatives, for every label."""
    check_matrix("s", s)
    check_temperature(temperature)
    Y = check_labels(s, Y)
    n, c = Y.shape
    a = unit(s)
    scores = cosines(a, a) / temperature
    log_sigma = log_gamma = torch.zeros_like(scores)
    if distance is not None:
        dist = hamming(Y)
        dist = (dist > 0).to(dist.dtype) if distance == "indicator" else dist
        # Outside these ranges no pair is ever used: positives share a label, negatives differ.
        log_sigma = (1 - dist / c).clamp_min(1 / c).log()
        log_gamma = dist.clamp_min(1).log()
        if switches.gamma_by_cardinality:
            log_gamma = log_gamma - Y.sum(1).mean().clamp_min(1 / n).log()
    # (n, c): log Σ_{k lacks a} γ_ik f_ik; scores lie in ±1/τ, log γ in ± log c
    tau = temperature.detach() if isinstance(temperature, Tensor) else temperature
    bound = float(1 / tau) + math.log(c * n if switches.gamma_by_cardinality else c)
    log_negatives = log_matmul(scores + log_gamma, 1 - Y, bound)
    # (c,): pairs of each label, those without a negative left out
    positives = Y.sum(0)
    pairs = positives * (positives - (0 if switches.self_pairs else 1))
    usable = ((pairs > 0) & (positives < n)).to(Y.dtype)
    weight = usable / pairs.clamp_min(1) / (1 if switches.label_sum else c)
    if sigma_outside:
        sigma = log_sigma.exp()
        return pair_softplus(log_negatives, scores, Y, weight, switches.self_pairs, sigma)
    return pair_softplus(log_negatives, scores + log_sigma, Y, weight, switches.self_pairs)


def switches_of(preset: str | Switches) -> Switches:
    """The switches that a preset turns on; a wrong name fails."""
    if isinstance(preset, Switches):
        return preset
    check_choice("preset", preset, PRESETS)
    return PRESETS[preset]
