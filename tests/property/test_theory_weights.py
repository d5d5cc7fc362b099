"""The propositions of the chapter on the weights: each holds, and fails once it is altered.

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


# ---------------------------------------------------------------- the weights


def test_the_range_of_g():
    H = torch.nn.Sequential(torch.nn.Linear(6, 6), torch.nn.Sigmoid())
    a, b = torch.randn(2, 300, 6)
    for net in (H, identity, torch.tanh, lambda z: -z):
        g = theory.weights(a, b, net)
        assert g.min() >= 1 - 1e-12 and g.max() <= E2 + 1e-12
    assert theory.weights(a.abs(), b.abs(), H).max() <= math.e
    ends = theory.weights(a, torch.cat([a, -a]), identity)
    assert close(ends.min(), 1) and close(ends.max(), E2)  # so no narrower range holds
    assert theory.weights(a, b, H).max() > math.e  # nor [1, e] without the condition


def test_weights_are_those_of_the_library():
    z1, z2 = torch.randn(2, 7, 4)
    H = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Sigmoid())
    own = torch.eye(7, dtype=torch.bool)
    f = [(unit(z1) @ unit(z).T / 0.5).exp() for z in (z1, z2)]
    g = [theory.weights(z1, z, H) for z in (z1, z2)]
    negatives = sum((a * b).masked_fill(own, 0.0).sum(1) for a, b in zip(f, g, strict=True))
    value = (1 + negatives / f[1].diagonal()).log().mean()
    assert close(value, losses.weighted_unsupervised(z1, z2, H, 0.5), 1e-12)


def shares_and_pushes(weigh_positive=False):
    z, w = two_views(12, 6)
    own = torch.eye(12, dtype=torch.bool)
    g = theory.weights(z, w, identity)
    g = g if weigh_positive else g.masked_fill(own, 1.0)
    scores = (z @ w.T / 0.5).requires_grad_()
    loss = (scores + g.log()).logsumexp(1) - scores.diagonal()
    (push,) = torch.autograd.grad(loss.sum(), scores)
    return scores.detach().softmax(1), g, push, own


def test_weights_only_shift_the_push():
    P, g, push, own = shares_and_pushes()
    shares = theory.weighted_shares(P, g)
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
    assert (theory.weighted_shares(P, g).diagonal() > P.diagonal()).any()


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
    assert holds(z, z, theory.hotter)
    assert not holds(z, z, lambda tau: tau)
    assert not holds(z, z, lambda tau: tau / (1 + tau))
    assert not holds(z, w, theory.hotter)  # views must agree
    assert theory.hotter(1.0) == math.inf


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
    forces = theory.anchor_forces(tau, false=2, true=5)
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
    warm, cold = theory.anchor_forces(1.0), theory.anchor_forces(0.1)
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
    assert close(slope(g), theory.weighted_shares(P, g) / g / 8, 1e-12)
    ends = {}
    for sign in (1, -1):
        free = g
        for _ in range(400):
            free = (free - 20 * slope(free, sign)).clamp(1.0, E2)
        ends[sign] = free[~own]
    assert (ends[1] == 1).all()
    assert not (ends[-1] == 1).any()  # uphill it is not
