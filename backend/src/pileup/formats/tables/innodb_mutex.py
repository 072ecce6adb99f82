"""Parse SHOW ENGINE INNODB MUTEX: how often threads had to wait for each latch, since the start.

Source: innodb_show_mutex_status() and innodb_show_rwlock_status(), ha_innodb.cc. 'os_waits=4' up to
        5.6, 'waits=4' from 5.7; debug builds add spin counts. SHOW MUTEX STATUS of 5.0 has a column
        for each count. A latch that was never
        waited for is not printed; MariaDB from 10.6 prints nothing.
Yields: innodb_mutex.os_waits and the other counts with label latch: file:line of its creation, or
        its name. Latches of one kind (of each index, of each page hash) are printed one by one;
        they are summed up.
Time:   TS lines, else samples are a nominal second apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.reading.pt_stalk_samples import clock_event
from pileup.formats.reading.series_columns import Columns
from pileup.formats.tables.parts.client_results import ResultRow, ResultSet, Stamp, Stray, read
from pileup.formats.unwrapping.client_layouts import stray
from pileup.records import Clock, Item, Problem

NAME = "innodb-mutex"
TITLE = "SHOW ENGINE INNODB MUTEX"
GIVES = "Counters `innodb_mutex.os_waits` by latch; latches of one kind are summed up."
PRINTED_BY = (
    "`SHOW ENGINE INNODB MUTEX` (5.1 to 9.x), `SHOW MUTEX STATUS` (5.0), pt-stalk `-mutex-status1`"
)
VERSION = 2
HINTS = ("-mutex-status1", "-mutex-status2", "innodb-mutex.txt", "innodb_mutex.txt")

_COUNTS = r"(?:os_waits|waits|count)=[0-9]+"
_TAB = re.compile(rf"^InnoDB\t[^\t\n]+\t{_COUNTS}", re.MULTILINE)
_BOX = re.compile(rf"^\| *InnoDB *\|[^|\n]+\| *{_COUNTS}", re.MULTILINE)
_VERTICAL = re.compile(rf"^ *Type: InnoDB\n *Name: .*\n *Status: {_COUNTS}", re.MULTILINE)
# rwlock: dict0dict.cc:2677 | sum rwlock: buf0buf.cc:853 | combined buf0buf.cc:1021 | &kernel_mutex
_OLD = re.compile(
    r"^(?:Mutex\tModule\tCount|\| *Mutex *\| *Module *\| *Count *\|"
    r"| *Mutex: .*\n *Module: .*\n *Count: )",
    re.MULTILINE,
)
_NAME = re.compile(r"(?:(?:sum |combined )?(?:rwlock|mutex): |combined )?(?P<latch>.+)")
_COUNT = re.compile(r"(?P<key>\w{1,40})=(?P<count>[0-9]{1,18})(?:,|$)")
_FOLDERS = re.compile(r"(?:\.{0,2}/)?(?:[\w.-]{1,80}/)+(?=\w{1,60}\.(?:cc?|ic?|h):)")
_WHOLE = re.compile(r"[0-9]{1,18}")
_SECOND = 1_000_000


def sniff(head: str) -> bool | None:
    """Whether the head has a row whose status is a count of waits."""
    if "InnoDB" not in head:
        return "Mutex" in head and bool(_OLD.search(head))
    return bool(_TAB.search(head) or _BOX.search(head) or _VERTICAL.search(head))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the sum of each latch in each listing."""
    columns = Columns()
    listing = _Listing(0, "relative")
    samples, clock_yielded = 0, False
    stamp: int | None = None
    for part in read(lines):
        match part:
            case Stamp(line, epoch_us, local):
                stamp = epoch_us
                if local and not clock_yielded:
                    clock_yielded = True
                    yield clock_event(line, epoch_us, local)
            case ResultSet():
                listing.add_to(columns)
                wall = samples * _SECOND if stamp is None else stamp
                listing = _Listing(wall, "relative" if stamp is None else "utc")
                samples += 1
            case ResultRow():
                if not listing.take(part):
                    yield Problem(
                        part.line_first, "Not a latch and its waits.", found=str(part.values)[:200]
                    )
            case Stray(line, text):
                yield from stray(line, text, f"not part of a result set: {text[:60]!r}")
        if columns.full:
            yield from columns.flush()
    listing.add_to(columns)
    yield from columns.flush()


class _Listing:
    """Sums the counts of one listing by latch."""

    def __init__(self, wall: int, clock: Clock) -> None:
        self._wall = wall
        self._clock: Clock = clock
        self._sums: dict[tuple[str, str], tuple[int, int]] = {}

    def take(self, row: ResultRow) -> bool:
        """Add one row; return False when it holds no count."""
        name, status = (
            (row.values[-2] or "", row.values[-1] or "") if len(row.values) > 2 else ("", "")
        )
        counts = _COUNT.findall(status.replace(" ", "")[:500])
        if row.result.columns[:2] == ("Mutex", "Module"):
            name = f"{row.values[0]} {row.values[1]}"
            cells = zip(row.result.columns[2:], row.values[2:], strict=True)
            counts = [(key.lower(), cell) for key, cell in cells if _WHOLE.fullmatch(cell or "")]
        match = _NAME.match(_FOLDERS.sub("", name[:200]))
        if match is None or not counts:
            return False
        for key, count in counts:
            of = ("os_waits" if key == "waits" else key, match["latch"])
            before, line = self._sums.get(of, (0, row.line_first))
            self._sums[of] = before + int(count), line
        return True

    def add_to(self, found: Columns) -> None:
        """Add the sums as samples."""
        for (key, latch), (total, line) in self._sums.items():
            found.add(
                f"innodb_mutex.{key}",
                float(total),
                wall=self._wall,
                clock=self._clock,
                line=line,
                kind="counter",
                unit="waits" if key == "os_waits" else None,
                labels=(("latch", latch),),
            )
