"""Parse myq_status: a node of a Galera cluster, one line per second.

Source: myq_status of myq-tools (Perl and Go), view wsrep: names of groups, names of columns, rows.
                     Cluster  Node       Repl  Queue     Ops       Bytes     Conflct   Gcache
                time  P cnf  #  Stat  Laten   Up   Dn  Up   Dn    Up    Dn  lcf  bfa  ist  idx dst
            19:41:36  P  13  3  Dono  1.2ms    0 137k   0    0   0.0   0.0    0    0  12k  103 201
Yields: mysql.wsrep_local_recv_queue and wsrep_local_send_queue (the first Dn and Up),
        wsrep_flow_control_paused (a fraction of each interval); the Setting
        wsrep_local_state_comment, where the node is not synced.
Time:   of day, without a date (dayless).
Note:   the other columns are rates of counters that a status has in full; they are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from pileup.formats.reading.date_lines import read_date_line
from pileup.formats.reading.series_columns import Columns, decimal
from pileup.records import Item, Setting, Skipped

NAME = "myq-status"
TITLE = "myq_status of a Galera node"
GIVES = "`mysql.wsrep_local_recv_queue`, `wsrep_local_send_queue`, `wsrep_flow_control_paused`."
PRINTED_BY = "myq_status of myq-tools"
VERSION = 1
HINTS = ("myq_status.txt",)

_HEADER = re.compile(r"\s*time\s+(?:name\s+)?P\s+cnf\s+#\s+(?=\S.*\bUp\s+Dn\b)")
_ROW = re.compile(r"\s*\d\d:\d\d:\d\d\s+\S")
_STATES = {
    "Dono": "Donor/Desynced", "Join": "Joining", "Jned": "Joined", "Init": "Initialized",
}  # fmt: skip
_STATE_COLUMNS = ("Stat", "cmt")
_PAUSED = {"p_ms": 1e-3, "pau": 1.0, "paus": 1.0, "pause_ns": 1e-9}
"""Seconds of a number without a unit, by the name of the column."""
_VALUE = re.compile(r"(?P<number>\d{1,12}(?:\.\d{1,6})?)(?P<unit>[kKMG]|ns|us|µs|ms|s|%)?\*?$")
_UNITS = {
    "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9,
    "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "%": 1e-2,
}  # fmt: skip
_LONGEST = 400
_DAY_US = 86_400_000_000
_US = 1e-6


def sniff(head: str) -> bool | None:
    """Return whether a line has the names of its columns."""
    return "cnf" in head and any(map(_HEADER.match, head.split("\n")[:200]))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the queues and the pauses of each line, and the state of the node."""
    columns = Columns()
    names: list[str] = []
    last: int | None = None
    for number, raw in enumerate(lines, start=1):
        text = raw[:_LONGEST]
        if _HEADER.match(text):
            names = text.split()
            continue
        cells = text.split()
        date = read_date_line(cells[0]) if names and _ROW.match(text) else None
        if date is None:
            if text.strip():
                yield Skipped(number, number, "no line of a node")
            continue
        wall = date.wall_us
        seconds = ((wall - last) % _DAY_US) * _US if last is not None else 1.0
        last = wall
        for series, value in _values(names, cells, seconds or 1.0):
            columns.add(f"mysql.{series}", value, wall=wall, clock=date.clock, line=number)
        state = next((_cell(names, cells, name) for name in _STATE_COLUMNS if name in names), None)
        if state in _STATES:
            yield Setting(
                line_first=number,
                line_last=number,
                wall_us=wall,
                clock=date.clock,
                name="wsrep_local_state_comment",
                value=_STATES[state],
                source="status",
            )
        if columns.full:
            yield from columns.flush()
    yield from columns.flush()


def _values(
    names: Sequence[str], cells: Sequence[str], seconds: float
) -> Iterator[tuple[str, float | None]]:
    """Yield the series of a line; ``seconds`` have passed since the line before."""
    queue = (("Up", "wsrep_local_send_queue"), ("Dn", "wsrep_local_recv_queue"))
    for name, series in queue:  # the first of three: then operations and bytes
        if (cell := _cell(names, cells, name)) is not None:
            yield series, _scaled(cell, 1.0)
    for name, scale in _PAUSED.items():
        if name in names and (cell := _cell(names, cells, name)) is not None:
            paused = _scaled(cell, scale)
            yield "wsrep_flow_control_paused", paused and min(1.0, paused / seconds)


def _cell(names: Sequence[str], cells: Sequence[str], name: str) -> str | None:
    at = names.index(name)
    return cells[at] if at < len(cells) else None


def _scaled(cell: str, scale: float) -> float | None:
    match = _VALUE.match(cell)
    value = decimal(match["number"]) if match else None
    if match is None or value is None:
        return None
    return value * (_UNITS[match["unit"]] if match["unit"] else scale)


__all__ = ["GIVES", "HINTS", "NAME", "PRINTED_BY", "TITLE", "VERSION", "parse", "sniff"]
