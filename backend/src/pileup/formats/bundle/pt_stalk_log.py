"""pt-stalk's own messages: the -trigger file, its log, and -output (stderr of every collector).

Source: log() in pt-stalk prefixes each message with ``date +%Y_%m_%d_%H_%M_%S``.
Yields: an Event of kind trigger for the check that fired, of kind log for the rest; the options
        that pt-stalk ran with, or that its command line gives, as Settings (source pt-stalk).
Units:  times are the collector's local time without a zone.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator

from pileup.formats.errors import FormatError
from pileup.formats.reading.wall_clock import local_us
from pileup.records import Event, Item, Setting, Skipped

NAME = "pt-stalk-log"
TITLE = "pt-stalk trigger and log"
GIVES = "The trigger as an event; pt-stalk's options as settings."
PRINTED_BY = "pt-stalk: `-trigger`, `-output`, its log"
VERSION = 2
HINTS = ("-trigger", "-output", "pt-stalk.log", "pt-stalk-stdout.txt")

# 2026_11_20_22_19_52 Check results: status(Threads_running)=303, matched=yes, cycles_true=2
_STAMPED = re.compile(r"(?P<stamp>\d{4}(?:_\d\d){5}) (?P<message>.*)$")
_CHECK = re.compile(
    r"Check results: (?P<function>\w+)\((?P<variable>[^)]*)\)=(?P<value>\S*), "
    r"matched=(?P<matched>\w+)"
)
_OPTIONS = re.compile(r"(?:pt-stalk ran with|Starting \S*pt-stalk) (?P<options>--.*)$")
_OPTION = re.compile(r"(?<![\w-])--(?P<name>\w[\w-]*+)=(?P<value>.*?)(?= --|$)")
# # ./pt-stalk --daemonize --function status
_COMMAND = re.compile(
    r"(?:[^\s#$%>]{0,80}[#$%>] ?)?\s*(?:sudo )?[\w./-]{0,200}\bpt-stalk"
    r"(?P<options>(?: +--?[a-z][\w-]*(?:[= ][^\s-]\S*)?)*) *&?$"
)
_FLAG = re.compile(r" --?(?P<name>[a-z][\w-]*)(?:[= ](?P<value>[^\s-]\S*))?")
# What follows the check that completed its cycles: in the log, and in the -trigger file.
_COLLECTS = re.compile(r"Collect \d+ triggered|pt-stalk ran with")
_SNIFF = re.compile(
    r"^\d{4}(?:_\d\d){5} (?:Check results:|Starting |Not stalking|Collect |pt-stalk ran with|"
    r"The MySQL error log seems|MYSQL_ONLY|Waiting |Exiting |Caught )",
    re.MULTILINE,
)
# ERROR 1146 (42S02) at line 1: Table '...' doesn't exist
_ERROR = re.compile(r"ERROR \d+ \(|(?:\S*/)?(?:mysql|mysqladmin|mariadb|tail|gdb|awk|sh|pt-\w+): ")


def sniff(head: str) -> bool | None:
    """Return whether the text holds stamped messages of pt-stalk, or begins with its command."""
    if _SNIFF.search(head):
        return True
    first = head.lstrip("\r\n").partition("\n")[0].rstrip()
    return bool((match := _COMMAND.match(first)) and match["options"])


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield stamped messages and errors as Events and pt-stalk's options as Settings.

    Other output of the collectors, such as their --help, is skipped. Raises FormatError for a file
    without a message of pt-stalk.
    """
    has_message = False
    check: Event | None = None  # waits for the next line, which shows whether it fired
    for number, line in enumerate(lines, start=1):
        if match := _STAMPED.match(line):
            has_message = True
            if check:
                yield _fired(check) if _COLLECTS.match(match["message"]) else check
                check = None
            event = _event(number, match["stamp"], match["message"])
            if match["message"].startswith("Check results:") and "matched=yes" in line:
                check = event
                continue
            yield event
            yield from _options(event, match["message"])
        elif (command := _COMMAND.match(line.rstrip())) and command["options"]:
            has_message = True
            yield from _flags(number, command["options"])
        elif _ERROR.match(line):
            yield Event(
                line_first=number,
                line_last=number,
                kind="log",
                severity="error" if "ERROR" in line else None,
                subsystem="pt-stalk",
                message=line.strip()[:2000],
            )
        elif line.strip():
            yield Skipped(number, number, "other output of a collector")
    if check:
        yield _fired(check)
    if not has_message:
        raise FormatError(
            "No message of pt-stalk was found: its lines begin with a time such as "
            "2026_11_20_22_19_52, or with its command and options."
        )


def _event(number: int, stamp: str, message: str) -> Event:
    check = _CHECK.match(message)
    options = _OPTIONS.match(message)
    return Event(
        line_first=number,
        line_last=number,
        wall_us=local_us(*stamp.split("_")),
        clock="local",
        kind="trigger" if message.startswith("Not stalking") else "log",
        subsystem="pt-stalk",
        code=check["variable"] if check else None,
        message=message if not options else message[: options.start("options")].strip(),
        original=stamp,
    )


def _fired(check: Event) -> Event:
    return dataclasses.replace(check, kind="trigger")


def _options(event: Event, message: str) -> Iterator[Setting]:
    if match := _OPTIONS.match(message):
        for option in _OPTION.finditer(match["options"]):
            yield Setting(
                line_first=event.line_first,
                line_last=event.line_last,
                wall_us=event.wall_us,
                clock=event.clock,
                name=option["name"].replace("-", "_"),
                value=option["value"],
                source="pt-stalk",
                section="pt-stalk",
            )


def _flags(number: int, options: str) -> Iterator[Setting]:
    """Yield the options of a command line; one without a value is on."""
    for flag in _FLAG.finditer(options):
        yield Setting(
            line_first=number,
            line_last=number,
            name=flag["name"].replace("-", "_"),
            value=flag["value"] or "1",
            source="pt-stalk",
            section="pt-stalk",
        )
