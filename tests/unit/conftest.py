"""A small problem that the estimator's tests share."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def toy():
    """Two views of 60 rows, three labels that a line tells; 40 rows more without labels."""
    rng = np.random.default_rng(0)
    hidden = rng.standard_normal((100, 3))
    views = [hidden @ rng.standard_normal((3, 5)) * 50 + 7, hidden @ rng.standard_normal((3, 4))]
    return [v[:60] for v in views], (hidden[:60] > 0).astype(int), [v[60:] for v in views]
