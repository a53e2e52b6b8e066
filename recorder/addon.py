"""Records under a plain mitmproxy: ``mitmdump -s recorder/addon.py --set wiretape_tape=PATH``.

``wiretape record`` does not need this file; it is for those who run mitmproxy already. Without
``wiretape_tape`` the tape gets a name of its own where ``wiretape record`` would put it.
"""

import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from mitmproxy import ctx
from mitmproxy.addonmanager import Loader

if str(Path(__file__).resolve().parent.parent) not in sys.path:
    # mitmdump puts this file's folder on the path, not the one that holds our packages.
    sys.path.append(str(Path(__file__).resolve().parent.parent))

from gateway.clock import Clock
from recorder.capture import Capture
from recorder.hooks import RecorderAddon
from recorder.routing import Routing, Scope
from recorder.sockets import SocketInterpreter
from wiretape.commands.places import at_new_tape_path, recordings_folder
from wiretape.commands.summary import summary_line
from wiretape.errors import WiretapeError
from wiretape.scope import MODEL_HOSTS
from wiretape.store_writer import TapeLabel, TapeWriter

logger = logging.getLogger("wiretape")


class MitmdumpRecorder:
    """Opens the tape when mitmproxy runs and closes it when it is done."""

    def __init__(self) -> None:
        self._writer: TapeWriter | None = None
        self._recorder: RecorderAddon | None = None

    def load(self, loader: Loader) -> None:
        loader.add_option("wiretape_tape", str, "", "The tape to make.")
        loader.add_option(
            "wiretape_scope",
            str,
            Scope.RESPONSES.value,
            "What to record of what is opened.",
            choices=[scope.value for scope in Scope],
        )
        loader.add_option(
            "wiretape_hosts", Sequence[str], [], "Open TLS to these hosts too (* is anything)."
        )

    def running(self) -> None:
        clock = Clock()

        def begin(tape: Path) -> TapeWriter:
            return TapeWriter(
                tape,
                TapeLabel("mitmdump", clock.started_at_us, clock.name),
                on_trouble=logger.error,
                interpret=SocketInterpreter(),
            )

        try:
            if named := ctx.options.wiretape_tape:
                self._writer = begin(Path(named))
            else:
                folder = recordings_folder(os.environ)
                self._writer = at_new_tape_path(folder, ("mitmdump",), begin)
        except WiretapeError as error:
            # An exception would be shown with its traceback, and the proxy would go on.
            logger.error("wiretape: %s", error)
            ctx.master.shutdown()
            return
        routing = Routing(
            hosts=(*MODEL_HOSTS, *ctx.options.wiretape_hosts),
            scope=Scope(ctx.options.wiretape_scope),
        )
        self._recorder = RecorderAddon(
            Capture(self._writer.put), routing, clock.now_us, logger.error
        )
        ctx.master.addons.add(self._recorder)
        self._recorder.running()
        logger.warning("wiretape: recording to %s", self._writer.path)

    def done(self) -> None:
        if self._recorder is not None and self._writer is not None:
            # Its own turn to be done may come after ours.
            self._recorder.done()
            self._writer.close()
            last_line = summary_line(self._writer.path, self._writer.unwritten_gaps)
            logger.warning("wiretape: %s", last_line)


addons = [MitmdumpRecorder()]
