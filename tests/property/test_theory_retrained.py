"""The best bound against the number of negatives, encoders retrained for each."""

import math

import numpy as np
import pytest
import torch

from herocon_lite import theory

SYMMETRIC = np.array([[0.45, 0.05], [0.05, 0.45]])
LARGER = np.array([[0.1625, 0.0121], [0, 0.8254]])
FOR_GOOD = np.array([[0.0423, 0.0079], [0, 0.9498]])


def line(joint, Ms, tau):
    return [theory.best_bound_on_a_line(joint, M, tau) for M in Ms]


# ---------------------------------------------------------------- d = 1


def test_the_counterexample_on_a_line_is_exact():
    first, *rest = line(SYMMETRIC, range(1, 11), 0.3)
    scale = 1 / 0.3
    form = math.log(2) / 2 - (math.log1p(math.exp(-2 * scale)) + 2 * scale / 10) / 2
    assert first == pytest.approx(form, abs=1e-12) == pytest.approx(0.012604, abs=5e-7)
    assert rest == pytest.approx([0] * 9, abs=1e-12)
    later = line(SYMMETRIC, (12, 64), 0.3)
    assert later == pytest.approx([0.00197, 0.0206], abs=5e-5)  # and it rises again


def test_at_another_temperature_it_is_no_counterexample():
    values = line(SYMMETRIC, (1, 2, 3, 4), 0.5)
    assert values == pytest.approx([0.138, 0.180, 0.202, 0.215], abs=1e-3)
    assert np.diff(values).min() > 0


def test_every_sign_is_tried():
    """By hand: all sixteen encoders of two letters each, through the exact bound."""
    values = []
    for bits in range(16):
        signs = [1 - 2 * (bits >> k & 1) for k in range(4)]
        critic = np.exp(np.outer(signs[:2], signs[2:]) / 0.3)
        values.append(theory.exact_bound(SYMMETRIC, critic, 3))
    assert max(values) == pytest.approx(theory.best_bound_on_a_line(SYMMETRIC, 3, 0.3), abs=1e-12)


def test_the_fall_may_be_large_or_for_good_also_in_the_papers_form():
    values = line(LARGER, (1, 2, 4, 8, 16, 24), 1 / 18.84)
    assert values == pytest.approx([0.115, 0.126, 0.101, 0.047, 0.002, 0], abs=5e-4)
    values = line(FOR_GOOD, (4, 64, 256), 1 / 12.88)
    assert values == pytest.approx([0.0694, 0, 0], abs=5e-5)
    fewer, more = (line(FOR_GOOD, [M], 1 / 12.88)[0] - math.log((M + 1) / M) for M in (24, 64))
    assert (fewer, more) == pytest.approx((-0.0059, -0.0155), abs=5e-5)


# ---------------------------------------------------------------- two values, two dimensions


def two_valued(number=2000, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(number):
        rows = int(rng.integers(2, 6))
        joint = rng.dirichlet(np.full(2 * rows, 10 ** rng.uniform(-1, 0.5))).reshape(rows, 2)
        joint = (joint + 1e-7) / (joint + 1e-7).sum()
        yield joint, float(10 ** rng.uniform(-1, 1))


def test_with_two_values_and_a_plane_it_never_falls():
    Ms = (1, 2, 3, 5, 9, 17)
    least = min(
        np.diff([theory.best_bound_of_two_values(joint, M, tau) for M in Ms]).min()
        for joint, tau in two_valued()
    )
    assert least > -1e-9


def test_on_a_line_it_falls_for_some_of_these_laws():
    """The altered condition, d = 1."""
    falls = [
        np.diff(line(joint, (1, 2, 4), tau)).min()
        for joint, tau in two_valued(150)
        if len(joint) < 4
    ]
    assert min(falls) < -1e-3


def test_a_plane_repairs_the_counterexamples():
    values = [theory.best_bound_of_two_values(SYMMETRIC, M, 0.3) for M in (1, 2, 3)]
    assert values == pytest.approx([0.184, 0.249, 0.281], abs=5e-4)
    for joint, tau in ((LARGER, 1 / 18.84), (FOR_GOOD, 1 / 12.88)):
        values = [theory.best_bound_of_two_values(joint, M, tau) for M in (1, 2, 4, 8, 64)]
        assert np.diff(values).min() > 0


@pytest.mark.parametrize("M", [2, 8])
def test_the_formula_for_two_values_is_what_optimising_finds(M):
    """All encoders in d = 2, by L-BFGS; and none in d = 4 is better."""
    known = {2: 0.2430, 8: 0.3443}
    formula = theory.best_bound_of_two_values(LARGER, M, 1 / 18.84)
    assert formula == pytest.approx(known[M], abs=5e-5)
    for d in (2, 4):
        found = max(optimised(LARGER, M, 1 / 18.84, d, seed) for seed in range(2))
        assert found <= formula + 1e-9
        assert found > formula - 1e-5


def optimised(joint, M, tau, d, seed):
    """The bound at the encoders of one run of L-BFGS."""
    torch.manual_seed(seed)
    counts, chance = (torch.tensor(x, dtype=torch.float64) for x in outcomes(joint, M))
    law = torch.tensor(joint)

    def loss(z, w):
        scores = z @ w.T / tau  # (a, b)
        scores = scores - scores.max(1, keepdim=True).values
        total = (scores.exp()[:, :, None] + (scores.exp() @ counts.T)[:, None]).log()
        return (law * (total @ chance - scores)).sum()

    start = torch.randn(2, len(joint), d, dtype=torch.float64)
    return math.log(M + 1) - theory.minimise(loss, *start)[2]


def outcomes(joint, M):
    return theory.outcomes(M, joint.sum(0))


def test_the_law_must_have_two_values():
    with pytest.raises(ValueError, match="two values"):
        theory.best_bound_of_two_values(np.eye(3) / 3, 1)


# ---------------------------------------------------------------- what the proofs use


def test_for_two_values_the_gap_of_log_r_clipped_is_a_sum_of_two_terms_that_fall():
    """E log f̂_0 − B_M = (1 − c) E log A + c E[A log A], of which each falls with M."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        q = rng.dirichlet(np.ones(2))  # the marginal of y
        f = np.exp(rng.normal(size=2))
        f /= q @ f  # f̂: mean one
        c = 1 + rng.exponential()
        if (1 + c * (f - 1)).min() < 0:
            continue
        gaps = []
        for M in (1, 2, 4, 8, 16):
            counts, chance = theory.outcomes(M + 1, q)
            A = counts @ f / (M + 1)
            gaps.append((1 - c) * (chance @ np.log(A)) + c * (chance @ (A * np.log(A))))
        assert np.diff(gaps).max() < 1e-12


def test_the_bound_of_m_negatives_is_that_of_another_critic_for_many():
    """K' = K − E log mean(e^{K(x,y)}, e^{K(x,y_k)}): E K' = B_M, E_y e^{K'} ≤ 1, 1-Lipschitz."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        joint = rng.dirichlet(np.full(9, 0.5)).reshape(3, 3)
        q, M = joint.sum(0), int(rng.integers(1, 7))
        K = rng.normal(0, 2, (3, 3))
        counts, chance = theory.outcomes(M, q)
        push = np.exp(K) @ counts.T  # (3, outcomes): the negatives' sum for each x
        mean = (np.exp(K)[:, :, None] + push[:, None]) / (M + 1)
        other = K - np.log(mean) @ chance
        assert (joint * other).sum() == pytest.approx(theory.exact_bound(joint, np.exp(K), M))
        assert (np.exp(other) @ q <= 1 + 1e-12).all()
        steps, from_steps = (k[:, :, None] - k[:, None] for k in (other, K))
        assert (steps * from_steps >= -1e-12).all()  # monotone in K, row by row
        assert (np.abs(steps) <= np.abs(from_steps) + 1e-12).all()
        # altered: without the positive in the mean it is no bound
        loose = K - np.log(push / M) @ chance[:, None]
        assert (np.exp(loose) @ q > 1 - 1e-12).all()
