"""Where a data set's files are: found on disk, or downloaded, and never used unchecked.

Looked for in ``$HEROCON_DATA/NAME/``, then ``data/NAME/``, then at the addresses on the card. A
download is checked under a temporary name and only then moved to its place, so a file with its
right name is a whole file, and a data set is whole when all its files are there.
"""

from __future__ import annotations

import errno
import hashlib
import lzma
import os
import shutil
import tarfile
import tempfile
import time
import zipfile
import zlib
from contextlib import suppress
from functools import lru_cache
from pathlib import Path, PurePosixPath

from herocon_lite.data.cards import Card, File

PACKAGE = Path(__file__).resolve().parents[1]
CHECKOUT = PACKAGE.parent / "data"
# The embedded sets: data/ in a checkout; in an installed wheel the same files lie in the package.
EMBEDDED = CHECKOUT if (CHECKOUT / "mnist5k.npz").exists() else PACKAGE / "embedded"
ROUNDS = 3  # every address is tried this often
TIMEOUT = 30  # seconds without an answer
# What a wrong checksum, and the archive readers on a damaged archive, raise.
BAD_CONTENT = (
    *(ValueError, EOFError, RuntimeError, zlib.error, lzma.LZMAError),
    *(tarfile.TarError, zipfile.BadZipFile),
)


def downloads() -> Path:
    """Where downloads land: ``data/`` in a checkout, else the user's cache folder."""
    if CHECKOUT == EMBEDDED:
        return CHECKOUT
    import pooch

    return Path(pooch.os_cache("herocon_lite"))


def places(card: Card) -> list[Path]:
    """Folders in which the files of a set may lie, in the order they are looked at."""
    if card.embedded:
        return [EMBEDDED]
    own = os.environ.get("HEROCON_DATA")
    if own and not Path(own).expanduser().is_dir():
        raise NotADirectoryError(
            f"HEROCON_DATA must name a folder with data sets; {own!r} is none. Correct or unset it."
        )
    return [Path(root).expanduser() / card.name for root in (own, downloads()) if root]


def locate(
    card: Card, parts: tuple[str, ...]
) -> tuple[dict[str, tuple[Path, File]] | None, dict[Path, list[str]]]:
    """Each part's file, in the first folder that has them all, and what the other folders lack.

    Returns:
        (part → (path, the card's entry), None when no folder is complete;
        folder → names of missing files).
    """
    lacking = {}
    for folder in places(card):
        found = {part: _present(folder, card.parts[part]) for part in parts}
        missing = [card.parts[part][0].path for part in parts if found[part] is None]
        if not missing:
            return found, lacking
        lacking[folder] = missing
    return None, lacking


def _present(folder: Path, files: tuple[File, ...]) -> tuple[Path, File] | None:
    there = ((folder / file.path, file) for file in files)
    return next(((path, file) for path, file in there if path.is_file()), None)


def obtain(
    card: Card, parts: tuple[str, ...], download: bool, accept_terms: bool
) -> tuple[dict[str, Path], dict[str, str]]:
    """Paths and checksums of the asked parts, found or downloaded, every file checked.

    Returns:
        (part → path, file name → checksum as on the card).
    """
    found, lacking = locate(card, parts)
    if found is None:
        remarks = [f"{folder} lacks {', '.join(names)}" for folder, names in lacking.items()]
        folder = places(card)[-1]
        wanted = [card.parts[part][0] for part in parts if not _present(folder, card.parts[part])]
        # All or nothing: what can only be had by hand is not begun.
        if download and all(file.urls or card.archives for file in wanted):
            _ask_consent(card, accept_terms)
            for file in wanted:
                failures = _download(card, file, folder)
                remarks += failures
                if failures:
                    break
            found, _ = locate(card, parts)
        if found is None:
            raise FileNotFoundError(_not_found(card, parts, remarks))
    for path, file in found.values():
        fault = fault_of(path, file)
        if fault:
            raise ValueError(
                f"{path} cannot be used: {fault}. Delete it and load again, or put the right file "
                f"in its place (source: {card.source})."
            )
    paths = {part: path for part, (path, _) in found.items()}
    return paths, {file.path: file.checked_by for _, file in found.values()}


def fault_of(path: Path, file: File) -> str:
    """What is wrong with a file's content; empty when nothing is."""
    if file.checksum:
        algorithm, _, expected = file.checksum.partition(":")
        stat = path.stat()
        actual = _digest(path, algorithm, stat.st_size, stat.st_mtime_ns)
        if actual != expected:
            size = f", {file.size} bytes," if file.size else ""
            return (
                f"its {algorithm} is {actual} at {stat.st_size} bytes, "
                f"expected {expected}{size} so it is truncated, changed or another file"
            )
    elif file.starts_with:
        with path.open("rb") as stream:
            start = stream.read(len(file.starts_with))
        if start != file.starts_with:
            return f"it begins with {start!r}, expected {file.starts_with!r}"
    return ""


@lru_cache(maxsize=256)
def _digest(path: Path, algorithm: str, size: int, changed: int) -> str:
    """Read once a process, and again only when the file has changed."""
    digest = hashlib.new(algorithm)
    with path.open("rb") as stream:
        while block := stream.read(2**20):
            digest.update(block)
    return digest.hexdigest()


# ------------------------------------------------------------------ downloading


def _ask_consent(card: Card, accept_terms: bool) -> None:
    agreed = os.environ.get("HEROCON_ACCEPT_TERMS", "").replace(",", " ").split()
    if card.terms and not accept_terms and card.name not in agreed:
        raise PermissionError(
            f'"{card.name}" is not here, and downloading it needs your consent to its terms: '
            f"{card.licence} ({card.terms}). If you accept them, call "
            f'load("{card.name}", accept_terms=True) or set HEROCON_ACCEPT_TERMS={card.name}. '
            f'Without them: load("{card.stand_in}").'
        )


def _download(card: Card, file: File, folder: Path) -> list[str]:
    """Tries every address in turn until the file is in its place; returns what went wrong."""
    failures = []
    # Beside the data, so that the last step is a rename; a kill leaves rubbish only here.
    staging = folder.parent / ".downloads"
    for attempt in range(ROUNDS):
        time.sleep(attempt)  # 0, 1, 2 seconds
        failures = []
        for url in (*file.urls, *card.archives):
            try:
                if url in card.archives:
                    _from_archive(url, file, folder, staging)
                else:
                    _put(_fetch(url, file, staging / card.name), folder / file.path)
                return []
            except OSError as error:  # requests' errors are OSErrors too
                if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS):
                    raise OSError(
                        error.errno,
                        f"{file.path} could not be written: {os.strerror(error.errno)}. It needs "
                        f"{(file.size or 0) / 1e6:.0f} MB; nothing half-written was kept",
                        str(folder),
                    ) from error
                failures.append(f"{url}: {error}")
            except BAD_CONTENT as error:
                failures.append(f"{url}: {error}")
            finally:
                for empty in (staging / card.name, staging):
                    with suppress(OSError):
                        empty.rmdir()
    return failures


def _fetch(url: str, file: File, staging: Path) -> Path:
    """Downloads one file into ``staging``, whole and with the right checksum, or raises."""
    import pooch

    name = Path(file.path).name
    getter = pooch.create(staging, base_url="", registry={name: file.checksum}, urls={name: url})
    loader = pooch.HTTPDownloader(progressbar=True, chunk_size=2**20, timeout=TIMEOUT)
    path = Path(getter.fetch(name, downloader=loader))
    fault = fault_of(path, file)  # pooch has checked the checksum, if there is one
    if fault:
        path.unlink()
        raise ValueError(fault)
    return path


def _put(path: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    path.chmod(0o644)  # temporary files are private
    path.replace(target)


def _from_archive(url: str, file: File, folder: Path, staging: Path) -> None:
    """Takes one file out of a downloaded archive."""
    staging.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=staging) as temporary:
        archive = _fetch(url, File(PurePosixPath(url).name or "archive"), Path(temporary))
        inside = unpack(archive, Path(temporary) / "unpacked")
        path = next((p for p in inside.rglob(Path(file.path).name) if p.is_file()), None)
        if path is None:
            raise ValueError(f"the archive does not hold {Path(file.path).name}")
        fault = fault_of(path, file)
        if fault:
            raise ValueError(f"{path.name} in the archive cannot be used: {fault}")
        _put(path, folder / file.path)


def unpack(archive: Path, folder: Path) -> Path:
    """Unpacks a .zip or .tar (of any compression) so that ``folder`` appears whole or not at all.

    Only plain files and folders that stay inside are let through: an archive with an absolute
    path, a ``..``, a link or a device is refused before anything is written.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        inside = Path(temporary) / "inside"
        inside.mkdir()
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as source:
                for info in source.infolist():
                    # the upper 16 bits are the Unix mode; 0o12 marks a symbolic link
                    _refuse(archive, info.filename, link=info.external_attr >> 28 == 0o12)
                source.extractall(inside)
        else:
            with tarfile.open(archive) as source:
                for member in source.getmembers():
                    _refuse(archive, member.name, link=not (member.isfile() or member.isdir()))
                for member in source.getmembers():
                    target = inside / member.name
                    if member.isdir():
                        target.mkdir(parents=True, exist_ok=True)
                        continue
                    target.parent.mkdir(parents=True, exist_ok=True)
                    with source.extractfile(member) as stream, target.open("wb") as out:
                        shutil.copyfileobj(stream, out)
        inside.rename(folder)
    return folder


def _refuse(archive: Path, name: str, link: bool) -> None:
    path = PurePosixPath(name.replace("\\", "/"))
    drive = ":" in name.partition("/")[0]  # C:evil leads out of the folder on Windows
    if link or path.is_absolute() or ".." in path.parts or drive:
        raise ValueError(
            f"{archive.name} was not unpacked: its member {name!r} "
            + ("is a link or a device" if link else "leads out of the folder")
        )


def _not_found(card: Card, parts: tuple[str, ...], remarks: list[str]) -> str:
    wanted = [card.parts[part][0] for part in parts]
    lines = [
        f'The data set "{card.name}" is not here and could not be fetched.',
        f"  files    {', '.join(file.path for file in wanted)}, all in {places(card)[0]}/",
        f"  address  {', '.join(url for file in wanted for url in file.urls[:1]) or 'none'}",
        f"  page     {card.source}",
        f"  licence  {card.licence}",
    ]
    if card.by_hand:
        lines.append(f"  by hand  {card.by_hand}")
    if card.stand_in:
        lines.append(f'  instead  load("{card.stand_in}") is embedded and needs no download')
    return "\n".join(lines + [f"  looked   {remark}" for remark in remarks])
