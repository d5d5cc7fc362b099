"""`python -m herocon_lite bench`: how fast and how small the losses are, beside the alternatives.

Everything is a ratio measured side by side in one run, on one thread, forward and backward. Times
are the processor's, the best of several interleaved rounds; memory is the peak of a fresh process
above its inputs. An alternative that would have to keep more than 2 GiB for its backward pass is
not run, and the table says so.
"""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor
from tqdm import tqdm

from herocon_lite import losses, models, runtime
from herocon_lite.checkpoint import atomic_write
from herocon_lite.methods import Method, Problem, build
from herocon_lite.optim import LARS
from herocon_lite.repro import files, provenance

SIZES = (500, 1000, 2407, 5000, 10_000, 20_000, 50_000)
COMPARED_UP_TO = 10_000  # beyond, only L_u runs, and alone
LIMIT_BYTES = 2 * 2**30
WIDTH = 200  # d, as in the paper's networks
ROUNDS = 5  # up to n = 5,000; one round beyond
SUPERVISED = (500, 40, 1024)  # rows, labels, d: a CelebA-like batch
LABEL_RATE = 9 / 40
SCENE = (2407, 294, 6)  # rows (one in twenty labelled), features, labels
OURS = "herocon_lite"
LIBRARIES = ("lightly", "pytorch-metric-learning")  # not needed for anything else

ABOUT = (
    "Forward and backward, best of five interleaved rounds (one beyond n = 5,000); peak memory "
    'above the inputs, of a fresh process. "Bare products" are the eight n × 2n × d products '
    "of Eq. 5's scores and gradients; ours makes do with six, since one is another's transpose. "
    '"Literal" is the formula as printed; "unit rows" divides by the norms first. L_s: 500 rows, '
    "40 labels, d = 1,024. A step of HeroCon is all of it, encoders and optimiser too, on rows of "
    "Scene's size. What would keep more than 2 GiB for its backward pass is not run."
)

Step = Callable[[], None]
# Of the processor: with one thread it is wall time on a quiet machine, and on a shared one fairer.
clock = time.process_time


# ------------------------------------------------------------------ what is compared


def cos_as_printed(a: Tensor, b: Tensor) -> Tensor:
    """As the paper prints it: the dot product over the product of the norms."""
    return a @ b.T / (a.norm(dim=1)[:, None] * b.norm(dim=1)[None, :])


def _cos_of_unit_rows(a: Tensor, b: Tensor) -> Tensor:
    return (a / a.norm(dim=1, keepdim=True)) @ (b / b.norm(dim=1, keepdim=True)).T


def literal_unsupervised(z1: Tensor, z2: Tensor, H: losses.Net, cos=cos_as_printed) -> Tensor:
    """Eq. 5 typed in from the paper: anchors against both views, n × 2n matrices and all."""
    n, keys = len(z1), torch.cat([z1, z2])
    f = torch.exp(cos(z1, keys))
    g = (torch.exp(1 - cos(z1, H(keys))) + torch.exp(1 - cos(H(z1), keys))) / 2
    own = torch.eye(n, dtype=torch.bool).repeat(1, 2)
    negatives = (g * f).masked_fill(own, 0).sum(1)
    positive = f[:, n:].diagonal()
    return -torch.log(positive / (positive + negatives)).mean()


def label_loop(s: Tensor, Y: Tensor) -> Tensor:
    """Eq. 7 with a loop over labels that forms its similarities anew for each."""
    c, total = Y.shape[1], 0
    for a in range(c):
        has, lacks = Y[:, a] == 1, Y[:, a] == 0
        sigma = 1 - (Y[has][:, None] != Y[has][None]).sum(2).to(s.dtype) / c
        gamma = (Y[has][:, None] != Y[lacks][None]).sum(2)
        up = sigma * torch.exp(cos_as_printed(s[has], s[has]))
        down = up + (gamma * torch.exp(cos_as_printed(s[has], s[lacks]))).sum(1, keepdim=True)
        terms = -torch.log(up / down)
        pairs = len(terms) * (len(terms) - 1)
        total = total + (terms.sum() - terms.diagonal().sum()) / pairs
    return total / c


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
    """n ↦ one forward and backward pass of a two-view loss on random rows."""

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


def scene_method(literal: bool, d: int = SCENE[1]) -> Method:
    """HeroCon as the paper sets it on Scene; ``literal``: both losses typed in, in float64."""
    torch.manual_seed(0)
    method = build("herocon", Problem(((d,), (d,)), SCENE[2], "multilabel"), alpha=0.7, beta=0.02)
    return typed_in(method, literal_unsupervised, label_loop) if literal else method


def typed_in(method: Method, unsupervised: Callable, supervised: Callable) -> Method:
    """HeroCon with both losses replaced: of (z1, z2, H) and of (S, Y); in float64."""
    method = method.double()
    method.unsupervised = lambda z: unsupervised(*z, method.H)
    method.supervised = supervised
    return method


def trainer(method: Method) -> Callable[[list[Tensor], Tensor, list[Tensor]], None]:
    """(labelled views, labels, unlabelled views) ↦ one step, encoders and optimiser and all."""
    optimizer = LARS(method.train().parameters(), lr=0.05, momentum=0.95)

    def step(labeled: list[Tensor], Y: Tensor, unlabeled: list[Tensor]) -> None:
        optimizer.zero_grad()
        sum(method.terms(labeled, Y, unlabeled, 0.0).values()).backward()
        optimizer.step()

    return step


def _scene_step(literal: bool):
    """n ↦ one step of training on random rows, one in twenty of them labelled."""

    def prepare(n: int, d: int = SCENE[1]) -> Step:
        method = scene_method(literal, d)
        step, dtype = trainer(method), next(method.parameters()).dtype
        views, labeled = [torch.randn(n, d, dtype=dtype) for _ in range(2)], max(2, n // 20)
        batch = [v[:labeled] for v in views], [v[labeled:] for v in views]
        Y = (torch.rand(labeled, SCENE[2]) < LABEL_RATE).to(dtype)
        return lambda: step(batch[0], Y, batch[1])

    return prepare


def _unit_rows(z1: Tensor, z2: Tensor, H: losses.Net) -> Tensor:
    return literal_unsupervised(z1, z2, H, cos=_cos_of_unit_rows)


# loss → who computes it → (n ↦ step)
GROUPS: dict[str, dict[str, Callable[..., Step]]] = {
    "L_u (Eq. 5)": {
        OURS: two_views(losses.weighted_unsupervised, True),
        "bare products": _bare_products,
        "literal float32": two_views(literal_unsupervised, True),
        "literal float32, unit rows": two_views(_unit_rows, True),
        "literal float64": two_views(literal_unsupervised, True, torch.float64),
    },
    "NT-Xent": {
        OURS: two_views(losses.nt_xent, False),
        "lightly": two_views(_lightly, False),
        "pytorch-metric-learning": two_views(_metric_learning, False),
    },
    "L_s (Eq. 7)": {
        OURS: _labelled(losses.weighted_supervised),
        "loop over labels": _labelled(label_loop),
    },
    "HeroCon step": {
        OURS: _scene_step(literal=False),
        "literal float64": _scene_step(literal=True),
    },
}
# Losses measured at one size only.
ONE_SIZE = {"L_s (Eq. 7)": SUPERVISED[0], "HeroCon step": SCENE[0]}


# ------------------------------------------------------------------ measuring


def kept_bytes(prepare: Callable[..., Step], n: int) -> float:
    """About what a step would keep for its backward pass at n: two small sizes and their growth.

    Rows are narrow here, so that what grows with pairs of samples shows.
    """

    def at(m: int) -> int:
        storages = {}

        def pack(t: Tensor) -> Tensor:
            storages[t.untyped_storage().data_ptr()] = t.untyped_storage().nbytes()
            return t

        step = prepare(m, d=8)
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
            step()
        return sum(storages.values())

    m, small, large = 128, at(64), at(128)
    while 0 < large < 2**24 and m < 1024:  # until what grows fastest is nearly all of it
        m, small, large = 2 * m, large, at(2 * m)
    if small == 0:  # no autograd: the scores and the shares are what it holds
        return 2 * (n * 2 * n) * 4
    return large * (n / m) ** round(math.log2(large / small))


def interleaved(steps: dict[str, Step], rounds: int) -> dict[str, list[float]]:
    """Seconds of each step, one a round; interleaved, so that all see the same machine."""
    seconds = {name: [] for name in steps}
    for _ in range(rounds):
        for name, step in steps.items():
            start = clock()
            step()
            seconds[name].append(clock() - start)
    return seconds


def fresh_process(
    group: str, name: str, n: int, module: str = "herocon_lite.repro.benchmark"
) -> tuple[float, float]:
    """Seconds, and peak MiB above the inputs, of one step in a process of its own."""
    command = [sys.executable, "-m", module, group, name, str(n)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    seconds, mib = map(float, done.stdout.split())
    return seconds, mib


def in_fresh_process(prepare: Callable[[int], Step], n: int) -> None:
    """Prints what :func:`fresh_process` reads; for the module that it starts."""
    torch.set_num_threads(1)
    prepare(64)()  # libraries loaded and their buffers made
    step = prepare(n)
    before, start = runtime.peak_mib(), clock()
    step()
    print(clock() - start, runtime.peak_mib() - before)


def run(sizes: tuple[int, ...] = SIZES) -> list[dict]:
    """One row per loss, implementation and size: seconds, ratio to ours, peak memory."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    work = [(group, n) for group in GROUPS for n in _sizes(group, sizes)]
    rows = []
    try:
        for group, n in tqdm(work, desc="bench", unit="size"):
            rows += _measure(group, n)
    finally:
        torch.set_num_threads(threads)
    return rows


def _sizes(group: str, sizes: tuple[int, ...]) -> tuple[int, ...]:
    if group in ONE_SIZE:
        return (ONE_SIZE[group],)
    return sizes if group == "L_u (Eq. 5)" else tuple(n for n in sizes if n <= COMPARED_UP_TO)


def _measure(group: str, n: int) -> list[dict]:
    members = GROUPS[group]
    kept = {name: kept_bytes(prepare, n) for name, prepare in members.items()}
    fits = [name for name in members if name == OURS or kept[name] <= LIMIT_BYTES]
    alone = {name: fresh_process(group, name, n) for name in fits}
    if len(fits) > 1:
        steps = {name: members[name](n) for name in fits}
        rounds = interleaved(steps, ROUNDS if n <= 5000 else 1)
        seconds = {name: min(taken) for name, taken in rounds.items()}
    else:  # nothing to compare with: the fresh process has timed it already
        seconds = {name: alone[name][0] for name in fits}
    rows = []
    for name in members:
        row = {"loss": group, "by": name, "n": n}
        if name not in fits:
            row["would_keep_gib"] = round(kept[name] / 2**30, 1)
        else:
            row["seconds"] = round(seconds[name], 5)
            row["ratio"] = round(seconds[name] / seconds[OURS], 2)
            row["peak_mib"] = round(alone[name][1], 1)
        rows.append(row)
    return rows


# ------------------------------------------------------------------ the table


def growth(rows: list[dict], group: str, name: str, column: str) -> float | None:
    """Exponent p of column ~ n^p between the two largest sizes that were run."""
    found = [r for r in rows if r["loss"] == group and r["by"] == name and r.get(column)]
    if len(found) < 2:
        return None
    first, last = found[-2:]
    return math.log(last[column] / first[column]) / math.log(last["n"] / first["n"])


def table(rows: list[dict]) -> str:
    """The rows as a Markdown table, with how time and memory grow at the end of each group."""
    lines = [
        "| loss | by | n | seconds | times ours | peak MiB |",
        "|---|---|--:|--:|--:|--:|",
    ]
    for r in rows:
        if "seconds" in r:
            cells = f"{r['seconds']:.4f} | {r['ratio']:.2f} | {r['peak_mib']:.0f}"
        else:
            cells = f"not run: would keep {r['would_keep_gib']:,} GiB | |"
        lines.append(f"| {r['loss']} | {r['by']} | {r['n']:,} | {cells} |")
    lines += ["", "Growth between the two largest sizes run (time ~ n^p, memory ~ n^q):", ""]
    for group, members in GROUPS.items():
        for name in members:
            p, q = (growth(rows, group, name, c) for c in ("seconds", "peak_mib"))
            if p is not None:
                grows = "too little to tell" if q is None else f"{q:.2f}"
                lines.append(f"- {group}, {name}: p = {p:.2f}, q = {grows}")
    return "\n".join(lines)


def where_measured() -> dict:
    """Asked before the measurement: the checkout may move."""
    machine = provenance.environment()
    return {
        "threads": 1,
        "d": WIDTH,
        "processor": machine["device"],
        "python": machine["versions"]["python"],
        "torch": machine["versions"]["torch"],
        "commit": machine["commit"],
        "dirty": machine["dirty"],
        "date": time.strftime("%Y-%m-%d"),
    }


def save(rows: list[dict], where: dict, folder: Path) -> None:
    """bench.jsonl, one object a line, the first one telling where it was measured; and bench.md."""
    files.save_lines(folder / "bench.jsonl", [where, *rows])
    told = ", ".join(f"{key} {value}" for key, value in where.items())
    head = f"# Time and memory of the losses\n\nMade by `python -m herocon_lite bench` ({told}).\n"
    atomic_write(folder / "bench.md", f"{head}{ABOUT}\n\n{table(rows)}\n")


if __name__ == "__main__":  # a fresh process, started by fresh_process
    in_fresh_process(GROUPS[sys.argv[1]][sys.argv[2]], int(sys.argv[3]))
