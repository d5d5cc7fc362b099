"""Toys that are trained until they rest, and statistics of pairs."""

import pytest
import torch

from herocon_lite import losses, theory
from herocon_lite.similarity import unit

TAUS = (1.0, 0.5, 0.1)


@pytest.fixture(autouse=True)
def double_precision():
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(torch.float32)


def identity(z):
    return z


def close(a, b, tolerance=1e-8):
    return bool(torch.as_tensor(a - b).abs().max() < tolerance)


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
        return theory.sphere_loss(a, temperature, kind, net, prior)[0]

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
        dense = theory.sphere_loss(z[None], torch.tensor([0.5]), "identity" + suffix)[0]
        ours = losses.over_pairs(
            losses.weighted_unsupervised,
            [z[:4], z[4:]],
            H=identity,
            temperature=0.5,
            detach=detach,
        )
        slopes = [
            theory.tangent(torch.autograd.grad(loss, z)[0], z.detach()) for loss in (dense, ours)
        ]
        assert close(*slopes, 1e-12)


def test_weights_help_at_high_and_hurt_at_low_temperature():
    taus = [1.0, 0.5, 0.2]
    rest = {
        kind: theory.equilibrium(kind, 2, taus, steps=300)["same"][:, 0]
        for kind in ("vanilla", "identity", "oracle")
    }
    assert rest["identity"][0] > rest["vanilla"][0] + 0.05
    assert rest["identity"][2] < rest["vanilla"][2] - 0.01
    assert rest["identity"][1] == pytest.approx(rest["vanilla"][0].item(), abs=0.01)
    assert (rest["oracle"] > 0.99).all()


def test_the_true_share_is_the_default_and_strangers_have_no_same():
    found = theory.equilibrium("DCL", 2, [0.5], steps=2)
    told = theory.equilibrium("DCL", 2, [0.5], steps=2, prior=1 / 3)
    assert torch.equal(found["same"], told["same"])
    alone = theory.equilibrium("vanilla", 1, [0.5], classes=3, alike=0.5, steps=1)
    assert "same" not in alone
    assert alone["different"].item() == pytest.approx(0.45, abs=0.1)  # 0.5 less the noise


@pytest.mark.parametrize(("mode", "collapses"), [("flowing", True), ("detached", False)])
def test_joint_training_collapses_only_if_the_gradient_flows(mode, collapses):
    torch.set_default_dtype(torch.float32)
    found = theory.joint_training(0.5, mode, steps=200, batch=128)
    assert (found["positive"] - found["negative"] < 0.05) == collapses
    assert (found["g"] < 1.05) == collapses
    assert (found["contrast"] < 0.05) == collapses


def test_a_weight_net_that_learns_marks_near_pairs():
    classes = torch.arange(3).repeat_interleave(8)
    z = unit(unit(torch.randn(3, 12))[classes] + 0.1 * torch.randn(24, 12))
    w = unit(z + 0.02 * torch.randn(24, 12))
    before, after = theory.fit_weight_net(z, w, torch.eye(3)[classes], steps=150)
    assert after["g_identical"] < after["g_disjoint"] - 0.1
    assert abs(before["g_identical"] - before["g_disjoint"]) < 0.2
    assert after["weighted_share"] < after["share"]


# ---------------------------------------------------------------- real data and the store


def test_pair_statistics_by_hand():
    z = torch.eye(4)
    labels = torch.tensor([[1, 0], [1, 0], [0, 1], [1, 1]])
    g = torch.arange(16.0).view(4, 4)
    found = theory.pair_statistics(z, z, g, labels)
    assert found["g_identical"] == (g[0, 1] + g[1, 0]) / 2
    assert found["g_disjoint"] == (g[0, 2] + g[2, 0] + g[1, 2] + g[2, 1]) / 4
    assert found["g_positive"] == g.diagonal().mean()
    assert found["cos_positive"] == 1 and found["cos_identical"] == 0
    assert found["even_share"] == pytest.approx(1 / 3)
    assert found["share"] == pytest.approx(1 / 3)
    weighted = (g[0, 1] / g[0, 1:].sum() + g[1, 0] / (g[1].sum() - g[1, 1])) / 2
    assert found["weighted_share"] == pytest.approx(weighted.item())
