"""Which chapters `make notebooks` runs: those whose inputs changed."""

import json

import pytest

from book._tools import inputs


@pytest.fixture
def book(tmp_path):
    """A repository with one chapter that read one record and one module."""
    for name, text in {
        "book/toy.py": "print(1)",
        "book/toy.ipynb": "{}",
        "herocon_lite/a.py": '"""Doc."""\nx = 1  # why\n',
        "results/runs/scene.jsonl": "{}\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    reported = ["herocon_lite/a.py", "results/runs/scene.jsonl", "results/runs/"]
    outside = ["/usr/lib/os.py", str(tmp_path / ".venv/x.py"), str(tmp_path / "gone.py")]
    files = inputs.used(json.dumps([f"{tmp_path}/{name}" for name in reported] + outside), tmp_path)
    assert files == sorted(reported)
    inputs.save(tmp_path / "book/toy.py", files, tmp_path, tmp_path / "kept")
    return tmp_path


def changed(book):
    return inputs.changed(book / "book/toy.py", book, book / "kept")


def test_nothing_runs_when_nothing_changed(book):
    assert changed(book) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("book/toy.py", "print(2)"),
        ("herocon_lite/a.py", "x = 2"),
        ("results/runs/scene.jsonl", "{}\n{}\n"),
    ],
)
def test_a_changed_input_is_named(book, name, text):
    (book / name).write_text(text)
    assert changed(book) == [name]


def test_a_comment_or_docstring_of_a_module_changes_nothing(book):
    (book / "herocon_lite/a.py").write_text('"""Another."""\n# more\nx = 1\n')
    assert changed(book) == []


def test_a_new_file_of_records_is_seen(book):
    (book / "results/runs/birds.jsonl").write_text("{}\n")
    assert changed(book) == ["results/runs/"]


def test_a_chapter_without_a_notebook_or_a_note_is_run(book):
    (book / "book/toy.ipynb").unlink()
    assert changed(book) == ["toy.py"]


def test_modules_from_caches_are_found(book):
    report = json.dumps([f"{book}/herocon_lite/__pycache__/a.cpython-311.pyc"])
    assert inputs.used(report, book) == ["herocon_lite/a.py"]
