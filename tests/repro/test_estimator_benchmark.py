"""The estimator beside what one would use instead: same rows, right columns, lines made once."""

import numpy as np
import pytest

from herocon_lite.data import load
from herocon_lite.repro import estimator_benchmark as benchmark
from herocon_lite.repro import files, opponents, provenance
from herocon_lite.repro.opponents import OPPONENTS, Answer, Problem


@pytest.fixture
def quick(monkeypatch):
    """Small forests, two opponents, one split, and no networks."""
    monkeypatch.setattr(opponents, "TREES", 12)
    monkeypatch.setattr(benchmark, "SPLITS", range(1))
    monkeypatch.setattr(benchmark, "NETWORKS", {"herocon": {}})
    monkeypatch.setattr(benchmark, "network", lambda options: constant)
    monkeypatch.setattr(
        benchmark, "methods", lambda *_: ["herocon", "extra_trees", "trees_per_view"]
    )


def constant(task):
    """Stand in for a network: one half for everything, at once."""
    P = np.full(task.labels.shape, 0.5)
    held_out = P[task.train] if task.kind == "multilabel" else None
    return Answer(P[task.test], held_out, 0.0)


def small(kind, seed=0):
    """Ninety labelled rows and fifty others of two views; the columns tell the labels."""
    rng = np.random.default_rng(seed)
    hidden = rng.standard_normal((140, 3))
    views = [hidden @ rng.standard_normal((3, d)) for d in (6, 4)]
    if kind == "multiclass":
        classes = hidden.argmax(1)
        labels = np.eye(5, dtype=np.uint8)[classes * 2]  # nobody has class 1 or 3
        labels[100] = [0, 1, 0, 0, 0]  # but for a row without a label
    else:
        labels = np.c_[hidden > 0, np.zeros(140), np.ones(140)].astype(np.uint8)
    return Problem(views, labels, kind, 90, seed)


@pytest.mark.parametrize("kind", ["multiclass", "multilabel"])
@pytest.mark.parametrize("name", OPPONENTS)
def test_every_opponent_gives_each_label_its_column(name, kind, monkeypatch):
    if name == "classifier_chains" and kind == "multiclass":
        return  # for label matrices only; `methods` leaves it out
    monkeypatch.setattr(opponents, "TREES", 40)
    task = small(kind)
    P = opponents.probabilities(OPPONENTS[name], task, task.train, task.test)
    truth = task.labels[task.test]
    assert P.shape == truth.shape and P.min() >= 0 and P.max() <= 1 + 1e-9
    if kind == "multiclass":
        assert (P[:, [1, 3]] == 0).all() and np.allclose(P.sum(1), 1)
        assert (P.argmax(1) == truth.argmax(1)).mean() > 0.6
    else:
        assert (P[:, 3] == 0).all() and (P[:, 4] == 1).all()
        assert ((P > 0.5) == truth)[:, :3].mean() > 0.65


def test_held_out_rows_are_predicted_without_their_labels():
    task = small("multilabel")
    asked = []

    def opponent(problem, rows, y, wanted):
        assert not set(rows) & set(wanted)
        asked.append((len(rows), len(wanted)))
        return np.full((len(wanted), y.shape[1]), 0.25)

    found = opponents.answer(opponent, task)
    assert asked == [(90, 50)] + 3 * [(60, 30)]
    assert found.held_out.shape == (90, 5) and (found.held_out[:, :3] == 0.25).all()
    assert opponents.scores(task, found)["threshold"] < 0.25  # above it nothing would be predicted


def test_the_mix_is_a_mean_with_fixed_weights_and_takes_the_time_of_all():
    answers = {
        name: Answer(np.full((2, 3), v), np.full((4, 3), v), v, 2 * v)
        for name, v in zip(opponents.MIX, (0.1, 0.5, 1.0), strict=True)
    }
    mix = opponents.mean(answers, opponents.MIX)
    assert np.allclose(mix.test, 0.62) and np.allclose(mix.held_out, 0.62)
    assert (mix.seconds, mix.held_out_seconds) == (1.6, 3.2)


def test_more_labels_include_the_fewer_and_classes_are_equally_frequent():
    dataset = load("mfeat")
    few, many = (benchmark.draw(dataset, size, seed=3) for size in (30, 120))
    assert set(few.train) < set(many.train)
    assert (dataset.labels[few.train].sum(0) == 3).all()
    task = benchmark.problem(dataset, few)
    assert np.array_equal(task.labels[task.train], dataset.labels[few.train])
    assert np.array_equal(task.views[0][task.test], dataset.views[0][few.test])


def test_lines_are_made_once_and_again_by_other_code(tmp_path, monkeypatch, quick):
    made = benchmark.run(tmp_path, ("yeast", "mfeat"), (120,))
    assert [(r["data"], r["labels"], r["seed"]) for r in made] == [
        ("yeast", 120, 0),
        ("mfeat", 120, 0),
    ]
    for row in made:
        assert row["methods"]["herocon"]["auc"] == 0.5 < row["methods"]["forests"]["auc"]
        assert set(row["methods"]) == {
            "herocon", "extra_trees", "trees_per_view", "forests", "mix"
        }  # fmt: skip
    assert made[1]["trees"]["forests"] == "400 + 6 × 66"
    assert benchmark.differences(made, "mfeat", "forests", "herocon")[0] > 40

    def stop(task):
        raise RuntimeError

    monkeypatch.setattr(benchmark, "compare", stop)
    assert benchmark.run(tmp_path, ("yeast", "mfeat"), (120,)) == made  # nothing to do
    monkeypatch.setattr(provenance, "source_hash", lambda *_: "another")
    with pytest.raises(RuntimeError):
        benchmark.run(tmp_path, ("yeast",), (120,))
    assert len(files.read_lines(tmp_path / "curves.jsonl")) == 2  # stays till it is made again
    monkeypatch.setattr(benchmark, "compare", lambda task: {"herocon": {"auc": 1.0}})
    again = benchmark.run(tmp_path, ("yeast",), (120,))
    assert [r["code"] for r in again] == ["another"]
    kept = files.read_lines(tmp_path / "curves.jsonl")
    assert [r["data"] for r in kept] == ["yeast", "mfeat"] and kept[1] == made[1]


def test_three_splits_of_all_sizes_come_first_and_only_they_have_all_methods():
    keys = benchmark.plan(("yeast", "mocha"), benchmark.SIZES)
    assert len(keys) == 80 and keys[:2] == [("yeast", 120, 10), ("mocha", 120, 10)]
    assert {seed for *_, seed in keys[:24]} == {10, 11, 12}
    assert not [key for key in keys if key[0] == "mocha" and key[1] < 120]

    def methods(kind, size, seed):
        rows = np.zeros((size + 1, 2))
        return benchmark.methods(Problem([rows], rows, kind, size, seed))

    assert {"mlp", "classifier_chains"} < set(methods("multilabel", 120, 12))
    assert "classifier_chains" not in methods("multiclass", 120, 12)
    assert methods("multilabel", 120, 13) == methods("multilabel", 60, 12) == [*benchmark.CURVES]


def test_a_difference_needs_both_methods():
    rows = [
        {"data": "yeast", "labels": 120, "methods": {"mix": {"auc": 0.5}, "mlp": {"auc": 0.25}}},
        {"data": "yeast", "labels": 120, "methods": {"mix": {"auc": 0.5}}},
    ]
    assert benchmark.differences(rows, "yeast", "mix", "mlp") == [25]


def test_networks_see_unlabelled_rows_and_absent_classes_get_zero():
    found = benchmark.network({"members": 1, "folds": None, "steps": 3})(small("multiclass"))
    assert found.test.shape == (50, 5) and (found.test[:, [1, 3]] == 0).all()
    assert np.allclose(found.test.sum(1), 1, atol=1e-5)
