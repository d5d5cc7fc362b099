"""Records that several tests ask."""

import pytest

from herocon_lite.repro import store as records
from herocon_lite.repro.query import Store
from tests.repro.test_store import make


@pytest.fixture
def store(tmp_path):
    """HeroCon with three seeds, changed HeroCon with two, DNN with two others."""
    for seed, f1 in ((2, 0.63), (0, 0.61), (1, 0.62)):
        records.append(make(method="herocon", budget="paper", seed=seed, f1=f1), tmp_path)
    for seed in (0, 1):
        changed = make(method="herocon", budget="paper", seed=seed, f1=0.5, alpha=1.0)
        records.append(changed | {"changes": {"beta": 0.5, "alpha": 1.0}}, tmp_path)
    for seed, f1 in ((1, 0.60), (2, 0.64), (5, 0.9)):
        record = make(method="dnn", budget="paper", seed=seed, f1=f1, cpu_seconds=90.0)
        records.append(record, tmp_path)
    records.append(make(method="dnn", budget="smoke", seed=7), tmp_path)
    return Store(tmp_path, "scene", form=make()["form"], split=make()["split"]["how"])
