"""One false pair: what tying it costs, between two proven terms; and the chapter's exercises."""

import math
from pathlib import Path

import pytest
import torch

from herocon_lite import theory
from herocon_lite.repro.chapter import attempt

BOOK = Path(__file__).resolve().parents[2] / "book"


@pytest.fixture(autouse=True)
def double_precision():
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(torch.float32)


# ---------------------------------------------------------------- one false pair


def tied_loss(n, tau):
    """The minimum of L_1 over states whose first two rows coincide, in both views; searched."""

    def loss(z, w):
        z, w = (torch.cat([x[:1], x]) for x in (z, w))
        return theory.inner_loss(z, w, tau)

    return theory.minimise(loss, *torch.randn(2, n - 1, n))[2]


@pytest.mark.parametrize(("n", "gained"), [(4, 1e-3), (8, 2e-4)])
def test_tying_a_pair_costs_nearly_what_the_symmetric_state_does(n, gained):
    free = min(tied_loss(n, 1.0) for _ in range(3))
    symmetric = theory.tied_pair_loss(n)
    assert symmetric - gained < free <= symmetric + 1e-10
    assert symmetric < theory.one_pair_loss(n)


def test_the_cost_of_a_tied_pair_falls_like_one_over_n_squared():
    known = {1.0: (0.1158, 0.0062, 0.00036), 0.5: (0.2498, 0.0261, 0.0020)}
    for tau, costs in known.items():
        for n, cost in zip((4, 16, 64), costs, strict=True):
            found = theory.tied_pair_loss(n, tau) - theory.floor(n, tau)
            assert found == pytest.approx(cost, rel=0.02)
        ratio = (theory.tied_pair_loss(4096, tau) - theory.floor(4096, tau)) / (
            theory.tied_pair_cost(4096, tau)
        )
        assert ratio == pytest.approx(1, abs=0.01)
    # altered: not 1/n, as the doubled simplex in the limit τ → 0 would have it
    small, large = (theory.tied_pair_loss(n) - theory.floor(n) for n in (64, 256))
    assert small / large > 12


def test_a_tied_pair_costs_at_least_what_is_proven():
    for tau in (1.0, 0.5):
        for n in (4, 16, 64, 1024):
            proven = theory.collapsed_bound([2] + [1] * (n - 2), tau) - theory.floor(n, tau)
            assert 0 < proven < theory.tied_pair_loss(n, tau) - theory.floor(n, tau)
        leading = theory.tied_pair_least_cost(n, tau)
        assert proven == pytest.approx(leading, rel=5e-3)
        # altered: e^λ − 1 for e^λ + 1, or the sign inside
        grown, scale = math.exp(1 / tau), 1 / tau
        for wrong in (
            2 * (scale * grown - (grown - 1) * math.log((grown + 1) / 2)),
            2 * (scale * grown + (grown + 1) * math.log((grown + 1) / 2)),
            2 * (grown - 1 - scale),
        ):
            assert proven != pytest.approx(wrong / n**2, rel=0.1)


@pytest.mark.parametrize("view", ["first", "second", "both"])
def test_tying_one_view_alone_costs_as_much_at_least(view):
    n = 6

    def loss(z, w):
        tied = [torch.cat([x[:1], x[:1], x[2:]]) for x in (z, w)]
        return theory.inner_loss(
            tied[0] if view != "second" else z, tied[1] if view != "first" else w
        )

    least = min(theory.minimise(loss, *torch.randn(2, n, n))[2] for _ in range(3))
    assert least >= theory.collapsed_bound([2, 1, 1, 1, 1])
    # altered: more than it costs
    assert least < theory.floor(n) + 2 * (theory.tied_pair_loss(n) - theory.floor(n))


def test_the_leading_term_of_the_symmetric_state_is_the_quadratic_in_its_cosine():
    """What the chapter's proof expands: n² times the excess at the cosine −s/n."""
    n, scale = 20_000, 1.0
    for s in (0.0, 1.0, 2.0, 3.0):
        t, rest = s / n, n - 2
        near = math.exp(-(1 + t) * scale)
        others = (1 - rest * t * t) / (rest - 1)
        single = math.log1p(2 * near + (rest - 1) * math.exp(-(1 + others) * scale))
        value = (2 * math.log(2 + rest * near) + rest * single) / n
        quadratic = 2 * math.e - 2 + 2 * scale - 4 * scale * s + scale * s * s
        assert n**2 * (value - theory.floor(n)) == pytest.approx(quadratic, rel=2e-3)


# ---------------------------------------------------------------- exercises of the chapter


@pytest.fixture
def exercises(monkeypatch):
    monkeypatch.chdir(BOOK)
    return lambda name, *values: attempt(f"false_negatives.{name}", *values).data[0]


def test_the_exercises_know_right_from_wrong(exercises):
    a, b = torch.randn(2, 1, 3)
    same = a.expand(5, 3), b.expand(5, 3)
    assert exercises("ten", 5.62) == "✓" and exercises("ten", 1.0) == "✗"
    assert exercises("stationary", *same) == "✓"
    assert exercises("stationary", *torch.randn(2, 5, 3)) == "✗"
    assert exercises("stationary", *torch.zeros(2, 5, 3)) == "✗"
    assert exercises("stationary", a.expand(4, 3), b.expand(4, 3)) == "✗"
