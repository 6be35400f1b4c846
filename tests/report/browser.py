# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A headless Chromium, driven over its debugging pipe: no network, no other package."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

NAMES = (
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
)
SECONDS = 60  # for any one answer


def find_browser() -> str | None:
    """GANGWAY_BROWSER, or the first that is installed."""
    wanted = os.environ.get("GANGWAY_BROWSER")
    return shutil.which(wanted) if wanted else next(filter(None, map(shutil.which, NAMES)), None)


class BrowserError(Exception):
    pass


class Browser:
    """One page of one browser. `problems` collects what went to the console or wrong, `requests`
    what was loaded."""

    def __init__(self, program: str):
        self._profile = tempfile.mkdtemp(prefix="gangway-browser-")
        to_browser, self._to = os.pipe()
        self._from, from_browser = os.pipe()
        # The browser reads descriptor 3 and writes descriptor 4.
        self._process = subprocess.Popen(
            ["sh", "-c", f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}', program]
            + ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"]
            + ["--no-first-run", "--disable-extensions", "--hide-scrollbars"]
            + ["--disable-dev-shm-usage", f"--user-data-dir={self._profile}", "about:blank"],
            pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._unread = b""
        self._number = 0
        self._session = None
        self._loaded = False
        self.problems: list[str] = []
        self.requests: list[str] = []
        target = self.command("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.command("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network", "Audits"):
            self.command(f"{domain}.enable")

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *_) -> None:
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._to)
        os.close(self._from)
        shutil.rmtree(self._profile, ignore_errors=True)

    def _receive(self, deadline: float) -> dict:
        while b"\0" not in self._unread:
            ready, _, _ = select.select([self._from], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise BrowserError("the browser does not answer")
            part = os.read(self._from, 1 << 20)
            if not part:
                raise BrowserError("the browser ended")
            self._unread += part
        message, self._unread = self._unread.split(b"\0", 1)
        return json.loads(message)

    def _notice(self, message: dict) -> None:
        method, facts = message.get("method"), message.get("params", {})
        if method == "Runtime.consoleAPICalled":
            self.problems.append(f"console: {facts['args']}")
        elif method == "Runtime.exceptionThrown":
            self.problems.append(f"exception: {facts['exceptionDetails']['text']}")
        elif method == "Log.entryAdded":
            self.problems.append(f"{facts['entry']['level']}: {facts['entry']['text']}")
        elif method == "Audits.issueAdded":
            self.problems.append(f"issue: {facts['issue']['code']}")
        elif method == "Network.requestWillBeSent":
            self.requests.append(facts["request"]["url"][:200])
        elif method == "Page.loadEventFired":
            self._loaded = True

    def command(self, method: str, **parameters) -> dict:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + SECONDS
        while True:
            answer = self._receive(deadline)
            if answer.get("id") != self._number:
                self._notice(answer)
            elif "error" in answer:
                raise BrowserError(f"{method}: {answer['error']['message']}")
            else:
                return answer["result"]

    def open(self, page: Path) -> None:
        """Opens a file and waits until it is loaded."""
        self.problems.clear()
        self.requests.clear()
        self._loaded = False
        self.command("Page.navigate", url=page.resolve().as_uri())
        deadline = time.monotonic() + SECONDS
        while not self._loaded:
            self._notice(self._receive(deadline))

    def show(self, width: int, height: int = 800, scheme: str = "light", media: str = "") -> None:
        """As on a screen of that width, or as printed (media: "print")."""
        self.command(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        self.command(
            "Emulation.setEmulatedMedia",
            media=media,
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )

    def evaluate(self, script: str):
        """The value of a script in the page."""
        answer = self.command(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise BrowserError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def screenshot(self, file: Path, top: float = 0, height: float = 0) -> None:
        """Of the whole page, or of a part of it."""
        size = self.command("Page.getLayoutMetrics")["cssContentSize"]
        clip = {
            "x": 0,
            "y": top,
            "width": size["width"],
            "height": height or size["height"],
            "scale": 1,
        }
        data = self.command(
            "Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip
        )["data"]
        file.write_bytes(base64.b64decode(data))

    def pdf(self, file: Path) -> None:
        answer = self.command("Page.printToPDF", printBackground=False, preferCSSPageSize=True)
        file.write_bytes(base64.b64decode(answer["data"]))
