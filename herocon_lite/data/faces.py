"""Cartoon faces with visible yes/no attributes, drawn by code: a stand-in for CelebA.

Synthetic: nobody is shown. A hidden coin decides the rates of the other attributes, as the
attribute "Male" does in CelebA; the rates below are CelebA's own, counted on its 202,599 rows.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

SIDE = 64  # pixels
CHUNK = 128  # faces drawn at once

HIDDEN_RATE = 0.417
# attribute: its rate when the hidden coin is (0, 1)
RATES = {
    "Smiling": (0.541, 0.400),
    "Mouth_Slightly_Open": (0.526, 0.425),  # overwritten: depends on Smiling
    "Eyeglasses": (0.023, 0.124),
    "Wearing_Hat": (0.025, 0.081),
    "Bangs": (0.201, 0.082),
    "Black_Hair": (0.197, 0.298),
    "Blond_Hair": (0.239, 0.021),
    "Bald": (0.000, 0.054),
    "Beard": (0.001, 0.394),
    "Wearing_Lipstick": (0.806, 0.006),
    "Wearing_Necktie": (0.000, 0.174),
    "Wearing_Earrings": (0.313, 0.016),
    "Pale_Skin": (0.056, 0.024),
}
OPEN_MOUTH_RATE = (0.225, 0.761)  # when not smiling, smiling
NAMES = tuple(RATES)
JITTERS = 20  # further random numbers a face: place, colours, sizes


def draw_faces(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Draw n faces: images (n, 3, 64, 64) uint8, attributes (n, 13) uint8, their names.

    The first m of n faces are the same for every n.
    """
    if n < 1:
        raise ValueError(f"n must be at least 1 face; got {n}.")
    numbers = np.random.default_rng(seed).random((n, 1 + len(NAMES) + JITTERS), np.float32)
    hidden = numbers[:, 0] < HIDDEN_RATE
    attributes = _draw_attributes(hidden, numbers[:, 1 : 1 + len(NAMES)])
    images = np.empty((n, 3, SIDE, SIDE), np.uint8)
    for number, start in enumerate(range(0, n, CHUNK)):
        rows = slice(start, min(start + CHUNK, n))
        grain = np.random.default_rng([seed, number]).integers(
            -6, 7, images[rows].shape, dtype=np.int8
        )
        painter = Painter(hidden[rows], attributes[rows], numbers[rows, -JITTERS:])
        images[rows] = np.clip(painter.paint() * 255 + grain, 0, 255)
    return images, attributes.astype(np.uint8), NAMES


def _draw_attributes(hidden: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """0/1 attributes (n, 13) from uniform numbers (n, 13); what cannot be seen together is not."""
    low, high = np.array(list(RATES.values())).T
    drawn = numbers < np.where(hidden[:, None], high, low)
    column = {name: drawn[:, place] for place, name in enumerate(NAMES)}  # views: writes go through
    mouth = numbers[:, NAMES.index("Mouth_Slightly_Open")]
    column["Mouth_Slightly_Open"][:] = mouth < np.where(column["Smiling"], *OPEN_MOUTH_RATE[::-1])
    # One number decides the hair: black from below, blond from above, brown between.
    blond_rate = np.where(hidden, *RATES["Blond_Hair"][::-1])
    column["Blond_Hair"][:] = numbers[:, NAMES.index("Black_Hair")] > 1 - blond_rate
    column["Bald"][:] &= ~column["Wearing_Hat"]
    column["Bangs"][:] &= ~(column["Bald"] | column["Wearing_Hat"])
    for hair in ("Black_Hair", "Blond_Hair"):
        column[hair][:] &= ~column["Bald"]
    return drawn


# A cover gives, at places x (m, 1, w) and y (m, h, 1) of the faces ``rows``, 1 inside a shape,
# 0 outside, and something between on its edge.
Cover = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def _of(value, rows: np.ndarray) -> np.ndarray:
    """One number for all faces, or one for each, against a picture (m, h, w)."""
    value = np.asarray(value, np.float32)
    return value[rows, None, None] if value.ndim else value


def _oval(x0, y0, rx, ry, edge: float = 8.0) -> Cover:
    def cover(x, y, rows):
        dx = ((x - _of(x0, rows)) / _of(rx, rows)) ** 2
        dy = ((y - _of(y0, rows)) / _of(ry, rows)) ** 2
        return np.clip((edge + 0.5 - edge * dx) - edge * dy, 0, 1)

    return cover


def _above(line) -> Cover:
    return lambda x, y, rows: np.clip((_of(line, rows) - y) * (SIDE / 2) + 0.5, 0, 1)


def _both(one: Cover, other: Cover) -> Cover:
    return lambda x, y, rows: one(x, y, rows) * other(x, y, rows)


def _without(one: Cover, other: Cover) -> Cover:
    return lambda x, y, rows: one(x, y, rows) * (1 - other(x, y, rows))


def _stroke(half_width, reach, bend) -> Cover:
    """A mouth's line: along a parabola, ``reach`` to both sides, its corners up by ``bend``."""

    def cover(x, y, rows):
        across = (x / _of(reach, rows)) ** 2
        off = np.abs(y - 0.38 + _of(bend, rows) * (across - 0.4))  # distance from the line
        inside = np.clip((_of(half_width, rows) - off) * (SIDE / 2) + 0.5, 0, 1)
        return inside * np.clip(6 - 6 * across, 0, 1)

    return cover


def _colour(*rgb: float) -> np.ndarray:
    return np.array([rgb], np.float32)  # (1, 3)


class Painter:
    """Paints m faces, back to front, on pictures (m, 3, 64, 64) with values in about [0, 1].

    Places are in units of half the picture: x to the right, y down, from the face's centre.

    Args:
        hidden: (m,), the coin.
        attributes: (m, 13), 0/1.
        jitter: (m, 20), uniform random numbers.
    """

    def __init__(self, hidden: np.ndarray, attributes: np.ndarray, jitter: np.ndarray) -> None:
        self.has = dict(zip(NAMES, attributes.T, strict=True))
        self.hidden, self.numbers = hidden, iter(jitter.T)  # each use takes the next number
        self.cx, self.cy = self.between(-0.08, 0.08), self.between(-0.06, 0.06)
        self.width = np.where(hidden, 0.52, 0.46) * self.between(0.93, 1.07)
        self.height = self.between(0.62, 0.7)
        self.eyes = self.between(0.19, 0.24)  # half the distance between them
        shade, tone, tint = self.between(0.8, 1.05), next(self.numbers), self.between(0.8, 1.2)
        skin = _colour(0.93, 0.74, 0.6) - _colour(0.38, 0.36, 0.32) * tone[:, None]
        skin = self.either("Pale_Skin", _colour(1.0, 0.93, 0.9), skin)
        self.skin = skin * shade[:, None]
        hair = _colour(0.42, 0.27, 0.16) * tint[:, None]
        hair = self.either("Black_Hair", _colour(0.07, 0.06, 0.07), hair)
        self.hair = self.either("Blond_Hair", _colour(0.92, 0.78, 0.38), hair)
        self.cloth, self.hat = self.any_colour(0.15, 0.8), self.any_colour(0.1, 0.7)
        wall = self.any_colour(0.35, 0.75)[:, :, None, None]
        self.axis = (np.arange(SIDE, dtype=np.float32) + 0.5) * (2 / SIDE) - 1  # pixel → place
        self.pixels = np.empty((len(hidden), 3, SIDE, SIDE), np.float32)
        self.pixels[:] = wall * (1 - 0.08 * self.axis[:, None])

    def between(self, low: float, high: float) -> np.ndarray:
        """Return one random number for each face."""
        return low + (high - low) * next(self.numbers)

    def any_colour(self, low: float, high: float) -> np.ndarray:
        return np.stack([self.between(low, high) for _ in range(3)], axis=1)

    def either(self, name: str, yes: np.ndarray, no: np.ndarray) -> np.ndarray:
        """Return one colour for the faces that have an attribute, another for the rest."""
        return np.where(self.has[name][:, None], yes, no)

    def draw(self, box, colour: np.ndarray, cover: Cover, when: np.ndarray | None = None) -> None:
        """Blend a colour in, inside a box (top, bottom, left, right), on the faces ``when``."""
        rows = np.arange(len(self.cx)) if when is None else np.flatnonzero(when)
        colour = np.broadcast_to(colour, (len(self.cx), 3))[rows, :, None, None]
        top, bottom, left, right = (round((edge + 1) * SIDE / 2) for edge in box)
        x = (self.axis[left:right] - self.cx[rows, None])[:, None, :]  # (m, 1, w)
        y = (self.axis[top:bottom] - self.cy[rows, None])[:, :, None]  # (m, h, 1)
        patch = self.pixels[rows, :, top:bottom, left:right]
        patch += (colour - patch) * cover(x, y, rows)[:, None]
        self.pixels[rows, :, top:bottom, left:right] = patch

    def paint(self) -> np.ndarray:
        self.paint_body()
        self.paint_head()
        self.paint_hair_and_hat()
        self.paint_eyes_and_nose()
        self.paint_mouth()
        return self.pixels

    def paint_body(self) -> None:
        """Paint hair behind the head, long or short; shoulders, neck, collar and tie."""
        drop = np.where(self.hidden, 0.0, 0.3)
        back = _oval(0, drop - 0.12, self.width + 0.14, self.height + 0.06 + drop / 2)
        self.draw((-1, 1, -0.85, 0.85), self.hair, back, ~self.has["Bald"])
        self.draw((0.45, 1, -1, 1), self.cloth, _oval(0, 1.15, 0.9, 0.45))
        neck = _oval(0, 0.62, self.width * 0.45, 0.32)
        self.draw((0.3, 1, -0.4, 0.4), self.skin * 0.86, neck)
        box, tie = (0.6, 1, -0.3, 0.3), self.has["Wearing_Necktie"]
        self.draw(box, _colour(0.95, 0.95, 0.95), _oval(0, 1.0, 0.2, 0.26), tie)
        self.draw(box, _colour(0.6, 0.05, 0.1), _oval(0, 1.0, 0.085, 0.28), tie)

    def paint_head(self) -> None:
        """Paint ears, earrings, head and beard."""
        gold, rings = _colour(0.98, 0.85, 0.2), self.has["Wearing_Earrings"]
        for side in (-1, 1):
            box = (-0.2, 0.45, *sorted((0.3 * side, 0.85 * side)))
            self.draw(box, self.skin * 0.9, _oval(side * self.width, 0.04, 0.09, 0.14))
            self.draw(box, gold, _oval(side * (self.width + 0.04), 0.26, 0.075, 0.1), rings)
        head = _oval(0, 0, self.width, self.height)
        self.draw((-0.85, 0.85, -0.7, 0.7), self.skin, head)
        beard = _without(head, _above(0.2))
        self.draw((0.0, 0.85, -0.7, 0.7), self.hair * 0.45, beard, self.has["Beard"])

    def paint_hair_and_hat(self) -> None:
        """Paint hair on the head, with or without bangs; crown and brim of a hat."""
        scalp = _oval(0, -0.06, self.width + 0.05, self.height + 0.04)
        top = _both(scalp, _above(np.where(self.has["Bangs"], -0.2, -0.42)))
        self.draw((-0.85, -0.05, -0.75, 0.75), self.hair, top, ~self.has["Bald"])
        hat = self.has["Wearing_Hat"]
        crown = _both(_oval(0, -0.42, self.width + 0.02, 0.5), _above(-0.4))
        self.draw((-1, -0.2, -0.75, 0.75), self.hat, crown, hat)
        self.draw((-0.6, -0.2, -1, 1), self.hat, _oval(0, -0.4, self.width + 0.28, 0.09), hat)

    def paint_eyes_and_nose(self) -> None:
        """Paint whites, pupils, brows, glasses, nose."""
        dark, brow_height = _colour(0.1, 0.08, 0.08), np.where(self.hidden, 0.04, 0.025)
        for side in (-1, 1):
            x = side * self.eyes
            box = (-0.35, 0.2, *sorted((0.05 * -side, 0.6 * side)))
            self.draw(box, _colour(0.97, 0.97, 0.97), _oval(x, -0.06, 0.1, 0.06, edge=4))
            self.draw(box, dark, _oval(x, -0.06, 0.045, 0.055, edge=4))
            self.draw(box, self.hair * 0.7, _oval(x, -0.2, 0.12, brow_height, edge=2))
            rim = _without(_oval(x, -0.05, 0.19, 0.16, edge=6), _oval(x, -0.05, 0.13, 0.1, edge=6))
            self.draw(box, dark, rim, self.has["Eyeglasses"])
        nose = _oval(0, 0.12, 0.055, 0.08, edge=3)
        self.draw((-0.05, 0.3, -0.2, 0.2), self.skin * 0.82, nose)

    def paint_mouth(self) -> None:
        """Paint a stroke: its corners up when smiling, parted when open."""
        smiles, opened = self.has["Smiling"], self.has["Mouth_Slightly_Open"]
        painted = self.has["Wearing_Lipstick"]
        shape = np.where(smiles, 0.25, 0.18), np.where(smiles, 0.13, -0.03)
        lips = self.either("Wearing_Lipstick", _colour(0.82, 0.05, 0.18), self.skin * 0.62)
        thickness = np.where(painted, 0.062, 0.035) + 0.05 * opened
        box = (0.15, 0.65, -0.4, 0.4)
        self.draw(box, lips, _stroke(thickness, *shape))
        self.draw(box, _colour(0.25, 0.05, 0.06), _stroke(0.05, *shape), opened)
