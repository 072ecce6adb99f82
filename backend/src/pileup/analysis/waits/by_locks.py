"""Row, table and metadata lock waits from dumps, lock tables and session states."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from pileup.analysis.evidence import lock_places
from pileup.analysis.evidence.actors import Actor, Row
from pileup.analysis.evidence.statements import opening, tables_of, wants_exclusive
from pileup.analysis.stacks import queues
from pileup.analysis.waits import lock_holders
from pileup.analysis.waits.draft import BY_STATE, Draft, Resource, ResourceKind
from pileup.analysis.waits.metadata_conflicts import excludes

_MATCHED = 0.95
"""A list of locks shows it on the same object, row or page, in a conflicting mode."""
_QUEUE_OF = {
    kind: queue
    for queue in queues.QUEUES
    for kind in {
        "user-lock": ("USER LEVEL LOCK", "USER LOCK", "LOCKING SERVICE"),
        "global-read-lock": ("GLOBAL", "GLOBAL READ LOCK"),
        "commit-lock": ("COMMIT", "COMMIT LOCK"),
        "backup-lock": ("BACKUP LOCK", "BACKUP"),
    }.get(queue.id, ())
}
"""OBJECT_TYPE of metadata_locks (sql/mdl.h; MariaDB's own words) to the queue."""
_FIRST_IN_QUEUE = 0.8
_SLACK_S = 1.0
"""Tolerance (s), because printed seconds are truncated."""
_ONLY, _BEST = 0.85, 0.7
"""A row's holder inferred from age and undo: the only candidate; the likeliest of several."""


def row_locks(draft: Draft) -> None:
    """Add transactions in LOCK WAIT; the holder comes from printed locks, else is inferred."""
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
    named = {row["waiting_trx"] for row in draft.scene.lock_waits if row["blocking_trx"]}
    named |= {row["waiting_session"] for row in draft.scene.lock_waits}
    for resource_id, members in by_resource.items():
        if any(_is_named(a, named) for a in members):
            continue  # the lock tables name the holder
        _infer_row_holder(draft, draft.resources[resource_id], members)


def lock_tables(draft: Draft) -> None:
    """Add waits and holders from INNODB_LOCK_WAITS, data_lock_waits and the sys views.

    These tables list every conflicting pair. A blocker that waits for the same row is therefore
    only queued before the waiter; a blocker that waits for another row holds this one.
    """
    pairs = []
    for row in draft.scene.lock_waits:
        if row["lock_kind"] == "metadata":
            continue
        waiter = draft.find_actor(row["waiting_session"], row["waiting_trx"])
        blocker = draft.find_actor(row["blocking_session"], row["blocking_trx"])
        if waiter is not None and blocker is not None and waiter is not blocker:
            pairs.append((row, waiter, blocker))
    wanted = {edge.source: edge.target for edge in draft.edges if edge.kind == "waits_for"}
    wanted |= _split_by_holders(
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


def _split_by_holders(
    draft: Draft, waiters: dict[str, tuple[Actor, Row]], pairs: list[tuple[Row, Actor, Actor]]
) -> dict[str, str]:
    """Map each waiter to the resource it waits for, split by holders where rows are unknown.

    A list that names only the table (pt-stalk's lock-waits) would merge all rows of a table into
    one lock, and turn chains through two tables into cycles. Waiters with the same holders are
    therefore taken to wait for the same row.
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
    """Map each waiter to the blockers that hold its row.

    The other blockers only wait earlier in the queue: the same holders block them, and fewer.
    """
    blockers: defaultdict[str, set[str]] = defaultdict(set)
    for _, waiter, blocker in pairs:
        blockers[waiter.id].add(blocker.id)
    row_holders: dict[str, frozenset[str]] = {}
    for name in sorted(blockers, key=lambda blocker: len(blockers[blocker])):
        mine = blockers[name]
        row_holders[name] = frozenset(
            name for name in mine if name not in row_holders or not row_holders[name] <= mine
        )
    return row_holders


def lock_lists(draft: Draft) -> None:
    """Add waits and holders of the same row from data_locks, without data_lock_waits."""
    for row in draft.listed.values():
        waiter = draft.find_actor(row["session_id"], row["trx_id"])
        if waiter is None or waiter.id in draft.waiting:
            continue
        resource = _lock_resource(draft, waiter, row)
        draft.wait(waiter, resource, mode=row["mode"], locators=[draft.lines(row)])
        _hold_by_list(draft, resource, waiter, row)


def metadata_locks(draft: Draft) -> None:
    """Add sessions that wait for a metadata lock, and holders named by lock tables."""
    paired: defaultdict[str, list[tuple[Row, Actor, Actor]]] = defaultdict(list)
    for row in draft.scene.lock_waits:
        if row["lock_kind"] != "metadata":
            continue
        waiter = draft.find_actor(row["waiting_session"], None)
        blocker = draft.find_actor(row["blocking_session"], None)
        if waiter and blocker and row["table"] and row["mode"] and row["blocking_mode"]:
            paired[row["table"]].append((row, waiter, blocker))
            continue
        resource = metadata_lock(draft, row["table"], row)
        if waiter is not None and waiter.id not in draft.waiting:
            lines = [draft.lines(row)]
            draft.wait(
                waiter, resource, mode=row["mode"], waited_s=row["waiting_s"], locators=lines
            )
        if blocker is not None:
            draft.hold(resource, blocker, note="named by the lock tables", lines=row)
    for table, pairs in paired.items():
        _paired_of(draft, table, pairs)
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


def _paired_of(draft: Draft, name: str, pairs: list[tuple[Row, Actor, Actor]]) -> None:
    """Add the waits of one object from pairs of a request and a granted lock, with their modes.

    The view pairs each request with every granted lock of the object: with those that do not
    exclude it, and with a lock of the requesting session itself.
    """
    asking = {(waiter.id, row["mode"]): (row, waiter) for row, waiter, _ in pairs}
    granted = {
        (blocker.id, row["blocking_mode"]): (row | {"mode": row["blocking_mode"]}, blocker)
        for row, _, blocker in pairs
    }
    _queue_of(draft, "TABLE", name, list(granted.values()), list(asking.values()))


def _object(actor: Actor, common: Counter[str]) -> str | None:
    """Return 'db.table', choosing the table of the statement that most other waiters name."""
    assert actor.session is not None
    database = actor.session["db"]
    names = sorted(tables_of(actor.query or ""), key=lambda name: (-common[name], name))
    if not names:
        return str(database) if database else None
    return f"{database}.{names[0]}" if database else names[0]


def _wait_by_state(draft: Draft, name: str | None, members: list[Actor]) -> None:
    """Add waiters known only by State; the holder comes from a list of locks, else is inferred."""
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
    if any(edge_id == resource.id for edge_id, _ in draft.held):
        return
    resource = _behind_exclusive_request(draft, resource, members)
    if not _hold_by_metadata_list(draft, resource, name):
        _infer_metadata_holder(draft, resource, name, members)


def _behind_exclusive_request(draft: Draft, lock: Resource, members: list[Actor]) -> Resource:
    """Let later requests wait behind the first exclusive one; return what that one waits for.

    A pending exclusive request precedes every later request (MDL_object_lock's waiting matrix).
    """
    exclusive = [actor for actor in members if wants_exclusive(actor.query)]
    if not exclusive or len(members) == len(exclusive):
        return lock
    first = max(exclusive, key=lambda actor: (_waiting_s(actor), actor.id))
    draft.notes[
        f"{first.name[:1].upper()}{first.name[1:]} requested {lock.label} exclusively "
        f"({opening(first.query)}): later sessions queue behind "
        "its request, even if they only read."
    ] = None
    granting = _granting(draft, lock)
    before = {a.id for a in members if _waiting_s(a) > _waiting_s(first) + _SLACK_S} | {first.id}
    for edge in draft.edges:
        if edge.target == lock.id and edge.kind == "waits_for" and edge.source in before:
            edge.target = granting.id
    draft.hold(
        lock,
        first,
        note="inferred: its exclusive request is first, and later requests wait behind it",
        lines=first.session,
        inferred=True,
        confidence=_FIRST_IN_QUEUE,
    )
    return granting


def _hold_by_metadata_list(draft: Draft, resource: Resource, name: str | None) -> bool:
    """Add holders listed in performance_schema.metadata_locks; return whether there are any."""
    listed = [
        (row, owner)
        for row in draft.scene.metadata_locks
        if row["object_name"] == name and row["status"] == "GRANTED"
        if (owner := draft.owner(row)).id not in draft.waiting
    ]
    for row, owner in listed:
        note = f"holds it ({row['mode']}) by the list of metadata locks"
        draft.hold(resource, owner, mode=row["mode"], note=note, lines=row, confidence=0.9)
    return bool(listed)


def _infer_metadata_holder(
    draft: Draft, resource: Resource, name: str | None, members: list[Actor]
) -> None:
    """Add the likeliest holder among the sessions that do not wait, or a note if none."""
    longest = max(map(_waiting_s, members), default=0.0)
    inside = {actor.id for actor in members}
    others = [actor for actor in draft.scene.actors.values() if actor.id not in inside]
    tables = frozenset([name.rpartition(".")[2].lower()]) if name else frozenset()
    guess = lock_holders.guess_table_holder(tables, others, longest, draft.waiting)
    if guess is None:
        draft.notes[
            f"Holder of {resource.label} unknown: capture performance_schema.metadata_locks "
            "to see it."
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
    """Add pending locks of performance_schema.metadata_locks and the granted locks in conflict."""
    by_object: defaultdict[tuple[str, str | None], list[Row]] = defaultdict(list)
    for row in draft.scene.metadata_locks:
        by_object[row["object_type"], row["object_name"]].append(row)
    for (kind, name), rows in by_object.items():
        pending = [row for row in rows if row["status"] == "PENDING"]
        if not pending:
            continue
        granted = [(row, draft.owner(row)) for row in rows if row["status"] == "GRANTED"]
        asking = [(row, draft.owner(row)) for row in pending]
        _queue_of(draft, kind, name or kind.lower(), granted, asking)


def _queue_of(
    draft: Draft, kind: str, name: str, granted: list[_Held], asking: list[_Held]
) -> None:
    """Add the requests for one object: behind the granted locks, or behind a request.

    A request that no granted lock excludes waits for a request in the queue that excludes it.
    """
    resource = _lock_of_kind(draft, kind, name, asking[0][0])
    held = _owners(granted)
    parts: dict[bool, list[_Held]] = {True: [], False: []}
    for row, owner in asking:
        parts[_is_excluded(kind, held, row["mode"], owner)].append((row, owner))
    first, others = parts[True], parts[False]
    requested = _owners(first)
    later = [each for each in others if _is_excluded(kind, requested, each[0]["mode"], each[1])]
    front = _granting(draft, resource) if later else resource
    for queue, lock in ((first, front), (others, resource)):
        for row, waiter in queue:
            if waiter.id not in draft.waiting:
                draft.wait(
                    waiter,
                    lock,
                    mode=row["mode"],
                    waited_s=row.get("waiting_s"),
                    locators=[draft.lines(row)],
                )
    _hold_all(draft, kind, front, granted, first or asking, "holds it ({mode}), which excludes")
    _hold_all(draft, kind, resource, first, later, "its request ({mode}) comes first and excludes")


def _lock_of_kind(draft: Draft, kind: str, name: str, row: Row) -> Resource:
    """Return the lock that a row of a list of metadata locks is about.

    Locks of the application and of the whole server are metadata locks to the server, and other
    problems to the reader.
    """
    queue = _QUEUE_OF.get(kind.upper())
    if queue is None:
        return metadata_lock(draft, name, row)
    place = f"queue:{queue.id}" + (f":{name}" if name.upper() != kind.upper() else "")
    label = f"{queue.label} {name}" if place.count(":") > 1 else queue.label
    return draft.resources.setdefault(
        place,
        Resource(place, "queue", label, meaning=queue.meaning, locators=[draft.lines(row)]),
    )


_Held = tuple[Row, Actor]
_Owners = dict[str, set[str]]
"""The ids of actors by the mode of a lock."""


def _owners(locks: Iterable[_Held]) -> _Owners:
    owners: defaultdict[str, set[str]] = defaultdict(set)
    for row, owner in locks:
        owners[row["mode"]].add(owner.id)
    return owners


def _is_excluded(kind: str, held: _Owners, mode: str, owner: Actor) -> bool:
    """Return whether a lock or a request of another session excludes a mode."""
    return any(
        len(owners) > 1 or owner.id not in owners
        for lock, owners in held.items()
        if excludes(kind, lock, mode)
    )


def _hold_all(
    draft: Draft,
    kind: str,
    lock: Resource,
    holds: Iterable[_Held],
    queue: Iterable[_Held],
    note: str,
) -> None:
    """Let each hold that excludes a request of another session hold the lock."""
    requested = _owners(queue)
    for row, holder in holds:
        for mode, waiters in requested.items():
            if waiters != {holder.id} and excludes(kind, row["mode"], mode):
                text = f"{note.format(mode=row['mode'])} {mode}"
                draft.hold(
                    lock, holder, mode=row["mode"], note=text, lines=row, confidence=_MATCHED
                )
                break


def _granting(draft: Draft, lock: Resource) -> Resource:
    """Return what the first request of a queue waits for."""
    granting = replace(lock, id=f"{lock.id}:granting", label=f"exclusive {lock.label}")
    return draft.resources.setdefault(granting.id, granting)


@dataclass(frozen=True, slots=True)
class _LockPlace:
    """Position of a lock, as far as it was printed."""

    name: str
    """The resource's id."""
    where: str
    exact: bool
    """The row itself is known, not only its page."""


def _lock_resource(draft: Draft, actor: Actor, row: Row | None = None) -> Resource:
    trx, row = actor.trx or {}, row or {}
    lock_id = row.get("lock_id") or draft.requested.get(trx.get("trx_id"))
    lock = draft.locks.get(lock_id) or (row if "lock_data" in row else {})
    lock = lock or draft.of_page.get((trx.get("waits_space"), trx.get("waits_page")), {})
    table = trx.get("waits_table") or row.get("table") or lock.get("table") or "unknown table"
    index = trx.get("waits_index") or row.get("index") or lock.get("index")
    of_table = "table" in (trx.get("waits_kind"), row.get("lock_kind"), lock.get("lock_kind"))
    kind: ResourceKind = "table_lock" if of_table else "row_lock"
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
    """Locate a lock by the transaction's wait, else by the listed lock, else by its id."""
    space, page = trx.get("waits_space"), trx.get("waits_page")
    if page is None:
        space, page = lock.get("space"), lock.get("page")
    heap = trx.get("waits_heap") if page is not None and kind == "row_lock" else None
    if page is None and (of_id := lock_places.record_of(row.get("lock_id"))):
        space, page, heap = of_id
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
    """Return the resource id of a row, or of its page if the row number is unknown."""
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
    """Add the holders of the row that a waiting lock of data_locks names."""
    key = (row["table"], row["index"], row["lock_data"])
    draft.listed_waiters[*key, row["mode"]] += 1
    if draft.listed_waiters[*key, row["mode"]] > 2:
        return  # two waiters see every holder, also where one of them holds the row itself
    for other in draft.granted[key]:
        holder = draft.find_actor(other["session_id"], other["trx_id"])
        gap = "GAP" in other["mode"].replace("NOT_GAP", "")
        if gap and "INSERT" not in row["mode"]:
            continue  # a gap lock keeps out inserts only
        if holder is None or holder is waiter or "X" not in row["mode"][:1] + other["mode"][:1]:
            continue
        note = "holds this row by data_locks"
        draft.hold(
            resource, holder, mode=other["mode"], note=note, lines=other, confidence=_MATCHED
        )


def _infer_row_holder(draft: Draft, resource: Resource, members: list[Actor]) -> None:
    """Find the holder of a row for which the dump prints only waiters."""
    listed = [(a, row) for a in members if (row := draft.listed.get(_trx_id(a)))]
    for actor, row in listed:
        _hold_by_list(draft, resource, actor, row)
    if any(edge_id == resource.id for edge_id, _ in draft.held):
        return
    if not _hold_by_printed_lock(draft, resource):
        _infer_holder_by_age(draft, resource, members)


def _hold_by_printed_lock(draft: Draft, resource: Resource) -> bool:
    """Add the owner of a printed lock on this row or page; return whether there is one."""
    for lock in draft.scene.trx_locks:
        if lock["waiting"] or lock["lock_kind"] != "record":
            continue
        at = ("row_lock", lock["table"], lock["index"], lock["space"], lock["page"])
        places = (_place(*at, lock["heap"]), _place(*at, None))
        holder = draft.by_trx.get(lock["trx_id"])
        if holder is None:
            continue
        if holder.lock_wait and _lock_resource(draft, holder).id in places:
            continue  # it waits for this row itself
        if resource.id in places:
            what = "row" if resource.exact else "page"
            note = f"its lock on this {what} is printed"
            draft.hold(resource, holder, note=note, lines=lock, confidence=_MATCHED)
            return True
    return False


def _infer_holder_by_age(draft: Draft, resource: Resource, members: list[Actor]) -> None:
    """Add the likeliest active transaction that is older than the longest wait."""
    longest = max((a.trx["wait_s"] or 0.0 for a in members if a.trx), default=0.0)
    candidates = [
        actor
        for actor in draft.scene.actors.values()
        if actor.trx
        and not actor.lock_wait
        and ((actor.trx["row_locks"] or 0) > 0 or _is_idle_in_part(actor))
        and actor.trx["state"].startswith(("ACTIVE", "ROLLING BACK"))
        and (_is_idle_in_part(actor) or (actor.trx["active_s"] or 0.0) + 1 >= longest)
    ]
    if not candidates:
        draft.notes[
            f"Holder of {resource.label} unknown: no active transaction with row locks is old "
            "enough. Capture the lock tables (performance_schema.data_lock_waits) to see it."
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


def _is_idle_in_part(actor: Actor) -> bool:
    """Return whether a part of INNODB_TRX that shows neither locks nor age has it as idle."""
    trx = actor.trx or {}
    unknown = trx.get("row_locks") is None and trx.get("active_s") is None
    return unknown and not actor.query and not actor.functions


def _row_holder(holder: Actor, candidates: list[Actor]) -> float:
    """Return the confidence: high for the only candidate, low for one of many alike."""
    alike = sum(
        _likely_holder(candidate)[:2] == _likely_holder(holder)[:2] for candidate in candidates
    )
    sure = _ONLY if len(candidates) == 1 else _BEST
    return round(sure / (1 + 0.5 * (alike - 1)), 2)


def _likely_holder(actor: Actor) -> tuple[bool, bool, float]:
    """Rank candidates: idle with undo first, then the oldest."""
    trx = actor.trx or {}
    idle = not trx.get("query") and not trx.get("thread_state")
    return idle, bool(trx.get("undo_entries")), trx.get("active_s") or 0.0


def _why_holder(actor: Actor, candidates: int) -> str:
    trx = actor.trx or {}
    idle = "without a running query, " if not trx.get("query") else ""
    more = candidates - 1
    noun = "candidate" if more == 1 else "candidates"
    others = f"; {more} other {noun}" if more else "; the only candidate"
    has = "".join(
        f"{count} {unit if count == 1 else units}, "
        for count, unit, units in (
            (trx.get("row_locks"), "row lock", "row locks"),
            (trx.get("undo_entries"), "undo entry", "undo entries"),
        )
        if count is not None
    )
    active = trx.get("active_s")
    since = "" if active is None else f"active for {active:.0f} s, "
    return f"inferred: {since}{idle}{has}not blocked itself{others}"


def _trx_id(actor: Actor) -> str:
    return str(actor.trx["trx_id"]) if actor.trx else ""


def _is_named(actor: Actor, named: Iterable[object]) -> bool:
    return actor.session_id in named or (actor.trx is not None and actor.trx["trx_id"] in named)
