"""What this book proves beside the paper's claims: each statement with a computation that tests it.

A check fails if a constant, a sign or a condition of its statement were another. The statements
stand in ``words.yaml``, the proofs in the chapters.
"""

from __future__ import annotations

from typing import NamedTuple

import torch

from herocon_lite import theory
from herocon_lite.repro.ledger.rows import WORDS


class Theorem(NamedTuple):
    """A statement of ours."""

    number: str
    claim: str
    shown: str  # what the computation gave
    holds: bool
    page: str


REGIMES = {  # classes, samples of a step, dimensions: the paper's experiments, at τ = 1
    "Scene": (6, 2407, 200),
    "N-MNIST": (10, 4200, 512),
    "XRMB": (20, 5000, 200),
}


def _start(n: int, d: int) -> torch.Tensor:
    """Two views of n rows, the same each time."""
    return torch.randn(2, n, d, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def _collapse() -> tuple[bool, str]:
    """Upper bound of the minimum below a lower bound of all collapsed states; and on a toy."""
    regimes = {name: (n, classes, d) for name, (classes, n, d) in REGIMES.items()}
    margins = {name: theory.collapse_margin(*regime) for name, regime in regimes.items()}
    cosines = {name: 1 - theory.least_spread(*regime) for name, regime in regimes.items()}
    n, classes, d = 16, 2, 4  # far below d = n − 1
    z, w, least = theory.minimise(
        lambda a, b: theory.inner_loss(a, b, 1.0), *_start(n, d), iterations=50
    )
    upper = theory.minimum_upper_bound(n, d)
    lower = theory.spread_lower_bound(n, classes)
    toy = least <= upper < lower <= theory.collapsed_loss(classes, n // classes, 1.0) + 1e-12
    y = torch.arange(classes).repeat_interleave(n // classes)
    spread = theory.class_spread(z, w, y) >= theory.least_spread(n, classes, d) > 0
    shown = ", ".join(f"{k} {margin:.2f} ({cosines[k]:.2f})" for k, margin in margins.items())
    holds = toy and bool(spread) and min(margins.values()) > 0 and max(cosines.values()) < 1 / 3
    return holds, f"excess of collapse in nats (in-class cosine at most): {shown}"


def _not_even_local() -> tuple[bool, str]:
    generator = torch.Generator().manual_seed(0)
    steepest = []
    for _ in range(50):
        a, b = torch.randn(2, 3, 4, generator=generator, dtype=torch.float64)
        a, b = (x / x.norm(dim=1, keepdim=True) for x in (a, b))
        steepest.append(theory.parting_curvature(a, b, [2, 3, 5]))
    return max(steepest) < 0, f"largest curvature of 50 collapsed states: {max(steepest):.2f}"


def _tied_pair() -> tuple[bool, str]:
    n = 1000
    cost = theory.tied_pair_loss(n) - theory.floor(n, 1.0)
    proven = theory.collapsed_bound([2] + [1] * (n - 2)) - theory.floor(n, 1.0)
    most, least = theory.tied_pair_cost(n), theory.tied_pair_least_cost(n)
    holds = 0.99 * most < cost < 1.01 * most and abs(proven / least - 1) < 0.01
    return holds, f"n = 1,000: {n**2 * cost:.2f}/n², proven at least {n**2 * proven:.2f}/n²"


def _cone() -> tuple[bool, str]:
    n = d = 6
    h = torch.eye(d, dtype=torch.float64)[0]
    z, w, least = theory.minimise(lambda a, b: theory.constant_net_loss(a, b, h), *_start(n, d))
    gaps = [
        abs(least - theory.cone_floor(n)),
        (z @ h - theory.cone_height(n)).abs().max().item() ** 2,
        (z - w).abs().max().item() ** 2,
    ]
    cosine = theory.cone_cosine(10**6)
    holds = max(gaps) < 1e-8 and abs(cosine - 0.25) < 1e-5
    return holds, f"an optimiser comes within 1e−8; mutual cosine at τ = 1: {cosine:.2f}"


def _cone_collapse() -> tuple[bool, str]:
    n, d, found = 5, 3, {}
    h = torch.eye(d, dtype=torch.float64)[0]
    for temperature in (2.2, 2.7):  # on both sides of 2n/(n − 1) = 2.5
        z, _, least = theory.minimise(
            lambda a, b, tau=temperature: theory.constant_net_loss(a, b, h, tau, True),
            *_start(n, d),
        )
        found[temperature] = (z @ h).min().item()
    gap = abs(least - theory.cone_floor(n, 2.7, both_views=True))
    holds = found[2.2] < 0.95 and found[2.7] > 1 - 1e-4 and gap < 1e-8
    return holds, f"n = 5: least z·h {found[2.2]:.2f} at τ = 2.2, {found[2.7]:.2f} at τ = 2.7"


def _cone_any_dimension() -> tuple[bool, str]:
    n, d = 12, 4
    h = torch.eye(d, dtype=torch.float64)[0]
    start, found = _start(n, d), {}
    for both in (False, True):
        z, w, _ = theory.minimise(
            lambda a, b, both=both: theory.constant_net_loss(a, b, h, both_views=both), *start
        )
        target = theory.cone_height(n) * h
        moved = sum((view.mean(0) - target).square().sum() for view in (z, w)).item()
        found[moved] = theory.cone_deviation_bound(n, d, both_views=both)
    low, high = theory.cone_cosine_range(320, 200, both_views=True)
    holds = all(0 < moved <= bound for moved, bound in found.items()) and low < 0.25 < high
    return holds, f"n = 320, d = 200, τ = 1: mean cosine from {low:.2f} to {high:.2f}"


def _unsupervised() -> tuple[bool, str]:
    joint = [[0.4, 0.1], [0.1, 0.4]]
    information = theory.mutual_information(joint)
    found = [theory.exact_bound(joint, theory.density_ratio(joint), M) for M in (1, 16, 64)]
    return max(found) <= information, f"{max(found):.4f} ≤ I = {information:.4f}"


def _divergence() -> tuple[bool, str]:
    toys = [
        theory.noisy_classes(flip, M, critic)
        for flip in (0.01, 0.1, 0.3)
        for M in (4, 256)
        for critic in ("cosine", "best")
    ]
    above = sum(toy.bound > toy.information for toy in toys)
    holds = all(toy.bound <= toy.kl for toy in toys) and above > 0
    return holds, f"12 toys: all below the divergence, {above} above the information"


def _best_bound() -> tuple[bool, str]:
    joint = [[0.45, 0.05], [0.05, 0.45]]
    line = [theory.best_bound_on_a_line(joint, M, 0.3) for M in (1, 2)]
    plane = [theory.best_bound_of_two_values(joint, M, 0.3) for M in (1, 2, 3)]
    holds = line[0] > 0.01 and abs(line[1]) < 1e-12 and plane == sorted(plane)
    return holds, f"d = 1: {line[0]:.4f} with M = 1, {line[1]:.4f} with M = 2"


def _supcon() -> tuple[bool, str]:
    gaps = {m: theory.collapsed_supcon_gap([m] * 3) for m in (2, 3, 4)}
    mixed = theory.collapsed_supcon_gap([2, 2, 3])
    holds = gaps[2] == 0 < min(gaps[3], gaps[4], mixed)
    return holds, ", ".join(f"{m} a class: {gap:.3f}" for m, gap in gaps.items())


CHECKS = (
    *(_collapse, _not_even_local, _tied_pair, _cone, _unsupervised, _best_bound, _divergence),
    *(_supcon, _cone_collapse, _cone_any_dimension),
)


def theorems() -> list[Theorem]:
    """Every statement of ours, its computation made anew."""
    found = []
    for number, check in enumerate(CHECKS, start=1):
        (holds, shown), said = check(), WORDS["theorems"][check.__name__.removeprefix("_")]
        found.append(Theorem(f"P{number}", said["claim"], shown, holds, said["page"]))
    return found
