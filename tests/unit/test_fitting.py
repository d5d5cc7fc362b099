"""How the estimator's networks are trained: the optimiser, batches, folds, endings, warnings."""

import warnings

import numpy as np
import pytest
import torch
from sklearn.exceptions import ConvergenceWarning

from herocon_lite.fitting import AdamW, Plan, Shuffler, warn_unless_settled
from herocon_lite.held_out import best_threshold, divide
from tests.estimator_cases import quick, same


def test_the_optimiser_is_that_of_torch():
    torch.manual_seed(0)
    start = [torch.randn(3, 4), torch.randn(5)]
    mine, theirs = ([t.clone().requires_grad_() for t in start] for _ in range(2))
    one, other = AdamW(mine, 0.1), torch.optim.AdamW(theirs, lr=0.02, weight_decay=0.1)
    for step in range(5):
        for w in (mine, theirs):
            for t in w:
                t.grad = None
            sum((t**3).sum() for t in w[: 2 - step % 2]).backward()  # one is not always touched
        one.step(0.02)
        if step % 2 == 0:
            other.step()
        else:
            theirs[1].grad = None
            other.step()
    torch.testing.assert_close(mine[0], theirs[0])


def test_a_pass_has_each_row_once_and_a_step_none_twice():
    torch.manual_seed(0)
    shuffler = Shuffler(members=3, count=10, size=4)
    first, second, third = (shuffler.next() for _ in range(3))
    for k in range(3):
        assert len({*first[k].tolist(), *second[k].tolist()}) == 8
        assert len(set(third[k].tolist())) == 4
    assert not torch.equal(first[0], first[1])


@pytest.mark.parametrize("classes", [None, np.arange(23) % 3])
def test_folds_share_no_row_and_have_one_size(classes):
    known = 100 + np.arange(23)
    parts = divide(known, classes, members=7, folds=5, seed=3)
    assert parts.train.shape == (7, 19)
    for train, left_out in zip(parts.train, parts.left_out, strict=True):
        assert set(train) | set(left_out) == set(known) and not set(train) & set(left_out)
    first = np.concatenate(parts.left_out[:5])
    assert len(set(first)) == 20  # a draw leaves out each row once, or three of them never
    if classes is not None:
        for left_out in parts.left_out:
            assert np.ptp(np.bincount(classes[left_out - 100], minlength=3)) <= 1
    assert not np.array_equal(parts.left_out[0], parts.left_out[5])  # the second draw


def test_rows_that_end_the_training_are_in_no_network():
    parts = divide(np.arange(40), None, members=5, folds=5, validation_fraction=0.25)
    assert len(parts.validation) == 10
    assert not set(parts.validation) & set(parts.train.ravel())
    with pytest.raises(ValueError, match="validation_fraction must leave rows"):
        divide(np.arange(3), None, members=1, validation_fraction=0.1)


@pytest.mark.parametrize(
    "low, high, wanted", [(0.75, 0.85, 0.8), (0.15, 0.25, 0.2), (0.01, 0.99, 0.5)]
)
def test_the_best_threshold_separates(low, high, wanted):
    Y = (np.arange(40)[:, None] % [2, 4] == 0).astype(np.float32)
    assert best_threshold(Y, np.where(Y == 1, high, low)) == wanted


def test_wrong_plans_are_refused():
    for bad, message in (
        ({"steps": 0}, "steps must be a whole number"),
        ({"unlabeled_batch": 1}, "unlabeled_batch must be at least 2"),
        ({"lr": -1}, "lr must be"),
    ):
        with pytest.raises(ValueError, match=message):
            Plan(**bad)


def course(*values):
    return [{"step": k, "L_c": value} for k, value in enumerate(values)]


def test_what_has_not_settled_warns():
    with pytest.warns(ConvergenceWarning, match="lr=10 is probably too large"):
        warn_unless_settled(course(0.7, 9.0, 8.0, 5.0), lr=10)
    with pytest.warns(ConvergenceWarning, match="try more steps"):
        warn_unless_settled(course(0.7, 0.69, 0.68, 0.67, 0.66, 0.65, 0.6, 0.2), lr=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_unless_settled(course(0.7, 0.5, 0.4, 0.35, 0.34), lr=1)


def test_fits_that_fail_warn_and_the_default_does_not(toy):
    views, Y, more = toy
    with pytest.warns(ConvergenceWarning, match="lr=1000 is probably too large"):
        quick(lr=1e3, steps=30).fit(views, Y, more)
    with pytest.raises(FloatingPointError, match="Lower lr, which is probably too large"):
        quick(lr=1e6, steps=30).fit(views, Y, more)
    with pytest.warns(ConvergenceWarning, match="has not settled"):
        quick(lr=1e-9, steps=30, dropout=0).fit(views, Y, more)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quick(lr=0.003, steps=None).fit(views, Y, more)


def test_nothing_to_contrast_warns(toy):
    views, Y, more = toy
    with pytest.warns(UserWarning, match="nothing to contrast: L_u is left out"):
        model = quick().fit(views[0], Y)
    assert "L_u" not in model.history_[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quick(lr=0.003, steps=None, alpha=0).fit(views[0], Y)
        quick(lr=0.003, steps=None).fit(views[0], Y, more[0])


def test_validation_rows_end_the_training_and_the_best_weights_are_kept(toy):
    views, Y, _ = toy
    noise = np.random.default_rng(5).integers(0, 2, Y.shape)  # only learnt by heart
    options = {"steps": 400, "dropout": 0.0, "alpha": 0, "beta": 0}
    model = quick(validation_fraction=0.3, **options).fit(views, noise)
    losses = [row["validation"] for row in model.history_ if "validation" in row]
    assert model.history_[-1]["step"] < 399 and losses[-1] > min(losses)
    given = quick(**options).fit(views, noise, eval_set=([v[:20] for v in views], 1 - noise[:20]))
    assert given.history_[-1]["step"] < 399
    with pytest.raises(ValueError, match="eval_set must have labels for all rows"):
        quick().fit(views, Y, eval_set=(views, 0 * Y - 1))


def test_callbacks_see_the_training_and_may_end_it(toy):
    views, Y, more = toy
    seen = []
    quick(callbacks=[seen.append]).fit(views, Y, more)
    assert [p.step for p in seen] == list(range(1, 9)) and seen[0].steps == 8
    assert {"L_c", "L_u", "L_s"} == set(seen[0].terms)
    model = quick(callbacks=[lambda progress: progress.step == 3]).fit(views, Y, more)
    assert len(model.history_) == 3
    with pytest.raises(ValueError, match="callbacks must be functions"):
        quick(callbacks=["stop"]).fit(views, Y)


def test_a_warm_start_goes_on(toy):
    views, Y, more = toy
    model = quick(warm_start=True, members=4, folds=4, threshold="cv").fit(views, Y, more)
    end, threshold = model.history_[-1]["L_c"], model.threshold_
    model.fit(views, Y, more)
    assert model.history_[0]["L_c"] < 1.2 * end  # dropout is drawn anew
    assert model.threshold_ == threshold and model.held_out_proba_ is None
    cold = quick(members=4, folds=4).fit(views, Y, more)
    assert not same(model, cold, views)
    with pytest.warns(UserWarning, match="warm_start: the earlier networks do not fit"):
        model.set_params(widths=(9,)).fit(views, Y, more)
