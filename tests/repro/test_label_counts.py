"""Counts of label vectors: by hand, by brute force, and the stored ones against the full data."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from herocon_lite.data import CARDS, load
from herocon_lite.repro import label_counts as label_counts_module
from herocon_lite.repro.label_counts import (
    count_all,
    growing_sets,
    label_counts,
    partner_chance,
    set_sizes,
)
from tests.full_data import needs

STORED = json.loads((Path(__file__).parents[2] / label_counts_module.STORE).read_text())["sets"]
# three sets: two rows (1, 1, 0), three rows (0, 0, 1), one row (0, 0, 0)
BY_HAND = np.array([[1, 1, 0], [0, 0, 1], [0, 0, 1], [1, 1, 0], [0, 0, 0], [0, 0, 1]], np.uint8)


def test_by_hand():
    assert label_counts(BY_HAND) == {
        "rows": 6,
        "labels": 3,
        "vectors": 3,
        "mean_set": 2.0,
        "size_biased": (4 + 9 + 1) / 6,
        "cardinality": 7 / 6,
        "unique_share": 1 / 6,
    }
    assert [sorted(sizes) for sizes in growing_sets(BY_HAND)] == [[2, 4], [2, 4], [1, 2, 3]]


def test_against_numpy_on_real_labels():
    labels = load("yeast").labels
    expected = np.unique(labels, axis=0, return_counts=True)[1]
    np.testing.assert_array_equal(np.sort(set_sizes(labels)), np.sort(expected))
    assert label_counts(labels)["vectors"] == 198
    with_many_labels = np.tile(labels, (1, 6))  # 84 columns: no packing into 64 bits
    np.testing.assert_array_equal(np.sort(set_sizes(with_many_labels)), np.sort(expected))


@pytest.mark.parametrize("batch", range(1, 7))
def test_partner_chance_is_the_share_over_all_batches(batch):
    vectors = [tuple(row) for row in BY_HAND]
    hits = [
        sum(vectors[i] == vectors[k] for k in chosen) > 1
        for chosen in combinations(range(6), batch)
        for i in chosen
    ]
    assert partner_chance(set_sizes(BY_HAND), batch) == pytest.approx(np.mean(hits), abs=1e-12)


def test_bad_input():
    for labels in (np.array([0, 1]), np.array([[0, 2]]), np.zeros((0, 3)), np.zeros((3, 0))):
        with pytest.raises(ValueError, match="labels must be a matrix of 0 and 1"):
            set_sizes(labels)
    for batch in (0, 7):
        with pytest.raises(ValueError, match=f"between 1 and the 6 rows; got {batch}"):
            partner_chance(set_sizes(BY_HAND), batch)


def test_the_store_knows_its_files():
    assert set(STORED) == {"scene", "mnist", "celeba", "mocha", "birds"}
    for name, counts in STORED.items():
        assert counts["checksums"]
        assert counts["checksums"].items() <= CARDS[name].checksum.items()


def test_the_store_agrees_with_table_1():
    mnist, celeba = STORED["mnist"], STORED["celeba"]
    assert (mnist["rows"], mnist["vectors"], mnist["mean_set"]) == (70_000, 10, 7_000)
    assert (celeba["rows"], celeba["labels"], celeba["vectors"]) == (202_599, 40, 115_114)
    assert round(celeba["mean_set"], 2) == 1.76
    assert round(celeba["cardinality"], 2) == 9.03
    assert STORED["scene"]["vectors"] == 15


@needs("scene", "mnist", "celeba", "mocha", "birds")
def test_the_store_is_what_the_full_data_gives():
    counted = count_all()
    assert set(counted) == set(STORED)
    for name, counts in counted.items():
        stored = dict(STORED[name])
        # CelebA's attributes may lie here as .txt or as .zip: other bytes, the same rows.
        counts.pop("checksums"), stored.pop("checksums")
        assert _flat(counts) == pytest.approx(_flat(stored), abs=2e-6), name
        assert counts["steps"] == stored["steps"]


def _flat(value, path=()):
    if isinstance(value, (dict, list)):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        return {k: v for key, part in parts for k, v in _flat(part, (*path, key)).items()}
    return {} if isinstance(value, str) else {path: value}
