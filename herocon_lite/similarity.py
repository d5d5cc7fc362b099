"""Cosines, label distances, and the one fast kernel that every unsupervised loss goes through.

With unit vectors a cosine is a dot product, so the sums in the paper's denominators are row-wise
log-sum-exps of matrix products. ``row_logsumexp`` never holds more than a chunk of such a product;
what works with labels holds n × n numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from numbers import Integral

import torch
import torch.nn.functional as F
from torch import Tensor

# A chunk of scores is at most this many numbers: 8 MB in float32, which fits a CPU's last cache.
CHUNK_SCORES = 2**21
# Squares of rows this much longer or shorter than 1 may leave the range of float32, of float64.
SAFE_EXPONENT = {torch.float32: 50, torch.float64: 400}
# exp covers about ± 87 in float32; sums of logits that spread wider are taken in bands this wide.
BAND = 60.0
# With more bands than this, small temperatures, each label is gone through on its own.
MAX_BANDS = 4
# log of an empty sum: finite, so that 0 · log 0 stays 0, and far below every real one.
LOG_EMPTY = -1e30


def unit(x: Tensor) -> Tensor:
    """Scale the rows of x to length one; half precision is lifted to float32 first.

    Right for every row of finite numbers: those whose squares would leave the range of the
    precision are multiplied by a power of two first, which rounds nothing. A zero row stays zero,
    so its cosine with everything is 0, and its gradient stays moderate
    (``torch.nn.functional.normalize`` divides by 1e-12 there).
    """
    x = x.to(lifted(x))
    norm = x.norm(dim=1, keepdim=True)
    reach = SAFE_EXPONENT[x.dtype]
    looks = x.device.type == "cpu" and not torch.compiler.is_compiling()  # where it costs little
    if looks:
        shortest, longest = norm.detach().aminmax()
        if shortest > 2.0**-reach and longest < 2.0**reach:
            return x / norm
    size = x.detach().abs().amax(1, keepdim=True)
    long, short = size > 2.0**reach, (size > 0) & (size < 2.0**-reach)
    if not looks or (long | short).any():
        scale = torch.ones_like(size).masked_fill(long, 2.0 ** (-2 * reach))
        x = x * scale.masked_fill(short, 2.0 ** (2 * reach))
        norm = x.norm(dim=1, keepdim=True)
    return x / norm.masked_fill(norm == 0, 1.0)


def lifted(x: Tensor) -> torch.dtype:
    """Return the precision in which x is computed with: half precision is lifted to float32."""
    return torch.promote_types(x.dtype, torch.float32)


def keep_nan(loss: Tensor, *tensors: Tensor) -> Tensor:
    """Return the loss, or nan if a number in one of the tensors is not finite.

    A loss may leave rows out, but not in silence. Nothing waits for a GPU here.
    """
    return loss + sum((x.detach() * 0).sum().to(loss.dtype) for x in tensors)


def full_precision(x: Tensor) -> AbstractContextManager:
    """Switch autocast off on x's device: exponents need more digits than half precision has."""
    device = x.device.type
    # asked for other devices alone: torch 2.4 cannot compile the question
    available = device in ("cpu", "cuda") or torch.amp.is_autocast_available(device)
    return torch.autocast(device, enabled=False) if available else nullcontext()


def cosines(a: Tensor, b: Tensor) -> Tensor:
    """Return all dot products of the unit rows a (n, d) and b (m, d): (n, m)."""
    with full_precision(a):
        return a @ b.T


def row_dot(a: Tensor, b: Tensor) -> Tensor:
    """Return the dot products of rows i of a and b, both (n, d): (n,)."""
    return (a * b).sum(1)


def hamming(Y: Tensor, known: Tensor | None = None) -> Tensor:
    """Count the labels in which each two rows of the 0/1 matrix Y (…, n, c) differ: (…, n, n).

    With ``known``, of Y's shape and 1 where an entry is known, 0 elsewhere like Y there: the share
    of differing labels among those known in both rows, times c; 0 where there are none.
    """
    with full_precision(Y):
        if known is None:
            size = Y.sum(-1)
            return size[..., :, None] + size[..., None, :] - 2 * (Y @ Y.mT)
        lacks = known - Y
        differ, both = Y @ lacks.mT + lacks @ Y.mT, known @ known.mT
    return differ * (Y.shape[-1] / both.clamp_min(1))


def row_logsumexp(
    queries: Tensor, keys: Tensor, skip: tuple[int, ...] = (), chunk: int | None = None
) -> Tensor:
    """Compute log Σ_k exp(queries_i · keys_k) for every row i, without holding the (n, m) products.

    Forward walks over chunks of rows and keeps one number a row; backward computes each chunk
    again. So n queries and m keys need O(n · m) time and O(n + m) memory.

    Args:
        queries: (n, d).
        keys: (m, d); m may differ from n, for instance when keys come from several processes.
        skip: diagonals to leave out, counted as in :func:`torch.diagonal`: with offset o, row i
            leaves out key i + o (where there is one). Keys that are stacked blocks of views need
            one offset per block.
        chunk: rows held at once; changes memory and speed, never the value.

    Returns:
        (n,), at least float32; a row with every key left out has −inf and a zero gradient.
    """
    return _LogSumExp.apply(*_kernel_arguments(queries, keys, chunk), skip, False)[0]


def row_column_logsumexp(
    queries: Tensor, keys: Tensor, skip: tuple[int, ...] = (), chunk: int | None = None
) -> tuple[Tensor, Tensor]:
    """Compute the row-wise and column-wise log-sum-exp of one product: (n,) and (m,).

    The columns are ``row_logsumexp(keys, queries)``, for the price of the rows alone.
    """
    return _LogSumExp.apply(*_kernel_arguments(queries, keys, chunk), skip, True)


def _kernel_arguments(
    queries: Tensor, keys: Tensor, chunk: int | None
) -> tuple[Tensor, Tensor, int]:
    shapes = queries.shape, keys.shape
    if queries.ndim != 2 or keys.ndim != 2 or shapes[0][1] != shapes[1][1] or not len(keys):
        raise ValueError(
            "queries and keys must be matrices with equally many columns, and there must be keys; "
            f"got {tuple(queries.shape)} and {tuple(keys.shape)}."
        )
    if chunk is None:
        chunk = max(1, CHUNK_SCORES // len(keys))
    elif not isinstance(chunk, Integral) or chunk < 1:
        raise ValueError(f"chunk must be a whole number of rows, at least 1; got {chunk!r}.")
    dtype = torch.promote_types(torch.promote_types(queries.dtype, keys.dtype), torch.float32)
    return queries.to(dtype), keys.to(dtype), chunk


class _LogSumExp(torch.autograd.Function):
    # All products here write into a given tensor: those are never autocast.

    @staticmethod
    def forward(ctx, queries: Tensor, keys: Tensor, chunk: int, skip: tuple, columns: bool):
        ctx.skip, ctx.chunk = skip, chunk
        lowest = torch.finfo(queries.dtype).min  # finite, since −inf − (−inf) is not a number
        by_row = queries.new_empty(len(queries))
        top = queries.new_full((len(keys),), lowest)  # of each column so far
        total = torch.zeros_like(top)  # Σ exp(score − top) so far
        for rows, scores, spare in _chunks(queries, keys, skip, chunk, spare=columns):
            if columns:
                top, old = torch.maximum(top, scores.amax(0)), top
                new = torch.sub(scores, top, out=spare).exp_().sum(0)
                total.mul_(old.sub_(top).exp_()).add_(new)
            row_top = scores.amax(1).clamp_min_(lowest)
            by_row[rows] = scores.sub_(row_top[:, None]).exp_().sum(1).log_().add_(row_top)
        by_column = total.log_().add_(top) if columns else None
        ctx.save_for_backward(queries, keys, by_row, by_column)
        return by_row, by_column

    @staticmethod
    def backward(ctx, row_grad: Tensor, column_grad: Tensor | None):
        _first_derivative_only()
        queries, keys, by_row, by_column = ctx.saved_tensors
        # Where nothing is summed the log is −inf; any finite number there gives a share of 0.
        lowest = torch.finfo(by_row.dtype).min
        by_row = by_row.clamp_min(lowest)
        columns = by_column is not None
        by_column = by_column.clamp_min(lowest) if columns else None
        of_queries, of_keys = ctx.needs_input_grad[:2]  # keys of a memory bank need none
        grad_queries = torch.empty_like(queries) if of_queries else None
        grad_keys = torch.zeros_like(keys) if of_keys else None
        for rows, scores, spare in _chunks(queries, keys, ctx.skip, ctx.chunk, spare=columns):
            if columns:  # softmax down the columns
                torch.sub(scores, by_column, out=spare).exp_().mul_(column_grad)
            # softmax along the rows: how much of row i falls on key k
            share = scores.sub_(by_row[rows, None]).exp_().mul_(row_grad[rows, None])
            share = share.add_(spare) if columns else share
            if of_queries:
                torch.mm(share, keys, out=grad_queries[rows])
            if of_keys:
                grad_keys.addmm_(share.T, queries[rows])
        return grad_queries, grad_keys, None, None, None


def _first_derivative_only() -> None:
    """``once_differentiable`` would let ``torch.autograd.grad`` give wrong second derivatives."""
    if torch.is_grad_enabled():
        raise RuntimeError(
            "these losses have first derivatives only: create_graph=True is not supported."
        )


def _chunks(
    queries: Tensor, keys: Tensor, skip: tuple[int, ...], chunk: int, spare: bool
) -> Iterator[tuple[slice, Tensor, Tensor | None]]:
    """Chunks of queries · keysᵀ with the skipped diagonals at −inf, all in one reused buffer;
    and a second buffer of that size, if wanted."""
    shape = min(chunk, len(queries)), len(keys)
    buffer, second = queries.new_empty(shape), queries.new_empty(shape) if spare else None
    for start in range(0, len(queries), chunk):
        rows = slice(start, min(start + chunk, len(queries)))
        size = rows.stop - start
        scores = torch.mm(queries[rows], keys.T, out=buffer[:size])
        for offset in skip:
            scores.diagonal(offset + start).fill_(-math.inf)
        yield rows, scores, second[:size] if spare else None


def softplus(x: Tensor) -> Tensor:
    """Compute log(1 + exp(x)); torch's default drops the 1 from x = 20 on, an error of 2e-9."""
    return F.softplus(x, threshold=40.0)


def log_matmul(logits: Tensor, B: Tensor, bound: float | None) -> Tensor:
    """Compute log(exp(logits) @ B) for a 0/1 matrix B, exact however far the logits spread.

    One maximum per row is not enough: the terms that B keeps may all lie far below it and vanish.
    So the range is cut into bands; at τ = 1 there is one, a single matrix product. Where there
    would be many, each column of B gets a maximum per row, c passes over logits in all.

    Args:
        logits: (n, m). B: (m, c).
        bound: all logits lie within ± bound; None: not known.

    Returns:
        (n, c); ``LOG_EMPTY`` where B keeps no term.
    """
    if bound is None or 2 * bound > MAX_BANDS * BAND:
        return _MaskedLogSumExp.apply(logits, B)
    bands = max(1, math.ceil(2 * bound / BAND))
    # Decided once: at an edge two roundings could leave a term out of both bands.
    own = ((bound - logits.detach()) / BAND).floor_().clamp_(0, bands - 1) if bands > 1 else None
    logs = []
    for band in range(bands):
        top = bound - band * BAND
        below = logits - top  # this band's terms: from −BAND to 0
        if bands > 1:
            below = below.masked_fill(own != band, -math.inf)
        with full_precision(logits):
            part = below.exp() @ B
        empty = part == 0
        logs.append((part.masked_fill(empty, 1.0).log() + top).masked_fill(empty, LOG_EMPTY))
    return torch.stack(logs).logsumexp(0)


class _MaskedLogSumExp(torch.autograd.Function):
    """log Σ_{k: B_ka = 1} exp(logits_ik) for every row i and column a; memory for one column."""

    @staticmethod
    def forward(ctx, logits: Tensor, B: Tensor) -> Tensor:
        logs = logits.new_empty(len(logits), B.shape[1])
        lowest = torch.finfo(logits.dtype).min
        for a in range(B.shape[1]):
            kept = logits.masked_fill(B[:, a] == 0, -math.inf)
            top = kept.amax(1).clamp_min_(lowest)
            logs[:, a] = kept.sub_(top[:, None]).exp_().sum(1).log_().add_(top)
        logs.clamp_min_(LOG_EMPTY)
        ctx.save_for_backward(logits, B, logs)
        return logs

    @staticmethod
    def backward(ctx, grad: Tensor):
        _first_derivative_only()
        logits, B, logs = ctx.saved_tensors
        grad_logits = torch.zeros_like(logits)
        for a in range(B.shape[1]):
            share = logits.masked_fill(B[:, a] == 0, -math.inf).sub_(logs[:, a, None]).exp_()
            grad_logits.addcmul_(share, grad[:, a, None])
        return grad_logits, None


def pair_softplus(
    log_negatives: Tensor,
    log_positives: Tensor,
    Y: Tensor,
    weight: Tensor,
    self_pairs: bool,
    each: Tensor | None = None,
    each_row: bool = False,
) -> Tensor:
    """Compute Σ_a weight_a Σ_{i, j have a} each_ij softplus(log_negatives_ia − log_positives_ij).

    Walks over labels, values and gradients in one pass: memory stays at n² for any number of them.

    Args:
        log_negatives: (n, c). log_positives: (n, n). Y: (n, c), 0/1. weight: (c,).
        self_pairs: count i = j too.
        each: (n, n), a weight for each pair; default 1.
        each_row: return what each i adds, (n,), not the sum.
    """
    return _PairSoftplus.apply(log_negatives, log_positives, Y, weight, self_pairs, each, each_row)


def _waits(device: torch.device) -> bool:
    """Whether a program that looks at values must wait for its device, or cannot be compiled."""
    return device.type != "cpu" or torch.compiler.is_compiling()


class _PairSoftplus(torch.autograd.Function):
    @staticmethod
    def forward(ctx, log_negatives, log_positives, Y, weight, self_pairs, each, each_row):
        total = log_positives.new_zeros(len(Y) if each_row else ())
        grad_negatives = torch.zeros_like(log_negatives)
        grad_positives = torch.zeros_like(log_positives)
        picks = not _waits(Y.device)
        for a in range(Y.shape[1]):
            # Only rows with label a count. Picking them out makes a GPU wait, so there all stay
            # in, by slices, which copy nothing, and the rest get weight 0.
            rows = Y[:, a].nonzero()[:, 0] if picks else slice(None)
            has_label = Y[rows, a]
            pair_weight = torch.outer(has_label, has_label) * weight[a]
            if not self_pairs:
                pair_weight.fill_diagonal_(0.0)
            square = (rows[:, None], rows[None, :]) if picks else (rows, rows)
            if each is not None:
                pair_weight *= each[square]
            gap = log_negatives[rows, a, None] - log_positives[square]
            values = softplus(gap) * pair_weight
            if each_row:
                total[rows] += values.sum(1)
            else:
                total += values.sum()
            pull = gap.sigmoid_().mul_(pair_weight)
            grad_negatives[rows, a] = pull.sum(1)
            grad_positives[square] -= pull
        ctx.save_for_backward(grad_negatives, grad_positives)
        return total

    @staticmethod
    def backward(ctx, grad):
        _first_derivative_only()
        grad_negatives, grad_positives = ctx.saved_tensors
        grad = grad[:, None] if grad.ndim else grad  # row i of both is what anchor i adds
        return grad * grad_negatives, grad * grad_positives, None, None, None, None, None
