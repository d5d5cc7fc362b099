"""`python -m herocon_lite efficiency`: Fig. 4 of the paper, time against the sizes of the two sets.

(a) The training set grows; 250 labelled rows a step and |N| = 999 stay. An epoch is as many steps
as there are batches, and all of them are run. (b) The negative set grows; one step, 250 labelled
rows. A step is all of HeroCon: encoders, L_c, L_u, L_s, backward, LARS. Rows are random, of XRMB's
and MOCHA's sizes. Three implementations take turns, on one thread; seconds are the processor's, the
best of some rounds; memory is the peak of a fresh process above its inputs. What would keep more
than 2 GiB for its backward pass is not run.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor
from tqdm import tqdm

from herocon_lite import losses
from herocon_lite.methods import Method, Problem, build
from herocon_lite.repro import benchmark, files, stats
from herocon_lite.repro.benchmark import OURS, Step, cos_as_printed

LITERAL, RELEASED = "literal", "released-like"
BY = (LITERAL, RELEASED, OURS)
PRECISION = {LITERAL: "float64", RELEASED: "float64", OURS: "float32"}
VIEWS, CLASSES = (273, 112), 20  # XRMB's and MOCHA's features; the classes that the paper draws
ALPHA, BETA = 0.1, 0.01  # appendix A.1
BATCH, NEGATIVES = 250, 999  # appendix A.1; |N| = labelled + unlabelled rows of a step − 1
TRAINING, NEGATIVE = "training", "negatives"  # what grows: Fig. 4(a), Fig. 4(b)
SIZES = {
    TRAINING: (500, 1000, 1500, 2500, 5000),
    NEGATIVE: (500, 1000, 1500, 2000, 2500, 3000, 4000, 5000),
}
ALONE = (10_000, 20_000)  # |N| for ours, where the others do not fit
# Where memory is measured, each time in a new process. The peak of an epoch is that of its steps.
MEMORY = {TRAINING: (500, 1500), NEGATIVE: (1000, 2000, 3000, 5000, *ALONE)}
FITTED_UP_TO = 5000  # powers are fitted up to here; beyond, ours is alone
ROUNDS = {TRAINING: 2, NEGATIVE: 3}
LONG = 2000  # two rounds beyond this size


# ------------------------------------------------------------------ what is compared


def released_unsupervised(z1: Tensor, z2: Tensor, H: losses.Net) -> Tensor:
    """L_u in the public code's form, written from its description: n × n matrices, view 2 anchors.

    [i, k] holds row i of view 1 and row k of view 2, and the sum runs over i. The positive is
    weighted too, and the half of g with H on view 2 is transposed. Its constants are left out.
    """
    f = torch.exp(cos_as_printed(z1, z2))
    g = (torch.exp(1 - cos_as_printed(H(z1), z2)) + torch.exp(1 - cos_as_printed(H(z2), z1))) / 2
    return -torch.log(f.diagonal() / (g * f).sum(0)).mean()


def released_supervised(s: Tensor, Y: Tensor) -> Tensor:
    """L_s in the public code's form for classes: weights 1, self pairs, a sum over the classes.

    Similarities are formed anew for each class, as there.
    """
    total = 0
    for a in range(Y.shape[1]):
        has, lacks = Y[:, a] == 1, Y[:, a] == 0
        up = torch.exp(cos_as_printed(s[has], s[has]))
        down = torch.exp(cos_as_printed(s[has], s[lacks])).sum(1) + up
        total = total - torch.log(up / down).mean()
    return total


# L_u and L_s of those that are not ours
TYPED_IN = {
    LITERAL: (benchmark.literal_unsupervised, benchmark.label_loop),
    RELEASED: (released_unsupervised, released_supervised),
}
# The same L_u alone: it decides what a step keeps
KEPT = {
    name: benchmark.two_views(pair[0], True, torch.float64) for name, pair in TYPED_IN.items()
} | {OURS: benchmark.two_views(losses.weighted_unsupervised, True)}


def herocon(by: str) -> Method:
    """HeroCon for XRMB with the losses of one implementation; all start from the same weights.

    Label distances are Hamming's, as the paper declares (the public code's are not).
    """
    torch.manual_seed(0)
    problem = Problem(tuple((width,) for width in VIEWS), CLASSES, "multiclass")
    method = build("herocon", problem, alpha=ALPHA, beta=BETA, distance="hamming")
    return method if by == OURS else benchmark.typed_in(method, *TYPED_IN[by])


def _steps(by: str, count: int, labeled: int, unlabeled: int) -> Step:
    """``count`` steps of training, each on rows of its own."""
    method = herocon(by)
    step, dtype = benchmark.trainer(method), next(method.parameters()).dtype
    seen, more = (
        [torch.randn(count * b, w).to(dtype) for w in VIEWS] for b in (labeled, unlabeled)
    )
    # every batch has every class, about equally often
    Y = F.one_hot(torch.arange(count * labeled) % CLASSES, CLASSES).to(dtype)

    def run() -> None:
        for k in range(count):
            mine, other = (slice(k * b, (k + 1) * b) for b in (labeled, unlabeled))
            step([v[mine] for v in seen], Y[mine], [v[other] for v in more])

    return run


def epoch(by: str, training: int) -> Step:
    """Fig. 4(a): as many steps as the training set has batches. Less than one shrinks the step."""
    share = min(1.0, training / BATCH)
    rows = round(share * BATCH), round(share * (NEGATIVES + 1 - BATCH))
    return _steps(by, max(1, training // BATCH), *rows)


def one_step(by: str, negatives: int) -> Step:
    """Fig. 4(b): |N| + 1 rows, 250 of them labelled, or half of them where there are fewer."""
    labeled = min(BATCH, (negatives + 1) // 2)
    return _steps(by, 1, labeled, negatives + 1 - labeled)


WORK: dict[str, Callable[[str, int], Step]] = {TRAINING: epoch, NEGATIVE: one_step}


# ------------------------------------------------------------------ measuring


def run() -> list[dict]:
    """One row per implementation and size: best seconds, all rounds, peak memory."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    work = [(what, size) for what, sizes in SIZES.items() for size in sizes]
    work += [(NEGATIVE, size) for size in ALONE]
    rows = []
    try:
        for what, size in tqdm(work, desc="efficiency", unit="size"):
            rows += _measure(what, size)
    finally:
        torch.set_num_threads(threads)
    return rows


def _measure(what: str, size: int) -> list[dict]:
    kept = {by: benchmark.kept_bytes(KEPT[by], size) if what == NEGATIVE else 0 for by in BY}
    fits = [by for by in BY if by == OURS or kept[by] <= benchmark.LIMIT_BYTES]
    alone = {}
    if size in MEMORY[what]:
        module = "herocon_lite.repro.efficiency"
        alone = {by: benchmark.fresh_process(what, by, size, module) for by in fits}
    if len(fits) > 1:
        steps = {by: WORK[what](by, size) for by in fits}
        seconds = benchmark.interleaved(steps, ROUNDS[what] if size <= LONG else 2)
    else:  # nothing to compare with: the fresh process has timed it already
        seconds = {by: [alone[by][0]] for by in fits}
    rows = []
    for by in BY:
        row = {"by": by, what: size}
        if by not in fits:
            row["would_keep_gib"] = round(kept[by] / 2**30, 1)
        else:
            row["seconds"] = round(min(seconds[by]), 5)
            row["rounds"] = [round(taken, 5) for taken in seconds[by]]
            if by in alone:
                row["peak_mib"] = round(alone[by][1], 1)
        rows.append(row)
    return rows


# ------------------------------------------------------------------ what it says


def series(
    rows: Sequence[dict], what: str, by: str, column: str = "seconds"
) -> tuple[list[int], list[float]]:
    """Sizes and values of one implementation, as far as they were measured."""
    found = [r for r in rows if r.get("by") == by and r.get(what) and r.get(column)]
    return [r[what] for r in found], [r[column] for r in found]


def power(
    rows: Sequence[dict], what: str, by: str, column: str = "seconds", up_to: int = FITTED_UP_TO
) -> stats.Interval | None:
    """The p of column ~ size^p: least squares on logarithms, one point a size.

    The 95 % interval is the regression's, Student's t. A curve that is no power law leaves larger
    residuals, and so a wider interval. None below three sizes.
    """
    from scipy.special import stdtrit  # scipy.stats takes two seconds to import

    pairs = [p for p in zip(*series(rows, what, by, column), strict=True) if p[0] <= up_to]
    if len(pairs) < 3:
        return None
    x, y = np.log(pairs).T
    x, y = x - x.mean(), y - y.mean()
    slope = x @ y / (x @ x)
    residual = y - slope * x
    error = math.sqrt(residual @ residual / (len(x) - 2) / (x @ x))
    half = stdtrit(len(x) - 2, 0.975) * error
    return stats.Interval(float(slope), error, float(slope - half), float(slope + half))


def table(rows: Sequence[dict]) -> str:
    """The rows as Markdown, and the powers."""
    lines = ["| grows | size | by | seconds | times ours | peak MiB |", "|---|--:|---|--:|--:|--:|"]
    for r in rows:
        what = TRAINING if TRAINING in r else NEGATIVE
        if "seconds" in r:
            (ours,) = (o["seconds"] for o in rows if o["by"] == OURS and o.get(what) == r[what])
            peak = f"{r['peak_mib']:.0f}" if "peak_mib" in r else "–"
            cells = f"{r['seconds']:.3f} | {r['seconds'] / ours:.2f} | {peak}"
        else:
            cells = f"not run: would keep {r['would_keep_gib']:,} GiB | |"
        lines.append(f"| {what} | {r[what]:,} | {r['by']} | {cells} |")
    lines.append("")
    for what in SIZES:
        for by in BY:
            fit = power(rows, what, by)
            if fit is not None:
                lines.append(
                    f"- {what}, {by}: time ~ size^{fit.mean:.2f} [{fit.lo:.2f}, {fit.hi:.2f}]"
                )
    return "\n".join(lines)


def save(rows: list[dict], where: dict, folder: Path) -> None:
    """efficiency.jsonl: where it was measured and with which settings, then one object a line."""
    where = where | {
        "views": VIEWS,
        "classes": CLASSES,
        "alpha": ALPHA,
        "beta": BETA,
        "batch": BATCH,
        "precision": PRECISION,
    }
    files.save_lines(folder / "efficiency.jsonl", [where, *rows])


if __name__ == "__main__":  # a fresh process, started by bench.fresh_process
    what, by, size = sys.argv[1:]
    benchmark.in_fresh_process(lambda n: WORK[what](by, n), int(size))
