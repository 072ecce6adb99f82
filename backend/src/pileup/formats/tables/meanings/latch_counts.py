"""Convert rows of SHOW ENGINE INNODB MUTEX to counts of waits per latch.

Source: innodb_show_mutex_status() and innodb_show_rwlock_status(), ha_innodb.cc. 'os_waits=4' up to
        5.6, 'waits=4' from 5.7; debug builds add spin counts. SHOW MUTEX STATUS of 5.0 has a column
        for each count. A latch that was never waited for is not printed.
Note:   latches of one kind (of each index, of each page hash) are printed one by one; they are
        summed up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pileup.formats.tables.layouts.reader import ResultRow
from pileup.formats.tables.meanings.handlers import Handler, Ready, Seen, Where
from pileup.formats.tables.meanings.tables import Shared
from pileup.records import Item, Problem

_COUNTS = re.compile(r"(?:os_waits|waits|count)=[0-9]")
# rwlock: dict0dict.cc:2677 | sum rwlock: buf0buf.cc:853 | combined buf0buf.cc:1021 | &kernel_mutex
_NAME = re.compile(r"(?:(?:sum |combined )?(?P<type>rwlock|mutex): |combined )?(?P<latch>.+)")
_COUNT = re.compile(r"(?P<key>\w{1,40})=(?P<count>[0-9]{1,18})(?:,|$)")
_FOLDERS = re.compile(r"(?:\.{0,2}/)?(?:[\w.-]{1,80}/)+(?=\w{1,60}\.(?:cc?|ic?|h):)")
_WHOLE = re.compile(r"[0-9]{1,18}")
_MODERN = ("type", "name", "status")
_OLD = ("mutex", "module")
NAMES = frozenset(_OLD)


def is_latches(seen: Seen) -> bool:
    """Whether a table lists latches: SHOW ENGINE INNODB STATUS has the same columns."""
    if seen.columns[:2] == _OLD and "count" in seen.columns:
        return True
    status = seen.first[2] if seen.first and seen.columns == _MODERN else None
    return bool(_COUNTS.match(status or ""))


def handler(seen: Seen, where: Where, shared: Shared) -> Handler:
    return _Latches(seen, where, shared)


class _Latches(Ready):
    def __init__(self, seen: Seen, where: Where, shared: Shared) -> None:
        super().__init__()
        self._names, self._where, self._columns = seen.columns, where, shared.columns
        self._sums: dict[tuple[str, tuple[tuple[str, str], ...]], tuple[int, int]] = {}

    def row(self, row: ResultRow) -> None:
        name, counts = self._counts(row.values)
        match = _NAME.match(_FOLDERS.sub("", name[:200]))
        if match is None or not counts:
            found = str(row.values)[:200]
            self._ready.append(Problem(row.line_first, "Not a latch and its waits.", found=found))
            return
        labels = tuple((key, match[key]) for key in ("latch", "type") if match[key])
        for key, count in counts:
            of = ("os_waits" if key == "waits" else key, labels)
            before, line = self._sums.get(of, (0, row.line_first))
            self._sums[of] = before + int(count), line

    def _counts(self, values: Sequence[str | None]) -> tuple[str, list[tuple[str, str]]]:
        """Return the latch of a row, and its counts by name."""
        if self._names[:2] == _OLD:
            cells = zip(self._names[2:], values[2:], strict=True)
            counts = [(key, cell) for key, cell in cells if cell and _WHOLE.fullmatch(cell)]
            return f"{values[0]} {values[1]}", counts
        status = (values[-1] or "").replace(" ", "")[:500]
        return values[-2] or "", _COUNT.findall(status)

    def end(self) -> list[Item]:
        for (key, labels), (total, line) in self._sums.items():
            self._columns.add(
                f"innodb_mutex.{key}",
                float(total),
                wall=self._where.wall_us,
                clock=self._where.clock or "relative",
                line=line,
                kind="counter",
                unit="waits" if key == "os_waits" else None,
                labels=labels,
            )
        return self.drain()


__all__ = ["handler", "is_latches"]
