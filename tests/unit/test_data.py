"""Readers, the one return type, splits and the data doctor."""

import gzip
import pickle
import struct
import subprocess
import sys
import tarfile
import threading
import zipfile
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from herocon_lite.data import (
    CARDS,
    NAMES,
    Dataset,
    Lazy,
    Split,
    doctor,
    fetch,
    load,
    select_classes,
    split,
)
from herocon_lite.data.cards import File, read_cards
from herocon_lite.data.lazy import ImageArchive
from herocon_lite.data.splits import shuffle
from tests.full_data import FOLDER, needs


@pytest.fixture
def own_folder(tmp_path, monkeypatch):
    """An empty folder as HEROCON_DATA, and nothing downloaded."""
    monkeypatch.setenv("HEROCON_DATA", str(tmp_path))
    monkeypatch.setattr(fetch, "download_folder", lambda: tmp_path / "downloads")
    return tmp_path


def without_checksums(name: str) -> dict:
    """The card's parts for small files of the same layout."""
    return {
        part: tuple(replace(file, checksum=None, urls=()) for file in files)
        for part, files in CARDS[name].parts.items()
    }


# ------------------------------------------------------------------ load


def test_import_is_light():
    code = (
        "import sys, herocon_lite.data; "
        "heavy = {'torch', 'torchvision', 'sklearn', 'scipy', 'pooch', 'PIL'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_unknown_name_gets_a_suggestion():
    with pytest.raises(ValueError, match=r"got 'sceen'\. Did you mean \"scene\"\?"):
        load("sceen")
    with pytest.raises(ValueError, match="name must be one of scene, mnist"):
        load("imagenet")


def test_unknown_option():
    with pytest.raises(TypeError, match=r'load\("yeast"\) takes no further arguments; got \'n\''):
        load("yeast", n=5)
    with pytest.raises(TypeError, match="takes n, seed; got 'size'"):
        load("faces", size=5)
    with pytest.raises(ValueError, match="n must be at least 1 face; got 0"):
        load("faces", n=0)


@pytest.mark.parametrize("name", NAMES)
def test_every_card_is_filled_in(name):
    card = CARDS[name]
    assert card.name == name and card.kind in ("multilabel", "multiclass")
    assert all((card.title, card.about, card.source, card.licence, card.cite))
    assert card.embedded or CARDS[card.stand_in].embedded
    for checksum in card.checksum.values():
        algorithm, _, digest = checksum.partition(":")
        assert (algorithm, len(digest)) in {("sha256", 64), ("md5", 32)} or name == "xrmb"
    assert bool(card.terms) == (name == "celeba")


def test_a_card_is_read_as_it_is_written():
    text = """
toy:
  title: Toy
  kind: multilabel
  about: A toy.
  source: here
  licence: none
  cite: nobody
  parts:
    all:
      - path: a.gz
        checksum: md5:0
        size: 5
        urls: [https://a.example/folder/, "https://b.example/get?id=1"]
      - path: a.txt
        starts_with: rows
        expanded: 7
"""
    (card,) = read_cards(text).values()
    best, other = card.parts["all"]
    assert (card.name, card.title, card.embedded) == ("toy", "Toy", False)
    assert best == File(
        "a.gz", "md5:0", 5, ("https://a.example/folder/a.gz", "https://b.example/get?id=1")
    )
    assert other == File("a.txt", starts_with=b"rows", expanded=7)
    assert (best.limit, other.limit) == (10, 14)  # twice what is known
    with pytest.raises(TypeError, match="licnce"):
        read_cards(text.replace("licence", "licnce"))
    with pytest.raises(ValueError, match=r"a\.gz must have a checksum and a size to have urls"):
        read_cards(text.replace("checksum: md5:0", "remark: none"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": np.array([[2, 0], [0, 1]])}, "labels must be a matrix of 0 and 1"),
        ({"labels": np.array([[1, 1], [0, 1]])}, "must have one class"),
        ({"labels": np.eye(3)}, "labels has 3 columns, label_names 2"),
        ({"views": [np.zeros((3, 4))]}, "view 1 has 3 rows, labels 2"),
        ({"views": [np.array([[0.0], [np.nan]])]}, "view 1 holds NaN or infinity"),
    ],
)
def test_values_are_checked_once(change, message):
    good = {"views": [np.zeros((2, 4))], "labels": np.eye(2), "label_names": ("a", "b")}
    Dataset(name="own", kind="multiclass", card=CARDS["yeast"], **good)
    with pytest.raises(ValueError, match=message):
        Dataset(name="own", kind="multiclass", card=CARDS["yeast"], **{**good, **change})


def test_take_keeps_rows_together():
    data = load("yeast")
    rows = np.array([7, 3, 2000])
    part = data.take(rows, "three genes")
    np.testing.assert_array_equal(part.views[1], data.views[1][rows])
    np.testing.assert_array_equal(part.labels, data.labels[rows])
    assert part.steps == ("three genes",) and part.checksums == data.checksums


# ------------------------------------------------------------------ readers on small files


BIRDS = """@relation birds

@attribute audio-ssd1 numeric
@attribute audio-ssd25 numeric
@attribute cluster1 numeric
@attribute segments numeric
@attribute hasSegments {0,1}
@attribute location {2,10,1}
@attribute 'Swainson\\'s Thrush' {0,1}
@ATTRIBUTE Jay {0,1}

@data
"""


@pytest.fixture
def small_birds(own_folder, monkeypatch):
    """Three recordings and one more, in Mulan's layout."""
    monkeypatch.setitem(CARDS, "birds", replace(CARDS["birds"], parts=without_checksums("birds")))
    folder = own_folder / "birds"
    folder.mkdir()
    train = "0.5,1e-5,0.25,3,1,10,0,1\n1.5,2e-5,0,0,0,2,0,0\n-2,0,0,7,1,10,1,1\n"
    (folder / "birds-train.arff").write_text(BIRDS + train)
    (folder / "birds-test.arff").write_text(BIRDS + "4,3e-5,1,0,0,1,1,0\n")
    return folder


def test_birds_reader_on_a_small_file(small_birds):
    data = load("birds")
    sound = [[0.5, 1e-5], [1.5, 2e-5], [-2, 0], [4, 3e-5]]
    np.testing.assert_array_equal(data.views[0], np.array(sound, np.float32))
    assert data.views[1].dtype == np.float32
    assert data.views[1].tolist() == [
        [0.25, 3, 1, 0, 1, 0],  # cluster, segments, hasSegments, then one column a location
        [0, 0, 0, 1, 0, 0],
        [0, 7, 1, 0, 1, 0],
        [1, 0, 0, 0, 0, 1],
    ]
    assert data.label_names == ("Swainson's Thrush", "Jay") and data.kind == "multilabel"
    assert data.labels.tolist() == [[0, 1], [0, 0], [1, 1], [1, 0]]


def test_two_files_of_one_set_must_have_the_same_columns(small_birds):
    other = BIRDS.replace("cluster1", "cluster2")
    (small_birds / "birds-test.arff").write_text(other + "4,3e-5,1,0,0,1,1,0\n")
    with pytest.raises(ValueError, match=r"must have the attributes of birds-train\.arff"):
        load("birds")


def test_standardise_looks_at_the_given_rows_only(small_birds):
    data = load("birds")
    made = data.standardise(np.array([0, 1, 2]))
    np.testing.assert_allclose(made.views[0][:3].mean(0), 0, atol=1e-6)
    np.testing.assert_allclose(made.views[0][:3].std(0), 1, rtol=1e-5)
    # the fourth row is placed by the others' mean and deviation
    spread = np.array([0.5, 1.5, -2]).std()
    assert made.views[0][3, 0] == pytest.approx(4 / spread)
    assert (made.views[1][:, 5] == 0).all()  # no row of the three is at that location
    assert made.steps == ("features standardised on the rows of training",)
    np.testing.assert_array_equal(made.labels, data.labels)
    assert data.steps == () and data.views[0][3, 0] == 4


def test_xrmb_reader_on_a_small_file(own_folder, monkeypatch):
    from scipy.io import savemat

    random = np.random.default_rng(0)
    x1, x2 = random.normal(size=(60, 273)), random.normal(size=(60, 112))
    phones = random.permutation(np.repeat(np.arange(6), 10))
    folder = own_folder / "xrmb"
    folder.mkdir()
    savemat(folder / "XRMBf2KALDI_window7_single1.mat", {"X1": x1, "XV1": x1[:2]})
    savemat(
        folder / "XRMBf2KALDI_window7_single2.mat",
        {"X2": x2, "trainLabel": phones[:, None].astype(np.uint8)},
        do_compression=True,
    )
    data = load("xrmb")
    assert [view.shape for view in data.views] == [(60, 273), (60, 112)]
    assert data.views[0].dtype == np.float32
    np.testing.assert_allclose(data.views[1], x2, rtol=1e-6)
    np.testing.assert_array_equal(data.labels.argmax(1), phones)
    assert set(data.checksums.values()) == {"unknown: not checked"}
    # the paper's protocol in small: first 4 classes × 5 rows, some labelled
    for how in ("paper", "released"):
        chosen = select_classes(data, how, classes=4, per_class=5)
        assert chosen.labels.sum(0).tolist() == [5] * 4
        assert chosen.label_names == ("phone 0", "phone 1", "phone 2", "phone 3")
        parts = split(chosen, labeled=8)
        assert (len(parts.train), len(parts.test)) == (8, 12)
    first = np.concatenate([np.flatnonzero(phones == a)[:5] for a in range(4)])
    released = select_classes(data, "released", classes=4, per_class=5)
    np.testing.assert_array_equal(
        np.sort(released.views[0][:, 0]), np.sort(data.views[0][first, 0])
    )
    with pytest.raises(ValueError, match="classes must be at most 6 on xrmb"):
        select_classes(data, classes=7, per_class=5)


def test_xrmb_file_without_its_variable(own_folder):
    from scipy.io import savemat

    (own_folder / "xrmb").mkdir()
    for number in (1, 2):
        path = own_folder / "xrmb" / f"XRMBf2KALDI_window7_single{number}.mat"
        savemat(path, {"Y": np.zeros((3, 3))})
    with pytest.raises(ValueError, match=r"must be a MATLAB 5 file.* no variable 'X1'"):
        load("xrmb")


def test_mocha_windows_stay_inside_a_recording(own_folder, monkeypatch):
    monkeypatch.setitem(CARDS, "mocha", replace(CARDS["mocha"], parts=without_checksums("mocha")))
    (own_folder / "mocha").mkdir()
    (own_folder / "mocha" / "LICENCE.txt").write_text("keep me")
    frame = np.arange(30)
    np.savez(
        own_folder / "mocha" / "mocha_frames.npz",
        acoustic=np.repeat(frame[:, None], 39, 1).astype(np.float16),
        articulatory=np.repeat(frame[:, None], 16, 1).astype(np.float16),
        label=(frame % 3).astype(np.int8),
        label_names=np.array(["a", "sil", "b"]),
        speaker=np.repeat([0, 0, 1], 10).astype(np.int8),
        utterance=np.repeat([1, 2, 2], 10).astype(np.int16),
    )
    data = load("mocha")
    # of each recording of 10 frames, 3 … 6 are in the middle of seven
    centres = np.array([3, 4, 5, 6, 13, 14, 15, 16, 23, 24, 25, 26])
    assert [view.shape for view in data.views] == [(12, 273), (12, 112)]
    windows = data.views[0][:].reshape(12, 7, 39)[:, :, 0]
    np.testing.assert_array_equal(windows, centres[:, None] + np.arange(-3, 4))
    np.testing.assert_array_equal(data.labels.argmax(1), centres % 3)
    np.testing.assert_array_equal(data.row_info["utterance"], np.repeat([1, 2, 2], 4))
    chosen = select_classes(data, classes=2, per_class=3)
    assert chosen.label_names == ("a", "b")  # no silence
    assert isinstance(chosen.views[0], Lazy)


def small_celeba(folder: Path, archive: str) -> np.ndarray:
    """Six faces 8 × 10 in the asked archive, eight rows of attributes; returns the pictures."""
    from PIL import Image

    folder.mkdir()
    names = [f"{number:06}.jpg" for number in range(1, 9)]
    values = ["1 -1 1", "-1 -1 1", " 1  1 -1"]
    rows = [f"{name} {values[i % 3]}" for i, name in enumerate(names)]
    (folder / "list_attr_celeba.txt").write_text("8\nYoung Bald Male \n" + "\n".join(rows) + "\n")
    partition = "\n".join(f"{name} {i % 3}" for i, name in enumerate(names))
    (folder / "list_eval_partition.txt").write_text(partition + "\n")
    pictures = []
    for number in range(6):
        buffer = BytesIO()
        colour = (40 * number, 100, 255 - 40 * number)
        Image.new("RGB", (8, 10), colour).save(buffer, "JPEG", quality=95)
        pictures.append(buffer.getvalue())
    order = [5, 0, 3, 1, 2, 4]  # not sorted: rows go by name
    if archive.endswith(".zip"):
        with zipfile.ZipFile(folder / archive, "w") as out:
            for i in order:
                method = zipfile.ZIP_DEFLATED if i % 2 else zipfile.ZIP_STORED
                out.writestr(f"img_align_celeba/{names[i]}", pictures[i], method)
            out.writestr("README.txt", "not a picture")
    else:
        with tarfile.open(folder / archive, "w") as out:
            for i in order:
                info = tarfile.TarInfo(f"img_89x109/{names[i]}")
                info.size = len(pictures[i])
                out.addfile(info, BytesIO(pictures[i]))
            out.addfile(tarfile.TarInfo("README.txt"))
    return np.stack([np.asarray(Image.open(BytesIO(p))).transpose(2, 0, 1) for p in pictures])


@pytest.mark.parametrize("archive", ["img_align_celeba.zip", "img_89x109.tar"])
def test_celeba_reader(own_folder, monkeypatch, archive):
    monkeypatch.setitem(
        CARDS, "celeba", replace(CARDS["celeba"], parts=without_checksums("celeba"))
    )
    pictures = small_celeba(own_folder / "celeba", archive)
    data = load("celeba")
    view = data.views[0]
    assert view.shape == (6, 3, 10, 8) and view.dtype == np.uint8 and len(view) == 6
    np.testing.assert_array_equal(view[:], pictures)
    np.testing.assert_array_equal(view[2], pictures[2])
    np.testing.assert_array_equal(view[[4, 1]], pictures[[4, 1]])
    np.testing.assert_array_equal(view[np.arange(6) > 3], pictures[4:])
    np.testing.assert_array_equal(np.asarray(view.take(np.array([5, 0]))), pictures[[5, 0]])
    assert data.labels.tolist() == [[1, 0, 1], [0, 0, 1], [1, 1, 0]] * 2
    assert data.label_names == ("Young", "Bald", "Male")
    assert data.row_info["partition"].tolist() == [0, 1, 2, 0, 1, 2]
    assert data.steps == ("6 of 8 images, 8 × 10",)
    # worker processes get a copy, threads share
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(view))[3], pictures[3])
    results = {}

    def read(i):
        results[i] = all((view[i % 6] == pictures[i % 6]).all() for _ in range(20))

    threads = [threading.Thread(target=read, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(results.values()) and len(results) == 8
    attributes = load("celeba", images=False)
    assert attributes.views == [] and attributes.labels.shape == (8, 3)


def test_archive_without_the_images(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("x.txt", "x")
    with pytest.raises(ValueError, match=r"holds none of the expected images, such as 1\.jpg"):
        ImageArchive.open(tmp_path / "a.zip", ["1.jpg"])


# ------------------------------------------------------------------ splits


@pytest.mark.parametrize("name", ["mnist5k", "yeast", "mfeat", "faces"])
@pytest.mark.parametrize("protocol", ["transductive", "inductive"])
def test_parts_never_overlap(name, protocol):
    data = load(name, **({"n": 800} if name == "faces" else {}))
    for seed in range(3):
        parts = split(data, seed=seed, protocol=protocol)
        train, unlabeled, test = map(set, (parts.train, parts.unlabeled, parts.test))
        assert not train & test and not train & unlabeled
        assert unlabeled == test if protocol == "transductive" else not unlabeled & test
        assert len(train | unlabeled | test) == len(data)


def test_split_is_named_by_parameters_and_checksum():
    described = split(load("yeast"), seed=3, protocol="inductive").describe()
    assert described == {
        "data": "yeast",
        "how": "paper",
        "seed": 3,
        "protocol": "inductive",
        "train": 120,
        "unlabeled": 1148,
        "test": 1149,
        # The same on every machine: if this changes, old results name other splits.
        "checksum": "51425587bdeddff3",
    }
    checksums = {split(load("yeast"), seed=seed).checksum for seed in range(20)}
    assert len(checksums) == 20


def test_order_is_a_fixed_function_of_the_seed():
    assert shuffle(np.arange(8), 0).tolist() == [3, 2, 1, 6, 0, 7, 4, 5]
    assert shuffle(np.arange(8), 0, 1).tolist() != [3, 2, 1, 6, 0, 7, 4, 5]
    orders = np.array([shuffle(np.arange(5), seed) for seed in range(4000)])
    # every value in every place equally often: 800 ± 4·25
    counts = np.array([np.bincount(column, minlength=5) for column in orders.T])
    assert np.abs(counts - 800).max() < 105


def test_digits_have_equally_many_labels():
    data = load("mnist5k")
    assert data.labels[split(data).train].sum(0).tolist() == [20] * 10
    with pytest.raises(ValueError, match="labeled must be a multiple of 10 on mnist5k"):
        split(data, labeled=15)
    nines_gone = data.take(np.flatnonzero(data.labels[:, 9] == 0), "no nines")
    with pytest.raises(ValueError, match="200 needs 20 of each class, and one has 0"):
        split(nines_gone)


def test_bad_arguments_of_split():
    data = load("yeast")
    with pytest.raises(ValueError, match="protocol must be one of transductive, inductive"):
        split(data, protocol="both")
    with pytest.raises(ValueError, match="scheme must be one of paper, released, utterance"):
        split(data, scheme="random")
    with pytest.raises(ValueError, match="labeled must be between 1 and 2416"):
        split(data, labeled=2417)
    with pytest.raises(ValueError, match='scheme="released" exists for'):
        split(data, scheme="released")
    with pytest.raises(ValueError, match="needs data that knows its utterances"):
        split(data, scheme="utterance")
    with pytest.raises(ValueError, match="labeled must be given for own"):
        split(replace(data, name="own"))


@pytest.mark.parametrize(
    "name, how, rows, labeled, most",
    [
        ("celeba", "paper", 60_000, 55_000, 50_000),
        ("celeba", "released", 60_000, 50_000, 50_000),
        ("mnist", "released", 70_000, 20_000, 10_000),
        ("mocha", "utterance", 1_000, 700, 500),
    ],
)
def test_where_only_some_rows_take_part_no_more_can_be_labelled(name, how, rows, labeled, most):
    labels = np.eye(10, dtype=np.uint8)[np.arange(rows) % 10]
    info = {"utterance": np.arange(rows)} if how == "utterance" else {}
    card = CARDS[name]
    shell = Dataset(name, card.kind, [], labels, tuple("0123456789"), card, row_info=info)
    with pytest.raises(ValueError, match=f"labeled must be less than {most} here.*got {labeled}"):
        split(shell, how, labeled=labeled)


def test_mnist_reader_on_small_files(own_folder, monkeypatch):
    monkeypatch.setitem(CARDS, "mnist", replace(CARDS["mnist"], parts=without_checksums("mnist")))
    (own_folder / "mnist").mkdir()
    images = np.random.default_rng(0).integers(0, 256, (5, 4, 3), np.uint8)
    digits = np.array([3, 1, 4, 1, 9], np.uint8)
    for name, rows in (("train", slice(0, 3)), ("t10k", slice(3, 5))):
        for kind, array in (("images-idx3", images[rows]), ("labels-idx1", digits[rows])):
            head = struct.pack(f">HBB{array.ndim}I", 0, 8, array.ndim, *array.shape)
            path = own_folder / "mnist" / f"{name}-{kind}-ubyte.gz"
            path.write_bytes(gzip.compress(head + array.tobytes()))
    data = load("mnist")
    np.testing.assert_array_equal(data.views[0][:, 0], images)  # training images first
    np.testing.assert_array_equal(data.labels.argmax(1), digits)


def test_mnist_labels_come_from_the_official_test_images():
    labels = np.eye(10, dtype=np.uint8)[np.arange(70_000) % 10]
    shell = Dataset("mnist", "multiclass", [], labels, tuple("0123456789"), CARDS["mnist"])
    paper, released = split(shell, seed=1), split(shell, "released", seed=4)
    assert labels[paper.train].sum(0).tolist() == [20] * 10 and paper.train.min() >= 60_000
    assert np.array_equal(paper.test, np.arange(60_000))
    assert np.array_equal(released.train, np.arange(60_000, 60_200))
    assert not np.array_equal(paper.train, split(shell, seed=2).train)
    assert len(split(shell, protocol="inductive").test) == 30_000


def test_released_folds_are_stratified_by_the_whole_label_vector():
    vectors = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1], [1, 0, 1]], np.uint8)
    labels = np.repeat(vectors, 600, 0)
    shell = Dataset("scene", "multilabel", [], labels, ("a", "b", "c"), CARDS["scene"])
    for fold in (0, 19):
        found = labels[split(shell, "released", seed=fold).train]
        assert np.unique(found, axis=0, return_counts=True)[1].tolist() == [30] * 4


def test_pictures_must_be_bytes():
    """Floats from 0 to 1 would be taken for black, or for noise."""
    pictures, labels = np.full((10, 1, 4, 4), 0.5, np.float32), np.eye(10, dtype=np.uint8)
    with pytest.raises(ValueError, match="view 1 holds pictures as float32; they must be uint8"):
        Dataset("mnist", "multiclass", [pictures], labels, tuple("0123456789"), CARDS["mnist"])


def test_split_itself_refuses_overlap():
    a, b = np.arange(5), np.arange(5, 9)
    Split(a, b, b, {"protocol": "transductive"})
    with pytest.raises(ValueError, match="train and unlabeled must share no row; they share 1"):
        Split(a, np.arange(4, 9), np.arange(4, 9), {"protocol": "transductive"})
    with pytest.raises(ValueError, match="unlabeled must be test"):
        Split(a, b, b[1:], {"protocol": "transductive"})
    with pytest.raises(ValueError, match="unlabeled and test must share no row"):
        Split(a, b, b[1:], {"protocol": "inductive"})
    with pytest.raises(ValueError, match="train must name each row once"):
        Split(np.array([1, 1]), b, b, {"protocol": "transductive"})


# ------------------------------------------------------------------ the doctor


def test_doctor_table(own_folder, capsys):
    (own_folder / "scene").mkdir()
    (own_folder / "scene" / "scene-train.arff").write_text("@data\n")
    assert doctor() == 0
    lines = capsys.readouterr().out.splitlines()
    state = {line.split()[0]: line for line in lines}
    assert "incomplete" in state["scene"] and "not found" in state["mnist"]
    assert "yes" in state["yeast"] and "checksums right" in state["yeast"]
    assert "synthetic" in state["faces"]
    (own_folder / "scene" / "scene-test.arff").write_text("@data\n")
    assert doctor() == 1
    assert "WRONG" in capsys.readouterr().out
    assert doctor("scene") == 1


def test_doctor_shows_one_set(own_folder, capsys):
    assert doctor("mnist5k") == 0
    out = capsys.readouterr().out
    assert "CC BY-SA 3.0" in out and CARDS["mnist5k"].checksum["mnist5k.npz"] in out
    assert "row 2: " in out and "view 1: [0 0 0 0 0 0]" in out  # a picture's upper left corner
    assert doctor("yeast") == 0
    assert "view 2: [" in capsys.readouterr().out
    assert doctor("faces") == 0
    assert "SYNTHETIC" in capsys.readouterr().out
    assert doctor("celeba") == 1
    assert "accept_terms=True" in capsys.readouterr().out
    assert doctor("xrmb") == 1
    assert "Accept the terms at" in capsys.readouterr().out
    assert doctor("sceen") == 2
    assert 'Did you mean "scene"?' in capsys.readouterr().out


def test_doctor_says_when_a_set_is_reduced(own_folder, monkeypatch, capsys):
    monkeypatch.setitem(
        CARDS, "celeba", replace(CARDS["celeba"], parts=without_checksums("celeba"))
    )
    small_celeba(own_folder / "celeba", "img_89x109.tar")
    assert doctor("celeba") == 0
    out = capsys.readouterr().out
    assert "reduced: 10,000 of 202,599" in out


# ------------------------------------------------------------------ the full data sets


@needs("scene", "mnist", "celeba", "mocha", file="SHA256SUMS")
def test_every_checksum_is_the_published_one():
    sums = dict(line.split()[::-1] for line in (FOLDER / "SHA256SUMS").read_text().splitlines())
    checked = 0
    for name in ("scene", "mnist", "celeba", "mocha"):
        for path, checksum in CARDS[name].checksum.items():
            if f"./{name}/{path}" in sums:
                assert checksum == f"sha256:{sums[f'./{name}/{path}']}"
                file = File(path, checksum)
                assert fetch.find_fault(FOLDER / name / path, file) == ""
                checked += 1
    assert checked == sum(not line.startswith("./packaged") for line in sums)


@needs("scene")
def test_scene():
    from scipy.io import arff

    data = load("scene")
    assert data.views[0].shape == (2407, 294) and data.kind == "multilabel"
    assert data.label_names == ("Beach", "Sunset", "FallFoliage", "Field", "Mountain", "Urban")
    assert data.labels.sum(0).tolist() == [427, 364, 397, 433, 533, 431]
    assert len(np.unique(data.labels, axis=0)) == 15
    assert data.views[0].min() >= 0 and data.views[0].max() <= 1
    records, _ = arff.loadarff(FOLDER / "scene" / "scene-test.arff")
    expected = np.array([list(record)[:294] for record in records], np.float32)
    np.testing.assert_array_equal(data.views[0][1211:], expected)
    assert set(data.checksums) == {"scene-train.arff", "scene-test.arff"}


@needs("birds", file="birds/SHA256SUMS")
def test_birds():
    from scipy.io import arff

    data = load("birds")
    assert [view.shape for view in data.views] == [(645, 153), (645, 118)]
    assert len(data.label_names) == 19 and data.label_names[10] == "Swainson's Thrush"
    assert (data.labels.sum(1) == 0).sum() == 294
    assert len(np.unique(data.labels, axis=0)) == 133
    assert (data.views[1][:, -12:].sum(1) == 1).all()
    records, meta = arff.loadarff(FOLDER / "birds" / "birds-test.arff")
    expected = np.array([[float(value) for value in record] for record in records.tolist()])
    np.testing.assert_array_equal(data.views[0][322:], expected[:, :153].astype(np.float32))
    np.testing.assert_array_equal(data.views[1][322:, :106], expected[:, 153:259].astype("f4"))
    known = np.array(meta["location"][1], float)
    np.testing.assert_array_equal(known[data.views[1][322:, 106:].argmax(1)], expected[:, 259])
    np.testing.assert_array_equal(data.labels[322:], expected[:, 260:])
    sums = (FOLDER / "birds" / "SHA256SUMS").read_text()
    assert all(checksum[7:] in sums for checksum in data.checksums.values())
    parts = split(data)
    assert (len(parts.train), len(parts.test)) == (120, 525)


@needs("scene")
def test_scene_splits():
    data = load("scene")
    paper = split(data)
    assert (len(paper.train), len(paper.test)) == (120, 2287)
    folds = [split(data, "released", seed=fold) for fold in range(5)]
    assert all(len(fold.train) in (120, 121) for fold in folds)
    assert len(np.unique(np.concatenate([fold.train for fold in folds]))) == sum(
        len(fold.train) for fold in folds
    )
    # stratified: every label vector that is common enough is in every fold
    rates = np.array([data.labels[fold.train].mean(0) for fold in folds])
    assert np.abs(rates - data.labels.mean(0)).max() < 0.02
    with pytest.raises(ValueError, match="seed must be a fold, 0 to 19"):
        split(data, "released", seed=20)
    with pytest.raises(ValueError, match="labeled cannot be chosen"):
        split(data, "released", labeled=50)


@needs("mnist")
def test_mnist():
    data = load("mnist")
    view = data.views[0]
    assert view.shape == (70_000, 1, 28, 28) and view.dtype == np.uint8
    train = [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]
    test = [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]
    assert data.labels[:60_000].sum(0, dtype=int).tolist() == train
    assert data.labels[60_000:].sum(0, dtype=int).tolist() == test
    assert view[:60_000].mean() / 255 == pytest.approx(0.1307, abs=1e-4)
    parts = split(data, seed=1)
    assert data.labels[parts.train].sum(0).tolist() == [20] * 10
    assert parts.train.min() >= 60_000 and (parts.test == np.arange(60_000)).all()
    released = split(data, "released", seed=4)
    assert (released.train == np.arange(60_000, 60_200)).all()
    assert len(split(data, protocol="inductive").test) == 30_000


@needs("celeba")
def test_celeba():
    attributes = load("celeba", images=False)
    assert attributes.labels.shape == (202_599, 40)
    distinct = len(np.unique(np.packbits(attributes.labels, axis=1), axis=0))
    assert distinct == 115_114 and 202_599 / distinct == pytest.approx(1.760, abs=5e-4)
    assert attributes.labels.sum(1).mean() == pytest.approx(9.03, abs=5e-3)
    data = load("celeba")
    assert len(data) == 10_000
    np.testing.assert_array_equal(data.labels, attributes.labels[:10_000])
    assert data.views[0].make.names[0] == "000001.jpg"
    assert data.views[0].make.names[-1] == "010000.jpg"
    pictures = np.asarray(data.views[0])  # all of them can be read
    assert pictures.shape == (10_000, 3, 109, 89) and pictures[::100].std() > 50
    # aligned with their attributes: hair is brighter on blond heads than on black ones
    hair = pictures[:, :, 5:25, 25:65].mean((1, 2, 3))
    at = data.label_names.index
    blond, black = data.labels[:, at("Blond_Hair")] == 1, data.labels[:, at("Black_Hair")] == 1
    assert hair[blond].mean() > hair[black].mean() + 30
    parts = split(data)
    assert (len(parts.train), len(parts.test)) == (500, 9_500)


@needs("mocha")
def test_mocha():
    data = load("mocha")
    assert [view.shape[1] for view in data.views] == [273, 112]
    assert len(data) == 324_422 and len(data.label_names) == 46
    chosen = select_classes(data, seed=1)
    assert chosen.labels.sum(0).tolist() == [2500] * 20
    assert not {"sil", "breath"} & set(chosen.label_names)
    eligible = [
        name
        for name, count in zip(data.label_names, data.labels.sum(0, dtype=int), strict=True)
        if count >= 2500 and name not in ("sil", "breath")
    ]
    assert chosen.label_names == tuple(eligible[:20])
    assert np.isfinite(np.asarray(chosen.views[0])).all()
    random = split(chosen)
    assert (len(random.train), len(random.test)) == (250, 49_750)
    assert len(split(chosen, "released", seed=2).train) == 250
    for protocol in ("transductive", "inductive"):
        parts = split(chosen, "utterance", protocol=protocol)
        sentence = chosen.row_info["utterance"]
        assert not set(sentence[parts.train]) & set(sentence[parts.test])
        assert len(parts.train) == 250 and 20_000 < len(parts.test) < 30_000
        if protocol == "inductive":
            assert not set(sentence[parts.unlabeled]) & set(sentence[parts.test])
    assert parts.describe()["steps"] == chosen.steps[0]
