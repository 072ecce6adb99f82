"""The lock-wait graph at a moment, and the moments there are."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import msgspec
from fastapi import APIRouter, Query

from pileup.analysis.waits import moments, wait_graph
from pileup.api.deps import IncidentDep, ServicesDep
from pileup.api.errors import ApiError
from pileup.api.schema import Out, WaitGraphJson
from pileup.storage.placed import WAIT_KINDS

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
    evidence = services.placed.load(incident.id, WAIT_KINDS)
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
    fold: Literal["auto", "all", "none"] = "auto",
    opened: Annotated[list[str] | None, Query(alias="open", max_length=200)] = None,
) -> WaitGraphJson:
    """Who waits for whom: at the snapshot nearest to ``at``, or at the worst one."""
    evidence = services.placed.load(incident.id, WAIT_KINDS)
    if evidence is None:
        raise ApiError(409, "Nothing to show yet", "this incident was not analysed yet")
    graph = wait_graph(
        evidence,
        _instant(at),
        fold={"auto": None, "all": True, "none": False}[fold],
        opened=frozenset(opened or ()),
    )
    document: dict[str, Any] = msgspec.to_builtins(graph)
    return document


def _instant(at: str) -> int | None:
    if at == "worst":
        return None
    try:
        moment = datetime.fromisoformat(at.replace("Z", "+00:00").replace(" ", "+"))
    except ValueError:
        raise ApiError(
            422,
            "Not accepted",
            f"at is {at[:60]!r}: write 'worst' or a time like 2026-11-20T22:19:52Z",
        ) from None
    if moment.tzinfo is None:
        raise ApiError(422, "Not accepted", f"{at[:60]!r} has no zone: write it with Z")
    return int(moment.timestamp() * 1_000_000)
