"""Losses as modules: values, reductions, temperatures, processes, compilers, other libraries."""

import math

import pytest
import torch
import torch.multiprocessing as mp
from pytorch_metric_learning import losses as pml

from herocon_lite import losses, nn
from tests import naive
from tests.cases import gradients, make_batch
from tests.unit.test_losses_edges import Watch, on_meta

TAU = 0.4
RELEASED = {"preset": "released"}


def H_of(b):
    return Net(b.W)


class Net(torch.nn.Module):
    """The batch's own weight net as a module."""

    def __init__(self, W, sigmoid=True):
        super().__init__()
        self.W, self.sigmoid = W, sigmoid

    def forward(self, z):
        z = z @ self.W.T
        return torch.sigmoid(z) if self.sigmoid else z


# The module of a batch, what it is called with, and the loop over its anchors.
VIEWS = {
    "InfoNCE": naive.info_nce,
    "NTXent": naive.nt_xent,
    "Debiased": naive.debiased,
    "HardNegative": naive.hard_negative,
    "Decoupled": naive.decoupled,
}
LABELS = {
    "SupConAny": naive.sup_con_any,
    "MulSupCon": naive.mul_sup_con,
    "MultiSupCon": naive.multi_sup_con,
    "SupConEq6": lambda s, Y, t: naive.weighted_supervised(s, Y, t, distance=None),
    "WeightedSupervised": naive.weighted_supervised,
}


def two(name):
    return lambda b, **o: getattr(nn, name)(temperature=TAU, **o)(b.z1, b.z2)


def labelled(name):
    return lambda b, **o: getattr(nn, name)(temperature=TAU, **o)(b.z1, b.Y)


def many(name):
    return lambda b, **o: getattr(nn, name)(temperature=TAU, **o)([b.z1, b.z2])


def eq5(b, **o):
    return nn.WeightedUnsupervised(H=H_of(b), temperature=TAU, **o)(b.z1, b.z2)


def eq4(b, **o):
    criterion = nn.InputContrast(Net(b.M, False), H_of(b), temperature=TAU, **o)
    return criterion(b.x, b.z1)


def l2(b, **o):
    return nn.InputWeighted(Net(b.M, False), temperature=TAU, **o)(b.x, b.z1)


def cmc(z1, z2, t):
    rows = naive.info_nce(z1, z2, t), naive.info_nce(z2, z1, t)
    return torch.cat(rows) if rows[0].ndim else sum(rows) / 2


MODULES = {name: (two(name), lambda b, f=f: f(b.z1, b.z2, TAU)) for name, f in VIEWS.items()}
MODULES |= {name: (labelled(name), lambda b, f=f: f(b.z1, b.Y, TAU)) for name, f in LABELS.items()}
MODULES |= {
    "CMC": (two("CMC"), lambda b: cmc(b.z1, b.z2, TAU)),
    "MVInfoNCE": (many("MVInfoNCE"), lambda b: naive.mv_info_nce([b.z1, b.z2], TAU)),
    "MVDHEL": (many("MVDHEL"), lambda b: naive.mv_dhel([b.z1, b.z2], TAU)),
    "WeightedUnsupervised": (eq5, lambda b: naive.weighted_unsupervised(b.z1, b.z2, b.H, TAU)),
    "InputContrast": (eq4, lambda b: naive.input_contrast(b.x, b.z1, b.A, TAU, b.H)),
    "InputWeighted": (l2, lambda b: naive.input_weighted(b.x, b.z1, b.A, TAU)),
    "SupCon": (
        lambda b, **o: nn.SupCon(temperature=TAU, **o)(b.z1, b.y),
        lambda b: naive.sup_con(b.z1, b.y, TAU),
    ),
}
BY_ANCHOR = set(MODULES) - {*LABELS, "SupCon", "MVDHEL"}  # whose loops end in a mean of anchors
each_module = pytest.mark.parametrize("name", MODULES)


def assert_same(ours, slow, batch):
    torch.testing.assert_close(ours, slow, rtol=1e-11, atol=1e-12)
    for mine, wanted in zip(gradients(ours, batch), gradients(slow, batch), strict=True):
        torch.testing.assert_close(mine, wanted, rtol=1e-9, atol=1e-12)


def test_every_loss_has_a_module():
    classes = [c for c in map(vars(nn).get, nn.__all__) if hasattr(c, "function")]
    public = {f for n in losses.__all__ if callable(f := getattr(losses, n)) and n.islower()}
    assert {c.function for c in classes} == public - {losses.over_pairs, losses.switches_of}


@each_module
def test_a_module_equals_its_loop(name):
    ours, slow = MODULES[name]
    batch = make_batch(n=7, d=4)
    assert_same(ours(batch), slow(batch), batch)


# ---------------------------------------------------------------- reductions


@each_module
def test_anchors_have_the_loss_as_their_mean(name):
    ours, _ = MODULES[name]
    batch = make_batch(n=7, d=4)
    rows = ours(batch, reduction="none")
    assert rows.shape == ((14,) if name in ("CMC", *VIEWS) and name != "InfoNCE" else (7,))
    assert_same(rows.mean(), ours(batch), batch)
    rows = ours(batch, reduction="none")
    assert_same(rows.sum(), ours(batch, reduction="sum"), batch)


def weighed(rows):
    """A sum in which no two anchors count the same, so that gradients of each are seen."""
    return rows @ torch.linspace(-1, 2, len(rows), dtype=rows.dtype)


@pytest.mark.parametrize("name", sorted(BY_ANCHOR))
def test_each_anchor_equals_its_loop(name, monkeypatch):
    ours, slow = MODULES[name]
    batch = make_batch(n=6, d=4)
    monkeypatch.setattr(naive, "_mean", lambda values: torch.stack(list(values)))
    if "Hard" in name or "Deb" in name:  # their inner means are of other things
        monkeypatch.undo()
        rows = hard_rows(batch, 0.0 if name == "Debiased" else 1.0)
    else:
        rows = slow(batch)
    mine = ours(batch, reduction="none")
    torch.testing.assert_close(mine, rows, rtol=1e-11, atol=1e-12)
    assert_same(weighed(mine), weighed(rows), batch)


def hard_rows(b, beta):
    """One anchor at a time: the loop's mean over rows, of which all but one are left out."""
    return torch.stack([naive_row(p, q, beta) for p, q in naive._two_view_rows(b.z1, b.z2, TAU)])


def naive_row(positive, negatives, beta, tau_plus=0.1):
    size, w = len(negatives), [f**beta for f in negatives]
    total = sum(a * f for a, f in zip(w, negatives, strict=True)) / (sum(w) / size)
    total = ((total - tau_plus * size * positive) / (1 - tau_plus)).clamp_min(
        size * math.exp(-1 / TAU)
    )
    return -torch.log(positive / (positive + total))


def l_out_rows(s, partners, divisor):
    """L_out anchor by anchor; partners[i] are pairs (row, weight), divisor[i] what they share."""
    rows = []
    for i, near in enumerate(partners):
        everyone = sum(torch.exp(naive.cos(s[i], s[k]) / TAU) for k in range(len(s)) if k != i)
        logs = [w * (naive.cos(s[i], s[p]) / TAU - torch.log(everyone)) for p, w in near]
        rows.append(-sum(logs) / divisor[i] if logs else s.sum() * 0)
    return torch.stack(rows)


def labels_of(Y):
    return [{a for a, y in enumerate(row) if y} for row in Y]


def anchors_of(name, b):
    """The loss of each row, times what makes their mean the loss."""
    n, has = len(b.z1), labels_of(b.Y)
    c = b.Y.shape[1]
    others = [[p for p in range(n) if p != i] for i in range(n)]
    if name == "SupCon":
        near = [[(p, 1) for p in others[i] if b.y[p] == b.y[i]] for i in range(n)]
        return l_out_rows(b.z1, near, [len(x) for x in near])
    if name == "SupConAny":
        near = [[(p, 1) for p in others[i] if has[i] & has[p]] for i in range(n)]
        return l_out_rows(b.z1, near, [len(x) for x in near])
    if name == "MulSupCon":
        total, all_labels = 0, sum(map(len, has))
        for a in range(c):
            near = [[(p, 1) for p in others[i] if a in has[i] & has[p]] for i in range(n)]
            total = total + l_out_rows(b.z1, near, [len(x) for x in near])
        return total * n / all_labels
    if name == "MultiSupCon":
        near = [
            [(p, j) for p in others[i] if (j := jaccard(has[i], has[p])) >= 0.3] for i in range(n)
        ]
        return l_out_rows(b.z1, near, [len(x) for x in near])
    return per_label_rows(b, has, weighted=name == "WeightedSupervised")


def jaccard(one, other):
    return len(one & other) / len(one | other) if one | other else 1.0


def per_label_rows(b, has, weighted):
    n, c = b.Y.shape
    rows = [b.z1.sum() * 0 for _ in range(n)]

    def dist(i, k):
        return len(has[i] ^ has[k])

    for a in range(c):
        own, lacks = ([i for i in range(n) if (a in has[i]) == yes] for yes in (True, False))
        for i in own:
            for j in own:
                if i == j or not lacks:
                    continue
                f = [torch.exp(naive.cos(b.z1[i], b.z1[k]) / TAU) for k in range(n)]
                up = (1 - dist(i, j) / c if weighted else 1) * f[j]
                down = up + sum((dist(i, k) if weighted else 1) * f[k] for k in lacks)
                rows[i] = rows[i] + torch.log(down / up) * n / c / (len(own) * (len(own) - 1))
    return torch.stack(rows)


@pytest.mark.parametrize("name", ["SupCon", *LABELS])
@pytest.mark.parametrize("seed", [0, 3])
def test_each_labelled_anchor_equals_its_loop(name, seed):
    batch = make_batch(n=7, d=4, seed=seed)
    mine, rows = MODULES[name][0](batch, reduction="none"), anchors_of(name, batch)
    torch.testing.assert_close(mine, rows, rtol=1e-11, atol=1e-12)
    assert_same(weighed(mine), weighed(rows), batch)


def test_anchors_of_the_released_form_and_of_a_share_of_them():
    b = make_batch(n=7)
    for options in ({"preset": "released"}, {"detach": True}, {"part": "push"}):
        rows = eq5(b, reduction="none", **options)
        assert_same(rows.mean(), eq5(b, **options), b)
    own = losses.weighted_unsupervised(b.z1, b.z2, b.H, anchors=slice(2, 5), reduction="none")
    whole = losses.weighted_unsupervised(b.z1, b.z2, b.H, reduction="none")
    torch.testing.assert_close(own, whole[2:5])


@pytest.mark.parametrize("name", ["CMC", "NTXent", "WeightedUnsupervised", "HardNegative"])
def test_anchors_need_no_square_of_the_rows(name):
    batch = make_batch(n=3000, d=3, c=2)
    with Watch() as watch:
        gradients(MODULES[name][0](batch, reduction="none").sum(), batch)
    assert watch.largest < 3000**2 / 4


# ---------------------------------------------------------------- temperatures and networks


@each_module
def test_a_temperature_is_learned_without_waiting_for_the_device(name, monkeypatch):
    """A meta tensor has no values, so that any look at one raises."""
    batch = on_meta()
    monkeypatch.setattr(getattr(nn, name), "_try", lambda self: None)  # which is on the CPU
    with torch.device("meta"), Watch() as watch:
        MODULES[name][0](batch, learn_temperature=True, reduction="none")
    assert not watch.syncs


def test_a_learned_temperature_has_the_slope_of_the_loss():
    b, h = make_batch(), 1e-6
    for name in ("NTXent", "WeightedSupervised", "HardNegative"):
        criterion = getattr(nn, name)(temperature=0.7, learn_temperature=True).double()
        second = b.Y if name == "WeightedSupervised" else b.z2
        criterion(b.z1, second).backward()
        (slope,) = (p.grad.item() for p in criterion.parameters())
        up, down = (
            getattr(nn, name)(temperature=criterion.temperature.item() * math.exp(e))(b.z1, second)
            for e in (h, -h)
        )
        assert slope == pytest.approx(((up - down) / (2 * h)).item(), rel=1e-4)
    assert "temperature=0.7" in repr(criterion)


def test_no_temperature_is_learned_unless_it_is_asked_for():
    assert not list(nn.NTXent().parameters()) and nn.NTXent(temperature=0.3).temperature == 0.3
    with pytest.raises(ValueError, match="VICReg has no temperature"):
        nn.VICReg(learn_temperature=True)


def test_eq5_holds_its_weight_net():
    criterion = nn.WeightedUnsupervised(4, temperature=0.5)
    assert set(criterion.state_dict()) == {"H.0.weight", "H.0.bias"}
    z1, z2 = torch.randn(2, 6, 4)
    criterion(z1, z2).backward()
    assert all(p.grad.abs().sum() > 0 for p in criterion.parameters())
    plain = nn.WeightedUnsupervised(weighted=False)(z1, z2)
    assert torch.equal(plain, losses.weighted_unsupervised(z1, z2, None))


def test_over_pairs_keeps_the_anchors():
    b = make_batch()
    views = [b.z1, b.z2, b.x[:, :4]]
    rows = nn.OverPairs(nn.InfoNCE(reduction="none"))(views)
    assert_same(rows.mean(), nn.OverPairs(nn.InfoNCE())(views), b)
    assert rows.shape == (6,)


BAD = [
    (lambda: nn.NTXent(tau=1), "an option of NTXent must be one of temperature, chunk"),
    (lambda: nn.NTXent(temperature=0), "temperature must be a positive number; got 0"),
    (lambda: nn.NTXent(reduction="max"), "reduction must be one of mean, sum, none; got 'max'"),
    (lambda: losses.nt_xent(*torch.randn(2, 4, 3), reduction="max"), "reduction must be one of"),
    (lambda: losses.sup_con(torch.eye(2), torch.eye(2), reduction="max"), "reduction must be one"),
    (lambda: nn.WeightedSupervised(distance="far"), "distance must be one of hamming, indicator"),
    (lambda: nn.MVDHEL(form="both"), "form must be one of code, printed"),
    (lambda: nn.NTXent(gather="yes"), "gather must be True or False"),
    (lambda: nn.VICReg(reduction="none"), "an option of VICReg must be one of similarity"),
    (lambda: nn.WeightedUnsupervised(), "Give one of three: size"),
    (lambda: nn.WeightedUnsupervised(4, weighted=False), "Give one of three: size"),
    (lambda: nn.WeightedUnsupervised(4, preset="mine"), "preset must be one of"),
    (lambda: nn.InputWeighted(torch.nn.Identity(), chunk=0), "chunk must be a whole number"),
    (lambda: nn.NTXent(gather=True)(*torch.randn(2, 4, 3)), "needs a process group, and none is"),
    (lambda: nn.WithMultiLabel(pml.ArcFaceLoss(3, 4)), "ArcFaceLoss compares rows with classes"),
    (lambda: nn.WithMultiLabel("NoLoss"), "pytorch_metric_learning.losses has no NoLoss"),
    (lambda: nn.WithMultiLabel(nn.MultiSupCon(), overlap=0.5), "overlap is for losses of pairs"),
    (lambda: nn.WithMultiLabel(nn.MultiSupCon(), margin=0.5), "options are for a loss given by"),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_a_wrong_option_gets_a_sentence_before_training(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_help_shows_the_options():
    import inspect

    shown = inspect.signature(nn.WeightedSupervised).parameters
    assert {"temperature", "preset", "reduction", "learn_temperature", "gather"} <= set(shown)


# ---------------------------------------------------------------- compilers and torch.func


@pytest.mark.parametrize("learned", [False, True])
@pytest.mark.parametrize("name", ["WeightedSupervised", "SupConEq6", "NTXent"])
def test_a_whole_graph_compiles(name, learned):
    if name == "NTXent" and torch.__version__.startswith("2.4."):
        pytest.skip("torch 2.4 compiles no product into a given tensor, which row_logsumexp needs")
    """Tracing is where it could fail; generating code for it would take a minute."""
    torch._dynamo.reset()
    b = make_batch(n=8)
    criterion = getattr(nn, name)(temperature=TAU, learn_temperature=learned).double()
    second = b.z2 if name == "NTXent" else b.Y
    compiled = torch.compile(criterion, fullgraph=True, backend="aot_eager")
    assert_same(compiled(b.z1, second), criterion(b.z1, second), b)


def test_torch_func_is_refused_in_words():
    z, Y, H = torch.randn(6, 4), torch.eye(2).repeat(3, 1), torch.nn.Linear(4, 4)

    def of_weights(weights):
        return losses.weighted_unsupervised(
            z, z, lambda x: torch.func.functional_call(H, weights, x)
        )

    calls = [
        lambda: torch.func.grad(lambda s: losses.weighted_supervised(s, Y))(z),
        lambda: torch.func.vmap(lambda s: losses.sup_con(s, Y))(z[None]),
        lambda: torch.func.jvp(lambda s: losses.vicreg(s, z), (z,), (z,)),
        lambda: torch.func.grad(of_weights)(dict(H.named_parameters())),
        lambda: torch.func.grad(lambda t: losses.info_nce(z, z, t))(torch.tensor(0.5)),
    ]
    for call in calls:
        with pytest.raises(RuntimeError, match=r"these losses do not work inside torch\.func"):
            call()


# ---------------------------------------------------------------- several processes


def gathered(rank: int, folder: str) -> None:
    torch.set_num_threads(1)
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2
    )
    found = {name: of_rank(name, rank, 2) for name in ("eq5", "eq7", "nt", "mv")}
    try:
        nn.NTXent(gather=True)(*torch.randn(2, 3 + rank, 4))
        found["unequal"] = ""
    except ValueError as error:
        found["unequal"] = str(error)
    if rank == 0:
        torch.save(found, f"{folder}/found.pt")
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()


def of_rank(name: str, rank: int, size: int):
    """The loss of all rows from this rank's, and the gradients that the ranks agree on."""
    torch.manual_seed(0)
    options = {"gather": size > 1, "temperature": 0.5, "learn_temperature": True}
    criterion = {
        "eq5": lambda: nn.WeightedUnsupervised(3, **options),
        "eq7": lambda: nn.WeightedSupervised(**options),
        "nt": lambda: nn.NTXent(**options),
        "mv": lambda: nn.MVInfoNCE(**options),
    }[name]()
    model = torch.nn.ModuleDict({"net": torch.nn.Linear(4, 3), "criterion": criterion}).double()
    x1, x2 = torch.randn(2, 8, 4, dtype=torch.float64)
    Y = torch.rand(8, 3) < 0.5
    mine = slice(rank * 8 // size, (rank + 1) * 8 // size)
    z1, z2 = model["net"](x1[mine]), model["net"](x2[mine])
    batch = {"eq7": (z1, Y[mine]), "mv": ([z1, z2],)}.get(name, (z1, z2))
    loss = criterion(*batch)
    loss.backward()
    grads = [p.grad for p in model.parameters()]
    if size > 1:
        for g in grads:  # what DistributedDataParallel does
            torch.distributed.all_reduce(g)
            g /= size
    return loss.detach(), grads


def test_two_ranks_of_a_group_of_ones_own_give_the_loss_of_one(tmp_path):
    mp.start_processes(gathered, (str(tmp_path),), nprocs=2, start_method="forkserver")
    found = torch.load(tmp_path / "found.pt")
    assert "they have [3, 4]" in found.pop("unequal")
    for name, (loss, grads) in found.items():
        wanted, wanted_grads = of_rank(name, 0, 1)
        torch.testing.assert_close(loss, wanted, rtol=1e-10, atol=0)
        torch.testing.assert_close(grads, wanted_grads, rtol=1e-9, atol=1e-12)


# ---------------------------------------------------------------- pytorch-metric-learning


def test_one_label_a_row_gives_what_the_library_gives():
    b = make_batch(n=9)
    one_hot = torch.nn.functional.one_hot(b.y, 3)
    for name in ("SupConLoss", "ContrastiveLoss", "TripletMarginLoss", "MultiSimilarityLoss"):
        theirs = getattr(pml, name)()(b.z1, b.y)
        assert_same(nn.WithMultiLabel(name)(b.z1, one_hot), theirs, b)


def test_rows_that_share_a_label_are_alike():
    b = make_batch(n=9)
    b.Y[:, 0] = torch.arange(9) % 2  # each row has a partner
    wrapped = nn.WithMultiLabel(pml.SupConLoss(temperature=TAU))
    assert_same(wrapped(b.z1, b.Y), naive.sup_con_any(b.z1, b.Y, TAU) * 9 / labelled_rows(b), b)


def labelled_rows(b):
    return int((b.Y.sum(1) > 0).sum())  # the library's mean leaves out what has no partner


def test_pairs_of_labels_are_as_their_sets_say():
    b = make_batch(n=8, c=4)
    has = labels_of(b.Y)
    for overlap in (None, 0.0, 0.5, 1.0):
        i, j, k, m = nn.WithMultiLabel(pml.ContrastiveLoss(), overlap).pairs(b.Y)
        least = 0.0 if overlap is None else overlap
        wanted = {
            (p, q)
            for p in range(8)
            for q in range(8)
            if p != q and has[p] & has[q] and jaccard(has[p], has[q]) >= least
        }
        unlike = {(p, q) for p in range(8) for q in range(8) if p != q and not has[p] & has[q]}
        found = set(zip(k.tolist(), m.tolist(), strict=True))
        assert set(zip(i.tolist(), j.tolist(), strict=True)) == wanted
        assert {(p, q) for p, q in found if p != q} == unlike


def test_criteria_of_ours_and_miners_pass_through():
    b = make_batch(n=8)
    ours = nn.WithMultiLabel(nn.MultiSupCon(temperature=TAU))
    assert_same(ours(b.z1, b.Y), losses.multi_sup_con(b.z1, b.Y, TAU), b)
    triplets = tuple(torch.tensor(rows) for rows in ([0, 1], [2, 3], [4, 5]))
    with pytest.raises(ValueError, match="MultiSupCon takes all rows of a batch"):
        ours(b.z1, b.Y, triplets)
    loss = pml.TripletMarginLoss()
    assert_same(nn.WithMultiLabel(loss)(b.z1, b.Y, triplets), loss(b.z1, None, triplets), b)
    reference = nn.WithMultiLabel(loss)(b.z1, b.Y, ref_emb=b.z2, ref_labels=b.Y)
    assert reference.isfinite()
