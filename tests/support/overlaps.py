"""Texts of a page that lie on one another, as an eye would see it."""

from chromium import Page

_LOOK = """(() => {
    const isPinned = (element) => {
        for (let each = element; each; each = each.parentElement) {
            if (["sticky", "fixed"].includes(getComputedStyle(each).position)) return true;
        }
        return false;
    };
    // What an element that clips leaves of the texts in it.
    const clipped = (box, element) => {
        let { left, top, right, bottom } = box;
        for (let each = element; each && each !== document.body; each = each.parentElement) {
            if (getComputedStyle(each).overflowX === "visible") continue;
            if (each instanceof SVGElement && !(each instanceof SVGSVGElement)) continue;
            const edge = each.getBoundingClientRect();
            left = Math.max(left, edge.left);
            right = Math.min(right, edge.right);
            top = Math.max(top, edge.top);
            bottom = Math.min(bottom, edge.bottom);
        }
        return { left, top, right, bottom };
    };
    const boxes = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const element = node.parentElement;
        if (!node.data.trim() || !element.checkVisibility({ visibilityProperty: true })) continue;
        if (element.closest("title, option") || isPinned(element)) continue;
        const text = document.createRange();
        text.selectNodeContents(node);
        for (const box of text.getClientRects()) {
            const shown = clipped(box, element);
            if (shown.right - shown.left < 2 || shown.bottom - shown.top < 4) continue;
            boxes.push({ ...shown, node, words: node.data.trim().slice(0, 60) });
        }
    }
    boxes.sort((one, other) => one.top - other.top);
    const found = new Set();
    boxes.forEach((one, at) => {
        for (const other of boxes.slice(at + 1)) {
            if (other.top >= one.bottom) break;
            const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
            const down = Math.min(one.bottom, other.bottom) - other.top;
            const least = Math.min(one.bottom - one.top, other.bottom - other.top);
            // Lines of one text may touch, as they do in print.
            if (one.node !== other.node && across > 1 && down > least * 0.4) {
                found.add(`${one.words} | ${other.words}`);
            }
        }
    });
    return [...found];
})()"""


def overlaps(page: Page) -> list[str]:
    """Pairs of texts of which one lies on the other; what is pinned to an edge does not count."""
    found = page.value(_LOOK)
    assert isinstance(found, list)
    return found
