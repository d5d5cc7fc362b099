"""Points on spheres and the vanilla loss L_1 (Eq. 3) on them: the false-negative lemma (3.1)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from herocon_lite.similarity import unit

# ------------------------------------------------------------------ where points stand


def simplex(n: int, size: int | None = None) -> Tensor:
    """Return n unit vectors (n, size) with all cosines −1/(n − 1).

    Args:
        n: number of points, at least 2.
        size: number of coordinates, at least n − 1; default n.

    >>> points = simplex(3)
    >>> round((points @ points.T)[0, 1].item(), 6)
    -0.5
    """
    size = n if size is None else size
    if n < 2 or size < n - 1:
        raise ValueError(f"a simplex of {n} points needs 2 points and {n - 1} sizes; got {size}.")
    rows = torch.eye(n, dtype=torch.float64) - 1 / n
    # The rows span n − 1 dimensions: turn them into the first n − 1 coordinates.
    left, scale, _ = torch.linalg.svd(rows)
    rows = left[:, : n - 1] * scale[: n - 1]
    return F.pad(unit(rows), (0, size - n + 1))


def collapsed(classes: int, per_class: int, size: int | None = None) -> Tensor:
    """Return each class in one point, the points a simplex: (classes · per_class, size).

    >>> collapsed(2, 3).shape
    torch.Size([6, 6])
    """
    size = classes * per_class if size is None else size
    return simplex(classes, size).repeat_interleave(per_class, 0)


def doubled(n: int) -> Tensor:
    """Return a simplex of n − 1 points with the first one taken twice: (n, n).

    >>> points = doubled(4)
    >>> round((points[0] @ points[1]).item(), 6)
    1.0
    """
    points = simplex(n - 1, n)
    return torch.cat([points[:1], points])


# ------------------------------------------------------------------ L_1 and its gradient


def inner_loss(z: Tensor, w: Tensor, temperature: float = 1.0) -> Tensor:
    """Return L_1 with plain inner products, as in the paper's proof: nothing is normalised.

    Args:
        z: (…, n, d), view 1, the anchors.
        w: (…, n, d), view 2.
        temperature: τ.

    Returns:
        (…), one loss for each batch.

    >>> points = simplex(4)
    >>> abs(inner_loss(points, points).item() - floor(4)) < 1e-12
    True
    """
    scores = z @ w.mT / temperature
    return (scores.logsumexp(-1) - scores.diagonal(dim1=-2, dim2=-1)).mean(-1)


def full_gradient(z: Tensor, w: Tensor, temperature: float = 1.0) -> Tensor:
    """Return ∂L_1/∂w (n, d): (Σ_m P_mi z_m − z_i)/(nτ).

    >>> full_gradient(torch.ones(3, 2), torch.ones(3, 2)).abs().max().item() < 1e-7
    True
    """
    P = (z @ w.T / temperature).softmax(1)
    return (P.T @ z - z) / (len(z) * temperature)


def partial_gradient(z: Tensor, w: Tensor, temperature: float = 1.0) -> Tensor:
    """Return what the paper's proof has in its place: −(1 − P_ii) z_i/(nτ), anchor i's term alone.

    >>> partial_gradient(torch.ones(2, 1), torch.ones(2, 1)).tolist()
    [[-0.25], [-0.25]]
    """
    P = (z @ w.T / temperature).softmax(1)
    return -(1 - P.diagonal())[:, None] * z / (len(z) * temperature)


def tangent(gradient: Tensor, points: Tensor) -> Tensor:
    """Return the part of a gradient (n, d) along the sphere at unit points (n, d).

    >>> tangent(torch.tensor([[2.0, 3.0]]), torch.tensor([[1.0, 0.0]])).tolist()
    [[0.0, 3.0]]
    """
    return gradient - (gradient * points).sum(1, keepdim=True) * points


def hessian_eigenvalues(points: Tensor, temperature: float = 1.0) -> Tensor:
    """Return the eigenvalues, ascending, of the Hessian of L_1 on the sphere at z = w = points.

    Each point has d − 1 directions along the sphere, so there are 2n(d − 1) of them. At a
    stationary point this is the intrinsic Hessian.

    >>> bool(hessian_eigenvalues(simplex(3))[0] > -1e-9)  # a minimum
    True
    """
    n, d = points.shape
    # an orthonormal basis (n, d − 1, d) of what is orthogonal to each point
    basis = torch.linalg.svd(points[:, None, :]).Vh[:, 1:]

    def loss(moves: Tensor) -> Tensor:
        moves = moves.view(2, n, d - 1)
        z, w = (unit(points + torch.einsum("nk,nkd->nd", move, basis)) for move in moves)
        return inner_loss(z, w, temperature)

    start = torch.zeros(2 * n * (d - 1), dtype=points.dtype)
    return torch.linalg.eigvalsh(torch.autograd.functional.hessian(loss, start))


def descend(
    loss: Callable[[Tensor, Tensor], Tensor],
    z: Tensor,
    w: Tensor,
    steps: int,
    lr: float,
) -> tuple[Tensor, Tensor, list[float]]:
    """Run gradient descent along the sphere.

    Args:
        loss: a function of the two views.
        z: (n, d), unit rows, view 1.
        w: (n, d), unit rows, view 2.
        steps: number of steps.
        lr: length of a step over that of the gradient.

    Returns:
        Both views at the end, and the loss before every step.

    >>> start = simplex(3)
    >>> z, w, losses = descend(inner_loss, start, start.roll(1, 0), steps=50, lr=1.0)
    >>> losses[0] > losses[-1]
    True
    """
    history = []
    for _ in range(steps):
        z, w = z.detach().requires_grad_(), w.detach().requires_grad_()
        value = loss(z, w)
        slopes = torch.autograd.grad(value, (z, w))
        history.append(value.item())
        with torch.no_grad():
            z, w = (unit(x - lr * tangent(s, x)) for x, s in zip((z, w), slopes, strict=True))
    return z.detach(), w.detach(), history


def minimise(
    loss: Callable[[Tensor, Tensor], Tensor],
    z: Tensor,
    w: Tensor,
    iterations: int = 2000,
) -> tuple[Tensor, Tensor, float]:
    """Minimise a loss over unit rows with L-BFGS, down to rounding where it converges.

    Args:
        loss: a function of the two views, given unit rows.
        z: (n, d), start of view 1; rows are normalised.
        w: (n, d), start of view 2.
        iterations: at most so many.

    Returns:
        Both views and the value.

    >>> start = torch.randn(2, 4, 3, dtype=torch.float64)
    >>> z, w, value = minimise(inner_loss, *start)
    >>> abs(value - floor(4)) < 1e-10
    True
    """
    from scipy import optimize  # slow to import, and only needed here

    shape = (2, *z.shape)

    def value_and_slope(numbers: np.ndarray) -> tuple[float, np.ndarray]:
        rows = torch.from_numpy(numbers).view(shape).requires_grad_()
        with torch.enable_grad():
            value = loss(unit(rows[0]), unit(rows[1]))
        (slope,) = torch.autograd.grad(value, rows)
        return value.item(), slope.flatten().numpy()

    start = torch.stack([unit(z), unit(w)]).detach().double().flatten().numpy()
    options = {"maxiter": iterations, "maxfun": 2 * iterations, "ftol": 0.0, "gtol": 1e-12}
    found = optimize.minimize(value_and_slope, start, jac=True, method="L-BFGS-B", options=options)
    z, w = (unit(view) for view in torch.from_numpy(found.x).view(shape))
    return z, w, float(found.fun)


# ------------------------------------------------------------------ closed forms


def floor(n: int, temperature: float = 1.0) -> float:
    """Return the least value of L_1 for n samples: log(1 + (n − 1) e^{−n/((n−1)τ)}).

    >>> round(floor(4), 4)
    0.5827
    """
    return math.log1p((n - 1) * math.exp(-n / ((n - 1) * temperature)))


def collapsed_loss(classes: int, per_class: int, temperature: float = 1.0) -> float:
    """Return L_1 of :func:`collapsed`: log(m + (n − m) e^{−K/((K−1)τ)}).

    >>> round(collapsed_loss(2, 2), 4)
    0.8201
    """
    K, m = classes, per_class
    return math.log(m + (K - 1) * m * math.exp(-K / ((K - 1) * temperature)))


def one_pair_loss(n: int, temperature: float = 1.0) -> float:
    """Return L_1 of :func:`doubled`, where one pair coincides; n ≥ 3.

    >>> round(one_pair_loss(16) - floor(16), 4)
    0.0087
    """
    q = math.exp(-(n - 1) / ((n - 2) * temperature))
    return (2 * math.log(2 + (n - 2) * q) + (n - 2) * math.log1p((n - 1) * q)) / n


def curvature(classes: int, per_class: int, temperature: float = 1.0, inside: float = 0.0) -> float:
    """Return the second derivative of L_1 at :func:`collapsed` when two points of a class part.

    Both views of one point move by +u, both of another by −u, u orthogonal to the class's point.
    The unit of length is that of the whole move, so this is a Rayleigh quotient of the Hessian.

    Args:
        classes: number of classes, K.
        per_class: samples of each.
        temperature: τ.
        inside: squared length of the part of u that lies in the span of the class points.

    >>> round(curvature(2, 2), 3)
    -0.19
    """
    K, m = classes, per_class
    x = K / ((K - 1) * temperature)
    q = math.exp(-x)
    return -(1 - q - inside * x * q) / (K * temperature * m * (1 + (K - 1) * q))


def definition_1(cosine: float, temperature: float) -> float:
    """Return the quantity of the paper's Definition 1, e^{z·z'/τ}, for unit vectors.

    >>> definition_1(0.0, 0.1)
    1.0
    """
    return math.exp(cosine / temperature)
