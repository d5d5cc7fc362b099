"""The record of every finished run.

A run is one JSON object on one line of ``results/runs/<data>.jsonl``. Files only ever grow, stores
merge by concatenation, and two lines of the same run count once. A record carries a digest of its
content (those of before November 2026 do not); one that does not fit, or that no reader could use,
is set aside with a warning, and ``python -m herocon_lite data`` lists it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import re
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

Record = dict[str, Any]
KEYS = {
    "data": "name of the data set",
    "method": "name of the method",
    "preset": "paper, released, or paper with one point changed",
    "form": "eq4 or two_noisy on data with one view, else None",
    "protocol": "transductive, inductive, or cross-validation inside the labelled set",
    "budget": "smoke, laptop or paper",
    "seed": "the run's seed",
    "settings": "the full configuration, the same for every seed",
    "split": "Split.describe()",
    "metrics": "metrics.evaluate(…)",
    "history": "a few steps of the loss: [{step, terms}, …]",
    "seconds": "wall time of training",
    "peak_mib": "peak memory",
    "threads": "CPU threads",
    "device": "name of the processor that trained",
    "versions": "of Python and the libraries",
    "commit": "of the checkout, or the package's version",
    "data_checksums": "of the files read",
    "date": "when it finished, ISO",
}
NUMBER = (int, float, type(None))  # measured numbers may be null
# What a reader relies on; every other of KEYS is a text.
TYPES: dict[str, type | tuple[type, ...]] = {
    "form": (str, type(None)),
    "seed": int,
    "settings": dict,
    "split": dict,
    "metrics": dict,
    "history": list,
    "seconds": NUMBER,
    "peak_mib": NUMBER,
    "threads": (int, type(None)),
    "versions": dict,
    "data_checksums": dict,
}
OPTIONAL: dict[str, type | tuple[type, ...]] = {
    "changes": dict,
    "images": (dict, type(None)),
    "preparation": list,
    "cpu_seconds": NUMBER,
    "probabilities": (str, type(None)),
}
# What stands inside some of them.
INSIDE: dict[str, type | tuple[type, ...]] = {
    "metrics": NUMBER,
    "split": (str, *NUMBER),
    "history": dict,
    "images": int,
    "preparation": str,
    "versions": str,
    "data_checksums": str,
}
_DEFINING = [
    "data",
    "method",
    "preset",
    "form",
    "protocol",
    "budget",
    "seed",
    "settings",
]  # and the split's checksum
# Options that methods once had, at the only value that a record has. They count in a key, so that
# an old record keeps its own and a new run of the same kind gets the same; :func:`upgrade` drops
# them, so that both have the same settings.
RETIRED: dict[str, dict[str, object]] = {
    "cmc": {"reduction": "mean"},
    "mib": {"critic_width": 256, "shared_encoder": False, "joint": True},
    "c2ae": {"penalty": 0.5, "ranking": 0.5, "kappa": 5.0, "width": 512, "bce": False},
    "deepmtmv": {"noise": 0.001},
    "herocon-s": {"shared_projector": False, "detach": False},
}

# ------------------------------------------------------------------ store


def key(record: Record) -> str:
    """Return sixteen hex digits of what defines a run; records with the same key are the same run.

    A setting of None says nothing, so it does not count: options may be added without
    invalidating older records, as long as None means what was done before.

    Args:
        record: a record, or the part of it that is known before the run: data, method, preset,
            form, protocol, budget, seed, settings and split.
    """
    _check_keys("record", record, [*_DEFINING, "split"])
    defining = {name: _canonical(_plain(record[name], name)) for name in _DEFINING}
    retired = _canonical(RETIRED.get(record["method"], {}))
    defining["settings"] = _given(retired | defining["settings"])
    defining["split"] = record["split"]["checksum"]
    text = json.dumps(defining, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def append(record: Record, folder: str | Path) -> Path:
    """Write a finished run to the store; when this returns the record is on disk.

    The line goes out in one write, so that a process that is killed leaves at most a torn last
    line, which readers leave out and the next append sets apart. Several processes may append.
    Values that JSON lacks (nan, infinity) become null in what was measured; in what defines the
    run they are refused.
    """
    _check_keys("record", record, KEYS)
    key(record)  # refuses what cannot define a run
    if not re.fullmatch(r"[\w-]+", record["data"]):
        raise ValueError(f"data must be a plain name, it becomes a file's; got {record['data']!r}.")
    more = sorted(record.keys() - KEYS.keys() - {"digest"})
    plain = _plain({name: record[name] for name in [*KEYS, *more]}, "record", finite=False)
    _check_types(plain)  # no reader would use it
    plain["digest"] = content_digest(plain)
    line = json.dumps(plain, allow_nan=False).encode() + b"\n"
    path = Path(folder) / "runs" / f"{record['data']}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        _lock(descriptor)
        if _torn(descriptor):
            line = b"\n" + line
        written = os.write(descriptor, line)
        if written < len(line):
            raise OSError(
                f"{path}: only {written} of {len(line)} bytes could be written. Is the disk full? "
                "The record is not stored; earlier ones are safe."
            )
        os.fsync(descriptor)
    finally:
        os.close(descriptor)  # and with it the lock
    return path


def content_digest(record: Record) -> str:
    """Return thirty-two hex digits of all that a record says, but for its digest."""
    content = {name: value for name, value in record.items() if name != "digest"}
    text = json.dumps(content, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def file_digests(folder: str | Path) -> dict[str, str]:
    """Return the SHA-256 of each file of a store, by name: what a ledger was made from."""
    files = sorted((Path(folder) / "runs").glob("*.jsonl"))
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


class Fault(NamedTuple):
    """A line of the store, or a part of it, that does not count, and why."""

    path: Path
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.path.name}, line {self.line}, {self.reason}"


def read(folder: str | Path, data: str | None = None) -> dict[str, Record]:
    """Return the records of a store by key, in order.

    Of several records of one run a clean one supersedes a dirty one (made by code that differed
    from its commit), then one with probabilities one without, then one with a digest one without;
    otherwise the first counts. What cannot be used is left out, with a warning.

    Args:
        folder: of the store.
        data: read this data set's file alone.
    """
    records, faults = examine(folder, data)
    for fault in faults:
        warnings.warn(str(fault), stacklevel=2)
    return records


def examine(folder: str | Path, data: str | None = None) -> tuple[dict[str, Record], list[Fault]]:
    """Return what :func:`read` returns, and what it warns of."""
    records: dict[str, Record] = {}
    ranks: dict[str, tuple] = {}
    faults: list[Fault] = []
    for path in sorted((Path(folder) / "runs").glob(f"{data or '*'}.jsonl")):
        for number, line in enumerate(path.read_bytes().splitlines(), start=1):
            text = line.decode(errors="replace")
            found, torn = _on_line(text)
            if torn:
                faults.append(Fault(path, number, TORN))
            for raw in found:
                try:
                    name, record = _usable(raw, text)
                except (ValueError, RecursionError) as error:
                    faults.append(Fault(path, number, f"is set aside: {error}"))
                    continue
                rank = (*_rank(record), "digest" in raw)
                if name not in records or rank > ranks[name]:
                    records[name], ranks[name] = record, rank
                elif rank == ranks[name] and record["metrics"] != records[name]["metrics"]:
                    faults.append(Fault(path, number, f"is set aside: {OTHER} {name}."))
    return records, faults


TORN = (
    "is not a whole record: a process was stopped while writing it, or is writing it now. "
    "It is left out."
)
OTHER = "it has other results than an earlier record of the same run,"


def _usable(raw: Record, line: str) -> tuple[str, Record]:
    """The key of a record and what readers get of it, or an error that says why it is unusable."""
    _check_types(raw)
    if ("NaN" in line or "Infinity" in line) and not _has_finite_numbers(raw):
        raise ValueError("it holds a number that is not finite.")
    if "digest" in raw and raw["digest"] != content_digest(raw):
        raise ValueError("its digest is wrong: it has changed since it was written.")
    try:
        record = upgrade({name: value for name, value in raw.items() if name != "digest"})
        return key(record), record
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"no reader of today understands it ({error!r}).") from error


def _check_types(record: Record) -> None:
    """Refuse a record whose entries are not of the kinds that readers rely on."""
    wanted = {name: TYPES.get(name, str) for name in KEYS}
    wanted |= {name: kind for name, kind in OPTIONAL.items() if name in record}
    for name, kind in wanted.items():
        if not isinstance(record[name], kind):
            raise ValueError(f"{name} is {type(record[name]).__name__} where it must not be.")
    for name, kind in INSIDE.items():
        entries = record.get(name) or ()
        for entry in entries.values() if isinstance(entries, dict) else entries:
            if not isinstance(entry, kind):
                raise ValueError(f"{name} holds {type(entry).__name__} where it must not.")
    for name in ("checksum", "how"):
        if not isinstance(record["split"].get(name), str):
            raise ValueError(f"its split has no {name}.")


def _has_finite_numbers(record: Record) -> bool:
    try:
        json.dumps(record, allow_nan=False)
    except ValueError:
        return False
    return True


def finished(
    folder: str | Path, data: str, replace_dirty: bool = False, probabilities: bool = False
) -> set[str]:
    """Return the keys of the runs on a data set that need not be run again.

    Args:
        folder: of the store.
        data: name of the data set.
        replace_dirty: dirty records do not count.
        probabilities: records without probabilities do not count.
    """
    return {
        name
        for name, record in read(folder, data).items()
        if not (replace_dirty and is_dirty(record))
        and not (probabilities and not record.get("probabilities"))
    }


def is_dirty(record: Record) -> bool:
    """Return whether the code that made a record is known to differ from its commit."""
    return record.get("dirty") is True


def _rank(record: Record) -> tuple[bool, bool]:
    return not is_dirty(record), bool(record.get("probabilities"))


def upgrade(record: Record) -> Record:
    """Return a stored record in today's form; its key stays the same.

    The only place that knows what older records look like.
    """
    retired = RETIRED.get(record["method"], {})
    settings = {
        name: value
        for name, value in record["settings"].items()
        if name != "place" and not (name in retired and retired[name] == value)
    }
    images = re.search(r"(\d+) of (\d+) images", " ".join(record.get("preparation", [])))
    older = {"used": int(images[1]), "of": int(images[2])} if images else None
    return {"changes": {}, "images": older, **record, "settings": settings}


def _given(settings: dict[str, Any]) -> dict[str, Any]:
    """What defines a run; older records also name the ``place`` where the settings were printed."""
    return {k: v for k, v in settings.items() if v is not None and k != "place"}


def _on_line(line: str) -> tuple[list[Record], bool]:
    """The records on a line and whether part of it was torn.

    A line is one record, unless a process was killed while writing it and ``cat`` then joined the
    next file to its stump.
    """
    records, torn, at = [], False, 0
    while (at := line.find("{", at)) >= 0:
        try:
            found, at = json.JSONDecoder().raw_decode(line, at)
        except ValueError:
            torn, at = True, at + 1
            continue
        except RecursionError:  # nested so deeply that no record is
            return records, True
        if found.keys() >= KEYS.keys():
            records.append(found)
        else:  # an inner part of a torn record
            torn = True
    return records, torn or (bool(line.strip()) and not records)


def _lock(descriptor: int) -> None:
    """Hold the file until it is closed, so that nobody writes between our look and our write."""
    with contextlib.suppress(ImportError, OSError):  # Windows; a file system without locks
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX)


def _torn(descriptor: int) -> bool:
    if os.fstat(descriptor).st_size == 0:
        return False
    os.lseek(descriptor, -1, os.SEEK_END)
    return os.read(descriptor, 1) != b"\n"


def _plain(value, name: str, finite: bool = True):
    """The value as JSON has it: arrays as lists, nan as null if that is allowed."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return float(value)
        if finite:
            raise ValueError(f"{name} must be finite, or None, to define a run; got {value}.")
        return None
    if isinstance(value, dict):
        return {str(k): _plain(v, f"{name}.{k}", finite) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v, name, finite) for v in value]
    if hasattr(value, "tolist"):  # NumPy, torch
        return _plain(value.tolist(), name, finite)
    raise ValueError(f"{name} must be a plain value that JSON can hold; got {type(value)}.")


def _canonical(value):
    """1.0 and 1 define the same run."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {k: _canonical(v) for k, v in value.items()}
    return [_canonical(v) for v in value] if isinstance(value, list) else value


def _check_keys(name: str, record: Record, wanted: Iterable[str]) -> None:
    missing = [k for k in wanted if k not in record]
    if missing:
        raise ValueError(f"{name} must have the keys {', '.join(missing)}; it lacks them.")


def _unknown(name: str, what: str, known: Iterable[str]) -> str:
    import difflib

    known = [str(k) for k in known]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(known)}."
    return f"There is no {what} {name}. {hint}"
