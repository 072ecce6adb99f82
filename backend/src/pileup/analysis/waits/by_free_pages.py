"""Latches on pages whose holders need a free page of the buffer pool.

A thread holds the latch of a page or of an index inside a mini-transaction only, which lasts for
microseconds unless another latch, a read or the search for a free page stops it. SEMAPHORES prints
the first and not the last: where no page is free, a holder that keeps others waiting and waits for
no latch itself is inferred to need one. A thread that writes pages out while none is free holds
their latches for the same reason, so the search for a free page is the one root of both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

import polars as pl

from pileup.analysis.evidence.actors import Actor, Row
from pileup.analysis.stacks import queues
from pileup.analysis.waits.by_latches import OF_PAGES
from pileup.analysis.waits.draft import Draft, Resource
from pileup.knowledge import wait_classes

_LONG_S = 1.0
"""Longer than a mini-transaction that nothing stops."""
_THREADS = 3
"""Threads that queue behind a holder that is stuck, or that search for a free page."""
_INFERRED = 0.55
_FLUSHERS = frozenset({"page cleaner", "LRU manager"})
_WRITES_PAGES = "buf0flu"
"""Source file that writes pages out."""
_FEW_FREE = 0.02
"""Share of the pool's pages below which hardly any is free: servers keep more in reserve."""
_MOSTLY_MODIFIED = 0.5
"""Share of the pages that must be written before they are free, without a count of writes."""
_TOGETHER_US = 2_000_000
"""A stack further from the dump shows what its thread did at another time."""
_FREE, _QUEUE = "innodb.pool_free_pages", "free-page"
_USED, _MODIFIED = "innodb.pool_database_pages", "innodb.pool_modified_pages"
_WRITES = ("innodb.pool_pending_lru_writes", "innodb.pool_pending_single_page_writes")
COUNTERS = (_FREE, _USED, _MODIFIED, *_WRITES)
"""Counters of a dump that show that pages are written because none is free."""


def page_holders(draft: Draft) -> None:
    """Add the wait for a free page of those who hold latches on pages and wait for no latch.

    Flushers that hold them write the pages that are to be free next.
    """
    waits = [
        edge
        for edge in draft.edges
        if edge.kind == "waits_for"
        and edge.target in draft.resources
        and draft.resources[edge.target].latch in OF_PAGES
    ]
    many = Counter(edge.target for edge in waits)
    stuck = {
        edge.target: None
        for edge in waits
        if (edge.waited_s or 0.0) >= _LONG_S or many[edge.target] >= _THREADS
    }
    unseen = list(_unseen(draft, stuck)) if stuck else []
    flushers = _flushers(draft, many)
    starved = _starved(draft) if unseen or flushers else None
    if starved is None:
        return
    queue = next(each for each in queues.QUEUES if each.id == _QUEUE)
    name = f"queue:{queue.id}"
    resource = draft.resources.setdefault(
        name, Resource(name, "queue", queue.label, meaning=queue.meaning)
    )
    why, row = starved
    for flusher in flushers:
        draft.wait(
            flusher,
            resource,
            note=f"inferred: writes pages out, while {why}",
            confidence=_INFERRED,
            locators=[draft.lines(row)],
        )
    note = f"inferred: keeps others waiting and waits for no latch, while {why}"
    for holder in unseen:
        if isinstance(holder, Actor):
            draft.wait(
                holder, resource, note=note, confidence=_INFERRED, locators=[draft.lines(row)]
            )
        else:
            draft.hold(holder, resource, note=note, lines=row, inferred=True, confidence=_INFERRED)


def _unseen(draft: Draft, latches: Collection[str]) -> Iterator[Actor | Resource]:
    """Return the holders of which no stack and no wait shows what they do, each once."""
    holders: dict[str, list[str]] = {}
    for edge in draft.edges:
        if edge.kind == "held_by":
            holders.setdefault(edge.source, []).append(edge.target)
    readers = [name for name in holders if name.removeprefix("readers:") in latches]
    seen: set[str] = set()
    for name in [*latches, *(f"readers:{latch}" for latch in latches), *readers]:
        if name not in draft.resources:
            continue
        for target in holders.get(name) or [name]:
            actor = draft.scene.actors.get(target)
            known = target in draft.waiting or (actor is not None and _has_stack(draft, actor))
            if target in seen or known or (actor is None and target in holders):
                continue
            seen.add(target)
            yield actor if actor is not None else draft.resources[target]


def _flushers(draft: Draft, latches: Collection[str]) -> list[Actor]:
    """Return the threads that write pages out, hold some of these latches, and wait for nothing."""
    holders = {
        edge.target: None
        for edge in draft.edges
        if edge.kind == "held_by" and edge.source in latches and edge.target not in draft.waiting
    }
    actors = [draft.scene.actors[name] for name in holders if name in draft.scene.actors]
    writing = _writing(draft)
    return [
        actor
        for actor in actors
        if actor.pthread in writing
        or wait_classes.background_title(tuple(actor.functions)) in _FLUSHERS
    ]


def _writing(draft: Draft) -> set[int]:
    """Return the threads that hold a page where pages are written out, as waits for it print."""
    return {
        row["holder_thread"]
        for actor in draft.scene.actors.values()
        for row in actor.waits
        if row["holder_thread"] is not None
        and row["holder_mode"] == "SX"
        and (row["last_write_file"] or "").startswith(_WRITES_PAGES)
    }


def _has_stack(draft: Draft, actor: Actor) -> bool:
    """Return whether a stack of this very moment shows what a thread does."""
    stack, dump = actor.stack, draft.scene.dump
    if stack is None or dump is None or stack["time"] is None or dump["time"] is None:
        return stack is not None
    return bool(abs(stack["time"] - dump["time"]) <= _TOGETHER_US)


def _starved(draft: Draft) -> tuple[str, Row] | None:
    """Return the words and the line that show that no page is free; None: nothing shows it."""
    count, first = 0, None
    for row in draft.scene.stacks:
        queue = queues.by_stack([frame["function"] for frame in row["frames"]])
        if queue is not None and queue.id == _QUEUE:
            count, first = count + max(1, row["count"] // max(1, row["samples"])), first or row
    if first is not None and count >= _THREADS:
        return f"{count} stacks search for a free page", first
    return _starved_by_dump(draft)


def _starved_by_dump(draft: Draft) -> tuple[str, Row] | None:
    rows = draft.dump_samples(COUNTERS)
    if rows is None:
        return None
    free = rows.filter(pl.col("series").cast(pl.String) == _FREE)
    if free.is_empty():
        return None
    count, used, modified, writes = (
        float(rows.filter(pl.col("series").cast(pl.String).is_in(names))["value"].sum())
        for names in ((_FREE,), (_USED,), (_MODIFIED,), _WRITES)
    )
    if count > _FEW_FREE * used or not (writes or (used and modified >= _MOSTLY_MODIFIED * used)):
        return None
    row = free.row(0, named=True)
    pages = "no free page" if not count else f"{count:.0f} free pages of {count + used:.0f}"
    doing = f"{writes:.0f} page writes" if writes else f"{modified:.0f} modified ones"
    return f"the dump counts {pages} and {doing}", {**row, "line_last": row["line_first"]}


__all__ = ["COUNTERS", "page_holders"]
