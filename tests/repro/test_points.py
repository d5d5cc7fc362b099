"""The list of points: whole, well formed, true where it can be computed; effects of switches."""

import importlib
import json
import math
import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import torch

from herocon_lite import losses, metrics
from herocon_lite.repro import paper, points, settings
from herocon_lite.repro.label_counts import label_counts
from herocon_lite.similarity import hamming
from herocon_lite.views import threshold

ROOT = Path(__file__).resolve().parents[2]
each_point = pytest.mark.parametrize("point", points.POINTS, ids=lambda p: p.number)


# ---------------------------------------------------------------- the list


def test_numbers_run_through_each_group():
    expected = []
    for group in points.GROUPS:
        count = sum(point.group == group for point in points.POINTS)
        expected += [f"{group}{number}" for number in range(1, count + 1)]
    assert [point.number for point in points.POINTS] == expected


@pytest.mark.parametrize(
    "group, words",
    [
        ("A", ["lower bounds", "dissimilarity", "small τ", "SimCLR", "index j", "approach 0"]),
        ("A", ["1/σ", "slip of sign", "marginal", "≈", "scalars", "two samples", "F1", "A.1"]),
        ("B", ["C2AE", "CMC", "bold", "0.01 and 10", "0.001", "exchanged", "case study"]),
        ("B", ["multi-class", "40 binary", "uniform", "9,800", "unlabelled set", "249"]),
        ("C", ["499", "1,199", "127", "LARC", "one step", "-hid", "vgg", "float64", "NumPy"]),
        ("D", ["positive included", "transposed", "view 2", "subtracts", "projection", "sums"]),
        ("D", ["self pairs", "other dimension", "mean number of labels", "indicator", "softmax"]),
        ("D", ["flow through g", "ReLU", "zero rows", "32 to 128", "728", "baseline"]),
        ("E", ["even rows", "20 stratified folds", "same 200", "20 images", "variance"]),
        ("E", ["below the rate", "255", "first 2,500", "50,000", "224", "green", "BGR"]),
        ("F", ["0.4", "weighted by label", "last epoch", "hard predictions"]),
    ],
)
def test_no_known_inconsistency_is_missing(group, words):
    text = " ".join(
        f"{p.where} {p.paper} {p.other} {p.consequence}" for p in points.POINTS if p.group == group
    )
    assert [word for word in words if word not in text] == []


@each_point
def test_a_point_is_well_formed(point):
    assert not point.page or (ROOT / "book" / f"{point.page}.ipynb").exists()
    texts = (point.where, point.paper, point.other, point.consequence)
    for text in texts:  # a table's cell: one line, no bar, no emphasis by accident
        assert text == text.strip() and text
        assert not set("|\n*<>") & set(text)
        assert text.count("`") % 2 == 0
    assert point.other.endswith(".") and point.consequence.endswith(".")
    if point.evidence == "checked":
        assert point.page or point.function
    known = {p.number for p in points.POINTS}
    assert set(re.findall(r"\b[A-F]\d+\b", point.other + point.consequence)) <= known
    if point.function:
        module, *name = f"herocon_lite.{point.function}".rsplit(".", 1)
        assert callable(getattr(importlib.import_module(module), *name))


def test_the_seven_switches_each_have_a_point_and_a_preset():
    assert [p.switch for p in points.POINTS if p.switch] == list(points.SWITCHES)
    assert [*points.SWITCHES][:-1] == [field.name for field in fields(losses.Switches)]
    *switches, indicator = points.SWITCHES.values()
    for switch, runs in zip(points.SWITCHES, switches, strict=False):
        assert losses.PRESETS[runs["preset"]] == losses.Switches(**{switch: True})
    assert "preset" not in indicator and indicator["changes"] == {"distance": "indicator"}


def test_a_table_has_one_row_a_point():
    group = [point for point in points.POINTS if point.group == "D"]
    heading, rule, *rows = points.to_markdown(group, ROOT / "book").split("\n")
    assert heading.startswith("| No. |") and rule == "| --- | --- | --- | --- |"
    assert [row.split(" | ")[0] for row in rows] == [f"| {point.number}" for point in group]
    assert all(row.count("|") == 5 for row in rows)
    assert "[What do the weights g do?](weights.ipynb)" in rows[12]  # D13


# ---------------------------------------------------------------- claims that can be computed


def test_which_baselines_are_not_beaten():
    """B1, B2, B4; the full method stands above all baselines everywhere."""
    u, s = "HeroCon-u", "HeroCon-s"
    four = {"CMC", "MIB", "C2AE", "DeepMTMV"}
    assert {k: set(v) for k, v in paper.not_beaten("celeba", u).items()} == {
        "F1": four,
        "AUC": {"C2AE"},
    }
    assert paper.not_beaten("celeba", s) == {"F1": [], "AUC": []}
    assert paper.not_beaten("xrmb", s) == {"F1": ["CMC"], "AUC": ["CMC"]}
    assert paper.not_beaten("xrmb", u) == {"F1": [], "AUC": []}
    assert paper.not_beaten("scene", u) == {"F1": [], "AUC": ["C2AE"]}
    for data in paper.TABLES:
        assert paper.not_beaten(data, "HeroCon") == {"F1": [], "AUC": []}


def test_a_beaten_baseline_that_gains_is_seen(monkeypatch):
    rows = dict(paper.TABLES["scene"]) | {"DNN": (0.64, 0.8647)}
    monkeypatch.setitem(paper.TABLES, "scene", rows)
    assert paper.not_beaten("scene", "HeroCon") == {"F1": ["DNN"], "AUC": []}


def test_rows_said_to_be_identical_are():
    for data in ("mnist", "xrmb"):
        assert paper.TABLES[data]["SupCon"] == paper.TABLES[data]["HeroCon-s"]
    assert paper.TABLES["scene"]["SupCon"] != paper.TABLES["scene"]["HeroCon-s"]


def test_hard_auc_needs_balanced_classes():
    truth = np.array([0] * 60 + [1] * 20 + [2] * 20)
    guess = np.where(np.arange(100) < 30, 1, truth)  # half of class 0 is missed
    eye = np.eye(3)
    found = metrics.evaluate(eye[truth], eye[guess], "multiclass")
    assert abs(found["auc"] - metrics.hard_auc(found["accuracy"], 3)) > 0.01


def test_negatives_count_one_a_sample():
    """B17 and C1 to C3: labelled plus unlabelled rows of a step, less the anchor."""
    for data, labelled, printed, released in (
        ("mnist", 200, 4199, 1199),
        ("xrmb", 250, 4999, 499),
        ("celeba", None, 249, 127),
    ):
        for preset, M in (("paper", printed), ("released", released)):
            chosen = settings.paper_config(data, preset)
            assert (labelled or chosen.labeled_batch) + chosen.unlabeled_batch - 1 == M


def test_sigma_stays_above_one_over_c():
    """A10; without the shared label it does reach 0."""
    rows = np.array(list(np.ndindex(2, 2, 2, 2)))
    sigma = 1 - hamming(torch.tensor(rows, dtype=torch.float64)) / 4
    both = torch.tensor(rows[:, :1] * rows[:, 0] == 1)
    assert sigma[both].min() == 1 / 4 and sigma.min() == 0


def test_sums_along_the_other_dimension_change_nothing():
    """D9; with positives that are not symmetric they would."""
    torch.manual_seed(0)
    pair, sums = torch.rand(5, 5, dtype=torch.float64) + 0.1, torch.rand(5, dtype=torch.float64)

    def gap(pair):
        rows, columns = (1 + sums[:, None] / pair).log(), (1 + sums / pair).log()
        return (rows.mean() - columns.mean()).abs()

    assert gap(pair + pair.T) < 1e-14
    assert gap(pair) > 1e-3


def test_the_stored_counts_say_what_the_points_say():
    """B14, B18, E5."""
    sets = json.loads((ROOT / "results" / "label_counts.json").read_text())["sets"]
    assert sets["mnist"]["rows"] - 200 - 60_000 == 9_800
    assert (sets["celeba"]["rows"], sets["celeba"]["vectors"]) == (202_599, 115_114)
    assert round(sets["celeba"]["mean_set"], 2) == 1.76
    assert 10 < sets["celeba"]["size_biased"] < 11
    assert (sets["scene"]["rows"], sets["scene"]["vectors"]) == (2_407, 15)
    assert round(sets["mnist"]["pixel_std"], 3) == 0.308
    assert round(sets["mnist"]["pixel_std"] ** 2, 3) == 0.095
    three = label_counts(np.array([[1, 0], [1, 0], [0, 1]]))
    assert three["mean_set"] == 1.5 and three["size_biased"] == pytest.approx(5 / 3)


def test_a_noise_rate_is_no_percentage():
    """E6, on grey pictures, where nothing is cut off: the share is a normal distribution's."""
    random = np.random.default_rng(0)
    images = random.integers(100, 156, (300, 1, 28, 28)).astype(np.uint8)
    mean, variance = (images / 255).mean(), (images / 255).var()
    rate = mean + variance  # one standard deviation of that noise above its mean
    noisy = next(iter(threshold(images, 0, rate=rate)))
    share = (noisy != images).mean()
    assert share == pytest.approx((1 + math.erf(1 / math.sqrt(2))) / 2, abs=0.01)
    assert abs(share - rate) > 0.1
