"""Two conversations at once with the ``openai`` SDK, which names no session.

``python sdk_client.py BASE_URL``: one goes on by ``previous_response_id``, the other says
everything again, with the items of the answers as they came.
"""

import sys
from typing import Any

from openai import OpenAI


def main() -> None:
    """Runs both, a request of each in turn."""
    client = OpenAI(base_url=sys.argv[1], api_key="sk-dummy", max_retries=2)

    def ask(given: Any, **more: Any) -> Any:
        with client.responses.create(
            model="gpt-5.2-codex", input=given, stream=True, **more
        ) as events:
            (response,) = [event.response for event in events if event.type == "response.completed"]
        return response

    chain = ask([said("Begin.")])
    history: list[Any] = [said("Begin.")]
    whole = ask(history)
    chain = ask([said("Go on.")], previous_response_id=chain.id)
    history += [item.model_dump(exclude_none=True) for item in whole.output]
    history.append(said("Go on."))
    ask(history)
    ask([said("End.")], previous_response_id=chain.id)


def said(text: str) -> dict[str, str]:
    """What the user says, as an item."""
    return {"type": "message", "role": "user", "content": text}


if __name__ == "__main__":
    main()
