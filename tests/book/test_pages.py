"""Every page of the built book as a reader has it: in a browser, from the disk, without a network.

`make test` builds the book first; run alone, a book that is older than its sources is built into a
temporary folder. Without Chromium the tests of this file that need one say so and skip.
"""

import re
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from axe_core_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

from tests.book import site as book_site

PAGES = book_site.contents()
SCREEN = 800  # pixels of height, in a window of 1280
# The most screens of a page; 12 for a chapter that is not listed.
BUDGET = {
    "intro": 3,
    "install": 2,
    "glossary": 3,
    "lists": 3,
    "promises": 5,
    "data_cards": 7,
    "point_by_point": 22,
    "ledger": 22,
    "references": 12,
    "should_you_use_it": 6,
    "which_claims_hold": 4,
    "your_data": 9,
    "missing": 6,
    "opponents": 7,
    "push_apart": 10,
    "several": 9,
    "several_labels": 9,
    "views_and_labels": 9,
    "special_cases": 10,
    "false_negatives": 10,
    "unsupervised_bound": 9,
    "supervised_bound": 9,
    "compare_fairly": 8,
    "scene": 7,
    "speech": 11,
    "noisy_mnist": 10,
    "one_view_noise": 10,
    "celeba": 10,
    "cost": 11,
    "add_a_method": 4,
}
EXTENDED, CHAPTER = 8, 12
# Pages not yet rewritten: their heights and captions are not looked at.
PENDING: set[str] = set()

ARTICLE = "document.querySelector('article')"
PROSE = f"""(() => {{
  const copy = {ARTICLE}.cloneNode(true);
  copy.querySelectorAll('pre, code, script, style, mjx-container').forEach(e => e.remove());
  return copy.textContent;
}})()"""
RAW_MATHS = re.compile(r"\$[^$\n]{1,80}\$|\\(?:frac|cdot|sum|tau|log|mathrm|\(|\[)")
WIDE = "document.documentElement.scrollWidth > window.innerWidth"
# A figure drawn by a cell stands in <figure> with a caption; every picture says what it shows.
FIGURES = f"""[...{ARTICLE}.querySelectorAll('div.cell_output img')].map(e => [
  (e.getAttribute('alt') || '').length > 20 && !/^_images/.test(e.getAttribute('alt')),
  Boolean(e.closest('figure')?.querySelector('figcaption')), e.getAttribute('src')])"""
SLIDERS = f"{ARTICLE}.querySelectorAll('.movable input[type=range]').length"
DRAWN = f"[...{ARTICLE}.querySelectorAll('.movable')].map(e => e.querySelector('svg')?.innerHTML)"
CLAIMS = "article table:has(th:has-text('No.')) tr:has(td)"  # rows that the ledger's filter has
# What is opened fades in; half faded, nothing has the contrast that it will have.
SETTLE = """document.getAnimations().filter(
  a => Number.isFinite(a.effect?.getComputedTiming().endTime)).forEach(a => a.finish())"""
AXE = {"resultTypes": ["violations"]}
# A formula is hundreds of elements, which MathJax labels; the theme's own parts are in each page.
WHERE = {"exclude": [["mjx-container"]]}
WHERE_DARK = {"include": [["article"]], "exclude": [["mjx-container"]]}


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    if book_site.is_fresh():
        return book_site.BUILT
    return book_site.build(tmp_path_factory.mktemp("book"))


@pytest.fixture(scope="module")
def window():
    """One window without a network; it keeps what goes wrong in it."""
    path = book_site.browser_path()
    if path is None:
        pytest.skip("no Chromium: apt-get install chromium, or set CHROMIUM to a browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu"]
        )
        context = browser.new_context(viewport={"width": 1280, "height": SCREEN}, offline=True)
        page = context.new_page()
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(f"error: {error}"))
        page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
        page.on("requestfailed", lambda request: faults.append(f"no such file: {request.url}"))
        yield SimpleNamespace(page=page, faults=faults, axe=Axe())
        browser.close()


def look(window, path: Path, query: str = "") -> None:
    window.faults.clear()
    window.page.set_viewport_size({"width": 1280, "height": SCREEN})
    window.page.goto(path.as_uri() + query, wait_until="load")
    window.page.evaluate("window.MathJax?.startup?.promise?.then(() => null)")


def violations(window, context: dict, options: dict) -> list[str]:
    found = window.axe.run(window.page, context, options)["violations"]
    return [
        f"{fault['id']} ({len(fault['nodes'])}): {fault['nodes'][0]['html'][:150]}"
        for fault in found
        if fault["impact"] in ("serious", "critical")
    ]


def budget(name: str) -> float:
    if name.startswith("api/"):
        return float("inf")
    return BUDGET.get(name, EXTENDED if name.startswith("extended") else CHAPTER)


@pytest.mark.parametrize("name", PAGES)
def test_page(built, window, name):
    page, faults = window.page, []
    look(window, built / f"{name}.html")
    raw = RAW_MATHS.findall(page.evaluate(PROSE))
    faults += [f"not typeset: {raw[:3]}"] if raw else []
    faults += ["scrolls sideways at 1280 px"] if page.evaluate(WIDE) else []
    screens = page.evaluate(f"{ARTICLE}.getBoundingClientRect().height") / SCREEN
    if name not in PENDING:
        if screens > budget(name) + 0.05:
            faults.append(f"{screens:.1f} screens, at most {budget(name)}")
        for has_alt, has_caption, src in page.evaluate(FIGURES):
            faults += [] if has_alt else [f"no alt text: {src}"]
            faults += [] if has_caption else [f"no caption: {src}"]

    before = page.evaluate(DRAWN)
    for number in range(page.evaluate(SLIDERS)):
        slider = page.locator(".movable input[type=range]").nth(number)
        was = slider.get_attribute("aria-valuetext")
        slider.press("ArrowLeft" if slider.evaluate("e => e.value === e.max") else "ArrowRight")
        now = slider.get_attribute("aria-valuetext")
        faults += [f"slider {number} stays at {was}"] if was == now else []
    still = [n for n, (a, b) in enumerate(zip(before, page.evaluate(DRAWN), strict=True)) if a == b]
    faults += [f"figures that do not move: {still}"] if still else []

    page.evaluate("document.querySelectorAll('details').forEach(e => { e.open = true; })")
    page.evaluate(SETTLE)
    faults += violations(window, WHERE, AXE)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.evaluate(SETTLE)
    dark = violations(window, WHERE_DARK, AXE | {"runOnly": ["color-contrast"]})
    faults += [f"dark: {fault}" for fault in dark]
    page.set_viewport_size({"width": 390, "height": SCREEN})
    faults += ["scrolls sideways at 390 px"] if page.evaluate(WIDE) else []
    faults += window.faults
    assert not faults, f"{name}:\n" + "\n".join(faults)


def test_the_theme_switch_changes_the_theme(built, window):
    look(window, built / "install.html")
    seen = set()
    for _ in range(3):
        window.page.locator(".theme-switch-button").first.click()
        seen.add(window.page.evaluate("document.documentElement.dataset.mode"))
    assert seen == {"light", "dark", "auto"}


def test_the_ledger_s_filter_shows_the_rows_of_a_verdict_folded_ones_too(built, window):
    look(window, built / "ledger.html")
    page = window.page
    folded = page.locator("details.hc-fold tr:has(td)")
    assert folded.count() > 10 and not any(row.is_visible() for row in folded.all())
    told = page.locator("#claim-search output")
    whole = told.inner_text()
    page.select_option("#claim-choice", "– not run")
    shown = [row for row in page.locator(CLAIMS).all() if row.is_visible()]
    assert told.inner_text().startswith(f"{len(shown)} of ") and len(shown) == folded.count()
    assert all("not run" in row.inner_text() for row in shown)
    page.select_option("#claim-choice", "✗ false")
    assert told.inner_text().startswith("2 of ") and not page.locator("#figures").is_visible()
    page.fill("#claim-words", "Lemma 3.2")
    assert told.inner_text().startswith("1 of ")
    page.fill("#claim-words", "")
    page.select_option("#claim-choice", "")
    assert told.inner_text() == whole and not folded.first.is_visible()


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("false negative", "false_negatives"),
        ("scene", "scene"),
        ("install", "install"),
        ("HeroConClassifier", "api/estimator"),
    ],
)
def test_search_finds_the_page_of_that_name_first(built, window, words, first):
    look(window, built / "search.html", "?q=" + words.replace(" ", "+"))
    window.page.wait_for_selector("#search-results li a", timeout=10_000)
    window.page.wait_for_function("document.querySelector('#search-results p, .search-summary')")
    links = window.page.locator("#search-results li a")
    assert f"{first}.html" in links.first.get_attribute("href")


# ---------------------------------------------------------------- without a browser


@pytest.fixture(scope="module")
def parsed(built) -> dict[Path, book_site.Page]:
    return {
        path.resolve(): book_site.Page(path)
        for path in built.rglob("*.html")
        if "_static" not in path.parts
    }


def test_no_link_is_broken(built, parsed):
    broken = []
    for page in parsed.values():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or link.startswith("#top"):
                continue
            target = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
            if not target.exists():
                broken.append(f"{page.path.name}: {link}")
            elif parts.fragment and target.resolve() in parsed:
                anchors = parsed[target.resolve()].anchors
                if unquote(parts.fragment) not in anchors:
                    broken.append(f"{page.path.name}: {link}")
    assert not broken, "\n".join(sorted(set(broken)))


def test_each_chapter_leads_to_the_glossary_once_a_term(built, parsed):
    """That the entries exist is part of the test above."""
    count = 0
    for name in PAGES:
        links = parsed[(built / f"{name}.html").resolve()].links
        links = [link for link in links if link.startswith("glossary.html#term-")]
        chapter = (book_site.BOOK / f"{name}.ipynb").exists()
        assert len(links) == len(set(links)), (name, links)
        assert links or not chapter, name
        count += len(links)
    assert count > 100


def test_no_page_has_an_id_twice(parsed):
    for page in parsed.values():
        twice = {name: n for name, n in Counter(page.anchors).items() if n > 1}
        assert not twice, (page.path.name, twice)


def test_pages_and_site_are_light(built, parsed):
    for page in parsed.values():
        files = {(page.path.parent / unquote(urlsplit(src).path)).resolve() for src in page.images}
        size = page.path.stat().st_size + sum(f.stat().st_size for f in files if f.is_file())
        assert size < 5e6, (page.path.name, size)
    assert sum(f.stat().st_size for f in built.rglob("*") if f.is_file()) < 50e6


def test_old_addresses_lead_to_today_s_pages(built):
    listed = yaml.safe_load((book_site.BOOK / "_redirects.yml").read_text("utf-8"))
    for old, new in listed.items():
        assert old not in PAGES and new.partition("#")[0] in PAGES, (old, new)
        text = (built / f"{old}.html").read_text("utf-8")
        assert 'http-equiv="refresh"' in text and f'href="{new.partition("#")[0]}.html' in text


def test_each_colab_link_names_a_notebook_and_none_is_there_without_an_address(parsed):
    config = yaml.safe_load((book_site.ROOT / "_config.yml").read_text("utf-8"))
    for page in parsed.values():
        for link in page.links:
            assert "OWNER/REPO" not in link, page.path
            if "colab.research.google.com" in link:
                assert "OWNER/REPO" not in config["repository"]["url"]
                name = link.rpartition("/book/")[2]
                assert name.endswith(".ipynb") and (book_site.BOOK / name).exists(), link


# ---------------------------------------------------------------- the public address


@pytest.mark.parametrize(
    ("configured", "runner", "repository", "base", "colab"),
    [
        ("OWNER/REPO", None, "", "", False),
        ("OWNER/REPO", "Jane/book", "Jane/book", "https://jane.github.io/book/", False),
        ("Jane/book", None, "Jane/book", "https://jane.github.io/book/", True),
        ("Jane/book", "Joe/fork", "Joe/fork", "https://joe.github.io/fork/", True),
    ],
)
def test_links_need_an_address(monkeypatch, configured, runner, repository, base, colab):
    monkeypatch.syspath_prepend(book_site.BOOK / "_ext")
    import address

    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)
    if runner:
        monkeypatch.setenv("GITHUB_REPOSITORY", runner)
    options = {
        "repository_url": address.GITHUB + configured,
        "use_repository_button": True,
        "launch_buttons": {"colab_url": "https://colab.research.google.com"},
    }
    config = SimpleNamespace(html_theme_options=options, html_baseurl="")
    address.set_links(None, config)
    assert options["repository_url"] == (address.GITHUB + repository if repository else "")
    assert options["use_repository_button"] == bool(repository)
    assert bool(options["launch_buttons"]) == colab
    assert config.html_baseurl == base


@pytest.mark.parametrize("base", ["", "https://jane.github.io/book/"])
def test_a_site_map_and_open_graph_need_an_address(monkeypatch, tmp_path, base):
    monkeypatch.syspath_prepend(book_site.BOOK / "_ext")
    import address

    app = SimpleNamespace(
        config=SimpleNamespace(html_baseurl=base, html_title="A book", project=""),
        builder=SimpleNamespace(name="html"),
        outdir=tmp_path,
        env=SimpleNamespace(found_docs={"scene"}),
    )
    page = {"title": "Scene", "body": "<p>What &amp; why.</p>"}
    address.add_tags(app, "scene", "page.html", page, doctree=object())
    address.write_sitemap(app, None)
    assert '<meta name="description" content="What &amp; why.">' in page["metatags"]
    assert (f'property="og:url" content="{base}scene.html"' in page["metatags"]) == bool(base)
    assert ("og:image" in page["metatags"]) == (tmp_path / "sitemap.xml").exists() == bool(base)
    assert not base or f"<loc>{base}scene.html</loc>" in (tmp_path / "sitemap.xml").read_text()
