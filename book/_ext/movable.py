"""Sphinx extension: the script of figures that a reader can move, on the pages that hold one."""

from importlib.util import find_spec
from pathlib import Path

from sphinx.util.fileutil import copy_asset

# The module holds it, since a notebook on Colab needs it too. It is not in book/_static: what lies
# there is loaded by every page.
MODULE = Path(find_spec("herocon_lite").submodule_search_locations[0])
SCRIPT = MODULE / "repro" / "plots" / "movable.js"


def add_script(app, pagename, templatename, context, doctree):
    if 'class="movable"' in context.get("body", ""):
        app.add_js_file(SCRIPT.name, loading_method="defer")


def copy_script(app):
    if app.builder.format == "html":
        copy_asset(SCRIPT, Path(app.outdir) / "_static")


def setup(app):
    app.connect("html-page-context", add_script)
    app.connect("builder-inited", copy_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
