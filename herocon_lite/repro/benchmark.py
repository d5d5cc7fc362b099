"""`python -m herocon_lite bench`: how fast and how small the losses are, beside the alternatives.

Everything is a ratio measured side by side in one run, forward and backward.
"""

from __future__ import annotations

import math
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import torch
from torch import Tensor
from tqdm import tqdm

from herocon_lite import losses, models
from herocon_lite.checkpoint import atomic_write
from herocon_lite.methods import Method, Problem
from herocon_lite.repro import files, literal, measure
from herocon_lite.repro.measure import OURS, Step
from herocon_lite.repro.text import markdown_table
from herocon_lite.runtime import num_threads

SIZES = (500, 1000, 2407, 5000, 10_000, 20_000, 50_000)
COMPARED_UP_TO = 10_000  # beyond, only L_u runs, and alone
WIDTH = 200  # d, as in the paper's networks
ROUNDS = 5  # up to n = 5,000; one round beyond
SUPERVISED = (500, 40, 1024)  # rows, labels, d: a CelebA-like batch
LABEL_RATE = 9 / 40
SCENE = (2407, 294, 6)  # rows (one in twenty labelled), features, labels
MODULE = "herocon_lite.repro.benchmark"  # to start in a process of its own
LIBRARIES = ("lightly", "pytorch-metric-learning")  # not needed for anything else

ABOUT = (
    "Forward and backward, best of five interleaved rounds (one beyond n = 5,000); peak memory "
    'above the inputs, of a fresh process. "Bare products" are the eight n × 2n × d matrix '
    "products of Eq. 5's scores and gradients; ours makes do with six, since one is another's "
    'transpose. "Literal" is the formula as printed; "unit rows" divides by the norms first. L_s: '
    "500 rows, 40 labels, d = 1,024. A step of HeroCon is all of it, encoders and optimiser too, "
    "on rows of Scene's size. What would keep more than 2 GiB for its backward pass is not run."
)

# ------------------------------------------------------------------ what is compared


def _bare_products(n: int, d: int = WIDTH) -> Step:
    """The eight n × 2n × d products of a step of Eq. 5, and nothing else.

    Two forward, the same two again in backward, and four for the gradients; unchunked.
    """
    q, keys, share = torch.randn(n, d), torch.randn(2 * n, d), torch.randn(n, 2 * n)
    scores, grad_q, grad_keys = torch.empty(n, 2 * n), torch.empty_like(q), torch.empty_like(keys)

    def step() -> None:
        for _ in range(4):
            torch.mm(q, keys.T, out=scores)
        for _ in range(2):
            torch.mm(share, keys, out=grad_q)
            torch.mm(share.T, q, out=grad_keys)

    return step


def _metric_learning(z1: Tensor, z2: Tensor) -> Tensor:
    from pytorch_metric_learning.losses import NTXentLoss, SelfSupervisedLoss

    return SelfSupervisedLoss(NTXentLoss(0.5))(z1, z2)


def _lightly(z1: Tensor, z2: Tensor) -> Tensor:
    from lightly.loss import NTXentLoss

    return NTXentLoss(0.5)(z1, z2)


def two_views(loss: Callable[..., Tensor], weighted: bool, dtype=torch.float32):
    """Return n ↦ one forward and backward pass of a two-view loss on random rows."""

    def prepare(n: int, d: int = WIDTH) -> Step:
        torch.manual_seed(0)
        z1, z2 = (torch.randn(n, d, dtype=dtype, requires_grad=True) for _ in range(2))
        net = models.weight_net(d).to(dtype)
        arguments = (z1, z2, net) if weighted else (z1, z2)
        return lambda: loss(*arguments).backward()

    return prepare


def _labelled(loss: Callable[[Tensor, Tensor], Tensor]):
    def prepare(n: int, d: int = SUPERVISED[2]) -> Step:
        torch.manual_seed(0)
        s = torch.randn(n, d, requires_grad=True)
        Y = (torch.rand(n, SUPERVISED[1]) < LABEL_RATE).float()
        return lambda: loss(s, Y).backward()

    return prepare


def scene_method(as_printed: bool, d: int = SCENE[1]) -> Method:
    """Build HeroCon as the paper sets it on Scene; ``as_printed``: both losses typed in, in
    float64."""
    problem = Problem(((d,), (d,)), SCENE[2], "multilabel")
    return literal.herocon(problem, literal.PRINTED if as_printed else None, alpha=0.7, beta=0.02)


def _scene_step(as_printed: bool):
    """n ↦ one step of training on random rows, one in twenty of them labelled."""

    def prepare(n: int, d: int = SCENE[1]) -> Step:
        labeled = max(2, n // 20)
        Y = torch.rand(labeled, SCENE[2]) < LABEL_RATE
        return literal.training(scene_method(as_printed, d), (d, d), Y, n - labeled)

    return prepare


_UNIT_ROWS = partial(literal.unsupervised, cos=literal.cosine_of_unit_rows)
# loss → who computes it → (n ↦ step)
GROUPS: dict[str, dict[str, Callable[..., Step]]] = {
    "L_u (Eq. 5)": {
        OURS: two_views(losses.weighted_unsupervised, True),
        "bare products": _bare_products,
        "literal float32": two_views(literal.unsupervised, True),
        "literal float32, unit rows": two_views(_UNIT_ROWS, True),
        "literal float64": two_views(literal.unsupervised, True, torch.float64),
    },
    "NT-Xent": {
        OURS: two_views(losses.nt_xent, False),
        "lightly": two_views(_lightly, False),
        "pytorch-metric-learning": two_views(_metric_learning, False),
    },
    "L_s (Eq. 7)": {
        OURS: _labelled(losses.weighted_supervised),
        "loop over labels": _labelled(literal.supervised),
    },
    "HeroCon step": {
        OURS: _scene_step(as_printed=False),
        "literal float64": _scene_step(as_printed=True),
    },
}
# Losses measured at one size only.
ONE_SIZE = {"L_s (Eq. 7)": SUPERVISED[0], "HeroCon step": SCENE[0]}


# ------------------------------------------------------------------ measuring


def run(sizes: Sequence[int] = SIZES) -> list[dict]:
    """Measure one row per loss, implementation and size: seconds, ratio to ours, peak memory."""
    work = [(group, n) for group in GROUPS for n in _sizes(group, sizes)]
    with num_threads(1):
        bar = tqdm(work, desc="bench", unit="size")
        return [row for group, n in bar for row in _measure(group, n)]


def _sizes(group: str, sizes: Sequence[int]) -> Sequence[int]:
    if group in ONE_SIZE:
        return (ONE_SIZE[group],)
    return sizes if group == "L_u (Eq. 5)" else [n for n in sizes if n <= COMPARED_UP_TO]


def _measure(group: str, n: int) -> list[dict]:
    rows = measure.measure(
        {name: partial(prepare, n) for name, prepare in GROUPS[group].items()},
        {name: measure.kept_bytes(prepare, n) for name, prepare in GROUPS[group].items()},
        ROUNDS if n <= 5000 else 1,
        lambda name: measure.fresh_process(MODULE, group, name, n),
    )
    for row in rows:
        row |= {"loss": group, "n": n}
        if "seconds" in row:
            row["ratio"] = round(row["seconds"] / rows[0]["seconds"], 2)  # ours is the first
    return rows


# ------------------------------------------------------------------ the table


def growth(rows: Sequence[dict], group: str, name: str, column: str) -> float | None:
    """Return the exponent p of column ~ n^p between the two largest sizes that were run."""
    found = [r for r in rows if r["loss"] == group and r["by"] == name and r.get(column)]
    if len(found) < 2:
        return None
    first, last = found[-2:]
    return math.log(last[column] / first[column]) / math.log(last["n"] / first["n"])


def table(rows: Sequence[dict]) -> str:
    """Format the rows as a Markdown table, with how time and memory grow at the end of each
    group."""
    cells = [
        [r["loss"], r["by"], f"{r['n']:,}", *measure.cells(r, r.get("ratio"), digits=4)]
        for r in rows
    ]
    heads = ["loss", "by", "n", "seconds", "times ours", "peak MiB"]
    lines = [markdown_table(heads, cells, "llrrrr"), ""]
    lines += ["Growth between the two largest sizes run (time ~ n^p, memory ~ n^q):", ""]
    for group, members in GROUPS.items():
        for name in members:
            p, q = (growth(rows, group, name, c) for c in ("seconds", "peak_mib"))
            if p is not None:
                grows = "too little to tell" if q is None else f"{q:.2f}"
                lines.append(f"- {group}, {name}: p = {p:.2f}, q = {grows}")
    return "\n".join(lines)


def save(rows: Sequence[dict], where: dict, folder: Path) -> None:
    """Write bench.jsonl, whose first line says where it was measured, and bench.md."""
    where = where | {"d": WIDTH}
    files.save_lines(folder / "bench.jsonl", [where, *rows])
    atomic_write(folder / "bench.md", to_page(rows, where))


def to_page(rows: Sequence[dict], where: dict) -> str:
    """Return the text of bench.md."""
    made = ", ".join(f"{key} {value}" for key, value in where.items())
    head = f"# Time and memory of the losses\n\nMade by `python -m herocon_lite bench` ({made}).\n"
    return f"{head}{ABOUT}\n\n{table(rows)}\n"


def command(arguments: Namespace) -> int:
    """Carry out ``python -m herocon_lite bench``."""
    missing = [name for name in LIBRARIES if find_spec(name.replace("-", "_")) is None]
    if missing:  # known now, not after an hour of timing
        raise ValueError(f"bench compares with other libraries: pip install {' '.join(missing)}")
    where = measure.where_measured()
    rows = run(tuple(sorted({*(arguments.sizes or SIZES)})))
    print(table(rows))
    folder = arguments.folder or (None if arguments.sizes else Path("results"))
    if folder is None:
        print("\nNot saved: some sizes only. With --folder it is.")
    else:
        save(rows, where, folder)
        print(f"\nSaved in {folder}: bench.jsonl, bench.md.")
    return 0


if __name__ == "__main__":  # a fresh process, started by measure.fresh_process
    measure.report(GROUPS[sys.argv[1]][sys.argv[2]], int(sys.argv[3]))
