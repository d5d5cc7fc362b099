"""Files that are whole or not there, and that say so when a byte of them has changed.

:func:`save_model` and :func:`save_state` put a SHA-256 of every other byte into the file, and their
readers check it before anything else is looked at. Whatever is wrong with a file, a reader raises
one ``ValueError`` that names it. The digest finds accidents; it is no signature, since whoever
forges a file can compute it. So readers run no code and take no sizes on trust either.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # torch is imported where it is used: the store of records does without
    import torch

UNSET = b"0" * 64  # stands for the digest while it is computed
STATE = b"herocon_lite state 1 sha256 "  # then 64 hex digits, a line feed, and torch's file


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


# ------------------------------------------------------------------ models


def save_model(
    path: str | Path,
    tensors: Mapping[str, torch.Tensor],
    about: Mapping[str, Any],
    format: str,
    default: Callable | None = None,
) -> None:
    """Write tensors and a JSON object to a safetensors file with a digest of all its bytes.

    Args:
        path: the file; an older one stays until the new one is on the disk.
        tensors: by name.
        about: what JSON can hold.
        format: name and version, such as ``"herocon_lite 2"``; :func:`load_model` asks for it.
        default: turns what JSON lacks into something that it has, as in :func:`json.dumps`.

    Raises:
        OSError: if the file cannot be written.

    Example:
        >>> import tempfile, torch
        >>> path = Path(tempfile.mkdtemp()) / "model"
        >>> save_model(path, {"w": torch.ones(2)}, {"steps": 5}, "mine 1")
        >>> load_model(path, "mine 1", "my model")
        ({'steps': 5}, {'w': tensor([1., 1.])})
    """
    from safetensors.torch import save

    metadata = {"format": format, "about": json.dumps(about, default=default)}
    content = save(dict(tensors), {**metadata, "sha256": UNSET.decode()})
    digest = hashlib.sha256(content).hexdigest().encode()
    atomic_write(path, content.replace(_digest_entry(UNSET), _digest_entry(digest), 1))


def load_model(
    path: str | Path, format: str, what: str, older: Collection[str] = ()
) -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
    """Read a file of :func:`save_model` after checking its digest.

    The tensors' sizes are those of the file. Sizes that stand in ``about`` are only claims: build
    the network under ``torch.device("meta")``, which allocates nothing, and call
    :func:`check_tensors` before it is built in earnest.

    Args:
        path: the file.
        format: which it must have.
        what: it should be, for the message: ``"a model saved by HeroConClassifier"``.
        older: formats that had no digest yet and are read without.

    Returns:
        (about, tensors by name).

    Raises:
        ValueError: one sentence for whatever is wrong with the content.
        OSError: if there is no such file, or it cannot be read.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load

    content = _read_bytes(path, what)
    try:
        size = int.from_bytes(content[:8], "little")
        if len(content) < 10 or size > len(content) - 8:
            raise ValueError("it is cut short, or no safetensors file")
        metadata = json.loads(content[8 : 8 + size].decode()).get("__metadata__") or {}
        if metadata.get("format") not in (format, *older):
            raise ValueError(f"its format is {metadata.get('format')!r}, not {format!r}")
        if metadata["format"] == format:
            _check_digest(content, metadata.get("sha256"))
        about = json.loads(metadata["about"])
        if not isinstance(about, dict):
            raise ValueError("its description is no JSON object")
        return about, load(content)
    except (ValueError, SafetensorError, AttributeError, TypeError, KeyError) as error:
        raise unusable(path, what, error) from error
    except (RecursionError, MemoryError) as error:
        raise unusable(path, what, "its header is no header of ours") from error


def check_tensors(
    path: str | Path,
    what: str,
    wanted: Mapping[str, torch.Tensor],
    found: Mapping[str, torch.Tensor],
) -> None:
    """Check that a file's tensors are those that a network needs: names, shapes, finite numbers.

    Args:
        path, what: for the message, as in :func:`load_model`.
        wanted: ``state_dict()`` of the network; on the meta device it takes no memory.
        found: the file's.

    Raises:
        ValueError: naming the file and the first tensor that does not fit.

    Example:
        >>> import torch
        >>> with torch.device("meta"):
        ...     net = torch.nn.Linear(10**9, 10**6)
        >>> check_tensors("file", "a model", net.state_dict(), {"weight": torch.ones(2, 2)})
        Traceback (most recent call last):
        ValueError: file cannot be used as a model: it lacks bias.
    """
    if not isinstance(found, Mapping):
        raise unusable(path, what, "it holds no tensors by name")
    for problem, names in (
        ("it lacks", wanted.keys() - found.keys()),
        ("nothing needs its", found.keys() - wanted.keys()),
    ):
        if names:
            raise unusable(path, what, f"{problem} {', '.join(sorted(map(str, names))[:3])}")
    for name, tensor in wanted.items():
        shape, got = tuple(tensor.shape), found[name]
        if not hasattr(got, "shape") or tuple(got.shape) != shape:
            has = tuple(getattr(got, "shape", ())) or type(got).__name__
            raise unusable(path, what, f"{name} must have the shape {shape}; it has {has}")
        if got.is_floating_point() != tensor.is_floating_point():
            raise unusable(path, what, f"{name} must hold {tensor.dtype}; it holds {got.dtype}")
        if got.is_floating_point() and not got.isfinite().all():
            raise unusable(path, what, f"{name} holds numbers that are not finite")


# ------------------------------------------------------------------ checkpoints


def save_state(path: str | Path, state: dict[str, Any]) -> None:
    """Write what ``torch.save`` can write, behind a digest of it, whole or not at all.

    Raises:
        OSError: if the file cannot be written.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "checkpoint.pt"
        >>> save_state(path, {"step": 5})
        >>> load_state(path, ["step"])
        {'step': 5}
    """
    import torch

    buffer = io.BytesIO()
    torch.save(state, buffer)
    content = buffer.getvalue()
    digest = hashlib.sha256(content).hexdigest().encode()
    atomic_write(path, STATE + digest + b"\n" + content)


def load_state(
    path: str | Path, names: Iterable[str], device: torch.device | str = "cpu"
) -> dict[str, Any]:
    """Read a file of :func:`save_state`: numbers, tensors and plain containers, never code.

    Args:
        path: the file.
        names: entries that it must have.
        device: where its tensors go.

    Raises:
        ValueError: one sentence for whatever is wrong with the content.
        OSError: if there is no such file, or it cannot be read.
    """
    import torch

    what = "a whole checkpoint"
    content = _read_bytes(path, what)
    start = len(STATE) + 65
    try:
        if content[: len(STATE)] != STATE or len(content) <= start:
            raise ValueError("it is cut short, or something else")
        wanted = content[len(STATE) : start - 1].decode()
        content = content[start:]
        if hashlib.sha256(content).hexdigest() != wanted:
            raise ValueError("its checksum is wrong, so it has changed since it was written")
        state = torch.load(io.BytesIO(content), map_location=device, weights_only=True)
    except Exception as error:  # torch raises many kinds on damaged content
        raise unusable(path, what, error, "Delete it to start anew.") from error
    lacking = [name for name in names if not isinstance(state, dict) or name not in state]
    if lacking:
        reason = f"it lacks {', '.join(lacking)}"
        raise unusable(path, what, reason, "Delete it to start anew.")
    return state


# ------------------------------------------------------------------ what they share


def _read_bytes(path: str | Path, what: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except (IsADirectoryError, PermissionError) as error:  # Windows has the second for folders
        if Path(path).is_dir():
            raise unusable(path, what, "it is a folder") from error
        raise
    except ValueError as error:  # a zero byte in the name
        raise unusable(repr(path), what, error) from error


def _digest_entry(digest: bytes) -> bytes:
    return b'"sha256":"' + digest + b'"'


def _check_digest(content: bytes, digest: object) -> None:
    """Hash the content as it was before the digest was put in."""
    entry = _digest_entry(str(digest).encode())
    if not isinstance(digest, str) or len(digest) != 64 or content.count(entry) != 1:
        raise ValueError("its checksum is missing")
    before = content.replace(entry, _digest_entry(UNSET), 1)
    if hashlib.sha256(before).hexdigest() != digest:
        raise ValueError("its checksum is wrong, so it has changed since it was written")


def unusable(path: object, what: str, reason: object, advice: str = "") -> ValueError:
    """Return the error that says, in one sentence, why a file cannot be used."""
    reason = " ".join((str(reason) or type(reason).__name__).split())[:300].rstrip(".")
    return ValueError(f"{path} cannot be used as {what}: {reason}. {advice}".rstrip())
