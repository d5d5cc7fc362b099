"""The check behind an exercise's blank."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from IPython.display import Markdown


def attempt(exercise: str, *values: object, folder: str | Path = "exercises") -> Markdown:
    """Say in words whether an answer to an exercise is right.

    Args:
        exercise: "page.name": the function ``name`` of ``book/exercises/page.py`` returns whether
            the values are right; its docstring is the hint.
        values: the reader's; dots still stand for a blank.
        folder: where the exercises are, seen from the chapter.
    """
    page, name = exercise.split(".")
    spec = importlib.util.spec_from_file_location(page, Path(folder) / f"{page}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    test = getattr(module, name)
    hint = f"*Hint:* {' '.join(test.__doc__.split())}"
    if any(value is ... for value in values):
        return Markdown(f"✗ Not yet: replace the dots. {hint}")
    try:
        right = test(*values)
    except Exception as error:  # whatever a reader's answer raises is told, not thrown
        return Markdown(f"✗ Your answer raised {type(error).__name__}: {error}. {hint}")
    return Markdown("✓ Right." if right else f"✗ Not quite. {hint}")
