"""What every page of a session says at its top, and a line of the list of sessions."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from inspector_web.health import Chip, Verdict, chips_of, verdict_of
from inspector_web.overview import Overview
from inspector_web.pages.finding import FindingHead, finding_heads
from inspector_web.shell import recorded_command
from inspector_web.visible import one_line
from wiretape.attempt import Attempt, Transport
from wiretape.sessions import Session


@dataclass(frozen=True, slots=True)
class Tokens:
    """What all responses of a session, or of a part of it, say that they cost: those of warm-ups
    and of failed attempts too.

    ``cached`` is a part of ``input``, ``reasoning`` of ``output``. ``told_by`` counts the
    attempts that it is known of, out of all ``attempts``.
    """

    input: int
    cached: int
    output: int
    reasoning: int
    total: int
    told_by: int
    attempts: int


@dataclass(frozen=True, slots=True)
class SessionHead:
    """A session in short. ``number`` counts from 1 on its tape; ``id`` is the client's own.

    ``client`` is its user agent, else the name of the recorded command. ``words`` are the person's
    first. It begins (``at_us``) with its first exchange. ``tokens`` is ``None`` where no response
    told any. ``silence_us`` is how long its longest silence was, if it had one that counts as long;
    that is not known, and ``verdict`` knows no findings, until the tape is diagnosed.
    ``replay_of`` is the name of the recording that its tape replays, ``agent`` what it does as a
    sub-agent of the session ``parent`` (``parent_number`` where that is on this tape). ``faults``
    are those that were asked for in a replay, ``findings`` what was found, in short.
    """

    tape: str
    number: int
    id: str | None
    words: str
    client: str | None
    model: str | None
    started_at_us: int
    at_us: int
    duration_us: int
    turns: int
    requests: int
    warm_ups: int
    attempts: int
    events: int
    transports: tuple[Transport, ...]
    tokens: Tokens | None
    silence_us: int | None
    chips: tuple[Chip, ...]
    verdict: Verdict
    replay_of: str | None
    agent: str | None
    parent: str | None
    parent_number: int | None
    faults: tuple[str, ...]
    findings: tuple[FindingHead, ...]

    @property
    def tape_started_at_us(self) -> int:
        """When its tape began, from which all its times count."""
        return self.started_at_us - self.at_us

    @property
    def has_findings(self) -> bool:
        return bool(self.findings)

    @property
    def texts(self) -> tuple[str, ...]:
        """All that a person may know it by: what it is called, and how it is told to have gone."""
        named = (self.words, self.client, self.model, self.id, self.tape)
        kin = (self.replay_of, self.agent, *self.faults)
        told = (
            self.verdict.text,
            *(chip.text for chip in self.chips),
            *(each.text for each in self.findings),
        )
        return tuple(text for text in (*named, *kin, *told) if text)

    @property
    def client_name(self) -> str:
        """The first word of the user agent, which names the program and its version."""
        return one_line((self.client or "unknown client").partition(" ")[0], 60)


@lru_cache(maxsize=2000)
def heads_of(tape: str, overview: Overview) -> tuple[SessionHead, ...]:
    """The sessions of a tape; ``tape`` is its name."""
    return tuple(
        _head(tape, overview, number, session)
        for number, session in enumerate(overview.sessions, start=1)
    )


def head_of(tape: str, overview: Overview, number: int) -> SessionHead:
    """The session of that number.

    Raises:
        NoSuchSession: the tape has none.
    """
    overview.session(number)
    return heads_of(tape, overview)[number - 1]


def _head(tape: str, overview: Overview, number: int, session: Session) -> SessionHead:
    told = overview.told_of(number)
    findings = None if overview.told is None else [each.finding for each in told]
    silence_us = overview.details_of(number).silence_us
    source = overview.label.source
    parents = (each.number for each in overview.sessions if each.id == session.parent)
    return SessionHead(
        tape,
        number,
        session.id,
        overview.words[number - 1],
        session.client or _program(overview),
        None if session.model is None else one_line(session.model, 60),
        overview.label.started_at_us + session.at_us,
        session.at_us,
        session.until_us - session.at_us,
        len(session.turns),
        len(session.requests),
        session.warm_ups,
        len(session.tries),
        session.events,
        tuple(session.transports),
        tokens_of(each.attempt for each in session.tries),
        silence_us,
        chips_of(session, len(overview.gaps_in(session)), findings, silence_us),
        verdict_of(session, findings, overview.faults),
        None if source is None else one_line(Path(source).stem, 60),
        session.agent,
        session.parent,
        None if session.parent is None else next(parents, None),
        tuple(json.loads(overview.label.faults or "[]")),
        finding_heads(told),
    )


def _program(overview: Overview) -> str | None:
    """The command that was recorded, by its name: what a client is called that does not say."""
    words = recorded_command(overview.label.command)
    return Path(words[0]).name if words else None


def tokens_of(attempts: Iterable[Attempt]) -> Tokens | None:
    """What the answers to these attempts say that they cost; ``None`` where none said."""
    usages_of = [each.usage for each in attempts]
    usages = [usage for usage in usages_of if usage]
    if not usages:
        return None
    return Tokens(
        sum(usage.input_tokens for usage in usages),
        sum(usage.cached_tokens for usage in usages),
        sum(usage.output_tokens for usage in usages),
        sum(usage.reasoning_tokens for usage in usages),
        sum(usage.total_tokens for usage in usages),
        len(usages),
        len(usages_of),
    )
