"""Parse the status of an InnoDB Cluster or ReplicaSet, as MySQL Shell prints it.

Source: dba.getCluster().status() and ReplicaSet.status(), AdminAPI of MySQL Shell 8.x and 9.x.
            "status": "NO_QUORUM", "statusText": "Cluster has no quorum as visible from ...",
            "topology": {"db1:3306": {"address": "db1:3306", "status": "UNREACHABLE"}}
Yields: the table of members and `group_replication.members` by state, as performance_schema's
        replication_group_members does; an Event with the text of the status.
Time:   none is printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.errors import FormatError
from pileup.formats.reading.beginning import read_beginning
from pileup.formats.tables.layouts.reader import ResultRow, ResultSet
from pileup.formats.tables.meanings.reader import TableReader
from pileup.records import Event, Item, Skipped

NAME = "cluster-status"
TITLE = "the status of an InnoDB Cluster"
GIVES = "A table of members; `group_replication.members` by state; the status as an event."
PRINTED_BY = "MySQL Shell: `cluster.status()`"
VERSION = 2
HINTS = ()

_MOST = 1024 * 1024
"""Characters: a cluster has nine members."""
_STATUS = re.compile(
    r'"status"\s*:\s*"(?P<status>[A-Z_]{2,40})"\s*,\s*"statusText"\s*:\s*"(?P<text>[^"\n]{1,1000})'
)
_INSIDE = r"(?:[^{}\"]|\{\s{0,40}\}|\"[^\"\n]{0,400}\")"
_MEMBER = re.compile(
    rf'"address"\s*:\s*"(?P<address>[^"\n]{{1,300}})"(?P<more>{_INSIDE}{{0,400}}?)'
    r'"status"\s*:\s*"(?P<state>[^"\n]{1,40})"'
)
_ROLE = re.compile(r'"(?:memberRole|instanceRole)"\s*:\s*"(?P<role>[^"\n]{1,40})"')
_COLUMNS = ("MEMBER_HOST", "MEMBER_STATE", "MEMBER_ROLE")


def sniff(head: str) -> bool | None:
    """Return whether the text has the topology of a cluster."""
    return '"topology"' in head and '"status"' in head and _MEMBER.search(head) is not None


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the members as a table, and the status.

    Raises FormatError when there is no member.
    """
    held, count = read_beginning(lines, _MOST)
    text = "".join(f"{line}\n" for line in held)
    members = list(_MEMBER.finditer(text, text.find('"topology"')))
    if not members:
        raise FormatError("No member was found: expected an address and a status in a topology.")
    if status := _STATUS.search(text):
        at = _line(text, status.start())
        yield Event(
            line_first=at,
            line_last=_line(text, status.end()),
            kind="log",
            severity="note" if status["status"] == "OK" else "error",
            message=f"{status['status']}: {status['text']}",
        )
    reader = TableReader()
    result = ResultSet(0, "", _COLUMNS, _line(text, members[0].start()), "cells")
    yield from reader.part(result)
    for member in members:
        role = _ROLE.search(member["more"])
        values = (member["address"], member["state"].strip("()"), role["role"] if role else None)
        first, end = _line(text, member.start()), _line(text, member.end())
        yield from reader.part(ResultRow(result, values, first, end))
    yield from reader.end()
    if (read := text.count("\n")) < count:
        yield Skipped(read + 1, count, "behind the members of the cluster")


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


__all__ = ["GIVES", "HINTS", "NAME", "PRINTED_BY", "TITLE", "VERSION", "parse", "sniff"]
