"""An inspector that a real browser can open."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from flask import Flask
from werkzeug.serving import WSGIRequestHandler, make_server


class Quiet(WSGIRequestHandler):
    """Logs nothing."""

    def log_request(self, code: object = "-", size: object = "-") -> None:
        pass


@contextmanager
def served(app: Flask) -> Iterator[str]:
    """The address of ``app``, on loopback, until the block ends."""
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Quiet)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
