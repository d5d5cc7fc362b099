"""Sphinx extension: an old address leads to the page that replaces it (book/_redirects.yml)."""

import html
from pathlib import Path

import yaml

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<link rel="canonical" href="{page}"><meta http-equiv="refresh" content="0; url={page}">
</head><body><p>This page is now <a href="{page}">{title}</a>.</p></body></html>
"""


def write(app, error):
    if app.builder.name != "html" or error:
        return
    listed = yaml.safe_load(
        (Path(app.srcdir) / "_redirects.yml").read_text("utf-8")
    )
    for old, new in listed.items():
        name, _, anchor = new.partition("#")
        if (
            name not in app.env.titles
        ):  # a part of the book is being looked at: preview
            continue
        page = f"{name}.html" + (f"#{anchor}" if anchor else "")
        title = html.escape(app.env.titles[name].astext())
        text = PAGE.format(title=title, page=page)
        (Path(app.outdir) / f"{old}.html").write_text(text, "utf-8")


def setup(app):
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
