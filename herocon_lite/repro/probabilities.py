"""Test-row probabilities of a run, in a file beside its record.

A record holds scores only. Where intervals shall cover the test rows too, a bootstrap needs each
row's probabilities; runs made with ``--keep-probabilities`` store them.
"""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import numpy as np

from herocon_lite.checkpoint import atomic_write
from herocon_lite.repro import store

# Rounded up to these steps: what exceeds a threshold of whole hundredths still does, and no more.
LEVELS = 60_000


def path_of(record: store.Record, folder: str | Path) -> Path:
    """Return the file that holds the probabilities of a run."""
    return Path(folder) / "probabilities" / record["data"] / f"{store.key(record)}.npz"


def save(record: store.Record, rows: np.ndarray, P: np.ndarray, folder: str | Path) -> str:
    """Store the probabilities of a run; call this before the record is appended.

    Args:
        record: the run's, or the part of it that defines the run.
        rows: (n,) numbers of the tested rows, in the order of ``P``.
        P: (n, c) probabilities in [0, 1].
        folder: the store.

    Returns:
        The checksum that the record keeps as ``probabilities``.
    """
    if len(rows) != len(P):
        raise ValueError(f"rows must name the {len(P)} rows of P; got {len(rows)}.")
    if not (P.min() >= 0 and P.max() <= 1):  # refuses nan, too
        raise ValueError(f"P must lie in [0, 1]; got values from {P.min()} to {P.max()}.")
    levels = np.ceil(P.astype(np.float64) * LEVELS).astype(np.uint16)
    buffer = io.BytesIO()
    # Differences of sorted row numbers, and one label after the other: both compress better.
    steps = np.diff(rows.astype(np.int32), prepend=np.int32(0))
    np.savez_compressed(buffer, rows=steps, probabilities=np.ascontiguousarray(levels.T))
    atomic_write(path_of(record, folder), buffer.getvalue())
    return _checksum(buffer.getvalue())


def load(record: store.Record, folder: str | Path) -> tuple[np.ndarray, np.ndarray]:
    """Read back what :func:`save` stored for a record.

    Returns:
        (n,) row numbers and (n, c) probabilities, float64, at most 1/60,000 too high.

    Raises:
        ValueError: if the run kept none, or its file is missing or another one.
    """
    name = f"{record['method']} on {record['data']}, seed {record['seed']}"
    if not record.get("probabilities"):
        raise ValueError(
            f"The record of {name} keeps no probabilities: run it with --keep-probabilities."
        )
    path = path_of(record, folder)
    content = path.read_bytes() if path.exists() else b""
    if _checksum(content) != record["probabilities"]:
        found = "another file" if content else "no file"
        raise ValueError(
            f"{path} must be the file that belongs to {name}; found {found}. "
            "Restore it, or run again with --keep-probabilities."
        )
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return np.cumsum(arrays["rows"]), arrays["probabilities"].T / LEVELS


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
