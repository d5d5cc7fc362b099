"""Records that cannot be used stop nobody, forged ones do not win, no run is trained twice."""

import json
import os
import subprocess
import sys
import threading
import time

import pytest

from herocon_lite.repro import claims, cli
from herocon_lite.repro import store as records
from tests.faults.test_damaged_files import damaged
from tests.repro.test_store import ROOT, make

DEEP = '{"a":' * 100_000
BAD = {
    "null split": lambda line: line.replace('"split": {', '"split": null, "was": {'),
    "no checksum": lambda line: line.replace('"checksum"', '"sum"'),
    "nan in settings": lambda line: line.replace('"alpha": 0.1', '"alpha": NaN'),
    "infinity measured": lambda line: line.replace('"f1": 0.5', '"f1": Infinity'),
    "deep nesting": lambda line: line[:-1] + f', "more": {DEEP}',
    "whole but deep": lambda line: line[:-1] + f', "more": {DEEP}1{"}" * 100_000}}}',
    "a list as method": lambda line: line.replace('"herocon"', '["herocon"]'),
    "a word as settings": lambda line: line.replace('"settings": {', '"settings": "x", "was": {'),
    "numbers as preparation": lambda line: line[:-1] + ', "preparation": [1, 2]}',
    "a list as split": lambda line: line.replace('"how": "paper"', '"how": ["paper"]'),
    "a list measured": lambda line: line.replace('"f1": 0.5', '"f1": [0.5]'),
    "a word measured": lambda line: line.replace('"f1": 0.5', '"f1": "half"'),
    "null changes": lambda line: line.replace('"changes": {}', '"changes": null'),
    "a word in history": lambda line: line.replace('"history": [', '"history": ["x", '),
    "a list of images": lambda line: line.replace('"images": null', '"images": [1]'),
    "no JSON": lambda line: "hello",
    "no UTF-8": lambda line: "\udcff{}",
}


def without_digest(line: str) -> str:
    record = json.loads(line)
    del record["digest"]
    return json.dumps(record)


@pytest.mark.parametrize("name", BAD)
def test_a_bad_record_is_set_aside_by_file_and_line(name, tmp_path, capsys):
    path = records.append(make(seed=0), tmp_path)
    records.append(make(seed=1), tmp_path)
    first, second = path.read_text("utf-8").splitlines()
    bad = BAD[name](without_digest(first))
    path.write_bytes("\n".join([second, bad, first, ""]).encode("utf-8", "surrogateescape"))
    with pytest.warns(UserWarning, match=r"scene.jsonl, line 2, is (set aside|not a whole)"):
        found = records.read(tmp_path)
        assert cli.main(["table", "scene", "--folder", str(tmp_path)]) == 0
    assert [r["seed"] for r in found.values()] == [1, 0]
    assert cli.main(["data", "--folder", str(tmp_path)]) == 1
    told = capsys.readouterr().out
    assert "herocon" in told and "2 runs in" in told and "scene.jsonl, line 2, is " in told


def test_a_digest_is_checked_and_old_records_have_none(tmp_path, recwarn):
    path = records.append(make(), tmp_path)
    line = path.read_text("utf-8")
    record = json.loads(line)
    assert record["digest"] == records.content_digest(record)
    assert list(records.read(tmp_path).values()) == [make()]  # readers get what was given
    path.write_text(without_digest(line) + "\n")
    assert list(records.read(tmp_path).values()) == [make()] and not recwarn
    path.write_text(line.replace('"f1": 0.5', '"f1": 0.9'))
    with pytest.warns(UserWarning, match="line 1, is set aside: its digest is wrong"):
        assert not records.read(tmp_path)


def test_a_forged_duplicate_that_comes_first_does_not_win(tmp_path):
    path = records.append(make(f1=0.5), tmp_path)
    line = path.read_text("utf-8")
    path.write_text(without_digest(line.replace('"f1": 0.5', '"f1": 0.99')) + "\n" + line)
    (found,) = records.read(tmp_path).values()
    assert found["metrics"]["f1"] == 0.5
    # with a digest of its own it is told, and the file's digest is another
    whole = records.file_digests(tmp_path)
    path.unlink()
    records.append(make(f1=0.99), tmp_path)
    with path.open("a") as stream:
        stream.write(line)
    with pytest.warns(UserWarning, match="line 2, is set aside: it has other results than"):
        records.read(tmp_path)
    assert records.file_digests(tmp_path).keys() == whole.keys()
    assert records.file_digests(tmp_path) != whole


@pytest.mark.filterwarnings("ignore:scene.jsonl, line")
def test_every_region_of_the_store_may_be_damaged(tmp_path):
    """What is read is what was stored; what is gone has been told."""
    import numpy as np

    made = [make(seed=seed) for seed in range(3)]
    for record in made:
        path = records.append(record, tmp_path)
    content = path.read_bytes()
    for name, other in damaged(content, np.random.default_rng(0)):
        path.write_bytes(other)
        found, faults = records.examine(tmp_path)
        # A bit may flip in the word "digest": then nothing that counts has changed.
        said = [{k: v for k, v in record.items() if k in made[0]} for record in found.values()]
        assert all(record in made for record in said), name
        at_an_end = len(content.splitlines()) > len(other.splitlines())
        assert len(found) == 3 or faults or at_an_end, name


# ------------------------------------------------------------------ claims


def test_a_claim_is_held_once_and_says_by_whom(tmp_path):
    with claims.claim(tmp_path, "run") as mine:
        assert mine and f"process {os.getpid()} on " in claims.owner(tmp_path, "run")
        with claims.claim(tmp_path, "run") as again, claims.claim(tmp_path, "other") as other:
            assert not again and other
    assert claims.owner(tmp_path, "run") == "" and not list(tmp_path.iterdir())


HOLD = """
import sys, time
from herocon_lite.repro import claims
with claims.claim(sys.argv[1], "run") as mine:
    print(mine, flush=True)
    time.sleep(60)
"""


def test_a_dead_owner_holds_nothing(tmp_path):
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    owner = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert owner.stdout.readline() == "True\n"
    with claims.claim(tmp_path, "run") as mine:
        assert not mine and f"process {owner.pid} on" in claims.owner(tmp_path, "run")
    owner.kill()
    owner.wait()
    assert list((tmp_path / "claims").iterdir())  # its file is still there
    with claims.claim(tmp_path, "run") as mine:
        assert mine


def test_of_many_at_once_one_has_it(tmp_path):
    inside, most, lock = [0], [0], threading.Lock()

    def work():
        for _ in range(30):
            with claims.claim(tmp_path, "run") as mine:
                if mine:
                    with lock:
                        inside[0] += 1
                        most[0] = max(most[0], inside[0])
                    time.sleep(0.0005)
                    with lock:
                        inside[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1]


def test_without_locks_an_old_claim_is_abandoned(tmp_path, monkeypatch):
    def no_locks(descriptor):
        raise OSError("no locks here")

    monkeypatch.setattr(claims, "_lock", no_locks)
    (tmp_path / "claims").mkdir()
    path = tmp_path / "claims" / "run.json"
    path.write_text("{}")
    with claims.claim(tmp_path, "run") as mine:
        assert not mine
    os.utime(path, (0, 0))
    with claims.claim(tmp_path, "run") as mine:
        assert mine


def test_a_run_that_another_process_trains_is_left_to_it(tmp_path, monkeypatch):
    """Two jobs with one list: three runs, three lines."""
    from herocon_lite.repro import runner
    from herocon_lite.repro.settings import Run

    runs = [Run("yeast", "dnn", seed, "smoke", overrides=(("steps", 2),)) for seed in range(2)]
    execute, inside = runner.execute, []

    def and_the_other_job(*arguments):
        if not inside:  # while this one trains, the other walks over the same list
            inside.append(True)
            skip = arguments[5]

            def then_other(key):
                skipped = skip(key)
                with pytest.warns(UserWarning, match=r"Left to others.*seed 0 \(process"):
                    inside.append(runner.execute_all(runs, tmp_path, "cpu"))
                return skipped

            arguments = (*arguments[:5], then_other, *arguments[6:])
        return execute(*arguments)

    monkeypatch.setattr(runner, "execute", and_the_other_job)
    assert runner.execute_all(runs, tmp_path, "cpu") == 1 and inside == [True, 1]
    lines = (tmp_path / "runs" / "yeast.jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["seed"] for line in lines) == [0, 1]
    assert not (tmp_path / "claims").exists()
