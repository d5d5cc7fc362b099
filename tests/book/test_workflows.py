"""What the hosted workflows call exists: make targets, files, actions pinned by commit."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def steps(path: Path):
    for job in yaml.safe_load(path.read_text("utf-8"))["jobs"].values():
        yield from job["steps"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.stem)
def test_what_a_workflow_calls_exists(path):
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    for step in steps(path):
        call = step.get("run", "")
        assert set(re.findall(r"make ([\w-]+)", call)) <= targets, call
        for file in re.findall(r"(?:-r |pytest )([\w./]+)", call):
            assert (ROOT / file).exists(), call


def test_actions_are_pinned_by_one_commit_each_with_its_version():
    found = {}
    for path in WORKFLOWS:
        for line in re.findall(r"uses: (.+)", path.read_text("utf-8")):
            name, commit, version = re.fullmatch(r"(actions/[\w-]+)@(\w+) # (v\S+)", line).groups()
            assert re.fullmatch(r"[0-9a-f]{40}", commit) and re.fullmatch(
                r"v\d+\.\d+\.\d+", version
            )
            assert found.setdefault(name, (commit, version)) == (commit, version), name
    assert len(found) == 5


def test_pages_are_published_after_the_tests_by_official_actions():
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text("utf-8"))["jobs"]
    publish = jobs["publish"]
    assert publish["needs"] == "test" and publish["permissions"] == {
        "pages": "write",
        "id-token": "write",
    }
    uploaded = [s for s in jobs["test"]["steps"] if "upload-pages" in s.get("uses", "")]
    assert uploaded[0]["with"]["path"] == "_build/html"
    runs = [s.get("run") for s in jobs["test"]["steps"]]
    assert runs.index("make test") < runs.index("make book")


def test_the_lock_holds_one_version_with_hashes_of_all_that_is_required():
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    plain = "\n".join(line for line in lock.splitlines() if not line.startswith("#"))
    assert not re.search(r"https?:|file:|/|^-", plain, re.M)  # no registry, no path, no option
    pins = {}
    for entry in re.split(r"\n(?=\S)", plain):
        name, version = re.match(r"([\w.-]+)==([\w.+]+)", entry).groups()
        pins[name] = Version(version)
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", entry), name
    wanted = (ROOT / "requirements.txt").read_text("utf-8")
    for line in re.findall(r"^[a-z][^#\n]+", wanted, re.M):
        required = Requirement(line)
        assert pins[canonicalize_name(required.name)] in required.specifier, line


def test_locked_environments_are_made_from_the_lock():
    make = ["make", "--dry-run", "--always-make", "book"]
    run = {"cwd": ROOT, "capture_output": True, "text": True, "check": True}
    locked = subprocess.run([*make, "LOCKED=1"], **run).stdout
    assert "--require-hashes -r requirements.lock" in locked and ".venv/" not in locked
    assert ".venv-locked/bin/jupyter-book build" in locked
    assert "requirements.lock" not in subprocess.run(make, **run).stdout


def test_the_oldest_and_the_newest_python_are_those_of_the_package():
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    oldest = re.search(r'requires-python = ">=([\d.]+)"', text)[1]
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text("utf-8"))["jobs"]
    assert jobs["lowest"]["steps"][1]["with"]["python-version"] == oldest
    assert {"os": "ubuntu-latest", "python": "3.13"} in jobs["core"]["strategy"]["matrix"][
        "include"
    ]
    assert {row["os"].split("-")[0] for row in jobs["core"]["strategy"]["matrix"]["include"]} == {
        "ubuntu",
        "macos",
        "windows",
    }
