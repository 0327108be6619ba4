"""Make the report of README's example, its picture, and check the page with axe-core.

    python scripts/report_page.py                          # docs/images/report.png
    python scripts/report_page.py --axe axe.min.js         # also axe-core, in light and dark, wide and narrow

It needs Chromium with its driver (Debian: chromium, chromium-driver), and for the check the file `axe.min.js` of the
npm package axe-core. The commands are those of README.md, so the picture shows the numbers that README shows.
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import browser as chromium  # noqa: E402  (of the tests)

PICTURE = ROOT / "docs" / "images" / "report.png"
WIDTH, HEIGHT = 1280, 970
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def example_commands() -> list[list[str]]:
    """Return the two commands of README's example that writes a report: perturb, then evaluate."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"^augment-ru perturb .*\n^augment-ru evaluate .* -o report.json .*$", text, re.MULTILINE)
    if not found:
        raise SystemExit("README.md has no example of perturb and evaluate")
    return [shlex.split(line) for line in found[0].splitlines()]


def example_report(folder: Path) -> Path:
    """Make the page of README's example in a folder; it has no date, so that its bytes are always the same."""
    (folder / "examples").symlink_to(ROOT / "examples")
    for command in example_commands():
        dated = ["--date", "none", "--cache", "none"] if command[1] == "evaluate" else []
        subprocess.run(
            [sys.executable, "-m", "augment_ru", *command[1:], *dated],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            check=True,
            capture_output=True,
        )
    return folder / "report.html"


def viewport(window: chromium.Browser, width: int, height: int) -> None:
    """Show the page with this width and height in points; it may be narrower than a window can be."""
    window.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)


def violations(page: Path, axe: Path) -> list[dict[str, Any]]:
    """Return the findings of axe-core on a page in light and dark, 1280 and 390 points wide, with all parts opened."""
    found: list[dict[str, Any]] = []
    for dark in (False, True):
        with chromium.browser(dark=dark) as window:
            for width in (1280, 390):
                viewport(window, width, 900)
                window.open(page)
                window.run(
                    "for (const one of document.querySelectorAll('details')) one.open = true;"
                    "for (const one of [...document.querySelectorAll('.example > button')].slice(0, 3)) one.click();"
                )
                window.run(f"{axe.read_text(encoding='utf-8')}; window.axe = axe;")
                said = window.run("return axe.run(document, { runOnly: arguments[0] })", RULES)
                found += [
                    {
                        "dark": dark,
                        "width": width,
                        "rule": one["id"],
                        "help": one["help"],
                        "at": one["nodes"][0]["html"],
                    }
                    for one in said["violations"]
                ]
    return found


def main() -> None:
    """Make the picture; with --axe check the page, or other pages, and end with 1 if something is found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--axe", type=Path, metavar="AXE.min.js", help="the script of axe-core")
    parser.add_argument("pages", nargs="*", type=Path, metavar="PAGE.html", help="check these in place of the example")
    given = parser.parse_args()
    if not chromium.AVAILABLE:
        raise SystemExit("needs chromium and chromedriver")
    with tempfile.TemporaryDirectory() as folder:
        pages = given.pages or [example_report(Path(folder))]
        if not given.pages:
            with chromium.browser() as window:
                viewport(window, WIDTH, HEIGHT)
                window.open(pages[0])
                PICTURE.parent.mkdir(exist_ok=True)
                window.picture(PICTURE)
            print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size:,} bytes")
        found = (
            [{"page": page.name, **one} for page in pages for one in violations(page, given.axe)] if given.axe else []
        )
    for one in found:
        print(json.dumps(one, ensure_ascii=False))
    if given.axe:
        print(f"axe-core: {len(found)} violations on {len(pages)} pages, in light and dark, 1280 and 390 points wide")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
