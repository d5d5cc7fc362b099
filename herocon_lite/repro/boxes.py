"""How a page shows an author's sentences; numbers stand in them by f-string."""

from __future__ import annotations

from IPython.display import Markdown


def say(text: str) -> Markdown:
    """Show an author's sentences; numbers stand in them by f-string."""
    return Markdown(text)


def answer(text: str) -> Markdown:
    """Show the answer of a chapter in its box."""
    return box("answer", text)


def caption(text: str) -> Markdown:
    """Show what stands under a table; figures have their caption in the cell's metadata."""
    return box("caption", text)


def fold(summary: str, content: str | Markdown) -> Markdown:
    """Show something under one line that a reader can open."""
    content = content.data if isinstance(content, Markdown) else content
    head = f'<details class="hc-fold"><summary>{summary}</summary>'
    return Markdown(f"{head}\n\n{content}\n\n</details>")


def wide(shown: Markdown) -> Markdown:
    """Show a table of numbers: where there is room, each cell on one line (book.css)."""
    return box("table", shown.data)


def box(kind: str, text: str) -> Markdown:
    """Put a text into a box of a kind that book.css knows."""
    return Markdown(f'<div class="hc-{kind}">\n\n{text}\n\n</div>')
