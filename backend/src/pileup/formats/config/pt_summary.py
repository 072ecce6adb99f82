"""pt-summary and pt-mysql-summary: what a machine and a server are, section by section.

Source: report_system_summary() and report_mysql_summary() of Percona Toolkit 2 and 3: titles
        between number signs, and names and values between bars.
            # Memory #####################################################
                   Total | 187.6G
Yields: Settings with source pt-summary, named by their section and as printed: 'Memory: Total'; the
        version of the server as ``version``; a Section per title. Further tables of the report
        (processes, mounts, counters) are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.records import Item, Section, Setting, Skipped

NAME = "pt-summary"
TITLE = "pt-summary, pt-mysql-summary"
GIVES = "Settings of the machine and of the server, by section."
PRINTED_BY = "Percona Toolkit 2 and 3: `pt-summary`, `pt-mysql-summary`"
VERSION = 1
HINTS = ("pt-summary.txt", "pt-mysql-summary.txt")

_TITLE = re.compile(r"# (?P<title>[A-Z][^#]{1,60}?) #{5,80}\s*$")
_VALUE = re.compile(r" {0,40}(?P<name>[A-Za-z][\w /().-]{0,40}?) \| (?P<value>.*)$")
_LEAST_LINES = 2
_LONGEST = 2_000
_WHOLE = ("Percona Toolkit System Summary Report", "Percona Toolkit MySQL Summary Report")


def sniff(head: str) -> bool | None:
    """Return whether the head has a title between number signs, with names and values below it."""
    if " ####" not in head:
        return False
    lines = [line[:_LONGEST] for line in head.split("\n")[:400]]
    values = sum(_VALUE.match(line) is not None for line in lines)
    return any(map(_TITLE.match, lines)) and values >= _LEAST_LINES


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield a Setting per name and value, and a Section per title; other lines are skipped."""
    title, first, number = "", 0, 0
    for number, raw in enumerate(lines, start=1):
        text = raw[:_LONGEST]
        if match := _TITLE.match(text):
            if title:
                yield Section(title, first, number - 1)
            title, first = match["title"], number
        elif match := _VALUE.match(text):
            yield _setting(title, match["name"].strip(), match["value"].strip(), number)
        elif text.strip():
            yield Skipped(number, number, "no name and value of a summary")
    if title:
        yield Section(title, first, number)


def _setting(title: str, name: str, value: str, line: int) -> Setting:
    if name == "Version" and title.startswith("Report On Port"):
        name, value = "version", value.split(" ")[0]
    elif title and title not in _WHOLE:
        name = f"{title}: {name}"
    return Setting(line_first=line, line_last=line, name=name, value=value, source=NAME)
