"""The core knows nothing of the reproduction; nothing imports in a circle; files stay readable."""

import ast
import re
import sys
from pathlib import Path

import pytest

from book._tools import import_graph

ROOT = Path(__file__).resolve().parents[2]
MODULES = import_graph.modules()
REPRO = "herocon_lite.repro"
MOST_LINES, MOST_OF_A_FUNCTION = 450, 60
# What a requirement is called when it is imported.
IMPORTED_AS = {"scikit-learn": "sklearn", "pyyaml": "yaml", "pillow": "PIL", "ipython": "IPython"}


def is_repro(name: str) -> bool:
    return f"{name}.".startswith(f"{REPRO}.")


def test_the_core_imports_nothing_of_the_reproduction():
    upward = {
        name: [other for other in others if is_repro(other)]
        for name, others in import_graph.graph().items()
        if not is_repro(name)
    }
    assert {name: found for name, found in upward.items() if found} == {}


def test_nothing_imports_in_a_circle():
    assert import_graph.cycle(import_graph.graph()) == []


def test_a_circle_and_an_upward_edge_would_be_found(tmp_path):
    assert import_graph.cycle({"a": frozenset("b"), "b": frozenset("c"), "c": frozenset("b")})
    file = tmp_path / "inner.py"
    file.write_text("def f():\n    from herocon_lite.repro import store\n")
    assert import_graph.imports(file, "inner", MODULES) == {f"{REPRO}.store"}


def test_the_picture_is_of_these_imports():
    drawn = import_graph.PICTURE.read_text("utf-8")
    assert import_graph.fingerprint() in drawn, "run python book/_tools/import_graph.py"


def declared(block: str) -> set[str]:
    """The modules of a list of requirements in pyproject.toml."""
    text = (ROOT / "pyproject.toml").read_text()
    found = re.search(rf"^{block} = \[(.*?)^\]", text, re.M | re.S).group(1)
    return {IMPORTED_AS.get(n, n) for n in re.findall(r'"([\w-]+)', found)}


def test_only_declared_packages_are_imported():
    core = declared("dependencies") | {*sys.stdlib_module_names, "herocon_lite"}
    optional = {"lightly", "info_nce", "pytorch_metric_learning", "torchmetrics"}  # bench says so
    for name, path in MODULES.items():
        allowed = core | (declared("repro") | optional if is_repro(name) else set())
        for node in import_graph.nodes(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module]
            for top in {n.partition(".")[0] for n in names}:
                assert top in allowed, f"{name} imports {top}"


@pytest.mark.parametrize("name", MODULES)
def test_files_and_functions_are_short(name):
    text = MODULES[name].read_text("utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            words = node.body[0]
            documented = ast.get_docstring(node) is not None
            docstring = words.end_lineno - words.lineno + 1 if documented else 0
            lines = node.end_lineno - node.lineno + 1 - docstring
            assert lines <= MOST_OF_A_FUNCTION, f"{node.name} has {lines} lines"
