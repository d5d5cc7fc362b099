"""Does this machine's accelerator compute what the processor does? The command ``selfcheck``.

Every loss, by value and gradient, and one short training: the processor in float64 is the measure,
the accelerator in float32 and in mixed precision is compared with it. Without an accelerator the
processor's own float32 is.
"""

from __future__ import annotations

import contextlib
import platform
from argparse import Namespace
from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from herocon_lite import data, losses
from herocon_lite.data.splits import split
from herocon_lite.methods import Problem, build
from herocon_lite.metrics import evaluate
from herocon_lite.precision import autocast
from herocon_lite.runtime import pick_device
from herocon_lite.train import Schedule, predict, train

# Largest error, relative to the largest entry: of sums of 256 rows in each precision.
TOLERANCE = {"float32": 1e-4, "mixed": 5e-2}
# Of F1 after a short training; the last digits of sums decide a few labels.
TOLERANCE_F1 = 0.03
ROWS, WIDTH, LABELS = 256, 64, 5


Result = tuple[str, str, float, float]  # what, precision, error, tolerance


def _inputs() -> dict[str, Tensor]:
    drawn = torch.Generator().manual_seed(0)

    def normal(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=drawn, dtype=torch.float64)

    z1 = normal(ROWS, WIDTH)
    return {
        "z1": z1,
        "z2": z1 + normal(ROWS, WIDTH),
        "W": normal(WIDTH, WIDTH) / WIDTH**0.5,
        "Y": (torch.rand(ROWS, LABELS, generator=drawn) < 0.4).double(),
    }


def _losses() -> dict[str, Callable[..., Tensor]]:
    """Every loss as a function of two views, the matrix of H (or of A), and labels."""

    def H(W: Tensor) -> Callable[[Tensor], Tensor]:
        return lambda z: torch.sigmoid(z @ W.to(z.dtype))

    def A(W: Tensor) -> Callable[[Tensor], Tensor]:
        return lambda x: x @ W.to(x.dtype)

    def of_views(name: str) -> Callable[..., Tensor]:
        return lambda z1, z2, W, Y: getattr(losses, name)(z1, z2)

    def of_labels(name: str, **options: object) -> Callable[..., Tensor]:
        return lambda z1, z2, W, Y: getattr(losses, name)(z1, Y, **options)

    def weighted(preset: str) -> Callable[..., Tensor]:
        return lambda z1, z2, W, Y: losses.weighted_unsupervised(z1, z2, H(W), preset=preset)

    views = (
        "info_nce",
        "cmc",
        "nt_xent",
        "debiased",
        "hard_negative",
        "vicreg",
        "barlow_twins",
        "decoupled",
    )
    labels = ("sup_con_any", "mul_sup_con", "multi_sup_con", "sup_con_eq6")
    table = {name: of_views(name) for name in views} | {name: of_labels(name) for name in labels}
    for preset in ("paper", "released"):
        table[f"weighted_unsupervised ({preset})"] = weighted(preset)
        table[f"weighted_supervised ({preset})"] = of_labels("weighted_supervised", preset=preset)
    return table | {
        "mv_info_nce": lambda z1, z2, W, Y: losses.mv_info_nce([z1, z2]),
        "mv_dhel": lambda z1, z2, W, Y: losses.mv_dhel([z1, z2]),
        "sup_con": lambda z1, z2, W, Y: losses.sup_con(z1, Y.argmax(1)),
        "input_contrast (Eq. 2)": lambda z1, z2, W, Y: losses.input_contrast(z2, z1, A(W)),
        "input_contrast (Eq. 4)": lambda z1, z2, W, Y: losses.input_contrast(z2, z1, A(W), H(W)),
    }


def _value_and_gradients(
    loss: Callable[..., Tensor], inputs: dict[str, Tensor], device: torch.device, precision: str
) -> list[Tensor]:
    """Return the loss and its gradients, in float64 on the processor."""
    dtype = torch.float64 if precision == "float64" else torch.float32
    own = {name: x.to(device, dtype) for name, x in inputs.items()}
    learned = [own[name].requires_grad_() for name in ("z1", "z2", "W")]
    with autocast(device) if precision == "mixed" else contextlib.nullcontext():
        value = loss(**own)
    found = torch.autograd.grad(value.to(dtype), learned, allow_unused=True)
    return [x.detach().cpu().double() for x in (value, *(g for g in found if g is not None))]


def check_losses(device: torch.device) -> Iterator[Result]:
    """Compare every loss on a device with the processor's float64."""
    inputs = _inputs()
    for name, loss in _losses().items():
        exact = _value_and_gradients(loss, inputs, torch.device("cpu"), "float64")
        for precision, tolerance in TOLERANCE.items():
            found = _value_and_gradients(loss, inputs, device, precision)
            errors = [
                float((a - b).abs().max() / b.abs().max().clamp_min(1e-12))
                for a, b in zip(found, exact, strict=True)
            ]
            yield name, precision, max(errors), tolerance


def check_training(device: torch.device) -> Iterator[Result]:
    """Train HeroCon for 20 steps on embedded yeast, here and there, and compare F1."""
    genes = data.load("yeast")
    parts = split(genes, seed=0)
    labeled, tested = ([v[rows] for v in genes.views] for rows in (parts.train, parts.test[:500]))
    problem = Problem(tuple(v.shape[1:] for v in genes.views), genes.labels.shape[1], genes.kind)

    def f1(where: torch.device, precision: str | None) -> float:
        torch.manual_seed(0)
        method = build("herocon", problem, alpha=0.3, beta=0.01)
        schedule = Schedule(20, unlabeled_batch=256, precision=precision)
        train(method, labeled, genes.labels[parts.train], tested, schedule, 0, where)
        chances = predict(method, tested, genes.kind)
        return evaluate(genes.labels[parts.test[:500]], chances, genes.kind)["f1"]

    exact = f1(torch.device("cpu"), "float64")
    for name, precision in {"float32": None, "mixed": "bfloat16"}.items():
        error = abs(f1(device, precision) - exact)
        yield "20 steps of HeroCon, F1", name, error, TOLERANCE_F1


def command(arguments: Namespace) -> int:
    """Print a line for each comparison and a verdict; return the exit code."""
    device = pick_device(arguments.device)
    gpu = torch.cuda.get_device_name(device) if device.type == "cuda" else device.type
    versions = f"torch {torch.__version__}, Python {platform.python_version()}"
    print(f"herocon_lite selfcheck: {gpu}, {versions}")
    if device.type == "cpu":
        print("No accelerator here: the processor's float32 is compared with its float64.")
    failed = []
    for checks in (check_losses, check_training):
        for what, precision, error, tolerance in checks(device):
            passed = error <= tolerance  # nan is not
            line = f"{'pass' if passed else 'FAIL'}  {what}, {precision}: error {error:.1e}"
            print(f"{line} (limit {tolerance:.0e})", flush=True)
            failed += [] if passed else [line]
    if not failed:
        print("pass: everything agrees.")
        return 0
    print(f"FAIL: {len(failed)} comparisons. Please open an issue with all lines above.")
    return 1
