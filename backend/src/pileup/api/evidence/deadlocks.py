"""Route for deadlocks: each once, with its waits and every dump that prints it."""

from __future__ import annotations

from fastapi import APIRouter

from pileup.api.deps import SourceDep, UnitDep
from pileup.api.windows import WindowDep
from pileup.views.evidence.deadlocks import DeadlockList, stored_deadlocks

router = APIRouter(tags=["tables"])


@router.get("/incidents/{incident_id}/deadlocks")
def deadlocks(records: SourceDep, unit: UnitDep, window: WindowDep) -> DeadlockList:
    """List every deadlock once, the latest first; those of unknown time last."""
    return stored_deadlocks(unit, records, window)
