"""What the weights g of Eq. 5 do to the pushes of an anchor, and to pairs of samples."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from herocon_lite import losses, models
from herocon_lite.similarity import cosines, hamming, unit


def weights(a: Tensor, b: Tensor, H: Callable[[Tensor], Tensor]) -> Tensor:
    """Return g(a_i, b_k) of Eq. 5 for all pairs: (n, m).

    >>> a = torch.eye(2, dtype=torch.float64)
    >>> weights(a, a, lambda z: z).round(decimals=3).tolist()  # 1 for equal rows, e for orthogonal
    [[1.0, 2.718], [2.718, 1.0]]
    """
    left = (1 - cosines(unit(a), unit(H(b)))).exp()
    right = (1 - cosines(unit(H(a)), unit(b))).exp()
    return (left + right) / 2


def weighted_shares(P: Tensor, g: Tensor) -> Tensor:
    """Return the shares of the weighted softmax, g P / E_P[g].

    Args:
        P: (n, m), vanilla's shares.
        g: (n, m), weights; 1 at the positive.

    >>> weighted_shares(torch.tensor([[0.5, 0.5]]), torch.tensor([[1.0, 3.0]])).tolist()
    [[0.25, 0.75]]
    """
    return g * P / (g * P).sum(1, keepdim=True)


def hotter(temperature: float) -> float:
    """Return the temperature that H = identity amounts to when views agree: τ/(1 − τ).

    >>> hotter(0.5), hotter(1.0)
    (1.0, inf)
    """
    return temperature / (1 - temperature) if temperature < 1 else math.inf


def anchor_forces(
    temperature: float, false: int = 1, true: int = 10, near: float = 0.9, far: float = -0.2
) -> dict[str, tuple[float, float, float]]:
    """Return the forces on one anchor's partners for H = identity, by autograd.

    Args:
        temperature: τ.
        false: number of false negatives, at cosine ``near``.
        true: number of true negatives, at cosine ``far``.
        near: cosine of the anchor and a false negative.
        far: cosine of the anchor and a true negative.

    Returns:
        For ``"vanilla"``, ``"detached"`` and ``"flowing"``: push on one false negative, push on
        one true negative, pull on the positive, as derivatives with respect to the cosine.

    >>> forces = anchor_forces(1.0)
    >>> [round(force[0], 2) for force in forces.values()]
    [0.18, 0.08, 0.0]
    """
    forces = {}
    for mode in ("vanilla", "detached", "flowing"):
        cosine = torch.tensor([1.0] + [near] * false + [far] * true, dtype=torch.float64)
        cosine.requires_grad_()
        log_g = 1 - (cosine.detach() if mode == "detached" else cosine)
        log_g = log_g * (0.0 if mode == "vanilla" else 1.0)
        log_g = torch.cat([log_g.new_zeros(1), log_g[1:]])  # the positive is not weighted
        loss = (cosine / temperature + log_g).logsumexp(0) - cosine[0] / temperature
        (slope,) = torch.autograd.grad(loss, cosine)
        forces[mode] = (slope[1].item(), slope[-1].item(), -slope[0].item())
    return forces


# ------------------------------------------------------------------ pairs of labelled samples


def pair_statistics(
    z: Tensor, w: Tensor, g: Tensor, labels: Tensor, temperature: float = 1.0
) -> dict[str, float]:
    """Measure what g does to pairs with identical and with disjoint label vectors.

    Args:
        z: (n, d), view 1.
        w: (n, d), view 2.
        g: (n, n), from :func:`weights`.
        labels: (n, c), 0/1.
        temperature: τ of the pushes.

    Returns:
        Means of g and of the cosine over ``identical`` and ``disjoint`` pairs and over
        ``positive`` ones; ``correlation`` of g and cosine over pairs of different rows; and the
        share of the push that falls on rows with the identical label vector, for g = 1
        (``share``), with g (``weighted_share``), and if all were pushed alike (``even_share``).

    >>> z, labels = torch.eye(3), torch.tensor([[1, 0], [1, 0], [0, 1]])
    >>> found = pair_statistics(z, z, torch.rand(3, 3), labels)
    >>> found["cos_positive"], found["even_share"]
    (1.0, 0.5)
    """
    labels = labels.to(z.dtype)
    off = ~torch.eye(len(z), dtype=torch.bool)
    identical = (hamming(labels) == 0) & off
    disjoint = (labels @ labels.T == 0) & off & ~identical
    cosine = cosines(unit(z), unit(w))
    groups = {"identical": identical, "disjoint": disjoint, "positive": ~off}
    found = {f"g_{name}": g[pairs].mean().item() for name, pairs in groups.items()}
    found |= {f"cos_{name}": cosine[pairs].mean().item() for name, pairs in groups.items()}
    found["correlation"] = torch.corrcoef(torch.stack([g[off], cosine[off]]))[0, 1].item()
    f = (cosine / temperature).exp()
    pushes = {"even_share": torch.ones_like(f), "share": f, "weighted_share": g * f}
    some = identical.any(1)  # the others have no false negative
    for name, push in pushes.items():
        push = push * off
        found[name] = ((push * identical).sum(1) / push.sum(1))[some].mean().item()
    return found


def fit_weight_net(
    z: Tensor, w: Tensor, labels: Tensor, temperature: float = 1.0, steps: int = 300
) -> list[dict[str, float]]:
    """Train H alone on Eq. 5 for fixed representations.

    Args:
        z: (n, d), unit rows, view 1.
        w: (n, d), unit rows, view 2.
        labels: (n, c), 0/1, for the statistics only.
        temperature: τ.
        steps: of Adam.

    Returns:
        :func:`pair_statistics` before and after.

    >>> z = unit(torch.randn(8, 4))
    >>> before, after = fit_weight_net(z, z, torch.eye(2).repeat(4, 1), steps=20)
    >>> after["g_disjoint"] < before["g_disjoint"]
    True
    """
    torch.manual_seed(0)
    H = models.weight_net(z.shape[1]).to(z)
    optimizer = torch.optim.Adam(H.parameters(), lr=0.01)
    found = []
    for step in range(steps + 1):
        if step in (0, steps):
            with torch.no_grad():
                g = weights(z, w, H)
            found.append(pair_statistics(z, w, g, labels, temperature))
        loss = losses.weighted_unsupervised(z, w, H, temperature)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return found
