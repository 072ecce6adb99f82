"""Route for deadlocks: each once, with its waits and every dump that prints it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from pileup.api.deps import SourceDep, UnitDep
from pileup.api.versioned import NOTES, by_version
from pileup.api.windows import WindowDep
from pileup.views.evidence.deadlocks import DeadlockList, stored_deadlocks

router = APIRouter(tags=["tables"])


@router.get("/incidents/{incident_id}/deadlocks")
@by_version(ignoring=NOTES)
def deadlocks(
    records: SourceDep,
    unit: UnitDep,
    window: WindowDep,
    pattern: Annotated[str, Query(max_length=64)] = "",
) -> DeadlockList:
    """List every deadlock, or those of one pattern, once; the latest first, unknown times last."""
    return stored_deadlocks(unit, records, window, pattern)
