"""What the chapters show of stored runs."""

import math

from herocon_lite.repro import chapter, ledger, paper, paper_tables
from tests.repro.test_store import make


def test_commands_tell_how_to_make_runs_again_and_what_they_cost(store):
    changes = {"changes": {"alpha": 1.0, "beta": 0.5}}
    text = chapter.commands(
        [(store, ["herocon", "dnn"], {}, 3), (store, ["herocon"], changes, 5)]
    ).data
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
    text = chapter.commands([(store, ["dnn"], noisy, 3)]).data.replace(" \\\n   ", "")
    assert f"{run} dnn --form eq4 --views gaussian --set share=0.5 --budget" in text


def test_the_paper_s_rows_come_with_the_reach_of_five_repetitions():
    text = paper_tables.paper_table("scene").data
    assert "\n| method, Scene | F1 | AUC | 95 % of F1, in points |\n" in text
    # t of 4 degrees of freedom is 2.776: 59.02 ± 2.776 · 1.22 / √5
    assert "| DNN | 0.5902 ± 0.0122 | 0.8647 ± 0.0077 | 57.5 to 60.5 |" in text
    assert len(text.splitlines()) == 2 + (2 + 9) + 2


def test_printed_rows_are_told_apart_by_welch():
    assert paper_tables.paper_gap_is_significant("scene", "HeroCon", "DNN")
    assert not paper_tables.paper_gap_is_significant("celeba", "SupCon", "DNN")
    # by hand: HeroCon-u and Info-NCE on Scene, t = 0.9 points over √((s² + s'²)/5)
    a, b = (paper.RESULTS["scene"][name] for name in ("HeroCon-u", "Info-NCE"))
    t = (a.f1 - b.f1) / math.sqrt((a.f1_sd**2 + b.f1_sd**2) / 5)
    assert paper_tables.paper_gap_is_significant("scene", "HeroCon-u", "Info-NCE") == (
        t > 2.5
    )  # 4 to 8 degrees


def test_commands_of_runs_that_are_not_there(store):
    assert "| 1 | 0 of 4 | – | – | – |" in chapter.commands([(store, ["cmc"], {}, 4)]).data


def test_verdicts_are_the_ledger_s_rows():
    row = ledger.ledger("results")[0]
    text = paper_tables.verdicts([row]).data
    assert f"| {row.number} | {row.claim} | {row.paper} | {row.ours} | **{row.verdict}** |" in text
