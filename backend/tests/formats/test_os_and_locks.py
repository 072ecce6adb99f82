"""Operating system tools, the error log, lock tables: exact values from known text."""

from __future__ import annotations

import pytest

from pileup.formats import df, diskstats, error_log, iostat, lock_tables, mpstat, top
from pileup.records import Event, LockWait, Samples, SemaphoreWait, Transaction
from tests.formats.checks import SAMPLES, samples

FORMATS = ("iostat", "mpstat", "diskstats", "df", "top", "error-log", "lock-tables")
EVERY = [(name, path) for name in FORMATS for path in samples(name)]


@pytest.mark.parametrize(("name", "path"), EVERY, ids=lambda one: getattr(one, "stem", one))
def test_sample(name, path, check_sample):
    shared = ("innodb-status",) if path.stem == "every-line-start" else ()  # a dump is inside
    check_sample(path, shared=shared)


def read(module, folder: str, name: str) -> list[object]:
    return list(module.parse((SAMPLES / folder / name).read_text().split("\n")))


def series(module, folder: str, name: str) -> dict[tuple[str, str], Samples]:
    found = [i for i in read(module, folder, name) if isinstance(i, Samples)]
    return {(i.series, i.labels[0][1] if i.labels else ""): i for i in found}


def test_iostat_maps_by_header_and_leaves_out_the_block_since_boot() -> None:
    one = series(iostat, "iostat", "sysstat-12.txt")[("iostat.r/s", "vda")]
    assert list(one.values)[:2] == [138.0, 625.0]
    assert list(one.wall_us)[:2] == [0, 1_000_000]


def test_mpstat_takes_its_date_from_the_banner() -> None:
    one = series(mpstat, "mpstat", "sysstat-12.txt")[("mpstat.usr", "all")]
    assert one.values[0] == 67.15
    assert (one.clock, one.wall_us[0]) == ("local", 1795213199000000)


def test_diskstats_are_counters_per_busy_device() -> None:
    found = series(diskstats, "diskstats", "pt-stalk-linux-6.txt")
    assert {device for _, device in found} == {"vda"}
    assert found[("diskstats.reads", "vda")].values[0] == 494830
    assert found[("diskstats.reads", "vda")].kind == "counter"
    assert found[("diskstats.in_progress", "vda")].kind == "gauge"


def test_df_and_top() -> None:
    space = series(df, "df", "pt-stalk.txt")
    assert space[("df.available", "/")].values[0] == 64490644
    load = series(top, "top", "procps-4.txt")
    assert load[("top.load1", "")].values[0] == 34.74
    assert load[("top.cpu_sy", "")].values[0] == 75.0


def test_every_line_start_of_an_error_log() -> None:
    """Old, undated, 5.6, 5.7, 8.0; the dump inside is a dump; the crash is a crash."""
    every = read(error_log, "error-log", "every-line-start.log")
    events = [i for i in every if isinstance(i, Event)]
    assert [(e.kind, e.severity, e.clock) for e in events] == [
        ("restart", None, "local"),
        ("log", "note", "local"),
        ("semaphore_warning", None, "local"),
        ("log", "note", "local"),
        ("log", "warning", "local"),
        ("log", "error", "utc"),
        ("semaphore_warning", "warning", "utc"),
        ("restart", "system", "utc"),
        ("crash", "error", "utc"),
    ]
    assert events[6].code == "MY-012985"
    assert events[7].wall_us == 1678649705838493  # the offset is applied
    (wait,) = [i for i in every if isinstance(i, SemaphoreWait)]
    assert (wait.file, wait.waited_s, wait.line_first) == ("row0sel.cc", 241.0, 16)


def test_lock_tables_name_the_holder() -> None:
    """pt-stalk's two queries and the information schema: session 390 blocks."""
    every = read(lock_tables, "lock-tables", "5.6-innodb-lock-waits.txt")
    aggregate, pair, bare = [i for i in every if isinstance(i, LockWait)]
    assert (aggregate.blocking_session, aggregate.waiters, aggregate.blocking_idle_s) == (
        390,
        300,
        26,
    )
    assert (pair.waiting_session, pair.blocking_session, pair.blocking_trx) == (12, 390, "26478")
    assert pair.waiting_query == "UPDATE c SET n=n+1\n WHERE id=42"
    assert pair.table == "app.c"
    assert (bare.waiting_trx, bare.blocking_trx) == ("30001", "26478")
    (trx,) = [i for i in every if isinstance(i, Transaction)]
    assert (trx.session_id, trx.lock_wait, trx.row_locks) == (12, True, 1)
