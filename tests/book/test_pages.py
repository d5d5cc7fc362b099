"""The built pages in a real browser, from the disk and without a network.

Needs Debian's ``chromium`` (or ``CHROMIUM``, the path of another) and playwright from PyPI; without
the browser these tests are skipped, and say so.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: apt-get install chromium")

TOC = yaml.safe_load((ROOT / "book" / "_toc.yml").read_text())
PAGES = [TOC["root"], *(c["file"] for part in TOC["parts"] for c in part["chapters"])]
SCREEN = 800  # pixels
SCREENS, APPENDIX_SCREENS, ALL_SCREENS, ALL_WORDS, ALL_CODE = 12, 22, 300, 70_000, 200
PAGE_MIB, SITE_MIB = 5, 50
ARTICLE = "(document.querySelector('article') || document.body)"
PROSE = f"""(() => {{
    const copy = {ARTICLE}.cloneNode(true);
    copy.querySelectorAll('pre, code, script, style, mjx-container, .MathJax, .headerlink')
        .forEach(node => node.remove());
    return copy.textContent;
}})()"""
FACTS = f"""() => {{
    const shown = node => node.offsetParent !== null && node.getBoundingClientRect().height > 5;
    const ids = [...document.querySelectorAll('[id]')].map(node => node.id);
    const pictures = [...{ARTICLE}.querySelectorAll('img')];
    return {{
        screens: {ARTICLE}.getBoundingClientRect().height / {SCREEN},
        words: {ARTICLE}.innerText.split(/\\s+/).length,
        code: [...document.querySelectorAll('div.cell_input')].filter(shown).length,
        prose: {PROSE},
        ids: ids,
        twice: [...new Set(ids.filter((id, place) => ids.indexOf(id) !== place))],
        links: [...document.querySelectorAll('a[href]')].map(node => node.href),
        resources: [...document.querySelectorAll('script[src], img[src], link[rel=stylesheet]')]
            .map(node => node.src || node.href),
        nameless: pictures.filter(node => !(node.getAttribute('alt') || '').trim())
            .map(node => node.src.slice(-40)),
    }}
}}"""
WIDE = "document.documentElement.scrollWidth - window.innerWidth"
AXE = "async () => (await axe.run({resultTypes: ['violations']})).violations"


@dataclass
class Page:
    """What a browser found on one page."""

    errors: list[str] = field(default_factory=list)
    facts: dict = field(default_factory=dict)
    wide: dict[int, int] = field(default_factory=dict)  # pixels of sideways scroll, by width
    violations: dict[str, list[str]] = field(default_factory=dict)  # of axe-core, by theme


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("site")
    command = [Path(sys.executable).with_name("jupyter-book"), "build", "book/", "-W", "-q"]
    command += ["--keep-going", "--path-output", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return out / "_build" / "html"


@pytest.fixture(scope="session")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def pages(site, browser) -> dict[str, Page]:
    return {name: look(browser, site / f"{name}.html") for name in PAGES}


def look(browser, file: Path) -> Page:
    found = Page()
    context = browser.new_context(viewport={"width": 1280, "height": SCREEN}, offline=True)
    page = context.new_page()
    page.on("pageerror", lambda error: found.errors.append(str(error)))
    page.on("console", lambda m: found.errors.append(m.text) if m.type == "error" else None)
    page.goto(file.as_uri(), wait_until="load")
    page.wait_for_function("!window.MathJax || MathJax.startup.promise.then(() => true)")
    page.wait_for_timeout(200)
    found.facts = page.evaluate(FACTS)
    found.wide[1280] = page.evaluate(WIDE)
    page.add_script_tag(content=files("axe_playwright_python").joinpath("axe.min.js").read_text())
    for theme in ("light", "dark"):
        page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        page.wait_for_timeout(100)
        found.violations[theme] = [
            f"{v['id']} ({len(v['nodes'])}): {v['nodes'][0]['html'][:160]}"
            for v in page.evaluate(AXE)
            if v["impact"] in ("serious", "critical")
        ]
    page.set_viewport_size({"width": 390, "height": SCREEN})
    page.wait_for_timeout(100)
    found.wide[390] = page.evaluate(WIDE)
    context.close()
    return found


@pytest.fixture(params=PAGES)
def page(request, pages) -> Page:
    return pages[request.param]


def test_the_console_is_clean(page):
    assert page.errors == []


def test_no_formula_is_left_as_source(page):
    raw = re.findall(r"\$[^$\n]{1,80}\$|\\frac|\\cdot|\\sum", page.facts["prose"])
    assert raw == []


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_scrolls_sideways(page, width):
    assert page.wide[width] <= 0


def test_every_picture_has_a_text(page):
    assert page.facts["nameless"] == []


def test_every_id_is_used_once(page):
    assert page.facts["twice"] == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(page, theme):
    assert page.violations[theme] == []


def test_links_within_the_book_lead_somewhere(page, pages, site):
    known = {(site / f"{name}.html").as_uri(): set(p.facts["ids"]) for name, p in pages.items()}
    for link in page.facts["links"]:
        target, anchor = urldefrag(link)
        if not target.startswith("file:"):
            continue
        assert Path(unquote(target.removeprefix("file://"))).exists(), link
        if anchor and target in known:
            assert unquote(anchor) in known[target], link


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_short(pages, name):
    appendix = any(
        name == chapter["file"]
        for part in TOC["parts"]
        if part["caption"].startswith("Appendix")
        for chapter in part["chapters"]
    )
    assert pages[name].facts["screens"] <= (APPENDIX_SCREENS if appendix else SCREENS)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_light(pages, site, name):
    local = {unquote(u.split("?")[0].removeprefix("file://")) for u in pages[name].facts["resources"]}
    sizes = [Path(p).stat().st_size for p in local if p.startswith("/") and Path(p).exists()]
    assert sum(sizes) + (site / f"{name}.html").stat().st_size <= PAGE_MIB * 2**20


def test_the_book_is_readable_as_a_whole(pages, site):
    total = {k: sum(p.facts[k] for p in pages.values()) for k in ("screens", "words", "code")}
    assert total["screens"] <= ALL_SCREENS
    assert total["words"] <= ALL_WORDS
    assert total["code"] <= ALL_CODE
    assert sum(f.stat().st_size for f in site.rglob("*") if f.is_file()) <= SITE_MIB * 2**20


def test_search_finds_the_page_on_a_subject_first(browser, site):
    context = browser.new_context(offline=True)
    page = context.new_page()
    for query, wanted in {"false negative": "false_negative", "install": "install"}.items():
        page.goto((site / "search.html").as_uri() + f"?q={query.replace(' ', '+')}")
        page.wait_for_selector("ul.search li a", timeout=10_000)
        assert wanted in page.locator("ul.search li a").first.get_attribute("href")
    context.close()


def test_the_theme_switch_switches(browser, site):
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto((site / f"{PAGES[1]}.html").as_uri())
    seen = set()
    for _ in range(3):
        seen.add(page.evaluate("document.documentElement.dataset.theme"))
        page.locator("button.theme-switch-button").first.click()
    assert seen == {"light", "dark"}
    context.close()


def test_a_slider_moves_its_figure(browser, site):
    page = browser.new_context(offline=True).new_page()
    movable = [n for n in PAGES if 'class="movable"' in (site / f"{n}.html").read_text("utf-8")]
    assert movable
    page.goto((site / f"{movable[0]}.html").as_uri())
    slider = page.locator(".movable input[type=range]").first
    before = page.locator(".movable").first.inner_html()
    slider.focus()
    slider.press("ArrowRight")
    page.wait_for_timeout(300)
    assert page.locator(".movable").first.inner_html() != before
    page.context.close()
