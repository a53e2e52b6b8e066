"""Times, sizes, counts and recorded text, as people read them."""

from datetime import UTC, datetime


def duration(us: int) -> str:
    """A span of microseconds: ``850 µs``, ``12 ms``, ``3.4 s``, ``5 min 0 s``."""
    if us < 1000:
        return f"{us} µs"
    if us < 1_000_000:
        return f"{us / 1000:.0f} ms"
    if us < 120_000_000:
        return f"{us / 1e6:.1f} s"
    minutes, seconds = divmod(us // 1_000_000, 60)
    return f"{minutes} min {seconds} s"


def size(size_bytes: int) -> str:
    """A number of bytes: ``512 B``, ``31.7 kB``, ``1.2 MB``."""
    if size_bytes < 1000:
        return f"{size_bytes} B"
    if size_bytes < 1_000_000:
        return f"{size_bytes / 1000:.1f} kB"
    return f"{size_bytes / 1e6:.1f} MB"


def moment(unix_us: int) -> str:
    """A point of time in UTC: ``2026-01-02T03:04:05Z``."""
    return f"{datetime.fromtimestamp(unix_us / 1e6, UTC):%Y-%m-%dT%H:%M:%SZ}"


def printable(text: str) -> str:
    """Recorded text on one line of a terminal: nothing in it can move the cursor or hide."""
    return "".join(
        character if character.isprintable() else f"\\x{ord(character):02x}" for character in text
    )


def columns(rows: list[list[str]], indent: str = "") -> list[str]:
    """Rows of cells as aligned lines."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        (
            indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def counted(number: int, one: str, many: str | None = None) -> str:
    """``1 event``, ``2 events``."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def warm_ups_told(warm_ups: int) -> str:
    """``a warm-up``, ``2 warm-ups``; empty for none."""
    return {0: "", 1: "a warm-up"}.get(warm_ups, f"{warm_ups} warm-ups")


def requests_told(requests: int, warm_ups: int) -> str:
    """So many requests, of which some are warm-ups: ``4 requests and a warm-up``."""
    asked = requests - warm_ups
    told = [counted(asked, "request")] if asked or not warm_ups else []
    return " and ".join([*told, *([warm_ups_told(warm_ups)] if warm_ups else [])])


def place_told(exchange: int, message: int | None) -> str:
    """Where something stands on the tape: ``exchange 3, message 0``."""
    return f"exchange {exchange}" + ("" if message is None else f", message {message}")


def cut(text: str, shown: int, start: int = 0) -> str:
    """At most ``shown`` characters of a text from ``start`` on, with ``…`` for what is left out."""
    before, after = "…" if start else "", "…" if len(text) > start + shown else ""
    return f"{before}{text[start : start + shown]}{after}"


def cut_to_parting(one: str, other: str, shown: int, lead: int) -> tuple[str, str]:
    """Two texts cut alike: from ``lead`` characters before they part, unless that is shown from
    their begin."""
    pairs = enumerate(zip(one, other, strict=False))
    parting = next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
    start = 0 if parting < shown - lead else parting - lead
    return cut(one, shown, start), cut(other, shown, start)
