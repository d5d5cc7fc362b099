"""An installed wheel carries the embedded sets, and no download; it runs on its dependencies."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Built from a copy, with a file that a user has downloaded lying in data/."""
    copy = tmp_path_factory.mktemp("copy")
    for folder in ("herocon_lite", "data"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, copy)
    (copy / "data" / "celeba").mkdir(exist_ok=True)
    (copy / "data" / "celeba" / "downloaded.npz").write_bytes(b"not ours to give away")
    code = "import setuptools.build_meta as build; build.build_wheel('dist')"
    subprocess.run([sys.executable, "-c", code], cwd=copy, check=True, capture_output=True)
    (path,) = (copy / "dist").glob("*.whl")
    return path


def test_wheel_holds_the_embedded_sets_and_nothing_downloaded(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    embedded = sorted(Path(name).name for name in names if "/embedded/" in name)
    assert embedded == ["NOTICES.txt", "README.md", "mfeat.npz", "mnist5k.npz", "yeast.npz"]
    assert not any("downloaded" in name or "/celeba/" in name for name in names)


def test_wheel_holds_every_module_and_its_data(wheel):
    kept = (".py", ".yaml", ".mplstyle")
    files = (p for p in (ROOT / "herocon_lite").rglob("*") if p.suffix in kept)
    wanted = {p.relative_to(ROOT).as_posix() for p in files}
    assert wanted | {"herocon_lite/py.typed"} <= set(zipfile.ZipFile(wheel).namelist())


def test_embedded_sets_load_from_an_installed_wheel(wheel, tmp_path):
    """Installing a pure wheel is unpacking it; no network, no checkout on the path."""
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    code = """
import socket, sys
socket.socket = None
sys.path.insert(0, sys.argv[1])
from herocon_lite.data import doctor, fetch, load
assert fetch.__file__.startswith(sys.argv[1]), fetch.__file__
for name in ("mnist5k", "yeast", "mfeat", "faces"):
    load(name)
    assert doctor(name) == 0
"""
    environment = {key: value for key, value in os.environ.items() if key != "HEROCON_DATA"}
    subprocess.run(
        [sys.executable, "-c", code, str(site)],
        check=True,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
    )


def core_dependencies() -> list[str]:
    project = (ROOT / "pyproject.toml").read_text()
    block = re.search(r"^dependencies = \[(.*?)^\]", project, re.M | re.S).group(1)
    return re.findall(r'"([\w-]+)', block)


def test_the_core_runs_on_its_own_dependencies():
    """In this environment, with every other package hidden."""
    command = [sys.executable, ROOT / "tests" / "core_alone.py", "--block", *core_dependencies()]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=path_of(ROOT))
    assert done.returncode == 0, done.stdout + done.stderr
    wanted = 'encoder="vgg" needs torchvision, which is not installed: pip install'
    assert done.stdout.startswith(wanted)


@pytest.mark.fresh
def test_the_wheel_runs_in_a_fresh_environment(wheel, tmp_path):
    """uv must be on the path or in this environment; packages come from its cache or an index."""
    uv = shutil.which("uv") or Path(sys.executable).with_name("uv")
    where = tmp_path / "fresh"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", where], check=True)
    python = where / ("Scripts" if os.name == "nt" else "bin") / "python"
    subprocess.run([uv, "pip", "install", "--python", python, wheel], check=True)
    listed = [uv, "pip", "list", "--python", python]
    installed = subprocess.run(listed, check=True, capture_output=True, text=True).stdout
    assert "torchvision" not in installed and "pandas" not in installed
    shutil.copy(ROOT / "tests" / "core_alone.py", tmp_path)
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    command = [python, tmp_path / "core_alone.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr


def path_of(folder: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(folder)}
