"""How one view becomes two: noisy copies, and pictures cropped and recoloured.

``two_views(dataset, recipe)`` makes the pair by name, as the paper describes it or as its public
code does it. Pictures stay uint8, 0 to 255; the paper's pixel values in [0, 1] are these divided
by 255. The same seed gives the same bytes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np

from herocon_lite.data import Dataset, Lazy
from herocon_lite.data.lazy import RowCache

CHUNK = 4096  # pictures that get their noise at once: a few MB of floats


def two_views(dataset: Dataset, recipe: str, seed: int = 0, **settings: float) -> Dataset:
    """Make two views of a data set that has one.

    ========  ============  =====================================================================
    data      recipe        what
    ========  ============  =====================================================================
    features  ``released``  0.01 · N(mean, std) on even rows in view 1, on odd rows in view 2
    grey      ``paper``     + U[0, 1] on every pixel (section 4.1)
    grey      ``gaussian``  + N(μ, σ) of the data on a ``share`` (1) of the pixels (section 4.4)
    grey      ``released``  + N(μ, σ²) where that noise is below ``rate`` (0.1)
    colour    ``paper``     view 1 random crop and resize, view 2 colour distortion (``size`` 64)
    colour    ``simclr``    both on both views (``size`` 64)
    colour    ``released``  view 1 a fixed crop, view 2 green noise on the lower half
    ========  ============  =====================================================================

    For features the paper keeps one view and uses Eq. 4, so there is no ``paper`` pair. The case
    study's single noisy view is ``two_views(…).views[0]``.

    Args:
        dataset: a set with one view.
        seed: decides all that is random. Views of pictures in colour are lazy and fixed by it;
            another seed each epoch gives fresh ones.
        settings: ``share``, ``rate`` or ``size``, where the table names it.

    Example:
        >>> from herocon_lite.data import load
        >>> [view.shape for view in two_views(load("mnist5k"), "paper").views]
        [(5000, 1, 28, 28), (5000, 1, 28, 28)]
    """
    if len(dataset.views) != 1:
        raise ValueError(
            f"dataset must have one view; {dataset.name} has {len(dataset.views)}. Use its views "
            "as they are."
        )
    view = dataset.views[0]
    data = "features" if view.ndim == 2 else "grey" if view.shape[1] == 1 else "colour"
    recipes = VIEW_RECIPES[data]
    if recipe not in recipes:
        raise ValueError(
            f"recipe must be one of {', '.join(recipes)} for {dataset.name} ({data}); "
            f"got {recipe!r}."
        )
    make = recipes[recipe]
    known = [*inspect.signature(make).parameters][2:]  # after the data and the seed
    for name in settings:
        if name not in known:
            has = ", ".join(known) or "no settings"
            raise ValueError(f"{name} is not a setting of {recipe!r} for {data}; it has {has}.")
    views = list(make(view, seed, **settings))
    with_settings = "".join(f", {key} {value}" for key, value in settings.items())
    return dataset.with_views(views, f"two views: {recipe}, seed {seed}{with_settings}")


# ------------------------------------------------------------------ features


def alternate_rows(x: np.ndarray, seed: int) -> Iterator[np.ndarray]:
    """Add noise as released for Scene: to one view of each row, with a mean."""
    for first in (0, 1):
        rows = slice(first, None, 2)
        noise = _random(seed, first).normal(x[rows].mean(), x[rows].std(), x[rows].shape)
        view = x.copy()
        view[rows] += 0.01 * noise
        yield view


# ------------------------------------------------------------------ grey pictures


def uniform(images: np.ndarray, seed: int) -> Iterator[np.ndarray]:
    """Add U[0, 1] to pixels in [0, 1], cut off at 1."""
    return _noisy(
        images, seed, lambda pixels, random: pixels + random.random(pixels.shape, np.float32)
    )


def gaussian(images: np.ndarray, seed: int, share: float = 1.0) -> Iterator[np.ndarray]:
    """Add N(μ, σ) to a share of the pixels in [0, 1], cut off at 0 and 1.

    μ and σ are the mean and standard deviation of the data's pixels. One seed is one noise matrix
    and one order of contaminating pixels: what a small share touches, a larger one touches alike.
    """
    if not isinstance(share, Real) or not 0 <= share <= 1:
        raise ValueError(f"share must be between 0 and 1, a share of pixels; got {share}.")
    mean, std = _moments(images)

    def add(pixels: np.ndarray, random: np.random.Generator) -> np.ndarray:
        noise = mean + std * random.standard_normal(pixels.shape, np.float32)
        return pixels + noise * (random.random(pixels.shape, np.float32) < share)

    return _noisy(images, seed, add)


def threshold(images: np.ndarray, seed: int, rate: float = 0.1) -> Iterator[np.ndarray]:
    """Add noise as released: N(mean, std = variance), added where its *value* is below the rate.

    So the rate is no percentage: on MNIST 0, 0.1, 0.25, 0.5 and 1 touch 8, 37, 90, 100 and 100 %
    of the pixels. Values are cut to whole numbers, not rounded.
    """
    if not isinstance(rate, Real):
        raise ValueError(f"rate must be a number; got {rate!r}.")
    mean, std = _moments(images)

    def add(pixels: np.ndarray, random: np.random.Generator) -> np.ndarray:
        noise = mean + std**2 * random.standard_normal(pixels.shape, np.float32)
        return pixels + noise * (noise < rate)

    return _noisy(images, seed, add, rounding=0.0)


def _noisy(
    images: np.ndarray,
    seed: int,
    add: Callable[[np.ndarray, np.random.Generator], np.ndarray],
    rounding: float = 0.5,
) -> Iterator[np.ndarray]:
    """Two copies, each with its own noise; ``add`` works on pixels in [0, 1], a chunk at a time."""
    for view in (0, 1):
        random = _random(seed, view)
        noisy = np.empty_like(images)
        for start in range(0, len(images), CHUNK):
            rows = slice(start, start + CHUNK)
            pixels = add(images[rows].astype(np.float32) / 255, random)
            # + rounding: to the nearest whole number, as conversion to integers cuts off
            noisy[rows] = np.clip(pixels, 0, 1) * 255 + np.float32(rounding)
        yield noisy


def _moments(images: np.ndarray) -> tuple[np.float32, np.float32]:
    """Mean and standard deviation of pixels in [0, 1], exactly, from the 256 counts."""
    chunks = (images[start : start + CHUNK] for start in range(0, len(images), CHUNK))
    counts = sum(np.bincount(chunk.ravel(), minlength=256) for chunk in chunks)
    values = np.arange(256) / 255
    mean = np.average(values, weights=counts)
    return np.float32(mean), np.float32(np.sqrt(np.average((values - mean) ** 2, weights=counts)))


# ------------------------------------------------------------------ colour pictures


def crop_and_colour(images: np.ndarray | Lazy, seed: int, size: int = 64) -> Iterator[Lazy]:
    """Give each view one augmentation, as the paper names them and the release pairs them."""
    return _augmented(images, seed, size, {"crop"}, {"colour"})


def simclr(images: np.ndarray | Lazy, seed: int, size: int = 64) -> Iterator[Lazy]:
    """Give both views both augmentations, as SimCLR does."""
    return _augmented(images, seed, size, {"crop", "colour"}, {"crop", "colour"})


def _augmented(images: np.ndarray | Lazy, seed: int, size: int, *kinds: set[str]) -> Iterator[Lazy]:
    if not isinstance(size, Integral) or size < 1:
        raise ValueError(f"size must be a whole number of pixels, at least 1; got {size!r}.")
    for view, kind in enumerate(kinds):
        yield _lazy(images, Augment(images, (seed, view), size, kind), size)


def fixed_crop_and_green(images: np.ndarray | Lazy, seed: int) -> Iterator[Lazy]:
    """Crop and add noise as released, in proportion where pictures are smaller than CelebA's 218 ×
    178.

    View 1 keeps rows 20 to 180, in the order blue, green, red; view 2 adds whole numbers 0 to 49 to
    green on the lower half, in the order red, green, blue. Both lie in the upper left corner of a
    black square (224 wide). Left out: that the release stores both as JPEG in between.
    """
    side = round(images.shape[2] * 224 / 218)
    yield _lazy(images, FixedCrop(images, side), side)
    yield _lazy(images, GreenNoise(images, side, seed), side)


@dataclass(frozen=True, eq=False)
class Augment:
    """Random crop and resize, colour distortion, or both, with SimCLR's settings."""

    images: np.ndarray | Lazy
    seed: tuple[int, int]
    size: int
    kinds: set[str]  # "crop", "colour" or both

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        import torch

        from herocon_lite.checks import import_extra
        from herocon_lite.runtime import isolated_rng, num_threads

        v2 = import_extra("torchvision.transforms.v2", "a random crop or colour distortion")
        side = (self.size, self.size)
        steps = [v2.RandomResizedCrop(side) if "crop" in self.kinds else v2.Resize(side)]
        if "colour" in self.kinds:
            steps.append(v2.RandomApply([v2.ColorJitter(0.8, 0.8, 0.8, 0.2)], p=0.8))
            steps.append(v2.RandomGrayscale(0.2))
        transform = v2.Compose(steps)
        pictures = torch.from_numpy(self.images[rows])
        made = np.empty((len(rows), 3, *side), np.uint8)
        # torchvision draws from torch's global CPU generator.
        # One thread: on pictures this small, waiting for others takes up to 15 times as long.
        with isolated_rng(), num_threads(1):
            for place, row in enumerate(rows):
                words = np.random.SeedSequence([*self.seed, int(row)]).generate_state(2)
                torch.default_generator.manual_seed(int(words[0]) << 32 | int(words[1]))
                made[place] = transform(pictures[place]).numpy()
        return made


@dataclass(frozen=True, eq=False)
class FixedCrop:
    images: np.ndarray | Lazy
    side: int

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        height = self.images.shape[2]
        kept = slice(round(height * 20 / 218), round(height * 180 / 218))
        return _on_black(self.images[rows][:, ::-1, kept], self.side)


@dataclass(frozen=True, eq=False)
class GreenNoise:
    images: np.ndarray | Lazy
    side: int
    seed: int

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        pictures = self.images[rows]  # a copy, since rows is an array
        lower = pictures[:, 1, pictures.shape[2] // 2 :]  # a view: writes go through
        for green, row in zip(lower, rows, strict=True):
            noise = _random(self.seed, int(row)).integers(0, 50, green.shape)
            green[:] = np.minimum(green + noise, 255)
        return _on_black(pictures, self.side)


def _on_black(pictures: np.ndarray, side: int) -> np.ndarray:
    canvas = np.zeros((*pictures.shape[:2], side, side), np.uint8)
    canvas[:, :, : pictures.shape[2], : pictures.shape[3]] = pictures
    return canvas


def _lazy(images: np.ndarray | Lazy, make: Callable, side: int) -> Lazy:
    return Lazy(RowCache(make), np.arange(len(images)), (3, side, side), np.dtype(np.uint8))


def _random(*seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


VIEW_RECIPES: dict[str, dict[str, Callable]] = {
    "features": {"released": alternate_rows},
    "grey": {"paper": uniform, "gaussian": gaussian, "released": threshold},
    "colour": {"paper": crop_and_colour, "simclr": simclr, "released": fixed_crop_and_green},
}
