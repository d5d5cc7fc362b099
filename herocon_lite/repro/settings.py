"""The paper's settings as data, and the settings of one run.

``settings.yaml`` says where each number stands in the paper, and where the public code has another.
What the paper does not say about its baselines is stated here once, in :func:`method_options`.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from typing import Any

from herocon_lite.checks import check_choice
from herocon_lite.data.cards import find_card
from herocon_lite.data.splits import PROTOCOLS
from herocon_lite.losses import PRESETS
from herocon_lite.methods import FORMS, method_params
from herocon_lite.models import ENCODERS
from herocon_lite.repro.entries import read_yaml
from herocon_lite.train import Schedule

BUDGETS = ("smoke", "laptop", "paper")
# For choosing between settings: each fifth of the labelled rows is tested on, trained on the rest.
# The test set is seen as unlabelled rows, as ever, and its labels by nobody.
CROSS_VALIDATION = "cross-validation"


@dataclass(frozen=True)
class PaperConfig:
    """How the paper trains on one data set."""

    steps: int
    unlabeled_batch: int | None  # rows a step; None: all
    alpha: float  # HeroCon's weight of L_u
    beta: float  # HeroCon's weight of L_s
    alpha_u: float  # HeroCon-u's weight of L_u
    beta_s: float  # HeroCon-s's weight of L_s
    labeled_batch: int | None = None
    encoder: str = "mlp"
    widths: str | None = None  # of the encoder, where it has named ones
    views: str | None = None  # how one view becomes two, for views.two_views
    noisy: bool = False  # that noise belongs to the data: a single view has it, too
    mib_beta: float = 1.0  # MIB's weight on what one view says and the other does not
    standardise: bool = False  # features, on the rows that training may look at
    pairs: int | None = None  # of views contrasted a step, where there are many; None: all


_DATA = read_yaml("settings.yaml", ["paper", "released", "smaller"])
PAPER = {data: PaperConfig(**entry) for data, entry in _DATA["paper"].items()}
RELEASED: dict[str, dict[str, object]] = _DATA["released"]
BUDGET_LIMITS: dict[str, dict[str, int]] = _DATA["smaller"]
SPEECH = ("xrmb", "mocha")
ENCODER_OPTIONS = ("widths",)
VIEW_OPTIONS = ("share", "rate", "size")  # of views.two_views


@dataclass(frozen=True)
class Run:
    """One run, by name: what the command line asks for."""

    data: str
    method: str
    seed: int = 0
    budget: str = "smoke"
    preset: str = "paper"
    form: str = "two_noisy"  # on data with one view
    protocol: str = "transductive"  # or inductive, or cross-validation
    split: str = "paper"
    overrides: tuple[tuple[str, object], ...] = ()  # of the method, the schedule or the views
    views: str | None = None  # how one view becomes two, if not as the paper has it

    def __post_init__(self) -> None:
        check = {"budget": BUDGETS, "preset": PRESETS, "form": FORMS}
        check["protocol"] = (*PROTOCOLS, CROSS_VALIDATION)
        for name, known in check.items():
            check_choice(name, getattr(self, name), known)
        find_card(self.data)  # unknown names get a suggestion
        known = {*_params(self.method), *(f.name for f in fields(Schedule))}
        encoder = inspect.signature(ENCODERS[PAPER[self.data].encoder]).parameters
        known |= {*VIEW_OPTIONS, *(name for name in ENCODER_OPTIONS if name in encoder)}
        for name, _ in self.overrides:
            if name in ("preset", "form"):
                raise ValueError(f"{name} has an option of its own: --{name}, or Run({name}=…).")
            if name not in known:
                raise ValueError(
                    f"overrides must name options of {self.method} ({', '.join(sorted(known))}); "
                    f"got {name!r}."
                )

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Run:
        """Return the run that a record came from."""
        overrides = dict(record["changes"])
        return cls(
            record["data"],
            record["method"],
            record["seed"],
            record["budget"],
            record["preset"],
            record["form"] or FORMS[0],
            record["protocol"],
            record["split"]["how"],
            views=overrides.pop("views", None),
            overrides=tuple(overrides.items()),
        )


_params = cache(method_params)  # signatures are read once


def paper_config(data: str, preset: str = "paper", budget: str = "paper") -> PaperConfig:
    """Return the settings of a data set, as printed or as released, cut down to a budget."""
    config = PAPER[data]
    if is_released(preset):
        config = replace(config, **RELEASED.get(data, {}))
    for name, most in BUDGET_LIMITS.get(budget, {}).items():
        value = getattr(config, name)
        config = replace(config, **{name: most if value is None else min(value, most)})
    return config


def is_released(preset: str) -> bool:
    """Return whether data and settings are the public code's: "released", or "released-cnn"."""
    return preset.startswith("released")


def method_options(run: Run, config: PaperConfig, single_view: bool) -> dict[str, object]:
    """Return the method's options for a run: α, β and what follows from preset and form.

    Baselines, of which the paper gives no weights, take α from HeroCon-u and β from HeroCon-s.
    """
    known = _params(run.method)
    both = {"alpha", "beta"} <= known.keys()
    wanted = {
        "alpha": config.alpha if both else config.alpha_u,
        "beta": config.beta if both else config.beta_s,
        "preset": run.preset,
        "form": run.form if single_view else None,
        # the public code has one projector for both views of pictures
        "shared_projector": is_released(run.preset) and config.encoder != "mlp",
        "pairs": config.pairs,
        "beta_max": config.mib_beta,
        **dict(run.overrides),
    }
    return {name: wanted.get(name, default) for name, default in known.items()}


def schedule(run: Run, config: PaperConfig) -> Schedule:
    """Return steps, batches and learning rate of a run."""
    usual = Schedule(config.steps, config.labeled_batch, config.unlabeled_batch)
    known = asdict(usual)
    return replace(usual, **{name: value for name, value in run.overrides if name in known})


def encoder_options(run: Run, config: PaperConfig) -> dict[str, object]:
    """Return the options of a run's encoder, where it has any."""
    widths = dict(run.overrides).get("widths", config.widths)
    return {} if widths is None else {"widths": widths}


def view_options(run: Run) -> dict[str, object]:
    """Return the overrides that go to the views."""
    return {name: value for name, value in run.overrides if name in VIEW_OPTIONS}


def non_default_overrides(run: Run) -> dict[str, object]:
    """Return what differs from the usual run, which a record stores as ``changes``.

    An option that is named and given its usual value is no change.
    """
    config, plain = paper_config(run.data, run.preset, run.budget), replace(run, overrides=())
    usual = asdict(schedule(plain, config)) | method_options(plain, config, single_view=False)
    usual["widths"] = config.widths
    named = dict(run.overrides)  # of two values for one name the last counts
    changes = {name: value for name, value in named.items() if usual.get(name, math.nan) != value}
    return changes if run.views in (None, config.views) else changes | {"views": run.views}
