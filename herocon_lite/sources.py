"""Where a training's rows come from: tables, sparse tables, arrays or datasets of anything else.

A source has a length, and ``take(rows)`` gives those rows as one tensor on the device.
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
        self.whole = stack(matrices)
        if not hasattr(self.whole, "toarray"):
            self.dense = torch.from_numpy(scaling(self.whole)).to(device)

    def __len__(self) -> int:
        return self.whole.shape[0]

    def take(self, rows: Tensor) -> Tensor:
        if self.dense is not None:
            return self.dense[rows.to(self.device)]
        scaled = self.scaling(self.whole[rows.numpy()].toarray())
        return torch.from_numpy(scaled).to(self.device)


class Items:
    """Rows of arrays (n, ...) or of map-style datasets, as encoders of the user's own take them.

    Bytes are scaled to [0, 1]. Of items that are pairs, such as (picture, label), the first
    counts.
    """

    def __init__(self, parts: Sequence, device: torch.device):
        self.parts, self.device = parts, device
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


def stack(matrices: Sequence):
    """Return matrices (n, d) one below the other; sparse if one of them is."""
    if len(matrices) == 1:
        return matrices[0]
    if any(hasattr(x, "toarray") for x in matrices):
        from scipy.sparse import csr_matrix, vstack

        return vstack([csr_matrix(x) for x in matrices], format="csr")
    return np.concatenate(matrices)
