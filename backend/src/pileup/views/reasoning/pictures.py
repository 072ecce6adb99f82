"""Clean the picture of a pin: reduce untrusted SVG to shapes and words.

Only elements that draw and attributes that place and colour them are kept; there is no script, no
link, no style sheet and nothing that loads anything. The rest is written out again.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree

from pileup.storage.errors import Refused

_NS = "http://www.w3.org/2000/svg"
_ELEMENTS = frozenset(
    {
        "svg", "g", "path", "line", "rect", "circle", "ellipse", "polyline", "polygon",
        "text", "tspan", "title", "desc",
    }
)  # fmt: skip
_ATTRIBUTES = frozenset(
    {
        "viewBox", "width", "height", "preserveAspectRatio", "transform",
        "x", "y", "x1", "x2", "y1", "y2", "dx", "dy", "cx", "cy", "r", "rx", "ry", "d", "points",
        "fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray",
        "stroke-linecap", "stroke-linejoin", "opacity",
        "font-size", "font-family", "font-weight", "text-anchor", "dominant-baseline",
    }
)  # fmt: skip
_HARMFUL = re.compile(r"url\(|javascript:|data:|@import|expression\(|&#|<", re.IGNORECASE)
_DEEPEST = 40


def clean_svg(text: str) -> str:
    """Return the drawing without anything active; raises Refused when it is not SVG."""
    if "<!" in text.replace("<!--", ""):
        raise _refused("it must not contain a document type or an entity")
    try:
        root = ElementTree.fromstring(text)  # noqa: S314  (entities were refused above)
    except ElementTree.ParseError as error:
        raise _refused(str(error)) from None
    if root.tag != f"{{{_NS}}}svg":
        raise _refused(f"its outermost element is {root.tag[:60]!r}, not svg")
    drawing = _copy(root, 0)
    assert drawing is not None
    drawing.set("xmlns", _NS)
    return ElementTree.tostring(drawing, encoding="unicode")


def _copy(element: ElementTree.Element, depth: int) -> ElementTree.Element | None:
    name = str(element.tag).removeprefix(f"{{{_NS}}}")
    if name not in _ELEMENTS or depth > _DEEPEST:
        return None
    copy = ElementTree.Element(
        name,
        {
            key: value
            for key, value in element.attrib.items()
            if key in _ATTRIBUTES and not _HARMFUL.search(value)
        },
    )
    if name in ("text", "tspan", "title", "desc"):
        copy.text = element.text
    for child in element:
        copied = _copy(child, depth + 1)
        if copied is not None:
            if name in ("text", "tspan"):
                copied.tail = child.tail
            copy.append(copied)
    return copy


def _refused(why: str) -> Refused:
    return Refused(f"picture is not an accepted SVG: {why}")
