"""What ``wiretape show`` prints for people, from what it prints for machines."""

import json
from collections.abc import Iterator
from typing import Any

from wiretape.origins import Role
from wiretape.reasons import Why
from wiretape.said import Outcome
from wiretape.words import counted, duration, moment, printable, requests_told, size


def tape_lines(found: dict[str, Any]) -> Iterator[str]:
    """A tape, with its sessions, requests, attempts and gaps."""
    yield f"{found['tape']}  {moment(found['started_at_us'])}  {size(found['size_bytes'])}"
    yield f"  made by wiretape {found['wiretape_version']} {found['made_by']}" + (
        f" of {printable(' '.join(json.loads(found['command'])))}" if found["command"] else ""
    )
    if found["faults"]:
        yield f"  faults asked for: {printable(', '.join(json.loads(found['faults'])))}"
    if unfinished := unfinished_words(found):
        yield f"  {unfinished}"
    if not found["sessions"]:
        yield "  no sessions; with --events: what crossed all the same"
    for session in found["sessions"]:
        yield ""
        yield from _session_lines(session)
    for gap in found["gaps"]:
        yield gap_line(gap)


def unfinished_words(found: dict[str, Any]) -> str:
    """What is said of a tape that was not closed; nothing of one that was."""
    if found["is_closed"]:
        return ""
    return "being recorded still" if found["is_being_written"] else "cut off"


def gap_line(gap: dict[str, Any]) -> str:
    """A gap, and what is lost in it."""
    exchange = "" if gap["exchange"] is None else f" in exchange {gap['exchange']}"
    return (
        f"gap{exchange} at {gap['at_us'] / 1e6:.3f} s: {counted(gap['lost_facts'], 'fact')}, "
        f"{size(gap['lost_bytes'])} lost, because {printable(gap['reason'])}"
    )


def _session_lines(session: dict[str, Any]) -> Iterator[str]:
    yield f"session {session['number']}: {printable(session['name'])}"
    counts = [
        counted(len(session["turns"]), "turn"),
        requests_told(len(session["requests"]), session["warm_ups"]),
        counted(session["attempts"], "attempt"),
        *([counted(len(session["tools"]), "tool call")] if session["tools"] else []),
    ]
    client = printable(session["client"] or "unknown client")
    model = printable(session["model"] or "unknown model")
    yield f"  {client}, {model}, {', '.join(counts)}, {duration(session['duration_us'])}"
    if session["agent"] is not None or session["parent"] is not None:
        parent = "" if session["parent"] is None else f" of session {session['parent']}"
        yield f"  sub-agent {printable((session['agent'] or '') + parent).strip()}"
    went = f", sent to {session['upstream']}" if session["upstream"] else ""
    yield f"  {printable(session['url'])}{went}"
    turn = None
    for request in session["requests"]:
        if request["turn"] != turn:
            turn = request["turn"]
            yield f"  turn {turn}"
        role = "" if request["role"] == Role.TURN else f" ({request['role']})"
        yield f"    request {request['number']}{role}"
        for attempt in request["attempts"]:
            yield from _attempt_lines(attempt, session["tools"])


def _attempt_lines(attempt: dict[str, Any], tools: list[dict[str, Any]]) -> Iterator[str]:
    place = f"exchange {attempt['exchange']}"
    if attempt["message"] is not None:
        place += f", message {attempt['message']}"
    why = attempt["why"]
    if attempt["number"] is not None:
        why += f" {attempt['number']}"
    yield (
        f"      {why:<14} {attempt['transport']} {attempt['kind']} ({place})"
        f" at {attempt['at_us'] / 1e6:.3f} s: {printable(_came_to(attempt))},"
        f" {counted(attempt['events'], 'event')},"
        f" sent {size(attempt['request_bytes'])}, got {size(attempt['response_bytes'])}"
    )
    if attempt["first_event_us"] is not None:
        waited = duration(attempt["first_event_us"] - attempt["at_us"])
        silence = duration(attempt["longest_silence_us"])
        yield f"        first event after {waited}, longest silence {silence}"
    if attempt["why"] in _WITH_EVIDENCE:
        yield f"        inferred: {printable(attempt['evidence'])}"
    if attempt["gaps"]:
        yield f"        {counted(attempt['gaps'], 'gap')}: how it went on may be what is lost"
    for tool in tools:
        if (tool["exchange"], tool["message"]) == (attempt["exchange"], attempt["message"]):
            yield f"        {printable(_tool_words(tool))}"


_WITH_EVIDENCE = frozenset({Why.RETRY, Why.FALLBACK, Why.RESUMED, Why.UNKNOWN})


def _came_to(attempt: dict[str, Any]) -> str:
    """How an attempt ended, and when."""
    outcome = f"{attempt['outcome']} {attempt['detail']}".strip()
    # With the event that ended it, if one did: its connection may stay open.
    over_us = attempt["until_us"] if attempt["ended_at_us"] is None else attempt["ended_at_us"]
    if over_us is not None:
        return f"{outcome} in {duration(over_us - attempt['at_us'])}"
    if attempt["outcome"] == Outcome.OPEN:
        return outcome if attempt["detail"] else f"{outcome}, without an end on the tape"
    return f"{outcome}, not over"


def _tool_words(tool: dict[str, Any]) -> str:
    name = f"{tool['server']}.{tool['name']}" if tool["server"] else tool["name"]
    called = f"called {name} ({tool['call_id']})"
    if not tool["outputs"]:
        return f"{called}: no output on the tape"
    failed = "" if tool["failure"] is None else f", which failed: {tool['failure']}"
    return f"{called}: output {duration(tool['took_us'])} after the call{failed}"
