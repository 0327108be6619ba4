"""Check the built site: every link leads to a page, and axe-core finds nothing on any page.

    mkdocs build --strict --site-dir site
    python scripts/site_check.py site                       # the links
    python scripts/site_check.py site --axe axe.min.js      # also axe-core, in light and dark, wide and narrow

The second needs Chromium with its driver (Debian: chromium, chromium-driver), and the file `axe.min.js` of the npm
package axe-core.
"""

import argparse
import sys
import threading
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlparse

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests" / "support")]

import browser as chromium  # noqa: E402  (of the tests)

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
NO_PAGES = {"404.html"}
"""A page that is served if an address does not exist; its links are absolute."""


class Links(HTMLParser):
    """Collects the addresses in a page, and the places in it that a link can name."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.named: list[str] = []
        self.places: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take in the addresses and the name of an element."""
        values = {name: value for name, value in attrs if value}
        self.named += [values[name] for name in ("href", "src") if name in values and tag != "base"]
        self.places |= {values[name] for name in ("id", "name") if name in values}


def broken(site: Path) -> Iterator[str]:
    """Yield a line for each link inside the site that leads nowhere."""
    pages = {page: Links(page) for page in sorted(site.rglob("*.html"))}
    for page, found in pages.items():
        for link in dict.fromkeys(found.named) if page.name not in NO_PAGES else ():
            address, place = urldefrag(link)
            if urlparse(address).scheme or address.startswith("//"):
                continue
            target = (page.parent / unquote(address)).resolve() if address else page
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file():
                yield f"{page.relative_to(site)}: {link}: no such file"
            elif place and target in pages and unquote(place) not in pages[target].places:
                yield f"{page.relative_to(site)}: {link}: no such place on the page"


class _Silent(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the name in the base class)
        """Say nothing."""


def violations(site: Path, axe: Path) -> Iterator[str]:
    """Yield a line for each kind of finding of axe-core on a page, in light and dark, 1280 and 390 points wide."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Silent, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    pages = [page for page in sorted(site.rglob("*.html")) if page.name not in NO_PAGES]
    script = axe.read_text(encoding="utf-8")
    for dark in (False, True):
        with chromium.browser(dark=dark) as window:
            for width in (1280, 390):
                window.devtools(
                    "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False
                )
                for page in pages:
                    name = page.relative_to(site).as_posix()
                    window.visit(f"http://127.0.0.1:{server.server_port}/{name}")
                    window.run(f"{script}; window.axe = axe;")
                    said = window.run("return axe.run(document, { runOnly: arguments[0] })", RULES)
                    for one in said["violations"]:
                        theme = "dark" if dark else "light"
                        at = one["nodes"][0]["html"][:200]
                        yield f"{name}: {theme}, {width} points: {one['id']}: {one['help']} ({len(one['nodes'])}): {at}"
    server.shutdown()


def main() -> None:
    """Print what is wrong; end with 1 if something is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", type=Path, help="the folder of the site")
    parser.add_argument("--axe", type=Path, metavar="AXE.min.js", help="the script of axe-core")
    given = parser.parse_args()
    site = given.site.resolve()
    found = []
    for line in chain(broken(site), violations(site, given.axe.resolve()) if given.axe else ()):
        print(line, flush=True)
        found.append(line)
    print(f"{len(found)} problems on {len(list(site.rglob('*.html')))} pages")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
