"""The propositions of the chapter on L_u: each holds, and fails once its statement is altered."""

import math
from itertools import product

import numpy as np
import pytest
import torch

from herocon_lite import losses, theory

JOINT = np.array([[4, 1, 1], [1, 4, 1], [2, 1, 5]]) / 20
RATIO = theory.density_ratio(JOINT)
TRUTH = theory.mutual_information(JOINT)
EXACT = 1e-9


def laws(number=60, seed=0):
    """Random laws on three letters with a critic that knows nothing or all, and some M."""
    rng = np.random.default_rng(seed)
    for trial in range(number):
        joint = rng.dirichlet(np.full(9, 0.5)).reshape(3, 3)
        critic = np.exp(rng.normal(0, 2, (3, 3)))
        critic = theory.density_ratio(joint) + 1e-9 if trial % 2 else critic
        yield joint, critic, int(rng.integers(1, 8)), rng


# ---------------------------------------------------------------- the sums themselves


@pytest.mark.parametrize("M", [1, 2, 4])
def test_the_exact_sum_is_the_plain_sum_over_all_draws(M):
    rng = np.random.default_rng(0)
    sigma, gamma = rng.uniform(0.5, 1, (3, 3)), rng.uniform(1, 3, (3, 3))
    critic, q = np.exp(rng.normal(size=(3, 3))), rng.dirichlet(np.ones(3))
    total = 0
    for x, y, *ys in product(range(3), repeat=M + 2):
        push = sum(gamma[x, k] * critic[x, k] for k in ys)
        term = math.log(1 + push / (sigma[x, y] * critic[x, y]))
        total += JOINT[x, y] * math.prod(q[k] for k in ys) * term
    value = theory.exact_loss(JOINT, q, critic, M, sigma, gamma)
    assert value == pytest.approx(total, abs=1e-12)


@pytest.mark.parametrize(("M", "letters"), [(0, 2), (5, 1), (5, 2), (6, 3), (4, 4)])
def test_outcomes_are_complete(M, letters):
    law = np.random.default_rng(M).dirichlet(np.ones(letters))
    counts, chance = theory.outcomes(M, law)
    assert len(counts) == math.comb(M + letters - 1, letters - 1)
    assert len(np.unique(counts, axis=0)) == len(counts)
    assert chance.sum() == pytest.approx(1, abs=1e-12)
    assert chance @ counts == pytest.approx(M * law)


def test_information_of_known_laws():
    assert theory.mutual_information(np.eye(4) / 4) == pytest.approx(math.log(4))
    assert theory.mutual_information(np.outer([0.2, 0.8], [0.5, 0.5])) == pytest.approx(0)
    assert theory.divergence(np.outer([0.3, 0.7], [1, 0]), [0.25, 0.75]) == pytest.approx(
        math.log(4)
    )


# ---------------------------------------------------------------- Lemma 3.3: the bound


def worst_slack(extra=0.0, lightest=1.0, other_law=False):
    """The least of I (or D) − (log(M + 1 + extra) − L) over many laws; weights from lightest up."""
    slack = []
    for joint, critic, M, rng in laws():
        g = lightest + rng.exponential(rng.choice([0, 1]), (3, 3))
        q = rng.dirichlet(np.ones(3)) if other_law else joint.sum(0)
        bound = math.log(M + 1 + extra) - theory.exact_loss(joint, q, critic, M, gamma=g)
        slack.append(theory.divergence(joint, q) - bound)
    return min(slack)


def test_the_bound_holds_for_every_critic_and_all_weights_from_one_up():
    assert worst_slack() > -EXACT
    assert worst_slack(other_law=True) > -EXACT


@pytest.mark.parametrize("altered", [{"extra": 0.5}, {"lightest": 0.5}])
def test_the_bound_fails_with_a_larger_constant_or_smaller_weights(altered):
    assert worst_slack(**altered) < -0.001


def test_the_bound_is_about_information_only_if_negatives_are_marginal():
    q = np.array([0.1, 0.1, 0.8])
    best = JOINT / np.outer(JOINT.sum(1), q)
    value = theory.exact_bound(JOINT, best, 64, negatives=q)
    assert TRUTH < value < theory.divergence(JOINT, q)


def test_the_papers_form_is_the_weaker_one():
    loss = theory.exact_loss(JOINT, JOINT.sum(0), RATIO, 5)
    assert math.log(5) - loss < math.log(6) - loss < TRUTH


@pytest.mark.parametrize("M", [1, 4, 16])
def test_the_printed_proof_replaces_the_sum_in_the_wrong_direction(M):
    replaced = (JOINT * np.log1p(M / RATIO)).sum()
    assert theory.exact_loss(JOINT, JOINT.sum(0), RATIO, M) < replaced


# ---------------------------------------------------------------- more negatives


def test_the_gap_of_the_best_critic():
    for M in (0, 1, 2, 4, 6, 20):
        bound = theory.exact_bound(JOINT, RATIO, M)
        assert TRUTH - theory.exact_gap(JOINT, M) == pytest.approx(bound, abs=1e-8)
        # altered: one draw too many
        assert TRUTH - theory.exact_gap(JOINT, M + 1) != pytest.approx(bound, abs=1e-4)
    known = [0.100434, 0.137757, 0.168663, 0.182055]
    values = [theory.exact_bound(JOINT, RATIO, M) for M in (1, 2, 4, 6)]
    assert values == pytest.approx(known, abs=1e-6)


def test_more_negatives_tighten_the_best_critic_and_not_any_critic():
    Ms = (0, 1, 2, 4, 8, 16, 32, 64)
    best, over = ([theory.exact_bound(JOINT, f, M) for M in Ms] for f in (RATIO, RATIO**3))
    assert (np.diff(best) > 0).all() and best[-1] < TRUTH
    assert not (np.diff(over) > 0).all() and over[-1] < 0


def test_more_negatives_loosen_any_critic_on_independent_views():
    apart = np.outer(JOINT.sum(1), JOINT.sum(0))
    for f in (RATIO**2, np.array([[1, 5, 2], [3, 1, 1], [1, 1, 9]])):
        values = [theory.exact_bound(apart, f, M) for M in range(12)]
        assert values[0] == pytest.approx(0, abs=1e-12) and (np.diff(values) < 0).all()
    ignores_y = np.tile([[1], [2], [3]], 3)
    assert theory.exact_bound(apart, ignores_y, 7) == pytest.approx(0, abs=1e-12)
    # altered: with information it may rise
    assert theory.exact_bound(JOINT, RATIO, 1) > 0


@pytest.mark.parametrize("critic", [RATIO, RATIO**2])
def test_limit_with_weights(critic):
    g = np.array([[1, 2, 3], [2, 1, 3], [3, 2, 1]])
    mean = (JOINT.sum(0) * g * critic).sum(1)
    limit = (JOINT * np.log(critic)).sum() - JOINT.sum(1) @ np.log(mean)
    errors = [abs(theory.exact_bound(JOINT, critic, M, gamma=g) - limit) for M in (50, 200)]
    assert errors[1] < errors[0] / 3 and errors[1] < 0.01
    # altered: the limit is not the one without weights
    assert theory.exact_bound(JOINT, critic, 200, gamma=g) < TRUTH - 0.1


def test_a_constant_weight_costs_its_logarithm():
    value = theory.exact_bound(JOINT, RATIO, 300, gamma=math.e)
    assert value == pytest.approx(TRUTH - 1, abs=0.005)
    assert value != pytest.approx(TRUTH, abs=0.9)


# ---------------------------------------------------------------- ceilings


def encoders(number=60):
    torch.manual_seed(0)
    for trial in range(number):
        n, width = int(torch.randint(2, 30, ())), 1 + trial % 9
        z1 = torch.randn(n, width, dtype=torch.float64)
        yield z1, z1 + (trial % 3) * torch.randn(n, width, dtype=torch.float64)


@pytest.mark.parametrize("tau", [1.0, 0.5, 0.1])
def test_no_batch_passes_its_ceiling_and_a_simplex_reaches_it(tau):
    def value(z1, z2):
        return math.log(len(z1) - 1) - losses.info_nce(z1, z2, temperature=tau).item()

    for z1, z2 in encoders():
        assert value(z1, z2) <= theory.batch_ceiling(len(z1) - 1, tau) + EXACT
        weighted = losses.weighted_unsupervised(z1, z2, torch.tanh, temperature=tau).item()
        assert math.log(len(z1) - 1) - weighted <= theory.batch_ceiling(len(z1) - 1, tau) + EXACT
    simplex = torch.eye(20, dtype=torch.float64) - 1 / 20
    reached = value(simplex, simplex)
    assert reached == pytest.approx(theory.batch_ceiling(19, tau), abs=1e-8)
    # altered: with 10 % less in the exponent the simplex passes
    assert reached > theory.batch_ceiling(19, tau / 0.9) + 1e-4


@pytest.mark.parametrize("tau", [1.0, 0.3])
def test_ceiling_of_the_expectation(tau):
    """Identical views on a sphere of many dimensions come near; never past, never past 1/τ."""
    generator = torch.Generator().manual_seed(0)
    x, _ = theory.gaussian_pairs(20, 64, 400, 0.0, generator)
    mean, error = theory.mean_and_error(theory.batch_bound(theory.all_cosines(x, x) / tau))
    top = theory.ceiling(63, tau, sharp=True)
    assert mean <= top + 3 * error
    assert mean > theory.ceiling(63, tau / 0.9, sharp=True) + 3 * error  # altered
    for M in (1, 10, 10**6):
        assert theory.ceiling(M, tau) < theory.ceiling(M, tau, sharp=True) < 1 / tau


def test_values_of_the_ceiling():
    values = [theory.ceiling(M) for M in (10, 15, 63, 255, 2406)]
    assert values == pytest.approx([0.760, 0.833, 0.958, 0.989, 0.999], abs=5e-4)


def test_weights_with_identity_say_nothing_at_temperature_one():
    for z1, z2 in encoders(30):
        cos = theory.all_cosines(z1, z2)
        assert theory.batch_bound(cos, 1 - cos) <= EXACT
    z = torch.eye(8, dtype=torch.float64)
    cos = theory.all_cosines(z, z)
    # altered: without weights, or at another temperature, it can be positive
    assert theory.batch_bound(cos) > 0.5
    assert theory.batch_bound(cos / 0.5, 1 - cos) > 0.5


# ---------------------------------------------------------------- Gaussians


def test_gaussian_information():
    rho = theory.gaussian_correlation(10, 2.0)
    assert theory.gaussian_information(10, rho) == pytest.approx(2, abs=1e-12)
    assert theory.gaussian_information(1, 0.5) == pytest.approx(-math.log(0.75) / 2)
    generator = torch.Generator().manual_seed(0)
    x, y = theory.gaussian_pairs(4000, 1, 10, rho, generator)
    mean, error = theory.mean_and_error(theory.gaussian_log_ratio(x, y, rho)[:, 0, 0])
    assert abs(mean - 2) < 3 * error
    assert abs(mean - 2 * math.log2(math.e)) > 3 * error  # altered: bits


def test_batch_bound_is_the_librarys_loss():
    z1, z2 = torch.randn(2, 9, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    cos = theory.all_cosines(z1, z2)
    plain = math.log(9) - losses.info_nce(z1, z2).item()
    assert theory.batch_bound(cos).item() == pytest.approx(plain, abs=1e-12)
    # the library's weighted loss with negatives of one view only, anchored in view 1
    switches = losses.Switches(view2_anchors=True)
    loss = losses.weighted_unsupervised(z2, z1, lambda z: z, preset=switches)
    weighted = theory.batch_bound(cos, 1 - cos).item()
    assert weighted == pytest.approx(math.log(9) - loss.item(), abs=1e-12)


@pytest.mark.parametrize("nats", [0.5, 2.0])
def test_order_of_the_critics(nats):
    values = theory.gaussian_bounds(nats, M=63, anchors=4096)
    for name, (mean, error) in values.items():
        assert mean <= nats + 3 * error, name
    assert values["best, weighted"][0] < values["best"][0]
    assert values["cosine, weighted"][0] < 0 < values["cosine"][0] < values["best"][0]
    assert values["best"][0] > nats - 0.3


# ---------------------------------------------------------------- where the bound fails


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("tau", [1.0, 0.5, 0.1])
def test_both_views_formula_is_the_library(weighted, tau):
    z1, z2 = theory.both_views_batch(12)

    def H(z):
        return z2[:1].expand(len(z), -1)

    loss = losses.weighted_unsupervised(z1, z2, H if weighted else None, temperature=tau)
    formula = theory.both_views_loss(12, 1, tau, weighted, alone=True)
    assert loss.item() == pytest.approx(formula, abs=1e-8)


def test_both_views_expectation_is_the_mean_over_batches():
    """Three directions, three pairs: all 27 batches through the library."""
    three, axis = theory.both_views_batch(3)
    values = [
        losses.weighted_unsupervised(three[list(u)], axis, None).item()
        for u in product(range(3), repeat=3)
    ]
    assert np.mean(values) == pytest.approx(theory.both_views_loss(3, 3), abs=1e-8)


def test_counting_both_views_breaks_the_bound_and_counting_samples_does_not():
    n = 256
    for tau, K, weighted in ((1, 1000, False), (0.5, 1000, False), (0.1, 10**6, True)):
        loss = theory.both_views_loss(n, K, tau, weighted)
        assert math.log(2 * (n - 1)) - loss > 0.1  # where I = 0
        assert math.log(n - 1) - loss < 0
    # altered: first views that are not easier than second ones violate nothing
    assert math.log(2 * (n - 1)) - theory.both_views_loss(n, 2) < 0


def test_memorised_pairs_break_the_bound_and_fresh_ones_do_not():
    train, fresh, error = theory.memorise()
    assert train > 3
    assert fresh + 3 * error < 0
