"""The command line: python -m herocon_lite COMMAND.

``commands.yaml`` lists the commands, their options, and the functions that carry them out.
"""

from __future__ import annotations

import ast
import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import herocon_lite
from herocon_lite.repro.entries import read_yaml
from herocon_lite.repro.files import check_records

WORDS = ("true", "false")  # of a shell's user, for Python's; "none" is a kind of projector


def main(argv: list[str] | None = None) -> int:
    """Run one command; return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a redirected Windows console may lack "−" and Greek
            stream.reconfigure(errors="replace")
    known = read_yaml("commands.yaml", ["shared", "commands"])
    arguments = _parser(**known).parse_args(argv)
    try:
        return find(known["commands"][arguments.command]["call"])(arguments)
    except (ValueError, OSError, FloatingPointError) as error:  # sentences for people
        print(error, file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("herocon_lite"):
            raise
        print(f'{error}. pip install "herocon-lite[repro]"', file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        stores = "stores" in known["commands"][arguments.command]
        more = " What is finished is stored; the same command resumes." if stores else ""
        print(f"\nStopped.{more}")
        return 130


def find(name: str) -> Callable[[Namespace], int]:
    """Return a function of this package, such as ``ledger.command``; its module may need torch."""
    module, function = name.split(".")
    return getattr(import_module(f"herocon_lite.repro.{module}"), function)


# ------------------------------------------------------------------ options


def _parser(shared: dict[str, dict], commands: dict[str, dict]) -> ArgumentParser:
    parser = ArgumentParser(
        prog="python -m herocon_lite",
        description="Contrastive learning for data with several views and several labels.",
    )
    version = f"herocon_lite {herocon_lite.__version__}"
    parser.add_argument("--version", action="version", version=version)
    words = parser.add_subparsers(dest="command", required=True)
    for name, about in commands.items():
        word = words.add_parser(name, help=about["help"])
        options = {flag: shared[flag] for flag in about.get("shared", [])}
        for flag, option in (options | about.get("options", {})).items():
            kind = {"type": TYPES[option["type"]]} if "type" in option else {}
            word.add_argument(flag, **option | kind)
        if name == "run" and "HEROCON_BUDGET" in os.environ:
            word.set_defaults(budget=os.environ["HEROCON_BUDGET"])
    return parser


def _size(text: str) -> int:
    if not text.isdecimal() or int(text) < 2:
        raise ArgumentTypeError(f"this is a whole number, at least 2; got {text}")
    return int(text)


def _seeds(text: str) -> range:
    from herocon_lite.repro.questions import seeds

    try:
        return seeds(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from error


def _change(text: str) -> tuple[str, object]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ArgumentTypeError(f"a change is NAME=VALUE; got {text}")
    try:
        return name, ast.literal_eval(value.capitalize() if value in WORDS else value)
    except (ValueError, SyntaxError):
        return name, value  # a word


TYPES = {"path": Path, "int": int, "size": _size, "seeds": _seeds, "change": _change}

# ------------------------------------------------------------------ commands of several modules


def run(arguments: Namespace) -> int:
    """Train and test methods; show the table of their data set."""
    from herocon_lite import memory
    from herocon_lite.methods import register_file
    from herocon_lite.repro import runner, settings

    memory.tune_malloc()
    methods = [register_file(name) if ".py:" in name else name for name in arguments.methods]
    same = ("data", "budget", "preset", "form", "protocol", "split", "views")
    kind = {name: getattr(arguments, name) for name in same}
    runs = [
        settings.Run(method=method, seed=seed, overrides=tuple(arguments.set), **kind)
        for seed in arguments.seeds
        for method in methods
    ]
    how = (arguments.device, arguments.keep_probabilities, arguments.replace_dirty)
    done = runner.execute_all(runs, arguments.folder, *how)
    if int(os.environ.get("RANK", 0)) > 0:  # of several processes the first one talks
        return 0
    skipped = len(runs) - done
    print(f"Ran {done}; skipped {skipped} already stored." if skipped else f"Ran {done}.")
    arguments.csv, arguments.against = False, None
    return table(arguments)


def table(arguments: Namespace) -> int:
    """Print means and intervals."""
    import pandas as pd

    from herocon_lite.repro import query, text

    check_records(arguments.folder)
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


def simulate(arguments: Namespace) -> int:
    """Make the stored simulations of the theory."""
    from herocon_lite.checks import check_choice
    from herocon_lite.repro import simulations

    for name in arguments.parts:
        check_choice("PART", name, simulations.PARTS)
    for name in arguments.parts or simulations.PARTS:
        simulations.PARTS[name]()
    return 0


def check_data(arguments: Namespace) -> int:
    """Say which data sets and records are here, whole and right."""
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


if __name__ == "__main__":
    sys.exit(main())
