"""Tables of a frozen copy of the records: unchanged, to the byte, while code moves."""

import tarfile
from pathlib import Path

import pytest

from herocon_lite.repro import cli

ARCHIVE = Path(__file__).with_name("frozen.tar.gz")
DATA = ("scene", "mocha", "mnist", "celeba", "yeast")


@pytest.fixture(scope="module")
def frozen(tmp_path_factory):
    """A folder with results/ and the tables made of it before the move."""
    folder = tmp_path_factory.mktemp("frozen")
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder, filter="data")
    return folder


def printed(capsys, *command):
    capsys.readouterr()
    assert cli.main(list(command)) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("data", DATA)
def test_table_is_unchanged(data, frozen, capsys):
    found = printed(capsys, "table", data, "--csv", "--folder", str(frozen / "results"))
    assert found == (frozen / f"table_{data}.csv").read_text("utf-8")
