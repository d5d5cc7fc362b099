"""The cone of a constant weight net: bounds and minimisers hold, altered ones are caught."""

import math

import numpy as np
import pytest
import torch

from herocon_lite import losses, models, theory
from herocon_lite.similarity import unit

BOTH = pytest.mark.parametrize("both", [False, True])


@pytest.fixture(autouse=True)
def double_precision():
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(torch.float32)


def rows_on_sphere(x):
    return x / x.norm(dim=-1, keepdim=True)


def axis(d):
    return torch.eye(d)[0]


def minimum(n, d, tau, both=False, starts=2):
    """Both views and the value at the least of a few minimisations."""

    def loss(z, w):
        return theory.constant_net_loss(z, w, axis(d), tau, both)

    found = [theory.minimise(loss, *torch.randn(2, n, d), iterations=5000) for _ in range(starts)]
    return min(found, key=lambda result: result[2])


def off_diagonal(x):
    return x[~torch.eye(len(x), dtype=torch.bool)]


# ---------------------------------------------------------------- the loss is the library's


@BOTH
@pytest.mark.parametrize("tau", [1.0, 0.3])
def test_the_loss_is_eq5_with_a_constant_net(both, tau):
    z, w = (unit(torch.randn(7, 5)) for _ in range(2))
    h = unit(torch.randn(1, 5))

    def H(rows):
        return 3 * h.expand(len(rows), -1)  # only the direction enters

    ours = theory.constant_net_loss(z, w, h[0], tau, both)
    if both:
        theirs = losses.weighted_unsupervised(z, w, H, tau)
    else:  # the preset takes its anchors from the second argument, negatives from the first
        theirs = losses.weighted_unsupervised(w, z, H, tau, losses.Switches(view2_anchors=True))
    assert ours.item() == pytest.approx(theirs.item(), abs=1e-12)


# ---------------------------------------------------------------- the floor


def instances(groups=200, each=50, seed=0):
    """10,000 states: n = 2 … 9, d = 1 … 8, τ = 0.1 … 5, random and near the cone."""
    rng = np.random.default_rng(seed)
    for group in range(groups):
        n, d = int(rng.integers(2, 10)), int(rng.integers(1, 9))
        tau = float(10 ** rng.uniform(-1, 0.7))
        h = rows_on_sphere(torch.tensor(rng.normal(size=(each, d))))
        noise = torch.tensor(10 ** rng.uniform(-3, 1, (each, 1, 1)))
        if group % 2 and d >= n:  # near the minimiser
            h = axis(d).expand(each, d)
            z = rows_on_sphere(theory.cone_points(n, tau, d) + noise * torch.randn(each, n, d))
            w = rows_on_sphere(z + 0.01 * torch.randn(each, n, d))
        else:  # from all at h to anywhere
            z, w = (rows_on_sphere(h[:, None] + noise * torch.randn(each, n, d)) for _ in range(2))
        yield z, w, h, tau


def least_slack(floor, both, loss=theory.constant_net_loss):
    return min(
        (loss(z, w, h, tau, both) - floor(z.shape[1], tau, both)).min().item()
        for z, w, h, tau in instances()
    )


@BOTH
def test_the_floor_holds_on_10000_instances(both):
    assert sum(len(z) for z, *_ in instances()) == 10_000
    assert least_slack(theory.cone_floor, both) > -1e-12


def altered_floor(exponent):
    def floor(n, tau, both):
        s, scale = theory.cone_height(n, tau), n / ((n - 1) * tau)
        return math.log1p((n - 1) * (2 if both else 1) * math.exp(exponent(s, scale)))

    return floor


@BOTH
@pytest.mark.parametrize(
    "exponent",
    [
        lambda s, scale: 1 - s - scale * (1 - s * s) + 0.01,
        lambda s, scale: 1 - scale - 1 / (8 * scale),  # 1/(8λ') for 1/(4λ')
        lambda s, scale: 1 - scale * (1 - s * s),  # g forgotten
        lambda s, scale: 1 - s - (1 - s * s) * min(scale, 1),  # τ forgotten
    ],
)
def test_an_altered_floor_is_undercut(exponent, both):
    assert least_slack(altered_floor(exponent), both) < -1e-4


@BOTH
def test_the_floor_is_attained_by_the_cone(both):
    for n, size, tau in ((2, 2, 1.0), (5, 5, 1.0), (5, 8, 1.0), (8, 8, 0.3), (4, 4, 2.6)):
        points = theory.cone_points(n, tau, size)
        value = theory.constant_net_loss(points, points, axis(size), tau, both).item()
        assert value == pytest.approx(theory.cone_floor(n, tau, both), abs=1e-12)
        assert torch.allclose(points.norm(dim=1), torch.ones(n))
        cosine = off_diagonal(points @ points.T)
        assert (cosine - theory.cone_cosine(n, tau)).abs().max() < 1e-12
        if theory.cone_height(n, tau) < 1:  # altered: 1/(2λ') for 1/(4λ') is not attained
            wrong = altered_floor(lambda s, scale: 1 - scale - 1 / (2 * scale))(n, tau, both)
            assert value > wrong + 1e-2


def test_beyond_the_edge_the_floor_is_log_n():
    for n in (2, 5, 40):
        edge = 2 * n / (n - 1)
        for tau in (edge, 1.1 * edge, 10.0):
            assert theory.cone_height(n, tau) == pytest.approx(1)
            assert theory.cone_floor(n, tau) == pytest.approx(math.log(n))
            assert theory.cone_cosine(n, tau) == pytest.approx(1)
        assert theory.cone_height(n, 0.9 * edge) < 1


# ---------------------------------------------------------------- the minimiser


@BOTH
@pytest.mark.parametrize(
    ("n", "d", "tau"),
    [(2, 2, 1.0), (3, 3, 1.0), (5, 8, 1.0), (8, 8, 0.5), (12, 12, 0.2), (8, 8, 1.5), (4, 4, 3.0)],
)
def test_minimising_ends_on_the_cone(n, d, tau, both):
    z, w, value = minimum(n, d, tau, both)
    assert -1e-12 < value - theory.cone_floor(n, tau, both) < 1e-8
    height, cosine = z @ axis(d), off_diagonal(z @ z.T)
    assert (z - w).abs().max() < 1e-4
    assert (height - theory.cone_height(n, tau)).abs().max() < 1e-4
    assert (cosine - theory.cone_cosine(n, tau)).abs().max() < 1e-4
    if tau < 2:  # altered: the limits τ/2 and τ²/4 are not the values at this n
        assert (height - tau / 2).abs().min() > 1e-3
        assert (cosine - tau**2 / 4).abs().min() > 1e-2


def test_a_dimension_less_is_not_enough():
    """The condition is d ≥ n: h takes one dimension."""
    for n, above in ((5, 0.0217), (4, 0.0322)):
        *_, value = minimum(n, n - 1, 1.0, starts=4)
        assert value - theory.cone_floor(n) == pytest.approx(above, abs=2e-4)


def test_weights_that_favour_far_negatives_have_no_cone():
    """The altered sign: e^{cos − 1} for e^{1 − cos}."""
    n, h = 6, axis(6)

    def loss(z, w):
        return theory.constant_net_loss(z, w, -h)  # the sign of h is that of the exponent

    z, _, _ = theory.minimise(loss, *torch.randn(2, n, n))
    assert (z @ h + theory.cone_height(n)).abs().max() < 1e-4  # away from h


def test_with_the_gradient_detached_points_spread_instead():
    """Not a minimisation: descent along the force that is left comes to rest."""
    n, d = 12, 12
    h = axis(d)
    own = torch.eye(n, dtype=torch.bool)

    def detached(z, w):
        height = [(1 - view.detach() @ h) for view in (z, w)]
        log_g = torch.logaddexp(height[0][:, None], height[1][None]) - math.log(2)
        scores = z @ w.T
        return ((scores + log_g.masked_fill(own, 0.0)).logsumexp(1) - scores.diagonal()).mean()

    z, w, _ = theory.descend(detached, *(unit(x) for x in torch.randn(2, n, d)), 1500, 3.0)
    mean = off_diagonal(z @ w.T).mean().item()
    assert mean == pytest.approx(-1 / (n - 1), abs=5e-3)
    assert mean < theory.cone_cosine(n) - 0.1


# ---------------------------------------------------------------- fewer dimensions


@pytest.mark.parametrize(
    ("n", "d", "tau", "height", "cosine"),
    [(24, 10, 1.0, 0.5005, 0.218), (24, 5, 1.0, 0.555, 0.278), (24, 5, 0.5, 0.317, 0.064)],
)
def test_with_fewer_dimensions_the_means_stay_near_the_cone(n, d, tau, height, cosine):
    z, w, value = minimum(n, d, tau, starts=1)
    target = theory.cone_height(n, tau) * axis(d)
    deviation = sum((view.mean(0) - target).square().sum() for view in (z, w)).item()
    assert deviation < theory.cone_deviation_bound(n, d, tau)
    assert value > theory.cone_floor(n, tau)
    mean = off_diagonal(z @ w.T).mean().item()
    assert mean > theory.cone_cosine(n, tau)  # it rises
    assert (z @ axis(d)).mean().item() == pytest.approx(height, abs=2e-3)
    assert mean == pytest.approx(cosine, abs=2e-3)


def test_evenly_spread_points_tend_to_the_limit_of_many_dimensions():
    squares = [theory.even_cone_height(d) ** 2 for d in (5, 10, 50, 200)]
    assert squares == pytest.approx([0.353, 0.294, 0.258, 0.252], abs=5e-4)
    assert theory.even_cone_height(10**4) ** 2 == pytest.approx(0.25, abs=1e-4)
    assert theory.even_cone_height(200, 0.5) == pytest.approx(0.25, abs=5e-3)


def random_means(n, d, count=2000):
    """Views of any spread around the axis, by turns near the cone."""
    noise = 10 ** (4 * torch.rand(count, 1, 1) - 3)
    z, w = (rows_on_sphere(axis(d) + noise * torch.randn(count, n, d)) for _ in range(2))
    return z, torch.where(torch.rand(count, 1, 1) < 0.5, rows_on_sphere(z + noise * w / 9), w)


def least_excess(n, d, tau, both, factor=1.0):
    """How far the mean exponent lies above its floor and the term in |z̄ − s h|² + |w̄ − s h|²."""
    z, w = random_means(n, d)
    s, scale = theory.cone_height(n, tau), n / ((n - 1) * tau)
    deviation = sum((view.mean(1) - s * axis(d)).square().sum(1) for view in (z, w))
    ratio = theory.cone_deviation_bound(n, d, tau, both) / theory.cone_deviation_bound(n, d, tau)
    room = factor * scale / (2 * ratio) * deviation
    # the exponents of all negatives, g replaced by its geometric mean
    own = torch.eye(n, dtype=torch.bool)
    positive = (z * w).sum(2, keepdim=True) / tau
    means = []
    for view in (w, z) if both else (w,):
        x = 1 - (z @ axis(d))[:, :, None] / 2 - (view @ axis(d))[:, None] / 2
        means.append((x + z @ view.mT / tau - positive)[:, ~own].mean(1))
    return (sum(means) / len(means) - (1 - s - scale * (1 - s * s)) - room).min().item()


@BOTH
@pytest.mark.parametrize(("n", "d", "tau"), [(2, 2, 1.0), (5, 3, 0.4), (9, 12, 1.3), (30, 2, 1.0)])
def test_the_means_cost_what_the_bound_says(n, d, tau, both):
    assert least_excess(n, d, tau, both) > -1e-12
    assert least_excess(n, d, tau, both, factor=1.4) < -1e-3  # and not much more


@BOTH
@pytest.mark.parametrize(("n", "d", "tau"), [(3, 3, 1.0), (12, 6, 1.0), (12, 4, 0.5), (10, 6, 1.5)])
def test_minimisers_keep_to_the_range_of_cosines(n, d, tau, both):
    z, w, _ = minimum(n, d, tau, both, starts=1)
    target = theory.cone_height(n, tau) * axis(d)
    deviation = sum((view.mean(0) - target).square().sum() for view in (z, w)).item()
    assert deviation < theory.cone_deviation_bound(n, d, tau, both)
    low, high = theory.cone_cosine_range(n, d, tau, both)
    assert low < off_diagonal(z @ w.T).mean().item() < high


def test_the_scene_setting_leaves_little_room():
    n, d = 2407, 200
    assert theory.cone_deviation_bound(n, d) == pytest.approx(0.0035, abs=5e-5)
    low, high = theory.cone_cosine_range(n, d)
    assert 0.20 < low < theory.cone_cosine(n) < high < 0.30
    both = theory.cone_cosine_range(n, d, both_views=True)
    assert 0.19 < both[0] < low and high < both[1] < 0.31


# ---------------------------------------------------------------- a fresh weight net


def test_a_fresh_weight_net_is_nearly_constant():
    for d in (200, 512):
        torch.manual_seed(0)
        H = models.weight_net(d)
        rows = torch.randn(300, d)
        means = {}
        for name, z in (("unit", unit(rows)), ("normed", rows), ("relu", rows.relu())):
            with torch.no_grad():
                h = unit(H(z))
            means[name] = off_diagonal(h @ h.T).mean().item()
        assert means["unit"] > 0.999
        assert 0.9 < means["normed"] < means["relu"] < 0.99


def test_on_such_a_net_the_cone_is_nearly_the_minimum():
    """H as PyTorch starts it, z trained, H not: cosines near the cone's, far from −1/(n − 1)."""
    n = 24
    H = models.weight_net(n)

    def loss(z, w):
        return losses.weighted_unsupervised(z, w, H)

    z, _, _ = theory.minimise(loss, *torch.randn(2, n, n), iterations=300)
    mean = off_diagonal(z @ z.T).mean().item()
    assert mean == pytest.approx(theory.cone_cosine(n), abs=0.02)
