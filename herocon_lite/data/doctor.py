"""The data doctor: which sets are here, whole and right, and what the others need."""

from __future__ import annotations

import numpy as np

from herocon_lite.data.cards import CARDS, Card, find_card
from herocon_lite.data.dataset import Dataset
from herocon_lite.data.fetch import find_fault, locate
from herocon_lite.data.readers import load

MAX_ROWS = 3  # that are shown


def doctor(name: str | None = None) -> int:
    """Print a table of all sets, or one set's card and a few of its rows.

    Returns:
        The exit code. For one set: 0 when it can be used as it lies here, 1 when not, 2 when there
        is no such set. For the table: 1 when a file is damaged, else 0.
    """
    if name is None:
        return _table()
    try:
        card = find_card(name)
    except ValueError as error:
        print(error)
        return 2
    state, usable, needs = examine(card)
    lines = {**card.lines(), "state": state, **({"needs": needs} if needs else {})}
    width = max(map(len, lines))
    for heading, text in lines.items():
        print(f"{heading:{width}}  {text}")
    if not usable:
        return 1
    _show(load(name, download=False))
    return 0


def examine(card: Card) -> tuple[str, bool, str]:
    """Return the state in words, whether the set can be used, and what it needs if not."""
    if card.synthetic:
        return "drawn on demand, synthetic", True, ""
    found, lacking = locate(card, tuple(card.parts))
    if found is None:
        some = any(len(names) < len(card.parts) for names in lacking.values())
        needs = [f"{', '.join(names)} in {folder}" for folder, names in lacking.items()]
        if card.terms:
            needs.append(f"your consent to a download, accept_terms=True ({card.terms})")
        return "incomplete" if some else "not found", False, "; or ".join(needs)
    for path, file in found.values():
        fault = find_fault(path, file)
        if fault:
            return f"WRONG: {path}", False, f"the right {path.name}: {fault}"
    known = all(file.checksum for _, file in found.values())
    where = next(iter(found.values()))[0].parent
    remarks = "".join(f", {file.remark}" for _, file in found.values() if file.remark)
    return f"complete, checksums {'right' if known else 'unknown'}, {where}{remarks}", True, ""


def _table() -> int:
    code = 0
    print(f"{'set':9} {'usable':7} {'MB':>7}  state")
    for card in CARDS.values():
        state, usable, needs = examine(card)
        size = f"{card.size / 1e6:.1f}" if card.size else "–"
        print(f"{card.name:9} {'yes' if usable else 'no':7} {size:>7}  {state}")
        if needs:
            print(f"{'':26} needs: {needs}")
        code |= state.startswith("WRONG")
    return code


def _show(dataset: Dataset) -> None:
    print(f"\n{dataset!r}")
    for row in range(min(MAX_ROWS, len(dataset))):
        present = np.flatnonzero(dataset.labels[row])
        print(f"\nrow {row}: {', '.join(dataset.label_names[a] for a in present) or 'no label'}")
        for number, view in enumerate(dataset.views, 1):
            print(f"  view {number}: {np.array2string(view[row].ravel()[:6], precision=3)} …")
