"""The trigger of a stall outlasts its beginning: who only took a turn at the head is none."""

from __future__ import annotations

import pytest

from pileup.analysis.evidence.actors import Actor
from pileup.analysis.evidence.context import Context, Span
from pileup.analysis.findings.turning_points import left_early, trigger
from pileup.analysis.findings.worst_moment import Queue
from pileup.records import Record, Session, Snapshot
from tests.analysis.frames import T0, S, evidence

BEGINS, ENDS, LISTS = 20, 60, 80
"""Of the stall, and how many lists there are, one in a second."""


def context(until: int) -> Context:
    """Lists every second, in which session 7 runs its statement from the onset until a second."""
    found: list[Record] = []
    for second in range(LISTS):
        when = {"wall_us": T0 + second * S, "clock": "utc", "snapshot": second, "host": None}
        found.append(Snapshot(line_first=1, line_last=9, kind="processlist", **when))  # type: ignore[arg-type]
        busy = BEGINS <= second < until
        found.append(
            Session(
                line_first=1, line_last=1, session_id=7, user="app",
                command="Query" if busy else "Sleep", time_s=float(second - BEGINS),
                query="alter table t add c int" if busy else None, **when,  # type: ignore[arg-type]
            )
        )  # fmt: skip
    return Context(
        evidence({"lists": found}),
        stall=Span(T0 + BEGINS * S, T0 + ENDS * S),
        baseline=Span(T0, T0 + BEGINS * S),
    )


def holder(at: int) -> Actor:
    row = {"time": T0 + at * S, "time_s": float(at - BEGINS), "query": "alter table t add c int"}
    return Actor("session:7", session_id=7, session={**row, "command": "Query"})


def queue(actor: Actor) -> Queue:
    return Queue(
        "metadata_lock", 9, 1.0, 5.0, "metadata lock t", 9, actor, 1.0, None, (), root=actor
    )


@pytest.mark.parametrize("until", [BEGINS + 2, 40, ENDS - 1])
def test_who_ended_while_the_stall_went_on_did_not_trigger_it(until: int) -> None:
    known = context(until)
    actor = holder(BEGINS + 1)
    assert left_early(actor, known)
    assert trigger(queue(actor), known) == ""


@pytest.mark.parametrize("until", [ENDS, ENDS + 5, LISTS + 1])
def test_who_lasted_as_long_as_the_stall_may_have_triggered_it(until: int) -> None:
    known = context(until)
    actor = holder(BEGINS + 1)
    assert not left_early(actor, known)
    assert trigger(queue(actor), known).startswith("At about ")
