"""Verdicts on the paper's lemmas, ranges and special cases, for :mod:`herocon_lite.repro.ledger`.

Each check computes something small, in well under a second. If the computation came out
otherwise, so would the verdict. The words around its numbers stand in ``words.yaml``; the chapters
have the proofs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, wraps
from itertools import product

import numpy as np
import torch

from herocon_lite import losses, models, theory
from herocon_lite.repro.ledger.rows import WORDS, Finding
from herocon_lite.repro.ledger.rules import Verdict
from herocon_lite.similarity import hamming, unit

Checked = tuple[Verdict, dict[str, object]]  # a verdict, and the numbers that its words have


def _worded(check: Callable[..., Checked]) -> Callable[..., Finding]:
    """Let a check return a row's finding: its verdict, and its words with its numbers."""

    @wraps(check)
    def find(*given: object) -> Finding:
        verdict, numbers = check(*given)
        words = WORDS["statements"][check.__name__]
        ours, why = (words[part].format(**numbers) for part in ("ours", "why"))
        return Finding(verdict, ours, why, words["page"])

    return find


def _verdict(whole: bool, part: bool = False) -> Verdict:
    if whole:
        return Verdict.REPRODUCED
    return Verdict.IN_PART if part else Verdict.FALSE


def _normal(*shape: int) -> torch.Tensor:
    """The same numbers each time."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


@_worded
def definition_1() -> Checked:
    at_one, at_small = theory.definition_1(-1, 1.0), theory.definition_1(-1, 0.1)
    return _verdict(at_one < 0.01, part=True), {"at_one": at_one, "at_small": at_small}


@_worded
def lemma_31() -> Checked:
    n, tau = 8, 0.5
    generator = torch.Generator().manual_seed(0)
    z, w = (unit(torch.randn(n, 3, generator=generator, dtype=torch.float64)) for _ in range(2))
    w.requires_grad_()
    (slope,) = torch.autograd.grad(theory.inner_loss(z, w, tau), w)
    proof = torch.allclose(slope, theory.partial_gradient(z, w, tau))
    # The minimum is searched, with room for it: is it lower than with a coinciding pair, and are
    # all samples, so any pair, apart there?
    start = torch.randn(2, n, n - 1, generator=generator, dtype=torch.float64)
    best, _, least = theory.minimise(lambda a, b: theory.inner_loss(a, b, tau), *start)
    excess = theory.one_pair_loss(n, tau) - least
    nearest = (best @ best.T).fill_diagonal_(-1.0).max().item()
    holds = excess > 1e-6 and nearest < 0
    return _verdict(proof and holds, part=holds), {"n": n, "tau": tau, "excess": excess}


@_worded
def g_range() -> Checked:
    x = torch.eye(3, dtype=torch.float64)
    x = torch.cat([x, -x, torch.randn(50, 3, generator=torch.Generator().manual_seed(0)).to(x)])
    g = torch.stack([theory.weights(x, x, H) for H in (lambda z: z, torch.sigmoid)])
    low, high = g.min().item(), g.max().item()
    inside = low >= 1 - 1e-12 and high <= math.e**2 + 1e-12
    return _verdict(inside), {"low": low, "high": high}


@_worded
def g_effect() -> Checked:
    forces = theory.anchor_forces(1.0)
    (false, _, total), (false_g, _, total_g) = forces["vanilla"], forces["detached"]
    share, share_g = false / total, false_g / total_g
    numbers = {"share": share, "share_g": share_g, "total": total, "total_g": total_g}
    return _verdict(share_g < share and total_g < total, part=share_g < share), numbers


@_worded
def eq4() -> Checked:
    features, hidden = 294, models.mlp((294,)).size  # Scene
    x, z = torch.randn(4, features), torch.randn(4, hidden)

    def computable(A: Callable[[torch.Tensor], torch.Tensor]) -> bool:
        try:
            return math.isfinite(losses.input_contrast(x, z, A).item())
        except ValueError:
            return False

    as_printed = computable(torch.nn.Identity())
    mapped = computable(torch.nn.Linear(features, hidden))
    return _verdict(as_printed, part=mapped), {"features": features, "hidden": hidden}


@cache
def _label_distances(c: int = 6) -> tuple[float, float, float, float]:
    """Least and largest σ of a positive pair and γ of a negative one, over all label vectors."""
    Y = torch.tensor(list(product((0.0, 1.0), repeat=c)))
    distance = hamming(Y)
    has = Y[:, 0] == 1
    sigma = 1 - distance[has][:, has] / c
    gamma = distance[has][:, ~has]
    return sigma.min().item(), sigma.max().item(), gamma.min().item(), gamma.max().item()


@_worded
def sigma_range(c: int = 6) -> Checked:
    low, high, *_ = _label_distances(c)
    right = math.isclose(low, 1 / c, abs_tol=1e-6) and high == 1
    return _verdict(right), {"low": low, "high": high, "c": c}


@_worded
def gamma_range(c: int = 6) -> Checked:
    *_, low, high = _label_distances(c)
    return _verdict((low, high) == (1, c)), {"low": low, "high": high, "c": c}


@_worded
def sigma_zero(c: int = 6) -> Checked:
    low, *_ = _label_distances(c)
    return _verdict(low < 1e-6, part=True), {"low": low, "c": c}


@_worded
def sigma_effect() -> Checked:
    similar, different = (float(theory.pull(sigma, M=60)) for sigma in (1.0, 0.5))
    return _verdict(similar > different), {"similar": similar, "different": different}


@_worded
def supcon() -> Checked:
    def gap(per_class: int) -> float:
        y = torch.arange(4).repeat_interleave(per_class)
        s = _normal(len(y), 6)
        Y = torch.nn.functional.one_hot(y).to(s)
        ours = losses.weighted_supervised(s, Y, distance="indicator")
        return abs(ours - losses.sup_con(s, y, temperature=1.0)).item()

    two, four = gap(2), gap(4)
    return _verdict(max(two, four) < 1e-9, part=two < 1e-9), {"two": two, "four": four}


@_worded
def simclr() -> Checked:
    z1, z2 = _normal(2, 16, 6)
    one, other = (losses.weighted_unsupervised(*v, None, 0.5) for v in ((z1, z2), (z2, z1)))
    target = losses.nt_xent(z1, z2, 0.5)
    alone, mean = abs(one - target).item(), abs((one + other) / 2 - target).item()
    return _verdict(alone < 1e-9, part=mean < 1e-9), {"alone": alone}


@_worded
def not_applicable(counts: dict) -> Checked:
    rare, common = counts["celeba"]["unique_share"], counts["scene"]["unique_share"]
    numbers = {"rare": 100 * rare, "common": 100 * common, "shared": 100 * (1 - rare)}
    numbers["vectors"] = counts["scene"]["vectors"]
    return _verdict(common > 0.1, part=rare > 0.1), numbers


@_worded
def lemma_32() -> Checked:
    a = theory.counterexample_a(5)  # alone carries the verdict
    one, inside = theory.counterexample_a(3, gamma=1.0), theory.counterexample_a(2, gamma=1.0)
    b = theory.counterexample_b(256)  # of a repaired lemma: shown, and no part of this
    return _verdict(not a.bound > a.information), {"a": a, "one": one, "inside": inside, "b": b}


@_worded
def lemma_33() -> Checked:
    joint = np.array([[0.4, 0.1], [0.1, 0.4]])
    information = theory.mutual_information(joint)
    critics = [theory.density_ratio(joint), np.exp(np.eye(2)), np.exp(-3 * np.eye(2))]
    best = max(
        theory.exact_bound(joint, f, M, gamma=g)
        for f, M, g in product(critics, (1, 4, 16, 64), (1.0, math.e))
    )
    M = 255
    counted = math.log(2 * M) - theory.both_views_loss(M + 1, 10**6)
    numbers = {"best": best, "information": information, "counted": counted}
    return _verdict(best <= information), numbers


@_worded
def tighter() -> Checked:
    joint = np.array([[0.4, 0.1], [0.1, 0.4]])
    gaps = [theory.exact_gap(joint, M) for M in (1, 4, 16, 64)]
    falls, most = gaps == sorted(gaps, reverse=True), theory.ceiling(10**9)
    numbers = {"first": gaps[0], "last": gaps[-1], "most": most}
    return _verdict(falls and most >= 1.001, part=falls), numbers


@_worded
def fig_1() -> Checked:
    near, far, _ = theory.anchor_forces(1.0)["vanilla"]
    return _verdict(near > far > 0), {"near": near, "far": far}


CHECKS = {
    check.__name__: check
    for check in (
        *(definition_1, lemma_31, g_range, g_effect, eq4, sigma_range, gamma_range, sigma_zero),
        *(sigma_effect, supcon, simclr, lemma_32, lemma_33, tighter, fig_1),
    )
}
