"""The ledger's rows as a table, for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from herocon_lite.repro.pages import link

if TYPE_CHECKING:
    import pandas as pd

    from herocon_lite.repro.ledger import Row


def to_frame(rows: Sequence[Row]) -> pd.DataFrame:
    """One row a claim, for ``--csv``."""
    import pandas as pd

    return pd.DataFrame([asdict(row) for row in rows])


def to_markdown(rows: Sequence[Row], book: Path | None = None) -> str:
    """A table for people, without columns in which nothing stands; with ``book``, links."""
    table = [["No.", "Claim", "Paper", "Public code", "Ours [95 %]", "Verdict"]]
    for row in rows:
        ours = row.ours
        if row.seeds:
            seeds = "one run" if row.seeds == 1 else f"{row.seeds} seeds"
            ours += f" ({seeds}, budget {row.budget})"
        if row.beside:
            ours += f" *Beside: {row.beside}*"
        name = row.page if book is None else link(row.page, book)
        why = f" {row.why[0].upper()}{row.why[1:].removesuffix('.')}." if row.why else ""
        claim, verdict = f"{row.claim} *{row.where}*", f"**{row.verdict}**.{why} {name}"
        table.append([row.number, claim, row.paper, row.released, ours, verdict])
    kept = [n for n, column in enumerate(zip(*table[1:], strict=True)) if set(column) != {"–"}]
    lines = [[cells[n].replace("|", "/") for n in kept] for cells in table]
    lines.insert(1, ["---"] * len(kept))
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
