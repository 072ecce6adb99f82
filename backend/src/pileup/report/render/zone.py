"""Convert the printed UTC times of a document to another time zone.

Only times that name their zone change: "2026-11-20 22:19:49 UTC", and in sentences "22:19:49 UTC",
which gets the offset of the day of the incident. Raw lines do not change.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from pileup.report.document import Document, as_plain

_PRINTED = re.compile(r"\b(\d{4}-\d\d-\d\d) (\d\d:\d\d(?::\d\d)?) UTC\b")
_CLOCK = re.compile(r"(?<![\w:.-])(?<!\d )(\d\d:\d\d(?::\d\d)?) UTC\b(?! \d{4}\b)")
"""A time of day alone; 'Oct 24 22:27:19 UTC 2012' is none."""
_UNCHANGED = frozenset({"excerpt", "markdown"})


def named(zone: str) -> ZoneInfo:
    """Return the zone of an IANA name; ValueError with an example when unknown."""
    try:
        return ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(
            f"{zone[:60]!r} is not a time zone; write one like Europe/Berlin"
        ) from error


def in_zone(document: Document, zone: str) -> Document:
    """Return the document with its times in that zone, each with its offset."""
    if zone == "UTC":
        return document
    place = named(zone)

    day = _day(document)

    def moved(match: re.Match[str]) -> str:
        return _moved(match[1], match[2], place, with_date=True) or match[0]

    def moved_clock(match: re.Match[str]) -> str:
        return (day and _moved(day, match[1], place, with_date=False)) or match[0]

    def text(value: str) -> str:
        return _CLOCK.sub(moved_clock, _PRINTED.sub(moved, value))

    def walk(node: Any, field: str | None, raw: bool) -> Any:
        if isinstance(node, str):
            return node if raw or field in _UNCHANGED else text(node)
        if isinstance(node, list):
            return [walk(item, field, raw) for item in node]
        if isinstance(node, dict):
            code = node.get("type") == "code"
            return {
                name: walk(value, name, raw or (code and name == "text"))
                for name, value in node.items()
            }
        return node

    plain = walk(as_plain(document), None, False)
    return msgspec.structs.replace(msgspec.convert(plain, Document), zone=zone)


def _day(document: Document) -> str | None:
    """Return the day that the facts of the cover name, the incident's; None if they name none."""
    dated = (_PRINTED.search(value) for _, value in document.facts)
    return next((match[1] for match in dated if match), None)


def _moved(day: str, clock: str, place: ZoneInfo, *, with_date: bool) -> str | None:
    """Convert a UTC time to the zone, with its offset; None if it is not a time."""
    pattern = "%H:%M:%S" if clock.count(":") == 2 else "%H:%M"
    try:
        at = datetime.strptime(f"{day} {clock}", f"%Y-%m-%d {pattern}")  # noqa: DTZ007
    except ValueError:
        return None
    local = at.replace(tzinfo=UTC).astimezone(place)
    offset = f"{local:%z}"
    date = f"{local:%Y-%m-%d} " if with_date else ""
    return f"{date}{local.strftime(pattern)} {offset[:3]}:{offset[3:]}"
