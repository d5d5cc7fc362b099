"""Run chapters as Colab would: each notebook alone in an empty folder, herocon_lite not installed.

    python book/_tools/colab.py              every chapter, with the versions of this environment
    python book/_tools/colab.py scene cost   some
    python book/_tools/colab.py --lowest     with the oldest versions allowed (.venv-lowest)

tests/book/test_colab.py does the first for three chapters, without a network.
The set-up cell then clones the repository: here the last commit of this checkout. What Colab has
installed today cannot be looked up from here, so the oldest and the newest versions stand for it.
"""

import argparse
import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "book"


def libraries_of(environment: Path) -> Path:
    """Return the folder of an environment's libraries."""
    return next((environment / "lib").glob("python*/site-packages"))


def make_kernel(folder: Path, libraries: Path) -> str:
    """Make a kernel that has all libraries and no herocon_lite; return its name.

    A .pth file adds the libraries' folder, and Python reads no .pth file of a folder added so:
    what is installed there "editable" stays unknown.
    """
    venv.create(folder / "python", symlinks=True)
    (libraries_of(folder / "python") / "libraries.pth").write_text(str(libraries))
    python = str(folder / "python" / "bin" / "python")
    spec = {"argv": [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"]}
    spec |= {"display_name": "alone", "language": "python"}
    kernel = folder / "jupyter" / "kernels" / "alone"
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text(json.dumps(spec))
    os.environ["JUPYTER_PATH"] = str(folder / "jupyter")
    return "alone"


def run_alone(notebook: Path, repository: Path, kernel: str, folder: Path) -> nbformat.NotebookNode:
    """Run a notebook in an empty folder and return it with its outputs; a cell that fails raises.

    Args:
        notebook: the chapter.
        repository: what the set-up cell clones.
        kernel: of :func:`make_kernel`.
        folder: empty, or not there yet.
    """
    folder.mkdir(parents=True, exist_ok=True)
    copy = nbformat.read(notebook, as_version=4)
    keep = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "HEROCON_DATA")}
    environment = keep | {"HEROCON_REPO": repository.as_uri()}
    resources = {"metadata": {"path": str(folder)}}
    client = NotebookClient(copy, timeout=None, kernel_name=kernel, resources=resources)
    client.execute(env=environment)
    return copy


def clone(folder: Path) -> Path:
    """Clone the last commit of this checkout."""
    command = ["git", "clone", "-q", "--depth", "1", ROOT.as_uri(), str(folder)]
    subprocess.run(command, check=True)
    return folder


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Run chapters as Colab would.")
    parser.add_argument("chapters", nargs="*", help="such as scene; none: all")
    parser.add_argument("--lowest", action="store_true", help="with .venv-lowest")
    chosen = parser.parse_args()
    libraries = Path(sysconfig.get_paths()["purelib"])
    if chosen.lowest:
        if not (ROOT / ".venv-lowest/ready").exists():
            sys.exit("No .venv-lowest here; `make test-lowest` sets it up.")
        libraries = libraries_of(ROOT / ".venv-lowest")
    names = chosen.chapters or sorted(p.stem for p in BOOK.glob("*.ipynb"))
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        repository = clone(folder / "remote")
        kernel = make_kernel(folder, libraries)
        for name in names:
            try:
                run_alone(BOOK / f"{name}.ipynb", repository, kernel, folder / name)
            except Exception as error:  # the next chapter runs all the same
                failed.append(name)
                print("failed ", name, str(error)[-1500:], sep="\n", flush=True)
            else:
                print("ran    ", name, flush=True)
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
