"""File formats: one reader each, which gives arrays or says what is wrong with the file.

Every reader takes the most bytes that the content may have; a file that would expand to more is
refused before it does.
"""

from __future__ import annotations

import functools
import gzip
import math
import re
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

ATTRIBUTE = re.compile(r"(?im)^@attribute\s+(?:'((?:\\.|[^'\\])*)'|(\S+))[ \t]+(\S.*)$")


def _reads(what: str) -> Callable:
    """Make one sentence, with the file's name, of whatever goes wrong in a reader."""

    def decorate(read: Callable) -> Callable:
        @functools.wraps(read)
        def read_or_explain(path: Path, limit: int, *more):
            try:
                return read(path, limit, *more)
            except Exception as error:  # libraries raise many kinds on damaged content
                reason = str(error) or type(error).__name__
                raise ValueError(f"{path} must be {what}; it cannot be read: {reason}") from error

        return read_or_explain

    return decorate


def _check_limit(size: int, limit: int) -> None:
    if size > limit:
        raise ValueError(f"its content has more than {limit} bytes, twice what is expected")


@_reads("a gzipped IDX file of bytes")
def read_idx(path: Path, limit: int) -> np.ndarray:
    """Read 0, 0, the type (8 is uint8), the number of axes, their lengths, then the values."""
    with gzip.open(path) as stream:
        data = stream.read(limit + 1)
    _check_limit(len(data), limit)
    if data[:3] != b"\x00\x00\x08":
        raise ValueError(f"it starts {data[:4]!r}")
    shape = struct.unpack_from(f">{data[3]}I", data, 4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * data[3]).reshape(shape)


@_reads("a dense ARFF file of numbers")
def read_arff(path: Path, limit: int) -> tuple[dict[str, str], np.ndarray]:
    """Read attribute → type, and the rows as float32 (n, columns)."""
    _check_limit(path.stat().st_size, limit)
    header, *rows = re.split(r"(?im)^@data\s*$", path.read_text("utf-8"), maxsplit=1)
    if not rows:
        raise ValueError("it has no line @data")
    found = ATTRIBUTE.findall(header)
    types = {(quoted or plain).replace("\\", ""): kind for quoted, plain, kind in found}
    table = np.loadtxt(rows[0].splitlines(), np.float32, delimiter=",", ndmin=2)
    if table.shape[1] != len(types):
        raise ValueError(f"it names {len(types)} attributes, its rows have {table.shape[1]}")
    return types, table


@_reads("a MATLAB 5 file")
def read_mat(path: Path, limit: int, key: str) -> np.ndarray:
    """Read one variable, as float32."""
    from scipy.io import loadmat, whosmat

    _check_limit(path.stat().st_size, limit)
    shapes = {name: shape for name, shape, _ in whosmat(path)}
    if key not in shapes:
        raise ValueError(f"it has no variable {key!r}")
    _check_limit(8 * math.prod(shapes[key]), limit)
    values = loadmat(path, variable_names=[key])[key]
    if values.shape != shapes[key]:
        raise ValueError(f"{key} has the shape {values.shape}, its header says {shapes[key]}")
    return np.ascontiguousarray(values, np.float32)


@_reads("an .npz file of arrays")
def read_npz(path: Path, limit: int) -> dict[str, np.ndarray]:
    """Read all arrays by name; nothing is unpickled."""
    with zipfile.ZipFile(path) as archive:
        _check_limit(sum(member.file_size for member in archive.infolist()), limit)
    with np.load(path, allow_pickle=False) as content:
        return {key: content[key] for key in content}


@_reads("a text file, or a .zip file that holds one")
def read_text(path: Path, limit: int) -> str:
    """Read a text, where it is zipped the one of the same name."""
    if path.suffix != ".zip":
        _check_limit(path.stat().st_size, limit)
        return path.read_text("utf-8")
    with zipfile.ZipFile(path) as archive:
        member = archive.getinfo(path.with_suffix(".txt").name)
        _check_limit(member.file_size, limit)
        return archive.read(member).decode("utf-8")
