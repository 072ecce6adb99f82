"""Deadlocks of a log that leaves out their marks, as MySQL 8.0 does unless notes are logged."""

from __future__ import annotations

import random

import pytest

from pileup.formats.innodb import innodb_status
from pileup.formats.innodb.parts.deadlock import has_unmarked
from pileup.formats.logs import error_log
from pileup.records import Deadlock, Event, Transaction

READY = (
    "2026-11-29T12:59:32.468322Z 0 [System] [MY-010931] [Server] /usr/sbin/mysqld: ready for "
    "connections. Version: '8.0.36'  socket: '/run/mysqld/mysqld.sock'  port: 3306  (Ubuntu)."
)


def _lock(trx: int, row: int, *, waits: bool) -> list[str]:
    place = "space id 3 page no 5 n bits 624 index PRIMARY of table `shop`.`stock`"
    return [
        f"RECORD LOCKS {place} trx id {trx} lock_mode X locks rec but not gap{' waiting' * waits}",
        f"Record lock, heap no {row} PHYSICAL RECORD: n_fields 4; compact format; info bits 0",
        f" 0: len 4; hex 8000000{row % 10}; asc     ;;",
        "",
    ]


def _circle(first: int, size: int, rng: random.Random) -> list[str]:
    """Transactions of which each waits for the row of the next, as the server prints them."""
    lines = []
    for number in range(size):
        trx, row, wanted = first + number, 10 + number, 10 + (number + 1) % size
        lines += [
            f"TRANSACTION {trx}, ACTIVE {rng.randint(0, 9)} sec starting index read",
            "mysql tables in use 1, locked 1",
            "LOCK WAIT 3 lock struct(s), heap size 1128, 2 row lock(s), undo log entries 1",
            f"MySQL thread id {number + 7}, OS thread handle 1405, query id {trx} localhost app",
            f"update stock set quantity=quantity-1 where id={wanted}",
            *_lock(trx, row, waits=False),
            *_lock(trx, wanted, waits=True),
        ]
    return lines


def _log(seed: int) -> tuple[list[str], list[list[str]]]:
    """A log with deadlocks of two to four transactions, some with a dated line below."""
    rng = random.Random(seed)
    lines, expected, first = [READY], [], 2000
    for _ in range(rng.randint(1, 12)):
        size = rng.choice([2, 2, 2, 3, 4])
        lines += _circle(first, size, rng)
        expected.append([str(first + number) for number in range(size)])
        first += size + rng.randint(0, 40)
        if rng.random() < 0.3:
            lines.append(READY.replace("12:59", f"13:{rng.randint(10, 59)}"))
    return lines, expected


@pytest.mark.parametrize("seed", range(8))
def test_each_circle_is_a_deadlock(seed: int) -> None:
    lines, expected = _log(seed)
    items = list(error_log.parse(lines))
    found = [item for item in items if isinstance(item, Deadlock)]
    assert [[each.trx_id for each in deadlock.transactions] for deadlock in found] == expected
    for deadlock in found:
        first, last = deadlock.line_first - 1, deadlock.line_last - 1
        assert lines[first].startswith(f"TRANSACTION {deadlock.transactions[0].trx_id}, ")
        assert lines[last].startswith(" 0: len 4; hex")
        assert (deadlock.wall_us, deadlock.victim, deadlock.truncated) == (None, None, True)
        for trx in deadlock.transactions:
            assert trx.holds_rows
            assert trx.waits_rows in [
                row for each in deadlock.transactions for row in each.holds_rows
            ]
    assert sum(isinstance(item, Event) for item in items) == sum(
        "[System]" in line for line in lines
    )
    assert not [item for item in items if isinstance(item, Transaction)]


@pytest.mark.parametrize("seed", range(4))
def test_the_end_of_a_log_is_a_log_wherever_it_is_cut(seed: int) -> None:
    """pt-stalk keeps the last lines of the log: they begin in the middle of a deadlock.

    Where all collide on the same two rows, nothing tells which of them met: no one is lost.
    """
    lines, expected = _log(seed + 100)
    body = [line for line in lines if "[System]" not in line]
    cut = random.Random(seed).randint(1, 10)
    text = "\n".join(body[cut:]) + "\n"
    if len(expected) < 2:
        return
    assert has_unmarked(text)
    assert innodb_status.sniff(text) is False
    assert error_log.sniff(text)
    found = [item for item in error_log.parse(text.splitlines()) if isinstance(item, Deadlock)]
    printed = [trx.trx_id for deadlock in found for trx in deadlock.transactions]
    assert printed == [trx for deadlock in expected for trx in deadlock][1:]


def test_a_list_of_transactions_is_none() -> None:
    rng = random.Random(1)
    listed = "\n".join(_circle(2000, 2, rng)).replace("TRANSACTION ", "---TRANSACTION ")
    assert not has_unmarked(listed)
    waited = "\n".join(_circle(2000, 2, rng)) + "\n------- TRX HAS BEEN WAITING 5 SEC FOR THIS LOCK"
    assert not has_unmarked(waited)
    assert not has_unmarked("\n".join(_circle(2000, 2, rng)[:13]))
