"""Lists of locks: the views of sys, and the join of the tables of information_schema."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from benchmarks.incidents.rendering.printed import Printed, is_idle
from benchmarks.incidents.simulation import Moment, Resource, Session

Row = dict[str, str]


def lock_table(printed: Printed, moment: Moment) -> str:
    """Print who waits for whom: rows by \\G, one for each pair of waiter and holder."""
    server = printed.server
    metadata = any(_kind(s) == "metadata" for s in moment.sessions)
    render: Callable[[Printed, Moment, Session, Session, Resource], Row]
    if metadata:
        render, kind = _table_row, "metadata"
    elif server.maria or server.key == "my56":
        render, kind = _joined_row, "row"
    else:
        render, kind = _row_row, "row"
    rows = [
        render(printed, moment, waiter, holder, resource)
        for waiter, holder, resource in _pairs(moment, kind)
    ]
    stars, lines = "*" * 27, []
    for number, row in enumerate(rows, start=1):
        width = max(map(len, row))
        lines.append(f"{stars} {number}. row {stars}")
        lines += [f"{name:>{width}}: {value}" for name, value in row.items()]
    return "\n".join([*lines, f"{len(rows)} rows in set (0.01 sec)", ""])


def _kind(session: Session) -> str:
    return session.wait.resource.kind if session.wait else ""


def _pairs(moment: Moment, kind: str) -> Iterator[tuple[Session, Session, Resource]]:
    """Yield waiter, holder and lock; a metadata lock is also held up by requests before."""
    sessions = {session.id: session for session in moment.sessions}
    for waiter in moment.sessions:
        if waiter.wait is None or waiter.wait.resource.kind != kind:
            continue
        resource = waiter.wait.resource
        for id_, _ in moment.holders.get(resource, []):
            if id_ in sessions:
                yield waiter, sessions[id_], resource


def _query(session: Session) -> str:
    return session.statement or "NULL"


def _age(seconds: float) -> str:
    whole = max(0, int(seconds))
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def _joined_row(
    _printed: Printed, _moment: Moment, waiter: Session, holder: Session, _resource: Resource
) -> Row:
    """Return a row of the manual's query over INNODB_LOCK_WAITS and INNODB_TRX."""
    waiting, blocking = waiter.transaction, holder.transaction
    return {
        "waiting_trx_id": str(waiting.id if waiting else 0),
        "waiting_thread": str(waiter.id),
        "waiting_query": _query(waiter),
        "blocking_trx_id": str(blocking.id if blocking else 0),
        "blocking_thread": str(holder.id),
        "blocking_query": _query(holder),
    }


def _row_row(
    printed: Printed, moment: Moment, waiter: Session, holder: Session, resource: Resource
) -> Row:
    """Return a row of sys.innodb_lock_waits."""
    waiting, blocking = waiter.transaction, holder.transaction
    since = waiter.wait.since if waiter.wait else moment.time
    started = waiting.since if waiting else since
    held = blocking.since if blocking else since
    new = printed.server.generation in ("my80", "my84")
    return {
        "wait_started": f"{printed.local(since):%Y-%m-%d %H:%M:%S}",
        "wait_age": _age(moment.time - since),
        "wait_age_secs": str(int(moment.time - since)),
        "locked_table": f"`{waiter.database}`.`{resource.name}`",
        "locked_index": "PRIMARY",
        "locked_type": "RECORD",
        "waiting_trx_id": str(waiting.id if waiting else 0),
        "waiting_trx_started": f"{printed.local(started):%Y-%m-%d %H:%M:%S}",
        "waiting_trx_age": _age(moment.time - started),
        "waiting_trx_rows_locked": "1",
        "waiting_trx_rows_modified": "0",
        "waiting_pid": str(waiter.id),
        "waiting_query": _query(waiter),
        "waiting_lock_id": "140:42:4:43" if new else f"{waiting.id if waiting else 0}:42:4:43",
        "waiting_lock_mode": "X,REC_NOT_GAP" if new else "X",
        "blocking_trx_id": str(blocking.id if blocking else 0),
        "blocking_pid": str(holder.id),
        "blocking_query": _query(holder),
        "blocking_lock_mode": "X,REC_NOT_GAP" if new else "X",
        "blocking_trx_started": f"{printed.local(held):%Y-%m-%d %H:%M:%S}",
        "blocking_trx_age": _age(moment.time - held),
        "blocking_trx_rows_locked": str(blocking.row_locks if blocking else 0),
        "blocking_trx_rows_modified": str(blocking.undo if blocking else 0),
        "sql_kill_blocking_query": f"KILL QUERY {holder.id}",
        "sql_kill_blocking_connection": f"KILL {holder.id}",
    }


def _table_row(
    _printed: Printed, moment: Moment, waiter: Session, holder: Session, resource: Resource
) -> Row:
    """Return a row of sys.schema_table_lock_waits."""
    exclusive = waiter.wait is not None and waiter.wait.mode == "X"
    shared = "SHARED_READ" if waiter.verb == "select" else "SHARED_WRITE"
    return {
        "object_schema": waiter.database,
        "object_name": resource.name,
        "waiting_thread_id": str(waiter.id + 25),
        "waiting_pid": str(waiter.id),
        "waiting_account": f"{waiter.user}@{waiter.host.split(':')[0]}",
        "waiting_lock_type": "EXCLUSIVE" if exclusive else shared,
        "waiting_lock_duration": "TRANSACTION",
        "waiting_query": _query(waiter)[:64],
        "waiting_query_secs": str(int(moment.time - waiter.since)),
        "waiting_query_rows_affected": "0",
        "waiting_query_rows_examined": "0",
        "blocking_thread_id": str(holder.id + 25),
        "blocking_pid": str(holder.id),
        "blocking_account": f"{holder.user}@{holder.host.split(':')[0]}",
        "blocking_lock_type": "SHARED_READ" if is_idle(holder) else "SHARED_WRITE",
        "blocking_lock_duration": "TRANSACTION",
        "sql_kill_blocking_query": f"KILL QUERY {holder.id}",
        "sql_kill_blocking_connection": f"KILL {holder.id}",
    }
