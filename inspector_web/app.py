"""The Flask app: its tapes, its filters, who may look, and how it refuses."""

from pathlib import Path
from typing import Final
from urllib.parse import quote, urlencode

from flask import Flask, Response, jsonify, redirect, render_template, request
from flask.json.provider import DefaultJSONProvider
from werkzeug.exceptions import HTTPException, InternalServerError
from werkzeug.wrappers import Response as AnyResponse

from inspector_web import reader
from inspector_web.access import SECURITY_HEADERS, Access, holds_token, refusal
from inspector_web.addresses import BadAddress, Number
from inspector_web.filters import FILTERS, shown
from inspector_web.library import Library
from inspector_web.shelf import PATIENCE_S, Shelf, StillReading
from inspector_web.shortened import shortened
from inspector_web.twins import error_twin
from inspector_web.views import pages
from wiretape.errors import NoSuchSession, TapeMissing, UsageError, WiretapeError

TAPE_MARK: Final = "Wiretape-Tape"
"""The header that names the tape of an answer, so that no page is put together out of two."""


def create_app(
    library: Library,
    access: Access,
    indexes: Path | None = None,
    patience_s: float = PATIENCE_S,
) -> Flask:
    """The app that shows the tapes of ``library`` to whom ``access`` lets in.

    Their indexes are kept in the folder ``indexes``, else as long as the app. An answer waits
    ``patience_s`` for a tape to be read.
    """
    app = Flask(__name__)
    # Every text that a template writes is made safe to read.
    app.jinja_options = {"finalize": shown, "trim_blocks": True, "lstrip_blocks": True}
    app.json = twins = DefaultJSONProvider(app)
    twins.sort_keys = False
    app.jinja_env.filters.update(FILTERS)
    reader.attach(app, library, Shelf(indexes, patience_s))
    app.url_map.converters["int"] = Number
    app.register_blueprint(pages)
    app.register_blueprint(shortened)
    app.register_error_handler(WiretapeError, _refused)
    app.register_error_handler(HTTPException, _failed)
    app.register_error_handler(StillReading, _still_reading)

    @app.before_request
    def check() -> AnyResponse | None:
        token = request.args.get("token")
        if access.token is not None and token is not None and holds_token(access, token):
            found = refusal(access, dict(request.headers), token)
            return _answer(found.status, found.sentence) if found else _admitted(access, token)
        found = refusal(access, dict(request.headers), request.cookies.get(access.cookie))
        return _answer(found.status, found.sentence) if found else None

    @app.after_request
    def secure(response: Response) -> Response:
        for name, value in SECURITY_HEADERS.items():
            response.headers.setdefault(name, value)
        mark = reader.mark()
        if mark is not None:
            response.headers[TAPE_MARK] = mark
        return response

    return app


def _admitted(access: Access, token: str) -> AnyResponse:
    """Keeps the token in a cookie and takes it out of the address."""
    response = redirect(_address(request.path, leave_out="token"))
    response.set_cookie(access.cookie, token, httponly=True, samesite="Strict", path="/")
    return response


def _address(path: str, leave_out: str | None = None) -> str:
    """That path here, with what the address asks for but for one name."""
    rest = [(key, value) for key, value in request.args.items(multi=True) if key != leave_out]
    # One slash only: two would make the rest the name of another host.
    quoted = quote("/" + path.lstrip("/"))
    return f"{quoted}?{urlencode(rest)}" if rest else quoted


def _refused(error: WiretapeError) -> AnyResponse:
    if isinstance(error, BadAddress):
        return _answer(400, str(error))
    is_missing = isinstance(error, TapeMissing | NoSuchSession | UsageError)
    return _answer(404 if is_missing else 422, str(error))


def _still_reading(error: StillReading) -> AnyResponse:
    response: AnyResponse
    if request.path.endswith(".json"):
        response = _answer(503, str(error))
    else:
        tape = (request.view_args or {}).get("tape", "")
        text = render_template("reading.html", tape=tape, sentence=str(error), share=error.share)
        response = Response(text, 503)
    # The page asks again by itself, a script or not.
    response.headers["Refresh"] = response.headers["Retry-After"] = "1"
    return response


def _failed(error: HTTPException) -> AnyResponse:
    if isinstance(error, InternalServerError):
        return _answer(500, "the inspector failed here: what went wrong is on its terminal.")
    status = error.code or 500
    if status == 404 and request.path.endswith("/") and not request.path.endswith(".json/"):
        # No address ends so; a page may still be at the one without it.
        return redirect(_address(request.path.rstrip("/")), 308)
    response = _answer(status, _SENTENCES.get(status, error.description or error.name))
    if status == 405:
        response.headers["Allow"] = "GET, HEAD"
    return response


_SENTENCES = {
    404: "there is no such page: the list of sessions leads to those there are.",
    405: "the inspector only shows: it answers GET and HEAD.",
}


def _answer(status: int, sentence: str) -> AnyResponse:
    """The one shape of an error, as the address asks for it."""
    if request.path.endswith(".json"):
        response = jsonify(error_twin(status, sentence))
    else:
        response = Response(render_template("error.html", status=status, sentence=sentence))
    response.status_code = status
    return response
