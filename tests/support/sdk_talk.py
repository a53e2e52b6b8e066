"""A talk with the ``openai`` SDK, over HTTP and over its WebSocket, run as a command.

``python sdk_talk.py BASE_URL`` prints, as JSON lines, every event as the SDK's object has it, and
the final object of each response. It streams twice over HTTP (plain, and with the SDK's helper
that puts the final response together), and asks two things on one socket.
"""

import json
import sys
import warnings
from collections.abc import Iterator
from typing import Any

from openai import OpenAI
from sdk_client import said

# The SDK opens its socket in a way that the library below it wants to do away with.
warnings.filterwarnings("ignore", message="connect.. must be used as a context manager")


def main() -> None:
    """Holds the talk."""
    with OpenAI(base_url=sys.argv[1], api_key="sk-dummy", max_retries=2) as client:
        for told in (*streamed(client), *put_together(client), *on_socket(client)):
            print(json.dumps(told, ensure_ascii=True), flush=True)


def streamed(client: OpenAI) -> Iterator[Any]:
    """A stream, event by event."""
    with client.responses.create(model="m", input=[said("Begin.")], stream=True) as events:
        yield from (event.model_dump(mode="json") for event in events)


def put_together(client: OpenAI) -> Iterator[Any]:
    """A stream whose final response the SDK puts together itself."""
    with client.responses.stream(model="m", input=[said("Go on.")]) as stream:
        for event in stream:
            yield event.type
        final = stream.get_final_response()
    yield final.model_dump(mode="json")
    yield final.output_text


def on_socket(client: OpenAI) -> Iterator[Any]:
    """Two requests on a WebSocket, the second one going on from the first."""
    with client.responses.connect() as socket:
        previous: dict[str, Any] = {}
        for text in ("Begin.", "End."):
            socket.response.create(model="m", input=[said(text)], **previous)
            for event in socket:
                yield event.model_dump(mode="json")
                if event.type == "response.completed":
                    previous = {"previous_response_id": event.response.id}
                    break


if __name__ == "__main__":
    main()
