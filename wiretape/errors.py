"""The whole exception tree.

The wire's faults are data and never raise; only wiretape's own refusals do::

    WiretapeError
    ├── TapeError               a tape cannot be used                (exit code 3)
    │   ├── TapeMissing         there is no such file
    │   ├── NotATape            the file is no tape: empty, truncated, foreign
    │   ├── TapeTooNew          written by a newer wiretape
    │   └── BadScript           a script, which is a tape written as text, holds a mistake
    ├── UsageError              the request makes no sense           (exit code 2)
    │   ├── NoSuchSession       the tape holds no such session
    │   └── WouldOverwrite      the file exists already
    ├── ListenError             the address cannot be listened on    (exit code 2)
    ├── UpstreamError           the upstream cannot be reached       (exit code 2)
    ├── CommandError            the wrapped command cannot be run    (exit code 127 or 126)
    └── CannotExpress           a format cannot hold what was recorded (exit code 1)

What one room alone refuses stands where it is raised::

    WiretapeError
    ├── UsageError
    │   ├── ImpossibleFault     a fault cannot be on this recording  (exit code 2)
    │   └── BadAddress          an address of the inspector asks for what makes no sense
    ├── AuthorityError          the authority cannot be made or read (exit code 2)
    ├── FetchError              a version of Codex cannot be had     (exit code 1)
    └── in a test that uses the pytest plugin:
        ├── NotRecorded         the recorder did not begin, or did not end well
        ├── ReplayFailed        something of ours went wrong
        └── NetworkRefused      the test reached for another machine

A message has three parts: what happened, on what, what to do next.
"""


class WiretapeError(Exception):
    """Base of everything that wiretape refuses. ``str()`` is one sentence for a person."""

    exit_code: int = 2


class TapeError(WiretapeError):
    """A tape that cannot be used."""

    exit_code = 3


class TapeMissing(TapeError):
    """There is no file at the given path."""


class NotATape(TapeError):
    """The file is not a tape: empty, truncated, or written by another program."""


class TapeTooNew(TapeError):
    """The tape was written by a newer wiretape than this one."""


class BadScript(TapeError):
    """A script that cannot be read. The message names the line."""


class UsageError(WiretapeError):
    """What was asked for makes no sense."""


class NoSuchSession(UsageError):
    """The tape holds no session of that name."""


class WouldOverwrite(UsageError):
    """A file that exists would be replaced without having been asked for."""


class ListenError(WiretapeError):
    """The address cannot be listened on."""


class UpstreamError(WiretapeError):
    """The upstream named on the command line cannot be used."""


class CommandError(WiretapeError):
    """The wrapped command cannot be started. ``exit_code`` follows the shell's custom."""

    def __init__(self, message: str, *, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class CannotExpress(WiretapeError):
    """A format cannot hold what was recorded. The message says what, and why."""

    exit_code = 1
