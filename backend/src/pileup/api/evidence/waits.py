"""The lock-wait graph at a moment, and the moments there are."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from typing import Annotated, Any, Literal, cast

import msgspec
from fastapi import APIRouter, Query, Response

from pileup.analysis.contract import Doc, StallDoc, WaitGraph, WaitPersistence, encode
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.stalls.documents import main_stall, worst_time
from pileup.analysis.waits.diff import whole_diff
from pileup.analysis.waits.first_view import FirstWaits
from pileup.analysis.waits.inspect_node import node_of
from pileup.analysis.waits.moment_graph import whole_graph
from pileup.analysis.waits.moments import moments, worst
from pileup.analysis.waits.persistence import lasting_in
from pileup.analysis.waits.view import WholeGraph, shown
from pileup.api.deps import IncidentDep, Services, ServicesDep, UnitDep
from pileup.api.errors import ApiError
from pileup.api.schema import Out
from pileup.storage.database import Unit
from pileup.storage.errors import NotFound
from pileup.storage.files.placed_evidence import PlacedStore
from pileup.storage.incidents.analyses import Analyses
from pileup.storage.incidents.incidents import Incident
from pileup.views.documents import WaitGraphJson, WaitNodeDocJson, WaitPersistenceJson

router = APIRouter(tags=["waits"])

Fold = Literal["auto", "all", "none"]


class WaitMoment(Out):
    time: datetime
    artifact: str
    snapshot: int
    waiters: int
    """Threads in SEMAPHORES."""
    lock_waits: int
    """Transactions waiting for a row or table lock."""
    max_waited_s: float | None


@router.get("/incidents/{incident_id}/waits/moments")
def wait_moments(incident: IncidentDep, services: ServicesDep) -> list[WaitMoment]:
    """Every placed snapshot in time order, with how many waited: the scrubber's bars."""
    first = services.placed.first_waits(incident.id)
    evidence = None if first else services.placed.waits(incident.id)
    every = first.moments if first else moments(evidence) if evidence else []
    return [
        WaitMoment(
            time=datetime.fromtimestamp(m.time / 1e6, UTC),
            artifact=m.artifact,
            snapshot=m.snapshot,
            waiters=m.waiters,
            lock_waits=m.lock_waits,
            max_waited_s=m.max_waited_s,
        )
        for m in every
        if m.time is not None
    ]


@router.get("/incidents/{incident_id}/waits")
def waits(
    incident: IncidentDep,
    services: ServicesDep,
    unit: UnitDep,
    at: str = "worst",
    against: str | None = None,
    fold: Fold = "auto",
    opened: Annotated[list[str] | None, Query(alias="open", max_length=200)] = None,
    find: Annotated[str, Query(max_length=200)] = "",
) -> WaitGraphJson:
    """Who waits for whom: at the snapshot nearest to ``at``, or at the worst moment.

    The worst is that of the stall which the overview speaks of, else of the capture.

    With ``against``, what is different from that other moment.
    """
    if _is_plain(against, fold, opened, find):
        first = _first(services, unit, incident, at)
        if first is not None:
            return _encoded(first.graph)
    whole = _whole_of(services, unit, incident, at, against)
    return _encoded(_shown(whole, fold, opened, find))


@router.get("/incidents/{incident_id}/waits/persistence")
def waits_persistence(
    incident: IncidentDep,
    services: ServicesDep,
    unit: UnitDep,
    at: str | None = None,
    against: str | None = None,
    fold: Fold = "auto",
    opened: Annotated[list[str] | None, Query(alias="open", max_length=200)] = None,
    find: Annotated[str, Query(max_length=200)] = "",
) -> WaitPersistenceJson:
    """Who and what stays stuck from moment to moment of the stall, by the nodes' lasting keys.

    With ``at`` only what the graph shows that is asked for in the same words; else of all.
    """
    _run(services, incident)
    if at is not None and _is_plain(against, fold, opened, find):
        first = _first(services, unit, incident, at)
        if first is not None and first.lasting is not None:
            return _encoded(first.lasting)
    told = Analyses(unit).persistence(incident.id)
    if told is None:  # an analysis made before it was kept: nothing is claimed
        return _encoded(WaitPersistence(unit="", of=0, moments=0, among="", nodes=[]))
    lasting = msgspec.convert(told, WaitPersistence)
    if at is not None:
        whole = _whole_of(services, unit, incident, at, against)
        lasting = lasting_in(lasting, whole, _shown(whole, fold, opened, find))
    return _encoded(lasting)


@router.get("/incidents/{incident_id}/waits/node")
def waits_node(
    incident: IncidentDep,
    services: ServicesDep,
    unit: UnitDep,
    node: Annotated[str, Query(max_length=2000)],
    at: str = "worst",
    against: str | None = None,
) -> WaitNodeDocJson:
    """Everything about one node: its stack, its latch, the members of a group.

    With ``against``, a group of that difference.
    """
    found = node_of(_whole_of(services, unit, incident, at, against), node)
    if found is None:
        raise NotFound(f"At this moment nothing in the wait graph is {node[:100]!r}.")
    return _encoded(found)


def _is_plain(against: str | None, fold: Fold, opened: list[str] | None, find: str) -> bool:
    """As the screen opens: one moment, folded by size, nothing opened or looked for."""
    return against is None and fold == "auto" and not opened and not find


def _first(services: Services, unit: Unit, incident: Incident, at: str) -> FirstWaits | None:
    """What the worker made ready, if it is of the moment that is asked for."""
    first = services.placed.first_waits(incident.id)
    return first if first is not None and first.at_us == _instant(at, unit, incident) else None


def _shown(whole: WholeGraph, fold: Fold, opened: list[str] | None, find: str) -> WaitGraph:
    folded = {"auto": None, "all": True, "none": False}[fold]
    return shown(whole, folded=folded, opened=frozenset(opened or ()), find=find)


def _whole_of(
    services: Services, unit: Unit, incident: Incident, at: str, against: str | None
) -> WholeGraph:
    run = _run(services, incident)
    other = None if against is None else (_instant(against, unit, incident, "against"),)
    return _whole(services.placed, incident.id, run, _instant(at, unit, incident), other)


@lru_cache(maxsize=4)
def _whole(
    placed: PlacedStore,
    incident_id: str,
    run: str,  # noqa: ARG001 - part of the key
    at: int | None,
    against: tuple[int | None] | None,
) -> WholeGraph:
    """The graph that a person folds, opens and asks about; made once per moment and analysis.

    run: the analysis (``PlacedStore.run``), so that a new one is looked at. against: the other
    moment of a difference, in it None for the worst.
    """
    evidence = _evidence(placed, incident_id)
    if against is None:
        return whole_graph(evidence, at)
    (other,) = against
    if other is None:
        moment = worst(evidence)
        other = moment.time if moment and moment.time is not None else 0
    return whole_diff(evidence, at, other)


def _stall(unit: Unit, incident: Incident) -> StallDoc | None:
    parts = Analyses(unit).parts(incident.id, "stalls") or {}
    return main_stall(msgspec.convert(parts.get("stalls") or [], list[StallDoc]))


def _encoded(document: Doc) -> dict[str, Any]:
    """The document as it is, which FastAPI passes on: a graph of thousands is encoded once."""
    return cast("dict[str, Any]", Response(encode(document), media_type="application/json"))


def _run(services: Services, incident: Incident) -> str:
    run = services.placed.run(incident.id)
    if run is None:
        raise _not_analysed()
    return run


def _evidence(placed: PlacedStore, incident_id: str) -> Evidence:
    evidence = placed.waits(incident_id)
    if evidence is None:
        raise _not_analysed()
    return evidence


def _not_analysed() -> ApiError:
    return ApiError(409, "Nothing to show yet", "this incident was not analysed yet")


def _instant(at: str, unit: Unit, incident: Incident, name: str = "at") -> int | None:
    """UTC µs; None: the worst moment of the capture, where no stall has one."""
    if at == "worst":
        return worst_time(_stall(unit, incident))
    try:
        moment = datetime.fromisoformat(at.replace("Z", "+00:00").replace(" ", "+"))
    except ValueError:
        raise ApiError(
            422,
            "Not accepted",
            f"{name} is {at[:60]!r}: write 'worst' or a time like 2026-11-20T22:19:52Z",
        ) from None
    if moment.tzinfo is None:
        raise ApiError(422, "Not accepted", f"{at[:60]!r} has no zone: write it with Z")
    return int(moment.timestamp() * 1_000_000)
