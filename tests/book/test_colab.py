"""Three chapters run as on Colab: alone, in an empty folder, without herocon_lite or a network.

All chapters, and the oldest versions: ``python book/_tools/colab.py``.
"""

import importlib.util
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from book._tools import colab
from book._tools.run_notebooks import setup_cell

CHAPTERS = ["data_cards", "should_you_use_it", "add_a_method"]  # data, stored runs, training
NO_NETWORK = """
import socket
connect = socket.socket.connect
def only_here(self, address):
    assert self.family == socket.AF_UNIX or address[0] in ("127.0.0.1", "localhost"), address
    return connect(self, address)
socket.socket.connect = only_here
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a clone of the last commit, ``remote``, and a kernel that lacks the module."""
    if not (colab.ROOT / ".git").exists():
        pytest.skip("no git checkout: nothing to clone")
    folder = tmp_path_factory.mktemp("colab")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("JUPYTER_PATH", "PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL"):
            patch.setenv(name, "")
        patch.setenv("PIP_NO_INDEX", "1")
        patch.setenv("GIT_ALLOW_PROTOCOL", "file")
        colab.clone(folder / "remote")
        colab.make_kernel(folder, Path(sysconfig.get_paths()["purelib"]))
        own = colab.libraries_of(folder / "python")
        (own / "sitecustomize.py").write_text(NO_NETWORK)
        yield folder


def installed(folder: Path) -> list[str]:
    return sorted(path.name for path in colab.libraries_of(folder / "python").iterdir())


def test_the_kernel_has_the_libraries_and_neither_the_module_nor_a_network(place, tmp_path):
    code = """
import importlib.util, torch, socket
print(importlib.util.find_spec("herocon_lite"))
try:
    socket.create_connection(("192.0.2.1", 80), timeout=1)
except AssertionError:
    print("refused")
"""
    python = str(place / "python" / "bin" / "python")
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    run = {"capture_output": True, "text": True, "cwd": tmp_path, "env": environment}
    assert subprocess.run([python, "-c", code], **run).stdout.split() == ["None", "refused"]


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_runs_as_on_colab(name, place):
    before, folder = installed(place), place / name
    ran = colab.run_alone(colab.BOOK / f"{name}.ipynb", place / "remote", "alone", folder)
    cells = [cell for cell in ran.cells if cell.cell_type == "code" and cell.source.strip()]
    assert len(cells) > 3 and all(cell.execution_count for cell in cells)
    printed = "".join(o.get("text", "") for cell in cells[:2] for o in cell.outputs)
    assert re.search(rf"Cloned file:.*remote into {folder}/repo\.", printed)  # it says what it did
    assert [path.name for path in folder.iterdir()] == ["repo"]
    assert installed(place) == before, "it installed what was there"


def test_the_set_up_cell_installs_only_what_is_missing_and_no_dependencies(
    tmp_path, monkeypatch, capsys
):
    """Anything that the core needs may be missing, but not what Colab always has, such as torch."""
    text = (colab.ROOT / "pyproject.toml").read_text("utf-8")
    listed = text.partition("\ndependencies = [")[2].partition("\n]")[0]
    needed = {*re.findall(r'"([\w-]+)>=', listed)}
    needed -= {"torch", "numpy", "scipy", "scikit-learn"}
    (tmp_path / "repo" / "book").mkdir(parents=True)  # as after a restart
    source = setup_cell().source.partition("from herocon_lite import")[0]
    real, calls = importlib.util.find_spec, []

    def run_cell(absent):
        monkeypatch.chdir(tmp_path)
        found = lambda name: None if name in absent else real(name)  # noqa: E731
        monkeypatch.setattr(importlib.util, "find_spec", found)
        monkeypatch.setattr(subprocess, "run", lambda command, **_: calls.append(command))
        monkeypatch.setattr(sys, "path", [*sys.path])
        exec(source, {})

    run_cell({"herocon_lite"})
    assert not calls and not capsys.readouterr().out
    run_cell({"herocon_lite", "pooch", "safetensors", "tqdm", "yaml"})
    (call,) = calls
    assert {*call[call.index("--no-deps") + 1 :]} == needed
    assert "Installed pooch" in capsys.readouterr().out
