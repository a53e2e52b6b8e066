"""A small client, run as a command: asks what its argument says and prints what it was told.

The argument is JSON: a list of ``[method, url, body]``, and ``[\"SOCKET\", url, [message, …]]``.
It reaches hosts as any program does: through the proxy and with the certificates of its
environment. Prints a JSON list with a status and a text for each, ``null`` where no whole
response x
"""

import json
import os
import sys
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Any

JSON = {"Content-Type": "application/json"}


def ask(method: str, url: str, body: Any) -> list[Any]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, JSON if data else {}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            return [response.status, response.read().decode()]
    except urllib.error.HTTPError as error:
        with error:
            return [error.code, error.read().decode()]
    except (OSError, HTTPException) as error:
        return [None, str(error)]


def talk(url: str, messages: list[Any]) -> list[Any]:
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import connect

    heard: list[Any] = []
    with connect(url) as socket:
        try:
            for message in messages:
                socket.send(json.dumps(message))
                heard.append(socket.recv())
        except ConnectionClosed:
            heard.append(None)
    return [101, heard]


def main() -> None:
    answers = [
        talk(url, body) if method == "SOCKET" else ask(method, url, body)
        for method, url, body in json.loads(sys.argv[1])
    ]
    print(json.dumps(answers), flush=True)
    sys.exit(int(os.environ.get("EXIT_CODE", "0")))


if __name__ == "__main__":
    main()
