"""Waiters by place over snapshots: zeros where nobody waits, others summed, nothing invented."""

from __future__ import annotations

from pileup.analysis.waits.over_time import heat, thread_counts, transaction_spans
from pileup.records import SemaphoreWait, Snapshot, Stack, StackThread, Transaction
from tests.analysis.frames import T0, S, evidence


def dump(at: int, number: int, *records: object) -> list[object]:
    snapshot = Snapshot(
        line_first=1, line_last=1, kind="innodb_status", snapshot=number, wall_us=T0 + at * S,
        clock="utc", time_quality="exact",
    )  # fmt: skip
    return [snapshot, *records]


def wait(number: int, at: int, file: str, line: int, thread: int) -> SemaphoreWait:
    return SemaphoreWait(
        line_first=1, line_last=1, thread_id=thread, file=file, line=line, waited_s=1.0, mode="S",
        snapshot=number, wall_us=T0 + at * S, clock="utc",
    )  # fmt: skip


def trx(number: int, at: int, age: float, waits: str | None = None) -> Transaction:
    return Transaction(
        line_first=1, line_last=1, trx_id="26478", state="ACTIVE", active_s=age, snapshot=number,
        lock_wait=waits is not None, waits_table=waits, wall_us=T0 + at * S, clock="utc",
    )  # fmt: skip


def test_each_place_has_a_cell_per_dump_and_zero_where_nobody_waits() -> None:
    many = [wait(0, 0, "btr0sea.cc", 649, n) for n in range(3)]
    found = evidence(
        {"a": [*dump(0, 0, *many), *dump(10, 1), *dump(20, 2, trx(2, 20, 5, "ads.c"))]}
    )  # type: ignore[list-item]
    rows = heat(found)
    assert [(row.kind, row.label, row.peak) for row in rows] == [
        ("latch", "btr0sea.cc:649", 3),
        ("lock", "ads.c", 1),
    ]
    assert rows[0].cells == [(T0, 3), (T0 + 10 * S, 0), (T0 + 20 * S, 0)]


def test_places_beyond_the_most_are_one_row_at_the_end() -> None:
    waits = [wait(0, 0, "x.cc", line, line) for line in range(1, 15)]
    rows = heat(evidence({"a": dump(0, 0, *waits)}))  # type: ignore[dict-item]
    assert len(rows) == 11
    assert rows[-1].label == "others"
    assert rows[-1].cells == [(T0, 4)]


def test_a_long_transaction_is_one_span_from_its_beginning() -> None:
    """Seen at 30 s with age 25 and at 40 s: from 5 s to 40 s; a short one is no span."""
    short = Transaction(line_first=1, line_last=1, trx_id="1", state="ACTIVE", active_s=2.0,
                        snapshot=0, wall_us=T0 + 30 * S, clock="utc")  # fmt: skip
    found = evidence(
        {"a": [*dump(30, 0, trx(0, 30, 25), short), *dump(40, 1, trx(1, 40, 35, "t"))]}
    )  # type: ignore[list-item]
    (span,) = transaction_spans(found)
    assert (span.trx_id, span.start, span.end) == ("26478", T0 + 5 * S, T0 + 40 * S)
    assert span.waited


def test_threads_of_a_stack_sample_are_counted_once() -> None:
    """Ten samples of three threads are three threads."""
    stack = Stack(line_first=1, line_last=1, count=30, samples=10, frames=(), snapshot=0,
                  threads=(StackThread(number=1),))  # fmt: skip
    found = evidence({"a": [stack]})
    assert list(thread_counts(found).values()) == [3]


def test_nothing_gives_nothing() -> None:
    empty = evidence({})
    assert (heat(empty), transaction_spans(empty), thread_counts(empty)) == ([], [], {})
