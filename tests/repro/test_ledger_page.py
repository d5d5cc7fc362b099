"""The ledger as the book shows it: every row has a place, and what is counted is what is drawn."""

import re
from collections import Counter
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from herocon_lite.repro import ledger, paper, plots
from herocon_lite.repro.ledger import KINDS, page
from herocon_lite.repro.ledger.rows import RULES
from herocon_lite.repro.ledger.rules import Verdict
from herocon_lite.repro.plots.palette import VERDICTS

BOOK = Path(__file__).resolve().parents[2] / "book"


@pytest.fixture(scope="module")
def rows():
    return ledger.ledger("results")


def test_each_row_stands_in_its_table_and_what_is_not_run_is_folded(rows):
    for kind in KINDS:
        for data in {row.data for row in rows if row.kind == kind}:
            some = [row for row in rows if (row.kind, row.data) == (kind, data)]
            shown = page.claims(some, BOOK).data
            open_, _, folded = shown.partition("<details")
            for row in some:
                place = folded if row.verdict is Verdict.NOT_RUN else open_
                assert f"| {row.number} |" in place and page.badge(row.verdict) in place
                assert all(one.ours in place for one in row.variants)


def test_the_overview_counts_shared_runs_once(rows):
    lines = page.overview(rows, dict.fromkeys(KINDS, "#x")).data.splitlines()
    last = [int(n) for n in re.findall(r"\d+", lines[-1] or lines[-2])]
    count = Counter(row.kind for row in page.distinct(rows))
    assert last == [*(count[kind] for kind in KINDS), count.total()]
    assert count.total() == len(rows) - sum(bool(row.same_as) for row in rows)


def test_the_bars_are_as_wide_as_their_numbers(rows):
    counts = {kind: page.verdict_counts(r for r in rows if r.kind == kind) for kind in KINDS}
    ax = plt.figure().subplots()
    assert plots.verdict_bars(ax, counts) == counts
    plt.close("all")
    assert VERDICTS.keys() == page.BAR.keys()


def test_the_figure_has_the_colours_of_the_page():
    style = (BOOK / "_static" / "front_page.css").read_text()
    light = style.partition("html[data-theme")[0]
    for part, (ground, ink) in VERDICTS.items():
        number = page.COLOURS[part]
        assert f"--hc-v{number}: {ground};" in light and f"--hc-v{number}-ink: {ink};" in light


def test_each_rule_is_shown_with_its_verdicts():
    shown = page.rules().data
    for claim, counts, verdict in RULES:
        assert claim in shown and counts in shown
        for part in verdict.split("; "):
            assert part in shown.replace("&#x27;", "'")


def test_an_author_s_words_stand_beside_the_ledger_s_verdict(rows):
    row = rows[0]
    shown = page.selected([(row, "a claim", "a reason.", row.page)], BOOK).data
    assert page.badge(row.verdict) in shown and "| a claim |" in shown
    assert f"a reason. [{'Does' if 'Does' in shown else 'The'}" in shown


def test_the_theorems_are_shown_with_what_was_computed():
    found = ledger.theorems()
    shown = page.proven(found, BOOK).data
    assert all(t.claim in shown and t.shown in shown for t in found)
    assert shown.count("✓ holds") == len(found)


def test_every_table_of_the_paper_has_a_section():
    text = (BOOK / "ledger.py").read_text("utf-8")
    assert all(f"# ## {paper.PLACES[d]}, {paper.TITLES[d]}" in text for d in paper.RESULTS)
