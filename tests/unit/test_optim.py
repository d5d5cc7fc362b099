"""LARS in both forms: closed forms, other people's optimisers, and PyTorch's conventions."""

import copy
import importlib.util
import math
import subprocess
import sys
import types
from pathlib import Path

import pytest
import torch
from lightly.utils.lars import LARS as LightlyLARS

from herocon_lite.optim import LARS


def timm_lars():
    """timm.optim.Lars without the rest of timm, whose import takes ten seconds."""
    folder = importlib.util.find_spec("timm").submodule_search_locations[0]
    package = types.ModuleType("timm_optim")  # its files import one another
    package.__path__ = [str(Path(folder) / "optim")]
    sys.modules["timm_optim"] = package
    return importlib.import_module("timm_optim.lars").Lars


TimmLars = timm_lars()
AS_PAPER = {"lr": 0.05, "momentum": 0.95}


def tensor(*values):
    return torch.nn.Parameter(torch.tensor(values, dtype=torch.float64))


def stepped(w, g, steps=1, **options):
    """w after steps with the same gradient."""
    w = tensor(*w)
    optimiser = LARS([w], **options)
    for _ in range(steps):
        w.grad = torch.tensor(g, dtype=torch.float64)
        optimiser.step()
    return w.detach()


def train(make, steps=200, schedule=None, scale=1.0, seed=0):
    """Weights of a small net with batch normalisation after some steps on fixed data."""
    torch.manual_seed(seed)
    net = torch.nn.Sequential(
        torch.nn.Linear(6, 8, bias=False),  # before a BatchNorm its gradient is pure rounding
        torch.nn.BatchNorm1d(8),
        torch.nn.ReLU(),
        torch.nn.Linear(8, 3),
    ).double()
    x, y = torch.randn(40, 6, dtype=torch.float64), torch.randn(40, 3, dtype=torch.float64)
    optimiser = make(net.parameters())
    for step in range(steps):
        if schedule:
            optimiser.param_groups[0]["lr"] = schedule(step)
        optimiser.zero_grad()
        (scale * (net(x) - y).pow(2).mean()).backward()
        optimiser.step()
    return torch.cat([p.detach().flatten() for p in net.parameters()])


# ---------------------------------------------------------------- closed forms


def test_the_cap_moves_a_tensor_by_two_percent_of_its_norm():
    assert stepped([3, 4], [0, 10]).tolist() == pytest.approx([3, 3.9], abs=1e-9)


def test_below_the_cap_it_is_sgd():
    assert stepped([3, 4], [0, 0.1]).tolist() == pytest.approx([3, 3.995], abs=1e-15)


def test_zero_weights_take_the_plain_gradient_whatever_the_rate():
    assert stepped([0, 0], [1, -2]).tolist() == pytest.approx([-0.05, 0.1], abs=1e-15)
    assert stepped([0, 0], [1, -2], lr=4.0).tolist() == pytest.approx([-4, 8], abs=1e-15)
    assert stepped([0, 0], [1, -2], clip=False).tolist() == pytest.approx([-0.05, 0.1], abs=1e-15)


@pytest.mark.parametrize("clip", [True, False])
def test_a_zero_gradient_changes_nothing(clip):
    assert stepped([3, 4], [0, 0], weight_decay=0.1, clip=clip).tolist() == [3, 4]


def test_the_first_step_is_as_long_as_the_smaller_of_both():
    for scale in (1e-3, 0.1, 1.0, 2.0, 10.0, 1e4):
        g = [0.6 * scale, -0.8 * scale]
        moved = (stepped([3, 4], g, eps=0.0) - torch.tensor([3.0, 4.0])).norm()
        assert moved.item() == pytest.approx(min(0.05 * scale, 0.02 * 5), rel=1e-9)


def test_a_capped_step_does_not_feel_the_gradient_s_length():
    assert torch.allclose(stepped([3, 4], [6, 8]), stepped([3, 4], [6e5, 8e5]), atol=1e-9)


def test_a_capped_step_grows_with_the_weights():
    small, large = stepped([3, 4], [6, 8], eps=0.0), stepped([30, 40], [0.6, 0.8], eps=0.0, lr=50.0)
    assert torch.allclose(10 * small, large, rtol=1e-12)


def test_momentum_carries_a_steady_pull_twenty_times_as_far():
    """1/(1 − 0.95) = 20: capped steps of 2 % become 40 % of the norm, were it to stay."""
    optimiser = LARS([w := tensor(3, 4)])
    for _ in range(400):
        with torch.no_grad():
            w.copy_(tensor(3, 4))
        w.grad = torch.tensor([0.0, 10.0], dtype=torch.float64)
        optimiser.step()
    assert (4 - w[1]).item() == pytest.approx(20 * 0.02 * 5, rel=1e-6)


def test_weight_decay_by_hand():
    # |w| = 5, |g| = 10, decay .1: rate = .02·5/(10 + .5); d = (0, 10) + .1·(3, 4)
    rate = 0.02 * 5 / 10.5
    wanted = [3 - rate * 0.3, 4 - rate * 10.4]
    assert stepped([3, 4], [0, 10], weight_decay=0.1).tolist() == pytest.approx(wanted, abs=1e-9)


def test_the_published_form_by_hand():
    # λ = η|w|/|g|, and the step is lr·λ·g: a share lr·η of |w| whatever the gradient
    for scale in (1e-3, 1.0, 1e3):
        got = stepped([3, 4], [0, scale], clip=False, lr=2.0, trust=0.001, eps=0.0)
        assert got.tolist() == pytest.approx([3, 4 - 2 * 0.001 * 5], abs=1e-12)


# ---------------------------------------------------------------- other implementations


def test_as_in_the_experiments_it_is_timm_s_larc_bit_by_bit():
    theirs = {"trust_clip": True, "always_adapt": True, "trust_coeff": 0.02, **AS_PAPER}
    for scale in (1.0, 1e3):  # rarely and always capped
        ours = train(LARS, scale=scale)
        assert torch.equal(ours, train(lambda p: TimmLars(p, **theirs), scale=scale))


@pytest.mark.parametrize("clip", [True, False])
@pytest.mark.parametrize("weight_decay", [0.0, 5e-4])
def test_both_forms_are_timm_s_with_and_without_decay(clip, weight_decay):
    both = {**AS_PAPER, "weight_decay": weight_decay}
    ours = train(lambda p: LARS(p, clip=clip, trust=0.01, **both))
    theirs = {"trust_clip": clip, "always_adapt": True, "trust_coeff": 0.01, **both}
    assert torch.allclose(ours, train(lambda p: TimmLars(p, **theirs)), rtol=0, atol=1e-12)


def test_the_published_form_is_lightly_s():
    both = {"lr": 0.5, "momentum": 0.9, "weight_decay": 5e-4}
    ours = train(lambda p: LARS(p, clip=False, trust=0.001, **both))
    theirs = train(lambda p: LightlyLARS(p, trust_coefficient=0.001, **both))
    assert torch.allclose(ours, theirs, rtol=0, atol=1e-12)


class Literal:
    """You et al. (2017), Algorithm 1, line by line: the global rate is inside the velocity."""

    def __init__(self, params, lr, momentum, weight_decay, trust):
        self.param_groups = [{"lr": lr}]
        self.params, self.m, self.decay, self.trust = list(params), momentum, weight_decay, trust
        self.v = [torch.zeros_like(w) for w in self.params]

    def zero_grad(self):
        for w in self.params:
            w.grad = None

    @torch.no_grad()
    def step(self):
        for w, v in zip(self.params, self.v, strict=True):
            if w.norm() == 0 or w.grad.norm() == 0:
                local, decay = 1.0, 0.0
            else:
                local = self.trust * w.norm() / (w.grad.norm() + self.decay * w.norm())
                decay = self.decay
            v.copy_(self.m * v + self.param_groups[0]["lr"] * local * (w.grad + decay * w))
            w.sub_(v)


def test_the_published_form_follows_the_algorithm_while_the_rate_decays():
    options = {"lr": 1.0, "momentum": 0.9, "weight_decay": 5e-4, "trust": 0.001}
    poly = lambda step: 2.0 * (1 - step / 200) ** 2  # noqa: E731
    ours = train(lambda p: LARS(p, clip=False, eps=0.0, **options), schedule=poly)
    wanted = train(lambda p: Literal(p, **options), schedule=poly)
    assert torch.allclose(ours, wanted, rtol=0, atol=1e-12)


def test_without_a_cap_it_is_sgd_and_the_published_form_is_far_from_both():
    sgd = train(lambda p: torch.optim.SGD(p, **AS_PAPER))
    assert torch.equal(train(lambda p: LARS(p, trust=math.inf)), sgd)
    assert (train(lambda p: LARS(p, clip=False)) - sgd).abs().max() > 0.1


# ---------------------------------------------------------------- conventions


def test_groups_keep_their_own_options_and_a_changed_rate_is_heard():
    a, b = tensor(3, 4), tensor(3, 4)
    optimiser = LARS([{"params": [a]}, {"params": [b], "lr": 0.1, "trust": math.inf}])
    for w in (a, b):
        w.grad = torch.tensor([0.0, 1.0], dtype=torch.float64)
    optimiser.step()
    assert (a[1].item(), b[1].item()) == pytest.approx((3.95, 3.9))
    optimiser.param_groups[0]["lr"] = 0.0
    optimiser.step()
    assert a[1].item() == pytest.approx(3.95)


def test_a_scheduler_drives_it():
    w = tensor(3, 4)
    optimiser = LARS([w], momentum=0.0)
    scheduler = torch.optim.lr_scheduler.StepLR(optimiser, 1, gamma=0.1)
    for _ in range(2):
        w.grad = torch.tensor([0.0, 0.1], dtype=torch.float64)
        optimiser.step()
        scheduler.step()
    assert w[1].item() == pytest.approx(4 - 0.005 - 0.0005)


@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
def test_what_has_no_gradient_is_left_alone_and_gradients_are_not_touched(weight_decay):
    a, b = tensor(3, 4), tensor(1, 2)
    a.grad = torch.tensor([6.0, 8.0], dtype=torch.float64)
    optimiser = LARS([a, b], weight_decay=weight_decay)
    optimiser.step()
    assert b.tolist() == [1, 2] and b not in optimiser.state
    assert a.grad.tolist() == [6, 8]
    assert optimiser.param_groups[0]["weight_decay"] == weight_decay
    LARS([tensor(1)]).step()  # nothing has a gradient


def test_saved_and_loaded_in_the_middle_it_goes_on_bit_by_bit():
    def run(split):
        w = tensor(3, 4)
        optimiser = LARS([w], trust=0.005)
        for step in range(20):
            if step == split:
                state = copy.deepcopy(optimiser.state_dict())
                optimiser = LARS([w], lr=9.0, momentum=0.0)
                optimiser.load_state_dict(state)
            w.grad = torch.tensor([math.sin(step), math.cos(step)], dtype=torch.float64)
            optimiser.step()
        return w.detach()

    assert torch.equal(run(None), run(7))


def test_a_closure_is_called_with_gradients_on():
    w = tensor(3, 4)
    optimiser = LARS([w])

    def closure():
        optimiser.zero_grad()
        loss = w.pow(2).sum()
        loss.backward()
        return loss

    assert optimiser.step(closure).item() == 25
    assert w.norm() < 5


@pytest.mark.parametrize("clip", [True, False])
def test_no_value_is_looked_at(clip):
    """On the meta device there are no values: any look at one raises."""
    w = torch.nn.Parameter(torch.empty(3, 4, device="meta"))
    b = torch.nn.Parameter(torch.empty(4, device="meta"))
    optimiser = LARS([w, b], weight_decay=0.1, clip=clip)
    for _ in range(2):
        w.grad, b.grad = torch.empty_like(w), torch.empty_like(b)
        optimiser.step()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"lr": -1}, "lr must be a finite number ≥ 0; got -1"),
        ({"momentum": math.nan}, "momentum must be"),
        ({"weight_decay": -0.1}, "weight_decay must be"),
        ({"trust": 0}, "trust must be a positive number; got 0"),
    ],
)
def test_bad_options_get_a_sentence(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        LARS([tensor(1)], **options)


def test_a_run_does_not_load_torch_s_compiler(tmp_path):
    """Which would take seconds, and nothing here is compiled: not even to save and go on."""
    code = f"""
import subprocess
import sys
from pathlib import Path
from herocon_lite.data import load
from herocon_lite.repro.runner import execute
from herocon_lite.repro.settings import Run
run = Run("yeast", "herocon", overrides=(("steps", 2),))
data, folder = load("yeast"), Path({str(tmp_path)!r})
for _ in range(2):  # the second goes on from what the first has saved
    execute(run, data, "cpu", checkpoint=folder)
assert len(list(folder.iterdir())) == 1
assert "torch._dynamo" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
