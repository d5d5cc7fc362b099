"""The comparisons of the result chapters, as data: one YAML file for each page that has some.

stores:       name: the data set, and what all its runs share; the first is the page's own
kinds:        of a store, short names of runs that are more than a plain method
differences:  name: [a, b] or [a, b, store], meaning a − b, paired by seed, in F1 and in AUC
everywhere:   the same, of every store; there its name is "name, store"
combinations: name: {difference: weight}, weighted sums by seed, such as one difference less another
headline:     names of differences that a bootstrap over seeds and test rows must confirm, too
planned:      names of differences whose runs are not stored yet; the correction counts them
elsewhere:    number of comparisons that the page computes itself; the correction counts them
groups:       rows of a table or figure, as label: name of a difference
settings:     rows of the settings table, as label: [the text, the public code, this book]
commands:     methods, seeds (N or A-B), and what differs from the usual; ``stores``: which
              of them, if not the page's own; ``each``: sets of changes, made one at a time

The correction for multiple tests counts all differences of a page, in both metrics.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from herocon_lite.repro.entries import read_yaml

Kind = dict[str, Any]  # of Store.runs: the method, and what differs from the usual


class Difference(NamedTuple):
    """a − b, paired by seed, on the runs of one store."""

    store: str
    a: Kind
    b: Kind


@dataclass(frozen=True)
class Questions:
    """What one page asks of the records."""

    stores: dict[str, Kind]
    kinds: dict[str, dict[str, Kind]]
    differences: dict[str, Difference]
    combinations: dict[str, dict[str, float]]
    headline: list[str]
    planned: list[str]
    elsewhere: int
    groups: dict[str, dict[str, str]]
    settings: dict[str, list]
    commands: list[dict]


def read(page: str) -> Questions:
    """Return the questions of a page.

    Example:
        >>> read("scene").differences["HeroCon − DNN"].b
        {'method': 'dnn'}
    """
    optional = ("kinds", "differences", "everywhere", "combinations", "planned", "headline")
    optional += ("elsewhere", "groups", "settings", "commands")
    content = read_yaml(f"questions/{page}.yaml", ["stores"], optional)
    stores, kinds = content["stores"], content.get("kinds", {})
    differences, own = {}, next(iter(stores))
    for name, pair in content.get("differences", {}).items():
        a, b, store = (*pair, own)[:3]
        differences[name] = Difference(store, kind(kinds, store, a), kind(kinds, store, b))
    for name, (a, b) in content.get("everywhere", {}).items():
        for store in stores:
            ends = kind(kinds, store, a), kind(kinds, store, b)
            differences[f"{name}, {store}"] = Difference(store, *ends)
    combinations, groups = content.get("combinations", {}), content.get("groups", {})
    planned, headline = content.get("planned", []), content.get("headline", [])
    used = {name for weights in combinations.values() for name in weights}
    used |= {*planned, *headline}
    shown = {name for rows in groups.values() for name in rows.values()} - combinations.keys()
    unknown = (used | shown) - differences.keys()
    if unknown:
        raise ValueError(f"{page}.yaml names what is no difference: {sorted(unknown)}.")
    counted = headline, planned, content.get("elsewhere", 0)
    others = content.get("settings", {}), content.get("commands", [])
    return Questions(stores, kinds, differences, combinations, *counted, groups, *others)


def kind(kinds: Mapping[str, Mapping[str, Kind]], store: str, name: str) -> Kind:
    """Return the runs that a short name stands for; a name of its own is a plain method's."""
    return dict(kinds.get(store, {}).get(name) or {"method": name})


def seeds(text: int | str) -> range:
    """Return the seeds that N (0 … N − 1) or "A-B" (A … B) stands for.

    Example:
        >>> seeds(3), seeds("100-102")
        (range(0, 3), range(100, 103))
    """
    first, dash, last = str(text).partition("-")
    try:
        found = range(int(first), int(last) + 1) if dash else range(int(first))
    except ValueError:
        found = range(0)
    if not found:
        raise ValueError(f"seeds are N or A-B, at least one; got {text}")
    return found
