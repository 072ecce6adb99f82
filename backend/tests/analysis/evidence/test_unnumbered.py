"""A lock table's 0 is no transaction: it belongs to a session where just one can be meant."""

from __future__ import annotations

import io
import random
from collections.abc import Iterable

import pytest

from pileup.analysis import analyse, gather
from pileup.analysis.contract import Analysis
from pileup.analysis.evidence.evidence import EvidenceArtifact
from pileup.formats.driver import parse_stream

SHARED, OTHERS, FIRST_WAITER = 6, (4, 5), 7
_TRX = (
    "trx_id trx_state trx_started trx_requested_lock_id trx_mysql_thread_id trx_query "
    "trx_lock_structs trx_rows_locked"
)
_WAITS = "requesting_trx_id requested_lock_id blocking_trx_id blocking_lock_id"
_STARTED = "2026-11-30 21:51:28"

Line = tuple[object, ...]


def _transaction(session: int, trx_id: str = "0", locks: int = 0) -> Line:
    return trx_id, "RUNNING", _STARTED, "NULL", session, "NULL", locks + 1, locks


def _asks(session: int, trx_id: str = "0", place: str = "5:3:3") -> Line:
    lock = f"{trx_id}:{place}"
    return trx_id, "LOCK WAIT", _STARTED, lock, session, "SELECT n FROM t WHERE id = 2", 2, 1


def _waits(waiting: str, blocking: str, place: str = "5:3:3") -> Line:
    return waiting, f"{waiting}:{place}", blocking, f"{blocking}:{place}"


def _analysis(transactions: list[Line], waits: list[Line], seed: int) -> Analysis:
    """Analyse the two tables as a client prints them one below the other, in any order."""
    dice = random.Random(seed)
    text = ""
    for heads, lines in ((_TRX, transactions), (_WAITS, waits)):
        dice.shuffle(lines)
        text += "".join(map(_line, [heads.split(), *lines]))
    read = parse_stream(io.BytesIO(text.encode()), name="locks.txt")
    assert read.failed is None, read.failed
    described = EvidenceArtifact("0" * 64, "locks.txt", len(text), read.format)
    return analyse(gather([(described, read.frames)]))


def _line(cells: Iterable[object]) -> str:
    return "\t".join(map(str, cells)) + "\n"


@pytest.mark.parametrize("seed", range(4))
def test_the_only_one_that_has_locks_is_meant(seed: int) -> None:
    """Others that only read are older, and have none."""
    transactions = [_transaction(session) for session in OTHERS]
    transactions.append(_transaction(SHARED, locks=1))
    ids = ["23", "24", "25"]
    transactions += [_asks(FIRST_WAITER + at, trx_id) for at, trx_id in enumerate(ids)]
    analysis = _analysis(transactions, [_waits(trx_id, "0") for trx_id in ids], seed)
    assert [(root.session_id, root.behind) for root in analysis.roots] == [(SHARED, 3)]
    assert analysis.roots[0].label == f"session {SHARED}"


@pytest.mark.parametrize("seed", range(4))
def test_of_two_that_may_be_meant_none_is_named(seed: int) -> None:
    transactions = [_transaction(session, locks=1) for session in OTHERS]
    analysis = _analysis([*transactions, _asks(FIRST_WAITER, "23")], [_waits("23", "0")], seed)
    assert [root.session_id for root in analysis.roots] == [None]
    assert analysis.roots[0].label == "a transaction without a number"
    said = [each.action for finding in analysis.findings for each in finding.mitigations]
    assert not [text for text in said if any(f"KILL {session}" in text for session in OTHERS)]


@pytest.mark.parametrize("seed", range(4))
def test_each_that_asks_for_the_row_waits(seed: int) -> None:
    """Many readers of one row print the same pair; who wants another row does not wait for it."""
    transactions = [_asks(FIRST_WAITER + at) for at in range(5)]
    transactions += [_transaction(SHARED, "23", locks=1), _transaction(4, "24", locks=1)]
    transactions.append(_asks(99, place="5:3:9"))
    waits = [_waits("0", "23")] * 5 + [_waits("0", "24", "5:3:9")]
    analysis = _analysis(transactions, waits, seed)
    assert [(root.session_id, root.behind) for root in analysis.roots] == [(SHARED, 5), (4, 1)]
