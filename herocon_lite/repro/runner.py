"""``execute``: one configuration in, one record out."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from tqdm import tqdm

from herocon_lite import distributed, runtime
from herocon_lite.data import Dataset, Split, load, select_classes, split
from herocon_lite.data.splits import folds
from herocon_lite.methods import FORMS, Problem, build
from herocon_lite.metrics import evaluate
from herocon_lite.repro import probabilities, provenance, store
from herocon_lite.repro.settings import (
    CROSS_VALIDATION,
    SPEECH,
    Run,
    is_released,
    options,
    real_changes,
    schedule,
    setting,
    view_settings,
)
from herocon_lite.train import Schedule, pick_device, predict, train
from herocon_lite.views import two_views

HISTORY_POINTS = 20  # of the loss, in a record


def prepare(run: Run, dataset: Dataset) -> tuple[Dataset, Split]:
    """The rows and views that a run works on, and its split."""
    if run.data in SPEECH:
        how = "released" if is_released(run.preset) else "paper"
        dataset = select_classes(dataset, how, run.seed)
    protocol = "transductive" if run.protocol == CROSS_VALIDATION else run.protocol
    parts = split(dataset, run.split, run.seed, protocol)
    chosen = setting(run.data, run.preset, run.budget)
    if chosen.standardise:
        dataset = dataset.standardise(np.union1d(parts.train, parts.unlabeled))
    makes_views = len(dataset.views) == 1 and (run.form == "two_noisy" or chosen.noisy)
    if not makes_views and (run.views or view_settings(run)):
        asked = ", ".join([*view_settings(run), *(["views"] if run.views else [])])
        raise ValueError(
            f"changes must be of something that is used; {asked} tells how one view becomes two, "
            f"and {run.data} with form {run.form} keeps its own."
        )
    if makes_views:
        how, more = run.views or chosen.views, tuple(view_settings(run).items())
        two = _two_views(dataset, how, run.seed, more)
        one = run.form == "eq4"
        dataset = two.with_views(two.views[:1], "the first of them alone") if one else two
    return dataset, parts


@lru_cache(maxsize=1)
def _two_views(dataset: Dataset, how: str, seed: int, more: tuple) -> Dataset:
    """The methods of a seed come one after the other, and have the same views."""
    return two_views(dataset, how, seed, **dict(more))


class Work(NamedTuple):
    """A run before it is made: what its record will say, and what it works on."""

    record: store.Record
    data: Dataset
    parts: Split
    problem: Problem
    schedule: Schedule
    options: dict[str, object]  # of the method


def ready(run: Run, dataset: Dataset) -> Work:
    """Settings, views and split of a run; nothing is trained."""
    if dataset.name != run.data:
        raise ValueError(f"dataset must be {run.data}, as the run says; got {dataset.name}.")
    chosen = setting(run.data, run.preset, run.budget)
    prepared, parts = prepare(run, dataset)
    single = len(dataset.views) == 1
    if run.form != FORMS[0] and not single:
        raise ValueError(
            f"form is for data with one view; {run.data} has {len(dataset.views)}. Leave it out."
        )
    method_options = options(run, chosen, single)
    plan = schedule(run, chosen)
    widths = dict(run.changes).get("widths", chosen.widths)
    encoder_options = {"widths": widths} if widths is not None else {}
    record = {
        "data": run.data,
        "method": run.method,
        "preset": run.preset,
        "form": run.form if single else None,
        "protocol": run.protocol,
        "budget": run.budget,
        "seed": run.seed,
        "changes": real_changes(run, chosen),
        "settings": {
            **asdict(plan),
            **method_options,
            "encoder": chosen.encoder,
            **encoder_options,
            "views": (run.views or chosen.views) if prepared is not dataset and single else None,
            **view_settings(run),
        },
        "split": parts.describe(),
        "preparation": list(prepared.steps),  # with the seeds that were used
        "images": {"used": len(dataset), "of": dataset.whole} if dataset.whole else None,
    }
    problem = Problem(
        tuple(view.shape[1:] for view in prepared.views),
        prepared.labels.shape[1],
        prepared.kind,
        chosen.encoder,
        encoder_options,
    )
    return Work(record, prepared, parts, problem, plan, method_options)


def execute(
    run: Run,
    dataset: Dataset,
    device: str | None = None,
    progress: bool = False,
    checkpoint: Path | None = None,
    skip: Callable[[str], bool] = lambda key: False,
    keep: Path | None = None,
) -> store.Record | None:
    """Train and test one run.

    Args:
        run: what to run.
        dataset: the data set that the run names.
        device: where to train; None: the best one here.
        progress: show a progress bar.
        checkpoint: folder for half-done work, from which the same run goes on.
        skip: whether the run of a key is done already.
        keep: store in which the probabilities of the test rows are kept; None: they are not.

    Returns:
        The record, or None if ``skip`` says that the run is done.
    """
    record, data, parts, problem, plan, method_options = ready(run, dataset)
    name = store.key(record)
    if skip(name):
        return None
    where = pick_device(device)
    environment = provenance.environment(where)  # before training: the checkout may move
    maker = provenance.made_by(environment)
    rounds = [(parts.train, parts.test)]
    if run.protocol == CROSS_VALIDATION:
        rounds = folds(parts.train, run.seed)
    trained, predicted = [], []
    for number, (seen, asked) in enumerate(rounds):
        torch.manual_seed(run.seed)
        method = build(run.method, problem, **method_options)
        runtime.reset(where)
        training = train(
            method,
            _rows(data, seen),
            data.labels[seen],
            _rows(data, parts.unlabeled),
            plan,
            run.seed,
            where,
            progress=progress,
            checkpoint=checkpoint and checkpoint / f"{name}-{maker}-{number}.pt",
        )
        trained.append(training)
        predicted.append(predict(method, _rows(data, asked), data.kind))
    tested, P = np.concatenate([asked for _, asked in rounds]), np.concatenate(predicted)
    if not np.isfinite(P).all():  # the last step is followed by no loss that would tell
        raise FloatingPointError("the probabilities are not finite: training diverged. Lower lr.")
    kept = {"probabilities": probabilities.save(record, tested, P, keep)} if keep else {}
    return {
        **record,
        "metrics": evaluate(data.labels[tested], P, data.kind),
        "history": _thinned(trained[0].history),
        "seconds": round(sum(t.seconds for t in trained), 2),
        "cpu_seconds": round(sum(t.cpu_seconds for t in trained), 2),
        "peak_mib": round(max(t.peak_mib for t in trained), 1),
        "data_checksums": data.checksums,
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        **environment,
        **kept,
    }


def _thinned(history: list[dict[str, float]]) -> list[dict[str, float]]:
    """First, last and some between; nine digits hold a float32 exactly."""
    step = max(1, (len(history) - 1) // HISTORY_POINTS)
    kept = [*history[:-1:step], history[-1]]
    return [{k: v if k == "step" else float(f"{v:.9g}") for k, v in row.items()} for row in kept]


def _rows(dataset: Dataset, rows: np.ndarray) -> list:
    return dataset.take(rows, "").views


def execute_all(
    runs: list[Run],
    folder: Path,
    device: str | None = None,
    keep_probabilities: bool = False,
    replace_dirty: bool = False,
) -> int:
    """Execute the runs that have no record yet, storing each as it ends. Returns how many.

    A stored record without probabilities does not count where they are to be kept, and a dirty
    one does not where ``replace_dirty`` says so: the new record supersedes it.

    Before each run the store is asked anew, so that several jobs may work on one list; give them
    different seeds, since two that begin the same run both train it. A run whose loss stops being
    finite is told at the end and does not keep the others from being made.
    """
    _check_writable(folder)
    if replace_dirty and provenance.environment()["dirty"]:
        raise ValueError(
            "replace_dirty needs a clean checkout, else the new records are dirty, too. Commit or "
            "stash the changes in herocon_lite/ first."
        )
    where = pick_device(device)  # a wrong name fails before any work
    dataset = load(runs[0].data)
    distributed.start(where)
    first = distributed.world()[0] == 0  # of several processes one writes
    done, failed = 0, []
    bar = tqdm(runs, unit="run", disable=len(runs) == 1 or not first)
    try:
        for run in bar:
            bar.set_description(f"{run.method}, seed {run.seed}")
            done_keys = store.finished(folder, run.data, replace_dirty, keep_probabilities)
            known = distributed.of_first(done_keys)
            try:
                record = execute(
                    run,
                    dataset,
                    device,
                    first,
                    folder / "checkpoints",
                    known.__contains__,
                    keep=folder if keep_probabilities and first else None,
                )
            except FloatingPointError as error:
                failed.append(f"{run.method}, seed {run.seed}: {error}")
                continue
            if record is not None:
                if first:
                    store.append(record, folder)
                    for left in (folder / "checkpoints").glob(f"{store.key(record)}-*"):
                        left.unlink(missing_ok=True)
                done += 1
    finally:
        distributed.stop()
    if failed:
        raise FloatingPointError(f"{done} runs done, {len(failed)} failed. " + " ".join(failed))
    return done


def _check_writable(folder: Path) -> None:
    """Known now, not after hours of training."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ValueError(
            f"folder must be one that can be written to; {folder}: {error}."
        ) from error


def run_of(record: store.Record) -> Run:
    """The run that a record came from."""
    changes = dict(record.get("changes") or {})
    return Run(
        record["data"],
        record["method"],
        record["seed"],
        record["budget"],
        record["preset"],
        record["form"] or "two_noisy",
        record["protocol"],
        record["split"]["how"],
        views=changes.pop("views", None),
        changes=tuple(changes.items()),
    )


def repeat(record: store.Record, device: str | None = None, progress: bool = False) -> store.Record:
    """The same run once more, with as many threads; raises if it would be another run."""
    run = run_of(record)
    threads = torch.get_num_threads()
    torch.set_num_threads(record["threads"])
    other = store.key(record).__ne__  # known before any training
    try:
        again = execute(run, load(run.data), device, progress, skip=other)
    finally:
        torch.set_num_threads(threads)
    if again is None:
        raise ValueError(
            f"{store.key(record)} cannot be repeated: settings or splits have changed since "
            f"commit {record['commit'][:7]}. Check that out and repeat it there."
        )
    return again
