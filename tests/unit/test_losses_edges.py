"""Edge cases, bad calls, devices and precisions."""

import itertools
import math
import warnings

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from herocon_lite import checks, losses, similarity
from herocon_lite.similarity import (
    BAND,
    log_matmul,
    row_column_logsumexp,
    row_logsumexp,
    softplus,
)
from tests.cases import CASES, gradients, make_batch

each_loss = pytest.mark.parametrize("name", CASES)
with_temperature = pytest.mark.parametrize("name", [k for k in CASES if CASES[k].has_temperature])
UNSUPERVISED = ("info_nce", "cmc", "nt_xent", "debiased", "hard_negative", "eq2", "eq4", "l2")
RIVALS = ("vicreg", "barlow_twins", "decoupled", "mv_info_nce", "mv_info_nce_printed", "mv_dhel")
PER_LABEL = ("eq6", "eq7", "eq7_indicator")


def finite(name, batch, temperature=0.5):
    """The loss's value, after seeing that it and every gradient are finite."""
    loss = CASES[name].ours(batch, temperature)
    assert torch.isfinite(loss)
    assert all(torch.isfinite(g).all() for g in gradients(loss, batch))
    return loss.item()


# ---------------------------------------------------------------- edge cases


@each_loss
def test_one_sample(name):
    """Nothing to contrast with: 0. Only the released L_u keeps its weighted positive, log g, and
    what would be minus infinity, or has no variance, says so."""
    if CASES[name].least > 1:
        with pytest.raises(ValueError, match="not defined for fewer than two rows; got 1"):
            CASES[name].ours(make_batch(n=1), 0.5)
        return
    value = finite(name, make_batch(n=1))
    assert value == pytest.approx(0, abs=1e-12) or (name == "eq5_released" and 0 < value <= 2)


@pytest.mark.parametrize("loss", [losses.debiased, losses.hard_negative, losses.info_nce])
def test_one_large_row_in_half_precision(loss):
    z = torch.full((1, 300), 300.0, dtype=torch.float16)  # its sum overflows
    value = loss(z, z)
    assert value == 0 and value.dtype == torch.float32


@pytest.mark.parametrize("name", ["info_nce", "nt_xent", "sup_con", "eq5", "eq7"])
def test_second_derivatives_are_refused(name):
    """The backward passes are written by hand: a graph through them would be silently wrong."""
    batch = make_batch()
    loss = CASES[name].ours(batch, 0.5)
    leaves = (batch.z1, batch.z2)
    with pytest.raises(RuntimeError, match="first derivatives only"):
        torch.autograd.grad(loss, leaves, create_graph=True, allow_unused=True)


def test_keys_without_a_gradient_get_none():
    """A memory bank: the queries' gradient is the same, the keys' is not computed."""
    queries, keys = torch.randn(2, 7, 4, dtype=torch.float64)
    queries.requires_grad_()
    (frozen,) = torch.autograd.grad(row_logsumexp(queries, keys).sum(), queries)
    keys.requires_grad_()
    both = torch.autograd.grad(row_logsumexp(queries, keys).sum(), (queries, keys))
    assert torch.equal(frozen, both[0])
    (of_keys,) = torch.autograd.grad(row_logsumexp(queries.detach(), keys).sum(), keys)
    assert torch.equal(of_keys, both[1])


def test_a_column_of_class_numbers_is_one_in_any_dtype():
    s, y = torch.randn(8, 4), torch.tensor([0, 1, 2, 3, 0, 1, 2, 3])
    for column in (y[:, None], y[:, None].float()):
        assert torch.equal(losses.sup_con(s, column), losses.sup_con(s, y))


@pytest.mark.parametrize("net", [0.5, lambda z: None])
def test_what_is_no_network_gets_a_sentence(net):
    z1, z2 = torch.randn(2, 5, 4)
    with pytest.raises(ValueError, match=r"H must (be a network|return one row)"):
        losses.weighted_unsupervised(z1, z2, net)


def test_a_temperature_for_each_row_gets_a_sentence():
    with pytest.raises(ValueError, match="temperature must be a positive number"):
        losses.info_nce(*torch.randn(2, 5, 4), temperature=torch.ones(2))


@each_loss
def test_two_samples_and_one_label(name):
    for seed in range(4):
        finite(name, make_batch(n=2, c=1, seed=seed))


@with_temperature
def test_a_temperature_may_be_learned(name):
    batch, h = make_batch(), 1e-6
    tau = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loss = CASES[name].ours(batch, tau)
    (slope,) = torch.autograd.grad(loss, tau)
    above, below = (CASES[name].ours(batch, 0.7 + step) for step in (h, -h))
    assert slope.item() == pytest.approx(((above - below) / (2 * h)).item(), rel=1e-5)


@pytest.mark.parametrize("name", PER_LABEL)
def test_where_looking_makes_a_gpu_wait_all_rows_stay_in(name, monkeypatch):
    def found():
        batch = make_batch(n=12)
        loss = CASES[name].ours(batch, 0.5)
        return [loss, *gradients(loss, batch)]

    picked = found()
    monkeypatch.setattr(similarity, "_waits", lambda device: True)
    monkeypatch.setattr(torch.Tensor, "nonzero", None)
    for mine, wanted in zip(found(), picked, strict=True):
        torch.testing.assert_close(mine, wanted)


@each_loss
@pytest.mark.parametrize("temperature", [1.0, 0.05])
def test_identical_rows(name, temperature):
    batch = make_batch(n=6)
    with torch.no_grad():
        for t in (batch.z1, batch.z2, batch.x):
            t.copy_(t[:1].expand_as(t).clone())
    finite(name, batch, temperature)


@each_loss
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_zero_rows(name, dtype):
    """A zero row has cosine 0 with everything, and a gradient that does not explode."""
    batch = make_batch(n=6, dtype=dtype)
    with torch.no_grad():
        for t in (batch.z1, batch.z2, batch.x):
            t[:3] = 0
    finite(name, batch)
    grads = gradients(CASES[name].ours(batch, 0.5), batch)
    assert max(g.abs().max().item() for g in grads) < 100


def test_all_rows_zero():
    z = torch.zeros(5, 3, dtype=torch.float64)
    assert losses.info_nce(z, z).item() == pytest.approx(math.log(5))
    assert losses.nt_xent(z, z).item() == pytest.approx(math.log(9))


@pytest.mark.parametrize("name", PER_LABEL)
def test_a_label_that_nobody_one_or_everybody_has_adds_zero_and_counts(name):
    batch = make_batch(n=6, c=1)
    batch.Y = torch.tensor([[1.0], [1], [1], [0], [0], [0]], dtype=torch.float64)
    alone = finite(name, batch)
    for column in ([0.0] * 6, [1.0] * 6, [0.0, 0, 0, 0, 0, 1]):
        extra = torch.tensor(column, dtype=torch.float64)[:, None]
        batch.Y = torch.cat([batch.Y[:, :1], extra], 1)
        value = finite(name, batch)
        if name == "eq6" or len(set(column)) == 1:  # else the label also changes distances
            assert value == pytest.approx(alone / 2, rel=1e-12)
        only_extra = batch.to(torch.float64)
        only_extra.Y = extra
        assert finite(name, only_extra) == 0.0


@pytest.mark.parametrize("name", [*PER_LABEL, "eq7_released"])
def test_all_label_vectors_equal(name):
    for row in ([0.0, 0, 0], [1.0, 1, 1], [1.0, 0, 1]):
        batch = make_batch(n=5, c=3)
        batch.Y = torch.tensor([row] * 5, dtype=torch.float64)
        assert finite(name, batch) == 0.0
        assert all((g == 0).all() for g in gradients(CASES[name].ours(batch, 1.0), batch))


def test_no_labels_at_all_in_mul_sup_con_and_all_classes_different_in_sup_con():
    batch = make_batch(n=5, c=3)
    batch.Y, batch.y = torch.zeros(5, 3, dtype=torch.float64), torch.arange(5)
    assert finite("mul_sup_con", batch) == 0.0
    assert finite("sup_con", batch) == 0.0


def test_rows_without_labels_are_alike_unless_they_are_skipped():
    """Four rows of two labels and two of none: the two pull each other, or nobody."""
    Y = torch.tensor([[1, 0], [1, 0], [0, 1], [0, 1], [0, 0], [0, 0]])
    s = torch.eye(3, dtype=torch.float64).repeat_interleave(2, 0)
    each = math.log(1 + 4 * math.exp(-1 / 0.5))
    assert losses.sup_con(s, Y, 0.5).item() == pytest.approx(each)
    assert losses.sup_con(s, Y, 0.5, empty="skip").item() == pytest.approx(each * 4 / 6)
    assert losses.sup_con(s, Y * 0, 0.5, empty="skip") == 0
    assert losses.sup_con(s, Y, empty="skip") > losses.sup_con(s[:4], Y[:4]) * 4 / 6


def test_a_negative_far_below_the_row_maximum_is_not_lost():
    """At τ = 0.01 the nearest row is a positive e^200 above all negatives of the label."""
    s = torch.tensor([[1.0, 0.0], [1.0, 1e-4], [-1.0, 1e-3]], requires_grad=True)
    Y = torch.tensor([[1], [1], [0]])
    exact = losses.weighted_supervised(s.detach().double(), Y, 0.01).item()
    assert 0 < exact < 1e-80
    far = losses.weighted_supervised(s.flip(0).detach().double(), Y, 0.01).item()
    assert far == pytest.approx(100.0, rel=0.05)
    assert losses.weighted_supervised(s.flip(0), Y, 0.01).item() == pytest.approx(far, rel=1e-3)


# ---------------------------------------------------------------- bad calls

Z, Y, LABELS = torch.randn(4, 3), torch.ones(4, 2), torch.arange(4)
BAD_CALLS = [
    (lambda: losses.info_nce(Z, torch.randn(5, 3)), r"z2.*shape of z1.*\(4, 3\).*\(5, 3\)"),
    (lambda: losses.info_nce(torch.randn(4), torch.randn(4)), r"z1.*matrix.*\(4,\)"),
    (lambda: losses.info_nce(torch.empty(0, 3), torch.empty(0, 3)), r"z1.*matrix.*\(0, 3\)"),
    (lambda: losses.nt_xent(Z, Z.double()), r"z2.*dtype of z1.*float32.*float64"),
    (lambda: losses.nt_xent(Z, Z.to("meta")), r"z2.*device of z1.*cpu.*meta"),
    (lambda: losses.cmc(Z.long(), Z.long()), r"z1.*floating.*int64"),
    (lambda: losses.info_nce(np.ones((4, 3)), Z), r"z1.*torch\.Tensor.*ndarray"),
    (lambda: losses.weighted_unsupervised(Z, Z, lambda z: z[:, :2]), r"H.*\(4, 3\).*\(4, 2\)"),
    (lambda: losses.weighted_unsupervised(Z, Z, lambda z: z, preset="mine"), r"preset.*mine"),
    (lambda: losses.input_contrast(torch.randn(4, 7), Z, lambda x: x), r"A.*\(4, 3\).*\(4, 7\)"),
    (lambda: losses.input_contrast(torch.randn(5, 7), Z, lambda x: x), r"x and z.*5 and 4"),
    (lambda: losses.weighted_supervised(Z, LABELS), r"Y.*\(4, c\).*\(4,\)"),
    (lambda: losses.weighted_supervised(Z, Y[:3]), r"Y.*\(4, c\).*\(3, 2\)"),
    (lambda: losses.weighted_supervised(Z, Y.to("meta")), r"Y.*device.*cpu.*meta"),
    (lambda: losses.weighted_supervised(Z, Y * 1j), r"Y.*labels.*complex64"),
    (lambda: losses.weighted_supervised(Z, Y, distance="cosine"), r"distance.*cosine"),
    (lambda: losses.sup_con(Z, LABELS[:3]), r"y.*4.*3"),
    (lambda: losses.sup_con(Z, LABELS.float()), r"y.*whole.*float32"),
    (lambda: losses.sup_con(Z, [0, 1, 0, 1]), r"y.*torch\.Tensor.*list"),
    (lambda: losses.sup_con(Z, LABELS, empty="skip"), "empty is for label vectors"),
    (lambda: losses.sup_con(Z, Y, empty="drop"), "empty must be one of skip; got 'drop'"),
    (lambda: losses.mul_sup_con(Z, LABELS), r"Y.*\(4, c\)"),
    (lambda: losses.multi_sup_con(Z, LABELS), r"Y.*\(4, c\)"),
    (lambda: losses.multi_sup_con(Z, Y, overlap=1.5), r"overlap must be in \[0, 1\].*1\.5"),
    (lambda: losses.debiased(Z, Z, tau_plus=1.0), r"tau_plus.*1\.0"),
    (lambda: losses.hard_negative(Z, Z, beta=-1.0), r"beta.*-1\.0"),
    (lambda: losses.hard_negative(Z, Z, tau_plus=None), r"tau_plus must be in \[0, 1\)"),
    (lambda: losses.over_pairs(losses.info_nce, [Z]), r"views.*two.*1"),
    (lambda: losses.weighted_unsupervised(Z, Z, None, anchors=slice(0, 4, 2)), r"anchors.*slice"),
    (lambda: losses.weighted_unsupervised(Z, Z, None, anchors=slice(4, 9)), r"anchors.*one row"),
    (lambda: losses.weighted_unsupervised(Z, Z, None, part="both"), r"part.*push, pull.*both"),
    (
        lambda: losses.weighted_unsupervised(Z, Z, None, preset="released", part="push"),
        "part='push' needs a preset",
    ),
    (lambda: losses.vicreg(Z, Z[:3]), r"z2.*shape of z1.*\(4, 3\).*\(3, 3\)"),
    (lambda: losses.vicreg(Z, Z, variance=-1.0), r"variance must be a finite number ≥ 0; got -1"),
    (lambda: losses.barlow_twins(Z, Z, redundancy=-1.0), r"redundancy must be a finite.*got -1"),
    (lambda: losses.mv_dhel([Z]), r"views must be a list of at least two matrices; got 1"),
    (lambda: losses.mv_info_nce(Z), r"views must be a list of at least two matrices; got Tensor"),
    (lambda: losses.mv_dhel([Z, Z, Z[:3]]), r"views\[2\] must have the shape of views\[0\]"),
    (lambda: losses.mv_dhel([Z, Z], form="paper"), r"form must be one of code, printed.*paper"),
    (lambda: losses.info_nce(Z, Z, temperature=(0, 5)), r"temperature.*\(0, 5\)"),
    (lambda: losses.info_nce(Z, Z, chunk=0), r"chunk.*0"),
    (lambda: row_logsumexp(Z, Z[:0]), r"there must be keys.*\(0, 3\)"),
    (lambda: row_logsumexp(Z, torch.randn(4, 2)), r"queries and keys.*\(4, 3\).*\(4, 2\)"),
]


def test_a_column_of_classes_is_a_vector_of_classes():
    y = torch.arange(12) % 4
    s = torch.randn(12, 5, generator=torch.Generator().manual_seed(0))
    assert torch.equal(losses.sup_con(s, y[:, None]), losses.sup_con(s, y))


@pytest.mark.parametrize(("call", "message"), BAD_CALLS)
def test_a_bad_call_says_what_was_expected_and_what_came(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@with_temperature
@pytest.mark.parametrize("temperature", [0, -1.0, math.nan, math.inf])
def test_temperature_must_be_positive(name, temperature):
    with pytest.raises(ValueError, match=f"temperature.*{temperature}"):
        CASES[name].ours(make_batch(), temperature)


# ---------------------------------------------------------------- devices and precisions


class Watch(TorchDispatchMode):
    """Records the operations of a step: where its tensors live, how large they are, what syncs."""

    SYNCS = ("_local_scalar_dense", "nonzero", "item", "equal", "masked_select")

    def __init__(self):
        super().__init__()
        self.devices, self.dtypes, self.syncs, self.largest = set(), set(), [], 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        for t in out if isinstance(out, tuple | list) else (out,):
            if isinstance(t, torch.Tensor):
                self.devices.add(t.device.type)
                self.dtypes.add(t.dtype)
                self.largest = max(self.largest, t.numel())
        if any(s in str(func) for s in self.SYNCS):
            self.syncs.append(str(func))
        return out


def on_meta(dtype=torch.float32):
    batch = make_batch(n=6, d=4, c=3)
    leaves = [t.detach().to("meta", dtype).requires_grad_() for t in batch.learned()]
    labels = (t.to("meta") for t in (batch.Y, batch.y, batch.known))
    return type(batch)(*leaves, *labels)


@each_loss
def test_runs_on_the_meta_device_without_a_host_sync_or_a_cpu_tensor(name):
    """A meta tensor has no values: any look at one raises."""
    batch = on_meta()
    with Watch() as watch:
        loss = CASES[name].ours(batch, 0.5)
        gradients(loss, batch)
    assert loss.device.type == "meta" and loss.shape == ()
    assert watch.devices == {"meta"}
    assert not watch.syncs


@each_loss
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_precision_follows_the_input(name, dtype):
    batch = make_batch().to(dtype)
    batch.Y = batch.Y.bool()  # labels of any kind follow too
    with Watch() as watch:
        loss = CASES[name].ours(batch, 0.5)
        gradients(loss, batch)
    assert loss.dtype == dtype
    floats = {t for t in watch.dtypes if t.is_floating_point}
    assert floats == {dtype}


@pytest.mark.parametrize("name", (*UNSUPERVISED, *RIVALS, "eq5", "eq5_released", "mul_sup_con"))
def test_no_n_by_n_tensor(name):
    n = 3000
    batch = make_batch(n=n, d=3, c=2)
    with Watch() as watch:
        gradients(CASES[name].ours(batch, 0.5), batch)
    assert watch.largest < n * n / 4


@each_loss
@pytest.mark.parametrize("half", [torch.bfloat16, torch.float16])
def test_half_precision_inputs_are_summed_in_float32(name, half):
    batch = make_batch(n=9, d=8).to(half)
    truth = CASES[name].ours(batch.to(torch.float64), 0.1)
    loss = CASES[name].ours(batch, 0.1)
    assert loss.dtype == torch.float32
    grads = gradients(loss, batch)
    # H and A are the caller's nets and round in their own precision
    loose = name in ("eq2", "eq4", "l2", "eq5", "eq5_released")
    assert loss.item() == pytest.approx(truth.item(), rel=2e-2 if loose else 1e-5)
    assert all(g.dtype == half and torch.isfinite(g).all() for g in grads)


@each_loss
@pytest.mark.parametrize("half", [torch.bfloat16, torch.float16])
def test_autocast_does_not_touch_the_sums(name, half):
    batch = make_batch(n=9, d=8).to(torch.float32)
    truth = CASES[name].ours(batch, 0.1).item()
    with torch.autocast("cpu", dtype=half):
        loss = CASES[name].ours(batch, 0.1)
        grads = gradients(loss, batch)
    assert loss.dtype == torch.float32
    loose = name in ("eq2", "eq4", "l2", "eq5", "eq5_released")  # H and A do run in half precision
    assert loss.item() == pytest.approx(truth, rel=2e-2 if loose else 1e-5)
    assert all(torch.isfinite(g).all() for g in grads)


# ---------------------------------------------------------------- the kernel


def dense_logsumexp(q, k, skip):
    scores = q @ k.T
    for i, j in itertools.product(range(len(q)), range(len(k))):
        if j - i in skip:
            scores[i, j] = -math.inf
    return scores.logsumexp(1)


@pytest.mark.parametrize("shape", [(5, 5), (4, 11), (7, 3)])
@pytest.mark.parametrize("skip", [(), (0,), (0, 4), (2, -2), (100,)])
@pytest.mark.parametrize("chunk", [1, 3, None])
def test_row_logsumexp(shape, skip, chunk):
    g = torch.Generator().manual_seed(0)
    q = torch.randn(shape[0], 4, generator=g, dtype=torch.float64, requires_grad=True)
    k = torch.randn(shape[1], 4, generator=g, dtype=torch.float64, requires_grad=True)
    ours, dense = row_logsumexp(q, k, skip, chunk), dense_logsumexp(q, k, skip)
    torch.testing.assert_close(ours, dense, rtol=1e-12, atol=1e-14)
    weights = torch.arange(1.0, len(q) + 1).double()
    mine = torch.autograd.grad(ours @ weights, (q, k))
    wanted = torch.autograd.grad(dense @ weights, (q, k))
    torch.testing.assert_close(mine, wanted, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("scale", [1.0, 400.0])  # exp of the second overflows
@pytest.mark.parametrize("shape", [(5, 5), (4, 11), (7, 3)])
@pytest.mark.parametrize("skip", [(), (0,), (0, 4), (2, -2)])
@pytest.mark.parametrize("chunk", [1, 3, None])
def test_columns_are_the_rows_of_the_transpose(shape, skip, chunk, scale):
    g = torch.Generator().manual_seed(0)
    q = torch.randn(shape[0], 4, generator=g, dtype=torch.float64).mul(scale).requires_grad_()
    k = torch.randn(shape[1], 4, generator=g, dtype=torch.float64, requires_grad=True)
    both = torch.cat(row_column_logsumexp(q, k, skip, chunk))
    turned = tuple(-offset for offset in skip)
    apart = torch.cat([row_logsumexp(q, k, skip), row_logsumexp(k, q, turned)])
    torch.testing.assert_close(both, apart, rtol=1e-12, atol=1e-13)
    weights = torch.arange(1.0, len(both) + 1).double()
    mine = torch.autograd.grad(both.clamp_min(-1e9) @ weights, (q, k))
    wanted = torch.autograd.grad(apart.clamp_min(-1e9) @ weights, (q, k))
    torch.testing.assert_close(mine, wanted, rtol=1e-11, atol=1e-11)


def test_row_logsumexp_of_nothing_is_minus_infinity_with_zero_gradient():
    q = torch.randn(1, 4, requires_grad=True)
    k = torch.randn(1, 4, requires_grad=True)
    value = row_logsumexp(q, k, skip=(0,))
    assert value.item() == -math.inf
    grads = torch.autograd.grad(torch.nn.functional.softplus(value).sum(), (q, k))
    assert all((g == 0).all() for g in grads)


def test_gathered_keys_give_the_same_as_one_process():
    """Two workers with half of the rows each and all keys: the mask moves by the rank's offset."""
    b = make_batch(n=8, d=5)
    a1, a2 = b.z1.detach(), b.z2.detach()
    whole = row_logsumexp(a1, torch.cat([a1, a2]), skip=(0, 8))
    parts = [row_logsumexp(a1[r : r + 4], torch.cat([a1, a2]), skip=(r, 8 + r)) for r in (0, 4)]
    torch.testing.assert_close(torch.cat(parts), whole, rtol=1e-13, atol=0)


def test_huge_scores_stay_finite():
    q = torch.tensor([[1e4]], requires_grad=True)
    k = torch.tensor([[1.0], [-1.0]])
    value = row_logsumexp(q, k)
    assert value.item() == 1e4
    assert torch.autograd.grad(value.sum(), q)[0].item() == 1.0


def test_softplus_keeps_all_digits():
    x = torch.tensor([-700.0, -20.0, 0.0, 19.0, 21.0, 35.0, 45.0, 800.0], dtype=torch.float64)
    exact = [math.log1p(math.exp(-abs(v))) + max(v, 0.0) for v in x.tolist()]
    torch.testing.assert_close(
        softplus(x), torch.tensor(exact, dtype=torch.float64), rtol=1e-15, atol=0
    )


@pytest.mark.parametrize("tau", [0.015, 0.02, 0.025, 0.03])
@pytest.mark.parametrize("c", [6, 10, 14, 40])
def test_no_term_falls_between_two_bands(tau, c):
    """At a band's edge, where a logit belongs to the one or the other by a rounding."""
    bound = 1 / tau + math.log(c)
    edges = torch.arange(bound - BAND, -bound, -BAND)
    near = edges.clone()
    for _ in range(40):
        near = torch.nextafter(near, torch.tensor(math.inf))
    neighbours = []
    for _ in range(81):
        neighbours.append(near)
        near = torch.nextafter(near, torch.tensor(-math.inf))
    logits = torch.cat(neighbours)[:, None]
    found = log_matmul(logits, torch.ones(1, 1), bound)
    torch.testing.assert_close(found, logits, rtol=1e-6, atol=1e-5)


# ---------------------------------------------------------------- values


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("length", [1e-300, 1e-40, 1e-30, 1e-13, 1e-6, 1.0, 1e20, 1e37, 1e300])
def test_rows_of_any_length_have_the_direction_they_have(dtype, length):
    if not torch.finfo(dtype).smallest_normal / 1e6 < length < torch.finfo(dtype).max:
        return
    z = torch.randn(7, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    wanted = losses.info_nce(z, z, temperature=0.5)
    scaled = (z * length).to(dtype)
    rel = 1e-12 if dtype == torch.float64 else 1e-5 if length > 1e-37 else 1e-3
    assert losses.info_nce(scaled, scaled, temperature=0.5).item() == pytest.approx(
        wanted.item(), rel=rel
    )
    mixed = scaled.clone()
    mixed[::2] = z[::2].to(dtype)  # long and short rows beside each other
    assert losses.info_nce(mixed, mixed, temperature=0.5).item() == pytest.approx(
        wanted.item(), rel=rel
    )


def test_a_row_with_an_infinity_has_no_direction():
    z = torch.ones(3, 2)
    z[1, 0] = math.inf
    assert similarity.unit(z).isnan()[1].any() and not similarity.unit(z)[::2].isnan().any()


BAD_LABELS = {"sup_con_vectors", "sup_con_any", "mul_sup_con", "eq6", "eq7", "eq7_released"}


@pytest.mark.parametrize("name", sorted(BAD_LABELS))
@pytest.mark.parametrize("value", [-1, 2, 0.5, math.nan, math.inf])
def test_labels_other_than_0_and_1_are_refused(name, value):
    batch = make_batch()
    batch.Y[2, 1] = value
    for validate in (None, True):
        with pytest.raises(ValueError, match=rf"[Yy] must hold 0 and 1 alone; row 2 has {value:g}"):
            CASES[name].ours(batch, 0.5, validate=validate)
    loss = CASES[name].ours(batch, 0.5, validate=False)
    assert math.isfinite(value) or not math.isfinite(loss)


@each_loss
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_refused_and_never_becomes_a_finite_loss(name, value):
    batch = make_batch()
    with torch.no_grad():
        for t in (batch.z1, batch.z2, batch.x):
            t[2, 1] = value
    with pytest.raises(ValueError, match=rf"must hold finite numbers; row 2 has {value:g}"):
        CASES[name].ours(batch, 0.5)
    for n, c in ((6, 3), (2, 1), (1, 1)):
        if n < CASES[name].least:
            continue
        batch = make_batch(n=n, c=c)
        with torch.no_grad():
            for t in (batch.z1, batch.z2, batch.x):
                t[-1] = value
        batch.Y[:] = 0  # no label has a pair: nothing is summed
        for temperature in (0.5, 0.02, 1e-4):
            assert not math.isfinite(CASES[name].ours(batch, temperature, validate=False))


def test_where_a_look_makes_somebody_wait_nobody_looks(monkeypatch):
    z = torch.full((3, 2), math.nan)
    with monkeypatch.context() as patch:
        patch.setattr(torch.compiler, "is_compiling", lambda: True)
        assert losses.info_nce(z, z).isnan()
        with pytest.raises(RuntimeError, match="see validate"):  # asynchronous, where it can be
            losses.info_nce(z, z, validate=True)
    with checks.unvalidated():
        assert losses.info_nce(z, z).isnan()
        with pytest.raises(ValueError, match="z1 must hold finite numbers"):
            losses.info_nce(z, z, validate=True)
    with pytest.raises(ValueError, match="validate must be True or False; got 'yes'"):
        losses.info_nce(z, z, validate="yes")


def test_a_sum_that_overflows_is_not_an_infinity():
    z = torch.full((3, 2), 3e38)
    assert losses.info_nce(z, z).isfinite()


# ---------------------------------------------------------------- small temperatures


@pytest.mark.parametrize("tau", [0.009, 1e-3, 1e-6, 1e-12])
@pytest.mark.parametrize("name", PER_LABEL)
def test_a_small_temperature_costs_what_any_other_does(name, tau, monkeypatch):
    """And its value and gradient are those of rational arithmetic on the same logits."""
    batch = make_batch(n=9, c=4)
    exps, exp_ = [], torch.Tensor.exp_
    monkeypatch.setattr(torch.Tensor, "exp_", lambda x: exps.append(x.shape) or exp_(x))
    value = finite(name, batch, tau)
    assert len(exps) <= 4 * batch.Y.shape[1]  # it was 2/(60 τ), 3e10 at 1e-12
    wanted = CASES[name].naive(batch, tau) if tau > 5e-3 else None
    if wanted is not None:
        assert value == pytest.approx(wanted.item(), rel=1e-9)
    # L → Σ max(gap, 0): τ L tends to a constant
    assert tau * value == pytest.approx(1e-3 * finite(name, batch, 1e-3), rel=0.05, abs=0.02)


@pytest.mark.parametrize("bands", [1, 2, 4])
def test_bands_and_single_columns_agree(bands, monkeypatch):
    g = torch.Generator().manual_seed(bands)
    bound = bands * BAND / 2 - 1
    logits = (2 * torch.rand(11, 13, generator=g, dtype=torch.float64) - 1) * bound
    B = (torch.rand(13, 5, generator=g) < 0.4).double()
    B[:, 2], weights = 0, torch.rand(11, 5, generator=g, dtype=torch.float64)
    found = []
    for most in (4, 0):
        monkeypatch.setattr(similarity, "MAX_BANDS", most)
        leaf = logits.clone().requires_grad_()
        logs = log_matmul(leaf, B, bound)
        (grad,) = torch.autograd.grad((logs.clamp_min(-1e9) * weights).sum(), leaf)
        found.append((logs, grad))
    torch.testing.assert_close(*found, rtol=1e-12, atol=1e-14)
    assert (found[0][0][:, 2] == similarity.LOG_EMPTY).all()


@pytest.mark.parametrize("name", [name for name in CASES if CASES[name].has_temperature])
def test_a_temperature_below_the_bound_is_refused(name):
    with pytest.raises(ValueError, match="temperature must be at least 1e-12; got 1e-13"):
        CASES[name].ours(make_batch(), 1e-13)


# ---------------------------------------------------------------- inputs and their map


def test_a_map_or_inputs_of_another_dtype_or_device_get_a_sentence():
    x, z = torch.randn(5, 4), torch.randn(5, 3)
    wrong = torch.nn.Linear(4, 3, dtype=torch.float64)
    for loss in (losses.input_contrast, losses.input_weighted):
        with pytest.raises(ValueError, match=r"A must have the dtype and device of its input"):
            loss(x, z, wrong)
        with pytest.raises(ValueError, match=r"x and z must have the same device and"):
            loss(x.double(), z, wrong)
        with pytest.raises(ValueError, match=r"x and z must have the same device and"):
            loss(x.to("meta"), z, wrong)
        with pytest.raises(ValueError, match=r"what A returns must be on the device of z"):
            loss(x, z, lambda x: torch.empty(5, 3, device="meta"))
    with pytest.raises(RuntimeError, match=r"size mismatch|shapes cannot be multiplied"):
        losses.input_contrast(x, z, torch.nn.Linear(7, 3))  # A's own mistake keeps its words
