"""How columns of tables are scaled, by what all rows of ``fit`` hold, labelled or not."""

from __future__ import annotations

import math

import numpy as np

SCALINGS = ("ranks", "standard")
FARTHEST = 1e6  # spreads from the mean; float32 and the networks stay finite
KNOTS = 1000  # of a column's ranks, at most; in between they are interpolated


class Scaling:
    """Scale one view's columns: to their ranks among the rows seen, or to mean 0 and spread 1.

    A rank lies between −√3 and √3, the middle of equal values for all of them, as evenly spread
    values of spread 1 do. Constant columns become 0.

    Args:
        kind: ``"ranks"`` or ``"standard"``.

    Example:
        >>> x = np.array([[1.0], [2.0], [4.0], [1000.0]])
        >>> Scaling("ranks").fit(x)(x).ravel().round(2)
        array([-1.3 , -0.43,  0.43,  1.3 ], dtype=float32)
    """

    def __init__(self, kind: str):
        self.kind = kind

    def fit(self, x) -> Scaling:
        """Learn from x (n, d), dense or sparse by column or row."""
        columns = x.tocsc() if hasattr(x, "tocsc") else np.asfortranarray(x)
        made = [self._fit_column(*_counts(columns, j)) for j in range(x.shape[1])]
        self.starts = np.cumsum([0] + [len(values) for values, _ in made])
        self.values = np.concatenate([values for values, _ in made])
        self.ranks = np.concatenate([ranks for _, ranks in made])
        return self

    def _fit_column(self, values: np.ndarray, counts: np.ndarray):
        """The knots of a column and what each becomes; two for a line, one for a constant."""
        n = counts.sum()
        rounding = n * np.finfo(float).eps * np.abs(values).max()  # scikit-learn's bound
        if np.ptp(values) <= rounding:
            return values[:1], np.zeros(1)
        if self.kind == "standard":
            mean = np.average(values, weights=counts)
            spread = math.sqrt(np.average((values - mean) ** 2, weights=counts))
            return np.array([mean, mean + spread]), np.array([0.0, 1.0])
        ranks = math.sqrt(12) * ((np.cumsum(counts) - counts / 2) / n - 0.5)
        if len(values) > KNOTS:
            kept = np.linspace(0, len(values) - 1, KNOTS).round().astype(int)
            values, ranks = values[kept], ranks[kept]
        return values, ranks

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Return the scaled x (n, d), in float32."""
        scaled = np.zeros(x.shape, np.float32)
        starts = self.starts
        if self.kind == "standard":
            varies = np.diff(starts) == 2
            first = starts[:-1][varies]
            mean, spread = self.values[first], self.values[first + 1] - self.values[first]
            with np.errstate(over="ignore"):
                far = (x[:, varies] - mean) / spread
            scaled[:, varies] = far.clip(-FARTHEST, FARTHEST)
            return scaled
        for j in range(x.shape[1]):
            knots = slice(starts[j], starts[j + 1])
            scaled[:, j] = np.interp(x[:, j], self.values[knots], self.ranks[knots])
        return scaled

    def arrays(self) -> dict[str, np.ndarray]:
        """Return what was learnt, to save it."""
        return {"starts": self.starts, "values": self.values, "ranks": self.ranks}

    def restore(self, arrays: dict[str, np.ndarray]) -> Scaling:
        """Take what :meth:`arrays` gave."""
        self.starts, self.values, self.ranks = (arrays[k] for k in ("starts", "values", "ranks"))
        return self


def _counts(columns, j: int) -> tuple[np.ndarray, np.ndarray]:
    """The different values of a column, in order, and how often each stands there."""
    if not hasattr(columns, "indptr"):
        return np.unique(columns[:, j], return_counts=True)
    stored = columns.data[columns.indptr[j] : columns.indptr[j + 1]]
    zeros = columns.shape[0] - len(stored)
    values, counts = np.unique(np.append(stored, 0.0), return_counts=True)
    counts[values == 0] += zeros - 1
    return values[counts > 0], counts[counts > 0]
