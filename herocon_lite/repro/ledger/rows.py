"""What the ledger is made of: rows, and the findings that fill them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from herocon_lite.repro.entries import read_yaml
from herocon_lite.repro.ledger.rules import Verdict

_PARTS = ("statements", "theorems", "rules", "bar", "reasons", "not_run", "figure_2")
WORDS = read_yaml("ledger/words.yaml", _PARTS)
# Claim, what counts, verdict, as the page shows it
RULES = [(r.get("claim", ""), r["counts"], r["verdict"]) for r in WORDS["rules"]]

KINDS = {
    "statement": "Lemmas, ranges, special cases",
    "count": "Counts of labels",
    "cell": "Cells of Tables 2 and 3",
    "comparison": "Sentences that compare methods",
    "figure": "Figures",
}
HEADS = ["No.", "Claim", "Paper", "Public code", "Ours [95 %]", "Verdict"]  # of a table of rows


class Variant(NamedTuple):
    """A claim's verdict with one of several documented recipes for the data."""

    recipe: str
    ours: str
    seeds: int
    verdict: Verdict
    why: str


@dataclass(frozen=True)
class Row:
    """One claim."""

    number: str
    kind: str  # a key of KINDS
    where: str  # in the paper
    claim: str
    paper: str = "–"  # its value
    released: str = "–"  # what the public code gave
    ours: str = "–"
    lo: float = math.nan  # of the 95 % interval, for cells
    hi: float = math.nan
    data: str = "–"
    budget: str = "–"
    seeds: int = 0
    verdict: Verdict = Verdict.NOT_RUN
    why: str = ""
    beside: str = ""  # other runs that bear on it
    page: str = ""  # of the book
    same_as: str = ""  # the number of a row with the same runs, which alone is counted
    variants: tuple[Variant, ...] = ()  # the verdict with each documented noise

    @property
    def reason(self) -> str:
        """Why it has its verdict, as a sentence after a space; empty without any."""
        return f" {self.why[0].upper()}{self.why[1:].removesuffix('.')}." if self.why else ""


class Finding(NamedTuple):
    """What a check of a statement, a count or a figure gives to its row."""

    verdict: Verdict
    ours: str
    why: str
    page: str
    data: str = "–"
    budget: str = "–"
    seeds: int = 0
    beside: str = ""
