"""The built book, for tests: built where it is not up to date, and a browser to look at it."""

import os
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
BOOK, BUILT = ROOT / "book", ROOT / "_build" / "html"


def contents() -> list[str]:
    """Return the names of all pages, in the order of the table of contents."""
    toc = yaml.safe_load((BOOK / "_toc.yml").read_text("utf-8"))
    names = [toc["root"]]
    for part in toc["parts"]:
        for chapter in part["chapters"]:
            names += [chapter["file"], *(s["file"] for s in chapter.get("sections", ()))]
    return names


def source(name: str) -> Path:
    found = [BOOK / f"{name}{end}" for end in (".ipynb", ".md", ".rst")]
    return next(path for path in found if path.exists())


def is_fresh() -> bool:
    """Is `_build/html` of today's sources? `make test` sees to it."""
    for name in contents():
        page = BUILT / f"{name}.html"
        if not page.exists() or page.stat().st_mtime < source(name).stat().st_mtime:
            return False
    return True


def build(folder: Path) -> Path:
    """Build the book into a folder."""
    program = Path(sys.executable).with_name("jupyter-book")  # the package has no __main__
    command = [program, "build", "book", "--path-output", folder]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return folder / "_build" / "html"


def browser_path() -> str | None:
    """Return a browser's path: of $CHROMIUM, Debian's, or another Chromium."""
    names = (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome")
    return next((path for path in map(shutil.which, names) if path), None)


class Page(HTMLParser):
    """What a page links to, and the anchors it has."""

    def __init__(self, path: Path):
        super().__init__()
        self.path, self.anchors, self.links, self.images = path, [], [], []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if "id" in attrs:
            self.anchors.append(attrs["id"])
        if tag == "a" and attrs.get("href"):
            self.links.append(attrs["href"])
        if tag in ("img", "script") and attrs.get("src"):
            self.images.append(attrs["src"])
