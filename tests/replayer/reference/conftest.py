"""What the tests of the reference client may ask for."""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from tapes import Recording

from replayer.reference.recorded import recorded_sessions
from replayer.reference.verify import Verified, verify
from wiretape.store_reader import TapeReader

type Verify = Callable[..., Verified]


@pytest.fixture
def verified(tmp_path: Path) -> Verify:
    """Gives the verdict on a recording's first session, ``verified(recording, played)``.

    ``played`` is another recording for the player to play.
    """

    def run(recording: Recording, played: Recording | None = None) -> Verified:
        with ExitStack() as stack:
            reader, other = (
                stack.enter_context(TapeReader(each.write(tmp_path / f"{name}.db")))
                for name, each in (("recorded", recording), ("played", played or recording))
            )
            session = recorded_sessions(reader)[0]
            return asyncio.run(verify(reader, session, other, tell=pytest.fail))

    return run
