"""Print the whole book to _build/herocon.pdf: one page of HTML, as Chromium draws it.

Formulas are MathJax's and figures are as on the screen; TeX is not needed.
"""

import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[2]
OUTPUT = ROOT / "_build" / "herocon.pdf"
MARGIN = {"top": "18mm", "bottom": "18mm", "left": "16mm", "right": "16mm"}
# Side bars and buttons are for screens. Proofs and numbers are printed open, folded code is not.
PRINTED = """
document.querySelectorAll('details:not(.hide)').forEach(e => { e.open = true; });
document.querySelectorAll('.bd-sidebar, .bd-header-article, footer, .prev-next-footer')
  .forEach(e => e.remove());
const style = document.head.appendChild(document.createElement('style'));
style.textContent = 'pre { white-space: pre-wrap !important; } * { animation: none !important; }';
"""
SCALE = 0.75  # as wide as a page on the screen


def main() -> None:
    browser = shutil.which("chromium")
    if browser is None:
        raise SystemExit("no Chromium: apt-get install chromium")
    program = Path(sys.executable).with_name("jupyter-book")  # the package has no __main__
    command = [program, "build", "book", "--builder", "singlehtml"]
    subprocess.run(command, cwd=ROOT, check=True)
    page = next((ROOT / "_build" / "singlehtml").glob("i*.html"))
    with sync_playwright() as playwright:
        window = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        tab = window.new_page()
        tab.set_default_timeout(600_000)
        tab.goto(page.as_uri())
        tab.evaluate("window.MathJax?.startup?.promise?.then(() => null)")
        tab.evaluate(PRINTED)
        layout = {"format": "A4", "margin": MARGIN, "scale": SCALE}
        tab.pdf(path=OUTPUT, outline=True, tagged=True, **layout)
        window.close()
    print("printed", OUTPUT.relative_to(ROOT))


if __name__ == "__main__":
    main()
