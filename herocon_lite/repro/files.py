"""Files of JSON: one object, or one a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from herocon_lite.checkpoint import atomic_write


def read_json(path: Path, otherwise: Any) -> Any:
    """Read what a file holds; ``otherwise`` if there is no file."""
    return json.loads(path.read_text("utf-8")) if path.exists() else otherwise


def read_lines(path: Path) -> list[dict]:
    """Read the objects of a file that has one a line; none if there is no file."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def save_lines(path: Path, lines: list[dict]) -> None:
    """Save one object a line."""
    atomic_write(path, "".join(json.dumps(line) + "\n" for line in lines))
