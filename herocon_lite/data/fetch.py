"""Where a data set's files are: found on disk, or downloaded, and never used unchecked.

Looked for in ``$HEROCON_DATA/NAME/``, then ``data/NAME/``, then at the addresses on the card. A
download is checked under a temporary name and only then moved to its place, so a file with its
right name is a whole file, and a data set is whole when all its files are there. Nothing is
unpacked: readers look into compressed files, up to the limits on the card.
"""

from __future__ import annotations

import errno
import hashlib
import os
import time
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from herocon_lite.data.cards import Card, File

PACKAGE = Path(__file__).resolve().parents[1]
CHECKOUT = PACKAGE.parent / "data"
# The embedded sets: data/ in a checkout; in an installed wheel the same files lie in the package.
EMBEDDED = CHECKOUT if (CHECKOUT / "mnist5k.npz").exists() else PACKAGE / "embedded"
MAX_ATTEMPTS = 3  # for every address
TIMEOUT = 30  # seconds without an answer


def download_folder() -> Path:
    """Return where downloads land: ``data/`` in a checkout, else the user's cache folder."""
    if CHECKOUT == EMBEDDED:
        return CHECKOUT
    import pooch

    return Path(pooch.os_cache("herocon_lite"))


def candidate_folders(card: Card) -> list[Path]:
    """Return the folders in which the files of a set may lie, in the order they are searched."""
    if card.embedded:
        return [EMBEDDED]
    own = os.environ.get("HEROCON_DATA")
    if own and not Path(own).expanduser().is_dir():
        raise NotADirectoryError(
            f"HEROCON_DATA must name a folder with data sets; {own!r} is none. Correct or unset it."
        )
    return [Path(root).expanduser() / card.name for root in (own, download_folder()) if root]


def locate(
    card: Card, parts: tuple[str, ...]
) -> tuple[dict[str, tuple[Path, File]] | None, dict[Path, list[str]]]:
    """Find each part's file in the first folder that has them all.

    Returns:
        (part → (path, the card's entry), None when no folder is complete;
        folder → names of missing files).
    """
    lacking = {}
    for folder in candidate_folders(card):
        found = {part: find_file(folder, card.parts[part]) for part in parts}
        missing = [card.parts[part][0].path for part in parts if found[part] is None]
        if not missing:
            return found, lacking
        lacking[folder] = missing
    return None, lacking


def find_file(folder: Path, files: tuple[File, ...]) -> tuple[Path, File] | None:
    """Return the first of the files that lies in the folder, with its path."""
    there = ((folder / file.path, file) for file in files)
    return next(((path, file) for path, file in there if path.is_file()), None)


def obtain(
    card: Card, parts: tuple[str, ...], download: bool, accept_terms: bool
) -> tuple[dict[str, Path], dict[str, str]]:
    """Find or download the files of some parts, and check every one.

    Returns:
        (part → path, file name → checksum as on the card).
    """
    found, lacking = locate(card, parts)
    if found is None:
        remarks = [f"{folder} lacks {', '.join(names)}" for folder, names in lacking.items()]
        folder = candidate_folders(card)[-1]
        wanted = [card.parts[part][0] for part in parts if not find_file(folder, card.parts[part])]
        # All or nothing: what can only be had by hand is not begun.
        if download and all(file.urls for file in wanted):
            _require_consent(card, accept_terms)
            for file in wanted:
                failures = _download(card, file, folder)
                remarks += failures
                if failures:
                    break
            found, _ = locate(card, parts)
        if found is None:
            raise FileNotFoundError(_not_found(card, parts, remarks))
    for path, file in found.values():
        fault = find_fault(path, file)
        if fault:
            raise ValueError(
                f"{path} cannot be used: {fault}. Delete it and load again, or put the right file "
                f"in its place (source: {card.source})."
            )
    paths = {part: path for part, (path, _) in found.items()}
    return paths, {file.path: file.checked_by for _, file in found.values()}


def find_fault(path: Path, file: File) -> str:
    """Say what is wrong with a file's content; empty when nothing is."""
    stat = path.stat()
    if file.checksum:
        algorithm, _, expected = file.checksum.partition(":")
        actual = _digest(path, algorithm, stat.st_size, stat.st_mtime_ns)
        if actual != expected:
            return (
                f"its {algorithm} is {actual} at {stat.st_size} bytes, expected {expected}, "
                f"{file.size} bytes, so it is truncated, changed or another file"
            )
    elif stat.st_size > file.limit:
        return f"it has {stat.st_size} bytes, expected at most {file.limit}"
    elif file.starts_with:
        with path.open("rb") as stream:
            start = stream.read(len(file.starts_with))
        if start != file.starts_with:
            return f"it begins with {start!r}, expected {file.starts_with!r}"
    return ""


@lru_cache(maxsize=256)
def _digest(path: Path, algorithm: str, size: int, changed: int) -> str:
    """Hash a file: once a process, and again only when it has changed."""
    digest = hashlib.new(algorithm)
    with path.open("rb") as stream:
        while block := stream.read(2**20):
            digest.update(block)
    return digest.hexdigest()


# ------------------------------------------------------------------ downloading


def _require_consent(card: Card, accept_terms: bool) -> None:
    agreed = os.environ.get("HEROCON_ACCEPT_TERMS", "").replace(",", " ").split()
    if card.terms and not accept_terms and card.name not in agreed:
        raise PermissionError(
            f'"{card.name}" is not here, and downloading it needs your consent to its terms: '
            f"{card.licence} ({card.terms}). If you accept them, call "
            f'load("{card.name}", accept_terms=True) or set HEROCON_ACCEPT_TERMS={card.name}. '
            f'Without them: load("{card.stand_in}").'
        )


def _download(card: Card, file: File, folder: Path) -> list[str]:
    """Try every address in turn until the file is in its place; return what went wrong."""
    failures = []
    # Beside the data, so that the last step is a rename; a kill leaves rubbish only here.
    staging = folder.parent / ".downloads" / card.name
    for attempt in range(MAX_ATTEMPTS):
        time.sleep(attempt)  # 0, 1, 2 seconds
        failures = []
        for url in file.urls:
            try:
                _move(_fetch(url, file, staging), folder / file.path)
                return []
            except OSError as error:  # requests' errors are OSErrors too
                if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS):
                    raise OSError(
                        error.errno,
                        f"{file.path} could not be written: {os.strerror(error.errno)}. It needs "
                        f"{file.size / 1e6:.0f} MB; nothing half-written was kept",
                        str(folder),
                    ) from error
                failures.append(f"{url}: {error}")
            except ValueError as error:  # a wrong checksum, or too many bytes
                failures.append(f"{url}: {error}")
            finally:
                for empty in (staging, staging.parent):
                    with suppress(OSError):
                        empty.rmdir()
    return failures


def _fetch(url: str, file: File, staging: Path) -> Path:
    """Download one file into ``staging``, whole and with the right checksum, or raise."""
    import pooch

    http = pooch.HTTPDownloader(progressbar=True, chunk_size=2**20, timeout=TIMEOUT)

    def download(url: str, output: str, fetcher: pooch.Pooch) -> None:
        with open(output, "wb") as stream:
            http(url, _LimitedStream(stream, file.limit), fetcher)

    name = Path(file.path).name
    getter = pooch.create(staging, base_url="", registry={name: file.checksum}, urls={name: url})
    return Path(getter.fetch(name, downloader=download))


class _LimitedStream:
    """Refuses to write more than ``limit`` bytes: a server may send without end."""

    def __init__(self, stream: BinaryIO, limit: int) -> None:
        self.stream, self.limit, self.flush = stream, limit, stream.flush

    def write(self, data: bytes) -> None:
        if self.stream.tell() + len(data) > self.limit:
            raise ValueError(f"it sends more than {self.limit} bytes, twice what is expected")
        self.stream.write(data)


def _move(path: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    path.chmod(0o644)  # temporary files are private
    path.replace(target)


def _not_found(card: Card, parts: tuple[str, ...], remarks: list[str]) -> str:
    wanted = [card.parts[part][0] for part in parts]
    folder = candidate_folders(card)[0]
    lines = [
        f'The data set "{card.name}" is not here and could not be fetched.',
        f"  files    {', '.join(file.path for file in wanted)}, all in {folder}/",
        f"  address  {', '.join(url for file in wanted for url in file.urls[:1]) or 'none'}",
        f"  page     {card.source}",
        f"  licence  {card.licence}",
    ]
    if card.by_hand:
        lines.append(f"  by hand  {card.by_hand}")
    if card.stand_in:
        lines.append(f'  instead  load("{card.stand_in}") is embedded and needs no download')
    return "\n".join(lines + [f"  looked   {remark}" for remark in remarks])
