"""Use the core as somebody who has its own dependencies alone: python tests/core_alone.py.

Runs every example of the core's docstrings, each loss and the estimator among them. Imports
nothing else of this repository, so that it also runs beside an installed wheel. ``--block`` hides
all other packages, which makes a full environment look like a fresh one.
"""

import doctest
import importlib
import pkgutil
import sys
from importlib.metadata import packages_distributions, requires

EXTRAS = ("repro", "theory")  # not the core


def canonical(requirement: str) -> str:
    name = requirement.split(";")[0].split("[")[0]
    for sign in "<>=!~ (":
        name = name.split(sign)[0]
    return name.lower().replace("_", "-")


def needed(names: list[str]) -> set[str]:
    """The distributions and everything that they require, without extras."""
    found, left = set(), list(names)
    while left:
        name = canonical(left.pop())
        if name not in found:
            found.add(name)
            try:
                left += [r for r in requires(name) or () if "extra ==" not in r]
            except importlib.metadata.PackageNotFoundError:  # for another system
                continue
    return found


class Blocker:
    """Finds no module of a distribution that the core does not require."""

    def __init__(self, allowed: set[str]) -> None:
        known = packages_distributions().items()
        self.hidden = {m for m, dists in known if not {canonical(d) for d in dists} & allowed}
        self.hidden.discard("herocon_lite")

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.hidden:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def main() -> None:
    if "--block" in sys.argv:
        start = sys.argv.index("--block") + 1
        sys.meta_path.insert(0, Blocker(needed(sys.argv[start:])))
    import herocon_lite
    from herocon_lite import models

    examples = 0
    for found in pkgutil.walk_packages(herocon_lite.__path__, "herocon_lite."):
        parts = found.name.split(".")
        if parts[1] in (*EXTRAS, "__main__", "embedded"):
            continue
        options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
        result = doctest.testmod(importlib.import_module(found.name), optionflags=options)
        if result.failed:
            sys.exit(f"{found.name}: {result.failed} examples failed")
        examples += result.attempted
    try:
        models.vgg((3, 32, 32))
    except ModuleNotFoundError as error:
        print(error)
    print(f"{examples} lines of examples ran")


if __name__ == "__main__":
    main()
