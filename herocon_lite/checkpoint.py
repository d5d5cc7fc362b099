"""Files that are whole or not there."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from pathlib import Path


def atomic_write(path: str | Path, content: bytes | str | Callable[[Path], object]) -> None:
    """Write a file in one step: a reader, or a restart after a crash, sees the old or the new one.

    The content is written to a file beside ``path``, flushed to the disk, and renamed. Several
    threads and processes may write the same file; the last one to finish wins.

    Args:
        path: the file to write; missing folders are made.
        content: bytes, text (saved as UTF-8), or a function that writes to the path it is given.

    Raises:
        OSError: naming the file and the reason; what was half written is removed.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "new folder" / "note.txt"
        >>> atomic_write(path, "two views")
        >>> path.read_text()
        'two views'
    """
    path = Path(path)
    beside = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if callable(content):
            content(beside)
        else:
            beside.write_bytes(content.encode() if isinstance(content, str) else content)
        _flush(beside, os.O_RDWR)
        os.replace(beside, path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise OSError(error.errno, f"{path} could not be written ({reason})") from error
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # Windows cannot open folders
        _flush(path.parent, os.O_RDONLY)


def _flush(path: Path, mode: int) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    descriptor = os.open(path, mode)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
