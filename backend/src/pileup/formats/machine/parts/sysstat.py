"""Parsers that the tools of sysstat share: the banner's date, times of day, sizes with a letter.

Source: strftime with %x for the banner and %X for each line, in common.c: the locale decides. The
        C locale prints 11/20/26 and 22:19:59, en_US 11/20/2026 and 10:19:59 PM, German 20.11.2026,
        Chinese 2026年11月20日 and 22时19分59秒, en_IN prints its zone after the time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pileup.formats.reading.series_columns import number
from pileup.formats.reading.wall_clock import MONTHS, local_us

# Linux 6.18.44 (db-ads-02) \t11/20/26 \t_x86_64_\t(2 CPU)
# Linux 2.6.9-22.ELsmp (db1) \t11/20/2006          (before sysstat 8)
BANNER = re.compile(
    r"Linux \S+ \((?P<host>[^)]*)\)\s+(?P<date>\S[^\t]{5,60}?)(?:[\t ]+_.*|[\t ]*)$"
)
_DATE = re.compile(r"(?P<a>\d{1,4})(?P<sign>[-/.])(?P<b>\d{1,2})[-/.](?P<c>\d{2,4})$")
_EASTERN_DATE = re.compile(r"(\d{4})(?:年|년 ?)(\d{1,2})(?:月|월 ?)(\d{1,2})[日일]")
_LONG_DATE = re.compile(r"(?:[A-Z][a-z]+,? )?(\d{1,2}) ([A-Z][a-z]{2})[a-z]* (\d{4})$")
CLOCK = re.compile(r"(?P<h>\d{1,2}):(?P<m>\d\d):(?P<s>\d\d)(?: (?P<half>[AP]M))?$")
_HALVES = {
    **dict.fromkeys(("AM", "am", "上午", "午前", "오전", "πμ", "पूर्वाह्न"), "AM"),
    **dict.fromkeys(("PM", "pm", "下午", "午後", "오후", "μμ", "अपराह्न"), "PM"),
}
_HALF = "|".join(_HALVES)
_ZONES = "IST|NPT|PKT|BDT|GMT|UTC|BST|CET|CEST|EET|EEST|MSK"
# Pattern of a time as any locale prints it.
TIME = (
    rf"(?:(?:{_HALF}) ?)?\d{{1,2}}(?:[:.时時]|시 )\d\d(?:[:.分]|분 )\d\d[秒초]?"
    rf"(?: (?:{_HALF}))?(?: +(?:{_ZONES})(?=\s))?"
)
_TIME = re.compile(
    rf"(?:(?P<first>{_HALF}) ?)?(?P<h>\d{{1,2}})(?:[:.时時]|시 )(?P<m>\d\d)(?:[:.分]|분 )"
    rf"(?P<s>\d\d)[秒초]?(?: (?P<half>{_HALF}))?(?: +(?:{_ZONES}))?(?=\s|$)"
)
_TIMED = re.compile(r"(\d{1,2}:\d\d:\d\d(?: [AP]M)?|\d{9,11})\s+(\S.*)$")
_SIZE = re.compile(r"(\d{1,15}(?:[.,]\d{1,6})?)([BkKMGTP])")
_KIB = {
    "B": 1 / 1024,
    "k": 1.0,
    "K": 1.0,
    **{name: 1024.0**at for at, name in enumerate("MGTP", 1)},
}


class _Date(NamedTuple):
    """A date; ``unsure`` if day and month may be swapped."""

    year: int
    month: int
    day: int
    unsure: bool = False


def read_date(text: str, *, half_days: bool = True) -> tuple[int, int, int] | None:
    """Parse the date of a banner into year, month, day; None if it is none.

    05/11/2026 is in May with a clock of twelve hours (``half_days``), as in en_US, and in November
    without.
    """
    date = _read_date(text)
    if date is None:
        return None
    return (date.year, date.day, date.month) if date.unsure and not half_days else date[:3]


def _read_date(text: str) -> _Date | None:
    if match := _EASTERN_DATE.match(text):
        return _Date(int(match[1]), int(match[2]), int(match[3]))
    if match := _LONG_DATE.match(text):
        month = MONTHS.get(match[2])
        return _Date(int(match[3]), month, int(match[1])) if month else None
    if not (match := _DATE.match(text)):
        return None
    a, b, c = int(match["a"]), int(match["b"]), int(match["c"])
    if a > 31:
        return _Date(a, b, c)
    year = c + 2000 if c < 100 else c
    if a > 12 or match["sign"] != "/":
        return _Date(year, b, a)
    return _Date(year, a, b, unsure=c >= 100 and b <= 12)


class DayClock:
    """Converts times of day to wall clock times with the banner's date, carried over midnight."""

    def __init__(self) -> None:
        self._date = ""
        self._midnight: int | None = None
        self._days = 0
        self._last = -1

    def banner(self, line: str) -> bool:
        match = BANNER.match(line)
        if match:
            self.begin(match["date"])
        return match is not None

    def begin(self, date: str) -> None:
        """Begin with a date as printed."""
        self._date, self._midnight = date, None
        self.restart()

    def restart(self) -> None:
        """Begin another table of the same day."""
        self._days, self._last = 0, -1

    def wall(self, text: str) -> int | None:
        """Convert '22:19:59' or '04:24:11 PM' to microseconds; None without a date."""
        match = CLOCK.match(text)
        if not match:
            return None
        if self._date:
            date = read_date(self._date, half_days=match["half"] is not None)
            self._midnight = local_us(*date) if date else None
            self._date = ""
        if self._midnight is None:
            return None
        hour = int(match["h"])
        if match["half"]:
            hour = hour % 12 + (12 if match["half"] == "PM" else 0)
        second = hour * 3600 + int(match["m"]) * 60 + int(match["s"])
        if second < self._last - 3600:
            self._days += 1
        self._last = second
        return self._midnight + (self._days * 86_400 + second) * 1_000_000


def cells_after_time(line: str) -> tuple[str, list[str]] | None:
    """Split a line of sar, mpstat or pidstat into its time and cells; None for another line.

    The time is '12:06:39 PM', '22:19:59', or the epoch that pidstat -h prints; a time of another
    locale is converted to this form.
    """
    match = _TIMED.match(line)
    if match and not line[match.end(1) :].lstrip().startswith(_AFTER_TIME):
        return match[1], match[2].split()
    if not (match := _TIME.match(line)):
        return None
    cells = line[match.end() :].split()
    return (_plain(match), cells) if cells else None


def are_rows_of_cpus(head: str, known: Sequence[tuple[str, ...]]) -> bool:
    """Return whether nearly all lines are rows of shares of the CPU without their heading."""
    lines = [line[:_LONGEST].strip() for line in head.split("\n")[:_MOST_SNIFFED]]
    lines = [line for line in lines if line and not BANNER.match(line)]
    rows = 0
    for line in lines:
        timed = cells_after_time(line)
        rows += timed is not None and columns_of_cpu(line, timed[1], known) is not None
    return rows >= _LEAST_ROWS and rows >= len(lines) - 1


def columns_of_cpu(
    line: str, cells: Sequence[str], known: Sequence[tuple[str, ...]]
) -> tuple[str, ...] | None:
    """Return which of the ``known`` columns a row without a heading has; None for another line.

    The first cell names the CPU. The shares add up to a hundred, each rounded. Columns of sar are
    wider than those of mpstat, where their blanks are left.
    """
    columns = next((names for names in known if len(names) == len(cells) - 1), None)
    if columns is None or not _CPU_NAME.fullmatch(cells[0]):
        return None
    is_wide = len(_WIDE.findall(line)) > _FEW_WIDE
    if len(columns) > _ALIKE and is_wide != (columns in WIDE):
        return None
    shares = [cell.replace(",", ".") for cell in cells[1:]]
    if not all(map(_SHARE.fullmatch, shares)):
        return None
    return columns if abs(sum(map(float, shares)) - 100) <= _ROUNDED * len(shares) else None


_CPU_NAME = re.compile(r"all|\d{1,4}")
_SHARE = re.compile(r"\d{1,3}\.\d\d")
_WIDE = re.compile(r" {5,9}\d{1,3}[.,]\d\d(?= )")
_FEW_WIDE = 2
_ALIKE = 8
"""So many shares and more mean other things in mpstat and in ``sar -u ALL``."""
WIDE = (
    (
        *("%usr", "%nice", "%sys", "%iowait", "%steal"),
        *("%irq", "%soft", "%guest", "%gnice", "%idle"),
    ),
)
"""Columns of ``sar -u ALL``."""
_ROUNDED = 0.011
_LEAST_ROWS = 2
_LONGEST = 1000
_MOST_SNIFFED = 40
_AFTER_TIME = (*_HALVES, *_ZONES.split("|"))


def _plain(match: re.Match[str]) -> str:
    half = _HALVES.get(match["first"] or match["half"] or "")
    return f"{match['h']}:{match['m']}:{match['s']}" + (f" {half}" if half else "")


def stamp(line: str) -> int | None:
    """Convert the date and time above a report of iostat -t, in any locale, to microseconds."""
    for end in _TIME.finditer(line):
        date, time = line[: end.start()].strip(), CLOCK.match(_plain(end))
        if end.end() < len(line.rstrip()) or not date or time is None:
            continue
        if day := read_date(date, half_days=time["half"] is not None):
            hour = int(time["h"])
            if time["half"]:
                hour = hour % 12 + (12 if time["half"] == "PM" else 0)
            return local_us(*day, hour, time["m"], time["s"])
    return None


def time_of_day(text: str) -> str | None:
    """Convert a time of day of any locale to the form '11:04:27 AM'; None for other text."""
    match = _TIME.fullmatch(text.strip())
    return _plain(match) if match else None


def sized(cell: str) -> float | None:
    """Convert a number, or a size of --human such as '1.5M' to KiB; None for other text."""
    if match := _SIZE.fullmatch(cell):
        return float(match[1].replace(",", ".")) * _KIB[match[2]]
    return number(cell)
