"""Collapse is no minimiser far below d = n − 1: the bounds hold, and altered ones are caught."""

import math

import numpy as np
import pytest
import torch
from scipy import integrate, special

from herocon_lite import theory

SETTINGS = {  # n, classes, d, as the experiments have them; margin, in-class cosine, m_0 at τ = 1
    "Scene": (2406, 6, 200, 0.12371, 0.175, 2.15),
    "Scene, label vectors": (2407, 15, 200, 0.04578, 0.287, 2.40),
    "N-MNIST": (4200, 10, 512, 0.07296, 0.154, 2.25),
    "XRMB": (5000, 20, 200, 0.03369, 0.313, 2.47),
}


@pytest.fixture(autouse=True)
def double_precision():
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(torch.float32)


def rows_on_sphere(x):
    return x / x.norm(dim=-1, keepdim=True)


def instances(groups=200, each=50, seed=0):
    """10,000 states: any sizes, d = 1 … 7, τ = 0.1 … 5, from collapsed to spread, either view."""
    rng = np.random.default_rng(seed)
    for group in range(groups):
        K, d = int(rng.integers(2, 6)), int(rng.integers(1, 8))
        sizes = rng.integers(1, 6, K)
        y = torch.arange(K).repeat_interleave(torch.tensor(sizes))
        tau = float(10 ** rng.uniform(-1, 0.7))
        noise = torch.tensor(10 ** rng.uniform(-3, 1, (each, 1, 1)))
        means = torch.tensor(rng.normal(size=(each, K, d)))[:, y]

        def view(noise, means=means):
            return rows_on_sphere(means + noise * torch.randn_like(means))

        z = view(noise)
        w = (z, view(noise), view(0 * noise))[group % 3]  # the same, as noisy, collapsed
        yield z, w, y, tau


def least_slack(bound):
    """The least of L_1 − bound(n, K, τ, C) over all instances."""
    slack = []
    for z, w, y, tau in instances():
        n, K = len(y), int(y.max()) + 1
        C = theory.class_spread(z, w, y).clamp_min(0)
        slack.append((theory.inner_loss(z, w, tau) - bound(n, K, tau, C)).min())
    return min(slack).item()


# ---------------------------------------------------------------- M_d


@pytest.mark.parametrize("d", [1, 2, 3, 10, 200, 512])
@pytest.mark.parametrize("scale", [0.1, 1.0, 10.0, 100.0])
def test_mean_exponential_is_the_bessel_form_and_subgaussian(d, scale):
    value = theory.log_mean_exponential(d, scale)
    assert value <= scale**2 / (2 * d) + 1e-12
    assert value <= scale
    if d <= 10:  # beyond, the Bessel function underflows
        bessel = special.ive(d / 2 - 1, scale)
        known = special.gammaln(d / 2) + (d / 2 - 1) * math.log(2 / scale) + math.log(bessel)
        assert value == pytest.approx(known + scale, abs=1e-9)
    if d >= 3 and scale <= 10:
        weight = lambda t: (1 - t * t) ** ((d - 3) / 2)  # noqa: E731 - the law of u·v
        above = integrate.quad(lambda t: weight(t) * math.exp(scale * t), -1, 1)[0]
        mean = above / integrate.quad(weight, -1, 1)[0]
        assert value == pytest.approx(math.log(mean), abs=1e-7)
    # altered: half the exponent is no bound
    if scale <= 1:
        assert value > scale**2 / (4 * d)


def test_without_a_scale_the_mean_is_one():
    assert theory.log_mean_exponential(5, 0) == 0


# ---------------------------------------------------------------- the upper bound of the minimum


@pytest.mark.parametrize(("n", "d", "tau"), [(6, 2, 1.0), (6, 2, 0.3), (12, 3, 1.0), (5, 6, 0.5)])
def test_a_minimiser_lies_below_the_upper_bound(n, d, tau):
    def loss(z, w):
        return theory.inner_loss(z, w, tau)

    least = min(theory.minimise(loss, *torch.randn(2, n, d))[2] for _ in range(3))
    upper = theory.minimum_upper_bound(n, d, tau)
    assert least <= upper <= theory.minimum_upper_bound(n, d, tau, subgaussian=True)


def least_on_a_line(n, tau):
    """The minimum of L_1 for d = 1: every state has k rows at +1, by the collapsed bound z = w."""
    best = math.inf
    for k in range(n + 1):
        z = torch.tensor([[1.0]] * k + [[-1.0]] * (n - k))
        best = min(best, theory.inner_loss(z, z, tau).item())
    return best


def test_the_upper_bound_on_a_line_and_an_altered_one():
    least = least_on_a_line(100, 1.0)
    assert least == pytest.approx(math.log(50 * (1 + math.exp(-2))), abs=1e-12)
    assert least < theory.minimum_upper_bound(100, 1) == pytest.approx(4.0465, abs=5e-5)
    assert theory.minimum_upper_bound(100, 1, subgaussian=True) == pytest.approx(4.1116, abs=5e-5)
    # altered: 1/(4 d τ²) in the exponent gives no bound
    assert math.log1p(99 * math.exp(-1 + 1 / 4)) < least


# ---------------------------------------------------------------- the lower bound in the spread


def test_the_spread_bound_holds_on_10000_instances():
    assert sum(z.shape[0] for z, *_ in instances()) == 10_000
    assert least_slack(theory.spread_lower_bound) > -1e-12


ALTERED = {
    "exponent without K/(K − 1)": (
        lambda n, K, tau, C: (
            -C / tau + math.log(n / K) + ((K - 1) * (-(1 - C) / tau).exp()).log1p()
        ),
        -0.1,
    ),
    "half the spread": (
        lambda n, K, tau, C: theory.spread_lower_bound(n, K, tau, C) + C / (2 * tau),
        -0.2,
    ),
    "n for n/K": (
        lambda n, K, tau, C: theory.spread_lower_bound(n, K, tau, C) + math.log(K),
        -1.0,
    ),
    "the largest class for n/K": (
        lambda n, K, tau, C: theory.spread_lower_bound(n, K, tau, C) + 0.5 * math.log(K),
        -0.3,
    ),
    "the bound of collapsed classes for all states": (
        lambda n, K, tau, C: theory.spread_lower_bound(n, K, tau, 0 * C),
        -0.05,
    ),
}


@pytest.mark.parametrize("name", ALTERED)
def test_an_altered_spread_bound_is_caught(name):
    bound, violated_by = ALTERED[name]
    assert least_slack(bound) < violated_by


def test_the_spread_is_the_mean_product_of_deviations_from_the_class():
    for z, w, y, _ in instances(groups=20, each=1):
        whole = 0.0
        for i, c in enumerate(y):
            a, b = (view[0][y == c].mean(0) for view in (z, w))
            whole += ((z[0, i] - a) @ (w[0, i] - b)).item() / len(y)
        assert theory.class_spread(z, w, y).item() == pytest.approx(whole, abs=1e-12)
        assert whole <= 1


@pytest.mark.parametrize(("sizes", "d", "tau"), [((3, 3), 4, 1.0), ((2, 2, 2), 3, 1.0)])
def test_the_spread_bound_is_attained_and_never_undercut_by_minimising(sizes, d, tau):
    assert -1e-12 < least_gap(sizes, d, tau) < 1e-8


@pytest.mark.parametrize(("sizes", "d", "tau"), [((4, 2), 5, 1.0), ((6, 2, 1), 6, 0.5)])
def test_for_unequal_sizes_the_bound_is_not_attained(sizes, d, tau):
    assert least_gap(sizes, d, tau) > 0.03


def least_gap(sizes, d, tau):
    """min over both views of L_1 − F(C⁺), searched."""
    y = torch.arange(len(sizes)).repeat_interleave(torch.tensor(sizes))

    def gap(z, w):
        C = theory.class_spread(z, w, y).clamp_min(0)
        return theory.inner_loss(z, w, tau) - theory.spread_lower_bound(len(y), len(sizes), tau, C)

    return min(theory.minimise(gap, *torch.randn(2, len(y), d))[2] for _ in range(4))


def test_collapsed_classes_of_equal_size_attain_it_and_one_view_is_enough():
    for K, m, tau in ((2, 2, 1.0), (4, 3, 0.3)):
        points = theory.collapsed(K, m)
        bound = theory.spread_lower_bound(K * m, K, tau)
        assert theory.inner_loss(points, points, tau).item() == pytest.approx(bound, abs=1e-12)
        assert bound == pytest.approx(theory.collapsed_loss(K, m, tau), abs=1e-12)
        free = rows_on_sphere(torch.randn(500, K * m, K * m))
        y = torch.arange(K).repeat_interleave(m)
        for z, w in ((points, free), (free, points)):
            assert theory.class_spread(z, w, y).abs().max() < 1e-12
            assert (theory.inner_loss(z, w, tau) > bound).all()


# ---------------------------------------------------------------- collapsed classes of known sizes


def test_the_bound_for_given_sizes_lies_between_that_for_any_sizes_and_the_loss():
    rng = np.random.default_rng(0)
    nearest = math.inf
    for trial in range(300):
        K, d = int(rng.integers(2, 6)), int(rng.integers(1, 6))
        sizes = rng.integers(1, 8, K)
        y = torch.arange(K).repeat_interleave(torch.tensor(sizes))
        tau = float(10 ** rng.uniform(-1, 0.7))
        bound = theory.collapsed_bound(sizes, tau)
        assert bound >= theory.spread_lower_bound(len(y), K, tau) - 1e-9
        free = rows_on_sphere(torch.tensor(rng.normal(size=(20, len(y), d))))
        points = rows_on_sphere(torch.tensor(rng.normal(size=(20, K, d))))[:, y]
        w = (points, free, points)[trial % 3]
        z = (points, points, free)[trial % 3]
        slack = (theory.inner_loss(z, w, tau) - bound).min().item()
        assert slack > -1e-9
        nearest = min(nearest, slack)
    assert nearest < 1e-6  # altered: a bound larger by as little would be violated


@pytest.mark.parametrize("sizes", [(3, 3, 3), (1, 1), (5, 5)])
def test_for_equal_sizes_both_bounds_agree(sizes):
    for tau in (0.1, 1.0, 5.0):
        bound = theory.spread_lower_bound(sum(sizes), len(sizes), tau)
        assert theory.collapsed_bound(sizes, tau) == pytest.approx(bound, abs=1e-9)
    assert theory.collapsed_bound((5, 3, 1)) > theory.spread_lower_bound(9, 3) + 1e-3


# ---------------------------------------------------------------- the region


@pytest.mark.parametrize("name", SETTINGS)
def test_the_experiments_lie_in_the_region(name):
    n, K, d, margin, cosine, needed = SETTINGS[name]
    assert theory.collapse_margin(n, K, d) == pytest.approx(margin, abs=1e-5)
    assert 1 - theory.least_spread(n, K, d) == pytest.approx(cosine, abs=5e-4)
    assert theory.class_size_needed(K, d) == pytest.approx(needed, abs=5e-3)
    spread = theory.least_spread(n, K, d)
    bound = theory.spread_lower_bound(n, K, spread=spread)
    assert bound == pytest.approx(theory.minimum_upper_bound(n, d), abs=1e-9)
    # at smaller temperatures they lie deeper
    assert theory.collapse_margin(n, K, d, 0.1) > theory.collapse_margin(n, K, d, 0.5) > margin


def test_the_class_size_needed_is_the_edge_of_the_region():
    for K, d, tau in ((2, 2, 1.0), (6, 200, 1.0), (10, 12, 0.3), (20, 19, 0.5), (40, 200, 1.0)):
        edge = theory.class_size_needed(K, d, tau)
        assert math.isfinite(edge)
        for factor, inside in ((1.001, True), (0.999, False)):
            n = factor * edge * K  # the formulas take any n
            assert (theory.collapse_margin(n, K, d, tau) > 0) == inside


def test_enough_dimensions_make_the_class_size_finite():
    rng = np.random.default_rng(0)
    for _ in range(2000):
        K = int(rng.integers(2, 40))
        d = max(2, K - 1) + int(rng.integers(0, 5))
        assert math.isfinite(theory.class_size_needed(K, d, 10 ** rng.uniform(-1, 1)))
    # altered: fewer dimensions, and no number of samples is enough
    assert theory.class_size_needed(20, 3, 1.0) == math.inf
    assert theory.class_size_needed(2, 1, 1.0) == math.inf  # d = 1


def test_outside_the_region_nothing_is_claimed():
    assert theory.collapse_margin(100, 2, 1) < 0  # on a line
    assert theory.least_spread(100, 2, 1) == 0
    # and there collapse is the minimum, for an even number of samples
    assert least_on_a_line(100, 1.0) == pytest.approx(theory.spread_lower_bound(100, 2), abs=1e-12)


def test_minimisers_inside_the_region_keep_to_the_bound():
    K, m, d, tau = 2, 12, 3, 0.2
    y = torch.arange(K).repeat_interleave(m)
    C_0 = theory.least_spread(K * m, K, d, tau)
    assert C_0 > 0.2
    z, w, _ = theory.minimise(lambda z, w: theory.inner_loss(z, w, tau), *torch.randn(2, K * m, d))
    assert theory.class_spread(z, w, y) >= C_0
    inside = (z @ w.T)[y[:, None] == y].mean()
    assert inside <= 1 - C_0 + 1e-12


# ---------------------------------------------------------------- no local minimum


def states(number=400, seed=0):
    rng = np.random.default_rng(seed)
    for trial in range(number):
        K, d = int(rng.integers(2, 6)), int(rng.integers(1, 5))
        sizes = [int(m) for m in rng.integers(2, 6, K)]
        a = rows_on_sphere(torch.tensor(rng.normal(size=(K, d))))
        b = rows_on_sphere(a + (trial % 3) * torch.tensor(rng.normal(size=(K, d))))
        yield (
            a,
            b,
            sizes,
            torch.tensor(rng.normal(size=sum(sizes))),
            float(10 ** rng.uniform(-1, 0.7)),
        )


def second_difference(a, b, sizes, moves, tau, step=1e-3):
    def loss(step):
        return theory.inner_loss(*theory.parted(a, b, sizes, moves, step), tau)

    first = (loss(step) - loss(-step)) / (2 * step)
    return first.item(), ((loss(step) - 2 * loss(0.0) + loss(-step)) / step**2).item()


def test_parting_a_class_lowers_the_loss_by_the_formula():
    for a, b, sizes, moves, tau in states():
        slope, second = second_difference(a, b, sizes, moves, tau)
        formula = theory.parting_curvature(a, b, sizes, tau)
        unit = 1 / tau + 1 / tau**2
        assert abs(slope) < 1e-6 * unit
        assert abs(second - formula) < 1e-5 * unit
        assert formula < 0
        assert not abs(second + formula) < 1e-5 * unit  # altered: the other sign


def test_its_strength_is_never_zero():
    worst = max(
        1 + theory.parting_curvature(a, b, sizes, tau) * tau / 2
        for a, b, sizes, _, tau in states(2000)
    )
    assert 0.5 < worst < 1  # T < 1


def test_parting_agrees_with_the_curvature_of_a_simplex():
    for K, m, tau in ((2, 2, 1.0), (4, 3, 0.5)):
        points = theory.simplex(K)
        whole = theory.parting_curvature(points, points, [m] * K, tau)
        assert whole == pytest.approx(2 * K * m * theory.curvature(K, m, tau), abs=1e-12)


# ---------------------------------------------------------------- where it breaks


def test_with_too_few_dimensions_cosines_differ_but_no_pair_is_special():
    z, w, value = theory.minimise(theory.inner_loss, *torch.randn(2, 8, 3))
    cosine = (z @ w.T)[~torch.eye(8, dtype=torch.bool)]
    assert cosine.max() - cosine.min() > 1  # not a simplex
    order = torch.randperm(8)
    assert theory.inner_loss(z[order], w[order]).item() == pytest.approx(value, abs=1e-12)


def test_in_one_dimension_halves_are_the_minimum_of_all_states():
    signs = torch.cartesian_prod(*[torch.tensor([1.0, -1.0])] * 4)[:, :, None]
    for tau in (1.0, 0.3):
        states = theory.inner_loss(signs[:, None], signs[None], tau)  # (16, 16)
        assert states.min().item() == pytest.approx(theory.spread_lower_bound(4, 2, tau), abs=1e-12)
        # altered: with K = 3, or with a dimension more, it would not be
        assert states.min().item() > theory.spread_lower_bound(4, 3, tau) + 0.1
        lower = theory.minimise(
            lambda z, w, t=tau: theory.inner_loss(z, w, t), *torch.randn(2, 4, 2)
        )
        assert lower[2] < states.min().item() - 0.02
