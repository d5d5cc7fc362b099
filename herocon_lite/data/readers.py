"""From files to arrays: one reader a data set, one type for all."""

from __future__ import annotations

import gzip
import inspect
import re
import struct
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from herocon_lite.data.cards import Card, find_card
from herocon_lite.data.faces import draw_faces
from herocon_lite.data.fetch import obtain
from herocon_lite.data.lazy import ImageArchive, Lazy, Windows

Paths = dict[str, Path]  # part of a data set → file
Array = np.ndarray | Lazy

WINDOW_REACH = 3  # MOCHA stacks frames t − 3 … t + 3, as XRMB's window7 does


@dataclass(frozen=True, eq=False)
class Dataset:
    """Views and labels of the same rows.

    Features are float32 (n, d), images uint8 (n, channels, height, width), and large views lazy.
    Values are checked here once, so that nothing later has to.
    """

    name: str
    kind: str  # "multilabel" or "multiclass"
    views: list[Array]
    labels: np.ndarray  # (n, c), uint8, 0/1; one 1 a row when multiclass
    label_names: tuple[str, ...]
    card: Card
    row_info: dict[str, np.ndarray] = field(default_factory=dict)  # e.g. which utterance
    checksums: dict[str, str] = field(default_factory=dict)  # of the files it was read from
    steps: tuple[str, ...] = ()  # what was done to it since, in words, for the record of a run
    whole: int | None = None  # rows of the whole set, where the files may hold a part of it

    def __post_init__(self) -> None:
        labels = self.labels
        if labels.ndim != 2 or not np.isin(labels, (0, 1)).all():
            raise ValueError(f"{self.name}: labels must be a matrix of 0 and 1.")
        if self.kind == "multiclass" and not (labels.sum(1) == 1).all():
            raise ValueError(f"{self.name}: each row of a multiclass set must have one class.")
        if labels.shape[1] != len(self.label_names):
            raise ValueError(
                f"{self.name}: labels has {labels.shape[1]} columns, "
                f"label_names {len(self.label_names)}; they must agree."
            )
        for number, view in enumerate(self.views, 1):
            if len(view) != len(labels):
                raise ValueError(
                    f"{self.name}: view {number} has {len(view)} rows, labels {len(labels)}; "
                    "row i of both must be the same sample."
                )
            if view.ndim == 4 and view.dtype != np.uint8:
                raise ValueError(
                    f"{self.name}: view {number} holds pictures as {view.dtype}; they must be "
                    "uint8, from 0 to 255."
                )
            if (
                isinstance(view, np.ndarray)
                and view.dtype.kind == "f"
                and not np.isfinite(view).all()
            ):
                raise ValueError(f"{self.name}: view {number} holds NaN or infinity.")

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        shapes = " + ".join("×".join(map(str, view.shape[1:])) for view in self.views)
        return (
            f"<{self.name}: {len(self)} rows, views {shapes or 'none'}, "
            f"{len(self.label_names)} labels, {self.kind}{', SYNTHETIC' * self.card.synthetic}>"
        )

    def take(self, rows: np.ndarray, step: str) -> Dataset:
        """Some rows, in the given order; ``step`` says which, for the record."""
        views = [v.take(rows) if isinstance(v, Lazy) else v[rows] for v in self.views]
        return replace(
            self,
            views=views,
            labels=self.labels[rows],
            row_info={key: value[rows] for key, value in self.row_info.items()},
            steps=(*self.steps, step),
        )

    def standardise(self, rows: np.ndarray) -> Dataset:
        """Give each feature mean 0 and deviation 1 over ``rows``; what is constant there becomes 0.

        Args:
            rows: those that may be looked at in training; their labels are not used.
        """
        views = []
        for view in self.views:
            mean, deviation = view[rows].mean(0, np.float64), view[rows].std(0, np.float64)
            constant = deviation < 1e-6 * np.abs(mean).clip(1)
            scaled = (view - mean) / np.where(constant, np.inf, deviation)
            views.append(scaled.astype(np.float32))
        return self.with_views(views, "features standardised on the rows of training")

    def with_views(self, views: list[Array], step: str) -> Dataset:
        """Other views of the same rows; ``step`` says how they were made, for the record."""
        return replace(self, views=views, steps=(*self.steps, step))


def one_hot(classes: np.ndarray, count: int) -> np.ndarray:
    """Class numbers (n,) as a 0/1 matrix (n, count)."""
    return (classes[:, None] == np.arange(count)).astype(np.uint8)


# ------------------------------------------------------------------ the paper's sets


def read_scene(card: Card, paths: Paths) -> Dataset:
    types, table = _read_mulan(paths)
    labels, names = table[:, 294:].astype(np.uint8), tuple(types)[294:]
    return Dataset(card.name, card.kind, [table[:, :294]], labels, names, card)


def read_birds(card: Card, paths: Paths) -> Dataset:
    types, table = _read_mulan(paths)
    names = list(types)
    sound = sum(name.startswith("audio-ssd") for name in names)
    place = names.index("location")  # the last feature; the rest are species
    known = types["location"].strip("{}").split(",")
    locations = table[:, [place]] == np.array(known, np.float32)
    segments = np.concatenate([table[:, sound:place], locations], axis=1, dtype=np.float32)
    labels, species = table[:, place + 1 :].astype(np.uint8), tuple(names[place + 1 :])
    return Dataset(card.name, card.kind, [table[:, :sound], segments], labels, species, card)


ATTRIBUTE = re.compile(r"@attribute\s+(?:'((?:\\.|[^'\\])*)'|(\S+))\s+(.+)", re.IGNORECASE)


def _read_mulan(paths: Paths) -> tuple[dict[str, str], np.ndarray]:
    """Mulan's training rows and then its test rows, with the attributes that both must have."""
    (types, train), (others, test) = (_read_arff(paths[part]) for part in ("train", "test"))
    if types != others:
        raise ValueError(f"{paths['test']} must have the attributes of {paths['train'].name}.")
    return types, np.concatenate([train, test])


def _read_arff(path: Path) -> tuple[dict[str, str], np.ndarray]:
    """A dense ARFF file of numbers: attribute → type, and (rows, columns) float32."""
    header, _, rows = re.split(r"(?im)^(@data)\s*$", path.read_text(), maxsplit=1)
    found = [ATTRIBUTE.match(line) for line in header.splitlines() if line.lower().startswith("@a")]
    types = {
        (quoted or plain).replace("\\", ""): kind
        for quoted, plain, kind in map(re.Match.groups, found)
    }
    return types, np.loadtxt(rows.splitlines(), np.float32, delimiter=",", ndmin=2)


def read_mnist(card: Card, paths: Paths) -> Dataset:
    images, digits = (
        np.concatenate([_read_idx(paths[f"{part} {what}"]) for part in ("train", "test")])
        for what in ("images", "labels")
    )
    return _digits(card, images, digits)


def _read_idx(path: Path) -> np.ndarray:
    """The IDX format: 0, 0, type (8 is uint8), number of axes, their lengths, the values."""
    data = gzip.decompress(path.read_bytes())
    if data[:3] != b"\x00\x00\x08":
        raise ValueError(f"{path} must be a gzipped IDX file of bytes; it starts {data[:4]!r}.")
    shape = struct.unpack_from(f">{data[3]}I", data, 4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * data[3]).reshape(shape)


def _digits(card: Card, images: np.ndarray, digits: np.ndarray) -> Dataset:
    names = tuple("0123456789")
    return Dataset(card.name, card.kind, [images[:, None]], one_hot(digits, 10), names, card)


def read_xrmb(card: Card, paths: Paths) -> Dataset:
    views = [_read_mat(paths["view 1"], "X1"), _read_mat(paths["view 2"], "X2")]
    phones = _read_mat(paths["view 2"], "trainLabel").astype(np.int64).ravel()
    count = int(phones.max()) + 1
    names = tuple(f"phone {number}" for number in range(count))
    return Dataset(card.name, card.kind, views, one_hot(phones, count), names, card)


def _read_mat(path: Path, key: str) -> np.ndarray:
    from scipy.io import loadmat

    content = loadmat(path, variable_names=[key])
    if key not in content:
        raise ValueError(f"{path} must hold a variable {key!r}; it does not.")
    return np.ascontiguousarray(content[key], np.float32)


def read_celeba(card: Card, paths: Paths, images: bool = True) -> Dataset:
    names, label_names, labels = _read_attributes(paths["attributes"])
    partition = np.loadtxt(paths["partition"], np.uint8, usecols=1)
    views, steps, whole = [], ("attributes only",), len(names)
    if images:
        archive = ImageArchive.open(paths["images"], names)
        height, width = archive.image_shape
        steps = (f"{len(archive.names)} of {len(names)} images, {width} × {height}",)
        position = {name: row for row, name in enumerate(names)}
        rows = np.array([position[name] for name in archive.names])
        labels, partition = labels[rows], partition[rows]
        shape = (3, height, width)
        views = [Lazy(archive, np.arange(len(rows)), shape, np.dtype(np.uint8))]
    return Dataset(
        card.name,
        card.kind,
        views,
        labels,
        label_names,
        card,
        row_info={"partition": partition},  # official: 0 train, 1 validation, 2 test
        steps=steps,
        whole=whole,
    )


def _read_attributes(path: Path) -> tuple[list[str], tuple[str, ...], np.ndarray]:
    """File names, attribute names, and a 0/1 matrix; the file has ±1, a row an image."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            text = archive.read("list_attr_celeba.txt").decode()
    else:
        text = path.read_text()
    _, header, *rows = text.splitlines()
    names, values = zip(*(row.split(maxsplit=1) for row in rows), strict=True)
    labels = np.loadtxt(values, np.int8) == 1
    return list(names), tuple(header.split()), labels.astype(np.uint8)


def read_mocha(card: Card, paths: Paths) -> Dataset:
    arrays = _arrays(paths["frames"])
    # A recording is one sentence of one speaker; a window must lie inside one.
    recording = arrays["utterance"].astype(np.int64) * 2 + arrays["speaker"]
    centre = np.arange(WINDOW_REACH, len(recording) - WINDOW_REACH)
    centre = centre[recording[centre - WINDOW_REACH] == recording[centre + WINDOW_REACH]]
    views = [
        Lazy(
            Windows(frames, WINDOW_REACH),
            centre,
            ((2 * WINDOW_REACH + 1) * frames.shape[1],),
            np.dtype(np.float32),
        )
        for frames in (arrays["acoustic"], arrays["articulatory"])
    ]
    names = tuple(map(str, arrays["label_names"]))
    return Dataset(
        card.name,
        card.kind,
        views,
        one_hot(arrays["label"][centre], len(names)),
        names,
        card,
        row_info={key: arrays[key][centre] for key in ("speaker", "utterance")},
    )


# ------------------------------------------------------------------ embedded sets


def _arrays(path: Path) -> dict[str, np.ndarray]:
    with np.load(path, allow_pickle=False) as content:
        return {key: content[key] for key in content}


def read_mnist5k(card: Card, paths: Paths) -> Dataset:
    arrays = _arrays(paths["arrays"])
    return _digits(card, arrays["images"], arrays["digit"])


def read_yeast(card: Card, paths: Paths) -> Dataset:
    arrays = _arrays(paths["arrays"])
    views = [arrays["expression"], arrays["phylogenetic"]]
    names = tuple(f"Class{number}" for number in range(1, 15))
    return Dataset(card.name, card.kind, views, arrays["labels"], names, card)


MFEAT_VIEWS: Sequence[str] = ("fou", "fac", "kar", "pix", "zer", "mor")


def read_mfeat(card: Card, paths: Paths) -> Dataset:
    arrays = _arrays(paths["arrays"])
    views = [arrays[view].astype(np.float32) for view in MFEAT_VIEWS]
    names = tuple("0123456789")
    return Dataset(card.name, card.kind, views, one_hot(arrays["digit"], 10), names, card)


def read_faces(card: Card, paths: Paths, n: int = 2000, seed: int = 0) -> Dataset:
    images, labels, names = draw_faces(n, seed)
    steps = (f"synthetic: {n} faces drawn with seed {seed}",)
    return Dataset(card.name, card.kind, [images], labels, names, card, steps=steps)


READERS = {
    "scene": read_scene,
    "mnist": read_mnist,
    "xrmb": read_xrmb,
    "celeba": read_celeba,
    "mocha": read_mocha,
    "birds": read_birds,
    "mnist5k": read_mnist5k,
    "yeast": read_yeast,
    "mfeat": read_mfeat,
    "faces": read_faces,
}


def load(
    name: str, *, download: bool = True, accept_terms: bool = False, **options: int | bool
) -> Dataset:
    """One data set: found, fetched if need be, every file checked, and read.

    Args:
        name: one of :data:`herocon_lite.data.NAMES`.
        download: fetch what is not on this machine.
        accept_terms: I accept the terms on the card (needed to download ``celeba`` or ``xrmb``);
            ``HEROCON_ACCEPT_TERMS=celeba,xrmb`` says the same.
        options: ``n`` and ``seed`` for ``faces``; ``images=False`` for ``celeba`` gives the
            attributes of all 202,599 faces and no view.
    """
    card = find_card(name)
    reader = READERS[name]
    known = set(inspect.signature(reader).parameters) - {"card", "paths"}
    for option in options:
        if option not in known:
            raise TypeError(
                f'load("{name}") takes {", ".join(sorted(known)) or "no further arguments"}; '
                f"got {option!r}."
            )
    # An option named like a part of the data, set to False, leaves that part out.
    parts = tuple(part for part in card.parts if options.get(part, True))
    paths, checksums = obtain(card, parts, download, accept_terms)
    return replace(reader(card, paths, **options), checksums=checksums)
