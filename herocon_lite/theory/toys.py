"""Toys that are trained until they rest: what each contrastive loss leaves of the classes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from herocon_lite import losses, models
from herocon_lite.similarity import cosines, unit
from herocon_lite.theory.gaussians import gaussian_correlation
from herocon_lite.theory.spheres import simplex
from herocon_lite.theory.weighting import weights

KINDS = {
    "vanilla": "NT-Xent, no weights",
    "identity": "g with H = identity, its gradient flows",
    "identity, detached": "g with H = identity, as a constant",
    "learned": "g with a learned sigmoid layer H, its gradient flows",
    "learned, detached": "the same, but z gets no gradient through g",
    "DCL": "debiased contrastive loss, told the true share of false negatives",
    "HCL": "hard-negative loss, beta = 1, told the same",
    "oracle": "false negatives taken out by their labels",
}

# ------------------------------------------------------------------ free points on a sphere


def sphere_loss(
    a: Tensor,
    temperature: Tensor,
    kind: str,
    layer: tuple[Tensor, Tensor] | None = None,
    prior: float = 0.0,
    same: Tensor | None = None,
) -> Tensor:
    """Return the loss ``kind`` with both views as anchors and as negatives, for many toys at once.

    Dense on purpose: the toys are tiny, and hundreds of them fit in one tensor. The tests check
    that it equals ``losses.nt_xent``, ``over_pairs(weighted_unsupervised)``, ``debiased`` and
    ``hard_negative``.

    Args:
        a: (toys, 2n, d), unit rows, view 1 then view 2.
        temperature: (toys,), τ.
        kind: one of :data:`KINDS`.
        layer: weights (toys, d, d) and biases (toys, d) of H, for the learned kinds.
        prior: τ⁺ of DCL and HCL.
        same: (2n, 2n), True for rows of one class, for the oracle.

    Returns:
        (toys,)

    >>> points = simplex(4).repeat_interleave(2, 0)[None, [0, 2, 4, 6, 1, 3, 5, 7]]
    >>> value = sphere_loss(points, torch.tensor([1.0]), "vanilla")
    >>> abs(value.item() - math.log1p(6 * math.exp(-4 / 3))) < 1e-12
    True
    """
    rows = a.shape[1]
    n, numbers = rows // 2, torch.arange(rows)
    inverse = 1 / temperature[:, None, None]
    cosine = a @ a.mT
    scores = cosine * inverse
    positive = scores[:, numbers, numbers.roll(n)]
    hidden = torch.eye(rows, dtype=torch.bool)
    hidden = hidden | hidden.roll(n, 0)  # oneself and one's other view
    if kind == "oracle":
        hidden = hidden | same
    log_g = _log_weights(a, cosine, kind, layer)
    negatives = (scores + log_g).masked_fill(hidden, -math.inf)
    if kind in ("DCL", "HCL"):
        log_sum = _debiased_log_sum(negatives, positive, inverse[:, :, 0], prior, kind == "HCL")
    else:
        log_sum = negatives.logsumexp(2)
    return F.softplus(log_sum - positive, threshold=40).mean(1)


def _log_weights(
    a: Tensor, cosine: Tensor, kind: str, layer: tuple[Tensor, Tensor] | None
) -> Tensor:
    """log g of all pairs, (toys, 2n, 2n); 0 for the kinds without weights."""
    if kind.startswith("identity"):
        return 1 - (cosine.detach() if "detached" in kind else cosine)
    if not kind.startswith("learned"):
        return torch.zeros_like(cosine)
    z = a.detach() if "detached" in kind else a
    h = F.normalize(torch.sigmoid(z @ layer[0].mT + layer[1][:, None]), dim=2)
    half = (1 - z @ h.mT).exp()
    return ((half + half.mT) / 2).log()


def _debiased_log_sum(
    negatives: Tensor, positive: Tensor, inverse: Tensor, prior: float, hard: bool
) -> Tensor:
    """log of the negatives' sum as DCL corrects it, or HCL (``hard``, β = 1): (toys, 2n)."""
    log_sum = negatives.logsumexp(2)
    log_n = math.log(negatives.shape[1] - 2)
    if hard:
        log_sum = (2 * negatives).logsumexp(2) - log_sum + log_n
    excess = math.log(prior) + log_n + positive - log_sum if prior else log_sum - math.inf
    excess = excess.clamp_max(-torch.finfo(negatives.dtype).eps)
    log_sum = log_sum + torch.log1p(-excess.exp()) - math.log1p(-prior)
    return torch.maximum(log_sum, log_n - inverse)


def equilibrium(
    kind: str,
    per_class: int,
    taus: Sequence[float],
    seeds: Sequence[int] = (0,),
    classes: int = 2,
    alike: float | None = None,
    pull: float = 1.0,
    prior: float | None = None,
    steps: int = 1500,
    size: int = 16,
) -> dict[str, Tensor]:
    """Train free points on a sphere until they rest between a contrastive loss and their classes.

    Each point is drawn to its class's mean with strength ``pull``, which stands in for L_c. Without
    false negatives it would stay there.

    Args:
        kind: one of :data:`KINDS`.
        per_class: points of each class; per_class − 1 are false negatives of each other one.
        taus: temperatures, one toy for each and each seed.
        seeds: of the starts.
        classes: number of classes.
        alike: cosine of different class means; default: they form a simplex.
        pull: strength of the pull to the class mean.
        prior: τ⁺ of DCL and HCL; default: the true share of false negatives.
        steps: of Adam.
        size: number of coordinates.

    Returns:
        Mean cosines (taus, seeds) at the end: ``positive`` (a point's two views), ``same`` (other
        points of the class), ``different``.

    >>> rest = equilibrium("oracle", 2, [0.5], steps=200)
    >>> rest["same"].item() > 0.99
    True
    """
    n = classes * per_class
    y = torch.arange(classes).repeat_interleave(per_class).repeat(2)
    target = _class_means(classes, size, alike)[y]
    points, layer = _starts(target, seeds)
    temperature = torch.tensor(taus, dtype=torch.float64).repeat_interleave(len(seeds))
    points = points.repeat(len(taus), 1, 1).requires_grad_()
    layer = layer.repeat(len(taus), 1, 1).requires_grad_()
    same = y[:, None] == y
    if prior is None:
        prior = (per_class - 1) / (n - 1)
    optimizer = torch.optim.Adam([points, layer], lr=0.02)
    for _ in range(steps):
        a = F.normalize(points, dim=2)
        loss = sphere_loss(a, temperature, kind, (layer[:, :, :-1], layer[:, :, -1]), prior, same)
        loss = loss + pull * (1 - (a * target).sum(2)).mean(1)
        optimizer.zero_grad()
        loss.sum().backward()  # toys share nothing, so the sum trains each alone
        optimizer.step()
    a = F.normalize(points.detach(), dim=2)
    cosine = (a @ a.mT).view(len(taus), len(seeds), 2 * n, 2 * n)
    return _mean_cosines(cosine, same)


def _class_means(classes: int, size: int, alike: float | None) -> Tensor:
    """Unit vectors (classes, size) with all cosines ``alike``, or a simplex."""
    if alike is None:
        return simplex(classes, size)
    axes = torch.eye(classes + 1, size, dtype=torch.float64)
    return math.sqrt(alike) * axes[:1] + math.sqrt(1 - alike) * axes[1:]


def _starts(target: Tensor, seeds: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Points (seeds, 2n, d) near their targets, and weights and biases (seeds, d, d + 1) of H."""
    size = target.shape[1]
    points, layers = [], []
    for seed in seeds:
        random = torch.Generator().manual_seed(seed)
        noise = torch.randn(target.shape, generator=random, dtype=torch.float64)
        points.append(target + 0.05 * noise)
        layer = torch.rand(size, size + 1, generator=random, dtype=torch.float64)
        layers.append((2 * layer - 1) / math.sqrt(size))  # as torch.nn.Linear starts
    return torch.stack(points), torch.stack(layers)


def _mean_cosines(cosine: Tensor, same: Tensor) -> dict[str, Tensor]:
    """Means of (taus, seeds, 2n, 2n) over the kinds of pairs; ``same`` only where there are any."""
    itself = torch.eye(len(same), dtype=torch.bool)
    partner = itself.roll(len(same) // 2, 0)
    parts = {"positive": partner, "different": ~same, "same": same & ~itself & ~partner}
    return {name: cosine[:, :, part].mean(2) for name, part in parts.items() if part.any()}


# ------------------------------------------------------------------ encoders and H together


def joint_training(
    information: float,
    mode: str,
    seed: int = 0,
    temperature: float = 1.0,
    steps: int = 500,
    batch: int = 256,
    size: int = 10,
    bias: bool = True,
) -> dict[str, float]:
    """Train two affine encoders and H together on Eq. 5 alone, on correlated Gaussians.

    Args:
        information: mutual information of the two views, nats.
        mode: ``"vanilla"`` (g ≡ 1), ``"flowing"`` or ``"detached"``.
        seed: of the data and the starts.
        temperature: τ.
        steps: of Adam.
        batch: fresh pairs in each step.
        size: coordinates of a view.
        bias: of the encoders; without one z and −z are equally likely.

    Returns:
        On fresh data: ``g`` (mean over pairs of different samples), cosines ``positive`` and
        ``negative``, and ``contrast``, the Info-NCE estimate log n − L_1 in nats: a lower bound
        of what the encoders kept of the information, at τ = 1 never above one nat.

    >>> found = joint_training(2.0, "vanilla", steps=20, batch=32)
    >>> found["contrast"] < 1
    True
    """
    rho = gaussian_correlation(size, information)
    random = torch.Generator().manual_seed(seed)

    def draw() -> tuple[Tensor, Tensor]:
        x, noise = torch.randn(2, batch, size, generator=random)
        return x, rho * x + math.sqrt(1 - rho**2) * noise

    torch.manual_seed(seed)
    first, second = (torch.nn.Linear(size, 16, bias) for _ in range(2))
    H = models.weight_net(16)
    nets = torch.nn.ModuleList([first, second, H])
    optimizer = torch.optim.Adam(nets.parameters(), lr=0.01)
    options = {"H": None if mode == "vanilla" else H, "detach": mode == "detached"}
    for _ in range(steps):
        x, y = draw()
        loss = losses.weighted_unsupervised(first(x), second(y), temperature=temperature, **options)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    rounds, found = 20, []
    with torch.no_grad():
        for _ in range(rounds):
            x, y = draw()
            found.append(_joint_statistics(first(x), second(y), H, temperature))
    return {name: sum(row[name] for row in found) / rounds for name in found[0]}


def _joint_statistics(
    z: Tensor, w: Tensor, H: torch.nn.Module, temperature: float
) -> dict[str, float]:
    off = ~torch.eye(len(z), dtype=torch.bool)
    cosine = cosines(unit(z), unit(w))
    return {
        "g": weights(z, w, H)[off].mean().item(),
        "positive": cosine.diagonal().mean().item(),
        "negative": cosine[off].mean().item(),
        "contrast": math.log(len(z)) - losses.info_nce(z, w, temperature).item(),
    }
