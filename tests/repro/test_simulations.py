"""The stored simulations: what the code gives, what the propositions allow, and the command."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from herocon_lite import theory
from herocon_lite.data import load
from herocon_lite.repro import simulations
from herocon_lite.repro.cli import main
from herocon_lite.repro.runner import execute
from herocon_lite.repro.settings import Run

EXACT = 1e-9


ROOT = Path(__file__).parents[2]


def test_stored_simulation_is_what_the_code_gives():
    store = simulations.stored_bounds(ROOT)
    assert store["information"] == list(simulations.INFORMATION)
    assert store["negatives"] == list(simulations.NEGATIVES)
    for nats, M in ((0.5, 15), (8.0, 255)):
        row, column = store["information"].index(nats), store["negatives"].index(M)
        fresh = theory.gaussian_bounds(nats, M, anchors=4096, seed=7)
        for name, (mean, error) in fresh.items():
            old, old_error = (store["critics"][name][p][row][column] for p in ("mean", "error"))
            assert abs(mean - old) < 3.5 * math.hypot(error, old_error), name


def test_stored_simulation_obeys_the_propositions():
    store = simulations.stored_bounds(ROOT)
    truth = np.array(store["information"])[:, None]
    M = np.array(store["negatives"])
    table = {k: (np.array(v["mean"]), np.array(v["error"])) for k, v in store["critics"].items()}
    for mean, error in table.values():
        assert (mean <= np.minimum(truth, np.log(M + 1)) + 3 * error + EXACT).all()
    mean, error = table["cosine"]
    assert (mean <= [theory.ceiling(int(m), sharp=True) for m in M] + 3 * error).all()
    assert (table["cosine, weighted"][0] <= EXACT).all()
    # altered: half the information, or half the ceiling, is passed somewhere
    best, best_error = table["best"]
    assert (best > truth / 2 + 3 * best_error).any()
    assert (mean > [theory.ceiling(int(m), 2, sharp=True) for m in M] + 3 * error).any()


def test_watching_does_not_change_the_training():
    run, dataset = Run("yeast", "herocon", seed=1, budget="smoke"), load("yeast")
    watched = simulations.watch_weights(run, dataset, (0, 3, 60), rows=100)
    assert [step["step"] for step in watched["steps"]] == [0, 3, 60]
    assert watched["metrics"]["auc"] == pytest.approx(execute(run, dataset)["metrics"]["auc"])
    plain = simulations.watch_weights(run, dataset, (1,), rows=50, weighted=False)
    assert plain["steps"][0]["g_identical"] == 1


def test_watching_alone_leaves_the_labels_and_a_frozen_net_out():
    run, dataset = Run("yeast", "herocon", budget="smoke"), load("yeast")
    full, alone, frozen, cut = (
        simulations.watch_weights(run, dataset, (0, 8), rows=50, **options)["steps"]
        for options in ({}, {"alone": True}, {"alone": True, "frozen": True}, {"detach": True})
    )
    assert full[0] == alone[0] == frozen[0] == cut[0]  # the same start
    last = [steps[1]["negative"] for steps in (full, alone, frozen, cut)]
    assert len(set(last)) == 4  # and four different trainings


def test_the_stored_cone_has_every_run_once_from_a_clean_checkout():
    runs = simulations.stored(ROOT)["cone"]["runs"]
    names = [(run["data"], run["kind"], run["seed"]) for run in runs]
    assert len(names) == len(set(names))
    assert not any(run["dirty"] for run in runs)


def test_the_store_holds_what_the_chapter_reads():
    store = simulations.stored(ROOT)
    assert set(store) == {"made by", *simulations.SIMULATIONS}
    assert "/" not in json.dumps(store["scene"]["about"])
    assert list(store["dial"]["same"]) == list(theory.KINDS)


def test_storing_one_part_keeps_the_others(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    makers = {"dial": lambda: {"made": 1}, "joint": lambda: {"made": 2}}
    monkeypatch.setattr(simulations, "SIMULATIONS", makers)
    simulations.store_part("dial")
    assert "joint" not in simulations.stored()
    simulations.store_part("joint")
    assert simulations.stored()["dial"] == {"made": 1}
    assert simulations.stored()["joint"] == {"made": 2}


def test_the_stored_grid_has_a_cell_for_each_pair():
    grid = simulations.simulate_bounds(information=(0.5,), negatives=(1, 3))
    assert set(grid["critics"]) == set(theory.CRITICS)
    ((few, more),) = grid["critics"]["best"]["mean"]
    assert 0 < few < more < 0.5


def test_the_command_names_its_parts(monkeypatch, tmp_path):
    assert set(simulations.PARTS) == {"bounds", *simulations.SIMULATIONS}
    with pytest.raises(SystemExit, match=r"parts are bounds, dial.*got dail"):
        simulations.main(["dail"])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match="top of the repository"):
        simulations.main(["bounds"])


def test_the_command_runs_the_parts_it_is_given_or_all(monkeypatch, capsys):
    made = []
    parts = {name: lambda name=name: made.append(name) for name in simulations.PARTS}
    monkeypatch.setattr(simulations, "PARTS", parts)
    assert main(["simulate", "dial"]) == 0 and made == ["dial"]
    assert main(["simulate"]) == 0 and made == ["dial", *parts]
    assert main(["simulate", "dail"]) == 2 and len(made) == 1 + len(parts)
    assert "PART must be one of" in capsys.readouterr().err


def test_the_command_line_says_its_version(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out.startswith("herocon_lite ")
