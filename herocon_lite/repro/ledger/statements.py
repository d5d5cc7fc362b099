"""Verdicts on the paper's lemmas, ranges and special cases, for :mod:`herocon_lite.repro.ledger`.

Each check computes something small, in well under a second. If the computation came out
otherwise, so would the verdict. The chapters have the proofs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from itertools import product

import numpy as np
import torch

from herocon_lite import losses, models, theory
from herocon_lite.repro.ledger.rows import Finding
from herocon_lite.repro.ledger.rules import Verdict
from herocon_lite.similarity import hamming, unit


def _verdict(whole: bool, part: bool = False) -> Verdict:
    if whole:
        return Verdict.REPRODUCED
    return Verdict.IN_PART if part else Verdict.FALSE


def definition_1() -> Finding:
    at_one, at_small = theory.definition_1(-1, 1.0), theory.definition_1(-1, 0.1)
    usable = at_one < 0.01
    return Finding(
        _verdict(usable, part=True),
        f"at τ = 1 the value is at least {at_one:.2f}; at τ = 0.1, {at_small:.5f}",
        (
            "No objective says what optimal is; ≈ 0 is out of reach at the experiments' τ = 1. "
            "Usable with a target from outside, and a τ small against 1/(K − 1) for K samples that "
            "are to be true negatives of each other."
        ),
        "false_negatives",
    )


def lemma_31() -> Finding:
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
    verdict = _verdict(proof and holds, part=holds)
    return Finding(
        verdict,
        f"one coinciding pair of {n} costs {excess:.3f} nats above the floor (τ = {tau})",
        (
            "The conclusion holds with added assumptions: a target from outside, unit vectors, "
            "enough dimensions. For whole classes far fewer dimensions do (P1). The printed "
            "gradient lacks the other anchors' terms."
        ),
        "false_negatives",
    )


def g_range() -> Finding:
    x = torch.eye(3, dtype=torch.float64)
    x = torch.cat([x, -x, torch.randn(50, 3, generator=torch.Generator().manual_seed(0)).to(x)])
    g = theory.weights(x, x, lambda z: z)
    sigmoid = theory.weights(x, x, torch.sigmoid)
    low = min(g.min(), sigmoid.min()).item()
    high = max(g.max(), sigmoid.max()).item()
    inside = low >= 1 - 1e-12 and high <= math.e**2 + 1e-12
    return Finding(
        _verdict(inside),
        f"from {low:.3f} to {high:.3f}, both ends reached with H = identity",
        "True for every H.",
        "weights",
    )


def g_effect() -> Finding:
    forces = theory.anchor_forces(1.0)
    (false, _, total), (false_g, _, total_g) = forces["vanilla"], forces["detached"]
    relative, absolute = false_g / total_g < false / total, total_g < total
    return Finding(
        _verdict(relative and absolute, part=relative),
        (
            f"share of the push on a false negative {false / total:.2f} → {false_g / total_g:.2f}; "
            f"push on all {total:.3f} → {total_g:.3f}"
        ),
        (
            "Relative to other negatives. With g constant, all of them together never push less, "
            "as g ≥ 1; with its gradient flowing they can."
        ),
        "weights",
    )


def eq4() -> Finding:
    features, hidden = 294, models.mlp((294,)).size  # Scene
    x, z = torch.randn(4, features), torch.randn(4, hidden)

    def computable(A: Callable[[torch.Tensor], torch.Tensor]) -> bool:
        try:
            return math.isfinite(losses.input_contrast(x, z, A).item())
        except ValueError:
            return False

    as_printed = computable(torch.nn.Identity())
    mapped = computable(torch.nn.Linear(features, hidden))
    return Finding(
        _verdict(as_printed, part=mapped),
        f"{features} and {hidden} numbers have no inner product",
        "Not computable as printed; with a learned map A it is (the form eq4).",
        "point_by_point",
    )


@cache
def _label_distances(c: int = 6) -> tuple[float, float, float, float]:
    """Least and largest σ of a positive pair and γ of a negative one, over all label vectors."""
    Y = torch.tensor(list(product((0.0, 1.0), repeat=c)))
    distance = hamming(Y)
    has = Y[:, 0] == 1
    sigma = 1 - distance[has][:, has] / c
    gamma = distance[has][:, ~has]
    return sigma.min().item(), sigma.max().item(), gamma.min().item(), gamma.max().item()


def sigma_range(c: int = 6) -> Finding:
    low, high, *_ = _label_distances(c)
    right = math.isclose(low, 1 / c, abs_tol=1e-6) and high == 1
    return Finding(
        _verdict(right),
        f"from {low:.3f} to {high:.0f} at c = {c}, all label vectors",
        "True for pairs that share a label, the only ones Eq. 7 has.",
        "supervised_bound",
    )


def gamma_range(c: int = 6) -> Finding:
    *_, low, high = _label_distances(c)
    return Finding(
        _verdict((low, high) == (1, c)),
        f"from {low:.0f} to {high:.0f} at c = {c}, all label vectors",
        "True for pairs that differ in a label. The public code's CNN variant goes below 1.",
        "supervised_bound",
    )


def sigma_zero(c: int = 6) -> Finding:
    low, *_ = _label_distances(c)
    return Finding(
        _verdict(low < 1e-6, part=True),
        f"down to {low:.3f} at c = {c}",
        "A positive pair shares a label, so σ ≥ 1/c, as the paper's own proof says: near 0 for "
        "many labels.",
        "supervised_bound",
    )


def sigma_effect() -> Finding:
    similar, different = (float(theory.pull(sigma, M=60)) for sigma in (1.0, 0.5))
    return Finding(
        _verdict(similar > different),
        f"pull on a pair with σ = 1: {similar:.4f}, with σ = 0.5: {different:.4f}",
        (
            "False of σ alone: a smaller σ pulls more, by little. Similar pairs come closer "
            "because they share more of the label terms."
        ),
        "supervised_bound",
    )


def supcon() -> Finding:
    def gap(per_class: int) -> float:
        y = torch.arange(4).repeat_interleave(per_class)
        generator = torch.Generator().manual_seed(0)
        s = torch.randn(len(y), 6, generator=generator, dtype=torch.float64)
        Y = torch.nn.functional.one_hot(y).to(s)
        ours = losses.weighted_supervised(s, Y, distance="indicator")
        return abs(ours - losses.sup_con(s, y, temperature=1.0)).item()

    two, four = gap(2), gap(4)
    return Finding(
        _verdict(max(two, four) < 1e-9, part=two < 1e-9),
        f"gap {two:.3f} with two samples a class, {four:.3f} with four",
        (
            "Equal only with two samples a class, the indicator distance and equal τ; else "
            "Khosla's loss has the other positives in its denominator (P8)."
        ),
        "special_cases",
    )


def simclr() -> Finding:
    generator = torch.Generator().manual_seed(0)
    z1, z2 = (torch.randn(16, 6, generator=generator, dtype=torch.float64) for _ in range(2))
    one, other = (losses.weighted_unsupervised(*v, None, 0.5) for v in ((z1, z2), (z2, z1)))
    target = losses.nt_xent(z1, z2, 0.5)
    alone, mean = abs(one - target).item(), abs((one + other) / 2 - target).item()
    return Finding(
        _verdict(alone < 1e-9, part=mean < 1e-9),
        f"one direction is {alone:.3f} off; the mean of both is NT-Xent",
        "It is one of SimCLR's two directions, and needs its temperature.",
        "special_cases",
    )


def not_applicable(counts: dict) -> Finding:
    rare, common = counts["celeba"]["unique_share"], counts["scene"]["unique_share"]
    return Finding(
        _verdict(common > 0.1, part=rare > 0.1),
        f"images with a vector of their own: CelebA {100 * rare:.0f} %, Scene {100 * common:.1f} %",
        (
            f"On CelebA most vectors occur once, yet {100 * (1 - rare):.0f} % of the images share "
            f"theirs. Scene has {counts['scene']['vectors']} vectors; few images are alone."
        ),
        "views_and_labels",
    )


def lemma_32() -> Finding:
    a = theory.counterexample_a(5)  # alone carries the verdict
    one, inside = theory.counterexample_a(3, gamma=1.0), theory.counterexample_a(2, gamma=1.0)
    b = theory.counterexample_b(256)  # of a repaired lemma: shown, and no part of this
    return Finding(
        _verdict(not a.bound > a.information),
        (
            f"two classes of five: {a.bound:.4f} > log 2 = {a.information:.4f}; with one label "
            f"three are enough ({one.bound:.4f}), and two inside a class "
            f"({inside.bound:.4f} > 0)"
        ),
        (
            "Two values carry at most log 2 nats, whatever the joint law. Negatives of another "
            "class are no draws from the marginal; the repaired lemma with 1/σ fails too "
            f"({b.bound:.4f} > {b.information:.4f}). True instead: a bound of a divergence (P7)."
        ),
        "supervised_bound",
    )


def lemma_33() -> Finding:
    joint = np.array([[0.4, 0.1], [0.1, 0.4]])
    information = theory.mutual_information(joint)
    critics = [theory.density_ratio(joint), np.exp(np.eye(2)), np.exp(-3 * np.eye(2))]
    best = max(
        theory.exact_bound(joint, f, M, gamma=g)
        for f, M, g in product(critics, (1, 4, 16, 64), (1.0, math.e))
    )
    M = 255
    counted = math.log(2 * M) - theory.both_views_loss(M + 1, 10**6)
    return Finding(
        _verdict(best <= information),
        (
            f"largest of 24 exact bounds {best:.4f} ≤ I = {information:.4f}; "
            f"both views counted: {counted:.2f} > 0 = I"
        ),
        (
            "True, with log(M + 1) even (P5), in expectation, for independent negatives, M "
            "counting samples. Counting both views, it fails. The printed proof is not one."
        ),
        "unsupervised_bound",
    )


def tighter() -> Finding:
    joint = np.array([[0.4, 0.1], [0.1, 0.4]])
    gaps = [theory.exact_gap(joint, M) for M in (1, 4, 16, 64)]
    falls, most = gaps == sorted(gaps, reverse=True), theory.ceiling(10**9)
    return Finding(
        _verdict(falls and most >= 1.001, part=falls),
        f"best critic: gap {gaps[0]:.3f} → {gaps[-1]:.3f}; f = exp(cos): at most {most:.2f} nat",
        (
            "True for the best critic without weights. With the experiments' f the bound stops "
            "at one nat, and the best one can fall (P6). F1 in Fig. 3(b) is no evidence about a "
            "bound."
        ),
        "unsupervised_bound",
    )


def fig_1() -> Finding:
    near, far, _ = theory.anchor_forces(1.0)["vanilla"]
    return Finding(
        _verdict(near > far > 0),
        f"push on one false negative {near:.3f}, on one true one {far:.3f}",
        "The nearest negative's cosine is pushed hardest, whatever its class.",
        "push_apart",
    )


CHECKS: dict[str, Callable[[], Finding]] = {
    "definition_1": definition_1,
    "lemma_31": lemma_31,
    "g_range": g_range,
    "g_effect": g_effect,
    "eq4": eq4,
    "sigma_range": sigma_range,
    "gamma_range": gamma_range,
    "sigma_zero": sigma_zero,
    "sigma_effect": sigma_effect,
    "supcon": supcon,
    "simclr": simclr,
    "lemma_32": lemma_32,
    "lemma_33": lemma_33,
    "tighter": tighter,
    "fig_1": fig_1,
}
