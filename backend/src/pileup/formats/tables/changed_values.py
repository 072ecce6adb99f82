"""Variables of the status with their numbers before and during an incident, as people write them.

Source: posts and tickets that describe a graph:
            Threads_created/s: 5 -> 780
            Threads_running went from 12 to 390
Yields: both numbers of each as mysql.<Variable>: a gauge, or the rate that the line says.
Note:   only names of variables count, and two of them are needed: what a number of any other word
        means is not known. A counter that is no rate has no meaning before and after.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.errors import FormatError
from pileup.formats.reading.series_columns import Columns, decimal
from pileup.formats.tables.meanings.server_variables import (
    is_variable,
    variable_kind,
    variable_unit,
)
from pileup.records import Item, Skipped

NAME = "changed-values"
TITLE = "variables before and during an incident, in a text"
GIVES = "Both numbers of each variable, as `mysql.*`."
PRINTED_BY = "people: posts, tickets, chats"
VERSION = 1
HINTS = ()

_NUMBER = r"\d{1,12}(?:[.,]\d{1,6})?[kKM]?"
_CHANGE = re.compile(
    r"[^\w\n]{0,8}(?P<name>(?:[A-Z][a-z0-9]|wsrep_)\w{1,120})(?P<rate> ?(?:/s|/sec|per second))?"
    r"[^\w\n]{0,4}(?: ?(?:went|goes|rose|jumped|climbed|grew|fell|dropped))?(?: ?from)? {0,3}"
    rf"(?P<before>{_NUMBER})(?P<unit> ?(?:/s|/sec|per second))? {{0,3}}(?:-{{1,2}}>|\u2192|=>|to)"
    rf" {{0,3}}(?P<after>{_NUMBER})(?![\w.])"
)
_SCALES = {"k": 1e3, "K": 1e3, "M": 1e6}
_APART = 60_000_000
_MOST_LINES = 400
_LONGEST = 400
_LEAST = 2


def sniff(head: str) -> bool | None:
    """Return whether two lines of the beginning are changes of variables."""
    return sum(_change(line) is not None for line in head.split("\n")[:_MOST_LINES]) >= _LEAST


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield two samples for each change.

    Raises FormatError when no line is one.
    """
    columns = Columns()
    found = False
    for number, line in enumerate(lines, start=1):
        change = _change(line)
        if change is None:
            if line.strip():
                yield Skipped(number, number, "no variable with a number before and after")
            continue
        found = True
        name, is_rate, values = change
        for at, value in enumerate(values):
            columns.add(
                f"mysql.{name}",
                value,
                wall=at * _APART,
                clock="relative",
                line=number,
                kind="rate" if is_rate else "gauge",
                unit=variable_unit(name),
            )
        if columns.full:
            yield from columns.flush()
    if not found:
        raise FormatError("No change was found: expected 'Threads_running: 12 -> 390'.")
    yield from columns.flush()


def _change(line: str) -> tuple[str, bool, tuple[float, float]] | None:
    """Return name, whether it is a rate, and both numbers; None for any other line."""
    match = _CHANGE.match(line[:_LONGEST])
    if match is None or is_variable(match["name"]):
        return None
    is_rate = bool(match["rate"] or match["unit"])
    if not is_rate and variable_kind(match["name"]) != "gauge":
        return None
    before, after = _number(match["before"]), _number(match["after"])
    return None if before is None or after is None else (match["name"], is_rate, (before, after))


def _number(text: str) -> float | None:
    value = decimal(text.rstrip("kKM").replace(",", "."))
    return None if value is None else value * _SCALES.get(text[-1], 1.0)


__all__ = [
    "GIVES",
    "HINTS",
    "NAME",
    "PRINTED_BY",
    "TITLE",
    "VERSION",
    "parse",
    "sniff",
]
