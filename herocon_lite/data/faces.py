"""Cartoon faces with visible yes/no attributes, drawn by code: a stand-in for CelebA.

Synthetic: nobody is shown. A hidden coin decides the rates of the other attributes, as the
attribute "Male" does in CelebA; the rates below are CelebA's own, counted on its 202,599 rows.
"""

from __future__ import annotations

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
    """n faces: images (n, 3, 64, 64) uint8, attributes (n, 13) uint8, their names.

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
        canvas = _paint(hidden[rows], attributes[rows], numbers[rows, -JITTERS:])
        images[rows] = np.clip(canvas * 255 + grain, 0, 255)
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


def _paint(hidden: np.ndarray, attributes: np.ndarray, jitter: np.ndarray) -> np.ndarray:
    """Canvas (m, 3, 64, 64) in about [0, 1], painted back to front."""
    has = {name: attributes[:, place] for place, name in enumerate(NAMES)}
    u = iter(jitter.T)  # each use takes the next number

    def between(low: float, high: float) -> np.ndarray:
        return low + (high - low) * next(u)

    def colour(*rgb: float) -> np.ndarray:
        return np.tile(np.array(rgb, np.float32), (len(hidden), 1))

    def some_colour(low: float, high: float) -> np.ndarray:
        return np.stack([between(low, high) for _ in range(3)], axis=1)

    def either(when: np.ndarray, yes: np.ndarray, no: np.ndarray) -> np.ndarray:
        return np.where(when[:, None], yes, no)

    # Places are in units of half the picture: x to the right, y down, from the face's centre.
    cx, cy = between(-0.08, 0.08), between(-0.06, 0.06)
    width = np.where(hidden, 0.52, 0.46) * between(0.93, 1.07)
    height = between(0.62, 0.7)
    apart = between(0.19, 0.24)  # eyes
    shade, tone, tint = between(0.8, 1.05), next(u), between(0.8, 1.2)
    skin = colour(0.93, 0.74, 0.6) - colour(0.38, 0.36, 0.32) * tone[:, None]
    skin = either(has["Pale_Skin"], colour(1.0, 0.93, 0.9), skin) * shade[:, None]
    hair = colour(0.42, 0.27, 0.16) * tint[:, None]
    hair = either(has["Black_Hair"], colour(0.07, 0.06, 0.07), hair)
    hair = either(has["Blond_Hair"], colour(0.92, 0.78, 0.38), hair)
    cloth, hat, wall = some_colour(0.15, 0.8), some_colour(0.1, 0.7), some_colour(0.35, 0.75)
    dark = colour(0.1, 0.08, 0.08)

    axis = (np.arange(SIDE, dtype=np.float32) + 0.5) * (2 / SIDE) - 1  # pixel → place
    canvas = np.empty((len(hidden), 3, SIDE, SIDE), np.float32)
    canvas[:] = wall[:, :, None, None] * (1 - 0.08 * axis[:, None])

    def draw(box, rgb, cover, when=None) -> None:
        """Blends a colour in, inside a box (top, bottom, left, right), on the faces ``when``."""
        rows = np.arange(len(hidden)) if when is None else np.flatnonzero(when)
        top, bottom, left, right = (round((edge + 1) * SIDE / 2) for edge in box)
        x = (axis[left:right] - cx[rows, None])[:, None, :]  # (m, 1, w)
        y = (axis[top:bottom] - cy[rows, None])[:, :, None]  # (m, h, 1)
        patch = canvas[rows, :, top:bottom, left:right]
        patch += (rgb[rows, :, None, None] - patch) * cover(x, y, rows)[:, None]
        canvas[rows, :, top:bottom, left:right] = patch

    def at(value, rows) -> np.ndarray:
        """One number for each face, or for all, against a picture (m, h, w)."""
        return np.broadcast_to(np.float32(value), len(hidden))[rows, None, None]

    # Covers give 1 inside a shape, 0 outside, and something between on its edge.
    def oval(x0, y0, rx, ry, edge=8.0):
        def cover(x, y, rows):
            dx = ((x - at(x0, rows)) / at(rx, rows)) ** 2
            dy = ((y - at(y0, rows)) / at(ry, rows)) ** 2
            return np.clip((edge + 0.5 - edge * dx) - edge * dy, 0, 1)

        return cover

    def above(line):
        return lambda x, y, rows: np.clip((at(line, rows) - y) * (SIDE / 2) + 0.5, 0, 1)

    def both(one, other):
        return lambda x, y, rows: one(x, y, rows) * other(x, y, rows)

    def without(one, other):
        return lambda x, y, rows: one(x, y, rows) * (1 - other(x, y, rows))

    # hair behind the head, long or short
    long = np.where(hidden, 0.0, 0.3)
    back = oval(0, long - 0.12, width + 0.14, height + 0.06 + long / 2)
    draw((-1, 1, -0.85, 0.85), hair, back, ~has["Bald"])
    # shoulders, neck, collar and tie
    draw((0.45, 1, -1, 1), cloth, oval(0, 1.15, 0.9, 0.45))
    draw((0.3, 1, -0.4, 0.4), skin * 0.86, oval(0, 0.62, width * 0.45, 0.32))
    tie = has["Wearing_Necktie"]
    draw((0.6, 1, -0.3, 0.3), colour(0.95, 0.95, 0.95), oval(0, 1.0, 0.2, 0.26), tie)
    draw((0.6, 1, -0.3, 0.3), colour(0.6, 0.05, 0.1), oval(0, 1.0, 0.085, 0.28), tie)
    # ears, earrings, head
    gold, rings = colour(0.98, 0.85, 0.2), has["Wearing_Earrings"]
    for side in (-1, 1):
        box = (-0.2, 0.45, min(0.85 * side, 0.3 * side), max(0.85 * side, 0.3 * side))
        draw(box, skin * 0.9, oval(side * width, 0.04, 0.09, 0.14))
        draw(box, gold, oval(side * (width + 0.04), 0.26, 0.075, 0.1), rings)
    head = oval(0, 0, width, height)
    draw((-0.85, 0.85, -0.7, 0.7), skin, head)
    draw((0.0, 0.85, -0.7, 0.7), hair * 0.45, without(head, above(0.2)), has["Beard"])
    # hair on the head, with or without bangs; hat
    top = both(
        oval(0, -0.06, width + 0.05, height + 0.04), above(np.where(has["Bangs"], -0.2, -0.42))
    )
    draw((-0.85, -0.05, -0.75, 0.75), hair, top, ~has["Bald"])
    crown = both(oval(0, -0.42, width + 0.02, 0.5), above(-0.4))
    draw((-1, -0.2, -0.75, 0.75), hat, crown, has["Wearing_Hat"])
    draw((-0.6, -0.2, -1, 1), hat, oval(0, -0.4, width + 0.28, 0.09), has["Wearing_Hat"])
    # eyes, brows, glasses, nose
    for side in (-1, 1):
        eye = side * apart
        box = (-0.35, 0.2, min(0.6 * side, -0.05 * side), max(0.6 * side, -0.05 * side))
        draw(box, colour(0.97, 0.97, 0.97), oval(eye, -0.06, 0.1, 0.06, edge=4))
        draw(box, dark, oval(eye, -0.06, 0.045, 0.055, edge=4))
        draw(box, hair * 0.7, oval(eye, -0.2, 0.12, np.where(hidden, 0.04, 0.025), edge=2))
        rim = without(oval(eye, -0.05, 0.19, 0.16, edge=6), oval(eye, -0.05, 0.13, 0.1, edge=6))
        draw(box, dark, rim, has["Eyeglasses"])
    draw((-0.05, 0.3, -0.2, 0.2), skin * 0.82, oval(0, 0.12, 0.055, 0.08, edge=3))

    # mouth: a stroke along a parabola, corners up when smiling, parted when open
    reach = np.where(has["Smiling"], 0.25, 0.18)
    bend = np.where(has["Smiling"], 0.13, -0.03)

    def stroke(half):
        def cover(x, y, rows):
            across = (x / at(reach, rows)) ** 2
            off = np.abs(y - 0.38 + at(bend, rows) * (across - 0.4))  # from the mouth's line
            inside = np.clip((at(half, rows) - off) * (SIDE / 2) + 0.5, 0, 1)
            return inside * np.clip(6 - 6 * across, 0, 1)

        return cover

    opened, painted = has["Mouth_Slightly_Open"], has["Wearing_Lipstick"]
    lips = either(painted, colour(0.82, 0.05, 0.18), skin * 0.62)
    box = (0.15, 0.65, -0.4, 0.4)
    draw(box, lips, stroke(np.where(painted, 0.062, 0.035) + 0.05 * opened))
    draw(box, colour(0.25, 0.05, 0.06), stroke(0.05), opened)
    return canvas
