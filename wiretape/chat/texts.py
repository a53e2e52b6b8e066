"""The texts in a delta or a message, in every shape that servers give them.

Source: document 000 §11.4.
"""

from wiretape.chat.shapes import field, string


def reasoning_text(holder: object) -> str | None:
    """The text of a delta's or message's ``reasoning``: itself, its ``text`` or its ``content``."""
    reasoning = field(holder, "reasoning")
    if isinstance(reasoning, str):
        return reasoning
    text = string(reasoning, "text")
    return string(reasoning, "content") if text is None else text


def content_texts(content: object) -> list[str]:
    """The texts of a ``content``: itself, or each ``text`` of its items."""
    if isinstance(content, str):
        return [content]
    items = content if isinstance(content, list) else []
    texts = (string(item, "text") for item in items)
    return [text for text in texts if text is not None]
