"""Counts of sessions by state that people write in sentences and lists.

Source: posts and tickets that tell what a processlist showed.
            we have 400 threads in 'Waiting for table metadata lock'
            - 212 connections in state "statistics"
            Waiting for table flush: 31
Yields: what a processlist yields that the server has counted by state.
Note:   a count needs a noun for sessions and a state in quotes, or a wait by its first words; then
        others in the same text may lack the noun. A state that comes again begins another count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.errors import FormatError
from pileup.formats.tables.layouts.reader import ResultRow, ResultSet
from pileup.formats.tables.meanings.reader import TableReader
from pileup.records import Item, Skipped

NAME = "counted-sessions"
TITLE = "counts of sessions by state in a text"
GIVES = "A table of counts; `processlist.sessions`, `.running`, `.state`."
PRINTED_BY = "people: posts, tickets, chats"
VERSION = 1
HINTS = ()
ONLY_UNCLAIMED = True

_LONGEST = 2_000
_MOST_LINES = 400
_NUMBER = r"(?<![^\s(*~-])(?P<count>\d{1,3}(?:,\d{3}){1,2}|\d{1,6})(?![^\s+.,;)]|[.,]\S)\+?"
_SESSIONS = (
    r"(?:threads|connections|sessions|queries|processes|clients|statements|transactions|requests"
    r"|selects|updates|inserts|deletes)"
)
_WAIT = r"[Ww]aiting (?:for|on) [a-z][a-z ]{2,40} (?:lock|flush|commit)\b"
_ONE_WORD = (
    r"(?:statistics|updating|update|init|executing|preparing|optimizing|starting|locked|Locked|login"
    r"|end|checking permissions)"
)
_STATE = (
    rf"(?:[\"'`\u201c\u2018](?P<state>{_ONE_WORD}|{_WAIT}|[A-Za-z]+(?: [A-Za-z()/_-]+){{1,9}})"
    rf"[\"'`\u201d\u2019]|(?P<wait>{_WAIT}))"
)
_BETWEEN = r"(?: [A-Za-z()]{1,20}){0,6}?"
_COUNTED = re.compile(rf"{_NUMBER}(?P<between>{_BETWEEN}) {_STATE}", re.IGNORECASE)
_NOUN = re.compile(rf"\b{_SESSIONS}\b", re.IGNORECASE)
_IN = re.compile(
    r"(?: of them)?(?: are| were| is)?(?: stuck| waiting| hanging)?(?: in)?(?: state)?$"
)
# Waiting for table flush: 31
_LISTED = re.compile(rf"^[^\w\n]{{0,8}}(?P<wait>{_WAIT})[\"'`]?\s{{0,9}}[:=x-]\s{{0,9}}{_NUMBER}")
_COLUMNS = ("count", "State")


def sniff(head: str) -> bool | None:
    """Return whether a line of the beginning counts sessions."""
    return any(map(_counts_sessions, head.split("\n")[:_MOST_LINES]))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the counts of each list of states as a table, and its series.

    Raises FormatError when no line has a count.
    """
    reader = TableReader()
    result: ResultSet | None = None
    states: set[str] = set()
    tables = 0
    for number, line in enumerate(lines, start=1):
        rows = list(_rows(line[:_LONGEST]))
        if not rows and line.strip():
            yield Skipped(number, number, "no count of sessions")
        for count, state in rows:
            if result is None or state in states:
                result = ResultSet(tables, "", _COLUMNS, number, "cells")
                tables += 1
                states = set()
                yield from reader.part(result)
            states.add(state)
            yield from reader.part(ResultRow(result, (count, state), number, number))
    if result is None:
        raise FormatError("No count was found: expected sessions and the state that they are in.")
    yield from reader.end()


def _counts_sessions(line: str) -> bool:
    line = line[:_LONGEST]
    named = any(_NOUN.search(match["between"]) for match in _COUNTED.finditer(line))
    return named or _LISTED.match(line) is not None


def _rows(line: str) -> Iterator[tuple[str, str]]:
    """Yield the counts of a line and their states."""
    if match := _LISTED.match(line):
        yield _row(match)
        return
    for match in _COUNTED.finditer(line):
        if _NOUN.search(match["between"]) or _IN.match(match["between"]):
            yield _row(match)


def _row(match: re.Match[str]) -> tuple[str, str]:
    parts = match.groupdict()
    state = parts.get("state") or parts["wait"]
    return match["count"].replace(",", ""), state[0].upper() + state[1:] if " " in state else state


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
