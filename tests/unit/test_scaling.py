"""Columns become ranks, or get mean 0 and spread 1, from dense and sparse tables alike."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.stats import rankdata

from herocon_lite.scaling import KNOTS, Scaling


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((200, 4)) * [1, 100, 1, 1] + [0, 5, 0, 7]
    x[:, 2] = rng.poisson(0.5, 200)  # many equal values, most of them 0
    x[:, 3] = 7
    return x


def test_ranks_are_those_of_scipy(table):
    wanted = np.sqrt(12) * ((rankdata(table, axis=0) - 0.5) / len(table) - 0.5)
    wanted[:, 3] = 0  # a constant
    np.testing.assert_allclose(Scaling("ranks").fit(table)(table), wanted, atol=1e-6)


def test_new_values_lie_between_their_neighbours_and_never_outside():
    scaling = Scaling("ranks").fit(np.array([[0.0], [1.0], [5.0]]))
    low, between, high, beyond = scaling(np.array([[-9.0], [3.0], [5.0], [99.0]])).ravel()
    assert low < 0 < between < high == beyond
    assert np.isclose(low, -high)


def test_many_values_are_kept_as_some_of_them():
    x = np.random.default_rng(0).standard_normal((20 * KNOTS, 1)) ** 3
    scaling = Scaling("ranks").fit(x)
    exact = np.sqrt(12) * ((rankdata(x) - 0.5) / len(x) - 0.5)
    assert len(scaling.values) == KNOTS
    assert np.abs(scaling(x).ravel() - exact).max() < 4 / KNOTS


def test_standard_scaling_is_that_of_scikit_learn(table):
    from sklearn.preprocessing import StandardScaler

    wanted = StandardScaler().fit_transform(table)
    np.testing.assert_allclose(Scaling("standard").fit(table)(table), wanted, atol=1e-5)


@pytest.mark.parametrize("kind", ["ranks", "standard"])
def test_a_sparse_table_is_scaled_like_the_dense_one(table, kind):
    sparse = csr_matrix(table)
    made = Scaling(kind).fit(sparse)
    dense = Scaling(kind).fit(table)
    for mine, theirs in zip(made.arrays().values(), dense.arrays().values(), strict=True):
        np.testing.assert_allclose(mine, theirs)
    restored = Scaling(kind).restore(made.arrays())
    assert np.array_equal(restored(table), dense(table))
