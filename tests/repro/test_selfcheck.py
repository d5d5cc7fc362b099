"""The command that compares an accelerator with the processor."""

import pytest
import torch

from herocon_lite import losses
from herocon_lite.repro import cli, selfcheck

CPU = torch.device("cpu")


def test_every_loss_is_compared_and_agrees(capsys):
    assert cli.main(["selfcheck", "--device", "cpu"]) == 0
    printed = capsys.readouterr().out
    helpers = {"Net", "Switches", "switches_of", "over_pairs", "input_weighted"}
    for name in set(losses.__all__) - helpers:  # Eq. 4 is input_contrast with H
        if name.isupper():  # a constant
            continue
        assert f"pass  {name}" in printed
    assert "20 steps of HeroCon" in printed and printed.endswith("pass: everything agrees.\n")


@pytest.mark.parametrize("wrong", [1.001, float("nan")])
def test_a_loss_that_differs_fails(monkeypatch, capsys, wrong):
    exact = losses.info_nce
    monkeypatch.setattr(
        losses, "info_nce", lambda a, b: exact(a, b) * (wrong if a.dtype == torch.float32 else 1)
    )
    monkeypatch.setattr(selfcheck, "check_training", lambda device: iter(()))
    assert cli.main(["selfcheck", "--device", "cpu"]) == 1
    printed = capsys.readouterr().out
    assert "FAIL  info_nce, float32" in printed and "Please open an issue" in printed
