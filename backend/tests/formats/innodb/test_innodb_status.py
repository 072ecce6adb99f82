"""Status dumps of every version: exact values, not presence."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from pileup.formats.innodb import innodb_status
from pileup.formats.innodb.parts import counter_series
from pileup.records import (
    Deadlock,
    ForeignKeyError,
    Item,
    Problem,
    Samples,
    SemaphoreWait,
    Skipped,
    Snapshot,
    Transaction,
    TrxLock,
)
from tests.formats.checks import SAMPLES, one_by_one, parse_bytes, samples

FOLDER = SAMPLES / "innodb-status"


@pytest.mark.parametrize("path", samples("innodb-status"), ids=lambda path: path.stem)
@pytest.mark.dealt(6)
def test_innodb_status(path, check_sample):
    check_sample(path)


def read(text: str) -> list[Item]:
    return list(one_by_one(innodb_status.parse(text.split("\n"))))


def items(name: str) -> list[Item]:
    text = (FOLDER / f"{name}.txt").read_text()
    return read(text)


def waits(name: str) -> list[SemaphoreWait]:
    return [item for item in items(name) if isinstance(item, SemaphoreWait)]


def transactions(name: str) -> list[Transaction]:
    return [item for item in items(name) if isinstance(item, Transaction)]


def test_positions_differ_and_the_latch_is_one() -> None:
    """The AHI pileup: 257 waiters at seven places; most want the latch of btr0sea.cc line 202."""
    found = waits("8.0.15-ahi-latch-257-waiters")
    assert len(found) == 257
    assert Counter((w.file, w.line, w.mode) for w in found).most_common(2) == [
        (("btr0sea.ic", 122, "S"), 151),
        (("row0sel.cc", 4506, "S"), 72),
    ]
    latches = Counter((w.created_file, w.created_line) for w in found)
    assert latches[("btr0sea.cc", 202)] > 200


def test_every_form_of_a_wait() -> None:
    """5.0 to 9.x: quoted names, mutex names, owners, wait_ex with lock_word -1."""
    found = waits("5.0-to-9.7-every-form")
    assert [(w.file, w.line, w.mode, w.latch_name) for w in found] == [
        ("btr0btr.ic", 28, "S", "&btr_search_latch"),
        ("ha_innodb.cc", 7156, "mutex", "&kernel_mutex"),
        ("log0log.c", 1393, "mutex", None),
        ("mtr0mtr.ic", 161, "X wait_ex", None),
        ("btr0cur.cc", 1019, "SX", None),
        ("trx0trx.cc", 1201, "mutex", "BUF_POOL"),
        ("trx0sys.ic", 100, "mutex", "TRX_SYS"),
        ("trx0sys.ic", 100, "mutex", "TRX_SYS"),
    ]
    quirk = found[3]
    assert (quirk.thread_id, quirk.holder_thread) == (139718536591104, 139718536591104)
    assert (quirk.readers, quirk.lock_word) == (1, -1)
    assert (quirk.last_read_file, quirk.last_read_line) == ("row0ins.cc", 2520)
    assert quirk.last_write_file is None
    assert found[0].latch_address == "0x90075530"
    assert found[1].ended
    assert (found[2].created_file, found[2].created_line) == ("log0log.c", 844)
    assert found[4].waited_s == 241
    assert (found[6].holder_thread, found[7].holder_thread) == (139718536591104, None)


def test_a_page_that_is_being_written_has_no_thread() -> None:
    """Its lock is handed to the I/O thread that ends the write: the owner is printed as 0."""
    text = """
----------
SEMAPHORES
----------
OS WAIT ARRAY INFO: reservation count 16791
--Thread 140265579382528 has waited at row0ins.cc line 2695 for 4.00 seconds the semaphore:
SX-lock on RW-latch at 0x7f920e348b70 created in file buf0buf.cc line 1370
a writer (thread id 0) has reserved it in mode  SX
number of readers 0, waiters flag 1, lock_word: 10000000
Last time read locked in file buf0flu.cc line 1155
Last time write locked in file buf0flu.cc line 1168
"""
    (wait,) = (item for item in read(text) if isinstance(item, SemaphoreWait))
    assert (wait.holder_thread, wait.holder_mode, wait.last_write_line) == (None, None, 1168)


def test_damage_is_a_problem_with_its_line() -> None:
    """A broken wait, a cut list and a missing end are said; nothing else is lost."""
    found = [i for i in items("5.0-to-9.7-every-form") if isinstance(i, Problem)]
    assert [p.message.split(";")[0].split(".")[0] for p in found] == [
        "The dump ends before its end marker",
        "A semaphore wait that cannot be read",
        "The server cut the list of transactions here (its output is limited to 1 MB)",
    ]
    assert found[1].found == "--Thread oops has waited"


def test_transactions_of_all_ages() -> None:
    """Halved, hexadecimal, pointer and decimal ids; statements with dashes inside."""
    old, prepared, *_, last = transactions("5.0-to-9.7-every-form")
    assert (old.trx_id, old.state, old.active_s, old.os_thread) == (
        "0 1170663851",
        "ACTIVE",
        7.0,
        1179,
    )
    assert (old.operation, old.declared_inside) == ("starting index read", True)
    assert (old.lock_wait, old.row_locks, old.undo_entries, old.wait_s) == (True, 2, 1, 3.0)
    assert (old.client_host, old.user, old.thread_state) == ("10.0.0.7", "app", "Updating")
    assert old.query == (
        "UPDATE t SET a=1\n-- a comment\n--------------------------------\nWHERE id=19"
    )
    assert (old.waits_table, old.waits_index, old.waits_mode) == (
        "app.t",
        "PRIMARY",
        "X locks rec but not gap",
    )
    assert (prepared.trx_id, prepared.state) == ("1B588AD6", "ACTIVE (PREPARED)")
    assert prepared.os_thread == 0x7FDFE82B4700
    assert (last.wait_s, last.waits_kind, last.waits_table) == (0.25, "table", "app.x")


def test_idle_transaction_that_holds_the_row() -> None:
    """The one ACTIVE transaction with undo, a row lock and no statement is session 390."""
    found = transactions("8.0.15-row-lock-waiters-and-old-deadlock")
    (idle,) = [t for t in found if t.undo_entries and not t.query and not t.lock_wait]
    assert (idle.session_id, idle.trx_id, idle.row_locks, idle.active_s) == (390, "26478", 1, 26)
    waiting = [t for t in found if t.lock_wait]
    assert len(waiting) == 8
    assert {t.waits_table for t in waiting} == {"app.campaign_counters"}
    assert {t.waits_index for t in waiting} == {"PRIMARY"}


def test_deadlock_and_foreign_key_error() -> None:
    """MariaDB's unnumbered markers; the victim; both transactions with what they hold and want."""
    every = items("5.0-to-9.7-every-form")
    (deadlock,) = [i for i in every if isinstance(i, Deadlock)]
    assert deadlock.victim == 1
    assert [t.session_id for t in deadlock.transactions] == [143, 144]
    first, second = deadlock.transactions
    assert first.waits_for == "record app.accounts PRIMARY X locks rec but not gap"
    assert second.holds == ("record app.accounts PRIMARY X locks rec but not gap",)
    (error,) = [i for i in every if isinstance(i, ForeignKeyError)]
    assert (error.table, error.constraint) == ("shop.child", "child_ibfk_1")
    assert (error.columns, error.parent_table, error.parent_columns) == (
        "parent_id",
        "parent",
        "id",
    )
    assert (error.trx_id, error.session_id) == ("1B588AD0", 12)
    assert error.query == "INSERT INTO child VALUES (1)"


FOREIGN_KEY = """\
------------------------
LATEST FOREIGN KEY ERROR
------------------------
2026-11-20 22:17:05 0x7f12 Transaction:
TRANSACTION 5123, ACTIVE 0 sec updating or deleting
MySQL thread id 12, OS thread handle 140, query id 345 localhost root updating
DELETE FROM parent
 WHERE id = 7
Foreign key constraint fails for table `shop`.`child`:
,
  CONSTRAINT `fk` FOREIGN KEY (`a`, `b`) REFERENCES `shop`.`parent` (`id`, `region`)
Trying to delete or update in parent table, in index PRIMARY tuple:
DATA TUPLE: 2 fields;
 0: len 4; hex 80000007; asc     ;;
 1: SQL NULL;

But in child table `shop`.`child`, in index fk, there is a record:
PHYSICAL RECORD: n_fields 2; compact format; info bits 0
 0: len 4; hex 80000009; asc     ;;

------------
TRANSACTIONS
------------
Trx id counter 5130
"""


def test_the_row_at_fault_of_a_foreign_key_error() -> None:
    every = list(innodb_status.parse(FOREIGN_KEY.split("\n")))
    (error,) = [item for item in every if isinstance(item, ForeignKeyError)]
    assert (error.columns, error.parent_table) == ("a, b", "shop.parent")
    assert (error.parent_columns, error.index) == ("id, region", "PRIMARY")
    assert error.row == ("len 4; hex 80000007; asc     ;", "NULL")
    assert error.query == "DELETE FROM parent\n WHERE id = 7"


def test_numbers_of_a_dump() -> None:
    """Totals are not overwritten by single pools; halves of an LSN are joined."""
    values = {
        i.series: list(i.values)
        for i in items("5.0-to-9.7-every-form")
        if isinstance(i, Samples) and not i.labels
    }
    assert values["innodb.pool_free_pages"] == [17]
    assert values["innodb.log_sequence_number"] == [(1 << 32) + 3793495, 34071316]
    assert values["innodb.checkpoint_age"] == [95, 34071316 - 18695389]
    assert values["innodb.queries_in_queue"] == [31]
    assert values["innodb.history_list_length"] == [1198, 30]
    assert values["innodb.reservation_count"] == [12433146, 1563]
    assert values["innodb.semaphore_waits"] == [3, None]  # one of the second cannot be read
    assert values["innodb.lock_wait_transactions"] == [1, 1]
    assert values["innodb.rows_read"] == [136164]


def test_repeated_deadlock_is_kept_once() -> None:
    """The server repeats it in every dump until the next one."""
    text = (FOLDER / "8.0.15-row-lock-waiters-and-old-deadlock.txt").read_text()
    found = read(text * 3)
    assert sum(isinstance(i, Snapshot) for i in found) == 3
    assert sum(isinstance(i, Deadlock) for i in found) == 1


def test_three_in_a_deadlock() -> None:
    """MariaDB 10.6 on names what the others hold; a search too deep names only its victim."""
    three, deep = (
        i
        for i in items("mariadb-10.6-three-in-a-deadlock-then-too-deep")
        if isinstance(i, Deadlock)
    )
    assert (three.victim, [t.session_id for t in three.transactions]) == (3, [5, 6, 7])
    lock = "record app.r PRIMARY X locks rec but not gap"
    assert [(t.holds, t.waits_for) for t in three.transactions] == [((lock,), lock)] * 3
    assert (deep.victim, deep.truncated, len(deep.transactions)) == (1, False, 1)
    assert deep.transactions[0].os_thread == 0x7FAC301E4700


def test_debug_builds_print_latches_among_the_semaphores() -> None:
    """Two sync arrays are one count; the last reserver of a mutex; a wait without its object."""
    every = items("5.6-debug-two-sync-arrays-latch-info")
    wait_ex, mutex, shared, bare = (i for i in every if isinstance(i, SemaphoreWait))
    assert (wait_ex.mode, wait_ex.lock_word, wait_ex.holder_thread) == (
        "X wait_ex",
        -2,
        wait_ex.thread_id,
    )
    assert (mutex.last_write_file, mutex.last_write_line) == ("log0log.cc", 244)
    assert (shared.latch_address, shared.ended) == ("0x7f684c0a1d90", True)
    assert (bare.mode, bare.latch_address) == ("unknown", None)
    (unread,) = [i for i in every if isinstance(i, Skipped)]
    assert unread.line_first == 46
    values = {i.series: (i.values, i.lines) for i in every if isinstance(i, Samples)}
    assert values["innodb.reservation_count"][0] == [123]
    assert values["innodb.rw_latches"] == ([24901], [26])
    assert values["innodb.signal_count"] == ([77], [48])


def test_numbers_have_labels() -> None:
    """Pools, I/O threads, memory; ids of 5.5 are hexadecimal; each with its own line."""
    every = items("xtradb-5.5-hexadecimal-ids-pools-and-views")
    values = {
        (i.series.removeprefix("innodb."), *(f"{k}={v}" for k, v in i.labels)): (
            i.values[0],
            i.lines[0],
        )
        for i in every
        if isinstance(i, Samples)
    }
    assert values["pool_pages",] == (8191, 68)
    assert values["pool_pages", "instance=0"] == (4096, 88)
    assert values["pool_pages", "instance=1"] == (4095, 92)
    assert values["pool_pages_read", "instance=1"] == (42, 94)
    assert values["pool_young_rate",] == (1, 80)
    assert values["io_thread_max_wait", "thread=1"] == (0.027, 29)
    assert values["memory", "area=page_hash"] == (69556, 65)
    assert values["memory_variable", "area=dictionary_cache"] == (23852, 66)
    assert values["ibuf_discarded_deletes",] == (8, 42)
    assert values["hash_searches_per_s",] == (12, 44)
    assert values["trx_id_counter",] == (0xEF861B144C, 121)
    assert values["purge_undo_no",] == (0x1A, 122)
    assert values["checkpoint_age",] == (945, 54)
    assert values["row_reads_per_s",] == (0.2, 112)


def test_a_list_without_transactions_is_no_problem() -> None:
    """A server that just started lists none; a list in another form is said to be unreadable."""
    text = (
        "2026-11-20 22:19:09 140648691181248 INNODB MONITOR OUTPUT\n"
        "------------\nTRANSACTIONS\n------------\nTrx id counter 10\n"
        "LIST OF TRANSACTIONS FOR EACH SESSION:\n{}END OF INNODB MONITOR OUTPUT"
    )
    assert not [i for i in read(text.format("")) if isinstance(i, Problem | Skipped)]
    other = read(text.format("-- TRANSACTION 12, ACTIVE\n"))
    assert [i.line for i in other if isinstance(i, Problem)] == [5]


def test_every_series_is_documented() -> None:
    """docs/reference/innodb-status.md has a row for each, with its kind and unit."""
    page = (Path(__file__).resolve().parents[4] / "docs/reference/innodb-status.md").read_text()
    rules = [rule for rules in counter_series.RULES.values() for rule in rules]
    named = [*rules, counter_series.HASH, counter_series.MERGED, counter_series.DISCARDED]
    named += [counter_series.ROW_RATES, counter_series.SYSTEM_ROW_RATES]
    every = {series for rule in named for series in rule.series}
    every |= {*counter_series.IO_THREAD_SERIES, *counter_series.MEMORY_SERIES}
    every |= {*counter_series.PENDING_IO_SERIES.values()}
    rows = [f"| `innodb.{each.name}` | {each.kind} | {each.unit} |" for each in sorted(every)]
    assert [row for row in rows if row not in page] == []


def test_pools_without_a_title() -> None:
    """5.5.8 prints each instance under the title of the totals, and no totals."""
    pool = "Buffer pool size   {}\nFree buffers       3\nBuffer pool hit rate 99{} / 1000\n"
    text = (
        "101231 23:59:59 INNODB MONITOR OUTPUT\n"
        "----------------------\nBUFFER POOL AND MEMORY\n----------------------\n"
        f"Total memory allocated 10; in additional pool allocated 0\n{pool.format(7, 1)}"
        f"{pool.format(8, 2)}{pool.format(9, 3)}END OF INNODB MONITOR OUTPUT"
    )
    values = {(i.series, i.labels): i.values[0] for i in read(text) if isinstance(i, Samples)}
    assert values["innodb.pool_pages", ()] == 24
    assert values["innodb.pool_free_pages", ()] == 9
    assert values["innodb.pool_pages", (("instance", "2"),)] == 9
    assert values["innodb.pool_hit_rate", (("instance", "1"),)] == 992
    assert ("innodb.pool_hit_rate", ()) not in values


def test_a_lock_per_printed_row() -> None:
    """One RECORD LOCKS line of three rows is three locks, with heap numbers and fields."""
    every = items("xtradb-5.5-hexadecimal-ids-pools-and-views")
    locks = [i for i in every if isinstance(i, TrxLock) and i.trx_id == "EF861B1449"]
    assert [(o.index, o.heap, o.mode, o.lock_data) for o in locks] == [
        (None, None, "IX", None),
        ("PRIMARY", 1, "X", "73757072656d756d"),
        ("PRIMARY", 2, "X", "80000001, 000000000503"),
        ("PRIMARY", 3, "X", "80000002, NULL"),
        ("by_day", None, "S locks gap before rec", None),
    ]
    assert {o.session_id for o in locks} == {4}
    idle, reading = (i for i in every if isinstance(i, Transaction))
    assert (idle.os_thread, idle.client_host, idle.user) == (1499855760, "10.0.0.7", "shop")
    assert reading.query == "SELECT *\nFROM orders\n\nFOR UPDATE"


def test_the_locks_of_a_cut_transaction_name_theirs() -> None:
    """The list is cut inside a transaction: its locks below the cut are read all the same."""
    every = items("xtradb-5.5-hexadecimal-ids-pools-and-views")
    cut = [i for i in every if isinstance(i, TrxLock) and i.session_id is None]
    assert [(o.trx_id, o.table, o.heap, o.waiting, o.line_first) for o in cut] == [
        ("EF861B144A", "shop.baskets", None, False, 127),
        ("EF861B144A", "shop.baskets", 5, False, 128),
        ("EF861B1448", "shop.payments", None, True, 132),
    ]


def test_a_repr_of_the_row_is_the_dump() -> None:
    """A script printed the row as Python or JSON shows it: nothing of it is left over."""
    text = (SAMPLES / "innodb-status" / "8.0.15-ahi-latch-257-waiters.txt").read_text()
    dump = text[text.index("=====") :]
    expected = parse_bytes(dump.encode())
    for row in (repr(("InnoDB", "", f"\n{dump}\n")), json.dumps([{"Status": f"\n{dump}\n"}])):
        parsed = parse_bytes(row.encode())
        assert parsed.receipt.bytes_skipped == 0
        assert parsed.receipt.records == expected.receipt.records


def test_every_line_of_xtradb_is_known_when_pasted_with_blanks_for_tabs() -> None:
    text = (SAMPLES / "innodb-status" / "xtradb-pasted-blanks-for-tabs.txt").read_bytes()
    parsed = parse_bytes(text)
    assert (parsed.receipt.bytes_skipped, parsed.receipt.problems) == (0, 0)
    values = {
        (row["series"], row["labels"]): row["value"]
        for row in parsed.frames["sample"].iter_rows(named=True)
    }
    assert values["innodb.rw_shared_rounds", ""] == 413543330
    assert values["innodb.rw_excl_os_waits", ""] == 4
    assert values["innodb.memory_constant", "area=adaptive_hash_index"] == 2213368
    assert values["innodb.memory_variable", "area=dictionary_cache"] == 57365
    assert values["innodb.read_only_transactions_inside", ""] == 0
    assert values["innodb.io_thread_max_wait", "thread=63"] == 99.9
