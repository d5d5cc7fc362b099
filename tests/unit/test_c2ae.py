"""C2AE: the correlation term Φ, the ranking term Γ, and who learns from which."""

import math

import pytest
import torch

from herocon_lite.methods.c2ae import _centred, correlation, ranking
from tests.methods_cases import make, make_problem, make_rows, term_gradients

double = torch.float64


def codes(b=9, L=4, seed=0):
    g = torch.Generator().manual_seed(seed)
    return [torch.randn(b, L, generator=g, dtype=double, requires_grad=True) for _ in range(2)]


def batch(problem):
    return *make_rows(problem, 20, 0), None, 0.0


# ------------------------------------------------------------------ Φ


def test_small_codes_survive_half_precision():
    code = torch.tensor([0.01, -0.02]).bfloat16()
    assert torch.allclose(_centred(code), code.float() / 4, rtol=0.01)


def test_equal_orthonormal_codes_cost_nothing():
    A = torch.linalg.qr(codes()[0].detach()).Q  # (9, 4): columns, not rows, are orthonormal
    assert correlation(A, A, 0.5).item() == pytest.approx(0, abs=1e-24)


def test_codes_of_zero_cost_two_lambda_L():
    zero = torch.zeros(9, 4, dtype=double)
    assert correlation(zero, zero, 0.7).item() == pytest.approx(2 * 0.7 * 4)


def test_gradient_of_the_correlation():
    A, E = codes()
    (mine,) = torch.autograd.grad(correlation(A, E, 0.5), A)
    wanted = 2 * (A - E) + 4 * 0.5 * A @ (A.T @ A - torch.eye(4))
    assert torch.allclose(mine, wanted, rtol=1e-12)
    assert torch.autograd.gradcheck(lambda a, e: correlation(a, e, 0.5), (A, E))


def test_a_common_rotation_changes_nothing():
    A, E = codes()
    R = torch.linalg.qr(torch.randn(4, 4, dtype=double)).Q
    turned = correlation(A @ R, E @ R, 0.5).item()
    assert turned == pytest.approx(correlation(A, E, 0.5).item(), rel=1e-12)


def test_on_the_constraint_the_distance_is_a_correlation():
    A, E = (torch.linalg.qr(x.detach()).Q for x in codes())
    wanted = 2 * 4 - 2 * torch.trace(A.T @ E)
    assert correlation(A, E, 0.5).item() == pytest.approx(wanted.item(), rel=1e-12)


# ------------------------------------------------------------------ Γ


def make_scores(n=7, c=5, seed=0):
    g = torch.Generator().manual_seed(seed)
    scores = torch.rand(n, c, generator=g, dtype=double, requires_grad=True)
    Y = (torch.rand(n, c, generator=g) < 0.5).to(double)
    Y[0], Y[1] = 0, 1
    return scores, Y


def test_ranking_is_its_double_loop():
    scores, Y = make_scores()
    scores = scores.detach()
    for i in range(len(Y)):
        has = [p for p in range(5) if Y[i, p] == 1]
        lacks = [q for q in range(5) if Y[i, q] == 0]
        pairs = [math.exp(-5 * (scores[i, p] - scores[i, q])) for p in has for q in lacks]
        wanted = sum(pairs) / len(pairs) if pairs else 0.0
        assert ranking(scores, Y, 5.0)[i].item() == pytest.approx(wanted, rel=1e-14)


def test_closed_forms_of_the_ranking():
    scores, Y = make_scores()
    proper = (Y.sum(1) > 0) & (Y.sum(1) < 5)
    proper = proper.to(double)
    assert torch.allclose(ranking(torch.full_like(Y, 0.3), Y, 5.0), proper)
    assert torch.allclose(ranking(Y, Y, 5.0), proper * math.exp(-5), rtol=1e-14)
    assert torch.allclose(ranking(scores + 0.7, Y, 5.0), ranking(scores, Y, 5.0), rtol=1e-12)


def test_gradient_of_the_ranking():
    scores, Y = make_scores()
    assert torch.autograd.gradcheck(lambda s: ranking(s, Y, 5.0), scores)
    (grad,) = torch.autograd.grad(ranking(scores, Y, 5.0).sum(), scores)
    assert not grad[:2].any()  # rows with no label or all of them


# ------------------------------------------------------------------ the whole


@pytest.mark.parametrize(("labels", "size"), [(6, 5), (10, 8), (20, 16), (40, 32), (1, 1)])
def test_code_size_is_four_fifths_of_the_labels(labels, size):
    assert make("c2ae", make_problem(labels=labels)).input_code.out_features == size


def test_terms_are_sums_over_the_batch():
    labeled, Y, _, _ = data = batch(problem := make_problem())
    method = make("c2ae", problem)
    A = method.input_code(method.embed(labeled)).sigmoid() - 0.5
    E = method.label_code(Y).sigmoid() - 0.5
    terms = method.terms(*data)
    assert terms.keys() == {"phi", "gamma"}
    assert terms["phi"].item() == pytest.approx(correlation(A, E, 0.5).item(), rel=1e-12)
    gamma = ranking(method.decoder(E).sigmoid(), Y, 5.0).sum() * 0.5 / 5
    assert terms["gamma"].item() == pytest.approx(gamma.item(), rel=1e-12)
    assert torch.equal(method.logits(labeled), method.decoder(A))


def test_who_learns_from_which_term():
    data = batch(problem := make_problem())

    def reached(term):
        _, grads = term_gradients(make("c2ae", problem), term, *data)
        return {key.split(".")[0] for key, g in grads.items() if g.any()}

    assert reached("phi") == {"encoders", "input_code", "label_code"}
    assert reached("gamma") == {"label_code", "decoder"}
