"""Run chapters top to bottom and store their outputs: name.py → name.ipynb, in the same folder.

    python book/_tools/run_notebooks.py                 chapters whose inputs changed (inputs.py)
    python book/_tools/run_notebooks.py --all           every chapter
    python book/_tools/run_notebooks.py book/scene.py   some, in any case
    python book/_tools/run_notebooks.py --keep-outputs  write changed sources only, run nothing

Edit the .py of a pair; its .ipynb is made here. A .py begins with its own first cell: the
notebook's metadata and the set-up cell (setup_cell.py, with the address of _config.yml) are added
by `read_chapter`. A cell tagged `cover` also gives the picture of the README.
"""

import argparse
import asyncio
import base64
import copy
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import jupytext
import nbformat
import yaml
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from book._tools import inputs as dependencies  # noqa: E402 (this file is run as a script, too)

BOOK = ROOT / "book"
COVER = BOOK / "_static" / "cover.png"
METADATA = {
    "accelerator": "GPU",
    "colab": {"gpuType": "T4"},
    # For JupyterLab with jupytext: it pairs the two files and adds no header to the .py.
    "jupytext": {
        "cell_metadata_filter": "tags,mystnb,-all",
        "formats": "ipynb,py:percent",
        "notebook_metadata_filter": "-all",
    },
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
}


def repository() -> str:
    """Return the public address, which only _config.yml holds."""
    return yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))["repository"]["url"]


def setup_cell() -> nbformat.NotebookNode:
    """Return the cell that makes herocon_lite importable wherever a chapter is opened."""
    source = Path(__file__).with_name("setup_cell.py").read_text("utf-8").strip()
    source = source.replace("REPOSITORY", repository())
    return nbformat.v4.new_code_cell(source, metadata={"tags": ["remove-cell"]})


def read_chapter(script: Path) -> nbformat.NotebookNode:
    """Return a script as the notebook to be made of it, without outputs.

    The set-up cell comes second, so that a page begins with its title.
    """
    notebook = jupytext.reads(script.read_text("utf-8"), fmt="py:percent")
    notebook.metadata = nbformat.from_dict(copy.deepcopy(METADATA))
    notebook.cells.insert(1, setup_cell())
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"  # the same names each time: small diffs
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return notebook


def inputs(notebook: nbformat.NotebookNode) -> list[tuple]:
    """Return what a pair must agree on: of each cell its kind, source, tags and mystnb."""
    return [
        (c.cell_type, c.source, c.metadata.get("tags", []), c.metadata.get("mystnb"))
        for c in notebook.cells
    ]


def run(script: Path) -> Path:
    """Execute a chapter; write its notebook and what it was made from."""
    notebook = read_chapter(script)
    with_watch = copy.copy(notebook)
    before, after = map(nbformat.v4.new_code_cell, (dependencies.WATCH, dependencies.REPORT))
    with_watch.cells = [before, *notebook.cells, after]
    client = NotebookClient(
        with_watch,
        timeout=None,
        record_timing=False,  # a second run changes nothing
        coalesce_streams=True,  # what one cell prints is one output, however slowly it came
        kernel_name="python3",
        resources={"metadata": {"path": str(script.parent)}},
    )

    async def execute() -> None:  # in one event loop: with one a cell, waiting costs processor time
        async with client.async_setup_kernel():
            for number, cell in enumerate(with_watch.cells):
                history = cell is not before and cell is not after
                await client.async_execute_cell(cell, number, store_history=history)

    asyncio.run(execute())
    nbformat.write(notebook, script.with_suffix(".ipynb"))
    dependencies.save(script, dependencies.used(after.outputs[0].text))
    for cell in notebook.cells:
        if "cover" in cell.metadata.get("tags", []):
            COVER.write_bytes(base64.b64decode(cover_image(cell)))
    return script


def keep_outputs(script: Path) -> bool:
    """Bring a notebook's sources in step without running it; return whether anything changed.

    Only for edits that cannot change an output: the outputs stay with the cell at their place.
    """
    new, path = read_chapter(script), script.with_suffix(".ipynb")
    old = nbformat.read(path, as_version=4)
    kinds = [[cell.cell_type for cell in notebook.cells] for notebook in (new, old)]
    if kinds[0] != kinds[1]:
        raise SystemExit(f"{script.name}: cells were added or removed; run the chapter instead.")
    for fresh, stored in zip(new.cells, old.cells, strict=True):
        if fresh.cell_type == "code":
            fresh.outputs, fresh.execution_count = stored.outputs, stored.execution_count
    before = path.read_text("utf-8")
    nbformat.write(new, path)
    return path.read_text("utf-8") != before


def cover_image(cell: nbformat.NotebookNode) -> str:
    """Return a cell's picture as base64."""
    return next(out.data["image/png"] for out in cell.outputs if "image/png" in out.get("data", {}))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Run chapters and store their outputs.")
    parser.add_argument("scripts", nargs="*", type=Path, help="book/NAME.py …; none: the changed")
    parser.add_argument("--all", action="store_true", help="run every chapter")
    parser.add_argument("--keep-outputs", action="store_true", help="write sources, run nothing")
    parser.add_argument("--jobs", type=int, default=2, help="chapters at a time (default: 2)")
    chosen = parser.parse_args()
    scripts = [p.resolve() for p in chosen.scripts]
    if chosen.keep_outputs:
        for path in scripts or sorted(BOOK.glob("*.py")):
            print("changed" if keep_outputs(path) else "same   ", path.name, flush=True)
        return
    for path in [] if scripts else sorted(BOOK.glob("*.py")):
        differ = dependencies.changed(path)
        if differ or chosen.all:
            scripts.append(path)
            print(path.name, "is run, for", ", ".join(differ[:3]) or "--all", flush=True)
    with ProcessPoolExecutor(chosen.jobs) as pool:
        for path in pool.map(run, scripts):
            print("ran", path.name, flush=True)


if __name__ == "__main__":
    main()
