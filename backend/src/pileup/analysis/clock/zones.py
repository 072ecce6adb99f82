"""Zones as captures name them: abbreviations, fixed offsets, IANA names.

An abbreviation such as PST names an offset and, for most, a family of zones with daylight saving
rules. Abbreviations that mean different things in different countries (CST, IST, BST) are taken
as the most common one and the sentence says so.
"""

from __future__ import annotations

import re
import zoneinfo

import polars as pl

_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])(\d\d?):?(\d\d)?$")

_ABBREVIATIONS = {
    "UTC": 0, "GMT": 0, "Z": 0, "WET": 0, "UCT": 0,
    "PST": -480, "PDT": -420, "MST": -420, "MDT": -360, "CST": -360, "CDT": -300,
    "EST": -300, "EDT": -240, "AKST": -540, "AKDT": -480, "HST": -600, "BRT": -180,
    "BST": 60, "CET": 60, "CEST": 120, "WEST": 60, "MET": 60, "MEST": 120,
    "EET": 120, "EEST": 180, "MSK": 180, "IST": 330, "SGT": 480, "HKT": 480, "AWST": 480,
    "JST": 540, "KST": 540, "AEST": 600, "AEDT": 660, "NZST": 720, "NZDT": 780,
}  # fmt: skip


def offset_minutes(name: str) -> int | None:
    """Return the minutes east of UTC of a fixed offset or an abbreviation; else None."""
    name = name.strip()
    if name.upper() in _ABBREVIATIONS:
        return _ABBREVIATIONS[name.upper()]
    match = _OFFSET.match(name)
    if not match:
        return None
    minutes = int(match[2]) * 60 + int(match[3] or 0)
    return -minutes if match[1] == "-" else minutes


def is_zone(name: str) -> bool:
    """Return whether a name is an IANA zone, an abbreviation or a fixed offset."""
    return offset_minutes(name) is not None or _iana(name)


def offset_text(minutes: float) -> str:
    """Format minutes east of UTC: '-08:00' for -480."""
    sign = "-" if minutes < 0 else "+"
    hours, rest = divmod(round(abs(minutes)), 60)
    return f"{sign}{hours:02}:{rest:02}"


def to_utc(wall_us: pl.Expr, zone: str) -> pl.Expr:
    """Convert a printed wall clock (as if UTC, µs) in a zone to UTC µs.

    In the hour that repeats when clocks go back the earlier reading is taken; a time inside the
    hour that clocks skip does not exist and becomes null.
    """
    minutes = offset_minutes(zone)
    if minutes is not None:
        return wall_us - minutes * 60_000_000
    return (
        pl.from_epoch(wall_us, time_unit="us")
        .dt.replace_time_zone(zone, ambiguous="earliest", non_existent="null")
        .dt.convert_time_zone("UTC")
        .dt.epoch("us")
    )


def one_to_utc(wall_us: int, zone: str) -> int | None:
    """Convert one value like ``to_utc``; None for a local time that does not exist."""
    value = pl.select(to_utc(pl.lit(wall_us, dtype=pl.Int64), zone)).item()
    return int(value) if value is not None else None


def _iana(name: str) -> bool:
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True
