"""An installed wheel carries the embedded sets, and no download."""

import os
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
    assert not any("downloaded" in name or "celeba" in name for name in names)


def test_wheel_holds_every_module_and_its_data(wheel):
    kept = (".py", ".yaml", ".mplstyle")
    files = (p for p in (ROOT / "herocon_lite").rglob("*") if p.suffix in kept)
    wanted = {p.relative_to(ROOT).as_posix() for p in files}
    assert wanted <= set(zipfile.ZipFile(wheel).namelist())


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
