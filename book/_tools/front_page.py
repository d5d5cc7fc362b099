"""Make the parts of the front page that come from code, and check the numbers in its sentences.

    python book/_tools/front_page.py     writes them into book/intro.md and README.md

The author's sentences stand in ``book/intro.md``; between markers stand the picture, the bar of
verdicts and, in the README, a copy of *What we found*. A test runs the same functions.
"""

from __future__ import annotations

import html
import math
import re
from collections import Counter
from pathlib import Path

import numpy as np
from herocon_lite.repro import ledger, paper, stats
from herocon_lite.repro.ledger.page import verdict_bar, verdict_counts
from herocon_lite.repro.query import Store
from herocon_lite.repro.stats import Comparison, Direction
from herocon_lite.repro.text import points

ROOT = Path(__file__).resolve().parents[2]
PAGE, README = ROOT / "book" / "intro.md", ROOT / "README.md"
CONTRADICTED = str(ledger.Verdict.CONTRADICTED)
ROUTES = {  # the chapters of a route, whose "reads in" its time sums up
    "Use it": ("should_you_use_it", "your_data", "opponents", "missing", "install"),
    "Learn it": (
        *("push_apart", "several_labels", "views_and_labels", "special_cases"),
        *("false_negatives", "weights", "unsupervised_bound", "supervised_bound"),
    ),
    "Check it": ("which_claims_hold", "ledger", "point_by_point"),
}
ANGLES = np.deg2rad([58.0, 140.0, 215.0, 315.0])  # of A′, B, C, D; the anchor A is on top
RADIUS = 80


def pushes(weighted: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return how the anchor's loss moves A′, B, C, D, and each negative's share of the push."""
    angle = ANGLES - np.pi / 2  # from the anchor
    weight = np.exp(1 - np.cos(angle)) if weighted else np.ones(4)  # H = identity, constant
    weight[0] = 1  # the positive
    term = weight * np.exp(np.cos(angle))
    share = term / term.sum()
    slide = np.r_[share[0] - 1, share[1:]] * np.sin(angle)
    return slide, share[1:] / share[1:].sum()


def cover() -> str:
    """Return the picture: a false negative without and with the paper's weights."""
    panels = [
        _panel(115, "usual contrastive loss", *pushes(False)),
        _panel(335, "with HeroCon’s weights", *pushes(True)),
    ]
    (_, usual), (_, weighted) = pushes(False), pushes(True)
    alt = (
        "Two circles with the same five points. A and A′ are two views of one cat, B is another "
        "cat, C and D are dogs. Left, usual contrastive loss: the longest push moves B away from "
        f"A; {100 * usual[0]:.0f} percent of the push falls on B. Right, with HeroCon’s weights: "
        f"{100 * weighted[0]:.0f} percent falls on B, as much as on C and on D."
    )
    label = f'role="img" aria-label="{html.escape(alt)}"'
    head = f'<svg class="hc-cover" viewBox="0 0 450 245" {label}>'
    return f"{head}{''.join(panels)}</svg>"


def _panel(left: int, title: str, slide: np.ndarray, share: np.ndarray) -> str:
    kinds = ("pull", "bad", "push", "push")
    parts = [f'<text class="hc-t" y="-126">{title}</text><circle class="hc-ring" r="{RADIUS}"/>']
    parts += [_arrow(*each) for each in zip(ANGLES, slide, kinds, strict=True)]
    for name, angle in zip(("A′", "B", "C", "D", "A"), [*ANGLES, np.pi / 2], strict=True):
        (x, y), (tx, ty) = _place(angle, RADIUS), _place(angle, RADIUS - 22)
        kind = "dog" if name in "CD" else "cat"
        parts.append(f'<circle class="hc-{kind}" cx="{x:.1f}" cy="{y:.1f}" r="7"/>')
        parts.append(f'<text x="{tx:.1f}" y="{ty + 5:.1f}">{name}</text>')
    parts.append(f'<text class="hc-big" y="-4">{100 * share[0]:.0f} %</text>')
    parts.append('<text class="hc-s" y="14">of the push</text>')
    parts.append('<text class="hc-s" y="30">falls on B</text>')
    return f'<g transform="translate({left} 140)">{"".join(parts)}</g>'


def _place(angle: float, radius: float) -> np.ndarray:
    return np.array([radius * math.cos(angle), -radius * math.sin(angle)])


def _arrow(angle: float, slide: float, kind: str) -> str:
    along = np.sign(slide) * np.array([-math.sin(angle), -math.cos(angle)])
    across = np.array([-along[1], along[0]])
    start = _place(angle, RADIUS) + 9 * along
    end = start + 105 * abs(slide) * along
    tip = " ".join(
        f"{x:.1f},{y:.1f}" for x, y in (end + 10 * along, end + 5 * across, end - 5 * across)
    )
    ends = 'x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"'.format(*start, *end)
    return f'<g class="hc-{kind}"><line {ends}/><polygon points="{tip}"/></g>'


# ------------------------------------------------------------------ the routes


def minutes(page: str) -> int:
    """Return the "reads in" of a page; two minutes for one that does not say."""
    for suffix in (".ipynb", ".md"):
        path = PAGE.with_name(page + suffix)
        found = re.search(r"[Rr]eads in (\d+)", path.read_text("utf-8")) if path.exists() else None
        if found:
            return int(found[1])
    return 2


def route_minutes(page: str) -> dict[str, tuple[int, int]]:
    """Return what each route's card says, and the sum of its chapters, in minutes."""
    said = {}
    for name, chapters in ROUTES.items():
        card = re.search(rf"grid-item-card\}} {name} \*(?:(\d+) h )?(?:(\d+) min)?\*", page)
        if card is None:
            raise ValueError(f"there must be a card {name!r} with its time, such as *20 min*.")
        hours, rest = (int(group or 0) for group in card.groups())
        said[name] = 60 * hours + rest, sum(map(minutes, chapters))
    return said


# ------------------------------------------------------------------ the author's sentences


def gains(a: str, b: str, folder: Path) -> list[Comparison]:
    """Return a − b in F1 on Scene, yeast, birds, MOCHA and N-MNIST, with the runs that the answers
    page uses."""
    half = {"precision": "bfloat16", "unlabeled_batch": 1000}
    copies: dict[str, object] = {"form": "two_noisy"}
    kinds: dict[str, dict] = {"scene": copies, "yeast": {}, "birds": {}, "mocha": {}}
    found = []
    for data, usual in (kinds | {"mnist": copies | {"changes": half}}).items():
        store = Store(folder, data, **usual)
        found.append(stats.compare(store.difference({"method": a}, {"method": b})))
    return found


def sentences(rows: list[ledger.Row], folder: Path) -> list[str]:
    """Return what the page must say, with today's numbers; raise an error if a verb is wrong."""
    views, weights = (gains(*pair, folder) for pair in PAIRS)
    scene = Store(folder, "scene", form="two_noisy")
    lead = stats.compare(scene.difference({"method": "herocon"}, {"method": "dnn"}))
    printed = paper.RESULTS["scene"]
    claimed = 100 * (printed["HeroCon"].f1 - printed["DNN"].f1)
    _check_verbs(rows, views, weights, scene)
    rows = ledger.distinct(rows)
    kinds, counts = Counter(row.kind for row in rows), verdict_counts(rows)
    low, high = (f(views, key=lambda found: found.estimate) for f in (min, max))
    found = Counter((row.kind, str(row.verdict)) for row in rows)
    verdicts = Counter(str(row.verdict) for row in rows)
    return [
        f"adds {points(low)} to {points(high)} points of F1 on five data sets",
        f"effect is {points(weights[3])} points of F1 on one data set",
        f"{points(lead)} points of F1 over a plain network, not {claimed:.1f}",
        f"{len(rows)} claims: {kinds['statement']} statements of theory, {kinds['count']} counts, "
        f"{kinds['cell']} cells of result tables, {kinds['comparison']} comparisons of methods "
        f"and {kinds['figure']} findings from figures",
        f"Of the {counts['hold']} that hold, {found['count', 'reproduced']} are counts",
        f"Of the {counts['do not hold']} that do not, {verdicts['false']} are refuted by a "
        f"counterexample and {verdicts[CONTRADICTED]} by the paper's own tables",
    ]


PAIRS = (("herocon-u-g1", "dnn-bnu"), ("herocon-u", "herocon-u-g1"))  # contrast; the weights


def _check_verbs(rows, views, weights, scene: Store) -> None:
    higher, none = Direction.HIGHER, Direction.NONE
    ahead = [
        stats.compare(scene.difference({"method": "deepmtmv"}, {"method": "herocon"})),
        stats.compare(scene.difference({"method": "mib"}, {"method": "herocon"}, "auc")),
    ]
    verdicts = {row.number: str(row.verdict) for row in rows}
    not_run = {row.data for row in rows if row.kind == "cell" and str(row.verdict) == "not run"}
    held = {
        "contrast between views helps on all five": [v.direction for v in views] == [higher] * 5,
        "the weights help on one of five": [w.direction for w in weights]
        == [none, none, none, higher, none],
        "two baselines are ahead on Scene": [a.direction for a in ahead] == [higher] * 2,
        "HeroCon is best on N-MNIST": verdicts["S8"] == "reproduced",
        "Lemma 3.2 is false, Lemma 3.3 holds": (verdicts["L13"], verdicts["L14"])
        == ("false", "reproduced"),
        "only XRMB and CelebA were not run": not_run == {"XRMB", "CelebA"},
    }
    wrong = [sentence for sentence, holds in held.items() if not holds]
    if wrong:
        raise AssertionError(f"No longer true on the front page: {'; '.join(wrong)}.")


def made(page: str, folder: Path) -> str:
    """Return the page with its picture and bar made anew, its sentences checked."""
    rows = ledger.ledger(folder)
    parts = {"cover": cover(), "verdicts": verdict_bar(verdict_counts(rows))}
    for name, part in parts.items():
        page = _between(page, name, part)
    flat = " ".join(page.split())
    missing = [sentence for sentence in sentences(rows, folder) if sentence not in flat]
    if missing:
        raise AssertionError("The front page must say: " + "\n- ".join(["", *missing]))
    return page


def findings(page: str) -> str:
    """Return *What we found* for the README: the same sentences, links seen from the top."""
    block = page.partition(":::{div} hc-found\n")[2].partition(":::")[0].strip()
    return re.sub(r"\]\((\w+\.ipynb)\)", r"](book/\1)", block)


def _between(text: str, name: str, part: str) -> str:
    block = rf"(<!-- {name}: [^\n]*-->\n).*?(<!-- /{name} -->)"
    text, found = re.subn(block, lambda m: f"{m[1]}{part}\n{m[2]}", text, flags=re.S)
    if found != 1:
        raise ValueError(f"there must be one pair of markers for {name}; there are {found}.")
    return text


def main() -> None:
    """Write the front page and the README's copy of its findings."""
    page = made(PAGE.read_text("utf-8"), ROOT / "results")
    PAGE.write_text(page, "utf-8")
    README.write_text(_between(README.read_text("utf-8"), "findings", findings(page)), "utf-8")


if __name__ == "__main__":
    main()
    print("wrote book/intro.md and README.md")
