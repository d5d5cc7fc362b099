"""The command line: python -m herocon_lite COMMAND.

A command is two functions, its options and what it does, and an entry in ``COMMANDS``.
"""

from __future__ import annotations

import argparse
import ast
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import herocon_lite

RESULTS = Path("results")


def main(argv: list[str] | None = None) -> int:
    """Run one command; return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a redirected Windows console may lack "−" and Greek
            stream.reconfigure(errors="replace")
    arguments = _parser().parse_args(argv)
    command = COMMANDS[arguments.command]
    try:
        return command.run(arguments)
    except (ValueError, OSError, FloatingPointError) as error:  # sentences for people
        print(error, file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("herocon_lite"):
            raise
        print(f'{error}. pip install "herocon-lite[repro]"', file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        more = " What is finished is stored; the same command resumes." if command.stores else ""
        print(f"\nStopped.{more}")
        return 130


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="python -m herocon_lite",
        description="Contrastive learning for data with several views and several labels.",
    )
    version = f"herocon_lite {herocon_lite.__version__}"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, command in COMMANDS.items():
        command.options(commands.add_parser(name, help=command.help))
    return parser


# ------------------------------------------------------------------ options of several commands


def _folder_options(parser: ArgumentParser) -> None:
    parser.add_argument("--folder", type=Path, default=RESULTS, help="the record of all runs")


def _format_options(parser: ArgumentParser) -> None:
    style = parser.add_mutually_exclusive_group()
    style.add_argument("--csv", action="store_true", help="for programs")
    style.add_argument("--md", action="store_true", help="Markdown, the default")


def _data_options(parser: ArgumentParser) -> None:
    parser.add_argument("data", nargs="?", help="one data set (default: all)")


# ------------------------------------------------------------------ commands


def _selfcheck_options(parser: ArgumentParser) -> None:
    parser.add_argument("--device", help="cpu, cuda, mps; default: the best one here")


def _selfcheck(arguments: Namespace) -> int:
    from herocon_lite.repro import selfcheck

    return selfcheck.run(arguments.device)


def _bench_options(parser: ArgumentParser) -> None:
    sizes = "numbers of samples (default: 500 … 50,000)"
    parser.add_argument("--sizes", type=_whole(2), nargs="+", help=sizes)
    where = "where to save (default: results, if all sizes are run)"
    parser.add_argument("--folder", type=Path, help=where)


def _bench(arguments: Namespace) -> int:
    from importlib.util import find_spec

    from herocon_lite.repro import benchmark, measure

    missing = [name for name in benchmark.LIBRARIES if find_spec(name.replace("-", "_")) is None]
    if missing:  # known now, not after an hour of timing
        raise ValueError(f"bench compares with other libraries: pip install {' '.join(missing)}")
    where = measure.where_measured()
    rows = benchmark.run(tuple(sorted({*(arguments.sizes or benchmark.SIZES)})))
    print(benchmark.table(rows))
    folder = arguments.folder or (None if arguments.sizes else RESULTS)
    if folder is None:
        print("\nNot saved: some sizes only. With --folder it is.")
    else:
        benchmark.save(rows, where, folder)
        print(f"\nSaved in {folder}: bench.jsonl, bench.md.")
    return 0


def _efficiency(arguments: Namespace) -> int:
    from herocon_lite.repro import efficiency, measure

    where = measure.where_measured()
    rows = efficiency.run()
    print(efficiency.table(rows))
    efficiency.save(rows, where, arguments.folder)
    print(f"\nSaved in {arguments.folder}: efficiency.jsonl.")
    return 0


def _run_options(parser: ArgumentParser) -> None:
    _folder_options(parser)
    add = parser.add_argument
    add("data", help="a data set, such as yeast; the command data lists them")
    methods = (
        "such as dnn, supcon, cmc, herocon-s, herocon-u or herocon (a wrong name lists them), or "
        "a class of your own: my_file.py:MyMethod"
    )
    add("methods", nargs="+", metavar="METHOD", help=methods)
    budget = "smoke (seconds), laptop (minutes) or paper (its settings; default: %(default)s)"
    add("--budget", default=os.environ.get("HEROCON_BUDGET", "smoke"), help=budget)
    _seeds_option(parser, "N: seeds 0 … N − 1; A-B: seeds A … B, for one job of several")
    add("--preset", default="paper", help="paper, its equations; or released, its public code's")
    changes = (
        "change settings of all methods named, or the schedule's: temperature=0.5 steps=100; "
        "a wrong name lists them"
    )
    many = {"nargs": "+", "action": "extend", "default": []}
    add("--set", type=_change, metavar="NAME=VALUE", help=changes, **many)
    add("--form", default="two_noisy", help="on data with one view: two_noisy or eq4")
    protocol = "transductive, inductive, or cross-validation: inside the labelled rows alone"
    add("--protocol", default="transductive", help=protocol)
    add("--split", default="paper", help="paper, released or utterance")
    add("--views", help="how one view becomes two: see herocon_lite.views.two_views")
    add("--device", help="cpu, cuda, mps; default: the best one here")
    keep = "store the probabilities of the test rows, too; runs stored without are made again"
    add("--keep-probabilities", action="store_true", help=keep)
    dirty = "make runs again whose record is dirty: from code that differed from its commit"
    add("--replace-dirty", action="store_true", help=dirty)


def _run(arguments: Namespace) -> int:
    from herocon_lite import memory
    from herocon_lite.methods import register_file
    from herocon_lite.repro import runner, settings

    memory.tune_malloc()
    methods = [register_file(name) if ".py:" in name else name for name in arguments.methods]
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
        for method in methods
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


def _table_options(parser: ArgumentParser) -> None:
    _folder_options(parser)
    _format_options(parser)
    _data_options(parser)
    against = "differences to this one, on the same seeds and splits"
    parser.add_argument("--against", metavar="METHOD", help=against)


def _table(arguments: Namespace) -> int:
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


def _reproduce_options(parser: ArgumentParser) -> None:
    from herocon_lite.repro import reproduce

    reproduce.options(parser)


def _reproduce(arguments: Namespace) -> int:
    from herocon_lite.repro import reproduce

    return reproduce.command(arguments)


def _no_runs(arguments: Namespace) -> int:
    from herocon_lite.data.cards import find_card
    from herocon_lite.repro import store

    if arguments.data:
        find_card(arguments.data)  # unknown names get a suggestion
    others = ", ".join(sorted({r["data"] for r in store.read(arguments.folder).values()}))
    if others:
        print(f"No finished runs on {arguments.data} in {arguments.folder}, only on {others}.")
    else:
        print(f"No finished runs in {arguments.folder} yet: python -m herocon_lite run …")
    return 1


def _ledger_options(parser: ArgumentParser) -> None:
    _folder_options(parser)
    _format_options(parser)


def _ledger(arguments: Namespace) -> int:
    from herocon_lite.repro import ledger, store

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
        for name, digest in store.file_digests(arguments.folder).items():
            print(f"Made from {name}, SHA-256 {digest}.")
    return 0


def _compare(arguments: Namespace) -> int:
    from herocon_lite.repro import estimator_benchmark

    rows = estimator_benchmark.run(arguments.folder)
    for name in estimator_benchmark.DATA:
        for other in estimator_benchmark.OPPONENTS:
            d = estimator_benchmark.differences(rows, name, other)
            print(f"{name}: AUC {d.mean:+.4f} [{d.lo:+.4f}, {d.hi:+.4f}] over {other}")
    return 0


def _beyond_options(parser: ArgumentParser) -> None:
    _folder_options(parser)
    parser.add_argument("data", choices=("scene", "mocha", "mnist"))
    _seeds_option(parser, "as for run")
    parser.add_argument("--device", help="as for run")


def _beyond(arguments: Namespace) -> int:
    from herocon_lite import memory
    from herocon_lite.repro import ablations, runner

    memory.tune_malloc()
    runs = ablations.runs(arguments.data, arguments.seeds)
    done = runner.execute_all(runs, arguments.folder, arguments.device)
    print(f"Ran {done}; skipped {len(runs) - done} already stored.")
    return 0


def _simulate_options(parser: ArgumentParser) -> None:
    parts = "bounds, dial, strangers, joint or scene, which needs the full data (default: all)"
    parser.add_argument("parts", nargs="*", metavar="PART", help=parts)


def _simulate(arguments: Namespace) -> int:
    from herocon_lite.checks import check_choice
    from herocon_lite.repro import simulations

    for name in arguments.parts:
        check_choice("PART", name, simulations.PARTS)
    for name in arguments.parts or simulations.PARTS:
        simulations.PARTS[name]()
    return 0


def _doctor_options(parser: ArgumentParser) -> None:
    _folder_options(parser)
    parser.add_argument("name", nargs="?", help="one data set: its card and a few rows")


def _doctor(arguments: Namespace) -> int:
    from herocon_lite.data import doctor
    from herocon_lite.repro import store

    code = doctor(arguments.name)
    if arguments.name is not None:
        return code
    records, faults = store.examine(arguments.folder)
    if records or faults:
        print(f"\n{len(records)} runs in {arguments.folder}, {len(faults)} lines set aside")
    for fault in faults:
        print(fault)
    return max(code, bool(faults))


# ------------------------------------------------------------------ values

WORDS = ("true", "false")  # of a shell's user, for Python's; "none" is a kind of projector


def _whole(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(
                f"this is a whole number, at least {least}; got {text}"
            )
        return int(text)

    return number


def _seeds_option(parser: ArgumentParser, about: str) -> None:
    parser.add_argument("--seeds", type=_seeds, default=range(1), metavar="N", help=about)


def _seeds(text: str) -> range:
    from herocon_lite.repro.questions import seeds

    try:
        return seeds(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _change(text: str) -> tuple[str, object]:
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"a change is NAME=VALUE; got {text}")
    try:
        return name, ast.literal_eval(value.capitalize() if value in WORDS else value)
    except (ValueError, SyntaxError):
        return name, value  # a word


class Command(NamedTuple):
    """One word of the command line."""

    help: str
    options: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], int]
    stores: bool = False  # each part as it ends, so that the same command resumes


COMMANDS = {
    "run": Command(
        "train and test methods on a data set; done runs are skipped", _run_options, _run, True
    ),
    "table": Command("means and 95 %% intervals of all finished runs", _table_options, _table),
    "reproduce": Command(
        "make stored runs again and compare; lists them with their cost",
        _reproduce_options,
        _reproduce,
        True,
    ),
    "ledger": Command(
        "every claim of the paper with a verdict, from all finished runs", _ledger_options, _ledger
    ),
    "data": Command(
        "the data doctor: which data sets and records are here, whole and right",
        _doctor_options,
        _doctor,
    ),
    "selfcheck": Command(
        "every loss and a short training on this machine's GPU, beside the processor",
        _selfcheck_options,
        _selfcheck,
    ),
    "beyond": Command(
        "HeroCon with single changes: cross-validated, and tested", _beyond_options, _beyond, True
    ),
    "compare": Command(
        "the estimator beside its bare network, forests and logistic regression, ten splits",
        _folder_options,
        _compare,
        True,
    ),
    "simulate": Command("the stored simulations of the theory", _simulate_options, _simulate, True),
    "bench": Command(
        "time and memory of the losses beside the literal formulas and libraries",
        _bench_options,
        _bench,
    ),
    "efficiency": Command(
        "time and memory of training against the sizes of its sets (Fig. 4)",
        _folder_options,
        _efficiency,
    ),
}


if __name__ == "__main__":
    sys.exit(main())
