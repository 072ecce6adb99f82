"""Parsers for times and numbers in cells, as dashboards and spreadsheets print them.

Times:   auto is what ``timestamps`` reads (ISO, date output, epoch by digits); dmy and mdy are for
         dates that only a person or other rows disambiguate; excel counts days since 1899-12-30;
         elapsed_s counts seconds since the recording began.
Numbers: 1.234,5 | 1,234.5 | 1 234,5 | 1.2 K | 35 ms | 12 % | 3.4 MiB/s. Durations come out in
         seconds and sizes in bytes, because a dashboard changes the unit from row to row.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, get_args

from pileup.formats.reading.timestamps import read_stamp
from pileup.formats.reading.wall_clock import local_us
from pileup.records import Clock

TimeFormat = Literal[
    "auto", "dmy", "mdy", "epoch_s", "epoch_ms", "epoch_us", "epoch_ns", "excel", "elapsed_s"
]
TIME_FORMATS: tuple[TimeFormat, ...] = get_args(TimeFormat)
NULLS = {"", "null", "nan", "none", "-", "n/a", "na", "undefined", "#n/a", "nil", "\\n"}

# 20.11.2026 22:19:10 | 11/20/2026, 10:19:10 PM | 20-11-26 22:19
_DATE = re.compile(
    r"(?P<a>\d{1,2})[./-](?P<b>\d{1,2})[./-](?P<year>\d{4}|\d\d),?[ T]+(?P<hour>\d{1,2}):"
    r"(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9}))?)?"
    r"(?:\s*(?P<half>[AaPp])\.?[Mm]\.?)?$"
)
_EPOCHS = {"epoch_s": 1e6, "epoch_ms": 1e3, "epoch_us": 1.0, "epoch_ns": 1e-3}
_EXCEL_EPOCH_DAYS = 25_569
_LONGEST = 64
_EARLIEST, _LATEST = 631_152_000_000_000, 4_102_444_800_000_000  # 1990 and 2100

_NUMBER = re.compile(
    r"(?P<number>[-+]?(?:\d[\d .,'\u00a0\u202f\u2009]*\d|\d|[.,]\d+)(?:[eE][-+]?\d{1,3})?)"
    r"(?P<unit>\s*[^\d\s][^\d]{0,15})?$"
)
_SPACES = re.compile(r"[ '\u00a0\u202f\u2009]")
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:([.,])\d{3})+$")
_SI = {
    "k": 1e3,
    "K": 1e3,
    "Mil": 1e6,
    "M": 1e6,
    "Bil": 1e9,
    "G": 1e9,
    "B": 1e9,
    "Tri": 1e12,
    "T": 1e12,
}
_SECONDS = {
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "μs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "sec": 1.0,
    "secs": 1.0,
    "seconds": 1.0,
    "min": 60.0,
    "mins": 60.0,
    "minutes": 60.0,
    "hour": 3600.0,
    "hours": 3600.0,
    "h": 3600.0,
    "day": 86_400.0,
    "days": 86_400.0,
}
_BYTES = {
    "B": 1.0,
    "byte": 1.0,
    "bytes": 1.0,
    **{f"{p}iB": 1024.0 ** (i + 1) for i, p in enumerate("KMGTP")},
    **{f"{p}B": 1000.0 ** (i + 1) for i, p in enumerate("KMGTP")},
    "kB": 1e3,
    "KB": 1e3,
}
_RATES = {"ops/s", "req/s", "reqps", "rps", "cps", "qps", "tps", "iops", "io/s", "c/s", "/s"}


def read_time(text: str, how: TimeFormat) -> tuple[int, Clock] | None:
    """Convert a cell (or date and time joined by a space) to microseconds and a clock, or None."""
    text = text.strip().strip('"')
    if not text or len(text) > _LONGEST:
        return None
    if how == "auto":
        return read_stamp(text)
    if how in ("dmy", "mdy"):
        return _date(text, day_first=how == "dmy")
    try:
        number = float(text.replace(",", ".") if text.count(",") == 1 else text)
    except ValueError:
        return None
    if number - number != 0:
        return None
    if how == "elapsed_s":
        return (round(number * 1e6), "relative") if 0 <= number < 1e9 else None
    if how == "excel":
        millis = (number - _EXCEL_EPOCH_DAYS) * 86_400_000
        if not _EARLIEST <= millis * 1000 <= _LATEST:  # before rounding: it may be infinite
            return None
        return round(millis) * 1000, "local"
    whole = int(text) if how == "epoch_ns" and text.isdecimal() else None
    scaled = whole // 1000 if whole is not None else number * _EPOCHS[how]
    return (round(scaled), "utc") if _EARLIEST <= scaled <= _LATEST else None


def _date(text: str, *, day_first: bool) -> tuple[int, Clock] | None:
    match = _DATE.match(text)
    if match is None:
        return None
    day, month = (match["a"], match["b"]) if day_first else (match["b"], match["a"])
    year = int(match["year"]) + (2000 if len(match["year"]) == 2 else 0)
    hour = int(match["hour"])
    if match["half"]:
        hour = hour % 12 + (12 if match["half"] in "Pp" else 0)
    wall = local_us(
        year, month, day, hour, match["minute"], match["second"] or 0, match["fraction"]
    )
    return None if wall is None else (wall, "local")


def is_null(text: str) -> bool:
    """Return whether the cell is empty or a word for a gap."""
    return text.strip().lower() in NULLS


def read_number(text: str, decimal: str) -> tuple[float, str | None] | None:
    """Convert a cell to a number and its printed unit; None for anything else, gaps included."""
    text = text.strip()
    if not text or len(text) > _LONGEST:
        return None
    try:  # the common case
        if decimal == "." or text.isdecimal():
            value = float(text) if "_" not in text else None
            if value is not None:
                return (value, None) if value - value == 0 else None
    except ValueError:
        pass
    match = _NUMBER.match(text)
    if match is None:
        return None
    digits = _SPACES.sub("", match["number"])
    other = "," if decimal == "." else "."
    if other in digits:
        grouped = _THOUSANDS.match(digits.partition(decimal)[0])
        if grouped is None or grouped[1] != other:
            return None
        digits = digits.replace(other, "")
    try:
        value = float(digits.replace(decimal, "."))
    except ValueError:
        return None
    if value - value != 0:
        return None
    unit = (match["unit"] or "").strip()
    return _in_base_units(value, unit) if unit else (value, None)


def _in_base_units(value: float, unit: str) -> tuple[float, str | None] | None:
    conversion = _factors(unit)
    if conversion is None:
        return None
    factors, base_unit = conversion
    for factor in factors:
        value *= factor
    return value, base_unit


@lru_cache(maxsize=1000)
def _factors(unit: str) -> tuple[tuple[float, ...], str | None] | None:
    """Return the factors that convert this unit, applied in order, and the base unit."""
    if unit == "%":
        return (), "%"
    if unit.lower() in _RATES:
        return (), "1/s"
    per = re.sub(r"\s*(?:/ ?s|/sec|ps)$", "", unit)
    rate = per != unit
    if per in _BYTES and (per != "B" or rate or unit == "B"):
        return (_BYTES[per],), "B/s" if rate else "B"
    if not rate and unit in _SECONDS:
        return (_SECONDS[unit],), "s"
    prefix, _, rest = unit.partition(" ")
    if prefix in _SI:
        if not rest:
            return (_SI[prefix],), None
        below = _factors(rest.strip())
        return below and ((_SI[prefix], *below[0]), below[1])
    if re.fullmatch(r"[A-Za-zµ°%][\w/%°µ .-]{0,15}", unit):
        return (), unit
    return None


def detect_decimal(cells: list[str]) -> str | None:
    """Detect the decimal sign of these cells; None if none of them has a fraction."""
    commas = points = 0
    for cell in cells:
        match = _NUMBER.match(cell.strip()) if len(cell) <= _LONGEST else None
        if match is None:
            continue
        digits = _SPACES.sub("", match["number"])
        last = max(digits.rfind(","), digits.rfind("."))
        if last < 0:
            continue
        sign = digits[last]
        both = "," in digits and "." in digits
        grouped = _THOUSANDS.match(digits)
        if not both and grouped and digits.count(sign) > 1:
            sign = "." if sign == "," else ","  # 1.234.567: the other one is the decimal
        elif not both and grouped and not digits.startswith(("0", "-0")):
            continue  # 1.234 may be either
        commas, points = commas + (sign == ","), points + (sign == ".")
    if not commas and not points:
        return None
    return "," if commas > points else "."


def day_order(cells: list[str]) -> tuple[TimeFormat, bool] | None:
    """Return dmy or mdy for these dates, and whether that is certain; None if they are neither."""
    dmy = all(read_time(cell, "dmy") is not None for cell in cells)
    mdy = all(read_time(cell, "mdy") is not None for cell in cells)
    if dmy != mdy:
        return ("dmy" if dmy else "mdy"), True
    if not cells or not dmy:
        return None
    if all("." in cell.partition(" ")[0] for cell in cells):  # nobody puts the month first there
        return "dmy", True
    half = any(re.search(r"[AaPp]\.?[Mm]\.?$", cell) for cell in cells)
    return ("mdy", True) if half else ("dmy", False)
