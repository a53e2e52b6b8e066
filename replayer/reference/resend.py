"""One recorded request, asked of a live upstream over its own transport; and the shapes of the
two answers.

What the request left out because it had been said before is put back: a live upstream knows
nothing of the recorded conversation.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from replayer.reference.acts import Act, ActKind
from replayer.reference.recorded import RecordedSession, recorded_sessions
from replayer.reference.remembered import own_headers
from replayer.reference.shape import AnswerReader, Shape
from replayer.reference.sockets import Address, SocketWire, Timing
from wiretape.asked import RequestKind
from wiretape.choosing import chosen_sessions
from wiretape.client.events import Item
from wiretape.client.repeating import sent_back
from wiretape.client.wire import Opened, Said, TimedOut, Unreachable
from wiretape.errors import UpstreamError, UsageError
from wiretape.events import ItemDone, parse_event
from wiretape.facts import Headers
from wiretape.jsontext import JsonObject
from wiretape.reconstruct import sessions_of
from wiretape.store_reader import TapeReader
from wiretape.words import printable

PATIENCE: Final = Timing(connect_s=15.0, idle_s=300.0)
"""As long as the documented client waits."""

_ACCEPTED: Final = {ActKind.POST: 200, ActKind.ASK: 101, ActKind.WARM_UP: 101}
_OF_ONE_MESSAGE: Final = frozenset({"type", "input", "previous_response_id"})


@dataclass(frozen=True, slots=True)
class Resent:
    """The two shapes, and the names of what differs between them."""

    act: Act
    recorded: Shape
    live: Shape

    @property
    def differs_in(self) -> list[str]:
        return self.recorded.differs_in(self.live)

    def as_json(self) -> dict[str, Any]:
        """It as data."""
        return {
            "exchange": self.act.exchange.id,
            "message": self.act.message,
            "recorded": asdict(self.recorded),
            "live": asdict(self.live),
            "differs_in": self.differs_in,
        }

    def lines(self) -> Iterator[str]:
        """It for a person."""
        live = asdict(self.live)
        for name, value in asdict(self.recorded).items():
            if name not in self.differs_in:
                yield f"= {name}: {_shown(value)}"
            else:
                recorded, lively = _parted(value, live[name])
                yield f"≠ {name}"
                yield f"    recorded: {_shown(recorded)}"
                yield f"    live:     {_shown(lively)}"


async def resend(
    session: RecordedSession, act: Act, upstream: str, headers: Headers, timing: Timing = PATIENCE
) -> Resent:
    """Asks what ``act`` asked of ``upstream``, with ``headers`` added to the recorded ones.

    Raises:
        UpstreamError: nobody is there.
        UsageError: the request cannot be sent again.
    """
    body = whole_body(session, act)
    said = merged(own_headers(act.exchange.request.headers), headers)
    recorded = AnswerReader(_ACCEPTED[act.kind])
    if act.kind is not ActKind.POST:
        recorded.add(Opened())
    for happening in session.happenings(act):
        if not recorded.is_over:
            recorded.add(happening.what)
    wire = SocketWire(address_of(act, upstream), timing)
    try:
        live = await _live_shape(wire, act, said, body, upstream)
    finally:
        await wire.close()
    return Resent(act, recorded.shape(), live)


async def _live_shape(
    wire: SocketWire, act: Act, headers: Headers, body: JsonObject, upstream: str
) -> Shape:
    reader = AnswerReader(_ACCEPTED[act.kind])
    if act.kind is ActKind.POST:
        what = await wire.post(headers, body, 0)
    else:
        what = await wire.upgrade(headers, 0)
        if isinstance(what, Opened):
            await wire.send({"type": "response.create", **body})
    match what:
        case Unreachable(reason):
            raise UpstreamError(f"{upstream} cannot be reached ({reason}): check the address.")
        case TimedOut():
            raise UpstreamError(f"{upstream} does not answer: check the address.")
    reader.add(what)
    while not reader.is_over:
        reader.add(await wire.receive())
    return reader.shape()


def whole_body(session: RecordedSession, wanted: Act) -> JsonObject:
    """The body of a request with the whole conversation in it.

    Raises:
        UsageError: what it asked is not on the tape as JSON.
    """
    asked: list[Item] = []
    answered: list[Item] = []
    standing: JsonObject = {}
    for act in session.acts:
        body: Any = act.asked.body
        if not isinstance(body, dict):
            continue
        own = {key: value for key, value in body.items() if key not in _OF_ONE_MESSAGE}
        if act.asked.kind is RequestKind.APPEND:
            # It repeats the answer before it, and nothing else of what still stands.
            standing = standing | own
            asked = [*asked, *act.asked.input_items]
        else:
            before = [*asked, *answered] if act.asked.says_only_what_is_new else []
            standing = own
            asked = [*before, *act.asked.input_items]
        if act is wanted:
            return {**standing, "input": asked}
        answered = list(_answered(session, act))
    raise UsageError(
        f"what exchange {wanted.exchange.id} asked is no JSON on this tape: choose another request."
    )


def _answered(session: RecordedSession, act: Act) -> Iterator[Item]:
    for happening in session.happenings(act):
        if isinstance(happening.what, Said):
            event = parse_event(happening.what.text)
            if isinstance(event, ItemDone):
                yield sent_back(event.item)


def address_of(act: Act, upstream: str) -> Address:
    """Where a request goes. ``upstream`` is a base URL; without a path, the recorded one holds.

    Raises:
        UsageError: it is no URL of a server.
    """
    parts = urlsplit(upstream)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(
            f"{upstream!r} is no upstream: give a base URL, like https://api.openai.com/v1."
        )
    path, _, query = act.exchange.request.target.partition("?")
    if parts.path not in ("", "/"):
        path = f"{parts.path.rstrip('/')}/responses"
    post = parts._replace(path=path, query=parts.query or query, fragment="")
    socket = post._replace(scheme="wss" if parts.scheme == "https" else "ws")
    return Address(post.geturl(), socket.geturl())


def merged(recorded: Headers, given: Headers) -> Headers:
    """The recorded headers, with those that are given in the place of their like."""
    names = {name.lower() for name, _ in given}
    return (*(pair for pair in recorded if pair[0].lower() not in names), *given)


def find_request(
    reader: TapeReader, number: int, session: str | None
) -> tuple[RecordedSession, Act]:
    """The last try at the ``number``-th request of a session, as ``wiretape show`` counts.

    Raises:
        UsageError, NoSuchSession: there is no such request, or more than one.
    """
    wanted = () if session is None else (session,)
    sessions = chosen_sessions(sessions_of(reader), wanted, reader.path)
    if len(sessions) > 1:
        raise UsageError(f"{reader.path} has {len(sessions)} sessions: name one with --session.")
    requests = sessions[0].requests if sessions else []
    if not 1 <= number <= len(requests):
        raise UsageError(
            f"there is no request {number} in a session of {len(requests)}: "
            f"`wiretape show {reader.path}` counts them."
        )
    last = requests[number - 1].last
    for recorded in recorded_sessions(reader):
        for act in recorded.acts:
            is_it = act.exchange.id == last.exchange and act.message == last.message
            if is_it and act.kind is not ActKind.UPGRADE:
                return recorded, act
    raise UsageError(
        f"request {number} of {reader.path} asks for no response, or was never sent: "
        "choose another one."
    )


def _parted(one: Any, other: Any) -> tuple[Any, Any]:
    """Two lists, cut to where they differ and one entry before and after; anything else as it is.

    ``…`` stands for what is left out.
    """
    if not isinstance(one, tuple):
        return one, other
    before = _alike(one, other)
    after = _alike(one[before:][::-1], other[before:][::-1])
    first, last = max(before - 1, 0), max(after - 1, 0)
    lead, tail = ("…",) * (first > 0), ("…",) * (last > 0)
    kept_one, kept_other = one[first : len(one) - last], other[first : len(other) - last]
    return (*lead, *kept_one, *tail), (*lead, *kept_other, *tail)


def _alike(one: Sequence[Any], other: Sequence[Any]) -> int:
    """How many entries the two begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _shown(value: Any) -> str:
    text = ", ".join(value) if isinstance(value, tuple) else str(value)
    return printable(text) or "none"
