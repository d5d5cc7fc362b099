"""How often label vectors repeat: the numbers behind the paper's Table 1.

``python -m herocon_lite.repro.label_counts`` counts the full data sets and writes
``results/label_counts.json``, so that the book can show their numbers to readers who do not have
the data. The file holds aggregate numbers only, never a row.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from herocon_lite.checkpoint import atomic_write
from herocon_lite.data import Dataset, load
from herocon_lite.data.splits import select_classes

STORE = Path("results/label_counts.json")
BATCHES = (50, 120, 500)  # the paper's: a step on CelebA, Scene's labelled rows, CelebA's
DIGITS = 6  # decimals kept


def label_counts(labels: np.ndarray) -> dict[str, int | float]:
    """Return how often whole label vectors repeat.

    Rows with the same vector form a set; n_v is its size.

    Args:
        labels: (n, c), 0 or 1.

    Returns:
        ``rows``, ``labels`` (columns) and ``vectors`` (distinct ones); ``mean_set``, the mean of
        n_v over vectors; ``size_biased``, its mean over rows, Σ n_v² / Σ n_v; ``cardinality``, the
        mean number of labels a row has; ``unique_share``, the share of rows that are alone.
    """
    sizes = set_sizes(labels)
    rows = int(sizes.sum())
    return {
        "rows": rows,
        "labels": int(labels.shape[1]),
        "vectors": len(sizes),
        "mean_set": rows / len(sizes),
        "size_biased": float((sizes**2).sum() / rows),
        "cardinality": float(labels.sum(dtype=np.int64) / rows),
        "unique_share": float((sizes == 1).sum() / rows),
    }


def set_sizes(labels: np.ndarray) -> np.ndarray:
    """Count how many rows have each distinct label vector: n_v."""
    *_, sizes = growing_sets(labels)
    return sizes


def growing_sets(labels: np.ndarray) -> Iterator[np.ndarray]:
    """:func:`set_sizes` of the first label, of the first two, …, of all."""
    labels = np.asarray(labels)
    if labels.ndim != 2 or 0 in labels.shape or not np.isin(labels, (0, 1)).all():
        raise ValueError(
            f"labels must be a matrix of 0 and 1 with rows and columns; got shape {labels.shape}, "
            f"dtype {labels.dtype}."
        )
    group = np.zeros(len(labels), np.int64)
    for column in labels.T:  # a label cuts each set in two, at most
        split = 2 * group + (column != 0)
        _, group, sizes = np.unique(split, return_inverse=True, return_counts=True)
        yield sizes


def partner_chance(sizes: np.ndarray, batch: int) -> float:
    """Return the chance that a row of a random batch meets another one with the same label vector.

    The batch is drawn without replacement; the mean runs over all rows as anchors.

    Args:
        sizes: n_v, from :func:`set_sizes`.
        batch: rows in the batch, the anchor among them.
    """
    rows = int(sizes.sum())
    if not 1 <= batch <= rows:
        raise ValueError(f"batch must be between 1 and the {rows} rows; got {batch}.")
    alone = np.ones(len(sizes))  # none of the batch − 1 others is among the n_v − 1 mates
    for drawn in range(batch - 1):
        alone *= np.maximum(rows - sizes - drawn, 0) / (rows - 1 - drawn)
    return float(1 - (sizes * alone).sum() / rows)


def count_set(dataset: Dataset) -> dict:
    """Count what the store keeps of one set."""
    labels = dataset.labels
    rates = dict(zip(dataset.label_names, labels.mean(0).tolist(), strict=True))
    views = [list(view.shape[1:]) for view in dataset.views]
    counts = {"views": views} | label_counts(labels) | {"rates": rates}
    if dataset.kind == "multilabel":
        counts["first_labels"] = [
            {
                "labels": number,
                "vectors": len(sizes),
                "partner": {str(batch): partner_chance(sizes, batch) for batch in BATCHES},
            }
            for number, sizes in enumerate(growing_sets(labels), 1)
        ]
    if dataset.views and dataset.views[0].ndim == 4:
        pixels = dataset.views[0] / np.float32(255)
        counts["pixel_mean"] = float(pixels.mean(dtype=np.float64))
        counts["pixel_std"] = float(pixels.std(dtype=np.float64))
    return counts | {"steps": list(dataset.steps), "checksums": dataset.checksums}


def count_all() -> dict[str, dict]:
    """Count in Scene, MNIST, CelebA, MOCHA and birds; all must be here, none is downloaded."""
    sets = {
        "scene": load("scene", download=False),
        "mnist": load("mnist", download=False),
        "celeba": load("celeba", download=False, images=False),
        "mocha": select_classes(load("mocha", download=False)),
        "birds": load("birds", download=False),
    }
    return {name: _rounded(count_set(dataset)) for name, dataset in sets.items()}


def _rounded(value):
    if isinstance(value, dict):
        return {key: _rounded(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_rounded(part) for part in value]
    return round(value, DIGITS) if isinstance(value, float) else value


def main() -> None:
    content = {"made by": "python -m herocon_lite.repro.label_counts", "sets": count_all()}
    atomic_write(STORE, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    print(f"Saved in {STORE}.")


if __name__ == "__main__":
    main()
