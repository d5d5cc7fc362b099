"""The estimator inside scikit-learn's tools."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold

import herocon_lite
from tests.estimator_cases import quick


def test_clone_params_and_grid_search(toy):
    views, Y, _ = toy
    model = quick(view_sizes=(5, 4))
    assert clone(model).get_params() == model.get_params()
    search = GridSearchCV(model, {"alpha": [0.0, 0.1]}, cv=KFold(2), error_score="raise")
    search.fit(np.hstack(views), Y)
    assert search.best_params_["alpha"] in (0.0, 0.1)
    assert search.predict(np.hstack(views)).shape == Y.shape


def test_grid_search_with_unlabelled_rows(toy):
    views, Y, more = toy
    together = np.vstack([np.hstack(views), np.hstack(more)])
    marked = np.concatenate([Y, np.full((40, 3), -1)])
    cv = KFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(quick(view_sizes=(5, 4)), {"beta": [0.0]}, cv=cv, error_score="raise")
    assert np.isfinite(search.fit(together, marked).best_score_)


def test_set_output(toy):
    views, Y, _ = toy
    model = quick(view_sizes=(5, 4)).set_output(transform="pandas").fit(np.hstack(views), Y)
    made = model.transform(np.hstack(views))
    assert list(made.columns[:2]) == ["heroconclassifier0", "heroconclassifier1"]
    assert made.shape == (60, 64)


def test_tags():
    pytest.importorskip("sklearn", "1.6", reason="scikit-learn has such tags from 1.6 on")
    tags = quick().__sklearn_tags__().classifier_tags
    assert tags.multi_label and tags.multi_class


def test_an_unfitted_model_raises(toy):
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        quick().predict(toy[0])


def test_fit_and_transform_in_one(toy):
    views, Y, more = toy
    both = quick().fit_transform(views, Y, unlabeled=more)
    assert np.array_equal(both, quick().fit(views, Y, more).transform(views))


def test_submodules_are_attributes_of_the_package():
    script = "import herocon_lite as h; print(h.losses.info_nce.__name__, 'theory' in dir(h))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.split() == ["info_nce", "True"]
    with pytest.raises(AttributeError, match="no attribute 'loses'"):
        herocon_lite.loses  # noqa: B018


def test_the_import_stays_light():
    code = "import sys, herocon_lite; print('sklearn' in sys.modules, 'torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
