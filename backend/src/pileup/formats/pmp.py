"""Collapsed stacks: pt-pmp, poor man's profiler one-liners, FlameGraph's folded form.

Source: aggregate_stacktrace() in bin/pt-pmp (innermost first, commas, count in front);
        stackcollapse-*.pl of FlameGraph (outermost first, semicolons, count at the end).
Yields: per sample one Snapshot, one Stack per line, and the threads as series stacks.threads.
Units:  counts are threads times samples. ``samples`` is how often ``date`` was printed above a
        block: pt-pmp --iterations prints it once per iteration and sums the counts.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable, Iterator

from pileup.formats import pt_stalk
from pileup.formats.errors import FormatError
from pileup.formats.stack_frames import pmp_frame
from pileup.formats.times import local_us
from pileup.records import (
    Clock,
    Frame,
    Item,
    Problem,
    Samples,
    Section,
    Skipped,
    Snapshot,
    Stack,
)

NAME = "pmp"
TITLE = "collapsed stacks (pt-pmp)"
GIVES = "Stacks with counts, which are threads times samples; `stacks.threads`."
PRINTED_BY = "pt-pmp, poor man's profiler, FlameGraph's folded form"
VERSION = 1
HINTS = ("pmp.txt", ".pmp", ".hier", ".folded", ".collapsed")

#      80 __futex_abstimed_wait_common64,os_cond_wait,os_event_wait_low,start_thread,clone3
#     187 __lll_mutex_lock_wait(libpthread.so.0),pthread_mutex_lock(libpthread.so.0),open_table
_COMMAS = re.compile(r"\s*(?P<count>\d{1,12})[ \t]+(?P<frames>(?:0x|[^\s\d]).*)$")
# mysqld;start_thread;handle_one_connection;do_command;poll 12
_FOLDED = re.compile(r"(?P<frames>[^\s\d;][^;]*(?:;[^;]*)+?) (?P<count>\d{1,12})$")
_COUNT_ONLY = re.compile(r"\s*(?P<count>\d{1,12})\s*$")
# Fri Nov 20 22:19:41 UTC 2026      Fri Nov 20 10:19:41 PM CET 2026
_DATE = re.compile(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?P<month>[A-Z][a-z]{2}) +(?P<day>\d{1,2}) "
    r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?: (?P<half>AM|PM))? "
    r"(?P<zone>[A-Z]{2,5}|[+-]\d{2,4}) (?P<year>\d{4})\s*$"
)
# What tools print around the stacks.
_CHATTER = re.compile(r"awk: |gdb: |warning: |\[|Attaching|\$ |# |cmd\. line|pt-pmp|sort: ")
# A comma in brackets, or brackets in brackets; linear, whatever the line.
_NESTED = re.compile(r"<|\([^()]*[,(]")
_MONTHS = {name: number for number, name in enumerate(calendar.month_abbr) if name}
_MAX_FRAMES = 4096


def sniff(head: str) -> bool | None:
    """True when four of five non-empty lines are collapsed stacks, one at least with two frames."""
    lines = head.split("\n")
    if len(head) >= 60_000 and len(lines) > 1:
        lines.pop()  # cut in the middle
    stacks = other = deep = 0
    for line in lines:
        if not line.strip() or _DATE.match(line) or line.startswith("TS "):
            continue
        if _is_stack(line):
            stacks += 1
            deep += "," in line or ";" in line
        elif not _COUNT_ONLY.match(line) and not _CHATTER.match(line):
            other += 1
    if not deep:
        return False
    return stacks >= 4 * other


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Read every block; a block starts at a date, a TS line, or a higher count after a blank."""
    reader = _Reader()
    for number, line in enumerate(lines, start=1):
        yield from reader.line(number, line)
    yield from reader.end_sample()
    if not reader.stacks_seen:
        raise FormatError(
            "No collapsed stack was found: a line is a count and then function names joined by "
            "commas (pt-pmp) or names joined by semicolons and then a count (folded)."
        )


class _Reader:
    def __init__(self) -> None:
        self.stacks_seen = False
        self._snapshot = -1
        self._dates: list[tuple[int, Clock, str]] = []
        self._clock_told = False
        self._cache: dict[str, Frame] = {}
        self._blank = False
        self._new_sample()

    def _new_sample(self) -> None:
        self._stacks: list[tuple[int, int, tuple[Frame, ...]]] = []
        self._previous: int | None = None

    def line(self, number: int, line: str) -> Iterator[Item]:
        if not line.strip():
            self._blank = True
            return
        folded = _folded(line)
        match = folded or _COMMAS.match(line)
        if match and _plausible(match["frames"]):
            yield from self._stack(number, int(match["count"]), match["frames"], bool(folded))
        elif match := _COUNT_ONLY.match(line):
            # "    356 ": threads whose stack gdb could not read
            yield from self._stack(number, int(match["count"]), "", False)
        elif date := _read_date(line):
            yield from self._date(date)
        elif time := pt_stalk.read_ts(line):
            yield from self._date((time[0], "utc", line))
            if time[1] and not self._clock_told:
                self._clock_told = True
                yield pt_stalk.clock_event(number, time[0], time[1])
        elif _CHATTER.match(line):
            pass
        else:
            yield Skipped(number, number, "not a collapsed stack")
        self._blank = False

    def end_sample(self) -> Iterator[Item]:
        if not self._stacks:
            return
        self.stacks_seen = True
        self._snapshot += 1
        samples = max(1, len(self._dates))
        wall_us: int | None = 0 if self._snapshot == 0 else None
        clock: Clock = "relative"
        original = None
        if self._dates:
            wall_us, clock, original = self._dates[0]
        first, last = self._stacks[0][0], self._stacks[-1][0]
        yield Snapshot(
            line_first=first,
            line_last=last,
            wall_us=wall_us,
            clock=clock,
            snapshot=self._snapshot,
            kind="stacks",
            time_quality="exact" if self._dates else "unknown",
            original=original,
        )
        total = sum(count for _, count, _ in self._stacks)
        title = f"{total} threads" + (f" in {samples} samples" if samples > 1 else "")
        yield Section(title, first, last)
        for number, count, frames in self._stacks:
            yield Stack(
                line_first=number,
                line_last=number,
                wall_us=wall_us,
                clock=clock,
                snapshot=self._snapshot,
                count=count,
                samples=samples,
                frames=frames,
            )
        yield Samples(
            series="stacks.threads",
            kind="gauge",
            unit=None,
            clock=clock,
            wall_us=[wall_us],
            values=[total / samples],
            lines=[first],
        )
        self._dates = []
        self._new_sample()

    def _date(self, date: tuple[int, Clock, str]) -> Iterator[Item]:
        yield from self.end_sample()
        self._dates.append(date)

    def _stack(self, number: int, count: int, text: str, folded: bool) -> Iterator[Item]:
        if self._blank and self._previous is not None and count > self._previous:
            # Sorted by count: a higher one after a blank line starts another output.
            yield from self.end_sample()
        names = text.split(";")[::-1] if folded else split_frames(text)
        if not any(name.strip() for name in names):
            names = ["??"]
        if len(names) > _MAX_FRAMES:
            yield Problem(
                number,
                f"line {number}: {len(names)} frames; only the innermost {_MAX_FRAMES} were kept",
            )
            names = names[:_MAX_FRAMES]
        self._stacks.append((number, count, tuple(self._frame(name) for name in names)))
        self._previous = count

    def _frame(self, name: str) -> Frame:
        frame = self._cache.get(name)
        if frame is None:
            frame = pmp_frame(name)
            if len(self._cache) < 50_000:
                self._cache[name] = frame
        return frame


def split_frames(text: str) -> list[str]:
    """Split at commas that are not inside <> or (); damaged brackets fall back to every comma."""
    text = text.rstrip().removesuffix(",")
    if not _NESTED.search(text):
        return text.split(",")
    names: list[str] = []
    depth = start = 0
    for at, character in enumerate(text):
        if character in "<(":
            depth += 1
        elif character in ">)":
            depth -= 1
            if depth < 0:  # operator->, or a frame that awk cut
                depth = 0
        elif character == "," and depth == 0:
            names.append(text[start:at])
            start = at + 1
    if depth:
        return text.split(",")
    names.append(text[start:])
    return names


def _folded(line: str) -> re.Match[str] | None:
    return _FOLDED.match(line) if ";" in line else None


def _is_stack(line: str) -> bool:
    match = _folded(line) or _COMMAS.match(line)
    return bool(match) and _plausible(match["frames"])  # type: ignore[index]  # not None here


def _plausible(frames: str) -> bool:
    """Function names, not prose and not a table: no double blanks, no pipes, a letter or ??."""
    head = frames[:2000]
    return (
        "  " not in head
        and "|" not in head
        and "\t" not in head
        and (" " not in head or "," in head or ";" in head)
        and not head.startswith(("rows in set", "row in set"))
        and head.count(" ") <= 4 + 2 * (head.count(",") + head.count(";") + head.count("<"))
    )


def _read_date(line: str) -> tuple[int, Clock, str] | None:
    match = _DATE.match(line)
    if not match or match["month"] not in _MONTHS:
        return None
    hour = int(match["hour"])
    if match["half"]:
        hour = hour % 12 + (12 if match["half"] == "PM" else 0)
    wall_us = local_us(
        match["year"],
        _MONTHS[match["month"]],
        match["day"],
        hour,
        match["minute"],
        match["second"],
    )
    if wall_us is None:
        return None
    clock: Clock = "utc" if match["zone"] in ("UTC", "GMT") else "local"
    return wall_us, clock, line.strip()
