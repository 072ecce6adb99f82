"""Convert the rows of pt-deadlock-logger and innotop to deadlocks: a row per transaction.

Source: pt-deadlock-logger of Percona Toolkit, printed or from its --dest table. All rows of a
        server and a time are one deadlock; ``victim`` is 1 for the transaction rolled back,
        ``wait_hold`` is w for a lock that is waited for and h for one that is held.
        innotop's screen of deadlocks: ID, Timestring, ..., Victim, ..., Query Text; without locks.
Time:   ``ts`` is the server's local time, as in the status dump that the tool reads.
"""

from __future__ import annotations

from pileup.formats.reading.timestamps import read_stamp
from pileup.formats.tables.layouts.reader import ResultRow
from pileup.formats.tables.meanings.handlers import (
    Cells,
    Handler,
    Ready,
    Seen,
    Where,
    first,
    integer,
    seconds,
)
from pileup.formats.tables.meanings.tables import Shared
from pileup.records import Clock, Deadlock, DeadlockTrx, Item, Problem

_LOGGED = frozenset(("thread", "wait_hold", "victim"))
_ON_SCREEN = {"id": "thread", "timestring": "ts", "victim": "victim", "query text": "query"}
"""Columns of innotop, and what pt-deadlock-logger calls them."""
NAMES = frozenset(("wait_hold", "victim"))
_YES = ("1", "Yes")
_MOST_TRANSACTIONS = 200
"""Of one deadlock: InnoDB gives up its search there."""


def is_deadlocks(seen: Seen) -> bool:
    """Whether a table has the threads of deadlocks and who was rolled back."""
    return set(seen.columns) >= _LOGGED or _ON_SCREEN.keys() <= set(seen.columns)


def handler(seen: Seen, where: Where, shared: Shared) -> Handler:
    del shared
    return _Deadlocks(seen.columns, where)


class _Deadlocks(Ready):
    def __init__(self, columns: tuple[str, ...], where: Where) -> None:
        super().__init__()
        if not set(columns) >= _LOGGED:
            columns = tuple(_ON_SCREEN.get(name, name) for name in columns)
        self._columns, self._where = columns, where
        self._of: tuple[str | None, str | None] | None = None
        self._rows: list[tuple[Cells, ResultRow]] = []

    def row(self, row: ResultRow) -> None:
        cells = dict(zip(self._columns, row.values, strict=True))
        if integer(cells["thread"]) is None:
            found = str(row.values)[:200]
            self._ready.append(Problem(row.line_first, "Not a row of a deadlock.", found=found))
            return
        of = (cells.get("server"), cells.get("ts"))
        if of != self._of or len(self._rows) >= _MOST_TRANSACTIONS:
            self._close()
        self._of = of
        self._rows.append((cells, row))

    def end(self) -> list[Item]:
        self._close()
        return self.drain()

    def _close(self) -> None:
        if not self._rows:
            return
        cells, row = self._rows[0]
        wall, clock = self._time(cells)
        victims = [at for at, (of, _) in enumerate(self._rows, 1) if of["victim"] in _YES]
        self._ready.append(
            Deadlock(
                line_first=row.line_first,
                line_last=self._rows[-1][1].line_last,
                host=cells.get("server") or None,
                wall_us=wall,
                clock=clock,
                transactions=tuple(
                    _transaction(at, of) for at, (of, _) in enumerate(self._rows, 1)
                ),
                victim=victims[0] if len(victims) == 1 else None,
                original=cells.get("ts"),
                truncated=len(self._rows) == 1,
            )
        )
        self._rows = []

    def _time(self, cells: Cells) -> tuple[int | None, Clock | None]:
        stamp = read_stamp(cells.get("ts") or "")
        return stamp or (self._where.wall_us, self._where.clock)


def _transaction(number: int, cells: Cells) -> DeadlockTrx:
    lock, is_held = _lock(cells), cells.get("wait_hold") == "h"
    trx = cells.get("txn_id") or ""
    return DeadlockTrx(
        number=number,
        trx_id="" if trx == "0" else trx,
        session_id=integer(cells["thread"]),
        active_s=seconds(cells.get("txn_time")),
        query=cells.get("query") or None,
        user=cells.get("user") or None,
        holds=(lock,) if lock and is_held else (),
        holds_rows=("",) if lock and is_held else (),
        waits_for=lock if not is_held else None,
    )


def _lock(cells: Cells) -> str | None:
    """Describe a lock as a status dump's are: 'record shop.orders PRIMARY X'."""
    table = ".".join(filter(None, (first(cells, "db"), first(cells, "tbl"))))
    if not table:
        return None
    kind = (cells.get("lock_type") or "record").lower()
    index = cells.get("idx") if kind == "record" else None
    return " ".join(filter(None, (kind, table, index, cells.get("lock_mode"))))


__all__ = ["NAMES", "handler", "is_deadlocks"]
