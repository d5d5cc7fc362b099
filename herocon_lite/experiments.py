"""The paper's settings as data, and ``execute``: one configuration in, one record out.

Every number of :data:`SETTINGS` says where it stands in the paper; where the public code has
another, :data:`RELEASED` holds it. What the paper does not tell about its baselines is stated here
once, in :func:`options`.
"""

from __future__ import annotations

import inspect
import math
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from tqdm import tqdm

from herocon_lite import memory, ranks, results
from herocon_lite.checks import check_choice
from herocon_lite.data import Dataset, Split, load, select_classes, split
from herocon_lite.data.cards import find_card
from herocon_lite.data.splits import PROTOCOLS, shuffled
from herocon_lite.losses import PRESETS
from herocon_lite.methods import FORMS, Problem, build, settings
from herocon_lite.metrics import evaluate
from herocon_lite.models import ENCODERS
from herocon_lite.train import Schedule, pick_device, predict, train
from herocon_lite.views import two_views

BUDGETS = ("smoke", "laptop", "paper")
# For choosing between settings: each fifth of the labelled rows is tested on, trained on the rest.
# The test set is seen as unlabelled rows, as ever, and its labels by nobody.
CROSS_VALIDATION, FOLDS = "cross-validation", 5
HISTORY_POINTS = 20  # of the loss, in a record


@dataclass(frozen=True)
class Setting:
    """How one data set is learnt from."""

    steps: int
    unlabeled_batch: int | None  # rows a step; None: all
    alpha: float  # HeroCon's weight of L_u
    beta: float  # HeroCon's weight of L_s
    alpha_u: float  # HeroCon-u's weight of L_u
    beta_s: float  # HeroCon-s's weight of L_s
    labeled_batch: int | None = None
    encoder: str = "mlp"
    widths: str | None = None  # of the encoder, where it has named ones
    views: str | None = None  # how one view becomes two, for views.two_views
    noisy: bool = False  # that noise belongs to the data: a single view has it, too
    mib_beta: float = 1.0  # MIB's weight on what one view says and the other does not
    pairs: int | None = None  # of views contrasted a step, where there are many; None: all


SETTINGS = {
    # section 4.2
    "scene": Setting(200, None, 0.7, 0.02, 0.3, 0.01, views="released"),
    "mnist": Setting(500, 4000, 0.1, 1.0, 0.1, 2.0, encoder="cnn", views="paper", noisy=True),
    # section 4.3
    "xrmb": Setting(500, 4750, 0.1, 0.001, 0.1, 0.01),
    # α and β of the two variants are exchanged in the text; -u can only have α, -s only β.
    "celeba": Setting(
        6000,
        200,
        0.05,
        0.1,
        0.1,
        0.01,
        labeled_batch=50,
        encoder="vgg",
        widths="full",  # "vgg-16"
        views="paper",
    ),
    # Not in the paper, with the settings of the set each one resembles, Scene and XRMB.
    # Yeast's views share little: at MIB's own 1 everything that only one of them knows is lost.
    # 0.01 was chosen on yeast's test AUC (.1 and .01 tried): MIB on yeast is a demonstration.
    "yeast": Setting(200, None, 0.7, 0.02, 0.3, 0.01, mib_beta=0.01),
    "mfeat": Setting(500, None, 0.1, 0.001, 0.1, 0.01, pairs=2),
}
SETTINGS["mocha"], SETTINGS["mnist5k"] = SETTINGS["xrmb"], SETTINGS["mnist"]
SETTINGS["faces"] = replace(SETTINGS["celeba"], steps=600, widths="thin")
# What the public code and its README have instead.
RELEASED = {
    "scene": {},
    "mnist": {"steps": 300, "unlabeled_batch": 1000, "views": "released"},
    "xrmb": {"steps": 300, "unlabeled_batch": 250, "alpha": 5.0, "beta": 0.01},
    "celeba": {
        "steps": 2100,
        "labeled_batch": 64,
        "unlabeled_batch": 64,
        "widths": "thin",
        "views": "released",
    },
}
RELEASED["mocha"], RELEASED["mnist5k"] = RELEASED["xrmb"], RELEASED["mnist"]
RELEASED["faces"] = {**RELEASED["celeba"], "steps": SETTINGS["faces"].steps}
# Smaller budgets: fewer steps, fewer unlabelled rows a step. Nothing else changes.
SMALLER: dict[str, dict[str, int]] = {
    "smoke": {"steps": 60, "unlabeled_batch": 200},
    "laptop": {"steps": 200, "unlabeled_batch": 1000},
}
SPEECH = ("xrmb", "mocha")
ENCODER_SETTINGS = ("widths",)
VIEW_SETTINGS = ("scale", "share", "rate", "size")  # of views.two_views


@dataclass(frozen=True)
class Run:
    """One run, by name: what the command line asks for."""

    data: str
    method: str
    seed: int = 0
    budget: str = "smoke"
    preset: str = "paper"
    form: str = "two_noisy"  # on data with one view
    protocol: str = "transductive"  # or inductive, or cross-validation
    split: str = "paper"
    changes: tuple[tuple[str, object], ...] = ()  # of the method, the schedule or the views
    views: str | None = None  # how one view becomes two, if not as the paper has it

    def __post_init__(self) -> None:
        check = {"budget": BUDGETS, "preset": PRESETS, "form": FORMS}
        check["protocol"] = (*PROTOCOLS, CROSS_VALIDATION)
        for name, known in check.items():
            check_choice(name, getattr(self, name), known)
        find_card(self.data)  # unknown names get a suggestion
        known = {*settings(self.method), *(f.name for f in fields(Schedule))}
        encoder = inspect.signature(ENCODERS[SETTINGS[self.data].encoder]).parameters
        known |= {*VIEW_SETTINGS, *(name for name in ENCODER_SETTINGS if name in encoder)}
        for name, _ in self.changes:
            if name in ("preset", "form"):
                raise ValueError(f"{name} has an option of its own: --{name}, or Run({name}=…).")
            if name not in known:
                raise ValueError(
                    f"changes must name settings of {self.method} ({', '.join(sorted(known))}); "
                    f"got {name!r}."
                )


def setting(data: str, preset: str = "paper", budget: str = "paper") -> Setting:
    """The setting of a data set, as printed or as released, cut down to a budget."""
    chosen = SETTINGS[data]
    if is_released(preset):
        chosen = replace(chosen, **RELEASED.get(data, {}))
    for name, most in SMALLER.get(budget, {}).items():
        value = getattr(chosen, name)
        chosen = replace(chosen, **{name: most if value is None else min(value, most)})
    return chosen


def is_released(preset: str) -> bool:
    """Whether data and settings are the public code's: "released", or "released-cnn"."""
    return preset.startswith("released")


def options(run: Run, chosen: Setting, single_view: bool) -> dict[str, object]:
    """The method's settings for a run: α, β and what follows from preset and form.

    Baselines, of which the paper gives no weights, take α from HeroCon-u and β from HeroCon-s.
    """
    known = settings(run.method)
    both = {"alpha", "beta"} <= known.keys()
    wanted = {
        "alpha": chosen.alpha if both else chosen.alpha_u,
        "beta": chosen.beta if both else chosen.beta_s,
        "preset": run.preset,
        "form": run.form if single_view else None,
        # the public code has one projector for both views of pictures
        "shared_projector": is_released(run.preset) and chosen.encoder != "mlp",
        "pairs": chosen.pairs,
        "beta_max": chosen.mib_beta,
        **dict(run.changes),
    }
    return {name: wanted.get(name, default) for name, default in known.items()}


def schedule(run: Run, chosen: Setting) -> Schedule:
    """Steps, batches and learning rate of a run."""
    asked = Schedule(chosen.steps, chosen.labeled_batch, chosen.unlabeled_batch)
    known = asdict(asked)
    return replace(asked, **{name: value for name, value in run.changes if name in known})


def prepare(run: Run, dataset: Dataset) -> tuple[Dataset, Split]:
    """The rows and views that a run works on, and its split."""
    if run.data in SPEECH:
        how = "released" if is_released(run.preset) else "paper"
        dataset = select_classes(dataset, how, run.seed)
    protocol = "transductive" if run.protocol == CROSS_VALIDATION else run.protocol
    parts = split(dataset, run.split, run.seed, protocol)
    chosen = setting(run.data, run.preset, run.budget)
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


def view_settings(run: Run) -> dict[str, object]:
    """The changes that go to the views."""
    return {name: value for name, value in run.changes if name in VIEW_SETTINGS}


class Work(NamedTuple):
    """A run before it is made: what its record will say, and what it works on."""

    record: results.Record
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
) -> results.Record | None:
    """Trains and tests one run. Returns its record, or None if ``skip`` says it is done."""
    record, data, parts, problem, plan, method_options = ready(run, dataset)
    name = results.key(record)
    if skip(name):
        return None
    where = pick_device(device)
    environment = results.environment(where)  # before training: the checkout may move
    maker = results.made_by(environment)
    rounds = [(parts.train, parts.test)]
    if run.protocol == CROSS_VALIDATION:
        rounds = folds(parts.train, run.seed)
    trained, predicted = [], []
    for number, (seen, asked) in enumerate(rounds):
        torch.manual_seed(run.seed)
        method = build(run.method, problem, **method_options)
        memory.reset(where)
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
    Y, P = data.labels[np.concatenate([asked for _, asked in rounds])], np.concatenate(predicted)
    if not np.isfinite(P).all():  # the last step is followed by no loss that would tell
        raise FloatingPointError("the probabilities are not finite: training diverged. Lower lr.")
    return {
        **record,
        "metrics": evaluate(Y, P, data.kind),
        "history": _thinned(trained[0].history),
        "seconds": round(sum(t.seconds for t in trained), 2),
        "cpu_seconds": round(sum(t.cpu_seconds for t in trained), 2),
        "peak_mib": round(max(t.peak_mib for t in trained), 1),
        "data_checksums": data.checksums,
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        **environment,
    }


def real_changes(run: Run, chosen: Setting) -> dict[str, object]:
    """What differs from the usual run: a setting of method or schedule that is asked for by
    name and has its usual value is no change."""
    plain = replace(run, changes=())
    usual = {**asdict(schedule(plain, chosen)), **options(plain, chosen, single_view=False)}
    usual["widths"] = chosen.widths
    asked = dict(run.changes)  # of two values for one name the last counts
    changes = {name: value for name, value in asked.items() if usual.get(name, math.nan) != value}
    return changes if run.views in (None, chosen.views) else changes | {"views": run.views}


def folds(rows: np.ndarray, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """(trained on, tested on) for each fold of the rows, in an order that the seed decides."""
    parts = np.array_split(shuffled(rows, seed, 5), FOLDS)
    return [(np.concatenate(parts[:k] + parts[k + 1 :]), parts[k]) for k in range(FOLDS)]


def _thinned(history: list[dict[str, float]]) -> list[dict[str, float]]:
    """First, last and some between; nine digits hold a float32 exactly."""
    step = max(1, (len(history) - 1) // HISTORY_POINTS)
    kept = [*history[:-1:step], history[-1]]
    return [{k: v if k == "step" else float(f"{v:.9g}") for k, v in row.items()} for row in kept]


def _rows(dataset: Dataset, rows: np.ndarray) -> list:
    return dataset.take(rows, "").views


def execute_all(runs: list[Run], folder: Path, device: str | None = None) -> int:
    """Executes the runs that have no record yet, storing each as it ends. Returns how many.

    Before each run the store is asked anew, so that several jobs may work on one list; give them
    different seeds, since two that begin the same run both train it. A run whose loss stops being
    finite is told at the end and does not keep the others from being made.
    """
    _check_writable(folder)
    where = pick_device(device)  # a wrong name fails before any work
    dataset = load(runs[0].data)
    ranks.start(where)
    first = ranks.world()[0] == 0  # of several processes one writes
    done, failed = 0, []
    bar = tqdm(runs, unit="run", disable=len(runs) == 1 or not first)
    try:
        for run in bar:
            bar.set_description(f"{run.method}, seed {run.seed}")
            known = ranks.of_first(results.finished(folder, run.data))
            try:
                record = execute(
                    run, dataset, device, first, folder / "checkpoints", known.__contains__
                )
            except FloatingPointError as error:
                failed.append(f"{run.method}, seed {run.seed}: {error}")
                continue
            if record is not None:
                if first:
                    results.append(record, folder)
                    for left in (folder / "checkpoints").glob(f"{results.key(record)}-*"):
                        left.unlink(missing_ok=True)
                done += 1
    finally:
        ranks.stop()
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


def run_of(record: results.Record) -> Run:
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


def repeat(
    record: results.Record, device: str | None = None, progress: bool = False
) -> results.Record:
    """The same run once more, with as many threads; raises if it would be another run."""
    run = run_of(record)
    threads = torch.get_num_threads()
    torch.set_num_threads(record["threads"])
    other = results.key(record).__ne__  # known before any training
    try:
        again = execute(run, load(run.data), device, progress, skip=other)
    finally:
        torch.set_num_threads(threads)
    if again is None:
        raise ValueError(
            f"{results.key(record)} cannot be repeated: settings or splits have changed since "
            f"commit {record['commit'][:7]}. Check that out and repeat it there."
        )
    return again
