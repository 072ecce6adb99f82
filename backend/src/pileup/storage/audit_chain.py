"""Verify the chain of the audit trail, and name its first break.

Each entry has a link: its number, the hash of the link before, and the SHA-256 of both with all
that the entry holds (migration 0039). Whoever can write to the database as its owner can make the
whole chain again; the head that somebody wrote down elsewhere then finds them out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Row, text

from pileup.storage.database import Database

START = "0" * 64
"""What comes before the first link."""

_PAGE = 1000

_LINKS = text(
    """
select l.seq, l.previous, l.hash, l.entry_id, a.id, a.action, a.at, jsonb_build_array(
  l.seq, l.previous, a.id, to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'),
  a.user_id, a.user_name, a.incident_id, a.action, a.target, a.detail)::text as content
from audit_links l left join audit a on a.id = l.entry_id
order by l.seq
"""
)
_UNLINKED = text(
    """
select a.id, a.action, a.at from audit a
where not exists (select from audit_links l where l.entry_id = a.id) order by a.id limit 1
"""
)


@dataclass(frozen=True, slots=True)
class Head:
    """The last link: the hash depends on every entry up to it."""

    seq: int
    hash: str

    def __str__(self) -> str:
        return f"{self.seq}:{self.hash}"


@dataclass(frozen=True, slots=True)
class Chain:
    """What verification found."""

    head: Head
    """The last link that holds."""
    problem: str | None
    """The first break, as a sentence; None: the trail is whole."""


def verify_chain(database: Database, known: Head | None = None) -> Chain:
    """Compute every link again, and return the first break.

    known: the head of an earlier verification, which must still be in the chain.
    """
    connection = database.engine.connect().execution_options(
        isolation_level="REPEATABLE READ", yield_per=_PAGE
    )
    with connection:
        chain = _follow(iter(connection.execute(_LINKS)), known)
        stranger = None if chain.problem else connection.execute(_UNLINKED).first()
    if stranger is None:
        return chain
    return Chain(chain.head, f"an entry without a link was inserted: {_named(stranger)}")


def _follow(links: Iterator[Row[tuple[object, ...]]], known: Head | None) -> Chain:
    head = Head(0, START)
    for link in links:
        problem = _break(link, head)
        if problem is not None:
            return Chain(head, f"entry {head.seq + 1} {problem}")
        head = Head(link.seq, link.hash)
        if known is not None and known.seq == head.seq and known.hash != head.hash:
            return Chain(head, f"entry {head.seq} or one before it is not that of the known head")
    if known is not None and known.seq > head.seq:
        return Chain(
            head, f"the trail ends with entry {head.seq}, before the known head {known.seq}"
        )
    return Chain(head, None)


def _break(link: Row[tuple[object, ...]], head: Head) -> str | None:
    if link.seq != head.seq + 1:
        return "is gone, with its link"
    if link.id is None:
        return f"({link.entry_id}) is gone; its link is there"
    if link.previous != head.hash:
        return f"does not follow entry {head.seq}, the order changed: {_named(link)}"
    if hashlib.sha256(link.content.encode()).hexdigest() != link.hash:
        return f"is not what was recorded, it was changed or replaced: {_named(link)}"
    return None


def _named(row: Row[tuple[object, ...]]) -> str:
    return f"{row.action} of {row.at:%Y-%m-%d %H:%M:%S} UTC ({row.id})"
