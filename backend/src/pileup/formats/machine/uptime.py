"""uptime, w, /proc/loadavg: tasks that run or wait for a CPU or a disk, and the uptime.

Source: uptime(1), w(1) of procps; loadavg_proc_show() of Linux. Linux counts processes in state D
        too, so a slow disk raises the load of idle CPUs.
Yields: uptime.load1, .load5, .load15, .users, .up (seconds); of loadavg also uptime.running and
        uptime.tasks. The sessions that w lists are a table for each listing.
Time:   of day only, counted from the first; under TS lines absolute.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.reading.pt_stalk_samples import TsClock
from pileup.formats.reading.series_columns import Columns, number
from pileup.formats.reading.timestamps import read_stamp
from pileup.records import Clock, Item, Problem, Table

NAME = "uptime"
TITLE = "uptime, w, /proc/loadavg"
GIVES = "Load, users, how long it is up (`uptime.*`); the sessions of w as a table."
PRINTED_BY = "procps: `uptime`, `w`; `/proc/loadavg`"
VERSION = 4
HINTS = ("-uptime", "uptime.txt", "-loadavg", "loadavg.txt")

# 10:25:20 up 16:03,  2 users,  load average: 0.00, 0.01, 0.05
_UPTIME = re.compile(
    r" *(?P<time>\d{1,2}:\d\d(?::\d\d)?(?:[ap]m)?) +up +(?P<up>\S.{0,60}?)"
    r"(?:, +(?P<users>\d+) users?)?, +load averages?: (?P<loads>\d[\d., ]{4,60})$"
)
# load average: 0.00, 0.01, 0.05     without what is before it
_LOADS = re.compile(r"\s*[Ll]oad averages?\s?[:=]\s*(?P<loads>\d{1,6}[.,]\d\d[\d., ]{8,40})$")
# 0.20 0.18 0.12 1/80 11206
_LOADAVG = re.compile(
    r"(?P<loads>\d{1,6}\.\d\d \d{1,6}\.\d\d \d{1,6}\.\d\d) "
    r"(?P<running>\d{1,7})/(?P<tasks>\d{1,8}) \d{1,8}\s*$"
)
_UP_PART = re.compile(
    r"(?:(?P<count>\d{1,6}) *(?P<unit>[a-z]+)(?:\(s\))?|(?P<h>\d{1,2}):(?P<m>\d\d))(?:,|$) *"
)
_UP_S = {"sec": 1, "min": 60, "hr": 3600, "hour": 3600, "day": 86_400, "week": 604_800}
_W = re.compile(r"USER +TTY +(?:FROM +)?LOGIN@ +IDLE")
_MOST_SESSIONS = 10_000
_LONGEST = 300


def sniff(head: str) -> bool | None:
    """Return whether the first line that is not a time is of uptime, w or /proc/loadavg."""
    for line in head.split("\n")[:20]:
        text = line[:_LONGEST].rstrip()
        if not text.strip() or text.startswith("TS ") or read_stamp(text) is not None:
            continue
        return bool(_UPTIME.match(text) or _LOADAVG.match(text) or _LOADS.match(text))
    return False


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the samples of uptime, w and loadavg, and the sessions of w as Tables."""
    columns, time, sessions = Columns(), TsClock(), _Sessions()
    first_s: int | None = None
    for line_number, raw in enumerate(lines, start=1):
        text = raw[:_LONGEST].rstrip()
        if stamp := time.stamp(line_number, text):
            yield from sessions.end()
            if not isinstance(stamp, bool):
                yield stamp
            continue
        if not text.strip():
            continue
        values: dict[str, tuple[float | None, str | None]] = {}
        if match := _UPTIME.match(text):
            yield from sessions.end()
            second = _second_of_day(match["time"])
            if time.clock == "relative" and second is not None:
                first_s = second if first_s is None else first_s
                time.wall = ((second - first_s) % 86_400) * 1_000_000
            up_s = _up_s(match["up"])
            values["up"] = up_s, "s"
            if up_s is None:
                yield Problem(line_number, "An uptime that cannot be read.", found=match["up"])
            if match["users"]:
                values["users"] = number(match["users"]), "users"
        elif match := _LOADS.match(text):
            yield from sessions.end()
        elif match := _LOADAVG.match(text):
            time.copy()
            values["running"] = number(match["running"]), "tasks"
            values["tasks"] = number(match["tasks"]), "tasks"
        elif (date := read_stamp(text)) is not None:
            time.date(*date)
            continue
        else:
            if _W.match(text):
                yield from sessions.end()
                sessions.begin(line_number, text, time)
            elif not sessions.row(line_number, text):
                yield Problem(
                    line_number, "Not a line of uptime or w; it is left out.", found=text[:200]
                )
            continue
        loads = re.findall(r"\d+[.,]\d+", match["loads"])
        for name, load in zip(("load1", "load5", "load15"), loads, strict=False):
            values[name] = number(load), "tasks"
        for name, (value, unit) in values.items():
            columns.add(
                f"uptime.{name}",
                value,
                wall=time.wall,
                clock=time.clock,
                line=line_number,
                unit=unit,
            )
        if columns.full:
            yield from columns.flush()
    yield from sessions.end()
    yield from columns.flush()


class _Sessions:
    """The listing of w below a line of uptime."""

    def __init__(self) -> None:
        self._columns: tuple[str, ...] = ()
        self._from: tuple[int, int] | None = None
        """Start and end of the FROM cell, which is empty for a session on a console."""
        self._rows: list[tuple[str | None, ...]] = []
        self._lines = (0, 0)
        self._wall: int | None = None
        self._clock: Clock | None = None

    def begin(self, line: int, text: str, time: TsClock) -> None:
        self._columns = tuple(text.split())
        self._from = None
        if "FROM" in self._columns:
            self._from = text.index("FROM"), text.index("LOGIN@")
        self._lines = (line, line)
        timed = time.clock != "relative"
        self._wall, self._clock = (time.wall, time.clock) if timed else (None, None)

    def row(self, line: int, text: str) -> bool:
        """Add a session; return False if the line is none."""
        columns = self._columns
        if self._from and not text[slice(*self._from)].strip():
            text = f"{text[: self._from[0]]} - {text[self._from[1] :]}"
        cells = text.split(None, len(columns) - 1) if columns else []
        if not cells or len(cells) < len(columns) - 1:  # an ending session has no command
            return False
        self._lines = (self._lines[0], line)
        if len(self._rows) < _MOST_SESSIONS:
            named: list[str | None] = [None if cell == "-" else cell for cell in cells]
            self._rows.append((*named, *[None] * (len(columns) - len(cells))))
        return True

    def end(self) -> Iterator[Table]:
        if self._rows:
            yield Table(
                line_first=self._lines[0],
                line_last=self._lines[1],
                wall_us=self._wall,
                clock=self._clock,
                name="w",
                columns=self._columns,
                rows=tuple(self._rows),
            )
        self._columns, self._rows = (), []


def _second_of_day(text: str) -> int | None:
    hours, minutes, *rest = text.rstrip("apm").split(":")
    hour = int(hours)
    if text.endswith("m"):
        hour = hour % 12 + (12 if text.endswith("pm") else 0)
    second = hour * 3600 + int(minutes) * 60 + (int(rest[0]) if rest else 0)
    return second if second < 86_400 else None


def _up_s(text: str) -> float | None:
    """Convert '38 days,  1:34', '16:03', '50 min', '1 day' or '2 days, 5 min' to seconds."""
    at = seconds = 0
    text = text.strip()
    while at < len(text):
        part = _UP_PART.match(text, at)
        scale = _UP_S.get((part["unit"] or "").removesuffix("s")) if part else None
        if part is None or (part["unit"] and scale is None):
            return None
        hours = int(part["h"] or 0) * 3600 + int(part["m"] or 0) * 60
        seconds += int(part["count"]) * scale if scale else hours
        at = part.end()
    return float(seconds)
