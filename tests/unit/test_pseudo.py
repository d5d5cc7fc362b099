"""Pseudo-labels: who gets which target, against loops and values worked out beforehand."""

import math
from fractions import Fraction

import pytest
import torch
import torch.nn.functional as F

from herocon_lite.methods import build
from herocon_lite.methods.pseudo import pseudo_loss, targets
from tests.methods_cases import make, make_problem, make_rows, term_gradients, train


def waves(start):
    """Logits of six rows and two labels, and their labelled shares, a half and a third."""
    i, a = torch.arange(6).double()[:, None], torch.arange(2).double()
    return 2 * torch.sin(start + 0.9 * i + 1.7 * a)


HEADS = [waves(1), waves(2)]
STUDENTS = [sum(HEADS) / 2, *HEADS]
Y = torch.tensor([[1, 1], [1, 1], [1, 0], [0, 0], [0, 0], [0, 0]]).double()


def naive_targets(T, Y, kept):
    """Row by row, label by label, shares as fractions."""
    m, c = T.shape
    target, mask = torch.zeros(m, c), torch.zeros(m, c)
    for a in range(c):
        share = Fraction(int(Y[:, a].sum()), len(Y))
        if share in (0, 1):
            continue
        order = sorted(range(m), key=lambda i: (-T[i, a].item(), i))
        high = int(Fraction(kept).limit_denominator() * share * m)
        low = int(Fraction(kept).limit_denominator() * (1 - share) * m)
        for i in order[:high]:
            target[i, a] = mask[i, a] = 1
        for i in order[m - low :]:
            mask[i, a] = 1
    return target.to(T.dtype), mask.to(T.dtype)


@pytest.mark.parametrize("kept", [0.0, 0.1, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("ties", [False, True])
def test_targets_equal_the_loop(kept, ties):
    for seed in range(20):
        g = torch.Generator().manual_seed(seed)
        T = torch.rand(4 + seed, 3, generator=g, dtype=torch.float64)
        T = (T * 3).round() / 3 if ties else T
        Y = (torch.rand(2 + seed % 7, 3, generator=g) < 0.4).double()
        for mine, wanted in zip(targets(T, Y, kept), naive_targets(T, Y, kept), strict=True):
            assert torch.equal(mine, wanted)


def test_targets_of_one_label_by_hand():
    T, half = torch.tensor([[0.9], [0.8], [0.1], [0.2]]), torch.tensor([[1.0], [0.0]])
    target, mask = targets(T, half, 1.0)
    assert target.flatten().tolist() == [1, 1, 0, 0] and mask.all()
    target, mask = targets(T, half, 0.5)
    assert target.flatten().tolist() == [1, 0, 0, 0] and mask.flatten().tolist() == [1, 0, 1, 0]
    tenth = torch.eye(10)[:, :1]  # of four rows none is expected to have it
    target, mask = targets(T, tenth, 1.0)
    assert not target.any() and mask.flatten().tolist() == [0, 1, 1, 1]


def test_all_alike_are_ranked_by_number_and_constant_labels_have_no_target():
    same = torch.full((4, 3), 0.5)
    target, mask = targets(same, torch.tensor([[1.0, 0, 1], [0.0, 0, 1]]), 1.0)
    assert target[:, 0].tolist() == [1, 1, 0, 0] and mask.sum(0).tolist() == [4, 0, 0]


@pytest.mark.parametrize(("labelled", "rows"), [(120, 2297), (3, 6), (49, 4900), (7, 49)])
def test_a_share_that_is_whole_is_not_rounded_down(labelled, rows):
    for count in range(1, labelled):
        Y = (torch.arange(labelled) < count).float()[:, None]
        target, mask = targets(torch.zeros(rows, 1), Y, 1.0)
        assert target.sum() == count * rows // labelled
        assert mask.sum() == target.sum() + (labelled - count) * rows // labelled


@pytest.mark.parametrize(
    ("kept", "whole", "each"),
    [
        (1.0, 0.506223199872, (0.339967694901, 0.516016974075, 0.662684930641)),
        (0.5, 0.109056894928, (0.073849057383, 0.094327710753, 0.158993916647)),
    ],
)
def test_loss_of_two_views(kept, whole, each):
    assert pseudo_loss(STUDENTS, Y, kept).item() == pytest.approx(whole, rel=1e-10)
    P = [logits.sigmoid() for logits in HEADS]
    teachers = [(P[0] + P[1]) / 2, P[1], P[0]]  # the classifier learns of all, a view of the other
    for student, teacher, value in zip(STUDENTS, teachers, each, strict=True):
        target, mask = naive_targets(teacher, Y, kept)
        loss = -(target * student.sigmoid().log() + (1 - target) * (-student).sigmoid().log())
        assert (loss * mask).sum().item() / 12 == pytest.approx(value, rel=1e-10)


def test_three_views_learn_from_the_two_others():
    views = [waves(v) for v in (1, 2, 4)]
    students, total = [sum(views) / 3, *views], 0
    for number, student in enumerate(students):
        others = [v.sigmoid() for u, v in enumerate(views) if u != number - 1]
        target, mask = naive_targets(sum(others) / len(others), Y, 0.5)
        each = F.binary_cross_entropy_with_logits(student, target, reduction="none")
        total += (each * mask).mean() / 4
    assert pseudo_loss(students, Y, 0.5).item() == pytest.approx(total.item(), rel=1e-12)


def test_logits_of_zero_and_sure_heads():
    zero, half = torch.zeros(4, 1), torch.tensor([[1.0], [0.0]])
    assert pseudo_loss([zero] * 3, half, 1.0).item() == pytest.approx(math.log(2))
    assert pseudo_loss([zero] * 3, half, 0.5).item() == pytest.approx(math.log(2) / 2)
    tenth = torch.eye(10)[:, :1]
    assert pseudo_loss([zero] * 3, tenth, 1.0).item() == pytest.approx(0.75 * math.log(2))
    sure = torch.tensor([[50.0], [50.0], [-50.0], [-50.0]])
    assert 0 <= pseudo_loss([sure] * 3, half, 1.0) < 1e-20
    assert pseudo_loss([zero] * 3, half * 0, 1.0) == 0  # no label varies
    assert pseudo_loss([zero[:1]] * 3, half, 1.0) == 0  # one row: nobody's share is a whole row


def test_gradients_go_into_students_not_into_teachers():
    students = [logits.clone().requires_grad_() for logits in STUDENTS]
    assert torch.autograd.gradcheck(lambda *s: pseudo_loss([*s], Y, 0.5), students)
    loss = pseudo_loss(students, Y, 1.0)
    for number, grad in enumerate(torch.autograd.grad(loss, students)):
        P = [h.sigmoid() for u, h in enumerate(HEADS) if u != number - 1]
        target, mask = targets(sum(P) / len(P), Y, 1.0)
        wanted = (STUDENTS[number].sigmoid() - target) * mask / 12 / 3
        torch.testing.assert_close(grad, wanted, rtol=1e-12, atol=1e-15)


def test_order_of_rows_changes_nothing():
    order = torch.tensor([3, 1, 5, 0, 2, 4])
    moved = pseudo_loss([s[order] for s in STUDENTS], Y, 0.5)
    torch.testing.assert_close(moved, pseudo_loss(STUDENTS, Y, 0.5), rtol=1e-14, atol=0)


@pytest.mark.parametrize("half", [torch.bfloat16, torch.float16])
def test_half_precision_is_lifted(half):
    loss = pseudo_loss([s.to(half) for s in STUDENTS], Y.to(half), 0.5)
    assert loss.dtype == torch.float32
    assert loss.item() == pytest.approx(pseudo_loss(STUDENTS, Y, 0.5).item(), rel=0.02)


def test_runs_on_the_meta_device_without_looking_at_a_value():
    students = [s.to("meta", torch.float32).requires_grad_() for s in STUDENTS]
    loss = pseudo_loss(students, Y.to("meta", torch.float32), 0.5)
    loss.backward()
    assert loss.shape == () and students[1].grad.shape == (6, 2)


# ------------------------------------------------------------------ the method


def batch(problem, dtype=torch.float64):
    labeled, Y = make_rows(problem, 24, 0, dtype)
    return labeled, Y, make_rows(problem, 32, 1, dtype)[0]


def test_terms_are_as_defined():
    labeled, Y, unlabeled = batch(problem := make_problem(3))
    method = make("pseudo", problem, weight=0.7, heads=0.4, kept=0.8)
    terms = method.terms(labeled, Y, unlabeled, 0.5)
    own = [F.binary_cross_entropy_with_logits(s, Y) for s in method.heads(method.encoders(labeled))]
    assert terms["L_heads"].item() == pytest.approx(0.4 * sum(own).item() / 3, rel=1e-12)
    h = method.encoders(unlabeled)
    students = [method.classifier(torch.cat(h, 1))]
    students += [head(x) for head, x in zip(method.heads, h, strict=True)]
    wanted = 0.7 * pseudo_loss(students, Y, 0.8).item()
    assert wanted > 0 and terms["L_pseudo"].item() == pytest.approx(wanted, rel=1e-12)


def test_the_warm_up_has_the_batchnorm_calls_and_no_loss():
    data = batch(problem := make_problem())
    cold, warm = make("pseudo", problem), make("pseudo", problem)
    before, after = cold.terms(*data, 0.29), warm.terms(*data, 0.3)
    assert before["L_pseudo"] == 0 < after["L_pseudo"]
    assert before["L_c"] == after["L_c"]
    for key, value in cold.state_dict().items():
        assert torch.equal(value, warm.state_dict()[key]), key
    term, grads = term_gradients(make("pseudo", problem), "L_c", *data, 0.0)
    assert term == before["L_c"] and not any(grads[k].any() for k in grads if "heads" in k)
    at_once = make("pseudo", problem, warmup=0.0).terms(*data, 0.0)
    assert at_once["L_pseudo"] == after["L_pseudo"]


def test_without_weights_it_is_the_dnn_bit_for_bit():
    data = batch(problem := make_problem(), torch.float32)
    states = []
    for name, options in (("pseudo", {"weight": 0.0, "heads": 0.0}), ("dnn", {})):
        method = make(name, problem, dtype=torch.float32, **options)
        train(method, *data, steps=10)
        states.append(method.state_dict())
    assert states[0].keys() == states[1].keys()
    assert all(torch.equal(states[0][key], states[1][key]) for key in states[0])


def test_heads_alone_see_no_unlabelled_rows():
    data = batch(problem := make_problem())
    control = make("pseudo", problem, weight=0.0)
    assert not control.uses_unlabeled
    assert control.terms(*data, 1.0).keys() == {"L_c", "L_heads"}
    assert make("pseudo", problem, heads=0.0).terms(*data, 1.0).keys() == {"L_c", "L_pseudo"}


@pytest.mark.parametrize(
    ("problem", "options", "sentence"),
    [
        (make_problem(kind="multiclass"), {}, r"several labels a row .*Got multiclass"),
        (make_problem(1), {}, r"each view teaches the others, and the data has one view"),
        (make_problem(), {"kept": 1.5}, r"kept must be in \[0, 1\]"),
        (make_problem(), {"warmup": -0.1}, r"warmup must be in \[0, 1\]"),
        (make_problem(), {"weight": -1.0}, "weight must be a finite number ≥ 0"),
        (make_problem(), {"heads": math.nan}, "heads must be a finite number ≥ 0"),
    ],
)
def test_bad_calls_get_a_sentence(problem, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        build("pseudo", problem, **options)
