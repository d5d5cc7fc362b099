"""The registry, and every method on the common path L_c + α L_u + β L_s."""

import copy
import inspect
import math
import pickle

import pytest
import torch
import torch.nn.functional as F

from herocon_lite import losses, methods
from herocon_lite.methods import METHODS, Problem, build, method_params, probabilities
from tests.methods_cases import (
    HAVE_EQ4,
    KINDS,
    SEVERAL_LABELS,
    SMALL,
    TWO_VIEWS_ONLY,
    make,
    make_problem,
    make_rows,
    term_gradients,
    train,
)

each_method = pytest.mark.parametrize("name", METHODS)
each_kind = pytest.mark.parametrize("kind", KINDS)


def batch(problem, dtype=torch.float64):
    labeled, Y = make_rows(problem, 24, 0, dtype)
    return labeled, Y, make_rows(problem, 32, 1, dtype)[0], 0.0


def cosine(a, b):
    return F.normalize(a, dim=1) @ F.normalize(b, dim=1).T


def projections(method, labeled, unlabeled):
    """z_v of all rows, each batch by its own call."""
    z = [method.contrast_space(x, method.encoders(x)) for x in (labeled, unlabeled)]
    return [torch.cat(rows) for rows in zip(*z, strict=True)]


def assert_same_term(first, second, name, *data):
    """Equal by value and by the gradient of every parameter that both have."""
    (mine, my_grads), (other, other_grads) = (
        term_gradients(m, name, *data) for m in (first, second)
    )
    assert mine.item() == pytest.approx(other.item(), rel=1e-12)
    shared = my_grads.keys() & other_grads.keys()
    assert shared >= {n for n, _ in first.encoders.named_parameters("encoders")}
    for key in shared:
        assert torch.allclose(my_grads[key], other_grads[key], rtol=1e-9, atol=1e-14), key


# ------------------------------------------------------------------ all of them


@pytest.mark.parametrize(
    ("views", "name", "kind"),
    [
        (views, name, kind)
        for kind in KINDS
        for views in (1, 2, 6)
        for name in METHODS
        if views > 1 or name not in (*TWO_VIEWS_ONLY, *SEVERAL_LABELS)
        if kind == "multilabel" or name not in SEVERAL_LABELS
    ],
)
def test_trains_on_every_kind_and_number_of_views(name, kind, views):
    problem = make_problem(views, kind)
    labeled, Y, unlabeled, _ = batch(problem, torch.float32)
    extra = {"beta_max": 1e-3} if name == "mib" else {}  # or its loss grows with the schedule
    method = make(name, problem, dtype=torch.float32, **extra)
    history = train(method, labeled, Y, unlabeled, steps=8)
    assert all(map(math.isfinite, history)) and history[-1] < history[0]
    with torch.no_grad():
        logits, S = method.eval().logits(labeled), method.embed(labeled)
        again = method.logits(labeled)
    assert logits.shape == Y.shape and S.ndim == 2 and len(S) == len(Y)
    assert torch.equal(logits, again)  # nothing random when predicting
    assert probabilities(logits, kind).isfinite().all()


@each_method
def test_unlabelled_rows_come_without_labels(name):
    terms = make(name, make_problem()).terms
    assert list(inspect.signature(terms).parameters) == ["labeled", "Y", "unlabeled", "progress"]


@each_method
def test_says_truly_whether_it_uses_unlabelled_rows(name):
    """Unlabelled rows of NaN are refused or spoil those that look at them, and no others."""
    problem = make_problem()
    labeled, Y, unlabeled, _ = batch(problem)
    method = make(name, problem)
    try:
        train(method, labeled, Y, [torch.full_like(u, math.nan) for u in unlabeled], steps=2)
        noticed = any(v.isnan().any() for v in method.state_dict().values())
    except ValueError as error:
        noticed = "must hold finite numbers" in str(error)
    assert noticed == method.uses_unlabeled


@each_method
def test_works_without_unlabelled_rows(name):
    labeled, Y, _, _ = batch(problem := make_problem())
    assert math.isfinite(train(make(name, problem), labeled, Y, None, steps=2)[-1])


@each_method
def test_same_seed_same_weights(name):
    problem = make_problem()
    data = batch(problem, torch.float32)[:3]
    states = []
    for _ in range(2):
        method = make(name, problem, dtype=torch.float32)
        train(method, *data, steps=8)
        states.append(method.state_dict())
    assert all(torch.equal(states[0][key], states[1][key]) for key in states[0])


@each_method
def test_encoders_start_alike_in_every_method(name):
    start = make("dnn", make_problem()).encoders.state_dict()
    mine = make(name, make_problem()).encoders.state_dict()
    assert all(torch.equal(start[key], mine[key]) for key in start)


@each_method
def test_survives_state_dict_pickle_and_deepcopy(name):
    labeled, Y, unlabeled, _ = batch(problem := make_problem())
    method = make(name, problem)
    train(method, labeled, Y, unlabeled, steps=8)
    fresh = make(name, problem, seed=5)
    fresh.load_state_dict(method.state_dict())
    for other in (fresh, pickle.loads(pickle.dumps(method)), copy.deepcopy(method)):
        assert torch.equal(other.eval().logits(labeled), method.eval().logits(labeled))


@each_method
@pytest.mark.parametrize("encoder", ["cnn", "vgg"])
def test_pictures_in_bytes(name, encoder):
    side = {"cnn": 8, "vgg": 32}[encoder]
    options = {"width": 6} | ({"widths": [2] * 5} if encoder == "vgg" else {"channels": 2})
    kind = "multilabel" if name in SEVERAL_LABELS else "multiclass"
    problem = Problem(((1, side, side),) * 2, 3, kind, encoder, options)
    torch.manual_seed(0)
    views = [torch.randint(0, 256, (6, 1, side, side), dtype=torch.uint8) for _ in range(4)]
    Y = F.one_hot(torch.arange(6) % 3, 3).float()
    method = make(name, problem, dtype=torch.float32)
    assert all(map(math.isfinite, train(method, views[:2], Y, views[2:], steps=2)))
    assert method.eval().logits(views[:2]).shape == (6, 3)


@each_method
def test_half_precision_gives_finite_terms(name):
    labeled, Y, unlabeled, _ = batch(problem := make_problem(), torch.float32)
    method = make(name, problem, dtype=torch.float32)
    with torch.autocast("cpu", torch.bfloat16):
        loss = sum(method.terms(labeled, Y, unlabeled, 1.0).values())
    loss.backward()
    assert loss.isfinite() and loss.dtype == torch.float32
    assert all(p.grad is None or p.grad.isfinite().all() for p in method.parameters())


# ------------------------------------------------------------------ DNN and its control


def test_dnn_with_zero_last_layer_loses_log_two():
    method = make("dnn", problem := make_problem())
    torch.nn.init.zeros_(method.classifier.weight)
    torch.nn.init.zeros_(method.classifier.bias)
    assert method.terms(*batch(problem))["L_c"].item() == pytest.approx(math.log(2), abs=1e-15)


@each_kind
def test_dnn_is_binary_cross_entropy_for_both_kinds(kind):
    labeled, Y, unlabeled, _ = batch(problem := make_problem(kind=kind))
    method = make("dnn", problem)
    p = method.logits(labeled).sigmoid()
    literal = -(Y * p.log() + (1 - Y) * (1 - p).log()).sum() / Y.numel()
    assert method.terms(labeled, Y, unlabeled, 0.0)["L_c"].item() == pytest.approx(literal.item())


def test_dnn_learns_its_rows():
    labeled, Y, _, _ = batch(problem := make_problem())
    assert train(make("dnn", problem), labeled, Y, None, steps=200)[-1] < 0.01


@pytest.mark.parametrize("name", ["herocon", "info-nce", "herocon-s", "herocon-u"])
def test_without_weights_it_is_the_dnn_bit_for_bit(name):
    problem = make_problem()
    data = batch(problem, torch.float32)[:3]
    zero = {key: 0.0 for key in ("alpha", "beta") if key in method_params(name)}
    states = []
    for method in (make(name, problem, dtype=torch.float32, **zero), make("dnn", problem).float()):
        train(method, *data, steps=10)
        states.append(method.state_dict())
    assert states[0].keys() == states[1].keys()
    assert all(torch.equal(states[0][key], states[1][key]) for key in states[0])


def test_a_term_of_weight_zero_is_not_computed(monkeypatch):
    def never(*args, **options):
        raise AssertionError("computed")

    problem = make_problem()
    monkeypatch.setattr(losses, "weighted_unsupervised", never)
    assert make("herocon-s", problem).terms(*batch(problem)).keys() == {"L_c", "L_s"}
    monkeypatch.undo()
    monkeypatch.setattr(losses, "weighted_supervised", never)
    assert make("herocon-u", problem).terms(*batch(problem)).keys() == {"L_c", "L_u"}


def test_dnn_bnu_changes_running_statistics_and_nothing_else():
    data = batch(problem := make_problem())
    dnn, control = make("dnn", problem), make("dnn-bnu", problem)
    assert_same_term(control, dnn, "L_c", *data)
    plain, forwarded = dnn.state_dict(), control.state_dict()
    differ = {key for key in plain if not torch.equal(plain[key], forwarded[key])}
    assert differ and all("running" in key or "num_batches" in key for key in differ)


@pytest.mark.parametrize("name", ["herocon", "info-nce", "cmc"])
def test_batchnorm_sees_the_two_batches_apart(name):
    """L_c of the labelled rows does not depend on which unlabelled rows come along."""
    labeled, Y, unlabeled, _ = batch(problem := make_problem())
    method = make(name, problem)
    first = method.terms(labeled, Y, unlabeled, 0.0)
    second = method.terms(labeled, Y, [u * 3 for u in unlabeled], 0.0)
    assert first["L_c"] == second["L_c"] and first["L_u"] != second["L_u"]


# ------------------------------------------------------------------ contrast by views


@pytest.mark.parametrize("temperature", [1.0, 0.2])
def test_info_nce_is_a_cross_entropy_anchored_on_view_two(temperature):
    data = batch(problem := make_problem())
    method = make("info-nce", problem, alpha=0.3, temperature=temperature)
    z1, z2 = projections(method, data[0], data[2])
    literal = F.cross_entropy(cosine(z2, z1) / temperature, torch.arange(len(z1)))
    assert method.terms(*data)["L_u"].item() == pytest.approx(0.3 * literal.item(), rel=1e-12)


def test_released_with_g_one_is_info_nce():
    data = batch(problem := make_problem())
    released = make("herocon-u-g1", problem, preset="released")
    assert_same_term(released, make("info-nce", problem), "L_u", *data)


def test_paper_with_g_one_is_one_direction_of_nt_xent():
    data = batch(problem := make_problem())
    paper = make("herocon-u-g1", problem)
    z1, z2 = projections(paper, data[0], data[2])
    n = len(z1)
    scores = torch.cat([cosine(z1, z1).fill_diagonal_(-math.inf), cosine(z1, z2)], 1)
    literal = F.cross_entropy(scores, torch.arange(n) + n)
    one = paper.terms(*data)["L_u"] / paper.alpha
    assert one.item() == pytest.approx(literal.item(), rel=1e-12)
    both = (paper.unsupervised([z1, z2]) + paper.unsupervised([z2, z1])) / 2
    assert losses.nt_xent(z1, z2, 1.0).item() == pytest.approx(both.item(), rel=1e-12)


def test_g_one_changes_nothing_but_the_weights():
    plain, weighted = (make(n, make_problem()).state_dict() for n in ("herocon-u-g1", "herocon-u"))
    assert weighted.keys() - plain.keys() == {"H.0.weight", "H.0.bias"}
    assert all(torch.equal(plain[key], weighted[key]) for key in plain)


def test_herocon_u_is_equation_five():
    data = batch(problem := make_problem())
    method = make("herocon-u", problem, alpha=0.7, temperature=0.5)
    z1, z2 = projections(method, data[0], data[2])

    def weighted(a, b):  # g · f
        g = (torch.exp(1 - cosine(a, method.H(b))) + torch.exp(1 - cosine(method.H(a), b))) / 2
        return g * torch.exp(cosine(a, b) / 0.5)

    positive = torch.exp(cosine(z1, z2).diagonal() / 0.5)
    others = 1 - torch.eye(len(z1))
    negatives = ((weighted(z1, z1) + weighted(z1, z2)) * others).sum(1)
    literal = -(positive / (positive + negatives)).log().mean()
    assert method.terms(*data)["L_u"].item() == pytest.approx(0.7 * literal.item(), rel=1e-12)


def test_eq4_is_equation_four():
    data = batch(problem := make_problem(1))
    method = make("herocon-u", problem, alpha=1.0)
    Ax, z = projections(method, data[0], data[2])
    assert torch.equal(z[:24], method.embed(data[0]))  # S = Z
    x = torch.cat([data[0][0], data[2][0]])
    assert torch.allclose(
        Ax, x @ method.contrast_space.A[1].weight.T + method.contrast_space.A[1].bias
    )
    h = method.H(z)
    g = (torch.exp(1 - cosine(z, h)) + torch.exp(1 - cosine(h, z))) / 2
    f = torch.exp(cosine(Ax, z))
    denominator = (g * f * (1 - torch.eye(len(z)))).sum(1) + f.diagonal()
    literal = -(f.diagonal() / denominator).log().mean()
    term, grads = term_gradients(method, "L_u", *data)
    assert term.item() == pytest.approx(literal.item(), rel=1e-12)
    assert all(grads[key].any() for key in grads if "classifier" not in key and "bias" not in key)


def test_eq4_with_g_one_is_info_nce_of_inputs():
    data = batch(problem := make_problem(1))
    plain = make("herocon-u-g1", problem)
    assert_same_term(plain, make("info-nce", problem), "L_u", *data)


def test_detach_stops_only_the_gradient_through_the_weights():
    data = batch(problem := make_problem())
    flow, stop = (make("herocon-u", problem, detach=detach) for detach in (False, True))
    (a, through), (b, stopped) = (term_gradients(m, "L_u", *data) for m in (flow, stop))
    assert a.item() == pytest.approx(b.item(), rel=1e-14)
    assert torch.allclose(through["H.0.weight"], stopped["H.0.weight"], rtol=1e-9)
    assert not torch.allclose(
        through["encoders.0.layers.1.0.weight"], stopped["encoders.0.layers.1.0.weight"]
    )


def test_cmc_is_both_directions():
    data = batch(problem := make_problem())
    method = make("cmc", problem, alpha=1.0, temperature=0.07)
    z1, z2 = projections(method, data[0], data[2])
    scores, target = cosine(z1, z2) / 0.07, torch.arange(len(z1))
    literal = (F.cross_entropy(scores, target) + F.cross_entropy(scores.T, target)) / 2
    term = method.terms(*data)["L_u"].item()
    assert term == pytest.approx(literal.item(), rel=1e-12)
    assert method.unsupervised([z1, z2]).item() == pytest.approx(
        method.unsupervised([z2, z1]).item()
    )
    one_way = make("info-nce", problem)
    assert one_way.unsupervised([z1, z2]).item() != one_way.unsupervised([z2, z1]).item()


def test_two_views_have_one_pair_and_its_two_orders():
    torch.manual_seed(0)
    z = list(torch.randn(2, 9, 12, dtype=torch.float64))
    whole = make("herocon-u", make_problem(2), symmetric=True)
    drawn = make("herocon-u", make_problem(2), symmetric=True, pairs=1)
    drawn.H = whole.H
    wanted = whole.unsupervised(z).item()
    assert wanted == pytest.approx(whole.unsupervised(z[::-1]).item())
    assert all(drawn.unsupervised(z).item() == wanted for _ in range(6))


@pytest.mark.parametrize("name", ["info-nce", "cmc", "herocon-u", "debiased"])
def test_many_views_are_the_mean_over_ordered_pairs(name):
    method = make(name, make_problem(3))
    torch.manual_seed(0)
    z = [torch.randn(9, 12, dtype=torch.float64) for _ in range(3)]
    pair = make(name, make_problem(2))
    if name == "herocon-u":
        pair.H = method.H
    pairs = [pair.unsupervised([z[v], z[w]]) for v in range(3) for w in range(3) if v != w]
    literal = torch.stack(pairs).mean().item()
    assert method.unsupervised(z).item() == pytest.approx(literal, rel=1e-12)


# ------------------------------------------------------------------ rivals

RIVALS = {  # the loss of z_1, z_2 that a row with α = 1 adds; 12 columns
    "vicreg": lambda z1, z2: losses.vicreg(z1, z2) / 25,
    "barlow": lambda z1, z2: losses.barlow_twins(z1, z2) / 12,
    "decoupled": lambda z1, z2: losses.decoupled(z1, z2, 0.1),
    "mv-infonce": lambda z1, z2: losses.mv_info_nce([z1, z2], 0.5),
    "mv-dhel": lambda z1, z2: losses.mv_dhel([z1, z2], 0.5),
}
each_rival = pytest.mark.parametrize("name", RIVALS)


@each_rival
def test_a_rival_adds_alpha_times_its_loss_of_all_rows(name):
    data = batch(problem := make_problem())
    method = make(name, problem, alpha=0.3)
    literal = 0.3 * RIVALS[name](*projections(method, data[0], data[2])).item()
    assert method.terms(*data)["L_u"].item() == pytest.approx(literal, rel=1e-12)
    control = make(name, problem, labeled_only=True)
    assert control.terms(*data) == make(name, problem).terms(*data[:2], None, 0.0)


@pytest.mark.parametrize("name", ["vicreg", "barlow"])
def test_losses_of_columns_have_the_deep_projector_unless_told(name):
    data = batch(problem := make_problem())
    kinds = {k: make(name, problem, projector=k) for k in (None, "deep", "dense", "none")}
    last = {k: type(m.contrast_space.projectors[0][-1]) for k, m in kinds.items() if k != "none"}
    assert last == {None: torch.nn.Linear, "deep": torch.nn.Linear, "dense": torch.nn.BatchNorm1d}
    assert kinds[None].terms(*data) == kinds["deep"].terms(*data)
    assert all(m.terms(*data)["L_u"].isfinite() for m in kinds.values())


@pytest.mark.parametrize("name", ["vicreg", "barlow", "decoupled"])
def test_a_rival_of_two_views_is_the_mean_over_unordered_pairs(name):
    method, drawn = make(name, make_problem(3)), make(name, make_problem(3), pairs=1)
    torch.manual_seed(0)
    z = [torch.randn(9, 12, dtype=torch.float64) for _ in range(3)]
    pairs = [RIVALS[name](z[v], z[w]).item() for v in range(3) for w in range(v)]
    assert method.unsupervised(z).item() == pytest.approx(sum(pairs) / 3, rel=1e-12)
    found = {round(drawn.unsupervised(z).item(), 9) for _ in range(60)}
    assert found == {round(pair, 9) for pair in pairs}


@pytest.mark.parametrize("name", ["mv-infonce", "mv-dhel"])
def test_losses_of_all_views_take_them_in_one_call(name):
    torch.manual_seed(0)
    z = [torch.randn(9, 12, dtype=torch.float64) for _ in range(3)]
    loss = losses.mv_info_nce if name == "mv-infonce" else losses.mv_dhel
    found = make(name, make_problem(3), temperature=0.7).unsupervised(z)
    assert found == loss(z, 0.7)


def test_weights_of_rivals_reach_the_loss():
    torch.manual_seed(0)
    z = [torch.randn(9, 12, dtype=torch.float64) for _ in range(2)]
    vicreg = make("vicreg", make_problem(), similarity=2.0, variance=3.0, covariance=5.0)
    assert vicreg.unsupervised(z) == losses.vicreg(*z, 2.0, 3.0, 5.0) / 25
    barlow = make("barlow", make_problem(), redundancy=1.0)
    assert barlow.unsupervised(z) == losses.barlow_twins(*z, 1.0) / 12


def test_rivals_have_no_option_without_effect():
    assert not {"vicreg", "barlow"} & {n for n in METHODS if "temperature" in method_params(n)}
    assert not {"mv-infonce", "mv-dhel"} & {n for n in METHODS if "pairs" in method_params(n)}


# ------------------------------------------------------------------ beyond the paper


def test_symmetric_is_the_mean_of_the_two_directions():
    method = make("herocon-u", make_problem(2), symmetric=True)
    z = [torch.randn(9, 12, dtype=torch.float64) for _ in range(2)]
    found = method.unsupervised(z).item()
    method.symmetric = None
    ways = [method.unsupervised(z).item(), method.unsupervised(z[::-1]).item()]
    assert ways[0] != ways[1] and found == pytest.approx(sum(ways) / 2, rel=1e-12)


def test_sigma_outside_reaches_the_loss():
    problem = make_problem(2)
    _, Y = make_rows(problem)
    S = torch.randn(len(Y), 24, dtype=torch.float64)
    found = make("herocon-s", problem, sigma_outside=True).supervised(S, Y)
    assert found == losses.weighted_supervised(S, Y, sigma_outside=True)
    assert found != make("herocon-s", problem).supervised(S, Y)


def test_fusion_by_mean():
    problem = make_problem(2)
    method = make("herocon", problem, fusion="mean").eval()
    views, _ = make_rows(problem)
    h = method.encoders(views)
    assert torch.equal(method.embed(views), (h[0] + h[1]) / 2)
    assert torch.equal(method.logits(views), method.classifier((h[0] + h[1]) / 2))
    assert method.terms(*batch(problem)).keys() == {"L_c", "L_s", "L_u"}


def test_projectors_by_kind():
    problem = make_problem(2)
    views, _ = make_rows(problem)
    none = make("herocon-u", problem, projector="none").eval()
    h = none.encoders(views)
    assert all(torch.equal(z, r) for z, r in zip(none.contrast_space(views, h), h, strict=True))
    sizes = {
        kind: sum(p.numel() for p in make("herocon-u", problem, projector=kind).parameters())
        for kind in (None, "dense", "deep", "none")
    }
    assert sizes["none"] < sizes[None] == sizes["dense"] < sizes["deep"]


@pytest.mark.parametrize("form", [None, "eq4"])
def test_fewer_negatives_are_drawn_from_all_rows_and_stay_aligned(form):
    problem = make_problem(1 if form else 2)
    few = make("herocon-u", problem, form=form, negatives=1)
    torch.manual_seed(0)
    z = [torch.randn(3, 12, dtype=torch.float64) for _ in range(2)]
    found = {round(few.unsupervised(z).item(), 9) for _ in range(200)}
    few.negatives = None
    choices = ([i, j] for i in range(3) for j in range(3) if i != j)
    assert found == {round(few.unsupervised([v[c] for v in z]).item(), 9) for c in choices}
    whole = few.unsupervised(z).item()
    few.negatives = 2  # all three rows, in any order
    assert few.unsupervised(z).item() == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize("name", ["info-nce", "cmc", "hard-negative", "herocon"])
def test_drawn_pairs_are_right_in_the_mean(name):
    method, all_pairs = make(name, make_problem(3), pairs=2), make(name, make_problem(3))
    torch.manual_seed(0)
    z = [torch.randn(9, 12, dtype=torch.float64) for _ in range(3)]
    drawn = torch.stack([method.unsupervised(z) for _ in range(300)]).detach()
    assert len(drawn.unique()) > 3
    assert abs(drawn.mean() - all_pairs.unsupervised(z)) < 4 * drawn.std() / 300**0.5
    method.pairs = 6
    assert method.unsupervised(z).item() == pytest.approx(all_pairs.unsupervised(z).item())


@pytest.mark.parametrize("name", ["info-nce", "cmc", "debiased", "hard-negative", "herocon-u-g1"])
def test_closed_forms_of_contrast(name):
    n, extra = 7, {"tau_plus": 0.0} if name in ("debiased", "hard-negative") else {}
    problem = make_problem(options={"widths": (n,)})
    method = make(name, problem, temperature=0.5, **extra)
    negatives = n - 1 if name in ("info-nce", "cmc") else 2 * n - 2
    same, apart = torch.ones(n, n, dtype=torch.float64), torch.eye(n, dtype=torch.float64)
    assert method.unsupervised([same] * 2).item() == pytest.approx(math.log(1 + negatives))
    wanted = math.log(1 + negatives * math.exp(-2))
    assert method.unsupervised([apart] * 2).item() == pytest.approx(wanted)


def test_debiased_and_hard_negative_fall_back_to_nt_xent():
    data = batch(problem := make_problem())
    plain = make("debiased", problem, tau_plus=0.0)
    literal = losses.nt_xent(*projections(plain, data[0], data[2]), 0.5)
    assert plain.terms(*data)["L_u"].item() == pytest.approx(0.1 * literal.item(), rel=1e-12)
    soft = make("hard-negative", problem, hardness=0.0)
    assert_same_term(soft, make("debiased", problem), "L_u", *data)
    assert soft.terms(*data)["L_u"] != make("hard-negative", problem).terms(*data)["L_u"]


def test_shared_projector_is_one_for_all_views():
    for name in ("herocon", "info-nce", "cmc", "debiased"):
        method = make(name, make_problem(3), shared_projector=True)
        assert len(method.contrast_space.projectors) == 1
        assert len(make(name, make_problem(3)).contrast_space.projectors) == 3


# ------------------------------------------------------------------ contrast by labels


def test_herocon_s_on_classes_is_supcon():
    """The captions of the paper's tables 2 and 3."""
    data = batch(problem := make_problem(kind="multiclass"))
    assert_same_term(make("herocon-s", problem), make("supcon", problem), "L_s", *data)
    hamming = make("herocon-s", problem, distance="hamming")
    assert hamming.terms(*data)["L_s"] > make("supcon", problem).terms(*data)["L_s"]  # γ = 2


@pytest.mark.parametrize("preset", ["paper", "released"])
def test_herocon_s_is_equation_seven_on_the_encoders_output(preset):
    labeled, Y, unlabeled, _ = batch(problem := make_problem())
    method = make("herocon-s", problem, beta=0.02, preset=preset)
    literal = losses.weighted_supervised(method.embed(labeled), Y, preset=preset)
    term = method.terms(labeled, Y, unlabeled, 0.0)["L_s"]
    assert term.item() == pytest.approx(0.02 * literal.item(), rel=1e-12)


def test_released_counts_beta_once_for_each_label():
    data = batch(problem := make_problem(kind="multiclass"))
    terms = []
    for switches in (losses.Switches(), losses.Switches(label_sum=True)):
        terms.append(make("herocon-s", problem, preset=switches).terms(*data)["L_s"].item())
    assert terms[1] == pytest.approx(4 * terms[0], rel=1e-12)


def test_supcon_defaults_and_variants():
    labels, classes = make_problem(), make_problem(kind="multiclass")
    data = batch(classes)
    S, Y = make("supcon", classes).embed(data[0]), data[1]
    assert make("supcon", classes).loss is losses.sup_con_eq6
    assert make("supcon", classes).temperature == 1.0
    assert make("supcon", labels).loss is losses.sup_con
    assert make("supcon", labels).temperature == 0.1
    assert make("supcon", labels, variant="eq6").loss is losses.sup_con_eq6
    value = {
        v: make("supcon", classes, variant=v, beta=1.0).terms(*data)["L_s"].item()
        for v in ("all", "any", "eq6")
    }
    assert value["all"] == pytest.approx(losses.sup_con(S, Y.argmax(1)).item(), rel=1e-12)
    assert value["all"] == pytest.approx(value["any"]) != pytest.approx(value["eq6"])


def test_supcon_can_leave_rows_without_labels_out_of_the_pulling():
    labeled, Y, unlabeled, _ = batch(problem := make_problem())
    Y = Y * (torch.arange(len(Y)) % 2)[:, None]  # every other row has none
    skip = make("supcon", problem, empty="skip", beta=1.0)
    S = skip.embed(labeled)
    found = skip.terms(labeled, Y, unlabeled, 0.0)["L_s"].item()
    assert found == pytest.approx(losses.sup_con(S, Y, 0.1, empty="skip").item(), rel=1e-12)
    assert found < make("supcon", problem, beta=1.0).terms(labeled, Y, None, 0.0)["L_s"].item()


def test_closed_forms_of_supervised_contrast():
    """K classes of m rows each, classes orthogonal."""
    K, m, tau = 4, 3, 0.5
    Y = torch.eye(K, dtype=torch.float64).repeat_interleave(m, 0)
    problem = make_problem(kind="multiclass", labels=K)
    far = (K - 1) * m * math.exp(-1 / tau)

    def value(rows=Y, labels=Y, **options):
        return make("supcon", problem, temperature=tau, **options).supervised(rows, labels).item()

    assert value(variant="all") == pytest.approx(math.log(m - 1 + far))
    assert value(variant="eq6") == pytest.approx(math.log(1 + far))
    same = torch.ones_like(Y)
    assert value(same, variant="all") == pytest.approx(math.log(K * m - 1))
    two = Y[[0, 1, 3, 4, 6, 7, 9, 10]]  # one positive for each anchor: the two forms coincide
    assert value(two, two, variant="all") == pytest.approx(value(two, two, variant="eq6"))
    one_class = Y[[0, 0, 0]]
    assert value(Y[:3], one_class, variant="eq6") == 0  # no negatives
    assert math.isfinite(value(Y[:3], one_class, variant="all"))
    assert value(torch.eye(4), torch.eye(4), variant="all") == 0  # no positives
    order = torch.randperm(K, generator=torch.Generator().manual_seed(0))
    assert value(labels=Y[:, order], variant="eq6") == pytest.approx(value(variant="eq6"))


def test_mulsupcon_on_classes_is_l_out():
    data = batch(problem := make_problem(kind="multiclass"))
    assert_same_term(
        make("mulsupcon", problem), make("supcon", problem, variant="all"), "L_s", *data
    )


def test_multisupcon_on_classes_is_l_out_and_reads_its_options():
    data = batch(problem := make_problem(kind="multiclass"))
    assert_same_term(
        make("multisupcon", problem), make("supcon", problem, variant="all"), "L_s", *data
    )
    labeled, Y, unlabeled, _ = batch(problem := make_problem())
    Y = Y * (torch.arange(len(Y)) % 2)[:, None]
    found = {}
    for options in ({}, {"overlap": 0.0}, {"overlap": 1.0}, {"empty": "skip"}):
        method = make("multisupcon", problem, beta=0.2, temperature=0.5, **options)
        S = method.embed(labeled)
        literal = 0.2 * losses.multi_sup_con(S, Y, 0.5, **options).item()
        term = method.terms(labeled, Y, unlabeled, 0.0)["L_s"].item()
        assert term == pytest.approx(literal, rel=1e-12)
        found[str(options)] = round(term, 9)
    assert len({*found.values()}) == 4


# ------------------------------------------------------------------ the registry and bad calls


def test_registry_has_the_rows_of_the_tables():
    tables = "dnn, info-nce, supcon, cmc, mib, c2ae, deepmtmv, herocon-s, herocon-u, herocon"
    extra = "dnn-bnu, herocon-u-g1, debiased, hard-negative, mulsupcon"
    assert ", ".join(METHODS).startswith(f"{tables}, {extra}")
    assert "alpha" in method_params("herocon-u") and "beta" not in method_params("herocon-u")


def test_an_eleventh_method_is_one_entry(monkeypatch):
    class Twice(methods.Method):
        def __init__(self, problem, factor: float = 2.0):
            super().__init__(problem)

    monkeypatch.setitem(METHODS, "twice", Twice)
    assert method_params("twice") == {"factor": 2.0}
    assert isinstance(make("twice", make_problem(), factor=3.0), Twice)


@pytest.mark.parametrize("name", TWO_VIEWS_ONLY)
def test_one_view_names_the_forms(name):
    with pytest.raises(ValueError, match=r"one view.*two_noisy.*eq4"):
        build(name, make_problem(1))


@pytest.mark.parametrize("form", [None, "two_noisy"])
@pytest.mark.parametrize("name", HAVE_EQ4)
def test_one_view_without_eq4_names_the_forms(name, form):
    with pytest.raises(ValueError, match=r"one view.*two_noisy.*eq4"):
        build(name, make_problem(1), form=form)


P = make_problem()


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: build("hero-con", P), "Did you mean herocon"),
        (lambda: build("HEROCON_S", P), "Did you mean herocon-s"),
        (lambda: build("xyzzy", P), r"must be one of dnn, .*; got 'xyzzy'\.$"),
        (lambda: build("dnn", P, alpha=1.0), "Method dnn has no option 'alpha'; it has none"),
        (lambda: build("herocon-s", P, alpha=1.0), "herocon-s has no option 'alpha'; it has temp"),
        (lambda: build("debiased", P, hardness=1.0), "debiased fixes hardness = 0.0; it has "),
        (lambda: build("herocon", P, alpha=-1.0), "alpha must be a finite number ≥ 0; got -1.0"),
        (lambda: build("herocon", P, beta=math.nan), "beta must be a finite"),
        (lambda: build("herocon", P, temperature=0.0), "temperature must be a positive"),
        (lambda: build("herocon", P, preset="papr"), "preset must be one of paper, released"),
        (lambda: build("herocon", P, distance="l2"), "distance must be one of hamming, indicator"),
        (lambda: build("herocon", P, form="eq5"), "form must be one of two_noisy, eq4"),
        (lambda: build("herocon", P, form="eq4"), "for data with one view; got 2 views"),
        (lambda: build("supcon", P, variant="x"), "variant must be one of eq6"),
        (lambda: build("supcon", P, empty="drop"), "empty must be one of skip; got 'drop'"),
        (lambda: build("supcon", P, variant="any", empty="skip"), "empty .* variant is any"),
        (lambda: build("vicreg", P, temperature=1.0), "vicreg has no option 'temperature'; it has"),
        (lambda: build("vicreg", P, similarity=-1.0), "similarity must be a finite number ≥ 0"),
        (lambda: build("barlow", P, redundancy="x"), "redundancy must be a finite number ≥ 0"),
        (lambda: build("mv-dhel", P, pairs=2), "mv-dhel has no option 'pairs'"),
        (lambda: build("multisupcon", P, overlap=1.1), r"overlap must be in \[0, 1\], a share"),
        (lambda: build("multisupcon", P, empty="drop"), "empty must be one of skip; got 'drop'"),
        (
            lambda: build("supcon", make_problem(kind="multiclass"), empty="skip"),
            "empty has no effect where every row has a class",
        ),
        (lambda: build("cmc", P, pairs=0), "pairs must be a whole number, at least 1"),
        (lambda: build("herocon", P, negatives=0), "negatives must be a whole number, at least 1"),
        (lambda: build("herocon", P, projector="wide"), "projector must be one of dense"),
        (
            lambda: build("herocon", P, beta=0.0, sigma_outside=True),
            "sigma_outside has no effect where beta is 0; leave it out. Got True",
        ),
        (lambda: build("herocon", P, beta=0.0, distance="hamming"), "distance has no effect"),
        (lambda: build("herocon", P, alpha=0.0, symmetric=True), "symmetric has no effect"),
        (lambda: build("herocon", P, alpha=0.0, projector="deep"), "projector has no effect"),
        (lambda: build("herocon", P, alpha=0.0, negatives=5), "negatives has no effect"),
        (lambda: build("herocon", P, alpha=0.0, detach=True), "detach has no effect"),
        (lambda: build("herocon", P, alpha=0.0, part="push"), "part has no effect"),
        (lambda: build("herocon", P, part="both"), "part must be one of push, pull"),
        (lambda: build("herocon", P, weighted=False, detach=True), "detach .* weighted is False"),
        (lambda: build("herocon", make_problem(3), symmetric=True), "symmetric .* three views"),
        (
            lambda: build("herocon", make_problem(1), form="eq4", symmetric=True),
            'symmetric has no effect where form is "eq4"',
        ),
        (
            lambda: build("herocon", make_problem(1), form="eq4", projector="deep"),
            'projector has no effect where form is "eq4"',
        ),
        (lambda: build("herocon", P, fusion="sum"), "fusion must be one of mean"),
        (lambda: build("debiased", P, tau_plus=1.0), r"tau_plus must be in \[0, 1\)"),
        (lambda: build("debiased", P, tau_plus="x"), r"tau_plus must be in \[0, 1\)"),
        (lambda: build("herocon", P, pairs="two"), "pairs must be a whole number"),
        (lambda: build("mib", P, beta_max="x"), "beta_max must be a finite number"),
        (lambda: Problem(((3,),), 2, "multi"), "kind must be one of multilabel, multiclass"),
        (lambda: Problem(((3,),), 2, "multilabel", "rnn"), "encoder must be one of mlp, cnn, vgg"),
        (lambda: Problem((), 2, "multilabel"), "at least one view"),
        (lambda: probabilities(torch.zeros(1, 2), "multi"), "kind must be"),
    ],
)
def test_bad_calls_get_a_sentence(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


def test_probabilities():
    logits = torch.tensor([[0.0, math.log(3)]])
    assert torch.allclose(probabilities(logits, "multilabel"), torch.tensor([[0.5, 0.75]]))
    assert torch.allclose(probabilities(logits, "multiclass"), torch.tensor([[0.25, 0.75]]))


def test_encoder_options_reach_every_view():
    assert SMALL["widths"] == (16, 12) and make("dnn", make_problem(3)).joint_size == 36
    assert build("dnn", make_problem(3, options={})).joint_size == 600  # 200 a view, as released


def test_weights_can_be_switched_off_by_name():
    """``--set weighted=false`` on herocon is g ≡ 1 and changes nothing else."""
    data = batch(problem := make_problem())
    plain = make("herocon", problem, weighted=False)
    assert plain.H is None and make("herocon", problem).H is not None
    assert_same_term(plain, make("herocon-u-g1", problem), "L_u", *data)
    assert_same_term(plain, make("herocon", problem), "L_s", *data)


@pytest.mark.parametrize(
    "name",
    ["herocon", "herocon-u", "herocon-u-g1", "info-nce", "cmc", "debiased", "hard-negative"],
)
def test_labeled_only_is_the_same_loss_without_the_unlabelled_rows(name):
    labeled, Y, unlabeled, _ = batch(problem := make_problem())
    control = make(name, problem, labeled_only=True)
    assert not control.uses_unlabeled
    terms = control.terms(labeled, Y, unlabeled, 0.0)
    assert terms == make(name, problem).terms(labeled, Y, None, 0.0)
    assert terms["L_u"] != make(name, problem).terms(labeled, Y, unlabeled, 0.0)["L_u"]


@pytest.mark.parametrize("name", ["herocon-u", "herocon-u-g1", "herocon"])
def test_push_and_pull_add_up_to_the_gradient_of_the_whole(name):
    data = batch(problem := make_problem())
    whole, push, pull = (
        term_gradients(make(name, problem, part=part), "L_u", *data)
        for part in (None, "push", "pull")
    )
    assert whole[0] == push[0] == pull[0]
    for key, wanted in whole[1].items():
        torch.testing.assert_close(push[1][key] + pull[1][key], wanted, rtol=1e-9, atol=1e-12)
    key = "encoders.0.layers.1.0.weight"
    assert push[1][key].any() and pull[1][key].any()
