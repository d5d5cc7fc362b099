"""Files of JSON: one object, or one a line."""

from __future__ import annotations

import json
import tempfile
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


def check_writable(folder: Path) -> None:
    """Make a folder, and see that a file can be written there, before anything is computed for it.

    Raises:
        OSError: it cannot be made, or nothing can be written there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise OSError(f"--folder must be a folder to write to; {folder} is not: {error}") from error


def check_records(folder: Path) -> None:
    """See that the folder of the records is there.

    Raises:
        ValueError: it is not.
    """
    if not folder.is_dir():
        raise ValueError(
            f"folder must hold the records, as results/ does; there is no {folder} here. "
            "Run this from the top of the repository, or name it with --folder."
        )
