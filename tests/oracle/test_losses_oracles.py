"""Losses against other people's implementations, and against values known in closed form."""

import math

import pytest
import torch
from info_nce import InfoNCE
from lightly.loss import BarlowTwinsLoss, DCLLoss, NTXentLoss, VICRegLoss
from pytorch_metric_learning import losses as pml

from herocon_lite import losses
from herocon_lite.similarity import unit
from tests.cases import gradients, make_batch

TEMPERATURES = (1.0, 0.5, 0.07)
DTYPES = {torch.float64: 1e-10, torch.float32: 1e-5}
precisions = pytest.mark.parametrize(("dtype", "tolerance"), DTYPES.items())
temperatures = pytest.mark.parametrize("temperature", TEMPERATURES)


def batch_of(dtype, n=12, d=8, seed=0):
    batch = make_batch(n=n, d=d, seed=seed).to(dtype)
    batch.y = torch.arange(n) % 3  # every class has n/3 rows
    return batch


def assert_same(ours, theirs, batch, tolerance):
    assert math.isclose(ours.item(), theirs.item(), rel_tol=tolerance)
    for mine, wanted in zip(gradients(ours, batch), gradients(theirs, batch), strict=True):
        assert (mine - wanted).norm() <= 10 * tolerance * max(wanted.norm().item(), tolerance)


# ---------------------------------------------------------------- libraries


@precisions
@temperatures
def test_info_nce_is_info_nce_pytorch(dtype, tolerance, temperature):
    b = batch_of(dtype)
    assert_same(
        losses.info_nce(b.z1, b.z2, temperature), InfoNCE(temperature)(b.z1, b.z2), b, tolerance
    )


@precisions
@temperatures
def test_nt_xent_is_lightly(dtype, tolerance, temperature):
    b = batch_of(dtype)
    theirs = NTXentLoss(temperature=temperature)(b.z1, b.z2)
    assert_same(losses.nt_xent(b.z1, b.z2, temperature), theirs, b, tolerance)


@precisions
@temperatures
def test_nt_xent_is_metric_learning(dtype, tolerance, temperature):
    b = batch_of(dtype)
    theirs = pml.SelfSupervisedLoss(pml.NTXentLoss(temperature))(b.z1, b.z2)
    assert_same(losses.nt_xent(b.z1, b.z2, temperature), theirs, b, tolerance)


@precisions
@temperatures
def test_decoupled_is_lightly(dtype, tolerance, temperature):
    b = batch_of(dtype)
    theirs = DCLLoss(temperature=temperature)(b.z1, b.z2)
    assert_same(losses.decoupled(b.z1, b.z2, temperature), theirs, b, tolerance)


@precisions
@pytest.mark.parametrize("n", [5, 40])
def test_vicreg_is_lightly_and_metric_learning(dtype, tolerance, n):
    b = batch_of(dtype, n=n)
    weights = {"lambda_param": 2.0, "mu_param": 3.0, "nu_param": 5.0}
    assert_same(losses.vicreg(b.z1, b.z2), VICRegLoss()(b.z1, b.z2), b, tolerance)
    theirs = pml.VICRegLoss()(b.z1, ref_emb=b.z2)
    assert_same(losses.vicreg(b.z1, b.z2), theirs, b, tolerance)
    theirs = VICRegLoss(**weights)(b.z1, b.z2)
    assert_same(losses.vicreg(b.z1, b.z2, 2.0, 3.0, 5.0), theirs, b, tolerance)


@precisions
@pytest.mark.parametrize("n", [5, 40])
@pytest.mark.parametrize("redundancy", [0.005, 1.0])
def test_barlow_twins_is_lightly(dtype, tolerance, n, redundancy):
    b = batch_of(dtype, n=n)
    theirs = BarlowTwinsLoss(lambda_param=redundancy)(b.z1, b.z2)
    assert_same(losses.barlow_twins(b.z1, b.z2, redundancy), theirs, b, tolerance)


@precisions
@temperatures
def test_sup_con_is_metric_learning(dtype, tolerance, temperature):
    b = batch_of(dtype)
    theirs = pml.SupConLoss(temperature)(b.z1, b.y)
    assert_same(losses.sup_con(b.z1, b.y, temperature), theirs, b, tolerance)


def test_sup_con_counts_rows_without_a_partner():
    """Metric-learning drops them from the mean; Khosla's authors, and we, keep them as 0."""
    b = batch_of(torch.float64)
    y = torch.tensor([0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 4, 5])  # three of twelve are alone
    theirs = pml.SupConLoss(0.1)(b.z1, y) * 9 / 12
    assert_same(losses.sup_con(b.z1, y), theirs, b, 1e-10)


@precisions
@temperatures
def test_multi_sup_con_of_one_hot_labels_is_metric_learning(dtype, tolerance, temperature):
    """Its own loss of this name, from version 3 on, is not to be had yet."""
    b = batch_of(dtype)
    Y = torch.nn.functional.one_hot(b.y)
    theirs = pml.SupConLoss(temperature)(b.z1, b.y)
    assert_same(losses.multi_sup_con(b.z1, Y, temperature), theirs, b, tolerance)


@precisions
@temperatures
def test_eq6_is_metric_learnings_labelled_nt_xent(dtype, tolerance, temperature):
    b = batch_of(dtype)  # balanced classes: mean over pairs = mean over classes
    Y = torch.nn.functional.one_hot(b.y)
    theirs = pml.NTXentLoss(temperature)(b.z1, b.y)
    assert_same(losses.sup_con_eq6(b.z1, Y, temperature), theirs, b, tolerance)
    ours = losses.weighted_supervised(b.z1, Y, temperature, distance="indicator")
    assert_same(ours, pml.NTXentLoss(temperature)(b.z1, b.y), b, tolerance)


# ---------------------------------------------------------------- which loss is which


def test_one_hot_mul_sup_con_is_sup_con():
    b = make_batch(n=11, d=5)
    Y = torch.nn.functional.one_hot(b.y, 4)
    assert_same(losses.mul_sup_con(b.z1, Y), losses.sup_con(b.z1, b.y), b, 1e-12)
    assert_same(losses.sup_con(b.z1, Y), losses.sup_con(b.z1, b.y), b, 1e-12)


def test_eq6_is_l_out_where_every_class_has_two_rows():
    b = make_batch(n=8, d=5)
    y = torch.arange(8) // 2
    one_hot = torch.nn.functional.one_hot(y)
    assert_same(losses.sup_con_eq6(b.z1, one_hot, 0.3), losses.sup_con(b.z1, y, 0.3), b, 1e-10)
    three = torch.nn.functional.one_hot(torch.tensor([0, 0, 0, 1, 1, 1, 2, 2]))
    larger = losses.sup_con(b.z1, three, 0.3) - losses.sup_con_eq6(b.z1, three, 0.3)
    assert larger > 1e-3


def test_debiased_and_hard_without_correction_are_nt_xent():
    b = make_batch(n=9, d=5)
    plain = losses.nt_xent(b.z1, b.z2)
    assert_same(losses.debiased(b.z1, b.z2, tau_plus=0.0), plain, b, 1e-12)
    plain = losses.nt_xent(b.z1, b.z2)
    assert_same(losses.hard_negative(b.z1, b.z2, tau_plus=0.0, beta=0.0), plain, b, 1e-12)


def test_debiased_floor_where_the_correction_takes_everything():
    """Identical rows: (Σ − τ⁺ N f⁺)/(1 − τ⁺) is Σ itself. Far rows: the floor N e^(−1/τ) holds."""
    z = torch.ones(4, 3, dtype=torch.float64, requires_grad=True)
    torch.testing.assert_close(losses.debiased(z, z).item(), math.log(7), rtol=1e-12, atol=0)
    # aligned views, orthogonal samples: the sum 6 is less than τ⁺ · 6 · e^(1/τ)
    eye = torch.eye(4, dtype=torch.float64)
    floor = math.log1p(6 * math.exp(-2 / 0.5))
    torch.testing.assert_close(
        losses.debiased(eye, eye, tau_plus=0.5).item(), floor, rtol=1e-12, atol=0
    )


@temperatures
def test_without_weights_eq5_is_half_of_nt_xent(temperature):
    b = make_batch(n=9, d=5)
    halves = [
        losses.weighted_unsupervised(u, v, None, temperature)
        for u, v in ((b.z1, b.z2), (b.z2, b.z1))
    ]
    assert_same(sum(halves) / 2, losses.nt_xent(b.z1, b.z2, temperature), b, 1e-12)


def test_without_weights_the_released_preset_is_info_nce_from_view_2():
    b = make_batch(n=9, d=5)
    ours = losses.weighted_unsupervised(b.z1, b.z2, None, preset="released")
    assert_same(ours, losses.info_nce(b.z2, b.z1), b, 1e-12)


@temperatures
def test_identity_weights_are_another_temperature(temperature):
    """H = identity: g f = e · exp(cos (1/τ − 1)), so aligned views see τ' = τ/(1 − τ)."""
    z = make_batch(n=10, d=5).z1.detach()
    a = unit(z)
    scores = a @ a.T * (1 / temperature - 1) + 1
    scores = scores.masked_fill(torch.eye(10, dtype=torch.bool), -math.inf)
    # views are equal, so both key blocks add the same
    truth = torch.log1p(2 * scores.exp().sum(1) / math.exp(1 / temperature)).mean()
    ours = losses.weighted_unsupervised(z, z, lambda v: v, temperature)
    torch.testing.assert_close(ours, truth, rtol=1e-12, atol=0)


# ---------------------------------------------------------------- closed forms


def closed(value, expected):
    assert math.isclose(value.item(), expected, rel_tol=1e-12, abs_tol=1e-14)


@temperatures
@pytest.mark.parametrize("n", [2, 5, 16])
def test_equal_rows(n, temperature):
    z = torch.ones(n, 4, dtype=torch.float64)
    closed(losses.info_nce(z, z, temperature), math.log(n))
    closed(losses.cmc(z, z, temperature), math.log(n))
    closed(losses.nt_xent(z, z, temperature), math.log(2 * n - 1))
    closed(losses.sup_con(z, torch.zeros(n, dtype=torch.long), temperature), math.log(n - 1))
    # cos = 1 everywhere, so g = 1 for every pair: one positive, 2(n − 1) negatives
    closed(losses.weighted_unsupervised(z, z, lambda v: v, temperature), math.log(2 * n - 1))
    closed(losses.input_contrast(z, z, lambda v: v, temperature=temperature), math.log(n))
    closed(losses.input_weighted(z, z, lambda v: v, temperature), math.log(n))


@temperatures
@pytest.mark.parametrize("n", [2, 5, 16])
def test_orthonormal_rows(n, temperature):
    z, e = torch.eye(n, dtype=torch.float64), math.exp(-1 / temperature)
    closed(losses.info_nce(z, z, temperature), math.log1p((n - 1) * e))
    closed(losses.nt_xent(z, z, temperature), math.log1p((2 * n - 2) * e))
    # cos = 0 between samples, so g = e there
    both = math.log1p((2 * n - 2) * math.e * e)
    closed(losses.weighted_unsupervised(z, z, lambda v: v, temperature), both)
    one = math.log1p((n - 1) * math.e * e)
    closed(losses.input_weighted(z, z, lambda v: v, temperature), one)
    closed(losses.input_contrast(z, z, lambda v: v, lambda v: v, temperature), one)
    for beta in (0.0, 1.0):  # all negatives alike: HCL has nothing to prefer
        closed(losses.hard_negative(z, z, temperature, 0.0, beta), math.log1p((2 * n - 2) * e))


@temperatures
@pytest.mark.parametrize(("classes", "m"), [(2, 2), (3, 4), (5, 2)])
def test_classes_on_orthogonal_axes(classes, m, temperature):
    y = torch.arange(classes).repeat_interleave(m)
    Y = torch.nn.functional.one_hot(y)
    s, others = Y.double(), (classes - 1) * m * math.exp(-1 / temperature)
    closed(losses.sup_con(s, y, temperature), math.log(m - 1 + others))
    closed(losses.sup_con_eq6(s, Y, temperature), math.log1p(others))
    closed(losses.weighted_supervised(s, Y, temperature), math.log1p(2 * others))  # Hamming: γ = 2
    closed(losses.weighted_supervised(s, Y, temperature, distance="indicator"), math.log1p(others))


def test_counterexample_of_the_supervised_lemma():
    """Two antipodal classes of five: L_s = log(1 + 2 · 5 e^(−2))."""
    y = torch.arange(2).repeat_interleave(5)
    Y = torch.nn.functional.one_hot(y)
    s = torch.where(y == 0, 1.0, -1.0).double()[:, None]
    closed(losses.weighted_supervised(s, Y), math.log1p(10 * math.exp(-2)))


def test_bound_on_mutual_information():
    """log n − L stays under the true information of correlated Gaussians (it is .5 nats)."""
    torch.manual_seed(0)
    d, rho = 10, math.sqrt(1 - math.exp(-2 * 0.5 / 10))
    x = torch.randn(4000, d)
    y = rho * x + math.sqrt(1 - rho**2) * torch.randn(4000, d)
    bound = math.log(4000) - losses.info_nce(x, y).item()
    assert 0.2 < bound < 0.5
