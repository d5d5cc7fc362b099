"""The page of promises names tests that are there, and true figures."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "book" / "promises.md").read_text("utf-8")


def test_each_test_on_the_page_exists():
    named = re.findall(r"`(test_\w+)`", PAGE)
    code = "".join(path.read_text("utf-8") for path in ROOT.glob("tests/*/test_*.py"))
    assert len(named) > 15
    assert [name for name in named if f"def {name}(" not in code] == []


def test_the_figures_are_those_of_the_record():
    lines = json.loads((ROOT / "results" / "faults.json").read_text("utf-8"))
    table = PAGE.split("## Last figures")[1].split("## Where")[0]
    rows = [row.strip("| ").split(" | ") for row in table.splitlines() if row.startswith("| ")]
    assert rows[1:] == [[r["trial"], r["cases"], r["found"], f"`{r['command']}`"] for r in lines]
