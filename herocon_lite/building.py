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
from herocon_lite.sources import Items, Table, stack
from herocon_lite.targets import Labels, read_class_weight
from herocon_lite.validation import check_encoder


def recipe(settings, labels: Labels, can_contrast: bool) -> Recipe:
    """Return what is minimised.

    Args:
        settings: a ``HeroConClassifier``.
        labels: of all rows.
        can_contrast: whether there are views or unlabelled rows for L_u.
    """
    check_weight("alpha", settings.alpha)  # also where it is left out
    if settings.alpha and not can_contrast:
        warnings.warn(
            "One view and no unlabelled rows leave nothing to contrast: L_u is left out. alpha=0 "
            "says so without this warning.",
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


# ------------------------------------------------------------------ what goes in


def scalings(settings, parts: list[list], used: np.ndarray) -> list[Scaling | None]:
    """Learn how to scale each table from the rows that take part; None where an encoder is given.

    Args:
        settings: a ``HeroConClassifier``.
        parts: of each view, its labelled and its other rows.
        used: numbers of the rows that take part.
    """
    encoders = settings.encoders or [None] * len(parts)
    return [
        None if encoder is not None else Scaling(settings.scaling).fit(stack(part)[used])
        for part, encoder in zip(parts, encoders, strict=True)
    ]


def sources(parts: list[list], scalings: list[Scaling | None], device: torch.device) -> list:
    """Return where each view's rows come from: its parts, one below the other."""
    return [
        Items(part, device) if scaling is None else Table(part, scaling, device)
        for part, scaling in zip(parts, scalings, strict=True)
    ]


def targets(class_weight, labels: Labels, device: torch.device) -> tuple:
    """Return Y (n, c) of the labels that vary, the rows' weights, those of labels' positives."""
    weight, positives = read_class_weight(class_weight, labels)
    Y = torch.from_numpy(labels.matrix[:, labels.varies])
    positives = None if positives is None else torch.from_numpy(positives).to(device)
    return Y.to(device), torch.from_numpy(weight).to(device), positives


def ending(
    scalings: list, eval_set, labels: Labels, sources: list, rows: np.ndarray, device: torch.device
) -> tuple:
    """Return views and labels of the rows that end a training; nothing if there are none.

    Args:
        eval_set: (arrays, label matrix), or None: then labelled rows are set aside.
        rows: those that are set aside.
        scalings, labels, sources, device: as elsewhere here.
    """
    Y = labels.matrix
    if eval_set is not None:
        arrays, Y = eval_set
        sources_of = [[view] for view in arrays]
        sources, rows = _sources(sources_of, scalings, device), np.arange(len(Y))
    if not len(rows):
        return ()
    wanted = torch.from_numpy(Y[rows][:, labels.varies]).to(device)
    return [source.take(torch.from_numpy(rows)) for source in sources], wanted


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
    share = torch.from_numpy((Y.sum(0) + 0.5) / (len(Y) + 1))
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
