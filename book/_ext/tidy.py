"""Sphinx extension: faults of other extensions, mended where their output is written.

- sphinx-thebe, which Jupyter Book always loads, declares its constants twice: an error on each page.
- sphinx-proof and sphinx-exercise give all boxes of a page one id.
- docutils calls a bibliography a list, but not its entries list items.
- sphinx-exercise names its boxes for a book on one page, and Sphinx then knows no other extension's there.
- A browser breaks a line between a number and its per cent sign.
- MathJax brings every combination of its parts, the theme its source maps: 25 MB that no page asks for.
"""

import re
import shutil
from pathlib import Path

from docutils import nodes

REPAIRS = (
    (re.compile(r' id="(?:proof|exercise|solution)-content"'), ""),
    (re.compile(r'(<div class="proof [^"]*") id="proof"'), r"\1"),
    (
        re.compile(r'<div role="list" class="citation-list">'),
        '<div class="citation-list">',
    ),
    (
        re.compile(
            r'(<div class="citation" id="[^"]*") role="doc-biblioentry"'
        ),
        r"\1",
    ),
)
UNUSED = (
    "mathjax/[lmn]*.js",
    "mathjax/tex-svg*.js",
    "mathjax/tex-mml-*.js",
    "mathjax/tex-chtml-*.js",
    "mathjax/adaptors",
    "mathjax/output/svg*",
    "mathjax/sre/mathmaps/[!be]*.json",
    "**/*.map",
)


def rank_titles_first(app, config):
    """In search; Sphinx takes the path of this setting as it is."""
    config.html_search_scorer = str(Path(__file__).with_name("scorer.js"))


def without_thebe(app, config):
    """No page has live cells, so nothing of it is needed but the folder of its style sheet."""
    for listeners in app.events.listeners.values():
        listeners[:] = [
            listener
            for listener in listeners
            if listener.handler.__module__ != "sphinx_thebe"
            or listener.handler.__name__ == "st_static_path"
        ]


def know_all_boxes(app):
    handlers = app.registry.translation_handlers
    if "singlehtml" in handlers:
        handlers["singlehtml"] = handlers["html"] | handlers["singlehtml"]


def keep_per_cent(app, doctree, docname):
    for text in list(doctree.findall(nodes.Text)):
        whole = re.sub(r"(?<=\d) (?=%)", "\u00a0", text)
        closed = isinstance(
            text.parent, (nodes.literal, nodes.FixedTextElement)
        )
        if whole != text and not closed:
            text.parent.replace(text, nodes.Text(whole))


def repair(app, pagename, templatename, context, doctree):
    for pattern, better in REPAIRS:
        if "body" in context:
            context["body"] = pattern.sub(better, context["body"])


def prune(app, error):
    """Drop what no page loads; what the formulas of this book need is tested in a browser."""
    if app.builder.format != "html" or error:
        return
    static = Path(app.outdir) / "_static"
    for pattern in UNUSED:
        for path in list(static.glob(pattern)):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def setup(app):
    app.connect("config-inited", rank_titles_first)
    app.connect("config-inited", without_thebe)
    app.connect("builder-inited", know_all_boxes)
    app.connect("doctree-resolved", keep_per_cent)
    app.connect("html-page-context", repair)
    app.connect("build-finished", prune)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
