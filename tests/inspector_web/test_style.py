"""What the stylesheet promises: contrast in both themes, and no sign by colour alone."""

import re
from pathlib import Path

import pytest

from inspector_web.filters import SIGNS
from inspector_web.health import Tone

STYLESHEET = (Path(__file__).parents[2] / "inspector_web/static/inspector.css").read_text("utf-8")
TEXTS = (
    *[(ink, paper) for ink in ("ink", "soft", "accent") for paper in ("paper", "raised")],
    ("bad", "paper"),
    ("good", "paper"),
    ("warn", "paper"),
    ("warn", "raised"),
    *[(tone, f"{tone}-wash") for tone in ("good", "warn", "bad")],
    ("ink", "note-wash"),
    ("ink", "warn-wash"),
    *[("ink", phase) for phase in ("connect", "waiting", "reasoning", "text", "tool", "receiving")],
)
EDGES = ("connect", "waiting", "reasoning", "text", "tool", "receiving")


def colours(theme: str) -> dict[str, str]:
    """The custom properties that are colours, as the theme has them."""
    light, _, dark = STYLESHEET.partition("@media screen and (prefers-color-scheme: dark)")
    found = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", light))
    if theme == "dark":
        dark = dark[: dark.index("}\n}")]
        changed = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", dark))
        assert changed.keys() == found.keys()
        found = changed
    return found


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.2)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    r, g, b = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one: str, other: str) -> float:
    """Contrast ratio (WCAG 2.2)."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("ink", "paper"), TEXTS)
def test_text_can_be_read(theme: str, ink: str, paper: str) -> None:
    """4.5 to 1 at least, on whatever it stands (AA)."""
    found = colours(theme)
    assert contrast(found[ink], found[paper]) >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("phase", EDGES)
def test_bars_can_be_seen(theme: str, phase: str) -> None:
    """Their edges stand out from the page by 3 to 1 at least (AA, 1.4.11)."""
    found = colours(theme)
    assert contrast(found[f"{phase}-edge"], found["paper"]) >= 3


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_silence_can_be_seen(theme: str) -> None:
    """Hatching stands out from the waiting that it lies on."""
    found = colours(theme)
    assert contrast(found["hatch"], found["waiting"]) >= 3


def test_every_tone_has_a_sign() -> None:
    """No two share one, so that no tone is told by colour alone."""
    assert SIGNS.keys() == set(Tone)
    assert len(set(SIGNS.values())) == len(SIGNS)


def test_contrast_is_computed_as_the_guidelines_say() -> None:
    """Black on white is 21 to 1."""
    assert round(contrast("#000000", "#ffffff"), 2) == 21.0
