"""Errors of the server as an application reports them: a log of PHP, a trace of Java, a message.

Source: the texts of share/errmsg-utf8.txt behind a driver's own words: an exception, an SQLSTATE,
        a number, '(errno: 24 ...)'; and any message that an entry of the knowledge base is known
        by, of the server, its kernel, its proxy or a pool, which somebody copied out of its log.
Yields: an Event per line with such an error, which includes the trace below it; other lines are
        skipped.
Time:   a date at the beginning of the line, in brackets or not; else none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice, starmap

from pileup.formats.errors import FormatError
from pileup.formats.logs.parts import known_messages
from pileup.formats.reading.date_lines import read_date_line
from pileup.formats.reading.timestamps import read_stamp
from pileup.records import Clock, Event, Item, Skipped

NAME = "client-errors"
TITLE = "errors of the server in an application's log"
GIVES = "Events: the server's errors, with their times where they are printed."
PRINTED_BY = "logs and traces of PHP, Java, Python, Ruby, Go and others"
VERSION = 13
HINTS = ()
ONLY_UNCLAIMED = True

_LONGEST = 4_000
_MOST_LINES = 400
_MOST_STAMP = 48
_TRACE = 40
"""Lines below an error that belong to it."""
_MESSAGE = re.compile(
    r"Too many connections|Lock wait timeout exceeded|Deadlock found when trying to get lock"
    r"|Too many open files|No space left on device|The table '[^']{1,200}' is full"
    r"|Can't create a new thread|is blocked because of many connection errors"
    r"|Can't create more than max_prepared_stmt_count"
    r"|WSREP has not yet prepared node for application use"
    r"|running with the --(?:super-)?read-only option|maximum statement execution time exceeded"
    r"|Query execution was interrupted|Lost connection to (?:MySQL )?server|[Ss]erver has gone away"
    r"|Communications link failure|The total number of locks exceeds the lock table size"
    r"|Out of (?:memory|resources when opening file)"
    r"|innodb_fatal_semaphore_wait_threshold (?:for \S{1,60} )?was exceeded"
    r"|Semaphore wait has lasted > \d{1,6} seconds"
)
"""What the server says."""
_NUMBERED = re.compile(r"(?:\b|_)errno\W{1,4}(?:1040|1205|1213|2006|2013)\b")
"""Its number alone, where it says so in another language."""
_WORD_FOR_WORD = re.compile(
    r"\bdisk is full writing '[^']{1,200}'|\bhostgroup \d{1,9} has no servers available"
    r"|max connect timeout reached while reaching hostgroup \d|\(1040, ?u?['\"]"
    r"|connection is not available, request timed out after \d|queuepool limit of size \d"
    r"|timeout acquiring a connection\. the pool is probably full"
    r"|could not obtain a (?:database )?connection within \d"
)
"""What only the server or its proxy says, in small letters: a report without a driver's words."""
_REPORTED = re.compile(
    r"SQLSTATE\[|\b(?:ERROR|Error|error)\b[ :(\[]|[A-Za-z]Error\b|Exception\b"
    r"|\b(?:Warning|Fatal|FATAL)\b|\(\d{4}, u?['\"]"
    r"|\b[A-Za-z.]{2,80}(?:Error|Exception):"
    r"|\([0-9A-Z]{5}/\d{4}\)|\(\d{4}\)|\b\d{4} \([0-9A-Z]{5}\)|\((?:errno|Errcode|OS errno)[: ]"
    r"|\b(?:failed|unable) to [a-z]{3,12}\b|mysqli?\b|\bpymysql\b|\bER_[A-Z_]{4,40}\b"
    r"|(?:\b|_)errno\W|\bError_code: \d{4}\b|\bCouldn't execute\b"
)
"""How somebody reports it: a text that only speaks of an error has none of this."""
# every night we hit "The table 'sessions' is full"
_QUOTED = re.compile(
    r"(?<!\w)[\"`\u201c\u00ab](?P<text>[A-Z][^\"`\u201c\u201d\u00bb\n]{7,300})[\"`\u201d\u00bb](?!\w)"
)
_MOST_QUOTED = 8
_SENTENCE = re.compile(r"(?<=[.;!?])(?:\s|$)")
_NOT_SEEN = re.compile(
    r"(?i)\b(?:no|not|never|without|nobody|none|once|one|single|rarely|kein\w*|nicht|nie|what"
    r"|why does|means?|meaning|if|when|whenever|how to|would|could|should|might|may|used to"
    r"|fixed|resolved|solved|was gone|docs?|manual|example|e\.g)\b|n't\b"
)
"""Words of a sentence that tells of no incident, or of another one."""
# [Sun Aug 12 00:59:58.266883 2018] [:error] [pid 2424] ...    [2024-09-01 12:00:00] prod.ERROR: ...
_STAMP = re.compile(
    r"\s{0,8}\[?(?P<stamp>(?:[A-Z][a-z]{2} ){1,2}[ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,6})?(?: \d{4})?"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,6})?(?:Z|[+-]\d\d:?\d\d)?)"
)
_FRACTION = re.compile(r"(:\d\d)\.\d{1,6}(?= \d{4}$)")


def sniff(head: str) -> bool | None:
    """Whether a line of the beginning reports an error of the server."""
    lines = head.split("\n")[:_MOST_LINES]
    return any(starmap(_is_report, zip(lines, ["", *lines], strict=False)))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield an Event per reported error.

    Raises FormatError when no line reports one.
    """
    event: Event | None = None
    has_trace = False
    text = ""
    for number, raw in enumerate(lines, start=1):
        above, text = text, raw[:_LONGEST].strip()
        if _is_report(text, above):
            if event is not None:
                yield event
            event, has_trace = _event(text, number), _is_of_client(text)
        elif event is not None and has_trace and number - event.line_first <= _TRACE:
            event = replace(event, line_last=number)
        elif text:
            yield Skipped(number, number, "no error of the server")
    if event is None:
        raise FormatError("No error of the server was found: expected a message such as 1040.")
    yield event


def _event(text: str, number: int) -> Event:
    stamp = _time(text)
    return Event(
        line_first=number,
        line_last=number,
        wall_us=stamp[0] if stamp else None,
        clock=stamp[1] if stamp else None,
        kind="log",
        severity="error",
        message=text,
    )


def _is_report(line: str, above: str) -> bool:
    """Return whether a line reports an error; a sentence of it may begin in the line above."""
    line = line[:_LONGEST].strip()
    if _is_of_client(line) or known_messages.is_one(line) or _quotes_one(line, above):
        return True
    return known_messages.holds_one(line) and _REPORTED.search(line) is not None


def _quotes_one(line: str, above: str) -> bool:
    """Return whether a sentence of an incident has a message of the server in quotes."""
    if _QUOTED.search(line) is None:
        return False
    begun = _SENTENCE.split(above[-_LONGEST:])[-1]
    for sentence in _SENTENCE.split(line):
        if _NOT_SEEN.search(f"{begun} {sentence}") is None and any(
            _MESSAGE.match(match["text"]) is not None or known_messages.is_one(match["text"])
            for match in islice(_QUOTED.finditer(sentence), _MOST_QUOTED)
        ):
            return True
        begun = ""
    return False


def _is_of_client(line: str) -> bool:
    """Return whether a client reports an error, whose trace may follow."""
    if _WORD_FOR_WORD.search(line.lower()) is not None:
        return True
    is_message = _MESSAGE.search(line) or ("errno" in line and _NUMBERED.search(line))
    return bool(is_message) and _REPORTED.search(line) is not None


def _time(text: str) -> tuple[int, Clock] | None:
    """Return the time at the beginning of a line."""
    match = _STAMP.match(text[:_MOST_STAMP])
    if match is None:
        return None
    stamp = match["stamp"].replace(",", ".")
    if stamp[0].isdigit():
        return read_stamp(stamp)
    read = read_date_line(_FRACTION.sub(r"\1", stamp))
    return (read.wall_us, read.clock) if read else None


__all__ = [
    "GIVES",
    "HINTS",
    "NAME",
    "ONLY_UNCLAIMED",
    "PRINTED_BY",
    "TITLE",
    "VERSION",
    "parse",
    "sniff",
]
