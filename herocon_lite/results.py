"""The record of every finished run, and the tables made from it.

A run is one JSON object on one line of ``results/runs/<data>.jsonl``. Files only ever grow, stores
merge by concatenation, and two lines of the same run count once. Intervals are Student's t over
seeds: right at any number of them if the seeds' values are normal.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import math
import os
import platform
import re
import subprocess
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pandas as pd
    import torch

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
GROUP = ["method", "preset", "form", "protocol", "budget"]  # a row of a table
COLUMNS = [*GROUP, "seeds", "f1", "f1_lo", "f1_hi", "auc", "auc_lo", "auc_hi"]
_DEFINING = ["data", *GROUP, "seed", "settings"]  # and the split's checksum

# ------------------------------------------------------------------ store


def key(record: Record) -> str:
    """Sixteen hex digits of what defines a run; records with the same key are the same run.

    A setting of None says nothing, so it does not count: options may be added without making
    older records strangers, as long as None means what was done before.

    Args:
        record: a record, or the part of it that is known before the run: data, method, preset,
            form, protocol, budget, seed, settings and split.
    """
    _check_keys("record", record, [*_DEFINING, "split"])
    defining = {name: _canonical(_plain(record[name], name)) for name in _DEFINING}
    defining["settings"] = _given(defining["settings"])
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
    record = {name: record[name] for name in [*KEYS, *(record.keys() - KEYS.keys())]}
    line = json.dumps(_plain(record, "record", finite=False), allow_nan=False).encode() + b"\n"
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


def read(folder: str | Path) -> dict[str, Record]:
    """All records of a store by key, in order; of two with the same key the first."""
    records: dict[str, Record] = {}
    for path in sorted((Path(folder) / "runs").glob("*.jsonl")):
        for number, line in enumerate(path.read_bytes().splitlines(), start=1):
            found, torn = _on_line(line.decode(errors="replace"))
            if torn:
                warnings.warn(
                    f"{path.name}, line {number}, is not a whole record: a process was stopped "
                    f"while writing it, or is writing it now. It is left out.",
                    stacklevel=2,
                )
            for record in found:
                records.setdefault(key(record), record)
    return records


def finished(folder: str | Path, data: str) -> set[str]:
    """Keys of the runs on a data set that need not be run again."""
    return {name for name, record in read(folder).items() if record["data"] == data}


def read_lines(path: Path) -> list[dict]:
    """The objects of a file that has one a line; none if there is no file."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def save_lines(path: Path, lines: list[dict]) -> None:
    """One object a line."""
    save_text(path, "".join(json.dumps(line) + "\n" for line in lines))


def save_text(path: Path, text: str) -> None:
    """The file is whole or as it was."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(f".{os.getpid()}.partial")  # two processes may save at once
    beside.write_text(text, "utf-8")
    os.replace(beside, path)


def load(folder: str | Path, **where) -> pd.DataFrame:
    """The records as a table, one row a run.

    Metrics are columns (``f1``, ``auc``, …); so are the parts of settings and split, as
    ``settings.alpha`` or ``split.how``. ``key`` names the run. A run with changed settings says so
    in its method: ``herocon (temperature=0.5)``.

    Args:
        where: what a column must be, one value or a list of them; two underscores stand for the
            dot: ``load("results", data="scene", split__how="paper", seed=range(5))``.
    """
    import pandas as pd

    records = read(folder)
    names = [name for name in KEYS if name not in ("metrics", "settings", "split")]
    frame = pd.DataFrame([_row(r) | {"key": k} for k, r in records.items()])
    always = [*names, "base", "f1", "auc", "split.how", "split.checksum"]  # without runs, too
    frame = frame.reindex(columns=list(dict.fromkeys([*always, *frame.columns, "key"])))
    measured = {name for record in records.values() for name in record["metrics"]}
    frame = frame.astype(dict.fromkeys({"f1", "auc", *measured}, float))
    for name, wanted in where.items():
        column = name.replace("__", ".")
        if column not in frame:
            raise ValueError(_unknown(column, "column", frame.columns))
        frame = frame[_matches(frame[column], wanted)]
    return frame.reset_index(drop=True)


def _row(record: Record) -> dict[str, Any]:
    row = {k: v for k, v in record.items() if k not in ("metrics", "settings", "split")}
    row["base"] = row["method"]
    changes = record.get("changes") or {}
    if changes:  # a method of its own: nobody averages it with the unchanged one by mistake
        row["method"] = f"{row['method']} ({told_changes(changes)})"
    nested = {"settings": _given(record["settings"]), "split": record["split"]}
    return row | record["metrics"] | _flat(nested)


def told_changes(changes: dict[str, Any]) -> str:
    """Settings as one text, the same however they are ordered and their numbers spelt."""

    def told(value) -> str:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return f"{value:.15g}" if number else str(value)

    return ", ".join(f"{name}={told(value)}" for name, value in sorted(changes.items()))


def _given(settings: dict[str, Any]) -> dict[str, Any]:
    """What defines a run; older records also tell the ``place`` where the settings were printed."""
    return {k: v for k, v in settings.items() if v is not None and k != "place"}


def _flat(nested: dict, prefix: str = "") -> dict[str, Any]:
    flat = {}
    for name, value in nested.items():
        deeper = isinstance(value, dict)
        flat |= _flat(value, f"{prefix}{name}.") if deeper else {f"{prefix}{name}": value}
    return flat


def _matches(column: pd.Series, wanted) -> pd.Series:
    many = isinstance(wanted, Iterable) and not isinstance(wanted, str)
    return column.isna() if wanted is None else column.isin(list(wanted) if many else [wanted])


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


# ------------------------------------------------------------------ tables


class Interval(NamedTuple):
    """Mean, standard deviation (n − 1), and the 95 % interval of the mean."""

    mean: float
    sd: float
    lo: float
    hi: float


def reach(sd: float, n: int, tests: int = 1) -> float:
    """Half of a mean's 95 % Student-t interval; Bonferroni's, where several are looked at."""
    from scipy.special import stdtrit  # scipy.stats takes two seconds to import

    return float(stdtrit(n - 1, 1 - 0.025 / tests)) * sd / math.sqrt(n)


def interval(values: Iterable[float]) -> Interval:
    """The mean of a few runs with its 95 % Student-t interval; one run has no interval (nan)."""
    values = [float(v) for v in values]
    n = len(values)
    if n == 0:
        raise ValueError("values must hold at least one number; it is empty.")
    mean = math.fsum(values) / n
    if n == 1:
        return Interval(mean, math.nan, math.nan, math.nan)
    sd = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (n - 1))
    half = reach(sd, n)
    return Interval(mean, sd, mean - half, mean + half)


def table(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per method, preset, form, protocol and budget: F1 and AUC with intervals over seeds.

    Args:
        frame: what :func:`load` returned, of one data set. Runs that share a row must differ in
            nothing but the seed; if they do not, an error says in what, for ``load`` to choose.
    """
    import pandas as pd

    if frame["data"].nunique() > 1:
        raise ValueError(
            f"frame must hold one data set; it holds {', '.join(sorted(set(frame['data'])))}. "
            "Choose with load(folder, data=…)."
        )
    rows = []
    for group, runs in frame.groupby(GROUP, sort=False, dropna=False):
        _check_alike(" ".join(str(g) for g in group if not pd.isna(g)), runs)
        f1, auc = interval(runs["f1"]), interval(runs["auc"])
        rows.append([*group, len(runs), f1.mean, f1.lo, f1.hi, auc.mean, auc.lo, auc.hi])
    return pd.DataFrame(rows, columns=COLUMNS)


def against(frame: pd.DataFrame, method: str) -> pd.DataFrame:
    """Runs less those of one method, F1 and AUC, for :func:`table` to average.

    A run and what is subtracted have the same seed and split, preset, form, protocol and budget;
    runs without such a partner are left out.
    """
    usual = frame[frame["method"] == method]
    if usual.empty:
        raise ValueError(_unknown(method, "method with finished runs", sorted({*frame["method"]})))
    for _, runs in usual.groupby(["data", "split.how", *GROUP], dropna=False):
        _check_alike(method, runs)
    same = ["data", *GROUP[1:], "seed", "split.how", "split.checksum"]
    others = frame[frame["method"] != method]
    both = others.merge(usual[[*same, "f1", "auc"]], on=same, suffixes=("", "_usual"))
    if both.empty:
        raise ValueError(
            f"No run of another method has the seed, split and budget of one of {method}'s."
        )
    return both.assign(f1=both["f1"] - both["f1_usual"], auc=both["auc"] - both["auc_usual"])


def _check_alike(name: str, runs: pd.DataFrame) -> None:
    """Runs that are averaged must be of one kind, each seed once."""
    settings = [c for c in runs if c.startswith("settings.") and not c.endswith("seed")]
    for column in ["split.how", *settings]:
        if column in runs:
            kinds = sorted({json.dumps(v, default=str) for v in runs[column]})
            if len(kinds) > 1:
                raise ValueError(
                    f"{name}: runs that are averaged must be of one kind, but {column} is "
                    f"{' and '.join(kinds)}. Choose, for instance with "
                    f"load(folder, {column.replace('.', '__')}={kinds[0]})."
                )
    twice = runs.loc[runs["seed"].duplicated(), "seed"]
    if len(twice):
        raise ValueError(
            f"{name}: every seed must count once, but seed {twice.iloc[0]} has several runs "
            "with the same settings and different splits. Choose with load(folder, …)."
        )


def to_markdown(rows: pd.DataFrame, form: str = ".3f") -> str:
    """A :func:`table` for people: mean with interval; a single run is said to be one."""
    import pandas as pd

    lines = [
        "| " + " | ".join([*GROUP, "seeds", "F1 [95 %]", "AUC [95 %]"]) + " |",
        "|" + "---|" * len(GROUP) + "--:|---|---|",
    ]
    for row in rows.to_dict("records"):
        names = ["–" if pd.isna(row[name]) else str(row[name]) for name in GROUP]
        cells = [
            _cell(row["seeds"], form, *(row[m + end] for end in ("", "_lo", "_hi")))
            for m in ("f1", "auc")
        ]
        lines.append("| " + " | ".join([*names, str(row["seeds"]), *cells]) + " |")
    return "\n".join(lines)


def _cell(seeds: int, form: str, mean: float, lo: float, hi: float) -> str:
    if math.isnan(mean):
        return "undefined"
    mean, lo, hi = (format(value, form) for value in (mean, lo, hi))
    return f"{mean} (one run)" if seeds == 1 else f"{mean} [{lo}, {hi}]"


# ------------------------------------------------------------------ provenance


def environment(device: str | torch.device = "cpu") -> Record:
    """What a record tells of the machine: versions, device, threads, commit; no names or paths.

    The commit is looked up once per process: call this before training, since the checkout may
    move while a run goes on.
    """
    from importlib.metadata import version

    import numpy
    import torch

    import herocon_lite
    from herocon_lite import half, ranks

    commit, dirty = _checkout()
    where = torch.device(device)
    return {
        "versions": {
            "python": platform.python_version(),
            "torch": torch.__version__,
            "numpy": numpy.__version__,
            "sklearn": version("scikit-learn"),  # its import takes seconds
            "herocon_lite": herocon_lite.__version__,
        },
        "device": _device_name(where),
        "threads": torch.get_num_threads(),
        "instructions": torch.backends.cpu.get_cpu_capability(),
        "bfloat16": "torch" if half.at_home(where) else "rounded",  # whose products, if any
        "processes": ranks.world()[1],
        "commit": commit or f"herocon_lite {herocon_lite.__version__}",
        "dirty": dirty,  # whether the module's files differ from the commit; None: not known
    }


def made_by(environment: Record) -> str:
    """Code and what decides its rounding: half-done work of another machine is not gone on with."""
    names = ("device", "threads", "instructions", "bfloat16", "processes")
    parts = [code(), environment["versions"]["torch"], *(environment[name] for name in names)]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def _device_name(device) -> str:
    import torch

    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    if device.type == "mps":
        return f"Apple {platform.processor() or platform.machine()} (mps)"
    with contextlib.suppress(OSError):
        found = re.search(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), re.M)
        if found:
            return found.group(1)
    return platform.processor() or platform.machine()


@functools.cache
def code() -> str:
    """A name for the module's files as they are. Work half done by others is not gone on with."""
    files = sorted(Path(__file__).resolve().parent.rglob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


@functools.cache
def _checkout() -> tuple[str | None, bool | None]:
    """Commit and dirty flag, if this module lies in its own checkout."""
    package = Path(__file__).resolve().parent

    def git(*words: str) -> str:
        command = ["git", "-C", str(package), *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        git("ls-files", "--error-unmatch", "__init__.py")  # else the repository is another's
        return git("rev-parse", "HEAD"), bool(git("status", "--porcelain", "--", "."))
    except (OSError, subprocess.CalledProcessError):
        return None, None
