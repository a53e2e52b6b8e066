"""Recorded text made safe to read: nothing in it can reorder, hide or imitate what is around it.

Escaping for HTML is the templates' part. This is about characters that a reader cannot see:
controls, bidirectional overrides, zero-width spaces, tags, and halves of surrogate pairs, which
no encoding can carry.
"""

import re
from typing import Final

_UNSEEN: Final = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, but for tab and line feed
    "\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb"
    "\ud800-\udfff"
    "\U000e0000-\U000e007f"
    "]"
)


def visible(text: str) -> str:
    """The text with each unseen character written out: ``⟨U+202E⟩``."""
    return _UNSEEN.sub(_written_out, text)


def one_line(text: str, limit: int) -> str:
    """The start of the text on one line, at most ``limit`` characters of it; ``…`` if cut."""
    # Only a little more than is kept is looked at, whatever the size of the whole.
    line = " ".join(text[: 4 * limit].split())
    return line if len(line) <= limit and len(text) <= 4 * limit else line[:limit].rstrip() + "…"


def _written_out(found: re.Match[str]) -> str:
    return f"⟨U+{ord(found[0]):04X}⟩"
