"""What the authors' public code gave on its own folds of Scene: a record, measured elsewhere.

``results/public_code.json`` says where the values come from. They are shown beside ours and judge
nothing.
"""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

from herocon_lite.repro.files import read_json

FILE = "public_code.json"


def read(folder: str | Path = "results") -> dict:
    """Return the record; empty where there is none."""
    return read_json(Path(folder) / FILE, {})


def means(folder: str | Path = "results") -> dict[tuple[str, str], tuple[float, float]]:
    """Return mean F1 and AUC over the folds, by (data set, the paper's name of a method)."""
    return {
        (entry["data"], entry["method"]): (fmean(entry["f1"]), fmean(entry["auc"]))
        for entry in read(folder).get("runs", [])
    }
