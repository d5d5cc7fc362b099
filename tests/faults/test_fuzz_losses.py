"""Losses on random arguments, half of them wrong: a right value, or one sentence.

200 cases here. More, with a new seed each time: ``python -m tests.faults.test_fuzz_losses 5000``.
"""

import inspect
import math
import sys
from collections import Counter

import numpy as np
import pytest
import torch

from herocon_lite import losses

# Not here: vicreg and barlow_twins take rows as they are, so long rows make them large.
ELSEWHERE = ("switches_of", "over_pairs", "vicreg", "barlow_twins", "mv_info_nce", "mv_dhel")
FUNCTIONS = {
    name: getattr(losses, name)
    for name in losses.__all__
    if inspect.isfunction(getattr(losses, name)) and name not in ELSEWHERE
}


def mv_info_nce(z1, z2, temperature, form="code", chunk=None, validate=None):
    return losses.mv_info_nce([z1, z2, z1], temperature, form, chunk, validate)


def mv_dhel(z1, z2, temperature, form="code", chunk=None, validate=None):
    return losses.mv_dhel([z1, z2], temperature, form, chunk, validate)


FUNCTIONS |= {"mv_info_nce": mv_info_nce, "mv_dhel": mv_dhel}
TWO_ROWS = (mv_dhel, losses.decoupled)  # at least
DTYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
# Largest and smallest length of a row, as powers of ten, that each holds with all its digits.
REACH = {torch.float16: 4, torch.bfloat16: 36, torch.float32: 36, torch.float64: 300}
LABELS = [torch.bool, torch.uint8, torch.int64, torch.float32, torch.float64]
OPTIONS = {
    "chunk": [None, 1, 3, 100],
    "preset": ["paper", "released", "paper+transposed", "paper+gamma_by_cardinality"],
    "distance": ["hamming", "indicator"],
    "sigma_outside": [False, True],
    "detach": [False, True],
    "tau_plus": [0.0, 0.1, 0.9],
    "beta": [0.0, 1.0, 3.5],
    "anchors": [None, slice(0, 1)],
    "part": [None, None, "push", "pull"],
    "empty": [None],
    "form": ["code", "printed"],
    "overlap": [0.0, 0.3, 1.0],
}
WRONG_OPTIONS = {
    "temperature": [0, -1.0, math.nan, math.inf, 1e-13, "1", None, torch.ones(2)],
    "chunk": [0, -1, 2.5, "all"],
    "preset": ["papers", None],
    "distance": ["cosine"],
    "tau_plus": [1.0, -0.1, math.nan],
    "beta": [-1.0, math.inf, 1e300],
    "anchors": [slice(50, 60), slice(0, 4, 2)],
    "part": ["both"],
    "empty": ["drop"],
    "form": ["paper"],
    "overlap": [-0.1, 1.5, math.nan],
    "validate": ["yes", 1],
    "H": [3, lambda z: z[:, :-1], lambda z: None],
    "A": [3, lambda x: x[:-1], torch.nn.Linear(3, 3, dtype=torch.complex64)],
}


def pick(rng, options):
    return options[int(rng.integers(len(options)))]


def rows(rng, n, d, dtype):
    """Directions of any length, some zero, some alike."""
    x = torch.from_numpy(rng.standard_normal((n, d)))
    x = x / x.norm(dim=1, keepdim=True)
    x[rng.random(n) < 0.15] = 0
    x[rng.random(n) < 0.15] = x[0].clone()
    reach = REACH[dtype] if rng.random() < 0.4 else 1
    return (x * 10.0 ** torch.from_numpy(rng.uniform(-reach, reach, (n, 1)))).to(dtype)


def arguments(rng, parameters, least=1):
    """Valid arguments of a loss."""
    n, d, c = int(rng.integers(least, 13)), int(rng.integers(2, 7)), int(rng.integers(1, 6))
    dtype = pick(rng, DTYPES)
    exponent = rng.uniform(-12, 3) if rng.random() < 0.3 else rng.uniform(-2, 1)
    given = {"temperature": 10.0**exponent}
    for name in parameters:
        if name in ("z1", "z2", "x", "z", "s"):
            given[name] = rows(rng, n, d, dtype)
        elif name == "Y" or (name == "y" and rng.random() < 0.5):
            Y = torch.from_numpy(rng.random((n, c)) < rng.uniform(0, 1))
            given[name] = Y.to(pick(rng, LABELS))
        elif name == "y":
            given[name] = torch.from_numpy(rng.integers(0, 4, n))
        elif name in ("H", "A"):
            given[name] = torch.nn.Identity()
        elif name in OPTIONS:
            given[name] = pick(rng, OPTIONS[name])
    if "H" in given and rng.random() < 0.3:
        given["H"] = None
    if given.get("part") and given.get("preset") == "released":
        given["part"] = None
    return given


def spoil(rng, given, parameters):
    """Make one argument wrong, in place; return what was done, and whether it is a nan or inf."""
    tensors = [name for name, value in given.items() if isinstance(value, torch.Tensor)]
    name = pick(rng, [*tensors, *(p for p in parameters if p in WRONG_OPTIONS)])
    if name in WRONG_OPTIONS:
        given[name] = pick(rng, WRONG_OPTIONS[name])
        return f"{name}={given[name]}", False
    x, labels = given[name], name in "yY"
    row, column = int(rng.integers(len(x))), int(rng.integers(x.shape[-1]))
    if rng.random() < 0.7 and x.ndim == 2:
        value = pick(rng, [math.nan, math.inf, -math.inf, *([-1.0, 2.0, 0.5, 255.0] * labels)])
        column_of_classes = name == "y" and x.shape[1] == 1
        if math.isfinite(value) and column_of_classes:
            value = math.nan
        given[name] = (x.float() if labels else x).clone()
        given[name][row, column] = value
        return f"{name}[{row}, {column}]={value}", not math.isfinite(value)
    ways = {
        "one row less": lambda: x[:-1],
        "a list": lambda: x.tolist(),
        "complex": lambda: x.to(torch.complex64),
        "on another device": lambda: x.to("meta"),
        "three axes": lambda: x[None, None],
    }
    if not labels:
        ways |= {"whole numbers": lambda: torch.ones(x.shape, dtype=torch.int64)}
    way = pick(rng, list(ways))
    given[name] = ways[way]()
    if way == "on another device" and len(tensors) == 1:
        given[name] = None
    return f"{name} {way}", False


def reference(function, given):
    """The loss in float64, of rows scaled to length one by exact means."""
    exact = dict(given)
    for name in ("z1", "z2", "x", "z", "s"):
        if name in given:
            x = given[name].double()
            x = x / x.abs().amax(1, keepdim=True).clamp_min(1e-320)
            exact[name] = torch.nn.functional.normalize(x, dim=1, eps=1e-300)
    return function(**exact).item()


def try_one(seed: int, number: int) -> str:
    """One case; return what came of it. Raises AssertionError where it must not come."""
    rng = np.random.default_rng([seed, number])
    name = pick(rng, list(FUNCTIONS))
    parameters = inspect.signature(FUNCTIONS[name]).parameters
    given = arguments(rng, parameters, 2 if FUNCTIONS[name] in TWO_ROWS else 1)
    validate = pick(rng, [None, True, False])
    wrong, not_finite = spoil(rng, given, parameters) if rng.random() < 0.5 else ("", False)
    given.setdefault("validate", validate)
    case = f"seed {seed}, case {number}: {name}, {wrong or 'valid'}, validate={validate}"
    leaves = [v for v in given.values() if torch.is_tensor(v) and v.is_floating_point()]
    leaves = [v.requires_grad_() for v in leaves if v.device.type == "cpu" and v.is_leaf]
    try:
        loss = FUNCTIONS[name](**given)
    except ValueError as error:
        assert wrong, f"{case}: refused, {error}"
        assert "\n" not in str(error) and len(str(error)) < 400, f"{case}: {error}"
        return "refused"
    except Exception as error:
        raise AssertionError(f"{case}: {type(error).__name__}: {error}") from error
    if wrong:
        looked = validate is not False
        assert "[" in wrong and not looked, f"{case}: accepted, {loss}"
        assert not (not_finite and math.isfinite(loss.item())), f"{case}: {loss} of a nan"
        return "not looked at"
    value = loss.item()
    assert math.isfinite(value), f"{case}: {value}"
    wanted = reference(FUNCTIONS[name], given)
    features = [v for k, v in given.items() if k in ("z1", "z2", "x", "z", "s")]
    dtype = features[0].dtype
    epsilon = 1e-13 if dtype == torch.float64 else 2e-5
    scale = (1 + given.get("beta", 0)) / given["temperature"]
    sums = 5 if given.get("preset") == "released" else 1  # a sum over labels
    near = abs(value - wanted) <= epsilon * sums * (2 + abs(wanted) + 4 * scale)
    # A difference of exponentials: where it nearly cancels, digits are lost by nature.
    assert near or given.get("tau_plus"), f"{case}: {value}, in float64 {wanted}"
    # Gradients go as 1/(τ · length), which may be more than the precision holds.
    lengths = torch.cat([x.detach().double().norm(dim=1) for x in features])
    shortest = lengths[lengths > 0].amin().item() if lengths.any() else 1.0
    if loss.requires_grad and 100 * scale / shortest < torch.finfo(dtype).max:
        for grad in torch.autograd.grad(loss, leaves, allow_unused=True):
            assert grad is None or grad.isfinite().all(), f"{case}: a gradient is not finite"
    return "right"


def fuzz(seed: int, cases: int) -> Counter:
    return Counter(try_one(seed, number) for number in range(cases))


@pytest.mark.filterwarnings("ignore:.*(overflow|invalid value)")
def test_random_arguments():
    found = fuzz(seed=0, cases=200)
    assert found["right"] > 60 and found["refused"] > 40 and found["not looked at"] > 5, found


if __name__ == "__main__":
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else int(np.random.SeedSequence().entropy % 2**32)
    print(f"seed {seed}", flush=True)
    print(dict(fuzz(seed, int(sys.argv[1]))))
