"""Run chapters top to bottom and store their outputs: .py → .ipynb, in the chapter's own folder.

    python book/_tools/run_notebooks.py                 every chapter
    python book/_tools/run_notebooks.py book/01_*.py    some

The .py file of a pair is the one edited by hand; its .ipynb is made here. A cell tagged `cover`
also gives the picture of the README.
"""

import base64
import sys
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "book"
COVER = BOOK / "_static" / "cover.png"


def run(script: Path) -> None:
    notebook = jupytext.read(script)
    notebook.metadata.jupytext.formats = "ipynb,py:percent"
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"  # the same names each time: small diffs
    # No timestamps: a second run changes nothing.
    NotebookClient(
        notebook,
        timeout=None,
        record_timing=False,
        coalesce_streams=True,  # what one cell prints is one output, however slowly it came
        kernel_name="python3",
        resources={"metadata": {"path": str(script.parent)}},
    ).execute()
    notebook.metadata.pop("language_info", None)  # names this machine's Python version
    nbformat.write(notebook, script.with_suffix(".ipynb"))
    for cell in notebook.cells:
        if "cover" in cell.metadata.get("tags", []):
            COVER.write_bytes(base64.b64decode(cover_image(cell)))


def cover_image(cell: nbformat.NotebookNode) -> str:
    return next(out.data["image/png"] for out in cell.outputs if "image/png" in out.get("data", {}))


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    import tests.conftest  # noqa: F401  the environment in which the tests run the cells again

    for path in [Path(name).resolve() for name in sys.argv[1:]] or sorted(BOOK.glob("*.py")):
        run(path)
        print("ran", path.name, flush=True)
