"""Text files and lines of JSON, whole or as they were."""

from __future__ import annotations

import json
import os
from pathlib import Path


def read_lines(path: Path) -> list[dict]:
    """The objects of a file that has one a line; none if there is no file."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def save_lines(path: Path, lines: list[dict]) -> None:
    """One object a line."""
    save_text(path, "".join(json.dumps(line) + "\n" for line in lines))


def save_text(path: Path, text: str) -> None:
    """The file is whole or as it was."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(f".{os.getpid()}.partial")  # two processes may save at once
    beside.write_text(text, "utf-8")
    os.replace(beside, path)
