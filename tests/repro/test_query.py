"""The finished runs, by kind."""

import math

import pytest

from herocon_lite.repro import store as records
from herocon_lite.repro.query import Store, case_study
from tests.repro.test_store import make


def test_runs_are_asked_by_kind_and_come_by_seed(store):
    assert store.runs("herocon").to_dict() == {0: 0.61, 1: 0.62, 2: 0.63}
    assert list(store.runs("herocon").index) == [0, 1, 2]
    changed = store.runs("herocon", changes={"alpha": 1, "beta": 0.5})  # in any order, 1 for 1.0
    assert changed.to_dict() == {0: 0.5, 1: 0.5}
    assert len(store.runs("herocon", changes={"alpha": 1.0})) == 0
    usual = {"alpha": 0.7, "unlabeled_batch": None}  # Scene's own: no change
    assert len(store.runs("herocon", changes=usual)) == 3
    assert len(store.runs("herocon", preset="released")) == len(store.runs("cmc")) == 0
    assert sorted(store.runs("dnn").index) == [1, 2, 5]  # the quick run is another budget's


def test_differences_are_paired_and_in_points(store):
    found = store.difference({"method": "herocon"}, {"method": "dnn"})
    assert found.round(9).to_dict() == {1: 2.0, 2: -1.0}
    assert len(store.difference({"method": "herocon"}, {"method": "cmc"})) == 0
    store.frame.loc[store.frame["seed"] == 1, "f1"] = math.nan  # older runs lack a metric
    assert list(store.difference({"method": "herocon"}, {"method": "dnn"}).index) == [2]


@pytest.mark.parametrize(
    "method, own",
    [
        ("dnn", {}),
        ("herocon-s", {"beta": 10}),
        ("herocon-u", {"alpha": 0.5, "unlabeled_batch": 500}),
        ("herocon", {"alpha": 0.5, "beta": 10, "unlabeled_batch": 500}),
    ],
)
def test_runs_of_figure_2_have_its_weights(method, own):
    kind = case_study(method, share=0.25)
    usual = {"share": 0.25, "views": "gaussian", "precision": "bfloat16"}
    assert kind == {"method": method, "changes": usual | own}


def test_an_empty_store_answers_with_nothing(tmp_path):
    assert len(Store(tmp_path, "mocha").runs("dnn")) == 0
    records.append(make(data="yeast", budget="paper"), tmp_path)
    assert len(Store(tmp_path, "mocha").runs("dnn")) == 0


def test_a_seed_counts_once(tmp_path):
    for checksum in ("a part", "the whole"):
        split = {"checksum": checksum}
        records.append(make("dnn", 0, 0.5, budget="paper", split=split), tmp_path)
    with pytest.raises(ValueError, match="every seed must count once"):
        Store(tmp_path, "scene").runs("dnn")
