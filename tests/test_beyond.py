"""The choice among changes sees cross-validation only, and the test rows only judge it."""

import math

import pandas as pd
import pytest

from herocon_lite import beyond, experiments, methods, report, results
from tests.test_results import make


def test_every_change_is_one_that_herocon_or_the_schedule_has():
    for name, changes in beyond.CHANGES.items():
        run = experiments.Run("scene", "herocon", changes=tuple(changes.items()))
        if name != beyond.AS_PRINTED:
            chosen = experiments.setting("scene")
            assert experiments.real_changes(run, chosen, True) == changes, "a default is no change"
    problem = methods.Problem(((4,), (4,)), 2, "multilabel")
    for changes in beyond.CHANGES.values():
        own = {k: v for k, v in changes.items() if k in methods.settings("herocon")}
        methods.build("herocon", problem, **own)


def test_runs_come_seed_by_seed_and_differ():
    runs = beyond.runs("scene", range(2))
    assert len(runs) == len(set(runs)) == 2 * 2 * len(beyond.CHANGES)
    assert [run.seed for run in runs] == sorted(run.seed for run in runs)
    assert {run.protocol for run in runs} == {"cross-validation", "transductive"}


CV = pd.DataFrame({beyond.AS_PRINTED: [0.5, 0.6, 0.7, 0.5], "τ = 0.5": [0.6, 0.5, 0.7, math.nan]})


def test_the_choice_is_each_seed_s_own_and_ties_change_nothing():
    assert beyond.chosen(CV).to_dict() == {0: "τ = 0.5", 1: beyond.AS_PRINTED, 2: beyond.AS_PRINTED}


def test_the_gain_is_read_on_the_test_rows():
    tested = pd.DataFrame({beyond.AS_PRINTED: [0.60, 0.60, 0.60], "τ = 0.5": [0.57, 0.99, 0.99]})
    assert beyond.gain(CV, tested).round(9).to_dict() == {0: -3.0, 1: 0.0, 2: 0.0}
    assert beyond.gain(CV, tested.iloc[:1]).round(9).to_dict() == {0: -3.0}
    assert len(beyond.gain(CV.iloc[:0], tested)) == 0


@pytest.mark.parametrize("protocol", beyond.PROTOCOLS)
def test_scores_are_found_in_the_store(tmp_path, protocol):
    for seed in (1, 0):
        for name, changes in beyond.CHANGES.items():
            record = make(method="herocon", budget="paper", seed=seed, f1=0.1 * seed)
            record |= {"changes": beyond.SMALLER["scene"] | changes, "protocol": protocol}
            record["settings"] |= record["changes"]
            if not (seed == 1 and name == "τ = 0.5"):
                results.append(record, tmp_path)
    found = beyond.scores(report.Store(tmp_path, "scene", form=None), protocol)
    assert list(found.columns) == [*beyond.CHANGES] and sorted(found.index) == [0, 1]
    assert found.isna().sum().sum() == 1 and math.isnan(found.loc[1, "τ = 0.5"])
