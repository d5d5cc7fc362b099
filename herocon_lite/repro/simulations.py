"""The stored simulations of the theory chapters: ``python -m herocon_lite simulate [PART …]``.

They take minutes, the chapters seconds; the files hold aggregate numbers only. The parts ``scene``
and ``cone`` need Scene in ``HEROCON_DATA``.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path

import torch
from torch import Tensor

from herocon_lite.checkpoint import atomic_write
from herocon_lite.data import Dataset, load
from herocon_lite.methods import Method, build
from herocon_lite.metrics import evaluate
from herocon_lite.repro.provenance import environment
from herocon_lite.repro.runner import plan_run
from herocon_lite.repro.settings import Run
from herocon_lite.theory.cone import cone_statistics
from herocon_lite.theory.gaussians import CRITICS, gaussian_bounds
from herocon_lite.theory.toys import KINDS, equilibrium, joint_training
from herocon_lite.theory.weighting import pair_statistics, weights
from herocon_lite.train import predict, train

BOUNDS = Path("results/theory_bounds.json")
WEIGHTS = Path("results/theory_weights.json")
COMMAND = "python -m herocon_lite simulate"
DIGITS = 4  # decimals kept in WEIGHTS

INFORMATION = (0.0, 0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0)  # nats
NEGATIVES = tuple(2**k - 1 for k in range(1, 13))  # 1, 3, … 4095
DIAL_TAUS = tuple(1 / k for k in range(1, 11))  # H = identity takes one off k
DIAL_SIZES = (2, 4, 8)  # points in each of two classes
SEEDS = (0, 1, 2)
SCENE_STEPS = (0, 10, 25, 50, 75, 100, 150, 200)
CONE_DATA = ("scene", "yeast")
CONE_SEEDS = (0, 1, 2, 3, 4)
CONE_STEPS = (0, 50, 100, 150, 200)  # the paper's 200
LONG_STEPS = (0, 50, 100, 200, 400, 700, 1000, 1500)  # until cosines hardly move
CONE_COLUMNS = (
    *("step", "net", "negative", "height", "cos_positive", "cos_identical", "cos_disjoint"),
    *("g_positive", "g_identical", "g_disjoint", "correlation"),
)
CONE_KINDS: dict[str, dict] = {  # options of watch_weights, at τ = 1
    "HeroCon": {},
    "HeroCon, detached": {"detach": True},
    "L_u": {"alone": True},
    "L_u, detached": {"alone": True, "detach": True},
    "L_u, H frozen": {"alone": True, "frozen": True},
}
CONE_TAUS: dict[str, dict] = {  # the prediction at two other temperatures, for SEEDS only
    f"L_u, H frozen, tau = {tau:g}": {"alone": True, "frozen": True, "temperature": tau}
    for tau in (0.5, 1.5)
}


def main(names: Sequence[str] = ()) -> None:
    """Run the named simulations, or all, and store what they find."""
    if unknown := set(names) - PARTS.keys():
        raise SystemExit(f"parts are {', '.join(PARTS)}; got {', '.join(sorted(unknown))}.")
    if not Path("results").is_dir():
        raise SystemExit("Run this from the top of the repository: results/ is not here.")
    torch.set_num_threads(1)
    for name in names or PARTS:
        PARTS[name]()


def stored(folder: Path | str = ".") -> dict:
    """Read the simulations of toys and of Scene, below ``folder``."""
    return json.loads((Path(folder) / WEIGHTS).read_text("utf-8"))


def stored_bounds(folder: Path | str = ".") -> dict:
    """Read the simulation of bounds on Gaussians, below ``folder``."""
    return json.loads((Path(folder) / BOUNDS).read_text("utf-8"))


# ------------------------------------------------------------------ bounds on Gaussians


def simulate_bounds(
    information: Sequence[float] = INFORMATION, negatives: Sequence[int] = NEGATIVES
) -> dict:
    """Compute :func:`gaussian_bounds` on a grid; each cell has a seed of its own."""
    grid = [
        [gaussian_bounds(nats, M, seed=1000 * row + M) for M in negatives]
        for row, nats in enumerate(information)
    ]
    return {
        "made by": f"{COMMAND} bounds",
        "what": "log(M + 1) - L in nats, d = 10; rows: information, columns: negatives",
        "information": list(information),
        "negatives": list(negatives),
        "critics": {
            name: {
                part: [[round(cell[name][which], 5) + 0.0 for cell in row] for row in grid]
                for which, part in enumerate(("mean", "error"))
            }
            for name in CRITICS
        },
    }


def store_bounds() -> None:
    """Run :func:`simulate_bounds` and store it."""
    text = json.dumps(simulate_bounds())
    # one row of the grid a line: small diffs
    text = text.replace("]], ", "]],\n").replace("], [", "],\n [")
    atomic_write(BOUNDS, text + "\n")
    print(f"bounds: saved in {BOUNDS}.")


# ------------------------------------------------------------------ toys


def simulate_dial() -> dict:
    """Simulate same-class cosines at rest, against τ and the number of false negatives."""
    kinds = {
        kind: {
            str(m - 1): _rounded_rows(equilibrium(kind, m, DIAL_TAUS, SEEDS)["same"])
            for m in DIAL_SIZES
        }
        for kind in KINDS
    }
    about = "cosine of other points of the class; by kind, false negatives, temperature, seed"
    return {"about": about, "taus": list(DIAL_TAUS), "seeds": list(SEEDS), "same": kinds}


def simulate_no_false_negatives() -> dict:
    """Simulate eight classes of one point, whose means resemble each other: every push is right."""
    options = {"classes": 8, "alike": 0.5, "prior": 0.1}
    kinds = {
        kind: _rounded_rows(equilibrium(kind, 1, DIAL_TAUS, SEEDS, **options)["different"])
        for kind in KINDS
        if kind != "oracle"  # nothing to take out: vanilla
    }
    about = "cosine of different classes, whose means have 0.5; by kind, temperature, seed"
    return {"about": about, "taus": list(DIAL_TAUS), "seeds": list(SEEDS), "different": kinds}


def simulate_joint_training() -> dict:
    """Train encoders and H together on Gaussians at τ = 1, for little, some and much
    information."""
    rows = [
        {"information": nats, "mode": mode, "seed": seed}
        | _rounded(joint_training(nats, mode, seed))
        for nats in (0.5, 2.0, 6.0)
        for mode in ("vanilla", "flowing", "detached")
        for seed in SEEDS
    ]
    return {"about": "500 steps of 256 fresh pairs, temperature 1, fresh test data", "rows": rows}


# ------------------------------------------------------------------ real data


def simulate_scene() -> dict:
    """Record g over training on Scene: Eq. 5 as printed, the paper's budget.

    Runs that are already stored are kept, and each is saved as it ends.
    """
    dataset = load("scene", download=False)
    about = "HeroCon, preset paper, budget paper (200 steps, all rows), the unlabelled rows' pairs"
    runs = stored().get("scene", {}).get("runs", []) if WEIGHTS.exists() else []
    content = {"about": about, "checksums": dataset.checksums, "runs": runs}
    for seed in sorted(set(SEEDS) - {run["seed"] for run in runs}):
        run = Run("scene", "herocon", seed, budget="paper", preset="paper")
        watched = watch_weights(run, dataset, SCENE_STEPS, rows=len(dataset.labels))
        metrics = {name: watched["metrics"][name] for name in ("f1", "auc")}
        steps = [_rounded(step) for step in watched["steps"]]
        runs.append({"seed": seed, "steps": steps} | _rounded(metrics))
        save("scene", content)
    return content


def simulate_cone() -> dict:
    """Record cosines of negatives and of H(z) over training, against the cone of a constant H.

    Runs that are already stored are kept, and each is saved as it ends.
    """
    made = environment()
    runs = stored().get("cone", {}).get("runs", []) if WEIGHTS.exists() else []
    about = "120 labelled and 200 unlabelled rows a step; the first 800 unlabelled rows"
    content = {"about": about, "runs": runs}
    done = {(run["data"], run["kind"], run["seed"]) for run in runs}
    wanted = [*product(CONE_SEEDS, CONE_DATA, CONE_KINDS), *product(SEEDS, CONE_DATA, CONE_TAUS)]
    for seed, data, kind in wanted:
        if (data, kind, seed) in done:
            continue
        options = (CONE_KINDS | CONE_TAUS)[kind]
        steps = LONG_STEPS if options.get("alone") else CONE_STEPS
        dataset = load(data, download=False) if data == "scene" else load(data)
        watched = watch_weights(Run(data, "herocon", seed), dataset, steps, **options)
        kept = [_rounded({name: step[name] for name in CONE_COLUMNS}) for step in watched["steps"]]
        about_it = {"data": data, "kind": kind, "seed": seed}
        runs.append(about_it | {"commit": made["commit"], "dirty": made["dirty"], "steps": kept})
        save("cone", content)
    return content


def watch_weights(
    run: Run,
    dataset: Dataset,
    checkpoints: Sequence[int],
    rows: int = 800,
    alone: bool = False,
    frozen: bool = False,
    **overrides,
) -> dict:
    """Train a run and measure g on the way, at each checkpoint.

    Args:
        run: of the method ``"herocon"``.
        dataset: the one that the run names.
        checkpoints: numbers of steps; the last one ends the training.
        rows: how many unlabelled rows are measured, the first ones of the split.
        alone: train on L_u alone, without L_c and L_s.
        frozen: leave H as it starts.
        overrides: options of the method, such as ``detach=True``, or ``weighted=False``,
            which means g = 1.

    Returns:
        ``steps``, a list of :func:`pair_statistics` and :func:`cone_statistics` with their
        ``step``; and ``metrics`` on the test rows.
    """
    plan = plan_run(run, dataset)
    prepared, parts = plan.data, plan.parts
    schedule = replace(plan.schedule, steps=checkpoints[-1])
    torch.manual_seed(run.seed)
    method = build(run.method, plan.problem, **plan.options | overrides)
    if frozen:
        method.H.requires_grad_(False)
    if alone:
        every = method.terms
        method.terms = lambda *batch: {"L_u": every(*batch)["L_u"]}
    shown = prepared.take(parts.unlabeled[:rows], "")
    views = [torch.as_tensor(view, dtype=torch.float32) for view in shown.views]
    labels = torch.as_tensor(shown.labels)
    found = []

    def measure(step: int) -> None:
        if step in checkpoints:
            found.append({"step": step} | _weight_statistics(method, views, labels))

    def after_step(step: int, steps: int) -> bool:
        measure(step)
        return False

    method.train()
    measure(0)
    method.after_step = after_step
    train_views, unlabeled, test = (
        prepared.take(part, "").views for part in (parts.train, parts.unlabeled, parts.test)
    )
    train(method, train_views, prepared.labels[parts.train], unlabeled, schedule, run.seed)
    scores = predict(method, test, prepared.kind)
    metrics = evaluate(prepared.labels[parts.test], scores, prepared.kind)
    return {"steps": found, "metrics": metrics}


@torch.no_grad()
def _weight_statistics(method: Method, views: list[Tensor], labels: Tensor) -> dict[str, float]:
    # BatchNorm in training mode keeps a memory of what it saw; and views are not on a GPU.
    twin = copy.deepcopy(method).cpu()
    z1, z2 = twin.contrast_space(views, twin.encoders(views))
    if twin.H is None:
        return pair_statistics(z1, z2, torch.ones(len(z1), len(z2)), labels)
    found = pair_statistics(z1, z2, weights(z1, z2, twin.H), labels)
    return found | cone_statistics(z1, z2, twin.H)


# ------------------------------------------------------------------ the store


def save(name: str, part: dict) -> None:
    """Write one part of the store of weights; the others stay."""
    content = stored() if WEIGHTS.exists() else {}
    content |= {"made by": COMMAND, name: part}
    text = json.dumps(content, indent=1, ensure_ascii=False)
    # one innermost list or dictionary a line: small diffs
    text = re.sub(r"[\[{][^\[\]{}]*[\]}]", lambda part: " ".join(part[0].split()), text)
    atomic_write(WEIGHTS, text + "\n")
    print(f"{name}: saved in {WEIGHTS}.", flush=True)


def store_part(name: str) -> None:
    """Run one of ``SIMULATIONS`` and store it."""
    save(name, SIMULATIONS[name]())


SIMULATIONS: dict[str, Callable[[], dict]] = {
    "dial": simulate_dial,
    "strangers": simulate_no_false_negatives,
    "joint": simulate_joint_training,
    "scene": simulate_scene,
    "cone": simulate_cone,
}
PARTS = {"bounds": store_bounds} | {name: partial(store_part, name) for name in SIMULATIONS}


def _rounded_rows(values: Tensor) -> list:
    return [[round(value, DIGITS) for value in row] for row in values.tolist()]


def _rounded(values: dict[str, float]) -> dict[str, float]:
    return {name: round(value, DIGITS) for name, value in values.items()}
