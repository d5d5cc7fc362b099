"""`python -m herocon_lite efficiency`: Fig. 4 of the paper, time against the sizes of the two sets.

(a) The training set grows; 250 labelled rows a step and |N| = 999 stay. An epoch is as many steps
as there are batches, and all of them are run. (b) The negative set grows; one step, 250 labelled
rows. A step is all of HeroCon: encoders, L_c, L_u, L_s, backward, LARS. Rows are random, of XRMB's
and MOCHA's sizes. Three implementations take turns; the best of some rounds counts.
"""

from __future__ import annotations

import math
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from tqdm import tqdm

from herocon_lite import losses
from herocon_lite.methods import Method, Problem
from herocon_lite.repro import files, literal, measure, stats
from herocon_lite.repro.benchmark import two_views
from herocon_lite.repro.measure import OURS, Step
from herocon_lite.repro.text import format_interval, markdown_table
from herocon_lite.runtime import num_threads

MODULE = "herocon_lite.repro.efficiency"  # to start in a process of its own
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


AS_PRINTED = {LITERAL: literal.PRINTED, RELEASED: literal.RELEASED}
# The same L_u alone: it decides what a step keeps
KEPT = {
    name: two_views(of_views, True, torch.float64) for name, (of_views, _) in AS_PRINTED.items()
} | {OURS: two_views(losses.weighted_unsupervised, True)}


def herocon(by: str) -> Method:
    """Build HeroCon for XRMB with the losses of one implementation.

    Label distances are Hamming's, as the paper declares (the public code's are not).
    """
    problem = Problem(tuple((width,) for width in VIEWS), CLASSES, "multiclass")
    options = {"alpha": ALPHA, "beta": BETA, "distance": "hamming"}
    return literal.herocon(problem, AS_PRINTED.get(by), **options)


def _steps(by: str, count: int, labeled: int, unlabeled: int) -> Step:
    """``count`` steps; every batch has every class, about equally often."""
    Y = F.one_hot(torch.arange(count * labeled) % CLASSES, CLASSES)
    return literal.training(herocon(by), VIEWS, Y, unlabeled, count)


def epoch(by: str, training: int) -> Step:
    """Measure Fig. 4(a): as many steps as the training set has batches. Less than one shrinks the
    step."""
    share = min(1.0, training / BATCH)
    rows = round(share * BATCH), round(share * (NEGATIVES + 1 - BATCH))
    return _steps(by, max(1, training // BATCH), *rows)


def one_step(by: str, negatives: int) -> Step:
    """Measure Fig. 4(b): |N| + 1 rows, 250 of them labelled, or half of them where there are
    fewer."""
    labeled = min(BATCH, (negatives + 1) // 2)
    return _steps(by, 1, labeled, negatives + 1 - labeled)


WORK: dict[str, Callable[[str, int], Step]] = {TRAINING: epoch, NEGATIVE: one_step}


# ------------------------------------------------------------------ measuring


def run() -> list[dict]:
    """Measure one row per implementation and size: best seconds, all rounds, peak memory."""
    work = [(what, size) for what, sizes in SIZES.items() for size in sizes]
    work += [(NEGATIVE, size) for size in ALONE]
    with num_threads(1):
        bar = tqdm(work, desc="efficiency", unit="size")
        return [row for what, size in bar for row in _measure(what, size)]


def _measure(what: str, size: int) -> list[dict]:
    rows = measure.measure(
        {by: partial(WORK[what], by, size) for by in BY},
        {by: measure.kept_bytes(KEPT[by], size) if what == NEGATIVE else 0 for by in BY},
        ROUNDS[what] if size <= LONG else 2,
        (lambda by: measure.fresh_process(MODULE, what, by, size))
        if size in MEMORY[what]
        else None,
    )
    return [row | {what: size} for row in rows]


# ------------------------------------------------------------------ what it says


def series(
    rows: Sequence[dict], what: str, by: str, column: str = "seconds"
) -> tuple[list[int], list[float]]:
    """Return the sizes and values of one implementation, as far as they were measured."""
    found = [r for r in rows if _is(r, what, by) and r.get(column)]
    return [r[what] for r in found], [r[column] for r in found]


def _is(row: dict, what: str, by: str) -> bool:
    return row.get("by") == by and what in row


def power(
    rows: Sequence[dict], what: str, by: str, column: str = "seconds", up_to: int = FITTED_UP_TO
) -> stats.Interval | None:
    """Fit the p of column ~ size^p: least squares on logarithms, one point a size.

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
    """Format the rows as Markdown, and the powers."""
    ours = {(what, r[what]): r["seconds"] for r in rows for what in SIZES if _is(r, what, OURS)}
    cells = []
    for r in rows:
        what = TRAINING if TRAINING in r else NEGATIVE
        ratio = r["seconds"] / ours[what, r[what]] if "seconds" in r else None
        cells.append([what, f"{r[what]:,}", r["by"], *measure.cells(r, ratio, digits=3)])
    heads = ["grows", "size", "by", "seconds", "times ours", "peak MiB"]
    lines = [markdown_table(heads, cells, "lrlrrr"), ""]
    for what, by in product(SIZES, BY):
        fit = power(rows, what, by)
        if fit is not None:
            shown = format_interval(fit.mean, fit.lo, fit.hi, ".2f")
            lines.append(f"- {what}, {by}: time ~ size^{shown}")
    return "\n".join(lines)


def save(rows: list[dict], where: dict, folder: Path) -> None:
    """Write efficiency.jsonl: where it was measured and with which settings, then one object a
    line."""
    where = where | {
        "views": VIEWS,
        "classes": CLASSES,
        "alpha": ALPHA,
        "beta": BETA,
        "batch": BATCH,
        "precision": PRECISION,
    }
    files.save_lines(folder / "efficiency.jsonl", [where, *rows])


def command(arguments: Namespace) -> int:
    """Carry out ``python -m herocon_lite efficiency``."""
    where = measure.where_measured()
    rows = run()
    print(table(rows))
    save(rows, where, arguments.folder)
    print(f"\nSaved in {arguments.folder}: efficiency.jsonl.")
    return 0


if __name__ == "__main__":  # a fresh process, started by measure.fresh_process
    what, by, size = sys.argv[1:]
    measure.report(partial(WORK[what], by), int(size))
