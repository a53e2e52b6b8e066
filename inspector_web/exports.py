"""What `wiretape export` writes, as downloads: scripts, and fixtures for the client's hook.

What an export refuses is refused here in the same words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from wiretape.choosing import exchanges_of, is_kept
from wiretape.errors import UsageError
from wiretape.fixtures import fixtures
from wiretape.reconstruct import Session
from wiretape.recording import Recording
from wiretape.scripts.writing import write_script
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


def _recording(reader: TapeReader, session: Session | None, form: str) -> Recording:
    wanted = None if session is None else exchanges_of([session])
    kept = [each for each in reader.exchanges() if wanted is None or is_kept(each, wanted)]
    size_bytes = sum(each.size_bytes for each in kept)
    if size_bytes > MOST_BYTES:
        what, more = ("tape", "") if session is None else ("session", f" --session {session.name}")
        raise UsageError(
            f"this {what} holds {size(size_bytes)}, too much for a download: "
            f"`wiretape export TAPE{more} --to {form} -o FILE` writes it."
        )
    numbers = {each.id for each in kept}
    return read_recording(reader, lambda exchange: exchange.id in numbers)


def _archive(files: Sequence[tuple[str, str]]) -> bytes:
    """An archive that is the same for the same files: their dates say nothing."""
    archive = BytesIO()
    with ZipFile(archive, "w") as into:
        for name, text in files:
            into.writestr(ZipInfo(name), text.encode(), ZIP_DEFLATED)
    return archive.getvalue()
