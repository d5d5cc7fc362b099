"""The command line: python -m herocon_lite COMMAND.

``commands.yaml`` lists the commands and their options; here is what they do.
"""

from __future__ import annotations

import ast
import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path

import herocon_lite
from herocon_lite.repro.entries import read_yaml

RESULTS = Path("results")
WORDS = ("true", "false")  # of a shell's user, for Python's; "none" is a kind of projector


def main(argv: list[str] | None = None) -> int:
    """Run one command; return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a redirected Windows console may lack "−" and Greek
            stream.reconfigure(errors="replace")
    known = read_yaml("commands.yaml", ["shared", "commands"])
    arguments = _parser(**known).parse_args(argv)
    try:
        return COMMANDS[arguments.command](arguments)
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

# ------------------------------------------------------------------ what commands do


def _selfcheck(arguments: Namespace) -> int:
    from herocon_lite.repro import selfcheck

    return selfcheck.run(arguments.device)


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


def _run(arguments: Namespace) -> int:
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
    return _table(arguments)


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


def _reproduce(arguments: Namespace) -> int:
    from herocon_lite.repro import reproduce

    return reproduce.command(arguments)


def _compare(arguments: Namespace) -> int:
    from herocon_lite.repro import estimator_benchmark

    rows = estimator_benchmark.run(arguments.folder)
    for name in estimator_benchmark.DATA:
        for other in estimator_benchmark.OPPONENTS:
            d = estimator_benchmark.differences(rows, name, other)
            print(f"{name}: AUC {d.mean:+.4f} [{d.lo:+.4f}, {d.hi:+.4f}] over {other}")
    return 0


def _beyond(arguments: Namespace) -> int:
    from herocon_lite import memory
    from herocon_lite.repro import ablations, runner

    memory.tune_malloc()
    runs = ablations.runs(arguments.data, arguments.seeds)
    done = runner.execute_all(runs, arguments.folder, arguments.device)
    print(f"Ran {done}; skipped {len(runs) - done} already stored.")
    return 0


def _simulate(arguments: Namespace) -> int:
    from herocon_lite.checks import check_choice
    from herocon_lite.repro import simulations

    for name in arguments.parts:
        check_choice("PART", name, simulations.PARTS)
    for name in arguments.parts or simulations.PARTS:
        simulations.PARTS[name]()
    return 0


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


COMMANDS = {
    "run": _run,
    "table": _table,
    "reproduce": _reproduce,
    "ledger": _ledger,
    "data": _doctor,
    "selfcheck": _selfcheck,
    "beyond": _beyond,
    "compare": _compare,
    "simulate": _simulate,
    "bench": _bench,
    "efficiency": _efficiency,
}

if __name__ == "__main__":
    sys.exit(main())
