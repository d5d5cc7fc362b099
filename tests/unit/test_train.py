"""The loop: same seed same bytes, labels of unlabelled rows never used, runs that go on."""

import errno
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from herocon_lite import train as training
from herocon_lite.data import load, split
from herocon_lite.methods import Problem, build
from herocon_lite.train import BatchSampler, Schedule, predict, train

SCHEDULE = Schedule(steps=12, labeled_batch=40, unlabeled_batch=100)


@pytest.fixture(scope="module")
def yeast():
    data = load("yeast")
    return data, split(data, seed=0)


def rows(data, part):
    return data.take(part, "").views


def fitted(yeast, name="herocon", schedule=SCHEDULE, seed=0, labels=None, **options):
    data, parts = yeast
    torch.manual_seed(seed)
    problem = Problem(((79,), (24,)), 14, "multilabel")
    method = build(name, problem, **({"alpha": 0.3, "beta": 0.1} if name == "herocon" else {}))
    Y = (data.labels if labels is None else labels)[parts.train]
    result = train(
        method, rows(data, parts.train), Y, rows(data, parts.unlabeled), schedule, seed, **options
    )
    return method, result


def test_same_seed_gives_the_same_bytes(yeast):
    (one, first), (other, second) = fitted(yeast), fitted(yeast)
    assert first.history == second.history
    P = [predict(m, rows(yeast[0], yeast[1].test), "multilabel") for m in (one, other)]
    assert np.array_equal(*P)
    assert fitted(yeast, seed=1)[1].history != first.history


def test_cosine_decay_lowers_the_rate_to_zero(yeast, monkeypatch):
    falling = Schedule(steps=4, lr=0.08, decay="cosine")
    rates = [falling.lr_at(step) for step in (0, 2, 4)]
    assert rates == pytest.approx([0.08, 0.04, 0])
    seen = []
    step = training.LARS.step
    monkeypatch.setattr(
        training.LARS, "step", lambda o: (seen.append(o.param_groups[0]["lr"]), step(o))
    )
    fitted(yeast, "dnn", falling)
    assert seen == [falling.lr_at(step) for step in range(4)]
    with pytest.raises(ValueError, match="decay must be"):
        Schedule(steps=4, decay="linear")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"steps": 0}, "steps must be a whole number, at least 1; got 0"),
        ({"steps": 2, "drop_last": "no"}, "drop_last must be True or False; got 'no'"),
        ({"steps": 2, "unlabeled_batch": 1}, "unlabeled_batch must be at least 2 rows"),
        ({"steps": 2, "labeled_batch": 0}, "labeled_batch must be at least 2 rows"),
    ],
)
def test_a_schedule_that_cannot_be_trained(options, message):
    with pytest.raises(ValueError, match=message):
        Schedule(**options)


def test_unlabelled_rows_are_not_touched_by_a_method_that_does_not_use_them(yeast):
    data, parts = yeast

    class Untouchable:
        def __len__(self):
            raise AssertionError("looked at")

    torch.manual_seed(0)
    method = build("dnn", Problem(((79,), (24,)), 14, "multilabel"))
    labeled = rows(data, parts.train)
    train(method, labeled, data.labels[parts.train], [Untouchable()] * 2, Schedule(steps=2))


def test_an_interrupted_run_goes_on_as_if_nothing_had_happened(yeast, tmp_path, monkeypatch):
    path = tmp_path / "runs" / "one.pt"
    whole, expected = fitted(yeast)
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0.0)
    save = training._Loop.save

    def save_and_stop(self, path, step):
        save(self, path, step)
        if step == 7:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(training._Loop, "save", save_and_stop)
        fitted(yeast, checkpoint=path)
    assert path.exists() and not list(path.parent.glob("*.partial"))
    method, result = fitted(yeast, checkpoint=path)
    assert result.history == expected.history
    for mine, wanted in zip(method.parameters(), whole.parameters(), strict=True):
        assert torch.equal(mine, wanted)
    # What it left is the finished state: nothing is trained again.
    monkeypatch.setattr(training.BatchSampler, "rows", None)
    again, same = fitted(yeast, checkpoint=path)
    assert same.history == expected.history and same.peak_mib >= result.peak_mib > 0
    for mine, wanted in zip(again.parameters(), whole.parameters(), strict=True):
        assert torch.equal(mine, wanted)


def test_a_checkpoint_of_another_training_is_refused(yeast, tmp_path):
    path = tmp_path / "one.pt"
    plan = Schedule(np.int64(3), np.int64(40), 100, lr=np.float64(0.01))  # NumPy's do no harm
    fitted(yeast, schedule=plan, checkpoint=path)
    fitted(yeast, schedule=plan, checkpoint=path)
    for other in ({"schedule": replace(plan, lr=0.5)}, {"schedule": plan, "seed": 1}):
        with pytest.raises(ValueError, match="must be of the same seed and schedule"):
            fitted(yeast, checkpoint=path, **other)
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(ValueError, match=r"one.pt cannot be used as a whole checkpoint: .* Delete"):
        fitted(yeast, schedule=plan, checkpoint=path)


@pytest.mark.parametrize("value", [-1, 2, 0.5, np.nan])
def test_labels_other_than_0_and_1_are_refused_before_the_first_step(yeast, value):
    data, parts = yeast
    labels = data.labels.astype(float)
    labels[parts.train[3], 2] = value
    with pytest.raises(ValueError, match=rf"Y must hold 0 and 1 alone; row 3 has {value:g}"):
        fitted(yeast, labels=labels)


def test_a_forged_checkpoint_is_told(yeast, tmp_path):
    """Its checksum is right, what it holds is not."""
    path, plan = tmp_path / "one.pt", replace(SCHEDULE, steps=2)
    fitted(yeast, schedule=plan, checkpoint=path)
    whole = training.load_state(path, training.STATE)
    name = next(iter(whole["method"]))
    for change in (
        {"method": {**whole["method"], name: torch.ones(3)}},
        {"method": None},
        {"optimizer": {"state": 3, "param_groups": []}},
        {"optimizer": []},
        {"costs": (1, 2)},
        {"step": 3},
        {"step": "2"},
        {"history": 5},
    ):
        training.save_state(path, whole | change)
        with pytest.raises(ValueError, match=r"one.pt cannot be used as a checkpoint of this"):
            fitted(yeast, schedule=plan, checkpoint=path)


def test_a_full_disk_is_told_and_leaves_nothing_behind(yeast, tmp_path, monkeypatch):
    def filled(path, content):
        with open(path, "xb") as stream:
            stream.write(content[:4])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", filled)
    with pytest.raises(OSError, match=r"one.pt could not be written \(No space left"):
        fitted(yeast, schedule=replace(SCHEDULE, steps=1), checkpoint=tmp_path / "one.pt")
    assert not list(tmp_path.iterdir())


def test_a_checkpoint_that_another_job_clears_away_is_none(yeast, tmp_path, monkeypatch):
    plan, path = replace(SCHEDULE, steps=2), tmp_path / "one.pt"
    fitted(yeast, schedule=plan, checkpoint=path)
    read = Path.read_bytes

    def cleared(name):
        path.unlink(missing_ok=True)  # between the question whether it is there and the reading
        return read(name)

    monkeypatch.setattr(Path, "read_bytes", cleared)
    assert len(fitted(yeast, schedule=plan, checkpoint=path)[1].history) == 2


def test_every_step_may_save_and_a_cleared_folder_does_no_harm(yeast, tmp_path, monkeypatch):
    """Slow steps: a checkpoint must not wait for the next value of the loss that is kept."""
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(training, "HISTORY_POINTS", 2)
    save, steps = training.save_state, []

    def saved_and_cleared(path, state):
        save(path, state)
        steps.append(state["step"])
        path.unlink()  # as a job does that has finished the same run

    monkeypatch.setattr(training, "save_state", saved_and_cleared)
    fitted(yeast, schedule=replace(SCHEDULE, steps=6), checkpoint=tmp_path / "one.pt")
    assert steps == [1, 2, 3, 4, 5, 6, 6]


def test_batches_are_passes_over_all_rows():
    feed = BatchSampler(
        [np.zeros((10, 2), np.float32)], 4, (0, 0), torch.device("cpu"), torch.float32
    )
    seen = torch.cat([feed.rows(step) for step in range(5)])
    assert torch.equal(seen[:10].sort().values, torch.arange(10))
    assert torch.equal(seen[10:].sort().values, torch.arange(10))
    assert not torch.equal(seen[:10], seen[10:])
    assert torch.equal(feed.rows(3), feed.rows(3))
    feed.size = None
    assert torch.equal(feed.rows(7), torch.arange(10))


@pytest.mark.parametrize("size", [None, 4])
def test_row_numbers_stay_on_the_cpu_whatever_the_default_device(size):
    feed = BatchSampler(
        [np.zeros((10, 2), np.float32)], size, (0, 1), torch.device("cpu"), torch.float32
    )
    with torch.device("meta"):  # stands for a GPU
        assert feed.rows(1).device.type == "cpu"


def test_a_step_within_one_pass_has_no_row_twice():
    views, where = [np.zeros((300, 2), np.float32)], (torch.device("cpu"), torch.float32)
    across = BatchSampler(views, 256, (0, 0), *where)
    within = BatchSampler(views, 256, (0, 0), *where, drop_last=True)
    twice = [256 - len(across.rows(step).unique()) for step in range(5)]
    assert max(twice) > 20  # what drop_last is for
    drawn = [within.rows(step) for step in range(5)]
    assert all(len(rows.unique()) == 256 for rows in drawn)
    assert not torch.equal(drawn[0], drawn[1])  # a new order each pass
    within.size = 100  # three to a pass, all of its rows
    assert torch.equal(
        torch.cat([within.rows(k) for k in range(3)]).sort().values, torch.arange(300)
    )


def test_bytes_stay_bytes_and_features_take_the_precision():
    views = [np.zeros((3, 1, 4, 4), np.uint8), np.zeros((3, 2), np.float32)]
    image, feature = BatchSampler(views, None, (0,), torch.device("cpu"), torch.float64).take(
        torch.arange(2)
    )
    assert image.dtype == torch.uint8 and feature.dtype == torch.float64
    assert image.shape == (2, 1, 4, 4)


@pytest.mark.parametrize("precision", ["float64", "bfloat16"])
def test_other_precisions_train(yeast, precision):
    method, result = fitted(yeast, schedule=replace(SCHEDULE, precision=precision))
    wanted = torch.float64 if precision == "float64" else torch.float32
    assert next(method.parameters()).dtype == wanted
    exact = fitted(yeast)[1].history[-1]
    got = result.history[-1]
    assert got["L_c"] == pytest.approx(exact["L_c"], rel=0.1)
    assert got["L_c"] != exact["L_c"]  # or nothing was done otherwise


def test_the_schedule_reaches_the_optimiser(yeast, monkeypatch):
    seen, real = [], training.LARS
    monkeypatch.setattr(training, "LARS", lambda p, **o: seen.append(o) or real(p, **o))
    fitted(yeast, "dnn", Schedule(steps=1, lr=0.01, momentum=0.5, trust=0.1))
    assert seen == [{"lr": 0.01, "momentum": 0.5, "trust": 0.1}]


def test_what_a_method_draws_is_drawn_anew_each_step(yeast):
    data, parts = yeast
    method, drawn = build("dnn", Problem(((79,), (24,)), 14, "multilabel")), []
    terms = method.terms
    method.terms = lambda *batch: drawn.append(torch.rand(()).item()) or terms(*batch)
    train(method, rows(data, parts.train), data.labels[parts.train], None, Schedule(steps=4))
    assert len(set(drawn)) == 4


def test_the_loss_falls_and_the_history_tells_the_terms(yeast):
    _, result = fitted(yeast, schedule=Schedule(steps=40, unlabeled_batch=200))
    assert {"step", "L_c", "L_u", "L_s"} == set(result.history[0])
    assert result.history[-1]["L_c"] < result.history[0]["L_c"] / 2
    assert result.seconds > 0 and result.peak_mib > 0


def test_a_loss_that_is_not_finite_is_an_error_not_a_result(yeast):
    with pytest.raises(FloatingPointError, match="no longer finite at step"):
        fitted(yeast, schedule=Schedule(steps=4, lr=1e30, trust=1e30))


def test_an_unknown_precision_is_refused():
    with pytest.raises(ValueError, match=r"precision must be one of.*'half'"):
        Schedule(steps=4, precision="half")
