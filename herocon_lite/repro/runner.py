"""How a run is planned, made and stored: one :class:`Run` in, one record out."""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from tqdm import tqdm

from herocon_lite import distributed, memory
from herocon_lite.data import Dataset, Split, load, select_classes, split
from herocon_lite.data.splits import folds
from herocon_lite.methods import FORMS, Problem, build
from herocon_lite.metrics import evaluate
from herocon_lite.repro import claims, probabilities, provenance, store
from herocon_lite.repro.settings import (
    CROSS_VALIDATION,
    SPEECH,
    Run,
    encoder_options,
    is_released,
    method_options,
    non_default_overrides,
    paper_config,
    schedule,
    view_options,
)
from herocon_lite.runtime import pick_device
from herocon_lite.train import Schedule, Training, predict, train
from herocon_lite.views import two_views

HISTORY_POINTS = 20  # of the loss, in a record


class PlannedRun(NamedTuple):
    """A run before training: what its record will say, and what it works on."""

    run: Run
    record: store.Record  # the part that is known before training
    data: Dataset
    parts: Split
    problem: Problem
    schedule: Schedule
    options: dict[str, object]  # of the method

    @property
    def rounds(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """(training rows, tested rows): one pair, or one a fold."""
        if self.run.protocol == CROSS_VALIDATION:
            return folds(self.parts.train, self.run.seed)
        return [(self.parts.train, self.parts.test)]


def plan_run(run: Run, dataset: Dataset) -> PlannedRun:
    """Resolve settings, views and split of a run; nothing is trained."""
    if dataset.name != run.data:
        raise ValueError(f"dataset must be {run.data}, as the run says; got {dataset.name}.")
    single = len(dataset.views) == 1
    if run.form != FORMS[0] and not single:
        raise ValueError(
            f"form is for data with one view; {run.data} has {len(dataset.views)}. Leave it out."
        )
    config = paper_config(run.data, run.preset, run.budget)
    prepared, parts = prepare(run, dataset)
    options, plan, encoder = (
        method_options(run, config, single),
        schedule(run, config),
        encoder_options(run, config),
    )
    record = {
        "data": run.data,
        "method": run.method,
        "preset": run.preset,
        "form": run.form if single else None,
        "protocol": run.protocol,
        "budget": run.budget,
        "seed": run.seed,
        "changes": non_default_overrides(run),
        "settings": {
            **asdict(plan),
            **options,
            "encoder": config.encoder,
            **encoder,
            "views": (run.views or config.views) if prepared is not dataset and single else None,
            **view_options(run),
        },
        "split": parts.describe(),
        "preparation": list(prepared.steps),  # with the seeds that were used
        "images": {"used": len(dataset), "of": dataset.whole} if dataset.whole else None,
    }
    problem = Problem(
        tuple(view.shape[1:] for view in prepared.views),
        prepared.labels.shape[1],
        prepared.kind,
        config.encoder,
        encoder,
    )
    return PlannedRun(run, record, prepared, parts, problem, plan, options)


def prepare(run: Run, dataset: Dataset) -> tuple[Dataset, Split]:
    """Return the rows and views that a run works on, and its split."""
    config = paper_config(run.data, run.preset, run.budget)
    if run.data in SPEECH:
        scheme = "released" if is_released(run.preset) else "paper"
        dataset = select_classes(dataset, scheme, run.seed)
    protocol = "transductive" if run.protocol == CROSS_VALIDATION else run.protocol
    parts = split(dataset, run.split, run.seed, protocol)
    if config.standardise:
        dataset = dataset.standardise(np.union1d(parts.train, parts.unlabeled))
    if len(dataset.views) == 1 and (run.form == "two_noisy" or config.noisy):
        options = tuple(view_options(run).items())
        two = _two_views(dataset, run.views or config.views, run.seed, options)
        one = run.form == "eq4"
        return two.with_views(two.views[:1], "the first of them alone") if one else two, parts
    unused = [*view_options(run), *(["views"] if run.views else [])]
    if unused:
        raise ValueError(
            f"{', '.join(unused)} only applies where one view becomes two; {run.data} with form "
            f"{run.form} keeps its own views. Leave it out."
        )
    return dataset, parts


@lru_cache(maxsize=1)
def _two_views(dataset: Dataset, recipe: str, seed: int, options: tuple) -> Dataset:
    """The methods of a seed come one after the other, and have the same views."""
    return two_views(dataset, recipe, seed, **dict(options))


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
        checkpoint: folder for unfinished runs, from which the same run resumes.
        skip: whether the run of a key is done already.
        keep: store in which the probabilities of the test rows are kept; None: they are not.

    Returns:
        The record, or None if ``skip`` says that the run is done.

    Raises:
        FloatingPointError: training diverged.
    """
    plan = plan_run(run, dataset)
    key = store.key(plan.record)
    if skip(key):
        return None
    where = pick_device(device)
    environment = provenance.environment(where)  # before training: the checkout may move
    stem = f"{key}-{provenance.environment_hash(environment)}"
    trainings, predictions = [], []
    for number, rows in enumerate(plan.rounds):
        path = checkpoint and checkpoint / f"{stem}-{number}.pt"
        training, P = _train_and_predict(plan, *rows, where, progress, path)
        trainings.append(training)
        predictions.append(P)
    tested, P = np.concatenate([test for _, test in plan.rounds]), np.concatenate(predictions)
    if not np.isfinite(P).all():  # no loss follows the last step, to notice
        raise FloatingPointError("the probabilities are not finite: training diverged. Lower lr.")
    kept = {"probabilities": probabilities.save(plan.record, tested, P, keep)} if keep else {}
    return {
        **plan.record,
        "metrics": evaluate(plan.data.labels[tested], P, plan.data.kind),
        "history": _thin_history(trainings[0].history),
        "seconds": round(sum(t.seconds for t in trainings), 2),
        "cpu_seconds": round(sum(t.cpu_seconds for t in trainings), 2),
        "peak_mib": round(max(t.peak_mib for t in trainings), 1),
        "data_checksums": plan.data.checksums,
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        **environment,
        **kept,
    }


def _train_and_predict(
    plan: PlannedRun,
    train_idx: np.ndarray,
    test_idx: np.ndarray,
    where: torch.device,
    progress: bool,
    checkpoint: Path | None,
) -> tuple[Training, np.ndarray]:
    """Train on some rows; return (m, c) probabilities of others with it."""
    seed, data = plan.run.seed, plan.data
    torch.manual_seed(seed)
    method = build(plan.run.method, plan.problem, **plan.options)
    memory.reset_peak(where)
    training = train(
        method,
        _rows(data, train_idx),
        data.labels[train_idx],
        _rows(data, plan.parts.unlabeled),
        plan.schedule,
        seed,
        where,
        progress=progress,
        checkpoint=checkpoint,
    )
    return training, predict(method, _rows(data, test_idx), data.kind)


def _thin_history(history: list[dict[str, float]]) -> list[dict[str, float]]:
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
    """Execute the runs that have no record yet, storing each as it ends.

    The store is read anew before each run, and a run is claimed before it is trained, so several
    jobs may work on one list: what another is training is left to it, with a warning. A run whose
    loss stops being finite does not keep the others from being made.

    Args:
        runs: of one data set or several; each change of data set reads it again.
        folder: the store.
        device: where to train; None: the best one here.
        keep_probabilities: store the probabilities of the test rows; stored records without them
            do not count.
        replace_dirty: stored dirty records do not count; the new ones supersede them.

    Returns:
        How many runs were made.

    Raises:
        FloatingPointError: after all runs, naming those that diverged.
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
    keep = folder if keep_probabilities and first else None
    done, failed, left = 0, [], []
    finished = partial(
        store.finished, replace_dirty=replace_dirty, probabilities=keep_probabilities
    )
    bar = tqdm(runs, unit="run", disable=len(runs) == 1 or not first)
    try:
        for run in bar:
            bar.set_description(f"{run.data} {run.method}, seed {run.seed}")
            if run.data != dataset.name:
                dataset = load(run.data)
            with ExitStack() as held:  # its claim, until its record is stored
                skip = _skip_or_claim(run, folder, finished, held, left)
                try:
                    record = execute(
                        run, dataset, device, first, folder / "checkpoints", skip, keep
                    )
                except FloatingPointError as error:
                    failed.append(f"{run.method}, seed {run.seed}: {error}")
                    continue
                if record is not None:
                    done += 1
                    if first:
                        store_record(record, folder)
    finally:
        distributed.stop()
    if left:
        warnings.warn(f"Left to others, who train them now: {'; '.join(left)}.", stacklevel=2)
    if failed:
        raise FloatingPointError(f"Ran {done}; {len(failed)} failed. " + " ".join(failed))
    return done


def _skip_or_claim(
    run: Run, folder: Path, finished: Callable, held: ExitStack, left: list[str]
) -> Callable[[str], bool]:
    """Return what tells whether the run of a key is to be skipped; if not, it is claimed.

    Args:
        run: which is next.
        folder: of the store.
        finished: gives the keys of what is stored.
        held: gets the claim.
        left: gets the run's name, if another process trains it.
    """

    def decide(key: str) -> bool:
        if key in finished(folder, run.data):
            return True
        if not held.enter_context(claims.claim(folder, key)):
            who = claims.owner(folder, key) or "another process"
            left.append(f"{run.data} {run.method}, seed {run.seed} ({who})")
            return True
        return key in finished(folder, run.data)  # its last owner may just have stored it

    def skip(key: str) -> bool:
        first = distributed.world()[0] == 0  # of several processes one decides
        return distributed.broadcast_from_rank0(decide(key) if first else False)

    return skip


def store_record(record: store.Record, folder: Path) -> None:
    """Append a record; its checkpoints are of no more use."""
    store.append(record, folder)
    for left in (folder / "checkpoints").glob(f"{store.key(record)}-*"):
        left.unlink(missing_ok=True)


def _check_writable(folder: Path) -> None:
    """Fail now, not after hours of training."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ValueError(
            f"folder must be one that can be written to; {folder}: {error}."
        ) from error


def repeat(
    record: store.Record,
    device: str | None = None,
    progress: bool = False,
    checkpoint: Path | None = None,
) -> store.Record:
    """Make a stored run once more, with as many threads.

    Args:
        record: of the run.
        device, progress, checkpoint: as in :func:`execute`.

    Raises:
        ValueError: it would be another run: settings or splits have changed.
    """
    run = Run.from_record(record)
    threads = torch.get_num_threads()
    torch.set_num_threads(record["threads"])
    other = store.key(record).__ne__  # known before any training
    try:
        again = execute(run, load(run.data), device, progress, checkpoint, skip=other)
    finally:
        torch.set_num_threads(threads)
    if again is None:
        raise ValueError(
            f"{store.key(record)} cannot be repeated: settings or splits have changed since "
            f"commit {record['commit'][:7]}. Check that out and repeat it there."
        )
    return again
