"""Rows that are made only when asked for, so that large views fit in memory."""

from __future__ import annotations

import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path

import numpy as np


@dataclass(frozen=True, eq=False)
class Lazy:
    """Looks like an array (len, shape, dtype, indexing by rows); ``make`` gives the rows' values.

    ``view[3]`` is one row, ``view[rows]`` an array; ``np.asarray(view)`` makes all of it.
    """

    make: Callable[[np.ndarray], np.ndarray]  # row numbers (m,) → (m, *row_shape)
    rows: np.ndarray  # (n,), the numbers that make() is given
    row_shape: tuple[int, ...]
    dtype: np.dtype

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.rows), *self.row_shape)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __getitem__(self, index) -> np.ndarray:
        rows = self.rows[np.asarray(index) if isinstance(index, list) else index]
        return self.make(rows) if np.ndim(rows) else self.make(rows[None])[0]

    def take(self, index: np.ndarray) -> Lazy:
        """Return the same rows in another choice or order, still lazy."""
        return replace(self, rows=self.rows[index])

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.asarray(self.make(self.rows), dtype=dtype)


@dataclass(frozen=True, eq=False)
class RowCache:
    """Keeps rows that took time to make, the first ``max_bytes`` of them.

    A copy for another process starts empty.
    """

    make: Callable[[np.ndarray], np.ndarray]
    max_bytes: int = 2**30
    kept: dict[int, np.ndarray] = field(default_factory=dict)

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        missing = [row for row in dict.fromkeys(rows.tolist()) if row not in self.kept]
        made = self.make(np.array(missing, rows.dtype))
        values = {row: value.copy() for row, value in zip(missing, made, strict=True)}
        for row in missing:
            if values[row].nbytes * len(self.kept) < self.max_bytes:
                self.kept[row] = values[row]  # a copy: a part of the batch would keep all of it
        if not len(rows):
            return made  # no rows, of the right shape
        return np.stack([values[r] if r in values else self.kept[r] for r in rows.tolist()])

    def __getstate__(self) -> dict:
        return {"make": self.make, "max_bytes": self.max_bytes, "kept": {}}


@dataclass(frozen=True, eq=False)
class Windows:
    """Frames t − reach … t + reach side by side: row numbers t (m,) → (m, (2·reach + 1)·d)."""

    frames: np.ndarray  # (n, d)
    reach: int

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        around = np.arange(-self.reach, self.reach + 1)
        stacked = self.frames[rows[:, None] + around]  # (m, 2·reach + 1, d)
        return stacked.reshape(len(rows), -1).astype(np.float32)


MAX_PIXELS = 2 * 218 * 178  # twice those of CelebA's official pictures
MAX_BYTES = 3 * MAX_PIXELS  # of one, compressed or not


@dataclass(frozen=True, eq=False)
class ImageArchive:
    """JPEG images inside one .tar or .zip, read without unpacking: row numbers → (m, 3, H, W).

    Each call opens the archive for itself, so threads and worker processes do not disturb each
    other.
    """

    path: Path
    names: tuple[str, ...]
    offset: np.ndarray  # of the image's bytes in a .tar, of its local header in a .zip
    size: np.ndarray  # bytes stored
    deflated: np.ndarray  # bool
    zipped: bool
    image_shape: tuple[int, int]  # H, W

    @classmethod
    def open(cls, path: Path, names: list[str]) -> ImageArchive:
        """Open the images whose file names are among ``names``, in the order of ``names``."""
        zipped = zipfile.is_zipfile(path)
        if zipped:
            with zipfile.ZipFile(path) as archive:
                found = {
                    Path(m.filename).name: (m.header_offset, m.compress_size, m.compress_type == 8)
                    for m in archive.infolist()
                }
        else:
            with tarfile.open(path, "r:") as archive:
                found = {
                    Path(m.name).name: (m.offset_data, m.size, False) for m in archive if m.isfile()
                }
        present = tuple(name for name in names if name in found)
        if not present:
            raise ValueError(f"{path} holds none of the expected images, such as {names[0]}.")
        offset, size, deflated = map(np.array, zip(*(found[name] for name in present), strict=True))
        if size.max() > MAX_BYTES:
            raise ValueError(
                f"{path} holds an image of {size.max()} bytes; at most {MAX_BYTES} are expected."
            )
        unsized = cls(path, present, offset, size, deflated, zipped, (0, 0))
        height, width, _ = unsized._decode(0).shape
        return replace(unsized, image_shape=(height, width))

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        images = np.empty((len(rows), 3, *self.image_shape), np.uint8)
        for place, row in enumerate(rows):
            image = self._decode(row)
            if image.shape[:2] != self.image_shape:
                raise ValueError(
                    f"{self.names[row]} in {self.path} is {image.shape[:2]} pixels, "
                    f"expected {self.image_shape} as the others."
                )
            images[place] = image.transpose(2, 0, 1)
        return images

    def _decode(self, row: int) -> np.ndarray:
        from herocon_lite.checks import import_extra  # loads torch, and only needed here

        Image = import_extra("PIL.Image", "reading JPEGs")
        with self.path.open("rb") as archive:
            archive.seek(int(self.offset[row]))
            if self.zipped:
                # a local header: 30 bytes, the last four the lengths of a name and of extras
                lengths = struct.unpack("<HH", archive.read(30)[26:])
                archive.seek(sum(lengths), 1)
            data = archive.read(int(self.size[row]))
        if self.deflated[row]:
            data = zlib.decompressobj(-zlib.MAX_WBITS).decompress(data, MAX_BYTES)
        try:
            image = Image.open(BytesIO(data))  # reads the header alone
            if image.width * image.height > MAX_PIXELS:
                raise ValueError(f"it has {image.width} × {image.height} pixels")
            return np.asarray(image.convert("RGB"))
        except Exception as error:  # Pillow raises many kinds
            raise ValueError(
                f"{self.names[row]} in {self.path} must be an image of at most {MAX_PIXELS} "
                f"pixels; it cannot be read: {error}"
            ) from error
