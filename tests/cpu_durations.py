"""Which tests take longest, in processor seconds: they mean the same on a busy machine.

python -m pytest -p tests.cpu_durations tests      writes tests/durations.txt
"""

import os
import platform
import time
from pathlib import Path

import pytest

FILE = Path(__file__).with_name("durations.txt")
MOST = 40
spent: dict[str, float] = {}


def used() -> float:
    """Seconds of this process and of the children that have ended."""
    return sum(os.times()[:4])


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    """Fixtures count to the first test that needs them."""
    before = used()
    yield
    spent[item.nodeid] = used() - before


def pytest_sessionfinish(session):
    slowest = sorted(spent.items(), key=lambda pair: -pair[1])[:MOST]
    where = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    head = [
        f"{len(spent)} tests, {sum(spent.values()):.0f} processor seconds; the {MOST} slowest.",
        f"{where}, Python {platform.python_version()}, {time.strftime('%Y-%m-%d')}.",
        "Made by python -m pytest -p tests.cpu_durations tests",
    ]
    lines = [f"{seconds:7.1f}  {name}" for name, seconds in slowest]
    FILE.write_text("\n".join([*head, "", *lines]) + "\n", "utf-8")
