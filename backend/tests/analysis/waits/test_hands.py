"""A row's lock that goes from hand to hand, and lists of its waits that are a moment apart."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from pileup.analysis import analyse
from pileup.analysis.contract import Analysis
from pileup.analysis.evidence.scene import scene
from pileup.records import LockWait, MetadataLock, Record, Session, Snapshot, Transaction
from tests.analysis.frames import T0, S, evidence

TABLE = "shop.stock"
PROGRAM = "UPDATE stock SET quantity = quantity - 1 WHERE id = 7"


def _at(second: float, snapshot: int) -> dict[str, object]:
    return {
        "wall_us": T0 + round(second * S),
        "clock": "utc",
        "snapshot": snapshot,
        "line_first": 1,
        "line_last": 1,
    }


def _trx(number: int, session: int | None, waited: float | None, **more: object) -> Transaction:
    waits = {} if waited is None else {
        "lock_wait": True, "wait_s": waited, "waits_kind": "record", "waits_mode": "X",
        "waits_table": TABLE, "waits_index": "PRIMARY", "waits_space": 3, "waits_page": 5,
        "waits_heap": 8,
    }  # fmt: skip
    usual = {
        "active_s": waited or 0.0,
        "state": "LOCK WAIT" if waits else "ACTIVE",
        "query": PROGRAM,
    }
    return Transaction(
        trx_id=str(number), session_id=session, row_locks=1, **(usual | waits | more)
    )


def _queue(rng: random.Random, moments: int, sessions: int, *, in_turn: bool) -> Iterator[Record]:
    """Dumps in which everybody waits for one row; a lock table half a second before each."""
    first = 1000
    for moment in range(moments):
        order = list(range(1, sessions + 1))
        if in_turn:
            rng.shuffle(order)
            first += sessions
        at = _at(2 * moment, moment)
        yield Snapshot(kind="innodb_status", time_quality="exact", **at)
        holder, *waiting = order
        lasts = 0.0 if in_turn else 2.0 * moment + 2
        yield _trx(first + holder, holder, None, active_s=lasts, **at)
        for session in waiting:
            yield _trx(first + session, session, 1.0 if in_turn else 2.0 * moment + 1, **at)


def _pairs(rng: random.Random, moments: int, sessions: int) -> Iterator[Record]:
    """Whom each waited for half a second before a dump: transactions that have ended since."""
    for moment in range(moments):
        order = list(range(1, sessions + 1))
        rng.shuffle(order)
        at = _at(2 * moment - 0.5, moment)
        yield Snapshot(kind="lock_waits", time_quality="exact", **at)
        holder, *waiting = order
        for session in waiting:
            yield LockWait(
                lock_kind="record", table=TABLE, index="PRIMARY", mode="X",
                waiting_trx=str(500 + 100 * moment + session), waiting_session=session,
                blocking_trx=str(500 + 100 * moment + holder), blocking_session=holder, **at,
            )  # fmt: skip


def _analysis(*files: Iterator[Record]) -> Analysis:
    return analyse(evidence({f"file {n}": list(file) for n, file in enumerate(files)}))


@pytest.mark.parametrize("seed", range(4))
def test_a_row_that_goes_round_has_no_holder_for_a_root(seed: int) -> None:
    rng = random.Random(seed)
    sessions = rng.randint(12, 60)
    files = [_queue(rng, 8, sessions, in_turn=True)]
    if seed % 2:
        files.append(_pairs(rng, 8, sessions))
    analysis = _analysis(*files)
    root = analysis.roots[0]
    assert (root.kind, root.rotates) == ("row_lock", True)
    assert not any(each.kind == "cycle" for each in analysis.roots)
    assert analysis.findings[0].known_as[0].id == "contended-row"


@pytest.mark.parametrize("seed", range(3))
def test_a_row_that_one_transaction_keeps_has_it_for_a_root(seed: int) -> None:
    rng = random.Random(seed)
    analysis = _analysis(_queue(rng, 8, rng.randint(12, 60), in_turn=False))
    root = analysis.roots[0]
    assert (root.session_id, root.rotates) == (1, False)
    assert analysis.findings[0].known_as[0].id == "hot-row"


def test_a_wait_that_a_time_limit_ended_hands_nothing_on() -> None:
    """Everybody gives up after 50 s and tries again: the holder is still unknown."""

    def files() -> Iterator[Record]:
        for moment in range(8):
            at = _at(30 * moment, moment)
            yield Snapshot(kind="innodb_status", time_quality="exact", **at)
            for session in range(2, 22):
                yield _trx(1000 * moment + session, session, 30.0, **at)

    assert not any(root.rotates for root in _analysis(files()).roots)


def test_an_ended_transaction_blocks_nobody() -> None:
    at, before = _at(10, 0), _at(9, 0)
    dump = [
        Snapshot(kind="innodb_status", time_quality="exact", **at),
        _trx(21, 1, None, **at),
        _trx(12, 2, 3.0, **at),
        _trx(13, 3, None, **at),
    ]

    def pair(waiting: int, trx: int, blocking: int, by: int) -> LockWait:
        return LockWait(
            lock_kind="record", waiting_trx=str(trx), waiting_session=waiting,
            blocking_trx=str(by), blocking_session=blocking, **before,
        )  # fmt: skip

    pairs = [
        pair(2, 12, 1, 11),  # session 1 is in transaction 21 now
        pair(2, 12, 3, 13),
        pair(3, 13, 1, 21),  # transaction 13 waits no longer
        pair(9, 19, 3, 13),  # the dump does not list session 9
    ]
    here = scene(evidence({"dump": dump, "pairs": pairs}), T0 + 10 * S)
    assert [(row["waiting_session"], row["blocking_session"]) for row in here.lock_waits] == [
        (2, 3), (9, 3),
    ]  # fmt: skip


def test_numbers_in_two_bases_are_not_compared() -> None:
    at, before = _at(10, 0), _at(9, 0)
    dump = [
        Snapshot(kind="innodb_status", time_quality="exact", **at),
        Transaction(
            trx_id="1A2B", state="LOCK WAIT", lock_wait=True, session_id=2, wait_s=3.0, **at
        ),
    ]
    pair = LockWait(
        lock_kind="record", waiting_trx="6699", waiting_session=2, blocking_trx="6698",
        blocking_session=1, **before,
    )  # fmt: skip
    assert len(scene(evidence({"dump": dump, "pairs": [pair]}), T0 + 10 * S).lock_waits) == 1


def test_a_thread_is_the_session_that_any_list_nearby_names() -> None:
    """One file of metadata locks prints only performance_schema's threads, another both ids."""

    def lock(thread: int, session: int | None, **more: object) -> MetadataLock:
        return MetadataLock(
            object_type="TABLE", object_name=TABLE, mode="SHARED_READ", status="GRANTED",
            ps_thread_id=thread, session_id=session, **more,
        )  # fmt: skip

    both = [lock(63, 31, **_at(600, 0)), lock(63, 99, **_at(-3000, 1))]
    files = {"bare": [lock(63, None, **_at(0, 0)), lock(64, None, **_at(0, 0))], "both": both}
    here = scene(evidence(files), T0)
    assert [row["session_id"] for row in here.metadata_locks] == [31, None]


def test_transactions_without_a_thread_wait_for_the_sessions_that_run() -> None:
    """MySQL 8.0 prints no thread for those that wait to enter InnoDB."""
    at = _at(10, 0)
    waiting = [
        Transaction(
            trx_id=str(421_000 + n), state="not started",
            operation="sleeping before entering InnoDB", **at,
        )
        for n in range(5)
    ]  # fmt: skip
    idle = Transaction(trx_id="421900", state="not started", **at)
    dump = [Snapshot(kind="innodb_status", time_quality="exact", **at), *waiting, idle]
    listed = [
        Session(
            session_id=n, command="Query" if n else "Sleep", query="SELECT 1" if n else None, **at
        )
        for n in range(4)
    ]
    here = scene(evidence({"dump": dump, "list": listed}), T0 + 10 * S)
    queued = [actor for actor in here.actors.values() if actor.trx is not None]
    assert len(queued) == 5
    assert {actor.session_id for actor in queued} == {1, 2, 3, None}
    alone = scene(evidence({"dump": dump}), T0 + 10 * S)
    assert len(alone.actors) == 5
