"""Sphinx extension: figures that a reader can move, from plotly's own script, without a network.

A page that holds one (see `herocon_lite.repro.plots.movable`) loads plotly from the book's own folder;
all other pages stay light.
"""

from pathlib import Path

import plotly
from sphinx.util.fileutil import copy_asset

# Not in book/_static: what lies there is loaded by every page.
SCRIPTS = (
    Path(plotly.__file__).parent / "package_data" / "plotly.min.js",
    Path(__file__).parent / "movable.js",
)


def add_scripts(app, pagename, templatename, context, doctree):
    if 'class="movable"' in context.get("body", ""):
        for script in SCRIPTS:
            app.add_js_file(script.name, loading_method="defer")


def copy_scripts(app):
    if app.builder.format == "html":
        for script in SCRIPTS:
            copy_asset(script, Path(app.outdir) / "_static")


def setup(app):
    app.connect("html-page-context", add_scripts)
    app.connect("builder-inited", copy_scripts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
