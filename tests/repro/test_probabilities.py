"""Probabilities of the test rows are kept beside the record, small, whole and checked."""

import json

import numpy as np
import pytest

from herocon_lite.data import load, split
from herocon_lite.metrics import evaluate
from herocon_lite.repro import cli, probabilities, provenance, runner, store
from herocon_lite.repro.settings import Run
from tests.repro.test_store import make

ROWS = np.array([3, 5, 900])


@pytest.fixture
def P():
    """Yeast's test rows."""
    return np.random.default_rng(0).random((2297, 14)) ** 3


def test_kept_probabilities_decide_as_the_originals_do(P, tmp_path):
    rows = np.sort(np.random.default_rng(1).permutation(2417)[: len(P)])
    record = make()
    record["probabilities"] = probabilities.save(record, rows, P, tmp_path)
    found, kept = probabilities.load(record, tmp_path)
    assert np.array_equal(found, rows)
    assert (kept - P >= 0).all() and (kept - P).max() < 1 / 60_000
    for threshold in np.arange(1, 100) / 100:
        assert np.array_equal(kept > threshold, threshold < P)
    assert probabilities.path_of(record, tmp_path).stat().st_size < 2 * P.size


def test_a_damaged_or_missing_file_is_refused(tmp_path):
    record = make()
    with pytest.raises(ValueError, match="keeps no probabilities"):
        probabilities.load(record, tmp_path)
    record["probabilities"] = probabilities.save(record, ROWS, np.eye(3), tmp_path)
    path = probabilities.path_of(record, tmp_path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ValueError, match="found another file"):
        probabilities.load(record, tmp_path)
    path.unlink()
    with pytest.raises(ValueError, match="found no file"):
        probabilities.load(record, tmp_path)


@pytest.mark.parametrize("wrong", [np.full((3, 2), 1.1), np.full((3, 2), np.nan), np.eye(2)])
def test_what_is_no_probability_is_not_stored(wrong, tmp_path):
    with pytest.raises(ValueError, match="must"):
        probabilities.save(make(), ROWS, wrong, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("protocol", ["transductive", "cross-validation"])
def test_a_run_keeps_the_probabilities_that_made_its_scores(protocol, tmp_path):
    yeast = load("yeast")
    run = Run("yeast", "dnn", protocol=protocol, overrides=(("steps", 3),))
    assert runner.execute_all([run], tmp_path, keep_probabilities=True) == 1
    (record,) = store.read(tmp_path).values()
    rows, P = probabilities.load(record, tmp_path)
    parts = split(yeast, seed=0)
    assert np.array_equal(np.sort(rows), parts.train if protocol[0] == "c" else parts.test)
    again = evaluate(yeast.labels[rows], P, yeast.kind)
    assert again == pytest.approx(record["metrics"], abs=1e-4)


def test_keeping_is_no_part_of_the_key_and_replaces_a_record_without(tmp_path):
    words = ["run", "yeast", "dnn", "--set", "steps=3", "--folder", str(tmp_path)]
    for more in ([], ["--keep-probabilities"], ["--keep-probabilities"], []):
        assert cli.main([*words, *more]) == 0
    first, second = map(json.loads, (tmp_path / "runs" / "yeast.jsonl").read_text().splitlines())
    assert store.key(first) == store.key(second)
    del second["digest"]  # checked and dropped on the way in
    assert store.read(tmp_path) == {store.key(second): second}


def test_a_run_that_cannot_keep_them_leaves_no_record(tmp_path, monkeypatch):
    def full(*_):
        raise OSError("disk full")

    monkeypatch.setattr(probabilities, "atomic_write", full)
    run = Run("yeast", "dnn", overrides=(("steps", 3),))
    with pytest.raises(OSError, match="disk full"):
        runner.execute_all([run], tmp_path, keep_probabilities=True)
    assert not store.read(tmp_path)


def test_dirty_records_are_made_again_when_asked(tmp_path, monkeypatch):
    run = Run("yeast", "dnn", overrides=(("steps", 3),))
    clean = provenance.environment() | {"dirty": False}
    monkeypatch.setattr(provenance, "environment", lambda *_: clean | {"dirty": True})
    assert runner.execute_all([run], tmp_path) == 1
    with pytest.raises(ValueError, match="replace_dirty needs a clean checkout"):
        runner.execute_all([run], tmp_path, replace_dirty=True)
    monkeypatch.setattr(provenance, "environment", lambda *_: clean)
    assert runner.execute_all([run], tmp_path) == 0
    assert runner.execute_all([run], tmp_path, replace_dirty=True) == 1
    assert runner.execute_all([run], tmp_path, replace_dirty=True) == 0
    (record,) = store.read(tmp_path).values()
    assert record["dirty"] is False
