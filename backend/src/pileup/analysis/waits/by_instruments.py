"""Waits from performance_schema, and latch holders from lists of latches.

The server fills events_waits_current thread by thread while it runs, so its rows are not of one
exact instant; mutex_instances and rwlock_instances name the exclusive holder of a latch.
"""

from __future__ import annotations

from pileup.analysis.evidence.actors import Row
from pileup.analysis.stacks import instruments
from pileup.analysis.waits.by_locks import metadata_lock
from pileup.analysis.waits.draft import PRINTED, Draft, Resource, latch_label
from pileup.knowledge import knowledge

_GOES_ON, _MAY_HAVE_ENDED = 0.95, 0.6
_SHOWN = 64
"""Limit of the readers drawn per latch: a debug build lists all of them."""


def event_waits(draft: Draft) -> None:
    """Add threads that wait by performance_schema and by no other layer."""
    for row in draft.scene.event_waits:
        if not instruments.counts(row) or row["ps_thread_id"] is row["session_id"] is None:
            continue
        actor = draft.owner(row)
        if actor.id in draft.waiting or actor.lock_wait:
            continue
        resource = _resource(draft, row)
        if resource is None:
            continue
        draft.wait(
            actor,
            resource,
            mode=instruments.mode_of(row),
            waited_s=row["waited_s"],
            position=f"{row['file']}:{row['line']}" if row["file"] else "",
            note=_note(row),
            confidence=wait_confidence(row),
            locators=[draft.lines(row)],
        )


def latch_holders(draft: Draft) -> None:
    """Add the holders of awaited latches that lists of latches name."""
    for row in draft.scene.latch_holds:
        resource = draft.resources.get(f"latch:{row['latch_address']}")
        waited_out = f"readers:latch:{row['latch_address']}" in draft.resources
        if resource is None or row["mode"] == "X wait_ex" or (waited_out and row["mode"] == "S"):
            continue
        if row["thread_id"] is None and row["ps_thread_id"] is None:
            draft.notes[
                f"{row['readers']} readers share {resource.label}; performance_schema does not "
                "name them."
            ] = None
            continue
        hold(draft, resource, row)


def readers(draft: Draft, address: str | None) -> list[Row]:
    """Return the readers of a latch from the dump's list of latches."""
    if address is None:
        return []
    return [
        row
        for row in draft.scene.latch_holds
        if row["latch_address"] == address and row["mode"] == "S" and row["thread_id"] is not None
    ][:_SHOWN]


def hold(draft: Draft, resource: Resource, row: Row) -> None:
    """Add one holder that a list of latches names."""
    named = row["thread_id"] is not None
    actor = draft.thread(row["thread_id"]) if named else draft.owner(row)
    where = f", locked at {row['file']}:{row['line']}" if row["file"] else ""
    by = "the dump's list of latches" if named else "performance_schema's list of latches"
    draft.hold(
        resource,
        actor,
        mode=row["mode"],
        note=f"holds it ({row['mode']}) by {by}{where}",
        lines=row,
        confidence=PRINTED if named else _GOES_ON,
    )


def wait_confidence(row: Row) -> float:
    """Return the confidence of a performance_schema wait, lower if it may have ended."""
    return _GOES_ON if row["ongoing"] else _MAY_HAVE_ENDED


def _resource(draft: Draft, row: Row) -> Resource | None:
    event = row["event"]
    if event.startswith("wait/lock/metadata/"):
        return metadata_lock(draft, row["object_name"], row)
    if event.startswith("wait/lock/table/"):
        name = row["object_name"] or "unknown table"
        return draft.resources.setdefault(
            f"table_lock:{name}",
            Resource(
                f"table_lock:{name}",
                "table_lock",
                f"table {name}",
                row["operation"] or "",
                meaning="A table-level lock: MyISAM, LOCK TABLES, or the engine's own.",
                locators=[draft.lines(row)],
            ),
        )
    latch = instruments.latch_of(event)
    if latch is None or instruments.stage_of(event):
        return None  # by_commits adds the commit queue and the flushes
    known = knowledge().latch_for(latch.rpartition("::")[2]) or knowledge().latch_for(latch)
    what = "mutex" if "/mutex/" in event else "RW-latch"
    key = f"latch:{row['object_address'] or event}"
    return draft.resources.setdefault(
        key,
        Resource(
            key,
            "latch",
            latch_label(known, what, latch),
            ", ".join(filter(None, (known.id if known else None, row["object_address"]))),
            latch=known.id if known else None,
            address=row["object_address"],
            meaning=known.contention_means if known else None,
            locators=[draft.lines(row)],
        ),
    )


def _note(row: Row) -> str:
    ended = "" if row["ongoing"] else "; its columns do not show whether it has ended"
    return f"waits for {row['event']} by performance_schema{ended}"


__all__ = ["event_waits", "hold", "latch_holders", "readers", "wait_confidence"]
