"""What the outputs of a chapter were made from, so that only a chapter whose inputs changed runs.

While a chapter runs, its kernel notes which files of this repository it reads: modules, records,
data, exercises. Their digests are kept in ``book/_inputs/NAME.json``.
"""

import ast
import hashlib
import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "book" / "_inputs"

# Runs in the kernel before the first cell: files that are opened and folders that are listed.
WATCH = """
import os as _os, sys as _sys
_seen = set()
def _watch(event, args):
    if event == "open" and isinstance(args[0], str) and not set(str(args[1])) & set("wax+"):
        _seen.add(_os.path.abspath(args[0]))
    if event in ("os.listdir", "os.scandir") and isinstance(args[0], str):
        _seen.add(_os.path.abspath(args[0]) + "/")
_sys.addaudithook(_watch)
"""
# Runs after the last one: what was seen, and the modules, which may come from caches. One name a
# line: nbclient searches the output with a pattern that is quadratic in the length of a line.
REPORT = """
import json as _json
_modules = [getattr(m, "__file__", None) for m in list(_sys.modules.values())]
print(_json.dumps(sorted(_seen | {m for m in _modules if m}), indent=0))
"""


def used(report: str, root: Path = ROOT) -> list[str]:
    """Return the files and folders of the repository among those that a kernel reported.

    Args:
        report: what :data:`REPORT` printed.
        root: of the repository.
    """
    found = set()
    for name in json.loads(report):
        path = Path(name)
        if path.suffix == ".pyc":  # name.cpython-311.pyc, in a folder of its own beside name.py
            path = path.parent.parent / f"{path.name.split('.')[0]}.py"
        if path.is_relative_to(root) and path.exists():
            short = path.relative_to(root).as_posix()
            if short.split("/")[0] in ("herocon_lite", "results", "data", "book"):
                if not path.is_dir():
                    found.add(short)
                elif short.startswith("results"):  # a record of another set may appear there
                    found.add(f"{short}/")
    return sorted(found)


def digest(path: Path) -> str:
    """Return a digest of what matters in a file: not comments and docstrings of Python.

    Of a folder, it covers the names in it.
    """
    if path.is_dir():
        content = "\n".join(sorted(p.name for p in path.iterdir())).encode()
    elif not path.exists():
        return "missing"
    elif path.suffix == ".py" and path.parent.name != "book":
        content = ast.dump(_bare(ast.parse(path.read_text("utf-8")))).encode()
    else:
        content = path.read_bytes()
    return hashlib.sha256(content).hexdigest()[:16]


def _bare(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node
        ):
            node.body = node.body[1:]
    return tree


def save(script: Path, files: list[str], root: Path = ROOT, kept: Path = KEPT) -> None:
    """Keep the digests of a chapter's script and of the files that it used."""
    names = [script.resolve().relative_to(root).as_posix(), *files]
    digests = {name: digest(root / name) for name in names}
    kept.mkdir(exist_ok=True)
    (kept / f"{script.stem}.json").write_text(json.dumps(digests, indent=0) + "\n", "utf-8")


def changed(script: Path, root: Path = ROOT, kept: Path = KEPT) -> list[str]:
    """Return the inputs of a chapter that are not what they were at its last run."""
    path = kept / f"{script.stem}.json"
    if not path.exists() or not script.with_suffix(".ipynb").exists():
        return [script.name]
    stored = json.loads(path.read_text("utf-8"))
    return [name for name, old in stored.items() if digest(root / name) != old]
