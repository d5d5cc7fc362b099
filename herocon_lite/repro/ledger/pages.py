"""The ledger for people: which page shows a row, and the rows as a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from herocon_lite.repro.ledger import Row

# Pages by topic, as patterns on the names in the table of contents; first match wins.
TOPICS = {
    "scene": r"scene",
    "mnist": r"mnist",
    "xrmb": r"speech|xrmb|mocha",
    "celeba": r"celeba",
    "noise": r"noise|case_study",
    "parameters": r"param",
    "efficiency": r"effic",
}
FALLBACK = "A2_point_by_point"  # until a topic has its page: the tables, asked


class Pages:
    """The book's pages by topic, from its table of contents, so that no link is dead."""

    def __init__(self, book: Path):
        toc = book / "_toc.yml"
        self.names = re.findall(r"file: (\S+)", toc.read_text("utf-8")) if toc.exists() else []
        self.book = book

    def of(self, topic: str) -> str:
        """The page on a topic, or the one with the tables while it is not written."""
        for name in self.names:
            if not name.startswith("A") and re.search(TOPICS[topic], name):
                return name
        return FALLBACK

    def title(self, name: str) -> str:
        """What stands at the top of a page; its name, if the page is not here."""
        source = self.book / f"{name}.py"
        found = (
            re.search(r"^# # (.+)$", source.read_text("utf-8"), re.M) if source.exists() else None
        )
        return found[1] if found else name


def to_frame(rows: Sequence[Row]) -> pd.DataFrame:
    """One row a claim, for ``--csv``."""
    import pandas as pd

    return pd.DataFrame([asdict(row) for row in rows])


def to_markdown(rows: Sequence[Row], pages: Pages | None = None) -> str:
    """A table for people, without columns in which nothing stands; with ``pages``, links."""
    table = [["No.", "Claim", "Paper", "Public code", "Ours [95 %]", "Verdict"]]
    for row in rows:
        ours = row.ours
        if row.seeds:
            seeds = "one run" if row.seeds == 1 else f"{row.seeds} seeds"
            ours += f" ({seeds}, budget {row.budget})"
        if row.beside:
            ours += f" *Beside: {row.beside}*"
        name = f"[{pages.title(row.page)}]({row.page}.ipynb)" if pages else row.page
        why = f" {row.why[0].upper()}{row.why[1:].removesuffix('.')}." if row.why else ""
        claim, verdict = f"{row.claim} *{row.where}*", f"**{row.verdict}**.{why} {name}"
        table.append([row.number, claim, row.paper, row.released, ours, verdict])
    kept = [n for n, column in enumerate(zip(*table[1:], strict=True)) if set(column) != {"–"}]
    lines = [[cells[n].replace("|", "/") for n in kept] for cells in table]
    lines.insert(1, ["---"] * len(kept))
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
