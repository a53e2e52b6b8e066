"""Where a chat request goes and how its answer is handed up (document 000 §3 and §12)."""

import pytest

from wiretape.chat.endpoint import IS_COMPRESSED, consumer, request_path
from wiretape.client.config import WireApi
from wiretape.client.events import Completed, OutputItemDone, OutputTextDelta


def test_3_1_wire_api_has_the_two_spellings_of_a_provider_configuration() -> None:
    """``responses`` and ``chat`` are the values, and no other is known."""
    assert [wire_api.value for wire_api in WireApi] == ["responses", "chat"]
    with pytest.raises(ValueError, match="completions"):
        WireApi("completions")


@pytest.mark.parametrize(
    ("spelled", "path"), [("responses", "responses"), ("chat", "chat/completions")]
)
def test_3_1_the_configured_wire_is_the_one_that_is_asked(spelled: str, path: str) -> None:
    """Each spelling has its own path."""
    assert request_path(WireApi(spelled)) == path


def test_3_2_raw_reasoning_shown_hands_every_event_up_unchanged() -> None:
    """With ``show_raw_agent_reasoning`` the pieces go up, and nothing is added at the end."""
    feed = consumer(show_raw_agent_reasoning=True)
    assert feed(OutputTextDelta("a")) == [OutputTextDelta("a")]
    assert feed(Completed("")) == [Completed("")]


def test_3_2_raw_reasoning_hidden_hands_up_the_whole_only() -> None:
    """Without it the pieces are held, and one message comes with the end."""
    feed = consumer(show_raw_agent_reasoning=False)
    whole = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "a"}],
    }
    assert feed(OutputTextDelta("a")) == []
    assert feed(Completed("")) == [OutputItemDone(whole), Completed("")]


def test_12_1_chat_goes_to_chat_completions() -> None:
    """A chat provider is asked at ``chat/completions``."""
    assert request_path(WireApi.CHAT) == "chat/completions"


def test_12_1_any_other_wire_goes_to_responses() -> None:
    """The branch that the client kept: everything else is asked at ``responses``."""
    assert request_path(WireApi.RESPONSES) == "responses"


def test_12_2_requests_are_never_compressed() -> None:
    """The chat wire asks for no request compression."""
    assert IS_COMPRESSED is False


def test_12_3_each_turn_has_its_own_aggregation() -> None:
    """Text held back for one turn never shows in another."""
    first, second = (consumer(show_raw_agent_reasoning=False) for _ in range(2))
    first(OutputTextDelta("mine"))
    assert second(Completed("")) == [Completed("")]
