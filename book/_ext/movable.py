"""Sphinx extension: figures that a reader can move, from plotly's own script, without a network.

A page that holds one (see `herocon_lite.plots.movable`) loads plotly from the book's own folder;
all other pages stay light.
"""

from pathlib import Path

import plotly
from sphinx.util.fileutil import copy_asset

SCRIPT = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"


def add_scripts(app, pagename, templatename, context, doctree):
    if 'class="movable"' in context.get("body", ""):
        for name in ("plotly.min.js", "movable.js"):
            app.add_js_file(name, loading_method="defer")


def copy_plotly(app):
    if app.builder.format == "html":
        copy_asset(SCRIPT, Path(app.outdir) / "_static")


def setup(app):
    app.connect("html-page-context", add_scripts)
    app.connect("builder-inited", copy_plotly)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
