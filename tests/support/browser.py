"""A headless Chromium, driven through chromedriver by the WebDriver protocol; it can do what the tests need."""

import base64
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
AVAILABLE = bool(BROWSER and DRIVER)

_OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--disable-dev-shm-usage",
    "--force-prefers-reduced-motion",
)
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    """A window of the browser."""

    def __init__(self, port: int, *, dark: bool = False) -> None:
        options = [*_OPTIONS, *(["--blink-settings=preferredColorScheme=0"] if dark else [])]
        wanted = {
            "goog:chromeOptions": {"binary": BROWSER, "args": options},
            "goog:loggingPrefs": {"browser": "ALL"},
        }
        self._at = f"http://127.0.0.1:{port}"
        made = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self._at += f"/session/{made['sessionId']}"

    def _call(self, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401  (the protocol's values)
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self._at}{path}", data, {"Content-Type": "application/json"}, method=method)  # noqa: S310  (our own driver)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()) from error

    def open(self, page: Path) -> None:
        """Load a file, and wait until its script is done."""
        self.visit(page.resolve().as_uri())
        for _ in range(200):
            if self.run("return document.body && document.body.dataset.ready") == "yes":
                return
            time.sleep(0.05)
        raise AssertionError(f"the page did not draw itself: {self.complaints()}")

    def visit(self, address: str) -> None:
        """Load a page, and wait until it is loaded."""
        self._call("POST", "/url", {"url": address})

    def size(self, width: int, height: int) -> None:
        """Set the size of the window."""
        self._call("POST", "/window/rect", {"width": width, "height": height})

    def devtools(self, command: str, **parameters: object) -> Any:  # noqa: ANN401
        """Run a command of the DevTools protocol, and return its result."""
        return self._call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def run(self, script: str, *arguments: object) -> Any:  # noqa: ANN401
        """Run a script, and return its result."""
        return self._call("POST", "/execute/sync", {"script": script, "args": arguments})

    def all(self, selector: str) -> list[str]:
        """Return the texts of the elements."""
        found: list[str] = self.run(
            "return [...document.querySelectorAll(arguments[0])].map(one => one.textContent)", selector
        )
        return found

    def choose(self, name: str, text: str) -> None:
        """Choose an entry of a select by its text."""
        self.run(
            "const box = document.getElementById(arguments[0]);"
            "const one = [...box.options].find(option => option.textContent === arguments[1]);"
            "if (!one) throw new Error('no entry ' + arguments[1]);"
            "box.value = one.value; box.dispatchEvent(new Event('change'));",
            name,
            text,
        )

    def click(self, selector: str) -> None:
        """Click an element as a person would."""
        found = self._call("POST", "/element", {"using": "css selector", "value": selector})
        self._call("POST", f"/element/{found[_ELEMENT]}/click", {})

    def write(self, selector: str, text: str) -> None:
        """Type into a field."""
        found = self._call("POST", "/element", {"using": "css selector", "value": selector})
        self._call("POST", f"/element/{found[_ELEMENT]}/value", {"text": text})

    def complaints(self) -> list[str]:
        """Return the messages of the browser's console, including errors and refusals."""
        return [str(entry["message"]) for entry in self._call("POST", "/se/log", {"type": "browser"})]

    def picture(self, path: Path) -> None:
        """Save a screenshot."""
        path.write_bytes(base64.b64decode(self._call("GET", "/screenshot")))

    def close(self) -> None:
        """Close the window."""
        self._call("DELETE", "")


@contextmanager
def browser(*, dark: bool = False) -> Iterator[Browser]:
    """Open a window, and close it at the end of the block."""
    assert DRIVER
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    driver = subprocess.Popen([DRIVER, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        window = Browser(port, dark=dark)
        try:
            yield window
        finally:
            window.close()
    finally:
        driver.terminate()
        driver.wait(10)
