"""Noise and augmentations do what they say, to Monte-Carlo error, and give the same bytes twice."""

import copy
import hashlib
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from herocon_lite.data import Dataset, Lazy, load
from herocon_lite.data.lazy import RowCache
from herocon_lite.views import two_views
from tests.full_data import needs


def one_view(x: np.ndarray) -> Dataset:
    """A data set around one array, with labels that do not matter."""
    like = load("mnist5k")
    return replace(like, name="own", views=[x], labels=like.labels[np.arange(len(x)) % 5000])


@pytest.fixture(scope="module")
def grey() -> Dataset:
    return one_view(load("mnist5k").views[0][::2])  # 2,500 digits, 1.96 million pixels


def pixels(dataset: Dataset, view: int) -> np.ndarray:
    return dataset.views[view].astype(np.float64) / 255


# ------------------------------------------------------------------ features


def test_released_noise_on_features():
    """0.01 · N(mean, std) on even rows in view 1, on odd rows in view 2, nothing elsewhere."""
    x = np.random.default_rng(0).gamma(2.0, 3.0, (2001, 300)).astype(np.float32)
    made = two_views(one_view(x), "released", seed=5)
    for first, view in enumerate(made.views):
        touched, clean = slice(first, None, 2), slice(1 - first, None, 2)
        np.testing.assert_array_equal(view[clean], x[clean])
        noise = (view[touched].astype(np.float64) - x[touched]) / 0.01
        error = x[touched].std() / np.sqrt(noise.size)
        assert noise.mean() == pytest.approx(x[touched].mean(), abs=4 * error)
        # 1e-3: float32 rows around 6 keep 0.01 · noise to about 1e-5
        assert noise.std() == pytest.approx(x[touched].std(), abs=4 * error + 1e-3)
        assert view.dtype == np.float32
    assert made.steps == ("two views: released, seed 5",)


# ------------------------------------------------------------------ grey pictures


def test_paper_noise_is_uniform_and_cut_off(grey):
    clean = pixels(grey, 0)
    made = two_views(grey, "paper", seed=1)
    black = clean == 0
    for view in (0, 1):
        noise = pixels(made, view)[black]  # on black nothing is cut off
        n = noise.size
        assert noise.mean() == pytest.approx(0.5, abs=4 * np.sqrt(1 / 12 / n))
        assert noise.std() == pytest.approx(np.sqrt(1 / 12), abs=4 / np.sqrt(n * 60))
        shares = np.bincount(made.views[view][black], minlength=256)[1:255] / n
        np.testing.assert_allclose(shares, 1 / 255, atol=5 * np.sqrt(1 / 255 / n))
        # E min(1, x + U) = ½ + x − x²/2, where white pixels are cut off
        lighter, x = pixels(made, view)[~black], clean[~black]
        assert lighter.mean() == pytest.approx((0.5 + x - x**2 / 2).mean(), abs=1e-3)
        assert (lighter >= x - 1e-9).all()
    first, second = (pixels(made, view)[black] for view in (0, 1))
    assert abs(np.corrcoef(first, second)[0, 1]) < 4 / np.sqrt(first.size)


@pytest.mark.parametrize("share", [0, 0.25, 0.5, 0.75, 1])
def test_gaussian_noise_touches_its_share_of_pixels(share):
    """On dark pictures of little contrast nothing is cut off: the noise can be seen whole."""
    x = np.full((1000, 1, 28, 28), 20, np.uint8)
    x[:, :, ::2] = 38  # μ = 29 and σ = 9 grey levels
    mean, std = 29 / 255, 9 / 255
    made = two_views(one_view(x), "gaussian", seed=2, share=share)
    for view in (0, 1):
        noise = pixels(made, view) - x / 255
        touched = noise != 0  # N(29, 9) rounds to 0 with a probability below 0.001
        tolerance = 4 * np.sqrt(share * (1 - share) / x.size) + 0.001
        assert touched.mean() == pytest.approx(share, abs=tolerance)
        if share:
            error = 4 * std / np.sqrt(touched.sum())
            assert noise[touched].mean() == pytest.approx(mean, abs=error + 1e-4)
            # rounding to grey levels adds a variance of 1/12
            spread = np.sqrt(std**2 + 1 / 12 / 255**2)
            assert noise[touched].std() == pytest.approx(spread, rel=0.01)


def test_levels_share_one_noise_matrix(grey):
    """What 25 % touches, 75 % touches in the same way; view 1 is the same with one or two views."""
    little, much = (two_views(grey, "gaussian", seed=3, share=share) for share in (0.25, 0.75))
    for view in (0, 1):
        changed = little.views[view] != grey.views[0]
        np.testing.assert_array_equal(little.views[view][changed], much.views[view][changed])
        assert (much.views[view] != grey.views[0]).sum() > 2 * changed.sum()
    assert (little.views[0] != little.views[1]).any()
    none = two_views(grey, "gaussian", share=0)
    np.testing.assert_array_equal(none.views[0], grey.views[0])
    np.testing.assert_array_equal(none.views[1], grey.views[0])


def test_released_threshold_noise():
    """N(mean, variance as std), added where the noise itself is below the rate, cut to integers."""
    random = np.random.default_rng(0)
    x = np.where(random.random((2500, 1, 28, 28)) < 0.3, 150, 40).astype(np.uint8)
    mean, std = x.mean() / 255, x.std() / 255
    made = two_views(one_view(x), "released", seed=4, rate=mean)  # half of the noise is below
    noise = made.views[0].astype(np.float64) - x
    assert (noise != 0).mean() == pytest.approx(0.5, abs=0.005)
    added = (noise[noise != 0] + 0.5) / 255  # cutting takes half a level on average
    half_normal = mean - std**2 * np.sqrt(2 / np.pi)
    assert added.mean() == pytest.approx(half_normal, abs=1e-3)
    assert added.max() <= mean + 1 / 255
    all_of_it = two_views(one_view(x), "released", seed=4, rate=2.0).views[1].astype(np.float64)
    dark = x == 40  # bright pixels may be cut off at 255
    noise = (all_of_it[dark] - 40 + 0.5) / 255
    assert noise.mean() == pytest.approx(mean, abs=1e-3)
    assert noise.std() == pytest.approx(std**2, rel=0.01)


@needs("mnist")
def test_released_rates_on_mnist_are_no_percentages():
    """The public code's rates 0, .1, .25, .5, 1 touch 8, 37, 90, 100, 100 % of the pixels."""
    data = load("mnist")
    data = data.take(np.arange(60_000), "training images")
    mean, std = (f(data.views[0]) / 255 for f in (np.mean, np.std))
    assert (mean, std) == pytest.approx((0.1307, 0.3081), abs=1e-4)
    from statistics import NormalDist

    noise = NormalDist(mean, std**2)
    shares = [noise.cdf(rate) for rate in (0, 0.1, 0.25, 0.5, 1)]
    np.testing.assert_allclose(shares, [0.08, 0.37, 0.90, 1, 1], atol=0.005)
    few = data.take(np.arange(2000), "two thousand")
    for rate, share in ((0.1, 0.37), (0.25, 0.90)):
        made = two_views(few, "released", rate=rate)
        middle = (few.views[0] > 100) & (few.views[0] < 150)  # nothing is cut off there
        touched = made.views[0][middle] != few.views[0][middle]
        assert touched.mean() == pytest.approx(share, abs=0.03)


# ------------------------------------------------------------------ colour pictures


@pytest.fixture(scope="module")
def faces() -> Dataset:
    return load("faces", n=40)


def test_paper_pair_of_colour_pictures(faces):
    made = two_views(faces, "paper", seed=0, size=32)
    crop, colour = made.views
    assert isinstance(crop, Lazy) and crop.shape == colour.shape == (40, 3, 32, 32)
    pictures = crop[:]
    assert pictures.dtype == np.uint8 and pictures.shape == (40, 3, 32, 32)
    small = faces.views[0].reshape(40, 3, 32, 2, 32, 2).mean((3, 5))
    # cropping moves things but keeps colours; distortion keeps places but not colours
    assert np.abs(colour[:].mean((2, 3)) - small.mean((2, 3))).mean() > 10

    def edges(images: np.ndarray) -> np.ndarray:
        return np.abs(np.diff(images.mean(1), axis=1)).reshape(len(images), -1)

    def likeness(one: np.ndarray, other: np.ndarray) -> list[float]:
        pairs = zip(edges(one), edges(other), strict=True)
        return [np.corrcoef(a, b)[0, 1] for a, b in pairs]

    kept, moved = likeness(colour[:], small), likeness(pictures, small)
    assert np.median(kept) > 0.8 > np.median(moved)


@pytest.mark.parametrize("recipe", ["paper", "simclr", "released"])
def test_a_row_looks_the_same_however_it_is_asked_for(faces, recipe):
    import torch

    torch.manual_seed(7)
    threads, expected = torch.get_num_threads(), torch.random.get_rng_state()
    # from two makings: a view remembers what it has made
    for view, once in zip(*(two_views(faces, recipe, seed=1).views for _ in "ab"), strict=True):
        whole = once[:]
        np.testing.assert_array_equal(view[np.array([5, 3])], whole[[5, 3]])
        np.testing.assert_array_equal(view[8], whole[8])
        np.testing.assert_array_equal(view.take(np.array([9]))[0], whole[9])
    # torch goes on undisturbed
    assert (torch.random.get_rng_state() == expected).all()
    assert torch.get_num_threads() == threads
    other = two_views(faces, recipe, seed=2).views[1][:]
    assert (other != whole).any()


def test_released_pair_of_colour_pictures():
    """At CelebA's size: rows 20 to 180, channels reversed; green noise 0–49 on the lower half."""
    random = np.random.default_rng(0)
    images = random.integers(0, 200, (6, 3, 218, 178), dtype=np.uint8)
    images[0, 1] = 250  # saturates
    crop, green = (view[:] for view in two_views(one_view(images), "released").views)
    assert crop.shape == green.shape == (6, 3, 224, 224)
    np.testing.assert_array_equal(crop[:, :, :160, :178], images[:, ::-1, 20:180])
    assert not crop[:, :, 160:].any() and not crop[:, :, :, 178:].any()
    assert not green[:, :, 218:].any() and not green[:, :, :, 178:].any()
    difference = green[:, :, :218, :178].astype(int) - images
    assert not difference[:, [0, 2]].any() and not difference[:, 1, :109].any()
    noise = difference[1:, 1, 109:]
    assert set(np.unique(noise)) == set(range(50))
    assert noise.mean() == pytest.approx(24.5, abs=4 * 14.43 / np.sqrt(noise.size))
    assert green[0, 1, 109:218, :178].max() == 255 and difference[0, 1].min() >= 0


# ------------------------------------------------------------------ all


def test_bad_arguments(grey):
    with pytest.raises(ValueError, match="dataset must have one view; yeast has 2"):
        two_views(load("yeast"), "released")
    with pytest.raises(
        ValueError, match=r"recipe must be one of paper, gaussian, released for own"
    ):
        two_views(grey, "simclr")
    with pytest.raises(ValueError, match="recipe must be one of released for own"):
        two_views(one_view(np.zeros((4, 3), np.float32)), "paper")
    with pytest.raises(ValueError, match="share must be between 0 and 1"):
        two_views(grey, "gaussian", share=25)
    with pytest.raises(ValueError, match="share is not a setting"):
        two_views(grey, "paper", share=0.5)


def digests() -> list[str]:
    """One digest for every way of making two views."""
    digits = one_view(load("mnist5k").views[0][:300])
    features = one_view(load("mfeat").views[0][:300])
    faces = load("faces", n=12)
    made = [
        two_views(data, recipe, seed=11)
        for data, recipes in (
            (digits, ("paper", "gaussian", "released")),
            (features, ("released",)),
            (faces, ("paper", "simclr", "released")),
        )
        for recipe in recipes
    ]
    views = [np.asarray(view) for data in made for view in data.views] + [faces.views[0]]
    return [hashlib.sha256(view.tobytes()).hexdigest() for view in views]


def test_same_seed_same_bytes_in_two_processes():
    code = "from tests.unit.test_views import digests; print(*digests())"
    here = Path(__file__).parents[2]
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=here) as other:
        ours = digests()  # meanwhile
        theirs = other.communicate()[0].split()
    assert theirs == ours
    assert len(set(ours)) == len(ours) == 15  # no two views are alike


def test_rows_that_took_time_are_made_once_and_are_the_callers_own():
    asked = []

    def make(rows):
        asked.extend(rows.tolist())
        return np.stack([np.full(4, row, np.uint8) for row in rows]) if len(rows) else none

    none, kept = np.empty((0, 4), np.uint8), RowCache(make)
    first = kept(np.array([3, 1, 3]))
    first[:] = 99  # a caller may write on what it got
    assert np.array_equal(kept(np.array([1, 2, 3]))[:, 0], [1, 2, 3])
    assert asked == [3, 1, 2]
    assert kept(np.array([], int)).shape == (0, 4)
    small = RowCache(make, max_bytes=8)  # two rows
    for _ in range(2):
        assert np.array_equal(small(np.arange(5))[:, 0], np.arange(5))
    assert asked[3:] == [0, 1, 2, 3, 4, 2, 3, 4] and len(small.kept) == 2
    assert all(row.base is None for row in small.kept.values())  # not parts of a batch
    assert copy.deepcopy(kept).kept == {} and len(kept.kept) == 3


@pytest.mark.parametrize("size", [0, 64.5, "big"])
@pytest.mark.parametrize("recipe", ["paper", "simclr"])
def test_a_size_that_is_none_gets_a_sentence_at_once(faces, recipe, size):
    with pytest.raises(ValueError, match="size must be a whole number of pixels, at least 1"):
        two_views(faces, recipe, size=size)


def test_a_rate_that_is_none_gets_a_sentence():
    with pytest.raises(ValueError, match="rate must be a number; got 'x'"):
        two_views(one_view(np.zeros((3, 1, 4, 4), np.uint8)), "released", rate="x")
