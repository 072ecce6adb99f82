"""Parse pt-mext: samples of SHOW STATUS in columns, a variable per line.

Source: pt-mext(1) of percona-toolkit over ``mysqladmin ext -i``: the name, then a column per
        sample, without a header. With ``-r`` of either of them the second and later columns are
        differences; Uptime shows which it is (Innodb_page_size when Uptime is missing).
Yields: the same series as status, mysql.<Variable>: differences are summed up again; a text once,
        as a setting of the status.
Time:   Uptime is the clock, as in status; without it a column is a second.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from pileup.formats.errors import FormatError
from pileup.formats.tables.layouts import samples
from pileup.formats.tables.layouts.reader import ResultRow, Stray
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
VERSION = 2
HINTS = ("mext.txt", "-mext", "mysql-status-defer")

_KNOWN = ("Aborted_clients", "Bytes_received", "Com_select", "Threads_running", "Uptime")
_NOT_ONE = "not a row of pt-mext"

Row = tuple[int, Sequence[str | None]]
"""The line of a variable, and its value in each sample."""


def sniff(head: str) -> bool | None:
    """Whether the head has names of SHOW STATUS, each with several numbers behind blanks."""
    lines = [line for line in head.split("\n")[:400] if line.strip()]
    names = [name for line in lines if (name := samples.name_of(line))]
    if len(names) < 2 or len(names) < 0.8 * len(lines):
        return False
    return sum(name in _KNOWN for name in names) >= 2


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield every variable after reading the whole file: Uptime is near the end."""
    rows: dict[str, Row] = {}
    for part in samples.read(lines):
        if isinstance(part, Stray):
            yield Skipped(part.line, part.line, _NOT_ONE)
        elif isinstance(part, ResultRow):
            rows[part.values[0] or ""] = part.line_first, part.values[1:]
    if not rows:
        raise FormatError("No variable with several samples was found: expected pt-mext's columns.")
    relative = _is_relative(rows)
    clock = UptimeClock()
    uptimes = _values(rows["Uptime"][1], relative) if "Uptime" in rows else []
    width = max(len(cells) for _, cells in rows.values())
    walls = [
        clock.next(int(value) if value is not None and value >= 0 else None)
        for value in [*uptimes, *[None] * (width - len(uptimes))]
    ]
    for name, (number, cells) in rows.items():
        if cells[0] is None or parse_value(cells[0]) is None:
            yield _text(name, number, cells[0])
            continue
        values = _values(cells, relative)
        if None in values:
            yield Problem(
                number,
                f"{name} has not one number for each of the {width} samples.",
                found=" ".join(cell for cell in cells if cell is not None)[:200],
            )
        yield Samples(
            f"mysql.{name}",
            variable_kind(name),
            variable_unit(name),
            "relative",
            walls,
            values,
            [number] * width,
        )


def _text(name: str, number: int, text: str | None) -> Item:
    """Convert a text, which is the same in all samples, to a setting."""
    if text is None:
        return Skipped(number, number, _NOT_ONE)
    return Setting(
        line_first=number,
        line_last=number,
        name=f"status.{name.lower()}",
        value=text,
        source="SHOW STATUS",
    )


def _is_relative(rows: dict[str, Row]) -> bool:
    """Whether the later columns are differences: the page size then has zeros."""
    for name in ("Uptime", "Innodb_page_size"):
        values = _values(rows[name][1][:2], relative=False) if name in rows else []
        if len(values) == 2 and values[0] is not None and values[1] is not None:
            return values[1] < values[0]
    return False


def _values(cells: Sequence[str | None], relative: bool) -> list[float | None]:
    """Return the levels; None from the first difference that cannot be read."""
    values = [parse_value(cell or "") for cell in cells]
    return list(accumulate(values, _add)) if relative else values


def _add(level: float | None, step: float | None) -> float | None:
    return None if level is None or step is None else level + step
