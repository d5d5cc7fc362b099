"""MIB: its divergence, its bound on information, its schedule, and how they meet the labels."""

import math

import pytest
import torch
from torch import nn
from torch.distributions import Normal, kl_divergence

from herocon_lite.methods import Problem
from herocon_lite.methods.mib import beta_at, sample, shared_information, symmetric_kl
from tests.methods_cases import make, make_problem, make_rows, term_gradients

double = torch.float64


def gaussians(n=5, d=3, seed=0):
    g = torch.Generator().manual_seed(seed)
    means = [torch.randn(n, d, generator=g, dtype=double, requires_grad=True) for _ in range(2)]
    stds = [(0.5 + torch.rand(n, d, generator=g, dtype=double)).requires_grad_() for _ in range(2)]
    return list(zip(means, stds, strict=True))


def batch(problem):
    labeled, Y = make_rows(problem, 20, 0)
    return labeled, Y, make_rows(problem, 30, 1)[0]


# ------------------------------------------------------------------ symmetrised KL


def test_divergence_is_torchs():
    p, q = gaussians()
    a, b = Normal(*p), Normal(*q)
    literal = (kl_divergence(a, b) + kl_divergence(b, a)).sum(1).mean() / 2
    assert symmetric_kl(p, q).item() == pytest.approx(literal.item(), rel=1e-12)
    assert symmetric_kl(q, p).item() == pytest.approx(literal.item(), rel=1e-12)
    assert symmetric_kl(p, p).item() == 0


def test_divergence_at_unit_variance_is_half_the_squared_distance():
    (p, _), (q, _) = gaussians()
    one = torch.ones_like(p)
    wanted = (p - q).square().sum(1).mean() / 2
    assert symmetric_kl((p, one), (q, one)).item() == pytest.approx(wanted.item(), rel=1e-12)


def test_gradient_of_the_divergence():
    (mean_p, std_p), (mean_q, std_q) = p, q = gaussians()
    (mine,) = torch.autograd.grad(symmetric_kl(p, q), mean_p)
    wanted = (mean_p - mean_q) * (std_p**-2 + std_q**-2) / 2 / len(mean_p)
    assert torch.allclose(mine, wanted, rtol=1e-12)
    assert torch.autograd.gradcheck(
        lambda *x: symmetric_kl(x[:2], x[2:]), (mean_p, std_p, mean_q, std_q)
    )


def test_samples_give_the_closed_form_in_the_mean():
    torch.manual_seed(0)
    p, q = [
        (m.detach()[:1].expand(200_000, 3), s.detach()[:1].expand(200_000, 3))
        for m, s in gaussians()
    ]
    a, b = Normal(*p), Normal(*q)
    z, w = sample(p), sample(q)
    ratio = (a.log_prob(z) - b.log_prob(z) + b.log_prob(w) - a.log_prob(w)).sum(1).mean() / 2
    assert ratio.item() == pytest.approx(symmetric_kl(p, q).item(), rel=0.01)


# ------------------------------------------------------------------ information


def test_a_critic_of_zero_gives_minus_two_log_two():
    z = torch.randn(6, 3, dtype=double)
    assert shared_information(lambda x: x[:, :1] * 0, z, z).item() == pytest.approx(
        -2 * math.log(2)
    )


def test_the_bound_counts_true_pairs_and_false_ones():
    """A critic that knows the true pairs reaches 0; one that has them the wrong way falls below."""
    z = torch.arange(8, dtype=double)[:, None]

    def knows(x):
        return 40 * torch.where(x[:, :1] == x[:, 1:], 1.0, -1.0).to(double)

    assert shared_information(knows, z, z).item() == pytest.approx(0, abs=1e-12)
    assert shared_information(lambda x: -knows(x), z, z).item() == pytest.approx(-80)


def test_the_best_critic_finds_the_information_of_a_gaussian():
    """E T* over true pairs is −½ ln(1 − ρ²) = .511 at ρ = .8, and T* maximises J."""
    torch.manual_seed(0)
    rho, n = 0.8, 400_000
    x = torch.randn(n, 1, dtype=double)
    y = rho * x + math.sqrt(1 - rho**2) * torch.randn(n, 1, dtype=double)

    def best(pair):
        x, y = pair[:, :1], pair[:, 1:]
        quadratic = (rho**2 * (x**2 + y**2) - 2 * rho * x * y) / (1 - rho**2)
        return -0.5 * math.log(1 - rho**2) - quadratic / 2

    assert best(torch.cat([x, y], 1)).mean().item() == pytest.approx(0.511, abs=0.005)
    top = shared_information(best, x, y).item()
    assert top <= 0
    for worse in (lambda p: best(p) + 0.3, lambda p: 0.5 * best(p), lambda p: 2 * best(p)):
        assert shared_information(worse, x, y).item() < top


def test_rows_next_to_each_other_are_not_the_only_false_pairs():
    z, seen = torch.arange(9, dtype=double)[:, None], set()

    def critic(x):
        seen.update(((x[:, 1] - x[:, 0]) % 9).tolist())
        return x[:, :1]

    for _ in range(60):
        shared_information(critic, z, z)
    assert seen == set(range(9))  # 0 from the true pairs


# ------------------------------------------------------------------ schedule and whole


def test_schedule():
    wanted = {0: 1e-3, 1 / 3: 1e-3, 2 / 3: 10**-1.5, 1: 1.0, 1.2: 1.0}
    for progress, beta in wanted.items():
        assert beta_at(progress) == pytest.approx(beta)
    assert beta_at(1, 0.01) == pytest.approx(0.01)
    assert beta_at(0.9, 1e-5) == pytest.approx(1e-5)
    assert beta_at(0.5, 0.0) == 0


def test_terms_are_the_objective():
    problem = make_problem()
    labeled, Y, unlabeled = batch(problem)
    method = make("mib", problem, alpha=0.3)
    torch.manual_seed(7)
    terms = method.terms(labeled, Y, unlabeled, 2 / 3)
    torch.manual_seed(7)
    parts = [method.gaussians(x) for x in (labeled, unlabeled)]
    p, q = [tuple(map(torch.cat, zip(*pair, strict=True))) for pair in zip(*parts, strict=True)]
    z1, z2 = sample(p), sample(q)
    J = shared_information(method.critics[0], z1, z2)
    assert terms["information"].item() == pytest.approx(-0.3 * J.item(), rel=1e-12)
    D = symmetric_kl(p, q).item()
    assert terms["divergence"].item() == pytest.approx(0.3 * 10**-1.5 * D, rel=1e-12)
    logits = method.classifier(torch.cat([z1, z2], 1)[: len(Y)])
    L_c = nn.functional.binary_cross_entropy_with_logits(logits, Y)
    assert terms["L_c"].item() == pytest.approx(L_c.item(), rel=1e-12)


def test_predicts_from_means_and_trains_on_samples():
    problem = make_problem()
    labeled, Y, unlabeled = batch(problem)
    method = make("mib", problem).eval()
    means = torch.cat([m for m, _ in method.gaussians(labeled)], 1)
    assert torch.equal(method.embed(labeled), means)
    assert torch.equal(method.logits(labeled), method.classifier(means))
    assert len({method.terms(labeled, Y, unlabeled, 0.0)["L_c"].item() for _ in range(3)}) == 3


def test_without_alpha_it_is_a_stochastic_dnn():
    problem = make_problem()
    method = make("mib", problem, alpha=0.0)
    assert not method.uses_unlabeled and len(method.critics) == 0
    assert method.terms(*batch(problem), 0.5).keys() == {"L_c"}


def test_labels_and_information_both_reach_the_encoders():
    problem = make_problem()
    data = *batch(problem), 0.5
    for term, part in {"L_c": "classifier", "information": "critics"}.items():
        _, grads = term_gradients(make("mib", problem), term, *data)
        reached = {key.split(".")[0] for key, g in grads.items() if g.any()}
        assert reached == {part, "encoders", "heads"}


def test_one_critic_for_each_pair_of_views_and_a_larger_code_for_pictures():
    assert len(make("mib", make_problem(3)).critics) == 3
    for shape, encoder, size in (((6,), "mlp", 64), ((1, 8, 8), "cnn", 128)):
        method = make("mib", Problem((shape,) * 2, 3, "multiclass", encoder))
        assert method.heads[0].out_features == 2 * size
