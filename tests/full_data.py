"""For tests on the full data sets, which only some machines have."""

import os
from pathlib import Path

import pytest

from herocon_lite.data import CARDS, fetch

FOLDER = Path(os.environ.get("HEROCON_DATA", "."))


def needs(*names: str, file: str | None = None):
    """Skips a test unless HEROCON_DATA has these sets whole, and a further file if one is named."""
    here = bool(os.environ.get("HEROCON_DATA")) and FOLDER.is_dir()
    here = here and all(_whole(name) for name in names)
    here = here and (file is None or (FOLDER / file).exists())
    wanted = ", ".join([*names, *([file] if file else [])])
    return pytest.mark.skipif(not here, reason=f"HEROCON_DATA has no {wanted}")


def _whole(name: str) -> bool:
    card = CARDS[name]
    return all(fetch.find_file(FOLDER / name, files) for files in card.parts.values())
