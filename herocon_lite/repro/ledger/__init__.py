"""The claim ledger: one row for each claim of the paper, with a verdict and the page that shows it.

Built anew each time from :mod:`herocon_lite.repro.paper` (what is claimed), the records in
``results/`` (what our runs gave) and :mod:`herocon_lite.theory` (what can be computed on the
spot). A row whose runs do not exist yet says "not run" and fills itself in when they do.

The rules by which a row gets its verdict are functions: :mod:`herocon_lite.repro.ledger.rules`.
"""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from itertools import product
from pathlib import Path

from herocon_lite.repro import paper, public_code, query, store
from herocon_lite.repro.files import check_records, read_json
from herocon_lite.repro.ledger.figures import fig_2, fig_3, fig_4
from herocon_lite.repro.ledger.page import distinct
from herocon_lite.repro.ledger.proofs import Theorem, theorems
from herocon_lite.repro.ledger.rows import KINDS, Finding, Row
from herocon_lite.repro.ledger.rules import Verdict
from herocon_lite.repro.ledger.runs import OURS, Runs
from herocon_lite.repro.ledger.statements import CHECKS, not_applicable
from herocon_lite.repro.ledger.tables import cell, compare
from herocon_lite.repro.ledger.words import to_frame, to_markdown
from herocon_lite.repro.pages import PAGES


def ledger(folder: str | Path = "results") -> list[Row]:
    """All claims, in the paper's order within each kind.

    Args:
        folder: with ``runs/``, ``label_counts.json`` and ``efficiency.jsonl``.
    """
    folder = Path(folder)
    runs, released = Runs(query.load(folder), folder), public_code.means(folder)
    counts = read_json(folder / "label_counts.json", {"sets": {}})["sets"]
    return [
        *_statement_rows(counts),
        *_count_rows(counts),
        *_cell_rows(runs, released),
        *_comparison_rows(runs),
        *_figure_rows(runs, folder),
    ]


def _row(number: str, kind: str, claim: paper.Statement, found: Finding) -> Row:
    return Row(number, kind, claim.where, claim.claim, **found._asdict())


def _statement_rows(counts: dict) -> list[Row]:
    rows = []
    for number, claim in enumerate(paper.STATEMENTS, start=1):
        if claim.name in CHECKS:
            found = CHECKS[claim.name]()
        elif {"celeba", "scene"} <= counts.keys():
            found = not_applicable(counts)
        else:
            found = Finding(
                Verdict.NOT_RUN, "–", "the labels are not counted yet", "views_and_labels"
            )
        rows.append(_row(f"L{number}", "statement", claim, found))
    return rows


def _count_rows(counts: dict) -> list[Row]:
    rows = []
    for number, count in enumerate(paper.COUNTS, start=1):
        value = counts.get(count.data, {}).get(count.field)
        digits = 2 if isinstance(count.value, float) else 0
        page, title = PAGES["counts"], paper.TITLES[count.data]
        if value is None:
            found = Finding(Verdict.NOT_RUN, "–", "not counted yet", page, title)
        else:
            same = round(value, digits) == count.value
            verdict = Verdict.REPRODUCED if same else Verdict.NOT_REPRODUCED
            shown = f"{value:,.2f}".rstrip("0").rstrip(".")
            found = Finding(verdict, shown, "counted on the whole set", page, title)
        claim = paper.Statement(count.field, count.where, f"{count.claim}.")
        row = _row(f"N{number}", "count", claim, found)
        rows.append(replace(row, paper=f"{count.value:,}"))
    return rows


def _cell_rows(runs: Runs, released: dict) -> list[Row]:
    asked = [
        (data, method, metric)
        for data, methods in paper.RESULTS.items()
        for method, metric in product(methods, paper.METRICS)
    ]
    numbers = {key: f"T{number}" for number, key in enumerate(asked, start=1)}
    return [
        Row(
            number=number,
            kind="cell",
            where=f"{paper.PLACES[data]}, {paper.TITLES[data]}",
            claim=f"{metric} of {method}",
            data=paper.TITLES[data],
            page=PAGES[data],
            same_as=numbers.get((data, paper.same_row(data, method), metric), ""),
            **cell(runs, data, method, metric, released),
        )
        for (data, method, metric), number in numbers.items()
    ]


def _comparison_rows(runs: Runs) -> list[Row]:
    return [
        Row(
            number=f"S{number}",
            kind="comparison",
            where=sentence.where,
            claim=sentence.claim,
            data=paper.TITLES[sentence.data],
            page=PAGES[sentence.data],
            **compare(runs, sentence),
        )
        for number, sentence in enumerate(paper.COMPARISONS, start=1)
    ]


def _figure_rows(runs: Runs, folder: Path) -> list[Row]:
    found = {"fig_1": CHECKS["fig_1"]()}
    found |= fig_2(runs) | fig_3(runs) | fig_4(folder)
    return [
        _row(f"G{number}", "figure", claim, found[claim.name])
        for number, claim in enumerate(paper.FIGURES, start=1)
    ]


def command(arguments: Namespace) -> int:
    """Carry out ``python -m herocon_lite ledger``."""
    check_records(arguments.folder)
    rows = ledger(arguments.folder)
    if arguments.csv:
        print(to_frame(rows).to_csv(index=False), end="")
    else:
        print(to_markdown(rows))
        for name, digest in store.file_digests(arguments.folder).items():
            print(f"Made from {name}, SHA-256 {digest}.")
    return 0
