"""Several processes, one loss: what the ranks of ``torchrun`` must tell each other.

    torchrun --nproc-per-node 2 -m herocon_lite run scene herocon --budget paper

Labelled rows are few, and every rank holds them all. Unlabelled rows are sharded: each rank
encodes its own, gathers the others' representations with their gradients, and takes its share of
the anchors. The mean over ranks is then the loss of one process, and so is its gradient; only
BatchNorm's statistics are each rank's own. With one process nothing here does anything.
"""

from __future__ import annotations

import os
import time
from typing import TypeVar

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from herocon_lite.checks import looks

T = TypeVar("T")
LET_GO_SECONDS = 0.2
_joined = False  # a process group that the caller has open for work of its own is not ours


def start(device: torch.device) -> None:
    """Join the others, if ``torchrun`` started several, to train on this kind of device."""
    global _joined
    if int(os.environ.get("WORLD_SIZE", 1)) > 1 and not _joined:
        if device.type == "cuda":
            torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
        _joined = True


def stop() -> None:
    """Leave the others, if :func:`start` joined them."""
    global _joined
    if _joined:
        # gloo's threads may still let go of tensors, for which they need Python's lock. Torch 2.4
        # joins them while it holds that lock: a rank hung there for ever. Asleep we do not hold it.
        time.sleep(LET_GO_SECONDS)
        dist.destroy_process_group()
        _joined = False


def world() -> tuple[int, int]:
    """Return this rank's number and how many there are."""
    return (dist.get_rank(), dist.get_world_size()) if _joined else (0, 1)


def wrap(method: nn.Module) -> nn.Module:
    """Average the method's gradients over the ranks."""
    if world()[1] == 1:
        return method
    return DistributedDataParallel(method, find_unused_parameters=True)


def shard_rows(rows: Tensor) -> Tensor:
    """Return this rank's equal part of a batch; the last rows, too few to share, are left out."""
    rank, size = world()
    each = len(rows) // size
    return rows[rank * each : (rank + 1) * each] if size > 1 else rows


def local_anchors(n: int) -> slice | None:
    """Return which of n anchors are this rank's; None: all."""
    rank, size = world()
    return slice(rank * n // size, (rank + 1) * n // size) if size > 1 else None


def anchor_scale(n: int) -> float:
    """Return the factor that makes the ranks' mean of their anchors' means the mean of all."""
    rows = local_anchors(n)
    return 1.0 if rows is None else (rows.stop - rows.start) * world()[1] / n


def all_gather_with_grad(x: Tensor) -> Tensor:
    """Return the rows of all ranks, in their order; gradients flow back to each."""
    return _AllGather.apply(x, *world()) if world()[1] > 1 else x


def gather_batch(*batch: Tensor, validate: bool | None = None) -> list[Tensor]:
    """Return the rows of all ranks of the group that the caller has open, in the ranks' order.

    Gradients flow back to each rank. If all ranks compute the same loss of these rows, then the
    ranks' mean of the gradients, which ``DistributedDataParallel`` makes, is that of one process.

    Args:
        batch: tensors of equally many rows on every rank; labels among them get no gradient.
        validate: compare the ranks' numbers of rows, as :mod:`herocon_lite.checks` says.

    Raises:
        ValueError: no process group is there, or the ranks' numbers of rows differ.
    """
    if not (dist.is_available() and dist.is_initialized()):
        raise ValueError(
            "gather=True needs a process group, and none is there: start the script with torchrun "
            "and call torch.distributed.init_process_group first, or leave gather out."
        )
    rank, size = dist.get_rank(), dist.get_world_size()
    if size == 1:
        return list(batch)
    if looks(validate, batch[0]):
        rows = batch[0].new_zeros(size, dtype=torch.int64)
        rows[rank] = len(batch[0])
        dist.all_reduce(rows)
        if (rows != rows[0]).any():
            raise ValueError(
                f"gather=True needs equally many rows on every rank; they have {rows.tolist()}. "
                "DataLoader(drop_last=True) leaves the short batch out."
            )
    # gloo knows no booleans
    numbers = [x.to(torch.uint8) if x.dtype == torch.bool else x for x in batch]
    return [_AllGather.apply(x, rank, size) for x in numbers]


def mean(x: Tensor) -> Tensor:
    """Average over the ranks a number that needs no gradient."""
    size = world()[1]
    if size == 1:
        return x
    x = x.clone()
    dist.all_reduce(x)
    return x / size


def broadcast_from_rank0(what: T) -> T:
    """Return what the first rank has: for choices, by a clock or a file, that all must share."""
    objects = [what]
    if world()[1] > 1:
        dist.broadcast_object_list(objects, 0)
    return objects[0]


class _AllGather(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: Tensor, rank: int, size: int) -> Tensor:
        parts = [torch.empty_like(x) for _ in range(size)]
        dist.all_gather(parts, x.contiguous())
        ctx.first, ctx.rows = rank * len(x), len(x)
        return torch.cat(parts)

    @staticmethod
    def backward(ctx, grad: Tensor) -> Tensor:
        grad = grad.clone()
        dist.all_reduce(grad)  # every rank's loss looks at these rows
        return grad[ctx.first : ctx.first + ctx.rows], None, None
