"""SHOW GLOBAL VARIABLES: box, tab or pt-stalk's -variables, one Setting per variable.

Source: the mysql client; pt-stalk echoes the statement before the table and adds tables of
        performance_schema behind it. The last value of a name wins where a file has several.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.pt_stalk import clock_event, read_ts
from pileup.records import Item, Setting, Skipped

NAME = "variables"
TITLE = "SHOW GLOBAL VARIABLES"
GIVES = "Settings: the variables in force."
PRINTED_BY = "box, tabs, pt-stalk `-variables`"
VERSION = 1
HINTS = ("-variables", "variables.txt")

_BOX = re.compile(r"^\| ?([a-z][\w.]*)\s*\| ?(.*?)\s*\|\s*$", re.IGNORECASE)
_TAB = re.compile(r"^([a-z][a-z0-9_.]*)\t(.*)$")
_HIDDEN = ("password", "secret")
_KNOWN = (
    "auto_increment_increment",
    "innodb_buffer_pool_size",
    "max_connections",
    "datadir",
    "basedir",
)


def sniff(head: str) -> bool | None:
    """Two names that only variables have, as rows of a table."""
    seen = sum(
        f"| {name} " in head or f"\n{name}\t" in head or head.startswith(f"{name}\t")
        for name in _KNOWN
    )
    if "Aborted_clients" in head:
        return False
    return seen >= 2


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Every variable; a second table of the file (by thread, by host) is not read."""
    reading = True
    skipped: list[int] = []
    for number, text in enumerate(lines, start=1):
        if text.startswith("TS ") and (stamp := read_ts(text)):
            if stamp[1]:
                yield clock_event(number, stamp[0], stamp[1])
            continue
        bare = text.strip()
        if not bare or bare.startswith(("+--", "mysql", "SHOW", "select", "SELECT")):
            continue
        match = _BOX.match(text) or _TAB.match(text)
        if bare.lower().startswith(("variable_name", "| variable_name")):
            reading = bare.lower().replace("|", " ").split() == ["variable_name", "value"]
            continue
        if match is None or not reading:
            if "\t" in text or text.startswith("|"):
                reading = False if match is None else reading
            skipped.append(number)
            continue
        name = match[1].lower()
        value: str | None = match[2].strip()
        if any(word in name for word in _HIDDEN) and value and not value.isdigit():
            value = "(hidden)"
        yield Setting(
            line_first=number,
            line_last=number,
            name=name,
            value=value,
            source="SHOW VARIABLES",
        )
    if skipped:
        yield from _ranges(skipped)


def _ranges(numbers: list[int]) -> Iterator[Item]:
    start = before = numbers[0]
    for number in [*numbers[1:], None]:
        if number is not None and number == before + 1:
            before = number
            continue
        yield Skipped(start, before, "not a variable and its value")
        if number is not None:
            start = before = number
