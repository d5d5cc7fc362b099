"""The bench compares equals and tells what it did not run. No test asserts a time."""

import json
from pathlib import Path

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from herocon_lite import losses
from herocon_lite.repro import benchmark, files, literal, measure
from herocon_lite.repro.cli import main
from tests.cases import gradients, make_batch

RESULTS = Path(__file__).resolve().parents[2] / "results"


@pytest.mark.parametrize("cos", [literal.cosine_as_printed, literal.cosine_of_unit_rows])
def test_the_literal_formula_is_the_same_loss(cos):
    b = make_batch(n=10, d=5)
    ours = losses.weighted_unsupervised(b.z1, b.z2, b.H)
    printed = literal.unsupervised(b.z1, b.z2, b.H, cos)
    torch.testing.assert_close(printed, ours, rtol=1e-12, atol=0)
    for mine, wanted in zip(gradients(ours, b), gradients(printed, b), strict=True):
        torch.testing.assert_close(mine, wanted, rtol=1e-9, atol=1e-13)


def test_the_label_loop_is_the_same_loss():
    b = make_batch(n=20, d=5, c=4)
    ours = losses.weighted_supervised(b.z1, b.Y)
    torch.testing.assert_close(literal.supervised(b.z1, b.Y), ours, rtol=1e-12, atol=0)


def test_the_literal_step_of_herocon_is_the_same_step():
    ours, printed = benchmark.scene_method(False, d=7).double(), benchmark.scene_method(True, d=7)
    views, Y = [torch.randn(40, 7).double() for _ in range(2)], (torch.rand(40, 6) < 0.5).double()
    mine, wanted = (m.terms(views, Y, views, 0.0) for m in (ours, printed))
    assert mine.keys() == wanted.keys() == {"L_c", "L_u", "L_s"}
    torch.testing.assert_close(mine, wanted, rtol=1e-12, atol=0)


def test_a_step_on_scene_never_holds_all_pairs_of_rows():
    class Largest(TorchDispatchMode):
        numel = 0

        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            out = function(*args, **(kwargs or {}))
            held = [
                t.untyped_storage().nbytes() // t.itemsize
                for t in tree_leaves(out)
                if isinstance(t, torch.Tensor)
            ]
            self.numel = max([self.numel, *held])
            return out

    rows = benchmark.SCENE[0]
    for name in (benchmark.OURS, "literal float64"):
        step = benchmark.GROUPS["HeroCon step"][name](rows)
        with Largest() as largest:
            step()
        assert (largest.numel >= rows**2) == (name != benchmark.OURS)


def test_what_is_kept_grows_linearly_for_ours_and_quadratically_for_the_literal():
    group = benchmark.GROUPS["L_u (Eq. 5)"]
    small, large = (measure.kept_bytes(group[benchmark.OURS], n) for n in (1000, 8000))
    assert large / small == pytest.approx(8)
    small, large = (measure.kept_bytes(group["literal float32"], n) for n in (1000, 8000))
    assert large / small == pytest.approx(64)


def test_what_is_kept_is_counted_and_not_underestimated():
    """Four n × 2n matrices in float32 and a mask in bytes, for two views: 34 n²."""
    unit_rows = benchmark.GROUPS["L_u (Eq. 5)"]["literal float32, unit rows"]
    assert measure.kept_bytes(unit_rows, 10_000) == pytest.approx(34 * 10_000**2, rel=0.05)


def test_the_peak_is_the_fresh_process_own_and_not_its_parents():
    ballast = torch.ones(100_000_000)  # 400 MB here
    _, mib = measure.fresh_process(benchmark.MODULE, "L_u (Eq. 5)", "literal float32", 1500)
    assert ballast.sum() > 0 and 50 < mib < 1000


def test_a_short_bench_prints_and_saves_one_table(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(benchmark, "ROUNDS", 1)
    monkeypatch.setattr(benchmark, "ONE_SIZE", {"L_s (Eq. 7)": 60})
    monkeypatch.setattr(measure, "LIMIT_BYTES", 5 * 2**20)
    few = {  # each row is a process of its own
        "L_u (Eq. 5)": (benchmark.OURS, "literal float32"),
        "L_s (Eq. 7)": (benchmark.OURS,),
    }
    groups = {g: {name: benchmark.GROUPS[g][name] for name in names} for g, names in few.items()}
    monkeypatch.setattr(benchmark, "GROUPS", groups)
    threads = torch.get_num_threads()
    assert main(["bench", "--sizes", "100", "400", "--folder", str(tmp_path)]) == 0
    assert torch.get_num_threads() == threads
    printed = capsys.readouterr().out
    where, *rows = map(json.loads, (tmp_path / "bench.jsonl").read_text().splitlines())
    assert where["threads"] == 1
    assert benchmark.table(rows) in printed
    assert benchmark.table(rows) in (tmp_path / "bench.md").read_text()
    # every implementation at every size, run or told why not
    sizes = {g: 1 if g.startswith("L_s") else 2 for g in benchmark.GROUPS}
    assert len(rows) == sum(len(m) * sizes[g] for g, m in benchmark.GROUPS.items())
    stopped = [r for r in rows if "seconds" not in r]
    assert stopped and all(r["by"] != benchmark.OURS for r in stopped)
    assert printed.count("not run: would keep") == len(stopped)
    assert all(r["ratio"] == 1 for r in rows if r["by"] == benchmark.OURS)
    assert f"L_u (Eq. 5), {benchmark.OURS}: p =" in printed


def test_the_stored_page_is_made_of_the_stored_rows():
    where, *rows = files.read_lines(RESULTS / "bench.jsonl")
    assert benchmark.to_page(rows, where) == (RESULTS / "bench.md").read_text("utf-8")


def test_sizes_below_two_are_refused(capsys):
    with pytest.raises(SystemExit):
        main(["bench", "--sizes", "1"])
    assert "a whole number, at least 2" in capsys.readouterr().err
