"""What nbval does not see: pairs out of step, stripped outputs, missing alt texts, dead links.

No kernel is started here, save for one small notebook that shows nbval catching a changed number.
"""

import base64
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import yaml

from book._tools.run_notebooks import (
    BOOK,
    COVER,
    cover_image,
    inputs,
    keep_outputs,
    read_chapter,
)

ROOT = BOOK.parent
NOTEBOOKS = sorted(BOOK.glob("*.ipynb"))
each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)


def test_the_first_cell_clones_once_and_finds_the_clone_after_a_restart(tmp_path):
    """Nothing installed and nothing beside, as on Colab; a restart is back in the first folder."""
    remote, session = tmp_path / "remote", tmp_path / "content"
    for file in ("herocon_lite/__init__.py", "herocon_lite/environment.py", "book/intro.md"):
        (remote / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, remote / file)
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        subprocess.run(["git", *who, *words], cwd=remote, check=True)
    session.mkdir()
    cells = nbformat.read(NOTEBOOKS[0], as_version=4).cells
    first = next(c.source for c in cells if c.cell_type == "code")  # the same in every chapter
    code = f"{first}\nassert os.getcwd().endswith('repo/book')"
    environment = {**os.environ, "HEROCON_REPO": remote.as_uri()}
    for _ in range(2):
        alone = [sys.executable, "-I", "-S", "-c", code]
        subprocess.run(alone, cwd=session, env=environment, check=True)


# ---------------------------------------------------------------- the checks


def assert_in_step(path: Path) -> None:
    script = path.with_suffix(".py")
    assert script.exists(), f"{path.name} has no paired script"
    stored, made = nbformat.read(path, as_version=4), read_chapter(script)
    assert inputs(stored) == inputs(made), (
        f"out of step: run `python book/_tools/run_notebooks.py book/{script.name}`"
    )
    assert stored.metadata == made.metadata, f"{path.name}: another header than run_notebooks.py's"


def assert_was_run(path: Path) -> None:
    """nbval compares nothing for a cell that was never run, so a stripped notebook would pass."""
    cells = [c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]
    assert [c.execution_count for c in cells] == list(range(1, len(cells) + 1)), (
        f"not run from top to bottom: run `python book/_tools/run_notebooks.py book/{path.stem}.py`"
    )
    assert any(c.outputs for c in cells), "no output is stored"
    # A print whose output is gone would only be compared with nothing.
    for c in cells[1:]:  # the set-up cell prints only where it clones
        assert c.outputs or "print(" not in c.source or "def " in c.source, c.source
        assert not any(o.output_type == "error" for o in c.outputs), c.source
        streams = [o.name for o in c.outputs if o.output_type == "stream"]
        assert len(streams) == len(set(streams)), f"printed in pieces:\n{c.source}"


def assert_figures_have_alt_text(path: Path) -> None:
    for cell in nbformat.read(path, as_version=4).cells:
        if any("image/png" in o.get("data", {}) for o in cell.get("outputs", [])):
            alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
            assert len(alt) > 40, f"describe this figure in mystnb.image.alt:\n{cell.source}"


def assert_results_come_from_cells(path: Path) -> None:
    """A number with three decimals in prose is a result that nothing checks, or it is a constant
    and its cell says so with the tag `constants`."""
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown" and "constants" not in cell.metadata.get("tags", []):
            typed = re.findall(r"\d*\.\d{3,}", cell.source)
            assert not typed, f"{typed} typed in prose; print it in a cell:\n{cell.source}"


def assert_code_fits_the_page(path: Path) -> None:
    """What is wider scrolls sideways in a window of 1280 pixels (book.css)."""
    for cell in nbformat.read(path, as_version=4).cells:
        unseen = {"remove-cell", "remove-input"} & {*cell.metadata.get("tags", [])}
        if cell.cell_type == "code" and not unseen:
            wide = [line for line in cell.source.splitlines() if len(line) > 80]
            assert not wide, f"over 80 columns: {wide}"


CHECKS = [
    assert_in_step,
    assert_was_run,
    assert_figures_have_alt_text,
    assert_results_come_from_cells,
    assert_code_fits_the_page,
]


@each_notebook
@pytest.mark.parametrize("check", CHECKS, ids=lambda c: c.__name__)
def test_notebook(path, check):
    check(path)


def test_every_notebook_is_in_the_table_of_contents():
    toc = yaml.safe_load((BOOK / "_toc.yml").read_text())
    listed = {c["file"] for part in toc["parts"] for c in part["chapters"]}
    assert NOTEBOOKS
    assert {p.stem for p in NOTEBOOKS} <= listed
    for name in listed:
        assert (BOOK / f"{name}.ipynb").exists() or (BOOK / f"{name}.md").exists()


def test_the_cover_is_the_figure_of_its_cell():
    covers = [
        cover_image(c)
        for p in NOTEBOOKS
        for c in nbformat.read(p, as_version=4).cells
        if "cover" in c.metadata.get("tags", [])
    ]
    assert len(covers) == 1
    assert COVER.read_bytes() == base64.b64decode(covers[0])


# ---------------------------------------------------------------- one address for all links


def config() -> dict:
    return yaml.safe_load((ROOT / "_config.yml").read_text())


@each_notebook
def test_a_script_begins_with_its_title_and_has_no_set_up_of_its_own(path):
    """Header and set-up cell are injected; `assert_in_step` holds the notebook to them."""
    script = path.with_suffix(".py").read_text()
    assert script.startswith("# %% [markdown]\n# # "), f"{path.stem}: the title comes first"
    assert "HEROCON_REPO" not in script and "jupytext" not in script


@each_notebook
def test_the_set_up_cell_clones_the_configured_address_and_says_nothing_here(path):
    first = next(c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code")
    assert f'"{config()["repository"]["url"]}"' in first.source
    assert first.metadata.tags == ["remove-cell"] and first.outputs == []


def test_the_address_is_the_configured_one():
    url = config()["repository"]["url"]
    text = (ROOT / "CITATION.cff").read_text()
    assert url in text
    assert text.count("github") == text.count(url.removeprefix("https://github.com/"))


# ---------------------------------------------------------------- the checks see what they should


@pytest.fixture
def pair(tmp_path):
    """A healthy pair: title, set-up cell, one cell that prints."""
    path = tmp_path / "toy.ipynb"
    path.with_suffix(".py").write_text("# %% [markdown]\n# # Toy\n\n# %%\nprint(1.25)\n")
    notebook = read_chapter(path.with_suffix(".py"))
    notebook.cells[1].execution_count, notebook.cells[2].execution_count = 1, 2
    notebook.cells[2].outputs = [nbformat.v4.new_output("stream", name="stdout", text="1.25\n")]
    nbformat.write(notebook, path)
    for check in CHECKS:
        check(path)
    return path


def nbval(path: Path) -> int:
    command = [sys.executable, "-m", "pytest", "-q", "-c", str(ROOT / "pyproject.toml")]
    command += ["--rootdir", str(ROOT), "--nbval", str(path)]
    return subprocess.run(command, cwd=ROOT, capture_output=True).returncode


def test_nbval_passes_a_true_number_and_fails_a_changed_one(pair):
    assert nbval(pair) == 0
    pair.write_text(pair.read_text().replace('"1.25\\n"', '"1.26\\n"'))
    assert nbval(pair) == 1


def test_an_edited_half_of_a_pair_is_seen_and_can_be_brought_in_step(pair):
    script = pair.with_suffix(".py")
    script.write_text(script.read_text().replace("1.25", "1.26"))
    with pytest.raises(AssertionError, match="out of step"):
        assert_in_step(pair)
    assert keep_outputs(script) and not keep_outputs(script)
    assert_in_step(pair)
    assert nbval(pair) == 1  # the stored output is still 1.25


def test_outputs_are_kept_only_while_the_cells_are_the_same(pair):
    script = pair.with_suffix(".py")
    script.write_text(script.read_text() + "\n# %%\nprint(2)\n")
    with pytest.raises(SystemExit, match="run the chapter"):
        keep_outputs(script)


def test_an_edited_set_up_cell_is_seen(pair):
    notebook = nbformat.read(pair, as_version=4)
    notebook.cells[1].source += "\n!pip install torch"
    nbformat.write(notebook, pair)
    with pytest.raises(AssertionError, match="out of step"):
        assert_in_step(pair)


@pytest.mark.parametrize("field", ["execution_count", "outputs"])
def test_stripped_outputs_are_seen(pair, field):
    notebook = nbformat.read(pair, as_version=4)
    notebook.cells[2][field] = None if field == "execution_count" else []
    nbformat.write(notebook, pair)
    with pytest.raises(AssertionError):
        assert_was_run(pair)


def test_a_result_typed_in_prose_is_seen(pair):
    notebook = nbformat.read(pair, as_version=4)
    notebook.cells[0].source = "F1 is 0.613 and version 1.2.3 of 1,000.25 is fine."
    nbformat.write(notebook, pair)
    with pytest.raises(AssertionError, match=r"\['0.613'\] typed in prose"):
        assert_results_come_from_cells(pair)
    notebook.cells[0].metadata["tags"] = ["constants"]
    nbformat.write(notebook, pair)
    assert_results_come_from_cells(pair)


def test_a_figure_without_alt_text_is_seen(pair):
    notebook = nbformat.read(pair, as_version=4)
    notebook.cells[2].outputs = [nbformat.v4.new_output("display_data", {"image/png": "iVBORw0K"})]
    nbformat.write(notebook, pair)
    with pytest.raises(AssertionError, match="alt"):
        assert_figures_have_alt_text(pair)


def test_code_that_scrolls_sideways_is_seen(pair):
    notebook = nbformat.read(pair, as_version=4)
    notebook.cells[2].source = f"x = 1  # {'-' * 71}"
    nbformat.write(notebook, pair)
    assert_code_fits_the_page(pair)
    notebook.cells[2].source += "-"
    nbformat.write(notebook, pair)
    with pytest.raises(AssertionError, match="over 80 columns"):
        assert_code_fits_the_page(pair)
