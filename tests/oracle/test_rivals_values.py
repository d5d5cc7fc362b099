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
