"""The propositions of the chapter on L_s: each holds, and fails once its statement is altered."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import torch

from herocon_lite import losses, theory

EXACT = 1e-9


# ---------------------------------------------------------------- Lemma 3.2: the positive law


def families(number=60):
    rng = np.random.default_rng(0)
    for _ in range(number):
        c, letters = rng.integers(2, 6, 2)
        yield rng.dirichlet(np.ones(letters), c), rng


def test_a_positive_pair_knows_i_plus_and_never_more_than_log_c():
    altered = 0
    for classes, rng in families():
        c = len(classes)
        pairs = theory.positive_law(classes)
        ratio = np.log(theory.density_ratio(pairs))
        truth = theory.mutual_information(pairs)
        assert sum(p @ ratio @ p for p in classes) / c == pytest.approx(truth, abs=1e-8)
        assert -EXACT < truth <= theory.label_information(classes) + EXACT
        assert theory.label_information(classes) <= math.log(c) + EXACT
        weights = rng.dirichlet(np.ones(c))  # altered: labels not drawn uniformly
        other = sum(w * (p @ ratio @ p) for w, p in zip(weights, classes, strict=True))
        altered += abs(other - truth) > 1e-4
    assert altered > 50
    assert theory.mutual_information(theory.positive_law([[0.2, 0.8]])) == pytest.approx(0)


def test_ranges_of_sigma_and_gamma():
    c = 3
    values = {"sigma": set(), "gamma": set()}
    for u, v in product(product((0, 1), repeat=c), repeat=2):
        dist = sum(i != j for i, j in zip(u, v, strict=True))
        if any(i == j == 1 for i, j in zip(u, v, strict=True)):
            values["sigma"].add(1 - Fraction(dist, c))
        if any(i > j for i, j in zip(u, v, strict=True)):
            values["gamma"].add(dist)
    assert (min(values["sigma"]), max(values["sigma"])) == (Fraction(1, c), 1)  # never 0
    assert (min(values["gamma"]), max(values["gamma"])) == (1, c)


# ---------------------------------------------------------------- counterexamples


def test_counterexample_a():
    bound, truth = theory.counterexample_a(5)
    assert bound == pytest.approx(0.753597, abs=5e-7)
    assert truth == pytest.approx(0.693147, abs=5e-7)
    # altered: four samples do not do
    assert theory.counterexample_a(4).bound < truth
    assert theory.counterexample_a(3, gamma=1).bound > truth > theory.counterexample_a(2, 1).bound
    assert theory.counterexample_a(10**9).bound == pytest.approx(2 - math.log(2), abs=1e-6)


def test_counterexample_a_in_fractions():
    """N − L_s > log 2 iff e² > 2γm/(m − 2), and e > 65/24."""
    below = sum(Fraction(1, math.factorial(k)) for k in range(5))
    assert below == Fraction(65, 24)
    for gamma, m in ((2, 5), (1, 3)):
        assert below**2 > Fraction(2 * gamma * m, m - 2)
    above = below + Fraction(1, 96)  # e's series ends within 1/(4! · 4)
    assert above**2 < Fraction(2 * 2 * 4, 4 - 2)  # m = 4 is too few


@pytest.mark.parametrize(("distance", "gamma"), [("hamming", 2), ("indicator", 1)])
@pytest.mark.parametrize("tau", [1.0, 0.5])
def test_counterexample_a_by_enumeration_and_by_the_library(distance, gamma, tau):
    for m in (2, 5, 8):
        Y, s = np.repeat(np.eye(2, dtype=int), m, 0), np.repeat([[1.0], [-1.0]], m, 0)
        listed, N = theory.eq7_by_enumeration(Y, np.exp(s @ s.T / tau), distance)
        library = losses.weighted_supervised(
            torch.tensor(s), torch.tensor(Y), tau, distance=distance
        )
        bound = theory.counterexample_a(m, gamma, tau).bound
        assert N - listed == pytest.approx(bound, abs=1e-12)
        assert N - library.item() == pytest.approx(bound, abs=1e-12)


def test_enumeration_is_the_library_on_any_labels():
    torch.manual_seed(0)
    s, Y = torch.randn(9, 4, dtype=torch.float64), torch.randint(0, 2, (9, 3))
    Y[:2], Y[2] = 1, 0
    f = theory.all_cosines(s, s).exp().numpy()
    for distance in ("hamming", "indicator"):
        library = losses.weighted_supervised(s, Y, distance=distance).item()
        assert theory.eq7_by_enumeration(Y.numpy(), f, distance)[0] == pytest.approx(library)


def test_counterexample_b():
    one, truth = theory.counterexample_b(256, sigma="one")
    assert truth == pytest.approx(1.43742, abs=5e-6)
    assert one == pytest.approx(1.39375, abs=5e-6) and one < truth
    known = {"mean": 1.43871, "least": 1.59285, "mean inverse": 1.44352}
    for reading, value in known.items():
        bound, _ = theory.counterexample_b(256, sigma=reading)
        assert bound == pytest.approx(value, abs=1e-5)
        assert bound > truth
        # altered: few negatives do not do
        assert theory.counterexample_b(16, sigma=reading).bound < truth
    with pytest.raises(ValueError, match="sigma must be one of"):
        theory.counterexample_b(4, sigma="max")


def test_counterexample_b_is_what_its_labels_say():
    """Law of the bits, I and E σ from the label vectors; L_s from all draws of two negatives."""
    K, c = 2, 4
    samples = list(product(range(K), (0, 1)))
    labels = np.zeros((len(samples), c), int)
    for row, (u, b) in enumerate(samples):
        labels[row, [2 * u, 2 * u + 1]] = 1, b
    classes = labels.T / labels.sum(0)[:, None]
    pairs = theory.positive_law(classes)
    marginal, critic = pairs.sum(0), theory.density_ratio(pairs)
    sigma = 1 - (labels[:, None] != labels).sum(2) / c
    loss = theory.exact_loss(pairs, marginal, critic, 2, sigma=np.where(pairs > 0, sigma, 1))
    bound, truth = theory.counterexample_b(2, classes=K)
    mean = (pairs * sigma).sum()
    assert mean == pytest.approx(1 - 1 / (8 * K), abs=1e-12)
    assert truth == pytest.approx(theory.mutual_information(pairs), abs=1e-12)
    assert bound == pytest.approx((math.log(2) - loss) / mean, abs=1e-12)


def test_threshold_for_the_factor():
    limit, truth = theory.counterexample_b_limit()
    assert theory.counterexample_b(1024).bound == pytest.approx(limit, abs=0.005)
    assert limit > truth > 0.25 * math.log(8 / 7) / (1 - 31 / 32)
    # altered: less information than the threshold, two classes of 4 labels, and no violation
    low, little = theory.counterexample_b_limit(classes=2)
    assert little < 0.25 * math.log(4 / 3) / (1 - 15 / 16) and low < little
    for sigma in (0.1, 0.5, 0.9, 0.999):
        assert math.log(1 / sigma) / (1 - sigma) >= 1


def test_counterexamples_take_no_random_numbers():
    state = torch.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002
    theory.counterexample_a(5)
    theory.counterexample_b(256)
    assert torch.equal(state[0], torch.get_rng_state())
    assert (state[1] == np.random.get_state()[1]).all()  # noqa: NPY002


@pytest.mark.parametrize("flip", [0.1, 0.05, 0.01])
def test_the_lemma_is_false_for_noisy_classes_too(flip):
    toy = theory.noisy_classes(flip, 256)
    assert toy.information < toy.bound < toy.kl


# ---------------------------------------------------------------- the corrected theorem


def supervised_slack(what="kl", negatives="class", heaviest=1.0, lightest=1.0):
    """The least of (what is said to be bounded) − (log(M + 1) − L_s) over many laws."""
    slack = []
    rng = np.random.default_rng(3)
    for trial in range(80):
        p, n = rng.dirichlet(np.ones(3), 2)
        critic = np.exp(rng.normal(0, 1, (3, 3)))
        critic = np.tile(p / n, (3, 1)) if trial % 2 else critic
        sigma = rng.uniform(0.5, heaviest, (3, 3))
        sigma = sigma if trial % 4 < 2 else np.full((3, 3), heaviest)
        gamma = lightest + rng.exponential(trial % 4 < 2, (3, 3))
        pairs = theory.positive_law([p, n])
        own = np.outer(p, p)
        M = int(rng.integers(1, 30))
        if negatives == "class":
            value = theory.exact_bound(own, critic, M, n, sigma, gamma)
        else:
            critic = theory.density_ratio(pairs) if trial % 2 else critic
            value = theory.exact_bound(pairs, critic, M, None, sigma, gamma)
        bounded = {
            "kl": theory.divergence(own, n),
            "reverse": theory.divergence(np.outer(n, n), p),
            "information": theory.mutual_information(pairs),
        }[what]
        slack.append(bounded - value)
    return min(slack)


def test_eq7_bounds_a_divergence():
    assert supervised_slack() > -EXACT


def test_with_marginal_negatives_it_bounds_information():
    assert supervised_slack("information", negatives="marginal") > -EXACT


@pytest.mark.parametrize(
    "altered",
    [
        {"what": "information"},  # Lemma 3.2's claim, with Eq. 7's negatives
        {"what": "reverse"},
        {"heaviest": 1.5},
        {"lightest": 0.5},
        {"what": "information", "negatives": "marginal", "lightest": 0.5},
    ],
)
def test_the_corrected_theorem_fails_once_altered(altered):
    assert supervised_slack(**altered) < -0.01


def test_the_divergence_is_reached_by_the_best_critic():
    toy = theory.noisy_classes(0.1, 4000, critic="best", gamma=1)
    assert toy.bound == pytest.approx(toy.kl, abs=0.002)
    for flip, kl, truth in ((0.3, 0.3389, 0.0129), (0.1, 1.7578, 0.2218), (0.01, 4.5032, 0.5959)):
        toy = theory.noisy_classes(flip, 256, critic="best", gamma=1)
        assert (toy.kl, toy.information) == pytest.approx((kl, truth), abs=5e-5)
        assert toy.information < toy.bound < toy.kl


def test_the_corrected_theorem_on_data_sets_through_the_library():
    """Noisy classes drawn anew, Eq. 7 by the library: below the divergence, above I₊."""
    rng = np.random.default_rng(0)
    m, flip, values = 20, 0.1, []
    Y = np.repeat(np.eye(2, dtype=int), m, 0)
    for _ in range(200):
        x = np.where(rng.random(2 * m) < flip, 1 - Y[:, 0], Y[:, 0])
        s = torch.tensor(2.0 * x - 1)[:, None]
        loss = losses.weighted_supervised(s, torch.tensor(Y), distance="indicator")
        values.append(math.log(m) - loss.item())
    mean, error = theory.mean_and_error(torch.tensor(values))
    toy = theory.noisy_classes(flip, m, gamma=1)
    assert abs(mean - toy.bound) < 3 * error
    assert toy.information + 3 * error < mean < toy.kl - 3 * error


def test_self_pairs_break_the_corrected_theorem():
    m, M = 10, 100  # labels by chance, orthogonal samples: KL = 0
    s = torch.eye(m + M, dtype=torch.float64)
    Y = torch.tensor([[1]] * m + [[0]] * M)
    assert math.log(M + 1) - losses.sup_con_eq6(s, Y).item() == pytest.approx(0, abs=1e-8)
    mixed = losses.sup_con_eq6(s, Y, preset=losses.Switches(self_pairs=True)).item()
    assert math.log(M + 1) - mixed > 0.05


@pytest.mark.parametrize("tau", [1.0, 0.5])
def test_supervised_ceiling(tau):
    torch.manual_seed(0)
    for trial in range(40):
        m, c = 2 + trial % 4, 2 + trial % 3
        Y, s = torch.eye(c).repeat(m, 1), torch.randn(m * c, 1 + trial % 3, dtype=torch.float64)
        value = math.log(m * (c - 1)) - losses.weighted_supervised(s, Y, tau).item()
        assert value <= theory.supervised_ceiling(m * (c - 1), tau) + EXACT
    reached = theory.counterexample_a(50, gamma=1, temperature=tau).bound
    assert reached == pytest.approx(theory.supervised_ceiling(50, tau), abs=1e-12)
    assert reached < 2 / tau
    assert reached > 1 / tau  # altered: the unsupervised ceiling does not hold here


# ---------------------------------------------------------------- what the weights do


def term_forces(sigma, gamma, cos):
    """Pull on the pair and push on the negatives in one term of Eq. 7, by autograd."""
    cos = torch.tensor(cos, dtype=torch.float64, requires_grad=True)
    terms = torch.tensor([sigma, *gamma], dtype=torch.float64) * cos.exp()
    (grad,) = torch.autograd.grad(-(terms[0] / terms.sum()).log(), cos)
    return -grad[0].item(), grad[1:].tolist()


def test_the_pull_falls_with_sigma_and_the_push_rises_with_gamma():
    rng = np.random.default_rng(0)
    for _ in range(30):
        cos, gamma = rng.uniform(-1, 1, 5), rng.uniform(1, 4, 4)
        weak, strong = (term_forces(sigma, gamma, cos) for sigma in (0.9, 0.4))
        assert strong[0] > weak[0]
        assert sum(strong[1]) == pytest.approx(strong[0], abs=1e-12)
        more = term_forces(0.9, [gamma[0] + 1, *gamma[1:]], cos)
        assert more[1][0] > weak[1][0]
        # altered: outside the logarithm sigma acts as advertised
        outside = [sigma * term_forces(1, gamma, cos)[0] for sigma in (0.9, 0.4)]
        assert outside[0] > outside[1]


@pytest.mark.parametrize("M", [1, 60, 400])
def test_pull_formula(M):
    for sigma in (1, 0.5, 1 / 6):
        pull, _ = term_forces(sigma, [2] * M, [0.8] + [0.0] * M)
        assert theory.pull(sigma, M) == pytest.approx(pull, abs=1e-12)


# ---------------------------------------------------------------- Lemma 3.2, stronger


def test_any_joint_law_of_two_values_knows_log_2_at_most():
    """So the reading of I in counterexample A does not matter."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        joint = rng.dirichlet(np.full(4, 0.3)).reshape(2, 2)
        assert theory.mutual_information(joint) <= math.log(2) + EXACT
    # altered: three values know more
    assert theory.mutual_information(np.eye(3) / 3) > math.log(2) + 0.1


def test_one_label_and_hamming_violate_from_three_rows_with_it():
    """c = 1: the equations untouched, through the library; f = exp(cos), τ = 1."""
    known = {2: 0.453602, 3: 0.757859, 5: 1.092624}
    for m, value in known.items():
        s = torch.tensor([[1.0]] * m + [[-1.0]] * m, dtype=torch.float64)
        Y = torch.tensor([[1]] * m + [[0]] * m)
        for loss in (losses.weighted_supervised(s, Y), losses.sup_con_eq6(s, Y)):
            assert math.log(m) - loss.item() == pytest.approx(value, abs=1e-6)
        assert theory.counterexample_a(m, gamma=1).bound == pytest.approx(value, abs=5e-7)
    assert known[3] > math.log(2) > known[2] > 0  # inside the class I = 0
    # altered: with one row there is no pair, with m = 1 the form is negative
    assert theory.counterexample_a(1, gamma=1).bound == pytest.approx(-0.127, abs=5e-4)


def test_five_rows_are_enough_with_one_label():
    """Two rows with the label, three without: N − L_s is log 3 − log(1 + 3 e^(−2)) > log 2."""
    s = torch.tensor([[1.0], [1.0], [-1.0], [-1.0], [-1.0]], dtype=torch.float64)
    Y = torch.tensor([[1], [1], [0], [0], [0]])
    bound = math.log(3) - losses.weighted_supervised(s, Y).item()
    assert bound == pytest.approx(theory.counterexample_a(3, gamma=1).bound, abs=1e-8)
    assert bound > math.log(2)


@pytest.mark.parametrize("m", [2, 3, 10])
def test_the_critic_of_the_proof_makes_the_loss_zero(m):
    """p(x'|x)/p(x') is 2 within a class and 0 between: N − L_s = log m."""
    Y = np.repeat(np.eye(2, dtype=int), m, 0)
    ratio = 2.0 * (Y @ Y.T)
    L_s, N = theory.eq7_by_enumeration(Y, ratio)
    assert L_s == 0 and pytest.approx(math.log(m)) == N
    assert (N - L_s > math.log(2)) == (m >= 3)


def test_the_first_violation_is_the_first():
    for gamma in (1.0, 2.0, 3.0):
        for tau in (0.1, 0.5, 0.8, 1.0, 1.2, 1.44, 1.5, 2.0, 3.0):
            first = theory.first_violation(gamma, tau)
            violates = [
                m
                for m in range(1, 2000)
                if theory.counterexample_a(m, gamma, tau).bound > math.log(2)
            ]
            assert first == (violates[0] if violates else None)
    assert theory.first_violation(2.0) == 5 and theory.first_violation(1.0) == 3
    # the edges of m = 3: τ = 2/log 12 with γ = 2, 2/log 6 with γ = 1
    for gamma, edge in ((2.0, 2 / math.log(12)), (1.0, 2 / math.log(6))):
        assert theory.first_violation(gamma, 0.999 * edge) == 3
        assert theory.first_violation(gamma, 1.001 * edge) > 3


@pytest.mark.parametrize(
    "altered",
    [
        lambda m: math.log(m) - math.log1p(2 * m * math.exp(-1)),  # e^(−1) for e^(−2)
        lambda m: math.log(m) - math.log1p(m * math.exp(-2)),  # γ = 1 for 2
        lambda m: math.log(2 * m) - math.log1p(2 * m * math.exp(-2)),  # N = log 2m
    ],
)
def test_an_altered_form_moves_the_first_violation(altered):
    true = [theory.counterexample_a(m).bound > math.log(2) for m in range(1, 40)]
    other = [altered(m) > math.log(2) for m in range(1, 40)]
    assert true != other and true.index(True) == 4


# ---------------------------------------------------------------- Eq. 7 is not SupCon


SIZES = [(2, 2), (2, 2, 2), (3, 2), (4, 4, 4), (8, 4, 2, 2), (2, 5)]


def gap_by_the_library(sizes, distance="indicator"):
    y = torch.arange(len(sizes)).repeat_interleave(torch.tensor(sizes))
    s = torch.ones(len(y), 1, dtype=torch.float64)  # d = 1, all rows on one point
    Y = torch.nn.functional.one_hot(y)
    ours = losses.weighted_supervised(s, Y, distance=distance)
    return (losses.sup_con(s, y, temperature=1.0) - ours).item()


@pytest.mark.parametrize("sizes", SIZES)
def test_on_one_point_supcon_exceeds_eq7_unless_classes_have_two_rows(sizes):
    gap = theory.collapsed_supcon_gap(sizes)
    assert gap == pytest.approx(gap_by_the_library(sizes), abs=1e-12)
    assert (gap > 1e-12) == (max(sizes) > 2)
    n, K = sum(sizes), len(sizes)
    altered = [
        math.log(n - 1) - sum(math.log(n - m) for m in sizes) / K,  # n − m for 1 + n − m
        math.log(n - 1) - sum(m / n * math.log(1 + n - m) for m in sizes),  # anchors, not labels
        gap_by_the_library(sizes, "hamming"),  # γ = 2
    ]
    assert gap != pytest.approx(altered[0], abs=1e-6)
    assert gap != pytest.approx(altered[2], abs=1e-6)
    if len(set(sizes)) > 1:
        assert gap != pytest.approx(altered[1], abs=1e-6)


def test_known_gaps():
    known = {(3, 2): 0.143841, (4, 4, 4): 0.200671, (8, 4, 2, 2): 0.163482, (2, 2, 2): 0}
    for sizes, gap in known.items():
        assert theory.collapsed_supcon_gap(sizes) == pytest.approx(gap, abs=5e-7)
    rng = np.random.default_rng(0)
    for _ in range(50):
        sizes = tuple(int(m) for m in rng.integers(2, 7, rng.integers(2, 6)))
        gap = theory.collapsed_supcon_gap(sizes)
        assert gap == pytest.approx(gap_by_the_library(sizes), abs=1e-12)
    with pytest.raises(ValueError, match="two or more samples"):
        theory.collapsed_supcon_gap([1, 3])
