"""Each file of examples/ runs, with the packages alone that it says it needs."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.test_wheel import ROOT, core_dependencies, path_of, wheel  # noqa: F401

SCRIPTS = sorted((ROOT / "examples").glob("*.py"))
PRINTS = {
    "image_and_tags": "probabilities of 2 labels for 300 pictures",
    "lightning_module": r"2297 genes, 14 labels, in 51 steps",
    "plain_pytorch": r"AUC on 2297 genes: 0\.[5-9]",
    "sentence_vectors": r"overlap with the nearest text: 0\.\d\d before, 0\.\d\d after",
    "two_dataframes": r"benign +0\.9\d\nlarge +0\.9\d",
}
# A package that is hidden is not found, as if it were not there: some ask before they import.
HIDE = """
import runpy, sys
from importlib import metadata
from importlib.machinery import PathFinder
sys.path[:0] = [sys.argv[1]]
from tests.core_alone import Blocker, canonical, needed
allowed = needed(sys.argv[3:])
hidden = Blocker(allowed).hidden
listed = metadata.Distribution.from_name
def from_name(name):
    if canonical(name) not in allowed:
        raise metadata.PackageNotFoundError(name)
    return listed(name)
metadata.Distribution.from_name = from_name
class Visible(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.partition(".")[0] not in hidden:
            return super().find_spec(name, path, target)
sys.meta_path[sys.meta_path.index(PathFinder)] = Visible
runpy.run_path(sys.argv[2], run_name="__main__")
"""


def needs(script: Path) -> list[str]:
    """What the file says it needs, without this package."""
    listed = re.search(r"Needs: (.+)", script.read_text("utf-8")).group(1).split(", ")
    return [name for name in listed if not name.startswith("herocon-lite")]


def ran(command: list, folder: Path, environment: dict[str, str]) -> str:
    environment = {**environment, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_example_is_run_and_shown():
    assert {s.stem for s in SCRIPTS} == set(PRINTS)
    page = (ROOT / "book" / "examples.md").read_text("utf-8")
    for file in (ROOT / "examples").iterdir():
        assert f"{{literalinclude}} ../examples/{file.name}" in page


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda s: s.stem)
def test_an_example_runs_on_what_it_needs(script, tmp_path):
    command = [sys.executable, "-c", HIDE, ROOT, script, *core_dependencies(), *needs(script)]
    assert re.search(PRINTS[script.stem], ran(command, tmp_path, path_of(ROOT)))


def test_what_an_example_does_not_need_is_hidden(tmp_path):
    script = tmp_path / "one.py"
    script.write_text("import pandas")
    command = [sys.executable, "-c", HIDE, ROOT, script, *core_dependencies()]
    with pytest.raises(AssertionError, match="No module named 'pandas'"):
        ran(command, tmp_path, path_of(ROOT))


@pytest.mark.skipif(os.name == "nt", reason="a shell script")
def test_the_array_script_stores_a_run_for_its_seed(tmp_path):
    """As Slurm runs it: the seed in a variable, no other argument."""
    python = Path(sys.executable).parent
    environment = {**path_of(ROOT), "PATH": f"{python}{os.pathsep}{os.environ['PATH']}"}
    environment |= {"SLURM_ARRAY_TASK_ID": "3", "BUDGET": "smoke"}
    out = ran(["bash", ROOT / "examples" / "slurm_array.sh"], tmp_path, environment)
    assert out.startswith("Ran 2.")
    assert (tmp_path / "results-array" / "3" / "runs" / "yeast.jsonl").exists()


@pytest.mark.fresh
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda s: s.stem)
def test_an_example_runs_beside_an_installed_wheel(script, wheel, tmp_path):  # noqa: F811
    uv = shutil.which("uv") or Path(sys.executable).with_name("uv")
    where = tmp_path / "fresh"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", where], check=True)
    python = where / ("Scripts" if os.name == "nt" else "bin") / "python"
    subprocess.run([uv, "pip", "install", "--python", python, wheel, *needs(script)], check=True)
    shutil.copy(script, tmp_path)
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    assert re.search(PRINTS[script.stem], ran([python, script.name], tmp_path, environment))
