"""The data files written by hand are checked key by key when they are read."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import yaml

from herocon_lite.repro import entries
from herocon_lite.repro.entries import build, build_all


@dataclass(frozen=True)
class Entry:
    name: str
    value: float
    places: tuple[str, ...] = ()
    note: str = ""


def test_lists_become_tuples_and_defaults_stay():
    found = build(Entry, {"name": "τ", "value": 0.5, "places": ["a", "b"]}, "toy")
    assert found == Entry("τ", 0.5, ("a", "b"), "")


def test_keys_of_a_mapping_become_a_field():
    found = build_all(Entry, {"a": {"value": 1}, "b": {"value": 2}}, "toy", key="name")
    assert [(e.name, e.value) for e in found] == [("a", 1), ("b", 2)]
    assert build_all(Entry, [{"name": "a", "value": 1}], "toy") == found[:1]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"name": "a", "valu": 1}, "toy 1 has an unknown key valu; did you mean value?"),
        ({"name": "a", "value": 1, "x": 2}, "toy 1 has an unknown key x; known: "),
        ({"name": "a"}, "toy 1 lacks value."),
        ({"name": 3, "value": 1}, "toy 1: name must be text; got 3."),
        ({"name": "a", "value": 1, "note": False}, "toy 1: note must be text; got False."),
        ({"name": "a", "value": "1"}, "toy 1: value must be float; got '1'."),
        ("a", "toy 1 must be a mapping of keys to values; got 'a'."),
    ],
)
def test_a_wrong_entry_is_named(entry, message):
    with pytest.raises(ValueError) as error:
        build_all(Entry, [entry], "toy")
    assert str(error.value).startswith(message)


def test_a_key_that_stands_twice_is_refused():
    with pytest.raises(ValueError, match=r"'b' stands twice\s+in .*, line 3"):
        yaml.load("a: 1\nc:\n  b: 1\n  b: 2\n", entries._Loader)


def test_a_file_must_have_its_keys_and_no_others():
    with pytest.raises(ValueError, match=r"points\.yaml has an unknown key groups"):
        entries.read_yaml("points.yaml", ["points", "effects", "evidence", "switches"])
