"""Pages: questions are data, checks stop a page, and what is shown is what was computed."""

from pathlib import Path

import pytest

from herocon_lite.repro import ledger, paper, questions, settings, stats
from herocon_lite.repro.chapter import Checks, Page, attempt
from herocon_lite.repro.paper_tables import claims
from herocon_lite.repro.store import append
from tests.repro.test_store import make

ASKED = {
    "stores": {"Scene": {"data": "scene", "form": "two_noisy"}, "slow": {"data": "scene"}},
    "kinds": {"Scene": {"DNN seen otherwise": {"method": "dnn", "protocol": "inductive"}}},
    "differences": {
        "gain": ["herocon", "dnn"],
        "nothing": ["herocon", "herocon"],
        "DNN alone": ["dnn", "DNN seen otherwise"],
    },
    "everywhere": {"all": ["herocon", "dnn"]},
    "groups": {"parts": {"the **whole** gain": "gain", "no gain": "nothing"}},
    "settings": {"steps": ["many", "few", "some"], "shoes": ["no", "no", "yes"]},
    "commands": [{"methods": ["dnn"], "form": "eq4", "seeds": 2}],
}


@pytest.fixture
def asked(monkeypatch):
    """The questions of a page, to be changed by a test."""
    content = dict(ASKED)
    monkeypatch.setattr(questions, "read_yaml", lambda *_: content)
    return content


@pytest.fixture
def page(asked, tmp_path):
    """HeroCon gains 2, 2.1 and 1.9 points of F1 on DNN, and nothing in AUC."""
    for seed, gain in enumerate((0.020, 0.021, 0.019)):
        kind = {"budget": "paper", "seed": seed, "form": "two_noisy"}
        split = {"split": make()["split"] | {"how": "paper"}}
        for method, f1 in (("dnn", 0.6), ("herocon", 0.6 + gain)):
            append(make(method=method, f1=f1, auc=0.8, **kind) | split, tmp_path)
    return Page("toy", tmp_path)


# ---------------------------------------------------------------- questions


def test_every_file_of_questions_can_be_asked_of_the_records():
    files = sorted(Path(questions.__file__).parent.glob("*.yaml"))
    assert files
    for file in files:
        page = Page(file.stem, "results")
        empty = [name for name, found in page.f1.items() if found.n == 0]
        assert empty == page.asked.planned, f"{file.name}: no runs for {empty}"
        assert page.tests - page.asked.elsewhere == 2 * len(page.f1) == len(page.series)


def test_names_become_runs_and_what_all_stores_are_asked_has_their_name(page):
    found = page.asked.differences
    assert found["gain"] == ("Scene", {"method": "herocon"}, {"method": "dnn"})
    assert found["DNN alone"].b == {"method": "dnn", "protocol": "inductive"}
    assert found["all, slow"].store == "slow" and "all, Scene" in found
    assert page.tests == 2 * 5


def test_a_combination_is_a_weighted_sum_by_seed_and_counts_in_the_correction(
    asked, page, tmp_path
):
    asked["combinations"] = {"rise": {"gain": 1, "nothing": -2}}
    asked["groups"] = {"parts": {"rise": "rise"}}
    with_rise = Page("toy", tmp_path)
    gain, nothing = (page.series[name, "f1"] for name in ("gain", "nothing"))
    assert with_rise.series["rise", "f1"].equals(gain - 2 * nothing)
    assert with_rise.tests == page.tests + 2 == with_rise.f1["rise"].tests
    assert with_rise.paper_gap("rise", "f1") is None
    assert "| rise | ▲ +2.00 [" in with_rise.differences("parts").data


def test_a_group_that_names_no_difference_is_an_error(asked):
    for wrong in ({"groups": {"parts": {"label": "gian"}}}, {"planned": ["gian"]}):
        asked.update(ASKED | {"planned": []} | wrong)
        with pytest.raises(ValueError, match=r"no difference: \['gian'\]"):
            questions.read("toy")


# ---------------------------------------------------------------- what is shown


def test_a_table_has_marks_effects_and_seeds(page):
    assert page.f1["gain"] == stats.compare(page.series["gain", "f1"], page.tests)
    rows = page.differences("parts").data.splitlines()[2:]
    assert rows[0] == "| what is added | F1 | AUC | seeds |"
    assert rows[2].startswith("| the **whole** gain | ▲ +2.00 [+1.75,") and rows[2].endswith("3 |")
    assert rows[3].startswith("| no gain | ○ +0.00")


def test_a_figure_returns_the_numbers_it_drew_beside_the_paper_s(page):
    shown = page.figure("parts").data
    printed = paper.RESULTS["scene"]
    gap = 100 * (printed["HeroCon"].f1 - printed["DNN"].f1)
    assert page.paper_gap("gain", "f1") == pytest.approx(gap)
    assert page.paper_gap("DNN alone", "f1") is None, "the paper has no such run"
    assert f"| the **whole** gain | +2.00 [+1.75,\u00a0+2.25] | {gap:+.1f} |" in shown
    assert shown.startswith("<details") and shown.endswith("</details>")


def test_levels_stand_beside_the_paper_s(page):
    (row,) = page.levels({"plain": "dnn"}).data.splitlines()[4:-2]
    cell = paper.RESULTS["scene"]["DNN"]
    assert row.startswith(f"| plain | {cell.f1:.4f} | 0.6000 [0.6000,") and row.endswith("| 3 |")


def test_levels_are_drawn_with_the_paper_s(page):
    drawn = page.level_figure({"DNN": "dnn", "HeroCon": "herocon"})
    assert drawn["f1"]["DNN"].mean == pytest.approx(0.6) and drawn["auc"][
        "HeroCon"
    ].mean == pytest.approx(0.8)


def test_settings_can_be_changed_and_added_by_the_page(page):
    shown = page.settings_table().data
    assert "| steps | many | few | some |" in shown and "| shoes | no | no | yes |" in shown
    alpha = settings.paper_config("scene").alpha
    assert f"| α, β of HeroCon | {alpha}, " in shown


def test_commands_are_data(page):
    assert "herocon_lite run scene dnn --form eq4 --budget paper --seeds 2" in (
        page.commands().data.replace(" \\\n   ", "")
    )


def test_claims_are_quoted_with_the_ledger_s_verdict():
    shown = claims("scene", folder="results").data
    rows = [r for r in ledger.ledger("results") if r.data == "Scene" and r.kind == "comparison"]
    assert rows and all(r.claim in shown and r.why in shown for r in rows)


# ---------------------------------------------------------------- checks


def test_a_check_that_fails_stops_the_page_and_all_are_named():
    check = Checks()
    check("one", True)
    check("two", 1 == 2)
    check("three", [])
    with pytest.raises(AssertionError, match="- two\n- three"):
        check.run()
    with pytest.raises(ValueError, match="'one' stands twice"):
        check("one", True)


def test_marks_are_checked_in_both_metrics_and_on_all_stores(page):
    page.check_marks({"gain": "▲○", "all": "▲○▲○"})
    assert page.badges("2 min", "1 s").data == "`reads in 2 min` · `runs in 1 s` · `✓ 2 checks`"
    page.check_marks({"nothing": "▲○"})
    with pytest.raises(AssertionError, match=r"nothing: ▲○ \(now ○○\)"):
        page.run_checks()


def test_runs_are_checked(page):
    frame = page.store.frame
    frame["settings.steps"] = settings.paper_config("scene").steps
    frame.loc[0, "settings.steps"] = 1
    frame["data_checksums"] = [{}] * len(frame)
    frame[["seconds", "peak_mib"]] = 1.0
    del page.stores["slow"]
    page.check_runs()
    with pytest.raises(
        AssertionError, match=r"page says:\n- Scene: runs have the setting's steps$"
    ):
        page.run_checks()


# ---------------------------------------------------------------- exercises


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ((...,), "✗ Not yet: replace the dots. *Hint:* Two is one of them."),
        ((3,), "✗ Not quite. *Hint:* Two is one of them."),
        (("a",), "✗ Your answer raised TypeError: "),
        ((4,), "✓ Right."),
    ],
)
def test_an_exercise_answers_in_words(tmp_path, values, words):
    code = 'def even(n):\n    """Two is\n    one of them."""\n    return n % 2 - 0 == 0\n'
    (tmp_path / "toy.py").write_text(code)
    assert attempt("toy.even", *values, folder=tmp_path).data.startswith(words)
