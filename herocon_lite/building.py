"""What ``HeroConClassifier`` is put together from, by its settings: recipe, inputs, networks."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Sequence

import numpy as np
import torch
from torch import nn

from herocon_lite.checks import check_weight
from herocon_lite.ensemble import Recipe, Single, Stacked
from herocon_lite.models import mlp
from herocon_lite.scaling import Scaling
from herocon_lite.sources import Items, Table, absent_rows, stack, take_views
from herocon_lite.targets import Labels, read_class_weight
from herocon_lite.validation import check_encoder


def recipe(settings, labels: Labels, parts: list[list], rest: np.ndarray) -> Recipe:
    """Return what is minimised.

    Args:
        settings: a ``HeroConClassifier``.
        labels: of all rows.
        parts: as in :func:`scalings`.
        rest: numbers of the unlabelled rows.
    """
    check_weight("alpha", settings.alpha)  # also where it is left out
    can_contrast = _has_common_rows(parts) if len(parts) > 1 else len(rest) > 0
    if settings.alpha and not can_contrast:
        what = "No two rows that have the same two views"
        what = "One view and no unlabelled rows" if len(parts) == 1 else what
        warnings.warn(
            f"{what} leave nothing to contrast: L_u is left out. alpha=0 says so without this "
            "warning.",
            stacklevel=3,
        )
    return Recipe(
        labels.kind,
        int(labels.varies.sum()),
        settings.alpha if can_contrast else 0 * settings.alpha,
        settings.beta,
        settings.temperature,
        settings.weighted,
        settings.detach,
        settings.widths,
        settings.dropout,
    )


def _has_common_rows(parts: list[list]) -> bool:
    """Whether two rows or more have the same two views."""
    here = np.stack([~_absent(part) for part in parts]).astype(np.int64)  # (V, n)
    return bool((np.triu(here @ here.T, 1) > 1).any())


def _absent(part: list) -> np.ndarray:
    return np.concatenate([absent_rows(rows) for rows in part])


# ------------------------------------------------------------------ what goes in


def scalings(settings, parts: list[list], used: np.ndarray) -> list[Scaling | None]:
    """Learn how to scale each table from the rows that take part; None where an encoder is given.

    Args:
        settings: a ``HeroConClassifier``.
        parts: of each view, its labelled and its other rows.
        used: numbers of the rows that take part.
    """
    encoders = settings.encoders or [None] * len(parts)
    made = []
    for view, (part, encoder) in enumerate(zip(parts, encoders, strict=True)):
        rows = used[~_absent(part)[used]]
        if not len(rows):
            raise ValueError(
                f"views[{view}] must have a row with numbers; all rows that take part are NaN "
                "there. Leave the view out."
            )
        own = encoder is not None
        made.append(None if own else Scaling(settings.scaling).fit(stack(part)[rows]))
    return made


def sources(parts: list[list], scalings: list[Scaling | None], device: torch.device) -> list:
    """Return where each view's rows come from: its parts, one below the other."""
    return [
        Items(part, device) if scaling is None else Table(part, scaling, device)
        for part, scaling in zip(parts, scalings, strict=True)
    ]


def targets(class_weight, labels: Labels, device: torch.device) -> tuple:
    """Return Y (n, c) of the labels that vary, which of them are known (None: all), the rows'
    weights, those of labels' positives (None: ones)."""
    weight, positives = read_class_weight(class_weight, labels)
    known = None if labels.entries is None else labels.entries[:, labels.varies]
    arrays = labels.matrix[:, labels.varies], known, weight, positives
    return tuple(None if x is None else torch.from_numpy(x).to(device) for x in arrays)


def ending(
    scalings: list, eval_set, labels: Labels, sources: list, rows: np.ndarray, device: torch.device
) -> tuple:
    """Return views, which of them are there, labels, and which of them are known, of the rows that
    end a training; nothing if there are no such rows.

    Args:
        eval_set: (arrays, (label matrix, known entries)), or None: then labelled rows are set
            aside.
        rows: those that are set aside.
        scalings, labels, sources, device: as elsewhere here.
    """
    Y, known = labels.matrix, labels.entries
    if eval_set is not None:
        arrays, (Y, known) = eval_set
        sources_of = [[view] for view in arrays]
        sources, rows = _sources(sources_of, scalings, device), np.arange(len(Y))
    if not len(rows):
        return ()
    wanted = torch.from_numpy(Y[rows][:, labels.varies]).to(device)
    if known is not None:
        known = torch.from_numpy(known[rows][:, labels.varies]).to(device)
    return (*take_views(sources, torch.from_numpy(rows)), wanted, known)


_sources = sources  # the name is also an argument's


# ------------------------------------------------------------------ networks


def networks(
    settings, recipe: Recipe, widths: Sequence[int | None], sources: list, seed: int
) -> nn.ModuleList:
    """Return untrained networks: one stack, or one for each member around own encoders.

    Args:
        settings: a ``HeroConClassifier``.
        recipe: what is minimised.
        widths: columns of each table.
        sources: where rows come from; encoders are tried on two of them.
        seed: of the weights.
    """
    torch.default_generator.manual_seed(seed)  # weights are made on the CPU
    if settings.encoders is None:
        return nn.ModuleList([Stacked(recipe, widths, settings.members)])
    members = []
    for _ in range(settings.members):
        encoders = own_encoders(settings.encoders, widths, recipe)
        two = torch.arange(2, device="cpu")
        sizes = [
            check_encoder(encoder.to(source.device), source.take(two))
            for encoder, source in zip(encoders, sources, strict=True)
        ]
        members.append(Single(recipe, encoders, sizes))
    return nn.ModuleList(members)


@torch.no_grad()
def start_at_shares(networks: nn.ModuleList, labels: Labels) -> None:
    """Let every network begin by predicting how often each label occurs.

    Few steps could not move rare labels there from one half. All labelled rows are counted, those
    that a member leaves out, too: one number a label says nothing of which rows have it, while
    shares that run against the rows left out would spoil what is said of those.
    """
    Y = labels.matrix[labels.known][:, labels.varies]
    share = torch.from_numpy((Y.sum(0) + 0.5) / (labels.counts[labels.varies] + 1))
    start = share.logit() if labels.kind == "multilabel" else share.log()
    for network in networks:
        network.classifier.bias.copy_(start.expand_as(network.classifier.bias))


def own_encoders(given: Sequence, widths: Sequence[int | None], recipe: Recipe) -> list[nn.Module]:
    """Return a copy of each encoder, and a new one for each table."""
    return [
        mlp((width,), recipe.widths) if encoder is None else copy.deepcopy(encoder)
        for encoder, width in zip(given, widths, strict=True)
    ]


def empty_networks(settings, recipe: Recipe, widths: Sequence, sizes: list | None) -> nn.ModuleList:
    """Return networks of the right shapes for weights that are loaded next.

    Args:
        settings, recipe, widths: as in :func:`networks`.
        sizes: what encoders of the user's own return; None where there are none.
    """
    if sizes is None:
        return nn.ModuleList([Stacked(recipe, widths, settings.members)])
    return nn.ModuleList(
        Single(recipe, own_encoders(settings.encoders, widths, recipe), sizes)
        for _ in range(settings.members)
    )


def take_over(networks: nn.ModuleList, previous: nn.ModuleList | None) -> bool:
    """Go on with the weights of an earlier fit; return whether there are any that fit."""
    if previous is None:
        return False
    old, new = previous.state_dict(), networks.state_dict()
    if {k: t.shape for k, t in old.items()} != {k: t.shape for k, t in new.items()}:
        warnings.warn(
            "warm_start: the earlier networks do not fit these views, labels or settings; "
            "starting anew.",
            stacklevel=3,
        )
        return False
    networks.load_state_dict(old)
    return True
