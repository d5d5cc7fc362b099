"""The choice among changes sees cross-validation only, and the test rows only judge it."""

import math

import numpy as np
import pandas as pd
import pytest

from herocon_lite import methods
from herocon_lite.repro import ablations, query, settings
from herocon_lite.repro import store as records
from tests.repro.test_store import make


def test_every_change_is_one_that_herocon_or_the_schedule_has():
    for name, changes in ablations.CHANGES.items():
        run = settings.Run("scene", "herocon", overrides=tuple(changes.items()))
        if name != ablations.AS_PRINTED[0]:
            assert settings.non_default_overrides(run) == changes, "a default is no change"
    problem = methods.Problem(((4,), (4,)), 2, "multilabel")
    for changes in ablations.CHANGES.values():
        own = {k: v for k, v in changes.items() if k in methods.method_params("herocon")}
        methods.build("herocon", problem, **own)


def test_runs_come_seed_by_seed_and_differ():
    runs = ablations.runs("scene", range(2))
    assert len(runs) == len(set(runs)) == 2 * 2 * len(ablations.CHANGES)
    assert [run.seed for run in runs] == sorted(run.seed for run in runs)
    assert {run.protocol for run in runs} == {"cross-validation", "transductive"}


PRINTED, OTHER = ablations.AS_PRINTED, ("τ = 0.5", 0.9)
CV = pd.DataFrame({PRINTED: [0.5, 0.6, 0.7, 0.5], OTHER: [0.6, 0.5, 0.7, math.nan]})


def test_the_choice_is_each_seed_s_own_and_ties_change_nothing():
    assert ablations.chosen(CV).to_dict() == {0: OTHER, 1: PRINTED, 2: PRINTED}


def test_the_gain_is_read_on_the_test_rows():
    tested = pd.DataFrame({PRINTED: [0.60, 0.60, 0.60], OTHER: [0.57, 0.99, 0.99]})
    assert ablations.gain(CV, tested).round(9).to_dict() == {0: -3.0, 1: 0.0, 2: 0.0}
    assert ablations.gain(CV, tested.iloc[:1]).round(9).to_dict() == {0: -3.0}
    assert len(ablations.gain(CV.iloc[:0], tested)) == 0
    alone = CV[[PRINTED]]  # nothing to choose from
    assert ablations.gain(alone, tested).round(9).to_dict() == {0: 0.0, 1: 0.0, 2: 0.0}


@pytest.mark.parametrize("protocol", ablations.PROTOCOLS)
def test_scores_are_found_in_the_store(tmp_path, protocol):
    for seed in (1, 0):
        for name, changes in ablations.CHANGES.items():
            record = make(method="herocon", budget="paper", seed=seed, f1=0.1 * seed)
            record |= {"changes": ablations.SMALLER["scene"] | changes, "protocol": protocol}
            record["settings"] |= record["changes"]
            record["metrics"]["f1_at_0.9"] = 0.1 * seed + 0.05
            if not (seed == 1 and name == "τ = 0.5"):
                records.append(record, tmp_path)
    store = query.Store(tmp_path, "scene", form=None)
    assert ablations.thresholds(store) == {0.4: "f1", 0.9: "f1_at_0.9"}
    found = ablations.scores(store, protocol)
    wanted = [(name, t) for name in ablations.CHANGES for t in (0.4, 0.9)]
    assert list(found.columns) == wanted and wanted[0] == PRINTED
    assert sorted(found.index) == [0, 1]
    assert found.isna().sum().sum() == 2 and math.isnan(found.loc[1, OTHER])
    assert found.loc[1, ("τ = 0.2", 0.9)] == pytest.approx(0.15)


def test_what_is_too_dear_to_cross_validate_is_judged_alone():
    assert {run.protocol for run in ablations.runs("mnist", range(1))} == {"transductive"}


def test_each_method_is_judged_at_the_threshold_that_it_chose_inside(tmp_path):
    scores = {  # (F1 at 0.4, at 0.9): inside the labelled rows, on the test rows
        "dnn": ((0.5, 0.6), (0.50, 0.58)),
        "deepmtmv": ((0.6, 0.6), (0.57, 0.10)),  # a tie stays at what is printed
    }
    for method, each in scores.items():
        for protocol, (low, high) in zip(ablations.PROTOCOLS, each, strict=True):
            record = make(method=method, budget="paper", f1=low) | {"protocol": protocol}
            record["metrics"]["f1_at_0.9"] = high
            records.append(record, tmp_path)
    store = query.Store(tmp_path, "scene", form=None)
    found = ablations.own_thresholds(store, "dnn", "deepmtmv")
    assert found.loc[0].to_dict() == pytest.approx({"fixed": -7.0, "own": 1.0})


def test_a_choice_by_test_labels_is_a_ceiling():
    tested = pd.DataFrame({PRINTED: [0.60, 0.60, 0.60], OTHER: [0.57, 0.99, 0.99]})
    assert ablations.best_by_test(CV, tested).round(9).to_dict() == {0: 0.0, 1: 39.0, 2: 39.0}
    alone = CV[[PRINTED]]
    assert ablations.best_by_test(alone, tested).eq(0).all()


# ---------------------------------------------------------------- the surface


def test_the_surface_is_by_alpha_beta_and_seed(tmp_path):
    usual = settings.paper_config("mocha")
    for (alpha, beta), f1 in {(0.01, 10.0): 0.3, (0.1, 0.001): 0.4}.items():
        record = make(method="herocon", budget="paper", seed=1, f1=f1, data="mocha")
        given = {"alpha": alpha, "beta": beta}  # of the second point the usual ones
        changed = {k: v for k, v in given.items() if v != getattr(usual, k)}
        record |= {"changes": ablations.SURFACE_STEP | changed, "protocol": "transductive"}
        record["settings"] |= record["changes"]
        record["split"] |= {"how": "paper"}
        records.append(record, tmp_path)
    values = ablations.surface(query.Store(tmp_path, "mocha", form=None))
    assert values.shape == (5, 5, 3) and np.isfinite(values).sum() == 2
    assert values[1, 4, 1] == pytest.approx(0.3) and values[2, 0, 1] == pytest.approx(0.4)


def test_what_a_best_point_promises_and_keeps():
    values = np.zeros((2, 2, 3))
    values[1, 1] = [0.05, 0.02, 0.01]
    values[0, 1, 2] = 0.03
    picks = ablations.pick_best(values, (0, 0))
    assert [pick.point for pick in picks] == [(1, 1), (1, 1), (0, 1)]
    assert [pick.promised for pick in picks] == pytest.approx([5, 2, 3])
    assert [pick.kept for pick in picks] == pytest.approx([1.5, 3, 0])


def test_noise_is_what_points_and_seeds_leave():
    random = np.random.default_rng(0)
    noise = random.normal(size=(30, 30, 5)) / 100
    levels = random.normal(size=(30, 30, 1)) + random.normal(size=5)
    assert ablations.run_noise(noise + levels) == pytest.approx(1, abs=0.05)
    assert ablations.run_noise(levels) == pytest.approx(0, abs=1e-9)


def test_variance_splits_into_rows_columns_and_rest():
    assert ablations.variance_shares(np.outer([1, 2, 4], [1, 1, 1])) == pytest.approx((1, 0, 0))
    shares = ablations.variance_shares(np.random.default_rng(0).normal(size=(5, 4)))
    assert sum(shares) == pytest.approx(1) and min(shares) > 0
