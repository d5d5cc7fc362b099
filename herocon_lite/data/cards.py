"""The data sets' cards, read from ``cards.yaml`` beside this file."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from pathlib import Path

import yaml


@dataclass(frozen=True)
class File:
    """One file of a data set. What can be downloaded has a checksum."""

    path: str  # inside the set's folder
    checksum: str | None = None  # "sha256:…" or "md5:…"; None: unknown, so not checked
    size: int | None = None  # bytes, where known
    urls: tuple[str, ...] = ()  # official address first, mirrors after
    expanded: int | None = None  # bytes of the content of a compressed file
    remark: str = ""  # what the user should know when this file is the one in use
    starts_with: bytes = b""  # what a whole file begins with, where no checksum is known

    def __post_init__(self) -> None:
        if self.urls and not (self.checksum and self.size):
            raise ValueError(f"{self.path} must have a checksum and a size to have urls.")

    @property
    def checked_by(self) -> str:
        return self.checksum or "unknown: not checked"

    @property
    def limit(self) -> int:
        """Most bytes that the file or its content may have: twice the known number."""
        return 2 * max(self.size or 0, self.expanded or 0)


@dataclass(frozen=True)
class Card:
    """What one data set is; ``parts`` maps each part to the files that can serve as it."""

    name: str
    title: str
    kind: str  # "multilabel" or "multiclass"
    about: str
    source: str
    licence: str
    cite: str
    parts: dict[str, tuple[File, ...]] = field(default_factory=dict)
    labeled: int | None = None  # rows that train, unless a split is given another number
    terms: str = ""  # page of terms the user must accept before a download
    by_hand: str = ""  # what to do when no address answers
    stand_in: str = ""  # the embedded set that can take its place
    embedded: bool = False
    synthetic: bool = False

    @property
    def size(self) -> int:
        """Bytes of the files that a complete set needs, as far as known."""
        return sum(part[0].size or 0 for part in self.parts.values())

    @property
    def checksum(self) -> dict[str, str]:
        """Checksum of every file, by path."""
        return {file.path: file.checked_by for part in self.parts.values() for file in part}

    def limit(self, path: Path) -> int:
        """Return the most bytes that a file of this set, or its content, may have."""
        files = (file for part in self.parts.values() for file in part)
        return next(file.limit for file in files if file.path == path.name)

    def lines(self) -> dict[str, str]:
        """Return the card as heading → text; what it does not have is left out."""
        facts = ("title", "kind", "about", "source", "licence", "cite")
        synthetic = " (synthetic: drawn by code, no real person)" * self.synthetic
        lines = {"name": self.name + synthetic, **{fact: getattr(self, fact) for fact in facts}}
        if self.parts:
            lines["size"] = f"{self.size / 1e6:.1f} MB" if self.size else "not known"
        lines |= {f"file {path}": checksum for path, checksum in self.checksum.items()}
        more = {
            "terms": self.terms and f"must be accepted before a download: {self.terms}",
            "by hand": self.by_hand,
            "stand-in": self.stand_in and f'load("{self.stand_in}"), embedded',
        }
        return lines | {heading: text for heading, text in more.items() if text}


def find_card(name: str) -> Card:
    """Return the card of one data set; an unknown name gets a suggestion."""
    if name in CARDS:
        return CARDS[name]
    near = difflib.get_close_matches(str(name).lower(), CARDS, n=1, cutoff=0.5)
    hint = f' Did you mean "{near[0]}"?' if near else ""
    raise ValueError(f"name must be one of {', '.join(CARDS)}; got {name!r}.{hint}")


def read_cards(text: str) -> dict[str, Card]:
    """Read cards by name, from YAML laid out as in ``cards.yaml``."""
    return {name: _card(name, **entry) for name, entry in yaml.safe_load(text).items()}


def _card(name: str, parts: dict[str, list[dict]] | None = None, **entry) -> Card:
    files = {part: tuple(_file(**file) for file in own) for part, own in (parts or {}).items()}
    return Card(name, parts=files, **entry)


def _file(path: str, urls=(), starts_with: str = "", **entry) -> File:
    """One entry of ``parts``; an address that ends with a slash is a folder that has the file."""
    urls = tuple(url + path if url.endswith("/") else url for url in urls)
    return File(path, urls=urls, starts_with=starts_with.encode(), **entry)


CARDS = read_cards(Path(__file__).with_name("cards.yaml").read_text(encoding="utf-8"))
NAMES = tuple(CARDS)
