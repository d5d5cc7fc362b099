"""Tables and ledger of a frozen copy of the records: unchanged while code moves.

Goes when the rules of the verdicts change, which changes the ledger on purpose.
"""

import csv
import io
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


def test_ledger_is_unchanged_but_for_the_names_of_pages(frozen, capsys):
    found = printed(capsys, "ledger", "--csv", "--folder", str(frozen / "results"))
    kept = (frozen / "ledger.csv").read_text("utf-8")
    assert without_pages(found) == without_pages(kept)


def without_pages(text):
    """Rows as lists of strings; chapters may be renamed, so their names are left out."""
    rows = list(csv.reader(io.StringIO(text)))
    page = rows[0].index("page")
    return [row[:page] + row[page + 1 :] for row in rows]
