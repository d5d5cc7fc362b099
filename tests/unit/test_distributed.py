"""Two processes give the loss and the gradients of one, and go on where they were stopped."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch.multiprocessing as mp

from herocon_lite import distributed, losses
from herocon_lite import train as training
from herocon_lite.methods import Problem, build
from herocon_lite.train import Schedule
from tests.cases import gradients, make_batch

CPU = torch.device("cpu")
CASES = {  # the method, what is set, the views' widths
    "herocon": ("herocon", {}, (6, 5)),
    "cmc": ("cmc", {}, (6, 5)),
    "mib": ("mib", {}, (6, 5)),
    "hard-negative": ("hard-negative", {}, (6, 5)),
    "Eq. 4": ("herocon", {"form": "eq4"}, (6,)),
    "some negatives": ("herocon", {"negatives": 6}, (6, 5)),
    "released": ("herocon", {"preset": "released"}, (6, 5)),
    "multisupcon": ("multisupcon", {}, (6, 5)),
    "vicreg": ("vicreg", {}, (6, 5)),
    "barlow": ("barlow", {}, (6, 5)),
    "mv-dhel": ("mv-dhel", {}, (6, 5, 4)),
    "pseudo": ("pseudo", {"kept": 1.0}, (6, 5)),
    "three views": ("herocon", {"pairs": 2}, (6, 5, 4)),
}


def setup(case: str):
    name, options, widths = CASES[case]
    torch.manual_seed(0)
    shapes = tuple((d,) for d in widths)
    problem = Problem(shapes, 3, "multilabel", encoder_options={"widths": (8,)})
    method = build(name, problem, **options).double().eval()  # BatchNorm's batches would differ
    data = [torch.randn(5 + 10, d, dtype=torch.float64) for d in widths]
    Y = (torch.rand(5, 3) < 0.5).double()
    return method, [v[:5] for v in data], Y, [v[5:] for v in data]


def step(method, net, labeled, Y, unlabeled):
    torch.manual_seed(1)
    terms = net(labeled, Y, unlabeled, 0.5)
    sum(terms.values()).backward()
    grads = [torch.zeros_like(p) if p.grad is None else p.grad for p in method.parameters()]
    return {k: distributed.mean(t.detach()) for k, t in terms.items()}, grads


def join(rank: int, folder: str) -> None:
    torch.set_num_threads(1)
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2
    )
    assert distributed.world() == (0, 1)  # a group that the caller opened is not ours to use
    distributed._joined = True


def one_of_two(rank: int, name: str, folder: str) -> None:
    join(rank, folder)
    method, labeled, Y, unlabeled = setup(name)
    mine = distributed.shard_rows(torch.arange(10))
    found = step(method, distributed.wrap(method), labeled, Y, [v[mine] for v in unlabeled])
    assert distributed.broadcast_from_rank0(rank + 0.5) == 0.5
    if rank == 0:
        torch.save(found, f"{folder}/found.pt")
    torch.distributed.barrier()
    distributed.stop()


@pytest.mark.parametrize("name", CASES)
def test_two_ranks_give_the_loss_and_gradients_of_one(name, tmp_path):
    mp.start_processes(one_of_two, (name, str(tmp_path)), nprocs=2, start_method="forkserver")
    terms, grads = torch.load(tmp_path / "found.pt")
    method, *batch = setup(name)
    wanted, wanted_grads = step(method, method, *batch)
    torch.testing.assert_close(terms, wanted, rtol=1e-10, atol=0)
    torch.testing.assert_close(grads, wanted_grads, rtol=1e-9, atol=1e-12)


def trained(checkpoint=None):
    method, labeled, Y, unlabeled = setup("herocon")
    arrays = [[v.numpy() for v in views] for views in (labeled, unlabeled)]
    plan = Schedule(steps=6, unlabeled_batch=4, precision="float64")
    result = training.train(
        method, arrays[0], Y.numpy(), arrays[1], plan, 0, CPU, checkpoint=checkpoint
    )
    return result.history, [p.detach() for p in method.parameters()]


def stopped_and_resumed(rank: int, folder: str) -> None:
    join(rank, folder)
    whole, path = trained(), Path(folder) / "one.pt"
    training.CHECKPOINT_SECONDS = 0.0
    save = training._Loop.save

    def save_and_stop(self, path, step):
        save(self, path, step)
        if step == 3:
            raise KeyboardInterrupt

    training._Loop.save = save_and_stop
    with pytest.raises(KeyboardInterrupt):
        trained(path)
    training._Loop.save = save
    torch.distributed.barrier()  # a killed job's processes are all gone before the next begins
    assert training.load_state(path, training.STATE)["step"] == 3
    resumed = trained(path)
    torch.save((whole, resumed), f"{folder}/{rank}.pt")
    distributed.stop()


def test_two_ranks_go_on_from_a_checkpoint_as_if_nothing_had_happened(tmp_path):
    mp.start_processes(stopped_and_resumed, (str(tmp_path),), nprocs=2, start_method="forkserver")
    (whole, resumed), (other, its_resumed) = (torch.load(tmp_path / f"{r}.pt") for r in (0, 1))
    assert whole[0] == resumed[0] == other[0] == its_resumed[0] and len(whole[0]) == 6
    for mine in (resumed, other, its_resumed):
        assert all(map(torch.equal, mine[1], whole[1]))


@pytest.mark.parametrize("preset", losses.PRESETS)
@pytest.mark.parametrize("detach", [False, True])
def test_shares_of_the_anchors_add_up_to_all(preset, detach):
    b = make_batch(n=7, d=4)
    options = {"preset": preset, "detach": detach, "temperature": 0.3}
    whole = losses.weighted_unsupervised(b.z1, b.z2, b.H, **options)
    shares = [slice(0, 2), slice(2, 7)]
    parts = [losses.weighted_unsupervised(b.z1, b.z2, b.H, **options, anchors=s) for s in shares]
    total = (2 * parts[0] + 5 * parts[1]) / 7
    torch.testing.assert_close(total, whole, rtol=1e-12, atol=0)
    for mine, wanted in zip(gradients(total, b), gradients(whole, b), strict=True):
        torch.testing.assert_close(mine, wanted, rtol=1e-10, atol=1e-13)


def test_one_process_is_left_alone():
    x = torch.arange(6.0)
    assert (
        distributed.world() == (0, 1)
        and distributed.local_anchors(6) is None
        and distributed.anchor_scale(6) == 1
    )
    assert (
        distributed.all_gather_with_grad(x) is x
        and distributed.shard_rows(x) is x
        and distributed.mean(x) is x
    )
    assert distributed.broadcast_from_rank0(7) == 7


def test_torchrun_leaves_one_record(tmp_path):
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    command += ["-m", "herocon_lite", "run", "yeast", "herocon", "--set", "steps=3"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    subprocess.run([*command, "--folder", str(tmp_path)], env=environment, check=True)
    (line,) = (tmp_path / "runs" / "yeast.jsonl").read_text().splitlines()
    assert json.loads(line)["processes"] == 2
