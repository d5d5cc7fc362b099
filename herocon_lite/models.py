"""The nets of the paper's four settings, as its public code sizes them, for any number of views.

Features go through an MLP, grey pictures through a small CNN, photographs through VGG-16. In
fully connected blocks ReLU comes before BatchNorm, in convolutions after it, as released. All
weights start as PyTorch starts them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from numbers import Integral

import torch
from torch import Tensor, nn

from herocon_lite.checks import import_extra

IMAGE_WIDTH = 512  # of an image's representation
VGG_CONVS = (2, 2, 3, 3, 3)  # convolutions in the five blocks of VGG-16
VGG_WIDTHS = {
    "thin": (32, 32, 32, 64, 128),  # the public code's
    "full": (64, 128, 256, 512, 512),  # the paper says "vgg-16"
}
PROJECTORS = ("dense", "deep", "none")
VGG_SIDE = 7  # pixels a side, at most, that VGG hands to its fully connected layer


# ------------------------------------------------------------------ encoders


class Encoder(nn.Module):
    """One view's x (n, ...) to its representation h (n, size)."""

    def __init__(self, *layers: nn.Module, size: int):
        super().__init__()
        self.layers = nn.Sequential(*layers)
        # Convolutions take a quarter less time this way; the numbers and their order are the same.
        self.layers.to(memory_format=torch.channels_last)
        self.size = size

    def forward(self, x: Tensor) -> Tensor:
        return self.layers(as_numbers(x, next(self.parameters()).dtype))


def mlp(shape: Sequence[int], widths: Sequence[int] = (200, 200)) -> Encoder:
    """Build an encoder of Linear, ReLU, BatchNorm for each width; a picture is flattened first.

    The paper's "three-layer" net is two of these and the classifier.
    """
    listed = isinstance(widths, list | tuple) and len(widths) > 0
    if not listed or not all(isinstance(w, Integral) and w >= 1 for w in widths):
        raise ValueError(f"widths must be whole numbers ≥ 1, one or more layers; got {widths!r}.")
    sizes = [math.prod(shape), *widths]
    blocks = [dense(p, q) for p, q in pairwise(sizes)]
    return Encoder(nn.Flatten(), *blocks, size=sizes[-1])


def cnn(shape: Sequence[int], channels: int = 32, width: int = IMAGE_WIDTH) -> Encoder:
    """Build an encoder of two 3 × 3 convolutions, one max-pooling (4, stride 2), one dense block:
    for N-MNIST."""
    depth, height, across = _image_shape("cnn", shape, smallest=4)
    pixels = ((height - 4) // 2 + 1) * ((across - 4) // 2 + 1)  # 28 × 28 becomes 13 × 13
    first, (*second, relu) = _convolution(depth, channels), _convolution(channels, channels)
    return Encoder(
        *first,
        *second,
        nn.MaxPool2d(4, stride=2),
        relu,  # it commutes with the pooling, which leaves it a fifth of the work
        nn.Flatten(),
        dense(channels * pixels, width),
        size=width,
    )


def vgg(
    shape: Sequence[int], widths: str | float | Sequence[int] = "thin", width: int = IMAGE_WIDTH
) -> Encoder:
    """Build VGG-16 with BatchNorm: torchvision's convolutions, then one dense block.

    Its five poolings leave 7 × 7 of 224 px, 2 × 2 of 64 px; the dense layer is made to fit, and
    pictures above 255 px are averaged to 7 × 7, so every size from 32 px on works.

    Args:
        widths: ``"thin"`` (as released), ``"full"`` (VGG-16 proper), a multiple of full such as
            0.25, or five numbers of channels, one a block.
        width: size of the representation.
    """
    depth, *sides = _image_shape("vgg", shape, smallest=32)
    blocks = _vgg_widths(widths)
    plan = []
    for channels, count in zip(blocks, VGG_CONVS, strict=True):
        plan += [channels] * count + ["M"]
    torchvision = import_extra("torchvision.models.vgg", 'encoder="vgg"')
    layers = torchvision.make_layers(plan, batch_norm=True)
    if depth != 3:  # torchvision's first convolution expects colour
        layers[0] = nn.Conv2d(depth, blocks[0], kernel_size=3, padding=1)
    left = [side // 32 for side in sides]
    kept = [min(side, VGG_SIDE) for side in left]
    # Only where something is to be averaged: on CUDA this layer's gradient is not deterministic.
    pool = [nn.AdaptiveAvgPool2d(kept)] if kept != left else []
    flat = blocks[-1] * math.prod(kept)
    return Encoder(*layers, *pool, nn.Flatten(), dense(flat, width), size=width)


ENCODERS = {"mlp": mlp, "cnn": cnn, "vgg": vgg}


# ------------------------------------------------------------------ what stands on them


class PerView(nn.ModuleList):
    """One module for each view, or a single one that all views share."""

    def forward(self, views: Sequence[Tensor]) -> list[Tensor]:
        if len(self) not in (1, len(views)):
            raise ValueError(f"views must hold {len(self)} tensors, one a view; got {len(views)}.")
        return [self[v % len(self)](x) for v, x in enumerate(views)]


def dense(p: int, q: int) -> nn.Sequential:
    """Build the block that everything fully connected is made of."""
    return nn.Sequential(nn.Linear(p, q), nn.ReLU(), nn.BatchNorm1d(q))


def projector(size: int, kind: str = "dense") -> nn.Module:
    """Build the map from h to z, the space of the unsupervised contrast; the paper's experiments
    have one block."""
    if kind == "none":
        return nn.Identity()
    block = dense(size, size)
    return nn.Sequential(block, nn.Linear(size, size)) if kind == "deep" else block


def classifier(kind: str, size: int, labels: int) -> nn.Module:
    """Build the map from S to the logits of all labels: linear after an MLP, one hidden block for
    ``cnn`` and ``vgg``."""
    if kind == "mlp":
        return nn.Linear(size, labels)
    return nn.Sequential(dense(size, IMAGE_WIDTH), nn.Linear(IMAGE_WIDTH, labels))


def weight_net(size: int) -> nn.Module:
    """Build H, whose cosine with z makes the weight g of a negative."""
    return nn.Sequential(nn.Linear(size, size), nn.Sigmoid())


def as_numbers(x: Tensor, dtype: torch.dtype) -> Tensor:
    """Scale pictures in bytes to [0, 1]; leave everything else as it is."""
    return x.to(dtype) / 255 if x.dtype == torch.uint8 else x


# ------------------------------------------------------------------ small parts


def _convolution(p: int, q: int) -> list[nn.Module]:
    return [nn.Conv2d(p, q, kernel_size=3, padding=1), nn.BatchNorm2d(q), nn.ReLU()]


def _image_shape(name: str, shape: Sequence[int], smallest: int) -> tuple[int, int, int]:
    if len(shape) != 3 or min(shape[1:]) < smallest:
        raise ValueError(
            f"The {name} encoder needs pictures (channels, height, width) of at least {smallest} "
            f'pixels a side; got a view of shape {tuple(shape)}. Encoder "mlp" takes any shape.'
        )
    return tuple(shape)


def _vgg_widths(widths: str | float | Sequence[int]) -> tuple[int, ...]:
    if isinstance(widths, str):
        blocks = VGG_WIDTHS.get(widths, ())
    elif isinstance(widths, (int, float)):
        blocks = [round(widths * full) for full in VGG_WIDTHS["full"]]
    else:
        blocks = widths
    if len(blocks) != len(VGG_CONVS) or min(blocks) < 1:
        raise ValueError(
            f"widths must be one of {', '.join(VGG_WIDTHS)}, a multiple of full, or five numbers "
            f"of channels, each at least 1; got {widths!r}."
        )
    return tuple(blocks)
