"""The propositions of the chapter on false negatives: each holds, and fails once it is altered.

A check that would also pass for a wrong statement proves nothing. So every statement stands here
as a function of its formula: the true one passes, and one with another sign, constant or condition
is seen to fail.
"""

import math

import pytest
import torch

from herocon_lite import losses, theory
from herocon_lite.similarity import unit

TAUS = (1.0, 0.5, 0.1)
BATCHES = ((2, 2), (2, 4), (4, 2), (3, 3))  # classes, samples of each
E2 = math.e**2


@pytest.fixture(autouse=True)
def double_precision():
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(torch.float32)


def identity(z):
    return z


def two_views(n=8, d=3):
    return unit(torch.randn(n, d)), unit(torch.randn(n, d))


def close(a, b, tolerance=1e-8):
    return bool(torch.as_tensor(a - b).abs().max() < tolerance)


# ---------------------------------------------------------------- the gradient


def autograd_in_view_2(z, w, tau):
    w = w.clone().requires_grad_()
    return torch.autograd.grad(theory.inner_loss(z, w, tau), w)[0]


@pytest.mark.parametrize("tau", TAUS)
def test_autograd_agrees_with_the_full_gradient_and_not_with_the_proofs(tau):
    z, w = two_views()
    slope = autograd_in_view_2(z, w, tau)
    assert close(slope, theory.full_gradient(z, w, tau), 1e-12)
    assert not close(slope, theory.partial_gradient(z, w, tau), 1e-2)
    assert not close(slope, -theory.full_gradient(z, w, tau), 1e-2)


@pytest.mark.parametrize("tau", TAUS)
def test_the_gradient_in_view_1(tau):
    z, w = two_views()
    z.requires_grad_()
    (slope,) = torch.autograd.grad(theory.inner_loss(z, w, tau), z)
    P = (z @ w.T / tau).softmax(1)
    assert close(slope, (P @ w - w) / (len(z) * tau), 1e-12)
    assert not close(slope, (P.T @ w - w) / (len(z) * tau), 1e-3)  # shares down the columns


def test_the_proofs_gradient_is_never_zero_but_always_radial_where_views_agree():
    for points in (theory.simplex(6), theory.doubled(6)):
        for tau in TAUS:
            partial = theory.partial_gradient(points, points, tau)
            assert partial.norm(dim=1).min() > 1e-6
            assert close(theory.tangent(partial, points), 0, 1e-12)
    z, w = two_views()  # where views differ it is not radial
    assert not close(theory.tangent(theory.partial_gradient(z, w, 0.5), w), 0, 1e-2)


def test_total_collapse_is_stationary_for_vectors_of_any_length():
    a, b = torch.randn(2, 1, 3)
    z, w = a.expand(5, 3), b.expand(5, 3)
    assert close(theory.full_gradient(z, w, 1.0), 0, 1e-12)
    assert not close(theory.partial_gradient(z, w, 1.0), 0, 1e-2)


# ---------------------------------------------------------------- the floor


def floor_is_attained(floor):
    for n in (2, 5, 16):
        points = theory.simplex(n)
        for tau in TAUS:
            if not close(losses.info_nce(points, points, tau), floor(n, tau), 1e-10):
                return False
    return True


def test_a_simplex_attains_the_floor():
    assert floor_is_attained(theory.floor)


@pytest.mark.parametrize(
    "altered",
    [
        lambda n, tau: math.log(1 + (n - 1) * math.exp(-1 / tau)),  # cosine 0, not −1/(n−1)
        lambda n, tau: math.log(1 + n * math.exp(-n / ((n - 1) * tau))),
        lambda n, tau: math.log(1 + (n - 1) * math.exp(-n / (n - 1) * tau)),
        lambda n, tau: -theory.floor(n, tau),
    ],
)
def test_another_floor_is_not_attained(altered):
    assert not floor_is_attained(altered)


def least_loss(n, d, tau):
    return theory.minimise(lambda z, w: theory.inner_loss(z, w, tau), *torch.randn(2, n, d))[2]


@pytest.mark.parametrize("tau", [2.0, 1.0, 0.5])
def test_minimising_ends_at_the_floor_and_not_below_it(tau):
    for n, d in ((3, 2), (5, 4), (6, 8)):
        slack = least_loss(n, d, tau) - theory.floor(n, tau)
        assert -1e-12 < slack < 1e-8
    # altered: too few dimensions, and the floor is out of reach
    assert least_loss(5, 3, tau) > theory.floor(5, tau) + 1e-3


def test_without_unit_length_there_is_no_floor():
    points = 3 * theory.simplex(5)
    assert theory.inner_loss(points, points, 1.0) < theory.floor(5, 1.0)


@pytest.mark.parametrize("n", [2, 3, 7])
def test_a_simplex_is_one(n):
    for size in (n - 1, n, n + 3):
        points = theory.simplex(n, size)
        assert points.shape == (n, size)
        expected = torch.full((n, n), -1 / (n - 1)).fill_diagonal_(1.0)
        assert close(points @ points.T, expected, 1e-12)
    with pytest.raises(ValueError, match="simplex"):
        theory.simplex(n, n - 2)


# ---------------------------------------------------------------- Lemma 3.1, repaired


def collapsed_value_is(formula):
    for K, m in BATCHES:
        points = theory.collapsed(K, m)
        for tau in TAUS:
            if not close(losses.info_nce(points, points, tau), formula(K, m, tau), 1e-10):
                return False
    return True


def test_the_loss_of_collapsed_classes():
    assert collapsed_value_is(theory.collapsed_loss)
    wrong = [
        lambda K, m, tau: theory.floor(K * m, tau),
        lambda K, m, tau: math.log(m + K * m * math.exp(-K / ((K - 1) * tau))),
        lambda K, m, tau: math.log(m + (K - 1) * m * math.exp(-1 / tau)),
    ]
    assert not any(collapsed_value_is(formula) for formula in wrong)


def test_collapse_is_above_the_floor_exactly_if_there_is_a_false_negative():
    for tau in TAUS:
        for K, m in BATCHES:
            assert theory.collapsed_loss(K, m, tau) > theory.floor(K * m, tau) + 1e-3
            assert theory.collapsed_loss(K, 1, tau) == pytest.approx(theory.floor(K, tau))


def test_the_excess_tends_to_log_m():
    for K, m in BATCHES:
        excess = theory.collapsed_loss(K, m, 0.02) - theory.floor(K * m, 0.02)
        assert excess == pytest.approx(math.log(m), abs=1e-8)
        assert excess != pytest.approx(math.log(K), abs=1e-3) or m == K


@pytest.mark.parametrize("tau", [1.0, 0.5])
def test_descent_from_near_collapse_ends_in_the_simplex(tau):
    start = theory.collapsed(2, 2, 3)
    z, w = (unit(start + 1e-3 * torch.randn(4, 3)) for _ in range(2))
    z, w, history = theory.descend(lambda a, b: theory.inner_loss(a, b, tau), z, w, 500, 1.0)
    assert history[0] == pytest.approx(theory.collapsed_loss(2, 2, tau), abs=1e-4)
    assert history[-1] == pytest.approx(theory.floor(4, tau), abs=1e-6)
    expected = torch.full((4, 4), -1 / 3).fill_diagonal_(1.0)
    assert close(z @ z.T, expected, 1e-3)


def test_on_a_circle_the_floor_is_out_of_reach():
    """The dropped condition: d ≥ n − 1."""
    z = unit(torch.randn(6, 2))
    *_, history = theory.descend(lambda a, b: theory.inner_loss(a, b, 0.5), z, z, 1000, 1.0)
    assert history[-1] > theory.floor(6, 0.5) + 0.1


def test_one_pair():
    def holds(formula):
        return all(
            close(theory.inner_loss(p, p, tau), formula(n, tau), 1e-10)
            for n in (3, 4, 16)
            for p in [theory.doubled(n)]
            for tau in TAUS
        )

    assert holds(theory.one_pair_loss)
    assert not holds(lambda n, tau: theory.one_pair_loss(n + 1, tau))
    assert not holds(theory.floor)
    for n in (4, 16, 64):
        limit = 2 / n * math.log(2)
        for tau in (2.0, *TAUS, 0.02):
            assert limit <= theory.one_pair_loss(n, tau)
            assert theory.one_pair_loss(n, tau) - theory.floor(n, tau) <= limit + 1e-12
        assert theory.one_pair_loss(n, 0.02) == pytest.approx(limit, abs=1e-10)


# ---------------------------------------------------------------- the saddle


@pytest.mark.parametrize(("K", "m"), BATCHES)
@pytest.mark.parametrize("tau", TAUS)
def test_collapsed_classes_are_stationary(K, m, tau):
    points = theory.collapsed(K, m)
    assert close(theory.tangent(theory.full_gradient(points, points, tau), points), 0, 1e-12)
    if K > 2 and tau > 0.1:  # unequal classes: two points stay opposite, more do not stay spread
        uneven = points[1:]
        gradient = theory.full_gradient(uneven, uneven, tau)
        assert not close(theory.tangent(gradient, uneven), 0, 1e-6)


@pytest.mark.parametrize(("K", "m", "d"), [(2, 2, 4), (2, 3, 2), (4, 2, 5), (3, 2, 2), (4, 2, 3)])
def test_the_smallest_eigenvalue_at_collapsed_classes(K, m, d):
    for tau in TAUS:
        values = theory.hessian_eigenvalues(theory.collapsed(K, m, d), tau)
        inside = float(d < K)  # without room outside the span of the classes
        true = theory.curvature(K, m, tau, inside)
        assert true < 0
        assert close(values[0], true)
        assert int((values < -1e-9).sum()) == K * (m - 1) * (d - 1)
        for wrong in (-true, true / 2, theory.curvature(K, m + 1, tau, inside)):
            assert not close(values[0], wrong, 1e-4)


def test_other_room_gives_another_curvature():
    values = theory.hessian_eigenvalues(theory.collapsed(3, 2, 2), 1.0)
    assert not close(values[0], theory.curvature(3, 2, 1.0, inside=0.0), 1e-3)


@pytest.mark.parametrize("inside", [0.0, 0.3, 1.0])
def test_the_curvature_along_one_move(inside):
    """By hand: two samples of a class part along u, by ± ε, and the loss falls by the formula."""
    K, m, tau, eps = 4, 3, 0.5, 1e-3
    points = theory.collapsed(K, m, K + 1)
    out = torch.eye(K + 1)[-1]  # orthogonal to all class points
    within = unit(theory.tangent(points[m : m + 1], points[:1]))[0]
    u = math.sqrt(inside) * within + math.sqrt(1 - inside) * out
    moved = points.clone()
    moved[0] = math.cos(eps) * points[0] + math.sin(eps) * u
    moved[1] = math.cos(eps) * points[1] - math.sin(eps) * u
    change = theory.inner_loss(moved, moved, tau) - theory.inner_loss(points, points, tau)
    second = 2 * change.item() / (2 * eps) ** 2
    assert second == pytest.approx(theory.curvature(K, m, tau, inside), rel=1e-3)


def test_without_false_negatives_there_is_no_negative_direction():
    for tau in TAUS:
        assert theory.hessian_eigenvalues(theory.collapsed(3, 1, 3), tau)[0] > -1e-9


# ---------------------------------------------------------------- Definition 1


def test_definition_1():
    for tau in (1.0, 0.1, 0.01):
        for cosine in (-1.0, -0.2, 0.0, 0.2, 1.0):
            assert (theory.definition_1(cosine, tau) > 1) == (cosine > 0)
    assert theory.definition_1(-1, 1.0) > 0.36  # "about 0" is out of reach at τ = 1
    for n in (10, 100):
        for tau in (1.0, 0.1, 0.05):
            assert 0.1 < theory.definition_1(-1 / (n - 1), tau) < 1


def test_few_vectors_can_point_apart():
    def some_pair_is_nearer_than(bound):
        z = torch.nn.functional.normalize(torch.randn(300, 7, 5), dim=-1)
        nearest = (z @ z.mT - 2 * torch.eye(7)).amax((1, 2))
        simplex = theory.simplex(7)
        worst = (simplex @ simplex.T - 2 * torch.eye(7)).max()
        return bool((nearest >= bound - 1e-12).all() and worst >= bound - 1e-12)

    assert some_pair_is_nearer_than(-1 / 6)
    assert not some_pair_is_nearer_than(-1 / 7)  # the simplex shows that it is sharp
