"""strace: time that threads spend in the kernel per call, and the slow calls.

Source: strace(1) 4 to 6; printleader(), print_unfinished(), call_summary() in strace. -f begins
        each line with '[pid N]' or 'N', -t, -tt, -ttt and -r with a time, -T ends it with
        '<seconds>'.
        A call that another thread interrupts is printed in two lines, 'unfinished' and 'resumed'.
        An lsof listing in front (pt-ioprofile's samples) names the files behind descriptors.
Yields: the Tables 'system calls' (calls, errors, seconds, longest), 'futexes' (by address: threads
        that wait for the same lock, waits that found it changed), 'files' (by descriptor or, with
        -y or lsof, by name), 'waiting at the end'; strace.calls and strace.seconds per second with
        label call; an Event slow_call for each of the slowest calls that touch storage. Of -c the
        Table 'system calls' as printed.
Time:   -tt prints a time of day and no date (the clock is dayless), -ttt is absolute. Without
        -T the duration of an interrupted call is the distance of its lines; of others not known.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator

from pileup.formats.machine import lsof
from pileup.formats.machine.parts.strace_calls import Call, Calls
from pileup.records import Clock, Item, Problem, Table

NAME = "strace"
TITLE = "strace"
GIVES = "Tables of calls, futexes, files and who still waits; `strace.*` per second; slow calls."
PRINTED_BY = "strace 4 to 6: `-f`, `-t`, `-tt`, `-ttt`, `-r`, `-T`, `-y`, `-c`; lsof in front"
VERSION = 4
HINTS = ("-strace", "strace.txt", ".strace")

# 27702 22:13:30.101365 futex(0x134bcc8, FUTEX_WAIT_PRIVATE, 0, NULL <unfinished ...>
# [pid 22782] 1795213198.101365 <... pread64 resumed>"..."..., 16384, 12687884288) = 16384 <0.0063>
_LINE = re.compile(
    r"(?:\[pid +(?P<pid>\d{1,8})\] |(?P<bare>\d{1,8}) ++)?"
    r"(?:(?P<day>\d\d:\d\d:\d\d(?:\.\d{1,9})?) |(?P<epoch>\d{9,11}\.\d{1,9}) "
    r"|(?:\(\+)? *(?P<step>\d{1,6}\.\d{6})\)? )?"
    r"(?:<\.\.\. (?P<resumed>\w{2,40}) resumed> ?|(?P<call>[a-z_]\w{1,39})\()"
)
_SIGNAL = re.compile(r"(?:--- |\+\+\+ |strace: |Process \d+ (?:attached|detached)|\) +=)")
_SUMMARY = re.compile(r"% time +seconds +usecs/call +calls +errors +syscall")
_SUMMARY_ROW = re.compile(
    r" *(?P<share>\d{1,3}[.,]\d\d) +(?P<s>\d{1,9}[.,]\d{6}) +(?P<us>\d{1,12})? +(?P<calls>\d{1,15})"
    r" +(?:(?P<errors>\d{1,15}) +)?(?P<call>[a-z_]\w{0,40})\s*$"
)
_HEAD = 200
_TAIL = 400


def sniff(head: str) -> bool | None:
    """Return whether the text holds a summary, or nearly all lines are calls, also below lsof."""
    if "usecs/call" in head and _SUMMARY.search(head):
        return True
    lines = [line for line in head.split("\n")[:-1] or [head] if line.strip()]
    if lsof.sniff(head):
        lines = [line for line in lines if lsof.read_row(line) is None][1:]
    others = (line[:_HEAD] for line in lines if not _SIGNAL.match(_after_leader(line)))
    lines = list(itertools.islice(others, 60))
    calls = sum(_is_call(line) for line in lines)
    return calls >= 2 and calls >= 0.8 * len(lines)


def _is_call(line: str) -> bool:
    match = _LINE.match(line)
    if match is None:
        return False
    timed = match["day"] or match["epoch"] or match["step"] or match["pid"] or match["resumed"]
    return bool(timed or match["bare"] or " = " in line or len(line) >= _HEAD)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Sum all calls; yield tables, series and slow calls at the end."""
    calls = Calls()
    time = _Time()
    summary: list[tuple[str | None, ...]] = []
    first = 0
    number = 0
    for number, text in enumerate(lines, start=1):
        match = _LINE.match(text[:_HEAD])
        if match is None:
            if not text.strip() or text.startswith("------ "):
                continue
            if row := _SUMMARY_ROW.match(text[:_HEAD]):
                if row["call"] != "total":
                    errors = row["errors"] or "0"  # strace prints a blank for zero
                    seconds, share = (row[name].replace(",", ".") for name in ("s", "share"))
                    summary.append((row["call"], row["calls"], errors, seconds, row["us"], share))
            elif _SUMMARY.match(text):
                first = number
            elif (file := lsof.read_row(text)) is not None:
                calls.name(file.fd, file.name)
            elif not _SIGNAL.match(_after_leader(text)) and not lsof.HEADER.match(text):
                yield Problem(number, "Not a line of strace; it is left out.", found=text[:200])
            continue
        pid, bare, day, epoch, step, resumed, name = match.groups()
        thread = pid or bare or ""
        wall = time.convert(day, epoch, step)
        rest = text[match.end() :]
        if resumed:
            calls.resumed(number, thread, resumed, wall, rest[-_TAIL:])
            continue
        call = Call(name, thread, wall, number, rest[:_HEAD])
        if rest.endswith("<unfinished ...>"):
            calls.unfinished(call)
        else:
            calls.finished(call, rest[-_TAIL:], None)
    if summary:
        yield Table(
            line_first=first or 1,
            line_last=number,
            name="system calls",
            columns=("call", "calls", "errors", "seconds", "usecs_per_call", "percent"),
            rows=tuple(summary),
        )
    yield from calls.result(time.clock, time.last, number)


def _after_leader(text: str) -> str:
    """Return the line without its pid and time."""
    return re.sub(r"^(?:\[pid +\d{1,8}\] |\d{1,8} +)?(?:[\d:.]{8,24} )?", "", text[:_HEAD], count=1)


class _Time:
    """Converts the times of lines to microseconds: absolute, since midnight, or since the start."""

    def __init__(self) -> None:
        self.clock: Clock | None = None
        self.last: int | None = None
        self._days = 0
        self._last_day_us = 0
        self._minute = ("", 0)

    def convert(self, day: str | None, epoch: str | None, step: str | None) -> int | None:
        """Convert a time of day, an epoch, or the seconds since the last line; None if absent."""
        if day:
            self.clock = "dayless"
            if day[:6] != self._minute[0]:
                self._minute = day[:6], (int(day[:2]) * 60 + int(day[3:5])) * 60_000_000
            day_us = _micros(day[6:]) + self._minute[1]
            if day_us < self._last_day_us - 43_200_000_000:
                self._days += 1
            self._last_day_us = day_us
            self.last = day_us + self._days * 86_400_000_000
        elif epoch:
            self.clock = "utc"
            self.last = _micros(epoch)
        elif step:
            self.clock = self.clock or "relative"
            self.last = (self.last or 0) + _micros(step)
        else:
            return None
        return self.last


def _micros(text: str) -> int:
    whole, _, fraction = text.partition(".")
    if len(fraction) == 6:
        return int(whole + fraction)
    return int(whole + (fraction + "000000")[:6])
