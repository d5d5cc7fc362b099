"""python -m herocon_lite reproduce: stored runs made again, and what a page lacks."""

import json
import shutil
import subprocess
import sys

import pytest

from herocon_lite.repro import fast_mkl, plan, questions, reproduce, store
from herocon_lite.repro.cli import main
from herocon_lite.repro.settings import Run


@pytest.fixture
def stored(tmp_path):
    """A store of two short runs, whose settings are not the usual ones."""
    words = ["--set", "steps=2", "--preset", "released", "--seeds", "2"]
    assert main(["run", "yeast", "dnn", *words, "--folder", str(tmp_path / "old")]) == 0
    return tmp_path


def again(stored, *words):
    folders = ["--folder", str(stored / "old"), "--into", str(stored / "new")]
    return main(["reproduce", "--only", "yeast", "--budget", "smoke", *words, *folders])


def change(stored, **values):
    path = stored / "old" / "runs" / "yeast.jsonl"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    for record in records:
        record.pop("digest", None)  # a forged record would be set aside
    path.write_text("".join(json.dumps(r | values) + "\n" for r in records))


def test_runs_repeat_to_the_last_digit_on_one_machine(stored, capsys):
    assert again(stored) == 0
    told = capsys.readouterr().out
    assert "yeast: 2 runs; 2 to make" in told
    assert told.count("difference +0.0e+00, allowed 0e+00: as it must be") == 4
    assert len(store.read(stored / "new")) == 2


def test_what_is_made_is_not_made_again(stored, capsys, monkeypatch):
    assert again(stored, "--limit", "1") == 0
    assert len(store.read(stored / "new")) == 1
    assert again(stored) == 0
    assert len(store.read(stored / "new")) == 2
    monkeypatch.setattr(reproduce, "_make", lambda now, _: pytest.fail("trained") if now else {})
    assert again(stored) == 0


def test_a_list_trains_nothing(stored, monkeypatch, capsys):
    monkeypatch.setattr(reproduce, "_make", lambda *_: pytest.fail("trained"))
    assert again(stored, "--list") == 0
    assert "2 to make, 0.0 core-hours known" in capsys.readouterr().out


def test_a_difference_is_seen_and_another_processor_may_have_a_small_one(stored, capsys):
    again(stored)
    old = next(iter(store.read(stored / "old").values()))
    nudged = {name: value + 0.0015 for name, value in old["metrics"].items()}
    change(stored, metrics=old["metrics"] | nudged)
    assert again(stored) == 1
    assert "TOO FAR" in capsys.readouterr().out
    moved = [(old | {"device": "another", "metrics": nudged}, old)]
    assert reproduce.print_differences(moved) == 0
    further = {name: value + 0.003 for name, value in old["metrics"].items()}
    assert reproduce.print_differences([(moved[0][0] | {"metrics": further}, old)]) == 1


def test_a_run_whose_settings_changed_since_is_named(stored, capsys):
    old = next(iter(store.read(stored / "old").values()))
    change(stored, settings=old["settings"] | {"lr": 0.5})
    again(stored)
    assert "cannot be repeated: settings or splits have changed" in capsys.readouterr().out


def test_data_that_are_not_here_are_named(stored, capsys, monkeypatch):
    monkeypatch.setattr(reproduce, "_absent", lambda names: dict.fromkeys(names, "a download"))
    assert again(stored) == 0
    assert "not on this machine: a download" in capsys.readouterr().out
    assert not store.read(stored / "new")


def test_a_name_that_is_no_page_gets_a_sentence(stored, capsys):
    assert main(["reproduce", "--only", "nowhere"]) == 2
    assert "--only must be one of" in capsys.readouterr().err


def test_every_page_names_runs_that_can_be_planned():
    for page in plan.pages():
        assert all(isinstance(run, Run) for run in plan.runs(page))


def test_the_runs_of_an_entry():
    each = [{"steps": 3}, {"lr": 0.1}]
    entry = {"methods": ["dnn"], "stores": ["B"], "each": each, "seeds": "4-5"}
    stores = {"A": {"data": "scene"}, "B": {"data": "yeast", "form": None, "changes": {"lr": 0.2}}}
    found = list(plan.expand(entry, stores))
    assert [run.seed for run in found] == [4, 5, 4, 5]
    assert {run.data for run in found} == {"yeast"}
    assert dict(found[0].overrides) == {"lr": 0.2, "steps": 3}
    assert dict(found[2].overrides) == {"lr": 0.1}
    assert {run.budget for run in found} == {"paper"}


@pytest.mark.parametrize("text", ["0", "a-b", "5-3", ""])
def test_seeds_that_are_none_get_a_sentence(text):
    with pytest.raises(ValueError, match="seeds are N or A-B"):
        questions.seeds(text)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="LD_PRELOAD is Linux's")
@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler named cc")
def test_records_of_fast_mkl_say_so_and_agree(tmp_path):
    """The products are MKL's on any processor, so scores stay within the method's tolerance."""
    records = []
    for module in ("herocon_lite.repro.fast_mkl", "herocon_lite"):
        words = ["run", "yeast", "herocon", "--folder", str(tmp_path / module)]
        subprocess.run([sys.executable, "-m", module, *words], check=True, capture_output=True)
        records += store.read(tmp_path / module, "yeast").values()
    fast, usual = records
    assert fast["instructions"] == f"{usual['instructions']}, MKL as on Intel"
    assert not fast_mkl.in_use()
    for metric, limit in reproduce.tolerance("herocon").items():
        assert abs(fast["metrics"][metric] - usual["metrics"][metric]) <= limit
