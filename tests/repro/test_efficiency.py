"""The three steps of Fig. 4 are what they say they are; no test asserts a time."""

import json

import pytest
import torch
import torch.nn.functional as F

from herocon_lite import losses
from herocon_lite.repro import efficiency, literal, measure
from herocon_lite.repro.cli import main
from herocon_lite.repro.efficiency import BY, LITERAL, NEGATIVE, OURS, RELEASED, TRAINING
from tests.cases import gradients, make_batch


def batch(rows=60, more=30):
    torch.manual_seed(1)
    seen, unseen = ([torch.randn(n, w).double() for w in efficiency.VIEWS] for n in (rows, more))
    Y = F.one_hot(torch.arange(rows) % efficiency.CLASSES).double()
    return seen, Y, unseen, 0.0


def test_the_released_form_is_the_preset_of_that_name():
    b = make_batch(n=12, d=5)
    ours = losses.weighted_unsupervised(b.z1, b.z2, b.H, preset="released")
    typed = literal.released_unsupervised(b.z1, b.z2, b.H)
    torch.testing.assert_close(typed, ours, rtol=1e-12, atol=0)
    for mine, wanted in zip(gradients(ours, b), gradients(typed, b), strict=True):
        torch.testing.assert_close(mine, wanted, rtol=1e-9, atol=1e-13)
    Y = F.one_hot(torch.arange(12) % 3).double()
    ours = losses.weighted_supervised(b.z1, Y, preset="released", distance="indicator")
    torch.testing.assert_close(literal.released_supervised(b.z1, Y), ours, rtol=1e-12, atol=0)


def test_the_literal_step_is_ours():
    ours, printed = efficiency.herocon(OURS).double(), efficiency.herocon(LITERAL)
    mine, wanted = (m.terms(*batch()) for m in (ours, printed))
    assert mine.keys() == {"L_c", "L_u", "L_s"}
    torch.testing.assert_close(mine, wanted, rtol=1e-12, atol=0)


def test_all_start_from_the_same_weights_in_the_stated_precision():
    first = efficiency.herocon(OURS).state_dict()
    for by in BY:
        method = efficiency.herocon(by)
        assert {str(w.dtype) for w in method.parameters()} == {f"torch.{efficiency.PRECISION[by]}"}
        for name, weight in method.state_dict().items():
            assert torch.equal(weight.to(first[name].dtype), first[name])
        terms = [t.item() for t in method.terms(*_cast(batch(), method)).values()]
        assert all(t > 0 for t in terms)


def _cast(batch, method):
    dtype = next(method.parameters()).dtype
    seen, Y, unseen, progress = batch
    return [v.to(dtype) for v in seen], Y.to(dtype), [v.to(dtype) for v in unseen], progress


@pytest.mark.parametrize(
    "what, size, steps, labeled, unlabeled",
    [
        (TRAINING, 500, 2, 250, 750),
        (TRAINING, 5000, 20, 250, 750),
        (TRAINING, 50, 1, 50, 150),  # a warm-up
        (NEGATIVE, 500, 1, 250, 251),
        (NEGATIVE, 5000, 1, 250, 4751),
        (NEGATIVE, 99, 1, 50, 50),
    ],
)
def test_rows_of_a_step(monkeypatch, what, size, steps, labeled, unlabeled):
    seen = []

    def trainer(method):
        return lambda *batch: seen.append(batch)

    monkeypatch.setattr(literal, "trainer", trainer)
    efficiency.WORK[what](OURS, size)()
    assert len(seen) == steps
    for rows, Y, more in seen:
        assert {len(v) for v in rows} == {len(Y)} == {labeled}
        assert {len(v) for v in more} == {unlabeled}
        assert (Y.sum(1) == 1).all() and (Y.sum(0) >= 2).all()
    firsts = {float(rows[0][0, 0]) for rows, _, _ in seen}
    firsts |= {float(more[0][0, 0]) for _, _, more in seen}
    assert len(firsts) == 2 * steps  # a batch is never seen twice


def test_a_step_learns():
    for by in BY:
        torch.manual_seed(0)
        method = efficiency.herocon(by)
        seen, Y, unseen, _ = _cast(batch(), method)
        before = {name: w.clone() for name, w in method.named_parameters()}
        literal.trainer(method)(seen, Y, unseen)
        moved = [name for name, w in method.named_parameters() if not torch.equal(w, before[name])]
        assert {name.split(".")[0] for name in moved} == {name.split(".")[0] for name in before}


def rows_of(values, by=OURS, what=NEGATIVE, **more):
    return [{"by": by, what: n, "seconds": s, **more} for n, s in values.items()]


def test_the_power_is_found_with_its_interval():
    exact = rows_of({n: 3e-6 * n**1.7 for n in (500, 1000, 5000)})
    fit = efficiency.power(exact, NEGATIVE, OURS)
    assert fit.mean == pytest.approx(1.7) and fit.hi - fit.lo < 1e-6
    assert efficiency.power(exact + rows_of({50_000: 1.0}), NEGATIVE, OURS) == fit
    assert efficiency.power(exact, NEGATIVE, OURS, up_to=1000) is None
    assert efficiency.power(exact, NEGATIVE, LITERAL) is None
    assert efficiency.power(exact, TRAINING, OURS) is None
    assert efficiency.power(exact, NEGATIVE, OURS, column="peak_mib") is None


def test_the_interval_covers_the_truth_as_often_as_it_says():
    torch.manual_seed(0)
    covered = 0
    for _ in range(400):
        noise = (0.1 * torch.randn(5)).exp().tolist()
        sizes = (500, 1000, 1500, 2500, 5000)
        rows = rows_of({n: n**2 * e for n, e in zip(sizes, noise, strict=True)})
        fit = efficiency.power(rows, NEGATIVE, OURS)
        covered += fit.lo <= 2 <= fit.hi
    assert 0.91 < covered / 400 < 0.99


def test_a_short_measurement_is_printed_and_saved(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(efficiency, "SIZES", {TRAINING: (50, 100, 150), NEGATIVE: (90, 120)})
    monkeypatch.setattr(efficiency, "ALONE", (160,))
    monkeypatch.setattr(efficiency, "MEMORY", {TRAINING: (50, 150), NEGATIVE: (120, 160)})
    kept = {by: {90: 0, 120: 0, 160: 0} for by in BY}
    kept[LITERAL] |= {120: 3 * 2**30, 160: 5 * 2**30}
    kept[RELEASED] |= {160: 3 * 2**30}
    names = {id(prepare): by for by, prepare in efficiency.KEPT.items()}
    monkeypatch.setattr(measure, "kept_bytes", lambda prepare, n: kept[names[id(prepare)]][n])
    started = []

    def fresh(module, what, by, size):
        assert module == "herocon_lite.repro.efficiency"
        started.append((what, by, size))
        return 7.0, 1.5

    monkeypatch.setattr(measure, "fresh_process", fresh)
    assert main(["efficiency", "--folder", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    where, *rows = map(json.loads, (tmp_path / "efficiency.jsonl").read_text().splitlines())
    assert where["threads"] == 1 and where["precision"][RELEASED] == "float64"
    assert efficiency.table(rows) in printed and "size^" in printed
    assert len(rows) == 3 * (3 + 2 + 1)  # each one at each size, run or told why not
    stopped = {(r["by"], r[NEGATIVE]): r["would_keep_gib"] for r in rows if "seconds" not in r}
    assert stopped == {(LITERAL, 120): 3.0, (LITERAL, 160): 5.0, (RELEASED, 160): 3.0}
    ran = [r for r in rows if "seconds" in r]
    assert all(r["seconds"] == min(r["rounds"]) > 0 for r in ran)
    assert [len(r["rounds"]) for r in ran] == [2] * 9 + [3] * 5 + [1]
    assert ran[-1] == {
        "by": OURS,
        NEGATIVE: 160,
        "seconds": 7.0,
        "rounds": [7.0],
        "peak_mib": 1.5,
    }
    peaks = [
        (w, r["by"], r[w]) for r in ran for w in efficiency.SIZES if w in r and "peak_mib" in r
    ]
    assert peaks == started and len(peaks) == 3 * 2 + 2 + 1


def test_a_fresh_process_measures_a_step():
    seconds, mib = measure.fresh_process("herocon_lite.repro.efficiency", NEGATIVE, RELEASED, 1000)
    assert seconds > 0 and 60 < mib < 600
