"""run DATA my_file.py:MyMethod: a reader's own class becomes a row beside the others."""

import pytest

from herocon_lite import methods
from herocon_lite.repro import store
from herocon_lite.repro.cli import main

OWN = """
from herocon_lite.methods.contrastive import ViewContrast

class Attract(ViewContrast):
    def unsupervised(self, z):
        a, b = (v / v.norm(dim=1, keepdim=True) for v in z)
        return -(a * b).sum(1).mean()
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    monkeypatch.setattr(methods, "METHODS", dict(methods.METHODS))
    file = tmp_path / "mine.py"
    file.write_text(OWN)
    return file


def run(own, *more):
    words = ["--set", "steps=2", "--folder", str(own.parent / "out"), *more]
    return main(["run", "yeast", "dnn", f"{own}:Attract", *words])


def test_a_class_of_ones_own_is_trained_and_stored(own, capsys):
    assert run(own, "--seeds", "3") == 0
    assert (
        main(["table", "yeast", "--against", "dnn (steps=2)", "--folder", str(own.parent / "out")])
        == 0
    )
    assert "Attract@" in capsys.readouterr().out
    found = {r["method"].partition("@")[0] for r in store.read(own.parent / "out").values()}
    assert found == {"dnn", "Attract"}


def test_the_same_file_is_skipped_and_a_changed_one_is_another_run(own, capsys):
    run(own)
    run(own)
    assert "skipped 2 already stored" in capsys.readouterr().out
    own.write_text(OWN.replace("return -", "return -2 * "))
    run(own)
    assert "Ran 1; skipped 1" in capsys.readouterr().out


def test_what_is_no_method_gets_a_sentence(own, capsys):
    assert main(["run", "yeast", f"{own}:Nothing"]) == 2
    assert "named 'Nothing'; it has Attract" in capsys.readouterr().err
    assert main(["run", "yeast", "absent.py:Attract"]) == 2
    assert "there is no file absent.py" in capsys.readouterr().err
