"""Read times as tables and logs print them: ISO, epoch, date output; with or without a zone.

Returns microseconds and the kind of clock: 'utc' where the text has an offset (Z, +02:00, CET, or
an epoch), else 'local'. The clock stage decides which zone a local time is in.
"""

from __future__ import annotations

import re

from pileup.formats.reading.wall_clock import MONTHS, local_us
from pileup.records import Clock
from pileup.records.zones import printed_offset

# 2026-11-20T22:19:10Z | 2021-08-17 21:14:11 | 2017-07-14T02:40:00+03:00 | 2021/08/17 21:14
_ISO = re.compile(
    r"(?P<year>\d{4})[-/](?P<month>\d\d?)[-/](?P<day>\d\d?)[T ]+(?P<hour>\d\d?):(?P<minute>\d\d)"
    r"(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d+))?)?"
    r"\s*(?P<zone>Z|UTC|GMT|[+-]\d\d:?\d\d)?$"
)
# Wed Oct 24 22:27:19 UTC 2012 | Fri Nov 20 10:19:10 PM PST 2026
_DATE = re.compile(
    r"[A-Z][a-z]{2} (?P<month>[A-Z][a-z]{2}) +(?P<day>\d\d?) (?P<hour>\d\d?):(?P<minute>\d\d)"
    r":(?P<second>\d\d)(?: (?P<half>[AP]M))?(?: (?P<zone>[A-Z]{1,5}|[+-]\d\d(?:\d\d)?))? "
    r"(?P<year>\d{4})$"
)
# Fri 20 Nov 2026 10:19:10 PM PST: en_US with glibc 2.29 and 2.30
_DATE_DAY_FIRST = re.compile(
    r"[A-Z][a-z]{2} (?P<day>\d\d?) (?P<month>[A-Z][a-z]{2}) (?P<year>\d{4}) "
    r"(?P<hour>\d\d?):(?P<minute>\d\d):(?P<second>\d\d)(?: (?P<half>[AP]M))?"
    r"(?: (?P<zone>[A-Z]{1,5}|[+-]\d\d(?:\d\d)?))?$"
)
# Nov 20, 2026, 10:19:10 pm | 20 Nov 2026 22:19: as browsers print a time in English
_NAMED = re.compile(
    r"(?:(?P<month>[A-Z][a-z]{2}) (?P<day>\d\d?),|(?P<d>\d\d?) (?P<m>[A-Z][a-z]{2})) "
    r"(?P<year>\d{4}),? "
    r"(?P<hour>\d\d?):(?P<minute>\d\d)(?::(?P<second>\d\d))?(?:[ \u202f](?P<half>[AaPp][Mm]))?$"
)
_EPOCH_SCALE = {10: 1_000_000, 13: 1_000, 16: 1}
_LONGEST = 64
_EARLIEST, _LATEST = 631_152_000, 4_102_444_800  # 1990 and 2100, in seconds


def read_stamp(text: str) -> tuple[int, Clock] | None:
    """Read one printed time as (microseconds, clock); None for any other text."""
    if len(text) > _LONGEST:
        return None
    text = text.strip().strip('"')
    if match := _ISO.match(text):
        wall = local_us(
            match["year"],
            match["month"],
            match["day"],
            match["hour"],
            match["minute"],
            match["second"] or 0,
            match["fraction"],
        )
        return _zoned(wall, match["zone"])
    if match := _DATE.match(text) or _DATE_DAY_FIRST.match(text):
        month = MONTHS.get(match["month"])
        hour = int(match["hour"])
        if match["half"]:
            hour = hour % 12 + (12 if match["half"] == "PM" else 0)
        if month is None:
            return None
        wall = local_us(match["year"], month, match["day"], hour, match["minute"], match["second"])
        return _zoned(wall, match["zone"])
    if match := _NAMED.match(text):
        return _named(match)
    return _epoch(text)


def _named(match: re.Match[str]) -> tuple[int, Clock] | None:
    month = MONTHS.get(match["month"] or match["m"])
    hour = int(match["hour"])
    if match["half"]:
        hour = hour % 12 + (12 if match["half"] in ("PM", "pm", "Pm") else 0)
    if month is None:
        return None
    day = match["day"] or match["d"]
    return _zoned(
        local_us(match["year"], month, day, hour, match["minute"], match["second"] or 0), None
    )


def _zoned(wall: int | None, zone: str | None) -> tuple[int, Clock] | None:
    if wall is None:
        return None
    if zone and (minutes := printed_offset(zone)) is not None:
        return wall - minutes * 60_000_000, "utc"
    if zone and zone[0] in "+-":
        digits = zone[1:].replace(":", "").ljust(4, "0")
        minutes = int(digits[:2]) * 60 + int(digits[2:])
        shift = minutes * 60_000_000
        return (wall - shift if zone[0] == "+" else wall + shift), "utc"
    return wall, "local"


def _epoch(text: str) -> tuple[int, Clock] | None:
    """Read epoch seconds (with a fraction), milli-, micro- or nanoseconds, by count of digits."""
    whole, _, fraction = text.partition(".")
    if not whole.isascii() or not whole.isdecimal() or (fraction and not fraction.isdecimal()):
        return None
    if len(whole) == 19 and not fraction:
        micros = int(whole) // 1000
    elif len(whole) in _EPOCH_SCALE:
        scale = _EPOCH_SCALE[len(whole)]
        micros = int(whole) * scale
        if fraction and scale == 1_000_000:
            micros += int((fraction + "000000")[:6])
    else:
        return None
    return (micros, "utc") if _EARLIEST <= micros // 1_000_000 <= _LATEST else None
