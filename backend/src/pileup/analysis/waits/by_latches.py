"""Latch waits and holders from the SEMAPHORES section of a dump."""

from __future__ import annotations

from pileup.analysis.contract import Locator
from pileup.analysis.evidence.actors import Actor, Row
from pileup.analysis.evidence.context import Server
from pileup.analysis.waits.by_instruments import hold
from pileup.analysis.waits.by_instruments import readers as readers_of
from pileup.analysis.waits.draft import UNNAMED, Draft, Resource, latch_label
from pileup.knowledge import Latch, Wait, knowledge
from pileup.knowledge.source_sites import site

OF_PAGES = frozenset({"buf_block_lock", "index_tree_lock"})
"""Latches that a thread holds inside a mini-transaction only."""
_BETWEEN_MINI = frozenset({"row_lock", "table_lock", "metadata_lock", "commit"})
"""What a thread waits for outside of mini-transactions."""
_WAIT_EXCLUSIVE = "wait exclusive"
"""Mode of a writer that has reserved a latch and waits for its readers; 5.1 prints only this."""
_READER = 0.6
"""A thread at the place of the last read lock may hold another latch."""


def semaphores(draft: Draft) -> None:
    """Add each waiter of SEMAPHORES, its latch, and the thread that holds the latch."""
    actors = list(draft.scene.actors.values())
    # Any of its waits may tell which latch it is, so all are known before one is described.
    waits = [(actor, wait, _latch(draft, wait)) for actor in actors for wait in actor.waits]
    for actor, wait, latch in waits:
        _semaphore(draft, actor, wait, latch)


def _semaphore(draft: Draft, actor: Actor, wait: Row, latch: Resource) -> None:
    position = f"{wait['file']}:{wait['line']}"
    lines = [draft.lines(wait)]
    own = wait["thread_id"] is not None and wait["holder_thread"] == wait["thread_id"]
    if own and ("wait_ex" in wait["mode"] or wait["holder_mode"] == _WAIT_EXCLUSIVE):
        _wait_for_readers(draft, actor, wait, latch, position, lines)
        return
    draft.wait(
        actor,
        latch,
        mode=wait["mode"],
        waited_s=wait["waited_s"],
        position=position,
        source_site=_site(draft, wait),
        locators=lines,
    )
    holder = wait["holder_thread"]
    if holder is None or own:
        return
    draft.hold(
        latch,
        draft.thread(holder),
        mode=wait["holder_mode"],
        note=f"holds it ({wait['holder_mode']})",
        lines=wait,
    )


def _wait_for_readers(
    draft: Draft, actor: Actor, wait: Row, latch: Resource, position: str, lines: list[Locator]
) -> None:
    """Add an X-lock (wait_ex): the thread reserved the latch and waits for its readers."""
    readers = wait["readers"] or 0
    # None: the last reader left while the dump was printed, or the server does not count.
    who = (
        "the last reader" if readers == 0 else "1 reader" if readers == 1 else f"{readers} readers"
    )
    last = f"{wait['last_read_file']}:{wait['last_read_line']}" if wait["last_read_file"] else ""
    resource = draft.resources.setdefault(
        f"readers:{latch.id}",
        Resource(
            f"readers:{latch.id}",
            "latch",
            f"{who} of {latch.label}",
            f"last read-locked at {last}" if last else "readers are not named in a dump",
            latch=latch.latch,
            address=latch.address,
            inferred=True,
            meaning="The readers that still hold the latch; the dump does not name them.",
        ),
    )
    draft.hold(latch, actor, mode=_WAIT_EXCLUSIVE, note="reserved it (wait_ex)", lines=wait)
    note = (
        f"Thread {wait['thread_id']} does not block itself: it reserved "
        f"{latch.label} and waits at {position} for {who} to leave"
        + (f" (lock_word {wait['lock_word']})" if wait["lock_word"] is not None else "")
        + (f"; the latch was last read-locked at {last}." if last else ".")
    )
    draft.notes[note] = None
    draft.wait(
        actor,
        resource,
        mode=wait["mode"],
        waited_s=wait["waited_s"],
        position=position,
        locators=lines,
        note="waits for the readers to leave",
    )
    _hold_by_readers(draft, wait, resource, last)


def _hold_by_readers(draft: Draft, wait: Row, resource: Resource, last: str) -> None:
    """Add the listed readers, else threads with a stack at the place of the last read lock."""
    listed = readers_of(draft, wait["latch_address"])
    for row in listed:
        hold(draft, resource, row)
    if listed:
        resource.inferred = False
        resource.meaning = "The readers that still hold the latch."
        return
    for other in _readers(draft, wait):
        draft.hold(
            resource,
            other,
            note=f"inferred: its stack is at {last}, where the latch was last read-locked",
            lines=other.stack,
            inferred=True,
            confidence=_READER,
        )


def _readers(draft: Draft, wait: Row) -> list[Actor]:
    """Return threads with a stack at the place where the latch was last read-locked."""
    file, line = wait["last_read_file"], wait["last_read_line"]
    if file is None:
        return []
    return [
        actor
        for actor in draft.scene.actors.values()
        if actor.stack
        and not actor.waits
        and any(
            f["file"] and f["file"].endswith(file) and f["line"] == line
            for f in actor.stack["frames"]
        )
    ][:5]


def _site(draft: Draft, wait: Row) -> str:
    """Return the function at the wait's source position, with the version it was read in."""
    source = site(
        wait["file"],
        wait["line"],
        family=draft.server.family,
        numbers=draft.server.numbers,
        mode=wait["mode"],
    )
    return source.says if source else ""


def _latch(draft: Draft, wait: Row) -> Resource:
    known = known_latch(wait, draft.server)
    site = f"{wait['created_file']}:{wait['created_line']}" if wait["created_file"] else None
    what = "mutex" if wait["mode"] == "mutex" else "RW-latch"
    name = wait["latch_name"] or site or wait["latch_address"] or UNNAMED
    address = wait["latch_address"] or f"{wait['file']}:{wait['line']}"
    resource = draft.resources.get(f"latch:{address}")
    if resource is None:
        resource = Resource(
            f"latch:{address}",
            "latch",
            latch_label(known, what, name),
            f"{known.id}, {address}" if known else address,
            latch=known.id if known else None,
            address=wait["latch_address"],
            meaning=known.contention_means if known else None,
            locators=[draft.lines(wait)],
        )
        draft.resources[resource.id] = resource
    elif known and resource.latch is None:  # another place of waiting decides what it is
        resource.latch, resource.meaning = known.id, known.contention_means
        resource.label, resource.detail = latch_label(known, what, name), f"{known.id}, {address}"
    return resource


def drop_released(draft: Draft) -> None:
    """Drop the holds on pages of those who wait for a lock or for their commit.

    InnoDB ends the mini-transaction, and with it gives up its latches on pages, before a thread
    waits for either. Where sources show both, they show two moments.
    """
    locks = {each.id for each in draft.resources.values() if each.kind in _BETWEEN_MINI}
    waiting = {
        edge.source
        for edge in draft.edges
        if edge.kind == "waits_for" and edge.target in locks and not edge.inferred
    }
    draft.edges = [
        edge
        for edge in draft.edges
        if edge.kind != "held_by"
        or edge.target not in waiting
        or draft.resources[edge.source].latch not in OF_PAGES
    ]


def known_latch(row: Row, server: Server) -> Latch | None:
    """Return the latch of a semaphore wait, if what is printed decides which it is."""
    return knowledge().latch_for(row["latch_name"], wait_of(row, server))


def wait_of(row: Row, server: Server) -> Wait:
    """Return what the row of a semaphore wait says about its latch."""
    created = row["created_file"], row["created_line"]
    return Wait(
        mode=row["mode"],
        created=None if None in created else created,
        at=(row["file"], row["line"]),
        family=server.family,
        numbers=server.numbers,
    )
