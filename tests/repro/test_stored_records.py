"""Every record of the repository: its key stays, and today's form says what it always said."""

import hashlib
import json
import re
from pathlib import Path

import pytest

from herocon_lite.repro import store

RESULTS = Path(__file__).resolve().parents[2] / "results"
# How many records each file had when the code moved, and a digest of their keys in order.
# Files only grow, so the first lines stay what they were.
KEYS = {
    "rounded/runs/mnist.jsonl": (12, "3623645ece55f986"),
    "runs/celeba.jsonl": (28, "62ae797b570802a5"),
    "runs/mnist.jsonl": (270, "fd2440e7901bd7fa"),
    "runs/mocha.jsonl": (317, "22270aefea83f486"),
    "runs/scene.jsonl": (941, "33c971895ecdd11d"),
    "runs/yeast.jsonl": (1, "3764d388a1b367bd"),
}


@pytest.mark.parametrize("name", KEYS)
def test_keys_recompute_from_the_record_as_stored_and_as_read(name):
    count, digest = KEYS[name]
    records = [json.loads(line) for line in (RESULTS / name).read_text("utf-8").splitlines()]
    for made in (records, map(store.upgrade, records)):
        keys = [store.key(record) for record in made][:count]
        assert len(keys) == count
        assert hashlib.sha256("".join(keys).encode()).hexdigest()[:16] == digest


@pytest.mark.parametrize("name", KEYS)
def test_fields_say_what_the_preparation_says_in_words(name):
    for line in (RESULTS / name).read_text("utf-8").splitlines():
        record = store.upgrade(json.loads(line))
        words = " ".join(record["preparation"])
        share = re.search(r"share ([\d.]+)", words)
        assert record["settings"].get("share") == (float(share[1]) if share else None)
        images = re.search(r"(\d+) of (\d+) images", words)
        used = {"used": int(images[1]), "of": int(images[2])} if images else None
        assert record["images"] == used


def test_an_option_that_is_gone_keeps_its_key_and_joins_new_runs():
    lines = (RESULTS / "runs" / "scene.jsonl").read_text("utf-8").splitlines()
    old = next(r for r in map(json.loads, lines) if r["settings"].get("reduction") == "mean")
    new = store.upgrade(old)
    assert "reduction" not in new["settings"] and store.key(new) == store.key(old)
    other = old | {"settings": old["settings"] | {"reduction": "sum"}}
    assert store.upgrade(other)["settings"]["reduction"] == "sum"
    assert store.key(other) != store.key(old)
