"""The one way in which mitmproxy's inside is changed: a method for a method, and back again.

Only what its hooks cannot tell is had this way. Where a method is not there (another version of
mitmproxy), nothing is changed, and what rests on it does without.
"""

from collections.abc import Callable
from typing import Any


def replace_method(owner: Any, name: str, make: Callable[[Any], Any]) -> Callable[[], None]:
    """Puts ``make(original)`` in the place of a method, or of a module's name for something.

    Gives what puts the original back.
    """
    original = getattr(owner, name, None)
    if original is None:
        return lambda: None
    setattr(owner, name, make(original))
    return lambda: setattr(owner, name, original)
