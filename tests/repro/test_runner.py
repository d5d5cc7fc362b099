"""Settings as the paper prints them, runs that leave whole records, and the command line."""

import json
import multiprocessing
import os
import random
import re
import subprocess
import sys
import time
import warnings
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
import torch

from herocon_lite import methods
from herocon_lite import train as training
from herocon_lite.data import load, split, splits
from herocon_lite.methods import METHODS, method_params
from herocon_lite.repro import cli, provenance, query, runner, settings, store
from herocon_lite.repro.cli import _change, main
from herocon_lite.repro.runner import execute, prepare
from herocon_lite.repro.settings import Run, method_options, paper_config
from herocon_lite.train import Training
from tests.full_data import needs

# Typed in from the paper a second time, sections 4.2 and 4.3:
# steps, α, β, α of HeroCon-u, β of HeroCon-s, |N| = labelled + unlabelled rows of a step − 1
PAPER = {
    "scene": (200, 0.7, 0.02, 0.3, 0.01, 2406),
    "mnist": (500, 0.1, 1, 0.1, 2, 4199),
    "xrmb": (500, 0.1, 0.001, 0.1, 0.01, 4999),
    "celeba": (600 * 10, 0.05, 0.1, 0.1, 0.01, 249),  # 600 epochs of 500 rows, 50 at once
}
STORED = sorted((Path(__file__).parents[2] / "results").glob("**/runs/*.jsonl"))
LABELED_ROWS = {"scene": 120, "mnist": 200, "xrmb": 250, "celeba": 50}
ALL_ROWS = {"scene": 2407}


@pytest.mark.parametrize("data", PAPER)
def test_settings_are_the_papers(data):
    s = paper_config(data)
    if s.unlabeled_batch is None:
        negatives = ALL_ROWS[data] - 1
    else:
        negatives = LABELED_ROWS[data] + s.unlabeled_batch - 1
    assert (s.steps, s.alpha, s.beta, s.alpha_u, s.beta_s, negatives) == PAPER[data]
    assert s.labeled_batch in (None, LABELED_ROWS[data])


def test_released_settings_differ_where_the_public_code_does():
    assert paper_config("scene", "released") == paper_config("scene", "paper")
    xrmb = paper_config("xrmb", "released")
    assert (xrmb.steps, xrmb.alpha, xrmb.beta, xrmb.unlabeled_batch) == (300, 5.0, 0.01, 250)
    assert paper_config("mnist", "released").unlabeled_batch == 1000


def test_released_settings_of_pictures():
    mnist, celeba = paper_config("mnist", "released"), paper_config("celeba", "released")
    assert (mnist.steps, mnist.unlabeled_batch, mnist.views) == (300, 1000, "released")
    assert (celeba.steps, celeba.labeled_batch, celeba.unlabeled_batch) == (2100, 64, 64)
    assert (celeba.widths, celeba.views) == ("thin", "released")


@pytest.mark.parametrize(
    ("data", "like"), [("mocha", "xrmb"), ("mnist5k", "mnist"), ("faces", "celeba")]
)
def test_a_stand_in_takes_the_public_code_s_settings(data, like):
    mine, theirs = paper_config(data, "released"), paper_config(like, "released")
    assert replace(mine, steps=1) == replace(theirs, steps=1)
    assert mine.steps == (paper_config(data).steps if data == "faces" else theirs.steps)


def test_smaller_budgets_cut_steps_and_rows_only():
    smoke, paper = paper_config("mnist", budget="smoke"), paper_config("mnist")
    assert smoke.steps < paper_config("mnist", budget="laptop").steps < paper.steps
    assert smoke.unlabeled_batch < paper.unlabeled_batch
    assert (smoke.alpha, smoke.beta, smoke.encoder) == (paper.alpha, paper.beta, paper.encoder)
    assert paper_config("scene", budget="smoke").unlabeled_batch == 200  # None means all rows


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("herocon", {"alpha": 0.7, "beta": 0.02}),
        ("herocon-u", {"alpha": 0.3}),
        ("herocon-u-g1", {"alpha": 0.3}),
        ("info-nce", {"alpha": 0.3}),
        ("herocon-s", {"beta": 0.01}),
        ("supcon", {"beta": 0.01}),
        ("dnn", {}),
    ],
)
def test_weights_of_each_method_on_scene(method, expected):
    found = method_options(Run("scene", method), paper_config("scene"), single_view=True)
    assert {k: v for k, v in found.items() if k in ("alpha", "beta")} == expected
    assert found.get("form", "two_noisy") == "two_noisy"


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setitem(settings.BUDGET_LIMITS, "smoke", {"steps": 2, "unlabeled_batch": 20})


@pytest.fixture(scope="module")
def yeast():
    return load("yeast")


def test_a_run_leaves_a_whole_record(yeast, quick, tmp_path):
    run = Run("yeast", "herocon", seed=3, protocol="inductive")
    record = execute(run, yeast)
    assert store.KEYS.keys() <= record.keys()
    assert record["split"]["protocol"] == "inductive" and record["split"]["seed"] == 3
    assert record["settings"]["alpha"] == 0.7 and record["settings"]["temperature"] == 1.0
    assert set(record["data_checksums"]) == {"yeast.npz"}
    assert {"L_c", "L_u", "L_s", "step"} == set(record["history"][0])
    store.append(record, tmp_path)
    done = store.finished(tmp_path, "yeast")
    assert execute(run, yeast, skip=done.__contains__) is None
    other = Run("yeast", "herocon", seed=4, protocol="inductive")
    assert execute(other, yeast, skip=done.__contains__) is not None


def test_cross_validation_stays_inside_the_labelled_rows(yeast, quick, monkeypatch):
    run = Run("yeast", "herocon", protocol="cross-validation")
    train, asked = split(yeast, seed=0).train, []
    for seen, held_out in splits.folds(train, 0):
        assert len(seen) == 96 and len(held_out) == 24 and not set(seen) & set(held_out)
        assert set(seen) | set(held_out) == set(train)
        asked += list(held_out)
    assert sorted(asked) == sorted(train)
    judged = []
    monkeypatch.setattr(
        runner, "evaluate", lambda Y, P, kind: judged.append((Y, P)) or {"f1": 0.0, "auc": 0.0}
    )
    record = execute(run, yeast)
    assert record["protocol"] == "cross-validation"
    # labels of all other rows turned over: nothing changes
    poisoned = 1 - yeast.labels
    poisoned[train] = yeast.labels[train]
    execute(run, replace(yeast, labels=poisoned))
    (Y, P), (Y_again, P_again) = judged
    assert np.array_equal(Y, yeast.labels[asked]) and np.array_equal(Y, Y_again)
    assert np.array_equal(P, P_again)


def test_labels_of_test_and_unlabelled_rows_never_reach_training(quick):
    yeast, run = load("yeast"), Run("yeast", "herocon")
    train = split(yeast, seed=0).train
    poisoned = 1 - yeast.labels
    poisoned[train] = yeast.labels[train]
    record, other = (execute(run, data) for data in (yeast, replace(yeast, labels=poisoned)))
    assert record["history"] == other["history"]
    assert record["metrics"]["auc"] != other["metrics"]["auc"]  # they were poisoned


@pytest.mark.parametrize("form", methods.FORMS)
def test_one_view_runs_in_both_forms(form, quick):
    record = execute(Run("mnist5k", "herocon-u", form=form), load("mnist5k"))
    assert record["form"] == form and record["settings"]["views"] == "paper"
    alone = any("first of them alone" in step for step in record["preparation"])
    assert alone == (form == "eq4")  # Noisy MNIST is noisy also when it has one view


def test_noise_of_the_case_study(quick):
    """Section 4.4: the single view is the first of the two, and the share is in the record."""
    data, changes = load("mnist5k"), (("share", 0.25),)
    runs = [
        Run("mnist5k", "dnn", 1, form=form, overrides=changes, views="gaussian")
        for form in methods.FORMS
    ]
    (two, _), (one, _) = (prepare(run, data) for run in runs)
    assert len(one.views) == 1 and np.array_equal(one.views[0], two.views[0])
    assert 0.1 < np.mean(one.views[0] != data.views[0]) < 0.25  # noise on dark is cut off at 0
    record = execute(runs[0], data)
    assert record["settings"]["share"] == 0.25 and record["settings"]["views"] == "gaussian"
    assert record["changes"] == {"share": 0.25, "views": "gaussian"}
    assert any("share 0.25" in step for step in record["preparation"])
    plain = record["settings"] | {"views": "paper", "share": None}
    assert store.key(record) != store.key(record | {"settings": plain})


def test_the_same_run_twice_is_bit_identical(yeast, quick):
    one, other = (execute(Run("yeast", "herocon"), yeast) for _ in range(2))
    assert one["metrics"] == other["metrics"] and one["history"] == other["history"]


def test_command_line_runs_skips_and_tables(quick, tmp_path, capsys):
    command = ["run", "yeast", "dnn", "herocon", "--seeds", "2", "--folder", str(tmp_path)]
    assert main(command) == 0
    assert "Ran 4." in capsys.readouterr().out
    assert main(command) == 0
    assert "Ran 0; skipped 4 already stored." in capsys.readouterr().out
    assert main(["table", "yeast", "--csv", "--folder", str(tmp_path)]) == 0
    header, *rows = capsys.readouterr().out.split()
    assert header.split(",") == ["data", "split", *query.COLUMNS]
    assert len(rows) == 2 and all(",2," in row for row in rows)
    assert main(["table", "yeast", "--against", "dnn", "--folder", str(tmp_path)]) == 0
    title, *_, row = capsys.readouterr().out.strip().split("\n")
    assert "difference to dnn" in title and re.match(r"\| herocon .*\| 2 \| [+-]0\.\d{4} \[", row)
    assert not list(tmp_path.glob("checkpoints/*"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["yeats", "dnn"], 'Did you mean "yeast"'),
        (["yeast", "hero-con"], "Did you mean herocon"),
        (["yeast", "dnn", "--budget", "huge"], "budget must be one of smoke, laptop, paper"),
        (["yeast", "dnn", "--device", "gpu"], "device must be one that works here"),
        (["yeast", "dnn", "--preset", "mine"], "preset must be one of"),
    ],
)
def test_a_bad_command_says_what_was_expected_before_any_work(words, message, tmp_path, capsys):
    assert main(["run", *words, "--folder", str(tmp_path)]) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_words_of_the_command_reach_the_run(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(runner, "execute_all", lambda runs, *_: asked.extend(runs) or 1)
    words = "--form eq4 --views gaussian --protocol inductive --split released --preset released"
    words += f" --budget laptop --set share=0.5 --seeds 3-3 --folder {tmp_path}"
    main(["run", "mnist5k", "dnn", *words.split()])
    change = (("share", 0.5),)
    wanted = Run("mnist5k", "dnn", 3, "laptop", "released", "eq4", "inductive", "released", change)
    assert asked == [replace(wanted, views="gaussian")]


def test_inductive_training_never_sees_the_test_inputs(yeast, quick):
    run = Run("yeast", "herocon", protocol="inductive")
    test = split(yeast, seed=0, protocol="inductive").test
    views = [view.copy() for view in yeast.views]
    for view in views:
        view[test] = 100.0
    record, other = (execute(run, data) for data in (yeast, replace(yeast, views=views)))
    assert record["history"] == other["history"]
    assert record["metrics"]["auc"] != other["metrics"]["auc"]


def test_a_seed_decides_the_weights_and_the_batches(yeast, quick, monkeypatch):
    seen = []

    def train(method, labeled, Y, unlabeled, plan, seed, *_, **__):
        seen.append((seed, next(method.parameters()).sum().item()))
        return Training([{"step": 0}])

    monkeypatch.setattr(runner, "train", train)
    for seed in (0, 1):
        execute(Run("yeast", "dnn", seed), yeast)
    (first, start), (second, other) = seen
    assert (first, second) == (0, 1) and start != other


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.parts[-3] + "-" + path.stem)
def test_stored_runs_have_today_s_settings(path):
    """A default that moves would silently disown them."""
    for record in map(json.loads, path.read_text().splitlines()):
        run = Run.from_record(record)
        chosen = paper_config(run.data, run.preset, run.budget)
        now = asdict(settings.schedule(run, chosen))
        now |= method_options(run, chosen, single_view=record["form"] is not None)
        then = {name: record["settings"].get(name) for name in now}
        assert then == json.loads(json.dumps(now)), (run.method, run.seed)


def test_changed_settings_stand_apart(quick, tmp_path, capsys, yeast):
    command = ["run", "yeast", "herocon", "--seeds", "1-2", "--folder", str(tmp_path)]
    assert main(command) == main([*command, "--set", "temperature=0.5", "--set", "steps=3"]) == 0
    frame = query.load(tmp_path)
    assert sorted(set(frame["method"])) == ["herocon", "herocon (steps=3, temperature=0.5)"]
    assert sorted(set(frame["seed"])) == [1, 2] and len(frame) == 4
    changed = frame[frame["method"] != "herocon"]
    assert set(changed["settings.temperature"]) == {0.5} and set(changed["settings.steps"]) == {3}
    capsys.readouterr()
    assert main([*command, "--set", "colour=red"]) == 2
    assert "overrides must name options of herocon" in capsys.readouterr().err


@needs("birds")
def test_birds_are_standardised_on_the_rows_that_training_may_look_at():
    data, parts = prepare(Run("birds", "dnn", protocol="inductive"), load("birds"))
    visible = np.union1d(parts.train, parts.unlabeled)
    assert "features standardised on the rows of training" in data.steps
    for view in data.views:
        np.testing.assert_allclose(view[visible].mean(0), 0, atol=1e-5)
        assert np.abs(view[parts.test].mean(0)).max() > 0.05  # unseen: near 0, not at it


def test_a_default_asked_for_by_name_is_no_change(yeast, quick):
    plain, named = (
        execute(Run("yeast", "herocon", overrides=changes), yeast)
        for changes in ((), (("alpha", 0.7), ("detach", False), ("steps", 2)))
    )
    assert store.key(plain) == store.key(named) and named["changes"] == {}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["yeast", "--set", "share=0.5"], "share only applies where one view becomes two"),
        (["yeast", "--views", "gaussian"], "views only applies where one view becomes two"),
        (["mnist5k", "--set", "share=0.5"], "share is not a setting of 'paper' for grey"),
        (["yeast", "--set", "steps=0"], "steps must be a whole number, at least 1"),
    ],
)
def test_a_change_of_something_unused_is_refused(words, message, quick, tmp_path, capsys):
    data, *rest = words
    assert main(["run", data, "dnn", *rest, "--folder", str(tmp_path)]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "words"),
    [(["run", "yeast", "dnn"], "What is finished is stored"), (["bench"], "Stopped.\n")],
)
def test_ctrl_c_promises_what_is_so(command, words, monkeypatch, capsys):
    def stop(arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "find", lambda name: stop)
    assert main(command) == 130
    out = capsys.readouterr().out
    assert words in out and ("stored" in out) == (command[0] == "run")


def test_words_of_the_shell_become_values():
    words = ("true", "False", "None", "none", "0.5", "cosine")
    values = [True, False, None, "none", 0.5, "cosine"]  # "none" is a kind of projector
    assert [_change(f"x={word}")[1] for word in words] == values


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("detach=no", "detach must be True or False; got 'no'"),
        ("detach=0", "detach must be True or False; got 0"),
        ("negatives=999", "negatives must be fewer than the 320 rows of a step; got 999"),
        ("symmetric=off", "symmetric must be True or False; got 'off'"),
        ("temperature=0,5", r"temperature must be a positive number; got \(0, 5\)"),
        ("alpha=big", "alpha must be a finite number ≥ 0; got 'big'"),
        ("steps=1e2", "steps must be a whole number, at least 1; got 100.0"),
        ("lr=fast", "lr must be a finite number ≥ 0; got 'fast'"),
    ],
)
def test_a_change_of_the_wrong_kind_is_told_in_a_sentence(change, message, tmp_path, capsys):
    assert main(["run", "yeast", "herocon", "--set", change, "--folder", str(tmp_path)]) == 2
    assert re.search(message, capsys.readouterr().err)


def test_a_run_needs_its_own_data():
    with pytest.raises(ValueError, match="dataset must be mfeat, as the run says; got yeast"):
        execute(Run("mfeat", "dnn"), load("yeast"))


def test_one_run_that_fails_does_not_keep_the_others(tmp_path, monkeypatch):
    real = runner.execute

    def fails_once(run, *rest, **more):
        if run.seed == 0:
            raise FloatingPointError("the loss was no longer finite at step 3")
        return real(run, *rest, **more)

    monkeypatch.setattr(runner, "execute", fails_once)
    runs = [Run("yeast", "dnn", seed, overrides=(("steps", 2),)) for seed in range(2)]
    with pytest.raises(FloatingPointError, match=r"1 failed\. dnn, seed 0: the loss"):
        runner.execute_all(runs, tmp_path)
    assert len(store.finished(tmp_path, "yeast")) == 1


def test_a_run_that_diverges_in_its_last_step_does_not_keep_the_others(tmp_path):
    wild = (("steps", 1), ("lr", 1e30), ("trust", 1e30))
    runs = [Run("yeast", "dnn", overrides=wild), Run("yeast", "dnn", overrides=(("steps", 2),))]
    with pytest.raises(FloatingPointError, match=r"Ran 1; 1 failed.*diverged"):
        runner.execute_all(runs, tmp_path)


def test_presets_of_the_public_code_take_its_settings():
    for preset, steps in (("paper+self_pairs", 500), ("released", 300), ("released-cnn", 300)):
        assert paper_config("mnist", preset).steps == steps
    assert (
        paper_config("celeba").widths == "full"
        and paper_config("celeba", "released").widths == "thin"
    )


def test_tables_of_several_kinds_are_one_csv(tmp_path, capsys):
    from tests.repro.test_store import make

    for data, how in (("scene", "paper"), ("scene", "released"), ("yeast", "paper")):
        store.append(make(data=data, split={"how": how, "checksum": how}), tmp_path)
    assert main(["table", "--csv", "--folder", str(tmp_path)]) == 0
    header, *rows = capsys.readouterr().out.split()
    assert header.startswith("data,split,method")
    assert [row.split(",")[:2] for row in rows] == [
        ["scene", "paper"],
        ["scene", "released"],
        ["yeast", "paper"],
    ]


def test_one_point_of_the_released_code_alone(yeast, quick):
    one = execute(Run("yeast", "herocon-s", preset="paper+label_sum"), yeast)
    paper = execute(Run("yeast", "herocon-s"), yeast)
    assert one["history"][0]["L_s"] == pytest.approx(14 * paper["history"][0]["L_s"], rel=1e-5)


@pytest.mark.parametrize("word", ["0", "-3", "5-2", "many"])
def test_seeds_that_are_none_are_refused(word, capsys):
    with pytest.raises(SystemExit):
        main(["run", "yeast", "dnn", "--seeds", word])
    assert "seeds" in capsys.readouterr().err


def test_kill_9_at_twenty_random_moments_loses_no_run_and_corrupts_none(tmp_path):
    """The command itself, forked from a process that has torch in memory and no threads yet."""
    context = multiprocessing.get_context("forkserver")

    def start(seeds: str, folder) -> multiprocessing.Process:
        command = ["run", "yeast", "dnn", "--seeds", seeds, "--set", "steps=2"]
        child = context.Process(target=main, args=([*command, "--folder", str(folder)],))
        child.start()
        return child

    start("1", tmp_path / "first").join()  # starts the server, too
    started = time.monotonic()
    start("1", tmp_path / "second").join()
    one = time.monotonic() - started  # run, however busy the machine is
    moments, seen, killed = random.Random(0), set(), 0
    for _ in range(int(os.environ.get("HEROCON_KILLS", 20))):
        child = start("400", tmp_path)
        time.sleep(moments.uniform(0.5, 2.5) * one)
        child.kill()
        child.join()
        killed += child.exitcode != 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a torn last line is told, and left out
            now = store.finished(tmp_path, "yeast")
        assert seen <= now
        seen = now
    assert seen and killed > 10
    lines = (tmp_path / "runs" / "yeast.jsonl").read_text().splitlines()
    seeds = [record["seed"] for line in lines for record in store._on_line(line)[0]]
    assert len(seeds) == len(set(seeds)) == len(seen)  # none was run twice


@pytest.mark.parametrize("protocol", ["transductive", "cross-validation"])
def test_a_run_stopped_after_its_training_is_not_trained_again(
    protocol, yeast, quick, tmp_path, monkeypatch
):
    run = Run("yeast", "dnn", protocol=protocol)
    wanted = execute(run, yeast)
    predictions, predict = [], runner.predict

    def stop_at_the_last(*arguments):
        predictions.append(predict(*arguments))
        if len(predictions) == (splits.FOLDS if protocol == "cross-validation" else 1):
            raise KeyboardInterrupt
        return predictions[-1]

    monkeypatch.setattr(runner, "predict", stop_at_the_last)
    with pytest.raises(KeyboardInterrupt):
        runner.execute_all([run], tmp_path)
    monkeypatch.setattr(training.BatchSampler, "take", None)  # a step would need it
    monkeypatch.setattr(runner, "predict", lambda *_: predictions.pop(0))
    assert runner.execute_all([run], tmp_path) == 1
    (record,) = store.read(tmp_path).values()
    assert record["metrics"] == wanted["metrics"] and record["history"] == wanted["history"]
    assert not list(tmp_path.glob("checkpoints/*")), "the record is safe, they may go"


def test_edited_code_does_not_go_on_with_another_s_half_done_run(yeast, tmp_path, monkeypatch):
    names = []
    for code in ("a", "b"):
        monkeypatch.setattr(provenance, "source_hash", lambda c=code: c)
        monkeypatch.setattr(
            runner, "train", lambda *_, checkpoint, **__: names.append(checkpoint) or 1 / 0
        )
        with pytest.raises(ZeroDivisionError):
            execute(Run("yeast", "dnn"), yeast, checkpoint=tmp_path)
    assert names[0] != names[1]


SMOKE = """
import json, torch
from herocon_lite.data import load, split
from herocon_lite.repro.runner import Run, execute
run = Run("yeast", "herocon", overrides=(("steps", 10),))
record = execute(run, load("yeast"), device="cpu")
print(json.dumps([record["threads"], record["metrics"], record["history"]]))
"""


def test_two_processes_agree_bit_by_bit_and_two_threads_nearly():
    def run(threads: int):
        environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
        command = [sys.executable, "-c", SMOKE]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    first, again, two = run(1), run(1), run(2)
    assert first == again
    assert (first[0], two[0]) == (1, 2)
    assert two[1]["f1"] == pytest.approx(first[1]["f1"], abs=5e-3)


def test_an_empty_table_says_so(tmp_path, capsys):
    assert main(["table", "--folder", str(tmp_path)]) == 1
    assert "No finished runs" in capsys.readouterr().out


def test_every_method_has_a_setting_on_every_data_set():
    for data in settings.PAPER:
        for method in METHODS:
            found = method_options(Run(data, method), paper_config(data), False)
            assert found.keys() == method_params(method).keys()


@pytest.mark.parametrize(
    "run",
    [
        Run("yeast", "dnn", 4, "laptop", "released", protocol="cross-validation"),
        Run("mnist5k", "dnn", form="eq4", overrides=(("share", 0.5),), views="gaussian"),
    ],
)
def test_a_record_names_its_run(run, monkeypatch):
    monkeypatch.setattr(runner, "train", lambda *_, **__: Training([{"step": 0}]))
    monkeypatch.setattr(runner, "predict", lambda *_: np.zeros((1, 1)))
    monkeypatch.setattr(runner, "evaluate", lambda *_: {"f1": 0.0, "auc": 0.0})
    assert Run.from_record(execute(run, load(run.data))) == run


def test_two_jobs_on_one_list_share_the_work(quick, tmp_path, monkeypatch):
    runs = [Run("yeast", "dnn", seed) for seed in range(2)]
    execute_one = runner.execute

    def meanwhile(run, *rest, **more):
        """While the first run goes on, another job finishes the second."""
        if run == runs[0]:
            store.append(execute_one(runs[1], load("yeast")), tmp_path)
        return execute_one(run, *rest, **more)

    monkeypatch.setattr(runner, "execute", meanwhile)
    assert runner.execute_all(runs, tmp_path) == 1
    assert len((tmp_path / "runs" / "yeast.jsonl").read_text().splitlines()) == 2


def test_of_two_values_for_one_setting_the_last_counts_in_the_record_too():
    chosen = settings.paper_config("yeast")
    twice = Run("yeast", "herocon", overrides=(("alpha", 5.0), ("alpha", chosen.alpha)))
    assert settings.non_default_overrides(twice) == {}


def test_one_list_may_have_several_data_sets(tmp_path):
    steps = (("steps", 2),)
    runs = [Run(data, "dnn", overrides=steps) for data in ("yeast", "mfeat", "yeast")]
    runs[2] = replace(runs[2], seed=1)
    assert runner.execute_all(runs, tmp_path) == 3
    found = [(r["data"], r["seed"]) for r in store.read(tmp_path).values()]
    assert found == [("mfeat", 0), ("yeast", 0), ("yeast", 1)]


def test_what_the_command_line_cannot_do_it_says_before_any_work(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(runner, "load", lambda name: pytest.fail("data were read"))
    (tmp_path / "file").write_text("")
    assert main(["run", "yeast", "dnn", "--folder", str(tmp_path / "file")]) == 2
    assert "folder must be one that can be written to" in capsys.readouterr().err
    assert main(["run", "yeast", "herocon", "--set", "preset=released"]) == 2
    assert "preset has an option of its own: --preset" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["bench", "--sizes", "abc"])
    assert "is a whole number, at least" in capsys.readouterr().err


def test_a_form_is_for_data_with_one_view():
    with pytest.raises(ValueError, match="form is for data with one view; yeast has 2"):
        runner.plan_run(Run("yeast", "herocon", form="eq4"), load("yeast"))


def test_a_table_of_nothing_says_what_there_is(tmp_path, capsys):
    assert main(["run", "yeast", "dnn", "--set", "steps=2", "--folder", str(tmp_path)]) == 0
    capsys.readouterr()
    assert main(["table", "yeats", "--folder", str(tmp_path)]) == 2
    assert 'Did you mean "yeast"' in capsys.readouterr().err
    assert main(["table", "scene", "--folder", str(tmp_path)]) == 1
    assert "on scene in" in (told := capsys.readouterr().out) and "only on yeast" in told


def test_a_run_is_repeated_with_as_many_threads(monkeypatch, quick):
    record = execute(Run("yeast", "dnn"), load("yeast"))
    before, used = torch.get_num_threads(), []
    monkeypatch.setattr(runner, "execute", lambda *_, **__: used.append(torch.get_num_threads()))
    with pytest.raises(ValueError, match="cannot be repeated"):
        runner.repeat(record | {"threads": before + 1})
    assert used == [before + 1] and torch.get_num_threads() == before


def test_the_commit_is_looked_up_before_training(monkeypatch, yeast, quick):
    order = []

    def noted(name, function):
        return lambda *a, **k: order.append(name) or function(*a, **k)

    for module, name in ((provenance, "environment"), (runner, "train")):
        monkeypatch.setattr(module, name, noted(name, getattr(module, name)))
    execute(Run("yeast", "dnn"), yeast)
    assert order == ["environment", "train"]


def test_checkpoints_resume_only_on_matching_code_and_hardware():
    here = provenance.environment()
    name = provenance.environment_hash
    assert name(here) == name(here | {"commit": "another", "dirty": True})
    for field in ("device", "threads", "instructions", "bfloat16", "processes"):
        assert name(here | {field: "another"}) != name(here)


def test_source_hash_covers_the_core_and_the_runner_alone(tmp_path, monkeypatch):
    package = tmp_path / "herocon_lite"
    runner = ("repro/runner.py", "repro/settings.py", "repro/settings.yaml")
    for name in ("losses.py", "data/splits.py", *runner):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text("a")
    monkeypatch.setattr(provenance, "__file__", str(package / "repro" / "provenance.py"))
    now = provenance.source_hash.__wrapped__
    before = now()
    (package / "theory").mkdir()
    for name in ("repro/text.py", "repro/points.py", "theory/bounds.py"):
        (package / name).write_text("b")
        assert now() == before
    for name in ("losses.py", "data/splits.py", *runner):
        (package / name).write_text("b")
        assert now() != before
        before = now()
    assert now("text.py") != before


def test_methods_of_a_seed_share_their_views(monkeypatch):
    made = []
    real = runner.two_views
    monkeypatch.setattr(runner, "two_views", lambda *a, **k: made.append(a) or real(*a, **k))
    digits = load("mnist5k")
    pairs = [runner.prepare(Run("mnist5k", m, seed=9), digits)[0] for m in ("dnn", "cmc")]
    assert len(made) == 1 and pairs[0].views[0] is pairs[1].views[0]
    runner.prepare(Run("mnist5k", "dnn", seed=8), digits)
    assert len(made) == 2


@pytest.mark.parametrize("method", ["herocon-s", "herocon-u-g1"])
def test_weights_that_are_not_there_cannot_be_detached(method, tmp_path, capsys):
    words = ["run", "yeast", method, "--set", "detach=true", "--folder", str(tmp_path)]
    assert main(words) == 2
    assert "detach" in capsys.readouterr().err and not list(tmp_path.glob("runs/*"))
