"""Routes for the lock-wait graph at a moment, and for the moments that exist."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query

from pileup.analysis.contract import WaitGraph, WaitNodeDoc, WaitPersistence
from pileup.api.deps import IncidentDep, ServicesDep, UnitDep
from pileup.api.documents import Document
from pileup.api.errors import ApiError
from pileup.api.versioned import NOTES, by_version
from pileup.views.evidence.waits import Fold, Moment, Shape, StoredWaits, WaitMoment

router = APIRouter(tags=["waits"])


def _waits(incident: IncidentDep, services: ServicesDep, unit: UnitDep) -> StoredWaits:
    return StoredWaits(unit, services.placed, incident.id)


def _shape(
    fold: Fold = "auto",
    opened: Annotated[list[str] | None, Query(alias="open", max_length=200)] = None,
    find: Annotated[str, Query(max_length=200)] = "",
) -> Shape:
    return Shape(fold, opened or (), find)


WaitsDep = Annotated[StoredWaits, Depends(_waits)]
ShapeDep = Annotated[Shape, Depends(_shape)]


@router.get("/incidents/{incident_id}/waits/moments")
@by_version(ignoring=NOTES)
def wait_moments(stored: WaitsDep) -> list[WaitMoment]:
    """List every placed snapshot in time order, with its number of waiters."""
    return stored.moments()


@router.get("/incidents/{incident_id}/waits")
@by_version(ignoring=NOTES)
def waits(
    stored: WaitsDep, shape: ShapeDep, at: str = "worst", against: str | None = None
) -> Document[WaitGraph]:
    """Return the wait graph of the snapshot nearest to ``at``, or of the worst moment.

    The worst moment is that of the stall in the overview, else that of the whole capture. With
    ``against``, return what differs from that other moment.
    """
    return Document(stored.graph(_moment(at), _against(against), shape))


@router.get("/incidents/{incident_id}/waits/persistence")
@by_version(ignoring=NOTES)
def waits_persistence(
    stored: WaitsDep, shape: ShapeDep, at: str | None = None, against: str | None = None
) -> Document[WaitPersistence]:
    """List who and what stays stuck across the moments of the stall, by lasting node keys.

    With ``at``, only what the graph of the same parameters shows; else everything.
    """
    moment = None if at is None else _moment(at)
    return Document(stored.lasting(moment, _against(against), shape))


@router.get("/incidents/{incident_id}/waits/node")
@by_version(ignoring=NOTES)
def waits_node(
    stored: WaitsDep,
    node: Annotated[str, Query(max_length=2000)],
    at: str = "worst",
    against: str | None = None,
) -> Document[WaitNodeDoc]:
    """Return everything about one node: its stack, its latch, the members of a group.

    With ``against``, the node is a group of that difference.
    """
    return Document(stored.node(_moment(at), _against(against), node))


def _against(against: str | None) -> Moment | None:
    return None if against is None else _moment(against, "against")


def _moment(at: str, name: str = "at") -> Moment:
    """Parse a time with its zone to UTC µs; raises ApiError 422 when it is malformed."""
    if at == "worst":
        return "worst"
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
