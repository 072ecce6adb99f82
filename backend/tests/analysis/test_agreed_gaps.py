"""What the engine makes of an incident of which it has less and less, as agreed.

One invented incident has records of every kind. Here each kind is taken away, left alone, thinned
and set to zero, and each column is emptied that may be empty, as a server of another version prints
it. ``agreed_gaps.txt`` has a line for each: the findings with their scores, the parts that could
not be answered, and a hash of the whole analysis. A change that alters lines runs ``pytest --bless
--every-turn`` on this file; its review asks whether less evidence still means less certainty.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache
from pathlib import Path

import polars as pl
import pytest

from pileup.analysis import Evidence, analyse
from pileup.knowledge.signature import Example
from pileup.records import (
    EventWait,
    LatchHold,
    LockWait,
    MetadataLock,
    QueryCount,
    Record,
    Samples,
    TrxLock,
)
from tests.analysis.cases import files_of
from tests.analysis.frames import T0, S, evidence
from tests.api.test_table_tabs import a_deadlock, slow, trx
from tests.support.agreed_lines import AgreedLines

AGREED = AgreedLines(Path(__file__).parent / "agreed_gaps.txt")
_AT = 50
"""Second of the stall at which the further records are."""
_EXAMPLE = Example(
    says="everything at once",
    server="5.7.30",
    waits=[
        "9 X btr0sea.ic:98 btr0sea.cc:202 0x7f01",
        "6 S row0sel.cc:4506 btr0sea.cc:202 0x7f01",
        "3 S btr0cur.cc:1500 buf0buf.cc:1600 0x7f03",
    ],
    transactions=[
        "12 LOCK WAIT | record X,REC_NOT_GAP shop.stock @9",
        "1 ACTIVE | @40",
        "3 ACTIVE | fetching rows",
    ],
    states=[
        "9 updating | app | UPDATE stock SET n = n - 1 WHERE id = 5 @9",
        "5 Waiting for table metadata lock | web | SELECT * FROM orders",
        "1 copy to tmp table | root | ALTER TABLE orders ADD note TEXT @30",
        "4 Sending data | app | SELECT * FROM entity_state WHERE entity_id IN (1,2,3)",
        "3 query end | app | COMMIT",
    ],
    stacks=[
        "9 __lll_lock_wait,sync_array_reserve_cell,rw_lock_x_lock_func,btr_search_x_lock",
        "5 pthread_cond_wait,Stage_manager::enroll_for,MYSQL_BIN_LOG::ordered_commit",
        "2 fsync,os_file_flush_func,fil_flush,log_write_up_to",
        "4 poll,vio_io_wait,net_read_packet",
    ],
    digests=["900 SELECT `n` FROM `entity_state` WHERE `id` = ?", "100 COMMIT"],
    log=[
        "InnoDB: page_cleaner: 1000ms intended loop took 12000ms. The settings might not be opti",
        "Aborted connection 7 to db: 'shop' user: 'app' host: 'web-1'",
    ],
    settings={"innodb_adaptive_hash_index": "ON", "max_connections": "151", "sync_binlog": "1"},
    series={
        "mysql.Questions": [500, 20],
        "mysql.Threads_connected": [60, 150],
        "mysql.Innodb_row_lock_current_waits": [0, 12],
        "vmstat.wa": [2, 45],
        "iostat.w_await{device=sda}": [3, 60],
    },
)
_FORMS = "app.stock PRIMARY X", "app.stock k X"


@cache
def whole() -> Evidence:
    """The incident with all of its evidence."""
    at = {"wall_us": T0 + _AT * S, "clock": "utc", "snapshot": 0}
    line = {"line_first": 1, "line_last": 1} | at
    more: dict[str, list[Record | Samples]] = {
        "locks": [
            LockWait(lock_kind="record", waiting_session=1, blocking_session=13, waiting_s=9.0,
                     blocking_idle_s=20.0, table="shop.stock", index="PRIMARY", mode="X", **line),
            LockWait(lock_kind="record", waiting_session=2, blocking_session=1, waiting_s=8.0,
                     waiting_query="UPDATE stock SET n = 1", table="shop.stock", **line),
            *(TrxLock(trx_id=f"{n}", session_id=n, lock_kind="RECORD", table="shop.stock",
                      index="PRIMARY", mode="X", waiting=n > 1, **line) for n in (1, 2, 3)),
            *(MetadataLock(object_type="TABLE", object_name="shop.orders", mode=mode, status=status,
                           session_id=n, duration="TRANSACTION", **line)
              for n, mode, status in ((10, "SHARED_READ", "PENDING"),
                                      (15, "EXCLUSIVE", "PENDING"),
                                      (16, "SHARED_READ", "GRANTED"))),
            LatchHold(latch_address="0x7f01", latch_name="btr0sea.cc:202", mode="X", thread_id=9,
                      **line),
            *(EventWait(event="wait/synch/mutex/innodb/trx_sys_mutex", session_id=n, ongoing=True,
                        waited_s=n / 4, **line) for n in (1, 2, 3)),
        ],
        "slow.log": [
            slow(n, f"UPDATE stock SET n = n - 1 WHERE id = {n}", 6.0 + n, _AT + n, user="app",
                 lock_time_s=4.0, rows_examined=1000 * n, rows_sent=1,
                 counts=(QueryCount(name="Tmp_disk_tables", value=1.0),))
            for n in range(1, 7)
        ],
        "deadlocks": [
            a_deadlock(_AT + n, trx(1, f"record {_FORMS[0]}", f"record {_FORMS[1]}"),
                       trx(2, f"record {_FORMS[1]}", f"record {_FORMS[0]}"), line=20 * n)
            for n in (1, 2)
        ],
    }  # fmt: skip
    return evidence(files_of(_EXAMPLE) | more)


Frames = dict[str, pl.DataFrame]
Gap = Callable[[Frames], Frames]
_PLACES = {
    *("artifact", "time", "id", "series", "clock", "wall_us", "snapshot", "original"),
    *("line_first", "line_last", "kind", "name"),
}
"""Columns that every row has or that say where it is from."""


def _changed(kind: str, change: Callable[[pl.DataFrame], pl.DataFrame]) -> Gap:
    return lambda frames: frames | {kind: change(frames[kind])}


def _empty(column: str) -> Callable[[pl.DataFrame], pl.DataFrame]:
    return lambda frame: frame.with_columns(pl.lit(None, dtype=frame.schema[column]).alias(column))


def _zeros(frame: pl.DataFrame) -> pl.DataFrame:
    numbers = [name for name, kind in frame.schema.items()
               if kind.is_numeric() and name not in _PLACES]  # fmt: skip
    return frame.with_columns(pl.lit(0, dtype=frame.schema[name]).alias(name) for name in numbers)


def _may_be_empty(kind: str) -> set[str]:
    """Return the columns that a server may leave out: nothing is the default of their fields."""
    records = [each for each in Record.__subclasses__() if kind == each.KIND]
    record = records[-1] if records else Record
    return {each.name for each in fields(record) if each.default is None} - _PLACES


def _gaps() -> dict[str, Gap]:
    found: dict[str, Gap] = {"nothing missing": lambda frames: frames}
    for kind, frame in sorted(whole().frames.items()):
        found[f"without {kind}"] = lambda frames, kind=kind: {
            name: frames[name] for name in frames if name != kind
        }
        found[f"{kind} alone"] = lambda frames, kind=kind: {kind: frames[kind]}
        found[f"every second row of {kind}"] = _changed(kind, lambda frame: frame.gather_every(2))
        found[f"zeros in {kind}"] = _changed(kind, _zeros)
        for column in sorted(_may_be_empty(kind) & set(frame.columns)):
            if frame[column].null_count() < frame.height:
                found[f"no {column} in {kind}"] = _changed(kind, _empty(column))
    return found


GAPS = _gaps()


@pytest.mark.parametrize("name", GAPS)
@pytest.mark.dealt(4)
def test_less_evidence_is_read_as_agreed(name: str, request: pytest.FixtureRequest) -> None:
    analysis = analyse(replace(whole(), frames=GAPS[name](dict(whole().frames))))
    shown = "; ".join(f"{each.id} {each.score:.3g}" for each in analysis.findings[:3])
    failed = ", ".join(sorted(each.part for each in analysis.unanswered))
    shown = f"{shown or 'nothing'}{f' (unanswered: {failed})' if failed else ''}"
    bless = request.config.getoption("--bless")
    AGREED.check(name, shown, analysis, GAPS, bless=bless)


def test_every_agreed_line_is_of_a_gap() -> None:
    assert AGREED.lines.keys() <= GAPS.keys()
    assert len(AGREED.lines) > 100
