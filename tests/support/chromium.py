"""Drives a headless Chromium by its own debugging protocol: one page, no other library.

It starts with a profile of its own and ends with the ``with`` block. Nothing is loaded from
anywhere but the address that a test opens.
"""

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from websockets.sync.client import ClientConnection, connect

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_PATIENCE_S = 30.0
_LEFT = "navigated or closed"
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
)


def chromium() -> str | None:
    """The Chromium of this machine, if it has one."""
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


@contextmanager
def opened_page(binary: str) -> Iterator["Page"]:
    """A page of a Chromium of its own, which ends with the context."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
        subprocess.Popen(
            [binary, *_FLAGS, f"--user-data-dir={profile}", "about:blank"],
            env=os.environ | {"HOME": profile, "XDG_CONFIG_HOME": profile},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process,
    ):
        try:
            # Between tests nobody reads what a page says, and the answer to a ping waits behind it.
            address = _address(Path(profile), process)
            with connect(address, max_size=None, ping_interval=None) as socket:
                page = Page(socket)
                yield page
                page.call("Browser.close")
                process.wait(_PATIENCE_S)
        finally:
            process.kill()


def _address(profile: Path, process: "subprocess.Popen[bytes]") -> str:
    """Where the page can be told what to do, once the browser says so."""
    said = profile / "DevToolsActivePort"
    deadline_s = time.monotonic() + _PATIENCE_S
    while not (said.is_file() and said.read_text().count("\n")):
        assert process.poll() is None, "Chromium did not start"
        assert time.monotonic() < deadline_s, "Chromium does not say where it listens"
        time.sleep(0.02)
    port = said.read_text().split("\n")[0]
    targets = httpx.get(f"http://127.0.0.1:{port}/json", trust_env=False).json()
    address = next(each for each in targets if each["type"] == "page")["webSocketDebuggerUrl"]
    assert isinstance(address, str)
    return address


class Page:
    """One page of a headless Chromium. ``complaints`` is what its console said."""

    def __init__(self, socket: ClientConnection) -> None:
        self.complaints: list[str] = []
        self._socket = socket
        self._calls = 0
        self._runs_scripts = True
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> Any:
        """Calls a method of the protocol and gives its result."""
        message = self._ask(method, **parameters)
        assert "error" not in message, message
        return message["result"]

    def open(self, address: str, *, width: int = 1200, theme: str = "light") -> None:
        """Opens an address in a window of that width, and waits until it is loaded."""
        self.look(width, theme)
        self.call("Page.navigate", url=address)
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'")

    def look(self, width: int, theme: str) -> None:
        """Makes the window so wide, and the page light or dark."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=False,
        )
        feature = {"name": "prefers-color-scheme", "value": theme}
        self.call("Emulation.setEmulatedMedia", features=[feature])

    def value(self, expression: str) -> Any:
        """The value of a JavaScript expression, its promise awaited."""
        found = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    @contextmanager
    def without_scripts(self) -> Iterator[None]:
        """Runs no script of a page, as somebody has it who switched them off."""
        self._runs_scripts = False
        self.call("Emulation.setScriptExecutionDisabled", value=True)
        try:
            yield
        finally:
            self.call("Emulation.setScriptExecutionDisabled", value=False)
            self._runs_scripts = True

    def press(self, key: str) -> None:
        """Presses and releases a key: a character, or a name like ``Enter``."""
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        down: dict[str, Any] = {"type": "keyDown", "key": key}
        self.call("Input.dispatchKeyEvent", **(down | {"text": text} if text else down))
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def until(self, expression: str) -> None:
        """Waits until a JavaScript expression is true, on this page or the one that follows."""
        if not self._runs_scripts:
            # No promise is kept and no frame is called, so this side asks again and again.
            deadline_s = time.monotonic() + _PATIENCE_S
            while not self.value(f"Boolean({expression})"):
                assert time.monotonic() < deadline_s, expression
                time.sleep(0.02)
            return
        looks = (
            "new Promise(done => { const look = () => "
            f"({expression}) ? done(true) : requestAnimationFrame(look); look(); }})"
        )
        while True:
            message = self._ask("Runtime.evaluate", expression=looks, awaitPromise=True)
            # A page that is left takes what was asked of it along.
            if _LEFT not in message.get("error", {}).get("message", ""):
                break
        assert "exceptionDetails" not in message["result"], message

    def _ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._calls += 1
        self._socket.send(json.dumps({"id": self._calls, "method": method, "params": parameters}))
        while (message := self._receive()).get("id") != self._calls:
            pass
        return message

    def _receive(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self._socket.recv(timeout=_PATIENCE_S))
        match message.get("method"):
            case "Runtime.exceptionThrown" | "Log.entryAdded" | "Runtime.consoleAPICalled":
                self.complaints.append(json.dumps(message["params"]))
        return message
