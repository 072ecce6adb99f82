"""Recognise a line that prints the time of what follows: ``date`` in any locale, ISO, an epoch.

Source: loops such as ``while :; do date; mysql -e 'show full processlist'; sleep 2; done``; what
        scripts print as headings (``===== 2026-11-23 07:24:47 =====``, ``# 2026-11-23T07:24:47Z``,
        ``--- db-1 Mon Nov 23 07:24:47 UTC 2026``).
            Mon Nov 23 07:24:47 UTC 2026             lun. 23 nov. 2026 07:24:47 CET
            Mo 23. Nov 07:24:47 CET 2026             2026年 11月 23日 月曜日 07:24:47 JST
        Of a line that is only a time of day the clock is 'dayless'.
Note:   a line with more than a few further words is text that contains a date, and so is a
        date whose day and month could be swapped (03/04/2026).
"""

from __future__ import annotations

import functools
import re
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from pileup.formats.reading.timestamps import read_stamp
from pileup.formats.reading.wall_clock import local_us
from pileup.records import Clock
from pileup.records.zones import printed_offset

_LONGEST = 160
_MOST_WORDS = 6
_LONGEST_REST = 60
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_TIME = re.compile(
    r"(?<![\d:.])(?P<hour>\d{1,2})(?:\s?[:時时시]\s?)(?P<minute>\d\d)(?:\s?[:分분]\s?)(?P<second>\d\d)"
    r"\s?[秒초]?(?:[.,](?P<fraction>\d{1,9}))?(?![\d:])"
)
_HALF = re.compile(
    r"(?<![^\W\d_])(?:(?P<half>[AaPp])\.?\s?[Mm]\.?|(?P<words>[上下]午|午[前後]|오[전후]))(?!\w)"
)
_AFTERNOON = ("下午", "午後", "오후")
_ZONE = re.compile(
    r"\(?(?P<zone>(?:UTC|GMT)?[+-]\d\d:?\d\d|[+-]\d\d(?!\d)|(?<![^\W\d_])[A-Z]{1,4}(?!\w))\)?"
)
_YEAR_FIRST = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?:[-/.]\s?|\s?[年년]\s{0,2})(?P<month>\d{1,2})"
    r"(?:[-/.]\s?|\s?[月월]\s{0,2})(?P<day>\d{1,2})(?!\d)\s?[日일.]?T?"
)
_DAY_FIRST = re.compile(
    r"(?<!\d)(?P<a>\d{1,2})(?P<mark>[./-])\s?(?P<b>\d{1,2})(?P=mark)\s?(?P<year>(?:19|20)\d\d)(?!\d)"
)
_DAY_MONTH = re.compile(
    r"(?<![\d:])(?P<day>\d{1,2})(?:\.|er|º|ª|-)?\s?(?:de\s|d')?(?P<month>[^\W\d_]{3,14})\.?"
)
_MONTH_DAY = re.compile(
    r"(?<![^\W\d_])(?P<month>[^\W\d_]{3,14})\.?\s{1,2}(?P<day>\d{1,2})(?![\d:])"
)
_YEAR = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d\d)(?!\d)")
_DECORATION = re.compile(r"[\s#=*_+<>\[\]():,.;'\"~@|/\\\u2013\u2014-]+")
_SQL = re.compile(
    r"\s*(?:select|insert|update|delete|set|show|call|where|and|values)\b", re.IGNORECASE
)
_EPOCH_LINE = re.compile(
    r"[\s#=*:-]*(?:(?:ts|time|epoch)[\s:=]+)?(1\d{9}(?:\.\d{1,9})?)[\s#=*-]*$", re.IGNORECASE
)

_MARKS = r"[\s#=*_+<>\[\]():.~@|\u2013\u2014-]{0,80}"
_TIME_LINE = re.compile(
    rf"{_MARKS}(?P<printed>(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?:[.,](?P<fraction>\d{{1,9}}))?){_MARKS}"
)

# The beginnings of each month's name, in the languages whose locales servers run.
_STEMS = {
    1: "jan jän gen janv ene янв sty led oca tammi ian січ ιαν",
    2: "feb fév fev febr фев lut úno uno şub helmi лют φεβ",
    3: "mar mär mrz mrt maa мар bře bre maalis бер már μαρ",
    4: "apr avr abr апр kwi dub nis huhti ápr кві απρ",
    5: "may mai maj mei mag май мая kvě kve touko máj тра μαΐ μαϊ",
    6: "jun juin giu июн cze čer haz kesä jún чер ιουν",
    7: "jul juil lug июл lip čvc tem heinä júl лип ιουλ",
    8: "aug aoû aou ago ağu авг sie srp elo сер αυγ",
    9: "sep set сен wrz zář eyl syys szept вер σεπ",
    10: "oct okt out ott окт paź říj eki loka жов οκτ",
    11: "nov ноя lis kas marras noi лис νοε",
    12: "dec dez déc dic des дек gru pro ara joulu гру δεκ",
}
_MONTHS = sorted(
    ((stem, number) for number, stems in _STEMS.items() for stem in stems.split()),
    key=lambda item: -len(item[0]),
)


class DateLine(NamedTuple):
    """The time of a line."""

    wall_us: int
    clock: Clock
    printed: str
    """The wall clock as printed: '2026-11-23 07:24:47'."""


def read_date_line(text: str, *, most_words: int = _MOST_WORDS) -> DateLine | None:
    """Read the time of a line that is a date and at most a few words; None for any other line."""
    if len(text) > _LONGEST or "\t" in text:
        return None
    time = _TIME.search(text) if _YEAR.search(text) else None  # every date has a year
    if time is None:
        return _epoch_line(text) or _time_line(text)
    if _SQL.match(text):
        return None
    rest = f"{text[: time.start()]}\x00{text[time.end() :]}"
    date = _year_first(rest) or _named(rest) or _day_first(rest)
    if date is None:
        return None
    year, month, day, rest = date
    hour = int(time["hour"])
    if half := _HALF.search(rest):
        afternoon = (half["half"] or "").lower() == "p" or half["words"] in _AFTERNOON
        hour = hour % 12 + (12 if afternoon else 0)
        rest = rest[: half.start()] + rest[half.end() :]
    shift, rest = _zone(rest)
    left = _DECORATION.sub(" ", rest.replace("\x00", " ")).strip()
    if len(left) > _LONGEST_REST or len(left.split()) > most_words:
        return None
    wall = local_us(year, month, day, hour, time["minute"], time["second"], time["fraction"])
    if wall is None:
        return None
    printed = (_EPOCH + timedelta(seconds=wall // 1_000_000)).strftime("%Y-%m-%d %H:%M:%S")
    return (
        DateLine(wall, "local", printed)
        if shift is None
        else DateLine(wall - shift, "utc", printed)
    )


def _zone(text: str) -> tuple[int | None, str]:
    """Return the offset of the first zone in microseconds, None without one, and the rest."""
    for match in _ZONE.finditer(text):
        shift = _offset_us(match["zone"])
        if shift is not None:
            return shift, f"{text[: match.start()]} {text[match.end() :]}"
    return None, text


def _offset_us(zone: str) -> int | None:
    """Return the offset of 'UTC', 'CET', '+0100' or 'UTC-08:00' in microseconds; None: no zone."""
    digits = re.sub(r"[^\d]", "", zone)
    if not digits:
        minutes = printed_offset(zone)
        return None if minutes is None else minutes * 60_000_000
    digits = digits.ljust(4, "0")
    shift = (int(digits[:2]) * 60 + int(digits[2:4])) * 60_000_000
    return -shift if "-" in zone else shift


def _epoch_line(text: str) -> DateLine | None:
    """Read ``date +%s`` on a line of its own, also behind ``#`` or a word such as ``ts``."""
    match = _EPOCH_LINE.match(text)
    stamp = read_stamp(match[1]) if match else None
    if stamp is None:
        return None
    printed = (_EPOCH + timedelta(seconds=stamp[0] // 1_000_000)).strftime("%Y-%m-%d %H:%M:%S")
    return DateLine(stamp[0], "utc", printed)


def _time_line(text: str) -> DateLine | None:
    """Read ``date +%T`` on a line of its own, also in a rule: a time of day without a date."""
    match = _TIME_LINE.fullmatch(text)
    wall = match and local_us(
        1970, 1, 1, match["hour"], match["minute"], match["second"], match["fraction"]
    )
    return None if match is None or wall is None else DateLine(wall, "dayless", match["printed"])


_Date = tuple[int, int, int, str]
"""Year, month, day, and the text without them."""


def _year_first(text: str) -> _Date | None:
    match = _YEAR_FIRST.search(text)
    if match is None:
        return None
    rest = f"{text[: match.start()]} {text[match.end() :]}"
    return int(match["year"]), int(match["month"]), int(match["day"]), rest


def _day_first(text: str) -> _Date | None:
    """Read 23.11.2026 or 23/11/2026; None where day and month could be swapped."""
    match = _DAY_FIRST.search(text)
    if match is None:
        return None
    a, b = int(match["a"]), int(match["b"])
    if match["mark"] == "." or a > 12:
        day, month = a, b
    elif b > 12 or a == b:
        day, month = b, a
    else:
        return None
    return int(match["year"]), month, day, f"{text[: match.start()]} {text[match.end() :]}"


def _named(text: str) -> _Date | None:
    """Read a date with the month's name: the day is in front of it, or else behind it."""
    for pattern in (_DAY_MONTH, _MONTH_DAY):
        at = 0
        while match := pattern.search(text, at):
            month = month_of(match["month"])
            if month is None:
                at = match.start() + 1
                continue
            rest = f"{text[: match.start()]} {text[match.end() :]}"
            year = _YEAR.search(rest)
            if year is None:
                return None
            rest = f"{rest[: year.start()]} {rest[year.end() :]}"
            return int(year["year"]), month, int(match["day"]), rest
    return None


@functools.lru_cache(maxsize=256)
def month_of(word: str) -> int | None:
    """Return the month that a word names, in full or by its beginning, in any common language."""
    lower = word.lower()
    return next((number for stem, number in _MONTHS if lower.startswith(stem)), None)


__all__ = ["DateLine", "month_of", "read_date_line"]
