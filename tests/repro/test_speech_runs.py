"""The speech commands on small files: XRMB's MATLAB layout, MOCHA's frames, the whole protocol.

Few features, but as many rows as the paper's protocol takes, so that nothing of it is patched:
20 classes, 2,500 rows of each, 250 labelled.
"""

import json
from dataclasses import replace

import numpy as np
import pytest

from herocon_lite.data import CARDS, load
from herocon_lite.repro.cli import main
from herocon_lite.repro.runner import prepare
from herocon_lite.repro.settings import Run
from tests.unit.test_data import own_folder, without_checksums  # noqa: F401 (a fixture)

XRMB_FILES = ("XRMBf2KALDI_window7_single1.mat", "XRMBf2KALDI_window7_single2.mat")
RARE = 3  # a phone of the small XRMB file with too few rows


def small_xrmb(folder) -> np.ndarray:
    """22 phones, one of them rare, in the two official files; returns the phone of each row."""
    from scipy.io import savemat

    random = np.random.default_rng(0)
    counts = np.full(22, 2_520)
    counts[RARE] = 2_499
    phones = random.permutation(np.repeat(np.arange(22), counts))
    places = random.normal(size=(22, 9)).astype("f4")
    x = places[phones] + random.normal(size=(len(phones), 9)).astype("f4")
    folder.mkdir()
    savemat(folder / XRMB_FILES[0], {"X1": x[:, :5], "XV1": x[:3, :5]})
    savemat(folder / XRMB_FILES[1], {"X2": x[:, 5:], "trainLabel": phones[:, None]})
    return phones


def small_mocha(folder, sentences=40, length=760) -> None:
    """20 phones and silence in pieces of eight frames; each sentence is read by two speakers."""
    random = np.random.default_rng(0)
    recordings = 2 * sentences
    pieces = recordings * length // 8
    label = np.repeat(random.permutation(np.arange(pieces) % 21), 8)
    places = random.normal(size=(21, 5))
    frames = (places[label] + random.normal(size=(len(label), 5))).astype(np.float16)
    folder.mkdir()
    (folder / "LICENCE.txt").write_text("keep me")
    np.savez(
        folder / "mocha_frames.npz",
        acoustic=frames[:, :3],
        articulatory=frames[:, 3:],
        label=label.astype(np.int8),
        label_names=np.array(["sil"] + [f"p{number}" for number in range(20)]),
        speaker=np.repeat(np.arange(recordings) % 2, length).astype(np.int8),
        utterance=np.repeat(np.arange(recordings) // 2, length).astype(np.int16),
    )


def records(folder, data: str) -> list[dict]:
    lines = (folder / "runs" / f"{data}.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture
def xrmb(own_folder):  # noqa: F811
    return small_xrmb(own_folder / "xrmb")


@pytest.fixture
def mocha(own_folder, monkeypatch):  # noqa: F811
    monkeypatch.setitem(CARDS, "mocha", replace(CARDS["mocha"], parts=without_checksums("mocha")))
    small_mocha(own_folder / "mocha")
    return load("mocha")


def test_the_xrmb_command_with_both_presets(xrmb, tmp_path, capsys):
    folder = tmp_path / "results"
    command = ["run", "xrmb", "herocon", "--budget", "paper", "--set", "steps=1"]
    command += ["--device", "cpu", "--folder", str(folder)]
    assert main(command) == 0
    assert main([*command, "--preset", "released", "--split", "released"]) == 0
    assert capsys.readouterr().out.count("Ran 1.") == 2
    paper, released = records(folder, "xrmb")

    settings = paper["settings"]
    assert (settings["alpha"], settings["beta"]) == (0.1, 0.001)
    assert settings["unlabeled_batch"] + paper["split"]["train"] - 1 == 4_999  # |N|
    settings = released["settings"]
    assert (settings["alpha"], settings["beta"]) == (5.0, 0.01)
    assert settings["unlabeled_batch"] + released["split"]["train"] - 1 == 499

    data = load("xrmb")
    for record in (paper, released):
        assert record["changes"] == {"steps": 1} and record["settings"]["steps"] == 1
        assert (record["split"]["train"], record["split"]["test"]) == (250, 49_750)
        assert record["split"]["unlabeled"] == 49_750
        # two views of its own: none was made, and both terms of the loss are there
        assert record["form"] is None and record["settings"]["views"] is None
        assert {"L_c", "L_u", "L_s"} <= record["history"][0].keys()
        assert record["data_checksums"] == dict.fromkeys(XRMB_FILES, "unknown: not checked")
        assert 0 < record["metrics"]["auc"] < 1 and record["metrics"]["labels_without_auc"] == 0
        # what the record says of its rows is what the run takes from the file
        run = Run("xrmb", "herocon", 0, "paper", record["preset"], split=record["split"]["how"])
        chosen, parts = prepare(run, data)
        assert record["preparation"] == list(chosen.steps)
        assert record["split"]["checksum"] == parts.checksum
        assert [view.shape for view in chosen.views] == [(50_000, 5), (50_000, 4)]
    # text and public code do not take the same rows of the classes
    assert paper["preparation"] != released["preparation"]


def test_the_first_phones_and_in_the_public_code_their_first_rows(xrmb):
    data = load("xrmb")
    phones = [number for number in range(22) if number != RARE][:20]
    first = [np.flatnonzero(xrmb == number)[:2_500] for number in phones]
    first = np.sort(data.views[0][np.concatenate(first), 0])
    for preset, same in (("released", True), ("paper", False)):
        chosen, _ = prepare(Run("xrmb", "dnn", preset=preset), data)
        assert chosen.label_names == tuple(f"phone {number}" for number in phones)
        assert chosen.labels.sum(0).tolist() == [2_500] * 20
        assert np.array_equal(np.sort(chosen.views[0][:, 0]), first) == same


def test_released_folds_have_as_many_rows_of_each_phone(xrmb):
    run = Run("xrmb", "dnn", preset="released", split="released")
    chosen, parts = prepare(run, load("xrmb"))
    assert set(chosen.labels[parts.train].sum(0)) <= {12, 13}


def test_the_mocha_command_with_new_utterances(mocha, tmp_path, capsys):
    command = ["run", "mocha", "herocon", "--budget", "paper", "--split", "utterance"]
    command += ["--set", "steps=2", "unlabeled_batch=750", "--device", "cpu"]
    assert main([*command, "--folder", str(tmp_path / "results")]) == 0
    (record,) = records(tmp_path / "results", "mocha")
    assert record["split"]["how"] == "utterance" and record["split"]["train"] == 250
    assert record["settings"]["unlabeled_batch"] + record["split"]["train"] - 1 == 999
    assert set(record["data_checksums"]) == {"mocha_frames.npz", "LICENCE.txt"}

    chosen, parts = prepare(Run("mocha", "herocon", budget="paper", split="utterance"), mocha)
    assert record["split"]["checksum"] == parts.checksum
    assert "sil" not in chosen.label_names and len(chosen.label_names) == 20
    sentence, speaker = chosen.row_info["utterance"], chosen.row_info["speaker"]
    ours, theirs = set(sentence[parts.train]), set(sentence[parts.test])
    assert not ours & theirs  # no utterance on both sides
    assert len(ours | theirs) == 40 and len(theirs) == 20
    for rows in (parts.train, parts.test):
        assert set(speaker[rows]) == {0, 1}
    # windows of seven frames: no frame of a test window is in a labelled one
    frames = [chosen.views[0].rows[rows] for rows in (parts.train, parts.test)]
    seen = [set((r[:, None] + np.arange(-3, 4)).ravel()) for r in frames]
    assert not seen[0] & seen[1]


def test_random_frames_share_what_new_utterances_do_not(mocha):
    """The reason for the other split: overlapping windows and common sentences."""
    for seed in (0, 1):
        chosen, parts = prepare(Run("mocha", "dnn", seed), mocha)
        sentence = chosen.row_info["utterance"]
        assert set(sentence[parts.train]) <= set(sentence[parts.test])
        frames = [chosen.views[0].rows[rows] for rows in (parts.train, parts.test)]
        assert np.isin(frames[0] + 1, frames[1]).mean() > 0.5


@pytest.mark.parametrize("seed", range(3))
def test_without_seeing_the_test_the_unlabelled_rows_are_of_the_labelled_half(mocha, seed):
    run = Run("mocha", "dnn", seed, protocol="inductive", split="utterance")
    chosen, parts = prepare(run, mocha)
    sentence = chosen.row_info["utterance"]
    seen = set(sentence[parts.train]) | set(sentence[parts.unlabeled])
    assert not seen & set(sentence[parts.test])


def test_xrmb_knows_no_utterances(xrmb, tmp_path, capsys):
    command = ["run", "xrmb", "dnn", "--split", "utterance", "--folder", str(tmp_path / "results")]
    assert main(command) == 2
    assert "knows its utterances" in capsys.readouterr().err
    assert not (tmp_path / "results" / "runs").exists()
