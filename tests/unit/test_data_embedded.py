"""The embedded sets: what they hold, and that they are the packages' own numbers."""

import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from book._tools.build_embedded import read_packages
from herocon_lite.data import CARDS, load
from herocon_lite.data.fetch import EMBEDDED
from tests.full_data import FOLDER, needs

ROOT = Path(__file__).resolve().parents[2]


def test_no_network_no_data_folder(monkeypatch):
    """All four load in a fresh process that has neither, each in under two seconds."""
    code = """
import socket, sys
socket.socket = None  # any use of the network fails
from herocon_lite.data import load
for name, rows in (("mnist5k", 5000), ("yeast", 2417), ("mfeat", 2000), ("faces", 2000)):
    data = load(name, **({"n": 2000} if name == "faces" else {}))
    assert len(data) == rows, (name, len(data))
heavy = {"torch", "torchvision", "sklearn", "scipy", "pandas", "PIL"} & set(sys.modules)
assert not heavy, heavy
"""
    monkeypatch.delenv("HEROCON_DATA", raising=False)
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_mnist5k():
    data = load("mnist5k")
    assert data.kind == "multiclass" and data.views[0].shape == (5000, 1, 28, 28)
    assert data.views[0].dtype == np.uint8
    assert data.labels.sum(0).tolist() == [500] * 10
    assert data.checksums == CARDS["mnist5k"].checksum


def test_yeast():
    data = load("yeast")
    assert [view.shape for view in data.views] == [(2417, 79), (2417, 24)]
    assert data.kind == "multilabel" and data.labels.shape == (2417, 14)
    assert len(np.unique(data.labels, axis=0)) == 198
    assert data.labels.sum(1).mean() == pytest.approx(4.237, abs=1e-3)


def test_mfeat():
    data = load("mfeat")
    assert [view.shape[1] for view in data.views] == [76, 216, 64, 240, 47, 6]
    assert {view.dtype for view in data.views} == {np.dtype(np.float32)}
    assert data.labels.sum(0).tolist() == [200] * 10


def test_embedded_files_are_small_and_as_on_their_cards():
    files = [EMBEDDED / f"{name}.npz" for name in ("mnist5k", "yeast", "mfeat")]
    assert sum(path.stat().st_size for path in files) < 6e6
    for path in files:
        (card_file,) = CARDS[path.stem].parts["arrays"]
        assert card_file.size == path.stat().st_size
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        assert card_file.checksum == f"sha256:{digest}"
        assert digest in (EMBEDDED / "README.md").read_text()


@needs(file="packaged")
def test_embedded_arrays_are_the_packages_own():
    for name, arrays in read_packages(FOLDER / "packaged").items():
        with np.load(EMBEDDED / f"{name}.npz") as stored:
            assert set(stored) == set(arrays)
            for key, array in arrays.items():
                np.testing.assert_array_equal(stored[key], array)


# ------------------------------------------------------------------ drawn faces


def test_faces_are_labelled_synthetic():
    faces = load("faces", n=10, seed=3)
    assert faces.card.synthetic and "SYNTHETIC" in repr(faces)
    assert faces.steps == ("synthetic: 10 faces drawn with seed 3",)
    assert faces.views[0].shape == (10, 3, 64, 64) and faces.views[0].dtype == np.uint8


@pytest.mark.parametrize(
    ("n", "seed", "digest"),
    [(300, 0, "6a1f23a269eebe696ac10f7ac4363713"), (200, 7, "f17020fcda06061e41cd7534ea21aab9")],
)
def test_faces_are_the_same_bytes_as_ever(n, seed, digest):
    """Stored runs on faces name a seed; 300 faces are three chunks, and show every attribute."""
    faces = load("faces", n=n, seed=seed)
    assert faces.labels.any(0).all()
    content = faces.views[0].tobytes() + faces.labels.tobytes()
    assert hashlib.sha256(content).hexdigest().startswith(digest)


def test_faces_same_seed_same_faces_for_any_number():
    few, many = load("faces", n=150, seed=1), load("faces", n=300, seed=1)
    np.testing.assert_array_equal(few.views[0], many.views[0][:150])
    np.testing.assert_array_equal(few.labels, many.labels[:150])
    other = load("faces", n=150, seed=2)
    assert (few.labels != other.labels).any() and (few.views[0] != other.views[0]).any()


# CelebA's own rates and correlations (202,599 rows); faces drop what cannot be seen together.
CELEBA_RATES = {
    "Smiling": 0.482,
    "Mouth_Slightly_Open": 0.483,
    "Eyeglasses": 0.065,
    "Wearing_Hat": 0.048,
    "Bangs": 0.152,
    "Black_Hair": 0.239,
    "Blond_Hair": 0.148,
    "Bald": 0.022,
    "Beard": 0.165,
    "Wearing_Lipstick": 0.472,
    "Wearing_Necktie": 0.073,
    "Wearing_Earrings": 0.189,
    "Pale_Skin": 0.043,
}


def test_face_attributes_have_celeba_rates_and_correlations():
    faces = load("faces", n=4000)
    rates = dict(zip(faces.label_names, faces.labels.mean(0), strict=True))
    for name, rate in CELEBA_RATES.items():
        # four standard errors, and a hundredth for the exclusions
        assert abs(rates[name] - rate) < 4 * np.sqrt(rate * (1 - rate) / 4000) + 0.01, name
    correlation = np.corrcoef(faces.labels.T.astype(float))
    at = faces.label_names.index
    assert correlation[at("Smiling"), at("Mouth_Slightly_Open")] == pytest.approx(0.536, abs=0.06)
    assert correlation[at("Beard"), at("Wearing_Lipstick")] < -0.3
    assert correlation[at("Wearing_Earrings"), at("Wearing_Lipstick")] > 0.25
    column = {name: faces.labels[:, at(name)] for name in faces.label_names}
    assert not (column["Black_Hair"] & column["Blond_Hair"]).any()
    assert not (column["Bald"] & (column["Bangs"] | column["Wearing_Hat"])).any()


def test_every_face_attribute_is_visible():
    """A linear model reads each attribute off coarse pixels of faces it has not seen."""
    from sklearn.metrics import roc_auc_score

    faces = load("faces", n=3000)
    coarse = faces.views[0].reshape(-1, 3, 16, 4, 16, 4).mean((3, 5), dtype=np.float32)
    x = coarse.reshape(len(faces), -1) / 255
    x -= x[:2000].mean(0)
    seen = x[:2000]
    weights = np.linalg.solve(seen.T @ seen + np.eye(x.shape[1]), seen.T @ faces.labels[:2000])
    scores = x[2000:] @ weights
    for a, name in enumerate(faces.label_names):
        area = roc_auc_score(faces.labels[2000:, a], scores[:, a])
        assert area > 0.85, (name, area)
