"""Who trains which run: a lock file that a dead owner does not hold."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

STALE_HOURS = 24.0  # where the file system has no locks, an older claim counts as abandoned


@contextlib.contextmanager
def claim(folder: str | Path, key: str) -> Iterator[bool]:
    """Claim a run while the block lasts; say whether it is ours.

    The claim is an operating system's lock on ``FOLDER/claims/KEY.json``. The system lets go of it
    when its owner dies, however that happens, so nobody waits for the dead. The file says for
    people who holds it and since when. Several processes, and threads, may claim.

    Args:
        folder: of the store.
        key: of the run.

    Yields:
        True if it is ours; False if another process, or thread, trains this run now.

    Example:
        >>> import tempfile
        >>> folder = tempfile.mkdtemp()
        >>> with claim(folder, "run") as first, claim(folder, "run") as second:
        ...     first, second
        (True, False)
        >>> with claim(folder, "run") as third:
        ...     third
        True
    """
    path = Path(folder) / "claims" / f"{key}.json"
    descriptor = _acquire(path)
    if descriptor is None:
        yield False
        return
    try:
        owner = {"process": os.getpid(), "machine": socket.gethostname(), "since": time.time()}
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, json.dumps(owner).encode())
        yield True
    finally:
        with contextlib.suppress(OSError):  # Windows removes no open file; an empty one is harmless
            path.unlink()
        os.close(descriptor)  # and with it the lock
        with contextlib.suppress(OSError):
            path.parent.rmdir()  # the last one clears up


def owner(folder: str | Path, key: str) -> str:
    """Return who holds a claim, in words; empty if nobody says."""
    try:
        said = json.loads((Path(folder) / "claims" / f"{key}.json").read_text("utf-8"))
        since = time.strftime("%Y-%m-%d %H:%M", time.localtime(said["since"]))
        return f"process {said['process']} on {said['machine']} since {since}"
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _acquire(path: Path) -> int | None:
    """Open and lock the file; None if another holds it."""
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except FileNotFoundError:  # the last owner has just removed the folder
            continue
        try:
            mine = _lock(descriptor)
        except OSError:  # a file system without locks
            mine = _is_free(path)
        if mine and _is_still(descriptor, path):
            return descriptor
        os.close(descriptor)
        if not mine:
            return None


def _lock(descriptor: int) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_still(descriptor: int, path: Path) -> bool:
    """Whether the name leads to the file that we locked: its last owner may have removed it."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _is_free(path: Path) -> bool:
    stat = path.stat()
    return stat.st_size == 0 or time.time() - stat.st_mtime > 3600 * STALE_HOURS
