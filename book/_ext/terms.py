"""Sphinx extension: the first use of a term on a page leads to the glossary.

Chapters have plain words, since a notebook opened on Colab knows no glossary. Terms that every
reader knows, or that are common words too, are not linked.
"""

import re
from collections import deque

from docutils import nodes

# What a chapter writes: the entry of glossary.md.
WORDS = {
    "false negatives?": "False negative",
    "transductive": "Transductive",
    "near cop(?:y|ies)": "Near copy",
    "two noisy copies": "Two noisy copies",
    "multi-label": "Multi-label",
    "Info-NCE": "Info-NCE",
    "SupCon": "SupCon",
    "collapse[sd]?": "Collapse",
    "anchors?": "Anchor, positive, negative",
    "stop-gradient": "Stop-gradient",
    "weight net": "Weight net",
    "significant(?:ly)?": "Significant",
    "paired differences?": "Paired difference",
    "Bonferroni.s correction": "Bonferroni's correction",
    r"95\s%\sCI": "95 % CI",
    r"BN\(U\)": "Control",
    "control": "Control",
    "ablations?": "Ablation",
    "seeds?": "Seed",
    "threshold": "Threshold",
    "points of F1": "Point",
}
PATTERNS = {
    re.compile(rf"(?<![\w-]){words}(?![\w-])", re.I): entry
    for words, entry in WORDS.items()
}
ELSEWHERE = ("intro", "glossary", "lists", "references", "install")
# Where a link does not belong, or stands already.
CLOSED = (
    nodes.reference,
    nodes.title,
    nodes.literal,
    nodes.literal_block,
    nodes.math,
    nodes.caption,
    nodes.raw,
    nodes.table,
)


def entries(app):
    """Return {entry: (page, anchor)} of the glossary."""
    objects = app.env.get_domain("std").get_objects()
    return {
        name: (page, anchor)
        for name, _, kind, page, anchor, _ in objects
        if kind == "term"
    }


def is_prose(text):
    """Is a piece of text part of a paragraph, and of nothing that is closed to links?"""
    node, inside = text.parent, False
    while node is not None:
        if isinstance(node, CLOSED):
            return False
        inside = inside or isinstance(node, nodes.paragraph)
        node = node.parent
    return inside


def link_terms(app, doctree, docname):
    if docname in ELSEWHERE or docname.startswith("api/"):
        return
    known, wanted = entries(app), dict(PATTERNS)
    todo = deque(filter(is_prose, list(doctree.findall(nodes.Text))))
    while todo:
        text = todo.popleft()
        found = [m for m in (p.search(text) for p in wanted) if m]
        if not found:
            continue
        match = min(found, key=lambda m: m.start())
        entry = wanted[match.re]
        wanted = {p: e for p, e in wanted.items() if e != entry}
        page, anchor = known[entry]
        address = app.builder.get_relative_uri(docname, page) + f"#{anchor}"
        link = nodes.reference(
            "", match[0], refuri=address, internal=True, classes=["hc-term"]
        )
        before, after = text[: match.start()], nodes.Text(text[match.end() :])
        text.parent.replace(text, [nodes.Text(before), link, after])
        todo.appendleft(after)


def setup(app):
    app.connect("doctree-resolved", link_terms)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
