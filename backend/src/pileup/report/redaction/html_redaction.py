"""Redact the HTML that ``report/render`` made: its texts and the attributes that hold words.

Redacted as one text, an entity, a colour or a coordinate would be taken for a quoted value.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape, unescape

PROSE, RAW = "prose", "excerpt"
"""What a piece of text is, as the name of a field: sentences, or raw lines of a file."""

_TAG = re.compile(r"(<[^<>]*>)")
_ATTRIBUTE = re.compile(r'(?<=\s)([\w:-]+)="([^"]*)"')
_FORM = frozenset(
    [
        *("class", "role", "id", "data-figure", "start", "xmlns", "viewBox", "width", "height"),
        *("d", "x", "y", "x1", "x2", "y1", "y2", "rx", "fill", "stroke", "stroke-width"),
        *("stroke-dasharray", "text-anchor", "font-family", "font-size"),
    ]
)
"""Attributes of form, whose values this code names."""


def html_pieces(html: str, act: Callable[[str, str], str]) -> str:
    """Return HTML with each piece of text as ``act`` returns it, given what it is and the text."""
    field = PROSE

    def piece(text: str) -> str:
        plain = unescape(text)
        done = act(field, plain)
        return text if done == plain else escape(done)

    def attribute(match: re.Match[str]) -> str:
        name, value = match.groups()
        return match[0] if name in _FORM else f'{name}="{piece(value)}"'

    parts: list[str] = []
    for at, part in enumerate(_TAG.split(html)):
        if at % 2:
            parts.append(_ATTRIBUTE.sub(attribute, part))
            field = RAW if part == "<pre>" else PROSE if part == "</pre>" else field
        else:
            parts.append(piece(part) if part.strip() else part)
    return "".join(parts)
