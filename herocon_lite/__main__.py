"""The command line: python -m herocon_lite COMMAND."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m herocon_lite",
        description="Contrastive learning for data with several views and several labels.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    bench = commands.add_parser(
        "bench", help="time and memory of the losses beside the literal formulas and libraries"
    )
    bench.add_argument(
        "--sizes", type=_size, nargs="+", help="numbers of samples (default: 500 … 50,000)"
    )
    bench.add_argument(
        "--folder", type=Path, default=Path("results"), help="where to save (default: %(default)s)"
    )
    bench.set_defaults(run=_bench)
    data = commands.add_parser(
        "data", help="the data doctor: which data sets are here, whole and right"
    )
    data.add_argument("name", nargs="?", help="one data set: its card and a few rows")
    data.set_defaults(run=_data)
    arguments = parser.parse_args(argv)
    return arguments.run(arguments)


def _bench(arguments: argparse.Namespace) -> int:
    from herocon_lite import bench

    rows = bench.run(tuple(arguments.sizes or bench.SIZES))
    print(bench.table(rows))
    bench.save(rows, arguments.folder)
    print(f"\nSaved in {arguments.folder}: bench.jsonl, bench.md.")
    return 0


def _data(arguments: argparse.Namespace) -> int:
    from herocon_lite.data import doctor

    return doctor(arguments.name)


def _size(text: str) -> int:
    number = int(text)
    if number < 2:
        raise argparse.ArgumentTypeError(f"a size is at least 2 samples; got {number}")
    return number


if __name__ == "__main__":
    sys.exit(main())
