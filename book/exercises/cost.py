"""Exercises of the chapter on the cost of negatives: each function says whether an answer is right."""

import json
import math
from pathlib import Path

import numpy as np
import torch

from herocon_lite.repro import literal


def prediction(seconds):
    """Divide each time by the square of its n. Multiply a typical quotient by the square of
    100,000."""
    lines = map(
        json.loads, Path("../results/bench.jsonl").read_text().splitlines()
    )
    ours = [
        r
        for r in lines
        if (r.get("loss"), r.get("by")) == ("L_u (Eq. 5)", "herocon_lite")
    ]
    quotients = [r["seconds"] / r["n"] ** 2 for r in ours if r["n"] >= 5000]
    return (
        1e10 * min(quotients) * 0.95 <= seconds <= 1e10 * max(quotients) * 1.05
    )


def _kept(n):
    """Bytes that the literal L_u keeps for its backward pass, in float64."""
    found = {}

    def pack(t):
        found[t.untyped_storage().data_ptr()] = t.untyped_storage().nbytes()
        return t

    z = [
        torch.randn(n, 16, dtype=torch.float64, requires_grad=True)
        for _ in range(2)
    ]
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        literal.unsupervised(*z, torch.sigmoid)
    return sum(found.values())


def largest(samples):
    """Bytes are a n² + b n. Count them at 512 and at 1,024 samples, solve for a and b, and then
    a n² + b n = 2³⁰ for n."""
    sizes = np.array([512, 1024])
    a, b = np.linalg.solve(
        np.stack([sizes**2, sizes], 1), [_kept(int(n)) for n in sizes]
    )
    n = (math.sqrt(b**2 + 4 * a * 2**30) - b) / (2 * a)
    return abs(samples / n - 1) < 0.03


def forward(literal_share, our_share):
    """A product A B has two gradients, each a product of the same size. Ours makes its scores once
    more on the way back."""
    return math.isclose(literal_share, 1 / 3) and math.isclose(
        our_share, 1 / 4
    )
