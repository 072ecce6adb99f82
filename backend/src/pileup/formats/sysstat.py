"""What the tools of sysstat share: the banner with its date, and times of day."""

from __future__ import annotations

import re

from pileup.formats.times import local_us

# Linux 6.18.44 (db-ads-02) \t11/20/26 \t_x86_64_\t(2 CPU)
# Linux 2.6.9-22.ELsmp (db1) \t11/20/2006          (before sysstat 8)
BANNER = re.compile(r"Linux \S+ \((?P<host>[^)]*)\)\s+(?P<date>\S+)(?:\s|$)")
_DATE = re.compile(r"(?P<a>\d{1,4})[-/.](?P<b>\d{1,2})[-/.](?P<c>\d{2,4})$")
CLOCK = re.compile(r"(?P<h>\d{1,2}):(?P<m>\d\d):(?P<s>\d\d)(?: (?P<half>[AP]M))?$")


def read_date(text: str) -> tuple[int, int, int] | None:
    """The banner's date: ISO, or month first as the C and US locales print it."""
    match = _DATE.match(text)
    if not match:
        return None
    a, b, c = int(match["a"]), int(match["b"]), int(match["c"])
    if a > 31:
        return a, b, c
    year = c + 2000 if c < 100 else c
    return (year, b, a) if a > 12 else (year, a, b)


class DayClock:
    """Times of day made into wall clocks: the banner's date, carried over midnight."""

    def __init__(self) -> None:
        self._midnight: int | None = None
        self._days = 0
        self._last = -1

    def banner(self, line: str) -> bool:
        match = BANNER.match(line)
        if match:
            date = read_date(match["date"])
            self._midnight = local_us(*date) if date else None
            self._days, self._last = 0, -1
        return match is not None

    def restart(self) -> None:
        """Another table of the same day begins."""
        self._days, self._last = 0, -1

    def wall(self, text: str) -> int | None:
        """Microseconds of a time such as '22:19:59' or '04:24:11 PM'; None without a date."""
        match = CLOCK.match(text)
        if not match or self._midnight is None:
            return None
        hour = int(match["h"])
        if match["half"]:
            hour = hour % 12 + (12 if match["half"] == "PM" else 0)
        second = hour * 3600 + int(match["m"]) * 60 + int(match["s"])
        if second < self._last - 3600:
            self._days += 1
        self._last = second
        return self._midnight + (self._days * 86_400 + second) * 1_000_000


_TIMED = re.compile(r"(\d{1,2}:\d\d:\d\d(?: [AP]M)?|\d{9,11})\s+(\S.*)$")


def cells_after_time(line: str) -> tuple[str, list[str]] | None:
    """The time that begins a line of sar, mpstat or pidstat, and the cells that follow it.

    '12:06:39 PM', '22:19:59', or the epoch that pidstat -h prints; None for another line.
    """
    match = _TIMED.match(line)
    return (match[1], match[2].split()) if match else None
