"""The propositions of the chapters on false negatives and on weights, and each one altered.

A check that would also pass for a wrong statement proves nothing. So every statement stands here
as a function of its formula: the true one passes, and one with another sign, constant or condition
is seen to fail.
"""

import json
import math

import pytest
import torch

from herocon_lite import losses
from herocon_lite.similarity import unit
from herocon_lite.theory import spheres

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
    return torch.autograd.grad(spheres.inner_loss(z, w, tau), w)[0]


@pytest.mark.parametrize("tau", TAUS)
def test_autograd_agrees_with_the_full_gradient_and_not_with_the_proofs(tau):
    z, w = two_views()
    slope = autograd_in_view_2(z, w, tau)
    assert close(slope, spheres.full_gradient(z, w, tau), 1e-12)
    assert not close(slope, spheres.partial_gradient(z, w, tau), 1e-2)
    assert not close(slope, -spheres.full_gradient(z, w, tau), 1e-2)


@pytest.mark.parametrize("tau", TAUS)
def test_the_gradient_in_view_1(tau):
    z, w = two_views()
    z.requires_grad_()
    (slope,) = torch.autograd.grad(spheres.inner_loss(z, w, tau), z)
    P = (z @ w.T / tau).softmax(1)
    assert close(slope, (P @ w - w) / (len(z) * tau), 1e-12)
    assert not close(slope, (P.T @ w - w) / (len(z) * tau), 1e-3)  # shares down the columns


def test_the_proofs_gradient_is_never_zero_but_always_radial_where_views_agree():
    for points in (spheres.simplex(6), spheres.doubled(6)):
        for tau in TAUS:
            partial = spheres.partial_gradient(points, points, tau)
            assert partial.norm(dim=1).min() > 1e-6
            assert close(spheres.tangent(partial, points), 0, 1e-12)
    z, w = two_views()  # where views differ it is not radial
    assert not close(spheres.tangent(spheres.partial_gradient(z, w, 0.5), w), 0, 1e-2)


def test_total_collapse_is_stationary_for_vectors_of_any_length():
    a, b = torch.randn(2, 1, 3)
    z, w = a.expand(5, 3), b.expand(5, 3)
    assert close(spheres.full_gradient(z, w, 1.0), 0, 1e-12)
    assert not close(spheres.partial_gradient(z, w, 1.0), 0, 1e-2)


# ---------------------------------------------------------------- the floor


def floor_is_attained(floor):
    for n in (2, 5, 16):
        points = spheres.simplex(n)
        for tau in TAUS:
            if not close(losses.info_nce(points, points, tau), floor(n, tau), 1e-10):
                return False
    return True


def test_a_simplex_attains_the_floor():
    assert floor_is_attained(spheres.floor)


@pytest.mark.parametrize(
    "altered",
    [
        lambda n, tau: math.log(1 + (n - 1) * math.exp(-1 / tau)),  # cosine 0, not −1/(n−1)
        lambda n, tau: math.log(1 + n * math.exp(-n / ((n - 1) * tau))),
        lambda n, tau: math.log(1 + (n - 1) * math.exp(-n / (n - 1) * tau)),
        lambda n, tau: -spheres.floor(n, tau),
    ],
)
def test_another_floor_is_not_attained(altered):
    assert not floor_is_attained(altered)


@pytest.mark.parametrize("tau", TAUS)
def test_nothing_lies_below_the_floor(tau):
    for _ in range(200):
        z, w = torch.randn(2, 5, 6)
        w = z + torch.rand(1) * w
        assert losses.info_nce(z, w, tau) > spheres.floor(5, tau)
    points = spheres.simplex(5, 6)
    for other in (unit(points + 0.05 * torch.randn(5, 6)), points.roll(1, 0)):
        assert losses.info_nce(points, other, tau) > spheres.floor(5, tau) + 1e-12


def test_without_unit_length_there_is_no_floor():
    points = 3 * spheres.simplex(5)
    assert spheres.inner_loss(points, points, 1.0) < spheres.floor(5, 1.0)


@pytest.mark.parametrize("n", [2, 3, 7])
def test_a_simplex_is_one(n):
    for size in (n - 1, n, n + 3):
        points = spheres.simplex(n, size)
        assert points.shape == (n, size)
        expected = torch.full((n, n), -1 / (n - 1)).fill_diagonal_(1.0)
        assert close(points @ points.T, expected, 1e-12)
    with pytest.raises(ValueError, match="simplex"):
        spheres.simplex(n, n - 2)


# ---------------------------------------------------------------- Lemma 3.1, repaired


def collapsed_value_is(formula):
    for K, m in BATCHES:
        points = spheres.collapsed(K, m)
        for tau in TAUS:
            if not close(losses.info_nce(points, points, tau), formula(K, m, tau), 1e-10):
                return False
    return True


def test_the_loss_of_collapsed_classes():
    assert collapsed_value_is(spheres.collapsed_loss)
    wrong = [
        lambda K, m, tau: spheres.floor(K * m, tau),
        lambda K, m, tau: math.log(m + K * m * math.exp(-K / ((K - 1) * tau))),
        lambda K, m, tau: math.log(m + (K - 1) * m * math.exp(-1 / tau)),
    ]
    assert not any(collapsed_value_is(formula) for formula in wrong)


def test_collapse_is_above_the_floor_exactly_if_there_is_a_false_negative():
    for tau in TAUS:
        for K, m in BATCHES:
            assert spheres.collapsed_loss(K, m, tau) > spheres.floor(K * m, tau) + 1e-3
            assert spheres.collapsed_loss(K, 1, tau) == pytest.approx(spheres.floor(K, tau))


def test_the_excess_tends_to_log_m():
    for K, m in BATCHES:
        excess = spheres.collapsed_loss(K, m, 0.02) - spheres.floor(K * m, 0.02)
        assert excess == pytest.approx(math.log(m), abs=1e-8)
        assert excess != pytest.approx(math.log(K), abs=1e-3) or m == K


@pytest.mark.parametrize("tau", [1.0, 0.5])
def test_descent_from_near_collapse_ends_in_the_simplex(tau):
    start = spheres.collapsed(2, 2, 3)
    z, w = (unit(start + 1e-3 * torch.randn(4, 3)) for _ in range(2))
    z, w, history = spheres.descend(lambda a, b: spheres.inner_loss(a, b, tau), z, w, 500, 1.0)
    assert history[0] == pytest.approx(spheres.collapsed_loss(2, 2, tau), abs=1e-4)
    assert history[-1] == pytest.approx(spheres.floor(4, tau), abs=1e-6)
    expected = torch.full((4, 4), -1 / 3).fill_diagonal_(1.0)
    assert close(z @ z.T, expected, 1e-3)


def test_on_a_circle_the_floor_is_out_of_reach():
    """The dropped condition: d ≥ n − 1."""
    z = unit(torch.randn(6, 2))
    *_, history = spheres.descend(lambda a, b: spheres.inner_loss(a, b, 0.5), z, z, 1000, 1.0)
    assert history[-1] > spheres.floor(6, 0.5) + 0.1


def test_one_pair():
    def holds(formula):
        return all(
            close(spheres.inner_loss(p, p, tau), formula(n, tau), 1e-10)
            for n in (3, 4, 16)
            for p in [spheres.doubled(n)]
            for tau in TAUS
        )

    assert holds(spheres.one_pair_loss)
    assert not holds(lambda n, tau: spheres.one_pair_loss(n + 1, tau))
    assert not holds(spheres.floor)
    for n in (4, 16, 64):
        limit = 2 / n * math.log(2)
        for tau in (2.0, *TAUS, 0.02):
            assert limit <= spheres.one_pair_loss(n, tau)
            assert spheres.one_pair_loss(n, tau) - spheres.floor(n, tau) <= limit + 1e-12
        assert spheres.one_pair_loss(n, 0.02) == pytest.approx(limit, abs=1e-10)


# ---------------------------------------------------------------- the saddle


@pytest.mark.parametrize(("K", "m"), BATCHES)
@pytest.mark.parametrize("tau", TAUS)
def test_collapsed_classes_are_stationary(K, m, tau):
    points = spheres.collapsed(K, m)
    assert close(spheres.tangent(spheres.full_gradient(points, points, tau), points), 0, 1e-12)
    if K > 2 and tau > 0.1:  # unequal classes: two points stay opposite, more do not stay spread
        uneven = points[1:]
        gradient = spheres.full_gradient(uneven, uneven, tau)
        assert not close(spheres.tangent(gradient, uneven), 0, 1e-6)


@pytest.mark.parametrize(("K", "m", "d"), [(2, 2, 4), (2, 3, 2), (4, 2, 5), (3, 2, 2), (4, 2, 3)])
def test_the_smallest_eigenvalue_at_collapsed_classes(K, m, d):
    for tau in TAUS:
        values = spheres.hessian_eigenvalues(spheres.collapsed(K, m, d), tau)
        inside = float(d < K)  # without room outside the span of the classes
        true = spheres.curvature(K, m, tau, inside)
        assert true < 0
        assert close(values[0], true)
        assert int((values < -1e-9).sum()) == K * (m - 1) * (d - 1)
        for wrong in (-true, true / 2, spheres.curvature(K, m + 1, tau, inside)):
            assert not close(values[0], wrong, 1e-4)


def test_other_room_gives_another_curvature():
    values = spheres.hessian_eigenvalues(spheres.collapsed(3, 2, 2), 1.0)
    assert not close(values[0], spheres.curvature(3, 2, 1.0, inside=0.0), 1e-3)


@pytest.mark.parametrize("inside", [0.0, 0.3, 1.0])
def test_the_curvature_along_one_move(inside):
    """By hand: two samples of a class part along u, by ± ε, and the loss falls by the formula."""
    K, m, tau, eps = 4, 3, 0.5, 1e-3
    points = spheres.collapsed(K, m, K + 1)
    out = torch.eye(K + 1)[-1]  # orthogonal to all class points
    within = unit(spheres.tangent(points[m : m + 1], points[:1]))[0]
    u = math.sqrt(inside) * within + math.sqrt(1 - inside) * out
    moved = points.clone()
    moved[0] = math.cos(eps) * points[0] + math.sin(eps) * u
    moved[1] = math.cos(eps) * points[1] - math.sin(eps) * u
    change = spheres.inner_loss(moved, moved, tau) - spheres.inner_loss(points, points, tau)
    second = 2 * change.item() / (2 * eps) ** 2
    assert second == pytest.approx(spheres.curvature(K, m, tau, inside), rel=1e-3)


def test_without_false_negatives_there_is_no_negative_direction():
    for tau in TAUS:
        assert spheres.hessian_eigenvalues(spheres.collapsed(3, 1, 3), tau)[0] > -1e-9


# ---------------------------------------------------------------- Definition 1


def test_definition_1():
    for tau in (1.0, 0.1, 0.01):
        for cosine in (-1.0, -0.2, 0.0, 0.2, 1.0):
            assert (spheres.definition_1(cosine, tau) > 1) == (cosine > 0)
    assert spheres.definition_1(-1, 1.0) > 0.36  # "about 0" is out of reach at τ = 1
    for n in (10, 100):
        for tau in (1.0, 0.1, 0.05):
            assert 0.1 < spheres.definition_1(-1 / (n - 1), tau) < 1


def test_few_vectors_can_point_apart():
    def some_pair_is_nearer_than(bound):
        z = unit(torch.randn(300, 7, 5))
        nearest = (z @ z.mT - 2 * torch.eye(7)).amax((1, 2))
        simplex = spheres.simplex(7)
        worst = (simplex @ simplex.T - 2 * torch.eye(7)).max()
        return bool((nearest >= bound - 1e-12).all() and worst >= bound - 1e-12)

    assert some_pair_is_nearer_than(-1 / 6)
    assert not some_pair_is_nearer_than(-1 / 7)  # the simplex shows that it is sharp


# ---------------------------------------------------------------- the weights


def test_the_range_of_g():
    H = torch.nn.Sequential(torch.nn.Linear(6, 6), torch.nn.Sigmoid())
    a, b = torch.randn(2, 300, 6)
    for net in (H, identity, torch.tanh, lambda z: -z):
        g = spheres.weights(a, b, net)
        assert g.min() >= 1 - 1e-12 and g.max() <= E2 + 1e-12
    assert spheres.weights(a.abs(), b.abs(), H).max() <= math.e
    ends = spheres.weights(a, torch.cat([a, -a]), identity)
    assert close(ends.min(), 1) and close(ends.max(), E2)  # so no narrower range holds
    assert spheres.weights(a, b, H).max() > math.e  # nor [1, e] without the condition


def test_weights_are_those_of_the_library():
    z1, z2 = torch.randn(2, 7, 4)
    H = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Sigmoid())
    own = torch.eye(7, dtype=torch.bool)
    f = [(unit(z1) @ unit(z).T / 0.5).exp() for z in (z1, z2)]
    g = [spheres.weights(z1, z, H) for z in (z1, z2)]
    negatives = sum((a * b).masked_fill(own, 0.0).sum(1) for a, b in zip(f, g, strict=True))
    value = (1 + negatives / f[1].diagonal()).log().mean()
    assert close(value, losses.weighted_unsupervised(z1, z2, H, 0.5), 1e-12)


def shares_and_pushes(weigh_positive=False):
    z, w = two_views(12, 6)
    own = torch.eye(12, dtype=torch.bool)
    g = spheres.weights(z, w, identity)
    g = g if weigh_positive else g.masked_fill(own, 1.0)
    scores = (z @ w.T / 0.5).requires_grad_()
    loss = (scores + g.log()).logsumexp(1) - scores.diagonal()
    (push,) = torch.autograd.grad(loss.sum(), scores)
    return scores.detach().softmax(1), g, push, own


def test_weights_only_shift_the_push():
    P, g, push, own = shares_and_pushes()
    shares = spheres.weighted_shares(P, g)
    assert close(push, shares - torch.eye(12), 1e-12)
    mean = (g * P).sum(1, keepdim=True)
    assert torch.equal((shares < P)[~own], (g < mean)[~own])
    assert not torch.equal((shares < P)[~own], (g > mean)[~own])
    assert not torch.equal((shares < P)[~own], (g < g.mean(1, keepdim=True))[~own])
    assert (shares.diagonal() <= P.diagonal()).all()
    ratio = (shares / P)[:, 1:] / (shares / P)[:, :1]
    assert ratio.min() >= 1 / E2 and ratio.max() <= E2


def test_the_total_push_may_fall_if_the_positive_is_weighted_too():
    """The dropped condition: g_ii = 1."""
    P, g, _, _ = shares_and_pushes(weigh_positive=True)
    assert (spheres.weighted_shares(P, g).diagonal() > P.diagonal()).any()


def test_identity_is_a_change_of_temperature():
    def holds(z1, z2, other):
        return all(
            close(
                losses.weighted_unsupervised(z1, z2, identity, tau),
                losses.weighted_unsupervised(z1, z2, None, other(tau)),
            )
            for tau in (0.5, 0.2, 0.1)
        )

    z, w = torch.randn(2, 9, 5)
    assert holds(z, z, spheres.hotter)
    assert not holds(z, z, lambda tau: tau)
    assert not holds(z, z, lambda tau: tau / (1 + tau))
    assert not holds(z, w, spheres.hotter)  # views must agree
    assert spheres.hotter(1.0) == math.inf


def test_at_temperature_1_the_identity_repels_nobody():
    def value_and_slope(tau):
        z = torch.randn(9, 5).requires_grad_()
        value = losses.weighted_unsupervised(z, z.detach(), identity, tau)
        return value.item(), torch.autograd.grad(value, z)[0]

    value, slope = value_and_slope(1.0)
    assert value == pytest.approx(math.log(1 + 16), abs=1e-10)
    assert close(slope, 0)
    value, slope = value_and_slope(0.9)
    assert value != pytest.approx(math.log(1 + 16), abs=1e-3)
    assert not close(slope, 0, 1e-3)


@pytest.mark.parametrize("tau", TAUS)
def test_forces_on_one_anchor(tau):
    forces = spheres.anchor_forces(tau, false=2, true=5)
    c = torch.tensor([1.0, 0.9, 0.9] + [-0.2] * 5)
    g = (1 - c).exp()
    g[0] = 1.0
    P = (c / tau).softmax(0)
    Pw = g * P / (g * P).sum()
    expected = {
        "vanilla": (P[1] / tau, P[-1] / tau, (1 - P[0]) / tau),
        "detached": (Pw[1] / tau, Pw[-1] / tau, (1 - Pw[0]) / tau),
        "flowing": (Pw[1] * (1 / tau - 1), Pw[-1] * (1 / tau - 1), (1 - Pw[0]) / tau),
    }
    for mode, three in expected.items():
        assert forces[mode] == pytest.approx([float(x) for x in three], abs=1e-12)
    assert forces["detached"][2] >= forces["vanilla"][2]


def test_constant_weights_may_push_a_false_negative_harder():
    warm, cold = spheres.anchor_forces(1.0), spheres.anchor_forces(0.1)
    assert warm["detached"][0] < warm["vanilla"][0]
    assert cold["detached"][0] > cold["vanilla"][0]
    assert warm["flowing"][0] == pytest.approx(0, abs=1e-12)


def test_free_weights_go_to_one():
    z, w = two_views(8, 5)
    own = torch.eye(8, dtype=torch.bool)
    P = (z @ w.T).softmax(1)

    def slope(g, sign=1):
        g = g.clone().requires_grad_()
        loss = sign * ((z @ w.T + g.log()).logsumexp(1) - (z * w).sum(1)).mean()
        return torch.autograd.grad(loss, g)[0]

    g = (1 + (E2 - 1) * torch.rand(8, 8)).masked_fill(own, 1.0)
    assert close(slope(g), spheres.weighted_shares(P, g) / g / 8, 1e-12)
    ends = {}
    for sign in (1, -1):
        free = g
        for _ in range(400):
            free = (free - 20 * slope(free, sign)).clamp(1.0, E2)
        ends[sign] = free[~own]
    assert (ends[1] == 1).all()
    assert not (ends[-1] == 1).any()  # uphill it is not


# ---------------------------------------------------------------- toys that come to rest


@pytest.mark.parametrize("tau", TAUS)
def test_the_dense_losses_equal_the_library(tau):
    n, d = 6, 5
    z, w = torch.randn(2, n, d)
    w = z + 0.7 * w
    layer = torch.nn.Linear(d, d)
    a = unit(torch.cat([z, w]))[None]
    temperature = torch.tensor([tau])

    def dense(kind, prior=0.0):
        net = layer.weight[None], layer.bias[None]
        return spheres.sphere_loss(a, temperature, kind, net, prior)[0]

    def library(H, detach):
        return losses.over_pairs(
            losses.weighted_unsupervised, [unit(z), unit(w)], H=H, temperature=tau, detach=detach
        )

    assert close(dense("vanilla"), losses.nt_xent(z, w, tau), 1e-12)
    for name, H in (("identity", identity), ("learned", lambda z: layer(z).sigmoid())):
        for suffix, detach in (("", False), (", detached", True)):
            assert close(dense(name + suffix), library(H, detach), 1e-12)
    for prior in (0.0, 0.1, 0.4):
        assert close(dense("DCL", prior), losses.debiased(z, w, tau, prior), 1e-12)
        assert close(dense("HCL", prior), losses.hard_negative(z, w, tau, prior, 1.0), 1e-12)


def test_detached_kinds_have_the_librarys_gradient():
    z = unit(torch.randn(8, 5)).requires_grad_()
    for suffix, detach in (("", False), (", detached", True)):
        dense = spheres.sphere_loss(z[None], torch.tensor([0.5]), "identity" + suffix)[0]
        ours = losses.over_pairs(
            losses.weighted_unsupervised,
            [z[:4], z[4:]],
            H=identity,
            temperature=0.5,
            detach=detach,
        )
        slopes = [
            spheres.tangent(torch.autograd.grad(loss, z)[0], z.detach()) for loss in (dense, ours)
        ]
        assert close(*slopes, 1e-12)


def test_weights_help_at_high_and_hurt_at_low_temperature():
    taus = [1.0, 0.5, 0.2]
    rest = {
        kind: spheres.equilibrium(kind, 2, taus, steps=300)["same"][:, 0]
        for kind in ("vanilla", "identity", "oracle")
    }
    assert rest["identity"][0] > rest["vanilla"][0] + 0.05
    assert rest["identity"][2] < rest["vanilla"][2] - 0.01
    assert rest["identity"][1] == pytest.approx(rest["vanilla"][0].item(), abs=0.01)
    assert (rest["oracle"] > 0.99).all()


def test_the_true_share_is_the_default_and_strangers_have_no_same():
    found = spheres.equilibrium("DCL", 2, [0.5], steps=2)
    told = spheres.equilibrium("DCL", 2, [0.5], steps=2, prior=1 / 3)
    assert torch.equal(found["same"], told["same"])
    alone = spheres.equilibrium("vanilla", 1, [0.5], classes=3, alike=0.5, steps=1)
    assert "same" not in alone
    assert alone["different"].item() == pytest.approx(0.45, abs=0.1)  # 0.5 less the noise


@pytest.mark.parametrize(("mode", "collapses"), [("flowing", True), ("detached", False)])
def test_joint_training_collapses_only_if_the_gradient_flows(mode, collapses):
    torch.set_default_dtype(torch.float32)
    found = spheres.joint_training(0.5, mode, steps=200, batch=128)
    assert (found["positive"] - found["negative"] < 0.05) == collapses
    assert (found["g"] < 1.05) == collapses
    assert (found["contrast"] < 0.05) == collapses


def test_a_weight_net_that_learns_marks_near_pairs():
    classes = torch.arange(3).repeat_interleave(8)
    z = unit(unit(torch.randn(3, 12))[classes] + 0.1 * torch.randn(24, 12))
    w = unit(z + 0.02 * torch.randn(24, 12))
    before, after = spheres.fit_weight_net(z, w, torch.eye(3)[classes], steps=150)
    assert after["g_identical"] < after["g_disjoint"] - 0.1
    assert abs(before["g_identical"] - before["g_disjoint"]) < 0.2
    assert after["weighted_share"] < after["share"]


# ---------------------------------------------------------------- real data and the store


def test_pair_statistics_by_hand():
    z = torch.eye(4)
    labels = torch.tensor([[1, 0], [1, 0], [0, 1], [1, 1]])
    g = torch.arange(16.0).view(4, 4)
    found = spheres.pair_statistics(z, z, g, labels)
    assert found["g_identical"] == (g[0, 1] + g[1, 0]) / 2
    assert found["g_disjoint"] == (g[0, 2] + g[2, 0] + g[1, 2] + g[2, 1]) / 4
    assert found["g_positive"] == g.diagonal().mean()
    assert found["cos_positive"] == 1 and found["cos_identical"] == 0
    assert found["even_share"] == pytest.approx(1 / 3)
    assert found["share"] == pytest.approx(1 / 3)
    weighted = (g[0, 1] / g[0, 1:].sum() + g[1, 0] / (g[1].sum() - g[1, 1])) / 2
    assert found["weighted_share"] == pytest.approx(weighted.item())


def test_watching_does_not_change_the_training():
    from herocon_lite.data import load
    from herocon_lite.repro.runner import execute
    from herocon_lite.repro.settings import Run

    torch.set_default_dtype(torch.float32)
    run = Run("yeast", "herocon", seed=1, budget="smoke")
    dataset = load("yeast")
    watched = spheres.watch_weights(run, dataset, (0, 3, 60), rows=100)
    assert [step["step"] for step in watched["steps"]] == [0, 3, 60]
    assert watched["metrics"]["auc"] == pytest.approx(execute(run, dataset)["metrics"]["auc"])
    plain = spheres.watch_weights(run, dataset, (1,), rows=50, weighted=False)
    assert plain["steps"][0]["g_identical"] == 1


def test_the_store_holds_what_the_chapter_reads(tmp_path, monkeypatch):
    store = spheres.stored()
    assert set(store) == {"made by", *spheres.MAKERS}
    assert "/" not in json.dumps(store["scene"]["about"])
    assert list(store["dial"]["same"]) == list(spheres.KINDS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(spheres, "MAKERS", {"dial": lambda: {"made": 1}, "joint": dict})
    spheres.make("dial")
    assert spheres.stored()["dial"] == {"made": 1} and "joint" not in spheres.stored()


def test_the_command_knows_its_parts(monkeypatch, tmp_path):
    from herocon_lite.theory.__main__ import PARTS, main

    assert set(PARTS) == {"bounds", *spheres.MAKERS}
    with pytest.raises(SystemExit, match=r"parts are bounds, dial.*got dail"):
        main(["dail"])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match="top of the repository"):
        main(["bounds"])
