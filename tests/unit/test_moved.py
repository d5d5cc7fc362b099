"""Names of version 0.1 are still there, and say where they are now."""

import importlib
import inspect
import warnings

import pytest

import herocon_lite
from herocon_lite import losses
from herocon_lite.moved import MOVED

OLD = [(module, name) for module, names in MOVED.items() for name in names]
# The public losses of version 0.1 and their arguments in order, before later ones were added.
SIGNATURES = {
    "info_nce": "z1 z2 temperature chunk",
    "cmc": "z1 z2 temperature chunk",
    "nt_xent": "z1 z2 temperature chunk",
    "debiased": "z1 z2 temperature tau_plus chunk",
    "hard_negative": "z1 z2 temperature tau_plus beta chunk",
    "input_contrast": "x z A H temperature detach chunk",
    "weighted_unsupervised": "z1 z2 H temperature preset detach chunk",
    "sup_con": "s y temperature chunk",
    "sup_con_any": "s Y temperature chunk",
    "mul_sup_con": "s Y temperature chunk",
    "sup_con_eq6": "s Y temperature preset",
    "weighted_supervised": "s Y temperature preset distance",
}


@pytest.mark.parametrize(("module", "name"), OLD)
def test_an_old_name_warns_and_is_the_new_one(module, name):
    place = MOVED[module][name]
    home, _, new = place.rpartition(".")
    old = importlib.import_module(module)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = getattr(old, name)
    assert found is getattr(importlib.import_module(home), new)
    (warning,) = caught
    assert warning.category is DeprecationWarning and place in str(warning.message)
    assert warning.filename == __file__  # the caller's line is named
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = old.no_such_name


@pytest.mark.parametrize("name", SIGNATURES)
def test_calls_of_the_losses_by_position_still_mean_the_same(name):
    names = SIGNATURES[name].split()
    assert list(inspect.signature(getattr(losses, name)).parameters)[: len(names)] == names


def test_types_are_published():
    assert (importlib.resources.files(herocon_lite) / "py.typed").is_file()
