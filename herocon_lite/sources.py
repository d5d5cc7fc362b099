"""Where a training's rows come from: tables, sparse tables, arrays or datasets of anything else.

A source has a length, and ``take(rows)`` gives those rows as one tensor on the device. Its
``present`` says which rows have this view, (n,), bool; None: all. A row that lacks it is NaN.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from herocon_lite.models import as_numbers
from herocon_lite.scaling import Scaling


class Table:
    """Rows of a matrix, scaled; a sparse one becomes dense batch by batch.

    Args:
        matrices: (n, d) each, one below the other, all dense or all sparse by row.
        scaling: of their columns.
        device: where the rows are wanted.
    """

    def __init__(self, matrices: Sequence, scaling: Scaling, device: torch.device):
        self.scaling, self.device, self.dense = scaling, device, None
        self.whole, self.present = stack(matrices), _present(matrices, device)
        if not hasattr(self.whole, "toarray"):
            self.dense = self._scaled(self.whole)

    def __len__(self) -> int:
        return self.whole.shape[0]

    def take(self, rows: Tensor) -> Tensor:
        if self.dense is not None:
            return self.dense[rows.to(self.device)]
        return self._scaled(self.whole[rows.numpy()].toarray())

    def _scaled(self, matrix: np.ndarray) -> Tensor:
        scaled = self.scaling(matrix)
        if self.present is not None:
            np.nan_to_num(scaled, copy=False)  # what is absent is multiplied by zeros later
        return torch.from_numpy(scaled).to(self.device)


class Items:
    """Rows of arrays (n, ...) or of map-style datasets, as encoders of the user's own take them.

    Bytes are scaled to [0, 1]. Of items that are pairs, such as (picture, label), the first
    counts.
    """

    def __init__(self, parts: Sequence, device: torch.device):
        self.parts, self.device, self.present = parts, device, _present(parts, device)
        self.ends = np.cumsum([len(part) for part in parts])

    def __len__(self) -> int:
        return int(self.ends[-1])

    def take(self, rows: Tensor) -> Tensor:
        if len(self.parts) == 1 and isinstance(self.parts[0], np.ndarray):
            return self._to_device(torch.from_numpy(self.parts[0][rows.numpy()]))
        return self._to_device(torch.stack([self._item(row) for row in rows.tolist()]))

    def _item(self, row: int) -> Tensor:
        part = bisect_right(self.ends, row)
        item = self.parts[part][row - (self.ends[part - 1] if part else 0)]
        item = item[0] if isinstance(item, tuple | list) else item
        return torch.as_tensor(item)

    def _to_device(self, x: Tensor) -> Tensor:
        x = x.float() if x.dtype == torch.float64 else x
        return as_numbers(x.to(self.device), torch.float32)


def take_views(sources: Sequence, rows: Tensor) -> tuple[list[Tensor], Tensor | None]:
    """Return rows of every view, and which of them have it: (V, len(rows)), bool; None: all."""
    views = [source.take(rows) for source in sources]
    if all(source.present is None for source in sources):
        return views, None
    here = [
        torch.ones(len(rows), dtype=torch.bool, device=x.device)
        if source.present is None
        else source.present[rows.to(x.device)]
        for source, x in zip(sources, views, strict=True)
    ]
    return views, torch.stack(here)


def absent_rows(view) -> np.ndarray:
    """Return which rows of an array are all NaN: (n,), bool. Datasets are taken to be whole."""
    if hasattr(view, "toarray"):  # a row with one NaN is all NaN: others are refused
        return np.isnan(view[:, [0]].toarray()[:, 0])
    if not isinstance(view, np.ndarray) or view.dtype.kind != "f":
        return np.zeros(len(view), bool)
    flat = view.reshape(len(view), -1)
    absent = np.isnan(flat[:, 0])
    absent[absent] = np.isnan(flat[absent]).all(1)
    return absent


def _present(parts: Sequence, device: torch.device) -> Tensor | None:
    absent = np.concatenate([absent_rows(part) for part in parts])
    return torch.from_numpy(~absent).to(device) if absent.any() else None


def stack(matrices: Sequence):
    """Return matrices (n, d) one below the other; sparse if one of them is."""
    if len(matrices) == 1:
        return matrices[0]
    if any(hasattr(x, "toarray") for x in matrices):
        from scipy.sparse import csr_matrix, vstack

        return vstack([csr_matrix(x) for x in matrices], format="csr")
    return np.concatenate(matrices)
