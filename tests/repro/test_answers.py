"""The page of answers: colours repeat marks, and every snippet runs before it is shown."""

import pytest

from herocon_lite.repro import answers
from herocon_lite.repro.chapter import Page


def test_a_cell_has_its_mark_its_state_and_its_interval():
    page = Page("should_you_use_it", "results")
    heads = {name: "a line" for name in page.stores}
    shown = answers.parts_table(page, {"all": ("HeroCon", "why")}, heads).data
    assert shown.count('class="hc-up"><b>▲ +') >= 5
    assert shown.count(", 95 % interval") == shown.count("<td") == 2 * len(heads)


def test_a_bar_is_a_share_of_its_column():
    shown = answers.cost_table({"one": {"A": 5.0}, "two": {"A": 20.0}}, {"A": "steps"}).data
    assert "5.0 s" in shown and "20 s" in shown
    assert "width:25%" in shown and "width:100%" in shown


def test_a_snippet_that_does_not_run_is_not_shown():
    shown = answers.decisions({"You add.": ("So add.", "total = view1 + more1")}).data
    assert shown == "**You add.** So add.\n\n```python\ntotal = view1 + more1\n```"
    with pytest.raises(NameError):
        answers.decisions({"You guess.": ("Do not.", "model = unknown()")})
