"""Whether a server that is as busy all the time carries its load: by the most that wait."""

from __future__ import annotations

from typing import Any

import pytest

from pileup.analysis.evidence.context import Span
from pileup.analysis.stalls.loads import waiting_in
from pileup.records import Frame, LockWait, MetadataLock, Session, Stack
from tests.analysis.frames import T0, S, evidence

WAITS = ("pthread_cond_wait", "os_event_wait", "row_search")
WORKS = ("row_search", "ha_index_read")
SPAN = Span(T0, T0 + 9 * S)


def at(second: int) -> dict[str, Any]:
    return {
        "line_first": 1 + second, "line_last": 1 + second, "wall_us": T0 + second * S,
        "clock": "utc", "snapshot": second,
    }  # fmt: skip


def stack(functions: tuple[str, ...], count: int, second: int = 0, *, samples: int = 1) -> Stack:
    named = tuple(Frame(function=name) for name in functions)
    return Stack(count=count, samples=samples, frames=named, **at(second))


@pytest.mark.parametrize(
    ("stacks", "most"),
    [
        ([stack(WAITS, 5)], 5),
        ([stack(WAITS, 5), stack(WAITS, 2), stack(WORKS, 9)], 7),  # of one moment, what waits
        ([stack(WAITS, 5), stack(WAITS, 6, 1), stack(WAITS, 4, 2)], 6),  # the most of a moment
        ([stack(WAITS, 7, samples=3)], 2),  # in each sample
        ([stack(WAITS, 2, samples=3)], 1),  # in fewer samples than there are: still one
        ([stack(WAITS, 5, 20)], 0),  # after it
        ([stack(WORKS, 5)], 0),
    ],
)
def test_threads_wait_by_their_stacks(stacks: list[Stack], most: float) -> None:
    assert waiting_in(evidence({"gdb": stacks}), SPAN) == most


def test_the_most_of_any_listing_counts() -> None:
    listed = [
        Session(session_id=n, command="Query", state="Waiting for table metadata lock", **at(0))
        for n in range(3)
    ]
    busy = [Session(session_id=n, command="Query", state="updating", **at(0)) for n in (7, 8)]
    assert waiting_in(evidence({"list": [*listed, *busy]}), SPAN) == 3
    assert waiting_in(evidence({"list": listed, "gdb": [stack(WAITS, 5)]}), SPAN) == 5
    assert waiting_in(evidence({"list": listed, "gdb": [stack(WAITS, 2)]}), SPAN) == 3


def test_locks_wait_by_the_larger_of_their_listings() -> None:
    rows = [LockWait(lock_kind="record", **at(0)) for _ in range(3)]
    tables = [
        MetadataLock(object_type="TABLE", mode="SHARED_READ", status=status, **at(0))
        for status in ("PENDING", "PENDING", "GRANTED", "GRANTED")
    ]
    assert waiting_in(evidence({"rows": rows}), SPAN) == 3
    assert waiting_in(evidence({"tables": tables}), SPAN) == 2
    assert waiting_in(evidence({"rows": rows, "tables": tables}), SPAN) == 3
    assert waiting_in(evidence({"rows": rows[:1], "tables": tables}), SPAN) == 2
    assert waiting_in(evidence({}), SPAN) == 0.0
