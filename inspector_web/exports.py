"""What `wiretape export` writes, as downloads: scripts, and fixtures for the client's hook.

What an export refuses is refused here in the same words.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from io import BytesIO
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from wiretape.choosing import exchanges_of, is_kept
from wiretape.errors import CannotExpress, UsageError
from wiretape.fixtures import fixture_answers, fixtures
from wiretape.recording import Recording
from wiretape.said import Outcome
from wiretape.scripts.writing import write_script
from wiretape.sessions import Session
from wiretape.store_reader import TapeReader
from wiretape.store_recording import read_recording
from wiretape.words import size

MOST_BYTES: Final = 20_000_000
"""Of what crossed after the heads, in what can be downloaded as another format."""
LEFT_OUT: Final = "left-out.txt"


@dataclass(frozen=True, slots=True)
class Export:
    """A file to be kept: what its name ends with, and its bytes."""

    ending: str
    data: bytes


class Form(StrEnum):
    """What can be downloaded."""

    SESSION_SCRIPT = "the script of this session"
    TAPE_SCRIPT = "the script of the tape"
    FIXTURE = "the fixtures of this session"


@dataclass(frozen=True, slots=True)
class Offer:
    """A download. ``refusal`` says why there is none, where that is so; one that is not possible is
    none for `wiretape export` either."""

    form: Form
    refusal: str = ""
    is_possible: bool = True


def script(reader: TapeReader, session: Session | None) -> Export:
    """The script that stands for the tape, or for a session of it.

    Raises:
        UsageError: it would be too long to be put together while somebody waits.
        CannotExpress: no script can hold it.
    """
    return Export("script", write_script(_recording(reader, session, "script")).encode())


def fixture(reader: TapeReader, session: Session, name: str, *, is_lossy: bool) -> Export:
    """The fixture of each answer in a session: the one file, or an archive of several, ``name-1``
    and so on. With ``is_lossy``, what they cannot hold stands in a file of its own beside them.

    Raises:
        UsageError: it would be too long to be put together while somebody waits.
        CannotExpress: fixtures cannot hold it.
    """
    texts, losses = fixtures(_recording(reader, session, "fixture"), is_lossy=is_lossy)
    if len(texts) == 1 and not losses:
        return Export("sse", texts[0].encode())
    files = [(f"{name}-{number}.sse", text) for number, text in enumerate(texts, start=1)]
    if losses:
        files.append((LEFT_OUT, "".join(f"{sentence}.\n" for sentence in losses)))
    return Export("zip", _archive(files))


def offers(reader: TapeReader, session: Session) -> tuple[Offer, ...]:
    """What there is to be downloaded of a session, and of its tape."""
    return (
        _offer(Form.SESSION_SCRIPT, lambda: _kept(reader, session, "script")),
        _offer(Form.TAPE_SCRIPT, lambda: _kept(reader, None, "script")),
        _offer(Form.FIXTURE, lambda: _need_a_fixture(reader, session)),
    )


def _offer(form: Form, check: Callable[[], object]) -> Offer:
    try:
        check()
    except CannotExpress as error:
        return Offer(form, str(error), is_possible=False)
    except UsageError as error:
        return Offer(form, str(error))
    return Offer(form)


def _need_a_fixture(reader: TapeReader, session: Session) -> None:
    """Refuses a session without any answer that a fixture can hold."""
    kept = _kept(reader, session, "fixture")
    tries = (each.attempt for each in session.tries)
    completed = next((each.exchange for each in tries if each.outcome is Outcome.COMPLETED), None)
    if completed is not None:
        # It nearly always has one, and the others need not be read.
        answers = fixture_answers(read_recording(reader, lambda each: each.id == completed))
        if any(not answer.impossible for answer in answers):
            return
    fixtures(read_recording(reader, lambda each: each.id in kept), is_lossy=True)


def _recording(reader: TapeReader, session: Session | None, form: str) -> Recording:
    kept = _kept(reader, session, form)
    return read_recording(reader, lambda exchange: exchange.id in kept)


def _kept(reader: TapeReader, session: Session | None, form: str) -> frozenset[int]:
    """The exchanges that are written.

    Raises:
        UsageError: they hold too much.
    """
    wanted = None if session is None else exchanges_of([session])
    kept = [each for each in reader.exchanges() if wanted is None or is_kept(each, wanted)]
    size_bytes = sum(each.size_bytes for each in kept)
    if size_bytes > MOST_BYTES:
        what, more = ("tape", "") if session is None else ("session", f" --session {session.name}")
        raise UsageError(
            f"this {what} holds {size(size_bytes)}, too much for a download: "
            f"`wiretape export TAPE{more} --to {form} -o FILE` writes it."
        )
    return frozenset(each.id for each in kept)


def _archive(files: Sequence[tuple[str, str]]) -> bytes:
    """An archive that is the same for the same files: their dates say nothing."""
    archive = BytesIO()
    with ZipFile(archive, "w") as into:
        for name, text in files:
            into.writestr(ZipInfo(name), text.encode(), ZIP_DEFLATED)
    return archive.getvalue()
