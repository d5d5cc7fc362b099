"""`python -m herocon_lite pictures`: few labelled digits, a small CNN, transformed copies as views.

Every picture is shifted, turned and scaled at random, twice: these copies are the two views of one
shared CNN. Its parts of HeroCon are added one by one; trees and others get the pixels. Every
(number of labels, split) is one line of ``results/pictures.jsonl``.
"""

from __future__ import annotations

import math
import time
from argparse import Namespace
from contextlib import nullcontext
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from tqdm import tqdm

from herocon_lite import losses, precision
from herocon_lite.data import load, split
from herocon_lite.fitting import WEIGHT_DECAY, AdamW, Shuffler
from herocon_lite.repro import files, opponents, provenance, stats
from herocon_lite.repro.estimator_benchmark import problem
from herocon_lite.repro.opponents import OPPONENTS, TREES, Answer, Problem
from herocon_lite.runtime import derive_seed, isolated_rng, num_threads, seed_device

SIZES = (100, 50, 250)  # labelled digits, in the order in which they are run
SPLITS = range(10, 20)
STEPS, LABELED, UNLABELED = 200, 100, 100  # rows a step at most, each in two copies
LR, TEMPERATURE = 0.003, 0.5
TURN, SHIFT, SCALE = 0.3, 0.2, 0.15  # at most: radians, half widths, share
CHANNELS, WIDTH = (32, 64, 64), 64  # of the convolutions; of what L_u compares

# α, β, and whether L_u has its weights g. No weight was searched: a term counts as L_c or not.
ARMS = {
    "cnn": (0, 0, False),
    "L_s": (0, 1, False),
    "L_u": (1, 0, False),
    "L_u with g": (1, 0, True),
    "herocon": (1, 1, True),
}
PIXELS = ("extra_trees", "label_spreading", "logistic_regression")


def transform(x: Tensor) -> Tensor:
    """Shift, turn and scale each picture (n, 1, h, w) by its own random amount."""
    angle, size = TURN * _between(len(x)), 1 + SCALE * _between(len(x))
    across, down = SHIFT * _between(len(x)), SHIFT * _between(len(x))
    cos, sin = size * angle.cos(), size * angle.sin()
    rows = [cos, -sin, across, sin, cos, down]
    grid = F.affine_grid(torch.stack(rows, 1).view(-1, 2, 3), list(x.shape), align_corners=False)
    return F.grid_sample(x, grid, align_corners=False)


def _between(count: int) -> Tensor:
    return 2 * torch.rand(count) - 1


class Network(nn.Module):
    """Three convolutions, shared by both views, and what the losses need."""

    def __init__(self, classes: int):
        super().__init__()
        first, second, third = CHANNELS
        self.encoder = nn.Sequential(
            *_convolution(1, first, stride=2),
            *_convolution(first, second, stride=2),
            *_convolution(second, third, stride=1),
            nn.Flatten(),
            nn.Linear(49 * third, 2 * third, bias=False),
            nn.BatchNorm1d(2 * third),
            nn.ReLU(),
        ).to(memory_format=torch.channels_last)
        self.classifier = nn.Linear(2 * third, classes)
        self.projector = nn.Sequential(
            nn.Linear(2 * third, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH)
        )
        self.H = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Sigmoid())

    def embed(self, x: Tensor) -> Tensor:
        """Return h (n, 128) of pictures, in bfloat16 where the processor has it."""
        quick = precision.has_native_bf16(x.device)
        with torch.autocast("cpu", torch.bfloat16) if quick else nullcontext():
            return self.encoder(x.to(memory_format=torch.channels_last)).float()


def _convolution(p: int, q: int, stride: int) -> list[nn.Module]:
    return [nn.Conv2d(p, q, 3, stride, 1, bias=False), nn.BatchNorm2d(q), nn.ReLU()]


def loss(network: Network, x: Tensor, Y: Tensor, arm: tuple) -> Tensor:
    """Compute L_c + α · L_u + β · L_s.

    Args:
        network: the network.
        x: (n, 1, h, w), the labelled pictures first.
        Y: (b, c), one-hot, of these.
        arm: α, β, and whether L_u has its weights.
    """
    alpha, beta, weighted = arm
    h = network.embed(torch.cat([transform(x), transform(x)])).view(2, len(x), -1)
    known = h[:, : len(Y)].flatten(0, 1)  # both copies of a picture are samples of its class
    both = Y.repeat(2, 1)
    total = F.cross_entropy(network.classifier(known), both)
    if beta:
        total = total + beta * losses.weighted_supervised(
            known, both, TEMPERATURE, distance="indicator"
        )
    if alpha:
        z = network.projector(h)
        H = network.H if weighted else None
        total = total + alpha * losses.weighted_unsupervised(*z, H, temperature=TEMPERATURE)
    return total


def fit(task: Problem, arm: tuple) -> Network:
    """Train a network on the labelled pictures and, for L_u, on the others."""
    x = torch.from_numpy(task.views[0]).float() / 255
    Y = torch.from_numpy(task.labels).float()
    seed_device(torch.device("cpu"), derive_seed(task.seed, 3))
    network = Network(Y.shape[1]).train()
    optimizer = AdamW(network.parameters(), WEIGHT_DECAY)
    known = Shuffler(1, task.labeled, LABELED)
    more = Shuffler(1, len(x) - task.labeled, UNLABELED)
    for step in range(STEPS):
        rows = known.next()[0]
        every = torch.cat([rows, task.labeled + more.next()[0]]) if arm[0] else rows
        value = loss(network, x[every], Y[rows], arm)
        network.zero_grad(set_to_none=True)
        value.backward()
        optimizer.step(LR * (1 + math.cos(math.pi * step / STEPS)) / 2)
    return network.eval()


def cnn(task: Problem, arm: tuple) -> Answer:
    """Return what a network makes of the wanted pictures, as they are."""
    start = time.process_time()
    with isolated_rng(torch.device("cpu")), num_threads(1):
        network = fit(task, arm)
        x = torch.from_numpy(task.views[0][task.test]).float() / 255
        with torch.no_grad():
            chunks = [network.classifier(network.embed(part)) for part in x.split(500)]
        P = torch.cat(chunks).softmax(1).numpy()
    return Answer(P, None, time.process_time() - start)


def compare(task: Problem) -> dict[str, dict]:
    """Return the scores of every arm and of the others on pixels."""
    answers = {name: cnn(task, arm) for name, arm in ARMS.items()}
    answers |= {name: opponents.answer(OPPONENTS[name], task) for name in PIXELS}
    return {name: opponents.scores(task, found) for name, found in answers.items()}


def run(folder: Path, sizes: tuple[int, ...] = SIZES) -> list[dict]:
    """Make all lines that are missing, or that other code made, each stored as it ends."""
    files.check_writable(folder)
    path = folder / "pictures.jsonl"
    code = provenance.source_hash("pictures.py", "estimator_benchmark.py", "opponents.py")
    where = provenance.environment("cpu") | {"code": code}  # now: the checkout may move
    rows = {(r["labels"], r["seed"]): r for r in files.read_lines(path)}
    keys = [(size, seed) for size in sizes for seed in SPLITS]
    work = [key for key in keys if rows.get(key, {}).get("code") != code]
    dataset = load("mnist5k") if work else None
    for size, seed in tqdm(work, unit="line", disable=not work):
        parts = split(dataset, seed=seed, labeled=size)
        row = {"labels": size, "seed": seed, "split": parts.describe(), "trees": str(TREES)}
        row |= {"methods": compare(problem(dataset, parts))}
        rows[size, seed] = {**row, "data_checksums": dataset.checksums, **where}
        files.save_lines(path, [rows[key] for key in sorted(rows)])
    return [rows[key] for key in keys if key in rows]


def differences(rows: list[dict], one: str, other: str, labels: int = 100) -> list[float]:
    """Return one method's accuracy less another's on the same splits, in points."""
    mine = [row["methods"] for row in rows if row["labels"] == labels]
    return [100 * (m[one]["accuracy"] - m[other]["accuracy"]) for m in mine]


def command(arguments: Namespace) -> int:
    """Carry out ``python -m herocon_lite pictures``."""
    rows = run(arguments.folder, tuple(arguments.labels or SIZES))
    for size in sorted({row["labels"] for row in rows}):
        for other in (*[name for name in ARMS if name != "herocon"], *PIXELS):
            found = stats.interval(differences(rows, "herocon", other, size))
            print(
                f"{size} labels: accuracy of herocon less {other}: {found.mean:+.1f} points "
                f"[{found.lo:+.1f}, {found.hi:+.1f}]"
            )
    return 0
