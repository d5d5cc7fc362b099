"""Lemma 3.2 on held-out rows: what is measured, and what it is compared with."""

import json

import numpy as np
import pytest
import torch

from herocon_lite.data import load, split
from herocon_lite.repro import certify
from herocon_lite.repro.settings import Run
from herocon_lite.theory.supervised import eq7_by_enumeration


def test_n_is_the_papers():
    Y = np.random.default_rng(0).integers(0, 2, (20, 3))
    N = eq7_by_enumeration(Y, np.ones((20, 20)))[1]
    assert certify.mean_log_negatives(torch.as_tensor(Y)) == pytest.approx(N, abs=1e-12)


def test_the_entropy_of_one_vector_is_0_and_of_different_ones_log_n():
    assert certify.label_entropy(np.ones((5, 2))) == 0
    assert certify.label_entropy(np.eye(7)) == pytest.approx(np.log(7))


def test_a_run_is_watched_on_its_test_rows(monkeypatch):
    monkeypatch.setattr(certify, "STEPS", (0, 3, 60))
    found = list(certify.watch(Run("yeast", "herocon-s", 0), {"beta": 1.0}))
    assert [row["step"] for row in found] == [0, 3, 60]
    test = split(load("yeast"), seed=0).test
    N = certify.mean_log_negatives(torch.as_tensor(load("yeast").labels[test]))
    for row in found:
        assert row["N"] == pytest.approx(N)
        assert row["certified"] == pytest.approx(row["N"] - row["L_s"])
    assert found[-1]["auc"] > found[0]["auc"]


def test_stored_runs_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(certify, "STORE", tmp_path / "certificates.json")
    monkeypatch.setattr(certify, "DATA", ("yeast",))
    monkeypatch.setattr(certify, "SEEDS", (0, 1))
    row = {"step": 0, "N": 1.0, "L_s": 0.25, "certified": 0.75, "f1": 0.5, "auc": 0.5}
    seen = []
    monkeypatch.setattr(certify, "watch", lambda run, kind: seen.append(run.seed) or [row])
    certify.main()
    certify.main()
    assert seen == [0, 1] * len(certify.KINDS)
    stored = json.loads(certify.STORE.read_text())
    assert len(stored["runs"]) == 2 * len(certify.KINDS)
    assert stored["labels"]["yeast"]["c"] == 14
