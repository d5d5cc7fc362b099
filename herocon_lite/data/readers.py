"""From files to data sets: one reader each."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from herocon_lite.data.cards import Card, find_card
from herocon_lite.data.dataset import Dataset
from herocon_lite.data.faces import draw_faces
from herocon_lite.data.fetch import obtain
from herocon_lite.data.formats import read_arff, read_idx, read_mat, read_npz, read_text
from herocon_lite.data.lazy import ImageArchive, Lazy, Windows

Paths = dict[str, Path]  # part of a data set → file

WINDOW_REACH = 3  # MOCHA stacks frames t − 3 … t + 3, as XRMB's window7 does


def one_hot(classes: np.ndarray, count: int) -> np.ndarray:
    """Turn class numbers (n,) into a 0/1 matrix (n, count)."""
    return (classes[:, None] == np.arange(count)).astype(np.uint8)


# ------------------------------------------------------------------ the paper's sets


def read_scene(card: Card, paths: Paths) -> Dataset:
    types, table = _read_mulan(card, paths)
    labels, names = table[:, 294:].astype(np.uint8), tuple(types)[294:]
    return Dataset(card.name, card.kind, [table[:, :294]], labels, names, card)


def read_birds(card: Card, paths: Paths) -> Dataset:
    types, table = _read_mulan(card, paths)
    names = list(types)
    sound = sum(name.startswith("audio-ssd") for name in names)
    place = names.index("location")  # the last feature; the rest are species
    known = types["location"].strip("{}").split(",")
    locations = table[:, [place]] == np.array(known, np.float32)
    segments = np.concatenate([table[:, sound:place], locations], axis=1, dtype=np.float32)
    labels, species = table[:, place + 1 :].astype(np.uint8), tuple(names[place + 1 :])
    return Dataset(card.name, card.kind, [table[:, :sound], segments], labels, species, card)


def _read_mulan(card: Card, paths: Paths) -> tuple[dict[str, str], np.ndarray]:
    """Mulan's training rows and then its test rows, with the attributes that both must have."""
    files = (paths["train"], paths["test"])
    (types, train), (others, test) = (read_arff(path, card.limit(path)) for path in files)
    if types != others:
        raise ValueError(f"{paths['test']} must have the attributes of {paths['train'].name}.")
    return types, np.concatenate([train, test])


def read_mnist(card: Card, paths: Paths) -> Dataset:
    arrays = {part: read_idx(path, card.limit(path)) for part, path in paths.items()}
    images, digits = (
        np.concatenate([arrays[f"train {what}"], arrays[f"test {what}"]])
        for what in ("images", "labels")
    )
    return _digits(card, images, digits)


def _digits(card: Card, images: np.ndarray, digits: np.ndarray) -> Dataset:
    names = tuple("0123456789")
    return Dataset(card.name, card.kind, [images[:, None]], one_hot(digits, 10), names, card)


def read_xrmb(card: Card, paths: Paths) -> Dataset:
    one, two = paths["view 1"], paths["view 2"]
    views = [read_mat(one, card.limit(one), "X1"), read_mat(two, card.limit(two), "X2")]
    phones = read_mat(two, card.limit(two), "trainLabel").astype(np.int64).ravel()
    count = int(phones.max()) + 1
    names = tuple(f"phone {number}" for number in range(count))
    return Dataset(card.name, card.kind, views, one_hot(phones, count), names, card)


def read_celeba(card: Card, paths: Paths, images: bool = True) -> Dataset:
    names, label_names, labels = _parse_attributes(
        read_text(paths["attributes"], card.limit(paths["attributes"]))
    )
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


def _parse_attributes(text: str) -> tuple[list[str], tuple[str, ...], np.ndarray]:
    """File names, attribute names, and a 0/1 matrix; the file has ±1, a row an image."""
    _, header, *rows = text.splitlines()
    names, values = zip(*(row.split(maxsplit=1) for row in rows), strict=True)
    labels = np.loadtxt(values, np.int8) == 1
    return list(names), tuple(header.split()), labels.astype(np.uint8)


def read_mocha(card: Card, paths: Paths) -> Dataset:
    arrays = read_npz(paths["frames"], card.limit(paths["frames"]))
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


def read_mnist5k(card: Card, paths: Paths) -> Dataset:
    arrays = read_npz(paths["arrays"], card.limit(paths["arrays"]))
    return _digits(card, arrays["images"], arrays["digit"])


def read_yeast(card: Card, paths: Paths) -> Dataset:
    arrays = read_npz(paths["arrays"], card.limit(paths["arrays"]))
    views = [arrays["expression"], arrays["phylogenetic"]]
    names = tuple(f"Class{number}" for number in range(1, 15))
    return Dataset(card.name, card.kind, views, arrays["labels"], names, card)


MFEAT_VIEWS: Sequence[str] = ("fou", "fac", "kar", "pix", "zer", "mor")


def read_mfeat(card: Card, paths: Paths) -> Dataset:
    arrays = read_npz(paths["arrays"], card.limit(paths["arrays"]))
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
    """Load a data set: found, fetched if need be, every file checked, and read.

    Args:
        name: one of :data:`herocon_lite.data.NAMES`.
        download: fetch what is not on this machine.
        accept_terms: I accept the terms on the card (needed to download ``celeba``);
            ``HEROCON_ACCEPT_TERMS=celeba`` says the same.
        options: ``n`` and ``seed`` for ``faces``; ``images=False`` for ``celeba`` gives the
            attributes of all 202,599 faces and no view.

    Example:
        >>> load("yeast")
        <yeast: 2417 rows, views 79 + 24, 14 labels, multilabel>
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
