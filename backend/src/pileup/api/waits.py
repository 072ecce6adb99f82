"""The lock-wait graph at a moment, and the moments there are."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal, cast

from fastapi import APIRouter, Query, Response

from pileup.analysis.contract import Doc, encode
from pileup.analysis.evidence import Evidence
from pileup.analysis.wait_diff import wait_diff
from pileup.analysis.wait_node import wait_node
from pileup.analysis.wait_persistence import wait_persistence
from pileup.analysis.waits import moments, wait_graph, worst
from pileup.api.deps import IncidentDep, Services, ServicesDep
from pileup.api.errors import ApiError
from pileup.api.schema import Out, WaitGraphJson, WaitNodeDocJson, WaitPersistenceJson
from pileup.storage.errors import NotFound
from pileup.storage.incidents import Incident

router = APIRouter(tags=["waits"])


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
    evidence = services.placed.waits(incident.id)
    if evidence is None:
        return []
    return [
        WaitMoment(
            time=datetime.fromtimestamp(m.time / 1e6, UTC),
            artifact=m.artifact,
            snapshot=m.snapshot,
            waiters=m.waiters,
            lock_waits=m.lock_waits,
            max_waited_s=m.max_waited_s,
        )
        for m in moments(evidence)
        if m.time is not None
    ]


@router.get("/incidents/{incident_id}/waits")
def waits(
    incident: IncidentDep,
    services: ServicesDep,
    at: str = "worst",
    against: str | None = None,
    fold: Literal["auto", "all", "none"] = "auto",
    opened: Annotated[list[str] | None, Query(alias="open", max_length=200)] = None,
    find: Annotated[str, Query(max_length=200)] = "",
) -> WaitGraphJson:
    """Who waits for whom: at the snapshot nearest to ``at``, or at the worst one.

    With ``against``, what is different from that other moment.
    """
    evidence = _evidence(services, incident)
    folded = {"auto": None, "all": True, "none": False}[fold]
    open_groups = frozenset(opened or ())
    if against is None:
        graph = wait_graph(evidence, _instant(at), fold=folded, opened=open_groups, find=find)
    else:
        other = _instant(against, "against")
        if other is None:
            moment = worst(evidence)
            other = moment.time if moment and moment.time is not None else 0
        graph = wait_diff(
            evidence, _instant(at), other, folded=folded, opened=open_groups, find=find
        )
    return _encoded(graph)


@router.get("/incidents/{incident_id}/waits/persistence")
def waits_persistence(incident: IncidentDep, services: ServicesDep) -> WaitPersistenceJson:
    """Who and what stays stuck from moment to moment, by the nodes' lasting keys."""
    return _encoded(wait_persistence(_evidence(services, incident)))


@router.get("/incidents/{incident_id}/waits/node")
def waits_node(
    incident: IncidentDep,
    services: ServicesDep,
    node: Annotated[str, Query(max_length=2000)],
    at: str = "worst",
) -> WaitNodeDocJson:
    """Everything about one node: its stack, its latch, the members of a group."""
    found = wait_node(_evidence(services, incident), _instant(at), node)
    if found is None:
        raise NotFound(f"At this moment nothing in the wait graph is {node[:100]!r}.")
    return _encoded(found)


def _encoded(document: Doc) -> dict[str, Any]:
    """The document as it is, which FastAPI passes on: a graph of thousands is encoded once."""
    return cast("dict[str, Any]", Response(encode(document), media_type="application/json"))


def _evidence(services: Services, incident: Incident) -> Evidence:
    evidence = services.placed.waits(incident.id)
    if evidence is None:
        raise ApiError(409, "Nothing to show yet", "this incident was not analysed yet")
    return evidence


def _instant(at: str, name: str = "at") -> int | None:
    if at == "worst":
        return None
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
