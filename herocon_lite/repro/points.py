"""Where the paper, its tables and its released code disagree: ``points.yaml``, read and shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from herocon_lite.repro import pages
from herocon_lite.repro.entries import build_all, read_yaml
from herocon_lite.repro.text import markdown_table

_DATA = read_yaml("points.yaml", ("groups", "effects", "evidence", "switches", "points"))
GROUPS: dict[str, str] = _DATA["groups"]
EFFECTS: dict[str, str] = _DATA["effects"]
EVIDENCE: dict[str, str] = _DATA["evidence"]
SWITCHES: dict[str, dict] = _DATA["switches"]  # the stored runs that have one on
COLOURS = dict(zip(EFFECTS, (4, 2, 3), strict=True))  # of front_page.css
HERE = "point_by_point"  # the page that prints this list


@dataclass(frozen=True)
class Point:
    """One inconsistency: what one place says, what another says, and what follows."""

    number: str  # group and place in it, such as "A1"
    where: str  # in the paper
    paper: str
    other: str  # the released code, or another place of the paper
    consequence: str
    effect: str
    evidence: str
    page: str = ""  # that shows it
    function: str = ""  # of herocon_lite, that shows it or has both ways
    switch: str = ""

    @property
    def group(self) -> str:
        return self.number[0]

    def __post_init__(self) -> None:
        known = {"group": GROUPS, "effect": EFFECTS, "evidence": EVIDENCE, "switch": SWITCHES}
        for name, values in known.items():
            if getattr(self, name) and getattr(self, name) not in values:
                raise ValueError(
                    f"points.yaml, point {self.number}: {name} must be one of {', '.join(values)}; "
                    f"got {getattr(self, name)}."
                )


POINTS = build_all(Point, _DATA["points"], "points.yaml, point", key="number")


def badge(effect: str) -> str:
    """Return an effect as a coloured badge."""
    return f'<span class="hc-badge hc-b{COLOURS[effect]}">{effect}</span>'


def to_markdown(points: Iterable[Point], book: Path = Path()) -> str:
    """Format a table of points, one row each; the search box of the page finds it by its
    heading."""
    rows = []
    for point in points:
        last = f"{badge(point.effect)} {point.consequence} *{point.evidence}*"
        if point.page == HERE:
            last += ", this page"
        elif point.page:
            last += f", {pages.link(point.page, book)}"
        if point.function:
            last += f", `{point.function}`"
        if point.switch:
            last += f", switch `{point.switch}`"
        rows.append([point.number, f"*{point.where}:* {point.paper}", point.other, last])
    return markdown_table(["No.", "The paper", "The code, or another place", "So"], rows)
