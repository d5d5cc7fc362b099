"""Read which module of herocon_lite imports which, and draw it for CONTRIBUTING.md.

python book/_tools/import_graph.py     writes book/_tools/import_graph.svg
"""

from __future__ import annotations

import ast
import hashlib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "herocon_lite"
PICTURE = Path(__file__).with_suffix(".svg")
ENTRY = ("herocon_lite", "herocon_lite.__main__")  # re-exports lazily; starts the command line


def modules(package: Path = PACKAGE) -> dict[str, Path]:
    """Every module by its dotted name."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(path: Path, name: str, known: dict[str, Path]) -> set[str]:
    """The package's modules that one module imports, inside functions too, for types alone not."""
    found = set()
    for node in nodes(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {module if module in known else node.module for module in inner}
    return {module for module in found if module in known and module != name}


def nodes(tree: ast.AST):
    """Every node but those that are there for types alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        yield from nodes(node)


@cache
def graph() -> dict[str, frozenset[str]]:
    """Module → the modules that it imports; a package's own ``__init__`` re-exports its files."""
    known = modules()
    edges = {name: imports(path, name, known) for name, path in known.items()}
    return {name: frozenset(edges[name]) for name in known if name not in ENTRY}


def cycle(edges: dict[str, frozenset[str]]) -> list[str]:
    """The names of a cycle, first and last the same; empty if there is none."""
    done: set[str] = set()

    def visit(name: str, path: list[str]) -> list[str]:
        if name in path:
            return [*path[path.index(name) :], name]
        if name in done:
            return []
        for other in sorted(edges.get(name, ())):
            if found := visit(other, [*path, name]):
                return found
        done.add(name)
        return []

    return next((found for name in edges if (found := visit(name, []))), [])


def groups(edges: dict[str, frozenset[str]]) -> dict[str, set[str]]:
    """The graph for people: packages of the core as one box each, ``repro`` file by file."""

    def box(name: str) -> str:
        parts = name.split(".")[1:]
        return ".".join(parts[:2]) if parts[0] == "repro" else parts[0]

    found: dict[str, set[str]] = {}
    for name, others in edges.items():
        if name != "herocon_lite.repro":
            found.setdefault(box(name), set()).update(
                box(other) for other in others if other not in (*ENTRY, "herocon_lite.repro")
            )
    return {name: others - {name} for name, others in found.items()}


def depth(boxes: dict[str, set[str]]) -> dict[str, int]:
    """How many steps lie below each box; all of ``repro`` stands above all of the core."""

    def is_repro(name: str) -> bool:
        return name.startswith("repro.")

    @cache
    def of(name: str) -> int:
        own = [other for other in boxes[name] if is_repro(other) == is_repro(name)]
        return 1 + max(map(of, own), default=top if is_repro(name) else -1)

    top = -1
    top = max(of(name) for name in boxes if not is_repro(name))
    return {name: of(name) for name in boxes}


def reduced(boxes: dict[str, set[str]]) -> dict[str, set[str]]:
    """Without the edges that a longer way implies."""

    @cache
    def below(name: str) -> frozenset[str]:
        return frozenset().union(*({other} | below(other) for other in boxes[name]))

    return {
        name: {other for other in others if not any(other in below(via) for via in others)}
        for name, others in boxes.items()
    }


def fingerprint() -> str:
    """Name the picture's boxes and arrows; the picture says which ones it shows."""
    edges = sorted((name, sorted(others)) for name, others in reduced(groups(graph())).items())
    return hashlib.sha256(repr(edges).encode()).hexdigest()[:16]


def draw(picture: Path = PICTURE) -> None:
    """One row a depth, what is imported below what imports it; the core blue, repro orange.

    Equal imports give equal bytes: sets are sorted, names salted, date and version left out.
    """
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    boxes = groups(graph())
    rows: dict[int, list[str]] = {}
    for name, level in depth(boxes).items():
        rows.setdefault(level, []).append(name)
    place = {
        name: ((k + 0.5) / len(row), level)
        for level, row in rows.items()
        for k, name in enumerate(sorted(row))
    }
    plt.rcParams["svg.hashsalt"] = "herocon_lite"
    figure, ax = plt.subplots(figsize=(11, 0.75 * (len(rows) + 1)))
    for name, others in sorted(reduced(boxes).items()):
        for other in sorted(others):
            line = {"arrowstyle": "-|>", "color": "#8A8A8A", "lw": 0.8, "shrinkA": 9, "shrinkB": 9}
            ax.annotate("", place[other], place[name], arrowprops=line)
    for name, (x, y) in sorted(place.items()):
        colour = "#E69F00" if name.startswith("repro") else "#56B4E9"
        style = {"boxstyle": "round,pad=0.35", "fc": colour, "ec": "none"}
        label = name.removeprefix("repro.")
        ax.text(x, y, label, ha="center", va="center", fontsize=8, bbox=style)
    ax.set(xlim=(0, 1), ylim=(-0.6, len(rows) - 0.4))
    ax.axis("off")
    about = {"Date": None, "Creator": None, "Description": fingerprint()}
    figure.savefig(picture, bbox_inches="tight", metadata=about, facecolor="white")


if __name__ == "__main__":
    draw()
    print("wrote", PICTURE.relative_to(ROOT))
