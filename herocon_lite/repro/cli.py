"""The command line: python -m herocon_lite COMMAND."""

from __future__ import annotations

import argparse
import ast
import os
import sys
from collections.abc import Callable
from pathlib import Path


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m herocon_lite",
        description="Contrastive learning for data with several views and several labels.",
    )
    stored = argparse.ArgumentParser(add_help=False)  # what several commands share
    stored.add_argument(
        "--folder", type=Path, default=Path("results"), help="the record of all runs"
    )
    printed = argparse.ArgumentParser(add_help=False)
    style = printed.add_mutually_exclusive_group()
    style.add_argument("--csv", action="store_true", help="for programs")
    style.add_argument("--md", action="store_true", help="Markdown, the default")
    commands = parser.add_subparsers(dest="command", required=True)
    benchmark = commands.add_parser(
        "bench", help="time and memory of the losses beside the literal formulas and libraries"
    )
    benchmark.add_argument(
        "--sizes", type=_whole(2), nargs="+", help="numbers of samples (default: 500 … 50,000)"
    )
    benchmark.add_argument(
        "--folder", type=Path, help="where to save (default: results, if all sizes are run)"
    )
    benchmark.set_defaults(run=_bench)
    efficiency = commands.add_parser(
        "efficiency", help="time and memory of training against the sizes of its sets (Fig. 4)"
    )
    efficiency.add_argument(
        "--folder", type=Path, default=Path("results"), help="where to save (default: %(default)s)"
    )
    efficiency.set_defaults(run=_efficiency)
    run = commands.add_parser(
        "run", parents=[stored], help="train and test methods on a data set; done runs are skipped"
    )
    run.add_argument("data", help="a data set, such as yeast; the command data lists them")
    run.add_argument(
        "methods",
        nargs="+",
        metavar="METHOD",
        help="such as dnn, supcon, cmc, herocon-s, herocon-u or herocon; a wrong name lists them",
    )
    run.add_argument(
        "--budget",
        default=os.environ.get("HEROCON_BUDGET", "smoke"),
        help="smoke (seconds), laptop (minutes) or paper (its settings; default: %(default)s)",
    )
    run.add_argument(
        "--seeds",
        type=_seeds,
        default=range(1),
        metavar="N",
        help="N: seeds 0 … N − 1; A-B: seeds A … B, for one job of several",
    )
    run.add_argument(
        "--preset", default="paper", help="paper, its equations; or released, its public code's"
    )
    run.add_argument(
        "--set",
        type=_change,
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=VALUE",
        help="change settings of all methods named, or the schedule's: temperature=0.5 steps=100; "
        "a wrong name lists them",
    )
    run.add_argument("--form", default="two_noisy", help="on data with one view: two_noisy or eq4")
    run.add_argument(
        "--protocol",
        default="transductive",
        help="transductive, inductive, or cross-validation: inside the labelled rows alone",
    )
    run.add_argument("--split", default="paper", help="paper, released or utterance")
    run.add_argument("--views", help="how one view becomes two: see herocon_lite.views.two_views")
    run.add_argument("--device", help="cpu, cuda, mps; default: the best one here")
    run.add_argument(
        "--keep-probabilities",
        action="store_true",
        help="store the probabilities of the test rows, too; runs stored without are made again",
    )
    run.add_argument(
        "--replace-dirty",
        action="store_true",
        help="make runs again whose record is dirty: from code that differed from its commit",
    )
    run.set_defaults(run=_run)
    table = commands.add_parser(
        "table", parents=[stored, printed], help="means and 95 %% intervals of all finished runs"
    )
    table.add_argument("data", nargs="?", help="one data set (default: all)")
    table.add_argument(
        "--against", metavar="METHOD", help="differences to this one, on the same seeds and splits"
    )
    table.set_defaults(run=_table)
    repeat = commands.add_parser(
        "repeat", parents=[stored], help="run some stored runs again, picked at random, and compare"
    )
    repeat.add_argument("data", nargs="?", help="one data set (default: all)")
    repeat.add_argument(
        "--count", type=_whole(1), default=3, help="how many (default: %(default)s)"
    )
    repeat.add_argument("--seed", type=int, help="of the pick, to pick the same ones again")
    repeat.add_argument("--device", help="as for run; another one than the record's may differ")
    repeat.set_defaults(run=_repeat)
    ledger = commands.add_parser(
        "ledger",
        parents=[stored, printed],
        help="every claim of the paper with a verdict, from all finished runs",
    )
    ledger.set_defaults(run=_ledger)
    estimator_benchmark = commands.add_parser(
        "compare", help="the estimator beside its bare network and logistic regression, ten splits"
    )
    estimator_benchmark.add_argument(
        "--folder", type=Path, default=Path("results"), help="where to save"
    )
    estimator_benchmark.set_defaults(run=_compare)
    ablations = commands.add_parser(
        "beyond", parents=[stored], help="HeroCon with single changes: cross-validated, and tested"
    )
    ablations.add_argument("data", choices=("scene", "mocha", "mnist"))
    ablations.add_argument("--seeds", type=_seeds, default=range(1), metavar="N", help="as for run")
    ablations.add_argument("--device", help="as for run")
    ablations.set_defaults(run=_beyond)
    data = commands.add_parser(
        "data", help="the data doctor: which data sets are here, whole and right"
    )
    data.add_argument("name", nargs="?", help="one data set: its card and a few rows")
    data.set_defaults(run=_data)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a redirected Windows console may lack "−" and Greek
            stream.reconfigure(errors="replace")
    arguments = parser.parse_args(argv)
    try:
        return arguments.run(arguments)
    except (ValueError, OSError, FloatingPointError) as error:  # sentences for people
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        stores = arguments.command in ("run", "beyond", "compare")
        more = " What is finished is stored; the same command goes on from here." if stores else ""
        print(f"\nStopped.{more}")
        return 130


def _bench(arguments: argparse.Namespace) -> int:
    from importlib.util import find_spec

    from herocon_lite.repro import benchmark, measure

    missing = [name for name in benchmark.LIBRARIES if find_spec(name.replace("-", "_")) is None]
    if missing:  # known now, not after an hour of timing
        raise ValueError(f"bench compares with other libraries: pip install {' '.join(missing)}")
    where = measure.where_measured()
    rows = benchmark.run(tuple(sorted({*(arguments.sizes or benchmark.SIZES)})))
    print(benchmark.table(rows))
    folder = arguments.folder or (None if arguments.sizes else Path("results"))
    if folder is None:
        print("\nNot saved: some sizes only. With --folder it is.")
    else:
        benchmark.save(rows, where, folder)
        print(f"\nSaved in {folder}: bench.jsonl, bench.md.")
    return 0


def _efficiency(arguments: argparse.Namespace) -> int:
    from herocon_lite.repro import efficiency, measure

    where = measure.where_measured()
    rows = efficiency.run()
    print(efficiency.table(rows))
    efficiency.save(rows, where, arguments.folder)
    print(f"\nSaved in {arguments.folder}: efficiency.jsonl.")
    return 0


def _run(arguments: argparse.Namespace) -> int:
    from herocon_lite import memory
    from herocon_lite.repro import runner, settings

    memory.tune_malloc()
    runs = [
        settings.Run(
            arguments.data,
            method,
            seed,
            arguments.budget,
            arguments.preset,
            arguments.form,
            arguments.protocol,
            arguments.split,
            tuple(arguments.set),
            arguments.views,
        )
        for seed in arguments.seeds
        for method in arguments.methods
    ]
    done = runner.execute_all(
        runs,
        arguments.folder,
        arguments.device,
        arguments.keep_probabilities,
        arguments.replace_dirty,
    )
    if int(os.environ.get("RANK", 0)) > 0:  # of several processes the first one talks
        return 0
    skipped = len(runs) - done
    print(f"Ran {done}; skipped {skipped} already stored." if skipped else f"Ran {done}.")
    arguments.csv, arguments.against = False, None
    return _table(arguments)


def _table(arguments: argparse.Namespace) -> int:
    import pandas as pd

    from herocon_lite.repro import query, text

    where = {"data": arguments.data} if arguments.data else {}
    frame = query.load(arguments.folder, **where)
    if frame.empty:
        return _no_runs(arguments)
    what, form = "mean", ".3f"
    if arguments.against:
        frame = query.against(frame, arguments.against)
        what, form = f"difference to {arguments.against}, mean", "+.4f"
    tables = {kind: query.table(rows) for kind, rows in frame.groupby(["data", "split.how"])}
    if arguments.csv:
        whole = pd.concat(tables, names=["data", "split"]).reset_index([0, 1])
        print(whole.to_csv(index=False), end="")
        return 0
    for (name, how), table in tables.items():
        about = f"{name}, {how} split: {what} and 95 % t interval over seeds"
        print(f"{about}\n\n{text.runs_to_markdown(table, form)}\n")
    return 0


def _repeat(arguments: argparse.Namespace) -> int:
    import random

    from herocon_lite import memory
    from herocon_lite.data.cards import CARDS
    from herocon_lite.data.doctor import examine
    from herocon_lite.repro import runner, store

    memory.tune_malloc()
    stored = store.read(arguments.folder).values()
    stored = [r for r in stored if arguments.data in (None, r["data"])]
    if not stored:
        return _no_runs(arguments)
    if arguments.data is None:
        here = {name for name in CARDS if examine(CARDS[name])[1]}
        absent = sorted({r["data"] for r in stored} - here)
        stored = [r for r in stored if r["data"] in here]
        if absent:
            print(f"Not picked from, since the data are not here: {', '.join(absent)}.")
        if not stored:
            return 1
    worst = 0.0
    for record in random.Random(arguments.seed).sample(stored, min(arguments.count, len(stored))):
        print(f"A run that took {record['seconds']:.0f} seconds:", flush=True)
        again = runner.repeat(record, arguments.device, progress=True)
        f1 = [r["metrics"]["f1"] for r in (record, again)]
        worst = max(worst, abs(f1[1] - f1[0]))
        name = f"{record['data']} {record['method']}, seed {record['seed']}"
        print(f"{name} ({store.key(record)}): F1 {f1[0]:.6f}, again {f1[1]:.6f}")
    print(f"Largest difference: {worst:.1e}")
    return 0 if worst < 1e-3 else 1


def _no_runs(arguments: argparse.Namespace) -> int:
    from herocon_lite.data.cards import find_card
    from herocon_lite.repro import store

    if arguments.data:
        find_card(arguments.data)  # unknown names get a suggestion
    others = ", ".join(sorted({r["data"] for r in store.read(arguments.folder).values()}))
    told = f" on {arguments.data} in {arguments.folder}; there are some on {others}."
    told = told if others else f" in {arguments.folder} yet: python -m herocon_lite run …"
    print(f"No finished runs{told}")
    return 1


def _ledger(arguments: argparse.Namespace) -> int:
    from herocon_lite.repro import ledger

    if not arguments.folder.is_dir():
        raise ValueError(
            f"folder must hold the records, as results/ does; there is no {arguments.folder} here. "
            "Run this from the top of the repository, or name it with --folder."
        )
    rows = ledger.ledger(arguments.folder)
    if arguments.csv:
        print(ledger.to_frame(rows).to_csv(index=False), end="")
    else:
        print(ledger.to_markdown(rows))
    return 0


def _compare(arguments: argparse.Namespace) -> int:
    from herocon_lite.repro import estimator_benchmark

    rows = estimator_benchmark.run(arguments.folder)
    for name in estimator_benchmark.DATA:
        for other in ("network", "logistic_regression"):
            d = estimator_benchmark.differences(rows, name, other)
            print(f"{name}: AUC {d.mean:+.4f} [{d.lo:+.4f}, {d.hi:+.4f}] over {other}")
    return 0


def _beyond(arguments: argparse.Namespace) -> int:
    from herocon_lite import memory
    from herocon_lite.repro import ablations, runner

    memory.tune_malloc()
    runs = ablations.runs(arguments.data, arguments.seeds)
    done = runner.execute_all(runs, arguments.folder, arguments.device)
    print(f"Ran {done}; skipped {len(runs) - done} already stored.")
    return 0


def _data(arguments: argparse.Namespace) -> int:
    from herocon_lite.data import doctor

    return doctor(arguments.name)


WORDS = ("true", "false")  # of a shell's user, for Python's; "none" is a kind of projector


def _whole(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(
                f"this is a whole number, at least {least}; got {text}"
            )
        return int(text)

    return number


def _seeds(text: str) -> range:
    first, dash, last = text.partition("-")
    try:
        seeds = range(int(first), int(last) + 1) if dash else range(int(text))
    except ValueError:
        seeds = range(0)
    if not seeds:
        raise argparse.ArgumentTypeError(f"seeds are N or A-B, at least one; got {text}")
    return seeds


def _change(text: str) -> tuple[str, object]:
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"a change is NAME=VALUE; got {text}")
    try:
        return name, ast.literal_eval(value.capitalize() if value in WORDS else value)
    except (ValueError, SyntaxError):
        return name, value  # a word


if __name__ == "__main__":
    sys.exit(main())
