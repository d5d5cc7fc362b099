"""Lemma 3.2 on held-out rows of real data: what Eq. 7 would certify, and what cannot be more.

``python -m herocon_lite.repro.certify`` trains HeroCon-s on Scene and yeast, stops at eleven steps
and writes ``results/certificates.json``. Scene must be in ``HEROCON_DATA``. The information between
two rows that share a label is at most the entropy of the label vectors of the pool if a
representation knows nothing but labels; that needs no estimator.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from herocon_lite import losses
from herocon_lite.checkpoint import atomic_write
from herocon_lite.data import load
from herocon_lite.methods import Method, build
from herocon_lite.metrics import evaluate
from herocon_lite.repro.files import read_json
from herocon_lite.repro.label_counts import set_sizes
from herocon_lite.repro.provenance import environment
from herocon_lite.repro.runner import plan_run
from herocon_lite.repro.settings import Run
from herocon_lite.train import predict, train

STORE = Path("results/certificates.json")
DATA = ("scene", "yeast")
SEEDS = (0, 1, 2, 3, 4)
STEPS = (0, 10, 20, 40, 60, 80, 100, 120, 140, 170, 200)  # the paper's 200
KINDS: dict[str, dict[str, float]] = {
    "paper": {},  # τ = 1 and the paper's β = 0.01
    "strong": {"beta": 1.0},
    "sharp": {"beta": 1.0, "temperature": 0.1},
}


def label_entropy(labels: np.ndarray) -> float:
    """Return the entropy of the distinct label vectors, in nats.

    Example:
        >>> round(label_entropy(np.array([[1, 0], [1, 0], [0, 1], [1, 1]])), 4)
        1.0397
    """
    share = set_sizes(labels) / len(labels)
    return float(-(share * np.log(share)).sum())


def mean_log_negatives(labels: Tensor) -> float:
    """Return the N of Lemma 3.2: the mean over labels of log |N(a)|.

    Example:
        >>> round(mean_log_negatives(torch.tensor([[1, 0], [1, 0], [0, 1], [0, 1]])), 4)
        0.6931
    """
    lacking = (labels == 0).sum(0)
    return float(lacking.double().log().mean())


def watch(run: Run, kind: dict[str, float]) -> Iterator[dict[str, float]]:
    """Train a run of HeroCon-s; yield what it certifies on the test rows at each of STEPS."""
    dataset = load(run.data, download=False) if run.data == "scene" else load(run.data)
    plan = plan_run(run, dataset)
    data, parts, found = plan.data, plan.parts, []
    torch.manual_seed(run.seed)
    method = build(run.method, plan.problem, **plan.options | kind)
    held = data.take(parts.test, "")

    def measure(step: int, steps: int = 0) -> bool:
        if step in STEPS:
            found.append({"step": step} | _certificate(method, held.views, held.labels))
        return False

    measure(0)
    method.after_step = measure
    train(
        method,
        data.take(parts.train, "").views,
        data.labels[parts.train],
        None,
        plan.schedule,
        run.seed,
    )
    yield from found


@torch.no_grad()
def _certificate(method: Method, views: list, labels: np.ndarray) -> dict[str, float]:
    twin = copy.deepcopy(method)  # prediction changes a module's mode
    probabilities = predict(twin, views, "multilabel")
    twin.eval()
    S = twin.embed([torch.as_tensor(v, dtype=torch.float32) for v in views]).double()
    Y = torch.as_tensor(labels)
    L_s = losses.weighted_supervised(S, Y, twin.temperature).item()
    N = mean_log_negatives(Y)
    scores = evaluate(labels, probabilities, "multilabel")
    return {"N": N, "L_s": L_s, "certified": N - L_s, "f1": scores["f1"], "auc": scores["auc"]}


def main() -> None:
    """Make all runs that are not stored yet, and store each as it ends."""
    content = read_json(STORE, {"runs": []})
    done = {(run["data"], run["kind"], run["seed"]) for run in content["runs"]}
    made = environment()
    for name in DATA:
        labels = load(name, download=False).labels if name == "scene" else load(name).labels
        content.setdefault("labels", {})[name] = {
            "c": labels.shape[1],
            "entropy": round(label_entropy(labels), 4),
        }
        for kind, options in KINDS.items():
            for seed in SEEDS:
                if (name, kind, seed) in done:
                    continue
                run = Run(name, "herocon-s", seed, budget="paper")
                steps = [{k: round(v, 4) for k, v in row.items()} for row in watch(run, options)]
                about = {"data": name, "kind": kind, "seed": seed, "commit": made["commit"]}
                content["runs"].append(about | {"dirty": made["dirty"], "steps": steps})
                _save(content)


def _save(content: dict) -> None:
    runs = ",\n".join(json.dumps(run) for run in content["runs"])
    head = json.dumps({"labels": content["labels"]})[:-1]
    atomic_write(STORE, f'{head},\n"runs": [\n{runs}\n]}}\n'.encode())


if __name__ == "__main__":
    main()
