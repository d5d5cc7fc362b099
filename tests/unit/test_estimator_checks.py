"""scikit-learn's own checks of estimators; each expected failure with its reason."""

import warnings

import pytest

pytest.importorskip("sklearn", "1.6")  # the first version in which failures can be expected

from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.estimator_cases import quick

SHARED_OUT = "a row given twice is drawn and left out twice; weight 2 makes no second row"
EXPECTED_FAILURES = {
    "check_classifiers_classes": "−1 marks an unlabelled row, here and in sklearn.semi_supervised",
    "check_supervised_y_2d": "a column of labels is a label matrix with one label, not classes",
    "check_sample_weight_equivalence_on_dense_data": SHARED_OUT,
    "check_sample_weight_equivalence_on_sparse_data": SHARED_OUT,
    "check_methods_subset_invariance": "float32 sums differ in the last bit with the rows at once",
}


@parametrize_with_checks(
    [quick(steps=30, widths=(32,), alpha=0)], expected_failed_checks=lambda _: EXPECTED_FAILURES
)
def test_scikit_learn_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)
