"""Figures that a reader moves: all data in the page, nothing from outside, other pages light;
and rows of seeds: what was not run says so, and one run has no interval.
"""

import importlib.util
import json
import math
import re
from pathlib import Path
from types import SimpleNamespace

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest

from herocon_lite.repro.plots import (
    difference_panels,
    movable,
    seed_band,
    seed_course,
    seed_rows,
    value_map,
)
from herocon_lite.repro.stats import interval

BOOK = Path(__file__).resolve().parents[2] / "book"
MOVABLE = [p for p in sorted(BOOK.glob("*.ipynb")) if "plots.movable(" in p.read_text()]


def bundle_of(monkeypatch, **options):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: shown.append((data, raw)))
    x = np.linspace(0, 1, 4)
    traces = [
        {"name": "line", "x": x, "y": np.outer([1, 2, 3], x), "dash": "dot"},
        {"name": "dot", "x": [[0], [1], [2]], "y": [[5], [6], [7]], "mode": "markers"},
    ]
    movable(traces, ["a", "b", "c"], "letter", 'three "lines"', "x", "y", **options)
    ((data, raw),) = shown
    assert raw
    return data


def figure_of(data):
    return json.loads(
        re.search(r'<script type="application/json">(.*?)</script>', data["text/html"])[1]
    )


def test_every_position_is_in_the_page(monkeypatch):
    data = bundle_of(monkeypatch, start=1)
    figure = figure_of(data)
    line, dot = figure["traces"]
    assert figure["positions"] == ["a", "b", "c"] and figure["start"] == 1
    assert line["y"][2] == [0, 1, 2, 3] and len(line["x"]) == 1  # x never moves: stored once
    assert dot["x"] == [[0], [1], [2]] and dot["y"] == [[5], [6], [7]]
    assert figure["x"]["range"][0] < 0 and figure["x"]["range"][1] > 2  # both traces have room
    assert figure["y"]["ticks"] == [[n, str(n)] for n in (0, 2, 4, 6)]
    assert "http" not in data["text/html"] and data["text/plain"] == 'three "lines"'
    assert 'data-alt="three &quot;lines&quot;"' in data["text/html"]


def test_numbers_are_short_and_ends_can_be_given(monkeypatch):
    figure = figure_of(bundle_of(monkeypatch, xrange=(-1, 1), yrange=(0, 1000)))
    assert figure["traces"][0]["y"][0] == [0, 0.3333, 0.6667, 1]
    assert figure["x"]["range"] == [-1, 1] and figure["y"]["range"] == [0, 1000]
    assert figure["x"]["ticks"][0] == [-1, "−1.0"]


@pytest.mark.parametrize("live", [True, False])
def test_the_script_travels_with_a_figure_only_where_the_reader_looks_on(monkeypatch, live):
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    if live:
        monkeypatch.setenv("JPY_SESSION_NAME", "notebook.ipynb")
    assert ("createElementNS" in bundle_of(monkeypatch)["text/html"]) == live


def test_only_pages_with_such_a_figure_load_its_script():
    spec = importlib.util.spec_from_file_location("ext", BOOK / "_ext" / "movable.py")
    extension = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(extension)
    assert extension.SCRIPT.stat().st_size < 10_000
    for body, wanted in (("<p>", []), ('<div class="movable" data-alt="x">', ["movable.js"])):
        loaded = []
        app = SimpleNamespace(add_js_file=lambda name, to=loaded, **_: to.append(name))
        extension.add_script(app, "page", "page.html", {"body": body}, None)
        assert loaded == wanted


@pytest.mark.parametrize("path", MOVABLE, ids=lambda p: p.stem)
def test_a_still_picture_stands_beside_a_moving_one(path):
    cells = nbformat.read(path, as_version=4).cells
    kinds = [
        {kind for output in cell.get("outputs", []) for kind in output.get("data", {})}
        for cell in cells
    ]
    for number, cell in enumerate(cells):
        if "plots.movable(" in cell.source:
            near = set().union(*kinds[max(0, number - 8) : number + 9])
            assert "image/png" in near, cell.source


# ---------------------------------------------------------------- rows of seeds


@pytest.fixture
def ax():
    fig, ax = plt.subplots()
    yield ax
    plt.close(fig)


def drawn(ax, marker):
    """The lines with a marker, as (x, y)."""
    return [(ln.get_xdata(), ln.get_ydata()) for ln in ax.lines if ln.get_marker() == marker]


def test_a_row_has_its_seeds_mean_and_interval(ax):
    seeds = [0.61, 0.60, 0.65, 0.63]
    returned = seed_rows(ax, {"a": [0.5, 0.6, 0.6], "b": seeds})
    (_, (x, y)), (_, (mean, row)) = drawn(ax, "o"), drawn(ax, "D")
    assert np.array_equal(x, seeds)  # every seed, none twice
    assert np.all(np.abs(y - 1) < 0.3) and len(set(y)) == 4
    found = interval(seeds)
    assert returned["b"] == found, "the numbers drawn are returned"
    assert mean == [found.mean] and row == [1]
    thick = [ln for ln in ax.lines if ln.get_linewidth() == 3 and ln.get_ydata()[0] == 1]
    assert [list(ln.get_xdata()) for ln in thick] == [[found.lo, found.hi]]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["a", "b"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1], "the first row is on top"


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([], "not run yet"),
        ([float("nan")], "not run yet"),
        ([0.6], "one run"),
        ([0.6, 0.7], "two runs"),
    ],
)
def test_without_three_seeds_there_is_no_interval(ax, values, text):
    seed_rows(ax, {"a": values})
    assert [t.get_text() for t in ax.texts] == [text]
    assert not drawn(ax, "D") and all(ln.get_marker() == "o" for ln in ax.lines)
    assert all(ln.get_linestyle() == "None" for ln in ax.lines), "no bar, no line between"


def test_printed_values_stand_in_their_rows(ax):
    seed_rows(ax, {"a": [1, 2], "b": [], "c": [3]}, printed={"b": 5.0, "c": 6.0, "other": 7.0})
    assert [(list(x), list(y)) for x, y in drawn(ax, "x")] == [([5.0], [1]), ([6.0], [2])]


def test_differences_have_zero_in_the_middle(ax):
    seed_rows(ax, {"a": [1.0, 2.0, 4.0]}, zero=True)
    lo, hi = ax.get_xlim()
    assert lo == -hi and hi > 4
    assert any(list(ln.get_xdata()) == [0, 0] for ln in ax.lines)


def test_a_row_far_below_is_told_at_the_edge(ax):
    seed_rows(ax, {"a": [0.8, 0.9, 0.9], "b": [0.2, 0.4]}, least=0.6)
    assert [list(y) for _, y in drawn(ax, "D")] == [[0]]
    assert [t.get_text() for t in ax.texts] == ["◂ 0.30"]


def test_a_course_passes_over_what_was_not_run(ax):
    returned = seed_course(ax, [0, 1, 2], [[1.0, 2.0, 6.0], [], [4.0, 5.0]], "red", "name")
    assert {x: at.mean for x, at in returned.items()} == {0: 3.0, 2: 4.5}
    ((x, y),) = drawn(ax, "D")
    assert list(x) == [0, 2] and list(y) == [3.0, 4.5]
    dots = drawn(ax, "o")
    assert [list(y) for _, y in dots] == [[1.0, 2.0, 6.0], [4.0, 5.0]]
    found = interval([1.0, 2.0, 6.0])
    bars = [list(ln.get_ydata()) for ln in ax.lines if ln.get_linewidth() == 2.5]
    assert bars == [[found.lo, found.hi]], "three values have an interval, two have none"


def test_questions_have_f1_beside_auc():
    answers = {("a", "f1"): [1, 2], ("a", "auc"): [5, 6], ("b", "f1"): [3], ("b", "auc"): []}
    drawn = difference_panels(answers, ["red", "blue"], (6, 2), printed={("b", "auc"): 7.0})
    assert drawn["a", "f1"].mean == 1.5 and math.isnan(drawn["a", "f1"].lo)
    assert drawn["b", "f1"].mean == 3 and drawn["b", "auc"] is None
    fig = plt.gcf()
    left, right = fig.axes
    assert [tick.get_text() for tick in left.get_yticklabels()] == ["a", "b"]
    assert "F1" in left.get_xlabel() and "AUC" in right.get_xlabel()
    crosses = [[line for line in ax.lines if line.get_marker() == "x"] for ax in fig.axes]
    assert not crosses[0] and crosses[1][0].get_xdata() == [7.0]
    assert [text.get_text() for text in right.texts] == ["two runs", "not run yet"]
    with pytest.raises(ValueError, match="one a question"):
        difference_panels(answers, ["red"], (6, 2))


def test_a_band_has_its_means_and_intervals(ax):
    values = [[1.0, 2.0], [3.0, 2.5], [2.0, 3.0]]  # three seeds at two places
    found = seed_band(ax, [0.1, 0.9], values, "red")
    assert found == [interval([1, 3, 2]), interval([2, 2.5, 3])]
    (line,) = ax.lines
    assert list(line.get_ydata()) == [2, 2.5]


def test_a_map_has_each_number_and_its_frames(ax):
    values = [[1.0, 2.04], [3.0, 40.0]]
    found = value_map(ax, values, "ab", "cd", {"best": (1, 0, "red")})
    assert np.array_equal(found, values)
    assert [t.get_text() for t in ax.texts] == ["1.0", "2.0", "3.0", "40.0"]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["a", "b"]
    frame = ax.lines[0]
    assert list(frame.get_xdata()) == [0] and list(frame.get_ydata()) == [1]
