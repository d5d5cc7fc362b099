"""Data files written by hand: YAML in this folder, every key of an entry checked."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from dataclasses import MISSING, fields
from pathlib import Path
from typing import TypeVar

import yaml

T = TypeVar("T")


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """YAML's safe loader, which would keep the last of two entries with the same key."""

    def construct_mapping(self, node, deep=False):
        self.flatten_mapping(node)  # what "<<" takes from an anchor
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise ValueError(f"keys must be unique; {key!r} stands twice{node.start_mark}.")
        return super().construct_mapping(node, deep)


def read_yaml(name: str, keys: Collection[str], optional: Collection[str] = ()) -> dict:
    """Read a file in this folder; its top must have these keys and no others."""
    with (Path(__file__).parent / name).open(encoding="utf-8") as file:
        content = yaml.load(file, _Loader)
    check_keys(name, content, keys, optional)
    return content


def build(cls: type[T], entry: dict, where: str) -> T:
    """Build a dataclass of an entry: keys are its fields, lists become tuples.

    Raises:
        ValueError: an unknown key, a key that is missing, or text where a number must be, with
            ``where`` the entry stands.
    """
    needed = {f.name for f in fields(cls) if f.default is MISSING}
    check_keys(where, entry, needed, {f.name for f in fields(cls)} - needed)
    for field in fields(cls):
        value = entry.get(field.name, field.default)
        if (field.type == "str") != isinstance(value, str):
            wanted = "text" if field.type == "str" else field.type
            raise ValueError(f"{where}: {field.name} must be {wanted}; got {value!r}.")
    return cls(**{k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()})


def build_all(cls: type[T], entries: dict | list, where: str, key: str = "") -> tuple[T, ...]:
    """Build the entries of a list, or of a mapping whose keys become the field ``key``."""
    if isinstance(entries, dict):
        named = [
            (name, {key: name} | _mapping(e, f"{where} {name}")) for name, e in entries.items()
        ]
    else:
        named = [(number, e) for number, e in enumerate(entries, start=1)]
    return tuple(build(cls, entry, f"{where} {name}") for name, entry in named)


def check_keys(
    where: str, entry: dict, needed: Collection[str], optional: Collection[str] = ()
) -> None:
    """Raise a ValueError unless ``entry`` has all needed keys and none besides the optional."""
    for key in _mapping(entry, where):
        if key not in (*needed, *optional):
            near = difflib.get_close_matches(str(key), [*needed, *optional], n=1)
            hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(needed)}."
            raise ValueError(f"{where} has an unknown key {key}; {hint}")
    missing = [key for key in needed if key not in entry]
    if missing:
        raise ValueError(f"{where} lacks {', '.join(missing)}.")


def _mapping(entry: object, where: str) -> dict:
    if not isinstance(entry, dict):
        raise ValueError(f"{where} must be a mapping of keys to values; got {entry!r}.")
    return entry
