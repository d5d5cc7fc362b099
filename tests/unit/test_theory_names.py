"""What the theory package offers, and what it may not use."""

import ast
import inspect
from pathlib import Path

import pytest

from herocon_lite import theory

FUNCTIONS = [name for name in theory.__all__ if inspect.isfunction(getattr(theory, name))]
VERBS = {"Return", "Draw", "Estimate", "Measure", "Minimise", "Run", "Sum", "Train"}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_has_an_example_and_an_imperative_first_line(name):
    doc = inspect.getdoc(getattr(theory, name))
    assert ">>> " in doc
    assert doc.split()[0] in VERBS


def test_theory_neither_trains_methods_nor_writes_files():
    for path in Path(theory.__file__).parent.glob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        imported = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
        for part in ("repro", "train", "methods", "data", "checkpoint", "estimator"):
            assert not any(m.startswith(f"herocon_lite.{part}") for m in imported), path.name
        names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
        assert not names & {"open", "Path", "print"}, path.name
