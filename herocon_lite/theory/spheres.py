r"""Points on spheres: the false-negative lemma (Lemma 3.1) and what the weights g do.

Closed forms for the vanilla loss L_1 (Eq. 3) on unit vectors, and toys that are trained until they
rest. ``python -m herocon_lite.theory [dial] [strangers] [joint] [scene]`` runs the longer
ones (all of them, or those named) and writes ``results/theory_weights.json``; ``scene`` needs the
data set in ``HEROCON_DATA``. The file holds aggregate numbers only.
"""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F
from torch import Tensor

from herocon_lite import losses, models
from herocon_lite.checkpoint import atomic_write
from herocon_lite.similarity import cosines, hamming, unit
from herocon_lite.theory.information import gaussian_correlation

if TYPE_CHECKING:
    from herocon_lite.data import Dataset
    from herocon_lite.repro.settings import Run

STORE = Path("results/theory_weights.json")
DIGITS = 4  # decimals kept in the store

# ------------------------------------------------------------------ where points stand


def simplex(n: int, size: int | None = None) -> Tensor:
    """n unit vectors (n, size) with all cosines −1/(n − 1); size n unless said, at least n − 1."""
    size = n if size is None else size
    if n < 2 or size < n - 1:
        raise ValueError(f"a simplex of {n} points needs 2 points and {n - 1} sizes; got {size}.")
    rows = torch.eye(n, dtype=torch.float64) - 1 / n
    # The rows span n − 1 dimensions: turn them into the first n − 1 coordinates.
    left, scale, _ = torch.linalg.svd(rows)
    rows = left[:, : n - 1] * scale[: n - 1]
    return F.pad(unit(rows), (0, size - n + 1))


def collapsed(classes: int, per_class: int, size: int | None = None) -> Tensor:
    """Each class in one point, the points a simplex: (classes · per_class, size)."""
    size = classes * per_class if size is None else size
    return simplex(classes, size).repeat_interleave(per_class, 0)


def doubled(n: int) -> Tensor:
    """A simplex of n − 1 points with the first one taken twice: (n, n), one false-negative pair."""
    points = simplex(n - 1, n)
    return torch.cat([points[:1], points])


# ------------------------------------------------------------------ L_1 and its gradient


def inner_loss(z: Tensor, w: Tensor, tau: float) -> Tensor:
    """L_1 with plain inner products, as in the paper's proof: nothing is normalised.

    Args:
        z, w: (n, d), view 1 and view 2.
    """
    scores = z @ w.T / tau
    return (scores.logsumexp(1) - scores.diagonal()).mean()


def full_gradient(z: Tensor, w: Tensor, tau: float) -> Tensor:
    """∂L_1/∂w (n, d): (Σ_m P_mi z_m − z_i)/(nτ)."""
    P = (z @ w.T / tau).softmax(1)
    return (P.T @ z - z) / (len(z) * tau)


def partial_gradient(z: Tensor, w: Tensor, tau: float) -> Tensor:
    """What the paper's proof has in its place: −(1 − P_ii) z_i/(nτ), anchor i's own term alone."""
    P = (z @ w.T / tau).softmax(1)
    return -(1 - P.diagonal())[:, None] * z / (len(z) * tau)


def tangent(gradient: Tensor, points: Tensor) -> Tensor:
    """The part of a gradient (n, d) along the sphere at unit points (n, d)."""
    return gradient - (gradient * points).sum(1, keepdim=True) * points


def hessian_eigenvalues(points: Tensor, tau: float) -> Tensor:
    """Eigenvalues, ascending, of the Hessian of L_1 on the sphere, both views at ``points``.

    Each point has d − 1 directions along the sphere, so there are 2n(d − 1) of them. At a
    stationary point this is the intrinsic Hessian.
    """
    n, d = points.shape
    # an orthonormal basis (n, d − 1, d) of what is orthogonal to each point
    basis = torch.linalg.svd(points[:, None, :]).Vh[:, 1:]

    def loss(moves: Tensor) -> Tensor:
        moves = moves.view(2, n, d - 1)
        z, w = (unit(points + torch.einsum("nk,nkd->nd", move, basis)) for move in moves)
        return inner_loss(z, w, tau)

    start = torch.zeros(2 * n * (d - 1), dtype=points.dtype)
    return torch.linalg.eigvalsh(torch.autograd.functional.hessian(loss, start))


def floor(n: int, tau: float) -> float:
    """The least value of L_1 for n samples on a sphere: log(1 + (n − 1) e^{−n/((n−1)τ)})."""
    return math.log1p((n - 1) * math.exp(-n / ((n - 1) * tau)))


def collapsed_loss(classes: int, per_class: int, tau: float) -> float:
    """L_1 of :func:`collapsed`: log(m + (n − m) e^{−K/((K−1)τ)})."""
    K, m = classes, per_class
    return math.log(m + (K - 1) * m * math.exp(-K / ((K - 1) * tau)))


def one_pair_loss(n: int, tau: float) -> float:
    """L_1 of :func:`doubled`, where one pair coincides; n ≥ 3."""
    q = math.exp(-(n - 1) / ((n - 2) * tau))
    return (2 * math.log(2 + (n - 2) * q) + (n - 2) * math.log1p((n - 1) * q)) / n


def curvature(classes: int, per_class: int, tau: float, inside: float = 0.0) -> float:
    """Second derivative of L_1 at :func:`collapsed` when two points of a class part.

    Both views of one point move by +u, both of another by −u, u orthogonal to the class's point.
    The unit of length is that of the whole move, so this is a Rayleigh quotient of the Hessian.

    Args:
        inside: squared length of the part of u that lies in the span of the class points.
    """
    K, m = classes, per_class
    x = K / ((K - 1) * tau)
    q = math.exp(-x)
    return -(1 - q - inside * x * q) / (K * tau * m * (1 + (K - 1) * q))


def definition_1(cosine: float, tau: float) -> float:
    """The quantity of the paper's Definition 1, e^{z·z'/τ}, for unit vectors."""
    return math.exp(cosine / tau)


def descend(
    loss: Callable[[Tensor, Tensor], Tensor],
    z: Tensor,
    w: Tensor,
    steps: int,
    lr: float,
) -> tuple[Tensor, Tensor, list[float]]:
    """Gradient descent along the sphere. Returns both views and the loss before every step."""
    history = []
    for _ in range(steps):
        z, w = z.detach().requires_grad_(), w.detach().requires_grad_()
        value = loss(z, w)
        slopes = torch.autograd.grad(value, (z, w))
        history.append(value.item())
        with torch.no_grad():
            z, w = (unit(x - lr * tangent(s, x)) for x, s in zip((z, w), slopes, strict=True))
    return z.detach(), w.detach(), history


# ------------------------------------------------------------------ weights


def weights(a: Tensor, b: Tensor, H: Callable[[Tensor], Tensor]) -> Tensor:
    """g(a_i, b_k) of Eq. 5 for all pairs: (n, m)."""
    left = (1 - cosines(unit(a), unit(H(b)))).exp()
    right = (1 - cosines(unit(H(a)), unit(b))).exp()
    return (left + right) / 2


def weighted_shares(P: Tensor, g: Tensor) -> Tensor:
    """Shares of the weighted softmax, g P / E_P[g]; the positive's weight in g must be 1."""
    return g * P / (g * P).sum(1, keepdim=True)


def hotter(tau: float) -> float:
    """The temperature that H = identity amounts to when views agree: τ/(1 − τ)."""
    return tau / (1 - tau) if tau < 1 else math.inf


def anchor_forces(
    tau: float, false: int = 1, true: int = 10, near: float = 0.9, far: float = -0.2
) -> dict[str, tuple[float, float, float]]:
    """One anchor, H = identity: push on one false negative, on one true one, pull on the positive.

    Forces are derivatives with respect to the cosine, as autograd has them.

    Args:
        false, true: how many negatives of each kind, at cosine ``near`` and ``far``.
    """
    forces = {}
    for mode in ("vanilla", "detached", "flowing"):
        cosine = torch.tensor([1.0] + [near] * false + [far] * true, dtype=torch.float64)
        cosine.requires_grad_()
        log_g = 1 - (cosine.detach() if mode == "detached" else cosine)
        log_g = log_g * (0.0 if mode == "vanilla" else 1.0)
        log_g = torch.cat([log_g.new_zeros(1), log_g[1:]])  # the positive is not weighted
        loss = (cosine / tau + log_g).logsumexp(0) - cosine[0] / tau
        (slope,) = torch.autograd.grad(loss, cosine)
        forces[mode] = (slope[1].item(), slope[-1].item(), -slope[0].item())
    return forces


def fit_weight_net(
    z: Tensor, w: Tensor, labels: Tensor, tau: float = 1.0, steps: int = 300
) -> list[dict[str, float]]:
    """Trains H alone on Eq. 5 for fixed representations: statistics before and after.

    Args:
        z, w: (n, d), unit rows, the two views. labels: (n, c), 0/1.

    Returns:
        Two times :func:`pair_statistics`.
    """
    torch.manual_seed(0)
    H = models.weight_net(z.shape[1]).to(z)
    optimizer = torch.optim.Adam(H.parameters(), lr=0.01)
    found = []
    for step in range(steps + 1):
        if step in (0, steps):
            with torch.no_grad():
                found.append(pair_statistics(z, w, weights(z, w, H), labels, tau))
        loss = losses.weighted_unsupervised(z, w, H, tau)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return found


# ------------------------------------------------------------------ toys that come to rest

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


def sphere_loss(
    a: Tensor,
    tau: Tensor,
    kind: str,
    layer: tuple[Tensor, Tensor] | None = None,
    prior: float = 0.0,
    same: Tensor | None = None,
) -> Tensor:
    """The loss ``kind`` with both views as anchors and as negatives, for many toys at once.

    Dense on purpose: the toys are tiny, and hundreds of them fit in one tensor. The tests see that
    it equals ``losses.nt_xent``, ``over_pairs(weighted_unsupervised)``, ``debiased`` and
    ``hard_negative``.

    Args:
        a: (toys, 2n, d), unit rows, view 1 then view 2. tau: (toys,).
        layer: weights (toys, d, d) and biases (toys, d) of H, for the learned kinds.
        prior: τ⁺ of DCL and HCL.
        same: (2n, 2n), True for rows of one class, for the oracle.

    Returns:
        (toys,)
    """
    rows = a.shape[1]
    n, numbers = rows // 2, torch.arange(rows)
    inverse = 1 / tau[:, None, None]
    cosine = a @ a.mT
    scores = cosine * inverse
    positive = scores[:, numbers, numbers.roll(n)]
    hidden = torch.eye(rows, dtype=torch.bool)
    hidden = hidden | hidden.roll(n, 0)  # oneself and one's other view
    log_g = torch.zeros_like(cosine)
    if kind == "oracle":
        hidden = hidden | same
    elif kind.startswith("identity"):
        log_g = 1 - (cosine.detach() if "detached" in kind else cosine)
    elif kind.startswith("learned"):
        z = a.detach() if "detached" in kind else a
        h = F.normalize(torch.sigmoid(z @ layer[0].mT + layer[1][:, None]), dim=2)
        half = (1 - z @ h.mT).exp()
        log_g = ((half + half.mT) / 2).log()
    negatives = (scores + log_g).masked_fill(hidden, -math.inf)
    log_sum = negatives.logsumexp(2)
    if kind in ("DCL", "HCL"):
        log_n = math.log(rows - 2)
        if kind == "HCL":  # β = 1
            log_sum = (2 * negatives).logsumexp(2) - log_sum + log_n
        excess = math.log(prior) + log_n + positive - log_sum if prior else log_sum - math.inf
        excess = excess.clamp_max(-torch.finfo(a.dtype).eps)
        log_sum = log_sum + torch.log1p(-excess.exp()) - math.log1p(-prior)
        log_sum = torch.maximum(log_sum, log_n - inverse[:, :, 0])
    return F.softplus(log_sum - positive, threshold=40).mean(1)


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
    """Trains free points on a sphere until they rest between a contrastive loss and their classes.

    Each point is drawn to its class's mean with strength ``pull``, which stands in for L_c. Without
    false negatives it would stay there.

    Args:
        kind: one of :data:`KINDS`.
        per_class: points of each class; per_class − 1 are false negatives of each other one.
        alike: cosine of different class means; unless given they form a simplex.
        prior: τ⁺ of DCL and HCL; unless given the true share of false negatives.

    Returns:
        Mean cosines (taus, seeds) at the end: ``positive`` (a point's two views), ``same`` (other
        points of the class), ``different``.
    """
    n = classes * per_class
    y = torch.arange(classes).repeat_interleave(per_class).repeat(2)
    if alike is None:
        means = simplex(classes, size)
    else:
        axes = torch.eye(classes + 1, size, dtype=torch.float64)
        means = math.sqrt(alike) * axes[:1] + math.sqrt(1 - alike) * axes[1:]
    target = means[y]
    starts, layers = [], []
    for seed in seeds:
        random = torch.Generator().manual_seed(seed)
        noise = torch.randn(2 * n, size, generator=random, dtype=torch.float64)
        starts.append(target + 0.05 * noise)
        layer = torch.rand(size, size + 1, generator=random, dtype=torch.float64)
        layers.append((2 * layer - 1) / math.sqrt(size))  # as torch.nn.Linear starts
    tau = torch.tensor(taus, dtype=torch.float64).repeat_interleave(len(seeds))
    points = torch.stack(starts).repeat(len(taus), 1, 1).requires_grad_()
    layer = torch.stack(layers).repeat(len(taus), 1, 1).requires_grad_()
    same = y[:, None] == y
    if prior is None:
        prior = (per_class - 1) / (n - 1)
    optimizer = torch.optim.Adam([points, layer], lr=0.02)
    for _ in range(steps):
        a = F.normalize(points, dim=2)
        loss = sphere_loss(a, tau, kind, (layer[:, :, :-1], layer[:, :, -1]), prior, same)
        loss = loss + pull * (1 - (a * target).sum(2)).mean(1)
        optimizer.zero_grad()
        loss.sum().backward()  # toys share nothing, so the sum trains each alone
        optimizer.step()
    a = F.normalize(points.detach(), dim=2)
    cosine = (a @ a.mT).view(len(taus), len(seeds), 2 * n, 2 * n)
    itself = torch.eye(2 * n, dtype=torch.bool)
    partner = itself.roll(n, 0)
    parts = {"positive": partner, "different": ~same}
    if per_class > 1:
        parts["same"] = same & ~itself & ~partner
    return {name: cosine[:, :, part].mean(2) for name, part in parts.items()}


def joint_training(
    information: float,
    mode: str,
    seed: int = 0,
    tau: float = 1.0,
    steps: int = 500,
    batch: int = 256,
    size: int = 10,
    bias: bool = True,
) -> dict[str, float]:
    """Two affine encoders and H trained together on Eq. 5 alone, on correlated Gaussians.

    Args:
        information: mutual information of the two views, nats.
        mode: ``"vanilla"`` (g ≡ 1), ``"flowing"`` or ``"detached"``.
        bias: of the encoders; without one z and −z are equally likely.

    Returns:
        On fresh data: ``g`` (mean over pairs of different samples), cosines ``positive`` and
        ``negative``, and ``contrast``, the Info-NCE estimate log n − L_1 in nats: a lower bound
        of what the encoders kept of the information, at τ = 1 never above one nat.
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
        loss = losses.weighted_unsupervised(first(x), second(y), temperature=tau, **options)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    totals = {"g": 0.0, "positive": 0.0, "negative": 0.0, "contrast": 0.0}
    rounds, off = 20, ~torch.eye(batch, dtype=torch.bool)
    with torch.no_grad():
        for _ in range(rounds):
            x, y = draw()
            z, w = first(x), second(y)
            cosine = cosines(unit(z), unit(w))
            totals["g"] += weights(z, w, H)[off].mean().item()
            totals["positive"] += cosine.diagonal().mean().item()
            totals["negative"] += cosine[off].mean().item()
            totals["contrast"] += math.log(batch) - losses.info_nce(z, w, tau).item()
    return {name: total / rounds for name, total in totals.items()}


# ------------------------------------------------------------------ real data


def pair_statistics(
    z: Tensor, w: Tensor, g: Tensor, labels: Tensor, tau: float = 1.0
) -> dict[str, float]:
    """What g does to pairs with identical and with disjoint label vectors.

    Args:
        z, w: (n, d), the two views. g: (n, n), from :func:`weights`. labels: (n, c), 0/1.

    Returns:
        Means of g and of the cosine over ``identical`` and ``disjoint`` pairs and over
        ``positive`` ones; ``correlation`` of g and cosine over pairs of different rows; and the
        share of the push that falls on rows with the identical label vector, for g = 1
        (``share``), with g (``weighted_share``), and if all were pushed alike (``even_share``).
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
    f = (cosine / tau).exp()
    pushes = {"even_share": torch.ones_like(f), "share": f, "weighted_share": g * f}
    some = identical.any(1)  # the others have no false negative to spare
    for name, push in pushes.items():
        push = push * off
        found[name] = ((push * identical).sum(1) / push.sum(1))[some].mean().item()
    return found


def watch_weights(
    run: Run, dataset: Dataset, checkpoints: Sequence[int], rows: int = 800, **changes
) -> dict:
    """Trains a run and looks at g on the way: :func:`pair_statistics` at each checkpoint.

    Args:
        run: of the method ``"herocon"``.
        checkpoints: numbers of steps; the last one ends the training.
        rows: how many unlabelled rows are looked at, the first ones of the split.
        changes: options of the method that differ, such as ``detach=True`` or
            ``weighted=False``, which means g = 1.

    Returns:
        ``steps``, a list of statistics with their ``step``; and ``metrics`` on the test rows.
    """
    # Here, not above: the closed forms should not wait for scikit-learn.
    from herocon_lite.methods import build
    from herocon_lite.metrics import evaluate
    from herocon_lite.repro.runner import ready
    from herocon_lite.train import predict, train

    _, prepared, parts, problem, schedule, options = ready(run, dataset)
    schedule = replace(schedule, steps=checkpoints[-1])
    torch.manual_seed(run.seed)
    method = build(run.method, problem, **options | changes)
    seen = prepared.take(parts.unlabeled[:rows], "")
    views = [torch.as_tensor(view, dtype=torch.float32) for view in seen.views]
    labels = torch.as_tensor(seen.labels)
    found = []

    @torch.no_grad()
    def look(step: int) -> None:
        # BatchNorm in training mode keeps a memory of what it saw; and views are not on a GPU.
        twin = copy.deepcopy(method).cpu()
        z = twin.contrast_space(views, twin.encoders(views))
        pairs = len(z[0]), len(z[0])
        g = torch.ones(pairs) if twin.H is None else weights(z[0], z[1], twin.H)
        found.append({"step": step} | pair_statistics(z[0], z[1], g, labels))

    def after_step(step: int, steps: int) -> bool:
        if step in checkpoints:
            look(step)
        return False

    method.train()
    if 0 in checkpoints:
        look(0)
    method.after_step = after_step
    train_views, unlabeled, test = (
        prepared.take(part, "").views for part in (parts.train, parts.unlabeled, parts.test)
    )
    train(method, train_views, prepared.labels[parts.train], unlabeled, schedule, run.seed)
    scores = predict(method, test, prepared.kind)
    return {
        "steps": found,
        "metrics": evaluate(prepared.labels[parts.test], scores, prepared.kind),
    }


# ------------------------------------------------------------------ the store

DIAL_TAUS = tuple(1 / k for k in range(1, 11))  # H = identity takes one off k
DIAL_SIZES = (2, 4, 8)  # points in each of two classes
SEEDS = (0, 1, 2)
SCENE_STEPS = (0, 10, 25, 50, 75, 100, 150, 200)


def make_dial() -> dict:
    """Same-class cosines at rest, against τ and the number of false negatives."""
    kinds = {
        kind: {
            str(m - 1): _listed(equilibrium(kind, m, DIAL_TAUS, SEEDS)["same"]) for m in DIAL_SIZES
        }
        for kind in KINDS
    }
    about = "cosine of other points of the class; by kind, false negatives, temperature, seed"
    return {"about": about, "taus": list(DIAL_TAUS), "seeds": list(SEEDS), "same": kinds}


def make_strangers() -> dict:
    """No false negatives at all: eight classes of one point, whose means resemble each other."""
    options = {"classes": 8, "alike": 0.5, "prior": 0.1}
    kinds = {
        kind: _listed(equilibrium(kind, 1, DIAL_TAUS, SEEDS, **options)["different"])
        for kind in KINDS
        if kind != "oracle"  # nothing to take out: vanilla
    }
    about = "cosine of different classes, whose means have 0.5; by kind, temperature, seed"
    return {"about": about, "taus": list(DIAL_TAUS), "seeds": list(SEEDS), "different": kinds}


def make_joint() -> dict:
    """Joint training on Gaussians at τ = 1, for little, some and much information."""
    rows = [
        {"information": nats, "mode": mode, "seed": seed}
        | _rounded(joint_training(nats, mode, seed))
        for nats in (0.5, 2.0, 6.0)
        for mode in ("vanilla", "flowing", "detached")
        for seed in SEEDS
    ]
    return {"about": "500 steps of 256 fresh pairs, temperature 1, fresh test data", "rows": rows}


def make_scene() -> dict:
    """g over training on Scene: Eq. 5 as printed, the paper's budget.

    Runs that the store already holds are kept, and each is saved as it ends.
    """
    from herocon_lite.data import load
    from herocon_lite.repro.settings import Run

    dataset = load("scene", download=False)
    about = "HeroCon, preset paper, budget paper (200 steps, all rows), the unlabelled rows' pairs"
    runs = stored().get("scene", {}).get("runs", []) if STORE.exists() else []
    content = {"about": about, "checksums": dataset.checksums, "runs": runs}
    for seed in sorted(set(SEEDS) - {run["seed"] for run in runs}):
        run = Run("scene", "herocon", seed, budget="paper", preset="paper")
        watched = watch_weights(run, dataset, SCENE_STEPS, rows=len(dataset.labels))
        metrics = {name: watched["metrics"][name] for name in ("f1", "auc")}
        steps = [_rounded(step) for step in watched["steps"]]
        runs.append({"seed": seed, "steps": steps} | _rounded(metrics))
        save("scene", content)
    return content


MAKERS = {"dial": make_dial, "strangers": make_strangers, "joint": make_joint, "scene": make_scene}


def stored(folder: Path | str = ".") -> dict:
    """What this module's command has saved, below ``folder``."""
    return json.loads((Path(folder) / STORE).read_text("utf-8"))


def make(name: str) -> None:
    """Runs one of ``MAKERS`` and stores what it found."""
    save(name, MAKERS[name]())


def save(name: str, part: dict) -> None:
    """Writes one part of the store; what is there of the others stays."""
    content = stored() if STORE.exists() else {}
    content |= {"made by": "python -m herocon_lite.theory", name: part}
    atomic_write(STORE, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    print(f"{name}: saved in {STORE}.", flush=True)


def _listed(values: Tensor) -> list:
    return [[round(value, DIGITS) for value in row] for row in values.tolist()]


def _rounded(values: dict[str, float]) -> dict[str, float]:
    return {name: round(value, DIGITS) for name, value in values.items()}
