"""The promises of the README: light import, an example that runs, one address."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

import herocon_lite
from book._tools.set_address import set_address

ROOT = Path(__file__).resolve().parents[2]


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_import_is_light():
    """The losses need torch alone: the module adds nothing heavy, so no second either."""
    loaded = python(
        "import sys, torch; before = set(sys.modules)\n"
        "import herocon_lite, herocon_lite.losses\n"
        "print(*{name.split('.')[0] for name in set(sys.modules) - before})"
    ).split()
    heavy = {
        "torchvision",
        "sklearn",
        "matplotlib",
        "pandas",
        "scipy",
        "seaborn",
        "lightly",
        "timm",
    }
    assert not heavy & set(loaded)
    assert "herocon_lite" in loaded


def test_one_version_and_one_table_of_contents():
    cff = yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"]
    project = re.search(r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text(), re.M)[1]
    assert herocon_lite.__version__ == project == cff
    contents = [(ROOT / folder / "_toc.yml").read_text() for folder in (".", "book")]
    assert contents[0] == contents[1]  # the first is for those who look for it there


def test_the_examples_of_the_readme_run():
    examples = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    printed = []
    for code in examples:
        lines = [line.removeprefix("   ") for line in code.splitlines()]
        printed.append(python("\n".join(lines)))
    accuracy, losses, genes = printed
    assert float(accuracy) > 0.9
    assert re.fullmatch(r"L_u \d\.\d{3}   L_s \d\.\d{3}", losses)
    assert genes.startswith("<yeast: 2417 rows, views 79 + 24, 14 labels, multilabel>")


def test_the_address_is_set_from_the_config(tmp_path):
    for name in ("README.md", "CITATION.cff", "_config.yml"):
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "book", tmp_path / "book")
    config = tmp_path / "_config.yml"
    old = yaml.safe_load(config.read_text())["repository"]["url"]
    config.write_text(config.read_text().replace(old, "https://github.com/some-one/some.book"))
    changed = set_address(tmp_path)
    assert {file.name for file in changed} >= {"CITATION.cff", "scene.ipynb"}
    for file in changed:
        text = file.read_text()
        assert old.removeprefix("https://github.com/") not in text
        assert "some-one/some.book" in text


def test_what_the_wheel_needs_is_in_the_requirements_and_torch_is_not_pinned():
    wanted = (ROOT / "requirements.txt").read_text()
    assert re.search(r"^torch>=", wanted, re.M) and "torch==" not in wanted
    project = (ROOT / "pyproject.toml").read_text()
    blocks = re.findall(r"^(?:dependencies|repro|book) = \[(.*?)^\]", project, re.M | re.S)
    assert len(blocks) == 3
    for requirement in re.findall(r'"([^"]+)"', "".join(blocks)):
        assert requirement in wanted or requirement == "herocon-lite[repro]"


def test_each_entry_of_the_bibliography_is_cited_and_leads_somewhere():
    entries = re.split(r"\n(?=@)", (ROOT / "book" / "references.bib").read_text("utf-8"))
    text = "".join(p.read_text("utf-8") for e in ("*.py", "*.md") for p in ROOT.glob(f"book/{e}"))
    cited = {key for keys in re.findall(r"\{cite[^}]*\}`([^`]+)`", text) for key in keys.split(",")}
    for entry in entries:
        key = re.match(r"@\w+\{([^,]+)", entry)[1]
        assert key in cited, f"no page cites {key}"
        assert re.search(r"^  (doi|eprint|url) = ", entry, re.M), f"{key}: no DOI, arXiv or page"
    assert len(cited) == len(entries)
