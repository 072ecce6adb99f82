"""Parse pt-mext: samples of SHOW STATUS in columns, a variable per line.

Source: pt-mext(1) of percona-toolkit over ``mysqladmin ext -i``: the name, then a column per
        sample, without a header. With ``-r`` of either of them the second and later columns are
        differences; Uptime shows which it is (Innodb_page_size when Uptime is missing).
Yields: the same series as status, mysql.<Variable>: differences are summed up again; a text once,
        as a setting of the status.
Time:   Uptime is the clock, as in status; without it a column is a second.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from pileup.formats.errors import FormatError
from pileup.formats.tables.meanings.server_variables import (
    parse_value,
    variable_kind,
    variable_unit,
)
from pileup.formats.tables.meanings.status import UptimeClock
from pileup.records import Item, Problem, Samples, Setting, Skipped

NAME = "pt-mext"
TITLE = "pt-mext"
GIVES = "Counters and gauges `mysql.<Variable>`; differences are summed up again."
PRINTED_BY = "pt-mext, with and without `-r`; `mysql-status-defer` of pt-mysql-summary"
VERSION = 1
HINTS = ("mext.txt", "-mext", "mysql-status-defer")

# Aborted_clients                             164    0    0    0
_ROW = re.compile(r"(?P<name>[A-Za-z]\w{2,120}) +(?P<values>\S[^\t]*)?$")
_NUMBERS = re.compile(r"[A-Za-z]\w{2,120}(?: +-?\d[\d.]{0,40}){2,}\s*$")
_KNOWN = ("Aborted_clients", "Bytes_received", "Com_select", "Threads_running", "Uptime")
_LONGEST = 200_000


def sniff(head: str) -> bool | None:
    """Whether the head has names of SHOW STATUS, each with several numbers behind blanks."""
    lines = [line for line in head.split("\n")[:400] if line.strip()]
    rows = [line for line in lines if _NUMBERS.match(line[:_LONGEST])]
    if len(rows) < 2 or len(rows) < 0.8 * len(lines):
        return False
    return sum(line.partition(" ")[0] in _KNOWN for line in rows) >= 2


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield every variable after reading the whole file: Uptime is near the end."""
    rows: dict[str, tuple[int, list[str]]] = {}
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        match = _ROW.match(text)
        if match is None or match["name"] in rows:
            yield Skipped(number, number, "not a row of pt-mext")
            continue
        rows[match["name"]] = number, (match["values"] or "").split()
    widths = Counter(
        len(cells) for _, cells in rows.values() if cells and parse_value(cells[0]) is not None
    )
    width = widths.most_common(1)[0][0] if widths else 0
    if width < 2:
        raise FormatError("No variable with several samples was found: expected pt-mext's columns.")
    relative = _is_relative(rows)
    uptimes = _values(rows["Uptime"][1], relative) if "Uptime" in rows else []
    clock = UptimeClock()
    most = max(widths)
    walls = [
        clock.next(int(value) if value is not None and value >= 0 else None)
        for value in [*uptimes, *[None] * (most - len(uptimes))]
    ]
    for name, (number, cells) in rows.items():
        if not cells or parse_value(cells[0]) is None:
            yield _text(name, number, cells, width)
            continue
        values = _values(cells, relative)
        if len(values) != width or None in values:
            yield Problem(
                number,
                f"{name} has not one number for each of the {width} samples.",
                found=" ".join(cells)[:200],
            )
        yield Samples(
            f"mysql.{name}",
            variable_kind(name),
            variable_unit(name),
            "relative",
            walls[: len(values)],
            values,
            [number] * len(values),
        )


def _text(name: str, number: int, cells: list[str], width: int) -> Item:
    """Read cells that are not numbers: the same words once per sample, or nothing."""
    size = len(cells) // width
    if cells != cells[:size] * width:
        return Skipped(number, number, "not a row of pt-mext")
    return Setting(
        line_first=number,
        line_last=number,
        name=f"status.{name.lower()}",
        value=" ".join(cells[:size]),
        source="SHOW STATUS",
    )


def _is_relative(rows: dict[str, tuple[int, list[str]]]) -> bool:
    """Whether the later columns are differences: the page size then has zeros."""
    for name in ("Uptime", "Innodb_page_size"):
        values = [parse_value(cell) for cell in rows[name][1][:2]] if name in rows else []
        if len(values) == 2 and values[0] is not None and values[1] is not None:
            return values[1] < values[0]
    return False


def _values(cells: Sequence[str], relative: bool) -> list[float | None]:
    """Return the levels; None from the first difference that cannot be read."""
    values = [parse_value(cell) for cell in cells]
    return list(accumulate(values, _add)) if relative else values


def _add(level: float | None, step: float | None) -> float | None:
    return None if level is None or step is None else level + step
