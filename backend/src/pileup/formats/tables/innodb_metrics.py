"""Parse information_schema.INNODB_METRICS in any layout: every enabled counter of InnoDB.

Source: srv_mon.cc and i_s_metrics_fill_table(), storage/innobase (MySQL 5.6 to 9.x, MariaDB 10.0+).
Yields: innodb_metrics.<name> from COUNT, since the counter was enabled. TYPE is its kind: a
        'value' is a gauge, all others only grow. A disabled counter is left out: its zero was
        never counted.
Time:   TS lines, else samples are a nominal second apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.reading.pt_stalk_samples import clock_event
from pileup.formats.reading.series_columns import Columns
from pileup.formats.tables.parts.client_results import ResultRow, ResultSet, Stamp, Stray, read
from pileup.formats.unwrapping.client_layouts import stray
from pileup.records import Clock, Item, Problem, Skipped

NAME = "innodb-metrics"
TITLE = "INNODB_METRICS"
GIVES = "Counters and gauges `innodb_metrics.<name>`; disabled ones are left out."
PRINTED_BY = "`SELECT * FROM information_schema.INNODB_METRICS`: `\\G`, box, tabs"
VERSION = 2
HINTS = ("innodb-metrics", "innodb_metrics", "innodb-metrics.txt", "innodb_metrics.txt")

_VERTICAL = re.compile(r"^ *name: \w+\n *subsystem: \w+\n *count: ", re.IGNORECASE | re.MULTILINE)
_TABLE = re.compile(
    r"^(?:\| *name *\| *subsystem *\| *count *\||name\tsubsystem\tcount\b)",
    re.IGNORECASE | re.MULTILINE,
)
_WHOLE = re.compile(r"-?[0-9]{1,20}")
_OFF = ("disabled", "0", "off")
_SECOND = 1_000_000


def sniff(head: str) -> bool | None:
    """Whether the head has the first columns of the table, in any layout."""
    if "subsystem" not in head.lower():
        return False
    return bool(_VERTICAL.search(head) or _TABLE.search(head))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield every enabled counter of every sample."""
    found = Columns()
    wall, clock, samples = 0, _RELATIVE, 0
    clock_yielded = False
    names: dict[str, int] = {}
    for part in read(lines):
        match part:
            case Stamp(line, epoch_us, local):
                wall, clock = epoch_us, "utc"
                if local and not clock_yielded:
                    clock_yielded = True
                    yield clock_event(line, epoch_us, local)
            case ResultSet(columns=columns):
                names = {name.lower(): at for at, name in enumerate(columns)}
                if clock == _RELATIVE:
                    wall = samples * _SECOND
                samples += 1
            case ResultRow():
                yield from _row(part, names, found, wall, clock)
            case Stray(line, text):
                yield from stray(line, text, f"not part of a result set: {text[:60]!r}")
        if found.full:
            yield from found.flush()
    yield from found.flush()


_RELATIVE: Clock = "relative"


def _row(
    row: ResultRow, names: dict[str, int], found: Columns, wall: int, clock: Clock
) -> Iterator[Item]:
    cells = {name: row.values[at] for name, at in names.items() if at < len(row.values)}
    name, count = cells.get("name"), cells.get("count")
    if not name or "count" not in names:
        yield Skipped(row.line_first, row.line_last, "a row of another table")
        return
    if (cells.get("status") or cells.get("enabled") or "").lower() in _OFF:
        return
    if count is None or not _WHOLE.fullmatch(count):
        yield Problem(row.line_first, f"{name} has no readable count.", found=str(count)[:200])
        return
    kind = "gauge" if (cells.get("type") or "").lower() == "value" else "counter"
    found.add(
        f"innodb_metrics.{name}",
        float(count),
        wall=wall,
        clock=clock,
        line=row.line_first,
        kind="gauge" if kind == "gauge" else "counter",
    )
