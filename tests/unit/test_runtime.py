"""One policy for environment, devices, seeds and threads; nobody else's process is changed."""

import os
import platform
import subprocess
import sys
import threading

import pytest
import torch

from herocon_lite import environment
from herocon_lite.runtime import derive_seed, deterministic, isolated_rng, num_threads, pick_device

SETTINGS = ("OMP_WAIT_POLICY", "ATEN_CPU_CAPABILITY", "OMP_NUM_THREADS")
BARE = {name: value for name, value in os.environ.items() if name not in SETTINGS}
on_x86 = pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="x86 only")


def python(code: str, env: dict[str, str]) -> str:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout


# ---------------------------------------------------------------- the environment


@on_x86
def test_the_command_line_adds_up_in_the_same_order_on_every_x86():
    code = "import herocon_lite.__main__, torch; print(torch.backends.cpu.get_cpu_capability())"
    assert python(code, BARE).strip() in ("AVX2", "DEFAULT")


def test_importing_the_library_changes_neither_environment_nor_torch():
    code = """
import os, sklearn.base, torch
def state():
    return (dict(os.environ), torch.get_num_threads(), torch.get_default_dtype(),
            torch.are_deterministic_algorithms_enabled(), torch.get_rng_state().sum().item(),
            torch.get_float32_matmul_precision())
before = state()
import herocon_lite, herocon_lite.losses, herocon_lite.methods, herocon_lite.train
herocon_lite.HeroConClassifier
assert state() == before
"""
    python(code, BARE)


def test_what_is_set_already_stays(monkeypatch):
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OMP_WAIT_POLICY", "active")
    environment.prepare(threads=3)
    assert os.environ["OMP_WAIT_POLICY"] == "active" and os.environ["OMP_NUM_THREADS"] == "3"
    environment.prepare(threads=1)
    assert os.environ["OMP_NUM_THREADS"] == "3"


@on_x86
@pytest.mark.parametrize(("flags", "wanted"), [("sse4_2 avx", None), ("avx avx2 fma", "avx2")])
def test_a_processor_without_avx2_is_not_asked_for_it(tmp_path, monkeypatch, flags, wanted):
    (tmp_path / "cpuinfo").write_text(f"flags\t\t: {flags}\n")
    monkeypatch.setattr(environment, "CPUINFO", tmp_path / "cpuinfo")
    monkeypatch.delenv("ATEN_CPU_CAPABILITY", raising=False)
    environment.prepare()
    assert os.environ.get("ATEN_CPU_CAPABILITY") == wanted


# ---------------------------------------------------------------- random numbers


def test_seeds_are_those_of_the_stored_runs():
    """Another formula would make every stored run another run."""
    wanted = {
        (0,): 7896617691693857887,
        (0, 2, 17): 5011044892216640784,
        (3, 1, 5): 818463220519293219,
        (2**40, 0, 0): 7918458668934761820,
    }
    assert {numbers: derive_seed(*numbers) for numbers in wanted} == wanted
    seeds = {derive_seed(a, b, c) for a in range(10) for b in range(3) for c in range(100)}
    assert len(seeds) == 3000 and max(seeds) < 2**63


def test_the_callers_random_numbers_go_on_as_if_nothing_was_drawn():
    torch.manual_seed(0)
    wanted = torch.rand(2)
    torch.manual_seed(0)
    first = torch.rand(1)
    with pytest.raises(KeyError), isolated_rng(), isolated_rng(torch.device("cpu")):
        torch.default_generator.manual_seed(7)
        torch.rand(5)
        raise KeyError
    assert torch.equal(torch.cat([first, torch.rand(1)]), wanted)


def test_threads_take_turns():
    def draw(seed, out):
        with isolated_rng():
            torch.default_generator.manual_seed(seed)
            out.append([torch.rand(100).sum().item() for _ in range(50)])

    alone, together = [], [[] for _ in range(4)]
    draw(1, alone)
    threads = [threading.Thread(target=draw, args=(1, out)) for out in together]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == [alone] * 4


# ---------------------------------------------------------------- the rest


def test_an_unknown_device_is_refused():
    with pytest.raises(ValueError, match=r"device must be one that works here.*'gpu'"):
        pick_device("gpu")


def test_the_number_of_threads_is_put_back():
    before = torch.get_num_threads()
    with pytest.raises(KeyError), num_threads(before + 1):
        assert torch.get_num_threads() == before + 1
        raise KeyError
    assert torch.get_num_threads() == before


def test_determinism_is_switched_on_for_a_gpu_and_put_back():
    before = torch.are_deterministic_algorithms_enabled(), torch.backends.cudnn.benchmark
    with pytest.raises(KeyError), deterministic(torch.device("cuda")):
        assert torch.are_deterministic_algorithms_enabled()
        raise KeyError
    assert (torch.are_deterministic_algorithms_enabled(), torch.backends.cudnn.benchmark) == before
    with deterministic(torch.device("cpu")):  # needs nothing
        assert torch.are_deterministic_algorithms_enabled() == before[0]
