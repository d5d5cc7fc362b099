"""List the paired comparisons of an older commit's chapters that stand on no page of today.

    python book/_tools/lost_results.py 965880f

A comparison is a difference with its interval in a stored output. It counts as found if it was
turned round (b − a for a − b), or is given with more decimals now. Runs that were added since
change a comparison's numbers: then it is listed, and a person looks for it.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

BOOK = Path(__file__).resolve().parents[1]
NUMBER = r"([+-]?\d+\.\d+)"
EFFECT = re.compile(
    rf"([+-]\d+\.\d+)\s*\[\s*{NUMBER},?\s+(?:to )?{NUMBER}\]"  # signed: a level has no sign
    rf"|{NUMBER} points \(95 % CI {NUMBER} to {NUMBER}\)"  # in a sentence
)
SPACES = str.maketrans({"\u202f": " ", "\u00a0": " ", "−": "-", "*": ""})
# Measured anew since, so that no number is the same. Part of the old page and line: where today.
AGAIN = {
    "04_three_lines": "your_data: the estimator is another one since version 0.2",
    "public code's noise: HeroCon-s - DNN": "extended_mnist: ten seeds, not three",
}


class Effect(NamedTuple):
    """An estimate and its interval, as printed with so many decimals."""

    ends: tuple[float, ...]
    decimals: int

    def is_told_by(self, other: "Effect") -> bool:
        """Does the other print the same numbers, up to its sign, with as many decimals or more?"""
        if other.decimals < self.decimals:
            return False
        rounding = 0.5 * (10**-self.decimals + 10**-other.decimals)
        within = 1e-9 + (rounding if other.decimals > self.decimals else 0)
        estimate, lo, hi = other.ends
        both = (other.ends, (-estimate, -hi, -lo))
        return any(
            all(abs(a - b) <= within for a, b in zip(self.ends, ends, strict=True)) for ends in both
        )


def effects(notebook: dict) -> Iterator[tuple[Effect, str]]:
    """Yield the comparisons of all text outputs, each with the line it stands on."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            texts = [v for k, v in output.get("data", {}).items() if k.startswith("text/")]
            shown = "".join(map("".join, [output.get("text", []), *texts]))
            for line in shown.translate(SPACES).split("\n"):
                for match in EFFECT.finditer(line):
                    found = [text for text in match.groups() if text]
                    decimals = len(found[0].partition(".")[2])
                    yield Effect(tuple(map(float, found)), decimals), line[:100]


def git(*words: str) -> str:
    return subprocess.run(["git", *words], capture_output=True, text=True, check=True).stdout


def main(commit: str) -> int:
    """Print what is lost; return how many."""
    notebooks = [json.loads(path.read_text("utf-8")) for path in BOOK.glob("*.ipynb")]
    today = {effect for notebook in notebooks for effect, _ in effects(notebook)}
    listed = git("ls-tree", "-r", "--name-only", commit, "book/").split()
    count = lost = 0
    for path in (name for name in listed if name.endswith(".ipynb")):
        older = dict(effects(json.loads(git("show", f"{commit}:{path}"))))
        count += len(older)
        for effect, line in older.items():
            if not any(effect.is_told_by(now) for now in today):
                old = f"{path}: {line}"
                again = [place for part, place in AGAIN.items() if part in old]
                lost += not again
                print(f"{old}\n    {again[0] if again else 'LOST'}")
    print(f"{lost} of {count} comparisons are on no page.")
    return lost


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) > 0)
