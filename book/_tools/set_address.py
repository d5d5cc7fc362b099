"""Write the address in _config.yml to every file that repeats it.

The old address is read from CITATION.cff, so it can be run again after each change.
"""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
PREFIX = "https://github.com/"


def set_address(root: Path = ROOT) -> list[Path]:
    new = yaml.safe_load((root / "_config.yml").read_text())["repository"]["url"]
    old = yaml.safe_load((root / "CITATION.cff").read_text())["repository-code"]
    if not re.fullmatch(PREFIX + r"[\w.-]+/[\w.-]+", new):
        raise SystemExit(f"repository.url must be {PREFIX}OWNER/REPO; got {new}.")
    old, new = old.removeprefix(PREFIX), new.removeprefix(PREFIX)
    files = [root / "README.md", root / "CITATION.cff"]
    files += sorted((root / "book").glob("*.ipynb"))  # their set-up cell
    files = [file for file in files if old in file.read_text()]
    for file in files:
        file.write_text(file.read_text().replace(old, new))
    return files


if __name__ == "__main__":
    for changed in set_address():
        print("set in", changed.relative_to(ROOT))
