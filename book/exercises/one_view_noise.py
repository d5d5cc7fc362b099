"""Exercises of the chapter on the noise case study: each function says whether an answer is right."""

import numpy as np

from herocon_lite.data import load, split


def grain(number, smallest):
    """A block of q × q pixels shares one draw: how many blocks are there, and what is the variance
    along the direction of one block? Cov = σ² (block matrix ⊗ block matrix)."""
    return (number, smallest) == (16, 14)


def shared(own, same):
    """Run `probe(5, 2, shared=…)` both ways; the second number is the noise that is kept."""
    return (bool(own), bool(same)) == (False, True)


def copies(points):
    """Fit class means on `parts.train` of `split(digits, seed=seed)`, test on `parts.test`, and
    subtract the accuracies."""
    digits, found = load("mnist5k"), []
    pixels = digits.views[0].astype(np.float32) / 255
    noise = pixels.mean() + pixels.std() * np.stack(
        [
            np.random.default_rng((k, 1)).standard_normal(
                pixels.shape, np.float32
            )
            for k in (0, 1)
        ]
    )
    bytes_ = (255 * np.clip(pixels + noise, 0, 1) + 0.5).astype(np.uint8)
    one, two = bytes_.reshape(2, 5000, -1) / 255
    truth = digits.labels.argmax(1)
    for seed in range(3):
        parts = split(digits, seed=seed)
        for x, sign in ((one, -1), ((one + two) / 2, 1)):
            seen, y = x[parts.train], truth[parts.train]
            means = np.array([seen[y == k].mean(0) for k in range(10)])
            far = (means**2).sum(1) - 2 * x[parts.test] @ means.T
            found.append(sign * (far.argmin(1) == truth[parts.test]).mean())
    return abs(points - 100 * np.sum(found) / 3) < 1
