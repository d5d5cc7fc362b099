"""The losses of rivals against values worked out beforehand, and against closed forms."""

import math

import pytest
import torch

from herocon_lite import losses

ROWS = torch.tensor([[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0], [1, 1, 1], [0, 0, 0]])


def grid(start: float, n: int = 6, d: int = 4) -> torch.Tensor:
    """A view of smooth numbers that no random generator can change."""
    i, j = torch.arange(n).double()[:, None], torch.arange(d).double()
    return torch.sin(1 + start + 0.7 * i + 1.3 * j + 0.31 * i * j)


VIEWS = [grid(0), grid(2), grid(5)]


def closed(value, expected, tolerance=1e-10):
    assert value.item() == pytest.approx(expected, rel=tolerance, abs=tolerance)


# ---------------------------------------------------------------- MultiSupCon


@pytest.mark.parametrize(
    ("temperature", "overlap", "value"),
    [
        (0.1, 0.0, 1.978526893637),
        (0.1, 0.3, 2.607822058069),
        (0.1, 0.5, 2.692279640123),
        (1.0, 0.0, 0.495062558325),
        (1.0, 0.3, 0.681484157313),
        (1.0, 0.5, 0.778857976786),
    ],
)
def test_multi_sup_con_on_the_grid(temperature, overlap, value):
    closed(losses.multi_sup_con(VIEWS[0][:5], ROWS[:5], temperature, overlap), value)


def test_multi_sup_con_counts_a_row_without_partners():
    closed(losses.multi_sup_con(VIEWS[0], ROWS), 2.173977932593)
    closed(losses.multi_sup_con(VIEWS[0], ROWS) * 6 / 5, 2.608773519111)  # left out of the mean


@pytest.mark.parametrize(("overlap", "share"), [(0.3, 2 / 3), (0.5, 2 / 3), (0.51, 1), (1, 1)])
def test_multi_sup_con_of_equal_rows(overlap, share):
    """Labels 10, 11, 10, 11: J is 1 once and ½ twice, and the limit itself is enough."""
    Y, s = torch.tensor([[1, 0], [1, 1]] * 2), torch.ones(4, 2, dtype=torch.float64)
    closed(losses.multi_sup_con(s, Y, overlap=overlap), share * math.log(3))
    closed(losses.multi_sup_con(s, Y[[0] * 4], overlap=overlap), math.log(3))
    closed(losses.multi_sup_con(s, Y * 0, overlap=overlap), math.log(3))  # J of empty sets is 1
    assert losses.multi_sup_con(s, Y * 0, overlap=overlap, empty="skip") == 0


@pytest.mark.parametrize("temperature", [1.0, 0.1])
def test_multi_sup_con_on_classes_at_right_angles(temperature):
    classes = torch.arange(3).repeat_interleave(2)
    Y = torch.eye(3, dtype=torch.float64)[classes]
    for overlap in (0.1, 0.3, 1.0):  # any above 0
        value = losses.multi_sup_con(Y, Y, temperature, overlap)
        closed(value, math.log1p(4 * math.exp(-1 / temperature)))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_an_overlap_that_is_the_limit_counts_in_every_precision(dtype):
    Y = torch.zeros(3, 10)
    Y[0], Y[1, :3] = 1, 1  # 3 of 10 are shared
    s = torch.eye(3).to(dtype)
    for limit in (0.3, 0.1 + 0.2):
        assert losses.multi_sup_con(s, Y, overlap=limit) > 0
    assert losses.multi_sup_con(s, Y, overlap=0.301) == 0


# ---------------------------------------------------------------- without negatives

CORNERS = torch.tensor([[1, 1], [1, -1], [-1, 1], [-1, -1]], dtype=torch.float64)
LINE = torch.tensor([[1, 1], [-1, -1]] * 2, dtype=torch.float64)  # its columns are one


def mean_of_pairs(loss):
    return (loss(VIEWS[0], VIEWS[1]) + loss(VIEWS[0], VIEWS[2]) + loss(VIEWS[1], VIEWS[2])) / 3


def test_vicreg_on_the_grid():
    closed(losses.vicreg(*VIEWS[:2]), 39.798968049744)
    closed(losses.vicreg(VIEWS[0], VIEWS[0]), 5.908002299948)
    closed(mean_of_pairs(losses.vicreg), 40.038000231031)
    closed(losses.vicreg(*VIEWS[:2], 1, 0, 0), 1.309248191849)
    closed(losses.vicreg(*VIEWS[:2], 0, 2, 0), 0.226141741628 + 0.317655305479)
    closed(losses.vicreg(*VIEWS[:2], 0, 0, 1), 0.127229379618 + 0.143070785051)


def test_closed_forms_of_vicreg():
    ones = torch.ones(5, 3, dtype=torch.float64)
    closed(losses.vicreg(ones, ones), 24.75)  # collapse
    closed(losses.vicreg(CORNERS, CORNERS), 0)
    closed(losses.vicreg(CORNERS, -CORNERS), 100)
    half = 25 * (1 - math.sqrt(1 / 3 + 1e-4))  # variance 1/3, divided by n − 1
    closed(losses.vicreg(CORNERS / 2, CORNERS / 2), half)
    closed(losses.vicreg(LINE, LINE), 2 * (4 / 3) ** 2)


def test_vicreg_of_zero_rows_has_no_gradient_to_leave_them_by():
    z = torch.zeros(5, 3, requires_grad=True)
    losses.vicreg(z, z * 1).backward()
    assert not z.grad.any()


def test_vicreg_of_few_rows_cannot_reach_zero_covariance():
    """Rank: with n − 1 < d and variances of one, c is at least d/(n − 1) − 1."""
    g, n, d = torch.Generator().manual_seed(0), 8, 40
    z = torch.randn(n, d, generator=g, dtype=torch.float64)
    z = (z - z.mean(0)) / z.std(0)
    assert losses.vicreg(z, z, 0, 0, 0.5) >= d / (n - 1) - 1 > 0


def test_barlow_twins_on_the_grid():
    closed(losses.barlow_twins(*VIEWS[:2]), 7.216405825561)
    closed(losses.barlow_twins(*VIEWS[:2], 0.0051), 7.216904841820)
    closed(losses.barlow_twins(VIEWS[0], VIEWS[0]), 0.007468893123)
    closed(mean_of_pairs(losses.barlow_twins), 8.586201965807)
    tiny = VIEWS[0] * 1e-4  # the constant in the root is larger than these variances
    closed(losses.barlow_twins(tiny, tiny), 3.996, 1e-4)


def test_closed_forms_of_barlow_twins():
    closed(losses.barlow_twins(CORNERS, CORNERS), 2 * (1 - 1 / (1 + 1e-5)) ** 2)
    closed(losses.barlow_twins(CORNERS, -CORNERS), 7.999920000999988)
    closed(losses.barlow_twins(LINE, LINE), 0.009999800203)  # 2λ, but for the constant
    ones = torch.ones(5, 4, dtype=torch.float64)
    closed(losses.barlow_twins(ones, ones), 4)  # constant columns correlate with nothing


def test_what_leaves_losses_of_columns_as_they_are():
    g = torch.Generator().manual_seed(0)
    z1, z2 = torch.randn(2, 20, 5, generator=g, dtype=torch.float64)
    Q = torch.linalg.qr(torch.randn(5, 5, generator=g, dtype=torch.float64)).Q
    shift, scale = torch.randn(2, 5, generator=g, dtype=torch.float64)
    for loss in (losses.vicreg, losses.barlow_twins):
        closed(loss(z2, z1), loss(z1, z2).item())
        closed(loss(z1 + shift, z2 + shift), loss(z1, z2).item())
        assert abs(loss(z1 @ Q, z2 @ Q) - loss(z1, z2)) > 1e-3
    stretched = losses.barlow_twins(z1 * scale.exp() + shift, z2)
    closed(stretched, losses.barlow_twins(z1, z2).item(), 1e-4)  # the constant in the root
    assert abs(losses.vicreg(z1 + shift, z2) - losses.vicreg(z1, z2)) > 1


# ---------------------------------------------------------------- decoupled, and all views at once


def test_decoupled_on_the_grid_and_in_closed_form():
    for temperature, value in ((0.1, 10.870273603844), (0.5, 3.349888911943), (1, 2.709366526600)):
        closed(losses.decoupled(*VIEWS[:2], temperature), value)
    z, ones = torch.eye(6, dtype=torch.float64), torch.ones(6, 3, dtype=torch.float64)
    closed(losses.decoupled(ones, ones), math.log(10))
    for temperature in (0.5, 0.1):  # it may be negative
        closed(losses.decoupled(z, z, temperature), math.log(10) - 1 / temperature)


@pytest.mark.parametrize(
    ("count", "temperature", "info_nce", "dhel"),
    [
        (2, 0.5, 3.401936640953, 4.163435815556),
        (3, 0.5, 2.789712956132, 4.573605981370),
        (3, 0.1, 6.527951759675, 12.884151990345),
    ],
)
def test_losses_of_all_views_on_the_grid(count, temperature, info_nce, dhel):
    closed(losses.mv_info_nce(VIEWS[:count], temperature), info_nce)
    closed(losses.mv_dhel(VIEWS[:count], temperature), dhel)


def test_printed_forms_of_losses_of_all_views_on_the_grid():
    closed(losses.mv_info_nce(VIEWS[:2], form="printed"), 2.922112308028)
    closed(losses.mv_dhel(VIEWS[:2], form="printed"), 5.117433713837)


@pytest.mark.parametrize("temperature", [1.0, 0.5, 0.1])
@pytest.mark.parametrize(("V", "n"), [(2, 6), (3, 6), (5, 2)])
def test_closed_forms_of_losses_of_all_views(V, n, temperature):
    z, ones = torch.eye(n, dtype=torch.float64), torch.ones(n, 4, dtype=torch.float64)
    pairs, far = math.log(V * (V - 1) / 2), V * math.log(n - 1)
    closed(losses.mv_info_nce([ones] * V, temperature), math.log((V * n - 1) / (V - 1)))
    closed(losses.mv_info_nce([ones] * V, temperature, "printed"), math.log(n))
    closed(losses.mv_dhel([ones] * V, temperature), far + (V - 1) / temperature - pairs)
    e = math.exp(-1 / temperature)
    closed(losses.mv_info_nce([z] * V, temperature), math.log1p(V * (n - 1) * e / (V - 1)))
    closed(losses.mv_info_nce([z] * V, temperature, "printed"), math.log1p((n - 1) * e))
    closed(losses.mv_dhel([z] * V, temperature), far - 1 / temperature - pairs)


def test_on_two_views_mv_info_nce_is_at_least_nt_xent():
    """The logarithm of a mean is at least the mean of the logarithms; printed, of CMC's."""
    for z1, z2 in (VIEWS[:2], VIEWS[1:]):
        for temperature in (1.0, 0.1):
            gap = losses.mv_info_nce([z1, z2], temperature) - losses.nt_xent(z1, z2, temperature)
            other = losses.mv_info_nce([z1, z2], temperature, "printed")
            assert gap >= 0 and other >= losses.cmc(z1, z2, temperature)
        same = losses.mv_info_nce([z1, z1], 0.5)
        closed(same, losses.nt_xent(z1, z1, 0.5).item())


@pytest.mark.parametrize("count", [2, 3])
def test_losses_of_all_views_are_finite_where_plain_exponentials_are_not(count):
    g = torch.Generator().manual_seed(0)
    views = [torch.randn(3000, 4, generator=g, requires_grad=True) for _ in range(count)]
    for loss in (losses.mv_info_nce, losses.mv_dhel):
        for temperature in (0.05, 0.01):
            value = loss(views, temperature)
            assert value.isfinite()
            assert all(g.isfinite().all() for g in torch.autograd.grad(value, views))
