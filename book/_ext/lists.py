"""Sphinx extension: `{all} figures` and `{all} terms` list what the whole book has, with links."""

import re

from docutils import nodes
from docutils.parsers.rst import Directive

# A caption's plain text holds its formulas as they are typed; in a list one letter will do.
LETTERS = {"tau": "τ", "alpha": "α", "beta": "β", "gamma": "γ", "sigma": "σ"}


SUBSCRIPTS = {"u": "ᵤ", "s": "ₛ", "1": "₁"}
ENDS = re.compile(r"(?<!\bEq)\.(?: |$)")  # of a sentence


def readable(text):
    text = re.sub(r"\\([a-z]+)", lambda m: LETTERS.get(m[1], m[0]), text)
    return re.sub(r"L_(\w)", lambda m: "L" + SUBSCRIPTS.get(m[1], m[1]), text)


class Listing(nodes.General, nodes.Element):
    """Stands in a page until all pages have been read."""


class All(Directive):
    required_arguments = 1

    def run(self):
        return [Listing(kind=self.arguments[0])]


def figures(app):
    """Return (page, anchor, text) of each figure with a caption, in the order of the book.

    The appendices have no number, so their figures count from 1 and come last.
    """
    numbers, labels = app.env.toc_fignumbers, app.env.get_domain("std").labels
    found = []
    for page, anchor, caption in labels.values():
        number = numbers.get(page, {}).get("figure", {}).get(anchor)
        if number:
            text = ".".join(map(str, number))
            found.append(
                (
                    number,
                    page,
                    anchor,
                    f"Fig. {text} {readable(ENDS.split(caption)[0])}",
                )
            )
    found.sort(key=lambda entry: (len(entry[0]) == 1, entry))
    return [entry[1:] for entry in found]


def terms(app):
    """Return (page, anchor, text) of each term of the glossary, in alphabetical order."""
    objects = app.env.get_domain("std").get_objects()
    found = [
        (name, page, anchor)
        for name, _, kind, page, anchor, _ in objects
        if kind == "term"
    ]
    return [
        (page, anchor, name)
        for name, page, anchor in sorted(found, key=lambda f: f[0].lower())
    ]


KINDS = {"figures": figures, "terms": terms}


def fill(app, doctree, docname):
    for place in list(doctree.findall(Listing)):
        items = nodes.bullet_list(
            classes=["hc-list", f"hc-list-{place['kind']}"]
        )
        for page, anchor, text in KINDS[place["kind"]](app):
            address = (
                app.builder.get_relative_uri(docname, page) + f"#{anchor}"
            )
            link = nodes.reference("", text, refuri=address, internal=True)
            items += nodes.list_item("", nodes.paragraph("", "", link))
        place.replace_self(items)


def setup(app):
    app.add_node(Listing)
    app.add_directive("all", All)
    app.connect("doctree-resolved", fill)
    # The lists are made of other pages, so this page is written anew with each build.
    app.connect(
        "env-updated",
        lambda app, env: ["lists"] if "lists" in env.found_docs else [],
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
