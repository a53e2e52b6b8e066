"""Another site in the same browser: it can frame, read, load and ask for nothing."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from chromium import Page
from flask.testing import FlaskClient

from inspector_web.access import SECURITY_HEADERS

type Browse = Callable[..., FlaskClient]

PAGE = b"<!doctype html><title>another site</title><body></body>"


class AnotherSite(BaseHTTPRequestHandler):
    """Answers whatever it is asked with one page."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def another_site() -> Iterator[str]:
    """Its address: another port of this machine is another origin."""
    with ThreadingHTTPServer(("127.0.0.1", 0), AnotherSite) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("address", ["/sessions", "/sessions.json", "/nothing", "/static/keys.js"])
@pytest.mark.parametrize(
    ("name", "says"),
    [("X-Frame-Options", "DENY"), ("Content-Security-Policy", "frame-ancestors 'none'")],
)
def test_no_answer_is_framed(browse: Browse, address: str, name: str, says: str) -> None:
    """Refusals and files neither, by browsers old and new."""
    with browse().get(address) as answer:
        assert says in answer.headers[name]


def test_the_policy_lets_nothing_inline_run() -> None:
    """Scripts and styles are files of our own; nothing else is loaded, framed or sent elsewhere."""
    policy = SECURITY_HEADERS["Content-Security-Policy"]
    assert dict(rule.split(" ", 1) for rule in policy.split("; ")) == {
        "default-src": "'none'",
        "style-src": "'self'",
        "script-src": "'self'",
        "img-src": "'self'",
        "connect-src": "'self'",
        "form-action": "'self'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
    }


@pytest.mark.browser
def test_another_site_gets_nothing(page: Page, site: str, another_site: str) -> None:
    """Neither in a frame, nor by asking, nor as a script; a link to it is refused too."""
    page.open(another_site)
    page.value(
        "const frame = document.createElement('iframe');"
        f"frame.src = {json.dumps(f'{site}sessions')};"
        "window.framed = new Promise((done) => { frame.onload = done; });"
        "document.body.append(frame); 1"
    )
    page.value("framed.then(() => 1)")
    assert any("frame-ancestors" in each or "X-Frame" in each for each in page.complaints)
    told = f"fetch({json.dumps(f'{site}sessions.json')}).then(() => 'told', () => 'nothing')"
    assert page.value(told) == "nothing"
    loaded = (
        "new Promise((done) => { const script = document.createElement('script');"
        f"script.src = {json.dumps(f'{site}static/keys.js')};"
        "script.onload = () => done('loaded'); script.onerror = () => done('nothing');"
        "document.body.append(script); })"
    )
    assert page.value(loaded) == "nothing"
    page.value(f"location.href = {json.dumps(f'{site}sessions')}; 1")
    page.until("document.querySelector('h1')?.textContent === '403'")


@pytest.mark.browser
def test_an_inline_script_does_not_run(page: Page, site: str) -> None:
    """Nor a style, nor a handler, should one ever come onto a page."""
    page.open(f"{site}sessions")
    page.value(
        "const made = document.createElement('script'); made.textContent = 'window.ran = 1';"
        "const styled = document.createElement('p'); styled.setAttribute('style', 'color: red');"
        "styled.setAttribute('onclick', 'window.ran = 1'); styled.className = 'styled';"
        "document.querySelector('main').append(made, styled); styled.click(); 1"
    )
    assert page.value("window.ran === undefined")
    assert (
        page.value("getComputedStyle(document.querySelector('.styled')).color") != "rgb(255, 0, 0)"
    )
