"""Every loss against its naive loop: by value and gradient, in every precision."""

import math

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given, settings

from herocon_lite import losses
from tests import naive
from tests.cases import CASES, gradients, make_batch

each_loss = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
chunked_loss = pytest.mark.parametrize(
    "case", [c for c in CASES.values() if c.chunked], ids=[k for k, c in CASES.items() if c.chunked]
)


def assert_agree(case, batch, temperature, tolerance, reference=None):
    """Our loss on ``batch`` equals the naive loop on ``reference`` (float64)."""
    reference = reference or batch
    ours, slow = case.ours(batch, temperature), case.naive(reference, temperature)
    if not torch.is_tensor(slow):  # the loop found nothing to add up
        assert ours.item() == slow == 0
        return
    size = max(abs(slow.item()), case.floor)
    assert abs(ours.item() - slow.item()) <= tolerance * size
    pairs = zip(gradients(ours, batch), gradients(slow, reference), strict=True)
    for mine, wanted in pairs:
        scale = max(wanted.norm().item(), case.floor or tolerance * size)
        assert (mine.double() - wanted).norm().item() <= 10 * tolerance * scale


@each_loss
@settings(max_examples=15, deadline=None, derandomize=True)
@given(
    n=st.integers(2, 7),
    d=st.integers(2, 6),
    c=st.integers(1, 5),
    temperature=st.floats(0.05, 3.0),
    density=st.floats(0.1, 0.9),
    seed=st.integers(0, 10**6),
)
def test_equals_the_naive_loop_in_float64(case, n, d, c, temperature, density, seed):
    batch = make_batch(n=n, d=d, c=c, density=density, seed=seed)
    assert_agree(case, batch, temperature, 1e-10)


@each_loss
@pytest.mark.parametrize("temperature", [1.0, 0.5, 0.1, 0.05])
def test_float32_is_within_1e_5(case, temperature):
    for seed in range(5):
        batch = make_batch(n=9, d=8, seed=seed)
        single = batch.to(torch.float32)
        assert_agree(case, single, temperature, 1e-5, reference=single.to(torch.float64))


@each_loss
def test_float32_at_temperature_one_hundredth(case):
    for seed in range(5):
        batch = make_batch(n=9, d=8, seed=seed).to(torch.float32)
        truth = case.naive(batch.to(torch.float64), 0.01)
        loss = case.ours(batch, 0.01)
        assert math.isclose(loss.item(), truth.item(), rel_tol=1e-3)
        assert all(torch.isfinite(g).all() for g in gradients(loss, batch))


@pytest.mark.parametrize("name", ["info_nce", "cmc", "nt_xent", "eq5", "eq5_identity"])
def test_small_losses_keep_their_digits(name):
    """Aligned views and classes far apart: the loss is tiny and must not round to zero."""
    case, batch = CASES[name], make_batch(n=6, d=6)
    with torch.no_grad():
        batch.z1.copy_(torch.eye(6))
        batch.z2.copy_(torch.eye(6))
    single = batch.to(torch.float32)
    truth = case.naive(single.to(torch.float64), 0.05)
    assert 0 < truth.item() < 1e-5
    assert math.isclose(case.ours(single, 0.05).item(), truth.item(), rel_tol=1e-3)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_where_false_negatives_take_all_the_floor_is_exact(dtype):
    """Twelve clusters of twenty at right angles: more false negatives than the prior takes out."""
    tau, z = 0.05, torch.eye(12, dtype=dtype).repeat_interleave(20, 0)
    n = 2 * len(z) - 2
    floor = math.log(n) - 1 / tau  # of the negatives' sum, as the authors set it
    wanted = math.log1p(math.exp(floor - 1 / tau))
    loss = losses.debiased(z, z, tau, tau_plus=0.2)
    assert math.isclose(loss.item(), wanted, rel_tol=1e-3)


@each_loss
def test_gradcheck(case):
    batch = make_batch(n=5, d=3)

    def loss(z1, z2, x, W, M):
        batch.z1, batch.z2, batch.x, batch.W, batch.M = z1, z2, x, W, M
        return case.ours(batch, 0.4)

    assert torch.autograd.gradcheck(loss, batch.learned())


@chunked_loss
@pytest.mark.parametrize("chunk", [1, 7, 20])
def test_chunks_change_nothing(case, chunk):
    batch = make_batch(n=20, d=5)
    whole, parts = case.ours(batch, 0.3), case.ours(batch, 0.3, chunk=chunk)
    torch.testing.assert_close(parts, whole, rtol=1e-12, atol=0)
    for mine, wanted in zip(gradients(parts, batch), gradients(whole, batch), strict=True):
        torch.testing.assert_close(mine, wanted, rtol=1e-10, atol=1e-14)


def permuted(batch, order):
    other = batch.to(torch.float64)
    with torch.no_grad():
        for t in (other.z1, other.z2, other.x):
            t.copy_(t[order].clone())
    other.Y, other.y, other.known = batch.Y[order], batch.y[order], batch.known[order]
    return other


@each_loss
def test_order_of_samples_changes_nothing(case):
    batch = make_batch(n=12, d=5)
    order = torch.randperm(12, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(
        case.ours(permuted(batch, order), 0.3), case.ours(batch, 0.3), rtol=1e-12, atol=0
    )


@pytest.mark.parametrize("name", ["info_nce", "cmc", "nt_xent", "eq5", "debiased"])
def test_pairing_of_the_views_matters(name):
    batch = make_batch(n=12, d=5)
    other = batch.to(torch.float64)
    with torch.no_grad():
        other.z2.copy_(other.z2.roll(1, 0).clone())
    assert abs(CASES[name].ours(other, 0.3) - CASES[name].ours(batch, 0.3)) > 1e-3


@pytest.mark.parametrize("name", ["eq6", "eq7", "mul_sup_con", "sup_con_vectors"])
def test_order_of_labels_changes_nothing(name):
    batch = make_batch(n=12, d=5, c=4)
    other = batch.to(torch.float64)
    other.Y, other.known = batch.Y.flip(1), batch.known.flip(1)
    torch.testing.assert_close(
        CASES[name].ours(other, 0.3), CASES[name].ours(batch, 0.3), rtol=1e-12, atol=0
    )


@pytest.mark.parametrize("name", [k for k, c in CASES.items() if c.scale_free])
def test_rotations_and_row_lengths_change_nothing(name):
    batch = make_batch(n=12, d=5)
    other = batch.to(torch.float64)
    g = torch.Generator().manual_seed(3)
    Q = torch.linalg.qr(torch.randn(5, 5, generator=g, dtype=torch.float64)).Q
    with torch.no_grad():
        for z in (other.z1, other.z2):
            z.copy_(z @ Q * torch.logspace(-3, 3, 12, dtype=torch.float64)[:, None])
    torch.testing.assert_close(
        CASES[name].ours(other, 0.3), CASES[name].ours(batch, 0.3), rtol=1e-11, atol=0
    )


@pytest.mark.parametrize("name", ["info_nce", "nt_xent", "eq7", "sup_con"])
def test_gradient_has_no_radial_part(name):
    batch = make_batch(n=8, d=5)
    grad = gradients(CASES[name].ours(batch, 0.3), batch)[0]
    assert (grad * batch.z1).sum(1).abs().max().item() < 1e-14


# ---------------------------------------------------------------- switches, weights, views


def test_released_cnn_divides_gamma_by_the_label_count():
    batch = make_batch(n=8, d=4, c=4)
    per = float(batch.Y.sum(1).mean())
    ours = losses.weighted_supervised(batch.z1, batch.Y, preset="released-cnn")
    slow = naive.weighted_supervised(
        batch.z1, batch.Y, 1.0, self_pairs=True, label_sum=True, per=per
    )
    torch.testing.assert_close(ours, slow, rtol=1e-12, atol=0)


@pytest.mark.parametrize(
    ("switch", "options"),
    [("self_pairs", {"self_pairs": True}), ("label_sum", {"label_sum": True})],
)
def test_supervised_switches_alone(switch, options):
    batch = make_batch(n=8, d=4, c=4)
    ours = losses.weighted_supervised(
        batch.z1, batch.Y, 0.3, preset=losses.Switches(**{switch: True})
    )
    torch.testing.assert_close(
        ours, naive.weighted_supervised(batch.z1, batch.Y, 0.3, **options), rtol=1e-12, atol=0
    )


def literal_unsupervised(z1, z2, H, t, switches):
    """Eq. 5 with its switches over full matrices: rows are anchors, one matrix per key view."""
    unit = [z / z.norm(dim=1, keepdim=True) for z in (z1, z2)]
    h = [v / v.norm(dim=1, keepdim=True) for v in (H(z1), H(z2))]
    anchor, keys = (1, [0]) if switches.view2_anchors else (0, [0, 1])
    own = torch.eye(len(z1), dtype=torch.bool)
    positive = torch.exp((unit[0] * unit[1]).sum(1) / t)
    total = 0 if switches.positive_weighted else positive
    for v in keys:
        on_anchor = h[anchor] @ unit[v].T  # [i, k] = cos(H(anchor i), key k)
        on_key = unit[anchor] @ h[v].T
        if switches.transposed and anchor == 0:
            on_key = on_key.T
        elif switches.transposed:
            on_anchor = on_anchor.T
        g = 0.5 * (torch.exp(1 - on_anchor) + torch.exp(1 - on_key))
        gf = g * torch.exp(unit[anchor] @ unit[v].T / t)
        if not (switches.positive_weighted and v != anchor):
            gf = gf.masked_fill(own, 0)
        total = total + gf.sum(1)
    return torch.log(total / positive).mean()


@pytest.mark.parametrize("positive_weighted", [False, True])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("view2_anchors", [False, True])
def test_unsupervised_switches_together(positive_weighted, transposed, view2_anchors):
    switches = losses.Switches(positive_weighted, transposed, view2_anchors)
    b = make_batch(n=9, d=5)
    ours = losses.weighted_unsupervised(b.z1, b.z2, b.H, 0.3, switches)
    truth = literal_unsupervised(b.z1, b.z2, b.H, 0.3, switches)
    torch.testing.assert_close(ours, truth, rtol=1e-12, atol=0)
    for mine, wanted in zip(gradients(ours, b), gradients(truth, b), strict=True):
        torch.testing.assert_close(mine, wanted, rtol=1e-9, atol=1e-13)


def test_each_switch_changes_something():
    b = make_batch(n=9, d=5, c=4)
    for name in losses.Switches.__dataclass_fields__:
        on = losses.Switches(**{name: True})
        both = [
            losses.weighted_unsupervised(b.z1, b.z2, b.H, preset=p)
            + losses.weighted_supervised(b.z1, b.Y, preset=p)
            for p in ("paper", on)
        ]
        assert abs(both[0] - both[1]) > 1e-4, name


@pytest.mark.parametrize("preset", ["paper", "released"])
def test_detached_weights_keep_the_value_and_stop_the_gradient(preset):
    b = make_batch(n=9, d=5)
    switches = losses.PRESETS[preset]

    def detached(z1, z2, W):
        """The same value; g is a constant for z and still a function of W."""
        unit = [z / z.norm(dim=1, keepdim=True) for z in (z1, z2)]
        frozen = [z.detach() for z in (z1, z2)]
        w = [z / z.norm(dim=1, keepdim=True) for z in frozen]
        h = [torch.sigmoid(z @ W.T) for z in frozen]
        h = [v / v.norm(dim=1, keepdim=True) for v in h]
        anchor, keys = (1, [0]) if switches.view2_anchors else (0, [0, 1])
        positive = torch.exp((unit[0] * unit[1]).sum(1) / 0.5)
        total = 0 if switches.positive_weighted else positive
        for v in keys:
            on_anchor, on_key = h[anchor] @ w[v].T, w[anchor] @ h[v].T
            on_anchor = on_anchor.T if switches.transposed else on_anchor
            gf = 0.5 * (torch.exp(1 - on_anchor) + torch.exp(1 - on_key))
            gf = gf * torch.exp(unit[anchor] @ unit[v].T / 0.5)
            if not (switches.positive_weighted and v != anchor):
                gf = gf.masked_fill(torch.eye(len(z1), dtype=torch.bool), 0)
            total = total + gf.sum(1)
        return torch.log(total / positive).mean()

    ours = losses.weighted_unsupervised(b.z1, b.z2, b.H, 0.5, preset, detach=True)
    flowing = losses.weighted_unsupervised(b.z1, b.z2, b.H, 0.5, preset)
    torch.testing.assert_close(ours, flowing, rtol=1e-12, atol=0)
    truth = gradients(detached(b.z1, b.z2, b.W), b)
    stopped = gradients(ours, b)
    for mine, wanted in zip(stopped, truth, strict=True):
        torch.testing.assert_close(mine, wanted, rtol=1e-9, atol=1e-13)
    assert not torch.allclose(stopped[0], gradients(flowing, b)[0])


def test_detach_in_eq4_stops_the_gradient_through_the_weights():
    b = make_batch(n=9, d=5)
    kept = losses.input_contrast(b.x, b.z1, b.A, b.H, 0.5)
    cut = losses.input_contrast(b.x, b.z1, b.A, b.H, 0.5, detach=True)
    torch.testing.assert_close(cut, kept, rtol=1e-12, atol=0)
    d_cut, d_kept = gradients(cut, b), gradients(kept, b)
    assert not torch.allclose(d_cut[0], d_kept[0])  # z
    torch.testing.assert_close(
        d_cut[3], d_kept[3], rtol=1e-9, atol=1e-13
    )  # H still learns the same


@settings(max_examples=10, deadline=None, derandomize=True)
@given(
    views=st.integers(2, 5), n=st.integers(2, 5), t=st.floats(0.05, 3.0), seed=st.integers(0, 10**6)
)
@pytest.mark.parametrize("form", losses.MULTI_VIEW_FORMS)
@pytest.mark.parametrize("name", ["mv_info_nce", "mv_dhel"])
def test_losses_of_all_views_equal_their_loops(name, form, views, n, t, seed):
    z = [make_batch(n=n, d=3, seed=seed + v).z1 for v in range(views)]
    ours, slow = getattr(losses, name)(z, t, form, chunk=2), getattr(naive, name)(z, t, form)
    torch.testing.assert_close(ours, slow, rtol=1e-10, atol=1e-10)
    pairs = zip(torch.autograd.grad(ours, z), torch.autograd.grad(slow, z), strict=True)
    for mine, wanted in pairs:
        torch.testing.assert_close(mine, wanted, rtol=1e-8, atol=1e-9)


@settings(max_examples=10, deadline=None, derandomize=True)
@given(views=st.integers(2, 5), temperature=st.floats(0.05, 3.0), seed=st.integers(0, 10**6))
def test_over_pairs_is_the_mean_over_ordered_pairs(views, temperature, seed):
    z = [make_batch(n=4, d=3, seed=seed + v).z1 for v in range(views)]
    ours = losses.over_pairs(losses.info_nce, z, temperature=temperature)
    slow = [
        naive.info_nce(z[u], z[v], temperature)
        for u in range(views)
        for v in range(views)
        if u != v
    ]
    torch.testing.assert_close(ours, sum(slow) / len(slow), rtol=1e-10, atol=0)


def test_over_pairs_makes_eq5_symmetric():
    b = make_batch(n=6, d=4)
    one, other = (
        losses.weighted_unsupervised(b.z1, b.z2, b.H),
        losses.weighted_unsupervised(b.z2, b.z1, b.H),
    )
    both = losses.over_pairs(losses.weighted_unsupervised, [b.z1, b.z2], H=b.H)
    torch.testing.assert_close(both, (one + other) / 2, rtol=1e-12, atol=0)
    assert abs(one - other) > 1e-3
