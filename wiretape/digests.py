"""Short digests of JSON values, by which equal ones are found without keeping them."""

import json
from hashlib import blake2b
from typing import Any


def digest(value: Any) -> str:
    """16 hexadecimal digits that equal values share, whatever the order of their keys.

    Values nested too deeply to be written share one digest too.
    """
    try:
        text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        text = "nested too deeply"
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
