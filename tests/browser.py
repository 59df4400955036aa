"""A headless Chromium for tests, spoken to over a pipe with the DevTools protocol: no driver, no port, no network."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from waiting import PATIENCE

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
SWITCHES = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"),
    *("--no-first-run", "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe"),
)


def find() -> str | None:
    """The browser's path: what LAGCOLOR_BROWSER names, or one of the usual names."""
    return os.environ.get("LAGCOLOR_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page in a browser of its own.

    Attributes
    ----------
    complaints : list of str
        Errors and warnings of the console, exceptions that nobody caught, and blocked or failed loads.
    requests : list of str
        Addresses that were asked for.
    """

    def __init__(self, program: str) -> None:
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self._home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs, self._to = os.pipe()
        self._from, back = os.pipe()
        # The browser reads commands from descriptor 3 and writes answers to 4.
        command = [program, *SWITCHES, f"--user-data-dir={self._home.name}", "about:blank"]
        shell = f'exec "$@" 3<&{theirs} 4>&{back}'
        self._process = subprocess.Popen(
            ["bash", "-c", shell, "browser", *command], pass_fds=(theirs, back), stderr=subprocess.DEVNULL
        )
        os.close(theirs)
        os.close(back)
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self._loaded = False
        target = next(t for t in self.send("Target.getTargets")["targetInfos"] if t["type"] == "page")
        attached = self.send("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """A command, and its answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive(time.monotonic() + PATIENCE)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def open(self, path: Path) -> None:
        """Load a file, and wait until it has been drawn."""
        self.complaints.clear()
        self.requests.clear()
        self._loaded = False
        self.send("Page.navigate", url=path.resolve().as_uri())
        limit = time.monotonic() + PATIENCE
        while not self._loaded:
            self._receive(limit)
        self.settle()

    def settle(self) -> None:
        """Wait until changes have been drawn."""
        self.run(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 60))))"
        )

    def run(self, script: str) -> Any:
        """The value of an expression, as JSON carries it."""
        answer = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def resize(self, width: int, height: int = 900, dark: bool = False, phone: bool = False) -> None:
        """Set the size of the window, and light or dark."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone
        )  # fmt: skip
        self.settle()

    def screenshot(self, path: Path, whole: bool = True) -> Path:
        """A picture of the page, all of it or what the window shows."""
        answer = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(answer["data"]))
        return path

    def close(self) -> None:
        """End the browser."""
        with contextlib.suppress(OSError):
            os.close(self._to)  # it ends when nobody speaks to it
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(10)
        os.close(self._from)
        self._home.cleanup()

    def _receive(self, limit: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._from], [], [], max(0.0, limit - time.monotonic()))
            chunk = os.read(self._from, 1 << 20) if ready else b""
            if not chunk:
                raise RuntimeError("the browser is gone" if ready else "the browser does not answer")
            self._buffer += chunk
        message, _, self._buffer = self._buffer.partition(b"\0")
        event = json.loads(message)
        self._note(event.get("method", ""), event.get("params", {}))
        return event

    def _note(self, method: str, params: dict[str, Any]) -> None:
        if method == "Page.loadEventFired":
            self._loaded = True
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(str(params["exceptionDetails"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(params["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.complaints.append(str(params["args"]))
