"""Serves the app on one address until it is told to stop."""

import signal
import socket
import threading
from collections.abc import Callable
from typing import Any

from flask import Flask
from werkzeug.serving import WSGIRequestHandler, make_server

from wiretape.errors import ListenError


class _QuietHandler(WSGIRequestHandler):
    """Logs no requests, as an address may hold the token, and tells nobody which versions of what
    answer."""

    def version_string(self) -> str:
        return "wiretape"

    def log_request(self, code: Any = "-", size: Any = "-") -> None:
        pass


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens on the address; port 0 is any free one.

    Raises:
        ListenError: it cannot be listened on.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, address = found[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen()
        except OSError:
            listener.close()
            raise
    except OSError as error:
        raise ListenError(
            f"{host}:{port} cannot be listened on ({error.strerror}): "
            "choose another address with --listen, or port 0 for a free one."
        ) from error
    return listener


def usual_listener(host: str, port: int) -> socket.socket:
    """A socket that listens there, or on a free port where that one is taken.

    Raises:
        ListenError: the address cannot be listened on at all.
    """
    try:
        return listening(host, port)
    except ListenError:
        return listening(host, 0)


def serve(app: Flask, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Answers until SIGINT, SIGTERM or SIGHUP; ``ready`` is called once it does."""
    host, port = listener.getsockname()[:2]
    server = make_server(
        host, port, app, threaded=True, request_handler=_QuietHandler, fd=listener.fileno()
    )
    # The server has a descriptor of its own.
    listener.close()
    # Blocked before there are threads, which inherit it: a signal can only arrive at sigwait().
    signals = {signal.SIGINT, signal.SIGTERM}
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as nohup has it
        signals.add(signal.SIGHUP)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        thread = threading.Thread(target=server.serve_forever, args=(0.1,), name="inspector")
        thread.start()
        ready()
        signal.sigwait(signals)
        server.shutdown()
        thread.join()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
