"""Sums of weighted exponentials as row-wise log-sum-exps of plain matrix products."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from herocon_lite.checks import check_returned
from herocon_lite.losses.presets import Switches
from herocon_lite.similarity import row_column_logsumexp, row_logsumexp, unit

Net = Callable[[Tensor], Tensor]


def fold(
    query: Tensor, key: Tensor, temperature: float, w_query: Tensor, w_key: Tensor
) -> tuple[Tensor, Tensor]:
    """Queries and keys whose dot product is query·key/τ − w_query·w_key.

    A factor that both products share is taken out; without one they stand side by side.
    """
    if w_key is key:
        return query / temperature - w_query, key
    if w_query is query:
        return query, key / temperature - w_key
    return torch.cat([query / temperature, -w_query], 1), torch.cat([key, w_key], 1)


def log_weighted_sum(
    query: Tensor,
    key: Tensor,
    temperature: float,
    halves: Sequence[tuple[Tensor, Tensor]] | None,
    skip: tuple[int, ...],
    chunk: int | None,
) -> Tensor:
    """log Σ_k g_ik f(query_i, key_k), g = ½ Σ exp(1 − left_i · right_k) over the two halves."""
    if halves is None:  # g ≡ 1
        return row_logsumexp(query / temperature, key, skip, chunk)
    first, second = halves
    products = fold(query, key, temperature, *first)
    if query is key and first[0] is second[1] and first[1] is second[0]:  # transposes of each other
        logs = row_column_logsumexp(*products, skip, chunk)
    else:
        more = fold(query, key, temperature, *second)
        logs = [row_logsumexp(*pair, skip, chunk) for pair in (products, more)]
    return log_add(logs) + (1 - math.log(2))


def log_add(logs: Sequence[Tensor]) -> Tensor:
    """log of the sum, row by row; −inf (a lone sample has no negatives) gets a zero gradient."""
    logs = torch.stack(tuple(logs))
    return logs.clamp_min(torch.finfo(logs.dtype).min).logsumexp(0)


def weight_rows(z: Tensor, a: Tensor, H: Net, detach: bool) -> tuple[Tensor, Tensor]:
    """What g is made of, for one view: its unit rows a, and the unit rows of H(z)."""
    h = check_returned("H", H, z.detach() if detach else z, z)
    return (a.detach() if detach else a), unit(h).to(a.dtype)


def weight_halves(
    query: tuple[Tensor, Tensor], key: tuple[Tensor, Tensor], anchor: int, switches: Switches
) -> list[tuple[Tensor, Tensor]]:
    """The two cosines in g as pairs of rows (anchor's, negative's)."""
    (w_query, h_query), (w_key, h_key) = query, key
    halves = [(h_query, w_key), (w_query, h_key)]  # cos(H(i), k), cos(i, H(k))
    if switches.transposed:
        half = 0 if anchor == 1 else 1
        halves[half] = halves[half][::-1]
    return halves
