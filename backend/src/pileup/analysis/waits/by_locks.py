"""Row, table and metadata locks: from dumps, lock tables and session states."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from pileup.analysis.evidence.scene import Actor, Row
from pileup.analysis.evidence.statements import tables_of, wants_exclusive
from pileup.analysis.waits import lock_holders
from pileup.analysis.waits.draft import BY_STATE, Draft, Resource, ResourceKind
from pileup.analysis.waits.metadata_conflicts import excludes

_MATCHED = 0.95
"""A list of locks has it on the same object, row or page, in a mode that excludes the waiter's."""
# 9034:12:4:8 (5.6, 5.7, MariaDB)    140012:12:4:8:140066 (8.0): transaction, space, page, heap
_RECORD = re.compile(r"[0-9A-Fa-f]{1,20}:(\d{1,12}):(\d{1,12}):(\d{1,12})(?::\d{1,20})?")
_ONLY, _BEST = 0.85, 0.7
"""A row's holder by its age and its undo: the only candidate; the likeliest of several."""


def row_locks(draft: Draft) -> None:
    """Transactions in LOCK WAIT; the holder from lock prints, else inferred."""
    waiting = [a for a in draft.scene.actors.values() if a.lock_wait]
    by_resource: defaultdict[str, list[Actor]] = defaultdict(list)
    for actor in waiting:
        resource = _lock_resource(draft, actor)
        by_resource[resource.id].append(actor)
        assert actor.trx is not None
        draft.wait(
            actor,
            resource,
            mode=actor.trx["waits_mode"],
            waited_s=actor.trx["wait_s"],
            locators=[draft.lines(actor.trx)],
        )
    told = {row["waiting_trx"] for row in draft.scene.lock_waits if row["blocking_trx"]}
    told |= {row["waiting_session"] for row in draft.scene.lock_waits}
    for resource_id, members in by_resource.items():
        if any(_is_told(a, told) for a in members):
            continue  # the lock tables name the holder
        _infer_row_holder(draft, draft.resources[resource_id], members)


def lock_tables(draft: Draft) -> None:
    """INNODB_LOCK_WAITS, data_lock_waits, sys views: the only layer that names row holders.

    They list every conflicting pair, so a blocker that waits for that very row only stands in its
    queue. One that waits for another row has this one: a chain of transactions, or a cycle.
    """
    pairs = []
    for row in draft.scene.lock_waits:
        if row["lock_kind"] == "metadata":
            continue
        waiter = draft.actor_of(row["waiting_session"], row["waiting_trx"])
        blocker = draft.actor_of(row["blocking_session"], row["blocking_trx"])
        if waiter is not None and blocker is not None and waiter is not blocker:
            pairs.append((row, waiter, blocker))
    wanted = {edge.source: edge.target for edge in draft.edges if edge.kind == "waits_for"}
    wanted |= _told_apart(
        draft, {w.id: (w, row) for row, w, _ in pairs if w.id not in wanted}, pairs
    )
    for row, waiter, blocker in pairs:
        resource = draft.resources.get(wanted[waiter.id]) or _lock_resource(draft, waiter, row)
        if waiter.id not in draft.waiting:
            draft.wait(
                waiter,
                resource,
                mode=row["mode"],
                waited_s=row["waiting_s"],
                locators=[draft.lines(row)],
            )
        waits_too = blocker.lock_wait and blocker.id not in wanted
        if not waits_too and wanted.get(blocker.id) != resource.id:
            draft.hold(resource, blocker, note="named by the lock tables", lines=row)


def _told_apart(
    draft: Draft, waiters: dict[str, tuple[Actor, Row]], pairs: list[tuple[Row, Actor, Actor]]
) -> dict[str, str]:
    """Waiter to what it waits for. A list that names no rows, only the table (pt-stalk's
    lock-waits), would make one lock of all rows of a table, and circles out of chains through two
    tables: there, those who wait for the same holders wait for the same row.
    """
    wanted: dict[str, str] = {}
    holders = _holders(pairs)
    groups: defaultdict[str, defaultdict[frozenset[str], list[str]]]
    groups = defaultdict(lambda: defaultdict(list))
    for name, (waiter, row) in waiters.items():
        resource = _lock_resource(draft, waiter, row)
        wanted[name] = resource.id
        if resource.kind == "row_lock" and not resource.exact:
            groups[resource.id][holders[name]].append(name)
    for resource_id, rows in groups.items():
        largest = max(rows, key=lambda held: (len(rows[held]), sorted(held)))
        for held, names in rows.items():
            if held != largest:
                whole = draft.resources[resource_id]
                apart = replace(whole, id=f"{resource_id}:of {','.join(sorted(held))}")
                draft.resources.setdefault(apart.id, apart)
                wanted |= dict.fromkeys(names, apart.id)
    return wanted


def _holders(pairs: list[tuple[Row, Actor, Actor]]) -> dict[str, frozenset[str]]:
    """Waiter to those of its blockers that have the row; the others wait for it before it.

    Such a one is blocked by the same holders, and by fewer.
    """
    blockers: defaultdict[str, set[str]] = defaultdict(set)
    for _, waiter, blocker in pairs:
        blockers[waiter.id].add(blocker.id)
    found: dict[str, frozenset[str]] = {}
    for name in sorted(blockers, key=lambda blocker: len(blockers[blocker])):
        mine = blockers[name]
        found[name] = frozenset(
            name for name in mine if name not in found or not found[name] <= mine
        )
    return found


def lock_lists(draft: Draft) -> None:
    """data_locks without data_lock_waits: who has the very row that another waits for."""
    for row in draft.listed.values():
        waiter = draft.actor_of(row["session_id"], row["trx_id"])
        if waiter is None or waiter.id in draft.waiting:
            continue
        resource = _lock_resource(draft, waiter, row)
        draft.wait(waiter, resource, mode=row["mode"], locators=[draft.lines(row)])
        _hold_by_list(draft, resource, waiter, row)


def metadata_locks(draft: Draft) -> None:
    """Sessions that wait for a metadata lock, and who has it where a lock table says so."""
    for row in draft.scene.lock_waits:
        if row["lock_kind"] != "metadata":
            continue
        waiter = draft.actor_of(row["waiting_session"], None)
        blocker = draft.actor_of(row["blocking_session"], None)
        resource = metadata_lock(draft, row["table"], row)
        if waiter is not None and waiter.id not in draft.waiting:
            lines = [draft.lines(row)]
            draft.wait(
                waiter, resource, mode=row["mode"], waited_s=row["waiting_s"], locators=lines
            )
        if blocker is not None:
            draft.hold(resource, blocker, note="named by the lock tables", lines=row)
    by_object: defaultdict[str | None, list[Actor]] = defaultdict(list)
    waiters = [
        actor
        for actor in draft.scene.actors.values()
        if actor.id not in draft.waiting
        and "metadata lock" in ((actor.session or {}).get("state") or "")
    ]
    common = Counter(name for waiter in waiters for name in tables_of(waiter.query or ""))
    for actor in waiters:
        by_object[_object(actor, common)].append(actor)
    for name, members in by_object.items():
        _wait_by_state(draft, name, members)


def _object(actor: Actor, common: Counter[str]) -> str | None:
    """'db.table': of the tables that a statement names, the one that most others wait for too."""
    assert actor.session is not None
    database = actor.session["db"]
    names = sorted(tables_of(actor.query or ""), key=lambda name: (-common[name], name))
    if not names:
        return str(database) if database else None
    return f"{database}.{names[0]}" if database else names[0]


def _wait_by_state(draft: Draft, name: str | None, members: list[Actor]) -> None:
    """Waiters that only their State shows; the holder from a list of locks, else guessed."""
    assert members[0].session is not None
    resource = metadata_lock(draft, name, members[0].session)
    for actor in members:
        assert actor.session is not None
        draft.wait(
            actor,
            resource,
            waited_s=actor.session["time_s"],
            note="by its State",
            confidence=BY_STATE,
            locators=[draft.lines(actor.session)],
        )
    _note_exclusive_request(draft, resource, members)
    if any(edge_id == resource.id for edge_id, _ in draft.held):
        return
    if not _hold_by_metadata_list(draft, resource, name):
        _infer_metadata_holder(draft, resource, name, members)


def _note_exclusive_request(draft: Draft, resource: Resource, members: list[Actor]) -> None:
    """Who asked for the whole object: later requests queue behind that one."""
    exclusive = [actor for actor in members if wants_exclusive(actor.query)]
    if not exclusive or len(members) == len(exclusive):
        return
    first = max(exclusive, key=lambda actor: (_waiting_s(actor), actor.id))
    draft.notes[
        f"Session {first.session_id} asked for {resource.label} for itself alone "
        f"({' '.join((first.query or '').split())[:60]}): whoever came later waits behind "
        "its request, also those that only read."
    ] = None


def _hold_by_metadata_list(draft: Draft, resource: Resource, name: str | None) -> bool:
    """Whether performance_schema.metadata_locks lists who has it; those become holders."""
    listed = [
        (row, owner)
        for row in draft.scene.metadata_locks
        if row["object_name"] == name and row["status"] == "GRANTED"
        if (owner := draft.owner(row)).id not in draft.waiting
    ]
    for row, owner in listed:
        note = f"has it in mode {row['mode']} by the list of metadata locks"
        draft.hold(resource, owner, mode=row["mode"], note=note, lines=row, confidence=0.9)
    return bool(listed)


def _infer_metadata_holder(
    draft: Draft, resource: Resource, name: str | None, members: list[Actor]
) -> None:
    """The likeliest holder among those who do not wait for it; a note where nobody is."""
    longest = max(map(_waiting_s, members), default=0.0)
    inside = {actor.id for actor in members}
    others = [actor for actor in draft.scene.actors.values() if actor.id not in inside]
    tables = frozenset([name.rpartition(".")[2].lower()]) if name else frozenset()
    guess = lock_holders.of_table(tables, others, longest, draft.waiting)
    if guess is None:
        draft.notes[
            f"Nothing that was captured names who holds {resource.label}: "
            "performance_schema.metadata_locks would."
        ] = None
        return
    draft.hold(
        resource,
        guess.actor,
        note=f"inferred: {guess.why}",
        lines=guess.row,
        inferred=True,
        confidence=guess.confidence,
    )


def _waiting_s(actor: Actor) -> float:
    return (actor.session or {})["time_s"] or 0.0


def pending_metadata_locks(draft: Draft) -> None:
    """performance_schema.metadata_locks: a pending lock, and granted ones that exclude it."""
    by_object: defaultdict[tuple[str, str | None], list[Row]] = defaultdict(list)
    for row in draft.scene.metadata_locks:
        by_object[row["object_type"], row["object_name"]].append(row)
    for (kind, name), rows in by_object.items():
        pending = [row for row in rows if row["status"] == "PENDING"]
        if not pending:
            continue
        shown = name or kind.lower()
        resource = metadata_lock(draft, shown, pending[0])
        modes: defaultdict[str, set[str]] = defaultdict(set)
        for row in pending:
            waiter = draft.owner(row)
            modes[row["mode"]].add(waiter.id)
            if waiter.id not in draft.waiting:
                draft.wait(waiter, resource, mode=row["mode"], locators=[draft.lines(row)])
        for row in rows:
            if row["status"] != "GRANTED":
                continue
            holder = draft.owner(row)
            for mode, waiters in modes.items():
                if waiters != {holder.id} and excludes(kind, row["mode"], mode):
                    note = f"has it in mode {row['mode']}, which excludes {mode}"
                    draft.hold(
                        resource, holder, mode=row["mode"], note=note, lines=row,
                        confidence=_MATCHED,
                    )  # fmt: skip
                    break


@dataclass(frozen=True, slots=True)
class _LockPlace:
    """Where a lock is, as far as it was printed."""

    name: str
    """The resource's id."""
    where: str
    exact: bool
    """The row itself is known, not only its page."""


def _lock_resource(draft: Draft, actor: Actor, row: Row | None = None) -> Resource:
    trx, row = actor.trx or {}, row or {}
    lock = draft.locks.get(row.get("lock_id")) or (row if "lock_data" in row else {})
    table = trx.get("waits_table") or row.get("table") or lock.get("table") or "unknown table"
    index = trx.get("waits_index") or row.get("index") or lock.get("index")
    kind: ResourceKind = "table_lock" if trx.get("waits_kind") == "table" else "row_lock"
    place = _lock_place(kind, table, index, trx, row, lock)
    if place.name not in draft.resources:
        label = f"table {table}" if kind == "table_lock" else f"row of {table}"
        draft.resources[place.name] = Resource(
            place.name,
            kind,
            f"{label} ({index})" if index else label,
            f"{trx.get('waits_mode') or row.get('mode') or ''}{place.where}".strip(),
            meaning="A transaction's lock, held until it commits or rolls back.",
            exact=place.exact,
            locators=[draft.lines(actor.trx)] if actor.trx else [],
        )
    return draft.resources[place.name]


def _lock_place(
    kind: str, table: str, index: str | None, trx: Row, row: Row, lock: Row
) -> _LockPlace:
    """By the transaction's wait, else by the listed lock, else by the id of the lock."""
    space, page = trx.get("waits_space"), trx.get("waits_page")
    if page is None:
        space, page = lock.get("space"), lock.get("page")
    heap = trx.get("waits_heap") if page is not None and kind == "row_lock" else None
    if page is None and (of_id := _RECORD.fullmatch(row.get("lock_id") or "")):
        space, page, heap = of_id.groups()
    name = _place(kind, table, index, space, page, heap)
    if lock.get("lock_data") is not None and trx.get("waits_page") is None:
        key = lock["lock_data"]
        return _LockPlace(f"{name}:{key}", f" key {key}"[:60], exact=True)
    where = f" page {space}:{page}" if page is not None else ""
    where += f" heap {heap}" if heap is not None else ""
    return _LockPlace(name, where, exact=heap is not None)


def _place(
    kind: str, table: str, index: str | None, space: object, page: object, heap: object | None
) -> str:
    """The id of a row (of a page, where its number in the page is not known)."""
    name = f"{kind}:{table}:{index or ''}:{space}:{page}"
    return name if heap is None else f"{name}:{heap}"


def metadata_lock(draft: Draft, name: str | None, row: Row) -> Resource:
    return draft.resources.setdefault(
        f"mdl:{name}",
        Resource(
            f"mdl:{name}",
            "metadata_lock",
            f"metadata lock {name or ''}".strip(),
            meaning="Held by every transaction that used the table, until it ends.",
            locators=[draft.lines(row)],
        ),
    )


def _hold_by_list(draft: Draft, resource: Resource, waiter: Actor, row: Row) -> None:
    """Holders of the row that a waiting lock of data_locks names."""
    key = (row["table"], row["index"], row["lock_data"])
    draft.looked[*key, row["mode"]] += 1
    if draft.looked[*key, row["mode"]] > 2:
        return  # two waiters see every holder, also where one of them holds the row itself
    for other in draft.granted[key]:
        holder = draft.actor_of(other["session_id"], other["trx_id"])
        gap = "GAP" in other["mode"].replace("NOT_GAP", "")
        if gap and "INSERT" not in row["mode"]:
            continue  # a gap lock keeps out inserts only
        if holder is None or holder is waiter or "X" not in row["mode"][:1] + other["mode"][:1]:
            continue
        note = "has this row by data_locks"
        draft.hold(
            resource, holder, mode=other["mode"], note=note, lines=other, confidence=_MATCHED
        )


def _infer_row_holder(draft: Draft, resource: Resource, members: list[Actor]) -> None:
    """Who holds a row that only its waiters are printed for."""
    listed = [(a, row) for a in members if (row := draft.listed.get(_trx_id(a)))]
    for actor, row in listed:
        _hold_by_list(draft, resource, actor, row)
    if any(edge_id == resource.id for edge_id, _ in draft.held):
        return
    if not _hold_by_printed_lock(draft, resource):
        _infer_holder_by_age(draft, resource, members)


def _hold_by_printed_lock(draft: Draft, resource: Resource) -> bool:
    """Whether a lock on this row, or on its page, is printed; its owner becomes the holder."""
    for lock in draft.scene.trx_locks:
        if lock["waiting"] or lock["lock_kind"] != "record":
            continue
        at = ("row_lock", lock["table"], lock["index"], lock["space"], lock["page"])
        places = (_place(*at, lock["heap"]), _place(*at, None))
        holder = draft.by_trx.get(lock["trx_id"])
        if holder is None:
            continue
        if holder.lock_wait and _lock_resource(draft, holder).id in places:
            continue  # it stands in the queue for this row itself
        if resource.id in places:
            what = "row" if resource.exact else "page"
            note = f"its lock on this {what} is printed"
            draft.hold(resource, holder, note=note, lines=lock, confidence=_MATCHED)
            return True
    return False


def _infer_holder_by_age(draft: Draft, resource: Resource, members: list[Actor]) -> None:
    """The likeliest of the active transactions that are older than the longest wait."""
    longest = max((a.trx["wait_s"] or 0.0 for a in members if a.trx), default=0.0)
    candidates = [
        actor
        for actor in draft.scene.actors.values()
        if actor.trx
        and not actor.lock_wait
        and (actor.trx["row_locks"] or 0) > 0
        and actor.trx["state"].startswith("ACTIVE")
        and (actor.trx["active_s"] or 0.0) + 1 >= longest
    ]
    if not candidates:
        draft.notes[
            f"Nobody in this dump can be named as the holder of {resource.label}: no active "
            "transaction with row locks is old enough. Lock tables "
            "(performance_schema.data_lock_waits) would name it."
        ] = None
        return
    holder = max(candidates, key=_likely_holder)
    assert holder.trx is not None
    draft.hold(
        resource,
        holder,
        note=_why_holder(holder, len(candidates)),
        lines=holder.trx,
        inferred=True,
        confidence=_row_holder(holder, candidates),
    )


def _row_holder(holder: Actor, candidates: list[Actor]) -> float:
    """How sure: the only candidate is nearly certain, one of many like it is not."""
    alike = sum(
        _likely_holder(candidate)[:2] == _likely_holder(holder)[:2] for candidate in candidates
    )
    sure = _ONLY if len(candidates) == 1 else _BEST
    return round(sure / (1 + 0.5 * (alike - 1)), 2)


def _likely_holder(actor: Actor) -> tuple[bool, bool, float]:
    """Idle with undo first, then the oldest."""
    trx = actor.trx or {}
    idle = not trx.get("query") and not trx.get("thread_state")
    return idle, bool(trx.get("undo_entries")), trx.get("active_s") or 0.0


def _why_holder(actor: Actor, candidates: int) -> str:
    trx = actor.trx or {}
    idle = "without a running query, " if not trx.get("query") else ""
    others = f"; {candidates - 1} other candidates" if candidates > 1 else "; the only candidate"
    return (
        f"inferred: active for {trx.get('active_s') or 0:.0f} s, {idle}"
        f"{trx.get('row_locks')} row lock(s), {trx.get('undo_entries') or 0} undo entries, "
        f"not waiting itself{others}"
    )


def _trx_id(actor: Actor) -> str:
    return str(actor.trx["trx_id"]) if actor.trx else ""


def _is_told(actor: Actor, told: Iterable[object]) -> bool:
    return actor.session_id in told or (actor.trx is not None and actor.trx["trx_id"] in told)
