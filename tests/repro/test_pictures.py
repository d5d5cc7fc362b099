"""A small CNN on few digits: copies, losses, which rows are seen, lines made once."""

import numpy as np
import pytest
import torch

from herocon_lite import losses
from herocon_lite.data import load, split
from herocon_lite.repro import files, pictures
from herocon_lite.repro.estimator_benchmark import problem
from herocon_lite.repro.opponents import Answer


@pytest.fixture(scope="module")
def task():
    dataset = load("mnist5k")
    return problem(dataset, split(dataset, seed=0, labeled=50))


def test_each_picture_is_moved_by_its_own_amount(monkeypatch):
    x = torch.zeros(6, 1, 28, 28)
    x[:, :, 13:15, 13:15] = 1.0
    moved = pictures.transform(x)
    assert moved.shape == x.shape and len(moved.flatten(1).unique(dim=0)) == 6
    for name in ("TURN", "SHIFT", "SCALE"):
        monkeypatch.setattr(pictures, name, 0)
    assert torch.allclose(pictures.transform(x), x, atol=1e-5)


def test_terms_add_up_and_copies_share_the_label(monkeypatch):
    monkeypatch.setattr(pictures, "transform", lambda x: x)  # no random numbers
    network = pictures.Network(10).train()
    x, Y = torch.rand(12, 1, 28, 28), torch.eye(10)[torch.arange(8) % 4]
    bare, *more, all_of_it = (
        pictures.loss(network, x, Y, arm) for arm in [(0, 0, False), (1, 0, True), (0, 1, False),
                                                      (1, 1, True)]
    )  # fmt: skip
    assert torch.isclose(all_of_it - bare, sum(more) - 2 * bare, atol=1e-4)
    h = network.embed(torch.cat([x, x])).view(2, 12, -1)[:, :8].flatten(0, 1)
    wanted = losses.weighted_supervised(h, Y.repeat(2, 1), 0.5, distance="indicator")
    assert torch.isclose(more[1] - bare, wanted, atol=1e-4)


def test_only_weights_train_the_weight_net(task):
    network = pictures.Network(10)
    x, Y = torch.rand(12, 1, 28, 28), torch.eye(10)[torch.arange(8)]
    pictures.loss(network, x, Y, pictures.ARMS["L_u"]).backward()
    assert all(w.grad is None for w in network.H.parameters())
    pictures.loss(network, x, Y, pictures.ARMS["herocon"]).backward()
    assert all(w.grad.abs().sum() > 0 for w in network.H.parameters())


def test_no_label_of_a_test_row_is_used(task, monkeypatch):
    monkeypatch.setattr(pictures, "STEPS", 2)
    labels = task.labels.copy()
    labels[task.test] = np.roll(labels[task.test], 3, 1)
    other = type(task)(task.views, labels, task.kind, task.labeled, task.seed)
    one, two = (pictures.cnn(each, pictures.ARMS["herocon"]) for each in (task, other))
    assert one.test.shape == (4950, 10) and np.allclose(one.test.sum(1), 1, atol=1e-4)
    assert np.array_equal(one.test, two.test)


def test_lines_are_made_once(tmp_path, monkeypatch):
    def stand_in(*_):
        return Answer(np.full((4900, 10), 0.1), None, 0.0)

    monkeypatch.setattr(pictures, "cnn", stand_in)
    monkeypatch.setattr(pictures, "PIXELS", ("logistic_regression",))
    monkeypatch.setattr(pictures, "SPLITS", range(2))
    made = pictures.run(tmp_path, (100,))
    assert [(r["labels"], r["seed"]) for r in made] == [(100, 0), (100, 1)]
    assert all(d > 50 for d in pictures.differences(made, "logistic_regression", "cnn"))
    monkeypatch.setattr(pictures, "compare", None)
    assert pictures.run(tmp_path, (100,)) == made
    assert files.read_lines(tmp_path / "pictures.jsonl") == made
