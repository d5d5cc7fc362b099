"""Layers in bfloat16: torch's own arithmetic, and a faster way to it on older processors."""

import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from herocon_lite import models, precision
from herocon_lite.repro import provenance

CPU = torch.device("cpu")


def step(net: nn.Module, x: torch.Tensor, rounded: bool) -> list[torch.Tensor]:
    """Output and gradients, with or without the detour through float32."""
    net.zero_grad()
    with precision.EmulatedBF16() if rounded else precision.nullcontext():
        with precision.autocast(CPU):
            y = net(x)
        y.float().square().sum().backward()
    return [y.detach(), *(p.grad for p in net.parameters())]


class Groups(nn.Module):
    """One matrix a group, as DeepMTMV's classifiers."""

    def __init__(self, weight: torch.Tensor):
        super().__init__()
        self.weight = nn.Parameter(weight)  # (groups, in, out)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.einsum("ngi,gio->ngo", x, self.weight)


NETS = {
    "linear": (lambda: nn.Linear(40, 30), (20, 40)),
    "linear without bias": (lambda: nn.Linear(40, 30, bias=False), (20, 40)),
    "convolution": (lambda: nn.Conv2d(3, 8, 3, padding=1), (10, 3, 8, 8)),
    "in groups": (lambda: Groups(torch.randn(4, 16, 8)), (20, 4, 16)),
    "three in a row": (lambda: nn.Sequential(*(nn.Linear(16, 16) for _ in range(3))), (20, 16)),
}


@pytest.mark.parametrize("name", NETS)
def test_products_of_rounded_numbers_are_torchs_own_bfloat16(name):
    torch.manual_seed(0)
    make, shape = NETS[name]
    net, x = make(), torch.randn(shape)
    for ours, torchs in zip(step(net, x, True), step(net, x, False), strict=True):
        assert ours.dtype == torchs.dtype
        # Sums in another order may round to the next bfloat16, 2⁻⁸ away, and go on from there.
        scale = torchs.float().abs().max()
        assert (ours - torchs).float().abs().max() < 2**-6 * scale
        assert (ours - torchs).float().norm() < 2**-8 * torchs.float().norm()


def test_numbers_are_rounded_before_and_after_a_product():
    layer, x = nn.Linear(1, 1, bias=False), torch.tensor([[1 + 2**-12]])
    nn.init.constant_(layer.weight, 1 + 2**-7)
    with precision.EmulatedBF16(), precision.autocast(CPU):
        one, square = layer(x), layer(torch.tensor([[1 + 2**-7]]))
    assert one.dtype == torch.bfloat16 and one.item() == 1 + 2**-7  # 2⁻¹² is lost on the way in
    assert square.item() == 1 + 2**-6  # and 2⁻¹⁴ on the way out


def test_products_are_made_in_float32_forward_and_backward():
    seen = set()

    class Recorder(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            if func in precision.PRODUCTS:
                seen.update((func, x.dtype) for x in args if isinstance(x, torch.Tensor))
            return func(*args, **(kwargs or {}))

    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.Flatten(), nn.Linear(8, 3))
    with Recorder():
        step(net, torch.randn(5, 1, 4, 4), rounded=True)
    assert {dtype for _, dtype in seen} == {torch.float32}
    assert {func for func, _ in seen} == precision.PRODUCTS - {torch.ops.aten.bmm.default}


def test_torchs_compiler_is_not_loaded():
    assert not hasattr(precision.EmulatedBF16.__torch_dispatch__, "__wrapped__")


def test_other_precisions_are_left_alone():
    torch.manual_seed(0)
    net, x = models.cnn((1, 12, 12)), torch.rand(4, 1, 12, 12)
    plain = net.eval()(x)
    with precision.EmulatedBF16():
        assert torch.equal(net(x), plain)


@pytest.mark.parametrize("native", [False, True])
def test_only_processors_without_bfloat16_take_the_detour(monkeypatch, native):
    monkeypatch.setattr(
        torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: native, raising=False
    )
    assert isinstance(precision.emulate_bf16(CPU), precision.EmulatedBF16) is not native
    assert not isinstance(precision.emulate_bf16(torch.device("cuda")), precision.EmulatedBF16)
    assert provenance.environment()["bfloat16"] == ("torch" if native else "rounded")
