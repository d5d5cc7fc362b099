"""The bench compares equals and tells what it did not run. No test asserts a time."""

import json

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from herocon_lite import bench, losses
from herocon_lite.__main__ import main
from tests.cases import gradients, make_batch


@pytest.mark.parametrize("cos", [bench.cos_as_printed, bench._cos_of_unit_rows])
def test_the_literal_formula_is_the_same_loss(cos):
    b = make_batch(n=10, d=5)
    ours = losses.weighted_unsupervised(b.z1, b.z2, b.H)
    literal = bench.literal_unsupervised(b.z1, b.z2, b.H, cos)
    torch.testing.assert_close(literal, ours, rtol=1e-12, atol=0)
    for mine, wanted in zip(gradients(ours, b), gradients(literal, b), strict=True):
        torch.testing.assert_close(mine, wanted, rtol=1e-9, atol=1e-13)


def test_the_label_loop_is_the_same_loss():
    b = make_batch(n=20, d=5, c=4)
    ours = losses.weighted_supervised(b.z1, b.Y)
    torch.testing.assert_close(bench.label_loop(b.z1, b.Y), ours, rtol=1e-12, atol=0)


def test_the_literal_step_of_herocon_is_the_same_step():
    ours, literal = bench.scene_method(False, d=7).double(), bench.scene_method(True, d=7)
    views, Y = [torch.randn(40, 7).double() for _ in range(2)], (torch.rand(40, 6) < 0.5).double()
    mine, wanted = (m.terms(views, Y, views, 0.0) for m in (ours, literal))
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

    rows = bench.SCENE[0]
    for name in (bench.OURS, "literal float64"):
        step = bench.GROUPS["HeroCon step"][name](rows)
        with Largest() as largest:
            step()
        assert (largest.numel >= rows**2) == (name != bench.OURS)


def test_what_is_kept_grows_linearly_for_ours_and_quadratically_for_the_literal():
    group = bench.GROUPS["L_u (Eq. 5)"]
    small, large = (bench.kept_bytes(group[bench.OURS], n) for n in (1000, 8000))
    assert large / small == pytest.approx(8)
    small, large = (bench.kept_bytes(group["literal float32"], n) for n in (1000, 8000))
    assert large / small == pytest.approx(64)


def test_what_is_kept_is_counted_and_not_underestimated():
    """Four n × 2n matrices in float32 and a mask in bytes, for two views: 34 n²."""
    unit_rows = bench.GROUPS["L_u (Eq. 5)"]["literal float32, unit rows"]
    assert bench.kept_bytes(unit_rows, 10_000) == pytest.approx(34 * 10_000**2, rel=0.05)


def test_the_peak_is_the_fresh_process_own_and_not_its_parents():
    ballast = torch.ones(100_000_000)  # 400 MB here
    _, mib = bench.fresh_process("L_u (Eq. 5)", "literal float32", 1500)
    assert ballast.sum() > 0 and 50 < mib < 1000


def test_a_short_bench_prints_and_saves_one_table(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(bench, "ROUNDS", 1)
    monkeypatch.setattr(bench, "ONE_SIZE", {"L_s (Eq. 7)": 60})
    monkeypatch.setattr(bench, "LIMIT_BYTES", 5 * 2**20)
    few = {  # each row is a process of its own
        "L_u (Eq. 5)": (bench.OURS, "literal float32"),
        "L_s (Eq. 7)": (bench.OURS,),
    }
    groups = {g: {name: bench.GROUPS[g][name] for name in names} for g, names in few.items()}
    monkeypatch.setattr(bench, "GROUPS", groups)
    threads = torch.get_num_threads()
    assert main(["bench", "--sizes", "100", "400", "--folder", str(tmp_path)]) == 0
    assert torch.get_num_threads() == threads
    printed = capsys.readouterr().out
    where, *rows = map(json.loads, (tmp_path / "bench.jsonl").read_text().splitlines())
    assert where["threads"] == 1
    assert bench.table(rows) in printed
    assert bench.table(rows) in (tmp_path / "bench.md").read_text()
    # every implementation at every size, run or told why not
    sizes = {g: 1 if g.startswith("L_s") else 2 for g in bench.GROUPS}
    assert len(rows) == sum(len(m) * sizes[g] for g, m in bench.GROUPS.items())
    stopped = [r for r in rows if "seconds" not in r]
    assert stopped and all(r["by"] != bench.OURS for r in stopped)
    assert printed.count("not run: would keep") == len(stopped)
    assert all(r["ratio"] == 1 for r in rows if r["by"] == bench.OURS)
    assert f"L_u (Eq. 5), {bench.OURS}: p =" in printed


def test_sizes_below_two_are_refused(capsys):
    with pytest.raises(SystemExit):
        main(["bench", "--sizes", "1"])
    assert "a whole number, at least 2" in capsys.readouterr().err
