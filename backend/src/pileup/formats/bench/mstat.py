"""mstat.py: vmstat, iostat and SHOW GLOBAL STATUS side by side, one line per interval.

Source: mstat.py of mytools: the list of columns ('1 timestamp', '2 timer', ...), START, the rows.
Yields: vmstat.<column>, iostat.<column> {device}, mysql.<variable>; columns that it has computed
        (rate., sum., avg., max., ratesum.) as gauges named mstat.<column>.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.errors import FormatError
from pileup.formats.reading.series_columns import Columns, Kind, Labels, number
from pileup.formats.reading.wall_clock import local_us
from pileup.formats.tables.meanings import server_variables
from pileup.records import Clock, Item, Problem

NAME = "mstat"
TITLE = "mstat.py output"
GIVES = "`vmstat.*`, `iostat.*`, `mysql.<Variable>`; computed columns as `mstat.*`."
PRINTED_BY = "mstat.py of mytools"
VERSION = 1
HINTS = ("mstat.txt", ".mstat")

_COLUMN = re.compile(r"(?P<at>\d{1,6}) (?P<name>[a-z][\w.*/%-]{0,120})\s*$")
_STAMP = re.compile(r"(\d{4})-(\d\d)-(\d\d)_(\d\d):(\d\d):(\d\d)$")
_MOST_REPORTED = 100
_MOST_COLUMNS = 20_000


def sniff(head: str) -> bool | None:
    """Return whether the text begins with a numbered list of columns, a time column first."""
    return bool(re.match(r"\s*(?:Ignoring [^\n]*\n)*1 (timestamp|timer|counter)\n2 [a-z]", head))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the samples of every row below START.

    Raises FormatError for a file without a list of columns.
    """
    columns: list[str] = []
    samples = Columns()
    started = False
    count = 0
    for line_number, text in enumerate(lines, start=1):
        line = text.strip()
        if not started:
            if line == "START":
                started = True
            elif (match := _COLUMN.match(line)) and len(columns) < _MOST_COLUMNS:
                columns.append(match["name"])
            continue
        cells = line.split()
        if not cells:
            continue
        wall, clock = _moment(columns, cells)
        if len(cells) != len(columns) or wall is None:
            if count < _MOST_REPORTED:
                count += 1
                yield Problem(
                    line_number,
                    f"{len(cells)} values for {len(columns)} columns, or no "
                    "readable time; the row is left out.",
                    found=line[:200],
                )
            continue
        for name, cell in zip(columns, cells, strict=True):
            if name in ("timestamp", "timer", "counter"):
                continue
            series, labels, kind, unit = _series(name)
            samples.add(
                series,
                number(cell),
                wall=wall,
                clock=clock,
                line=line_number,
                kind=kind,
                unit=unit,
                labels=labels,
            )
        if samples.full:
            yield from samples.flush()
    if not columns:
        raise FormatError("There is no list of columns in front of the rows.")
    yield from samples.flush()


def _moment(columns: list[str], cells: list[str]) -> tuple[int | None, Clock]:
    named = dict(zip(columns, cells, strict=False))
    if match := _STAMP.match(named.get("timestamp", "")):
        year, month, day, hour, minute, second = match.groups()
        return local_us(year, month, day, hour, minute, second), "local"
    seconds = number(named.get("timer") or named.get("counter") or "")
    if seconds is None or not 0 <= seconds < 1e9:
        return None, "relative"
    return round(seconds * 1e6), "relative"


def _series(name: str) -> tuple[str, Labels, Kind, str | None]:
    parts = name.split(".")
    if parts[0] == "vmstat":
        return name, (), "gauge", None
    if parts[0] == "iostat" and len(parts) >= 3:
        column = parts[-1].removeprefix("%")
        return f"iostat.{column}", (("device", ".".join(parts[1:-1])),), "gauge", None
    if parts[:2] == ["my", "status"] and len(parts) == 3:
        kind = server_variables.variable_kind(parts[2])
        return f"mysql.{parts[2]}", (), kind, server_variables.variable_unit(parts[2])
    return f"mstat.{name}", (), "gauge", None
