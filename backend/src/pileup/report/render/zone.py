"""Convert the printed UTC times of a document to another time zone.

Only times that name their zone ("2026-11-20 22:19:49 UTC") change. Raw lines do not change.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from pileup.report.document import Document, as_plain

_PRINTED = re.compile(r"\b(\d{4}-\d\d-\d\d) (\d\d:\d\d(?::\d\d)?) UTC\b")
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

    def moved(match: re.Match[str]) -> str:
        pattern = "%H:%M:%S" if match[2].count(":") == 2 else "%H:%M"
        try:
            at = datetime.strptime(f"{match[1]} {match[2]}", f"%Y-%m-%d {pattern}")  # noqa: DTZ007
        except ValueError:
            return match[0]
        local = at.replace(tzinfo=UTC).astimezone(place)
        offset = f"{local:%z}"
        return f"{local:%Y-%m-%d} {local.strftime(pattern)} {offset[:3]}:{offset[3:]}"

    def walk(node: Any, field: str | None, raw: bool) -> Any:
        if isinstance(node, str):
            return node if raw or field in _UNCHANGED else _PRINTED.sub(moved, node)
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
