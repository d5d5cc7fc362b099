"""Losses of the views by other people: without negatives, decoupled, of all views at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import torch
from torch import Tensor

from herocon_lite.checks import check_choice, check_views, check_weight
from herocon_lite.losses.reduction import reduced
from herocon_lite.losses.unsupervised import _both_views, _contrast
from herocon_lite.losses.weighted_sum import log_add
from herocon_lite.similarity import cosines, row_column_logsumexp, row_dot, row_logsumexp, unit

MULTI_VIEW_FORMS = ("code", "printed")
# Added to a variance: by VICReg's authors, and by BatchNorm, which Barlow Twins normalises with.
VICREG_EPS, BARLOW_EPS = 1e-4, 1e-5

# ------------------------------------------------------------------ no negatives


def vicreg(
    z1: Tensor,
    z2: Tensor,
    similarity: float = 25.0,
    variance: float = 25.0,
    covariance: float = 1.0,
    validate: bool | None = None,
) -> Tensor:
    r"""Compute VICReg: views alike, every column spread out, no two columns alike.

    .. math:: \frac\lambda{nd} \sum_{ij} (z^1_{ij} - z^2_{ij})^2
        + \frac\mu2 [v(z^1) + v(z^2)] + \nu [c(z^1) + c(z^2)]

    with :math:`v(z) = \frac1d \sum_j \max(0, 1 - \sqrt{C_{jj} + 10^{-4}})`,
    :math:`c(z) = \frac1d \sum_{j \ne k} C_{jk}^2` and C the columns' covariance, divided by n − 1.
    That is the authors' code, which has the ½ that their paper lacks. Rows are used as they are:
    with rows of unit length v could never be 0. Where all rows are zero, so is the gradient.

    Args:
        z1, z2: (n, d), the two views, n at least 2; row i of both is sample i.
        similarity, variance, covariance: the weights λ, μ and ν, each ≥ 0.
        validate: as in :func:`info_nce`.

    Returns:
        The loss, a scalar.

    Example:
        >>> vicreg(torch.ones(4, 2), torch.ones(4, 2))  # collapsed: 25 (1 − √10⁻⁴)
        tensor(24.7500)
    """
    weights = {"similarity": similarity, "variance": variance, "covariance": covariance}
    for name, weight in weights.items():
        check_weight(name, weight)
    z1, z2 = _columns(z1, z2, validate)
    n, d = z1.shape
    spread = common = 0.0
    for z in (z1, z2):
        centred = z - z.mean(0)
        C = cosines(centred.T, centred.T) / (n - 1)  # (d, d)
        spread = spread + (1 - (C.diagonal() + VICREG_EPS).sqrt()).relu().mean() / 2
        common = common + _off_diagonal(C).square().sum() / d
    apart = (z1 - z2).square().mean()
    return similarity * apart + variance * spread + covariance * common


def barlow_twins(
    z1: Tensor, z2: Tensor, redundancy: float = 0.005, validate: bool | None = None
) -> Tensor:
    r"""Compute Barlow Twins: column j of one view is like column j of the other and no further one.

    .. math:: \sum_j (1 - C_{jj})^2 + \lambda \sum_{j \ne k} C_{jk}^2

    C (d, d) correlates the columns of view 1 with those of view 2, each normalised over the rows
    as BatchNorm does it, with 1e-5 added to the variance. A constant column correlates with none.

    Args:
        z1, z2, validate: as in :func:`vicreg`.
        redundancy: λ ≥ 0; its authors have .0051.

    Returns:
        The loss, a scalar; it grows with d.

    Example:
        >>> z = torch.tensor([[1.0, 1], [1, -1], [-1, 1], [-1, -1]])
        >>> barlow_twins(z, -z)  # 2 · (1 + 1)²
        tensor(7.9999)
    """
    check_weight("redundancy", redundancy)
    z1, z2 = _columns(z1, z2, validate)
    first, second = (
        (z - z.mean(0)) / (z.var(0, correction=0) + BARLOW_EPS).sqrt() for z in (z1, z2)
    )
    C = cosines(first.T, second.T) / len(z1)
    return (1 - C.diagonal()).square().sum() + redundancy * _off_diagonal(C).square().sum()


# ------------------------------------------------------------------ negatives, but no pair in them


def decoupled(
    z1: Tensor,
    z2: Tensor,
    temperature: float = 0.1,
    chunk: int | None = None,
    validate: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute the decoupled loss: :func:`nt_xent` with the positive left out of the denominator.

    So its pull does not fade where views agree, and it has no least value. Not :func:`debiased`,
    which is DCL, too. With thousands of negatives its gradient is nearly NT-Xent's.

    Args:
        z1, z2, temperature, chunk, validate, reduction: as in :func:`info_nce`; n is at least 2.

    Returns:
        The loss, a scalar.

    Example:
        >>> decoupled(torch.eye(4), torch.eye(4), temperature=0.5)  # log 6 − 2
        tensor(-0.2082)
    """
    check_views(temperature, validate, z1=z1, z2=z2)
    _check_rows(z1)
    positive, log_negatives = _both_views(z1, z2, 1 / temperature, chunk)
    return reduced(log_negatives - positive, reduction)


# ------------------------------------------------------------------ all views at once


def mv_info_nce(
    views: Sequence[Tensor],
    temperature: float = 0.5,
    form: str = "code",
    chunk: int | None = None,
    validate: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    r"""Compute MV-InfoNCE: one fraction for all pairs of views, where :func:`over_pairs` has many.

    .. math:: -\frac1n \sum_i \log \frac{\sum_{l \ne m} f(z^l_i, z^m_i)}
        {\sum_l \sum_{(m,j) \ne (l,i)} f(z^l_i, z^m_j)}

    On two views it is :func:`nt_xent` in all but name: the mean of the logarithms of its two
    denominators becomes the logarithm of their mean.

    Args:
        views: at least two matrices (n, d); row i of all is sample i.
        temperature: τ > 0.
        form: ``"code"``, as above, as its authors compute it; ``"printed"`` has no negatives from
            the anchor's own view.
        chunk: rows held at once; changes memory, never the value.
        validate, reduction: as in :func:`info_nce`.

    Returns:
        The loss, a scalar.

    Example:
        >>> mv_info_nce([torch.eye(4)] * 3, temperature=1.0)  # log(1 + 9/2e)
        tensor(0.9766)
    """
    a = _units(views, temperature, form, validate)
    positive = log_add([*_pairwise(a, temperature)] * 2)  # ordered pairs
    logs = []  # of the sums over j ≠ i, for each ordered pair of views; one product has two of them
    for first, second in combinations(a, 2):
        logs += row_column_logsumexp(first / temperature, second, skip=(0,), chunk=chunk)
    if form == "code":
        logs += _own_view(a, temperature, (0,), chunk)
    return _contrast(positive, log_add(logs), reduction)


def mv_dhel(
    views: Sequence[Tensor],
    temperature: float = 0.5,
    form: str = "code",
    chunk: int | None = None,
    validate: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    r"""Compute MV-DHEL: all views of a sample alike, and spread out in each view by itself.

    .. math:: -\frac1n \sum_i \log \frac{\sum_{l < m} f(z^l_i, z^m_i)}
        {\prod_l \sum_{j \ne i} f(z^l_i, z^l_j)}

    Negatives come from the anchor's own view. The product makes it grow like V log n, so its value
    is no measure beside other losses'.

    Args:
        views: at least two matrices (n, d), n at least 2; row i of all is sample i.
        temperature: τ > 0.
        form: ``"code"``, as above, as its authors compute it; ``"printed"`` counts both orders of a
            pair, and each row also as a negative of its own.
        chunk: rows held at once; changes memory, never the value.
        validate, reduction: as in :func:`info_nce`.

    Returns:
        The loss, a scalar.

    Example:
        >>> mv_dhel([torch.eye(4)] * 2, temperature=1.0)  # 2 log 3 − 1
        tensor(1.1972)
    """
    a = _units(views, temperature, form, validate)
    _check_rows(a[0])
    orders, skip = (2, ()) if form == "printed" else (1, (0,))
    positive = log_add([*_pairwise(a, temperature)] * orders)
    # a sum of logarithms: the product itself overflows at a small τ
    log_negatives = torch.stack(_own_view(a, temperature, skip, chunk)).sum(0)
    return reduced(log_negatives - positive, reduction)


# ------------------------------------------------------------------ what they share


def _columns(z1: Tensor, z2: Tensor, validate: bool | None) -> tuple[Tensor, Tensor]:
    """Both views as they are, at least in float32: their columns have statistics."""
    check_views(1.0, validate, z1=z1, z2=z2)
    _check_rows(z1)
    dtype = torch.promote_types(z1.dtype, torch.float32)
    return z1.to(dtype), z2.to(dtype)


def _check_rows(z: Tensor) -> None:
    if len(z) < 2:
        raise ValueError(f"this loss is not defined for fewer than two rows; got {len(z)}.")


def _off_diagonal(C: Tensor) -> Tensor:
    """C with zeros on its diagonal."""
    return C - C.diagonal().diag()


def _units(
    views: Sequence[Tensor], temperature: float, form: str, validate: bool | None
) -> list[Tensor]:
    """The views' unit rows."""
    check_choice("form", form, MULTI_VIEW_FORMS)
    if not isinstance(views, Sequence) or len(views) < 2:
        got = len(views) if isinstance(views, Sequence) else type(views).__name__
        raise ValueError(f"views must be a list of at least two matrices; got {got}.")
    check_views(temperature, validate, **{f"views[{v}]": z for v, z in enumerate(views)})
    return [unit(z) for z in views]


def _pairwise(a: Sequence[Tensor], temperature: float) -> list[Tensor]:
    """log f between each two views of a sample: for each unordered pair (n,)."""
    return [row_dot(first, second) / temperature for first, second in combinations(a, 2)]


def _own_view(
    a: Sequence[Tensor], temperature: float, skip: tuple[int, ...], chunk: int | None
) -> list[Tensor]:
    """log Σ_j f between the rows of each view: for each view (n,)."""
    return [row_logsumexp(rows / temperature, rows, skip, chunk) for rows in a]
