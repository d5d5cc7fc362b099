"""The sentences and tables of the experiment chapters say what the runs say."""

import math

import pandas as pd
import pytest

from herocon_lite.repro import ledger, paper, report
from herocon_lite.repro import store as records
from tests.repro.test_store import make


@pytest.fixture
def store(tmp_path):
    """HeroCon with three seeds, changed HeroCon with two, DNN with two others."""
    for seed, f1 in ((2, 0.63), (0, 0.61), (1, 0.62)):
        records.append(make(method="herocon", budget="paper", seed=seed, f1=f1), tmp_path)
    for seed in (0, 1):
        changed = make(method="herocon", budget="paper", seed=seed, f1=0.5, alpha=1.0)
        records.append(changed | {"changes": {"beta": 0.5, "alpha": 1.0}}, tmp_path)
    for seed, f1 in ((1, 0.60), (2, 0.64), (5, 0.9)):
        record = make(method="dnn", budget="paper", seed=seed, f1=f1, cpu_seconds=90.0)
        records.append(record, tmp_path)
    records.append(make(method="dnn", budget="smoke", seed=7), tmp_path)
    return report.Store(tmp_path, "scene", form=make()["form"], split=make()["split"]["how"])


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


def test_commands_tell_how_to_make_runs_again_and_what_they_cost(store):
    changes = {"changes": {"alpha": 1.0, "beta": 0.5}}
    text = store.commands([(["herocon", "dnn"], {}, 3), (["herocon"], changes, 5)]).data
    assert max(map(len, text.partition("\n|")[0].splitlines())) <= 72, "no scrolling sideways"
    text = text.replace(" \\\n   ", "")  # as a shell reads it
    run = "python -m herocon_lite run scene"
    assert f"{run} herocon dnn --budget paper --seeds 3\n" in text
    assert f"{run} herocon --set alpha=1.0 beta=0.5 --budget paper --seeds 5\n" in text
    # seed 5 of dnn is beyond the three asked for; processor seconds count where they are known
    wall = make()["seconds"]
    assert f"| 1 | 5 of 6 | {(3 * wall + 180) / 60:.1f} | {max(90, wall):.0f} |" in text
    assert "| 2 | 2 of 5 |" in text
    noisy = {"changes": {"share": 0.5, "views": "gaussian"}, "form": "eq4"}
    text = store.commands([(["dnn"], noisy, 3)]).data.replace(" \\\n   ", "")
    assert f"{run} dnn --form eq4 --views gaussian --set share=0.5 --budget" in text


def test_the_paper_s_rows_come_with_the_reach_of_five_repetitions():
    text = report.printed_table("scene").data
    assert text.startswith("| method, Scene | F1 | AUC | 95 % of F1, in points |")
    # t of 4 degrees of freedom is 2.776: 59.02 ± 2.776 · 1.22 / √5
    assert "| DNN | 0.5902 ± 0.0122 | 0.8647 ± 0.0077 | 57.5 to 60.5 |" in text
    assert len(text.splitlines()) == 2 + 9


def test_printed_rows_are_told_apart_by_welch():
    assert report.printed_apart("scene", "HeroCon", "DNN")
    assert not report.printed_apart("celeba", "SupCon", "DNN")
    # by hand: HeroCon-u and Info-NCE on Scene, t = 0.9 points over √((s² + s'²)/5)
    a, b = (paper.RESULTS["scene"][name] for name in ("HeroCon-u", "Info-NCE"))
    t = (a.f1 - b.f1) / math.sqrt((a.f1_sd**2 + b.f1_sd**2) / 5)
    assert report.printed_apart("scene", "HeroCon-u", "Info-NCE") == (t > 2.5)  # 4 to 8 degrees


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
    kind = report.case_study(method, share=0.25)
    usual = {"share": 0.25, "views": "gaussian", "precision": "bfloat16"}
    assert kind == {"method": method, "changes": usual | own}


def test_commands_of_runs_that_are_not_there(store):
    assert "| 1 | 0 of 4 | – | – | – |" in store.commands([(["cmc"], {}, 4)]).data


def test_an_empty_store_answers_with_nothing(tmp_path):
    assert len(report.Store(tmp_path, "mocha").runs("dnn")) == 0
    records.append(make(data="yeast", budget="paper"), tmp_path)
    assert len(report.Store(tmp_path, "mocha").runs("dnn")) == 0


def test_a_seed_counts_once(tmp_path):
    for checksum in ("a part", "the whole"):
        split = {"checksum": checksum}
        records.append(make("dnn", 0, 0.5, budget="paper", split=split), tmp_path)
    with pytest.raises(ValueError, match="every seed must count once"):
        report.Store(tmp_path, "scene").runs("dnn")


def test_levels():
    assert report.level(pd.Series([], dtype=float)) == "not run yet"
    assert report.level(pd.Series([0.61237])) == "0.6124, one run"
    assert report.level(pd.Series([0.60, 0.62, 0.64]), 2) == "0.62 [0.57,\u00a00.67]"


def test_differences_in_points():
    assert report.in_points(pd.Series([], dtype=float)) == "–"
    assert report.in_points(pd.Series([-1.0])) == "−1.00"
    assert report.in_points(pd.Series([-2.0, 0.0, 2.0])) == "+0.00 [−4.97,\u00a0+4.97]"


@pytest.mark.parametrize(
    "values, told",
    [
        ([], "not run yet"),
        ([1.0], "one run"),
        ([1.0, 1.1, 0.9], "better"),
        ([-1.0, -1.1, -0.9], "worse"),
        ([-1.0, 1.1, 0.9], "not told apart"),
        ([1.0, 1.1], "two runs"),
    ],
)
def test_differences_in_words(values, told):
    assert report.in_words(pd.Series(values, dtype=float), aim=3) == told


def test_seeds_that_are_still_to_come_are_mentioned():
    assert report.in_words(pd.Series([1.0, 1.1, 0.9]), aim=5) == "better (3 seeds so far)"


@pytest.mark.parametrize("count, words", list(enumerate(report.FEW)))
def test_one_or_two_runs_have_no_interval(count, words):
    found = pd.Series([0.5, 0.75][:count], dtype=float)
    assert report.level(found).endswith(words) and "[" not in report.in_points(found)


def test_one_of_many_differences_may_be_chance():
    found = pd.Series([0.5, 1.0, 1.5, 1.0])  # t = 4.9 with 3 degrees of freedom: p = 0.016
    assert report.in_words(found, 4) == report.in_words(found, 4, tests=3) == "better"
    assert report.in_words(found, 4, tests=4) == "better, but may be chance among 4"


@pytest.mark.parametrize(
    "values, where",
    [([], None), ([1, 1.1], None), ([1, 1.1, 0.9], 1), ([-1, -1.1, -0.9], -1), ([-1, 1, 0.9], 0)],
)
def test_the_side_of_zero(values, where):
    assert report.side(pd.Series(values, dtype=float)) == where


def test_questions_have_a_row_each_and_are_judged_together(store):
    herocon, dnn = {"method": "herocon"}, {"method": "dnn"}
    answers = store.differences({"gain": (herocon, dnn), "itself": (herocon, herocon)})
    assert list(answers) == [(q, m) for q in ("gain", "itself") for m in ("f1", "auc")]
    assert answers["gain", "f1"].equals(store.difference(herocon, dnn))
    answers["itself", "f1"] += [0.5, 1.0, 1.2]  # p = 0.05 alone; four are asked
    answers["itself", "auc"] += [1.0, 1.1, 0.9]
    lines = report.difference_table(answers, 3, "asked").data.splitlines()
    assert lines[0] == "| asked | seeds | F1 [95 %] | so F1 is | AUC [95 %] | so AUC is |"
    f1, auc = (report.in_points(answers["itself", m]) for m in ("f1", "auc"))
    chance = "better, but may be chance among 4"
    assert lines[2] == "| gain | 2 | +0.50 | two runs | +0.00 | two runs |"
    assert lines[3] == f"| itself | 3 | {f1} | {chance} | {auc} | better |"
    more = ("paper", {"gain": "+1"})
    lines = report.difference_table(answers, {"gain": 3, "itself": 5}, beside=more).data
    assert "| gain | +1 | 2 |" in lines and "| itself | – | 3 |" in lines
    assert f"{chance} (3 seeds so far)" in lines


def test_verdicts_are_the_ledger_s_rows():
    row = ledger.ledger("results")[0]
    text = report.verdicts([row]).data
    assert f"| {row.number} | {row.claim} | {row.paper} | {row.ours} | **{row.verdict}** |" in text
