"""Tell transactions apart that have no number yet, which lock tables print as 0.

MariaDB numbers a transaction when it first changes something. Until then INNODB_TRX, INNODB_LOCKS
and INNODB_LOCK_WAITS print 0 for it, though it may hold or want the lock of a row, as LOCK IN SHARE
MODE does; a status dump prints an address: '(0x7feb08f5bc80)'. So a 0 names no transaction, and
belongs to a session only where just one can be meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from pileup.analysis.evidence.actors import NO_NUMBER, Row
from pileup.analysis.evidence.lock_places import record_of

_OF_SESSION = "of session "
_ADDRESS = "(0x"
_PLACE = ("waits_space", "waits_page", "waits_heap")


def is_number(trx_id: str) -> bool:
    """Return whether an id is one by which people look a transaction up."""
    return trx_id != NO_NUMBER and not trx_id.startswith(_OF_SESSION)


def by_session(frames: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Return the frames, with transactions without a number named by their session."""
    listed = frames.get("transaction")
    if listed is None:
        return dict(frames)
    unnamed = (pl.col("trx_id") == NO_NUMBER) & (pl.col("session_id") > 0)
    named = pl.format(f"{_OF_SESSION}{{}}", "session_id")
    trx_id = pl.when(unnamed).then(named).otherwise("trx_id").alias("trx_id")
    return dict(frames) | {"transaction": listed.with_columns(trx_id)}


def resolved(waits: Iterable[Row], transactions: Sequence[Row]) -> list[Row]:
    """Return the pairs of a lock table, with the sessions of those that it prints as 0.

    transactions: of the same moment. Who waits is whoever waits for that row, so that one pair may
    become several. Who holds stays unknown unless just one transaction without a number has locks.
    """
    unnumbered = [row for row in transactions if _has_no_number(row)]
    waiting = [row for row in unnumbered if row["lock_wait"]]
    holding = [row for row in unnumbered if not row["lock_wait"] and row["row_locks"] != 0]
    pairs: dict[object, Row] = {}
    for number, row in enumerate(waits):
        known = dict(row)
        if _is_unnamed(row, "blocking") and len(holding) == 1:
            known["blocking_session"] = holding[0]["session_id"]
        if not _is_unnamed(row, "waiting"):
            pairs[number] = known
            continue
        asking = [each for each in waiting if _place(each) in (None, record_of(row["lock_id"]))]
        for each in asking:
            pair = (each["session_id"], row["lock_id"], row["blocking_trx"])
            pairs[pair] = known | {"waiting_session": each["session_id"]}
    return list(pairs.values())


def _has_no_number(row: Row) -> bool:
    if not row["session_id"]:
        return False
    return not is_number(row["trx_id"]) or row["trx_id"].startswith(_ADDRESS)


def _is_unnamed(row: Row, side: str) -> bool:
    return row[f"{side}_trx"] == NO_NUMBER and row[f"{side}_session"] is None


def _place(row: Row) -> tuple[int, ...] | None:
    place = tuple(row[name] for name in _PLACE)
    return None if None in place else place


__all__ = ["by_session", "is_number", "resolved"]
