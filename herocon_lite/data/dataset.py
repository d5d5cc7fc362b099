"""One type for every data set: views and labels of the same rows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from herocon_lite.data.cards import Card
from herocon_lite.data.lazy import Lazy

Array = np.ndarray | Lazy


@dataclass(frozen=True, eq=False)
class Dataset:
    """Views and labels of the same rows.

    Features are float32 (n, d), images uint8 (n, channels, height, width), and large views lazy.
    Values are checked here once, so that nothing later has to.
    """

    name: str
    kind: str  # "multilabel" or "multiclass"
    views: list[Array]
    labels: np.ndarray  # (n, c), uint8, 0/1; one 1 a row when multiclass
    label_names: tuple[str, ...]
    card: Card
    row_info: dict[str, np.ndarray] = field(default_factory=dict)  # e.g. which utterance
    checksums: dict[str, str] = field(default_factory=dict)  # of the files it was read from
    steps: tuple[str, ...] = ()  # what was done to it since, in words, for the record of a run
    whole: int | None = None  # rows of the whole set, where the files may hold a part of it

    def __post_init__(self) -> None:
        labels = self.labels
        if labels.ndim != 2 or not np.isin(labels, (0, 1)).all():
            raise ValueError(f"{self.name}: labels must be a matrix of 0 and 1.")
        if self.kind == "multiclass" and not (labels.sum(1) == 1).all():
            raise ValueError(f"{self.name}: each row of a multiclass set must have one class.")
        if labels.shape[1] != len(self.label_names):
            raise ValueError(
                f"{self.name}: labels has {labels.shape[1]} columns, "
                f"label_names {len(self.label_names)}; they must agree."
            )
        for number, view in enumerate(self.views, 1):
            if len(view) != len(labels):
                raise ValueError(
                    f"{self.name}: view {number} has {len(view)} rows, labels {len(labels)}; "
                    "row i of both must be the same sample."
                )
            if view.ndim == 4 and view.dtype != np.uint8:
                raise ValueError(
                    f"{self.name}: view {number} holds pictures as {view.dtype}; they must be "
                    "uint8, from 0 to 255."
                )
            if (
                isinstance(view, np.ndarray)
                and view.dtype.kind == "f"
                and not np.isfinite(view).all()
            ):
                raise ValueError(f"{self.name}: view {number} holds NaN or infinity.")

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        shapes = " + ".join("×".join(map(str, view.shape[1:])) for view in self.views)
        return (
            f"<{self.name}: {len(self)} rows, views {shapes or 'none'}, "
            f"{len(self.label_names)} labels, {self.kind}{', SYNTHETIC' * self.card.synthetic}>"
        )

    def take(self, rows: np.ndarray, step: str) -> Dataset:
        """Take some rows, in the given order; ``step`` says which, for the record."""
        views = [v.take(rows) if isinstance(v, Lazy) else v[rows] for v in self.views]
        return replace(
            self,
            views=views,
            labels=self.labels[rows],
            row_info={key: value[rows] for key, value in self.row_info.items()},
            steps=(*self.steps, step),
        )

    def standardise(self, rows: np.ndarray) -> Dataset:
        """Give each feature mean 0 and deviation 1 over ``rows``; what is constant there becomes 0.

        Args:
            rows: those that may be looked at in training; their labels are not used.
        """
        views = []
        for view in self.views:
            mean, deviation = view[rows].mean(0, np.float64), view[rows].std(0, np.float64)
            constant = deviation < 1e-6 * np.abs(mean).clip(1)
            scaled = (view - mean) / np.where(constant, np.inf, deviation)
            views.append(scaled.astype(np.float32))
        return self.with_views(views, "features standardised on the rows of training")

    def with_views(self, views: list[Array], step: str) -> Dataset:
        """Replace the views, for the same rows; ``step`` says how they were made, for the
        record."""
        return replace(self, views=views, steps=(*self.steps, step))
