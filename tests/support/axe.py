"""What axe finds on a page: labels, roles, order of headings, contrast, what keys can reach."""

from importlib.resources import files

from chromium import Page

_AXE = (files("axe_core_python") / "axe.min.js").read_text("utf-8")
_FOUND = (
    "axe.run().then(({ violations }) => violations.map("
    "(each) => `${each.impact} ${each.id}: ${each.nodes[0].html.slice(0, 200)}`))"
)


def violations(page: Page) -> list[str]:
    """Each with how grave it is, the rule, and the first element that breaks it."""
    page.value(f"window.axe || (() => {{ {_AXE} }})(); 1")
    found = page.value(_FOUND)
    assert isinstance(found, list)
    return found
