"""Excerpts of the error log in the prefixes of each series, among the usual lines."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.incidents.rendering.printed import Printed, waits_for
from benchmarks.incidents.rendering.status_dump import semaphore_waits
from benchmarks.incidents.simulation import Moment, Session

_CODES = {"Warning": "MY-010055", "ERROR": "MY-000000", "Note": "MY-010914"}


def error_log(printed: Printed, until: float, moment: Moment | None = None) -> str:
    """Print the log until a time; the waits of ``moment`` last since minutes then."""
    scenario, rng = printed.scenario, printed.rng
    entries: list[tuple[float, str]] = [
        (time, _line(printed, time, level, text)) for time, level, text in scenario.log
    ]
    for _ in range(rng.randrange(1, 8)):
        time = rng.uniform(-3000, until)
        session = rng.choice(list(scenario.world.sessions.values()))
        entries.append((time, _line(printed, time, "Note", _aborted(session))))
    for time, first, second in scenario.deadlocks:
        entries.append((time, "\n".join(_deadlock(printed, time, first, second))))
    if moment is not None and any(waits_for(s, "latch") for s in moment.sessions):
        entries.append((until, "\n".join(_long_waits(printed, until, moment))))
    return "\n".join(text for time, text in sorted(entries) if time <= until) + "\n"


def _long_waits(printed: Printed, until: float, moment: Moment) -> Iterator[str]:
    """Print what the watchdog writes about waits of more than 240 seconds."""
    for wait in semaphore_waits(printed, moment, printed.rng.uniform(240, 500)):
        if printed.server.old:
            yield "InnoDB: Warning: a long semaphore wait:"
        else:
            yield _line(printed, until, "Warning", "InnoDB: A long semaphore wait:")
        yield from wait
    yield "InnoDB: ###### Starts InnoDB Monitor for 30 secs to print diagnostic info:"
    yield "InnoDB: Pending preads 0, pwrites 0"


def _aborted(session: Session) -> str:
    return (
        f"Aborted connection {session.id} to db: '{session.database}' user: '{session.user}' "
        f"host: '{session.host.split(':')[0]}' (Got timeout reading communication packets)"
    )


def _line(printed: Printed, seconds: float, level: str, text: str, thread: int = 0) -> str:
    at, server = printed.local(seconds), printed.server
    if server.generation == "my56":
        return f"{at:%Y-%m-%d %H:%M:%S} 2450 [{level}] {text}"
    if server.maria:
        thread = 140623716136768 if server.key == "ma102" else thread
        return f"{at:%Y-%m-%d} {at.hour:2d}:{at:%M:%S} {thread} [{level}] {text}"
    stamp = f"{at:%Y-%m-%dT%H:%M:%S.%f}Z"
    if server.generation == "my57":
        return f"{stamp} {thread} [{level}] {text}"
    subsystem = "InnoDB" if text.startswith("***") or "deadlock" in text else "Server"
    return f"{stamp} {thread} [{level}] [{_CODES[level]}] [{subsystem}] {text}"


def _deadlock(printed: Printed, time: float, first: Session, second: Session) -> Iterator[str]:
    """Print one deadlock of two updates that take two rows in opposite order."""
    prefix = "" if printed.server.generation in ("my80", "my84") else "InnoDB: "
    number = printed.scenario.world.next_transaction + int(time * 10)

    def note(text: str) -> str:
        return _line(printed, time, "Note", prefix + text, second.id)

    table = f"`{first.database}`.`{printed.scenario.app.tables[0]}`"
    name, column = printed.scenario.app.tables[0], printed.scenario.app.columns[0]
    yield note("Transactions deadlock detected, dumping detailed information.")
    for turn, (session, mine, other) in enumerate(((first, 42, 77), (second, 77, 42)), start=1):
        trx = number + turn
        yield note("\n*** " + f"({turn}) TRANSACTION:\n")
        yield f"TRANSACTION {trx}, ACTIVE 0 sec starting index read"
        yield "mysql tables in use 1, locked 1"
        yield "LOCK WAIT 3 lock struct(s), heap size 1136, 2 row lock(s), undo log entries 1"
        yield (
            f"{'MariaDB' if printed.server.key in ('ma106', 'ma114') else 'MySQL'} thread id "
            f"{session.id}, OS thread handle {printed.thread(session)}, query id {trx} "
            f"{session.host.split(':')[0]} {session.user} updating"
        )
        yield f"UPDATE {name} SET {column} = {column} - 1 WHERE id = {other}"
        if turn == 2:
            yield note(f"*** ({turn}) HOLDS THE LOCK(S):\n")
            yield from _lock(table, trx, mine, waiting=False)
        yield note(f"*** ({turn}) WAITING FOR THIS LOCK TO BE GRANTED:\n")
        yield from _lock(table, trx, other, waiting=True)
    yield note("*** WE ROLL BACK TRANSACTION (1)")
    yield ""


def _lock(table: str, trx: int, key: int, *, waiting: bool) -> Iterator[str]:
    yield (
        f"RECORD LOCKS space id 31 page no 4 n bits 144 index PRIMARY of table {table} "
        f"trx id {trx} lock_mode X locks rec but not gap" + " waiting" * waiting
    )
    yield "Record lock, heap no 43 PHYSICAL RECORD: n_fields 4; compact format; info bits 0"
    yield f" 0: len 8; hex {0x8000000000000000 + key:016x}; asc         ;;"
    yield ""
