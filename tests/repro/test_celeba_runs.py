"""The CelebA commands: on drawn faces, and on a small made-up folder in CelebA's own layout.

As many faces as the protocol labels, 500, and a few to test on; pictures are small and random, so
no picture of CelebA is needed. Networks see 32 px or less, to keep it short.
"""

import json
import re
import zipfile
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from herocon_lite import models
from herocon_lite.data import CARDS, load, split
from herocon_lite.data.splits import CELEBA_ROWS, LABELED
from herocon_lite.methods import METHODS
from herocon_lite.repro import ledger, paper, query, questions, runner
from herocon_lite.repro.cli import main
from herocon_lite.repro.query import Store
from herocon_lite.repro.runner import prepare
from herocon_lite.repro.settings import Run, paper_config
from tests.unit.test_data import own_folder, without_checksums  # noqa: F401 (a fixture)

ROWS = 520
HEIGHT, WIDTH = 34, 28  # CelebA's 218 × 178, much smaller
LABELS = 40
REDUCED = ["--budget", "paper", "--set", "steps=2", "widths=thin"]
BOOK = Path(__file__).resolve().parents[2] / "book"


def records(folder, data: str) -> list[dict]:
    lines = (folder / "runs" / f"{data}.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def official_layout(folder) -> np.ndarray:
    """The three official files, small; returns the labels, 0/1, of all rows."""
    from PIL import Image

    random = np.random.default_rng(0)
    # the first label is bright pictures, the others are rare or frequent as CelebA's are
    labels = random.random((ROWS, LABELS)) < np.linspace(0.1, 0.8, LABELS)
    names = [f"{number:06}.jpg" for number in range(1, ROWS + 1)]
    folder.mkdir()
    values = [" ".join("1" if has else "-1" for has in row) for row in labels]
    rows = [f"{name} {row}" for name, row in zip(names, values, strict=True)]
    head = " ".join(f"Label_{number}" for number in range(LABELS))
    (folder / "list_attr_celeba.txt").write_text(f"{ROWS}\n{head} \n" + "\n".join(rows) + "\n")
    partition = "\n".join(f"{name} {number % 3}" for number, name in enumerate(names))
    (folder / "list_eval_partition.txt").write_text(partition + "\n")
    with zipfile.ZipFile(folder / "img_align_celeba.zip", "w") as out:
        for name, y in zip(names, labels, strict=True):
            pixels = random.integers(0, 128, (HEIGHT, WIDTH, 3)) + 127 * int(y[0])
            buffer = BytesIO()
            Image.fromarray(pixels.astype(np.uint8)).save(buffer, "JPEG")
            out.writestr(f"img_align_celeba/{name}", buffer.getvalue())
    return labels.astype(np.uint8)


@pytest.fixture
def celeba(own_folder, monkeypatch):  # noqa: F811
    parts = without_checksums("celeba")
    monkeypatch.setitem(CARDS, "celeba", replace(CARDS["celeba"], parts=parts))
    return official_layout(own_folder / "celeba")


# ------------------------------------------------------------------ the command, on CelebA's layout


def test_the_celeba_command_with_both_presets(celeba, tmp_path, capsys):
    folder = tmp_path / "results"
    command = ["run", "celeba", "herocon", "--device", "cpu", "--folder", str(folder), *REDUCED]
    assert main([*command, "size=32"]) == 0
    assert main([*command, "--preset", "released", "--split", "released"]) == 0
    assert capsys.readouterr().out.count("Ran 1.") == 2
    text, code = records(folder, "celeba")

    assert text["changes"] == {"steps": 2, "widths": "thin", "size": 32}
    assert code["changes"] == {"steps": 2}  # the public code's VGG is the thin one already
    for record, rows, views in ((text, (50, 200), "paper"), (code, (64, 64), "released")):
        settings = record["settings"]
        assert (settings["labeled_batch"], settings["unlabeled_batch"]) == rows
        assert (settings["steps"], settings["lr"]) == (2, 0.05)
        assert (settings["encoder"], settings["widths"]) == ("vgg", "thin")
        assert (settings["alpha"], settings["beta"]) == (0.05, 0.1)
        assert settings["distance"] is None  # labels, so Hamming
        assert (record["form"], settings["views"]) == ("two_noisy", views)
        assert settings["shared_projector"] == (views == "released")
        assert record["split"]["how"] == views
        assert record["split"]["train"] == 500 and record["split"]["test"] == ROWS - 500
        assert record["split"]["unlabeled"] == ROWS - 500
        assert record["preparation"][0] == f"{ROWS} of {ROWS} images, {WIDTH} × {HEIGHT}"
        assert record["preparation"][1].startswith(f"two views: {views}, seed 0")
        assert {"L_c", "L_u", "L_s"} <= record["history"][0].keys()
        assert 0 < record["metrics"]["f1"] < 1
        assert set(record["data_checksums"]) == {
            "list_attr_celeba.txt",
            "list_eval_partition.txt",
            "img_align_celeba.zip",
        }

    # what stores and ledger make of a run that is smaller than the paper's
    changes = {"widths": "thin", "size": 32, "steps": 2}  # in any order
    store = Store(folder, "celeba", form="two_noisy", changes=changes)
    assert store.runs("herocon").tolist() == [text["metrics"]["f1"]]
    assert store.runs("herocon", changes={}).empty
    runs = ledger.Runs(query.load(folder))
    assert runs.of("celeba", "HeroCon").empty  # none stands for the paper's cell
    assert runs.of("celeba", "HeroCon", full=False)["f1"].tolist() == [text["metrics"]["f1"]]


def test_the_views_are_those_of_the_text_and_of_the_public_code(celeba):
    data = load("celeba")
    assert data.kind == "multilabel" and data.labels.shape == (ROWS, LABELS)
    np.testing.assert_array_equal(data.labels, celeba)
    bright = data.views[0][:].mean((1, 2, 3)) > 127
    np.testing.assert_array_equal(bright, celeba[:, 0])  # faces and labels go together

    made, parts = prepare(Run("celeba", "herocon", budget="paper"), data)
    assert [view.shape for view in made.views] == [(ROWS, 3, 64, 64)] * 2
    some = parts.train[:8]
    crops, colours = (view[some] for view in made.views)
    again = prepare(Run("celeba", "dnn", budget="paper"), data)[0]
    other = prepare(Run("celeba", "dnn", 1, budget="paper"), data)[0]
    np.testing.assert_array_equal(again.views[1][some], colours)  # every method sees the same
    assert not np.array_equal(other.views[0][some], crops)
    # view 2 keeps the whole picture, view 1 the colours: brightness survives the crop only
    np.testing.assert_array_equal(crops.mean((1, 2, 3)) > 127, celeba[some, 0])

    made, _ = prepare(Run("celeba", "herocon", budget="paper", preset="released"), data)
    side = round(HEIGHT * 224 / 218)
    assert [view.shape for view in made.views] == [(ROWS, 3, side, side)] * 2
    top, bottom = round(HEIGHT * 20 / 218), round(HEIGHT * 180 / 218)
    face, (crop, green) = data.views[0][7], (view[7] for view in made.views)
    np.testing.assert_array_equal(crop[::-1, : bottom - top, :WIDTH], face[:, top:bottom])
    np.testing.assert_array_equal(green[[0, 2], :HEIGHT, :WIDTH], face[[0, 2]])
    assert (green[1, :HEIGHT, :WIDTH] > face[1]).any()


def test_unless_told_otherwise_the_network_is_vgg_16(celeba, tmp_path, capsys):
    changes = ["steps=1", "labeled_batch=2", "size=32"]
    command = ["run", "celeba", "dnn", "--budget", "paper", "--set", *changes, "--device", "cpu"]
    assert main([*command, "--folder", str(tmp_path / "results")]) == 0
    (record,) = records(tmp_path / "results", "celeba")
    assert record["settings"]["widths"] == "full" and "widths" not in record["changes"]


def test_rows_that_take_part():
    """At most 50,000, 500 of them labelled; of fewer, all."""
    card = CARDS["celeba"]
    one = load("faces", n=1)
    for rows in (10_000, 60_000):
        labels = np.zeros((rows, 13), np.uint8)
        shell = replace(one, name="celeba", card=card, views=[], labels=labels)
        for how in ("paper", "released"):
            parts = split(shell, how, seed=0)
            assert len(parts.train) == 500
            assert len(parts.test) == min(rows, 50_000) - 500
        assert parts.test.max() < 50_000  # the public code's are the first ones


# ------------------------------------------------------------------ the command, on drawn faces


def test_the_reduced_command_on_drawn_faces(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(runner, "load", lambda name: load(name, n=505))
    methods = [ledger.OURS[name] for name in paper.RESULTS["celeba"]]
    command = ["run", "faces", *methods, *REDUCED, "steps=1", "size=32"]
    batches = ["labeled_batch=6", "unlabeled_batch=6"]  # of the settings' 50 and 200
    folder = tmp_path / "results"
    assert main([*command, *batches, "--device", "cpu", "--folder", str(folder)]) == 0
    found = {record["method"]: record for record in records(folder, "faces")}
    assert list(found) == methods
    for record in found.values():
        settings = record["settings"]
        assert settings["widths"] == "thin" and settings["encoder"] == "vgg"
        assert (record["budget"], record["form"]) == ("paper", "two_noisy")
        assert settings["views"] == "paper"
        assert (record["split"]["train"], record["split"]["test"]) == (500, 5)
        assert np.isfinite([*record["history"][-1].values()]).all()
        assert record["history"][-1]["step"] == 0
    usual = paper_config("faces")
    real = paper_config("celeba")
    for name in ("labeled_batch", "unlabeled_batch", "encoder", "views", "alpha", "beta"):
        assert getattr(usual, name) == getattr(real, name)
    assert (usual.alpha_u, usual.beta_s) == (real.alpha_u, real.beta_s)
    # a run on drawn faces says nothing about CelebA
    assert ledger.Runs(query.load(folder)).of("celeba", "DNN", full=False).empty


# ------------------------------------------------------------------ the chapters


@pytest.mark.parametrize("name", ["celeba", "extended_celeba"])
def test_the_chapters_look_at_no_picture_of_celeba(name):
    text = (BOOK / f"{name}.py").read_text()
    for forbidden in ('load("celeba"', "imshow", "img_align"):
        assert forbidden not in text
    assert set(re.findall(r"\bload\((.*?)\)", text)) == {'"faces"'}


def test_the_chapters_name_the_commands_that_are_tested():
    text, more = (
        " ".join((BOOK / f"{name}.py").read_text().replace("#", " ").replace("\\", " ").split())
        for name in ("celeba", "extended_celeba")
    )
    methods = " ".join(ledger.OURS[name] for name in paper.RESULTS["celeba"])
    assert f"run celeba {methods} --budget paper --seeds 5" in text
    assert "run faces dnn herocon-s --budget paper --set steps=2 widths=thin" in more


def test_all_runs_of_the_chapters_are_reduced_and_cover_the_paper_s_claims():
    asked = questions.read("celeba")
    reduced = {"steps": 300, "widths": "thin", "precision": "bfloat16"}
    assert asked.stores["CelebA"]["changes"] == reduced
    kinds = [kind for found in asked.differences.values() for kind in (found.a, found.b)]
    for changes in [k.get("changes", reduced) for k in kinds] + [
        c["changes"] for c in asked.commands
    ]:
        assert reduced.items() <= changes.items()
    claimed = {f"{a} − {b}" for c in paper.COMPARISONS if c.data == "celeba" for a, b in c.pairs}
    assert claimed == set(asked.differences) - set(asked.planned)
    made = {method for command in asked.commands for method in command["methods"]}
    assert {ledger.OURS[name] for name in paper.RESULTS["celeba"]} < made
    assert {kind["method"] for kind in kinds} <= made <= set(METHODS)


def test_the_settings_table_is_that_of_the_settings():
    """Its rows are typed in the page's file of questions."""
    rows = questions.read("celeba").settings
    text, code = (paper_config("celeba", preset) for preset in ("paper", "released"))
    assert rows["steps"] == [f"{text.steps} (600 epochs)", code.steps, 300]
    assert text.steps == 600 * LABELED["celeba"] // text.labeled_batch
    sizes = [s.labeled_batch + s.unlabeled_batch - 1 for s in (text, code, text)]
    assert rows["number of negatives"] == sizes
    assert rows["α of HeroCon-u"][2] == text.alpha_u and rows["β of HeroCon-s"][2] == text.beta_s
    thin = models.VGG_WIDTHS[code.widths]
    assert rows["network"][1] == rows["network"][2] == f"thin: {thin[0]} to {thin[-1]} channels"
    assert rows["faces"][1] == f"the first {CELEBA_ROWS:,}"
    rest = [f"500, {n - LABELED['celeba']:,}" for n in (CELEBA_ROWS, CELEBA_ROWS, 10_000)]
    assert rows["labelled, tested"] == rest
