"""The bend that puts a recording on the other transport."""

from collections import defaultdict
from dataclasses import dataclass, replace

from replayer.bends.telling import TellingBend
from replayer.transports.fallback import LeftOut, left_out, sentences
from replayer.transports.offers import without_sockets
from replayer.transports.reading import is_for_a_response, tries_of
from replayer.transports.sockets import sockets
from replayer.transports.streams import posts
from replayer.transports.tries import Try
from wiretape.asked import asked_by_upgrade
from wiretape.attempt import Transport
from wiretape.errors import CannotExpress
from wiretape.recording import Place, Recording, WholeExchange, numbered


def over(transport: Transport) -> TellingBend:
    """The bend by which everything is asked and answered over ``transport``.

    A session that used no other is left as it was recorded. A client that asks for WebSockets
    is sent on to HTTP, whichever the recorded one asked for.

    Raises, when it is done:
        CannotExpress: something has no counterpart there.
    """
    return TellingBend(
        lambda recording: _laid_out(recording, transport).recording,
        lambda recording: _laid_out(recording, transport).told,
    )


@dataclass(frozen=True, slots=True)
class _LaidOut:
    recording: Recording
    told: tuple[str, ...]


def before_a_fallback(recording: Recording) -> tuple[set[Place], list[str]]:
    """What a client would not have tried that had no WebSockets from the beginning, and that in
    words.

    Raises:
        CannotExpress: what was asked or answered is nothing that both transports know.
    """
    asked = [each for each in recording.exchanges if is_for_a_response(each)]
    if len({each.request.is_upgrade for each in asked}) < 2:
        return set(), []
    missing: dict[Try, LeftOut] = {}
    for tries in _by_session(recording).values():
        missing |= left_out(tries)
    return {(each.exchange.id, each.message) for each in missing}, list(sentences(missing))


def _by_session(recording: Recording) -> dict[str | None, list[Try]]:
    sessions: dict[str | None, list[Try]] = defaultdict(list)
    for each in tries_of(recording):
        sessions[each.session].append(each)
    return sessions


def _laid_out(recording: Recording, transport: Transport) -> _LaidOut:
    asked = [each for each in recording.exchanges if is_for_a_response(each)]
    if all(each.request.is_upgrade is (transport is Transport.WEBSOCKET) for each in asked):
        on_http = transport is Transport.HTTP
        return _LaidOut(without_sockets(recording) if on_http else recording, ())
    moving = {
        session: tries
        for session, tries in _by_session(recording).items()
        if any(each.transport is not transport for each in tries)
    }
    moved: list[WholeExchange] = []
    missing: dict[Try, LeftOut] = {}
    for tries in moving.values():
        missing |= (without := left_out(tries))
        kept = [each for each in tries if each not in without]
        if not kept:
            raise CannotExpress(
                f"{tries[-1].place} was refused, and nothing was asked then, so there is nothing "
                "that could be asked over HTTP: replay it as it was recorded."
            )
        moved += sockets(kept) if transport is Transport.WEBSOCKET else posts(tries, kept)
    gone = {each.exchange.id for tries in moving.values() for each in tries}
    gone |= {each.id for each in asked if each.request.is_upgrade and _session(each) in moving}
    stays = [each for each in recording.exchanges if each.id not in gone]
    ordered = sorted([*stays, *moved], key=lambda each: (each.request.at_us, each.id))
    numbers = [each.id for each in ordered]
    exchanges = tuple(ordered) if numbers == sorted(set(numbers)) else numbered(ordered)
    return _LaidOut(replace(recording, exchanges=exchanges), tuple(sentences(missing)))


def _session(upgrade: WholeExchange) -> str | None:
    return asked_by_upgrade(upgrade.request.headers).session
