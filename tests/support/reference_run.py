"""Runs the reference client once against a scripted provider, and says what the model foretells."""

import asyncio
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from codex_run import provider_config
from prediction import Prediction, predict
from provider import Provider
from provider_log import Asked
from provider_script import Script
from request_words import words_of

from replayer.reference.client import ReferenceClient
from replayer.reference.sockets import Address, SocketWire, Timing
from replayer.reference.task import Task, identity
from wiretape.client.actions import Fail, Printed
from wiretape.client.config import Config, read_config
from wiretape.client.dialect import Dialect
from wiretape.client.events import Item, OutputItemDone
from wiretape.client.turn import Output

NOTHING: Mapping[object, Item] = {}


@dataclass(frozen=True, slots=True)
class Ran:
    """A run: what became of it, what had been foretold, and what the provider was asked."""

    outcome: Prediction
    foretold: Prediction
    requests: Sequence[Asked] = field(repr=False)


def run_reference(
    script: Script | None,
    dialect: Dialect,
    transport: str,
    settings: Mapping[str, int],
    outputs: Mapping[object, Item] = NOTHING,
) -> Ran:
    """Runs it without pauses of its own. Without a script nobody listens.

    ``outputs`` are what tools gave in a recording.
    """
    with _listening(script) as (base_url, provider):
        config = read_config(provider_config(base_url, transport, settings))
        seen: list[Output] = []
        client = ReferenceClient(
            config,
            dialect,
            identity("0.0.0", "sk-test"),
            Task("Follow the script.", config.model, outputs),
            SocketWire(_address(config), _timing(config)),
            seen.append,
        )
        ended_well = asyncio.run(client.run())
        return Ran(
            Prediction(
                "" if provider is None else provider.summary,
                tuple(_complaints(seen)),
                tuple(_messages(seen)),
                0 if ended_well else 1,
                () if provider is None else words_of(provider.requests),
            ),
            predict(script, dialect, base_url=base_url, transport=transport, settings=settings),
            () if provider is None else provider.requests,
        )


@contextmanager
def _listening(script: Script | None) -> Iterator[tuple[str, Provider | None]]:
    if script is not None:
        with Provider(script) as provider:
            yield provider.base_url, provider
        return
    # Bound and not listening: nobody else can have the port meanwhile.
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{nobody.getsockname()[1]}/v1", None


def _address(config: Config) -> Address:
    provider = config.provider
    return Address(provider.post_url, provider.websocket_url, heeds_proxies=False)


def _timing(config: Config) -> Timing:
    provider = config.provider
    return Timing(
        delay_factor=0,
        connect_s=provider.websocket_connect_timeout_ms / 1000,
        idle_s=provider.stream_idle_timeout_ms / 1000,
    )


def _complaints(seen: Sequence[Output]) -> Iterator[str]:
    for output in seen:
        match output:
            case Printed():
                yield output.line
            case Fail(text):
                yield text


def _messages(seen: Sequence[Output]) -> Iterator[str]:
    for output in seen:
        match output:
            case OutputItemDone({"type": "message", "content": list(parts)}):
                yield "".join(part["text"] for part in parts)
