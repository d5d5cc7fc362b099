"""The store survives what kills processes, and the tables say what the runs say."""

import fcntl
import json
import math
import os
import random
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from herocon_lite.repro import provenance, query, text
from herocon_lite.repro import stats as intervals
from herocon_lite.repro import store as records

ROOT = Path(__file__).resolve().parents[2]


def make(method="herocon", seed=0, f1=0.5, auc=0.8, data="scene", alpha=0.1, split=None, **more):
    record = {
        "data": data,
        "method": method,
        "preset": "paper",
        "form": None,
        "protocol": "transductive",
        "budget": "smoke",
        "seed": seed,
        "settings": {"alpha": alpha, "optim": {"lr": 0.05}},
        "split": {"data": data, "how": "paper", "seed": seed, "checksum": f"split{seed}"},
        "metrics": {"f1": f1, "auc": auc},
        "history": [{"step": 0, "terms": {"loss": 1.5}}],
        "seconds": 1.5,
        "peak_mib": 100.0,
        "threads": 1,
        "device": "cpu",
        "versions": {"torch": "2"},
        "commit": "abc",
        "data_checksums": {"scene.npz": "00"},
        "date": "2026-01-01T00:00:00",
        "changes": {},
        "images": None,
    }
    record["split"] |= split or {}
    return record | more


def store(folder, made):
    for record in made:
        records.append(record, folder)
    return folder


def lines(folder, data="scene"):
    return (folder / "runs" / f"{data}.jsonl").read_text().splitlines()


def test_changes_are_one_kind_however_they_are_ordered_and_spelt(tmp_path):
    for seed, changes in enumerate([{"beta": 10, "share": 0}, {"share": 0.0, "beta": 10.0}]):
        records.append(make(seed=seed, changes=changes), tmp_path)
    row = query.table(query.load(tmp_path)).to_dict("records")
    assert [(r["method"], r["seeds"]) for r in row] == [("herocon (beta=10, share=0)", 2)]


# ---------------------------------------------------------------- keys


def test_a_key_is_decided_by_what_defines_a_run():
    key = records.key(make())
    assert re.fullmatch("[0-9a-f]{16}", key)
    same = make(f1=0.9, seconds=9.0, history=[], date="later", commit="else", threads=2)
    assert records.key(same) == key
    config = {k: v for k, v in make().items() if k in [*records._DEFINING, "split"]}
    assert records.key(config) == key
    others = [
        make(data="yeast"),
        make(method="dnn"),
        make(preset="released"),
        make(form="eq4"),
        make(protocol="inductive"),
        make(budget="paper"),
        make(seed=1, split={"checksum": "split0"}),
        make(alpha=0.2),
        make(split={"checksum": "another"}),
    ]
    assert len({key, *map(records.key, others)}) == 10


def test_the_key_of_a_config_is_the_key_of_its_stored_record(tmp_path):
    """Tuples, NumPy numbers, the order of settings and 1 for 1.0 change nothing."""
    config = make(seed=np.int64(3))
    config["settings"] = {"widths": (8, np.int32(4)), "alpha": np.float64(1), "on": np.True_}
    records.append(config, tmp_path)
    assert records.finished(tmp_path, "scene") == {records.key(config)}
    twin = make(seed=3)
    twin["settings"] = {"on": True, "alpha": 1, "widths": [8, 4]}
    assert records.key(twin) == records.key(config)
    twin["settings"]["new"] = None  # an option that came later and is not used
    assert records.key(twin) == records.key(config)


def test_a_setting_that_came_later_joins_the_seeds_of_older_records(tmp_path):
    for seed, more in enumerate(({}, {"symmetric": None}, {"symmetric": None})):
        record = make(seed=seed)
        record["settings"] |= more
        records.append(record, tmp_path)
    changed = make(seed=0) | {"changes": {"symmetric": True}}
    changed["settings"] |= {"symmetric": True}
    records.append(changed, tmp_path)
    table = query.table(query.load(tmp_path))
    assert table["seeds"].tolist() == [3, 1]


# ---------------------------------------------------------------- append and read


def test_what_is_appended_is_read(tmp_path):
    record = make()
    path = records.append(record, tmp_path)
    assert path == tmp_path / "runs" / "scene.jsonl"
    assert list(records.read(tmp_path).values()) == [record]
    assert json.loads(lines(tmp_path)[0]) == {**record, "digest": records.content_digest(record)}
    assert records.finished(tmp_path, "scene") == {records.key(record)}
    assert records.finished(tmp_path, "yeast") == records.finished(tmp_path / "no", "x") == set()


def test_nan_becomes_null_and_arrays_become_lists(tmp_path):
    metrics = {"f1": np.float32(0.5), "auc": math.nan}
    records.append(
        make(metrics=metrics, history=[{"L": np.array([1.0, np.inf])}], extra=1), tmp_path
    )
    assert "NaN" not in lines(tmp_path)[0] and "Infinity" not in lines(tmp_path)[0]
    record = json.loads(lines(tmp_path)[0])
    assert record["metrics"] == {"f1": 0.5, "auc": None}
    assert record["history"] == [{"L": [1.0, None]}]
    assert record["extra"] == 1
    assert np.isnan(query.load(tmp_path)["auc"][0])


@pytest.mark.parametrize("end", [1, 40, 200, -1])
def test_a_torn_last_line_is_left_out_and_the_next_append_sets_it_apart(tmp_path, end):
    first, second, third = make(seed=0), make(seed=1), make(seed=2)
    path = records.append(first, tmp_path)
    line = json.dumps(second)
    path.write_text(path.read_text() + line[:end])
    with pytest.warns(UserWarning, match=r"scene\.jsonl, line 2, is not a whole record"):
        assert list(records.read(tmp_path).values()) == [first]
    records.append(third, tmp_path)
    with pytest.warns(UserWarning, match="line 2"):
        assert list(records.read(tmp_path).values()) == [first, third]


@pytest.mark.filterwarnings("error")
def test_a_last_line_that_lacks_only_its_end_is_whole(tmp_path):
    path = records.append(make(seed=0), tmp_path)
    path.write_text(path.read_text() + json.dumps(make(seed=1)))
    assert len(records.read(tmp_path)) == 2
    records.append(make(seed=2), tmp_path)
    assert len(records.read(tmp_path)) == len(lines(tmp_path)) == 3


def test_duplicates_count_once_and_the_first_wins(tmp_path):
    store(tmp_path, [make(f1=0.1), make(seed=1), make(f1=0.9)])
    frame = query.load(tmp_path)
    assert frame["f1"].tolist() == [0.1, 0.5]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_a_clean_record_supersedes_a_dirty_one_and_keeps_its_place(tmp_path, order):
    made = [make(f1=0.1, dirty=True), make(f1=0.2, dirty=False), make(f1=0.3, dirty=True)]
    store(tmp_path, [made[order[0]], make(seed=1), *(made[n] for n in order[1:])])
    assert [r["metrics"]["f1"] for r in records.read(tmp_path).values()] == [0.2, 0.5]
    dirty = make(seed=2, dirty=True)
    store(tmp_path, [dirty])
    assert len(records.finished(tmp_path, "scene")) == 3
    assert records.key(dirty) not in records.finished(tmp_path, "scene", replace_dirty=True)


def test_one_data_set_s_runs_are_read_from_its_file_alone(tmp_path):
    store(tmp_path, [make(), make(data="yeast")])
    (tmp_path / "runs" / "yeast.jsonl").write_text("{torn")
    assert len(records.finished(tmp_path, "scene")) == len(records.read(tmp_path, "scene")) == 1


def test_stores_merge_by_concatenation_even_after_a_torn_line(tmp_path):
    one = store(tmp_path / "one", [make(seed=s) for s in (0, 1)]) / "runs" / "scene.jsonl"
    two = store(tmp_path / "two", [make(seed=s) for s in (1, 2, 3)]) / "runs" / "scene.jsonl"
    merged = tmp_path / "all" / "runs" / "anything.jsonl"
    merged.parent.mkdir(parents=True)
    merged.write_bytes(one.read_bytes() + two.read_bytes())
    assert sorted(query.load(tmp_path / "all")["seed"]) == [0, 1, 2, 3]
    merged.write_bytes(one.read_bytes()[:-30] + two.read_bytes())  # cat joins stump and line
    with pytest.warns(UserWarning, match="line 2"):
        assert sorted(query.load(tmp_path / "all")["seed"]) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        ({k: v for k, v in make().items() if k != "commit"}, "must have the keys commit"),
        (make(data="../scene"), "data must be a plain name"),
        (make(alpha=math.inf), "settings.alpha must be finite"),
        (make(history=[object()]), "record.history must be a plain value"),
    ],
)
def test_a_bad_record_is_refused_and_nothing_is_written(tmp_path, record, sentence):
    with pytest.raises(ValueError, match=sentence):
        records.append(record, tmp_path)
    assert not (tmp_path / "runs").exists()


def test_a_full_disk_is_told_and_costs_no_other_record(tmp_path, monkeypatch):
    records.append(make(seed=0), tmp_path)
    write = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda descriptor, line: write(descriptor, line[:100]))
        with pytest.raises(OSError, match=r"only 100 of .* Is the disk full\?"):
            records.append(make(seed=1), tmp_path)
    records.append(make(seed=2), tmp_path)
    with pytest.warns(UserWarning, match="line 2"):
        assert query.load(tmp_path)["seed"].tolist() == [0, 2]


# ---------------------------------------------------------------- processes


def writer_code(count: int, dies: bool = False) -> str:
    """Append records with numbers writer, writer + 1, …, and tell of each when it is stored."""
    tear = "os.write = lambda d, line: (write(d, line[:50_000]), os._exit(9))"
    return f"""
import json, os, sys
from herocon_lite.repro import store
folder, first, record = sys.argv[1], int(sys.argv[2]), json.loads(sys.stdin.read())
write = os.write
for seed in range(first, first + {count}):
    if {dies} and seed == first + {count} - 1:
        {tear}
    record["seed"], record["history"] = seed, [{{"L": [seed] * 20_000}}]
    store.append(record, folder)
    write(1, b"%d\\n" % seed)
"""


def start(folder, first, count, dies=False):
    command = [sys.executable, "-c", writer_code(count, dies), str(folder), str(first)]
    child = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, text=True
    )
    child.stdin.write(json.dumps(make()))
    child.stdin.close()
    return child


def told(child):
    child.wait(timeout=60)
    return {int(line) for line in child.stdout.read().split()}


def check(folder, stored):
    """Everything that was said to be stored is there, and nothing there is wrong."""
    found = list(records.read(folder).values())
    seeds = [r["seed"] for r in found]
    assert len(set(seeds)) == len(seeds)
    assert stored <= set(seeds)
    for r in found:
        history = [{"L": [r["seed"]] * 20_000}]
        assert r == make(seed=r["seed"], split=make()["split"], history=history)


@pytest.mark.filterwarnings("ignore:.*not a whole record")
def test_kill_9_at_twenty_random_moments_loses_and_corrupts_nothing(tmp_path):
    rng, stored = random.Random(0), set()
    for moment in range(int(os.environ.get("HEROCON_KILLS", 20))):
        child = start(tmp_path, moment * 10_000, 10_000)
        stored.add(int(child.stdout.readline()))  # it is writing now
        time.sleep(rng.uniform(0, 0.03))
        child.kill()
        stored |= told(child)
    assert len(stored) >= 20
    check(tmp_path, stored)


@pytest.mark.filterwarnings("ignore:.*not a whole record")
def test_writers_side_by_side_lose_nothing_though_some_die_in_the_middle_of_a_line(tmp_path):
    children = [start(tmp_path, n * 1000, 8, dies=n % 2 == 1) for n in range(6)]
    stored = set().union(*map(told, children))
    assert len(stored) == 3 * 8 + 3 * 7
    check(tmp_path, stored)
    torn = [line for line in lines(tmp_path) if line and not line.endswith("}")]
    assert len(torn) == 3


def test_a_writer_waits_for_another_before_it_looks_at_the_last_line(tmp_path):
    """Else a line that is torn between its look and its write would spoil its own."""
    path = records.append(make(seed=0), tmp_path)
    with path.open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        writer = threading.Thread(target=records.append, args=(make(seed=1), tmp_path))
        writer.start()
        time.sleep(0.2)
        other.write(b'{"data": "sce')  # and here the other one is killed
    writer.join(timeout=30)
    with pytest.warns(UserWarning, match="line 2"):
        assert query.load(tmp_path)["seed"].tolist() == [0, 1]


def test_without_locks_a_writer_still_overwrites_nobody(tmp_path, monkeypatch):
    records.append(make(seed=0), tmp_path)
    looked = records._torn

    def look_while_another_writes(descriptor):
        monkeypatch.setattr(records, "_torn", looked)
        found = looked(descriptor)
        records.append(make(seed=1), tmp_path)
        return found

    monkeypatch.setattr(records, "_lock", lambda descriptor: None)
    monkeypatch.setattr(records, "_torn", look_while_another_writes)
    records.append(make(seed=2), tmp_path)
    assert query.load(tmp_path)["seed"].tolist() == [0, 1, 2]


def test_a_line_is_one_write(tmp_path, monkeypatch):
    writes, write = [], os.write
    monkeypatch.setattr(os, "write", lambda *call: writes.append(call) or write(*call))
    records.append(make(history=[{"L": 0.5}] * 20_000), tmp_path)
    assert len(writes) == 1


def test_appending_is_light():
    code = "import sys; from herocon_lite import results; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert not {"torch", "numpy", "pandas", "scipy", "sklearn"} & set(done.stdout.split())


# ---------------------------------------------------------------- load


def test_one_row_a_run_with_metrics_settings_and_split_as_columns(tmp_path):
    frame = query.load(store(tmp_path, [make(seed=s, f1=s / 10) for s in range(3)]))
    assert frame["f1"].tolist() == [0, 0.1, 0.2]
    assert frame["settings.optim.lr"].tolist() == [0.05] * 3
    assert frame["split.checksum"].tolist() == ["split0", "split1", "split2"]
    assert set(frame["key"]) == records.finished(tmp_path, "scene")
    assert frame["history"][0] == [{"step": 0, "terms": {"loss": 1.5}}]


def test_where_chooses_rows(tmp_path):
    store(tmp_path, [make(seed=s, method=m) for s in range(3) for m in ("dnn", "herocon")])
    store(tmp_path, [make(form="eq4"), make(data="yeast"), make(split={"how": "released"}, seed=9)])

    def count(**where):
        return len(query.load(tmp_path, **where))

    assert count() == 9
    assert count(data="scene") == 8
    assert count(data="scene", method="dnn") == 3
    assert count(data="scene", method=["dnn", "herocon"], seed=range(2)) == 5
    assert count(form="eq4") == 1 and count(form=None) == 8
    assert count(split__how="released") == 1
    store(tmp_path, [make(method="new", settings={"alpha": 0.1, "beta": 0.5})])
    assert count(settings__beta=None) == 9 and count(settings__beta=0.5) == 1
    assert count(settings__alpha=0.1) == 10 and count(method="none") == 0


def test_an_unknown_column_gets_a_sentence_with_a_suggestion(tmp_path):
    store(tmp_path, [make()])
    with pytest.raises(ValueError, match=r"There is no column metod\. Did you mean method\?"):
        query.load(tmp_path, metod="dnn")
    with pytest.raises(ValueError, match=r"Did you mean settings\.alpha\?"):
        query.load(tmp_path, settings__alfa=1)


def test_an_empty_store_gives_an_empty_table(tmp_path):
    frame = query.load(tmp_path, data="scene", method="dnn")
    assert len(frame) == 0
    assert list(query.table(frame).columns) == query.COLUMNS
    assert text.runs_to_markdown(query.table(frame)).count("\n") == 1


# ---------------------------------------------------------------- intervals


def test_intervals_in_closed_form():
    """Two values: t(1) at 97.5 % is tan(0.475 π); the half width is that times half the gap."""
    found = intervals.interval([0.0, 2.0])
    half = math.tan(0.475 * math.pi)
    assert found == pytest.approx((1, math.sqrt(2), 1 - half, 1 + half), rel=1e-12)
    # three: t(2) at p is (2p − 1)·sqrt(2/(4p(1 − p)))
    t2 = 0.95 * math.sqrt(2 / (4 * 0.975 * 0.025))
    half = t2 / math.sqrt(3)
    assert intervals.interval([1, 2, 3]) == pytest.approx((2, 1, 2 - half, 2 + half), rel=1e-12)


@pytest.mark.parametrize("n", [2, 3, 5, 20])
def test_intervals_are_scipy_s(n):
    values = np.random.default_rng(n).normal(0.6, 0.02, n)
    wanted = stats.t.interval(0.95, n - 1, values.mean(), stats.sem(values))
    found = intervals.interval(values)
    assert (found.lo, found.hi) == pytest.approx(wanted, rel=1e-12)
    assert (found.mean, found.sd) == pytest.approx((values.mean(), values.std(ddof=1)), rel=1e-12)


def test_one_run_has_no_interval_and_none_is_an_error():
    mean, *rest = intervals.interval([0.5])
    assert mean == 0.5 and all(map(math.isnan, rest))
    assert intervals.interval([0.5, 0.5]) == (0.5, 0, 0.5, 0.5)
    assert all(map(math.isnan, intervals.interval([0.5, math.nan])))
    with pytest.raises(ValueError, match="at least one number"):
        intervals.interval([])


def test_three_seeds_cover_the_truth_95_times_in_100():
    draws = np.random.default_rng(0).normal(0.6, 0.02, (20_000, 3))
    found = [intervals.interval(d) for d in draws]
    covered = np.mean([i.lo <= 0.6 <= i.hi for i in found])
    assert abs(covered - 0.95) < 0.005  # three standard errors


# ---------------------------------------------------------------- tables


def many():
    rng = np.random.default_rng(0)
    records = []
    for seed in range(5):
        luck = rng.normal(0, 0.05)  # the split's, shared by the methods
        for method, worth in (("dnn", 0.6), ("herocon", 0.62)):
            f1 = worth + luck + rng.normal(0, 0.002)
            records.append(make(method, seed, f1, auc=f1 + 0.2))
    return [*records, make("herocon", 0, 0.7, form="eq4")]


def test_the_table_has_the_promised_columns_and_the_runs_means(tmp_path):
    frame = query.load(store(tmp_path, many()))
    table = query.table(frame)
    promised = "method,preset,form,protocol,budget,seeds,f1,f1_lo,f1_hi,auc,auc_lo,auc_hi"
    assert table.to_csv(index=False).splitlines()[0] == promised
    assert table["method"].tolist() == ["dnn", "herocon", "herocon"]
    assert table["seeds"].tolist() == [5, 5, 1]
    dnn = frame[frame["method"] == "dnn"]
    mean, _, lo, hi = intervals.interval(dnn["f1"])
    assert table.loc[0, ["f1", "f1_lo", "f1_hi"]].tolist() == [mean, lo, hi]
    assert table.loc[0, "auc"] == pytest.approx(dnn["auc"].mean())
    assert table.loc[2, ["f1_lo", "auc_hi"]].isna().all()


def test_markdown_prints_intervals_and_calls_one_run_one_run(tmp_path):
    table = query.table(query.load(store(tmp_path, many())))
    head, rule, *rows = text.runs_to_markdown(table).splitlines()
    assert {line.count("|") for line in (head, rule, *rows)} == {9}
    assert re.search(r"\| 5 \| 0\.\d{3} \[0\.\d{3}, 0\.\d{3}\] \| 0\.\d{3} \[", rows[0])
    assert "| eq4 |" in rows[2] and "| 1 | 0.700 (one run) | 0.800 (one run) |" in rows[2]
    undefined = query.table(query.load(store(tmp_path / "x", [make(auc=math.nan)])))
    assert text.runs_to_markdown(undefined).endswith("| undefined |")


def test_the_table_refuses_to_average_what_differs(tmp_path):
    store(tmp_path, [make(seed=0), make(seed=1, alpha=0.2)])
    with pytest.raises(ValueError, match=r"herocon paper .* settings.alpha is 0.1 and 0.2"):
        query.table(query.load(tmp_path))
    assert query.table(query.load(tmp_path, settings__alpha=0.1))["seeds"].tolist() == [1]
    store(tmp_path / "a", [make(seed=s, settings={"seed": s}) for s in range(3)])
    assert query.table(query.load(tmp_path / "a"))["seeds"].tolist() == [3]
    store(tmp_path / "b", [make(seed=0), make(seed=1, split={"how": "released"})])
    with pytest.raises(ValueError, match=r'split.how is "paper" and "released"'):
        query.table(query.load(tmp_path / "b"))
    store(tmp_path / "c", [make(seed=0), make(seed=0, split={"checksum": "other"})])
    with pytest.raises(ValueError, match="seed 0 has several runs"):
        query.table(query.load(tmp_path / "c"))
    store(tmp_path / "d", [make(), make(data="yeast")])
    with pytest.raises(ValueError, match="one data set; it holds scene, yeast"):
        query.table(query.load(tmp_path / "d"))


# ---------------------------------------------------------------- paired differences


def test_pairs_take_the_splits_luck_away(tmp_path):
    frame = query.load(store(tmp_path, many()))
    found = query.table(query.against(frame, "dnn"))
    assert found["method"].tolist() == ["herocon"] and found["form"].isna().all()
    a, b = (frame[(frame["method"] == m) & frame["form"].isna()] for m in ("herocon", "dnn"))
    for metric in ("f1", "auc"):
        wanted = stats.ttest_rel(a[metric], b[metric]).confidence_interval(0.95)
        ends = found.loc[0, [f"{metric}_lo", f"{metric}_hi"]].tolist()
        assert ends == pytest.approx([wanted.low, wanted.high], rel=1e-9)
    assert found["f1"][0] == pytest.approx(a["f1"].mean() - b["f1"].mean())
    assert found["seeds"][0] == 5 and found["f1_lo"][0] > 0
    table = query.table(frame)
    assert table["f1_lo"][1] < table["f1"][0]  # unpaired, the same runs tell nothing


def test_only_the_same_split_budget_and_protocol_make_a_pair(tmp_path):
    store(tmp_path, [make("dnn", s, 0.5) for s in range(4)])
    store(tmp_path, [make("a", s, 0.6, split={"checksum": f"split{s}"}) for s in (1, 2, 7)])
    store(tmp_path, [make("b", s, 0.6, split={"checksum": "other"}) for s in (1, 2)])
    store(tmp_path, [make("c", s, 0.6, budget="paper") for s in (1, 2)])
    store(tmp_path, [make("d", 1, 0.6)])
    found = query.against(query.load(tmp_path), "dnn")
    pairs = sorted(zip(found["method"], found["seed"], strict=True))
    assert pairs == [("a", 1), ("a", 2), ("d", 1)]
    assert found["f1"].tolist() == pytest.approx([0.1] * 3)


def test_a_method_without_runs_subtracts_nothing(tmp_path):
    frame = query.load(store(tmp_path, many()))
    with pytest.raises(ValueError, match=r"finished runs ddn\. Did you mean dnn\?"):
        query.against(frame, "ddn")
    dnn = frame[frame["method"] == "dnn"]
    twice = pd.concat([frame, dnn.assign(**{"settings.steps": 7})])
    with pytest.raises(ValueError, match=r"dnn: .* settings\.steps is"):
        query.against(twice, "dnn")
    with pytest.raises(ValueError, match="No run of another method"):
        query.against(frame[frame["method"] == "dnn"], "dnn")


# ---------------------------------------------------------------- provenance


def test_the_environment_tells_versions_and_commit_but_no_names_or_paths():
    import socket

    import torch

    found = provenance.environment()
    assert found["versions"]["torch"] == torch.__version__
    assert found["versions"].keys() == {"python", "torch", "numpy", "sklearn", "herocon_lite"}
    assert found["threads"] == torch.get_num_threads()
    assert found["device"]
    assert re.fullmatch(r"[0-9a-f]{40}|herocon_lite [\d.]+", found["commit"])
    text = json.dumps(found)
    assert str(ROOT) not in text and str(Path.home()) not in text
    assert socket.gethostname() not in text


def test_the_commit_is_this_module_s_and_dirty_tells_of_changed_code(tmp_path, monkeypatch):
    def git(*words):
        who = ["-c", "user.name=a", "-c", "user.email=a@b"]
        done = subprocess.run(["git", *who, *words], cwd=tmp_path, capture_output=True, check=True)
        return done.stdout.decode().strip()

    package = tmp_path / "herocon_lite"
    package.mkdir()
    monkeypatch.setattr(provenance, "__file__", str(package / "repro" / "provenance.py"))
    checkout = provenance._checkout.__wrapped__
    (package / "__init__.py").touch()
    assert checkout() == (None, None)  # no repository
    git("init")
    (tmp_path / "other").touch()
    git("add", "other")
    git("commit", "-m", "other")
    assert checkout() == (None, None)  # somebody else's repository
    git("add", ".")
    git("commit", "-m", "all")
    assert checkout() == (git("rev-parse", "HEAD"), False)
    (tmp_path / "results").touch()
    assert checkout()[1] is False  # records come in while we run
    (package / "__init__.py").write_text("changed")
    assert checkout()[1] is True


def test_where_settings_were_printed_defines_no_run(tmp_path):
    old = make()
    old["settings"] = old["settings"] | {"place": "section 4.2"}  # as older records have it
    assert records.key(old) == records.key(make())
    store(tmp_path, [old, make(seed=1)])
    assert "settings.place" not in query.load(tmp_path)
    assert len(query.table(query.load(tmp_path))) == 1
