"""Opens a script wherever a tape can be opened: as the tape that it stands for, in memory."""

from functools import lru_cache
from pathlib import Path
from typing import Final

from wiretape.errors import BadScript, TapeError
from wiretape.scripts.layout import ScriptFault
from wiretape.scripts.reading import read_script
from wiretape.store_recording import tape_bytes

_KEPT: Final = 4


def tape_of_script(path: Path) -> bytes:
    """The tape that the script at ``path`` stands for.

    Raises:
        BadScript: there is a mistake in it.
        TapeError: it cannot be read.
    """
    stat = path.stat()
    return _tape_of(path, stat.st_mtime_ns, stat.st_size)


# Whoever shows a script opens it again for each page.
@lru_cache(maxsize=_KEPT)
def _tape_of(path: Path, _mtime_ns: int, _size_bytes: int) -> bytes:
    try:
        return tape_bytes(read_script(path.read_text("utf-8-sig")))
    except ScriptFault as error:
        raise BadScript(f"{path}, {error}.") from error
    except UnicodeDecodeError as error:
        raise BadScript(f"{path} is no UTF-8 ({error}): save it as UTF-8.") from error
    except OSError as error:
        raise TapeError(f"{path} cannot be read ({error.strerror}): check it.") from error
