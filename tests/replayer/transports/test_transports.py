"""A recording on the other transport, as the scripts before and after say it."""

import pytest
from bent_scripts import bent_script, script

from replayer.transports.bending import over
from wiretape.attempt import Transport
from wiretape.errors import CannotExpress

OLD = "  headers: {session_id: s, user-agent: codex_exec/0.99.0}"
NEW = "  headers: {session-id: s, user-agent: codex_exec/0.169.0}"
UPGRADE = "  headers: {upgrade: websocket, session-id: s, user-agent: codex_exec/0.169.0}"
OLD_UPGRADE = "  headers: {upgrade: websocket, session_id: s, user-agent: codex_exec/0.99.0}"
ASK = '{"input":[{"type":"message","role":"user","content":"hello"}]}'
CREATE = '{"type":"response.create","input":[{"type":"message","role":"user","content":"hello"}]}'
CALL = '{"type":"function_call","call_id":"c","name":"run","arguments":"{}"}'
OUTPUT = '{"type":"function_call_output","call_id":"c","output":"one"}'
GO_ON = f'{{"input":[{{"type":"message","role":"user","content":"hello"}},{CALL},{OUTPUT}]}}'
CALLED = f'  - {{"type":"response.output_item.done","item":{CALL}}}'
DONE = '  - {"type":"response.completed","response":{"id":"r"}}'
BEGUN = '  - {"type":"response.created","response":{"id":"r"}}'
POST = "- request: POST https://api.openai.com/v1/responses"
SOCKET = "- request: websocket https://api.openai.com/v1/responses"
OFFERS = [SOCKET, "  answer: 426", SOCKET, "  connection: 1", "  answer: 426"]
WARM_UP = [
    '  - client: {"type": "response.create", "generate": false, "...": ""}',
    '  - {"type":"response.created","response":{"id":"resp_warm_up"}}',
    '  - {"type":"response.completed","response":{"id":"resp_warm_up"}}',
]


def lines(text: str, transport: Transport) -> list[str]:
    """What is left to read of the bent script: requests and what crosses."""
    found, _ = bent_script(text, [over(transport)])
    spoken = ("    session", "    user-agent", "    upgrade", "  headers:", "  number:")
    return [line for line in found if not line.startswith(spoken)]


def on_socket(*exchanges: str) -> list[str]:
    return lines(script(*exchanges), Transport.WEBSOCKET)


def on_http(*exchanges: str) -> list[str]:
    return lines(script(*exchanges), Transport.HTTP)


def posted(headers: str, body: str, *steps: str) -> list[str]:
    return ["- request: POST /v1/responses", headers, f"  body: {body}", "  steps:", *steps]


def talked(headers: str, *steps: str) -> list[str]:
    return ["- request: websocket /v1/responses", headers, "  steps:", *steps]


def test_a_turn_is_one_socket() -> None:
    """As long as all goes well, requests follow each other on it, each of them whole."""
    assert on_socket(*posted(OLD, ASK, CALLED, DONE), *posted(OLD, GO_ON, DONE)) == [
        SOCKET,
        "  steps:",
        f"  - client: {CREATE}",
        CALLED,
        DONE,
        f'  - client: {{"type":"response.create",{GO_ON[1:]}',
        DONE,
    ]


def test_a_newer_client_warms_its_first_socket() -> None:
    """It is answered, whatever it asks with."""
    assert on_socket(*posted(NEW, ASK, DONE))[2:5] == WARM_UP


@pytest.mark.parametrize(("headers", "sockets"), [(OLD, 2), (NEW, 1)])
def test_a_new_turn_may_need_a_new_socket(headers: str, sockets: int) -> None:
    """Older clients keep none."""
    found = on_socket(*posted(headers, ASK, DONE), *posted(headers, ASK, DONE))
    assert found.count(SOCKET) == sockets


@pytest.mark.parametrize("end", ["server_closed", "reset"])
def test_a_cut_stream_is_a_socket_without_a_close_frame(end: str) -> None:
    """FIN stays FIN, RST stays RST, and the next try has a socket of its own."""
    asked = [*posted(OLD, ASK, BEGUN), f"  end: {end}", *posted(OLD, ASK, DONE)]
    assert on_socket(*asked) == [
        SOCKET,
        "  steps:",
        f"  - client: {CREATE}",
        BEGUN,
        f"  end: {end}",
        SOCKET,
        "  steps:",
        f"  - client: {CREATE}",
        DONE,
    ]


def test_a_stream_that_ends_too_early_is_a_good_close() -> None:
    """Nothing broke, and yet the answer is not whole."""
    assert on_socket(*posted(OLD, ASK, BEGUN))[-2:] == [BEGUN, '  - close: "1000"']


def test_a_status_is_an_error_event() -> None:
    """With its headers, and its error if it has one."""
    refused = [
        *posted(OLD, ASK)[:3],
        '  answer: {status: 429, headers: {retry-after: "1"}}',
        "  steps:",
        '  - chunk: {"error":{"message":"slowly"}}',
    ]
    assert on_socket(*refused)[-1] == (
        '  - {"type":"error","status":429,"error":{"message":"slowly"},'
        '"headers":{"retry-after":"1"}}'
    )


def test_an_error_event_of_a_stream_stays_there() -> None:
    """Over HTTP clients pass it over; on a WebSocket it would end the answer."""
    error = '  - {"type":"error","status":500}'
    assert on_socket(*posted(OLD, ASK, error, DONE))[-2:] == [f"  - client: {CREATE}", DONE]


def test_messages_become_whole_requests() -> None:
    """What goes on from a response, or a warm-up, says what was said before; of the answer what
    every client repeats."""
    output = f'{{"type":"response.create","previous_response_id":"r","input":[{OUTPUT}]}}'
    assert on_http(
        *talked(
            UPGRADE,
            f'  - client: {{"type":"response.create","generate":false,{ASK[1:]}',
            '  - {"type":"response.completed","response":{"id":"w"}}',
            '  - client: {"type":"response.create","previous_response_id":"w","input":[]}',
            CALLED,
            DONE,
            f"  - client: {output}",
            DONE,
        )
    ) == [
        *OFFERS,
        POST,
        "  connection: 1",
        f"  body: {ASK}",
        "  steps:",
        CALLED,
        DONE,
        POST,
        "  connection: 1",
        f"  body: {GO_ON.replace(CALL, looser(CALL))}",
        "  steps:",
        DONE,
    ]


def looser(item: str) -> str:
    """The item as a client may repeat it, with more of its own."""
    whole = '{"type":"function_call","call_id":"c","name":"run","arguments":"{}","...":""}'
    assert item == whole.replace(',"...":""', "")
    return whole


def test_what_is_appended_may_repeat_the_answer() -> None:
    """Then it is not put in a second time."""
    found = on_http(
        *talked(
            OLD_UPGRADE,
            f"  - client: {CREATE}",
            CALLED,
            DONE,
            f'  - client: {{"type":"response.append","input":[{CALL},{OUTPUT}]}}',
            DONE,
        )
    )
    assert f"  body: {GO_ON}" in found


def test_an_error_event_is_a_status() -> None:
    """Its headers are the answer's."""
    error = '{"type":"error","status":429,"error":{"message":"slowly"},"headers":{"retry-after":1}}'
    found = on_http(*talked(UPGRADE, f"  - client: {CREATE}", f"  - {error}"))
    assert found[-7:] == [
        "  answer:",
        "    status: 429",
        "    headers:",
        "      content-type: application/json",
        '      retry-after: "1"',
        "  steps:",
        '  - chunk: {"error":{"message":"slowly"}}',
    ]


@pytest.mark.parametrize(
    ("step", "end"),
    [
        ("  - close: 1011 asleep", ["  end: server_closed"]),
        ('  - close: "1000"', []),
        ("  - {}", ["  end: client_closed"]),
    ],
)
def test_a_close_frame_cuts_the_stream(step: str, end: list[str]) -> None:
    """Unless it is a good one; a client that left leaves again."""
    steps = [f"  - client: {CREATE}", BEGUN, *([] if step == "  - {}" else [step])]
    found = on_http(*talked(UPGRADE, *steps))
    assert found[found.index(BEGUN) + 1 :] == end


def test_a_client_that_asks_for_a_socket_is_sent_on_all_the_same() -> None:
    """What was recorded over HTTP stays, and the refusals stand behind it."""
    asked = on_http(*posted(OLD, ASK, DONE))
    assert asked[0] == POST
    assert asked[-6:] == [SOCKET, "  connection: 1", "  answer: 426"] * 2


def test_what_is_left_after_the_last_word_ends_well() -> None:
    """A failed response is whole, and its body ends, whoever closes the socket."""
    failed = '  - {"type":"response.failed","response":{"error":{"code":"c"}}}'
    steps = [f"  - client: {CREATE}", failed]
    found = on_http(*talked(UPGRADE, *steps), "  end: {how: websocket_closed, side: client}")
    assert found[-1] == failed


def test_tries_before_a_fallback_are_left_out() -> None:
    """On both transports: over HTTP there is nothing to fall back from, and on a WebSocket that
    answers no reason to."""
    asked = script(
        *talked(UPGRADE, f"  - client: {CREATE}", "  - close: 1011 asleep"),
        *posted(NEW, ASK, DONE),
    )
    told = "left out, because the client gave WebSocket up, and asked again over HTTP: "
    for transport in Transport:
        found, sentences = bent_script(asked, [over(transport)])
        assert found[-1] == DONE
        assert not any("asleep" in line for line in found)
        assert sentences[0] == f"{told}exchange 1, message 0"


def test_a_script_need_not_say_what_is_asked() -> None:
    """Whatever it is, it may be asked over the other transport as well; refusals are left out."""
    refused = ["- request: websocket /v1/responses", "  answer: 426"]
    anything = ["- request: POST /v1/responses", "  steps:", BEGUN, DONE]
    text = script(*refused, *anything)
    found, told = bent_script(text, [over(Transport.HTTP)])
    assert found[-5:] == [POST, "  connection: 2", "  steps:", BEGUN, DONE]
    assert told[0].endswith("over the other transport has no counterpart: exchange 1")
    assert on_socket(*refused, *anything) == [SOCKET, "  steps:", '  - client: "any"', BEGUN, DONE]
    again = talked("  headers: {session-id: s}", "  - client: any", BEGUN, DONE)
    assert on_http(*again) == [*OFFERS, POST, "  connection: 1", "  steps:", BEGUN, DONE]


def test_a_session_on_that_transport_stays_as_it_is() -> None:
    """Nothing is written anew."""
    asked = script(*posted(NEW, ASK, DONE))
    recorded, sentences = bent_script(asked, [])
    found, told = bent_script(asked, [over(Transport.HTTP)])
    assert (found[: len(recorded)], told) == (recorded, sentences)


@pytest.mark.parametrize(
    ("exchange", "complaint"),
    [
        (
            ["- request: websocket /v1/responses", "  answer: 400"],
            "exchange 1 was refused, and nothing was asked then",
        ),
        (
            talked(UPGRADE, f"  - client: {CREATE}", "  - binary: x"),
            "exchange 1, message 0 was answered with what is no event (binary), which an event "
            "stream cannot say: replay it as it was recorded.",
        ),
        (
            talked(UPGRADE, f'  - client: {CREATE[:-1]},"previous_response_id":"x"}}'),
            "exchange 1, message 0 goes on from x, which was not said on its socket",
        ),
        (
            talked(UPGRADE, "  - client: {text: hello}"),
            "exchange 1, message 0 is no request",
        ),
    ],
)
def test_what_has_no_counterpart_is_refused(exchange: list[str], complaint: str) -> None:
    """In a sentence that says what, and what to do."""
    with pytest.raises(CannotExpress, match=f"^{complaint.replace('(', '.').replace(')', '.')}"):
        on_http(*exchange)
