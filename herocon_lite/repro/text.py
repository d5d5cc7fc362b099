"""How a number or a table is shown."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from herocon_lite.repro.query import GROUP

if TYPE_CHECKING:
    import pandas as pd


def runs_to_markdown(rows: pd.DataFrame, form: str = ".3f") -> str:
    """A :func:`table` for people: mean with interval; a single run is said to be one."""
    import pandas as pd

    lines = [
        "| " + " | ".join([*GROUP, "seeds", "F1 [95 %]", "AUC [95 %]"]) + " |",
        "|" + "---|" * len(GROUP) + "--:|---|---|",
    ]
    for row in rows.to_dict("records"):
        names = ["–" if pd.isna(row[name]) else str(row[name]) for name in GROUP]
        cells = [
            _cell(row["seeds"], form, *(row[m + end] for end in ("", "_lo", "_hi")))
            for m in ("f1", "auc")
        ]
        lines.append("| " + " | ".join([*names, str(row["seeds"]), *cells]) + " |")
    return "\n".join(lines)


def _cell(seeds: int, form: str, mean: float, lo: float, hi: float) -> str:
    if math.isnan(mean):
        return "undefined"
    mean, lo, hi = (format(value, form) for value in (mean, lo, hi))
    return f"{mean} (one run)" if seeds == 1 else f"{mean} [{lo}, {hi}]"
