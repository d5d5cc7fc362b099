"""Every number on a page is compared: few cells may vary, and a changed decimal makes nbval fail.

No kernel is started: a stored output is compared with a copy in which one decimal was changed, by
nbval's own comparison. That the stored output is what the code gives, nbval itself shows.
"""

import copy
import random
import re
from types import SimpleNamespace

import nbformat
import pytest
from nbval.plugin import IPyNbCell, IPyNbFile, get_sanitize_patterns

from book._tools.run_notebooks import BOOK, ROOT

NOTEBOOKS = sorted(BOOK.glob("*.ipynb"))
# Why the output of a cell may differ from run to run.
REASONS = {
    "varies-time": "it shows how long something took",
    "varies-machine": "it shows what the machine is or has",
}
MOST_CELLS, MOST_DECIMALS = 12, 60
DECIMAL = re.compile(r"\d+\.\d+")


def code_cells(path):
    return [c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]


def ignored(cell) -> bool:
    return "nbval-ignore-output" in cell.metadata.get("tags", []) or "NBVAL_" in cell.source


def texts(output):
    """Yield the container, the key and the text of all that an output says; pictures are none."""
    if "text" in output:
        yield output, "text", output["text"]
    for kind, content in output.get("data", {}).items():
        if not kind.startswith("image/"):
            yield output["data"], kind, content if isinstance(content, str) else None


def compare(stored, fresh, patterns) -> bool:
    """Compare outputs as nbval does with the flags of pyproject.toml."""
    quiet = SimpleNamespace(OKBLUE="", FAIL="", ENDC="")
    skipped = ("metadata", "traceback", "prompt_number", "output_type", "name", "execution_count")
    widgets = ("application/vnd.jupyter.widget-view+json", "image/png", "image/jpeg")
    cell = SimpleNamespace(
        parent=SimpleNamespace(skip_compare=skipped + widgets, sanitize_patterns=patterns),
        colors=quiet,
        format_output_compare=lambda *_: None,
    )
    cell.sanitize = lambda text: IPyNbCell.sanitize(cell, text)
    return IPyNbCell.compare_outputs(cell, fresh, stored)


@pytest.fixture(scope="module")
def patterns():
    return dict(get_sanitize_patterns((ROOT / "tests/nbval_sanitize.cfg").read_text()))


def tampered(outputs, choose):
    """Return a copy of outputs with one decimal changed, and the decimal; None if there is none."""
    new = copy.deepcopy(outputs)
    places = [
        (container, key, found)
        for output in new
        for container, key, text in texts(output)
        if text
        for found in DECIMAL.finditer(text)
    ]
    if not places:
        return None
    container, key, found = choose(places)
    digit = (int(found.group()[-1]) + 1) % 10
    text = container[key]
    container[key] = f"{text[: found.end() - 1]}{digit}{text[found.end() :]}"
    return new, found.group()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_changed_decimal_of_any_compared_cell_is_seen(path, patterns):
    """One decimal a cell, drawn at random; the chapter's name is the seed."""
    draw = random.Random(path.stem)
    for number, cell in enumerate(code_cells(path)):
        changed = None if ignored(cell) else tampered(cell.outputs, draw.choice)
        if changed:
            new, decimal = changed
            assert compare(cell.outputs, copy.deepcopy(cell.outputs), patterns)
            assert not compare(cell.outputs, new, patterns), f"cell {number}: {decimal} may change"


def test_few_cells_may_vary_each_with_its_reason():
    cells, decimals = [], 0
    for path in NOTEBOOKS:
        for cell in code_cells(path):
            reasons = [t for t in cell.metadata.get("tags", []) if t.startswith("varies-")]
            if not ignored(cell):
                assert not reasons, f"{path.name}: {reasons} on a cell that is compared"
            elif cell.outputs:
                named = len(reasons) == 1 and reasons[0] in REASONS
                assert named, f"{path.name}: why does this vary?\n{cell.source}"
                cells.append(path.name)
                decimals += sum(
                    len(DECIMAL.findall(text))
                    for output in cell.outputs
                    for _, kind, text in texts(output)
                    if text and kind != "text/html"
                )
    assert len(cells) <= MOST_CELLS, cells
    assert decimals <= MOST_DECIMALS, decimals


def test_nothing_hides_a_decimal_from_the_comparison(patterns):
    """A picture aside, all kinds of output are compared, and no pattern of the config eats one."""
    assert not any(re.search(pattern, "12.345 0.1 +1.02") for pattern in patterns)
    for path in NOTEBOOKS:
        for cell in code_cells(path):
            for output in cell.outputs:
                kinds = set(output.get("data", {})) - {"image/png"}
                known = {
                    "text/plain",
                    "text/html",
                    "text/markdown",
                    "application/vnd.plotly.v1+json",
                }
                assert kinds <= known, (path.name, kinds)
                assert "image/png" not in output.get("data", {}) or "text/html" not in kinds


def test_the_comparison_is_the_one_of_the_test_run(pytestconfig):
    """`make test` compares all cells that are not tagged: no lax mode, no other skipped kinds."""
    command = (ROOT / "Makefile").read_text()
    assert "--nbval " in command and "--nbval-lax" not in command
    assert "nbval-lax" not in (ROOT / "pyproject.toml").read_text()
    assert callable(IPyNbFile.setup_sanitize_files)
