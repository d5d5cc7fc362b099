"""Noise with a grain, and how much of it a representation lets a linear probe read.

Two pages ask whether one view lets noise in: their noise is drawn for each pixel, or for each
block of pixels, which leaves the deviation alone and puts the variance into few directions.
"""

from __future__ import annotations

import numpy as np

RIDGE = 0.01  # of the probe, for columns of deviation 1


def add_noise(pixels: np.ndarray, seed: int, grain: int = 1) -> np.ndarray:
    """Add N(μ, σ²) noise, μ and σ those of all pixels, and cut to bytes.

    Args:
        pixels: (n, 1, height, width) between 0 and 1.
        seed: of the draw.
        grain: side of the blocks that share a draw, a divisor of height and width.

    Returns:
        Bytes of the same shape.

    Example:
        >>> noisy = add_noise(np.full((1, 1, 4, 4), 0.5), seed=0, grain=2)
        >>> noisy[0, 0].tolist() == 4 * [4 * [255]]  # 0.5 + μ, as σ is 0
        True
    """
    n, _, height, width = pixels.shape
    if height % grain or width % grain:
        raise ValueError(f"grain must divide {height} and {width}; got {grain}")
    random = np.random.default_rng((seed, grain))
    draws = random.standard_normal((n, 1, height // grain, width // grain), np.float32)
    noise = (pixels.mean() + pixels.std() * draws).repeat(grain, 2).repeat(grain, 3)
    return (255 * np.clip(pixels + noise, 0, 1) + 0.5).astype(np.uint8)


def probe_r2(h: np.ndarray, target: np.ndarray) -> float:
    """Return R² of a linear probe: fitted on every other sample, judged on the rest.

    Args:
        h: representations, (n, d).
        target: what is read off them, (n, k).

    Example:
        >>> h = np.random.default_rng(0).normal(size=(100, 3))
        >>> other = np.random.default_rng(1).normal(size=(100, 1))
        >>> probe_r2(h, 2 * h[:, :1] + 1) > 0.99, probe_r2(h, other) < 0.1
        (True, True)
    """
    h, target = (np.asarray(a, float) for a in (h, target))
    h, target = h - h[::2].mean(0), target - target[::2].mean(0)
    h = h / (h[::2].std(0) + 1e-9)
    ridge = RIDGE * len(h[::2]) * np.eye(h.shape[1])
    B = np.linalg.solve(h[::2].T @ h[::2] + ridge, h[::2].T @ target[::2])
    rest = target[1::2] - h[1::2] @ B
    return float(1 - (rest**2).sum() / (target[1::2] ** 2).sum())
