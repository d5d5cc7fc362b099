"""The front page says what the records say, and the README repeats it."""

import pytest

from book._tools import front_page
from herocon_lite.repro import ledger

RESULTS = front_page.ROOT / "results"


@pytest.fixture(scope="module")
def page():
    return front_page.PAGE.read_text("utf-8")


def test_picture_bar_and_numbers_are_those_of_today(page):
    assert front_page.made(page, RESULTS) == page, "run python book/_tools/front_page.py"


def test_another_number_stops_the_page(page):
    with pytest.raises(AssertionError, match="must say"):
        front_page.made(page.replace("points of F1 on five data sets", "points"), RESULTS)


def test_the_readme_repeats_the_findings(page):
    assert front_page.findings(page) in front_page.README.read_text("utf-8")
    assert front_page.findings(page).count("book/") == 4


def test_every_claim_has_a_place_in_the_bar():
    rows = ledger.ledger(RESULTS)
    assert sum(front_page.verdict_counts(rows).values()) == len(ledger.distinct(rows))


def test_the_weights_of_the_picture_share_the_push_out_evenly():
    _, usual = front_page.pushes(weighted=False)
    _, weighted = front_page.pushes(weighted=True)
    assert usual.sum() == pytest.approx(1) and usual[0] == max(usual) > 0.6
    assert weighted == pytest.approx([1 / 3] * 3)
