"""Which rows train, which are seen without labels, which test: the paper's splits, by name.

Random orders sort raw 64-bit numbers of PCG64, the one stream that NumPy promises never to change,
so a seed names the same split on every machine.
"""

from __future__ import annotations

import hashlib
import warnings
from dataclasses import dataclass, replace

import numpy as np

from herocon_lite.data.cards import CARDS
from herocon_lite.data.dataset import Dataset

PROTOCOLS = ("transductive", "inductive")
LABELED = {name: card.labeled for name, card in CARDS.items()}  # rows that train
MNIST_TRAIN = 60_000  # rows before this are MNIST's official training images
CELEBA_ROWS = 50_000  # 500 labelled and 49,500 test faces
RELEASED_FOLDS = {"scene": 20, "xrmb": 200, "mocha": 200}  # the 1/20 or 1/200 part trains
FOLDS = 5  # of the labelled rows, wherever something is chosen among them
NOT_PHONES = ("sil", "breath")


@dataclass(frozen=True, eq=False)
class Split:
    """Row numbers of three parts, and the parameters that made them.

    ``train`` shares no row with the others. Under the transductive protocol, the paper's own,
    ``unlabeled`` *is* ``test``: the test inputs are seen in training, without their labels. Under
    the inductive one they share no row.
    """

    train: np.ndarray
    unlabeled: np.ndarray
    test: np.ndarray
    parameters: dict[str, str | int]

    def __post_init__(self) -> None:
        parts = {"train": self.train, "unlabeled": self.unlabeled, "test": self.test}
        for name, rows in parts.items():
            if len(np.unique(rows)) != len(rows):
                raise ValueError(f"{name} must name each row once; it repeats some.")
        pairs = [("train", "unlabeled"), ("train", "test")]
        if self.parameters["protocol"] == "inductive":
            pairs.append(("unlabeled", "test"))
        elif not np.array_equal(self.unlabeled, self.test):
            raise ValueError("unlabeled must be test under the transductive protocol; they differ.")
        for one, other in pairs:
            shared = np.intersect1d(parts[one], parts[other])
            if len(shared):
                raise ValueError(f"{one} and {other} must share no row; they share {len(shared)}.")

    @property
    def checksum(self) -> str:
        """First 16 hex digits of the SHA-256 of the three parts, each with its length."""
        digest = hashlib.sha256()
        for rows in (self.train, self.unlabeled, self.test):
            digest.update(np.append(len(rows), rows).astype("<i8").tobytes())
        return digest.hexdigest()[:16]

    def describe(self) -> dict[str, str | int]:
        """Return how a result names its split: parameters, sizes and checksum."""
        sizes = {
            "train": len(self.train),
            "unlabeled": len(self.unlabeled),
            "test": len(self.test),
        }
        return {**self.parameters, **sizes, "checksum": self.checksum}


def shuffle(rows: np.ndarray, *seed: int) -> np.ndarray:
    """Shuffle rows, in an order that the seed decides, the same on every machine."""
    return rows[np.argsort(np.random.PCG64(seed).random_raw(len(rows)), kind="stable")]


def folds(rows: np.ndarray, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Divide rows into five folds, in an order that the seed decides.

    Returns:
        (training rows, held-out rows) of each fold.

    Example:
        >>> [len(held_out) for _, held_out in folds(np.arange(12), seed=0)]
        [3, 3, 2, 2, 2]
    """
    parts = np.array_split(shuffle(rows, seed, 5), FOLDS)
    return [(np.concatenate(parts[:k] + parts[k + 1 :]), parts[k]) for k in range(FOLDS)]


def split(
    dataset: Dataset,
    scheme: str = "paper",
    seed: int = 0,
    protocol: str = "transductive",
    labeled: int | None = None,
) -> Split:
    """Split a data set.

    Args:
        scheme: ``"paper"``: as the paper's section 4 says: labelled rows at random (``mnist`` and
            ``mnist5k``: equally many of each digit, on ``mnist`` from its official test images,
            with its 60,000 training images as test set; ``celeba``: at most 50,000 rows take part),
            the rest tests.
            ``"released"``: as the public code does: ``scene`` and speech take fold ``seed`` of a
            stratified k-fold split, the small part trains; ``mnist`` always takes the first 200
            test images; ``celeba`` the first 50,000 faces, at random.
            ``"utterance"``: ``mocha``; the labelled rows come from one half of the sentences, the
            test rows from the other, so that no neighbouring frames are on both sides.
        seed: another seed, another split; with stratified folds the fold's number.
        protocol: ``"transductive"`` (the test set is the unlabelled set) or ``"inductive"`` (the
            rows that are not labelled are halved into unlabelled and test).
        labeled: how many rows train, if not as many as the paper takes.

    Example:
        >>> from herocon_lite.data import load
        >>> parts = split(load("yeast"), seed=0)
        >>> len(parts.train), len(parts.test)
        (120, 2297)
    """
    if protocol not in PROTOCOLS:
        raise ValueError(f"protocol must be one of {', '.join(PROTOCOLS)}; got {protocol!r}.")
    count = LABELED.get(dataset.name) if labeled is None else labeled
    if count is None:
        raise ValueError(f"labeled must be given for {dataset.name}: how many rows train?")
    if not 0 < count < len(dataset):
        raise ValueError(
            f"labeled must be between 1 and {len(dataset) - 1}, the rows of {dataset.name} less "
            f"one; got {count}."
        )
    schemes = {"paper": _paper, "released": _released, "utterance": _utterance}
    if scheme not in schemes:
        raise ValueError(f"scheme must be one of {', '.join(schemes)}; got {scheme!r}.")
    train, unlabeled, test = schemes[scheme](dataset, seed, count)
    if protocol == "transductive":
        unlabeled = test
    elif unlabeled is None:
        rest = shuffle(test, seed, 1)
        unlabeled, test = rest[: len(rest) // 2], rest[len(rest) // 2 :]
    parameters = {"data": dataset.name, "how": scheme, "seed": seed, "protocol": protocol}
    if dataset.steps:
        parameters["steps"] = "; ".join(dataset.steps)
    return Split(*map(np.sort, (train, unlabeled, test)), parameters)


# Each scheme returns (train, rows that only the inductive protocol uses or None, test).


def _paper(dataset: Dataset, seed: int, labeled: int):
    rows = shuffle(np.arange(len(dataset)), seed)
    if dataset.name == "mnist":
        pool, test = rows[rows >= MNIST_TRAIN], rows[rows < MNIST_TRAIN]
        return _take_balanced(dataset, pool, labeled), None, test
    if dataset.name == "mnist5k":
        train = _take_balanced(dataset, rows, labeled)
        return train, None, np.setdiff1d(rows, train)
    if dataset.name == "celeba":
        rows = rows[:CELEBA_ROWS]
    train, test = _take_labeled(dataset, rows, labeled)
    return train, None, test


def _take_labeled(
    dataset: Dataset, rows: np.ndarray, labeled: int
) -> tuple[np.ndarray, np.ndarray]:
    """The labelled rows and the rest, neither of them empty."""
    if labeled >= len(rows):
        raise ValueError(
            f"labeled must be less than {len(rows)} here, the rows of {dataset.name} that it is "
            f"taken from; got {labeled}."
        )
    return rows[:labeled], rows[labeled:]


def _take_balanced(dataset: Dataset, pool: np.ndarray, labeled: int) -> np.ndarray:
    """The first rows of the pool, as many of each class."""
    per_class, remainder = divmod(labeled, len(dataset.label_names))
    if remainder or not per_class:
        raise ValueError(
            f"labeled must be a multiple of {len(dataset.label_names)} on {dataset.name}, as many "
            f"of each class; got {labeled}."
        )
    of_class = [pool[column[pool] == 1][:per_class] for column in dataset.labels.T]
    fewest = min(map(len, of_class))
    if fewest < per_class:
        raise ValueError(
            f"labeled must leave {dataset.name} enough rows: {labeled} needs {per_class} of each "
            f"class, and one has {fewest}."
        )
    return np.concatenate(of_class)


def _released(dataset: Dataset, seed: int, labeled: int):
    rows = np.arange(len(dataset))
    if dataset.name == "mnist":
        # Its loop over folds saves the same slice five times, so the seed changes nothing.
        return _take_labeled(dataset, rows[MNIST_TRAIN:], labeled)[0], None, rows[:MNIST_TRAIN]
    if dataset.name == "celeba":
        train, test = _take_labeled(dataset, shuffle(rows[:CELEBA_ROWS], seed), labeled)
        return train, None, test
    if dataset.name not in RELEASED_FOLDS:
        raise ValueError(
            f'scheme="released" exists for mnist, celeba and {", ".join(RELEASED_FOLDS)}, which '
            f'the public code reads or resembles; got {dataset.name}. Take scheme="paper".'
        )
    folds = RELEASED_FOLDS[dataset.name]
    if labeled != LABELED[dataset.name]:
        raise ValueError(
            f'labeled cannot be chosen with scheme="released" on {dataset.name}: the fold decides.'
        )
    if not 0 <= seed < folds:
        raise ValueError(
            f"seed must be a fold, 0 to {folds - 1}, with scheme='released' on {dataset.name} (the "
            f"public code runs 0 to 4); got {seed}."
        )
    train = _stratified_fold(dataset.labels, folds, seed)
    return train, None, np.setdiff1d(rows, train)


def _stratified_fold(labels: np.ndarray, folds: int, fold: int) -> np.ndarray:
    """The small part of one fold, rows in file order, stratified by whole label vector."""
    from sklearn.model_selection import StratifiedKFold

    powerset = np.unique(labels, axis=0, return_inverse=True)[1].ravel()
    with warnings.catch_warnings():
        # some label vectors are rarer than the folds: known, and as released
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        parts = list(StratifiedKFold(folds).split(labels, powerset))
    return parts[fold][1]


def _utterance(dataset: Dataset, seed: int, labeled: int):
    if "utterance" not in dataset.row_info:
        raise ValueError(
            f'scheme="utterance" needs data that knows its utterances, such as mocha; '
            f'got {dataset.name}. Take scheme="paper".'
        )
    # A sentence is read by both speakers; both readings stay on one side.
    sentence = dataset.row_info["utterance"]
    sentences = shuffle(np.unique(sentence), seed, 2)
    first_half = np.isin(sentence, sentences[: len(sentences) // 2])
    rows = shuffle(np.arange(len(dataset)), seed)
    return *_take_labeled(dataset, rows[first_half[rows]], labeled), rows[~first_half[rows]]


def select_classes(
    dataset: Dataset, scheme: str = "paper", seed: int = 0, classes: int = 20, per_class: int = 2500
) -> Dataset:
    """Select as the speech protocol does: the first 20 classes with enough rows, 2,500 rows of
    each.

    Classes keep the order of ``label_names``; silence and breath are no phones and are left out.

    Args:
        scheme: ``"paper"`` draws the rows at random, ``"released"`` takes each class's first ones
            and shuffles all together.
    """
    counts = dataset.labels.sum(0, dtype=np.int64)
    names = dataset.label_names
    enough = [a for a, name in enumerate(names) if counts[a] >= per_class]
    columns = [a for a in enough if names[a] not in NOT_PHONES][:classes]
    if len(columns) < classes:
        raise ValueError(
            f"classes must be at most {len(columns)} on {dataset.name}, which has so many with "
            f"{per_class} rows; got {classes}."
        )
    if scheme not in ("paper", "released"):
        raise ValueError(f"scheme must be paper or released; got {scheme!r}.")
    rows = np.arange(len(dataset))
    pool = shuffle(rows, seed, 3) if scheme == "paper" else rows
    chosen = np.concatenate([pool[dataset.labels[pool, a] == 1][:per_class] for a in columns])
    chosen = shuffle(chosen, seed, 4)
    digest = hashlib.sha256(chosen.astype("<i8").tobytes()).hexdigest()[:16]
    step = f"{classes} classes × {per_class} rows, {scheme}, seed {seed}, rows {digest}"
    kept = dataset.take(chosen, step)
    return replace(
        kept, labels=kept.labels[:, columns], label_names=tuple(names[a] for a in columns)
    )
