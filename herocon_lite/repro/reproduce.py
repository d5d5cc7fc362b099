"""Make stored runs again, each in a store of one's own, and compare; or make what a page lacks."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

from herocon_lite.checks import check_choice
from herocon_lite.repro import plan, store
from herocon_lite.repro.entries import read_yaml
from herocon_lite.repro.query import METRICS, format_overrides
from herocon_lite.repro.settings import Run, non_default_overrides


class Job(NamedTuple):
    """A run to make, and the record that it is compared with."""

    run: Run
    stored: store.Record | None  # None: a page needs it, and nobody has made it yet

    @property
    def cost(self) -> float:
        """Seconds of one core, as stored; 0 if not known."""
        record = self.stored or {}
        return record.get("cpu_seconds") or record.get("seconds") or 0.0


def jobs(folder: Path, only: str | None = None, budget: str | None = None) -> list[Job]:
    """List the stored runs, and those that a page needs and are not stored.

    Args:
        folder: of the records.
        only: a data set or a page; None: all.
        budget: leave out others.
    """
    from herocon_lite.data.cards import CARDS

    known = (r for r in store.read(folder).values() if "@" not in r["method"])  # not a reader's own
    stored = {_identity(Run.from_record(r)): r for r in known}
    if only is not None:
        check_choice("--only", only, sorted({*CARDS, *plan.pages()}))
    if only in plan.pages() and only not in CARDS:
        runs = plan.runs(only)
    else:
        runs = [Run.from_record(r) for r in stored.values()]
        runs += [run for page in plan.pages() for run in plan.runs(page)]
        runs = [run for run in runs if only in (None, run.data)]
    unique = {_identity(run): run for run in runs if budget in (None, run.budget)}
    return [Job(run, stored.get(name)) for name, run in unique.items()]


def command(arguments: Namespace) -> int:
    """Carry out ``python -m herocon_lite reproduce``."""
    from herocon_lite import memory

    found = jobs(arguments.folder, arguments.only, arguments.budget)
    here = arguments.into.resolve() == arguments.folder.resolve()
    made = {_identity(Run.from_record(r)): r for r in store.read(arguments.into).values()}
    left = [job for job in found if _identity(job.run) not in made]
    absent = _absent({job.run.data for job in left})
    _print_plan(found, left, absent)
    if arguments.list:
        return 0
    memory.tune_malloc()
    now = [job for job in left if job.run.data not in absent][: arguments.limit]
    made |= _make(now, arguments)
    if here:
        return 0
    pairs = [(job.stored, made[_identity(job.run)]) for job in found if _identity(job.run) in made]
    return print_differences([(old, new) for old, new in pairs if old])


def _make(now: list[Job], arguments: Namespace) -> dict[tuple, store.Record]:
    """Execute the jobs that have no record yet, with a bar that counts seconds where known."""
    from herocon_lite.repro import runner

    into, changed = arguments.into, []
    bar = tqdm(total=round(sum(job.cost for job in now)), unit="s", disable=not now)
    for number, (run, stored) in enumerate(now, 1):
        bar.set_description(f"{number} of {len(now)}: {run.data} {run.method}, seed {run.seed}")
        if stored is None or arguments.keep_probabilities:
            runner.execute_all([run], into, arguments.device, arguments.keep_probabilities)
        else:
            try:
                record = runner.repeat(stored, arguments.device, checkpoint=into / "checkpoints")
                runner.store_record(record, into)
            except ValueError as error:
                changed.append(str(error))
        bar.update(round(Job(run, stored).cost))
    bar.close()
    for sentence in changed:
        print(sentence)
    return {_identity(Run.from_record(r)): r for r in store.read(into).values()}


def print_differences(pairs: Iterable[tuple[store.Record, store.Record]]) -> int:
    """Print stored and new scores side by side.

    Returns:
        1 if a run differs by more than it may, else 0.
    """
    broken = 0
    for old, new in pairs:
        same = _machine(old) == _machine(new)
        limits = dict.fromkeys(METRICS, 0.0) if same else tolerance(old["method"])
        why = "same processor: no difference allowed" if same else "another processor"
        name = f"{old['data']} {old['method']} {format_overrides(old['changes'])}".strip()
        print(f"{name}, seed {old['seed']} ({why})")
        for metric in METRICS:
            a, b = old["metrics"][metric], new["metrics"][metric]
            fits = abs(a - b) <= limits[metric]
            broken += not fits
            verdict = "as it must be" if fits else "TOO FAR"
            print(
                f"  {metric.upper():3} stored {a:.6f}, now {b:.6f}, difference {b - a:+.1e}, "
                f"allowed {limits[metric]:.0e}: {verdict}"
            )
    return int(broken > 0)


@cache
def _tolerances() -> dict[str, dict[str, float]]:
    content = read_yaml("tolerances.yaml", ["usual"], ["deepmtmv", "c2ae"])
    return content


def tolerance(method: str) -> dict[str, float]:
    """Return by how much a method's scores may differ on another kind of processor.

    Example:
        >>> tolerance("herocon")
        {'f1': 0.002, 'auc': 0.002}
    """
    return _tolerances().get(method, _tolerances()["usual"])


def _machine(record: store.Record) -> tuple:
    """What decides the last digits of a run, beside the code."""
    names = ("device", "threads", "instructions", "bfloat16")
    return (*(record.get(name) for name in names), record["versions"]["torch"])


def _identity(run: Run) -> tuple:
    changes = format_overrides(non_default_overrides(run))
    kind = (run.data, run.method, run.seed, run.budget, run.preset, run.form, run.protocol)
    return (*kind, run.split, changes)


def _absent(names: set[str]) -> dict[str, str]:
    """Return the data sets that are not on this machine, and what each needs."""
    from herocon_lite.data.cards import CARDS
    from herocon_lite.data.doctor import examine

    found = {name: examine(CARDS[name]) for name in sorted(names)}
    return {name: needs for name, (_, usable, needs) in found.items() if not usable}


def _print_plan(found: list[Job], left: list[Job], absent: dict[str, str]) -> None:
    todo = Counter(job.run.data for job in left)
    for name in dict.fromkeys(job.run.data for job in found):
        mine = [job for job in found if job.run.data == name]
        hours = sum(job.cost for job in left if job.run.data == name) / 3600
        unknown = sum(not job.stored for job in mine)
        new = f", {unknown} not stored yet" if unknown else ""
        line = f"{name}: {len(mine)} runs{new}; {todo[name]} to make, {hours:.1f} core-hours known"
        print(line + (f"; not on this machine: {absent[name]}" if name in absent else ""))
