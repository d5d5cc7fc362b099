"""DeepMTMV: which tasks are alike, when a layer splits, and what the split leaves as it was."""

import pytest
import torch
from torch import nn

from herocon_lite.methods import deepmtmv
from herocon_lite.methods.deepmtmv import (
    affinity,
    agreed_eigenvectors,
    branch_affinity,
    choose_groups,
    cluster,
)
from tests.methods_cases import make, make_problem, make_rows, train

double = torch.float64


def blocks(sizes, views=2):
    """Tasks in blocks: alike within, never across."""
    block = torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes))
    A = (block[:, None] == block[None, :]).to(double)
    return A.expand(views, -1, -1).clone()


def grouping(A, price=0.125, scale=2.0):
    views, tasks = A.shape[:2]
    return choose_groups(A, [[t] for t in range(tasks)], price, scale, torch.ones(views) / views)


def partition(groups):
    return {frozenset((groups == g).nonzero()[:, 0].tolist()) for g in groups.unique()}


# ------------------------------------------------------------------ affinity


def test_affinity_is_symmetric_in_zero_one_with_ones_on_the_diagonal():
    hard = (torch.rand(3, 50, 5, generator=torch.Generator().manual_seed(0)) < 0.4).to(double)
    A = affinity(hard)
    assert torch.equal(A, A.mT) and A.min() >= 0 and A.max() <= 1
    assert torch.allclose(A.diagonal(dim1=1, dim2=2), torch.ones(3, 5, dtype=double))
    literal = (hard[1, :, 2] == hard[1, :, 4]).double().mean()
    assert A[1, 2, 4].item() == pytest.approx(literal.item())
    order = torch.tensor([3, 1, 4, 0, 2])
    assert torch.equal(affinity(hard[:, :, order]), A[:, order][:, :, order])


def test_running_affinity_of_the_method():
    problem = make_problem(3)
    method = make("deepmtmv", problem)
    labeled, Y = make_rows(problem, 40)
    for _ in range(5):
        method.terms(labeled, Y, None, 0.1)
    A = method.alike / method.weight
    assert torch.allclose(A, A.mT) and A.min() >= 0 and A.max() <= 1 + 1e-12
    assert torch.allclose(A.diagonal(dim1=1, dim2=2), torch.ones(3, 4, dtype=double))
    assert not torch.allclose(A[0], A[1])  # each view has its own


def test_a_view_is_judged_by_what_it_says_alone():
    problem = make_problem(2)
    method = make("deepmtmv", problem).double()
    S, Y = torch.randn(30, 24, dtype=double), (torch.rand(30, 4) < 0.5).to(double)
    method.watch(S, Y)
    first = method.alike[0].clone()
    S[:, 12:] = torch.randn(30, 12, dtype=double)  # the other view's half
    other = make("deepmtmv", problem).double()
    other.watch(S, Y)
    assert torch.equal(first, other.alike[0]) and not torch.equal(method.alike[1], other.alike[1])
    # errors are 1 − s where the label is there, s where it is not
    alone = torch.cat([S[:, :12], torch.zeros(30, 12)], 1)
    s = other.classifier(alone).sigmoid()
    assert torch.allclose(other.error[0], torch.where(Y == 1, 1 - s, s).mean(0))


def test_running_averages_fade():
    method = make("deepmtmv", make_problem()).double()
    S, Y = torch.randn(2, 10, 24, dtype=double), torch.ones(10, 4, dtype=double)
    e = []
    for x in S:
        method.watch(x, Y)
        e.append(1 - method.classifier(torch.cat([x[:, :12], x[:, 12:] * 0], 1)).sigmoid().mean(0))
    mean = (0.99 * e[0] + e[1]) / 1.99
    assert torch.allclose(method.error[0] / method.weight, mean)


def test_identical_tasks_are_wholly_alike_and_never_split():
    method = make("deepmtmv", problem := make_problem(labels=5))
    heads = method.layers[2]
    with torch.no_grad():
        heads.weight.copy_(heads.weight[:1].expand_as(heads.weight))
        heads.bias.copy_(heads.bias[:1].expand_as(heads.bias))
    labeled, Y = make_rows(problem)
    method.terms(labeled, Y[:, :1].expand(-1, 5), None, 0.0)
    assert torch.allclose(method.alike / method.weight, torch.ones(2, 5, 5, dtype=double))
    assert not method.after_step(1, 4)


# ------------------------------------------------------------------ grouping


@pytest.mark.parametrize("views", [1, 2, 6])
@pytest.mark.parametrize("sizes", [(3, 3), (2, 5)])
def test_two_blocks_of_opposite_tasks_split_in_two(views, sizes):
    groups = grouping(blocks(sizes, views))
    assert partition(groups) == {
        frozenset(range(sizes[0])),
        frozenset(range(sizes[0], sum(sizes))),
    }


def test_three_blocks_in_any_order():
    A, order = blocks((3, 2, 2)), torch.tensor([6, 0, 3, 5, 1, 4, 2])
    inverse = order.argsort()
    moved = A[:, order][:, :, order]
    assert partition(grouping(moved)) == {
        frozenset(inverse[[0, 1, 2]].tolist()),
        frozenset(inverse[[3, 4]].tolist()),
        frozenset(inverse[[5, 6]].tolist()),
    }


def test_a_split_must_pay():
    A = blocks((3, 3))  # gain 2 · ½ · 1 = 1 for one more column
    assert grouping(A, price=0.99) is not None and grouping(A, price=1.0) is None
    assert grouping(blocks((6,))) is None


def test_one_group_a_task_is_not_considered():
    assert grouping(torch.eye(2, dtype=double).expand(2, 2, 2)) is None
    groups = grouping(torch.eye(5, dtype=double).expand(2, 5, 5), price=1e-9)
    assert groups is None or groups.max() < 4


def test_views_agree_on_the_clusters():
    """View 1 sees two clear blocks, view 2 almost nothing: the clear one decides."""
    g = torch.Generator().manual_seed(0)
    faint = torch.full((6, 6), 0.5, dtype=double) + 0.01 * torch.rand(6, 6, generator=g)
    faint = (faint + faint.T) / 2
    A = torch.stack([blocks((3, 3))[0] * 0.8 + 0.1, faint.fill_diagonal_(1.0)])
    assert partition(cluster(A, 2)) == {frozenset({0, 1, 2}), frozenset({3, 4, 5})}


def test_eigenvectors_are_those_of_own_affinity_plus_the_others():
    g = torch.Generator().manual_seed(0)
    A = torch.rand(3, 6, 6, generator=g, dtype=double)
    A = (A + A.mT) / 2
    U = agreed_eigenvectors(A, 2)
    D = A.sum(2).rsqrt()
    for v in range(3):
        others = sum(U[u] @ U[u].T for u in range(3) if u != v)
        matrix = torch.diag(D[v]) @ A[v] @ torch.diag(D[v]) + 0.1 * others
        span = torch.linalg.eigh(matrix).eigenvectors[:, -2:]
        assert torch.allclose(span @ span.T, U[v] @ U[v].T, atol=1e-6)


def test_affinity_of_branches():
    g = torch.Generator().manual_seed(0)
    A = torch.rand(1, 4, 4, generator=g, dtype=double)
    A = (A + A.mT) / 2
    between = branch_affinity(A, [[0, 1], [2, 3]])
    one_way = (min(A[0, 0, 2], A[0, 0, 3]) + min(A[0, 1, 2], A[0, 1, 3])) / 2
    back = (min(A[0, 2, 0], A[0, 2, 1]) + min(A[0, 3, 0], A[0, 3, 1])) / 2
    assert between[0, 0, 1].item() == pytest.approx(((one_way + back) / 2).item())
    assert torch.equal(between, between.mT)
    assert torch.equal(branch_affinity(A, [[0], [1], [2], [3]]), A)


# ------------------------------------------------------------------ the split


def test_unsplit_it_is_a_dnn_with_one_head_a_task():
    problem = make_problem()
    method = make("deepmtmv", problem)
    first, second, heads = method.layers
    plain = nn.Sequential(
        nn.Linear(24, 12), nn.ReLU(), nn.Linear(12, 6), nn.ReLU(), nn.Linear(6, 4)
    ).double()
    with torch.no_grad():
        for target, source in zip(plain[::2], (first, second, heads), strict=True):
            target.weight.copy_(source.weight.flatten(0, 1))
            target.bias.copy_(source.bias.flatten())
    S = torch.randn(9, 24, dtype=double)
    assert torch.allclose(method.classifier(S), plain(S), rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize(("noise", "change"), [(0.0, 1e-12), (1e-3, 0.05)])
def test_a_split_leaves_the_function_as_it_was(noise, change, monkeypatch):
    monkeypatch.setattr(deepmtmv, "NOISE", noise)
    method = make("deepmtmv", make_problem(labels=5))
    S = torch.randn(9, 24, dtype=double)
    before, size = method.classifier(S), sum(p.numel() for p in method.parameters())
    torch.manual_seed(0)
    method.split(1, torch.tensor([0, 1, 1, 0, 2]))
    method.split(0, torch.tensor([0, 1, 1]))
    after = method.classifier(S)
    assert (after - before).abs().max() <= change
    assert torch.equal(after, before) or noise > 0
    grown = sum(p.numel() for p in method.parameters()) - size
    assert grown == 2 * (12 * 6 + 6) + 1 * (24 * 12 + 12)
    assert method.layers[1].source.tolist() == [0, 1, 1]
    assert method.layers[2].source.tolist() == [0, 1, 1, 0, 2]


def test_copies_differ_by_the_noise():
    method = make("deepmtmv", make_problem(labels=5))
    parent = method.layers[1].weight.detach().clone()
    method.split(1, torch.tensor([0, 1, 1, 0, 2]))
    gap = method.layers[1].weight.detach() - parent
    assert gap.std().item() == pytest.approx(1e-3, rel=0.2) and gap.mean().abs() < 3e-4
    assert not torch.equal(gap[0], gap[1])


def test_columns_of_one_group_serve_that_group_only(monkeypatch):
    monkeypatch.setattr(deepmtmv, "NOISE", 0.0)
    method = make("deepmtmv", make_problem())
    method.split(1, torch.tensor([0, 0, 1, 1]))
    S = torch.randn(9, 24, dtype=double)
    before = method.classifier(S).detach()
    with torch.no_grad():
        method.layers[1].weight[1] *= 2
    moved = (method.classifier(S) - before).abs().amax(0) > 1e-9
    assert moved.tolist() == [False, False, True, True]


def opposite_tasks(method):
    """Makes the running averages say: tasks 0–1 and 2–4 have nothing in common."""
    method.weight.fill_(1)
    method.alike.copy_(blocks((2, 3), len(method.alike)))


def test_splits_at_a_quarter_and_half_of_the_steps_from_the_top():
    method = make("deepmtmv", make_problem(labels=5))
    opposite_tasks(method)
    changed = [step for step in range(1, 101) if method.after_step(step, 100)]
    assert changed == [25]  # two branches: nothing left to group at 50
    assert partition(method.layers[2].source) == {frozenset({0, 1}), frozenset({2, 3, 4})}
    assert len(method.layers[1].weight) == 2 and len(method.layers[0].weight) == 1
    assert int(method.attempts) == 2 and int(method.next_layer) == 0


def test_the_second_split_groups_the_columns_of_the_first():
    method = make("deepmtmv", make_problem(labels=6))
    method.split(1, torch.tensor([0, 0, 1, 1, 2, 2]))
    method.weight.fill_(1)
    method.alike.copy_(blocks((4, 2)))  # columns 0 and 1 belong together
    assert method.after_step(50, 100)
    assert partition(method.layers[1].source) == {frozenset({0, 1}), frozenset({2})}
    assert int(method.next_layer) == -1 and not method.after_step(25, 100)


def test_view_importance_follows_the_first_layer():
    method = make("deepmtmv", make_problem())
    with torch.no_grad():
        method.layers[0].weight.fill_(-1.0)
        method.layers[0].weight[:, :, 12:] = 2.0
    assert torch.allclose(method._importance(), torch.tensor([0.0, 2.0], dtype=double).softmax(0))


def test_new_columns_learn_and_are_saved():
    problem = make_problem(labels=5)
    labeled, Y = make_rows(problem)
    method = make("deepmtmv", problem)
    method.split(1, torch.tensor([0, 1, 1, 0, 2]))
    before = method.layers[1].weight.detach().clone()
    train(method, labeled, Y, None, steps=1)
    assert (method.layers[1].weight != before).flatten(1).any(1).all()
    fresh = make("deepmtmv", problem, seed=3)
    known = list(fresh.parameters())
    fresh.load_state_dict(method.state_dict())
    assert all(a is b for a, b in zip(known, fresh.parameters(), strict=True))  # to an optimiser
    assert torch.equal(fresh.eval().logits(labeled), method.eval().logits(labeled))
    train(fresh, labeled, Y, None, steps=1)
