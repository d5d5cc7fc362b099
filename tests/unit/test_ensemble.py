"""Stacked networks are, member by member, the plain network with the losses of the package."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from herocon_lite import losses
from herocon_lite.ensemble import COPY_NOISE, Recipe, Single, Stacked
from herocon_lite.models import dense, weight_net
from herocon_lite.stacked import Batch, LabelPairs, stacked_supervised, stacked_unsupervised

M, N, D, C = 3, 14, 6, 4
SIZES = (5, 7)


@pytest.fixture
def random():
    torch.manual_seed(0)


def labels(kind: str) -> torch.Tensor:
    """(m, n, c), another label matrix for each member; one column has a single positive."""
    if kind == "multiclass":
        return F.one_hot(torch.randint(C, (M, N)), C).double()
    Y = (torch.rand(M, N, C) < 0.4).double()
    Y[0, :, 1] = F.one_hot(torch.tensor(3), N)
    Y[1, :, 2] = 1
    return Y


@pytest.mark.parametrize("temperature", [1.0, 0.1])
@pytest.mark.parametrize("kind", ["multilabel", "multiclass"])
def test_the_supervised_contrast_is_that_of_each_member(random, kind, temperature):
    S, Y = torch.randn(M, N, D, dtype=torch.float64, requires_grad=True), labels(kind)
    distance = "indicator" if kind == "multiclass" else "hamming"
    made = stacked_supervised(S, LabelPairs(Y, distance), temperature)
    slopes = torch.autograd.grad(made.sum(), S)[0]
    for k in range(M):
        s = S[k].detach().requires_grad_()
        wanted = losses.weighted_supervised(s, Y[k], temperature, distance=distance)
        torch.testing.assert_close(made[k], wanted, rtol=1e-10, atol=1e-12)
        slope = torch.autograd.grad(wanted, s)[0]
        torch.testing.assert_close(slopes[k], slope, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("temperature", [1.0, 0.1])
@pytest.mark.parametrize("weights", ["g", "detached", "none"])
def test_the_unsupervised_contrast_is_that_of_each_member(random, weights, temperature):
    z = [torch.randn(M, N, D, dtype=torch.float64, requires_grad=True) for _ in range(2)]
    nets = [weight_net(D).double() for _ in range(M)]
    detach = weights == "detached"

    def H(rows):
        rows = rows.detach() if detach else rows
        return torch.stack([net(own) for net, own in zip(nets, rows, strict=True)])

    given = None if weights == "none" else [H(rows) for rows in z]
    made = stacked_unsupervised(*z, given, temperature, detach)
    slopes = torch.autograd.grad(made.sum(), z)
    for k in range(M):
        one = [rows[k].detach().requires_grad_() for rows in z]
        net = None if weights == "none" else nets[k]
        wanted = losses.weighted_unsupervised(*one, net, temperature, detach=detach)
        torch.testing.assert_close(made[k], wanted, rtol=1e-10, atol=1e-12)
        for mine, theirs in zip(slopes, torch.autograd.grad(wanted, one), strict=True):
            torch.testing.assert_close(mine[k], theirs, rtol=1e-9, atol=1e-12)


def plain_member(stacked: Stacked, k: int, sizes=SIZES) -> Single:
    """Return the plain network with the weights of member k."""
    recipe, width = stacked.recipe, stacked.recipe.widths[-1]

    def copied(block, p, q):
        made = dense(p, q)
        linear, _, norm = made
        with torch.no_grad():
            linear.weight.copy_(block.linear.weight[k].T)
            linear.bias.copy_(block.linear.bias[k, 0])
            norm.weight.copy_(block.scale.view(-1, q)[k])
            norm.bias.copy_(block.shift.view(-1, q)[k])
            norm.running_mean.copy_(block.mean.view(-1, q)[k])
            norm.running_var.copy_(block.var.view(-1, q)[k])
        return made

    encoders = []
    for size, blocks in zip(sizes, stacked.encoders, strict=True):
        layers = [size, *recipe.widths]
        given = zip(blocks, layers[:-1], layers[1:], strict=True)
        encoders.append(nn.Sequential(*[copied(*each) for each in given]))
    single = Single(recipe, encoders, [width] * len(sizes))
    single.projectors = nn.ModuleList(copied(b, width, width) for b in stacked.projectors)
    pairs = [(stacked.classifier, single.classifier), (stacked.H, single.H[0])]
    with torch.no_grad():
        for mine, theirs in pairs:
            theirs.weight.copy_(mine.weight[k].T)
            theirs.bias.copy_(mine.bias[k, 0])
    return single.double()


@pytest.mark.parametrize("kind", ["multilabel", "multiclass"])
def test_a_step_of_a_member_is_a_step_of_the_plain_network(random, kind):
    recipe = Recipe(kind, C, widths=(8, 6), dropout=0.0)
    stacked = Stacked(recipe, SIZES, M).double()
    Y, u = labels(kind), 9
    views = [torch.randn(M, N + u, size, dtype=torch.float64) for size in SIZES]
    weight = torch.rand(M, N, dtype=torch.float64)
    terms = stacked.terms(Batch(views, Y, weight, None, LabelPairs(Y, recipe.distance)))
    sum(t.sum() for t in terms.values()).backward()
    for k in range(M):
        single = plain_member(stacked, k)
        mine = Batch([x[k : k + 1] for x in views], Y[k : k + 1], weight[k : k + 1], None, None)
        wanted = single.terms(mine)
        sum(t.sum() for t in wanted.values()).backward()
        for name, value in wanted.items():
            torch.testing.assert_close(terms[name][k], value[0], rtol=1e-9, atol=1e-10)
        first = stacked.encoders[0][0].linear.weight.grad[k]
        theirs = single.encoders[0][0][0].weight.grad.T
        torch.testing.assert_close(first, theirs, rtol=1e-8, atol=1e-10)


def test_a_member_predicts_what_the_plain_network_predicts(random):
    stacked = Stacked(Recipe("multilabel", C, widths=(8, 6)), SIZES, M).double()
    views = [torch.randn(N, size, dtype=torch.float64) for size in SIZES]
    stacked.encode([x.expand(M, *x.shape) for x in views])  # moves the averages
    stacked.eval()
    for k in range(M):
        single = plain_member(stacked, k).eval()
        close = {"rtol": 1e-5, "atol": 1e-6}  # the averages passed through float32
        torch.testing.assert_close(stacked.logits(views)[k], single.logits(views)[0], **close)
        torch.testing.assert_close(stacked.embed(views)[k], single.embed(views)[0], **close)


def test_members_do_not_meet(random):
    """What one member sees changes nothing for the others."""
    recipe = Recipe("multilabel", C, widths=(8,), dropout=0.0)
    stacked, Y = Stacked(recipe, SIZES, M), labels("multilabel").float()
    views = [torch.randn(M, N, size) for size in SIZES]

    def terms():
        made = stacked.terms(Batch(views, Y, torch.ones(M, N), None, LabelPairs(Y, "hamming")))
        return {name: term.detach() for name, term in made.items()}

    before = terms()
    views[0][1] += 1
    for name, after in terms().items():
        changed = ~torch.isclose(after, before[name], rtol=1e-5)
        assert changed.tolist() == [False, True, False], name


def test_a_lone_view_is_taken_twice_with_noise_in_training_only(random):
    stacked = Stacked(Recipe("multilabel", C, widths=(8,), dropout=0.0), SIZES[:1], M)
    for first, second in zip(*(e.parameters() for e in stacked.encoders), strict=True):
        second.data.copy_(first)
    x = torch.randn(M, 50, SIZES[0])
    one, other = stacked.encode([x])
    assert 0 < (one - other).abs().mean() < 5 * COPY_NOISE
    one, other = stacked.eval().encode([x])
    for mine, theirs in zip(*(e.buffers() for e in stacked.encoders), strict=True):
        theirs.copy_(mine)
    one, other = stacked.encode([x])
    assert torch.equal(one, other)


def test_dropout_is_for_training_only(random):
    stacked = Stacked(Recipe("multilabel", C, widths=(8,), dropout=0.5), SIZES, 1)
    views = [torch.randn(1, N, size) for size in SIZES]
    assert not torch.equal(stacked.encode(views)[0], stacked.encode(views)[0])
    stacked.eval()
    assert torch.equal(stacked.encode(views)[0], stacked.encode(views)[0])


def test_wrong_sizes_are_refused():
    with pytest.raises(ValueError, match="widths must be whole numbers"):
        Recipe("multilabel", C, widths=())
    with pytest.raises(ValueError, match="dropout must be in"):
        Recipe("multilabel", C, dropout=1.0)
    assert np.isclose(Recipe("multiclass", C).alpha, 0.1)
