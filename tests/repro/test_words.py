"""What the command line says before it computes anything."""

import pytest

from herocon_lite.repro import cli, estimator_benchmark, files


def said(capsys, *command):
    code = cli.main(list(command))
    return code, capsys.readouterr().err


def test_a_split_that_does_not_exist_is_named(capsys):
    with pytest.raises(SystemExit):
        cli.main(["run", "yeast", "dnn", "--split", "foo"])
    assert "argument --split: invalid choice: 'foo'" in capsys.readouterr().err


def test_a_table_of_a_folder_that_is_not_there_says_so(capsys, tmp_path):
    code, words = said(capsys, "table", "--folder", str(tmp_path / "nowhere"))
    assert code == 2 and "there is no" in words and "nowhere" in words and "--folder" in words


def test_compare_refuses_a_folder_before_training(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(estimator_benchmark, "compare", None)  # training would fail otherwise
    file = tmp_path / "file"
    file.write_text("in the way")
    code, words = said(capsys, "compare", "--folder", str(file))
    assert code == 2 and words.startswith("--folder must be a folder to write to")
    assert file.read_text() == "in the way"


def test_a_folder_that_can_be_written_is_made_and_left_empty(tmp_path):
    files.check_writable(tmp_path / "new" / "one")
    assert not list((tmp_path / "new" / "one").iterdir())
