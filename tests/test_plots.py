"""Figures that a reader moves: all data in the page, nothing from outside, other pages light."""

import importlib.util
import json
import re
from pathlib import Path
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest

from herocon_lite.plots import movable

BOOK = Path(__file__).parent.parent / "book"
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


def test_every_position_is_in_the_page(monkeypatch):
    data = bundle_of(monkeypatch, start=1)
    figure = data["application/vnd.plotly.v1+json"]
    in_page = re.search(r'<script type="application/json">(.*)</script>', data["text/html"])[1]
    assert json.loads(in_page) == figure
    assert [frame["name"] for frame in figure["frames"]] == ["a", "b", "c"]
    assert figure["frames"][2]["data"][0]["y"] == [0, 1, 2, 3]
    assert figure["frames"][2]["data"][1] == {"x": [2], "y": [7]}
    assert figure["data"][1]["y"] == [6] and figure["layout"]["sliders"][0]["active"] == 1
    assert "http" not in data["text/html"] and "<noscript>" in data["text/html"]
    assert 'aria-label="three &quot;lines&quot;"' in data["text/html"]


def test_plotly_itself_accepts_the_figure(monkeypatch):
    import plotly.graph_objects as go

    figure = bundle_of(monkeypatch)["application/vnd.plotly.v1+json"]
    assert len(go.Figure(figure).frames) == 3


def test_only_pages_with_such_a_figure_load_plotly():
    spec = importlib.util.spec_from_file_location("ext", BOOK / "_ext" / "movable.py")
    extension = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(extension)
    assert all(script.exists() for script in extension.SCRIPTS)
    for body, wanted in (("<p>", []), ('<div class="movable">', ["plotly.min.js", "movable.js"])):
        loaded = []
        app = SimpleNamespace(add_js_file=lambda name, to=loaded, **_: to.append(name))
        extension.add_scripts(app, "page", "page.html", {"body": body}, None)
        assert loaded == wanted


@pytest.mark.parametrize("path", MOVABLE, ids=lambda p: p.stem)
def test_a_still_picture_stands_beside_a_moving_one(path):
    cells = nbformat.read(path, as_version=4).cells
    kinds = [
        {kind for output in cell.get("outputs", []) for kind in output.get("data", {})}
        for cell in cells
    ]
    for number, found in enumerate(kinds):
        if "application/vnd.plotly.v1+json" in found:
            near = set().union(*kinds[max(0, number - 6) : number + 7])
            assert "image/png" in near, cells[number].source
