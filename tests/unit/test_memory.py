"""The peak of memory, its count from anew, and memory that is used again."""

import subprocess
import sys

import pytest
import torch

from herocon_lite import memory


@pytest.mark.skipif(not memory.CLEAR.exists(), reason="Linux only")
def test_freed_memory_is_used_again_and_given_back_before_a_count():
    script = """
import torch
from herocon_lite import memory

def faults():
    return sum(int(open("/proc/self/stat").read().split()[i]) for i in (9, 11))

def fresh_pages():
    before = faults()
    for _ in range(5):
        torch.ones(25 * 2**20)  # 100 MiB, freed at once
    return faults() - before

first = fresh_pages()
memory.tune_malloc()
again = [fresh_pages() for _ in range(6)][-1]  # it takes a few to settle
assert again < first / 20, (first, again)
held = memory.peak_mib()
memory.reset_peak()
assert memory.peak_mib() < held - 90, (held, memory.peak_mib())
"""
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.skipif(not memory.CLEAR.exists(), reason="the count starts anew on Linux only")
def test_the_peak_of_memory_is_each_run_s_own():
    memory.reset_peak()
    before = memory.peak_mib()
    large = torch.ones(100 * 2**18)  # 100 MiB
    assert memory.peak_mib() > before + 90
    del large
    memory.reset_peak()
    assert memory.peak_mib() < before + 50


def test_a_system_without_the_peak_still_trains(tmp_path, monkeypatch):
    status = tmp_path / "status"
    status.write_text("VmSize:\t100 kB\nVmRSS:\t50 kB\n")  # as gVisor prints it
    monkeypatch.setattr(memory, "STATUS", status)
    assert memory.peak_mib() > 0


def test_without_glibc_nothing_is_kept_and_nothing_breaks(monkeypatch):
    def windows(name):
        raise TypeError("bad argument type for built-in operation")

    monkeypatch.setattr(memory.ctypes, "CDLL", windows)
    memory.tune_malloc()
    memory.reset_peak()
    assert memory.peak_mib() > 0
