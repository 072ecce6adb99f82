"""pt-heartbeat --monitor: how far a replica lags behind, second by second.

Source: pt-heartbeat(1) of percona-toolkit: the lag, then its averages over 1, 5 and 15 minutes
        (``--frames``); ``--check`` prints the lag alone, which nothing tells from another number.
Yields: replication.heartbeat_lag (s).
Time:   none is printed: lines are a nominal second apart (``--interval``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.reading.series_columns import Columns
from pileup.records import Item, Problem

NAME = "pt-heartbeat"
TITLE = "pt-heartbeat --monitor"
GIVES = "The lag of a replica, `replication.heartbeat_lag`."
PRINTED_BY = "percona-toolkit: `pt-heartbeat --monitor`"
VERSION = 1
HINTS = ("heartbeat.txt", "heartbeat.log")

#    0s [  0.00s,  0.00s,  0.00s ]
_LINE = re.compile(
    r"\s*(?P<lag>\d{1,9}(?:\.\d{1,6})?)s "
    r"\[ {1,6}\d{1,9}\.\d\ds(?:, {1,6}\d{1,9}\.\d\ds){0,9} \]\s*$"
)
_COMMAND = re.compile(r".{0,200}\bpt-heartbeat\b")
_LONGEST = 300


def sniff(head: str) -> bool | None:
    """Return whether nearly all lines are of the monitor."""
    lines = [line[:_LONGEST] for line in head.split("\n")[:60] if line.strip()]
    fit = sum(_LINE.match(line) is not None for line in lines)
    others = sum(_LINE.match(line) is None and _COMMAND.match(line) is None for line in lines)
    return fit > 0 and others <= 0.1 * len(lines)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the lag of every line."""
    columns = Columns()
    second = 0
    for number, raw in enumerate(lines, start=1):
        text = raw[:_LONGEST].rstrip()
        if match := _LINE.match(text):
            columns.add(
                "replication.heartbeat_lag", float(match["lag"]), wall=second * 1_000_000,
                clock="relative", line=number, unit="s",
            )  # fmt: skip
            second += 1
        elif text.strip() and not _COMMAND.match(text):
            yield Problem(number, "Not a line of pt-heartbeat; it is left out.", found=raw[:200])
        if columns.full:
            yield from columns.flush()
    yield from columns.flush()
