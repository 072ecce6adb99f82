"""dmesg: the kernel's ring buffer, with its faults named.

Source: dmesg(1) of util-linux, record_print_text() of Linux: '[   12.345678] ' is seconds since the
        machine started, -T and --time-format iso print a time of day, -x names facility and level,
        -r prints '<6>'; kernels before 2.6 and pt-summary print none of it.
Yields: an Event per line, of kind log or of the fault that it names: oom_kill, hung_task, lockup,
        io_error, filesystem_error, memory_error, ... (see kernel_faults).
Time:   seconds since the start become times where the kernel prints its clock ('setting system
        clock to ... (1646827599)'), and have no time where it does not. -T is local time, and
        drifts by as long as the machine slept.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice

from pileup.formats.logs.parts.kernel_faults import fault
from pileup.formats.reading.date_lines import read_date_line
from pileup.formats.reading.timestamps import read_stamp
from pileup.records import Clock, Event, Item, Skipped

NAME = "kernel-log"
TITLE = "dmesg"
GIVES = "Events; kills for lack of memory, hung tasks, lockups, I/O errors and the like by name."
PRINTED_BY = "Linux: `dmesg`, `-T`, `-x`, `-r`, `--time-format iso`"
VERSION = 6
LINE_STARTS = r"\[[ \d.]{5,20}\] |<\d{1,3}>|\[[^\W\d_]{1,6}\.? \w{2,6}\.? [ \d]\d "
HINTS = ("-dmesg", "dmesg.txt", "dmesg", "dmesg.log")

_PASSED = re.compile(r"\[(?: {0,9}\+\d{1,9}\.\d{6}|[A-Z][a-z]{2}\d\d \d\d:\d\d)\] ?")
"""The time since the line before, or the minute: ``dmesg --reltime`` (-e)."""
_SINCE = re.compile(r"\[ {0,9}(?P<s>\d{1,9})\.(?P<us>\d{6})\](?: ?\[ {0,6}[TC]\d{1,7}\])? ?")
_OF_KERNEL = re.compile(r"\s{0,8}kernel: ?(?=\S)")
"""A line of a journal whose date and host were left out."""
_DATED = re.compile(r"\[(?P<date>[^\W\d_]{1,6}\.? \w{2,6}\.? [ \d]\d \d\d:\d\d:\d\d \d{4})\] ?")
"""``dmesg -T``, in the language of its locale: [Sun Nov 15 ...], [So Nov 15 ...]."""
_ISO = re.compile(r"(?P<date>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[,.]\d{6}[+-]\d\d:\d\d) ")
_LEVEL = re.compile(
    r"(?:<(?P<pri>\d{1,3})>|(?P<facility>kern|user|daemon|syslog|auth|mail|lpr|news|cron) *:"
    r"(?P<level>emerg|alert|crit|err|warn|notice|info|debug) *: ?)"
)
_SEVERITY = {
    "emerg": "error", "alert": "error", "crit": "error", "err": "error", "warn": "warning",
    "notice": "note", "info": "note", "debug": "note",
}  # fmt: skip
_LEVELS = tuple(_SEVERITY)
# rtc_cmos 00:00: setting system clock to 2022-03-09T12:06:39 UTC (1646827599)
_CLOCK = re.compile(r"setting system clock to .{10,40}\((\d{9,10})\)")
_BARE = re.compile(
    r"Linux version \d|BIOS-provided physical RAM map|Command line: \S*(?:=|ro\b)|Booting Linux"
    r"|klogd \d"
)
_FAULTY = re.compile(
    r"^(?:INFO: task \S{1,64} blocked|INFO: rcu_|\S{1,32} invoked oom-killer: |"
    r"(?:Memory cgroup out|Out) of memory: Kill|Killed process \d+ \(|oom-kill:|BUG: |"
    r"EXT[234]-fs (?:error|warning)|XFS \(\S{1,32}\): |Buffer I/O error|blk_update_request: |"
    r"print_req_error: |nvme nvme\d|ata\d+(?:\.\d\d)?: |sd \d+:\d+:\d+:\d+: |mce: |EDAC )",
    re.MULTILINE,
)
_QUOTED = 0.3
"""Share of lines with a time that is enough where one of them reports a fault: people write
between them."""
_HEAD = 60
"""Lines of which one with a time shows that all have one."""
_HELD = 100_000
"""Most lines that wait until the clock is known: a ring buffer holds far fewer."""
_LONGEST = 2_000


def sniff(head: str) -> bool | None:
    """Return whether nearly every line begins with a time of dmesg, or the first is of a boot."""
    lines = [line[:_LONGEST] for line in head.split("\n")[:-1] or [head] if line.strip()][:_HEAD]
    if not lines:
        return False
    if _BARE.match(lines[0]) or all(map(_OF_KERNEL.match, lines)):
        return True
    timed = sum(_begins(line) for line in lines)
    if timed:
        quoted = timed >= _QUOTED * len(lines) and any(map(_is_fault, lines))
        known = sum(_begins(line) or bool(_FAULTY.match(line)) for line in lines)
        return known >= 0.8 * len(lines) or quoted
    # Without stamps (dmesg -t, a quote): a fault at the start of a line.
    return bool(_FAULTY.search("\n".join(lines)))


def _is_fault(line: str) -> bool:
    """Return whether a line with a time reports a fault."""
    stamp = _SINCE.match(line) or _DATED.match(line) or _PASSED.match(line)
    return stamp is not None and _FAULTY.match(line[stamp.end() :]) is not None


def _begins(line: str) -> bool:
    level = _LEVEL.match(line)
    rest = line[level.end() :] if level else line
    return bool(
        _SINCE.match(rest)
        or _DATED.match(rest)
        or _PASSED.match(rest)
        or _ISO.match(rest)
        or (level and level["level"])
    )


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield an Event per line, in order; lines wait until the clock is known.

    Where lines have times, one without is a remark unless it names a fault or is indented.
    """
    held: deque[tuple[Event, int]] = deque()
    started_us: int | None = None
    rest = iter(lines)
    head = list(islice(rest, _HEAD))
    are_timed = any(_begins(text[:_LONGEST]) for text in head)
    for line_number, text in enumerate(chain(head, rest), start=1):
        if not text.strip():
            continue
        if are_timed and not (_begins(text[:_LONGEST]) or text[0].isspace() or fault(text)):
            yield Skipped(line_number, line_number, "no line of the kernel's log")
            continue
        event, since = _event(line_number, text)
        if since is not None and started_us is None and (match := _CLOCK.search(event.message)):
            started_us = int(match[1]) * 1_000_000 - since
            while held:
                yield _placed(*held.popleft(), started_us)
        if since is None:
            yield from (event for event, _ in held)
            held.clear()
            yield event
        elif started_us is not None:
            yield _placed(event, since, started_us)
        else:
            held.append((event, since))
            if len(held) > _HELD:
                yield held.popleft()[0]
    yield from (event for event, _ in held)


def _placed(event: Event, since_us: int, started_us: int) -> Event:
    return replace(event, wall_us=started_us + since_us, clock="utc")


def _time_of(date: str) -> tuple[int | None, Clock | None]:
    if stamp := read_stamp(date):
        return stamp
    line = read_date_line(date)
    return (line.wall_us, line.clock) if line else (None, None)


def _event(line: int, text: str) -> tuple[Event, int | None]:
    """Return the event of a line, and the microseconds since the start that it prints."""
    severity: str | None = None
    subsystem = "kernel"
    rest = text
    if prefix := _OF_KERNEL.match(rest):
        rest = rest[prefix.end() :]
    if level := _LEVEL.match(rest):
        rest = rest[level.end() :]
        name = level["level"] or _LEVELS[int(level["pri"]) & 7]
        severity = _SEVERITY[name]
        subsystem = level["facility"] if level["facility"] not in (None, "kern") else "kernel"
    wall: int | None = None
    clock: Clock | None = None
    since: int | None = None
    if match := _SINCE.match(rest):
        since = int(match["s"]) * 1_000_000 + int(match["us"])
    elif match := _DATED.match(rest) or _ISO.match(rest):
        wall, clock = _time_of(match["date"])
    else:
        match = _PASSED.match(rest)
    message = rest[match.end() :] if match else rest
    known = fault(message)
    event = Event(
        line_first=line,
        line_last=line,
        wall_us=wall,
        clock=clock,
        kind=known[0] if known else "log",
        severity=known[1] if known else severity,
        subsystem=subsystem,
        message=message.strip()[:_LONGEST],
        original=match[0].strip() if match else None,
    )
    return event, since
