"""MySQLTuner: its remarks on a server, as a table.

Source: mysqltuner.pl 1.x and 2.x: lines that begin with [OK], [!!] or [--] below titles between
        dashes; recommendations are indented lines below 'General recommendations:'.
Yields: the table 'mysqltuner': mark, section, remark; the version; Max_used_connections and
        max_connections of 'Highest connection usage: 100% (1501/1500)'.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.records import Item, Samples, Section, Setting, Skipped, Table

NAME = "mysqltuner"
TITLE = "MySQLTuner"
GIVES = "A table of its remarks, by section; the version and the highest number of connections."
PRINTED_BY = "mysqltuner.pl 1.x and 2.x"
VERSION = 1
HINTS = ("mysqltuner.txt", "mysqltuner.log")

_COLOUR = re.compile(r"\x1b\[[0-9;]{0,10}m")
_REMARK = re.compile(r"\s{0,4}\[(?P<mark>OK|!!|--)\] (?P<text>\S.{0,2000})$")
_TITLE = re.compile(r"\s{0,4}-{4,}\s(?P<title>\S[^-]{1,60}?)\s-{4,}\s*$")
_GENERAL = re.compile(r"\s{0,4}(?P<title>[A-Z][\w ]{3,60}):\s*$")
_VERSION = re.compile(
    r"(?:running|unsupported|supported) (?:\S+ ){0,3}(?P<version>\d+\.\d+\.\d+\S*)"
)
_CONNECTIONS = re.compile(r"connection usage: .{1,20}\((?P<used>\d{1,9})/(?P<most>\d{1,9})\)")
_BANNER = re.compile(r"\s{0,4}>> ")
_LEAST = 3
_MOST = 5_000
_LONGEST = 2_100


def sniff(head: str) -> bool | None:
    """Return whether the text has its banner, or several remarks below one of its titles."""
    if "MySQLTuner" in head and "[--]" in head:
        return True
    lines = [_COLOUR.sub("", line[:_LONGEST]) for line in head.split("\n")[:300]]
    return sum(map(bool, map(_REMARK.match, lines))) >= _LEAST and any(map(_TITLE.match, lines))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield a table of all remarks, and what is a number or a setting among them."""
    rows: list[tuple[str | None, ...]] = []
    section: str | None = None
    first = last = 0
    for number, raw in enumerate(lines, start=1):
        text = _COLOUR.sub("", raw[:_LONGEST]).rstrip()
        if not text.strip() or _BANNER.match(text):
            continue
        if title := _TITLE.match(text) or _GENERAL.match(text):
            section = title["title"]
            continue
        remark = _REMARK.match(text)
        if remark is None and not (section and text[0].isspace()):
            yield Skipped(number, number, "no remark of MySQLTuner")
            continue
        first, last = first or number, number
        mark, words = (remark["mark"], remark["text"]) if remark else (None, text.strip())
        if len(rows) < _MOST:
            rows.append((mark, section, words))
        yield from _values(number, words)
    if rows:
        yield Section("Remarks", first, last)
        columns = ("mark", "section", "remark")
        yield Table(line_first=first, line_last=last, name=NAME, columns=columns, rows=tuple(rows))


def _values(line: int, words: str) -> Iterator[Item]:
    if match := _VERSION.search(words):
        yield _setting(line, "version", match["version"])
    if match := _CONNECTIONS.search(words):
        used = [float(match["used"])]
        yield Samples("mysql.Max_used_connections", "gauge", None, "relative", [0], used, [line])
        yield _setting(line, "max_connections", match["most"])


def _setting(line: int, name: str, value: str) -> Setting:
    return Setting(line_first=line, line_last=line, name=name, value=value, source=NAME)


__all__ = ["GIVES", "HINTS", "NAME", "PRINTED_BY", "TITLE", "VERSION", "parse", "sniff"]
