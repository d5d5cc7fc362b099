"""The book's pages: which one shows what, and how a table links to it."""

from __future__ import annotations

import functools
from pathlib import Path

PAGES = {
    "scene": "scene",
    "mnist": "noisy_mnist",
    "xrmb": "speech",
    "celeba": "celeba",
    "noise": "one_view_noise",
    "parameters": "settings",
    "efficiency": "cost",
    "counts": "views_and_labels",
}


def link(page: str, book: Path = Path()) -> str:
    """Return a Markdown link to a page, under its title."""
    return f"[{title(page, book)}]({page}.ipynb)"


@functools.cache
def title(page: str, book: Path) -> str:
    """Return the first heading of a page in the folder ``book``."""
    mark = "# # "
    lines = (book / f"{page}.py").read_text("utf-8").splitlines()
    return next(line.removeprefix(mark) for line in lines if line.startswith(mark))
