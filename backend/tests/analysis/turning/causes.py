"""What newer causes compare with, called directly where a threshold decides."""

from __future__ import annotations

from typing import Any

import polars as pl

from pileup.analysis.blocked_time.roots import Roots
from pileup.analysis.compare import trial
from pileup.analysis.evidence.actors import Actor
from pileup.analysis.findings import event_load, latch_counts, stall_records, summary
from pileup.analysis.findings.observed import Observed
from pileup.analysis.findings.rules import memory
from pileup.analysis.stacks import commit_queue
from pileup.analysis.waits import lock_holders
from tests.analysis.frames import T0, S
from tests.analysis.turning.tools import Scenes, always, given, instead, level


def _in_a_row() -> object:
    """Three moments in a row that show one holder."""
    roots = given(times=[T0, T0 + 4 * S, T0 + 9 * S])
    return Roots._stood(roots, dict.fromkeys(range(3), 1.0)) > 0


def _stays() -> object:
    """A holder that stood for two seconds."""
    roots: Any = given(through={"gate": {"holder": {}}}, _stood=always(2.0))
    return Roots._stood_for(roots, "gate") != ""


def _sleeps() -> object:
    """Sleeps that last ten minutes in all, by a single reading."""
    columns = {
        "series": ["innodb_mutex.os_waits"], "labels": ["latch=x"], "value": [600_000.0],
        "artifact": ["a"], "line_first": [1],
    }  # fmt: skip
    found = pl.DataFrame(columns)
    of = given(frame=always(found), path=always("a"))
    known: Any = given(context=given(evidence=of, server=None))
    with instead(latch_counts, _latch_of=always("btr_search_latch")):
        sleeps = latch_counts.sleeps_since_start(known)
        return latch_counts._since_start(known, sleeps, ["btr_search_latch"]).holds


def _timed() -> object:
    """Waits of two minutes in all, by the times that performance_schema keeps."""
    columns = {
        "series": ["ps_wait.sum_timer_wait"], "value": [120.0], "artifact": ["a"],
        "labels": ["event_name=wait/synch/mutex/innodb/lock_mutex"], "line_first": [1],
    }  # fmt: skip
    of = given(frame=always(pl.DataFrame(columns)))
    known: Any = given(context=given(evidence=of), lines=always(None))
    with instead(event_load, _latch=always("x")):
        return event_load.timed(known, event_load.timed_waits(known), ["x"], "x").holds


def _unknown() -> object:
    """Half of the latch waits are for a latch that nothing identifies."""
    return latch_counts.may_be_any(4.0, 8.0)


def _sure() -> object:
    """A holder of confidence 0.9."""
    holder = Actor("session:1", session_id=1, session={"command": "Query", "query": None})
    queue = given(waiters=1, label="lock", longest=None, holder=holder, sure=0.9, evidence=[])
    queue.share = 1.0
    known: Any = given(worst=given(waiting=1), during=always(None), queues={"x": queue})
    return "may hold" in Observed.wait(known, "x", "", None).text


def _nodes(full: float = 30.0, roomy: float = 900.0) -> object:
    """Nodes of 1000 MiB, one of them with 2 % free, or another with 5 %."""
    free = [
        level("free", full, collector="numactl", labels="node=0"),
        level("free", roomy, collector="numactl", labels="node=1"),
    ]
    size = [level("size", 1000.0, collector="numactl", labels=f"node={node}") for node in range(2)]
    known: Any = given(levels_named=lambda names: size if "size" in names else free)
    return memory._nodes(known) is not None


def _of_process() -> object:
    """Three quarters of a process on one node."""
    parts = [
        level("private", part, collector="numastat", labels=f"node={node}")
        for node, part in enumerate((75.0, 25.0))
    ]
    return memory._of_process(given(levels_named=always(parts))) is not None


def _swaps() -> object:
    """A hundred pages per second, beside a process on one node."""
    found = level("private", 90.0, collector="numastat", labels="node=0")
    known: Any = given(levels_named=always([level("si", 100.0)]), series=always(None))
    with instead(memory, _nodes=always(None), _of_process=always((found, 0.9))):
        match = memory.numa_imbalance(known)
    return match is not None and (match.score, match.why)


def _looks() -> object:
    """A look at all tables that has taken ten seconds."""
    query = "SELECT count(*) FROM information_schema.tables"
    rows = pl.DataFrame({"query": [query], "time_s": [10.0]})
    return stall_records._without_collectors(rows).height


def _rose() -> object:
    """Errors a tenth above what they were."""
    return summary._refuses(given(direction="up", baseline=10.0, stall=11.0))  # type: ignore[arg-type]


def _commits() -> object:
    """A prepared transaction whose COMMIT has taken a second."""
    trx = {
        "state": "ACTIVE (PREPARED)", "operation": None, "lock_wait": False, "query": "COMMIT",
        "active_s": 1.0,
    }  # fmt: skip
    return commit_queue._commits(trx)


def _actor(number: int, seconds: float, query: str, state: str | None = None) -> Any:
    row = {"command": "Query", "query": query, "time_s": seconds, "user": "cron", "state": state}
    return Actor(f"session:{number}", session_id=number, session=row)


def _changes_the_schema() -> object:
    drop = _actor(1, 59.0, "DROP TABLE t")
    return lock_holders.guess_schema_change([drop], [60.0], set(), drops=True) is not None


def _same_user() -> object:
    job = _actor(1, 59.0, "UPDATE t SET a = 1", "executing")
    waits = [_actor(2, 60.0, "SELECT GET_LOCK('x', 9)", "User lock")]
    return lock_holders.guess_user_lock_holder(waits, [job], 60.0, set()) is not None


SCENES: Scenes = {
    "compare.trial _NEXT_TO_NOTHING _Inside.beside": lambda: trial._Inside(
        300.0, 0.0, 10.0, is_idle=False
    ).beside(trial._Inside(2.0, 0.0, 1000.0, is_idle=False)),
    "blocked_time.roots _IN_A_ROW Roots._stood": _in_a_row,
    "blocked_time.roots _STAYS_S Roots._stood_for": _stays,
    "findings.event_load _LONG_S timed": _timed,
    "findings.latch_counts _LONG_S _since_start": _sleeps,
    "findings.latch_counts _MOSTLY_UNKNOWN may_be_any": _unknown,
    "findings.latch_counts _SLEEP_S _since_start": _sleeps,
    "findings.observed _SURE Observed.wait": _sure,
    "findings.rules.memory _EMPTY _nodes": lambda: _nodes(full=20.0),
    "findings.rules.memory _ROOMY _nodes": lambda: _nodes(full=1.0, roomy=50.0),
    "findings.rules.memory _UNEVEN _of_process": _of_process,
    "findings.rules.memory _SWAPS numa_imbalance": _swaps,
    "findings.stall_records _NO_LOOK_S _without_collectors": _looks,
    "findings.summary _ROSE _refuses": _rose,
    "stacks.commit_queue _LEAST_S _commits": _commits,
    "waits.lock_holders _SLACK_S guess_schema_change": _changes_the_schema,
    "waits.lock_holders _SLACK_S guess_user_lock_holder": _same_user,
}
