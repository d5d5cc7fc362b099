"""Losses where views or labels are missing: what is absent is left out, to the last digits."""

import math

import pytest
import torch
import torch.nn.functional as F

from herocon_lite import losses, nn
from herocon_lite.ensemble import Recipe, Single, Stacked, join, of_present
from herocon_lite.models import weight_net
from herocon_lite.stacked import (
    Batch,
    LabelPairs,
    classification,
    stacked_supervised,
    stacked_unsupervised,
)
from tests import naive
from tests.cases import gradients, make_batch

M, N, U, D, C = 3, 12, 6, 5, 4  # members, labelled and other rows, columns, labels
SIZES = (5, 7, 3)
close = {"rtol": 1e-10, "atol": 1e-12}


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def labels_with_gaps():
    """(m, n, c): labels and which are known; one label has a single known positive."""
    Y, known = (torch.rand(M, N, C) < 0.4).double(), torch.rand(M, N, C) < 0.6
    Y[0, :, 1] = 0
    Y[0, 3, 1], known[0, 3, 1] = 1, True
    known[1, :, 2] &= Y[1, :, 2] == 1  # no known negative
    known[2, 4] = False  # a row of which nothing is known
    return Y * known, known


# ------------------------------------------------------------------ public losses


def test_with_all_labels_known_nothing_changes():
    batch = make_batch(n=9, d=5, c=4)
    for options in ({}, {"distance": "indicator"}, {"preset": "released-cnn"}):
        plain = losses.weighted_supervised(batch.z1, batch.Y, 0.5, **options)
        known = torch.ones_like(batch.Y, dtype=torch.bool)
        masked = losses.weighted_supervised(batch.z1, batch.Y, 0.5, known=known, **options)
        torch.testing.assert_close(masked, plain, rtol=1e-13, atol=0)
        for mine, wanted in zip(gradients(masked, batch), gradients(plain, batch), strict=True):
            torch.testing.assert_close(mine, wanted, rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("preset", ["paper", "released-cnn"])
def test_a_row_of_which_nothing_is_known_might_as_well_not_be_there(preset):
    batch = make_batch(n=9, d=5, c=4)
    rows = torch.tensor([0, 1, 2, 4, 5, 7, 8])
    known = batch.known.clone()
    known[[3, 6]] = False
    whole = losses.weighted_supervised(batch.z1, batch.Y, 0.5, preset, known=known)
    less = losses.weighted_supervised(batch.z1[rows], batch.Y[rows], 0.5, preset, known=known[rows])
    torch.testing.assert_close(whole, less, rtol=1e-12, atol=0)


def test_distances_are_over_the_labels_known_in_both_rows_scaled_to_all():
    """Rows 0 and 1 know three labels of four both and differ in one: 4/3; σ = 1 − 1/3."""
    Y = torch.tensor([[1, 0, 1, -1], [1, 1, 1, 0], [0, -1, 1, 1]])
    s = torch.eye(3, dtype=torch.float64)  # f = 1 throughout
    loss = losses.weighted_supervised(s, Y, 1.0, known=Y >= 0)
    # label 0: positives 0 and 1, negative 2: γ_02 = 4 · 1/2, γ_12 = 4 · 2/3; label 2 has no
    # negative, labels 1 and 3 have one positive each: 0
    sigma = 2 / 3
    logs = [math.log((sigma + gamma) / sigma) for gamma in (2, 8 / 3)]
    assert loss.item() == pytest.approx(sum(logs) / 2 / 4, rel=1e-12)


@pytest.mark.parametrize("filler", [-1.0, 0.0, 1.0, 7.0, math.nan, math.inf])
def test_what_stands_at_unknown_entries_does_not_matter(filler):
    batch = make_batch(n=8, c=3)
    Y = batch.Y.masked_fill(~batch.known, filler)
    wanted = losses.weighted_supervised(batch.z1, batch.Y, known=batch.known)
    assert torch.equal(losses.weighted_supervised(batch.z1, Y, known=batch.known), wanted)
    assert torch.equal(nn.WeightedSupervised()(batch.z1, Y, batch.known), wanted)
    each = losses.weighted_supervised(batch.z1, Y, known=batch.known, reduction="none")
    torch.testing.assert_close(each.mean(), wanted, rtol=1e-12, atol=0)


def test_known_must_be_a_mask_of_the_labels():
    s, Y = torch.eye(3), torch.eye(3)
    for known in (torch.ones(3, 3), torch.ones(3, 2, dtype=torch.bool)):
        with pytest.raises(ValueError, match=r"known must be of Y's shape, \(3, 3\), and of torch"):
            losses.weighted_supervised(s, Y, known=known)
    known = torch.ones(3, 3, dtype=torch.bool)
    with pytest.raises(ValueError, match="Y must hold 0 and 1 alone; row 1 has 2"):
        losses.weighted_supervised(
            s, Y.index_put((torch.tensor(1),) * 2, torch.tensor(2.0)), known=known
        )


def test_rows_that_lack_a_view_are_left_out_by_choosing_rows():
    """No option is needed: the loss of the chosen rows is the loop that skips the others."""
    batch, both = make_batch(n=9, d=4), torch.tensor([1, 0, 1, 1, 0, 1, 1, 1, 0]).bool()
    loss = losses.weighted_unsupervised(batch.z1[both], batch.z2[both], batch.H, 0.5)
    slow = naive.weighted_unsupervised_where(batch.z1, batch.z2, batch.H, 0.5, both)
    torch.testing.assert_close(loss, slow, **close)
    for mine, wanted in zip(gradients(loss, batch), gradients(slow, batch), strict=True):
        torch.testing.assert_close(mine, wanted, rtol=1e-10, atol=1e-12)


# ------------------------------------------------------------------ stacked losses


@pytest.mark.parametrize("temperature", [1.0, 0.1])
@pytest.mark.parametrize("distance", ["hamming", "indicator"])
def test_the_stacked_supervised_contrast_is_that_of_each_member(distance, temperature):
    S = torch.randn(M, N, D, dtype=torch.float64, requires_grad=True)
    Y, known = labels_with_gaps()
    made = stacked_supervised(S, LabelPairs(Y, distance, known), temperature)
    slopes = torch.autograd.grad(made.sum(), S)[0]
    for k in range(M):
        s = S[k].detach().requires_grad_()
        options = {"distance": distance, "known": known[k]}
        wanted = losses.weighted_supervised(s, Y[k], temperature, **options)
        slow = naive.weighted_supervised(S[k], Y[k], temperature, **options)
        torch.testing.assert_close(made[k], wanted, **close)
        torch.testing.assert_close(made[k], slow, **close)
        slope = torch.autograd.grad(wanted, s)[0]
        torch.testing.assert_close(slopes[k], slope, **close)


@pytest.mark.parametrize("weights", ["g", "detached", "none"])
def test_the_stacked_unsupervised_contrast_is_that_of_each_members_rows(weights):
    z = [torch.randn(M, N, D, dtype=torch.float64, requires_grad=True) for _ in range(2)]
    nets = [weight_net(D).double() for _ in range(M)]
    detach = weights == "detached"
    both = torch.rand(M, N) < 0.6
    both[2] = False
    both[2, 5] = True  # one row alone has no negatives

    def H(rows):
        rows = rows.detach() if detach else rows
        return torch.stack([net(own) for net, own in zip(nets, rows, strict=True)])

    given = None if weights == "none" else [H(rows) for rows in z]
    made = stacked_unsupervised(*z, given, 0.5, detach, both)
    slopes = torch.autograd.grad(made.sum(), z)
    assert made[2] == 0
    for k in range(M):
        one = [rows[k].detach().requires_grad_() for rows in z]
        net = None if weights == "none" else nets[k]
        chosen = [rows[both[k]] for rows in one]
        wanted = losses.weighted_unsupervised(*chosen, net, 0.5, detach=detach)
        torch.testing.assert_close(made[k], wanted, **close)
        for mine, theirs in zip(slopes, torch.autograd.grad(wanted, one), strict=True):
            torch.testing.assert_close(mine[k], theirs, **close)


def test_without_a_row_that_has_both_views_the_contrast_is_nothing():
    z = torch.randn(M, N, D, requires_grad=True)
    made = stacked_unsupervised(z, z, [z, z], 1.0, both=torch.zeros(M, N, dtype=torch.bool))
    slope = torch.autograd.grad(made.sum(), z)[0]
    assert (made == 0).all() and (slope == 0).all()


def test_classification_is_over_known_labels():
    logits = torch.randn(M, N, C, dtype=torch.float64, requires_grad=True)
    (Y, known), weight = labels_with_gaps(), torch.rand(M, N, dtype=torch.float64)
    made = classification(logits, Batch([], Y, weight, None, None, known), "multilabel")
    slow = torch.stack(
        [naive.classification(*each) for each in zip(logits, Y, weight, known, strict=True)]
    )
    torch.testing.assert_close(made, slow, **close)
    pairs = (torch.autograd.grad(x.sum(), logits)[0] for x in (made, slow))
    torch.testing.assert_close(*pairs, **close)
    whole = Batch([], Y, weight, None, None, torch.ones_like(known))
    plain = Batch([], Y, weight, None, None)
    same = (classification(logits, batch, "multilabel") for batch in (whole, plain))
    torch.testing.assert_close(*same, **close)


# ------------------------------------------------------------------ networks


def gaps():
    """(V, m, n + u): every row has a view; one view is in a single row of one member."""
    present = torch.rand(len(SIZES), M, N + U) < 0.6
    present[0] |= ~present.any(0)
    present[2, 1] = False
    present[2, 1, 4] = True
    return present


def batch_with_gaps(kind, recipe):
    views = [torch.randn(M, N + U, size, dtype=torch.float64) for size in SIZES]
    weight, known = torch.rand(M, N, dtype=torch.float64), None
    Y = F.one_hot(torch.randint(C, (M, N)), C).double()
    if kind == "multilabel":
        Y, known = labels_with_gaps()
    pairs = LabelPairs(Y, recipe.distance, known)
    return Batch(views, Y, weight, None, pairs, known, gaps())


def member(batch, k):
    known = None if batch.known is None else batch.known[k : k + 1]
    views = [x[k : k + 1] for x in batch.views]
    rows = batch.Y[k : k + 1], batch.weight[k : k + 1]
    return Batch(views, *rows, None, None, known, batch.present[:, k : k + 1])


@pytest.mark.parametrize("kind", ["multilabel", "multiclass"])
def test_a_step_of_a_member_is_a_step_of_the_network_that_chooses_rows(kind):
    """:class:`Single` encodes and contrasts the rows that are there, and never sees the others."""
    from tests.unit.test_ensemble import plain_member

    recipe = Recipe(kind, C, widths=(8, 6), dropout=0.0)
    stacked = Stacked(recipe, SIZES, M).double()
    batch = batch_with_gaps(kind, recipe)
    torch.manual_seed(5)  # the pair of views
    terms = stacked.terms(batch)
    sum(t.sum() for t in terms.values()).backward()
    for k in (0, 2):  # member 1 has a view in one row only, which Single cannot normalise
        single = plain_member(stacked, k, SIZES)
        for net in single.modules():  # as at the start of the step
            if isinstance(net, torch.nn.BatchNorm1d):
                net.reset_running_stats()
                net.momentum = 1.0
        torch.manual_seed(5)
        wanted = single.terms(member(batch, k))
        sum(t.sum() for t in wanted.values()).backward()
        for name, value in wanted.items():
            torch.testing.assert_close(terms[name][k], value[0], rtol=1e-9, atol=1e-10)
        for number in range(len(SIZES)):
            block, own = stacked.encoders[number][0], single.encoders[number][0]
            slope = block.linear.weight.grad[k]
            torch.testing.assert_close(slope, own[0].weight.grad.T, rtol=1e-8, atol=1e-10)
            for mine, theirs in (
                (block.mean, own[2].running_mean),
                (block.var, own[2].running_var),
            ):
                torch.testing.assert_close(mine.view(M, -1)[k], theirs, rtol=1e-9, atol=1e-10)


def test_what_stands_in_absent_rows_and_at_unknown_labels_changes_nothing():
    recipe = Recipe("multilabel", C, widths=(8, 6), dropout=0.0)
    stacked = Stacked(recipe, SIZES, M).double()
    batch = batch_with_gaps("multilabel", recipe)

    def terms():
        torch.manual_seed(1)
        return {name: term.detach() for name, term in stacked.terms(batch).items()}

    before = terms()
    for x, here in zip(batch.views, batch.present, strict=True):
        x[~here] = 1e3
    for name, after in terms().items():
        torch.testing.assert_close(after, before[name], **close)
    views = [x[0] for x in batch.views]
    probabilities = stacked.eval().logits(views, batch.present[:, 0])
    for x, here in zip(views, batch.present[:, 0], strict=True):
        x[~here] = -7.0
    assert torch.equal(stacked.logits(views, batch.present[:, 0]), probabilities)


def test_a_view_that_is_absent_is_zero_and_the_others_stay():
    h = [torch.ones(4, 2), 2 * torch.ones(4, 3)]
    present = torch.tensor([[True, True, False, True], [True, False, True, True]])
    wanted = [[1.0, 1, 2, 2, 2], [1, 1, 0, 0, 0], [0, 0, 2, 2, 2], [1, 1, 2, 2, 2]]
    assert join(h, present).tolist() == wanted


def test_a_net_sees_the_rows_that_are_there():
    seen, net = [], torch.nn.BatchNorm1d(2)
    net.register_forward_pre_hook(lambda _, args: seen.append(args[0]))
    x, here = torch.randn(5, 2), torch.tensor([0, 1, 1, 0, 1]).bool()
    made = of_present(net, x, here, 2)
    assert torch.equal(seen[0], x[here]) and (made[~here] == 0).all() and (made[here] != 0).all()
    mean = net.running_mean.clone()
    one = of_present(net, x, torch.arange(5) == 3, 2)  # by the averages, which stay
    assert one[3].abs().sum() > 0 and torch.equal(net.running_mean, mean) and net.training
    assert torch.equal(of_present(net, x, here & False, 2), torch.zeros(5, 2))


def test_a_network_of_own_encoders_has_nothing_to_contrast_without_common_rows():
    recipe = Recipe("multilabel", C, widths=(6,), dropout=0.0)
    single = Single(recipe, [torch.nn.Linear(5, 4), torch.nn.Linear(7, 4)], [4, 4])
    here = torch.arange(8) < 4
    Y = (torch.rand(1, 8, C) < 0.5).float()
    views = [torch.randn(1, 8, size) for size in (5, 7)]
    terms = single.terms(
        Batch(views, Y, torch.ones(1, 8), None, None, None, torch.stack([here, ~here])[:, None])
    )
    assert terms["L_u"].tolist() == [0] and terms["L_c"].isfinite().all()
