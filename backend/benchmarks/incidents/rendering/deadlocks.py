"""One deadlock of two updates that take two rows in opposite order, as dumps and logs print it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from benchmarks.incidents.rendering.printed import Printed
from benchmarks.incidents.simulation import Session


def deadlock(
    printed: Printed, time: float, first: Session, second: Session, title: Callable[[str], str]
) -> Iterator[str]:
    """Yield the lines; ``title`` makes a line of the log of each heading with stars."""
    server = printed.server
    word = "MariaDB" if server.key in ("ma106", "ma114") else "MySQL"
    number = printed.scenario.world.next_transaction + int(time * 10)
    name, column = printed.scenario.app.tables[0], printed.scenario.app.columns[0]
    table = f"`{first.database}`.`{name}`"
    for turn, (session, mine, other) in enumerate(((first, 42, 77), (second, 77, 42)), start=1):
        trx = number + turn
        yield title(f"*** ({turn}) TRANSACTION:")
        yield f"TRANSACTION {trx}, ACTIVE 0 sec starting index read"
        yield "mysql tables in use 1, locked 1"
        yield "LOCK WAIT 3 lock struct(s), heap size 1136, 2 row lock(s), undo log entries 1"
        yield (
            f"{word} thread id {session.id}, OS thread handle {printed.thread(session)}, "
            f"query id {trx} {session.host.split(':')[0]} {session.user} updating"
        )
        yield f"UPDATE {name} SET {column} = {column} - 1 WHERE id = {other}"
        if turn == 2:
            yield title(f"*** ({turn}) HOLDS THE LOCK(S):")
            yield from _lock(table, trx, mine, waiting=False)
        yield title(f"*** ({turn}) WAITING FOR THIS LOCK TO BE GRANTED:")
        yield from _lock(table, trx, other, waiting=True)
    yield title("*** WE ROLL BACK TRANSACTION (1)")


def _lock(table: str, trx: int, key: int, *, waiting: bool) -> Iterator[str]:
    yield (
        f"RECORD LOCKS space id 31 page no 4 n bits 144 index PRIMARY of table {table} "
        f"trx id {trx} lock_mode X locks rec but not gap" + " waiting" * waiting
    )
    yield "Record lock, heap no 43 PHYSICAL RECORD: n_fields 4; compact format; info bits 0"
    yield f" 0: len 8; hex {0x8000000000000000 + key:016x}; asc         ;;"
    yield ""
