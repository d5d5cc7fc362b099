"""The examples in docstrings print what they say."""

import doctest
import importlib
import pkgutil

import pytest

import herocon_lite

MODULES = [
    found.name
    for found in pkgutil.walk_packages(herocon_lite.__path__, "herocon_lite.")
    if not found.name.endswith("__main__")
]


@pytest.mark.parametrize("name", ["herocon_lite", *MODULES])
def test_examples(name):
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    assert doctest.testmod(importlib.import_module(name), optionflags=options).failed == 0
