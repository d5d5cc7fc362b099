"""Sphinx extension: links that need the public address appear where there is one, and only there.

The address is `repository.url` of _config.yml, or the repository that runs the hosted build. While
it is the placeholder OWNER/REPO, no page has a Colab or GitHub button, Open Graph data or a site map.
"""

import html
import os
import re
from pathlib import Path

GITHUB = "https://github.com/"
PLACEHOLDER = f"{GITHUB}OWNER/REPO"
WORDS = 40  # of a page's description


def site(repository: str) -> str:
    """Return where GitHub Pages shows a repository.

    >>> site("https://github.com/Jane/book"), site("https://github.com/Jane/jane.github.io")
    ('https://jane.github.io/book/', 'https://jane.github.io/')
    """
    owner, name = repository.removeprefix(GITHUB).split("/")
    host = f"{owner.lower()}.github.io"
    return (
        f"https://{host}/"
        if name.lower() == host
        else f"https://{host}/{name}/"
    )


def set_links(app, config):
    options = config.html_theme_options
    config.book_clone = options.get("repository_url", PLACEHOLDER)
    runs = os.environ.get("GITHUB_REPOSITORY")
    address = GITHUB + runs if runs else config.book_clone
    if address == PLACEHOLDER:
        options |= {
            "repository_url": "",
            "use_repository_button": False,
            "launch_buttons": {},
        }
        return
    options["repository_url"] = address
    config.html_baseurl = config.html_baseurl or site(address)
    if config.book_clone == PLACEHOLDER:
        # On Colab a notebook clones the address in its first cell, which is not set yet.
        options["launch_buttons"] = {}


def describe(body: str) -> str:
    """Return the first words of a page: of its answer, or of its first paragraph."""
    found = re.search(
        r'class="hc-answer">(.*?)</div>', body, re.S
    ) or re.search(r"<p>(.*?)</p>", body, re.S)
    words = re.sub(r"<[^>]+>", "", found[1]).split() if found else []
    words = html.unescape(
        " ".join(words[:WORDS]) + ("…" if len(words) > WORDS else "")
    )
    return html.escape(re.sub(r"\\\(|\\\)", "", words))


def add_tags(app, pagename, templatename, context, doctree):
    if doctree is None:
        return
    about = describe(context.get("body", ""))
    tags = [f'<meta name="description" content="{about}">']
    base = app.config.html_baseurl
    if base:
        title = html.escape(re.sub(r"<[^>]+>", "", context["title"]))
        graph = {
            "title": title,
            "description": about,
            "type": "article",
            "url": f"{base}{pagename}.html",
            "site_name": html.escape(
                app.config.html_title or app.config.project
            ),
            "image": f"{base}_static/cover.png",
        }
        tags += [
            f'<meta property="og:{name}" content="{text}">'
            for name, text in graph.items()
        ]
    context["metatags"] = context.get("metatags", "") + "\n".join(tags)


def write_sitemap(app, error):
    base = app.config.html_baseurl
    if error or app.builder.name != "html" or not base:
        return
    pages = "".join(
        f"<url><loc>{base}{name}.html</loc></url>\n"
        for name in sorted(app.env.found_docs)
    )
    text = '<?xml version="1.0" encoding="UTF-8"?>\n'
    text += f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{pages}</urlset>\n'
    (Path(app.outdir) / "sitemap.xml").write_text(text, "utf-8")


def setup(app):
    app.add_config_value("book_clone", PLACEHOLDER, "html")
    app.connect("config-inited", set_links)
    app.connect("html-page-context", add_tags)
    app.connect("build-finished", write_sitemap)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
