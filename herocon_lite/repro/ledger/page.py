"""The ledger as the book shows it: badges, a bar of verdicts, tables with *not run* folded."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from herocon_lite.repro import text
from herocon_lite.repro.ledger.rows import HEADS, KINDS, RULES, WORDS, Row
from herocon_lite.repro.ledger.rules import Verdict
from herocon_lite.repro.ledger.runs import NOISES
from herocon_lite.repro.pages import link

if TYPE_CHECKING:
    from IPython.display import Markdown

    from herocon_lite.repro.ledger.proofs import Theorem

BAR: dict[str, dict] = WORDS["bar"]
COLOURS = {name: part["colour"] for name, part in BAR.items()}
PART_OF = {Verdict(v): name for name, part in BAR.items() for v in part["verdicts"]}


def distinct(rows: Iterable[Row]) -> list[Row]:
    """The rows to count: those that repeat the runs of another are left out."""
    return [row for row in rows if not row.same_as]


def verdict_counts(rows: Iterable[Row]) -> dict[str, int]:
    """Return how many claims each part of the bar stands for; shared runs count once."""
    found = Counter(PART_OF[row.verdict] for row in distinct(rows))
    return {name: found[name] for name in BAR}


def verdict_bar(counts: dict[str, int]) -> str:
    """Return the bar, for the eye, and under it a list that says the same."""
    label = ", ".join(f"{n} {name}" for name, n in counts.items())
    parts = [
        f'<span class="hc-v{COLOURS[name]}" style="flex-grow:{n}">{n}</span>'
        for name, n in counts.items()
    ]
    keys = [
        f'<li><i class="hc-v{COLOURS[name]}"></i>'
        f"<span><b>{n} {name}:</b> {BAR[name]['means']}</span></li>"
        for name, n in counts.items()
    ]
    return (
        f'<div class="hc-verdicts"><div class="hc-bar-row" role="img" '
        f'aria-label="Of {sum(counts.values())} claims: {label}.">{"".join(parts)}</div>\n'
        f"<ul>{''.join(keys)}</ul></div>"
    )


def label(verdict: Verdict) -> str:
    """Return a verdict with its sign.

    Example:
        >>> label(Verdict.IN_PART)
        '◐ in part'
    """
    return f"{BAR[PART_OF[verdict]]['sign']} {verdict}"


def badge(verdict: Verdict, sign_only: bool = False) -> str:
    """Return a verdict as a coloured badge; its words, or its sign, say the same."""
    name = PART_OF[verdict]
    shown = BAR[name]["sign"] if sign_only else label(verdict)
    title = f' title="{verdict}"' if sign_only else ""
    return f'<span class="hc-badge hc-b{COLOURS[name]}"{title}>{html.escape(shown)}</span>'


# ------------------------------------------------------------------ tables


def dense(content: str) -> Markdown:
    """Show tables of many rows, in which readers look something up, closer than prose."""
    from herocon_lite.repro.boxes import box

    return box("rows", content)


def overview(rows: Sequence[Row], anchors: dict[str, str]) -> Markdown:
    """Count verdicts by kind; each kind's name leads to its table.

    Args:
        anchors: of each kind, the address of its table on the page.
    """
    found = Counter((row.kind, row.verdict) for row in distinct(rows))
    lines = []
    for verdict in Verdict:
        counts = [found[kind, verdict] for kind in KINDS]
        lines.append([badge(verdict), *(n or "" for n in counts), sum(counts)])
    sums = [sum(found[kind, verdict] for verdict in Verdict) for kind in KINDS]
    lines.append(["all", *sums, sum(sums)])
    links = [f'<a href="{anchors[kind]}">{kind}s</a>' for kind in KINDS]
    heads = ["verdict", *links, "all"]
    return text.table(heads, lines, align="l" + "r" * (len(heads) - 1))


def claims(rows: Sequence[Row], book: Path = Path()) -> Markdown:
    """Show claims as a table; those that are not run stand folded below it."""
    from herocon_lite.repro.boxes import fold

    run = [row for row in rows if row.verdict is not Verdict.NOT_RUN]
    waiting = [row for row in rows if row.verdict is Verdict.NOT_RUN]
    shown = [_table(run, book)] if run else []
    if waiting:
        named = f"{len(waiting)} claims not run" if len(waiting) > 1 else "1 claim not run"
        shown.append(fold(f"{named}: {waiting[0].why}", _table(waiting, book)).data)
    return dense("\n\n".join(shown))


def _table(rows: Sequence[Row], book: Path) -> str:
    kind = rows[0].kind
    if kind == "cell" and any(row.variants for row in rows):
        return _noises(rows)
    lines = []
    for row in rows:
        claim = row.claim if kind == "cell" else f"{row.claim} *{row.where}*"
        seeds = f", {row.seeds} seeds" if row.seeds > 1 else ""
        beside = f" *{row.beside.rstrip('.')}.*" if row.beside else ""
        page = "" if kind in ("cell", "count") else f" {link(row.page, book)}"
        verdict = f"{badge(row.verdict)}{row.reason}{page}"
        if row.same_as:
            verdict += f" Same runs as {row.same_as}."
        ours = f"{row.ours.replace('; ', ';<br>')}{seeds}{beside}"
        lines.append([row.number, claim, row.paper, row.released, ours, verdict])
    return text.compact_table(HEADS, lines)


def _noises(rows: Sequence[Row]) -> str:
    """Cells of N-MNIST, with a column and a verdict for each documented noise."""
    lines = []
    for row in rows:
        found = {one.recipe: one for one in row.variants}
        levels = []
        for noise in NOISES:
            one = found.get(noise)
            levels.append(f"{badge(one.verdict, True)} {one.ours} ({one.seeds})" if one else "–")
        same = f" Same runs as {row.same_as}." if row.same_as else ""
        verdict = f"{badge(row.verdict)}{row.reason}{same}"
        lines.append([row.number, row.claim, row.paper, *levels, verdict])
    return text.compact_table(["No.", "Claim", "Paper", *NOISES, "Verdict"], lines)


def proven(found: Sequence[Theorem], book: Path = Path()) -> Markdown:
    """Show the statements of this book, each with what its computation gave."""
    lines = [
        [t.number, t.claim, t.shown, f"{'✓ holds' if t.holds else '✗ fails'} {link(t.page, book)}"]
        for t in found
    ]
    heads = ["Ours", "Statement", "Computed here", "Checked"]
    return dense(text.markdown_table(heads, lines))


def selected(entries: Iterable[tuple[Row, str, str, str]], book: Path = Path()) -> Markdown:
    """Show some claims in an author's words, with the ledger's verdicts.

    Args:
        entries: the row, the claim, why it has its verdict, and the page with the evidence.
        book: the folder of the pages.
    """
    lines = [
        [row.number, claim, badge(row.verdict), f"{why} {link(page, book)}"]
        for row, claim, why, page in entries
    ]
    return text.table(["", "claim", "verdict", "why, and where to look"], lines)


def rules() -> Markdown:
    """Show how a verdict is made: claim, what counts, verdict."""
    known = {str(verdict): verdict for verdict in Verdict}
    lines = []
    for claim, counts, verdict in RULES:
        parts = [badge(known[v]) if v in known else v for v in verdict.split("; ")]
        lines.append([claim, counts, " ".join(parts)])
    return dense(text.markdown_table(["claim", "what counts", "verdict"], lines))
