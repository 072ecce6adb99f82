"""Time zones that can be applied: a name becomes a ``TimeZone`` or is refused.

Every other module takes the validated type, so a name of a capture, a person or a database row that
polars does not know never reaches a conversion. What a capture's zone *is* does not belong here.
"""

from __future__ import annotations

import re
import zoneinfo
from dataclasses import dataclass
from functools import lru_cache

import polars as pl

_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])(\d\d?):?(\d\d)?", re.ASCII)
_WEST, _EAST = -12 * 60, 14 * 60
"""The offsets that any country has used since clocks follow UTC."""
_LONGEST = 64

_ABBREVIATIONS = {
    "UTC": 0, "GMT": 0, "Z": 0, "WET": 0, "UCT": 0,
    "PST": -480, "PDT": -420, "MST": -420, "MDT": -360, "CST": -360, "CDT": -300,
    "EST": -300, "EDT": -240, "AKST": -540, "AKDT": -480, "HST": -600, "BRT": -180,
    "BST": 60, "CET": 60, "CEST": 120, "WEST": 60, "MET": 60, "MEST": 120,
    "EET": 120, "EEST": 180, "MSK": 180, "IST": 330, "SGT": 480, "HKT": 480, "AWST": 480,
    "JST": 540, "KST": 540, "AEST": 600, "AEDT": 660, "NZST": 720, "NZDT": 780,
}  # fmt: skip
_SEVERAL = frozenset({"BST", "CDT", "CST", "IST"})
"""Abbreviations of several countries, far apart: China's CST, Israel's and Ireland's IST."""


@dataclass(frozen=True, slots=True)
class TimeZone:
    """A zone that times can be converted with; make one with ``time_zone`` or ``fixed``."""

    name: str
    """As given: 'Europe/Berlin', 'PST', '-08:00'."""
    minutes: int | None
    """Minutes east of UTC of a fixed offset; None for an IANA zone with its rules."""


def time_zone(name: str) -> TimeZone | None:
    """Return the zone of an IANA name, an abbreviation or a fixed offset; None if it is none."""
    name = name.strip()
    if not name or len(name) > _LONGEST:
        return None
    minutes = _minutes(name)
    if minutes is not None:
        return TimeZone(name, minutes) if _WEST <= minutes <= _EAST else None
    return TimeZone(name, None) if _is_iana(name) else None


def fixed(minutes: int) -> TimeZone | None:
    """Return the zone so many minutes east of UTC; None if no zone is that far from UTC."""
    return TimeZone(offset_text(minutes), minutes) if _WEST <= minutes <= _EAST else None


def printed_offset(abbreviation: str) -> int | None:
    """Return the minutes east of UTC of a zone that a time prints: 'CET'; None: not decided."""
    return None if abbreviation in _SEVERAL else _ABBREVIATIONS.get(abbreviation)


def offset_text(minutes: float) -> str:
    """Format minutes east of UTC: '-08:00' for -480."""
    sign = "-" if minutes < 0 else "+"
    hours, rest = divmod(round(abs(minutes)), 60)
    return f"{sign}{hours:02}:{rest:02}"


UTC = TimeZone("+00:00", 0)


def _minutes(name: str) -> int | None:
    if name.upper() in _ABBREVIATIONS:
        return _ABBREVIATIONS[name.upper()]
    match = _OFFSET.fullmatch(name)
    if match is None:
        return None
    hours, rest = int(match[2]), int(match[3] or 0)
    if rest >= 60:
        return None
    return (-1 if match[1] == "-" else 1) * (hours * 60 + rest)


@lru_cache(maxsize=1024)
def _is_iana(name: str) -> bool:
    """Return whether Python and polars both have the zone: their lists differ."""
    try:
        zoneinfo.ZoneInfo(name)
        pl.select(pl.from_epoch(pl.lit(0)).dt.replace_time_zone(name))
    except (KeyError, ValueError, OSError, pl.exceptions.PolarsError):
        return False
    return True


__all__ = ["UTC", "TimeZone", "fixed", "offset_text", "printed_offset", "time_zone"]
