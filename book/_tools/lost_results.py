"""List the paired comparisons of an older commit's chapters that stand on no page of today.

    python book/_tools/lost_results.py 965880f

A comparison is a difference with its interval in a stored output; one that was turned round
(b − a for a − b) counts as found.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

BOOK = Path(__file__).resolve().parents[1]
EFFECT = re.compile(r"([+-]\d+\.\d+)\s*\[\s*([+-]?\d+\.\d+),?\s+(?:to )?([+-]?\d+\.\d+)\]")
SPACES = str.maketrans({"\u202f": " ", "\u00a0": " ", "−": "-", "*": ""})


def effects(notebook: dict) -> dict[tuple[float, ...], str]:
    """Return {(estimate, lower end, upper end): the line it stands on} of all text outputs."""
    found: dict[tuple[float, ...], str] = {}
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            texts = [v for k, v in output.get("data", {}).items() if k.startswith("text/")]
            shown = "".join(map("".join, [output.get("text", []), *texts]))
            for line in shown.translate(SPACES).split("\n"):
                for match in EFFECT.finditer(line):
                    found.setdefault(tuple(float(v) for v in match.groups()), line[:100])
    return found


def git(*words: str) -> str:
    return subprocess.run(["git", *words], capture_output=True, text=True, check=True).stdout


def main(commit: str) -> int:
    """Print what is lost; return how many."""
    today = {
        e for path in BOOK.glob("*.ipynb") for e in effects(json.loads(path.read_text("utf-8")))
    }
    today |= {(-estimate, -hi, -lo) for estimate, lo, hi in today}
    older = [
        p for p in git("ls-tree", "-r", "--name-only", commit, "book/").split() if p.endswith("nb")
    ]
    count = lost = 0
    for path in older:
        found = effects(json.loads(git("show", f"{commit}:{path}")))
        missing = {effect: line for effect, line in found.items() if effect not in today}
        count, lost = count + len(found), lost + len(missing)
        for line in missing.values():
            print(f"{path}: {line}")
    print(f"{lost} of {count} comparisons are on no page.")
    return lost


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) > 0)
