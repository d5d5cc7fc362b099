"""Exercises of the chapter on CelebA: each function says whether an answer is right."""

import json
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch

from herocon_lite import losses, models

COUNTS = Path(__file__).parents[2] / "results" / "label_counts.json"


def independent(times):
    """Two faces agree in a label if both have it or both lack it: p² + (1 − p)². Independent labels
    multiply."""
    count = json.loads(COUNTS.read_text())["sets"]["celeba"]
    equal = (count["size_biased"] - 1) / (count["rows"] - 1)
    chance = math.prod(p**2 + (1 - p) ** 2 for p in count["rates"].values())
    return math.isclose(times, equal / chance, rel_tol=0.02)


def force(function):
    """Only rows with an equal have a term: log Σ exp(c/τ) over the others, less the mean of c/τ over
    their equals, divided by the number of rows. Put all cosines c to 0 after the derivative."""
    random = np.random.default_rng(3)
    for τ in (0.1, 0.5):
        Y = random.integers(0, 2, (12, 3))
        s = torch.eye(len(Y), dtype=torch.float64, requires_grad=True)
        losses.sup_con(s, torch.tensor(Y), temperature=τ).backward()
        if not np.allclose(function(Y, τ), -s.grad.numpy()):
            return False
    return True


def vgg(weights, work):
    """A convolution of 3 × 3 from m to n channels has 9 m n + n weights, and 9 m n multiplications
    for each of its pixels: 64², 32², 16², 8² and 4², block after block."""
    found = {}
    for name, widths in models.VGG_WIDTHS.items():
        depth = [3, *np.repeat(widths, models.VGG_CONVS)]
        pixels = np.repeat(64 // 2 ** np.arange(5), models.VGG_CONVS) ** 2
        products = np.array([9 * a * b for a, b in pairwise(depth)])
        found[name] = sum(products) + sum(depth[1:]), sum(products * pixels)
    ratios = [
        full / thin
        for full, thin in zip(found["full"], found["thin"], strict=True)
    ]
    return np.allclose((weights, work), ratios, rtol=0.02)
