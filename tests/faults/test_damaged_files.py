"""Every byte of a file is flipped, cut or put in somewhere: readers tell it, whatever it was.

More rounds: ``python -m tests.faults.test_damaged_files 500``, which prints its seed.
"""

import json
import struct
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch

from herocon_lite.checkpoint import (
    check_tensors,
    load_model,
    load_state,
    save_model,
    save_state,
)

REGIONS = 24  # of a file: each gets every kind of damage
WHAT = "a model"


def write_state(path: Path) -> None:
    net = torch.nn.Linear(9, 5)
    adam = torch.optim.Adam(net.parameters())
    net(torch.ones(2, 9)).sum().backward()
    adam.step()
    save_state(path, {"step": 3, "method": net.state_dict(), "optimizer": adam.state_dict()})


def write_model(path: Path) -> None:
    tensors = {"w": torch.randn(9, 5), "bias": torch.arange(7.0)}
    save_model(path, tensors, {"widths": [9, 5], "columns": ["größe", "b"]}, "test 2")


FILES: dict[str, tuple[Callable, Callable]] = {
    "checkpoint": (write_state, lambda path: load_state(path, ["step", "method"])),
    "model": (write_model, lambda path: load_model(path, "test 2", WHAT, older=["test 1"])),
}


def damaged(content: bytes, rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    """The content with one damage in each of its regions, which cover all bytes."""
    edges = np.linspace(0, len(content), REGIONS + 1).astype(int)
    for first, last in pairwise(edges):
        at = int(rng.integers(first, max(last, first + 1)))
        flipped = bytearray(content)
        flipped[at] ^= 1 << int(rng.integers(8))
        yield f"bit {at}", bytes(flipped)
        yield f"cut {at}", content[:at]
        noise = rng.bytes(int(rng.integers(1, 40)))
        yield f"put in {at}", content[:at] + noise + content[at:]
        yield f"zeros {at}", content[:at] + bytes(last - at) + content[last:]
        yield f"left out {at}", content[:at] + content[last:]


def attack(kind: str, folder: Path, seed: int) -> int:
    """Damage one file in every region; return how often. Raises where a reader says nothing."""
    write, read = FILES[kind]
    path, rng, count = folder / kind, np.random.default_rng(seed), 0
    write(path)
    read(path)
    content = path.read_bytes()
    for name, other in damaged(content, rng):
        if other == content:  # zeros were zeros
            continue
        path.write_bytes(other)
        count += 1
        try:
            read(path)
        except ValueError as error:
            told = str(error)
            assert told.startswith(f"{path} cannot be used as "), (seed, name, told)
            assert "\n" not in told and len(told) < 600, (seed, name, told)
        else:
            raise AssertionError(f"{kind}, seed {seed}, {name}: read as if nothing had happened")
    return count


@pytest.mark.parametrize("kind", FILES)
def test_every_region_of_a_file(kind, tmp_path):
    assert attack(kind, tmp_path, seed=0) > 4 * REGIONS


def header(entries: object) -> bytes:
    text = entries if isinstance(entries, bytes) else json.dumps(entries).encode()
    return struct.pack("<Q", len(text)) + text


HOSTILE = {
    "nothing": b"",
    "one byte": b"{",
    "a huge header": struct.pack("<Q", 2**63) + b"{}",
    "no JSON": header(b"{{{{"),
    "deep nesting": header(b"[" * 100_000),
    "no UTF-8": header(b'{"\xff": 1}'),
    "a list": header([1, 2]),
    "no metadata": header({}),
    "metadata of another kind": header({"__metadata__": [1]}),
    "an old one that lacks its entries": header({"__metadata__": {"format": "test 1"}}),
    "an old one of deep nesting": header(
        {"__metadata__": {"format": "test 1", "about": "[" * 100_000}}
    ),
    "an old one of numbers": header({"__metadata__": {"format": "test 1", "about": "3"}}),
    "an old one of 64 GB": header(
        {
            "__metadata__": {"format": "test 1", "about": "{}"},
            "w": {"dtype": "F32", "shape": [2**34], "data_offsets": [0, 2**36]},
        }
    ),
    "a new one without checksum": header({"__metadata__": {"format": "test 2", "about": "{}"}}),
    "a checkpoint that is a pickle": b"herocon_lite state 1 sha256 " + b"0" * 64 + b"\n\x80\x04.",
}


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("name", HOSTILE)
def test_other_files_get_one_sentence(kind, name, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(HOSTILE[name])
    with pytest.raises(ValueError, match=r"file cannot be used as a .*: .+\."):
        FILES[kind][1](path)


@pytest.mark.parametrize("kind", FILES)
def test_a_folder_is_told_and_a_missing_file_is_missing(kind, tmp_path):
    read = FILES[kind][1]
    with pytest.raises(ValueError, match="it is a folder"):
        read(tmp_path)
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "none")
    with pytest.raises(ValueError, match="null"):
        read(tmp_path / "zero\0byte")


def test_an_old_model_without_a_digest_is_read(tmp_path):
    from safetensors.torch import save_file

    path = tmp_path / "old"
    metadata = {"format": "test 1", "about": '{"steps": 2}'}
    save_file({"w": torch.ones(2)}, path, metadata)
    about, tensors = load_model(path, "test 2", WHAT, older=["test 1"])
    assert about == {"steps": 2} and torch.equal(tensors["w"], torch.ones(2))
    with pytest.raises(ValueError, match="its format is 'test 1', not 'test 2'"):
        load_model(path, "test 2", WHAT)


def test_tensors_must_be_those_of_the_network():
    with torch.device("meta"):
        wanted = torch.nn.Linear(3, 2).state_dict()
    right = torch.nn.Linear(3, 2).state_dict()
    check_tensors("f", WHAT, wanted, right)
    for change, message in (
        ({"bias": torch.ones(3)}, r"bias must have the shape \(2,\); it has \(3,\)"),
        ({"bias": [1, 2]}, ".* it has list"),
        ({"bias": torch.ones(2).int()}, "bias must hold torch.float32; it holds torch.int32"),
        ({"weight": right["weight"] * torch.nan}, "weight holds numbers that are not finite"),
        ({"more": torch.ones(1)}, "nothing needs its more"),
    ):
        with pytest.raises(ValueError, match=f"f cannot be used as a model: {message}"):
            check_tensors("f", WHAT, wanted, {**right, **change})
    with pytest.raises(ValueError, match="it lacks bias"):
        check_tensors("f", WHAT, wanted, {"weight": right["weight"]})


if __name__ == "__main__":
    import tempfile

    total, seed, wanted = 0, np.random.SeedSequence().generate_state(1)[0], int(sys.argv[1])
    print(f"first seed {seed}", flush=True)
    while total < wanted:
        for kind in FILES:
            with tempfile.TemporaryDirectory() as folder:
                total += attack(kind, Path(folder), int(seed))
        seed += 1
    print(f"{total} damaged files: 0 read in silence, 0 other errors")
