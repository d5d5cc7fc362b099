"""Layers in bfloat16, on processors that cannot multiply in it, too.

Mixed precision rounds what a layer multiplies to bfloat16, adds up in float32, and rounds the sum.
Where a processor has no instructions for that, torch falls back to loops that take ten times as
long as float32. Here it then gets float32 products of rounded numbers: the same arithmetic, but for
the order of the sums.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map_only

aten = torch.ops.aten
PRODUCTS = {
    aten.convolution.default,
    aten.convolution_backward.default,
    aten.mm.default,
    aten.addmm.default,
    aten.bmm.default,
}


class EmulatedBF16(TorchDispatchMode):
    """Products of bfloat16 tensors, forward and backward, by way of float32."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # or its first use loads torch's compiler, which takes seconds

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        half = any(isinstance(x, torch.Tensor) and x.dtype == torch.bfloat16 for x in args)
        if func not in PRODUCTS or not half:
            return func(*args, **kwargs)
        wide = tree_map_only(torch.Tensor, torch.Tensor.float, (args, kwargs))
        return tree_map_only(torch.Tensor, torch.Tensor.bfloat16, func(*wide[0], **wide[1]))


def has_native_bf16(device: torch.device) -> bool:
    """Return whether torch has a fast way of its own to multiply in bfloat16 there."""
    supported = getattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: False)
    return device.type != "cpu" or supported()


def autocast(device: torch.device) -> torch.autocast:
    """Cast layers in the forward pass of a step: they take and give bfloat16, weights stay in
    float32."""
    return torch.autocast(device.type, torch.bfloat16)


def emulate_bf16(device: torch.device) -> AbstractContextManager:
    """Emulate bfloat16 for a whole step, backward pass included, where it is not native."""
    return nullcontext() if has_native_bf16(device) else EmulatedBF16()
