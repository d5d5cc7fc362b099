"""Which runs a page needs: the commands of its file in ``questions/``, one run at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from herocon_lite.repro import questions
from herocon_lite.repro.settings import Run


def pages() -> list[str]:
    """Return the names of the pages that compare runs.

    Example:
        >>> "scene" in pages()
        True
    """
    return sorted(path.stem for path in Path(questions.__file__).parent.glob("*.yaml"))


def runs(page: str) -> list[Run]:
    """Return the runs of a page, seed by seed within each of its commands.

    Example:
        >>> first = runs("scene")[0]
        >>> first.data, first.method, first.seed
        ('scene', 'dnn', 0)
    """
    asked = questions.read(page)
    return [run for entry in asked.commands for run in expand(entry, asked.stores)]


def expand(entry: Mapping[str, Any], stores: Mapping[str, Mapping]) -> Iterator[Run]:
    """List the runs of one entry under ``commands``.

    Args:
        entry: methods and seeds; ``stores``, which of them (default: the page's own); ``each``,
            sets of changes that are made one at a time; whatever else differs from the usual.
        stores: of the page.
    """
    other = {k: v for k, v in entry.items() if k not in ("methods", "seeds", "stores", "each")}
    changes = other.pop("changes", {})
    for store in entry.get("stores", [next(iter(stores))]):
        usual = {k: v for k, v in stores[store].items() if v is not None and k != "changes"}
        for each in entry.get("each", [{}]):
            overrides = stores[store].get("changes", {}) | changes | each
            views = overrides.pop("views", None)
            kind = usual | other | {"views": views, "overrides": tuple(overrides.items())}
            for seed in questions.seeds(entry["seeds"]):
                for method in entry["methods"]:
                    yield Run(method=method, seed=seed, **({"budget": "paper"} | kind))
