"""The comparisons of the result chapters, read from questions.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

import yaml

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
    differences: dict[str, Difference]
    groups: dict[str, dict[str, str]]  # {group: {label of a row: name of a difference}}
    settings: dict[str, list]
    commands: list[dict]


@cache
def _pages() -> dict[str, dict]:
    text = resources.files(__package__).joinpath("questions.yaml").read_text("utf-8")
    return yaml.safe_load(text)


def read(page: str) -> Questions:
    """Return the questions of a page.

    Example:
        >>> read("scene").differences["HeroCon − DNN"].b
        {'method': 'dnn'}
    """
    if page not in _pages():
        raise ValueError(f"page must be one of {', '.join(_pages())}; got {page!r}.")
    data = _pages()[page]
    stores, kinds = data["stores"], data.get("kinds", {})
    own = next(iter(stores))
    asked = {name: (*pair, own)[:3] for name, pair in data.get("differences", {}).items()}
    for name, pair in data.get("everywhere", {}).items():
        asked |= {f"{name}, {store}": (*pair, store) for store in stores}
    differences = {
        name: Difference(store, *(_kind(kinds.get(store, {}), end) for end in (a, b)))
        for name, (a, b, store) in asked.items()
    }
    groups = data.get("groups", {})
    unknown = {name for rows in groups.values() for name in rows.values()} - differences.keys()
    if unknown:
        raise ValueError(f"{page}: groups name no difference of the page: {sorted(unknown)}.")
    others = data.get("settings", {}), data.get("commands", [])
    return Questions(stores, differences, groups, *others)


def _kind(kinds: Mapping[str, Kind], name: str) -> Kind:
    return dict(kinds.get(name) or {"method": name})
