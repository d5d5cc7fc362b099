"""The nets: sizes as released, any number of views, pictures in bytes, sentences for bad calls."""

import copy
import subprocess
import sys

import pytest
import torch
from torch import nn

from herocon_lite import models


def kinds(net):
    """The leaves of a net, by name."""
    return [type(m).__name__ for m in net.modules() if not list(m.children())]


def count(net):
    return sum(p.numel() for p in net.parameters())


def test_mlp_is_two_blocks_of_linear_relu_batchnorm():
    net = models.mlp((294,))
    assert kinds(net) == ["Flatten", *["Linear", "ReLU", "BatchNorm1d"] * 2]
    assert count(net) == 294 * 200 + 200 + 400 + 200 * 200 + 200 + 400
    assert net(torch.randn(5, 294)).shape == (5, 200) and net.size == 200


def test_mlp_takes_other_widths_and_flattens_pictures():
    net = models.mlp((1, 28, 28), widths=(64, 32, 16))
    assert net(torch.randn(3, 1, 28, 28)).shape == (3, 16)


def test_cnn_is_the_released_one():
    net = models.cnn((1, 28, 28))
    conv, dense = ["Conv2d", "BatchNorm2d"], ["Linear", "ReLU", "BatchNorm1d"]
    assert kinds(net) == [*conv, "ReLU", *conv, "MaxPool2d", "ReLU", "Flatten", *dense]
    assert net.layers[-1][0].in_features == 32 * 13 * 13
    assert net(torch.rand(2, 1, 28, 28)).shape == (2, 512)


def test_pooling_before_relu_changes_no_bit():
    """The released code has them the other way round, and takes longer."""
    net, x = models.cnn((1, 12, 12)), torch.randn(5, 1, 12, 12)
    *conv, pool, relu, flatten, block = net.layers
    found = []
    for layers in (net.layers, nn.Sequential(*conv, relu, pool, flatten, block)):
        out = layers(x)
        slopes = torch.autograd.grad(out.sin().sum(), list(net.parameters()))
        found.append([out, *slopes])
    assert all(torch.equal(a, b) for a, b in zip(*found, strict=True))


@pytest.mark.parametrize("shape", [(3, 4, 9), (1, 32, 20)])
def test_cnn_fits_other_pictures(shape):
    assert models.cnn(shape, channels=4, width=16)(torch.rand(2, *shape)).shape == (2, 16)


def test_thin_vgg_is_the_released_one():
    net = models.vgg((3, 224, 224))
    widths = [m.out_channels for m in net.modules() if isinstance(m, nn.Conv2d)]
    assert widths == [32] * 7 + [64] * 3 + [128] * 3
    assert kinds(net).count("MaxPool2d") == 5 and "AdaptiveAvgPool2d" not in kinds(net)
    assert net.layers[-1][0].in_features == 128 * 7 * 7
    assert kinds(net)[:3] == ["Conv2d", "BatchNorm2d", "ReLU"]


def test_full_vgg_has_the_convolutions_of_torchvision():
    from torchvision.models import vgg16_bn

    with torch.device("meta"):  # shapes only
        net, reference = models.vgg((3, 224, 224), widths="full"), vgg16_bn().features
    assert str(net.layers[: len(reference)]) == str(reference)
    assert net.layers[-1][0].in_features == 512 * 7 * 7


@pytest.mark.parametrize(
    ("shape", "inputs"),
    [((3, 32, 32), 1), ((3, 64, 64), 4), ((1, 64, 100), 6), ((3, 300, 300), 49)],
)
def test_vgg_fits_every_size(shape, inputs):
    net = models.vgg(shape, widths=[2, 2, 2, 2, 3], width=8)
    assert net.layers[-1][0].in_features == 3 * inputs
    assert net(torch.rand(2, *shape)).shape == (2, 8)


def test_vgg_widths_by_a_factor():
    net = models.vgg((3, 32, 32), widths=0.125)
    widths = [m.out_channels for m in net.modules() if isinstance(m, nn.Conv2d)]
    assert widths == [8, 8, 16, 16, 32, 32, 32, 64, 64, 64, 64, 64, 64]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_bytes_are_scaled_to_one(dtype):
    net = models.cnn((1, 8, 8), channels=2, width=4).to(dtype)
    x = torch.randint(0, 256, (3, 1, 8, 8), dtype=torch.uint8)
    assert torch.equal(net(x), net(x.to(dtype) / 255))


@pytest.mark.parametrize(("net", "shape"), [("cnn", (1, 12, 12)), ("vgg", (3, 32, 32))])
def test_channels_last_changes_memory_and_no_value(net, shape):
    options = {"channels": 4} if net == "cnn" else {"widths": 0.0625}
    ours = models.ENCODERS[net](shape, width=8, **options).double()
    plain = copy.deepcopy(ours).to(memory_format=torch.contiguous_format)
    x = torch.rand(6, *shape, dtype=torch.float64)
    kernels = [m.weight for m in ours.modules() if isinstance(m, nn.Conv2d)]
    assert all(w.is_contiguous(memory_format=torch.channels_last) for w in kernels)
    first, second = ours(x), plain(x)
    torch.testing.assert_close(first, second, rtol=1e-6, atol=1e-8)
    first.square().sum().backward()
    second.square().sum().backward()
    for a, b in zip(ours.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(a.grad, b.grad, rtol=1e-4, atol=1e-6)


def test_projector_classifier_and_weight_net():
    assert kinds(models.projector(7)) == ["Linear", "ReLU", "BatchNorm1d"]
    assert kinds(models.projector(7, "deep")) == ["Linear", "ReLU", "BatchNorm1d", "Linear"]
    assert kinds(models.projector(7, "none")) == ["Identity"]
    assert kinds(models.classifier("mlp", 8, 3)) == ["Linear"]
    assert kinds(models.classifier("cnn", 8, 3)) == ["Linear", "ReLU", "BatchNorm1d", "Linear"]
    weights = models.weight_net(7)(torch.randn(5, 7))
    assert weights.shape == (5, 7) and weights.min() > 0 and weights.max() < 1


def test_per_view_keeps_views_apart_or_shares_one():
    views = [torch.randn(2, 3), torch.randn(2, 4)]
    own = models.PerView([nn.Linear(3, 2), nn.Linear(4, 2)])
    assert torch.equal(own(views)[1], own[1](views[1]))
    shared = models.PerView([nn.Linear(3, 2)])
    assert torch.equal(shared([views[0]] * 6)[5], shared[0](views[0]))
    with pytest.raises(ValueError, match="must hold 2 tensors, one a view; got 3"):
        own([views[0]] * 3)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: models.cnn((294,)), r"cnn encoder needs pictures .* got a view of shape \(294,\)"),
        (lambda: models.vgg((3, 28, 28)), "at least 32 pixels"),
        (lambda: models.vgg((3, 32, 32), widths="wide"), "one of thin, full.* got 'wide'"),
        (lambda: models.vgg((3, 32, 32), widths=[8, 8]), "five numbers"),
        (lambda: models.vgg((3, 32, 32), widths=0.001), "at least 1"),
        (lambda: models.mlp((4,), widths=()), "one or more layers"),
    ],
)
def test_bad_calls_get_a_sentence(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


def test_torchvision_and_sklearn_are_imported_only_where_used():
    code = (
        "import sys, herocon_lite.methods as m; "
        "m.build('deepmtmv', m.Problem(((3,), (3,)), 4, 'multilabel')); "
        "print([n for n in ('torchvision', 'sklearn') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
