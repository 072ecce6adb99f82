"""syslog and journalctl: the messages of every program of the machine.

Source: RFC 3164 ('Nov 20 22:19:58 db1 mysqld[2159]: ...', no year, local time; journalctl
        abbreviates the month in the locale's language), RFC 5424
        ('<165>1 2026-11-20T22:19:58.003Z db1 app 42 - - ...'), rsyslog's ISO template, and
        journalctl -o short, short-precise, short-iso, short-full. And glog ('E0715 20:30:14.116411
        17492 throttled.go:61] ...'), which Vitess, Kubernetes and others print: no year, no host.
Yields: an Event per line; subsystem is the program, host the machine. Faults of the kernel have
        their kind (see kernel_faults); a server that systemd saw start or die is restart or crash.
        A line of a server's error log inside is read as the error log's, with its time if in UTC.
        A status dump of a server is read by innodb_status, with the log's line numbers; so is a
        table that any program writes into the log (a processlist, locks, counters).
Time:   of RFC 3164 the clock is 'yearless': the clock stage finds the year from the rest of the
        evidence. A year that the log itself prints (journalctl's first line, a dated message of
        the same day) is used at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.logs.error_log import read_line
from pileup.formats.logs.parts.kernel_faults import fault
from pileup.formats.logs.parts.logged_dumps import LoggedDumps
from pileup.formats.logs.parts.logged_listings import LoggedListings
from pileup.formats.reading.date_lines import month_of
from pileup.formats.reading.timestamps import read_stamp
from pileup.formats.reading.wall_clock import local_us
from pileup.records import Clock, Event, Item, Skipped

NAME = "syslog"
TITLE = "syslog, journalctl"
GIVES = (
    "Events with program and host; faults of the kernel by name, crashes and restarts; the status "
    "dumps, processlists and other known tables inside, and the lines of an error log, are read as "
    "such."
)
PRINTED_BY = (
    "RFC 3164, RFC 5424, ISO times; `journalctl -o short*`, `-o json`; glog of Vitess, Kubernetes"
)
VERSION = 11
HINTS = ("syslog", "-syslog", "messages", "kern.log", "daemon.log", "journal.txt", "journalctl.txt")

NO_YEAR = 1972
"""The year given to a time without a year, as analysis.years expects: it has a 29 February."""

_PRI = re.compile(r"<(?P<pri>\d{1,3})>(?P<version>1 )?")
_RFC5424_BEGIN = re.compile(r"<\d{1,3}>1 \d{4}-")
_OLD = re.compile(
    r"(?P<month>[^\W\d_]{3,5}\.?|\d{1,2}月) (?P<day>[ \d]\d) (?P<h>\d\d):(?P<m>\d\d):(?P<s>\d\d)"
    r"(?:\.(?P<f>\d{1,9}))? (?P<host>[\w.:-]{1,255}) (?P<rest>.*)$"
)
_NEW = re.compile(
    r"(?P<stamp>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?) "
    r"(?P<host>[\w.:-]{1,255}) (?P<rest>.*)$"
)
# Fri 2026-11-20 22:19:58 UTC db1 mysqld[2159]: ...
_FULL = re.compile(
    r"[A-Z][a-z]{2} (?P<stamp>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?)"
    r"(?: (?P<zone>[A-Z]{2,5}))? "
    r"(?P<host>[\w.:-]{1,255}) (?P<rest>.*)$"
)
# E0715 20:30:14.116411   17492 throttled.go:61] TxPoolFull: skipped 33 log messages
_GLOG = re.compile(
    r"(?P<level>[IWEF])(?P<month>[01]\d)(?P<day>[0-3]\d) (?P<h>\d\d):(?P<m>\d\d):(?P<s>\d\d)"
    r"\.(?P<f>\d{6}) (?: {0,6}\d{1,10} )?(?P<tag>[\w.-]{1,80}\.\w{1,4}):\d{1,6}\] (?P<rest>.*)$"
)
_YEARLESS = (_OLD, _GLOG)
_GLOG_SEVERITY = {"I": "note", "W": "warning", "E": "error", "F": "error"}
_TAG = re.compile(r"(?P<tag>(?!\d{1,9}:)[\w./@()+-]{1,128})(?:\[\d{1,10}\])?: ?")
# app 42 ID47 [id key="value"] message | app - - - message
_RFC5424 = re.compile(
    r"(?P<tag>\S{1,48}) (?:\S{1,128}) (?:\S{1,32}) "
    r"(?:-|(?:\[[^\]]{0,1000}\]){1,20})(?: (?P<message>.*))?$"
)
_JOURNAL = re.compile(
    r"-- (?:Logs|Journal) begins? at .{10,60}?"
    r"(?:, end(?:s|ing)? at [A-Z][a-z]{2} (?P<year>\d{4})-|$|\.)"
)
_NOTE = re.compile(r"-- (?:Boot [0-9a-f]{8,32}|Reboot|No entries) --")
_SINCE = re.compile(r"\[ {0,9}\d{1,9}\.\d{6}\] ?")
_ISO_DATE = re.compile(r"\b(?P<y>20\d\d)-(?P<m>\d\d)-(?P<d>\d\d)(?:T| {1,2})\d{1,2}:\d\d")
_SERVERS = re.compile(r"(?:mysqld?|mariadbd?|mysqld_safe|mysqld-debug|percona\w*)(?:\b|@)")
_CRASH = re.compile(
    r"got signal \d|Main process exited, code=(?:killed|dumped)|Assertion failure|dumped core"
    r"|status=\d{1,3}/(?:SEGV|KILL|ABRT|BUS)|Failed with result"
)
_RESTART = re.compile(
    r"ready for connections|^Start(?:ed|ing) (?:MySQL|MariaDB|Percona)|starting as process"
)
_LEVEL = re.compile(r"\[(?P<level>ERROR|Error|Warning|Note|System)\]")
_SEVERITY = {"error": "error", "warning": "warning", "note": "note", "system": "system"}
_PRI_SEVERITY = ("error", "error", "error", "error", "warning", "note", "note", "note")
_LONGEST = 4_000
_NIL = "-"
"""What RFC 5424 prints for a host or a program that it does not know."""


def sniff(head: str) -> bool | None:
    """Return whether nearly every line begins with a time, a host and a program."""
    lines = [line[:_LONGEST] for line in head.split("\n")[:-1] or [head] if line.strip()][:60]
    lines = [line for line in lines if not line.startswith("-- ") and not line[0].isspace()]
    if not lines:
        return False
    fit = [line for line in lines if _parts(line) is not None]
    # no other log begins like these
    modern = [line for line in fit if _RFC5424_BEGIN.match(line)]
    glog = [line for line in fit if _GLOG.match(line)]
    return (
        len(fit) >= 0.8 * len(lines)
        or len(modern) >= max(3, 0.3 * len(lines))
        or len(glog) >= 0.3 * len(lines)
    )


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield an Event per line, and the records of the dumps and tables in the log.

    A line that begins with white space belongs to the line above and yields nothing.
    """
    years = _Years()
    dumps = LoggedDumps()
    listings = LoggedListings(dumps.next_snapshot)
    before = False
    for line_number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        parts = _parts(text[: _LONGEST * 2])
        if parts is not None:
            before = True
            speaker, message, server = _speaker(text, parts)
            if server and dumps.takes(speaker, message):
                yield from dumps.feed(line_number, speaker, message)
                continue
            event = _event(line_number, parts, years)
            if server and dumps.takes_wait(speaker, message):
                dumps.feed_wait(line_number, speaker, message, event)
                continue
            yield from dumps.end_waits(speaker)
            if listings.takes(speaker, message):
                yield from listings.feed(speaker, message, event)
            else:
                yield event
        elif journal := _JOURNAL.match(text):
            years.ends(journal["year"])
        elif not _NOTE.match(text) and not (before and text[0].isspace()):
            yield Skipped(line_number, line_number, "not a line of syslog")
    yield from dumps.finish()
    yield from listings.finish()


class _Years:
    """Finds the year of times without one from the years that the log prints elsewhere."""

    def __init__(self) -> None:
        self._known: int | None = None
        self._turned = 0
        self._month = 0
        self._end: int | None = None

    def ends(self, year: str | None) -> None:
        """Use the year in which journalctl's entries end; most listings cover one year."""
        self._end = int(year) if year else None

    def wall(self, match: re.Match[str]) -> tuple[int | None, Clock]:
        month = _month(match["month"])
        if month is None:
            return None, "yearless"
        if self._month == 12 and month == 1:
            self._turned += 1
        self._month = month
        date = _ISO_DATE.search(match["rest"][:200])
        if date and (int(date["m"]), int(date["d"])) == (month, int(match["day"])):
            self._known, self._turned = int(date["y"]), 0
        if self._known is None and self._end is not None and not self._turned:
            self._known = self._end
        year = self._known + self._turned if self._known else NO_YEAR
        wall = local_us(year, month, match["day"], match["h"], match["m"], match["s"], match["f"])
        return wall, "local" if self._known else "yearless"


def _month(word: str) -> int | None:
    """Return the month as a locale abbreviates it: Nov, nov., 11月; or its two digits."""
    if word.isdecimal():
        return int(word) if 1 <= int(word) <= 12 else None
    if word.endswith("月"):
        return int(word[:-1]) if 1 <= int(word[:-1]) <= 12 else None
    return month_of(word)


_Parts = tuple[re.Match[str], str | None, bool]


def _parts(text: str) -> _Parts | None:
    """Return the matched line, its priority's severity, and whether the rest is RFC 5424."""
    severity: str | None = None
    modern = False
    if pri := _PRI.match(text):
        severity = _PRI_SEVERITY[int(pri["pri"]) & 7]
        modern = pri["version"] is not None
        text = text[pri.end() :]
    match = _OLD.match(text) or _NEW.match(text) or _FULL.match(text) or _GLOG.match(text)
    if match is None or (match.re in _YEARLESS and _month(match["month"]) is None):
        return None
    if match.re is _GLOG:
        return match, _GLOG_SEVERITY[match["level"]], False
    known = _RFC5424.match(match["rest"]) if modern else _TAG.match(match["rest"])
    if known is None and not match["rest"].startswith(
        ("last message repeated", "message repeated")
    ):
        return None
    return match, severity, modern


def _speaker(text: str, parts: _Parts) -> tuple[str, str, bool]:
    """Return the process, its message with leading white space, and whether it is a server."""
    match, _, modern = parts
    if match.re is _GLOG:
        return match["tag"], match["rest"], False
    rest, host = match["rest"], match["host"]
    if modern:
        tag, message = _tag_and_message(rest, modern)
        return f"{host} {tag}", message, _may_be_server(tag)
    prefix = _TAG.match(rest)
    if prefix is None:
        return "", "", False
    server = _SERVERS.match(prefix["tag"].rpartition("/")[2]) is not None
    return f"{host} {prefix[0]}", rest[prefix.end() :] + text[_LONGEST * 2 :], server


def _event(line: int, parts: _Parts, years: _Years) -> Event:
    match, severity, modern = parts
    clock: Clock
    if match.re in _YEARLESS:
        wall, clock = years.wall(match)
    else:
        zone = match["zone"] if match.re is _FULL else None
        stamp = read_stamp(match["stamp"].replace(",", ".") + (" UTC" if zone == "UTC" else ""))
        wall, clock = stamp if stamp else (None, "local")
    tag, message = (
        (match["tag"], match["rest"].strip())
        if match.re is _GLOG
        else _tag_and_message(match["rest"], modern)
    )
    host = None if match.re is _GLOG or match["host"] == _NIL else match["host"]
    if tag == "kernel" and (since := _SINCE.match(message)):
        message = message[since.end() :]
    is_server = _may_be_server(tag)
    kind = "log"
    if known := fault(message) if tag in ("kernel", "systemd", "systemd-oomd") else None:
        kind, severity = known
    elif is_server or (tag == "systemd" and _SERVERS.search(message[:200].lower())):
        if _CRASH.search(message[:400]):
            kind, severity = "crash", "error"
        elif _RESTART.search(message[:400]):
            kind = "restart"
    own = read_line(message, line) if is_server else None
    if own is not None:
        kind = own.kind if kind == "log" else kind
        severity = own.severity or severity
        if own.clock == "utc":
            wall, clock = own.wall_us, own.clock
        message = own.message
    if severity is None and (level := _LEVEL.search(message[:200])):
        severity = _SEVERITY[level["level"].lower()]
    return Event(
        line_first=line,
        line_last=line,
        host=host and host.removesuffix(":"),  # 'db1: last message repeated', without a program
        wall_us=wall,
        clock=clock if wall is not None else None,
        kind=kind,
        severity=severity,
        subsystem=(own.subsystem if own else None) or tag.removeprefix(_NIL) or None,
        code=own.code if own else None,
        message=message[:_LONGEST],
        original=match.string[: match.start("tag" if match.re is _GLOG else "host")].strip()[:64],
    )


def _may_be_server(tag: str) -> bool:
    return tag == _NIL or _SERVERS.match(tag) is not None


def _tag_and_message(rest: str, modern: bool) -> tuple[str, str]:
    if modern and (match := _RFC5424.match(rest)):
        return match["tag"], (match["message"] or "").removeprefix("\ufeff").strip()
    tag = _TAG.match(rest)
    if tag is None:
        return "", rest.strip()
    return tag["tag"].rpartition("/")[2] or tag["tag"], rest[tag.end() :].strip()
