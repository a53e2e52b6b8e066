"""The small Markdown in which models write, as elements that can do no harm.

No HTML of the text's own, no links and no images: what would be one stands there as it was written.
"""

from typing import Final

from markdown_it import MarkdownIt
from markupsafe import Markup

from inspector_web.visible import visible

_LEFT_OUT: Final = ("html_block", "html_inline", "link", "image", "autolink", "reference")

_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False}).enable("table").disable(_LEFT_OUT)


def rendered(text: str) -> Markup:
    """The text as HTML."""
    tokens = _MARKDOWN.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            # The page's own headings are its outline.
            token.tag = "p"
            token.attrs = {"class": "md-heading"} if token.nesting == 1 else {}
    html = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})
    # Escaped by the renderer. Made visible only now: an entity can stand for what nobody sees.
    return Markup(visible(html))
